package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/trace/tracetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// upstream is an RFC 7591 identity provider with private text in each answer. It records the
// traceparent of each call.
type upstream struct {
	*httptest.Server
	asked []string
	down  bool
}

func newUpstream(t *testing.T) *upstream {
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.asked = append(u.asked, r.Header.Get("Traceparent"))
		body, _ := io.ReadAll(r.Body)
		answer := map[string]any{"access_token": "canary-access-token", "token_type": "Bearer", "note": "canary"}
		switch {
		case u.down:
			w.WriteHeader(http.StatusServiceUnavailable)
		case strings.HasPrefix(r.URL.Path, "/register"):
			_ = json.Unmarshal(body, &answer)
			answer["client_id"], answer["registration_access_token"] = "upstream-1", "canary-registration-token"
			answer["registration_client_uri"] = u.URL + "/register/canary?token=canary"
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusCreated)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) configure(c *server.Config) {
	c.IDP, c.IDPURL, c.IDPTokenURL = "rfc7591", u.URL+"/register?token=canary", u.URL+"/token?token=canary"
	c.IDPClientID, c.IDPClientSecret = "registrar", "canary-client-secret"
	c.DatabaseURL = daemon.Secret(logtest.WithCanaryPassword(string(c.DatabaseURL)))
}

// Not beside other tests: all spans of the process go to one recorder.
func TestOneTraceRunsFromTheRegistrationToTheProvider(t *testing.T) {
	recorder := tracetest.Record(t)
	provider := newUpstream(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.configure})
	w.Call("POST", partnerPath, w.Partner("ana", "demo-partner"), registrartest.PartnerRequest(registrartest.Key(t), nil), "Traceparent", traceparent)
	traceID := traceparent[3:35]
	call, told := recorder.Find(t, traceID, "POST "+partnerPath), recorder.Find(t, traceID, "call the identity provider")
	if call.Parent != traceparent[36:52] || told.Parent != call.ID || told.Failed || recorder.Find(t, traceID, "transaction").Parent != call.ID {
		t.Errorf("spans: %s", recorder.Text(traceID))
	}
	exchanges := map[string]bool{}
	for _, s := range recorder.Spans(traceID) {
		if s.Parent == told.ID && s.Kind == "client" {
			exchanges["00-"+traceID+"-"+s.ID+"-01"] = true
		}
	}
	if len(provider.asked) != 2 || !exchanges[provider.asked[0]] || !exchanges[provider.asked[1]] {
		t.Errorf("the provider got %v of %v", provider.asked, exchanges)
	}
}

// The main stories, with a canary in every field. Not beside other tests, as above.
func TestSecretsAndPrivateDataAreNotLeaked(t *testing.T) {
	recorder := tracetest.Record(t)
	provider := newUpstream(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.configure})
	ana := w.Token(bearer.DevToken{Subject: "ana-canary", Roles: []string{"AUTH_PARTNER"},
		Claims: map[string]any{"partner_id": "demo-partner", "name": "canary"}})
	headers := []string{"X-Forwarded-For", "canary", "User-Agent", "canary", "Cookie", "canary", "Tracestate", "a=canary"}
	key := registrartest.Key(t)
	key["kid"] = "canary"
	var refusals strings.Builder
	call := func(method, path, token string, body any, more ...string) string {
		r := w.Call(method, path, token, body, append(headers, more...)...)
		if r.Status >= 400 || r.Code() != "" {
			fmt.Fprintln(&refusals, r.Status, r.Header, r.Body)
		}
		return r.Body
	}
	fields := map[string]any{"name": "canary", "logoUri": "https://rp.example/canary?canary", "redirectUris": []any{"https://rp.example/canary?canary"}}
	made := call("POST", partnerPath, ana, registrartest.PartnerRequest(key, fields))
	var answer struct{ Response struct{ ClientID string } }
	if err := json.Unmarshal([]byte(made), &answer); err != nil || answer.Response.ClientID == "" {
		t.Fatalf("no client: %s", made)
	}
	client := partnerPath + "/" + answer.Response.ClientID
	call("POST", partnerPath, w.Admin(), registrartest.PartnerRequest(key, fields))
	call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t),
		map[string]any{"policyId": "canary", "grantTypes": []any{"canary"}}))
	private := registrartest.Key(t)
	private["d"] = "canary-private-key"
	call("POST", partnerPath, ana, registrartest.PartnerRequest(private, nil))
	call("PUT", client, ana, registrartest.UpdateRequest(map[string]any{"clientName": "canary two"}))
	provider.down = true
	call("PUT", client, ana, registrartest.UpdateRequest(map[string]any{"clientName": "canary three"}))
	_, _ = w.Core.Calls.RunOnce(t.Context())
	call("GET", client, ana, nil)
	call("GET", partnerPath+"?q=canary&canary=canary", ana, nil)
	call("POST", partnerPath, ana, []byte(`{"request":{"name":"canary`))
	call("POST", partnerPath, ana, []byte("canary"), "Content-Type", "text/canary")
	call("GET", client, ana[:len(ana)-4]+"AAAA", nil)
	call("GET", client, "canary", nil)
	call("GET", "/canary/canary?canary", ana, nil)

	seen := map[string]string{"the log": w.Log.String(), "traces": recorder.Text(""), "metrics": fmt.Sprint(metricstest.Values(t, w.Metrics))}
	logtest.CheckNoCanary(t, seen)
	seen["answers to refused calls"] = refusals.String()
	for _, table := range []string{"partner", "policy", "partner_policy", "client", "idp_call", "client_event",
		"service_key"} { // provider_record: see the README
		var rows []map[string]any
		if err := w.DB.Read(t.Context()).Table(table).Find(&rows).Error; err != nil {
			t.Fatal(err)
		}
		seen["the table "+table] = fmt.Sprint(rows)
	}
	for where, text := range seen {
		for _, secret := range []string{ana, ana[len(ana)-40:], "canary-access-token", "canary-registration-token",
			"canary-client-secret", logtest.CanaryPassword, "canary-private-key"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s show %s", where, secret)
			}
		}
	}
}
