package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/identity"
)

// forPerson are the claims of a token with which an agent acts for its subject.
var forPerson = map[string]any{"act": map[string]any{"sub": "agent-7", "act": map[string]any{"sub": "runner", "iss": "https://agents.test"}}}

const parties = `[{"sub":"agent-7"},{"iss":"https://agents.test","sub":"runner"}]`

func TestAPartyThatActsForAPersonIsRecorded(t *testing.T) {
	w := boot(t, Options{Events: []string{"request.*"}})
	w.policy("p", "", bothApprove)
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

const onlyForPersons = "a party that acts for a person may only create, resubmit, cancel, consume, comment, simulate, preview, read and wait"

// permittedToAgents are the writes of the closed list (wf.RequirePerson). Every other operation that is no read needs
// the person.
var permittedToAgents = []string{
	"createRequest", "resubmitRequest", "cancelRequest", "consumeRequest", "addComment", "simulateVersion", "previewRequest",
}

// Example 43 of the design, for every operation of the document: a new one is refused until it is listed.
func TestEveryOperationWithATokenForAPerson(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	const policyBody = `{"name":"P","stages":[]}`
	bodies := map[string]string{ // the smallest valid ones
		"createPolicy": `{"policy_key":"new",` + policyBody[1:], "addVersion": policyBody, "updateVersion": "{}", "activateVersion": "{}",
		"decideTask": `{"action":"approve"}`, "reassignTask": `{"new_assignee":"cy"}`,
		"createDelegation": `{"delegate_to":"cy","ends_at":"2026-03-05T00:00:00Z"}`, "putNotifications": `{}`,
		"createEndpoint": `{"name":"mine","url":"` + w.Receiver.URL + `"}`, "updateEndpoint": "{}", "rotateSecret": "{}",
		"recoverDeliveries": `{"status":"failed","created_after":"2026-03-01T00:00:00Z","created_before":"2026-03-02T00:00:00Z"}`,
		"restartAudit":      `{"reason":"x"}`, "revokeRequest": `{"reason":"x"}`,
		"moveDueDate": `{"due_at":"2026-03-05T00:00:00Z","reason":"x"}`,
	}
	rows := w.Rows(t)
	var refused []string
	for _, op := range w.Operations() {
		if open(op) {
			continue
		}
		// An admin of their own for each operation: refusals of one person are folded.
		agent := w.ClientWith(t, "admin-"+op.ID, forPerson, identity.RoleAdmin)
		path := strings.NewReplacer("{id}", unknownID, "{key}", "p", "{v}", "1", "{n}", "1").Replace(op.Path)
		if op.Method == "GET" || slices.Contains(permittedToAgents, op.ID) {
			if reply := bare(agent, op); reply.Status == 403 && reply.Text("errors", 0, "message") == onlyForPersons {
				t.Errorf("%s refuses a party that acts for a person", op.ID)
			}
			continue
		}
		var body any
		if op.RequestBody != nil {
			body = bodies[op.ID]
		}
		same(t, op.ID, agent.Do(op.Method, path, body).Refused(403, "WF-008"), onlyForPersons)
		refused = append(refused, op.ID+" "+parties)
	}
	if len(refused) < 20 {
		t.Errorf("only %d operations are refused", len(refused))
	}
	same(t, "denied", strings.Join(denied(t, w, "operation", "acting"), "; "), strings.Join(refused, "; "))
	for table, n := range w.Rows(t) {
		if n != rows[table] && !slices.Contains([]string{"event", "chain", "denial", "person", "message", "service_key"}, table) {
			t.Errorf("%d rows of %s, %d before", n, table, rows[table])
		}
	}
}
