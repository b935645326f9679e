package api_test

import (
	"strings"
	"testing"
)

const evidence = `"data":{"meaning":"I have read it"},"attachments":[{"name":"a.pdf","url":"https://x.test/a.pdf","media_type":"application/pdf"}]`

func TestRequestShowsDecisions(t *testing.T) {
	w := boot(t, Options{})
	stage := byRule("s", `{"type":"user","ids":["ana","bo","cy"]}`, `,"quorum":{"mode":"count","value":2},"decision_schema":{"type":"object"}`)
	w.policy("p", "", stage, byRule("t", `{"type":"user","ids":["dora"]}`, ""))
	created := w.request("p", "")
	path := "/v1/wf/requests/" + created.Response("id")
	signed := w.ClientWith(t, "ana", map[string]any{"acr": "gold"})
	taskID := task(t, created, "ana")
	decided := signed.Post("/v1/wf/tasks/"+taskID+"/decision", `{"action":"approve","comment":"Fine",`+evidence+`}`).Want(200)
	same(t, "to who decides", decided.Response("decision", "data"), `{"meaning":"I have read it"}`)
	w.Client(t, "bo").Post("/v1/wf/tasks/"+task(t, created, "bo")+"/decision", `{"action":"approve",`+evidence+`}`).Want(200)
	dora := w.Client(t, "dora")

	for name, row := range map[string]struct {
		by  *Client
		all bool
	}{
		"requester": {w.rita, true}, "approver with a decision in the stage": {w.bo, true}, "viewer": {w.vic, true}, "admin": {w.root, true},
		"approver without a decision": {w.Client(t, "cy"), false}, "approver of another stage": {dora, false},
	} {
		t.Run(name, func(t *testing.T) {
			request := row.by.Get(path).Want(200)
			at := func(members ...any) string {
				return request.Response(append([]any{"stages", 0, "approvers", 0}, members...)...)
			}
			same(t, "who", at("user", "id"), "ana")
			same(t, "what", at("status")+" "+at("action")+" "+at("comment")+" "+at("decided_at"), "completed approve Fine 2026-03-01T12:00:00.000Z")
			same(t, "data", at("data") != "", row.all)
			same(t, "attachments", at("attachments") != "", row.all)
			same(t, "auth", at("auth", "acr"), map[bool]string{true: "gold"}[row.all])

			decided := row.by.Get("/v1/wf/tasks/" + taskID).Want(200)
			same(t, "the task's", decided.Response("decision", "action")+" "+decided.Response("decision", "comment"), "approve Fine")
			same(t, "data of the task", decided.Response("decision", "data") != "", row.all)
			same(t, "attachments of the task", decided.Response("decision", "attachments") != "", row.all)
			same(t, "auth of the task", decided.Response("decision", "auth", "acr"), map[bool]string{true: "gold"}[row.all])
		})
	}
	w.eve.Get(path).Refused(403, "WF-008")
	w.eve.Get("/v1/wf/tasks/"+taskID).Refused(403, "WF-008")
	idle := w.rita.Get("/v1/wf/tasks/" + task(t, created, "cy")).Want(200) // of their request
	same(t, "the task that was not needed", idle.Response("status")+" "+idle.Response("close_reason"), "skipped quorum_met")
	same(t, "approver without a decision", w.rita.Get(path).Response("stages", 0, "approvers", 2, "action"), "")
}

// A decision is shown once, also for delegates and for reassigned tasks.
func TestRequestShowsEachDecisionOnce(t *testing.T) {
	w := boot(t, Options{})
	w.policy("each", `{"admin_override":true}`, byRule("s", `{"type":"user","ids":["ana","bo"]}`, `,"allow":{"reassign":"any"}`))
	w.policy("pool", "", poolOfTwo)
	delegate := func(from *Client, to string) {
		t.Helper()
		from.Post("/v1/wf/delegations", `{"delegate_to":"`+to+`","ends_at":"2026-03-02T12:00:00Z"}`).Want(201)
	}
	decided := func(request Reply, as *Client, task, want string) {
		t.Helper()
		as.Post("/v1/wf/tasks/"+task+"/decision", `{"action":"approve","comment":"long enough it is"}`).Want(200)
		read := w.rita.Get("/v1/wf/requests/" + request.Response("id")).Want(200)
		var lines []string
		for i := 0; read.Response("stages", 0, "approvers", i, "user", "id") != ""; i++ {
			part := func(members ...any) string {
				return read.Response(append([]any{"stages", 0, "approvers", i}, members...)...)
			}
			lines = append(lines, strings.TrimSpace(part("user", "id")+" "+part("action")+" "+part("actor", "id")))
		}
		same(t, "approvers", strings.Join(lines, ", "), want)
	}
	of := w.request("each", "")
	decided(of, w.root, task(t, of, "ana"), "ana, bo, root approve")
	of = w.request("each", "")
	w.root.Post("/v1/wf/tasks/"+task(t, of, "ana")+"/reassign", `{"new_assignee":"cy"}`).Want(200)
	delegate(w.Client(t, "cy"), "eve")
	decided(of, w.Client(t, "eve"), task(t, of, "ana"), "ana, bo, cy approve eve")
	delegate(w.ana, "dan")
	delegate(w.bo, "dan")
	of = w.request("pool", "")
	decided(of, w.Client(t, "dan"), task(t, of, ""), "ana, bo approve dan")
}
