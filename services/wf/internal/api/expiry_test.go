package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// No worker runs in these tests: time binds by itself.

func TestARequestReadsExpiredAtOnceEverywhere(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"expires_in":"PT1H"}`, bothApprove)
	w.policy("q", `{"expires_in":"PT1H"}`, poolOfTwo)
	w.policy("long", "", bothApprove)
	request, pool, lasts := w.request("p", ""), w.request("q", ""), w.request("long", "")
	path := "/v1/wf/tasks/" + task(t, request, "ana")
	w.Clock.Advance(30 * time.Minute)
	w.ana.Post(path+"/decision", `{"action":"approve"}`).Want(200)
	listed := func(query string) string {
		return strings.Join(w.vic.Get("/v1/wf/requests?"+query).Want(200).Items("policy_key"), " ")
	}
	tasks := func(c *Client, query string) string {
		reply := c.Get("/v1/wf/tasks?" + query).Want(200)
		var out []string
		for i, key := range reply.Items("request", "policy_key") {
			out = append(out, key+" "+reply.Response("items", i, "status")+" "+reply.Response("items", i, "request", "status"))
		}
		slices.Sort(out)
		return strings.Join(out, ", ")
	}
	counts := func() string {
		return w.vic.Get("/v1/wf/tasks/stats").Want(200).Response("counts")
	}
	w.Clock.Advance(30*time.Minute - time.Millisecond)
	same(t, "open", listed("status=in_review"), "long q p")
	same(t, "expired", listed("status=expired"), "")
	same(t, "waits for bo", w.bo.Get("/v1/wf/me").Response("tasks"), `{"candidate":1,"claimed":0,"delegated":0,"open":2}`)
	before := w.Rows(t)

	w.Clock.Advance(time.Millisecond)
	read := w.rita.Get("/v1/wf/requests/" + request.Response("id")).Want(200)
	same(t, "status", read.Response("status")+" "+read.Response("status_reason", "code"), "expired request_expired")
	same(t, "stage", read.Response("stages", 0, "status"), "expired")
	same(t, "actions", read.Response("allowed_actions"), "[]")
	same(t, "tasks", read.Response("tasks"), "[]")
	left := w.bo.Get("/v1/wf/tasks/" + task(t, request, "bo")).Want(200)
	same(t, "task", left.Response("status")+" "+left.Response("close_reason"), "cancelled request_expired")
	same(t, "its request", left.Response("request", "status"), "expired")
	same(t, "actions", left.Response("allowed_actions"), "[]")
	same(t, "candidates", w.rita.Get("/v1/wf/tasks/"+task(t, pool, "")).Response("candidates"), "[]")
	w.bo.Get("/v1/wf/tasks/"+task(t, pool, "")).Refused(403, "WF-008") // no candidate any more

	same(t, "open", listed("status=in_review"), "long")
	same(t, "open or blocked", listed("status=in_review,blocked"), "long")
	same(t, "expired", listed("status=expired"), "q p")
	same(t, "both", listed("status=in_review,expired&sort=created_at"), "long q p")
	same(t, "shown", strings.Join(w.vic.Get("/v1/wf/requests").Items("status"), " "), "in_review expired expired")
	same(t, "inbox", tasks(w.bo, "inbox=me"), "long open in_review")
	same(t, "candidate", tasks(w.bo, "candidate=me"), "")
	same(t, "open tasks", tasks(w.vic, "status=open&assignee=bo"), "long open in_review")
	same(t, "closed tasks", tasks(w.vic, "status=cancelled"), "p cancelled expired, q cancelled expired")
	same(t, "decided tasks", tasks(w.vic, "status=completed"), "p completed expired")
	same(t, "waits for bo", w.bo.Get("/v1/wf/me").Response("tasks"), `{"candidate":0,"claimed":0,"delegated":0,"open":1}`)
	const ended = `[{"count":1,"overdue":0,"policy_key":"p","status":"cancelled"},{"count":1,"overdue":0,"policy_key":"q","status":"cancelled"},` +
		`{"count":1,"overdue":0,"policy_key":"p","status":"completed"},{"count":2,"overdue":0,"policy_key":"long","status":"open"}]`
	same(t, "counts", counts(), ended)
	same(t, "stats of bo", w.bo.Get("/v1/wf/tasks/stats?inbox=me").Response("total"), "1")
	unchanged(t, w, before) // the expiry is not written yet

	for { // the stored state equals the state that was read
		n, err := w.Engine.Timers.ExpireRequests(t.Context(), w.Clock.Now(), 1)
		must(t, err)
		if n == 0 {
			break
		}
	}
	after := w.rita.Get("/v1/wf/requests/" + request.Response("id"))
	for _, member := range []string{"status", "status_reason", "stages", "tasks", "completed_at"} {
		same(t, member, after.Response(member), read.Response(member))
	}
	same(t, "expired", listed("status=expired"), "q p")
	same(t, "counts", counts(), ended)
	w.ana.Post("/v1/wf/tasks/"+task(t, lasts, "ana")+"/decision", `{"action":"approve"}`).Want(200)
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
