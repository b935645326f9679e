package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// The restore drill: a backup has a due request and pending webhooks, which belong to production.
func TestTheRestoreDrillSendsNoWebhooks(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, url string) {
		c := development(t, url)
		heard, receiver := receives(t, c, "")
		c.Workers = false
		before := begin(t, c)
		before.addPolicy("spend", spend)
		body := `{"policy_key":"spend","expires_in":"PT1S","callback_url":"` + receiver + `"}`
		made := before.root().Post("/v1/wf/requests", body).Want(201).Response("id")
		must(t, before.end())
		stored := wftest.Rows(t, wftest.Connect(t, url, nil))

		c.Workers, c.ReadOnly = true, true
		s := begin(t, c)
		for _, path := range []string{
			"/readyz", "/v1/wf/health", "/v1/wf/requests/" + made, "/v1/wf/requests", "/v1/wf/tasks", "/v1/wf/me", "/v1/wf/people?q=ana",
			"/v1/wf/policies", "/v1/wf/admin/webhooks", "/v1/wf/me/notifications", "/v1/wf/admin/audit?verify=true&limit=1",
			"/v1/wf/admin/deliveries?status=pending",
		} {
			s.want(path, 200, "")
		}
		s.want("/v1/wf/requests/none", 404, "WF-003")
		if r := s.root().Get("/v1/wf/health"); !strings.Contains(string(r.Body), `"workers":"OFF"`) {
			t.Errorf("health: %s", r.Body)
		}
		var document struct {
			Paths map[string]map[string]json.RawMessage
		}
		must(t, json.Unmarshal(s.root().Get("/openapi.json").Body, &document))
		writes := 0
		for path, operations := range document.Paths {
			for method := range operations {
				if method == "get" {
					continue
				}
				writes++
				path = strings.NewReplacer("{v}", "1", "{key}", "spend", "{id}", made).Replace(path)
				r := s.root().Do(strings.ToUpper(method), path, "{}")
				if r.Status != http.StatusServiceUnavailable || r.Code() != "WF-096" || r.Header.Get("Retry-After") != "60" {
					t.Errorf("%s, want 503 WF-096", r)
				}
			}
		}
		if writes < 25 {
			t.Errorf("the document has %d operations that write", writes)
		}
		s.root().Get("/inbox").Want(http.StatusNotFound) // its sign-in writes
		if err := s.end(); err != nil {
			t.Error(err)
		}
		for table, n := range wftest.Rows(t, wftest.Connect(t, url, nil)) {
			if n != stored[table] {
				t.Errorf("table %s: %d rows, before %d", table, n, stored[table])
			}
		}
		for line := range strings.Lines(s.log.String()) {
			if strings.Contains(line, `"level":"ERROR"`) {
				t.Error(line)
			}
		}
		if len(heard) > 0 {
			t.Error("the receiver was called")
		}
	})
}

func TestReadOnlyMigratesNothing(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, url string) {
		c := development(t, url)
		c.ReadOnly = true
		s := serve(t, c)
		err := timetest.Await(t, s.ended, "the service ends")
		if err == nil || !strings.Contains(err.Error(), "run wf migrate") && !strings.Contains(err.Error(), "no such file") {
			t.Errorf("on an empty database: %v", err)
		}
	})
}
