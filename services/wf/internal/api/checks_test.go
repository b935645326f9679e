package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const leaveChecks = `{"checks":[
	{"cel":"timestamp(context.last+'T00:00:00Z') >= timestamp(context.first+'T00:00:00Z')","message":"Last day is before the first day","field":"/last",
		"message_i18n":{"fr":"Le dernier jour précède le premier"}},
	{"cel":"timestamp(context.first+'T00:00:00Z') > now || 'past' in request.labels","message":"First day is in the past"}]}`

// leave returns a leave of some days, from a number of days after the start of the test.
func leave(first, days int) string {
	day := func(n int) string { return Start.Add(time.Duration(n) * 24 * time.Hour).Format(time.DateOnly) }
	return fmt.Sprintf(`"context":{"first":%q,"last":%q}`, day(first), day(first+days-1))
}

const wrongOrder = "context: /last: Last day is before the first day"

// Each way to create, preview, simulate or resubmit a request evaluates the checks. A refusal has no effect.
func TestARequestThatViolatesACheckIsRefused(t *testing.T) {
	w := boot(t, Options{})
	w.policy("leave", leaveChecks, bothApprove)
	for content, want := range map[string]string{
		leave(3, 5): "", leave(3, 0): wrongOrder, leave(-3, 5): "context: First day is in the past", leave(-3, 0): wrongOrder + "; 1 more",
		`"context":{"first":"soon"}`:           "context: /last: settings.checks[0] cannot be evaluated: no such member: last; 1 more",
		`"labels":{"past":""},` + leave(-3, 5): "",
	} {
		post := func(path, members string) (int, string) {
			reply := w.rita.Post(path, "{"+members+"}")
			if reply.Status < 300 {
				return reply.Status, ""
			}
			return reply.Status, reply.Refused(400, "WF-007")
		}
		if status, message := post("/v1/wf/requests", `"policy_key":"leave",`+content); message != want || (want == "") != (status == 201) {
			t.Errorf("creation with %s: %d %q, want %q", content, status, message, want)
		}
		if status, message := post("/v1/wf/policies/leave/preview", content); message != want || (want == "") != (status == 200) {
			t.Errorf("preview of %s: %d %q, want %q", content, status, message, want)
		}
		if strings.Contains(content, "labels") {
			continue // not part of a simulation
		}
		simulated := w.root.Post("/v1/wf/policies/leave/versions/1/simulate", "{"+content+"}").Want(200)
		outcome := map[bool]string{true: "would_start", false: "would_refuse"}[want == ""]
		if simulated.Response("outcome") != outcome || !strings.Contains(simulated.Response("problems"), strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("simulation of %s: %s %s", content, simulated.Response("outcome"), simulated.Response("problems"))
		}
	}
	same(t, "requests", len(w.rita.Get("/v1/wf/requests").Items("id")), 2)
}

func TestTheArtifactTypeOfAPolicyIsTheDefaultOfItsRequests(t *testing.T) {
	w := boot(t, Options{})
	w.root.Post("/v1/wf/policies", strings.Replace(definition("p", "", bothApprove), "{", `{"artifact_type":"batch",`, 1)).Want(201)
	w.root.Post("/v1/wf/policies/p/versions/1/activate", `{}`).Want(200)
	same(t, "type", w.request("p", `"artifact_id":"B-1"`).Response("artifact_type"), "batch")
	w.rita.Post("/v1/wf/requests", `{"policy_key":"p","artifact_type":"batch","artifact_id":"B-1"}`).Refused(409, "WF-007")
	w.rita.Post("/v1/wf/policies/p/preview", `{"artifact_id":"B-1"}`).Refused(409, "WF-007")
	same(t, "another type", w.rita.Post("/v1/wf/requests", `{"policy_key":"p","artifact_type":"other"}`).Refused(400, "WF-007"),
		"artifact_type: policy p approves artifacts of type batch")
	same(t, "simulated", w.root.Post("/v1/wf/policies/p/versions/1/simulate", `{}`).Want(200).Response("outcome"), "would_start")
}
