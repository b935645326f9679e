package alerts

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// service is a program that runs.
type service struct {
	t            *testing.T
	program, dir string
	url, admin   string
}

// start runs a program with its metrics. It stops when the test ends.
func start(t *testing.T, program, prefix, dir string, env ...string) *service {
	t.Helper()
	admin := programs.FreeAddress(t)
	url := programs.Start(t, program, prefix+"LISTEN", dir, append(env, prefix+"ADMIN_LISTEN="+admin)...)
	return &service{t, program, dir, url, "http://" + admin + "/metrics"}
}

// await collects the names of the exposed series until they contain every metric of the
// service that a rule or a dashboard reads, for a minute at most: some appear when a
// background loop has run.
func (s *service) await(into map[string]bool, prefix string) {
	s.t.Helper()
	read, late := readMetrics(s.t), time.Now().Add(time.Minute)
	timetest.Eventually(s.t, "the metrics of "+prefix, func() bool {
		s.notes(into)
		for name := range read {
			if strings.HasPrefix(name, prefix+"_") && !into[name] {
				return time.Now().After(late)
			}
		}
		return true
	})
}

// call makes a call with a token of these arguments, and returns the response if the
// status is the wanted one.
func (s *service) call(token []string, method, path, body string, want int) json.RawMessage {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), s.program, append([]string{"token"}, token...)...)
	cmd.Dir, cmd.Env = s.dir, []string{}
	printed, err := cmd.Output()
	if err != nil {
		s.t.Fatal(err)
	}
	return s.send(strings.TrimSpace(string(printed)), method, path, body, want)
}

func (s *service) send(token, method, path, body string, want int) json.RawMessage {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != want {
		s.t.Fatalf("%s %s: %d %s, %v, want %d", method, path, response.StatusCode, text, err, want)
	}
	var envelope struct{ Response json.RawMessage }
	_ = json.Unmarshal(text, &envelope)
	return envelope.Response
}

// notes adds the names of the exposed series.
func (s *service) notes(into map[string]bool) {
	s.t.Helper()
	for series := range metricstest.Scrape(s.t, s.admin) {
		name, _, _ := strings.Cut(series, "{")
		into[name] = true
	}
}

func TestMetricsOfAlertsAndDashboardsExist(t *testing.T) {
	there := map[string]bool{"up": true} // Prometheus makes it
	t.Run("wf", func(t *testing.T) { workflow(t, there) })
	t.Run("oidc-registrar", func(t *testing.T) { registrations(t, there) })
	read := readMetrics(t)
	if len(read) < 50 {
		t.Errorf("only %d metrics are read", len(read))
	}
	for name, who := range read {
		if !there[name] {
			t.Errorf("%s reads %s, which no service shows", who, name)
		}
	}
}

// workflow exercises every part of wf and restarts it: the values of checks exist at the
// start.
func workflow(t *testing.T, there map[string]bool) {
	dir := t.TempDir()
	program := programs.Build(t, "wf")
	approvers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"user_ids":["ana"],"cache_ttl":60}`)
	}))
	defer approvers.Close()
	fails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer fails.Close()
	t.Run("at work", func(t *testing.T) {
		// The mail server is never called: ana has no address. Mail of urgent requests is not collected.
		s := start(t, program, "WF_", dir, "WF_NOTIFY_SMTP_URL=smtp://127.0.0.1:1", "WF_NOTIFY_FROM=approvals@example.org", "WF_INBOX_URL=http://127.0.0.1:1")
		admin := []string{"--sub=root", "--role=WF_ADMIN"}
		s.call(admin, "POST", "/v1/wf/policies", fmt.Sprintf(`{"policy_key":"p","name":"P","stages":[{"key":"s","name":"S","approvers":[{"type":"http","url":%q}],`+
			`"deadline":{"due_cel":"timestamp('2026-01-01T00:00:00Z')"}}]}`, approvers.URL), 201)
		s.call(admin, "POST", "/v1/wf/policies/p/versions/1/activate", "", 200)
		for _, name := range []string{"billing", "archive"} {
			s.call(admin, "POST", "/v1/wf/admin/webhooks", fmt.Sprintf(`{"name":%q,"url":%q}`, name, fails.URL), 201)
		}
		var request struct{ Tasks []struct{ ID string } }
		for range 2 {
			if err := json.Unmarshal(s.call(admin, "POST", "/v1/wf/requests", `{"policy_key":"p","priority":"urgent"}`, 201), &request); err != nil || len(request.Tasks) != 1 {
				t.Fatalf("%+v, %v", request, err)
			}
		}
		s.call([]string{"--sub=ana"}, "POST", "/v1/wf/tasks/"+request.Tasks[0].ID+"/decision", `{"action":"approve"}`, 200)
		s.send("bad", "GET", "/v1/wf/tasks", "", 401)
		timetest.Eventually(t, "failed webhooks and no mail", func() bool {
			shown := metricstest.Scrape(t, s.admin)
			return shown[`wf_webhook_attempts_total{endpoint="billing",outcome="failed"}`] > 0 && shown[`wf_notices_total{kind="waits_for_you",outcome="skipped"}`] > 0
		})
		var endpoints struct{ Items []struct{ ID, Name string } }
		if err := json.Unmarshal(s.call(admin, "GET", "/v1/wf/admin/webhooks", "", 200), &endpoints); err != nil {
			t.Fatal(err)
		}
		for _, e := range endpoints.Items {
			if e.Name == "archive" {
				s.call(admin, "PATCH", "/v1/wf/admin/webhooks/"+e.ID, `{"enabled":false}`, 200)
			}
		}
		s.notes(there)
	})
	t.Run("at its start", func(t *testing.T) {
		s := start(t, program, "WF_", dir)
		s.await(there, "wf")
	})
}

// registrations makes the registrar register a client at a failing provider, notify an unreachable
// receiver, and restart.
func registrations(t *testing.T, there map[string]bool) {
	dir := t.TempDir()
	program := programs.Build(t, "oidc-registrar")
	fails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer fails.Close()
	begin := func(t *testing.T) *service {
		return start(t, program, "REGISTRAR_", dir, "REGISTRAR_IDP=rfc7591", "REGISTRAR_IDP_URL="+fails.URL)
	}
	t.Run("at work", func(t *testing.T) {
		s := begin(t)
		admin := []string{"--sub=root", "--role=PARTNER_ADMIN"}
		for _, name := range []string{"portal", "archive"} {
			enabled := name != "archive"
			s.call(admin, "POST", "/v1/registrar/admin/webhooks", fmt.Sprintf(`{"request":{"name":%q,"url":%q,"enabled":%t}}`, name, fails.URL, enabled), 200)
		}
		partner := []string{"--sub=ana", "--role=AUTH_PARTNER", "--claim=partner_id=demo-partner"}
		s.call(partner, "POST", "/v1/partnermanager/oidc/client", fmt.Sprintf(`{"id":"x","version":"1.0","requesttime":"2026-03-01T12:00:00.000Z","metadata":{},"request":{`+
			`"name":"Client","policyId":"demo-policy","authPartnerId":"demo-partner","publicKey":%s,`+
			`"logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],`+
			`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`, newKey(t)), 503)
		s.send("bad", "GET", "/v1/partnermanager/policies", "", 401)
		timetest.Eventually(t, "webhooks have failed", func() bool {
			return metricstest.Scrape(t, s.admin)[`registrar_webhook_attempts_total{endpoint="portal",outcome="failed"}`] > 0
		})
		s.notes(there)
	})
	t.Run("at its start", func(t *testing.T) {
		s := begin(t)
		s.await(there, "registrar")
	})
}

// newKey is a public key as a JWK.
func newKey(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	var jwk bytes.Buffer
	fmt.Fprintf(&jwk, `{"kty":"EC","crv":"P-256","x":%q,"y":%q}`, encode(point[1:33]), encode(point[33:]))
	return jwk.Bytes()
}
