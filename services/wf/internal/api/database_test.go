package api_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// fails makes every new request fail in the database with a code of PostgreSQL.
func fails(t *testing.T, w *callers, code string) {
	t.Helper()
	w.Hold(t, func(tx *store.Tx) error {
		return tx.Exec(`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN RAISE EXCEPTION 'the test says no' USING ERRCODE = '` + code + `'; END $$;
			CREATE OR REPLACE TRIGGER refuse BEFORE INSERT ON request EXECUTE FUNCTION refuse()`).Error
	}, func() {})
}

// A temporary refusal of the database is not an internal error. The caller may retry.
func TestTemporaryDatabaseRefusalReturns503(t *testing.T) {
	const away, noWrites, locked = "the database cannot be reached", "the database takes no writes",
		"another operation holds for too long what this one needs"
	const timeout = "a database statement timed out"
	w := boot(t, Options{URL: wftest.Schema.Postgres(t)})
	w.policy("p", "", bothApprove)
	for code, message := range map[string]string{
		"55P03": locked, "25P03": away, "0A000": away, "57014": timeout, "40001": locked, "40P01": locked, "53300": away,
		"25006": noWrites, "53100": noWrites, "58030": noWrites,
	} {
		fails(t, w, code)
		reply := w.rita.Post("/v1/wf/requests", `{"policy_key":"p"}`, header, code)
		reply.Refused(503, "WF-006")
		if reply.Header.Get("Retry-After") != "1" || !strings.Contains(string(reply.Body), message) {
			t.Errorf("%s: Retry-After %q, %s", code, reply.Header.Get("Retry-After"), reply.Body)
		}
	}
	if log := w.Log.String(); strings.Count(log, "database unavailable") != 1 {
		t.Errorf("ten calls are not logged in one line:\n%s", log)
	}
}

// An in-flight duplicate blocks until the first call ends, for a limited time.
func TestInFlightDuplicateConflictsAfterLockTimeout(t *testing.T) {
	w := boot(t, Options{URL: wftest.Schema.Postgres(t) + "&lock_timeout=50ms"})
	w.policy("p", "", bothApprove)
	create := func() Reply { return w.rita.Post("/v1/wf/requests", `{"policy_key":"p"}`, header, "k") }
	request := "/v1/wf/requests/" + create().Want(201).Response("id")
	cancel := func() Reply { return w.rita.Post(request+"/cancel", nil, header, "c") }
	w.Hold(t, func(tx *store.Tx) error { return tx.Exec("SELECT * FROM request FOR UPDATE").Error }, func() {
		cancel().Refused(503, "WF-006") // the lock of the request does not prove a duplicate
	})
	cancel().Want(200)
	w.Hold(t, func(tx *store.Tx) error { return tx.Exec("SELECT * FROM idempotency_key FOR UPDATE").Error }, func() {
		for name, call := range map[string]func() Reply{"create": create, "cancel": cancel} {
			reply := call()
			reply.Refused(409, "WF-007")
			if reply.Header.Get("Retry-After") != "1" || !strings.Contains(string(reply.Body), "still running") {
				t.Errorf("%s: Retry-After %q, %s", name, reply.Header.Get("Retry-After"), reply.Body)
			}
		}
	})
	create().Want(201)
}
