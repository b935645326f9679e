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
	request := w.request("p", "")
	path := "/v1/wf/tasks/" + task(t, request, "")
	seen := w.ana.Get(path).Want(200)
	same(t, "actions", seen.Response("allowed_actions"), `["claim","decide"]`)
	same(t, "candidates", seen.Response("candidates"), `[{"id":"ana"},{"id":"bo"}]`)

	w.eve.Get(path).Refused(403, "WF-008")
	w.eve.Post(path+"/claim", nil).Refused(403, "WF-008")
	w.root.Post(path+"/claim", nil).Refused(403, "WF-008") // an admin is not an approver
	w.ana.Post(path+"/claim", nil, "If-Match", `"99"`).Refused(409, "WF-007")
	claimed := w.ana.Post(path+"/claim", nil, "If-Match", seen.Header.Get("ETag")).Want(200)
	same(t, "status", claimed.Response("status"), "claimed")
	same(t, "assignee", claimed.Response("assignee", "id"), "ana")
	same(t, "ETag", claimed.Header.Get("ETag"), claimed.Response("etag"))
	again := w.ana.Post(path+"/claim", nil).Want(200)
	same(t, "a second claim", again.Text("response"), claimed.Text("response"))
	w.bo.Post(path+"/claim", nil).Refused(409, "WF-007")
	w.bo.Post(path+"/decision", `{"action":"approve"}`).Refused(409, "WF-007") // it may come back
	w.bo.Post(path+"/unclaim", nil).Refused(403, "WF-008")

	w.ana.Post(path+"/unclaim", nil, "If-Match", seen.Header.Get("ETag")).Refused(409, "WF-007")
	same(t, "assignee", w.ana.Post(path+"/unclaim", nil).Want(200).Response("assignee"), "")
	w.ana.Post(path+"/unclaim", nil).Refused(403, "WF-008") // it is unassigned
	w.root.Post(path+"/unclaim", nil).Refused(409, "WF-007")

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
	w.eve.Post(path+"/claim", nil).Refused(403, "WF-008") // its state is not disclosed
	w.ana.Post(path+"/claim", nil).Refused(409, "WF-007")
	w.bo.Post(path+"/claim", nil).Refused(409, "WF-007")
	w.bo.Post(path+"/unclaim", nil).Refused(409, "WF-007")
}

func TestADecisionIsRefusedForItsReason(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"require_comment":{"reject":true}}`, override(bothApprove, `"decision_schema":{"type":"object","required":["meaning"]}`))
	w.policy("plain", "", bothApprove)
	request := w.request("plain", "")
	path := "/v1/wf/tasks/" + task(t, request, "ana") + "/decision"
	const approve = `{"action":"approve"}`

	w.eve.Post(path, approve).Refused(403, "WF-008")
	w.root.Post(path, approve).Refused(403, "WF-008")
	w.bo.Post(path, approve).Refused(403, "WF-008")
	w.ana.Post(path, `{"action":"maybe"}`).Refused(422, "")
	w.ana.Post(path, `{"action":"approve","comment":"`+strings.Repeat("x", 64<<10)+`"}`).Refused(422, "")
	w.ana.Post(path, `{"action":"approve","expected_context_hash":"sha256:0"}`).Refused(409, "WF-007")
	w.ana.Post(path, `{"action":"approve","expected_revision":2}`).Refused(409, "WF-007")
	w.ana.Post(path, `{"action":"abstain"}`).Refused(409, "WF-007")
	w.ana.Post(path, approve, "If-Match", `"0"`).Refused(409, "WF-007")
	w.ana.Post(path, fmt.Sprintf(`{"action":"approve","expected_context_hash":%q,"expected_revision":1}`, request.Response("context_hash"))).Want(200)
	w.ana.Post(path, approve).Refused(409, "WF-007")
	w.eve.Post(path, approve).Refused(403, "WF-008") // its state is not disclosed

	strict := "/v1/wf/tasks/" + task(t, w.request("p", ""), "bo") + "/decision"
	found := details(w.bo.Post(strict, `{"action":"reject"}`).Want(422))
	same(t, "a comment", strings.Join(found, ","), "missing body.comment")
	found = details(w.bo.Post(strict, approve).Want(422))
	same(t, "data", strings.Join(found, ","), "missing body.data")
	found = details(w.bo.Post(strict, `{"action":"approve","data":{}}`).Want(422))
	same(t, "data", strings.Join(found, ","), "value_error body.data")
	w.eve.Post(strict, approve).Refused(403, "WF-008") // before the requirements of the policy
	same(t, "data", w.bo.Post(strict, `{"action":"approve","data":{"meaning":1.0}}`).Want(200).Response("decision", "data"), `{"meaning":1.0}`)

	gone := w.request("plain", "")
	w.rita.Post("/v1/wf/requests/"+gone.Response("id")+"/cancel", nil).Want(200)
	w.ana.Post("/v1/wf/tasks/"+task(t, gone, "ana")+"/decision", approve).Refused(409, "WF-007")
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
	w.policy("p", `{"require_comment":{"reassign":true}}`, override(bothApprove, `"approvers":[{"type":"user","ids":["ana","bo","cy"]}]`))
	request := w.request("p", "")
	path := "/v1/wf/tasks/" + task(t, request, "ana") + "/reassign"
	to := func(who string) string { return fmt.Sprintf(`{"new_assignee":%q,"reason":"away"}`, who) }
	w.bo.Post("/v1/wf/tasks/"+task(t, request, "bo")+"/decision", `{"action":"approve"}`).Want(200)

	w.eve.Post(path, to("dan")).Refused(403, "WF-008")
	w.vic.Post(path, to("dan")).Refused(403, "WF-008")
	w.root.Post(path, to("rita")).Refused(409, "WF-007")
	w.root.Post(path, to("ana")).Refused(409, "WF-007")
	w.root.Post(path, to("bo")).Refused(409, "WF-007")
	w.root.Post(path, to("cy")).Refused(409, "WF-007")
	w.ana.Post(path, to("dan")).Refused(409, "WF-007") // not eligible
	w.root.Post(path, to("system:policy")).Refused(422, "")
	w.root.Post(path, `{"new_assignee":""}`).Refused(422, "")
	found := details(w.root.Post(path, `{"new_assignee":"dan"}`).Want(422))
	same(t, "reason", strings.Join(found, ","), "missing body.reason")
	w.root.Post(path, to("dan"), "If-Match", `"99"`).Refused(409, "WF-007")
	w.root.Post("/v1/wf/tasks/"+task(t, request, "bo")+"/reassign", to("dan")).Refused(409, "WF-007")

	moved := w.root.Post(path, to("dan")).Want(200)
	same(t, "id", moved.Response("id"), task(t, request, "ana"))
	for member, want := range map[string]string{"status": "open", "reassign_count": "1"} {
		same(t, member, moved.Response(member), want)
	}
	same(t, "assignee", moved.Response("assignee", "id"), "dan")
	same(t, "reassigned_from", moved.Response("reassigned_from", "id"), "ana")
	same(t, "owner", moved.Response("owner", "id"), "ana")
	w.ana.Post("/v1/wf/tasks/"+moved.Response("id")+"/decision", `{"action":"approve"}`).Refused(403, "WF-008")
	w.Client(t, "dan").Post("/v1/wf/tasks/"+moved.Response("id")+"/decision", `{"action":"approve"}`).Want(200)
}
