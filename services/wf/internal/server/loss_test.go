package server_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

// The events of a request are lost, with its webhook sent. recover lists both, and nothing of another request.
func TestALossIsListedWithItsWebhooks(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, url string) {
		c := development(t, url)
		heard, receiver := receives(t, c, "request.cancelled")
		s := begin(t, c)
		s.post("/v1/wf/policies", `{"policy_key":"spend","name":"Spend","stages":[{"key":"check","name":"Check","approvers":[{"type":"user","ids":["ana"]}]}]}`, 201, nil)
		s.post("/v1/wf/policies/spend/versions/1/activate", "", 200, nil)
		var kept, lost struct{ ID string }
		for _, r := range []*struct{ ID string }{&kept, &lost} {
			s.post("/v1/wf/requests", `{"policy_key":"spend","callback_url":"`+receiver+`"}`, 201, r)
			s.post("/v1/wf/requests/"+r.ID+"/cancel", `{"reason":"none"}`, 200, nil)
			if err := timetest.Await(t, heard, "a message about the end"); err != nil {
				t.Errorf("signature: %v", err)
			}
		}
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{Logger: s.log.Logger()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		var events []struct{ ID, Type string }
		if err := db.Read(t.Context()).Raw("SELECT CAST(id AS text) AS id, type FROM event WHERE chain = ?", lost.ID).Scan(&events).Error; err != nil {
			t.Fatal(err)
		}
		drop := "DROP TRIGGER event_no_delete"
		if db.Postgres() {
			drop += " ON event"
		}
		stmts := []sqldb.Stmt{{SQL: drop}, {SQL: "DELETE FROM witness"}}
		const deliveries = "(SELECT id FROM delivery WHERE request_id = ?)"
		for _, rows := range []string{
			"message WHERE event_id IN (SELECT event_id FROM delivery WHERE request_id = ?)", "delivery_attempt WHERE delivery_id IN " + deliveries,
			"outbox WHERE id IN " + deliveries, "delivery WHERE request_id = ?", "event WHERE chain = ?",
		} {
			stmts = append(stmts, sqldb.Stmt{SQL: "DELETE FROM " + rows, Args: []any{lost.ID}})
		}
		err = db.Do(t.Context(), func(tx *sqldb.Tx) error { return tx.Batch(stmts...) })
		if err != nil {
			t.Fatal(err)
		}
		var done string
		timetest.Eventually(t, "the loss is stored", func() bool {
			if done, err = heartbeat.BeginGeneration(t.Context(), db, false, 0); err != nil {
				t.Fatal(err)
			}
			return strings.Contains(done, "lost events, and")
		})
		if !strings.Contains(done, "\nrequest "+lost.ID+"\n") || strings.Contains(done, kept.ID) || strings.Contains(done, "policy") {
			t.Errorf("recover: %s", done)
		}
		for _, e := range events {
			if !strings.Contains(done, ", event "+e.ID+"\n") || e.Type == "request.cancelled" && !strings.Contains(done, " sent request.cancelled by webhook "+e.ID+" to the callback\n") {
				t.Errorf("recover does not name %s %s: %s", e.Type, e.ID, done)
			}
		}
	})
}
