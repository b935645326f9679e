package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/identity"
)

// forPerson are the claims of a token with which an agent acts for its subject.
var forPerson = map[string]any{"act": map[string]any{"sub": "agent-7", "act": map[string]any{"sub": "runner", "iss": "https://agents.test"}}}

const parties = `[{"sub":"agent-7"},{"iss":"https://agents.test","sub":"runner"}]`

func TestAPartyThatActsForAPersonIsRecorded(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"webhooks":[{"endpoint":"receiver","events":["request.*"]}]}`, bothApprove)
	agent := w.ClientWith(t, "rita", forPerson)
	request := agent.Post("/v1/wf/requests", `{"policy_key":"p"}`).Want(201)
	path := "/v1/wf/requests/" + request.Response("id")
	for name, shown := range map[string]Reply{"creation": request, "read": w.rita.Get(path)} {
		same(t, name+": requester", shown.Response("requester", "id"), "rita")
		same(t, name+": submitter", shown.Response("submitted_by", "id"), "rita")
		same(t, name+": parties", shown.Response("submitted_by", "acting"), parties)
	}
	same(t, "list", w.rita.Get("/v1/wf/requests").Response("items", 0, "submitted_by", "acting"), parties)
	w.rita.Post(path+"/cancel", nil).Want(200)
	events := w.vic.Get(path + "/events").Want(200)
	for i, kind := range events.Items("type") {
		same(t, kind+": parties of the submitter", events.Response("items", i, "request", "submitted_by", "acting"), parties)
		want := parties
		if kind == "request.cancelled" || kind == "task.closed" {
			want = ""
		}
		same(t, kind+": parties of the caller", events.Response("items", i, "acting"), want)
	}
	same(t, "broken chains", w.vic.Get(auditPath+"?verify=true").Want(200).Response("verification", "bad"), "[]")
	w.Deliver(t)
	if sent := w.Dump(t, "message"); !strings.Contains(sent, `"submitted_by":{"id":"rita","acting":[{"sub":"agent-7"},`) {
		t.Errorf("messages %s", sent)
	}
	if own := w.request("p", ""); own.Response("submitted_by", "acting") != "" {
		t.Errorf("without a party: %s", own)
	}
	w.ClientWith(t, "rita", map[string]any{"act": "agent-7"}).Get(path).Refused(401, "WF-008")
}

// Example 43 of the design, for every operation on tasks.
func TestAPartyThatActsForAPersonDecidesNothing(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"admin_override":true}`, `{"key":"s","name":"Stage","approvers":[{"type":"user","ids":["ana","bo"]}],"allow":{"reassign":"any"}}`)
	request := w.request("p", "")
	id := task(t, request, "ana")
	path := "/v1/wf/tasks/" + id
	ana, root := w.ClientWith(t, "ana", forPerson), w.ClientWith(t, "root", forPerson, identity.RoleAdmin)
	var want []string
	for _, row := range []struct {
		by         *Client
		who        string
		path, body string
		operation  string
	}{
		{ana, "ana", "/claim", "", "claimTask"},
		{ana, "ana", "/decision", `{"action":"approve"}`, "decideTask"},
		{ana, "ana", "/reassign", `{"new_assignee":"cy"}`, "reassignTask"},
		{root, "root", "/reassign", `{"new_assignee":"cy"}`, "reassignTask"},
		{root, "root", "/decision", `{"action":"approve","comment":"an override"}`, "decideTask"},
	} {
		var body any
		if row.body != "" {
			body = row.body
		}
		message := row.by.Post(path+row.path, body).Refused(403, "WF-008")
		same(t, row.operation, message, "a party that acts for a person may not claim, decide or reassign tasks")
		if event := fmt.Sprintf(`{"id":%q,"kind":"user"} `, row.who); !strings.Contains(strings.Join(want, ""), event) {
			want = append(want, event+row.operation+" "+parties) // one event of a user, object and code a minute
		}
	}
	same(t, "bulk", outcomes(ana.Post(bulkPath, bulk("approve", id)).Want(200)), "false 403 WF-008")
	same(t, "refusals", strings.Join(denied(t, w, "actor", "operation", "acting"), "; "), strings.Join(want, "; "))
	same(t, "allowed actions", ana.Get(path).Response("allowed_actions"), "[]")
	same(t, "allowed actions of the person", w.ana.Get(path).Response("allowed_actions"), `["claim","decide","reassign"]`)
	same(t, "status", w.rita.Get("/v1/wf/requests/"+request.Response("id")).Response("status"), "in_review")
	w.ana.Post(path+"/decision", `{"action":"approve"}`).Want(200)
}
