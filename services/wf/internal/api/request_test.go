package api_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/server"
)

func TestARequestIsCreatedReadAndCancelled(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	created := w.request("p", `"context":{"amount":1},"artifact_type":"batch","artifact_id":"B-17","title":"Batch 17","link":"https://x.test/b/17",
			"labels":{"team":"finance"},"comment":"please","priority":"high","attachments":[{"name":"a.pdf","url":"https://x.test/a.pdf","media_type":"application/pdf","size":7}]`)
	id := created.Response("id")
	same(t, "Location", created.Header.Get("Location"), "/v1/wf/requests/"+id)
	same(t, "ETag", created.Header.Get("ETag"), created.Response("etag"))
	for member, want := range map[string]string{
		"status": "in_review", "policy_key": "p", "policy_version": "1", "artifact_type": "batch", "artifact_id": "B-17", "title": "Batch 17",
		"link": "https://x.test/b/17", "labels": `{"team":"finance"}`, "comment": "please", "priority": "high", "revision": "1",
		"context": `{"amount":1}`, "current_stages": `["s"]`, "allowed_actions": `["cancel"]`, "callback_url": "",
		"expires_at": "2026-03-31T12:00:00.000Z", "completed_at": "", "requester": `{"id":"rita"}`, "submitted_by": `{"id":"rita"}`,
	} {
		same(t, member, created.Response(member), want)
	}
	same(t, "tasks", len(created.Value("response", "tasks").([]any)), 2)

	read := w.rita.Get("/v1/wf/requests/" + id).Want(200)
	same(t, "what is read", read.Text("response"), created.Text("response"))
	same(t, "ETag", read.Header.Get("ETag"), created.Header.Get("ETag"))
	for name, c := range map[string]*Client{"approver": w.ana, "viewer": w.vic, "admin": w.root} {
		same(t, name, c.Get("/v1/wf/requests/"+id).Want(200).Response("id"), id)
	}
	w.eve.Get("/v1/wf/requests/"+id).Refused(403, "WF-008")

	w.eve.Post("/v1/wf/requests/"+id+"/cancel", nil).Refused(403, "WF-008")
	w.ana.Post("/v1/wf/requests/"+id+"/cancel", nil).Refused(403, "WF-008")
	w.rita.Post("/v1/wf/requests/"+id+"/cancel", nil, "If-Match", `"77"`).Refused(409, "WF-007")
	cancelled := w.rita.Post("/v1/wf/requests/"+id+"/cancel", `{"reason":"not needed"}`, "If-Match", created.Header.Get("ETag")).Want(200)
	same(t, "status", cancelled.Response("status"), "cancelled")
	same(t, "reason", cancelled.Response("status_reason"), `{"code":"withdrawn","message":"not needed"}`)
	same(t, "tasks", cancelled.Response("tasks"), "[]")
	w.rita.Post("/v1/wf/requests/"+id+"/cancel", nil).Refused(409, "WF-007")
	w.eve.Post("/v1/wf/requests/"+id+"/cancel", nil).Refused(403, "WF-008") // before its state is disclosed
}

func TestARequestNeedsAnActivePolicy(t *testing.T) {
	w := boot(t, Options{})
	w.rita.Post("/v1/wf/requests", `{"policy_key":"none"}`).Refused(404, "WF-001")
	w.root.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	w.rita.Post("/v1/wf/requests", `{"policy_key":"p"}`).Refused(404, "WF-001")
	w.root.Post("/v1/wf/policies/p/versions/1/activate", nil).Want(200)
	open := w.request("p", "")
	w.root.Post("/v1/wf/policies/p/versions/1/deactivate", nil).Want(200)
	w.rita.Post("/v1/wf/requests", `{"policy_key":"p"}`).Refused(404, "WF-001")
	decided := w.ana.Post("/v1/wf/tasks/"+task(t, open, "ana")+"/decision", `{"action":"approve"}`).Want(200) // it continues
	same(t, "status", decided.Response("request", "status"), "in_review")
}

// Pasted Hebrew and Arabic text has directional marks. Marks alone are an empty title.
func TestNamesMayHaveDirectionalMarks(t *testing.T) {
	w := boot(t, Options{})
	w.policy("marks", "", bothApprove)
	for _, body := range []string{
		`"title":"אישור תשלום (ACME)\u200f!"`,
		`"attachments":[{"name":"حساب\u200f 2027.pdf","url":"https://files.example.org/a","media_type":"application/pdf"}]`,
		`"title":"\u2067a\u2069 b"`, `"labels":{"פרויקט\u200e":"\u061cأ"}`,
	} {
		w.rita.Post("/v1/wf/requests", `{"policy_key":"marks",`+body+`}`).Want(201)
	}
	for body, message := range map[string]string{
		`"title":"\u200e\u200f"`:             "visible character",
		`"title":"abc\u202etxt.exe"`:         "U+202E at position 4",
		`"title":"\u2067a"`:                  "isolate",
		`"labels":{"k":"a\u202d"}`:           "U+202D at position 2",
		`"requester":"bo\u200e"`:             "user id",
		`"attachments":[{"name":"\u202ea"}]`: "",
	} {
		r := w.rita.Post("/v1/wf/requests", `{"policy_key":"marks",`+body+`}`).Want(422)
		if !strings.Contains(r.String(), message) {
			t.Errorf("%s: %s, want %s", body, r, message)
		}
	}
}

func TestRequestRefusedByPolicyDoesNotStart(t *testing.T) {
	w := boot(t, Options{})
	w.root.Post("/v1/wf/policies", `{"policy_key":"strict","name":"P","artifact_type":"batch","stages":[`+bothApprove+`],
		"context_schema":{"type":"object","required":["amount"],"properties":{"amount":{"type":"number"}}}}`).Want(201)
	w.root.Post("/v1/wf/policies/strict/versions/1/activate", nil).Want(200)
	w.policy("closed", `{"submitters":[{"type":"user","ids":["ana"]}],"on_behalf":"none"}`, bothApprove)
	w.policy("unique", "", bothApprove)
	taken := w.request("unique", `"artifact_id":"A1"`)
	before := w.Rows(t)
	for _, row := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"a context against the schema", `{"policy_key":"strict","context":{"amount":"1"},"artifact_type":"batch"}`, 400, "WF-007"},
		{"not a submitter", `{"policy_key":"closed"}`, 403, "WF-008"},
		{"a callback elsewhere", `{"policy_key":"unique","callback_url":"http://169.254.169.254/"}`, 400, "WF-007"},
		{"an open request for the artifact", `{"policy_key":"unique","artifact_id":"A1"}`, 409, "WF-007"},
		{"a link that is not https", `{"policy_key":"unique","link":"http://x.test"}`, 422, ""},
		{"an expiry that is none", `{"policy_key":"unique","expires_in":"soon"}`, 422, ""},
		{"a requester that is the service", `{"policy_key":"unique","requester":"system:policy"}`, 422, ""},
		{"a label key that is too long", `{"policy_key":"unique","labels":{"` + strings.Repeat("k", 65) + `":"v"}}`, 422, ""},
		{"a title with a bidirectional override", `{"policy_key":"unique","title":"a\u202eb"}`, 422, ""},
		{"an attachment without an address", `{"policy_key":"unique","attachments":[{"name":"a","url":"","media_type":"a/b"}]}`, 422, ""},
		{"an attachment that is a path", `{"policy_key":"unique","attachments":[{"name":"a","url":"//x.test/a","media_type":"a/b"}]}`, 422, ""},
		{"an attachment by FTP", `{"policy_key":"unique","attachments":[{"name":"a","url":"ftp://x.test/a","media_type":"a/b"}]}`, 422, ""},
		{"an attachment of the reader's files",
			`{"policy_key":"unique","attachments":[{"name":"a","url":"file:///etc/passwd","media_type":"a/b"}]}`, 422, ""},
		{"an attachment of no host", `{"policy_key":"unique","attachments":[{"name":"a","url":"https:a.pdf","media_type":"a/b"}]}`, 422, ""},
		{"an attachment that is a script", `{"policy_key":"unique","attachments":[{"name":"a","url":"JavaScript:alert(1)","media_type":"a/b"}]}`, 422, ""},
		{"an attachment without a name", `{"policy_key":"unique","attachments":[{"url":"https://x.test","media_type":"a/b"}]}`, 422, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			people(t, w.Service).rita.Post("/v1/wf/requests", row.body).Refused(row.status, row.code)
		})
	}
	unchanged(t, w, before)
	if message := w.rita.Post("/v1/wf/requests", `{"policy_key":"unique","artifact_id":"A1"}`).Refused(409,
		"WF-007"); !strings.Contains(message, taken.Response("id")) {
		t.Errorf("%q does not name the open request", message)
	}
	w.request("unique", `"artifact_id":"A2","comment":"a\u202eb"`) // kept in comments
}

func TestOnBehalfRequesterFollowsThePolicy(t *testing.T) {
	w := boot(t, Options{})
	w.policy("admins", "", bothApprove)
	w.policy("submitters", `{"on_behalf":"submitters"}`, bothApprove)
	w.policy("none", `{"on_behalf":"none"}`, bothApprove)
	named := w.root.Post("/v1/wf/requests", `{"policy_key":"admins","requester":"otto"}`).Want(201)
	same(t, "requester", named.Response("requester", "id"), "otto")
	same(t, "submitted_by", named.Response("submitted_by", "id"), "root")
	w.eve.Post("/v1/wf/requests", `{"policy_key":"submitters","requester":"otto"}`).Want(201)
	w.root.Post("/v1/wf/requests", `{"policy_key":"none","requester":"otto"}`).Refused(403, "WF-008")
	w.rita.Post("/v1/wf/requests", `{"policy_key":"none","requester":"rita"}`).Want(201)
	// Both may cancel, and neither may approve.
	w.Client(t, "otto").Post("/v1/wf/requests/"+named.Response("id")+"/cancel", nil).Want(200)
}

func TestNumbersOfAContextKeepTheirDigits(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	created := w.request("p", `"context":{"n":9007199254740993,"__proto__":{"constructor":1},"e":1.50e2}`)
	same(t, "context", created.Response("context"), `{"__proto__":{"constructor":1},"e":150,"n":9007199254740993}`)
	same(t, "context_hash", created.Response("context_hash"), fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(created.Response("context")))))
	read := w.rita.Get("/v1/wf/requests/" + created.Response("id")).Want(200)
	same(t, "context", read.Response("context"), created.Response("context"))
}

func TestNullIsAbsent(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	created := w.request("p", `"context":null,"artifact_type":null,"artifact_id":null,"title":null,"link":null,"requester":null,"callback_url":null,
		"priority":null,"labels":null,"expires_in":null,"comment":null,"attachments":null`)
	same(t, "context", created.Response("context"), "{}")
	same(t, "priority", created.Response("priority"), "normal")
	same(t, "context_hash", created.Response("context_hash"), w.request("p", "").Response("context_hash"))
}

// An empty text is usually an unset variable, rarely a request for the meaning of an absent
// member: the caller as requester, every endpoint, any content.
func TestAnEmptyNameIsNotTakenForAnAbsentOne(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana") + "/decision"
	before := w.Rows(t)
	for _, row := range []struct {
		by                 *Client
		path, body, detail string
	}{
		{w.root, "/v1/wf/requests", `{"policy_key":"p","requester":""}`, "string_too_short body.requester"},
		{w.root, "/v1/wf/requests", `{"policy_key":"p","callback_url":""}`, "string_too_short body.callback_url"},
		{w.root, "/v1/wf/requests", `{"policy_key":"p","expires_in":""}`, "string_too_short body.expires_in"},
		{w.root, "/v1/wf/policies/p/preview", `{"requester":""}`, "string_too_short body.requester"},
		{w.root, "/v1/wf/policies/p/versions/1/simulate", `{"requester":""}`, "string_too_short body.requester"},
		{w.root, "/v1/wf/delegations", `{"user_id":"","delegate_to":"dan","ends_at":"2026-03-02T12:00:00Z"}`, "string_too_short body.user_id"},
		{w.root, "/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-02T12:00:00Z","scope":{"policy_keys":[]}}`,
			"too_short body.scope.policy_keys"},
		{w.root, "/v1/wf/admin/deliveries/recover",
			`{"endpoint":"","created_after":"2026-03-01T00:00:00Z","created_before":"2026-03-02T00:00:00Z"}`,
			"string_too_short body.endpoint"},
		{w.ana, path, `{"action":"approve","expected_context_hash":""}`, "string_too_short body.expected_context_hash"},
	} {
		same(t, row.path+" "+row.body, strings.Join(details(row.by.Post(row.path, row.body).Want(422)), ","), row.detail)
	}
	unchanged(t, w, before)
}

func TestALifetimeMayBeShortened(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"expires_in":"P2D"}`, bothApprove)
	w.policy("never", `{"expires_in":null}`, bothApprove)
	w.rita.Post("/v1/wf/requests", `{"policy_key":"p","expires_in":"PT48H1S"}`).Refused(400, "WF-007")
	same(t, "as long", w.request("p", `"expires_in":"P2D"`).Response("expires_at"), "2026-03-03T12:00:00.000Z")
	same(t, "shorter", w.request("p", `"expires_in":"PT1H"`).Response("expires_at"), "2026-03-01T13:00:00.000Z")
	same(t, "never", w.request("never", "").Response("expires_at"), "")
}

func TestRequesterResubmitsAfterRequestedChanges(t *testing.T) {
	w := boot(t, Options{})
	w.root.Post("/v1/wf/policies", `{"policy_key":"p","name":"P","stages":[`+bothApprove+`],"context_schema":{"type":"object","required":["n"]}}`).Want(201)
	w.root.Post("/v1/wf/policies/p/versions/1/activate", nil).Want(200)
	request := w.request("p", `"context":{"n":1}`)
	path := "/v1/wf/requests/" + request.Response("id") + "/resubmit"
	w.rita.Post(path, nil).Refused(409, "WF-007")
	w.ana.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/decision", `{"action":"request_changes","comment":"add n"}`).Want(200)
	same(t, "actions", w.rita.Get("/v1/wf/requests/"+request.Response("id")).Response("allowed_actions"), `["cancel","resubmit"]`)
	w.root.Post(path, nil).Refused(403, "WF-008")
	w.rita.Post(path, nil, "If-Match", request.Header.Get("ETag")).Refused(409, "WF-007")
	w.rita.Post(path, `{"context":1}`).Refused(422, "")
	w.rita.Post(path, `{"context":{}}`).Refused(400, "WF-007")
	again := w.rita.Post(path, `{"context":{"n":2},"comment":"done"}`).Want(200)
	for member, want := range map[string]string{"status": "in_review", "revision": "2", "context": `{"n":2}`} {
		same(t, member, again.Response(member), want)
	}
}

func TestTheTimelineIsReadInOrderAndVerifies(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	w.ana.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	w.bo.Post("/v1/wf/tasks/"+task(t, request, "bo")+"/decision", `{"action":"approve"}`).Want(200)
	path := "/v1/wf/requests/" + request.Response("id") + "/events"
	all := w.rita.Get(path + "?verify=true").Want(200)
	same(t, "verification", all.Response("verification"), fmt.Sprintf(`{"events":%d,"valid":true}`, len(all.Items("seq"))))
	var walked []string
	for cursor := ""; ; {
		page := w.vic.Get(path + "?limit=2" + cursor).Want(200)
		walked = append(walked, page.Items("seq")...)
		if page.Response("next_cursor") == "" {
			break
		}
		cursor = "&cursor=" + page.Response("next_cursor")
	}
	same(t, "pages", strings.Join(walked, " "), strings.Join(all.Items("seq"), " "))
	types := strings.Join(all.Items("type"), " ")
	if !strings.HasPrefix(types, "request.created ") || !strings.HasSuffix(types, " request.approved") {
		t.Errorf("events: %s", types)
	}
	w.eve.Get(path).Refused(403, "WF-008")
}

func TestAnIdThatNamesNothingIsNotFound(t *testing.T) {
	w := boot(t, Options{})
	codes := map[string]string{"requests": "WF-003", "tasks": "WF-004", "delegations": "WF-004", "deliveries": "WF-007"}
	bodies := map[string]string{"decideTask": `{"action":"approve"}`, "reassignTask": `{"new_assignee":"ana"}`, "addComment": `{"text":"x"}`,
		"revokeRequest": `{"reason":"x"}`, "moveDueDate": `{"due_at":"2036-03-06T16:00:00Z","reason":"x"}`,
		"consumeRequest": `{"context_hash":"x"}`}
	for _, op := range w.Operations() {
		if !strings.Contains(op.Path, "{id}") {
			continue
		}
		for _, id := range []string{unknownID, strings.ToUpper(unknownID), noID, "%27%20OR%201=1--", strings.Repeat("a", 300), "urn:uuid:" + unknownID} {
			for noun, code := range codes {
				if strings.Contains(op.Path, "/"+noun+"/") {
					var body any
					if text, ok := bodies[op.ID]; ok {
						body = text
					}
					w.root.Do(op.Method, strings.Replace(op.Path, "{id}", id, 1),
						body).Refused(map[string]int{"WF-007": 409}[code]+map[bool]int{true: 404}[code != "WF-007"], code)
				}
			}
		}
	}
}

func TestAServiceAccountCreatesButDoesNotDecide(t *testing.T) {
	for allowed, status := range map[bool]int{false: 403, true: 200} {
		t.Run(fmt.Sprintf("unless allowed: %t", allowed), func(t *testing.T) {
			w := boot(t, Options{Config: func(c *server.Config) { c.ServiceApprovers = allowed }})
			robot := w.ClientWith(t, "ana", map[string]any{"preferred_username": "service-account-ana"})
			w.policy("p", "", bothApprove)
			robot.Post("/v1/wf/requests", `{"policy_key":"p"}`).Want(201)
			path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana")
			same(t, "offered", robot.Get(path).Response("allowed_actions"), map[bool]string{false: "[]", true: `["claim","decide"]`}[allowed])
			robot.Post(path+"/claim", nil).Want(status)
			robot.Post(path+"/decision", `{"action":"approve"}`).Want(status)
		})
	}
}

func TestCallerIdentityIgnoresHeadersAndForeignRoles(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	reply := w.eve.Post("/v1/wf/requests", `{"policy_key":"p"}`, "X-Forwarded-User", "root", "X-HTTP-Method-Override",
		"DELETE", "X-Original-URL", "/v1/wf/policies").Want(201)
	same(t, "requester", reply.Response("requester", "id"), "eve")
	foreign := w.ClientWith(t, "eve",
		map[string]any{"resource_access": map[string]any{"other": map[string]any{"roles": []string{string(
			identity.RoleAdmin)}}}, "roles": []string{string(identity.RoleAdmin)}})
	foreign.Get("/v1/wf/policies").Refused(403, "WF-008")
}

func TestOpenRequestIDIsShownOnlyToItsReaders(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	open := w.request("p", `"artifact_type":"batch","artifact_id":"B-17"`)
	w.root.Post("/v1/wf/tasks/"+task(t, open, "ana")+"/reassign", `{"new_assignee":"dan"}`).Want(200)
	for who, told := range map[*Client]bool{w.rita: true, w.ana: false, w.bo: true, w.Client(t, "dan"): true, w.vic: true, w.root: true, w.eve: false} {
		said := who.Post("/v1/wf/requests", `{"policy_key":"p","artifact_type":"batch","artifact_id":"B-17"}`).Refused(409, "WF-007")
		same(t, said, strings.Contains(said, open.Response("id")), told)
		same(t, "may read", who.Get("/v1/wf/requests/"+open.Response("id")).Status == 200, told)
	}
}

func TestBlankTextsAreRejected(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"require_comment":{"reassign":true}}`, bothApprove)
	path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana")
	for _, blank := range []string{"", " ", "\t\n", "\u00a0", "\u200b", "\u3000"} {
		w.root.Post(path+"/reassign", map[string]string{"new_assignee": "dan", "reason": blank}).Refused(422, "")
		if blank == "" {
			continue
		}
		for where, body := range map[string]string{
			"body.title":                    `{"policy_key":"p","title":%q}`,
			"body.attachments.0.name":       `{"policy_key":"p","attachments":[{"name":%q,"url":"https://x.example/a","media_type":"text/plain"}]}`,
			"body.attachments.0.media_type": `{"policy_key":"p","attachments":[{"name":"a","url":"https://x.example/a","media_type":%q}]}`,
		} {
			raw, _ := json.Marshal(blank)
			found := details(w.rita.Post("/v1/wf/requests", strings.Replace(body, "%q", string(raw), 1)).Want(422))
			same(t, "details", strings.Join(found, ","), "value_error "+where)
		}
	}
	w.root.Post(path+"/reassign", `{"new_assignee":"dan","reason":"."}`).Want(200)
}
