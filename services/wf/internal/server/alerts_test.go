package server_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// One process takes calls, another one runs the jobs.
func TestMetricsOfAlertsAndDashboardsExist(t *testing.T) {
	resolver, receiver := world(t)
	c := development(t, wftest.Schema.Fresh(t))
	c.Workers = false
	// The mail server is never called: bea has no address. Mail of urgent requests is not collected.
	c.Notify.SMTPURL, c.Notify.From, c.InboxURL = "smtp://127.0.0.1:1", "approvals@example.org", "http://127.0.0.1:1"
	s := begin(t, c)
	s.post("/v1/wf/policies", fmt.Sprintf(`{"policy_key":"p","name":"P","stages":[{"key":"s","name":"S","approvers":[{"type":"http","url":%q}],`+
		`"deadline":{"due_cel":"timestamp('2026-01-01T00:00:00Z')"}}]}`, resolver), 201, nil)
	s.post("/v1/wf/policies/p/versions/1/activate", "", 200, nil)
	for _, name := range []string{"billing", "archive"} {
		s.post("/v1/wf/admin/webhooks", fmt.Sprintf(`{"name":%q,"url":%q}`, name, receiver), 201, nil)
	}
	var request created
	for range 2 { // the second one from the cache of the resolver
		s.post("/v1/wf/requests", `{"policy_key":"p","priority":"urgent"}`, 201, &request)
	}
	if got := s.as("root", "POST", "/v1/wf/requests", `{"policy_key":"p"}`, "Idempotency-Key", "k"); got != 201 {
		t.Fatalf("a request with a key: %d", got)
	}
	if got := s.as("bea", "POST", "/v1/wf/tasks/"+request.Tasks[0].ID+"/decision", `{"action":"approve"}`); got != 200 {
		t.Fatalf("the decision: %d", got)
	}
	if got := s.as("x", "GET", "/v1/wf/tasks", "", "Authorization", "Bearer bad"); got != http.StatusUnauthorized {
		t.Fatalf("a bad token: %d", got)
	}
	worker := s.worker()
	worker.pass()
	var endpoints struct{ Items []struct{ ID, Name string } }
	s.decode(s.get("/v1/wf/admin/webhooks"), &endpoints)
	for _, e := range endpoints.Items {
		if e.Name == "archive" {
			if r, err := s.call(t.Context(), "PATCH", "/v1/wf/admin/webhooks/"+e.ID, `{"enabled":false}`); err != nil || r.Status != http.StatusOK {
				t.Fatalf("disable the endpoint: %d %s, %v", r.Status, r.Body, err)
			}
		}
	}
	worker.pass() // its checks see the failures of the first pass
	metricstest.Exists(t, metricstest.Read(t, "../../../../deploy", "wf", "wf.json"), s.metrics(), metricstest.Values(t, worker.Metrics))
}
