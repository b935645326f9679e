package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// decide decides a task with a comment.
func decide(by *Client, task, action string) Reply {
	return by.Post("/v1/wf/tasks/"+task+"/decision", fmt.Sprintf(`{"action":%q,"comment":"As discussed"}`, action))
}

// read returns the request as the admin sees it.
func (w *callers) read(request Reply) Reply {
	return w.root.Get("/v1/wf/requests/" + request.Response("id")).Want(200)
}

// actions returns the types of the events of a request.
func (w *callers) actions(request Reply) []string {
	return w.root.Get("/v1/wf/requests/" + request.Response("id") + "/events?limit=200").Want(200).Items("type")
}

const authors = `,"exclude":[{"type":"expression","cel":"context.authors"}]`

// Example 22.
func TestExcludedPeopleAreNotCounted(t *testing.T) {
	w := boot(t, Options{})
	w.policy("each", "", byRule("s", anaAndBo, authors))
	w.policy("pool", "", byRule("s", anaAndBo, authors+`,"assignment":"pool","quorum":{"mode":"percentage","value":100}`))
	for _, key := range []string{"each", "pool"} {
		request := w.request(key, `"context":{"authors":["ana"]}`)
		same(t, "status", request.Response("status"), "in_review")
		same(t, "excluded", request.Response("stages", 0, "excluded", 0, "user", "id"), "ana")
		same(t, "reason", request.Response("stages", 0, "excluded", 0, "reason"), "rule")
		same(t, "label", request.Response("stages", 0, "excluded", 0, "label"), "expression")
		same(t, "seats", request.Response("stages", 0, "quorum", "seats"), "1")
		same(t, "need", request.Response("stages", 0, "quorum", "need"), "1")
		id := request.Response("tasks", 0, "id")
		w.ana.Post("/v1/wf/tasks/"+id+"/claim", nil).Refused(403, "WF-008")
		decide(w.ana, id, "approve").Refused(403, "WF-008")
		w.bo.Post("/v1/wf/tasks/"+id+"/claim", nil).Want(200)
		same(t, "outcome", decide(w.bo, id, "approve").Want(200).Response("request", "status"), "approved")
	}
	path := "/v1/wf/policies/each/versions/1/simulate"
	sim := w.root.Post(path, `{"context":{"authors":["ana"]}}`).Want(200)
	same(t, "simulated exclusion", sim.Response("stages", 0, "excluded", 0, "reason"), "rule")
	if got := sim.Response("warnings"); !strings.Contains(got, "any caller may submit") {
		t.Errorf("warnings = %s", got)
	}
	preview := w.rita.Post("/v1/wf/policies/each/preview", `{"context":{"authors":["ana"]}}`).Want(200)
	same(t, "previewed exclusion", preview.Response("stages", 0, "excluded", 0, "user", "id"), "ana")
	same(t, "previewed need", preview.Response("stages", 0, "need"), "1")
}

// Example 28.
func TestARuleAppliesByTheContent(t *testing.T) {
	w := boot(t, Options{})
	const rules = `{"type":"user","ids":["ana"]},{"type":"user","ids":["bo"],"label":"Director","when":"context.amount > 5000","required":true}`
	w.policy("p", "", byRule("s", rules, ""))
	small, large := w.request("p", `"context":{"amount":100}`), w.request("p", `"context":{"amount":9000}`)
	same(t, "small", small.Response("stages", 0, "quorum", "seats"), "1")
	same(t, "large", large.Response("stages", 0, "quorum", "seats"), "2")
	same(t, "approved", decide(w.ana, task(t, small, "ana"), "approve").Want(200).Response("request", "status"), "approved")
	same(t, "in review", decide(w.ana, task(t, large, "ana"), "approve").Want(200).Response("request", "status"), "in_review")
	before := w.Rows(t)
	message := w.rita.Post("/v1/wf/requests", `{"policy_key":"p","context":{}}`).Refused(400, "WF-007")
	if !strings.Contains(message, "stage s: when of approver rule 1 (Director): no such member: amount") {
		t.Errorf("message = %q", message)
	}
	unchanged(t, w, before)
	path := "/v1/wf/policies/p/versions/1/simulate"
	sim := w.root.Post(path, `{"context":{}}`).Want(200)
	same(t, "outcome", sim.Response("outcome"), "would_refuse")
	if got := problems(sim); !strings.Contains(got, "/stages/0: when of approver rule 1 (Director)") {
		t.Errorf("problems = %q", got)
	}
	same(t, "simulated", w.root.Post(path, `{"context":{"amount":100}}`).Want(200).Response("stages", 0, "quorum", "seats"), "1")
	for amount, want := range map[string]string{"100": `["user"]`, "9000": `["user","Director"]`} {
		preview := w.rita.Post("/v1/wf/policies/p/preview", `{"context":{"amount":`+amount+`}}`).Want(200)
		same(t, "rules for "+amount, preview.Response("stages", 0, "rules"), want)
	}

	sent := w.request("p", `"context":{"amount":100}`)
	decide(w.ana, task(t, sent, "ana"), "request_changes").Want(200)
	again := "/v1/wf/requests/" + sent.Response("id") + "/resubmit"
	w.rita.Post(again, `{"context":{}}`).Refused(400, "WF-007")
	same(t, "status", w.read(sent).Response("status"), "changes_requested")
	resubmitted := w.rita.Post(again, `{"context":{"amount":9000}}`).Want(200)
	same(t, "seats", resubmitted.Response("stages", 1, "quorum", "seats"), "2")
}
