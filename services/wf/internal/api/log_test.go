package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/oplog"
)

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// called are the lines of calls with a route, in their order.
func called(t *testing.T, w *callers, route string) []logtest.Line {
	t.Helper()
	return slices.DeleteFunc(w.Log().Lines(t, "call"), func(l logtest.Line) bool { return l["route"] != route })
}

// The log alone suffices to reconstruct the history of one request, its actors, and the reason of a
// refusal.
func TestOneApprovalCanBeFollowedInTheLog(t *testing.T) {
	w := boot(t, Options{Events: []string{"*"}})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	id := request.Response("id")
	ana, bo := task(t, request, "ana"), task(t, request, "bo")
	w.ana.Post("/v1/wf/tasks/"+ana+"/decision", `{"action":"approve","comment":"canary"}`, "X-Request-Id", "call-1", "Traceparent", traceparent).Want(200)
	w.ana.Post("/v1/wf/tasks/"+bo+"/decision", `{"action":"approve"}`).Refused(403, "WF-008")
	w.ana.Post("/v1/wf/tasks/"+ana+"/decision", `{"action":"approve"}`).Refused(409, "WF-007")
	w.bo.Post("/v1/wf/tasks/"+bo+"/decision", `{"action":"sing"}`).Want(422)
	w.bo.Post("/v1/wf/tasks/"+bo+"/decision", `{"action":"approve"}`).Want(200)

	created := called(t, w, "/v1/wf/requests")
	if len(created) != 1 {
		t.Fatalf("lines of creation: %v", created)
	}
	created[0].Want(t, logtest.Line{
		"level": "INFO", "method": "POST", "status": 201.0, "request": id, "subject": oplog.Subject("rita"), "peer": "127.0.0.1",
		"events": []any{"request.created", "stage.started", "task.created", "task.created"},
	})
	lines := called(t, w, "/v1/wf/tasks/{id}/decision")
	ours, theirs := oplog.Subject("ana"), oplog.Subject("bo")
	for i, want := range []logtest.Line{
		{"status": 200.0, "task": ana, "request": id, "subject": ours, "events": []any{"task.decided"}, "code": nil, "call_id": "call-1", "trace_id": traceparent[3:35]},
		{"status": 403.0, "task": bo, "request": id, "subject": ours, "code": "WF-008", "reason": "forbidden", "events": []any{"auth.denied"}, "level": "INFO"},
		{"status": 409.0, "task": ana, "request": id, "subject": ours, "code": "WF-007", "reason": "wrong_state"},
		{"status": 422.0, "task": bo, "subject": theirs, "reason": "unfit", "finding": "enum body action"},
		{"status": 200.0, "task": bo, "request": id, "subject": theirs, "events": []any{"task.decided", "stage.approved", "request.approved"}},
	} {
		if i >= len(lines) {
			t.Fatalf("%d lines: %v", len(lines), lines)
		}
		lines[i].Want(t, want)
	}
	if strings.Contains(w.Log().String(), "canary") {
		t.Error("the log has a comment")
	}

	event := w.vic.Get("/v1/wf/requests/" + id + "/events?limit=200&verify=true").Want(200)
	i := slices.Index(event.Items("type"), "task.decided")
	same(t, "the call of the event", event.Response("items", i, "call_id"), "call-1")
	same(t, "its trace", event.Response("items", i, "traceparent"), traceparent)
	same(t, "the trace of another", event.Response("items", 0, "traceparent"), "")
	same(t, "verified", event.Response("verification", "valid"), "true")
}
