package resolve_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/resolve"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

var secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret that is 32 bytes long ."))

// asked is a resolver's double. It verifies each request and replies with answer.
type asked struct {
	*resolve.Resolver
	url    string
	answer http.HandlerFunc
	bodies [][]byte
}

func ask(t *testing.T, o resolve.Options, answer http.HandlerFunc) *asked {
	t.Helper()
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	a := &asked{answer: answer}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the question: %v", err)
		}
		if err := webhook.VerifyIgnoringTimestamp(body, r.Header); err != nil {
			t.Errorf("verify the question: %v", err)
		}
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s with %q", r.Method, r.Header.Get("Content-Type"))
		}
		a.bodies = append(a.bodies, body)
		a.answer(w, r)
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	a.url = server.URL
	if o.Timeout == 0 {
		o.Timeout = time.Hour
	}
	o.Outbound, o.Endpoints = local, map[string]string{"oncall": server.URL}
	o.Sign = func(to outbox.Target, id string, at time.Time, body []byte) (string, error) {
		if to.Endpoint != "oncall" && !strings.HasPrefix(to.URL, server.URL) {
			return "", errors.New("no secret")
		}
		return webhook.Sign(id, at, body)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	a.Resolver = resolve.New(o)
	return a
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func question() approver.Question {
	return approver.Question{Rule: policy.Rule{Type: policy.RuleHTTP, Resolver: "oncall"}, About: &approver.ResolverInput{
		PolicyKey: "payments", PolicyVersion: 3, StageKey: "checks", Params: json.RawMessage(`{"team":"blue"}`), Context: json.RawMessage(`{"amount":7}`),
		Request: approver.ResolverRequest{ID: "r1", Requester: identity.User{ID: "rita"}, ArtifactType: "batch", ArtifactID: "B-17"},
	}}
}

func TestResolverReceivesTheDecisionContext(t *testing.T) {
	a := ask(t, resolve.Options{}, says(`{"user_ids":["ana","bo","ana"]}`))
	people, err := a.Resolve(t.Context(), question())
	if want := []identity.User{{ID: "ana"}, {ID: "bo"}}; err != nil || !slices.Equal(people, want) {
		t.Errorf("Resolve() = %v, %v; want %v", people, err, want)
	}
	want := `{"policy_key":"payments","policy_version":3,"stage_key":"checks","request":{"id":"r1","requester":{"id":"rita"},` +
		`"artifact_type":"batch","artifact_id":"B-17"},"params":{"team":"blue"},"context":{"amount":7}}`
	if len(a.bodies) != 1 || cmp.Diff(want, string(a.bodies[0])) != "" {
		t.Errorf("the question was %q, want %s", a.bodies, want)
	}
}

func TestAResolverMayDescribeThePeople(t *testing.T) {
	a := ask(t, resolve.Options{}, says(
		`{"users":[{"id":"ana","username":"ana.l","name":"Ana","email":"a@example.org"},{"id":"bo","name":"B\u0007o"}]}`))
	people, err := a.Resolve(t.Context(), question())
	want := []identity.User{{ID: "ana", Username: "ana.l", Name: "Ana", Email: "a@example.org"}, {ID: "bo"}}
	if err != nil || !slices.Equal(people, want) {
		t.Errorf("Resolve() = %+v, %v; want %+v", people, err, want)
	}
}

func TestResolverMayReturnNoApprover(t *testing.T) {
	a := ask(t, resolve.Options{}, says(`{"user_ids":[]}`))
	if people, err := a.Resolve(t.Context(), question()); err != nil || len(people) != 0 {
		t.Errorf("Resolve() = %v, %v", people, err)
	}
}

func TestAnAnswerThatIsNoneIsAFailure(t *testing.T) {
	users := func(n int) string {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprintf("user-%d", i)
		}
		body, _ := json.Marshal(map[string]any{"user_ids": append(ids, "user-0")}) // a duplicate is the same person
		return string(body)
	}
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   refusal.Reason
	}{
		"html":                    {says("<html>sign in</html>"), reason.ResolverFailed},
		"nothing":                 {says(""), reason.ResolverFailed},
		"null":                    {says("null"), reason.ResolverFailed},
		"a list":                  {says(`["ana"]`), reason.ResolverFailed},
		"neither member":          {says(`{"people":["ana"]}`), reason.ResolverFailed},
		"both members":            {says(`{"user_ids":["ana"],"users":[]}`), reason.ResolverFailed},
		"numbers for ids":         {says(`{"user_ids":[1]}`), reason.ResolverFailed},
		"an empty id":             {says(`{"user_ids":[""]}`), reason.ResolverFailed},
		"the service's own id":    {says(`{"user_ids":["system:policy"]}`), reason.ResolverFailed},
		"two documents":           {says(`{"user_ids":[]}{"user_ids":[]}`), reason.ResolverFailed},
		"a control character":     {says(`{"user_ids":["a\u0007"]}`), reason.ResolverFailed},
		"U+0000 in a name":        {says(`{"users":[{"id":"ana","name":"\u0000"}]}`), reason.ResolverFailed},
		"an id of 256 bytes":      {says(`{"user_ids":["` + strings.Repeat("x", 256) + `"]}`), reason.ResolverFailed},
		"a bad id after 1,000":    {says(strings.Replace(users(2000), `"user-1999"`, `""`, 1)), reason.ResolverFailed},
		"null for an id":          {says(`{"user_ids":["ana",null]}`), reason.ResolverFailed},
		"null for the ids":        {says(`{"user_ids":null}`), reason.ResolverFailed},
		"null for a user":         {says(`{"users":[null]}`), reason.ResolverFailed},
		"one id for a list":       {says(`{"user_ids":"ana"}`), reason.ResolverFailed},
		"a time to live of \"x\"": {says(`{"user_ids":["ana"],"cache_ttl":"x"}`), reason.ResolverFailed},
		"user_ids twice":          {says(`{"user_ids":["ana"],"user_ids":["bo"]}`), reason.ResolverFailed},
		"another letter case":     {says(`{"User_IDs":["ana"]}`), reason.ResolverFailed},
		"a lone surrogate":        {says(`{"user_ids":["\ud800"]}`), reason.ResolverFailed},
		"invalid UTF-8":           {says("{\"user_ids\":[\"\xff\"]}"), reason.ResolverFailed},
		"bytes behind it":         {says(`{"user_ids":["ana"]} and more`), reason.ResolverFailed},
		"a byte order mark":       {says("\ufeff" + `{"user_ids":["ana"]}`), reason.ResolverFailed},
		"1,001 users":             {says(users(1001)), reason.EngineRefused},
		"10,000 users":            {says(users(10_000)), reason.EngineRefused},
		"without end":             {flood, reason.ResolverFailed},
		"half a body": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte(`{`))
		}, reason.ResolverFailed},
		"status 500": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, reason.ResolverFailed},
		"status 404": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, reason.ResolverFailed},
		"a redirect": {func(w http.ResponseWriter,
			r *http.Request) {
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		}, reason.ResolverFailed},
		"silence":                  {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, reason.ResolverFailed},
		"400 for the context":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) }, reason.EngineRefused},
		"422 for the context":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(422) }, reason.EngineRefused},
		"a body that comes slowly": {drip, reason.ResolverFailed},
	} {
		t.Run(name, func(t *testing.T) {
			var o resolve.Options
			if name == "silence" || name == "a body that comes slowly" { // without end
				o.Timeout = time.Second / 2
			}
			a := ask(t, o, tt.answer)
			people, err := a.Resolve(t.Context(), question())
			if !errors.Is(err, tt.want) || people != nil {
				t.Fatalf("Resolve() = %v, %v; want %s", people, err, tt.want)
			}
			if text := err.Error(); !strings.Contains(text, "resolver oncall") || strings.Contains(text, "127.0.0.1") {
				t.Errorf("the refusal %q should name the rule and no host", text)
			}
		})
	}
}

// drip sends a byte at a time.
func drip(w http.ResponseWriter, r *http.Request) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			_, _ = w.Write([]byte(" "))
			w.(http.Flusher).Flush()
		}
	}
}

func TestAResolverMayYieldAThousandPeople(t *testing.T) {
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf("user-%d", i)
	}
	body, _ := json.Marshal(map[string]any{"user_ids": append(ids, ids...)})
	a := ask(t, resolve.Options{}, says(string(body)))
	if people, err := a.Resolve(t.Context(), question()); err != nil || len(people) != 1000 {
		t.Errorf("Resolve() = %d people, %v", len(people), err)
	}
}

func TestARefusalOfAResolverNamesItsStatus(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusUnprocessableEntity} {
		a := ask(t, resolve.Options{}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		_, err := a.Resolve(t.Context(), question())
		if want := fmt.Sprintf("resolver oncall returned %d", status); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Resolve() = %v, want %q in it", err, want)
		}
	}
}

func TestResolverRetryRepeatsTheSameMessage(t *testing.T) {
	var ids []string
	a := ask(t, resolve.Options{}, func(w http.ResponseWriter, r *http.Request) {
		ids = append(ids, r.Header.Get("Webhook-Id"))
		if len(ids) < 3 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = io.WriteString(w, `{"user_ids":["ana"]}`)
	})
	if _, err := a.Resolve(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	if len(ids) != 3 || ids[0] == "" || ids[1] != ids[0] || ids[2] != ids[0] {
		t.Errorf("message ids %q, want one three times", ids)
	}
}

func TestResolverSetsCacheLifetimeOfItsAnswer(t *testing.T) {
	clock := timetest.At(noon)
	a := ask(t, resolve.Options{Now: clock.Now}, says(`{"user_ids":["ana"],"cache_ttl":30}`))
	calls := func(want int) {
		t.Helper()
		if _, err := a.Resolve(t.Context(), question()); err != nil {
			t.Fatal(err)
		}
		if len(a.bodies) != want {
			t.Errorf("%d requests, want %d", len(a.bodies), want)
		}
	}
	calls(1)
	clock.Advance(29 * time.Second)
	calls(1)
	clock.Advance(time.Second)
	a.answer = says(`{"user_ids":["ana"]}`)
	calls(2)
	calls(3) // without an opinion
	a.answer = says(`{"user_ids":["ana"],"cache_ttl":999999}`)
	calls(4)
	clock.Advance(59 * time.Minute)
	calls(4)
	clock.Advance(time.Minute)
	calls(5) // an hour at most
}

func TestHTTPRuleValidation(t *testing.T) {
	a := ask(t, resolve.Options{}, says(`{"user_ids":["ana"]}`))
	for name, tt := range map[string]struct {
		rule policy.Rule
		want string
	}{
		"a name":                    {policy.Rule{Resolver: "oncall"}, ""},
		"a url on an accepted host": {policy.Rule{URL: a.url + "/approvers"}, ""},
		"an unknown name":           {policy.Rule{Resolver: "other"}, "no resolver other is configured"},
		"a url without a secret":    {policy.Rule{URL: "https://resolver.example.org/"}, "the host is not one of the allowed resolver hosts"},
		"a url on the network":      {policy.Rule{URL: "http://10.0.0.1/"}, `url host "10.0.0.1" is not allowed`},
		"metadata of a cloud":       {policy.Rule{URL: "http://169.254.169.254/"}, `url host "169.254.169.254" is not allowed`},
		"both":                      {policy.Rule{Resolver: "oncall", URL: a.url}, "must have either resolver or url"},
		"neither":                   {policy.Rule{}, "must have either resolver or url"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.rule.Type = policy.RuleHTTP
			got := ""
			if err := a.CheckRule(tt.rule); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("CheckRule() = %q, want %q", got, tt.want)
			}
			q := question()
			q.Rule = tt.rule
			if _, err := a.Resolve(t.Context(), q); (err == nil) != (tt.want == "") || err != nil && !errors.Is(err, reason.EngineRefused) {
				t.Errorf("Resolve() = %v", err)
			}
		})
	}
}
