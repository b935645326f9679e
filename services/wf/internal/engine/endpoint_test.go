package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	webhookadmin "github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/reason"
)

// edit changes an endpoint, as root.
func (s *service) edit(id string, change webhookadmin.Change) outbox.Endpoint {
	s.t.Helper()
	e, err := s.Webhooks.UpdateEndpoint(s.t.Context(), root, id, "", change)
	must(s.t, err)
	return e
}

// told returns the types of the deliveries to an endpoint, oldest first.
func (s *service) told(e outbox.Endpoint) []string {
	s.t.Helper()
	return s.rows("SELECT d.event_type FROM delivery d WHERE d.endpoint_id = ? ORDER BY d.id", e.ID)
}

// The egress policy can become stricter after the creation of an endpoint.
func TestAnEndpointThatMayNoLongerBeWhereItIsCanBeDisabled(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ledger := s.endpoint("ledger")
		strict := s.with(func(o *engine.Options) {
			o.EndpointURL = func(string) error { return fmt.Errorf("nowhere is allowed") }
		})
		if e := strict.edit(ledger.ID, webhookadmin.Change{URL: new(ledger.URL), Enabled: new(false)}); e.Enabled {
			t.Error("it is still enabled")
		}
		_, err := strict.Webhooks.UpdateEndpoint(t.Context(), root, ledger.ID, "", webhookadmin.Change{URL: new("https://other.example/")})
		refused(t, "a move", err, reason.BadInput)
	})
}

func TestPendingDeliveriesEndWithTheirEndpoint(t *testing.T) {
	for name, end := range map[string]func(s *service, id string){
		"disabled": func(s *service, id string) { s.edit(id, webhookadmin.Change{Enabled: new(false)}) },
		"deleted": func(s *service, id string) {
			_, err := s.Webhooks.DeleteEndpoint(s.t.Context(), root, id, "")
			must(s.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *service) {
				id, ledger := s.deliver()
				other := s.endpoint("other")
				for _, e := range []outbox.Endpoint{ledger, other} {
					_, err := s.Webhooks.TestEndpoint(t.Context(), root, e.ID)
					must(t, err)
				}
				end(s, ledger.ID)
				equal(t, "to the endpoint", s.rows("SELECT status FROM delivery WHERE endpoint_id = ?", ledger.ID), []string{"cancelled", "cancelled"})
				equal(t, "to the other", s.rows("SELECT status FROM delivery WHERE endpoint_id = ?", other.ID), []string{"sending"}) // described in outbox
				_, err := s.Webhooks.RetryDelivery(t.Context(), root, id, "")
				refused(t, "a retry", err, reason.WrongState)
				out, err := s.Webhooks.RecoverDeliveries(t.Context(), root, outbox.Recovery{
					Status: outbox.RecoverCancelled, CreatedAfter: noon.Add(-time.Hour), CreatedBefore: noon.Add(time.Hour),
				})
				if must(t, err); out != (webhookadmin.Recovered{}) {
					t.Errorf("recovered %+v", out)
				}
				if name == "deleted" { // one of the same name is another
					s.advance(time.Second)
					s.endpoint("ledger")
					_, err := s.Webhooks.RetryDelivery(t.Context(), root, id, "")
					refused(t, "a retry to its successor", err, reason.WrongState)
					return
				}
				if e := s.edit(ledger.ID, webhookadmin.Change{Enabled: new(true)}); e.DisabledReason != "" || e.Health != (outbox.Health{}) {
					t.Errorf("enabled again: %+v", e)
				}
				_, err = s.Webhooks.RetryDelivery(t.Context(), root, id, "")
				must(t, err)
			})
		})
	}
}

// failed makes n deliveries that were given up, as old as the test, to an endpoint.
func (s *service) failed(n int) (id string, endpoint outbox.Endpoint) {
	s.t.Helper()
	id, endpoint = s.deliver()
	if ended, err := s.finish(10, outbox.Result{StatusCode: 410, Gone: true}); err != nil || ended != 1 {
		s.t.Fatalf("%d deliveries ended, %v, want 1", ended, err)
	}
	uuid := "'0199a000-0000-7000-8000-' || CAST(100000000000 + n.i AS text)"
	if s.db.Postgres() {
		uuid = "CAST(" + uuid + " AS uuid)"
	}
	columns := "event_id, variant, event_type, subject, sequence, endpoint, endpoint_id, url, status, cycle, attempt, crashes, " +
		"last_attempt_ms, last_status_code, last_error, last_duration_ms, response_excerpt, delivered_ms, created_ms, updated_ms"
	s.exec("WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO delivery (id, target, "+columns+") "+
		"SELECT "+uuid+", 'copy ' || CAST(n.i AS text), "+columns+" FROM n, delivery WHERE delivery.id = ?", n, id)
	return id, endpoint
}

// recovery is of all that failed at noon.
var recovery = outbox.Recovery{Status: outbox.RecoverFailed, CreatedAfter: noon.Add(-time.Second), CreatedBefore: noon.Add(time.Second)}

func TestAtMostTenThousandDeliveriesAreRecoveredAtOnce(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *service) { // on SQLite the race detector makes it slow
		_, ledger := s.failed(10_001)
		s.advance(time.Minute)
		for _, want := range []webhookadmin.Recovered{{Retried: 10_000, More: true}, {Retried: 1}} {
			out, err := s.Webhooks.RecoverDeliveries(t.Context(), root, recovery)
			if must(t, err); out != want {
				t.Errorf("recovered %+v, want %+v", out, want)
			}
		}
		s.recovered(ledger, 10_001, "10000 retried", "1 retried")
	})
}

// recovered fails the test unless the n failed deliveries are in their second cycle and due, with
// recovery events in the trail. It deletes its fixtures.
func (s *service) recovered(endpoint outbox.Endpoint, n int, trail ...string) {
	s.t.Helper()
	equal(s.t, "deliveries", s.rows(`SELECT status || ' ' || cycle || ' ' || attempt || ' ' || count(*) FROM delivery d JOIN message USING (event_id)
		WHERE endpoint_id = ? AND (SELECT o.due_ms <= ? AND o.leased_ms = 0 FROM outbox o WHERE o.id = d.id) AND payload <> '' GROUP BY status, cycle, attempt`, endpoint.ID, s.now().UnixMilli()),
		[]string{fmt.Sprintf("sending 2 0 %d", n)})
	events, _, err := s.store.Events(s.t.Context(), "", wf.Page{Limit: 200})
	must(s.t, err)
	var told []string
	for _, e := range events {
		if e.Type == audit.EventDeliveriesRecovered {
			told = append(told, e.Reason)
		}
	}
	equal(s.t, "the trail", told, trail)
	s.exec("DELETE FROM outbox WHERE id IN (SELECT id FROM delivery WHERE target LIKE 'copy %')")
	s.exec("DELETE FROM delivery WHERE target LIKE 'copy %'")
}
