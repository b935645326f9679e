package server_test

import (
	"fmt"
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
	s.addPolicy("p", fmt.Sprintf(`{"policy_key":"p","name":"P",`+
		`"stages":[{"key":"s","name":"S","approvers":[{"type":"http","url":%q}],`+
		`"deadline":{"due_cel":"timestamp('2026-01-01T00:00:00Z')"}}]}`, resolver))
	endpoint := func(name string) string {
		body := fmt.Sprintf(`{"name":%q,"url":%q}`, name, receiver)
		return s.root().Post("/v1/wf/admin/webhooks", body).Want(201).Response("id")
	}
	endpoint("billing")
	archive := endpoint("archive")
	var request wftest.Reply
	for range 2 { // the second one from the cache of the resolver
		request = s.root().Post("/v1/wf/requests", `{"policy_key":"p","priority":"urgent"}`).Want(201)
	}
	s.as("root").Post("/v1/wf/requests", `{"policy_key":"p"}`, "Idempotency-Key", "k").Want(201)
	s.as("bea").Post("/v1/wf/tasks/"+request.Response("tasks", 0, "id")+"/decision", `{"action":"approve"}`).Want(200)
	wftest.At(t, s.url, "bad").Get("/v1/wf/tasks").Want(401)
	worker := s.worker()
	worker.pass()
	s.root().Patch("/v1/wf/admin/webhooks/"+archive, `{"enabled":false}`).Want(200)
	worker.pass() // its checks see the failures of the first pass
	metricstest.Exists(t, metricstest.Read(t, "../../../../deploy", "wf", "wf.json"), s.metrics(), metricstest.Values(t, worker.Metrics))
}
