package server_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// issuer is an OpenID provider of the test. A sign-in succeeds as the configured user unless
// denied.
type issuer struct {
	*httptest.Server
	t     *testing.T
	signs *bearer.DevIssuer

	mu      sync.Mutex
	who     string
	roles   []string
	called  map[string]any // claims of all users with another name, if any
	denies  bool
	ends    bool           // refresh tokens are refused
	ttl     time.Duration  // of access tokens
	ago     time.Duration  // time since the last authentication
	asked   url.Values     // of the last authorization
	back    string         // more of the address that people are sent back to
	forged  map[string]any // claims of ID tokens
	codes   map[string]url.Values
	revoked []string
	renewed int
	fetched int // times that the keys were read
}

func newIssuer(t *testing.T) *issuer {
	signs, err := bearer.OpenDevIssuer(filepath.Join(t.TempDir(), "key"))
	must(t, err)
	i := &issuer{t: t, signs: signs, codes: map[string]url.Values{}, ttl: time.Hour}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		i.reply(w, map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/jwks",
			"end_session_endpoint": i.URL + "/end", "revocation_endpoint": i.URL + "/revoke", "id_token_signing_alg_values_supported": []string{"ES256"},
		})
	})
	mux.HandleFunc("GET /jwks", func(w http.ResponseWriter, _ *http.Request) {
		i.set(func() { i.fetched++ })
		i.reply(w, json.RawMessage(i.signs.JWKS()))
	})
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("POST /revoke", func(_ http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.revoked = append(i.revoked, r.PostFormValue("token"))
	})
	mux.HandleFunc("GET /end", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("post_logout_redirect_uri"), http.StatusFound)
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		i.t.Error(err)
	}
}

func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

func (i *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked = r.URL.Query()
	if i.asked.Get("max_age") != "" { // they prove it again
		i.ago = 0
	}
	back := url.Values{"state": {i.asked.Get("state")}}
	if i.denies {
		back.Set("error", "access_denied")
	} else {
		code := "code-" + i.asked.Get("nonce")
		i.codes[code] = i.asked
		back.Set("code", code)
	}
	http.Redirect(w, r, i.asked.Get("redirect_uri")+"?"+back.Encode()+i.back, http.StatusFound)
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	asked := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	byCode := asked != nil && asked.Get("code_challenge") == base64.RawURLEncoding.EncodeToString(sum[:])
	if r.PostFormValue("grant_type") == "refresh_token" {
		i.renewed++
	}
	if !byCode && (r.PostFormValue("grant_type") != "refresh_token" || i.ends) {
		w.WriteHeader(http.StatusBadRequest)
		i.reply(w, map[string]any{"error": "invalid_grant"})
		return
	}
	said := map[string]any{"nonce": asked.Get("nonce"), "sid": "session-of-" + i.who}
	maps.Copy(said, i.forged)
	i.reply(w, map[string]any{
		"access_token": i.sign("countersign-wf", i.ttl, i.roles,
			map[string]any{"preferred_username": i.who, "name": "Name of " + i.who, "azp": "inbox",
				"auth_time": time.Now().Add(-i.ago).Unix()}),
		"token_type": "Bearer", "expires_in": int(i.ttl.Seconds()), "refresh_token": "refresh-secret",
		"id_token": i.sign("inbox", time.Hour, nil, said),
	})
}

func (i *issuer) sign(audience string, ttl time.Duration, roles []string, claims map[string]any) string {
	maps.Copy(claims, i.called)
	token, err := i.signs.Issue(bearer.DevToken{Issuer: i.URL, Subject: i.who, Audience: audience, Roles: roles, Claims: claims, TTL: ttl})
	if err != nil {
		i.t.Error(err)
	}
	return token
}

// forPeople is a service whose people sign in at the issuer.
func forPeople(t *testing.T, i *issuer, database string) server.Config {
	c := development(t, database)
	c.Dev, c.AuthIssuer, c.AllowHTTPOutbound, c.EncKeys, c.DrainDelay = false, i.URL, true, encKeys, new(time.Duration)
	c.InboxClientID, c.InboxClientSecret = "inbox", "client-secret"
	c.Network = &egress.Policy{AllowHTTP: true, AnyPort: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	listener := httptest.NewServer(nil) // finds a port for the address that the issuer sends browsers to
	c.Listen, c.InboxURL = strings.TrimPrefix(listener.URL, "http://"), listener.URL
	listener.Close()
	return c
}

func TestPeopleSignInAtTheIssuer(t *testing.T) {
	i := newIssuer(t)
	i.set(func() { i.who = "ana" })
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	ana := s.browser().get("/inbox?q=leave").sees(200, "My work", "Name of ana")
	if ana.path != "/inbox?q=leave" || i.asked.Get("code_challenge_method") != "S256" || i.asked.Get("nonce") == "" {
		t.Errorf("%s after %v", ana.path, i.asked)
	}
	at, err := url.Parse(s.url)
	must(t, err)
	kept := ana.page
	for _, cookie := range ana.http.Jar.Cookies(at) {
		kept += cookie.Value
	}
	if strings.Contains(kept, "eyJ") || strings.Contains(kept, "refresh-secret") {
		t.Error("the browser has a token")
	}
	// A reply of the issuer is valid once, and only for the browser of the sign-in.
	reply := "/inbox/callback?code=code-x&state=" + i.asked.Get("state")
	ana.get(reply).sees(400, "Please sign in again")
	s.browser().get(reply).sees(400, "Please sign in again")

	// The issuer ends the session, by its sid or everywhere. A token of the second of a
	// logout is refused, so the logout is older.
	for _, claims := range []map[string]any{
		{"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}, "sid": "session-of-ana"},
		{"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}},
	} {
		bob := s.browser()
		ana.get("/inbox").sees(200, "Name of ana")
		i.set(func() { i.who = "bob" })
		bob.get("/inbox").sees(200, "Name of bob")
		i.set(func() { i.who = "ana" })
		for _, bad := range []string{"", "x.y.z", i.sign("inbox", time.Minute, nil, map[string]any{"sid": "session-of-ana"}),
			i.sign("other", time.Minute, nil, claims)} {
			if s.browser().post("/inbox/backchannel-logout", url.Values{"logout_token": {bad}}).code != http.StatusBadRequest {
				t.Errorf("a bad logout token is taken: %s", bad)
			}
		}
		claims["iat"] = time.Now().Add(-time.Minute).Unix()
		logout := url.Values{"logout_token": {i.sign("inbox", 2*time.Minute, nil, claims)}}
		s.browser().post("/inbox/backchannel-logout", logout).sees(200)
		if code := s.browser().post("/inbox/backchannel-logout", logout).code; code != http.StatusBadRequest {
			t.Errorf("the second use of a logout token: %d", code)
		}
		i.set(func() { i.denies = true })
		ana.get("/inbox").sees(403, "Sign-in was cancelled or refused")
		bob.get("/inbox").sees(200, "Name of bob")
		i.set(func() { i.denies = false })
	}

	if b := s.browser().get("/inbox/signin?to=" + url.QueryEscape("https://evil.example/inbox/new")); b.path != "/inbox" {
		t.Errorf("a sign-in for another site leads to %s", b.path)
	}

	// A sign-out ends the session here and at the issuer.
	ana.get("/inbox").sees(200, "Name of ana")
	ana.post("/inbox/signout", nil).sees(200, "You are signed out")
	if !slices.Contains(i.revoked, "refresh-secret") {
		t.Error("the refresh token is not taken back")
	}
}

func TestASignInOfAnotherIsRefused(t *testing.T) {
	i := newIssuer(t)
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	for name, tt := range map[string]struct {
		back   string
		forged map[string]any
		code   int
		sees   string
	}{
		"good":               {"&iss=" + url.QueryEscape(i.URL), nil, 200, "My work"},
		"another issuer":     {"&iss=" + url.QueryEscape("https://evil.example"), nil, 400, "Please sign in again"},
		"another sign-in":    {"", map[string]any{"nonce": "another"}, 503, "unavailable"},
		"another person":     {"", map[string]any{"sub": "bob"}, 403, "has no access to this service"},
		"another token":      {"", map[string]any{"at_hash": "another"}, 503, "unavailable"},
		"another client":     {"", map[string]any{"aud": "another"}, 503, "unavailable"},
		"an ID token of old": {"", map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}, 503, "unavailable"},
	} {
		i.set(func() { i.who, i.back, i.forged = "ana", tt.back, tt.forged })
		b := s.browser().get("/inbox")
		if b.code != tt.code || !strings.Contains(b.shown(), tt.sees) {
			t.Errorf("%s: %d %s", name, b.code, b.shown())
		}
		i.set(func() { i.denies = true })
		if b.get("/inbox"); (b.code == 200) != (name == "good") {
			t.Errorf("%s: afterwards %d", name, b.code)
		}
		i.set(func() { i.denies = false })
	}
	lines := s.log.Lines(t, "issuer not reachable for a sign-in")
	if len(lines) == 0 {
		t.Error("no line of the log names the failed sign-ins")
	}
	for _, line := range lines {
		line.Want(t, logtest.Line{"setting": "WF_AUTH_ISSUER"})
	}
}

func TestNoScriptAndNoOtherSiteHasACookie(t *testing.T) {
	i := newIssuer(t)
	i.set(func() { i.who = "ana" })
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	b := s.browser()
	var set []*http.Cookie
	b.http.CheckRedirect = func(r *http.Request, _ []*http.Request) error { set = append(set, r.Response.Cookies()...); return nil }
	b.get("/inbox").sees(200, "Name of ana")
	ages := map[string]int{}
	for _, c := range set {
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
			t.Errorf("cookie %s", c)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(c.Name, "wf_"), "_")
		ages[name] = max(ages[name], c.MaxAge)
	}
	if len(set) != 2 || ages["signin"] != 15*60 {
		t.Errorf("cookies %v, want one of a sign-in for 15 minutes, and one of the session", set)
	}
}

func TestPendingSignInsShareOneCookie(t *testing.T) {
	i := newIssuer(t)
	i.set(func() { i.who = "ana" })
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	b := s.browser()
	follow := b.http.CheckRedirect
	var states []string
	for range 64 { // tabs that stop at the issuer
		b.http.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			states = append(states, r.URL.Query().Get("state"))
			return http.ErrUseLastResponse
		}
		b.get("/inbox/signin?to=/inbox/mine")
	}
	at, err := url.Parse(s.url)
	must(t, err)
	if cookies := b.http.Jar.Cookies(at); len(cookies) != 1 {
		t.Errorf("%d cookies after 64 sign-ins", len(cookies))
	}
	b.http.CheckRedirect = follow
	for _, state := range []string{states[0], states[63]} { // each tab continues at its own page
		b.get("/inbox/callback?error=login_required&state="+url.QueryEscape(state)).sees(403, "Sign-in was cancelled or refused")
		s.browser().get("/inbox/callback?error=login_required&state="+url.QueryEscape(state)).sees(400, "Please sign in again")
	}
	if b.get("/inbox/signin?to=/inbox/mine"); b.path != "/inbox/mine" {
		t.Errorf("the sign-in leads to %s", b.path)
	}
	if b.get("/inbox/signin?to=/inbox/mine?q=" + strings.Repeat("x", 1100)); b.path != "/inbox" { // issuers limit the state
		t.Errorf("the sign-in for a long address leads to %s", b.path)
	}
}

func TestPeopleEndTheirOwnSessions(t *testing.T) {
	i := newIssuer(t)
	i.set(func() { i.who = "ana" })
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	here, there := s.browser(), s.browser()
	here.get("/inbox").sees(200, "Name of ana")
	there.get("/inbox").sees(200, "Name of ana")
	here.get("/inbox/signin?to=/inbox").sees(200, "Name of ana") // the second sign-in of a browser ends its first session
	ends := regexp.MustCompile(`/inbox/sessions/[0-9a-f]{64}/end`)
	here.get("/inbox/sessions").sees(200, "This browser", "Go-http-client", "End all other sessions")
	mine := ends.FindAllString(here.page, -1)
	if len(mine) != 2 {
		t.Fatalf("%d sessions are listed", len(mine))
	}
	i.set(func() { i.who = "bob" })
	bob := s.browser().get("/inbox").sees(200, "Name of bob")
	for _, path := range mine {
		bob.post(path, nil)
	}
	here.get("/inbox/sessions").sees(200, "Sessions")
	if left := ends.FindAllString(here.page, -1); len(left) != 2 {
		t.Errorf("another person has ended a session: %d are left", len(left))
	}
	here.post("/inbox/sessions/others/end", nil).sees(200, "Session ended", "This browser")
	i.set(func() { i.denies = true })
	there.get("/inbox").sees(403, "Sign-in was cancelled or refused")
	here.post(ends.FindString(here.page), nil).sees(200, "You are signed out")
	here.get("/inbox").sees(403, "Sign-in was cancelled or refused")
}

func TestALogoutOfTheIssuerEndsAPITokensOfTheSession(t *testing.T) {
	i := newIssuer(t)
	i.set(func() { i.who = "ana" })
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	token := func(sid string) string {
		return i.sign("countersign-wf", time.Hour, nil, map[string]any{"sid": sid, "name": "Ana"})
	}
	one, two := token("one"), token("two")
	call := func(token string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/wf/me", nil)
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		reply, err := http.DefaultClient.Do(r)
		must(t, err)
		defer reply.Body.Close()
		return reply.StatusCode
	}
	if call(one) != 200 || call(two) != 200 {
		t.Fatal("the tokens are refused before the logout")
	}
	s.browser().post("/inbox/backchannel-logout", url.Values{"logout_token": {i.sign("inbox", time.Minute, nil, map[string]any{
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}, "sid": "one",
	})}}).sees(200)
	if got := call(one); got != 401 {
		t.Errorf("a token of the session that has ended: %d", got)
	}
	if got := call(two); got != 200 {
		t.Errorf("a token of another session: %d", got)
	}
}

func TestASignInTakesAQuarterOfAnHourAtMost(t *testing.T) {
	for late, code := range map[time.Duration]int{14 * time.Minute: http.StatusOK, 15 * time.Minute: http.StatusBadRequest} {
		i := newIssuer(t)
		i.set(func() { i.who = "ana" })
		c := forPeople(t, i, wftest.Schema.Fresh(t))
		var passed atomic.Int64
		c.Now = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
		b := begin(t, c).browser()
		b.http.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if r.URL.Path == "/inbox/callback" {
				passed.Store(int64(late))
			}
			return nil
		}
		b.get("/inbox").sees(code)
	}
}

func TestOnlyALogoutTokenOfNowEndsSessions(t *testing.T) {
	i := newIssuer(t)
	i.set(func() { i.who = "ana" })
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	ana := s.browser().get("/inbox").sees(200, "Name of ana")
	i.set(func() { i.denies = true })
	const logout = "http://schemas.openid.net/event/backchannel-logout"
	told := func(more map[string]any) int {
		claims := map[string]any{"events": map[string]any{logout: map[string]any{}}, "sid": "session-of-ana"}
		maps.Copy(claims, more)
		return s.browser().post("/inbox/backchannel-logout", url.Values{"logout_token": {i.sign("inbox", time.Hour, nil, claims)}}).code
	}
	for name, more := range map[string]map[string]any{
		"of six minutes ago": {"iat": time.Now().Add(-6 * time.Minute).Unix()},
		"of the future":      {"iat": time.Now().Add(2 * time.Minute).Unix()},
		"without a jti":      {"jti": nil},
		"with a long jti":    {"jti": strings.Repeat("j", 256)},
		"that names nobody":  {"sub": "", "sid": ""},
		"with a nonce":       {"nonce": "n"},
		"of another event":   {"events": map[string]any{"http://schemas.openid.net/event/other": map[string]any{}}},
		"of another issuer":  {"iss": "https://evil.example"},
	} {
		if code := told(more); code != http.StatusBadRequest {
			t.Errorf("a logout token %s: %d", name, code)
		}
	}
	ana.get("/inbox").sees(200, "Name of ana")
	if code := told(map[string]any{"iat": time.Now().Add(-4 * time.Minute).Unix()}); code != http.StatusOK {
		t.Errorf("a logout token of four minutes ago: %d", code)
	}
	ana.get("/inbox").sees(403, "Sign-in was cancelled or refused")
}

func TestAPartyThatActsForAPersonDecidesNothingOnThePages(t *testing.T) {
	i := newIssuer(t)
	s, request := i.asksAna(t, wftest.Schema.Fresh(t), "")
	i.set(func() {
		i.called, i.roles = map[string]any{"act": map[string]any{"sub": "agent-7"}}, []string{"WF_ADMIN"}
	})
	agent := s.browser().get("/inbox").sees(200, "Three weeks in June")
	task := agent.find(`name="task" value="([0-9a-f-]{36})`)
	if agent.get("/inbox/requests/"+request).sees(200, "Three weeks in June"); strings.Contains(agent.page, `value="approve"`) {
		t.Error("the page of the task has a button to approve")
	}
	agent.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}}).sees(403) // the refusal that is recorded
	for path, form := range map[string]url.Values{"/claim": {}, "/reassign": {"to-" + task: {"bob"}}} {
		agent.post("/inbox/tasks/"+task+path, form).sees(403)
	}
	agent.post("/inbox/tasks", url.Values{"task": {task + " x"}, "action": {"approve"}})
	tomorrow := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	for path, form := range map[string]url.Values{
		"/delegations":                     {"to": {"bob"}, "delegate": {"bob"}, "from": {tomorrow}, "until": {tomorrow}},
		"/console/policies/p/1/deactivate": sure(nil),
		"/console/deliveries/recover":      sure(nil),
		"/console/endpoints":               {"name": {"e"}, "url": {"https://example.org/hook"}},
	} {
		if agent.post("/inbox"+path, form); agent.code != http.StatusForbidden {
			t.Errorf("%s: %d\n%s", path, agent.code, agent.shown())
		}
	}
	denied := i.as(s, "vera", http.MethodGet, "/v1/wf/admin/audit?type=auth.denied&actor=ana&limit=200", "", http.StatusOK, "WF_VIEWER").page
	for _, operation := range []string{
		"decideTask", "createDelegation", "deactivateVersion", "recoverDeliveries", "createEndpoint",
	} {
		if !strings.Contains(denied, `"operation":"`+operation+`"`) {
			t.Errorf("the refusal of %s is not recorded: %s", operation, denied)
		}
	}
	i.set(func() { i.called, i.roles, i.who = nil, nil, "ana" })
	ana := s.browser().get("/inbox/requests/"+request).sees(200, `value="approve"`)
	ana.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}}).sees(200, "You approved this request")
}

func TestASessionFollowsTheIssuer(t *testing.T) {
	i := newIssuer(t)
	i.set(func() { i.who, i.ttl = "ana", 20*time.Second }) // every page renews such a token
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	ana := s.browser().get("/inbox").sees(200, "Name of ana")
	if i.renewed == 0 {
		t.Error("the tokens were not renewed")
	}
	i.set(func() { i.ends = true })
	i.set(func() { i.denies = true })
	ana.get("/inbox").sees(403, "Sign-in was cancelled or refused")

	i.set(func() { i.denies, i.ends, i.who, i.ttl = false, false, "service-account-robot", time.Hour })
	s.browser().get("/inbox").sees(403, "Service accounts cannot sign in here")
}

// as calls the API as a user of the issuer.
func (i *issuer) as(s *service, who, method, path, body string, want int, roles ...string) *browser {
	s.t.Helper()
	var token string
	i.set(func() {
		i.who = who
		token = i.sign("countersign-wf", time.Hour, roles, map[string]any{"preferred_username": who})
	})
	return s.shown(wftest.At(s.t, s.url, token).Do(method, path, body).Want(want))
}

// asksAna is a service with a request for ana, in a stage with more members.
func (i *issuer) asksAna(t *testing.T, database, members string) (s *service, request string) {
	s = begin(t, forPeople(t, i, database))
	i.as(s, "root", http.MethodPost, "/v1/wf/policies",
		`{"policy_key":"p","name":"P","stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana"]}]`+members+
			`}]}`, http.StatusCreated, "WF_ADMIN")
	i.as(s, "root", http.MethodPost, "/v1/wf/policies/p/versions/1/activate", "", http.StatusOK, "WF_ADMIN")
	made := i.as(s, "mia", http.MethodPost, "/v1/wf/requests", `{"policy_key":"p","title":"Three weeks in June"}`, http.StatusCreated)
	i.set(func() { i.who = "ana" })
	return s, made.find(`"id":"([0-9a-f-]{36})","policy_key"`)
}

func TestStageRequiresFreshSignIn(t *testing.T) {
	i := newIssuer(t)
	s, request := i.asksAna(t, wftest.Schema.Fresh(t), `,"reauth":{"max_age":"PT5M","acr_values":["gold"]}`)
	i.set(func() { i.ago = time.Hour })
	ana := s.browser().get("/inbox/requests/" + request).sees(200)
	task := ana.find(`action="(/inbox/tasks/[0-9a-f-]{36}/decision)"`)
	ana.post(task, url.Values{"action": {"approve"}, "comment": {"typed"}}).sees(401, "typed")
	signIn := ana.find(`href="(/inbox/signin[^"]*)"`)
	ana.sees(401, `<form method="post" action="`+task+
		`"><input type="hidden" name="action" value="approve"><input type="hidden" name="comment" value="typed">`)
	ana.get(signIn).sees(200, "You are signed in")
	if i.asked.Get("max_age") != "300" || i.asked.Get("acr_values") != "gold" {
		t.Errorf("the issuer received scope %v", i.asked)
	}
}

func TestRolesFollowTheIssuer(t *testing.T) {
	i := newIssuer(t)
	i.set(func() { i.who, i.ttl = "ana", 20*time.Second }) // every page renews such a token
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	ana := s.browser().get("/inbox").sees(200)
	ana.get("/inbox/console").sees(403)
	i.set(func() { i.roles = []string{"WF_VIEWER"} })
	ana.get("/inbox/console").sees(200)
	ana.get("/inbox/console/endpoints").sees(403)
	i.set(func() { i.roles = []string{"WF_ADMIN"} })
	ana.get("/inbox/console/endpoints").sees(200)
	i.set(func() { i.roles = nil })
	ana.get("/inbox/console").sees(403)
}
