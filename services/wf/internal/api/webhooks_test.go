package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// story triggers every event type. It returns the messages to an endpoint with all subscriptions,
// in the order of the events.
func story(t *testing.T) (*callers, [][]byte) {
	var down, gone atomic.Bool // the directory, and ana
	w := boot(t, Options{Config: signing, Resolve: func(_ context.Context, q approver.Question) ([]identity.User, error) {
		switch {
		case q.Rule.Type == policy.RuleRole && down.Load():
			return nil, reason.NoAnswer("role %s: no answer from upstream", q.Rule.Role)
		case q.Rule.Type == policy.RuleRole && q.Rule.Role == "officer":
			return []identity.User{{ID: "olga"}}, nil
		case q.Rule.Type == policy.RuleRole:
			return nil, nil
		}
		var people []identity.User
		for _, id := range q.Rule.IDs {
			if id != "ana" || !gone.Load() {
				people = append(people, identity.User{ID: id})
			}
		}
		return people, nil
	}})
	w.endpoint(t, "everything", `"events":`+everything)
	old := w.endpoint(t, "old", `"policy_keys":[]`)
	role := func(name string) string {
		return fmt.Sprintf(`{"key":%q,"name":"By role","approvers":[{"type":"role","role":%q}]}`, name, name)
	}
	settle := func(n int, err error) {
		t.Helper()
		if err != nil || n == 0 {
			t.Fatalf("nothing was due, or %v", err)
		}
	}
	decide := func(by *Client, task, action string) {
		t.Helper()
		by.Post("/v1/wf/tasks/"+task+"/decision", fmt.Sprintf(`{"action":%q,"comment":"As discussed"}`, action)).Want(200)
	}

	w.policy("travel", "", poolOfTwo)
	pool := task(t, w.request("travel",
		`"title":"Trip to Lomé","artifact_type":"trip","artifact_id":"T-1","priority":"high","labels":{"team":"field"}`), "")
	w.ana.Post("/v1/wf/tasks/"+pool+"/claim", nil).Want(200)
	w.ana.Post("/v1/wf/tasks/"+pool+"/unclaim", nil).Want(200)
	decide(w.bo, pool, "approve")

	w.policy("batch", "", bothApprove, `{"key":"director","name":"Director","when":"false","approvers":[{"type":"user","ids":["dora"]}]}`)
	sentBack := w.request("batch", "")
	w.root.Post("/v1/wf/tasks/"+task(t, sentBack, "ana")+"/reassign", `{"new_assignee":"dan","reason":"On leave"}`).Want(200)
	decide(w.bo, task(t, sentBack, "bo"), "request_changes")
	w.rita.Post("/v1/wf/requests/"+sentBack.Response("id")+"/comments", `{"text":"Which payments?","mentions":["bo"]}`).Want(200)
	again := w.rita.Post("/v1/wf/requests/"+sentBack.Response("id")+"/resubmit", `{"comment":"Two payments less"}`).Want(200)
	decide(w.bo, task(t, again, "bo"), "reject")
	approved := w.request("batch", "")
	decide(w.ana, task(t, approved, "ana"), "approve")
	decide(w.bo, task(t, approved, "bo"), "approve")
	undone := task(t, w.request("batch", ""), "ana")
	decide(w.ana, undone, "approve")
	w.ana.Post("/v1/wf/tasks/"+undone+"/withdraw", `{"reason":"Approved by mistake"}`).Want(200)
	cancelled := w.request("batch", "")
	w.rita.Post("/v1/wf/requests/"+cancelled.Response("id")+"/cancel", `{"reason":"Sent by mistake"}`).Want(200)

	w.policy("empty", `{"admin_override":true}`, role("nobody"))
	rescued := task(t, w.request("empty", ""), "")
	w.root.Post("/v1/wf/tasks/"+rescued+"/reassign", `{"new_assignee":"dora"}`).Want(200)
	decide(w.root, task(t, w.request("empty", ""), ""), "approve")

	w.policy("asked", "", anyApproves, role("officer"))
	down.Store(true)
	decide(w.ana, task(t, w.request("asked", ""), "ana"), "approve")
	down.Store(false)
	w.Clock.Advance(5 * time.Second)
	settle(w.Engine.Timers.RetryStages(t.Context(), w.Clock.Now(), 10))

	w.request("batch", "")
	routed := w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-02T12:00:00Z","reason":"Holiday"}`).Want(201)
	w.ana.Delete(routed.Header.Get("Location")).Want(200)
	w.ana.Post("/v1/wf/delegations", `{"delegate_to":"eli","ends_at":"2026-03-02T12:00:00Z"}`).Want(201)
	settle(w.Engine.Delegations.RecordDelegations(t.Context(), w.Clock.Now(), 10))
	w.Clock.Advance(24 * time.Hour)
	settle(w.Engine.Delegations.RecordDelegations(t.Context(), w.Clock.Now(), 10))

	w.ana.Post("/v1/wf/tasks/"+task(t, w.request("travel", ""), "")+"/claim", nil).Want(200)
	gone.Store(true)
	must(t, w.Engine.Timers.Sweep(t.Context()))
	gone.Store(false)

	w.policy("timed", "", `{"key":"check","name":"Check","approvers":[{"type":"user","ids":["ana"]}],"deadline":{
		"due_in":"PT2H","remind_before":["PT1H"],"on_due":"escalate","escalate_to":[{"type":"user","ids":["dora"]}]}}`,
		`{"key":"next","name":"Next","approvers":[{"type":"user","ids":["bo"]}],"deadline":{
		"due_in":"PT1H","on_due":"escalate","escalate_to":[{"type":"user","ids":["bo"]}]}}`)
	timed := w.request("timed", "")
	w.root.Patch("/v1/wf/requests/"+timed.Response("id")+"/stages/check", fmt.Sprintf(`{"due_at":%q,"reason":"Month end"}`,
		w.Clock.Now().Add(3*time.Hour).Format(time.RFC3339))).Want(200)
	for range 3 {
		w.Clock.Advance(time.Hour)
		_, err := w.Engine.Timers.ProcessDeadlines(t.Context(), w.Clock.Now(), 10)
		settle(1, err)
	}
	decide(w.ana, task(t, timed, "ana"), "approve")
	w.Clock.Advance(time.Hour)
	settle(w.Engine.Timers.ProcessDeadlines(t.Context(), w.Clock.Now(), 10))

	w.policy("short", `{"expires_in":"PT1H"}`, bothApprove)
	w.request("short", "")
	w.Clock.Advance(45 * time.Minute)
	settle(w.Engine.Timers.WarnOfExpiry(t.Context(), 30*time.Minute, w.Clock.Now(), 10))
	w.Clock.Advance(15 * time.Minute)
	settle(w.Engine.Timers.ExpireRequests(t.Context(), w.Clock.Now(), 10))
	w.root.Post("/v1/wf/policies/short/versions/1/deactivate", nil).Want(200)

	w.policy("once", `{"validity":{"valid_for":"PT1H"},"single_use":true}`, bothApprove)
	lapses, revoked, consumed := w.approved(t, "once"), w.approved(t, "once"), w.approved(t, "once")
	w.ana.Post("/v1/wf/requests/"+revoked+"/revoke", `{"reason":"The supplier was suspended"}`).Want(200)
	hash := w.rita.Get("/v1/wf/requests/" + consumed).Response("context_hash")
	w.rita.Post("/v1/wf/requests/"+consumed+"/consume", fmt.Sprintf(`{"context_hash":%q,"consumer":"payment run 17"}`, hash)).Want(200)
	w.Clock.Advance(45 * time.Minute)
	settle(w.Engine.Timers.WarnOfLapse(t.Context(), 30*time.Minute, w.Clock.Now(), 10))
	w.Clock.Advance(15 * time.Minute)
	settle(w.Engine.Timers.LapseApprovals(t.Context(), w.Clock.Now(), 10))
	same(t, "the approval", w.rita.Get("/v1/wf/requests/"+lapses).Response("standing"), "lapsed")

	all := w.root.Get(endpoints+"?q=everything").Response("items", 0, "id")
	w.root.Post(endpoints+"/"+all+"/test", nil).Want(200)
	send := func() {
		for w.Deliver(t) > 0 {
		}
	}
	if err := w.Engine.Audit.MakeCheckpoint(t.Context(), time.Minute); err != nil {
		t.Fatalf("no checkpoint: %v", err)
	}
	send()
	w.root.Post(old+"/test", nil).Want(200)
	w.Receiver.Answer(http.StatusGone)
	w.Deliver(t)
	w.Receiver.Answer(http.StatusNoContent)
	send()

	var bodies [][]byte
	for _, hook := range w.Receiver.Got() {
		if hook.Path == "/everything" {
			bodies = append(bodies, hook.Body)
		}
	}
	slices.SortFunc(bodies, func(a, b []byte) int { return strings.Compare(happened(t, a), happened(t, b)) })
	return w, bodies
}

// happened orders messages by time, and those of one moment request by request.
func happened(t *testing.T, message []byte) string {
	t.Helper()
	var m struct {
		Timestamp string
		Data      struct {
			Sequence int64
			Request  struct{ ID string }
		}
	}
	must(t, json.Unmarshal(message, &m))
	return fmt.Sprintf("%s %36s %06d", m.Timestamp, m.Data.Request.ID, m.Data.Sequence)
}

var (
	uuids  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	tokens = regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`)
)

// Run it with -update after a change of the messages, and make openapi then.
func TestEveryMessageIsAsDocumented(t *testing.T) {
	const examplesFile = "webhooks.json"
	w, messages := story(t) // the receiver holds each message against its entry
	known := map[string]string{}
	examples := map[string]json.RawMessage{}
	pinned, err := os.ReadFile("../trail/testdata/checkpoints.jws") // a checkpoint has the hashes of all ids
	must(t, err)
	checkpoint, _, _ := bytes.Cut(pinned, []byte("\n"))
	for _, message := range messages {
		stable := uuids.ReplaceAllFunc(message, func(id []byte) []byte {
			if known[string(id)] == "" {
				known[string(id)] = fmt.Sprintf("0199a000-0000-7000-8000-%012d", len(known)+1)
			}
			return []byte(known[string(id)])
		})
		stable = tokens.ReplaceAllLiteral(stable, checkpoint)
		var payload struct{ Type string }
		must(t, json.Unmarshal(stable, &payload))
		if examples[payload.Type] == nil {
			examples[payload.Type] = stable
		}
	}
	for _, kind := range append(slices.Clone(audit.EventTypes), audit.EventWebhookTest) {
		if examples[string(kind)] == nil {
			t.Errorf("no %s happened", kind)
		}
		if !slices.Contains(w.Webhooks(), string(kind)) {
			t.Errorf("%s is not documented", kind)
		}
	}
	same(t, "documented types", len(w.Webhooks()), len(audit.EventTypes)+1)

	generated, err := json.MarshalIndent(examples, "", "  ")
	must(t, err)
	generated = append(generated, '\n')
	stored := webtest.ReadGolden(t, examplesFile, generated)
	if !bytes.Equal(stored, generated) {
		t.Errorf("the examples differ from the messages (-stored +sent):\n%s", cmp.Diff(string(stored), string(generated)))
	}
	var document struct {
		Webhooks map[string]struct {
			Post struct {
				RequestBody struct {
					Content map[string]struct{ Example json.RawMessage }
				}
			}
		}
	}
	must(t, json.Unmarshal(w.Anonymous(t).Get("/openapi.json").Body, &document))
	for kind, hook := range document.Webhooks {
		if err := w.CheckWebhook(hook.Post.RequestBody.Content["application/json"].Example); err != nil {
			t.Errorf("the example of %s: %v", kind, err)
		}
	}
}

func TestAMessageThatDoesNotFitItsTypeIsSeen(t *testing.T) {
	w := boot(t, Options{})
	stored, err := os.ReadFile("webhooks.json")
	must(t, err)
	var examples map[string]wf.Payload
	must(t, json.Unmarshal(stored, &examples))
	for name, change := range map[string]func(p *wf.Payload){
		"another type":        func(p *wf.Payload) { p.Type = "task.unknown" },
		"no request":          func(p *wf.Payload) { p.Data.Request = nil },
		"no task":             func(p *wf.Payload) { p.Data.Task = nil },
		"a decision too many": func(p *wf.Payload) { p.Data.Decision = &wf.Decision{} },
	} {
		payload := examples["task.created"]
		raw, err := json.Marshal(payload)
		if err != nil || w.CheckWebhook(raw) != nil {
			t.Fatal(err, w.CheckWebhook(raw))
		}
		change(&payload)
		if raw, err = json.Marshal(payload); err != nil || w.CheckWebhook(raw) == nil {
			t.Errorf("%s: not seen, %v", name, err)
		}
	}
}
