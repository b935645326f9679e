package api_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/server"
)

// A long poll returns at the change, long before the end of its time.
const (
	ofPoll  = "?wait=55"
	inShort = 50 * time.Second
)

// polled starts a long poll and returns its reply, which must come before the end of its time.
func polled(t *testing.T, c *Client, path string, headers ...string) func() Reply {
	t.Helper()
	replies, start := make(chan Reply, 1), time.Now()
	go func() { replies <- c.Do("GET", path, nil, headers...) }()
	return func() Reply {
		t.Helper()
		reply := (<-replies).Want(200)
		if took := time.Since(start); took > inShort {
			t.Errorf("the reply took %v", took)
		}
		return reply
	}
}

// waits returns at n waiting calls.
func (w *callers) waits(t *testing.T, n int) {
	t.Helper()
	want := fmt.Sprintf("wf_http_long_polls %d\n", n)
	timetest.Eventually(t, want, func() bool {
		page := httptest.NewRecorder()
		w.Metrics.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
		return strings.Contains(page.Body.String(), want)
	})
}

func TestALongPollReturnsAtTheEndOfARequest(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	for name, end := range map[string]func(Reply){
		"approved": func(r Reply) {
			w.ana.Post("/v1/wf/tasks/"+task(t, r, "ana")+"/decision", `{"action":"approve"}`).Want(200)
			w.waits(t, 1) // a decision that does not end the request does not end the wait
			w.bo.Post("/v1/wf/tasks/"+task(t, r, "bo")+"/decision", `{"action":"approve"}`).Want(200)
		},
		"changes_requested": func(r Reply) {
			w.ana.Post("/v1/wf/tasks/"+task(t, r, "ana")+"/decision", `{"action":"request_changes"}`).Want(200)
		},
		"cancelled": func(r Reply) { w.rita.Post("/v1/wf/requests/"+r.Response("id")+"/cancel", nil).Want(200) },
	} {
		t.Run(name, func(t *testing.T) {
			for query, headers := range map[string][]string{ofPoll: nil, "": {"Prefer", "respond-async, wait=99"}} {
				request := w.request("p", "")
				path := "/v1/wf/requests/" + request.Response("id")
				reply := polled(t, w.rita, path+query, headers...)
				w.waits(t, 1)
				end(request)
				r := reply()
				same(t, "status", r.Response("status"), name)
				same(t, "Preference-Applied", r.Header.Get("Preference-Applied"), "wait")
				same(t, "etag", r.Header.Get("ETag"), r.Response("etag"))
				again := w.rita.Get(path + ofPoll).Want(200)
				same(t, "Preference-Applied of a call that did not wait", again.Header.Get("Preference-Applied"), "")
			}
		})
	}
}

func TestALongPollWithAnEntityTagReturnsAtAnyChange(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	path, etag := "/v1/wf/requests/"+request.Response("id"), request.Response("etag")
	reply := polled(t, w.rita, path+ofPoll, "If-None-Match", `"0", W/`+etag)
	w.waits(t, 1)
	w.ana.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	changed := reply()
	same(t, "status", changed.Response("status"), "in_review")
	if changed.Response("etag") == etag {
		t.Error("the entity tag is the same")
	}
	now := w.rita.Do("GET", path+ofPoll, nil, "If-None-Match", etag).Want(200)
	same(t, "Preference-Applied with an old entity tag", now.Header.Get("Preference-Applied"), "")
	w.rita.Do("GET", path, nil, "If-None-Match", changed.Response("etag")).Want(200) // without wait it is not read
	idle := w.rita.Do("GET", path+"?wait=1", nil, "If-None-Match", changed.Response("etag")).Want(200)
	same(t, "etag after a second without a change", idle.Response("etag"), changed.Response("etag"))
	same(t, "Preference-Applied", idle.Header.Get("Preference-Applied"), "wait")
}

func TestALongPollReturnsAtTheInstantOfTheExpiry(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"expires_in":"PT1H"}`, bothApprove)
	request := w.request("p", "")
	w.Clock.Advance(time.Hour - time.Millisecond)
	reply := polled(t, w.rita, "/v1/wf/requests/"+request.Response("id")+ofPoll, "If-None-Match", request.Response("etag"))
	w.waits(t, 1)
	w.Clock.Advance(time.Millisecond)
	expired := reply()
	same(t, "status", expired.Response("status"), "expired")
	if expired.Response("etag") == request.Response("etag") {
		t.Error("the expiry is not committed")
	}
}

func TestALongPollChecksTheRightsAgainAtItsEnd(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"owners":{"users":["owen"]}}`, bothApprove)
	request, owner := w.request("p", ""), w.Client(t, "owen")
	reply := make(chan Reply, 1)
	go func() { reply <- owner.Get("/v1/wf/requests/" + request.Response("id") + ofPoll) }()
	w.waits(t, 1)
	w.root.Put("/v1/wf/policies/p", definition("p", "", bothApprove)).Want(201)
	w.root.Post("/v1/wf/policies/p/versions/2/activate", nil).Want(200)
	w.API.Drain()
	(<-reply).Refused(403, "WF-008")
}

func TestALongPollChecksItsCallerAndItsTime(t *testing.T) {
	w := boot(t, Options{Config: func(c *server.Config) { c.MaxWaiting = 1 }})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	path := "/v1/wf/requests/" + request.Response("id")
	for _, query := range []string{"?wait=0", "?wait=56", "?wait=-1", "?wait=x"} {
		w.rita.Get(path + query).Want(422)
	}
	w.Client(t, "stranger").Get(path+ofPoll).Refused(403, "WF-008")
	w.vic.Get("/v1/wf/requests/00000000-0000-7000-8000-000000000000"+ofPoll).Refused(404, "WF-003")
	reply := polled(t, w.rita, path+ofPoll)
	w.waits(t, 1)
	full := w.rita.Get(path + ofPoll).Want(200)
	same(t, "Preference-Applied above the limit", full.Header.Get("Preference-Applied"), "")
	w.API.Drain()
	stopped := reply()
	same(t, "status at a stop", stopped.Response("status"), "in_review")
}
