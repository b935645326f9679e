package api_test

import (
	"testing"

	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// The checks are made in one order everywhere: 401, 403 by role, 422, 404, 403 by
// object, 400, 409. Each row breaks two of them that follow each other.
func TestChecksAreMadeInTheirOrder(t *testing.T) {
	w := boot(t, wftest.Options{})
	w.policy("p", "", bothApprove)
	w.policy("strict", `{"submitters":[{"type":"user","ids":["rita"]}]}`)
	request := w.request("p", `"artifact_id":"A"`)
	w.rita.Post("/v1/wf/requests/"+request.Response("id")+"/cancel", nil).Want(200)
	over := "/v1/wf/tasks/" + task(t, request, "ana")
	w.request("p", `"artifact_id":"B"`)
	receiver := endpoints + "/" + w.root.Get(endpoints).Response("items", 0, "id")
	const bad = `{"name":"P","stages":[{"key":"BAD","name":"S","approvers":[]}]}`
	for _, row := range []struct {
		name         string
		by           *wftest.Client
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
		{"wrong state, wrong tag", w.ana, "POST", over + "/claim", nil, 409, "WF-007"},
		{"not a submitter, no stages", w.eve, "POST", "/v1/wf/requests", `{"policy_key":"strict"}`, 403, "WF-008"},
		{"no stages, artifact taken", w.rita, "POST", "/v1/wf/requests", `{"policy_key":"strict","artifact_id":"B"}`, 400, "WF-007"},
		{"callback refused, artifact taken", w.rita, "POST", "/v1/wf/requests", `{"policy_key":"p","artifact_id":"B","callback_url":"https://x.test"}`, 400, "WF-007"},
		{"no role, wrong type", w.vic, "POST", endpoints, "x", 403, "WF-008"},
		{"wrong type, unknown endpoint", w.root, "PATCH", endpoints + "/" + unknownID, `{"enabled":1}`, 422, ""},
		{"bad overlap, unknown endpoint", w.root, "POST", endpoints + "/" + unknownID + "/rotate-secret", `{"overlap":"x"}`, 422, ""},
		{"bad URL, name taken", w.root, "POST", endpoints, `{"name":"receiver","url":"ftp://x.example"}`, 422, ""},
		{"bad pattern, wrong tag", w.root, "PATCH", receiver, `{"events":["x"]}`, 422, ""},
	} {
		t.Run(row.name, func(t *testing.T) { row.by.Do(row.method, row.path, row.body).Refused(row.status, row.code) })
	}
	for _, op := range w.Operations() {
		if !open(op) {
			w.root.Do(op.Method, address(op)+"?no_such=1", nil).Refused(422, "")
		}
	}
}
