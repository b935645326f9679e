package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
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

// Example 32. No worker runs: the end of the validity applies from its instant on.
func TestAnApprovalLapsesAtItsInstant(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"validity":{"valid_for":"PT1H"},"single_use":true}`, bothApprove)
	open := w.request("p", "")
	same(t, "before the approval", open.Response("standing")+open.Response("valid_until"), "")
	w.approve(t, open)
	id := open.Response("id")
	until := identity.Stamp{Time: w.Clock.Now().Add(time.Hour)}.String()

	w.Clock.Advance(59 * time.Minute)
	read := w.rita.Get(requestsPath + id).Want(200)
	same(t, "after 59 min", read.Response("standing")+" "+read.Response("valid_until")+" "+read.Response("ended_at"), "in_force "+until+" ")
	same(t, "in force", strings.Join(w.rita.Get("/v1/wf/requests?standing=in_force").Items("id"), " "), id)
	for before, want := range map[string]string{"2026-03-01T13:00:00Z": "", "2026-03-01T13:00:00.001Z": id} {
		found := w.rita.Get("/v1/wf/requests?standing=in_force&valid_before=" + before).Items("id")
		same(t, "valid before "+before, strings.Join(found, " "), want)
	}
	same(t, "lapsed", len(w.rita.Get("/v1/wf/requests?standing=lapsed").Items("id")), 0)
	body := consume(w, id)

	w.Clock.Advance(time.Minute)
	read = w.rita.Get(requestsPath + id).Want(200)
	same(t, "after 60 min", read.Response("status")+" "+read.Response("standing")+" "+read.Response("ended_at")+" "+
		read.Response("ended_by", "id"), "approved lapsed "+until+" system:expiry")
	same(t, "in force", len(w.rita.Get("/v1/wf/requests?standing=in_force").Items("id")), 0)
	same(t, "lapsed", strings.Join(w.rita.Get("/v1/wf/requests?standing=lapsed").Items("id"), " "), id)
	same(t, "standing in a list", w.rita.Get("/v1/wf/requests?standing=lapsed").Response("items", 0, "standing"), "lapsed")
	endsWith(t, w, id, "request.approved") // a read writes nothing

	w.rita.Post(requestsPath+id+"/consume", body).Refused(409, "WF-007")
	endsWith(t, w, id, "request.approved", "request.lapsed") // the first write commits it
	w.rita.Post(requestsPath+id+"/revoke", `{"reason":"x"}`).Refused(409, "WF-007")
	w.rita.Post(requestsPath+id+"/consume", body).Refused(409, "WF-007")
	endsWith(t, w, id, "request.approved", "request.lapsed")
	if n, err := w.Engine.Timers.LapseApprovals(t.Context(), w.Clock.Now(), 10); n != 0 || err != nil {
		t.Errorf("the job found %d approvals, %v", n, err)
	}
	w.rita.Post(requestsPath+id+"/comments", `{"text":"too late"}`).Want(200)
	same(t, "stored", w.root.Get(requestsPath+id+"/events?verify=true").Response("verification", "valid"), "true")
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
	w.rita.Post(requestsPath+id+"/revoke", `{"reason":"x"}`).Refused(409, "WF-007")
	same(t, "actions", strings.Contains(used.Response("allowed_actions"), "revoke"), false)
	endsWith(t, w, id, "request.approved", "request.consumed")

	body = consume(w, other)
	statuses := make([]int, 100)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() { statuses[i] = w.rita.Post(requestsPath+other+"/consume", body).Status })
	}
	all.Wait()
	slices.Sort(statuses)
	same(t, "first status", statuses[0], 200)
	if slices.ContainsFunc(statuses[1:], func(s int) bool { return s != 409 }) {
		t.Errorf("100 consumptions at once have the statuses %v", statuses)
	}
	endsWith(t, w, other, "request.approved", "request.consumed")
}

// Example 34.
func TestConsumersAreNamedByThePolicy(t *testing.T) {
	w := boot(t, Options{})
	runner, stranger := w.Client(t, "runner"), w.Client(t, "stranger", "payments-read")
	payer := w.Client(t, "batch", "payments")
	w.policy("own", `{"single_use":true}`, bothApprove)
	w.policy("many", "", bothApprove)
	w.policy("named", `{"single_use":true,"redact":["/iban"],"consumers":{"users":["runner"],"roles":["payments"]}}`, bothApprove)

	id := w.approved(t, "own")
	for _, by := range []*Client{w.eve, w.root, w.ana} {
		by.Post(requestsPath+id+"/consume", consume(w, id)).Refused(403, "WF-008")
	}
	open := w.request("own", "").Response("id")
	w.rita.Post(requestsPath+open+"/consume", consume(w, open)).Refused(409, "WF-007")
	many := w.approved(t, "many")
	w.rita.Post(requestsPath+many+"/consume", consume(w, many)).Refused(409, "WF-007")
	w.rita.Post(requestsPath+unknownID+"/consume", `{"context_hash":"x"}`).Refused(404, "WF-003")
	w.rita.Post(requestsPath+id+"/consume", `{}`).Refused(422, "")
	w.rita.Post(requestsPath+id+"/consume", `{"context_hash":"x","consumer":"`+strings.Repeat("x", 201)+`"}`).Refused(422, "")

	request := w.request("named", `"context":{"iban":"X1"},"callback_url":null`)
	w.approve(t, request)
	id = request.Response("id")
	body := consume(w, id)
	for name, by := range map[string]*Client{"requester": w.rita, "admin": w.root, "stranger": stranger} {
		if message := by.Post(requestsPath+id+"/consume", body).Refused(403, "WF-008"); message == "" {
			t.Errorf("%s is refused without a message", name)
		}
	}
	stranger.Get(requestsPath+id).Refused(403, "WF-008")
	for _, by := range []*Client{runner, payer} {
		read := by.Get(requestsPath + id).Want(200)
		same(t, "content of a consumer", read.Response("context", "iban"), "")
		same(t, "actions of a consumer", read.Response("allowed_actions", 0), "consume")
		for _, sub := range []string{"/events", "/comments", "/revisions/1"} {
			by.Get(requestsPath+id+sub).Refused(403, "WF-008")
		}
		by.Get(requestsPath+unknownID).Refused(403, "WF-008")
		by.Post(requestsPath+id+"/revoke", `{"reason":"x"}`).Refused(403, "WF-008")
	}
	used := payer.Post(requestsPath+id+"/consume", body).Want(200)
	same(t, "used", used.Response("standing")+" "+used.Response("ended_by", "id")+" "+used.Response("context", "iban"), "consumed batch ")
}

// Example 35.
func TestAnApprovalIsRevokedByItsPeople(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	for name, by := range map[string]*Client{"requester": w.rita, "approver": w.ana, "admin": w.root} {
		id := w.approved(t, "p")
		path := requestsPath + id + "/revoke"
		w.eve.Post(path, `{"reason":"x"}`).Refused(403, "WF-008")
		w.vic.Post(path, `{"reason":"x"}`).Refused(403, "WF-008")
		by.Post(path, `{"reason":" \u200b "}`).Refused(422, "")
		by.Post(path, `{}`).Refused(422, "")
		by.Post(path, `{"reason":"x"}`, "If-Match", `"77"`).Refused(409, "WF-007")
		read := by.Get(requestsPath + id)
		same(t, name+" may", strings.Contains(read.Response("allowed_actions"), "revoke"), true)
		same(t, "a party that acts for the requester", w.ClientWith(t, "rita", forPerson).Get(requestsPath+id).Response("allowed_actions"), "[]")
		revoked := by.Post(path, `{"reason":"suspended"}`, "If-Match", read.Header.Get("ETag"), "Idempotency-Key", name).Want(200)
		same(t, name, revoked.Response("status")+" "+revoked.Response("standing")+" "+revoked.Response("end_reason"), "approved revoked suspended")
		replays(t, revoked, by.Post(path, `{"reason":"suspended"}`, "Idempotency-Key", name))
		by.Post(path, `{"reason":"other"}`, "Idempotency-Key", name).Refused(409, "WF-009")
		by.Post(path, `{"reason":"again"}`).Refused(409, "WF-007")
		endsWith(t, w, id, "request.approved", "request.revoked")
		same(t, "stored", w.root.Get(requestsPath+id+"/events?verify=true").Response("verification", "valid"), "true")
	}
	open := w.request("p", "").Response("id")
	w.rita.Post(requestsPath+open+"/revoke", `{"reason":"x"}`).Refused(409, "WF-007")
	w.ana.Post(requestsPath+open+"/revoke", `{"reason":"x"}`).Refused(403, "WF-008") // has not approved
	w.root.Post(requestsPath+unknownID+"/revoke", `{"reason":"x"}`).Refused(404, "WF-003")
	same(t, "revoked", len(w.rita.Get("/v1/wf/requests?standing=revoked").Items("id")), 3)
	same(t, "any", len(w.rita.Get("/v1/wf/requests?standing=revoked,in_force").Items("id")), 3)
	endless := w.approved(t, "p")
	w.Clock.Advance(24 * 365 * time.Hour)
	same(t, "in force", strings.Join(w.rita.Get("/v1/wf/requests?standing=in_force").Items("id"), " "), endless)
	same(t, "lapsed", len(w.rita.Get("/v1/wf/requests?standing=lapsed").Items("id")), 0)
	same(t, "with an end", len(w.rita.Get("/v1/wf/requests?valid_before=2090-01-01T00:00:00Z").Items("id")), 0)
	w.rita.Get("/v1/wf/requests?standing=over").Refused(422, "")
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
