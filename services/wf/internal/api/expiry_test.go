package api_test

import (
	"strings"
	"testing"
	"time"
)

// No worker runs in these tests: time binds by itself.

func TestARequestReadsExpiredAtOnceEverywhere(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"expires_in":"PT1H"}`, bothApprove)
	request := w.request("p", "")
	path, mine := requestsPath+request.Response("id"), "/v1/wf/tasks/"+task(t, request, "ana")
	w.Clock.Advance(time.Hour)
	read := w.rita.Get(path).Want(200)
	same(t, "status", read.Response("status")+" "+read.Response("status_reason", "code"), "expired request_expired")
	same(t, "task", w.ana.Get(mine).Want(200).Response("status"), "cancelled")
	same(t, "listed", strings.Join(w.rita.Get("/v1/wf/requests?status=expired").Want(200).Items("status"), " "), "expired")
	same(t, "inbox", len(w.ana.Get("/v1/wf/tasks?inbox=me").Want(200).Items("id")), 0)
	same(t, "counted", w.ana.Get("/v1/wf/me").Response("tasks", "open"), "0")
	w.ana.Post(mine+"/decision", `{"action":"approve"}`).Refused(409, "WF-007") // which writes the expiry
	after := w.rita.Get(path).Want(200)
	for _, member := range []string{"status", "status_reason", "stages", "tasks", "completed_at"} {
		same(t, member, after.Response(member), read.Response(member))
	}
}

func TestAPageOfALaterTimeGoesOnWhereTheListWas(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"expires_in":"PT1H"}`, bothApprove)
	for range 3 {
		w.request("p", "")
	}
	first := w.vic.Get("/v1/wf/requests?limit=1&status=in_review").Want(200)
	w.Clock.Advance(time.Minute)
	next := w.vic.Get("/v1/wf/requests?limit=2&status=in_review&cursor=" + first.Response("next_cursor")).Want(200)
	same(t, "the rest", len(next.Items("id")), 2)
	first = w.vic.Get("/v1/wf/tasks?limit=1&inbox=ana").Want(200)
	w.Clock.Advance(time.Minute)
	next = w.vic.Get("/v1/wf/tasks?limit=2&inbox=ana&cursor=" + first.Response("next_cursor")).Want(200)
	same(t, "the rest", len(next.Items("id")), 2)
}
