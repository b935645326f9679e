package engine_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/trail"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// forged lists changes of stored state outside the service: the statement about a final request
// (its policy is the third ?), and the breaks in the result of verification. TASK is replaced by
// the id of the decided task.
var forged = map[string]struct {
	statement string
	chain     string // service for that of policies; the request's when empty
	want      []string
}{
	// 11 kinds in events.
	"event body":          {"UPDATE event SET body = replace(body, 'approve', 'abstain') WHERE chain = ? AND type = 'task.decided'", "", []string{"event"}},
	"event hash":          {"UPDATE event SET hash = 'sha256:00' WHERE chain = ? AND type = 'task.decided'", "", []string{"event"}},
	"event type":          {"UPDATE event SET type = 'task.closed' WHERE chain = ? AND type = 'task.decided'", "", []string{"event"}},
	"event time":          {"UPDATE event SET at_ms = at_ms + 1 WHERE chain = ? AND type = 'task.decided'", "", []string{"event"}},
	"event actor":         {"UPDATE event SET actor_id = 'eve' WHERE chain = ? AND type = 'task.decided'", "", []string{"event"}},
	"event chain":         {"UPDATE event SET chain = 'x' || chain WHERE chain = ? AND type = 'task.decided'", "", []string{"event"}},
	"event number":        {"UPDATE event SET seq = seq + 100 WHERE chain = ? AND type = 'task.decided'", "", []string{"event", "end"}},
	"event deleted":       {"DELETE FROM event WHERE chain = ? AND type = 'task.decided'", "", []string{"event"}},
	"last event deleted":  {"DELETE FROM event WHERE chain = ? AND type = 'request.approved'", "", []string{"end"}},
	"event of a request":  {"UPDATE event SET request_id = 'x' WHERE chain = ? AND type = 'request.approved'", "", []string{"event"}},
	"stored end of chain": {"UPDATE request SET chain_hash = 'sha256:00' WHERE id = ?", "", []string{"end"}},

	// The document. Projections follow from it, and are right.
	"decision action":       {edit(`"action":"approve"`, `"action":"reject"`), "", []string{"document", "task TASK"}},
	"decision actor":        {edit(`"actor":{"kind":"user","id":"ana"`, `"actor":{"kind":"user","id":"eve"`), "", []string{"document", "task TASK"}},
	"decision override":     {edit(`"override":false`, `"override":true`), "", []string{"document"}},
	"request status":        {edit(`"status":"approved","status_reason"`, `"status":"rejected","status_reason"`), "", []string{"document", "request"}},
	"request status reason": {edit(`"code":"quorum_met"`, `"code":"override"`), "", []string{"document"}},
	"request content": {"UPDATE request SET context = replace(context, '1', '9') WHERE id = ?",
		"", []string{"context"}},
	"request revision":  {edit(`"revision":1,"requester"`, `"revision":2,"requester"`), "", []string{"document"}},
	"request requester": {edit(`"requester":{"id":"rita"}`, `"requester":{"id":"eve"}`), "", []string{"document", "request"}},
	"request submitter": {edit(`"submitted_by":{"id":"rita"}`, `"submitted_by":{"id":"eve"}`), "", []string{"document", "request"}},
	"request title":     {edit(`"priority":"normal"`, `"title":"other","priority":"normal"`), "", []string{"document", "request"}},
	"stage status":      {edit(`"run":1,"status":"approved"`, `"run":1,"status":"rejected"`), "", []string{"document"}},
	"task seat":         {edit(`"seat":1`, `"seat":7`), "", []string{"document"}},
	"no content":        {"UPDATE request SET context = '' WHERE id = ?", "", []string{"context"}},
	"no summary":        {"UPDATE request SET summary = '{' WHERE id = ?", "", []string{"document"}},
	"no document":       {"UPDATE request SET detail = '{' WHERE id = ?", "", []string{"document"}},
	"document and columns": {`UPDATE request SET status = 'rejected', summary = replace(summary,
		'"status":"approved","status_reason"', '"status":"rejected","status_reason"') WHERE id = ?`,
		"", []string{"document"}},
	"document of another request": {`UPDATE request SET summary =
		(SELECT summary FROM request r WHERE r.id <> request.id ORDER BY id LIMIT 1) WHERE id = ?`,
		"", []string{"document", "request"}},

	// Columns and projections.
	"column status":        {"UPDATE request SET status = 'rejected' WHERE id = ?", "", []string{"request"}},
	"column completed":     {"UPDATE request SET completed_ms = completed_ms - 1 WHERE id = ?", "", []string{"request"}},
	"column requester":     {"UPDATE request SET requester_id = 'eve' WHERE id = ?", "", []string{"request"}},
	"column policy":        {"UPDATE request SET policy_version = 2 WHERE id = ?", "", []string{"request"}},
	"column title":         {"UPDATE request SET search_text = 'other' WHERE id = ?", "", []string{"request"}},
	"column artifact":      {"UPDATE request SET artifact_id = 'other' WHERE id = ?", "", []string{"request"}},
	"column hash":          {"UPDATE request SET context_hash = 'HASH9' WHERE id = ?", "", []string{"request"}},
	"column timer":         {"UPDATE request SET timer_ms = 1 WHERE id = ?", "", []string{"request"}},
	"column rev":           {"UPDATE request SET rev = rev + 1 WHERE id = ?", "", []string{"request"}},
	"retries":              {`UPDATE request SET retries = '[{"at":"2026-01-01T00:00:00Z"}]', retry_ms = 1 WHERE id = ?`, "", []string{"request"}},
	"task status":          {"UPDATE task SET status = 'skipped' WHERE CAST(request_id AS text) = ? AND assignee_id = 'ana'", "", []string{"task TASK"}},
	"task assignee":        {"UPDATE task SET assignee_id = 'eve' WHERE CAST(request_id AS text) = ? AND assignee_id = 'ana'", "", []string{"task TASK"}},
	"task action":          {"UPDATE task SET action = 'reject' WHERE CAST(request_id AS text) = ? AND assignee_id = 'ana'", "", []string{"task TASK"}},
	"task actor":           {"UPDATE task SET actor_id = 'eve' WHERE CAST(request_id AS text) = ? AND assignee_id = 'ana'", "", []string{"task TASK"}},
	"task kind":            {"UPDATE task SET kind = 'rescue' WHERE CAST(request_id AS text) = ? AND assignee_id = 'ana'", "", []string{"task TASK"}},
	"task invented":        {`INSERT INTO task SELECT * FROM another WHERE ? <> ''`, "", []string{"task INVENTED"}},
	"task deleted":         {"DELETE FROM task WHERE CAST(request_id AS text) = ? AND assignee_id = 'ana'", "", []string{"task TASK"}},
	"inbox invented":       {"INSERT INTO inbox (user_id, policy_key, stage_key, artifact_type, kind, role, status, urgency, created_ms, task_id, request_id, due_ms, delegable) SELECT 'eve', '', '', '', 'approver', 'holder', 'open', 1, 1, id, id, 0, false FROM request WHERE CAST(id AS text) = ?", "", []string{"inbox of eve"}},
	"participant invented": {"UPDATE participant SET user_id = 'eve' WHERE CAST(request_id AS text) = ? AND user_id = 'rita'", "", []string{"participant eve", "participant rita"}},
	"revision invented": {"INSERT INTO revision (request_id, number, context, context_hash, ended_ms) SELECT id, 1, '{}', context_hash, 1 FROM request WHERE CAST(id AS text) = ?",
		"", []string{"revision 1"}},

	// Policies. The request's own policy is meant.
	"policy definition": {`UPDATE policy_version SET definition = replace(definition, '"ana"', '"eve"') WHERE policy_key = (SELECT policy_key FROM request WHERE CAST(id AS text) = ?)`,
		"service", []string{"policy KEY version 1.definition"}},
	"policy definition and hash": {`UPDATE policy_version SET definition = '{}', content_hash = 'HASH' WHERE policy_key = (SELECT policy_key FROM request WHERE CAST(id AS text) = ?)`,
		"service", []string{"policy KEY version 1.definition", "policy KEY version 1.definition_hash"}},
	"policy status": {"UPDATE policy_version SET status = 'retired' WHERE policy_key = (SELECT policy_key FROM request WHERE CAST(id AS text) = ?)",
		"service", []string{"policy KEY version 1.status"}},
	"policy invented": {"INSERT INTO policy_version SELECT * FROM another_version WHERE ? <> ''", "service", []string{"policy KEY version 9"}},
	"policy deleted":  {"DELETE FROM policy_version WHERE number = 2 AND policy_key = (SELECT policy_key FROM request WHERE CAST(id AS text) = ?)", "service", []string{"policy KEY version 2"}},
}

// edit is the statement that replaces a text in the document of a request.
func edit(text, by string) string { return "UPDATE request SET " + edited(text, by) + " WHERE id = ?" }

func edited(text, by string) string {
	return fmt.Sprintf("summary = replace(summary, '%[1]s', '%[2]s'), detail = replace(detail, '%[1]s', '%[2]s')",
		text, by)
}

// breaks are the places of the breaks of a chain.
func (s *service) breaks(requestID string) []string {
	s.t.Helper()
	bad, _, err := s.Audit.VerifyEvents(s.t.Context(), requestID)
	must(s.t, err)
	var found []string
	for _, b := range bad.Breaks {
		found = append(found, b.What)
	}
	return found
}

func TestVerificationFindsForgedState(t *testing.T) {
	gone(t, func(t *testing.T, s *service) {
		requests := map[string]wf.Request{}
		for name := range forged {
			r := s.create(s.publish(policyOf(anyOf("check", "ana", "bo"))), withContext(`{"amount":1}`))
			must(t, s.approve(taskOf(t, r, "ana"), "ana"))
			requests[name] = s.read(r.ID)
			if name == "policy deleted" || name == "column policy" {
				_, _, err := s.Policies.AddVersion(t.Context(), root, r.PolicyKey, given(policyOf(stage("check", "bo"))))
				must(t, err)
			}
		}
		s.holds()
		wftest.Disarm(t, s.db)
		wants := map[string][]string{} // by chain
		for _, name := range slices.Sorted(maps.Keys(forged)) {
			tt, r := forged[name], requests[name]
			task := decidedBy(r, "ana")
			s.exec("DROP TABLE IF EXISTS another")
			s.exec("CREATE TABLE another AS SELECT * FROM task WHERE id = ?", task)
			invented := uuid.NewString()
			s.exec("UPDATE another SET id = ?, status = 'skipped'", invented)
			s.exec("DROP TABLE IF EXISTS another_version")
			s.exec("CREATE TABLE another_version AS SELECT * FROM policy_version WHERE policy_key = ?", r.PolicyKey)
			s.exec("UPDATE another_version SET number = 9, status = 'retired'")
			fill := strings.NewReplacer("TASK", task, "KEY", r.PolicyKey, "INVENTED", invented,
				"HASH9", sum([]byte(`{"amount":9}`)), "HASH", sum([]byte(`{}`)))
			s.exec(fill.Replace(tt.statement), r.ID)
			chain := cmp.Or(tt.chain, r.ID)
			found := s.breaks(strings.TrimPrefix(chain, trail.ServiceChain))
			for _, want := range tt.want {
				want = fill.Replace(want)
				if !slices.Contains(found, want) {
					t.Errorf("%s: verification of the chain finds %v, want %s", name, found, want)
				}
				wants[chain] = append(wants[chain], want)
			}
		}
		all, err := s.Audit.VerifyAll(t.Context())
		must(t, err)
		found := map[string][]string{}
		for _, bad := range all.Bad {
			for _, b := range bad.Breaks {
				found[bad.Chain] = append(found[bad.Chain], b.What)
			}
		}
		for chain, places := range wants {
			for _, want := range places {
				if !slices.Contains(found[chain], want) {
					t.Errorf("verification of everything finds %v in chain %s, want %s", found[chain], chain, want)
				}
			}
		}
	})
}

// Example 38: the verification of a restored database finds the kept checkpoint, which the service does not.
func TestCheckpointsFindARestoredDatabase(t *testing.T) {
	gone(t, func(t *testing.T, s *service) {
		s = s.signing()
		r := s.begin(stage("check", "ana"))
		kept := []string{s.checkpoint()}
		s.advance(time.Minute)
		must(t, s.approve(taskOf(t, r, "ana"), "ana")) // lost without a trace
		restored := s.restored()
		restored.clock = s.clock
		restored = restored.with(func(o *engine.Options) { o.Receipts, o.ReceiptIssuer = s.Requests.Receipts, issuer })
		kept = append(kept, s.checkpoint())
		last := s.claims(kept[1])

		restored.holds()
		equal(t, "findings within the last interval", restored.findings(restored.export(), kept[0]), nil)
		want := fmt.Sprintf("checkpoint %d: the trail ends at event %d: the chain was cut, or an older database was restored", last.Seq, last.Seq-1)
		equal(t, "findings", restored.findings(restored.export(), kept...), []string{want})

		// The restored service goes on: its next checkpoint contradicts the kept one.
		restored.begin(stage("check", "ana"))
		restored.holds()
		next := restored.checkpoint()
		found := strings.Join(restored.findings(restored.export(), append(kept, next)...), "\n")
		for _, want := range []string{
			fmt.Sprintf("checkpoint %d: it follows checkpoint %d, but checkpoint %d was kept", restored.claims(next).Seq, s.claims(kept[0]).Seq, last.Seq),
			fmt.Sprintf("checkpoint %d: the trail has another event", last.Seq),
		} {
			if !strings.Contains(found, want) {
				t.Errorf("findings %q, want %q", found, want)
			}
		}
	})
}

// decidedBy is the id of a person's task.
func decidedBy(r wf.Request, id string) string {
	for _, task := range r.Tasks {
		if task.Assignee != nil && task.Assignee.ID == id {
			return task.ID
		}
	}
	return ""
}

// The database refuses a changed definition outside a draft and a changed final status.
func TestTheDatabaseKeepsDefinitionsAndFinalStatuses(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		r := s.begin(stage("check", "ana"))
		must(t, s.approve(taskOf(t, r, "ana"), "ana"))
		for statement, want := range map[string]string{
			"UPDATE policy_version SET definition = '{}'":  "a definition changes only as a draft",
			"UPDATE policy_version SET content_hash = 'x'": "a definition changes only as a draft",
			"UPDATE policy_version SET status = 'draft'":   "a definition changes only as a draft",
			"UPDATE request SET status = 'rejected'":       "a final status never changes",
			"UPDATE request SET status = 'in_review'":      "a final status never changes",
			"UPDATE request SET context_hash = 'x'":        "a final status never changes",
			"UPDATE request SET completed_ms = 1":          "a final status never changes",
		} {
			if err := s.db.Read(t.Context()).Exec(statement).Error; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", statement, err)
			}
		}
	})
}

// Revisions that were replaced are compared as well.
func TestVerificationFindsAForgedRevision(t *testing.T) {
	gone(t, func(t *testing.T, s *service) {
		r := s.create(s.publish(policyOf(stage("check", "ana"))), withContext(`{"amount":1}`))
		must(t, s.act(taskOf(t, r, "ana"), "ana", wf.ActionRequestChanges))
		document := []byte(`{"amount":2}`)
		_, err := s.Requests.ResubmitRequest(t.Context(), rita, r.ID, document, sum(document), "", "", nil)
		must(t, err)
		equal(t, "breaks", s.breaks(r.ID), nil)
		wftest.Disarm(t, s.db)
		s.exec(`UPDATE revision SET context = '{"amount":3}' WHERE request_id = ?`, r.ID)
		equal(t, "breaks", s.breaks(r.ID), []string{"revision 1"})
		s.exec("DELETE FROM revision WHERE request_id = ?", r.ID)
		equal(t, "breaks", s.breaks(r.ID), []string{"revision 1"})
	})
}
