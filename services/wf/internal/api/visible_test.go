package api_test

import (
	"strings"
	"testing"
)

const evidence = `"data":{"meaning":"I have read it"},"attachments":[{"name":"a.pdf","url":"https://x.test/a.pdf","media_type":"application/pdf"}]`

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
