package server_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// hostile is input of an attacker that would run in another user's page.
const hostile = `"'><script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>{{.}}</textarea></title><!--`

// live finds markup that came from hostile: a tag, or an attribute that runs.
var live = regexp.MustCompile(`(?i)<script>alert|<img src=x|<svg onload|</title><!--|</textarea></title>`)

// Every field with user input is text on every page that shows it.
func TestNothingThatPeopleWriteRunsInAPage(t *testing.T) {
	s := start(t)
	quoted, err := json.Marshal(hostile)
	must(t, err)
	put := func(text string) string { return strings.ReplaceAll(text, `"HOSTILE"`, string(quoted)) }
	admin := func(method, path, body string, want int) { s.called("ada", method, path, put(body), want, "WF_ADMIN") }
	admin(http.MethodPost, "/v1/wf/policies", `{"policy_key":"bad","name":"HOSTILE","description":"HOSTILE","change_note":"HOSTILE","labels":{"x":"HOSTILE"},
		"context_schema":{"type":"object","title":"HOSTILE","properties":{
			"text":{"type":"string","title":"HOSTILE","description":"HOSTILE","default":"HOSTILE"},"long":{"type":"string","maxLength":9000},"pick":{"oneOf":[{"const":"HOSTILE","title":"HOSTILE"}]},
			"list":{"type":"array","title":"HOSTILE","items":{"type":"object","properties":{"a":{"title":"HOSTILE"}}}},"money":{"type":"number","x-currency":"HOSTILE"}}},
		"settings":{"max_revisions":5},
		"stages":[{"key":"a","name":"HOSTILE","description":"HOSTILE","when":"context.text != \"no\"","observers":[{"type":"user","ids":["olga"],"label":"HOSTILE"}],
			"decision_schema":{"type":"object","properties":{"d":{"type":"string","title":"HOSTILE","description":"HOSTILE"}}},
			"approvers":[{"type":"user","ids":["tom"],"label":"HOSTILE"}]},
			{"key":"b","name":"HOSTILE","assignment":"pool","quorum":{"mode":"any"},"approvers":[{"type":"user","ids":["ines","ana"],"label":"HOSTILE"}]}]}`, http.StatusCreated)
	admin(http.MethodPost, "/v1/wf/policies/bad/versions/1/activate", ``, http.StatusOK)
	admin(http.MethodPut, "/v1/wf/policies/bad",
		`{"name":"HOSTILE","stages":[{"key":"c","name":"HOSTILE","approvers":[{"type":"user","ids":["tom"],"label":"HOSTILE"}]}]}`, http.StatusCreated)
	id := s.asked("mia", put(`{"policy_key":"bad","title":"HOSTILE","artifact_type":"HOSTILE","artifact_id":"HOSTILE","comment":"HOSTILE","labels":{"x":"HOSTILE"},
		"context":{"text":"HOSTILE","long":"HOSTILE","pick":"HOSTILE","list":[{"a":"HOSTILE","b":"HOSTILE"}],"money":1,"HOSTILE":{"HOSTILE":["HOSTILE"]}},
		"attachments":[{"name":"HOSTILE","url":"https://example.org/a","media_type":"HOSTILE"}]}`))
	path := "/inbox/requests/" + id
	tom, mia := s.signedIn("tom"), s.signedIn("mia")
	seen := func(b *browser, paths ...string) {
		t.Helper()
		for _, path := range append([]string{""}, paths...) {
			if path != "" {
				b.get(path)
			}
			if b.code != http.StatusOK && b.code != http.StatusUnprocessableEntity {
				t.Errorf("%s: %d", b.path, b.code)
			}
			if found := live.FindString(b.page); found != "" {
				t.Errorf("%s has %s", b.path, found)
			}
			if b.path != "/inbox" && !strings.Contains(html.UnescapeString(b.page), "<script>alert(1)") {
				t.Errorf("%s does not show the text", b.path)
			}
		}
	}
	seen(tom.get("/inbox"), path)
	tom.post(path+"/comments", url.Values{"text": {hostile}, "mention": {"mia"}})
	seen(tom)
	task := tom.find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	seen(tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {""}, "comment": {hostile}, "data/d": {hostile}}))
	seen(tom.post(path+"/comments", url.Values{"page": {path}, "find": {"to-" + task}, "to-" + task: {hostile}, "text": {hostile}}))
	tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"request_changes"}, "comment": {hostile}, "data/d": {hostile}}).sees(http.StatusOK)
	seen(mia, path, path+"/change", "/inbox/mine", "/inbox/new", "/inbox/new/bad", "/inbox?q="+url.QueryEscape(hostile)+
		"&policy="+url.QueryEscape(hostile))
	seen(mia.post("/inbox/new/bad", url.Values{"title": {hostile}, "c/text": {hostile}}))
	seen(mia.confirm(path+"/change", url.Values{"c/text": {"changed" + hostile}, "c/long": {hostile},
		"c/pick": {string(quoted)}, "c/money": {"2"}, "comment": {hostile}}))
	seen(tom, path)
	seen(mia.post("/inbox/new/bad", url.Values{"title": {hostile}, "c/text": {hostile}, "link": {hostile}, "comment": {hostile}, "artifact": {hostile}}))
	seen(tom.post("/inbox/delegations", url.Values{"to": {"ada"}, "from": {"2020-01-01"}, "until": {"someday" + hostile},
		"reason": {hostile}, "policies": {hostile}}))
	tom.post("/inbox/delegations", url.Values{"to": {"ada"}, "from": {"2020-01-01"},
		"until": {time.Now().AddDate(0, 0, 3).Format(time.DateOnly)}, "reason": {hostile}}).sees(http.StatusOK)
	seen(tom, "/inbox/delegations")
	ada := s.signedIn("ada", "WF_ADMIN")
	console := "/inbox/console/policies/bad"
	seen(ada, "/inbox", "/inbox/console", console, console+"/1", console+"/2", console+
		"/2/activate", console+"/1/simulate?request="+id, "/inbox/console/policies",
		"/inbox/console?q="+url.QueryEscape(hostile), "/inbox/console/audit?actor="+url.QueryEscape(hostile)+"&request="+id,
		"/inbox/console/deliveries?endpoint="+url.QueryEscape(hostile), path)
	seen(ada.post(console+"/1/simulate", url.Values{"do": {"request"}, "request": {id}}))
	seen(mia.post(path+"/cancel", url.Values{"cancellation": {hostile}}))
	seen(ada, path)
}

// Names of users are text wherever they appear, and keep their text direction.
func TestNothingThatPeopleAreCalledRunsInAPage(t *testing.T) {
	i := newIssuer(t)
	s := begin(t, forPeople(t, i, wftest.Schema.Fresh(t)))
	const stages = `"name":"P","stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana"]}],"observers":[{"type":"user","ids":["olga"]}]},
		{"key":"b","name":"B","assignment":"pool","quorum":{"mode":"any"},"approvers":[{"type":"user","ids":["ines","ana"]}]}]}`
	i.as(s, "root", http.MethodPost, "/v1/wf/policies", `{"policy_key":"p",`+stages, http.StatusCreated, "WF_ADMIN")
	i.as(s, "root", http.MethodPost, "/v1/wf/policies/p/versions/1/activate", "", http.StatusOK, "WF_ADMIN")
	i.as(s, "root", http.MethodPut, "/v1/wf/policies/p", `{`+stages, http.StatusCreated, "WF_ADMIN")
	for name, tt := range map[string]struct {
		text  string
		shown bool
	}{
		"markup":          {hostile, true},
		"255 characters":  {strings.Repeat("W", 255), true},
		"more than fits":  {strings.Repeat("W", 256), false},
		"turned text":     {"Tom\u202egnp.exe\u2066", false},
		"line ends":       {"Tom\r\nBcc: eve@people.example\u2028x", false},
		"nothing visible": {"\u200b\u2060", false},
	} {
		t.Run(name, func(t *testing.T) {
			i.set(func() { i.called = map[string]any{"preferred_username": tt.text, "name": tt.text, "email": tt.text} })
			for _, who := range []string{"olga", "ines", "tom"} { // they are met
				i.as(s, who, http.MethodPut, "/v1/wf/me/notifications", `{}`, http.StatusOK)
			}
			made := i.as(s, "mia", http.MethodPost, "/v1/wf/requests", `{"policy_key":"p","title":"Three weeks"}`, http.StatusCreated)
			id := made.find(`"id":"([0-9a-f-]{36})","policy_key"`)
			path := "/inbox/requests/" + id
			signed := func(who string, roles ...string) *browser {
				i.set(func() { i.who, i.roles = who, roles })
				b := s.browser()
				b.t = t
				return b.get("/inbox").sees(http.StatusOK)
			}
			sees := func(b *browser, paths ...string) {
				t.Helper()
				for _, path := range append([]string{""}, paths...) {
					if path != "" {
						b.get(path)
					}
					if b.code != http.StatusOK && b.code != http.StatusUnprocessableEntity {
						t.Errorf("%s: %d\n%s", b.path, b.code, b.shown())
					}
					if found := live.FindString(b.page); found != "" {
						t.Errorf("%s has %s", b.path, found)
					}
					text := html.UnescapeString(b.page)
					if strings.ContainsAny(text, "\u202e\u2066\u2028\u200b") {
						t.Errorf("%s contains the unescaped text", b.path)
					}
					if strings.Contains(text, tt.text) != tt.shown {
						t.Errorf("%s shows the names: %t, want %t", b.path, !tt.shown, tt.shown)
					}
				}
			}
			mia, ana := signed("mia"), signed("ana")
			sees(ana, path, "/inbox/delegations", "/inbox/mine?status=part", "/inbox/new/p", "/inbox/people?q=tom")
			ana.post(path+"/comments", url.Values{"text": {"Hello"}, "mention": {"mia"}}).sees(http.StatusOK)
			sees(ana)
			task := ana.find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
			sees(ana.post(path+"/comments", url.Values{"page": {path}, "find": {"to-" + task}, "to-" + task: {"tom"}, "reason-" + task: {"x"}}))
			sees(ana.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"request_changes"}, "comment": {"Please"}}))
			sees(mia, "/inbox/mine", path, path+"/change", "/inbox/settings")
			sees(mia.confirm(path+"/change", url.Values{"comment": {"So be it"}}))
			sees(mia)
			ada := signed("ada", "WF_ADMIN")
			console := "/inbox/console/policies/p"
			sees(ada, path, "/inbox/console", console+"/1", console+"/2/activate", "/inbox/console/audit?request="+id,
				"/inbox/console/deliveries", "/inbox/console/health")
		})
	}
}

// The pages show nothing of a request to a user without a part in it.
func TestRequestIsHiddenFromOtherUsers(t *testing.T) {
	s := start(t)
	tom := s.signedIn("tom")
	id := s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))
	path := "/inbox/requests/" + id
	task := tom.get(path).find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	eve := s.signedIn("eve")
	for _, page := range []string{path, path + "?since=1"} {
		eve.get(page).sees(http.StatusForbidden)
	}
	for what, form := range map[string]url.Values{
		path + "/comments":                   {"text": {"hello"}},
		path + "/cancel":                     {"cancellation": {"x"}},
		path + "/change":                     {"c/days": {"1"}},
		path + "/change?sent":                {"c/days": {"1"}, "seen": {"1"}},
		"/inbox/tasks/" + task + "/claim":    nil,
		"/inbox/tasks/" + task + "/release":  nil,
		"/inbox/tasks/" + task + "/decision": {"action": {"approve"}},
		"/inbox/tasks/" + task + "/reassign": {"to-" + task: {"eve"}},
	} {
		if eve.post(what, form); eve.code != http.StatusForbidden && eve.code != http.StatusConflict || strings.Contains(eve.page, "Three weeks") {
			t.Errorf("%s: %d\n%s", what, eve.code, eve.shown())
		}
	}
	eve.post("/inbox/tasks", url.Values{"task": {task + " x"}, "action": {"approve"}})
	if strings.Contains(eve.page, "Three weeks") {
		t.Errorf("several at once disclose a request\n%s", eve.shown())
	}
	for _, page := range []string{"/inbox", "/inbox/mine", "/inbox/mine?status=part", "/inbox?q=weeks"} {
		if eve.get(page); strings.Contains(eve.page, "Three weeks") {
			t.Errorf("%s discloses the request", page)
		}
	}
	if eve.get("/inbox/people?q=tom"); eve.page != "" { // a user without any part finds no users
		t.Errorf("eve finds %s", eve.page)
	}
	tom.get("/inbox/requests/" + strings.ReplaceAll(id, "-", "")).sees(http.StatusForbidden)
	tom.get("/inbox/requests/"+id).sees(http.StatusOK, "Three weeks in June", "has not decided")
}

// Pages refuse framing, and user input cannot add headers.
func TestPagesStandAloneAndKeepTheirHeaders(t *testing.T) {
	s := start(t)
	tom := s.signedIn("tom")
	nonces := map[string]bool{}
	for _, path := range []string{"/inbox", "/inbox/new", "/inbox/delegations", "/inbox/nothing", "/inbox/signin", "/inbox/signed-out"} {
		tom.get(path)
		policy := tom.head.Get("Content-Security-Policy")
		if tom.head.Get("X-Frame-Options") != "DENY" || !strings.Contains(policy, "frame-ancestors 'none'") ||
			!strings.Contains(policy, "base-uri 'none'") ||
			tom.head.Get("X-Content-Type-Options") != "nosniff" || tom.head.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, tom.head)
		}
		_, nonce, _ := strings.Cut(policy, "'nonce-")
		if nonce, _, _ = strings.Cut(nonce, "'"); nonces[nonce] || len(nonce) < 20 {
			t.Errorf("%s has the nonce of another page", path)
		}
		nonces[nonce] = true
	}
	tom.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, text := range []string{"x\r\nSet-Cookie: a=b", "/inbox\r\nX-Evil: 1", "/inbox%0d%0aX-Evil:1", "\nX-Evil: 1"} {
		for path, form := range map[string]url.Values{
			"/inbox/reader": {"language": {text}, "zone": {text}, "to": {text}},
			"/inbox/signin": {"id": {"tom"}, "to": {text}},
		} {
			tom.post(path, form)
			if tom.head.Get("X-Evil") != "" || strings.ContainsAny(tom.head.Get("Location"), "\r\n") ||
				strings.Contains(strings.Join(tom.head.Values("Set-Cookie"), ";"), "a=b") {
				t.Errorf("%s with %q: %v", path, text, tom.head)
			}
		}
		if tom.get("/inbox/signin?to=" + url.QueryEscape(text)); tom.head.Get("X-Evil") != "" {
			t.Errorf("%q: %v", text, tom.head)
		}
	}
}
