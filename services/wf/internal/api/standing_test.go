package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

const requestsPath = "/v1/wf/requests/"

// consume returns the body of a consumption of a request with the content that it has now.
func consume(w *callers, id string) string {
	return fmt.Sprintf(`{"context_hash":%q,"consumer":"run 17"}`, w.root.Get(requestsPath+id).Want(200).Response("context_hash"))
}

// endsWith fails unless these are the last events of a request.
func endsWith(t *testing.T, w *callers, id string, want ...string) {
	t.Helper()
	types := w.root.Get(requestsPath + id + "/events?limit=200").Items("type")
	if got := types[len(types)-len(want):]; !slices.Equal(got, want) {
		t.Errorf("the events end with %v, want %v", got, want)
	}
}

// The loops find what has work at its instant, and nothing else.
func TestTimerLoopsFindDueWorkAtItsInstant(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"expires_in":"PT1H"}`, byDeadline(anaAndBo, `"due_in":"PT30M"`, ""))
	w.policy("q", `{"validity":{"valid_for":"PT1H"}}`, bothApprove)
	w.request("p", "")
	w.approved(t, "q")
	loops := []func(context.Context, time.Time, int) (int, error){
		w.Engine.Timers.ProcessDeadlines, w.Engine.Timers.LapseApprovals, w.Engine.Timers.ExpireRequests,
	}
	for _, at := range []struct {
		after time.Duration
		want  string
	}{{0, "[0 0 0]"}, {30*time.Minute - time.Millisecond, "[0 0 0]"}, {time.Millisecond, "[1 0 0]"}, {0, "[0 0 0]"},
		{30*time.Minute - time.Millisecond, "[0 0 0]"}, {time.Millisecond, "[0 1 1]"}, {0, "[0 0 0]"}} {
		w.Clock.Advance(at.after)
		found := make([]int, len(loops))
		for i, pass := range loops {
			var err error
			if found[i], err = pass(t.Context(), w.Clock.Now(), 10); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "found at "+w.Clock.Now().Format(time.TimeOnly), fmt.Sprint(found), at.want)
	}
}

// Example 33.
func TestAnApprovalIsConsumedOnceForItsContent(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"single_use":true}`, bothApprove)
	id, other := w.approved(t, "p"), w.approved(t, "p")
	path, body := requestsPath+id+"/consume", consume(w, id)
	w.rita.Post(path, `{"context_hash":"sha256:00"}`).Refused(409, "WF-007")
	same(t, "actions", strings.Contains(w.rita.Get(requestsPath+id).Response("allowed_actions"), "consume"), true)
	used := w.rita.Post(path, body, "Idempotency-Key", "k").Want(200)
	same(t, "used", used.Response("status")+" "+used.Response("standing")+" "+used.Response("ended_by", "id")+" "+
		used.Response("end_reason"), "approved consumed rita run 17")
	if message := w.rita.Post(path, body).Refused(409, "WF-007"); !strings.Contains(message, "consumed at 2026-03-01T12:00:00.000Z") {
		t.Errorf("refused with %q", message)
	}
	replays(t, used, w.rita.Post(path, body, "Idempotency-Key", "k"))
	w.rita.Post(path, `{"context_hash":"sha256:00"}`, "Idempotency-Key", "k").Refused(409, "WF-009")
	w.rita.Post(requestsPath+other+"/consume", body, "Idempotency-Key", "k").Refused(409, "WF-009")
	same(t, "actions", strings.Contains(used.Response("allowed_actions"), "revoke"), false)
	endsWith(t, w, id, "request.approved", "request.consumed")
	w.rita.Post(path, `{"context_hash":"x","consumer":"`+strings.Repeat("x", 201)+`"}`).Refused(422, "")
}

// Example 34.
func TestConsumersAreNamedByThePolicy(t *testing.T) {
	w := boot(t, Options{})
	w.policy("named", `{"single_use":true,"redact":["/iban"],"consumers":{"users":["runner"],"roles":["payments"]}}`, bothApprove)
	request := w.request("named", `"context":{"iban":"X1"}`)
	w.approve(t, request)
	path := requestsPath + request.Response("id")
	body := consume(w, request.Response("id"))
	stranger := w.Client(t, "stranger", "payments-read")
	for _, by := range []*Client{w.rita, w.root, stranger} {
		by.Post(path+"/consume", body).Refused(403, "WF-008")
	}
	stranger.Get(path).Refused(403, "WF-008")
	payer := w.Client(t, "batch", "payments")
	for _, by := range []*Client{w.Client(t, "runner"), payer} {
		read := by.Get(path).Want(200)
		same(t, "content of a consumer", read.Response("context", "iban"), "")
		same(t, "actions of a consumer", read.Response("allowed_actions", 0), "consume")
		for _, sub := range []string{"/events", "/comments", "/revisions/1"} {
			by.Get(path+sub).Refused(403, "WF-008")
		}
		by.Get(requestsPath+unknownID).Refused(403, "WF-008")
	}
	used := payer.Post(path+"/consume", body).Want(200)
	same(t, "used", used.Response("standing")+" "+used.Response("ended_by", "id")+" "+used.Response("context", "iban"), "consumed batch ")
}

// Example 35.
func TestAnApprovalIsRevokedByItsPeople(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"validity":{"valid_for":"PT1H"}}`, bothApprove)
	id, lasts := w.approved(t, "p"), w.approved(t, "p")
	path := requestsPath + id
	w.vic.Post(path+"/revoke", `{"reason":"x"}`).Refused(403, "WF-008")
	w.ana.Post(path+"/revoke", `{"reason":" \u200b "}`).Refused(422, "")
	read := w.ana.Get(path)
	same(t, "ana may", strings.Contains(read.Response("allowed_actions"), "revoke"), true)
	revoked := w.ana.Post(path+"/revoke", `{"reason":"suspended"}`, "If-Match", read.Header.Get("ETag"), "Idempotency-Key", "k").Want(200)
	same(t, "revoked", revoked.Response("status")+" "+revoked.Response("standing")+" "+revoked.Response("end_reason"), "approved revoked suspended")
	replays(t, revoked, w.ana.Post(path+"/revoke", `{"reason":"suspended"}`, "Idempotency-Key", "k"))
	w.ana.Post(path+"/revoke", `{"reason":"other"}`, "Idempotency-Key", "k").Refused(409, "WF-009")
	w.ana.Post(path+"/revoke", `{"reason":"again"}`).Refused(409, "WF-007")
	endsWith(t, w, id, "request.approved", "request.revoked")
	same(t, "stored", w.root.Get(path+"/events?verify=true").Response("verification", "valid"), "true")
	for query, want := range map[string]string{
		"standing=revoked": id, "standing=in_force": lasts, "standing=lapsed": "",
		"standing=in_force&valid_before=2026-03-01T13:00:00Z": "", "standing=in_force&valid_before=2026-03-01T13:00:00.001Z": lasts,
	} {
		same(t, query, strings.Join(w.rita.Get("/v1/wf/requests?"+query).Want(200).Items("id"), " "), want)
	}
	w.Clock.Advance(time.Hour)
	same(t, "lapsed", strings.Join(w.rita.Get("/v1/wf/requests?standing=lapsed").Items("id"), " "), lasts)
	same(t, "ended by", w.rita.Get(requestsPath+lasts).Response("ended_by", "id"), "system:expiry")
	endsWith(t, w, lasts, "request.approved") // a read writes nothing
}

// A missing right precedes a stale If-Match.
func TestTheRightIsCheckedBeforeTheEntityTag(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	open, approved := w.request("p", ""), w.approved(t, "p")
	w.eve.Post(requestsPath+approved+"/revoke", `{"reason":"x"}`, "If-Match", `"77"`).Refused(403, "WF-008")
	w.ana.Post(requestsPath+approved+"/revoke", `{"reason":"x"}`, "If-Match", `"77"`).Refused(409, "WF-007")
	w.eve.Post(requestsPath+open.Response("id")+"/cancel", nil, "If-Match", `"77"`).Refused(403, "WF-008")
	w.eve.Post("/v1/wf/tasks/"+task(t, open, "ana")+"/decision", `{"action":"approve"}`, "If-Match", `"77"`).Refused(403, "WF-008")
	w.ana.Patch(requestsPath+unknownID+"/stages/s", `{}`).Refused(403, "WF-008") // by the role, before the body
	same(t, "status", w.read(open).Response("status"), "in_review")
	same(t, "standing", w.root.Get(requestsPath+approved).Response("standing"), "in_force")
}
