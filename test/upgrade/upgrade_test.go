package upgrade

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
)

// versions returns the versions that have dumps.
func versions(t *testing.T) (list []string) {
	t.Helper()
	dirs, err := filepath.Glob("testdata/*.*.*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no dumps: %v, %v", dirs, err)
	}
	for _, dir := range dirs {
		list = append(list, filepath.Base(dir))
	}
	return list
}

// each runs a test for every version and database.
func each(t *testing.T, fn func(t *testing.T, version, database string)) {
	for _, version := range versions(t) {
		for _, database := range []string{"sqlite", "postgres"} {
			t.Run(version+" "+database, func(t *testing.T) { fn(t, version, database) })
		}
	}
}

func TestADumpHasEveryState(t *testing.T) {
	each(t, func(t *testing.T, version, database string) {
		for service, tables := range map[string][]string{
			"wf": {"policy_version", "revision", "participant", "delegation", "stage_candidate", "decision",
				"person", "denial",
				"endpoint", "message", "outbox", "notice_setting", "notice_item", "idempotency_key", "session", "service_key"},
			"oidc-registrar": {"client_key", "initial_token", "registration_token", "provider_record", "difference",
				"reconciliation", "client_event", "catalog_event", "endpoint", "message", "outbox"},
		} {
			schema, err := os.ReadFile(dumpOf(version, service, "sqlite"))
			if err != nil {
				t.Fatal(err)
			}
			if len(schema) > 1<<20 {
				t.Errorf("the dump of %s has %d bytes, want at most 1 MiB", service, len(schema))
			}
			db := open(t, restore(t, database, dumpOf(version, service, database)))
			for _, state := range missing(t, db, string(schema)) {
				t.Errorf("%s has no row with %s", service, state)
			}
			for _, table := range tables {
				if count(t, db, "SELECT count(*) FROM "+table) == 0 {
					t.Errorf("%s has no row of %s", service, table)
				}
			}
		}
	})
}

// The current programs start on the databases of an earlier version and complete every request and
// registration.
func TestTheCurrentProgramsContinueOnTheDatabasesOfAnEarlierVersion(t *testing.T) {
	each(t, func(t *testing.T, version, database string) {
		s := newSystem(t)
		s.outside.heal()
		wfURL := restore(t, database, dumpOf(version, "wf", database))
		registrarURL := restore(t, database, dumpOf(version, "oidc-registrar", database))
		wfDB, registrarDB := open(t, wfURL), open(t, registrarURL)
		now := time.Now().UnixMilli()
		runUnguarded(t, wfURL, fmt.Sprintf("UPDATE idempotency_key SET expires_ms = %d", now+3600_000))
		runUnguarded(t, registrarURL, fmt.Sprintf("UPDATE idp_call SET due_ms = %d WHERE due_ms < 253370764800000",
			now)) // not 9999-01-01
		before := tally(t, wfDB, "request", "event", "decision", "revision", "policy_version", "delegation")
		clientsBefore := tally(t, registrarDB, "client", "client_event", "initial_token")
		stored := query(t, wfDB, "SELECT body FROM idempotency_key WHERE value = 'sent-twice'")[0][0]

		wf := s.wf(wfURL)
		expectVerified(t, wf)
		mia := wf.as("mia")
		mia.key = "sent-twice"
		again := mia.call("POST", "/v1/wf/requests", replayed).Is(201)
		if !bytes.Contains(again.Body, compact(t, stored)) {
			t.Errorf("the call with a stored reply returns %s, want %s", again.Body, stored)
		}
		registrar := s.registrar(registrarURL)
		timetest.Eventually(t, "every request and registration is complete", func() bool {
			completeRequests(wf)
			return count(t, registrarDB, `SELECT (SELECT count(*) FROM client WHERE status = 'PENDING' OR outcome_unknown) +
				(SELECT count(*) FROM approval WHERE state IN ('asking', 'waiting', 'withdrawing')) +
				(SELECT count(*) FROM idp_call WHERE due_ms < 253370764800000)`) == 0 &&
				count(t, wfDB,
					"SELECT count(*) FROM request WHERE status IN ('in_review', 'blocked', 'changes_requested')") == 0
		})
		recoverDeliveries(t, wf, registrar, wfDB, registrarDB)
		expectVerified(t, wf)

		after := tally(t, wfDB, "request", "event", "decision", "revision", "policy_version", "delegation")
		for table, n := range before {
			if grows := table == "event" || table == "decision" || table == "revision"; after[table] < n || !grows && table != "request" && after[table] != n {
				t.Errorf("%s has %d rows, before %d", table, after[table], n)
			}
		}
		if asked := after["request"] - before["request"]; asked > 1 { // the approval that was not requested yet
			t.Errorf("there are %d new requests", asked)
		}
		clientsAfter := tally(t, registrarDB, "client", "client_event", "initial_token")
		if n := clientsBefore["client"] - clientsAfter["client"]; n != 1 { // the one that was abandoned
			t.Errorf("%d clients were deleted, want 1", n)
		}
		if clientsAfter["client_event"] <= clientsBefore["client_event"] || clientsAfter["initial_token"] != clientsBefore["initial_token"] {
			t.Errorf("rows before %v, after %v", clientsBefore, clientsAfter)
		}
		registrar.stop()
		wf.stop()
	})
}

// tally returns the numbers of rows of tables.
func tally(t *testing.T, db *sql.DB, tables ...string) map[string]int {
	t.Helper()
	rows := map[string]int{}
	for _, table := range tables {
		rows[table] = count(t, db, "SELECT count(*) FROM "+table)
	}
	return rows
}

func compact(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// expectVerified requires that every audit chain is valid.
func expectVerified(t *testing.T, wf *process) {
	t.Helper()
	var trail struct {
		Verification struct {
			Valid  bool
			Chains int
			Bad    []any
		}
	}
	wf.admin().call("GET", "/v1/wf/admin/audit?verify=true&limit=1", nil).Is(200).Decode(&trail)
	if v := trail.Verification; !v.Valid || v.Chains < 20 {
		t.Errorf("audit chains: %+v", v)
	}
}

// completeRequests makes one step of every open request: its approvers approve, candidates claim,
// admins assign rescues, and requesters resubmit.
func completeRequests(wf *process) {
	ada := wf.admin()
	for _, status := range []string{"in_review", "blocked", "changes_requested"} {
		var list struct{ Items []struct{ ID string } }
		ada.call("GET", "/v1/wf/requests?limit=100&status="+status, nil).Is(200).Decode(&list)
		for _, item := range list.Items {
			r := ada.request(item.ID)
			if r.Status == "changes_requested" {
				wf.as(r.Requester.ID).call("POST", "/v1/wf/requests/"+r.ID+"/resubmit", object{}).Is(200)
				continue
			}
			for _, t := range r.open() {
				approve := object{"action": "approve", "comment": "Approved after the upgrade"}
				switch path := "/v1/wf/tasks/" + t.ID; {
				case t.Kind == "rescue":
					ada.call("POST", path+"/reassign", object{"new_assignee": "hal"})
				case t.Assignee != nil:
					wf.as(t.Assignee.ID).call("POST", path+"/decision", approve)
				default:
					var whole task
					ada.call("GET", path, nil).Is(200).Decode(&whole)
					if len(whole.Candidates) > 0 {
						wf.as(whole.Candidates[0].ID).call("POST", path+"/decision", approve)
					}
				}
			}
		}
	}
}

// recoverDeliveries retries failed deliveries and returns when every webhook is delivered.
func recoverDeliveries(t *testing.T, wf, registrar *process, wfDB, registrarDB *sql.DB) {
	t.Helper()
	for _, name := range []string{"gone", "busy"} {
		for _, row := range query(t, wfDB, "SELECT id FROM endpoint WHERE name = '"+name+"'") {
			wf.admin().call("PATCH", "/v1/wf/admin/webhooks/"+row[0], object{"enabled": true}).Is(200)
		}
		for _, row := range query(t, registrarDB, "SELECT id FROM endpoint WHERE name = '"+name+"'") {
			registrar.admin().call("PATCH", "/v1/registrar/admin/webhooks/"+row[0],
				object{"request": object{"enabled": true}}).Is(200)
		}
	}
	for _, status := range []string{"failed", "cancelled"} {
		wf.admin().call("POST", "/v1/wf/admin/deliveries/recover", object{
			"status": status, "created_after": "2026-01-01T00:00:00Z", "created_before": "2099-01-01T00:00:00Z"}).Is(200)
		registrar.admin().call("POST", "/v1/registrar/admin/deliveries/recover", object{"request": object{
			"status": status, "createdAfter": "2026-01-01T00:00:00Z", "createdBefore": "2099-01-01T00:00:00Z"}}).Is(200)
	}
	const undelivered = "SELECT count(*) FROM delivery WHERE status <> 'delivered' AND endpoint <> '(people)'"
	timetest.Eventually(t, "every webhook is delivered", func() bool {
		return count(t, wfDB, undelivered) == 0 && count(t, registrarDB, undelivered) == 0
	})
	for path := range strings.SplitSeq("/ok /busy /gone /slow", " ") {
		if wf.s.outside.got(path) == 0 {
			t.Errorf("no webhook at %s", path)
		}
	}
}
