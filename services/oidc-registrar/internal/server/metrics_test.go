package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// post makes a call in the name of an admin, and returns the body of the reply.
func (r *running) post(c server.Config, path string, body any) string {
	r.t.Helper()
	token, err := daemon.DevToken(c.DataDir, bearer.DevToken{Subject: "ana", Audience: c.AuthAudience, Roles: []string{"PARTNER_ADMIN"}})
	if err != nil {
		r.t.Fatal(err)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), "POST", "http://"+r.awaitLog(`"msg":"listening","address":"`)+path, bytes.NewReader(raw))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(res.Body); err != nil {
		r.t.Fatal(err)
	}
	return text.String()
}

// shows polls until the service exports the wanted values to Prometheus. Zero also matches an
// absent series.
func (r *running) shows(want map[string]float64) {
	r.t.Helper()
	var wrong []string
	r.t.Cleanup(func() {
		for _, what := range wrong {
			r.t.Log(what)
		}
	})
	url := "http://" + r.awaitLog(`"admin":"`) + "/metrics"
	timetest.Eventually(r.t, "the metrics are right", func() bool {
		got := metricstest.Scrape(r.t, url)
		wrong = nil
		for series, value := range want {
			if got[series] != value {
				wrong = append(wrong, fmt.Sprintf("%s is %v, want %v", series, got[series], value))
			}
		}
		return wrong == nil
	})
}

func TestMetricsCountServiceOperations(t *testing.T) {
	provider := registrartest.NewESignet(t)
	c := config(t, "--dev", "--idp=esignet-1.8", "--idp-url="+provider.URL)
	r := start(t, c)
	r.awaitLog(`"msg":"ready`)
	const path = "/v1/idp/client-mgmt/oidc-client"
	if body := r.post(c, path, registrartest.ProviderRequest("c1", registrartest.Key(t), nil)); !strings.Contains(body, "ACTIVE") {
		t.Errorf("%s", body)
	}
	provider.Refuse("invalid_claim")
	r.post(c, path, registrartest.ProviderRequest("c2", registrartest.Key(t), nil))
	provider.Refuse("")
	provider.SetDown(true)
	r.post(c, path, registrartest.ProviderRequest("c3", registrartest.Key(t), nil))
	r.post(c, path, registrartest.ProviderRequest("c4", map[string]any{"kty": "oct"}, nil))
	r.shows(map[string]float64{
		`registrar_ready`: 1,
		`registrar_http_requests_total{code="",route="POST /v1/idp/client-mgmt/oidc-client",status="200"}`:                   1,
		`registrar_http_requests_total{code="invalid_claim",route="POST /v1/idp/client-mgmt/oidc-client",status="200"}`:      1,
		`registrar_http_requests_total{code="unknown_error",route="POST /v1/idp/client-mgmt/oidc-client",status="503"}`:      1,
		`registrar_http_requests_total{code="invalid_public_key",route="POST /v1/idp/client-mgmt/oidc-client",status="200"}`: 1,
		`registrar_registrations_total{api="provider",outcome="active"}`:                                                     1,
		`registrar_registrations_total{api="provider",outcome="pending"}`:                                                    1,
		`registrar_registrations_total{api="provider",outcome="refused"}`:                                                    2,
		`registrar_provider_duration_seconds_count{call="register",outcome="done"}`:                                          1,
		`registrar_provider_duration_seconds_count{call="register",outcome="refused"}`:                                       1,
		`registrar_provider_duration_seconds_count{call="register",outcome="unreachable"}`:                                   1,
		`registrar_db_errors_total{kind="other"}`:                                                                            0,
	})
	r.stop()
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	db, err := sqldb.Open(t.Context(), string(c.DatabaseURL), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Do(t.Context(), func(tx *sqldb.Tx) error { // a registration that another process begins, and never ends
		return tx.Exec("UPDATE idp_call SET lease_token = 'gone', due_ms = 1, leased_ms = 1").Error
	})
	if err != nil {
		t.Fatal(err)
	}
	provider.SetDown(false)
	again := start(t, c)
	again.shows(map[string]float64{`registrar_leases_taken_over_total`: 1, `registrar_clients{status="FAILED"}`: 0})
	again.stop()
	if err := again.wait(); err != nil {
		t.Fatal(err)
	}
	err = db.Do(t.Context(), func(tx *sqldb.Tx) error { // as nothing but a mistake would
		return tx.Exec("UPDATE client SET status = 'PENDING' WHERE id = 'c1'").Error
	})
	if err != nil {
		t.Fatal(err)
	}
	start(t, c).shows(map[string]float64{
		`registrar_clients{status="ACTIVE"}`: 1, `registrar_clients{status="PENDING"}`: 1, `registrar_stuck_clients`: 1,
		`registrar_provider_calls_pending{call="register"}`: 0, `registrar_provider_backlog_seconds`: 0,
	})
}
