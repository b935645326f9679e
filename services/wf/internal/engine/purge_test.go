package engine_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/reason"
)

const day = 24 * time.Hour

// gone is each for a test that deletes or forges data.
func gone(t *testing.T, fn func(t *testing.T, s *service)) {
	t.Helper()
	wftest.Schema.Each(t, func(t *testing.T, url string) { fn(t, connect(t, url)) })
}

// finished is a request with a webhook for each event, which ana approves.
func (s *service) finished(key string) wf.Request {
	s.t.Helper()
	reply, err := s.Requests.CreateRequest(s.t.Context(), rita, input(key), keyOf(rita, rand.Text(), "f"))
	must(s.t, err)
	r := reply.Case.Request
	must(s.t, s.approve(taskOf(s.t, r, "ana"), "ana"))
	return s.read(r.ID)
}

// delivered ends all deliveries that are due.
func (s *service) delivered() {
	s.t.Helper()
	for n := 1; n > 0; {
		var err error
		n, err = s.finish(10, outbox.Result{StatusCode: 204})
		must(s.t, err)
	}
}

// toldOfAll is a policy with one approver whose requests send every event to an endpoint.
func (s *service) toldOfAll(endpoint string) string {
	key := s.publish(policyOf(stage("check", "ana")))
	s.endpoint(endpoint, subscribed(key, "*.*"))
	return key
}

// columns are all columns of all tables but those of migrations and of the search.
func (s *service) columns() [][2]string {
	s.t.Helper()
	query := `SELECT table_name || ' ' || column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'goose%'`
	if !s.db.Postgres() {
		query = `SELECT m.name || ' ' || c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
			WHERE m.type = 'table' AND m.name NOT LIKE 'goose%' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'request_search_%'`
	}
	var list [][2]string
	for _, row := range s.rows(query) {
		table, column, _ := strings.Cut(row, " ")
		list = append(list, [2]string{table, column})
	}
	if len(list) < 100 {
		s.t.Fatalf("only %d columns found", len(list))
	}
	return list
}

// holding are the columns that hold a text somewhere.
func (s *service) holding(text string) []string {
	s.t.Helper()
	position := "instr"
	if s.db.Postgres() {
		position = "strpos"
	}
	var found []string
	for _, c := range s.columns() {
		if n := s.rows("SELECT count(*) FROM " + c[0] + " WHERE " + position + "(CAST(" + c[1] + " AS text), '" + text + "') > 0")[0]; n != "0" {
			found = append(found, c[0]+"."+c[1]+" "+n)
		}
	}
	slices.Sort(found)
	return found
}

// holds fails the test unless every chain verifies.
func (s *service) holds() {
	s.t.Helper()
	v, err := s.Audit.VerifyAll(s.t.Context())
	if err != nil || len(v.Bad) > 0 {
		s.t.Errorf("verification %+v, %v", v, err)
	}
}

func TestAPurgeDeletesOldRequestsWithAllThatHangsOnThem(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.toldOfAll("ledger")
		var old []wf.Request
		for range 5 {
			r := s.finished(key)
			s.exec("INSERT INTO notice_item (user_id, mail_id, at_ms, event_id, kind, request_id, due_ms) VALUES ('rita', '', 1, ?, 'decided', ?, 1)", r.ID, r.ID) // of her next mail
			old = append(old, r)
		}
		open := s.create(key)
		s.delivered()
		s.advance(20 * day)
		waiting := s.finished(key) // its deliveries are pending
		late := s.create(key)
		s.advance(20 * day)
		young := s.finished(key)
		must(t, s.approve(taskOf(t, late, "ana"), "ana"))
		s.exec("UPDATE outbox SET due_ms = due_ms + 999999999999 WHERE id IN (SELECT id FROM delivery WHERE subject = ?)", waiting.ID)
		s.delivered()

		kept := engine.Retention{Requests: 10 * day}
		s.exec("DELETE FROM delivery_attempt WHERE delivery_id IN (SELECT id FROM delivery WHERE subject = ?)", old[0].ID)
		s.exec("DELETE FROM delivery WHERE subject = ?", old[0].ID) // its messages are left
		n, err := s.Deletion.Purgeable(t.Context(), kept)
		if want := (store.Purgeable{Requests: 5, Keys: 6}); err != nil || n != want {
			t.Fatalf("to purge: %+v, %v; want %+v", n, err, want)
		}
		s.exec("CREATE TABLE held (event_id uuid REFERENCES event)")
		s.exec("INSERT INTO held SELECT id FROM event WHERE chain = ?", old[0].ID)
		if done, err := s.Deletion.Purge(t.Context(), kept, 10); err == nil || done.Requests != 0 {
			t.Fatalf("purged, and then given back: %+v, %v", done, err)
		}
		s.exec("DROP TABLE held")
		n.Keys = 0 // they are gone already
		done, err := s.Deletion.Purge(t.Context(), kept, 2)
		if err != nil || done != n {
			t.Fatalf("purged: %+v, %v; want %+v", done, err, n)
		}
		for _, r := range old {
			_, err := s.Requests.GetRequest(t.Context(), root, r.ID)
			refused(t, "a purged request", err, reason.RequestNotFound)
			equal(t, "where its id is left", s.holding(r.ID), []string{"event.body 1", "event.request_id 1", "event.resource_id 1"})
		}
		for _, r := range []wf.Request{open, late, waiting, young} {
			if _, err := s.Requests.GetRequest(t.Context(), rita, r.ID); err != nil {
				t.Errorf("a request that is kept: %v", err)
			}
		}
		s.holds()
		events, _, err := s.Audit.ListAudit(t.Context(), wf.AuditFilter{RequestID: old[0].ID}, wf.Page{Limit: 10})
		if err != nil || len(events) != 1 || events[0].Type != audit.EventAuditPurged || events[0].Actor.ID != "system:retention" ||
			events[0].Purged.Events != old[0].Chain.Seq || events[0].Purged.Hash != old[0].Chain.Hash {
			t.Errorf("its tombstone is %+v, %v", events, err)
		}
		if done, err := s.Deletion.Purge(t.Context(), kept, 2); err != nil || done != (store.Purgeable{}) {
			t.Errorf("a second purge: %+v, %v", done, err)
		}
		if done, err := s.Deletion.Purge(t.Context(), engine.Retention{}, 2); err != nil || done != (store.Purgeable{}) {
			t.Errorf("a purge that keeps everything for ever: %+v, %v", done, err)
		}
	})
}

func TestAPurgeDeletesOldDeliveriesWithTheirAttempts(t *testing.T) {
	gone(t, func(t *testing.T, s *service) {
		key := s.toldOfAll("ledger")
		s.finished(key)
		s.delivered()
		was := s.rows("SELECT count(*) FROM delivery")[0]
		s.advance(91 * day)
		young := s.finished(key)
		done, err := s.Deletion.Purge(t.Context(), engine.Retention{Deliveries: 90 * day}, 3)
		if err != nil || fmt.Sprint(done.Deliveries) != was {
			t.Errorf("purged %+v of %s, %v", done, was, err)
		}
		for what, query := range map[string]string{
			"a delivery":               "SELECT id FROM delivery WHERE subject <> ?",
			"an attempt":               "SELECT delivery_id FROM delivery_attempt WHERE '' <> ?",
			"a message that goes away": "SELECT event_id FROM message m WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_id = m.event_id) AND '' <> ?",
		} {
			if left := s.rows(query, young.ID); len(left) > 0 {
				t.Errorf("%s is left", what)
			}
		}
		s.holds()
		s.delivered()
	})
}

func TestAPurgeTakesRefusalsOutOfTheChainThatHoldsWithoutThem(t *testing.T) {
	gone(t, func(t *testing.T, s *service) {
		refuse := func(n int) {
			for range n {
				s.advance(2 * time.Minute)
				must(t, s.Audit.RecordRefusal(t.Context(), person("eve"), engine.Refusal{
					Operation: "decideTask", About: wf.Resource{Type: "task", ID: rand.Text()}, ErrorCode: "WF-008",
				}))
			}
		}
		refuse(1) // the first of the chain
		s.publish(policyOf(stage("check", "ana")))
		refuse(4)
		s.publish(policyOf(stage("check", "ana")))
		refuse(2)
		s.advance(50 * day)
		refuse(3)
		kept := engine.Retention{Refusals: 30 * day}
		n, err := s.Deletion.Purgeable(t.Context(), kept)
		if err != nil || n != (store.Purgeable{Refusals: 7}) {
			t.Fatalf("to purge: %+v, %v", n, err)
		}
		for range 2 {
			if _, err = s.Deletion.Purge(t.Context(), kept, 3); err != nil {
				t.Fatal(err)
			}
			if left := s.rows("SELECT count(*) FROM event WHERE type = 'auth.denied'")[0]; left != "3" {
				t.Errorf("%s refusals are left, want 3", left)
			}
			s.holds()
			s.advance(day)
		}
		if bad, _, err := s.Audit.VerifyEvents(t.Context(), ""); bad.FirstBad != 0 || err != nil {
			t.Errorf("the service's chain: %v, %v", bad, err)
		}

		// A removal without a tombstone is detected.
		wftest.Disarm(t, s.db)
		s.exec("DELETE FROM event WHERE type = 'auth.denied' AND seq = (SELECT min(seq) FROM event WHERE type = 'auth.denied')")
		v, err := s.Audit.VerifyAll(t.Context())
		if err != nil || len(v.Bad) != 1 || v.Bad[0].Chain != "service" {
			t.Errorf("a deletion without an event for it: %+v, %v", v, err)
		}
	})
}

func TestRequestRevisionsAreKeptUntilPurged(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		r := s.create(s.publish(policyOf(stage("check", "ana"))), withContext(`{"amount":1}`))
		for _, amount := range []string{"2", "3"} {
			must(t, s.act(taskOf(t, s.read(r.ID), "ana"), "ana", wf.ActionRequestChanges))
			s.advance(time.Hour)
			document := []byte(`{"amount":` + amount + `}`)
			_, err := s.Requests.ResubmitRequest(t.Context(), rita, r.ID, document, sum(document), "", "", nil)
			must(t, err)
		}
		for what, statement := range map[string]string{"changed": "UPDATE revision SET context = '{}'", "deleted": "DELETE FROM revision"} {
			if err := s.db.Read(t.Context()).Exec(statement).Error; err == nil || !strings.Contains(err.Error(), "never changed") {
				t.Errorf("an earlier revision is %s: %v", what, err)
			}
		}
		must(t, s.approve(taskOf(t, s.read(r.ID), "ana"), "ana"))
		s.advance(40 * day)
		if done, err := s.Deletion.Purge(t.Context(), engine.Retention{Requests: day}, 10); err != nil || done.Requests != 1 {
			t.Errorf("purged %+v, %v", done, err)
		}
		equal(t, "what is left", s.rows("SELECT count(*) FROM revision"), []string{"0"})
	})
}
