package api_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// The checks are made in one order everywhere: 401, 403 by role, 422, 404, 403 by
// object, 400, 409. Each row breaks two of them that follow each other.
func TestChecksAreMadeInTheirOrder(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	w.policy("strict", `{"submitters":[{"type":"user","ids":["rita"]}]}`)
	request := w.request("p", `"artifact_id":"A"`)
	w.rita.Post("/v1/wf/requests/"+request.Response("id")+"/cancel", nil).Want(200)
	over := "/v1/wf/tasks/" + task(t, request, "ana")
	revoked := w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z"}`).Want(201).Header.Get("Location")
	w.ana.Delete(revoked).Want(200)
	w.request("p", `"artifact_id":"B"`)
	receiver := endpoints + "/" + w.root.Get(endpoints).Response("items", 0, "id")
	w.root.Post("/v1/wf/policies", strings.Replace(definition("typed", "", bothApprove), `"name"`,
		`"context_schema":{"type":"object","properties":{"a":{"type":"integer"}}},"name"`, 1)).Want(201)
	w.root.Post("/v1/wf/policies/typed/versions/1/activate", nil).Want(200)
	typed := w.request("typed", "")
	const bad = `{"name":"P","stages":[{"key":"BAD","name":"S","approvers":[]}]}`
	for _, row := range []struct {
		name         string
		by           *Client
		method, path string
		body         any
		status       int
		code         string
	}{
		{"no token, no route", w.Anonymous(t), "GET", "/v1/wf/none", nil, 404, "WF-090"},
		{"no token, wrong type", w.Anonymous(t), "POST", "/v1/wf/policies", "x", 401, "WF-008"},
		{"no role, wrong type", w.vic, "POST", "/v1/wf/policies", "x", 403, "WF-008"},
		{"no role, unknown parameter", w.eve, "GET", "/v1/wf/policies?x=1", nil, 403, "WF-008"},
		{"wrong type, unknown policy", w.root, "PUT", "/v1/wf/policies/none", `{"name":1,"stages":[]}`, 422, ""},
		{"wrong type, unknown task", w.ana, "POST", "/v1/wf/tasks/" + unknownID + "/decision", `{"action":"x"}`, 422, ""},
		{"unknown parameter, unknown request", w.rita, "GET", "/v1/wf/requests/" + unknownID + "?x=1", nil, 422, ""},
		{"unknown policy, bad definition", w.root, "PUT", "/v1/wf/policies/none", bad, 404, "WF-001"},
		{"unknown version, bad definition", w.root, "PATCH", "/v1/wf/policies/p/versions/9", bad, 404, "WF-001"},
		{"bad definition, wrong state", w.root, "PATCH", "/v1/wf/policies/p/versions/1", bad, 400, "WF-010"},
		{"bad definition, key taken", w.root, "POST", "/v1/wf/policies", `{"policy_key":"p",` + bad[1:], 422, ""},
		{"not the requester, wrong state", w.eve, "POST", "/v1/wf/requests/" + request.Response("id") + "/cancel", nil, 403, "WF-008"},
		{"not the assignee, wrong state", w.eve, "POST", over + "/claim", nil, 403, "WF-008"},
		{"not the assignee, wrong state", w.eve, "POST", over + "/decision", `{"action":"approve"}`, 403, "WF-008"},
		{"not the assignee, wrong state", w.eve, "POST", over + "/reassign", `{"new_assignee":"dan"}`, 403, "WF-008"},
		{"not the assignee, wrong state", w.eve, "POST", over + "/unclaim", nil, 403, "WF-008"},
		{"not the requester, wrong state", w.eve, "POST", "/v1/wf/requests/" + request.Response("id") + "/resubmit", nil, 403, "WF-008"},
		{"not the requester, bad context", w.eve, "POST", "/v1/wf/requests/" + typed.Response("id") + "/resubmit", `{"context":{"a":"x"}}`, 403, "WF-008"},
		{"ended, somebody else's", w.eve, "DELETE", revoked, nil, 404, "WF-004"},
		{"bad context, unknown version", w.vic, "POST", "/v1/wf/policies/p/versions/x/simulate", `{"context":{"a":1e70}}`, 422, ""},
		{"wrong state, wrong tag", w.ana, "POST", over + "/claim", nil, 409, "WF-007"},
		{"bad play, unknown version", w.vic, "POST", "/v1/wf/policies/p/versions/x/simulate", `{"play":[{}]}`, 422, ""},
		{"no reason, malformed id", w.root, "PATCH", "/v1/wf/requests/" + noID + "/stages/s",
			`{"due_at":"2036-03-06T16:00:00Z","reason":" "}`, 422, ""},
		{"bad overlap, malformed id", w.root, "POST", endpoints + "/" + noID + "/rotate-secret", `{"overlap":"x"}`, 422, ""},
		{"not a submitter, no stages", w.eve, "POST", "/v1/wf/requests", `{"policy_key":"strict"}`, 403, "WF-008"},
		{"no stages, artifact taken", w.rita, "POST", "/v1/wf/requests", `{"policy_key":"strict","artifact_id":"B"}`, 400, "WF-007"},
		{"callback refused, artifact taken", w.rita, "POST", "/v1/wf/requests",
			`{"policy_key":"p","artifact_id":"B","callback_url":"https://x.test"}`, 400, "WF-007"},
		{"no role, wrong type", w.vic, "POST", endpoints, "x", 403, "WF-008"},
		{"wrong type, unknown endpoint", w.root, "PATCH", endpoints + "/" + unknownID, `{"enabled":1}`, 422, ""},
		{"bad overlap, unknown endpoint", w.root, "POST", endpoints + "/" + unknownID + "/rotate-secret", `{"overlap":"x"}`, 422, ""},
		{"bad URL, name taken", w.root, "POST", endpoints, `{"name":"receiver","url":"ftp://x.example"}`, 422, ""},
		{"bad pattern, wrong tag", w.root, "PATCH", receiver, `{"events":["x"]}`, 422, ""},
	} {
		t.Run(row.name, func(t *testing.T) { row.by.Do(row.method, row.path, row.body).Refused(row.status, row.code) })
	}
	for _, op := range w.Operations() {
		if open(op) {
			continue
		}
		if len(roles(op)) > 0 {
			w.eve.Do(op.Method, address(op)+"?no_such=1", nil).Refused(403, "WF-008")
		}
		for _, id := range []string{unknownID, noID} {
			w.root.Do(op.Method, strings.Replace(address(op), unknownID, id, 1)+"?no_such=1", nil).Refused(422, "")
		}
	}
}

// An invalid body takes precedence over a missing object, and that over a missing permission. This
// applies to every operation on one object without a role.
func TestMissingObjectPrecedesMissingPermission(t *testing.T) {
	w := boot(t, Options{})
	const attachment = `[{"name":" ","url":"https://x.example/a","media_type":"text/plain"}]`
	bodies := map[string]struct{ good, bad string }{
		"cancelRequest":   {"", `{"reason":1}`},
		"claimTask":       {"", `{"on_behalf_of":1}`},
		"withdrawTask":    {"", `{"reason":1}`},
		"resubmitRequest": {"", `{"context":{"a":1e70}}`},
		"revokeRequest":   {`{"reason":"x"}`, `{"reason":" \n"}`},
		"consumeRequest":  {`{"context_hash":"x"}`, `{"context_hash":"x","consumer":"a\u202eb"}`},
		"decideTask":      {`{"action":"approve"}`, `{"action":"approve","attachments":` + attachment + `}`},
		"addComment":      {`{"text":"x"}`, `{"text":" ","no_such":1}`},
		"reassignTask":    {`{"new_assignee":"dan"}`, `{"new_assignee":"system:policy"}`},
	}
	tested := 0
	for _, op := range w.Operations() {
		if open(op) || len(roles(op)) > 0 || !strings.Contains(op.Path, "{id}") {
			continue
		}
		tested++
		body, takes := bodies[op.ID]
		if takes != (op.RequestBody != nil) {
			t.Errorf("%s takes a body: %t", op.ID, !takes)
		}
		code := "WF-004"
		if strings.Contains(op.Path, "/requests/") {
			code = "WF-003"
		}
		for _, id := range []string{unknownID, noID} {
			path := strings.Replace(op.Path, "{id}", id, 1)
			if takes {
				w.eve.Do(op.Method, path, body.bad).Refused(422, "")
			}
			caller := w.eve
			if op.Method == "GET" { // not disclosed to strangers; see TestReadDoesNotDiscloseExistingIDsToUnrelatedCaller
				caller = w.vic
			}
			caller.Do(op.Method, path, body.good, "If-Match", `"9"`).Refused(404, code)
		}
	}
	if tested < 11 {
		t.Errorf("%d operations", tested)
	}
}

// A state that forbids comes before a directory that does not answer.
func TestAConflictComesBeforeAnUpstreamThatIsDown(t *testing.T) {
	var down atomic.Bool
	w := boot(t, Options{Resolve: func(_ context.Context, q approver.Question) ([]identity.User, error) {
		if down.Load() {
			return nil, reason.NoAnswer("the directory is down")
		}
		if q.Rule.Type == policy.RuleUser {
			return []identity.User{{ID: "dan"}}, nil
		}
		return []identity.User{{ID: "ana"}, {ID: "bo"}}, nil
	}})
	w.policy("p", `{"membership_recheck":"strict"}`, `{"key":"s","name":"S","approvers":[{"type":"role","role":"officer"}]}`)
	request := w.request("p", `"artifact_id":"A"`)
	w.ana.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	down.Store(true)
	over, mine := "/v1/wf/tasks/"+task(t, request, "ana"), "/v1/wf/tasks/"+task(t, request, "bo")
	for _, row := range []struct {
		by         *Client
		path, body string
		before     int // with the directory down, where the state forbids
	}{
		{w.ana, over + "/claim", "", 409},
		{w.ana, over + "/decision", `{"action":"approve"}`, 409},
		{w.root, over + "/reassign", `{"new_assignee":"dan"}`, 409},
		{w.eve, mine + "/claim", "", 403},
		{w.bo, mine + "/claim", "", 503},
		{w.bo, mine + "/decision", `{"action":"approve"}`, 503},
	} {
		row.by.Post(row.path, row.body).Want(row.before)
	}
}
