package api_test

import (
	"fmt"
	"slices"
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

// orphaned requires the event task.orphaned of a request.
func (w *callers) orphaned(t *testing.T, request Reply) {
	t.Helper()
	if got := w.actions(request); !slices.Contains(got, "task.orphaned") {
		t.Errorf("events = %v", got)
	}
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

// Example 23.
func TestAnExclusionSkipsNoStage(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", byRule("s", anaAndBo, authors+`,"quorum":{"mode":"count","value":2},"on_empty":"skip"`))
	request := w.request("p", `"context":{"authors":["ana"]}`)
	same(t, "status", request.Response("status"), "blocked")
	same(t, "stage", request.Response("stages", 0, "status"), "blocked")
}

// Example 24.
func TestAnExcludedPersonReceivesNoTaskFromAnAdmin(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", byRule("s", anaAndBo, authors+`,"quorum":{"mode":"count","value":2}`))
	request := w.request("p", `"context":{"authors":["ana"]}`)
	rescue := ""
	for i, kind := range strings.Fields(kinds(request)) {
		if kind == "rescue" {
			rescue = request.Response("tasks", i, "id")
		}
	}
	for _, id := range []string{task(t, request, "bo"), rescue} {
		message := w.root.Post("/v1/wf/tasks/"+id+"/reassign", `{"new_assignee":"ana"}`).Refused(409, "WF-007")
		if !strings.Contains(message, "excluded from stage s: rule") {
			t.Errorf("message = %q", message)
		}
	}
	w.root.Post("/v1/wf/tasks/"+rescue+"/reassign", `{"new_assignee":"eve"}`).Want(200)
}

// Example 25.
func TestALaterExclusionTakesThePlaceAtTheNextAttempt(t *testing.T) {
	d := &staff{roles: map[string][]string{"author": {}}}
	w := boot(t, Options{Resolve: d.resolve})
	const exclude = `,"exclude":[{"type":"role","role":"author"}]`
	w.policy("strict", `{"membership_recheck":"strict"}`, byRule("s", anaAndBo, exclude))
	request := w.request("strict", "")
	id := task(t, request, "bo")
	d.set("author", "bo")
	w.root.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/reassign", `{"new_assignee":"bo"}`).Refused(409, "WF-007")
	d.isDown(true)
	decide(w.bo, id, "approve").Refused(503, "WF-007")
	d.isDown(false)
	decide(w.bo, id, "approve").Refused(403, "WF-008")
	w.orphaned(t, request)
	same(t, "kind", w.root.Get("/v1/wf/tasks/"+id).Want(200).Response("kind"), "rescue")
	same(t, "status", w.read(request).Response("status"), "blocked")
	decide(w.ana, task(t, request, "ana"), "approve").Want(200)
}

// Example 26.
func TestAnExcludeRuleThatFails(t *testing.T) {
	d := &staff{roles: map[string][]string{}}
	w := boot(t, Options{Resolve: d.resolve})
	excluded := byRule("x", anaAndBo, `,"exclude":[{"type":"role","role":"ghost"}],"on_empty":"skip"`)
	w.policy("first", "", excluded)
	w.policy("second", "", anyApproves, excluded)
	before := w.Rows(t)
	message := w.rita.Post("/v1/wf/requests", `{"policy_key":"first"}`).Refused(400, "WF-007")
	if !strings.Contains(message, "exclude rule 0: role ghost does not exist") {
		t.Errorf("message = %q", message)
	}
	d.isDown(true)
	w.rita.Post("/v1/wf/requests", `{"policy_key":"first"}`).Refused(503, "WF-007")
	unchanged(t, w, before)
	d.isDown(false)
	request := w.request("second", "")
	decide(w.ana, task(t, request, "ana"), "approve").Want(200)
	request = w.read(request)
	same(t, "status", request.Response("status"), "blocked")
	if got := request.Response("stages", 1, "last_error"); !strings.Contains(got, "role ghost does not exist") {
		t.Errorf("last_error = %q", got)
	}
}

// Example 27.
func TestAVetoRejectsAtOnce(t *testing.T) {
	w := boot(t, Options{})
	const rules = `{"type":"user","ids":["ana"],"veto":true},{"type":"user","ids":["bo"]}`
	w.policy("p", "", byRule("s", rules, `,"quorum":{"mode":"any"},"rejection":{"mode":"count","value":3}`))
	request := w.request("p", "")
	same(t, "after bo", decide(w.bo, task(t, request, "bo"), "reject").Want(200).Response("request", "status"), "in_review")
	same(t, "after ana", decide(w.ana, task(t, request, "ana"), "reject").Want(200).Response("request", "status"), "rejected")
	same(t, "reason", w.read(request).Response("status_reason", "code"), "veto")
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

// Example 29.
func TestAStageWithoutARuleThatAppliesIsBlocked(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", byRule("s", `{"type":"user","ids":["ana"],"when":"false"}`, `,"on_empty":"skip"`))
	same(t, "status", w.request("p", "").Response("status"), "blocked")
}

// Example 30.
func TestTheContentSetsTheQuorum(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", byRule("s", anaAndBo, `,"quorum":{"mode":"count","value_cel":"context.n"}`))
	request := w.request("p", `"context":{"n":2}`)
	same(t, "need", request.Response("stages", 0, "quorum", "need"), "2")
	same(t, "value", request.Response("stages", 0, "quorum", "value"), "2")
	for n, want := range map[string]string{"0": "yields 0, not 1 to 100", "101": "yields 101, not 1 to 100", "2.5": "yields 2.5, not a whole number"} {
		message := w.rita.Post("/v1/wf/requests", `{"policy_key":"p","context":{"n":`+n+`}}`).Refused(400, "WF-007")
		if !strings.Contains(message, "stage s: quorum.value_cel: "+want) {
			t.Errorf("%s: message = %q", n, message)
		}
	}
	same(t, "status", w.request("p", `"context":{"n":100}`).Response("status"), "blocked") // more than there are people
}

// Example 31.
func TestAnApproverByAnExpressionLosesTheRole(t *testing.T) {
	d := &staff{roles: map[string][]string{"officer": {"ana", "bo"}}}
	w := boot(t, Options{Resolve: d.resolve})
	rule := `{"type":"expression","as":"roles","cel":"context.role"}`
	w.policy("each", `{"membership_recheck":"strict"}`, byRule("s", rule, ""))
	w.policy("pool", `{"membership_recheck":"strict"}`, byRule("s", rule, `,"assignment":"pool","quorum":{"mode":"count","value":2}`))
	for _, key := range []string{"each", "pool"} {
		d.set("officer", "ana", "bo")
		decided, swept := w.request(key, `"context":{"role":"officer"}`), w.request(key, `"context":{"role":"officer"}`)
		d.set("officer", "bo")
		id := decided.Response("tasks", 0, "id")
		decide(w.ana, id, "approve").Refused(403, "WF-008")
		w.orphaned(t, decided)
		if err := w.Engine.Timers.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.orphaned(t, swept)
		for _, request := range []Reply{decided, swept} {
			decide(w.bo, holding(t, w.read(request), "bo"), "approve").Want(200)
			same(t, key, w.read(request).Response("status"), "blocked")
		}
	}
}

// holding returns the task that a person holds or may claim.
func holding(t *testing.T, request Reply, id string) string {
	t.Helper()
	for i, kind := range strings.Fields(kinds(request)) {
		holder := request.Response("tasks", i, "assignee", "id")
		if kind == "approver" && (holder == id || holder == "") {
			return request.Response("tasks", i, "id")
		}
	}
	t.Fatalf("no task for %s in %s", id, request)
	return ""
}

// The members of people rules are refused with the pointer: at PUT as WF-010, at POST as 422.
func TestABadPeopleRuleIsRefused(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", anyApproves)
	for members, pointer := range map[string]string{
		`"quorum":{"mode":"count"}`:                                   "/stages/0/quorum/value",
		`"quorum":{"mode":"count","value":1,"value_cel":"context.n"}`: "/stages/0/quorum/value_cel",
		`"quorum":{"mode":"any","value_cel":"context.n"}`:             "/stages/0/quorum/value_cel",
		`"quorum":{"mode":"count","value_cel":"1.5"}`:                 "/stages/0/quorum/value_cel",
		`"quorum":{"mode":"count","value_cel":"stages.size()"}`:       "/stages/0/quorum/value_cel",
		`"exclude":[{"type":"user","ids":["ana"],"required":true}]`:   "/stages/0/exclude/0",
		`"exclude":[{"type":"user","ids":["ana"],"veto":true}]`:       "/stages/0/exclude/0/veto",
		`"exclude":[{"type":"stage_actor","stage":"s"}]`:              "/stages/0/exclude/0/stage",
		`"observers":[{"type":"user","ids":["ana"],"when":"true"}]`:   "/stages/0/observers/0/when",
		`"observers":[{"type":"user","ids":["ana"],"veto":true}]`:     "/stages/0/observers/0/veto",
		`"deadline":{"on_due":"notify"}`:                              "/stages/0/deadline",
		`"deadline":{"due_in":"P1D","due_cel":"context.sla"}`:         "/stages/0/deadline/due_cel",
		`"deadline":{"due_cel":"1"}`:                                  "/stages/0/deadline/due_cel",
		`"deadline":{"due_cel":"now + duration('1h')"}`:               "/stages/0/deadline/due_cel",
		`"deadline":{"due_cel":"stages['s'].status"}`:                 "/stages/0/deadline/due_cel",
	} {
		stage := byRule("s", anaAndBo, ","+members)
		message := w.root.Put("/v1/wf/policies/p", definition("p", "", stage)).Refused(400, "WF-010")
		if !strings.HasPrefix(message, pointer+":") {
			t.Errorf("%s: message = %q", members, message)
		}
		reply := w.root.Post("/v1/wf/policies", definition("q", "", stage)).Want(422)
		if !strings.Contains(string(reply.Body), "policy_invalid") {
			t.Errorf("%s: %s", members, reply)
		}
	}
	when := byRule("s", `{"type":"user","ids":["ana"],"when":"now > request.created_at"}`, "")
	message := w.root.Put("/v1/wf/policies/p", definition("p", "", when)).Refused(400, "WF-010")
	same(t, "message", message, "/stages/0/approvers/0/when: must not read now: it is evaluated when the content of the request is fixed")
	many := strings.Repeat(`{"type":"user","ids":["ana"]},`, 20) + `{"type":"user","ids":["ana"]}`
	w.root.Put("/v1/wf/policies/p", definition("p", `{"exclude":[`+many+`]}`, anyApproves)).Want(422)
	w.root.Put("/v1/wf/policies/p", definition("p", "", byRule("s", anaAndBo, `,"exclude":[`+many+`]`))).Want(422)
}
