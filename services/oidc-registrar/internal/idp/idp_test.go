package idp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

// loopback reaches the test's own servers, on a slow machine too, without a delay between attempts.
var loopback = egress.Policy{
	AllowHTTP: true, AnyPort: true, Total: time.Minute, RetryWait: time.Nanosecond,
	Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
}

const (
	clientSecret = "s3cret/with+signs"
	jwk          = `{"crv":"P-256","kid":"k1","kty":"EC","x":"eA","y":"eQ"}`
)

func client() registrar.Client {
	return registrar.Client{
		ID: "client-1", API: registrar.PartnerAPI, Name: "Health portal", PartnerID: "partner-1", PolicyID: "policy-1",
		Key:        registrar.Key{JWK: jwk, Thumbprint: "client-1", ID: "k1"},
		UserClaims: []string{"name", "email", "individual_id"}, ACRs: []string{"mosip:idp:acr:password"},
		LogoURI: "https://rp.example/l.png", RedirectURIs: []string{"https://rp.example/cb"},
		GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"}, Status: registrar.ClientPending,
	}
}

// call is a request that a provider got.
type call struct {
	method, path, token string
	body                string
}

// provider is an identity provider that plays a script. Its token endpoint gives
// out t1, t2, ….
type provider struct {
	*httptest.Server

	mu     sync.Mutex
	script []http.HandlerFunc
	calls  []call
	tokens []string // the bodies of token requests
	token  http.HandlerFunc
}

// start runs a provider that answers the calls with script, one after another,
// and then with the last one.
func start(t *testing.T, script ...http.HandlerFunc) *provider {
	p := &provider{script: script}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body))) // for the script
		p.mu.Lock()
		if r.URL.Path == "/token" {
			id, secret, _ := r.BasicAuth()
			p.tokens = append(p.tokens, id+" "+secret+" "+string(body))
			answer, n := p.token, len(p.tokens)
			p.mu.Unlock()
			if answer == nil {
				answer = reply(200, fmt.Sprintf(`{"access_token":"t%d","token_type":"bearer","expires_in":300}`, n))
			}
			answer(w, r)
			return
		}
		p.calls = append(p.calls, call{r.Method, r.URL.EscapedPath(), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), string(body)})
		answer := p.script[min(len(p.calls), len(p.script))-1]
		p.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(p.Server.Close)
	return p
}

func (p *provider) options() idp.Options {
	return idp.Options{URL: p.URL, TokenURL: p.URL + "/token", ClientID: "registrar", ClientSecret: clientSecret,
		Scope: "add_oidc_client", Egress: loopback}
}

func (p *provider) connector(t *testing.T, kind string) idp.Connector {
	t.Helper()
	return open(t, kind, p.options())
}

// registry is the connector to a registry of client metadata, which manages clients with
// credentials of our own, or by the token of each client.
func (p *provider) registry(t *testing.T, own bool) *idp.RFC7591 {
	t.Helper()
	o := p.options()
	if own {
		o.ManageClientID, o.ManageClientSecret = "manager", clientSecret
	}
	c, err := idp.NewRFC7591(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// impatient is a connector to a provider that does not answer.
func (p *provider) impatient(t *testing.T, kind string) idp.Connector {
	t.Helper()
	o := p.options()
	o.Egress.Total = time.Second
	return open(t, kind, o)
}

func open(t *testing.T, kind string, o idp.Options) idp.Connector {
	t.Helper()
	c, err := idp.New(kind, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (p *provider) received() []call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

func reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// hang answers when the caller has gone.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// stall sends half an answer and then hangs.
func stall(w http.ResponseWriter, r *http.Request) {
	io.WriteString(w, `{"response":`)
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// breakOff sends half an answer and closes the connection.
func breakOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	io.WriteString(w, `{"response":`)
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// reset breaks the connection off without an answer, so that the read of it fails.
func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// drop closes the connection without an answer.
func drop(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func redirect(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
}

// wants is the expected end of a call.
type wants struct {
	reason registrar.Reason // empty for success
	code   string           // of a refusal
	calls  int              // how many the provider saw; 0 for any number
}

func (w wants) check(t *testing.T, p *provider, err error) {
	t.Helper()
	refused, _ := errors.AsType[*refusal.Error](err)
	switch {
	case w.reason == "":
		if err != nil {
			t.Errorf("error %v", err)
		}
	case !errors.Is(err, w.reason):
		t.Errorf("error %v, want %s", err, w.reason)
	case registrar.ProviderCode(refused.Reason) != w.code:
		t.Errorf("code %q, want %q", registrar.ProviderCode(refused.Reason), w.code)
	case w.reason == registrar.ProviderUnreachable &&
		(!errors.Is(err, idp.ErrUnreachable) || refused.Message != "the identity provider could not be reached"):
		t.Errorf("error %v with the message %q", err, refused.Message)
	}
	if err != nil && (strings.Contains(err.Error(), clientSecret) || strings.Contains(err.Error(), "reg-token") || strings.Contains(err.Error(), "eQ")) {
		t.Errorf("error %v holds a secret or a key", err)
	}
	if n := len(p.received()); w.calls != 0 && n != w.calls {
		t.Errorf("the provider got %d calls, want %d", n, w.calls)
	}
}

// failures end every connector's call in the same way.
var failures = map[string]struct {
	script []http.HandlerFunc
	calls  int
}{
	"a provider that fails is tried three times":        {[]http.HandlerFunc{reply(502, "")}, 3},
	"a provider that is busy is tried three times":      {[]http.HandlerFunc{reply(429, "")}, 3},
	"an answer that breaks off is tried three times":    {[]http.HandlerFunc{breakOff}, 3},
	"a connection that is dropped is tried three times": {[]http.HandlerFunc{drop}, 3},
	"a redirect is not followed":                        {[]http.HandlerFunc{redirect}, 1},
	"a page is no answer":                               {[]http.HandlerFunc{reply(200, "<!doctype html><title>Login</title>")}, 1},
	"a page with a client error is no answer":           {[]http.HandlerFunc{reply(400, "<html>")}, 1},
	"an empty body is no answer":                        {[]http.HandlerFunc{reply(200, "")}, 1},
	"an empty object is no answer":                      {[]http.HandlerFunc{reply(200, "{}")}, 1},
	"null is no answer":                                 {[]http.HandlerFunc{reply(200, "null")}, 1},
	"an answer of another type is none":                 {[]http.HandlerFunc{reply(200, `{"response":7,"client_id":7,"errors":"x"}`)}, 1},
	"an answer over 256 KiB is not read": {[]http.HandlerFunc{reply(200,
		`{"client_id":"a","response":{"clientId":"client-1"}}`+strings.Repeat(" ", 256<<10))}, 1},
	"a route that is not there":                  {[]http.HandlerFunc{reply(404, `{"message":"no such route"}`)}, 1},
	"a failure is no refusal, whatever its body": {[]http.HandlerFunc{reply(502, `{"errors":[{"errorCode":"invalid_rp_id"}]}`)}, 3},
	"nor is being busy":                          {[]http.HandlerFunc{reply(429, `{"errors":[{"errorCode":"invalid_rp_id"}]}`)}, 3},
	"nor is a client on another page an answer": {[]http.HandlerFunc{reply(404,
		`{"client_id":"assigned-1","response":{"clientId":"client-1"}}`)}, 1},
	"a 403 is about us, not about the client": {[]http.HandlerFunc{reply(403, `{"errors":[{"errorCode":"invalid_rp_id"}]}`)}, 1},
	"a second 401 too":                        {[]http.HandlerFunc{reply(401, "")}, 2},
}

func TestNoUsableAnswer(t *testing.T) {
	for _, kind := range []string{"esignet-1.8", "rfc7591"} {
		for name, tt := range failures {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := start(t, tt.script...)
				_, err := p.connector(t, kind).Register(t.Context(), client(), registrar.PriorNone)
				wants{reason: registrar.ProviderUnreachable, calls: tt.calls}.check(t, p, err)
			})
		}
	}
}

func TestUnfollowedRedirectIsLogged(t *testing.T) {
	p := start(t, redirect)
	_, err := p.connector(t, "esignet-1.8").Register(t.Context(), client(), registrar.PriorNone)
	if err == nil || !strings.Contains(err.Error(), "status 307") || !strings.Contains(err.Error(), "not followed") {
		t.Errorf("%v", err)
	}
}

func TestADestinationThatIsBlocked(t *testing.T) {
	p := start(t, reply(200, "{}"))
	o := p.options()
	o.Egress.Allow = nil
	if _, err := idp.New("esignet-1.8", o); err == nil {
		t.Error("a provider on a blocked address is found out at the start")
	}
	o = p.options()
	o.MetadataURL = "http://169.254.169.254/"
	if _, err := idp.New("rfc7591", o); err == nil {
		t.Error("metadata at a blocked address are found out at the start")
	}
}

// Without a token endpoint calls carry no token.
func TestUnreachableProviderIsNotSent(t *testing.T) {
	for _, kind := range []string{"esignet-1.8", "rfc7591"} {
		p := start(t, drop)
		o := p.options()
		o.TokenURL = ""
		c, err := idp.New(kind, o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Register(t.Context(), client(), registrar.PriorNone); errors.Is(err, idp.ErrNotSent) {
			t.Errorf("%s, a connection that is dropped: %v", kind, err)
		}
		if seen := p.received(); seen[0].token != "" {
			t.Errorf("%s got the token %q", kind, seen[0].token)
		}
		p.Close()
		_, err = c.Register(t.Context(), client(), registrar.PriorNone)
		wants{reason: registrar.ProviderUnreachable}.check(t, p, err)
		if !errors.Is(err, idp.ErrNotSent) {
			t.Errorf("%s, no listener: %v", kind, err)
		}
	}
}

// The options bound the concurrent calls, also above the default per host.
func TestNoCallWaitsForTheConnectionOfAnother(t *testing.T) {
	const calls = 9
	var arrived atomic.Int32
	all := make(chan struct{})
	p := start(t, func(w http.ResponseWriter, r *http.Request) {
		if arrived.Add(1) == calls {
			close(all)
		}
		select {
		case <-all:
		case <-r.Context().Done():
		}
		reply(200, `{"response":{"clientId":"client-1"}}`)(w, r)
	})
	o := p.options()
	o.Calls = calls
	c := open(t, "esignet-1.8", o)
	var group sync.WaitGroup
	for range calls {
		group.Go(func() {
			if _, err := c.Register(t.Context(), client(), registrar.PriorNone); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := len(p.received()); n != calls {
		t.Errorf("%d calls took %d tries", calls, n)
	}
}

// A token without a lifetime is cached for a minute.
func TestHowLongATokenIsKept(t *testing.T) {
	for name, tt := range map[string]struct {
		lifetime string
		kept     time.Duration
	}{
		"300 s, but for the last 30":     {`,"expires_in":300`, 270 * time.Second},
		"20 s, but for the last quarter": {`,"expires_in":20`, 15 * time.Second},
		"a minute by default":            {``, 45 * time.Second},
	} {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		p := start(t, reply(200, `{"response":{"clientId":"client-1"}}`))
		p.token = reply(200, `{"access_token":"t","token_type":"Bearer"`+tt.lifetime+`}`)
		o := p.options()
		o.Now = func() time.Time { return now }
		e, err := idp.NewESignet(o)
		if err != nil {
			t.Fatal(err)
		}
		begun := now
		for want, after := range []time.Duration{0, tt.kept - 2*time.Second, tt.kept + 2*time.Second} {
			now = begun.Add(after)
			if _, err := e.Register(t.Context(), client(), registrar.PriorNone); err != nil {
				t.Fatal(err)
			}
			p.mu.Lock()
			if got := len(p.tokens); got != max(want, 1) {
				t.Errorf("%s: after %s %d tokens were requested, want %d", name, after, got, max(want, 1))
			}
			p.mu.Unlock()
		}
	}
}

func TestAccessTokens(t *testing.T) {
	ok := reply(200, `{"response":{"clientId":"client-1","status":"ACTIVE"},"errors":[]}`)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := start(t, ok, ok, reply(401, ""), ok)
	o := p.options()
	o.Now = func() time.Time { return now }
	e, err := idp.NewESignet(o)
	if err != nil {
		t.Fatal(err)
	}
	register := func() {
		t.Helper()
		if _, err := e.Register(t.Context(), client(), registrar.PriorNone); err != nil {
			t.Fatal(err)
		}
	}
	register()
	register() // the token is kept
	register() // t1 is not accepted any more: one fresh token
	now = now.Add(271 * time.Second)
	register() // t2 would end within 30 s
	var used []string
	for _, c := range p.received() {
		used = append(used, c.token)
	}
	if want := []string{"t1", "t1", "t1", "t2", "t3"}; !slices.Equal(used, want) {
		t.Errorf("tokens %q, want %q", used, want)
	}
	if want := "registrar s3cret%2Fwith%2Bsigns grant_type=client_credentials&scope=add_oidc_client"; p.tokens[0] != want {
		t.Errorf("token request %q, want %q", p.tokens[0], want)
	}
}

func TestAnAnswerThatDoesNotComeIsWaitedForThreeTimes(t *testing.T) {
	for _, kind := range []string{"esignet-1.8", "rfc7591"} {
		for name, answer := range map[string]http.HandlerFunc{"none": hang, "half of one": stall} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := start(t, answer)
				_, err := p.impatient(t, kind).Register(t.Context(), client(), registrar.PriorNone)
				wants{reason: registrar.ProviderUnreachable, calls: 3}.check(t, p, err)
			})
		}
	}
}

// withoutToken is a provider that accepts all calls, with the given answers of its token endpoint.
// A registration there fails before the first call.
func withoutToken(t *testing.T, token http.HandlerFunc, connector func(*provider, *testing.T, string) idp.Connector) {
	t.Helper()
	p := start(t, reply(200, "{}"))
	p.token = token
	_, err := connector(p, t, "esignet-1.8").Register(t.Context(), client(), registrar.PriorNone)
	wants{reason: registrar.ProviderUnreachable}.check(t, p, err)
	if n := len(p.received()); n != 0 {
		t.Errorf("%d calls without a token", n)
	}
}

func TestATokenThatDoesNotCome(t *testing.T) {
	t.Parallel()
	withoutToken(t, hang, (*provider).impatient)
}

func TestNoTokenNoCall(t *testing.T) {
	for name, token := range map[string]http.HandlerFunc{
		"wrong secret":     reply(401, `{"error":"invalid_client","error_description":"`+clientSecret+`"}`),
		"a page":           reply(200, "<html>"),
		"no token":         reply(200, `{"token_type":"Bearer"}`),
		"another type":     reply(200, `{"access_token":"x","token_type":"mac"}`),
		"a token in lines": reply(200, `{"access_token":"x\r\ny: z","token_type":"Bearer"}`),
		"a redirect":       redirect,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withoutToken(t, token, (*provider).connector)
		})
	}
}

func TestManyCallsShareOneToken(t *testing.T) {
	p := start(t, reply(200, `{"response":{"clientId":"client-1"}}`))
	c := p.connector(t, "esignet-1.8")
	var calls sync.WaitGroup
	for range 16 {
		calls.Go(func() {
			if _, err := c.Register(t.Context(), client(), registrar.PriorNone); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if len(p.tokens) != 1 {
		t.Errorf("%d tokens were fetched", len(p.tokens))
	}
}

func TestLocalHasNothingToDo(t *testing.T) {
	c, err := idp.New("local", idp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	record := registrar.ProviderRecord{ClientID: "x"}
	if _, err := c.Register(t.Context(), client(), registrar.PriorNone); err != nil {
		t.Error(err)
	}
	if got, err := c.Update(t.Context(), client(), record, registrar.PriorNone); err != nil || got != record {
		t.Errorf("Update = %v, %v", got, err)
	}
}

func TestBadOptionsAreFoundAtTheStart(t *testing.T) {
	for name, o := range map[string]idp.Options{
		"no URL":             {},
		"plain http":         {URL: "http://idp.example"},
		"a bad token URL":    {URL: "https://idp.example", TokenURL: "idp.example/token"},
		"a senseless policy": {URL: "https://idp.example", Egress: egress.Policy{MaxPerHost: -1}},
	} {
		for _, kind := range []string{"esignet-1.8", "rfc7591"} {
			if _, err := idp.New(kind, o); err == nil {
				t.Errorf("%s with %s is accepted", kind, name)
			}
		}
	}
	if _, err := idp.New("keycloak", idp.Options{}); err == nil {
		t.Error("an unknown kind is accepted")
	}
}

// object reads a JSON body that was sent.
func object(t *testing.T, body string) map[string]any {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(body), &o); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return o
}

// A provider that is busy has not got the call, unless it may have got an earlier try of it.
func TestABusyProviderMayHaveActedBefore(t *testing.T) {
	for name, tt := range map[string]struct {
		script       []http.HandlerFunc
		notSentError bool
	}{
		"busy":                  {[]http.HandlerFunc{reply(429, "")}, true},
		"failed, and then busy": {[]http.HandlerFunc{reply(500, ""), reply(429, "")}, false},
		"lost, and then busy":   {[]http.HandlerFunc{drop, reply(429, "")}, false},
		"reset, and then busy":  {[]http.HandlerFunc{reset, reply(429, "")}, false},
	} {
		for _, kind := range []string{"esignet-1.8", "rfc7591"} {
			p := start(t, tt.script...)
			_, err := p.connector(t, kind).Register(t.Context(), client(), registrar.PriorNone)
			if !errors.Is(err, idp.ErrUnreachable) || errors.Is(err, idp.ErrNotSent) != tt.notSentError {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
}

// A provider that rejects the credentials has not received the call, unless it may have got an
// earlier try of it.
func TestRejectedCredentialsMeanNotSentUnlessTriedBefore(t *testing.T) {
	once := func(n int) http.HandlerFunc { // a token, and then none
		if n == 1 {
			return reply(200, `{"access_token":"t1","token_type":"Bearer"}`)
		}
		return reply(403, `{"error":"access_denied"}`)
	}
	always := func(int) http.HandlerFunc { return reply(200, `{"access_token":"t","token_type":"Bearer"}`) }
	for name, tt := range map[string]struct {
		script       []http.HandlerFunc
		tokens       func(n int) http.HandlerFunc
		notSentError bool
	}{
		"403":                                  {[]http.HandlerFunc{reply(403, "")}, always, true},
		"failed, and then 403":                 {[]http.HandlerFunc{reply(500, ""), reply(403, "")}, always, false},
		"lost, 401, and then busy":             {[]http.HandlerFunc{drop, reply(401, ""), reply(429, "")}, always, false},
		"401, and then busy":                   {[]http.HandlerFunc{reply(401, ""), reply(429, "")}, always, true},
		"401, and then lost":                   {[]http.HandlerFunc{reply(401, ""), drop}, always, false},
		"401, and there is no new token":       {[]http.HandlerFunc{reply(401, "")}, once, true},
		"lost, 401, and there is no new token": {[]http.HandlerFunc{drop, reply(401, "")}, once, false},
	} {
		for _, kind := range []string{"esignet-1.8", "rfc7591"} {
			p := start(t, tt.script...)
			n := 0
			p.token = func(w http.ResponseWriter, r *http.Request) {
				n++
				tt.tokens(n)(w, r)
			}
			_, err := p.connector(t, kind).Register(t.Context(), client(), registrar.PriorNone)
			if !errors.Is(err, idp.ErrUnreachable) || errors.Is(err, idp.ErrNotSent) != tt.notSentError {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
		}
	}
}
