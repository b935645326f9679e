package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/trace/tracetest"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/server"
)

// private occurs in every text of callers, receivers and resolvers. No operator output contains it.
const private = logtest.Canary

// canaries are the secrets of a service and the private texts.
type canaries struct {
	secrets map[string]string // by type
	answers strings.Builder   // to refused calls
}

func (c *canaries) config(resolver string) func(*server.Config) {
	return func(o *server.Config) {
		c.secrets["key of endpoints' secrets"] = seal.NewKey()
		o.EncKeys = daemon.Secret("k:" + c.secrets["key of endpoints' secrets"])
		o.Resolvers = server.Secrets{
			"who":    daemon.Secret(resolver + "/" + private + "?token=" + private + " " + c.secrets["resolver"]),
			"broken": daemon.Secret(resolver + "/broken?token=" + private + " " + c.secrets["resolver"]),
		}
		for host := range o.CallbackHosts {
			o.CallbackHosts[host] = daemon.Secret(c.secrets["callback"])
		}
		c.secrets["database password"] = logtest.CanaryPassword
		o.DatabaseURL = daemon.Secret(logtest.WithCanaryPassword(string(o.DatabaseURL)))
	}
}

// refused keeps the answer of a call that is not done.
func (c *canaries) refused(t *testing.T, r Reply) {
	t.Helper()
	if r.Status < 400 {
		t.Errorf("%s was done", r)
	}
	fmt.Fprintln(&c.answers, r.Status, r.Header, string(r.Body))
}

// The main stories, with a canary in every field: the log, traces, metrics and refusals contain
// no private text, and the database contains no secret in plain text. The test does not run in
// parallel: all spans of the process go to one recorder.
func TestSecretsAndPrivateDataAreNotLeaked(t *testing.T) {
	recorder := tracetest.Record(t)
	c := &canaries{secrets: map[string]string{"resolver": newSecret(), "callback": newSecret(), "endpoint": newSecret()}}
	resolver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/broken") {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = io.WriteString(w, `{"user_ids":["ana-canary","bo-canary"],"note":"canary"}`)
	}))
	defer resolver.Close()
	w := people(t, Boot(t, Options{Config: c.config(resolver.URL)}))
	for _, s := range []string{"callback", "endpoint"} {
		w.Receiver.Trust(t, c.secrets[s])
	}
	claims := map[string]any{"preferred_username": private, "email": private + "@example.org", "name": private, "sid": private}
	root, rita := w.ClientWith(t, "root-canary", claims, identity.RoleAdmin), w.ClientWith(t, "rita-canary", claims)
	ana, bo := w.ClientWith(t, "ana-canary", claims), w.ClientWith(t, "bo-canary", claims)
	for i, one := range []*Client{root, rita, ana, bo, w.root} {
		c.secrets[fmt.Sprint("token ", i)] = one.Token
		_, signature, _ := strings.Cut(one.Token, ".")
		c.secrets[fmt.Sprint("token without its head ", i)] = signature
	}
	headers := []string{"Idempotency-Key", private, "X-Forwarded-For", private, "User-Agent", private, "Cookie", private,
		"Tracestate", "a=" + private, "Baggage", "a=" + private}

	c.tellStories(t, w, root, rita, ana, bo, headers)

	w.Deliver(t)
	w.Receiver.Answer(http.StatusInternalServerError)
	rita.Post("/v1/wf/requests", `{"policy_key":"p","context":{"canary":"canary"}}`, headers[2:]...).Want(201)
	w.Deliver(t)

	seen := map[string]string{"the log": w.Log.String(), "traces": recorder.Text(""), "metrics": fmt.Sprint(metricstest.Values(t, w.Metrics))}
	logtest.CheckNoCanary(t, seen)
	seen["answers to refused calls"] = c.answers.String()
	for table := range w.Rows(t) {
		seen["the table "+table] = w.Dump(t, table)
	}
	for where, text := range seen {
		for what, secret := range c.secrets {
			if strings.Contains(text, secret) || strings.Contains(text, strings.TrimPrefix(secret, "whsec_")) {
				t.Errorf("%s show the %s", where, what)
			}
		}
	}
}

// tellStories makes and decides requests, manages endpoints and delegations, and is
// refused in every way.
func (c *canaries) tellStories(t *testing.T, w *callers, root, rita, ana, bo *Client, headers []string) {
	endpoint := root.Post("/v1/wf/admin/webhooks", map[string]any{
		"name": "hooks", "url": w.Receiver.URL + "/canary?token=canary", "events": []string{"*"}, "secret": c.secrets["endpoint"],
	}, headers...).Want(201)
	rotated := root.Post("/v1/wf/admin/webhooks/"+endpoint.Response("id")+"/rotate-secret", `{}`).Want(200)
	c.secrets["rotated secret"] = rotated.Response("secret")
	w.Receiver.Trust(t, c.secrets["rotated secret"])
	stage := `{"key":"s","name":"canary","approvers":[{"type":"http","resolver":"who","label":"canary"}],"quorum":{"mode":"any"},"when":"context.canary == \"canary\""}`
	root.Post("/v1/wf/policies", definition("p", "", stage), headers...).Want(201)
	root.Post("/v1/wf/policies/p/versions/1/activate", nil).Want(200)
	broken := strings.Replace(stage, `"who"`, `"broken"`, 1)
	root.Post("/v1/wf/policies", definition("b", "", broken)).Want(201)
	root.Post("/v1/wf/policies/b/versions/1/activate", nil).Want(200)

	body := fmt.Sprintf(`{"policy_key":"p","context":{"canary":"canary"},"title":"canary","artifact_type":"canary","artifact_id":"canary","comment":"canary",
		"labels":{"canary":"canary"},"link":"https://example.org/canary?canary","callback_url":"%s/canary?token=canary","attachments":[{"name":"canary","media_type":"text/canary","url":"https://example.org/canary"}]}`, w.Receiver.URL)
	request := rita.Post("/v1/wf/requests", body, headers...).Want(201)
	rita.Post("/v1/wf/requests", body, headers...).Want(201) // again
	c.refused(t, rita.Post("/v1/wf/requests", strings.Replace(body, `"title":"canary"`, `"title":"canary2"`, 1), headers...))
	rita.Post("/v1/wf/requests", `{"policy_key":"b","context":{"canary":"canary"}}`)
	id, path := request.Response("id"), "/v1/wf/tasks/"+task(t, request, "ana-canary")
	ana.Post("/v1/wf/delegations",
		`{"delegate_to":"rita-canary","starts_at":"2027-03-01T12:00:00Z","ends_at":"2027-03-02T12:00:00Z","reason":"canary"}`,
		headers...).Want(201)

	c.refused(t, bo.Post(path+"/decision", `{"action":"approve","comment":"canary","data":{"canary":"canary"}}`, headers...))
	c.refused(t, ana.Post(path+"/decision", `{"action":"canary","comment":"canary"}`, headers...))
	ana.Post(path+"/decision",
		`{"action":"approve","comment":"canary","data":{"canary":"canary"},"attachments":[{"name":"canary","media_type":"text/canary","url":"https://example.org/canary"}]}`, headers...).Want(200)
	c.refused(t, ana.Post(path+"/decision", `{"action":"approve","comment":"canary"}`))
	c.refused(t, rita.Post("/v1/wf/requests/"+id+"/cancel", `{"reason":"canary"}`, headers...))

	c.refused(t, rita.Get("/v1/wf/requests?canary=canary&label.canary=canary"))
	c.refused(t, rita.Get("/canary/canary?canary"))
	c.refused(t, rita.Post("/v1/wf/requests", `{"policy_key":"p","canary":"canary"}`))
	c.refused(t, rita.Post("/v1/wf/requests", `{"policy_key":"p","title":1,"comment":["canary"]}`))
	c.refused(t, rita.Post("/v1/wf/requests", `{"policy_key":"p","title":"canary","title":"canary"`))
	c.refused(t, rita.Post("/v1/wf/requests", `canary`, "Content-Type", "text/canary"))
	c.refused(t, rita.Post("/v1/wf/requests", `{"policy_key":"p","context":{"canary":"`+strings.Repeat("canary", 50_000)+`"}}`))
	c.refused(t, root.Post("/v1/wf/policies",
		definition("q", "", `{"key":"s","name":"x","approvers":[{"type":"user","ids":["canary"]}],"when":"canary("}`)))
	forged := w.WithToken(t, rita.Token[:len(rita.Token)-4]+"AAAA")
	c.refused(t, forged.Get("/v1/wf/requests"))
	c.refused(t, w.WithToken(t, private).Get("/v1/wf/requests"))
	rita.Get("/v1/wf/requests?q=canary&requester=rita-canary").Want(200)
	root.Get("/v1/wf/admin/audit?actor=rita-canary").Want(200)
}

// newSecret is one of Standard Webhooks.
func newSecret() string { return "whsec_" + seal.NewKey() }
