package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestATaskIsClaimedReleasedAndDecided(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", poolOfTwo)
	path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "")
	seen := w.ana.Get(path).Want(200)
	same(t, "actions", seen.Response("allowed_actions"), `["claim","decide"]`)
	same(t, "candidates", seen.Response("candidates"), `[{"id":"ana"},{"id":"bo"}]`)
	w.eve.Post(path+"/claim", nil).Refused(403, "WF-008")
	w.ana.Post(path+"/claim", nil, "If-Match", `"99"`).Refused(409, "WF-007")
	claimed := w.ana.Post(path+"/claim", nil, "If-Match", seen.Header.Get("ETag")).Want(200)
	same(t, "status", claimed.Response("status")+" "+claimed.Response("assignee", "id"), "claimed ana")
	same(t, "ETag", claimed.Header.Get("ETag"), claimed.Response("etag"))
	same(t, "a second claim", w.ana.Post(path+"/claim", nil).Want(200).Text("response"), claimed.Text("response"))
	w.bo.Post(path+"/claim", nil).Refused(409, "WF-007")
	w.bo.Post(path+"/unclaim", nil).Refused(403, "WF-008")
	w.ana.Post(path+"/unclaim", nil, "If-Match", seen.Header.Get("ETag")).Refused(409, "WF-007")
	same(t, "assignee", w.ana.Post(path+"/unclaim", nil).Want(200).Response("assignee"), "")
	decided := w.bo.Post(path+"/decision", `{"action":"approve","comment":"fine"}`).Want(200) // claims as well
	for at, want := range map[string]string{"task.status": "completed", "task.assignee.id": "bo",
		"decision.action": "approve", "decision.comment": "fine",
		"decision.actor.id": "bo", "request.status": "approved", "request.status_reason.code": "quorum_met", "request.current_stages": "[]"} {
		var steps []any
		for step := range strings.SplitSeq(at, ".") {
			steps = append(steps, step)
		}
		same(t, at, decided.Response(steps...), want)
	}
}

func TestADecisionIsRefusedForItsReason(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"require_comment":{"reject":true}}`, override(bothApprove, `"decision_schema":{"type":"object","required":["meaning"]}`))
	request := w.request("p", "")
	path := "/v1/wf/tasks/" + task(t, request, "ana") + "/decision"
	w.ana.Post(path, `{"action":"maybe"}`).Refused(422, "")
	w.ana.Post(path, `{"action":"approve","comment":"`+strings.Repeat("x", 64<<10)+`"}`).Refused(422, "")
	for body, want := range map[string]string{
		`{"action":"reject"}`: "missing body.comment", `{"action":"approve"}`: "missing body.data", `{"action":"approve","data":{}}`: "value_error body.data",
	} {
		same(t, body, strings.Join(details(w.ana.Post(path, body).Want(422)), ","), want)
	}
	w.eve.Post(path, `{"action":"approve"}`).Refused(403, "WF-008") // before the requirements of the policy
	const approve = `{"action":"approve","data":{"meaning":1.0}`
	w.ana.Post(path, approve+`,"expected_context_hash":"sha256:0"}`).Refused(409, "WF-007")
	w.ana.Post(path, approve+`,"expected_revision":2}`).Refused(409, "WF-007")
	w.ana.Post(path, approve+`}`, "If-Match", `"0"`).Refused(409, "WF-007")
	seen := fmt.Sprintf(`,"expected_context_hash":%q,"expected_revision":1}`, request.Response("context_hash"))
	same(t, "data", w.ana.Post(path, approve+seen).Want(200).Response("decision", "data"), `{"meaning":1.0}`)
}

func TestADecisionMayNeedAFreshAuthentication(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", override(bothApprove, `"reauth":{"max_age":"PT5M","acr_values":["gold","silver"]}`))
	path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana") + "/decision"
	signedIn := func(ago time.Duration, acr string) *Client {
		return w.ClientWith(t, "ana", map[string]any{"auth_time": Start.Add(-ago).Unix(), "acr": acr})
	}
	for _, c := range []*Client{w.ana, signedIn(6*time.Minute, "gold"), signedIn(time.Minute, "bronze")} {
		reply := c.Post(path, `{"action":"approve"}`)
		reply.Refused(403, "WF-008")
		same(t, "challenge", reply.Header.Get("WWW-Authenticate"), `Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age=300`)
	}
	done := signedIn(5*time.Minute, "silver").Post(path, `{"action":"approve"}`).Want(200)
	same(t, "acr", done.Response("decision", "auth", "acr"), "silver")
}

func TestAnAdminDecidesOnlyWhereThePolicyLetsHim(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"admin_override":true}`, bothApprove)
	path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana") + "/decision"
	found := details(w.root.Post(path, `{"action":"approve","comment":"too short"}`).Want(422))
	same(t, "comment", strings.Join(found, ","), "string_too_short body.comment")
	w.vic.Post(path, `{"action":"approve","comment":"long enough it is"}`).Refused(403, "WF-008")
	done := w.root.Post(path, `{"action":"approve","comment":"long enough it is"}`).Want(200)
	same(t, "override", done.Response("decision", "override"), "true")
	same(t, "reason", done.Response("request", "status_reason", "code"), "override")
}

func TestATaskIsReassigned(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"require_comment":{"reassign":true}}`, bothApprove)
	path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana") + "/reassign"
	to := func(who string) string { return fmt.Sprintf(`{"new_assignee":%q,"reason":"away"}`, who) }
	w.vic.Post(path, to("dan")).Refused(403, "WF-008")
	w.ana.Post(path, to("dan")).Refused(409, "WF-007") // not eligible
	w.root.Post(path, `{"new_assignee":""}`).Refused(422, "")
	same(t, "reason", strings.Join(details(w.root.Post(path, `{"new_assignee":"dan"}`).Want(422)), ","), "missing body.reason")
	w.root.Post(path, to("dan"), "If-Match", `"99"`).Refused(409, "WF-007")
	moved := w.root.Post(path, to("dan")).Want(200)
	same(t, "status", moved.Response("status")+" "+moved.Response("reassign_count"), "open 1")
	same(t, "people", moved.Response("assignee", "id")+" "+moved.Response("reassigned_from", "id")+" "+moved.Response("owner", "id"), "dan ana ana")
}
