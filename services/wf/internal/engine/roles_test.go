package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// withRoles returns the service on one database as the owner of the tables, and as the
// role that migrate --grant-to makes for it. Only PostgreSQL has roles.
func withRoles(t *testing.T) (owner, app *service) {
	t.Helper()
	owner = connect(t, wftest.Schema.Postgres(t))
	must(t, owner.store.Migrate(t.Context()))
	other := *owner
	app = &other
	app.url, _ = sqldbtest.Roles(t, owner.url, store.Schema())
	app.open(owner.options)
	return owner, app
}

func TestTheServicesOwnRoleDoesItsWork(t *testing.T) {
	owner, s := withRoles(t)
	key := s.toldOfAll("ledger")
	r := s.finished(key)
	s.delivered()
	open := s.begin(pool("check", 1, "ana", "bo"))
	must(t, s.claim(open.Tasks[0].ID, "bo"), s.approve(open.Tasks[0].ID, "bo"))
	d := s.delegate("ana", "bo")
	must(t, s.revoke(d.ID, person("ana")))
	_, _, err := s.Policies.AddVersion(t.Context(), root, key, given(policyOf(stage("check", "bo"))))
	must(t, err)
	_, err = s.Policies.DeleteVersion(t.Context(), root, key, 2, "")
	must(t, err)
	ledger, _, err := s.Webhooks.Endpoints(t.Context(), outbox.EndpointFilter{}, wf.Page{})
	must(t, err)
	_, err = s.Webhooks.DeleteEndpoint(t.Context(), root, ledger[0].ID, "")
	must(t, err, s.Audit.RecordRefusal(t.Context(), person("eve"), engine.Refusal{About: wf.Resource{Type: "task"}, ErrorCode: "WF-008"}))
	s.advance(40 * day)
	if _, err := s.store.PurgeKeys(t.Context(), 10); err != nil {
		t.Errorf("delete keys: %v", err)
	}
	if _, err := s.store.Sessions(session.Options{}).PurgeLogouts(t.Context(), 10); err != nil {
		t.Errorf("delete logouts: %v", err)
	}
	if _, err := s.store.Notices.Purge(t.Context(), 10); err != nil {
		t.Errorf("delete notices: %v", err)
	}
	must(t, s.store.Ping(t.Context()), s.db.TryWrite(t.Context()))
	s.holds()

	// It cannot purge, and the owner can.
	if _, err := s.Deletion.Purge(t.Context(), engine.Retention{Requests: time.Hour}, 10); err == nil ||
		!strings.Contains(err.Error(), "permission denied") {
		t.Errorf("the service's own role purges: %v", err)
	}
	if _, err := s.Requests.GetRequest(t.Context(), rita, r.ID); err != nil {
		t.Errorf("after a purge that was refused: %v", err)
	}
	if done, err := owner.Deletion.Purge(t.Context(), engine.Retention{Requests: time.Hour}, 10); err != nil || done.Requests != 2 {
		t.Errorf("the owner purges %+v, %v", done, err)
	}
	owner.holds()
}

func TestTheServicesOwnRoleCannotTouchEvidence(t *testing.T) {
	_, s := withRoles(t)
	s.begin(stage("check", "ana"))
	statements := []string{
		"UPDATE request SET id = gen_random_uuid()", "UPDATE request SET policy_key = 'x'", "UPDATE request SET policy_version = 2",
		"UPDATE request SET requester_id = 'eve'", "UPDATE request SET submitted_by_id = 'eve'",
		"UPDATE request SET created_ms = 0", "UPDATE task SET request_id = gen_random_uuid()", "UPDATE policy_version SET created_by = '{}'",
		"UPDATE delegation SET scope = '{}'", "UPDATE message SET payload = '{}'", "UPDATE delivery SET event_id = gen_random_uuid()",

		"UPDATE event SET hash = 'x'", "TRUNCATE event", "UPDATE revision SET context = '{}'", "TRUNCATE revision",
		"DROP TRIGGER event_no_update ON event", "ALTER TABLE event DISABLE TRIGGER ALL", "DROP TABLE event", "CREATE TABLE mine (id text)",
		"UPDATE goose_db_version SET is_applied = false",
	}
	for _, table := range []string{"event", "request", "task", "delegation", "delivery", "delivery_attempt", "message",
		"person", "chain", "service_key", "policy", "revision"} {
		statements = append(statements, "DELETE FROM "+table)
	}
	for _, statement := range statements {
		err := s.db.Read(t.Context()).Exec(statement).Error
		if err == nil || !strings.Contains(err.Error(), "permission denied") && !strings.Contains(err.Error(), "must be owner") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// A column that is added to a table with updates by column needs a grant, or a place in this list.
func TestTheServicesOwnRoleUpdatesByColumn(t *testing.T) {
	_, s := withRoles(t)
	constant := map[string]string{
		"request": "artifact_id artifact_type created_ms id labels one_open policy_key policy_version requester_id " +
			"search_text submitted_by_id urgency",
		"task":           "artifact_type created_ms id policy_key request_id run stage_key urgency",
		"delegation":     "created_by created_ms delegate_id ends_ms id reason scope starts_ms user_id warnings",
		"policy":         "policy_key",
		"policy_version": "created_by created_ms number policy_key",
		"chain":          "name",
		"endpoint":       "created_by created_ms id name",
		"delivery":       "created_ms endpoint endpoint_id event_id event_type id rare_status sequence subject target variant",
		"person":         "folded_id id",
		"service_key":    "name",
		"notice_item":    "at_ms due_ms event_id kind request_id user_id",
		"session":        "agent ends_ms id issuer_id started_ms subject user_id",
	}
	for table, want := range constant {
		got := s.rows("SELECT string_agg(attname::text, ' ' ORDER BY attname::text COLLATE \"C\") FROM pg_attribute WHERE attrelid = ?::regclass AND attnum > 0"+
			" AND NOT attisdropped AND NOT has_column_privilege(attrelid, attnum, 'UPDATE')", table)[0]
		if got != want {
			t.Errorf("%s: the role may not update\n%s, want\n%s", table, got, want)
		}
	}
}
