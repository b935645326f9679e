package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

const bulkPath = "/v1/wf/tasks/bulk-decision"

// bulk is the body of a call that takes the same action on tasks.
func bulk(action string, tasks ...string) string {
	items := make([]string, len(tasks))
	for i, id := range tasks {
		items[i] = fmt.Sprintf(`{"task_id":%q,"action":%q}`, id, action)
	}
	return `{"items":[` + strings.Join(items, ",") + `]}`
}

// outcomes returns the results as "ok status code".
func outcomes(r Reply) string {
	list, _ := r.Value("response", "results").([]any)
	texts := make([]string, len(list))
	for i := range list {
		at := func(name string) string { return r.Response("results", i, name) }
		texts[i] = strings.TrimSpace(at("ok") + " " + at("status") + " " + at("errorCode"))
	}
	return strings.Join(texts, ", ")
}

func TestEachDecisionOfManyHasItsOwnOutcome(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"require_comment":{"reject":true}}`, bothApprove)
	w.policy("careful", "", override(anyApproves, `"reauth":{"max_age":"PT5M"}`))
	mine, theirs := w.request("p", ""), w.request("p", "")
	done, gone := w.request("p", ""), w.request("p", "")
	w.ana.Post("/v1/wf/tasks/"+task(t, done, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	w.rita.Post("/v1/wf/requests/"+gone.Response("id")+"/cancel", nil).Want(200)
	ids := []string{
		strings.ToUpper(task(t, mine, "ana")), task(t, theirs, "bo"), task(t, done, "ana"), task(t, gone, "ana"),
		task(t, w.request("careful", ""), "ana"), unknownID, noID,
	}
	reply := w.ana.Post(bulkPath, bulk("approve", ids...)).Want(200)
	same(t, "outcomes", outcomes(reply), "true 200, false 403 WF-008, false 409 WF-007, false 409 WF-007, false 403 WF-008, false 404 WF-004, false 404 WF-004")
	same(t, "task", reply.Response("results", 0, "task_id"), strings.ToLower(ids[0]))
	same(t, "request", reply.Response("results", 0, "request"), fmt.Sprintf(`{"id":%q,"status":"in_review"}`, mine.Response("id")))
	same(t, "message", reply.Response("results", 4, "message"), "this decision requires a more recent or stronger authentication")
	same(t, "source", w.ana.Get("/v1/wf/tasks/"+strings.ToLower(ids[0])).Response("decision", "source"), "bulk")

	// The reply names the missing input of a decision. The other decisions are not affected.
	strict, plain := task(t, w.request("p", ""), "bo"), task(t, mine, "bo")
	reply = w.bo.Post(bulkPath, fmt.Sprintf(`{"items":[{"task_id":%q,"action":"reject"},{"task_id":%q,"action":"reject","comment":"no","expected_context_hash":%q}]}`,
		strict, plain, mine.Response("context_hash"))).Want(200)
	same(t, "outcomes", outcomes(reply), "false 422, true 200")
	same(t, "message", reply.Response("results", 0, "message"), "Policy p needs a comment to reject")
	same(t, "status", reply.Response("results", 1, "request", "status"), "rejected")
	stale := w.bo.Post(bulkPath, fmt.Sprintf(`{"items":[{"task_id":%q,"action":"approve","expected_context_hash":"sha256:0"}]}`, strict)).Want(200)
	same(t, "other content", outcomes(stale), "false 409 WF-007")
}

func TestABulkDecisionIsAsLongAsItMayBe(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	ids := []string{task(t, request, "ana")}
	for i := range 99 {
		ids = append(ids, fmt.Sprintf("0199a000-0000-7000-8000-%012d", i))
	}
	same(t, "a hundred", strings.Count(outcomes(w.ana.Post(bulkPath, bulk("approve", ids...)).Want(200)), "WF-004"), 99)
	for name, want := range map[string]string{
		bulk("approve", append(ids, noID)...): "too_long body.items",
		bulk("approve"):                       "too_short body.items",
		bulk("approve", noID, noID):           "value_error body.items.1.task_id",
		bulk("sing", ids[0]):                  "enum body.items.0.action",
	} {
		same(t, "details", strings.Join(details(w.ana.Post(bulkPath, name).Want(422)), ","), want)
	}
}

func TestARefusedDecisionOfManyIsInTheTrail(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	ana := task(t, w.request("p", ""), "ana")
	other := task(t, w.request("p", ""), "ana")
	w.bo.Post(bulkPath, bulk("approve", ana, other)).Want(200)
	denied := w.vic.Get("/v1/wf/admin/audit?type=auth.denied&sort=oldest").Want(200)
	same(t, "events", strings.Join(denied.Items("resource", "id"), ","), ana+","+other)
	same(t, "operations", strings.Join(denied.Items("operation"), ","), "decideTasks,decideTasks")
}

func TestBulkDecisionRetryReportsEarlierOutcomes(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	first, second := w.request("p", ""), w.request("p", "")
	mine, also := task(t, first, "ana"), task(t, second, "ana")
	w.root.Post("/v1/wf/tasks/"+also+"/reassign", `{"new_assignee":"dan"}`).Want(200)
	body := bulk("approve", mine, also)
	same(t, "outcomes", outcomes(w.ana.Post(bulkPath, body, header, "k").Want(200)), "true 200, false 403 WF-008")

	// A retry repeats refused decisions only.
	w.root.Post("/v1/wf/tasks/"+also+"/reassign", `{"new_assignee":"ana"}`).Want(200)
	again := w.ana.Post(bulkPath, body, header, "k").Want(200)
	same(t, "outcomes", outcomes(again), "true 200, true 200")
	same(t, "replayed", again.Header.Get("Idempotency-Replayed"), "")
	last := w.ana.Post(bulkPath, body, header, "k").Want(200)
	same(t, "results", last.Response("results"), again.Response("results"))
	same(t, "replayed", last.Header.Get("Idempotency-Replayed"), "true")

	w.ana.Post(bulkPath, bulk("approve", mine), header, "k").Refused(409, "WF-009")
	same(t, "without a key", outcomes(w.ana.Post(bulkPath, body).Want(200)), "false 409 WF-007, false 409 WF-007")
	same(t, "another key", outcomes(w.ana.Post(bulkPath, body, header, "l").Want(200)), "false 409 WF-007, false 409 WF-007")
	same(t, "somebody else's key", outcomes(w.bo.Post(bulkPath, body, header, "k").Want(200)), "false 403 WF-008, false 403 WF-008")
	same(t, "decisions", w.Rows(t)["decision"], 2)
}

func TestInFlightDuplicatesOfBulkDecisionsHaveOneEffect(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	var ids []string
	for range 5 {
		ids = append(ids, task(t, w.request("p", ""), "ana"))
	}
	replies := make([]Reply, 6)
	var calls sync.WaitGroup
	for i := range replies {
		calls.Go(func() { replies[i] = w.ana.Post(bulkPath, bulk("approve", ids...), header, "k") })
	}
	calls.Wait()
	for _, reply := range replies {
		same(t, "outcomes", outcomes(reply), "true 200, true 200, true 200, true 200, true 200")
	}
	same(t, "decisions", w.Rows(t)["decision"], 5)
}
