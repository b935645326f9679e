package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// metrics returns the current metrics of the service.
func (s *service) metrics() map[string]float64 {
	s.t.Helper()
	return metricstest.Scrape(s.t, s.admin()+"/metrics")
}

// admin returns the address of the metrics, from the log.
func (s *service) admin() string {
	s.t.Helper()
	for line := range strings.Lines(s.log.String()) {
		var record struct{ Admin string }
		if json.Unmarshal([]byte(line), &record) == nil && record.Admin != "" {
			return "http://" + record.Admin
		}
	}
	s.t.Fatal("no metrics are served")
	return ""
}

// shows polls until the service exposes each series with its value. Zero also matches an
// absent series.
func (s *service) shows(want map[string]float64) {
	s.t.Helper()
	var wrong []string
	s.t.Cleanup(func() { // when it was waited for in vain
		for _, what := range wrong {
			s.t.Log(what)
		}
	})
	timetest.Eventually(s.t, "the metrics are right", func() bool {
		got := s.metrics()
		wrong = nil
		for series, value := range want {
			if got[series] != value {
				wrong = append(wrong, fmt.Sprintf("%s is %v, want %v", series, got[series], value))
			}
		}
		return wrong == nil
	})
}

// world starts a resolver, and a receiver that rejects webhooks and asks for none within the time of a test.
func world(t *testing.T) (resolver, receiver string) {
	t.Helper()
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"user_ids":["bea"]}`)
	}))
	t.Cleanup(answers.Close)
	fails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(fails.Close)
	return answers.URL, fails.URL
}

func TestMetricsCountServiceOperations(t *testing.T) {
	url := wftest.Schema.Fresh(t)
	resolver, receiver := world(t)
	c := development(t, url)
	c.CheckpointEvery = 0 // a checkpoint that is due would be a lag
	s := begin(t, c)
	s.addPolicy("spend", spend)
	s.addPolicy("ask", `{"policy_key":"ask","name":"Ask","stages":[{"key":"check","name":"Check",`+
		`"approvers":[{"type":"http","url":"`+resolver+`"}]}]}`)
	billing := `{"name":"billing","url":"` + receiver + `","events":["request.approved"]}`
	s.root().Post("/v1/wf/admin/webhooks", billing).Want(201)

	request := func(members string) wftest.Reply {
		return s.root().Post("/v1/wf/requests", `{"policy_key":`+members+`}`).Want(201)
	}
	approved, waits := request(`"spend"`), request(`"spend"`)
	request(`"spend","expires_in":"PT1S"`)
	request(`"ask","callback_url":"` + receiver + `"`)
	for _, call := range []struct {
		body string
		want int
	}{{`{"policy_key":"nobody"}`, 404}, {`{"policy_key":"ask"}`, 201}, {`{"policy_key":"ask"}`, 201}, {`{"policy_key":"spend"}`, 409}} {
		s.as("root").Post("/v1/wf/requests", call.body, "Idempotency-Key", "k").Want(call.want)
	}
	s.as("ana").Post("/v1/wf/tasks/"+approved.Response("tasks", 0, "id")+"/decision", `{"action":"approve"}`).Want(200)
	s.want("/v1/wf/requests/nothing", 404, "WF-003")
	wftest.At(t, s.url, "").Get("/v1/wf/tasks").Want(401)
	wftest.At(t, s.url, "not.a.token").Get("/v1/wf/tasks").Want(401)
	conns := 20.0
	if strings.HasPrefix(url, "sqlite:") {
		conns++ // the writer's
	}
	s.shows(map[string]float64{
		`wf_ready`: 1,
		`wf_http_requests_total{code="",route="POST /v1/wf/requests",status="201"}`:           6,
		`wf_http_requests_total{code="WF-009",route="POST /v1/wf/requests",status="409"}`:     1,
		`wf_http_requests_total{code="WF-001",route="POST /v1/wf/requests",status="404"}`:     1,
		`wf_http_requests_total{code="WF-003",route="GET /v1/wf/requests/{id}",status="404"}`: 1,
		`wf_http_requests_total{code="WF-008",route="GET /v1/wf/tasks",status="401"}`:         2,
		`wf_http_request_duration_seconds_count{route="POST /v1/wf/tasks/{id}/decision"}`:     1,
		`wf_requests_created_total{policy="spend"}`:                                           3,
		`wf_requests_created_total{policy="ask"}`:                                             2,
		`wf_requests_total{outcome="approved",policy="spend"}`:                                1,
		`wf_requests_total{outcome="expired",policy="spend"}`:                                 1,
		`wf_request_duration_seconds_count`:                                                   2,
		`wf_stage_wait_seconds_count{policy="spend",stage="check"}`:                           2,
		`wf_idempotency_total{result="new"}`:                                                  1,
		`wf_idempotency_total{result="replayed"}`:                                             1,
		`wf_idempotency_total{result="reused"}`:                                               1,
		`wf_idempotency_total{result="refused"}`:                                              1,
		`wf_webhook_attempts_total{endpoint="billing",outcome="failed"}`:                      1,
		`wf_webhook_attempts_total{endpoint="(callback)",outcome="failed"}`:                   1,
		`wf_webhook_attempt_duration_seconds_count{outcome="failed"}`:                         2,
		`wf_resolver_duration_seconds_count{outcome="answered",type="http"}`:                  2, // none for the replay
		`wf_auth_failures_total{reason="not strict base64url"}`:                               1,
		`wf_loop_failures_total{loop="expiry"}`:                                               0,
		`wf_db_errors_total{kind="other"}`:                                                    0,
		`go_sql_max_open_connections{db_name="wf"}`:                                           conns,
	})
	got := s.metrics()
	for _, series := range []string{
		`wf_loop_passes_total{loop="expiry"}`, `wf_loop_last_success_timestamp_seconds{loop="checker"}`,
		`wf_db_transaction_duration_seconds_count`, `go_goroutines`, `process_open_fds`,
	} {
		if got[series] <= 0 {
			t.Errorf("%s is %v", series, got[series])
		}
	}
	if skew, there := got[`wf_clock_skew_seconds`]; !there || skew < -5 || skew > 5 {
		t.Errorf("the clock is off by %v s", skew)
	}
	must(t, s.end())
	spoil(t, url, waits.Response("id"))

	s = begin(t, c) // it checks immediately
	s.shows(map[string]float64{
		`wf_processes`:                                                  1,
		`wf_stuck_requests`:                                             1,
		`wf_requests_open{status="in_review"}`:                          3,
		`wf_requests_open{status="blocked"}`:                            0,
		`wf_tasks_open{policy="ask"}`:                                   2,
		`wf_tasks_open{policy="spend"}`:                                 0,
		`wf_tasks_overdue{policy="ask"}`:                                0,
		`wf_expiry_lag_seconds`:                                         0,
		`wf_lapse_lag_seconds`:                                          0,
		`wf_deadline_lag_seconds`:                                       0,
		`wf_checkpoint_lag_seconds`:                                     0,
		`wf_webhook_deliveries{endpoint="billing",status="pending"}`:    1,
		`wf_webhook_deliveries{endpoint="(callback)",status="pending"}`: 1,
		`wf_webhook_deliveries{endpoint="billing",status="failed"}`:     0,
		`wf_webhook_endpoint_failures{endpoint="billing"}`:              1,
		`wf_webhook_endpoint_state{endpoint="billing",state="enabled"}`: 1,
		`wf_audit_invalid`:                                              1,
	})
	got = s.metrics()
	for _, series := range []string{
		`wf_webhook_endpoint_failing_since_timestamp_seconds{endpoint="billing"}`, `wf_webhook_oldest_pending_seconds{endpoint="billing"}`,
	} {
		if got[series] <= 0 {
			t.Errorf("%s is %v", series, got[series])
		}
	}
}

// spoil takes the work of a request away, as nothing but a mistake would.
func spoil(t *testing.T, url, request string) {
	t.Helper()
	db := wftest.Connect(t, url, nil)
	err := db.Do(t.Context(), func(tx *sqldb.Tx) error {
		if err := tx.Exec("UPDATE chain SET invalid = 1").Error; err != nil {
			return err
		}
		if err := tx.Exec("UPDATE request SET stuck = true WHERE id = ?", request).Error; err != nil {
			return err
		}
		return tx.Exec("UPDATE task SET status = 'cancelled' WHERE request_id = ?", request).Error
	})
	must(t, err)
}

func TestUserInputCreatesFewMetricSeries(t *testing.T) {
	s := start(t)
	for i := range 210 {
		key, stranger := fmt.Sprint("p-", i), s.as(fmt.Sprint("canary-person-", i))
		s.addPolicy(key, fmt.Sprintf(`{"policy_key":%q,"name":"P","stages":[{"key":"s-%d","name":"S",`+
			`"approvers":[{"type":"user","ids":["ana"]}],"deadline":{"due_in":"P1D"}}]}`, key, i))
		made := s.root().Post("/v1/wf/requests", fmt.Sprintf(`{"policy_key":%q,"title":"canary-%d"}`, key, i)).Want(201)
		path := "/v1/wf/requests/" + made.Response("id")
		later := time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339)
		s.root().Patch(fmt.Sprint(path, "/stages/s-", i), fmt.Sprintf(`{"due_at":%q,"reason":"canary"}`, later)).Want(200)
		s.as("ana").Post("/v1/wf/tasks/"+made.Response("tasks", 0, "id")+"/decision", `{"action":"approve"}`).Want(200)
		stranger.Get(fmt.Sprint("/v1/wf/canary/", i))
		stranger.Get(path)
	}
	series := map[string]int{}
	got := s.metrics()
	for name := range got {
		metric, _, _ := strings.Cut(name, "{")
		series[metric]++
		if strings.Contains(name, "canary") || strings.Contains(name, "ana\"") {
			t.Errorf("%s contains a name or input", name)
		}
	}
	for metric, n := range map[string]int{"wf_requests_total": 201, "wf_requests_created_total": 201,
		"wf_stage_wait_seconds_count": 201, "wf_deadline_total": 201} {
		if series[metric] != n {
			t.Errorf("%s has %d series, want %d", metric, series[metric], n)
		}
	}
	if got[`wf_requests_total{outcome="approved",policy="other"}`] != 10 || series["wf_http_requests_total"] > 10 {
		t.Errorf("other: %v, %d series of calls", got[`wf_requests_total{outcome="approved",policy="other"}`], series["wf_http_requests_total"])
	}
}
