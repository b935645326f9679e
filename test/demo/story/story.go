// Package story is a tour of the services. Each step makes real calls, prints them and the conclusion;
// the first answer that differs from the expected one ends the tour.
package story

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/bearer"
)

// Options locates the services.
type Options struct {
	WF        string // base URL of wf, which runs with --dev
	Registrar string // base URL of oidc-registrar; without it its part is left out
	Data      string // folder with the key that signs tokens and the secret that signs callbacks
	Secret    string // signs callbacks, if not that of Data
	Receiver  string // host:port for webhooks, by the name that wf calls; a free port of 127.0.0.1 when empty
}

// Run makes the tour and prints it to out. Its error names the failed step. Every run uses names of
// its own, so that it can be repeated on the same database.
func Run(ctx context.Context, out io.Writer, o Options) error {
	s := &story{
		Options: o, ctx: ctx, printer: &printer{out: out},
		http: &http.Client{Timeout: patience},
		run:  strings.ToLower(rand.Text()[:8]),
	}
	s.policy = "disbursement.batch-" + s.run
	parts := []func(){s.service, s.meet, s.policies, s.request, s.checks, s.director, s.showOutcome, s.endings}
	if o.Registrar != "" {
		parts = append(parts, s.catalogue, s.register, s.approvals)
	}
	for _, part := range parts {
		if s.err == nil {
			part()
		}
	}
	if s.hooks != nil {
		s.hooks.close()
	}
	if s.err == nil {
		s.print("\nAll %d steps succeeded.\n", s.number)
	}
	return s.err
}

// story is the state of a tour. It lives no longer than Run, whose context it keeps.
type story struct {
	Options
	*printer
	ctx  context.Context
	http *http.Client
	keys *bearer.DevIssuer
	run  string // makes the names of this run unique

	// Users of wf.
	ana, rosa, fatima, felix, paula, pedro, paul, dora, dan person

	hooks   *receiver // of callbacks
	policy  string    // its key
	big     string    // the main request, by id
	created *answer   // to its creation

	// Tasks of big, by id.
	fatimas, pedros, paulas string

	// Users of the registrar. The partners of vera and boris are tax and bank.
	admin, vera, boris, idp person
	tax, bank               string
}

// The development issuer of wf serve --dev, and the audiences of its tokens.
const (
	issuer            = "https://dev.countersign.local"
	wfAudience        = "countersign-wf"
	registrarAudience = "countersign-registrar"
)

// service checks the health of wf.
func (s *story) service() {
	s.chapter("The service")
	anonymous := person{story: s, base: s.WF, name: "anonymous"}

	s.step("Check the health of the service")
	anonymous.get("/v1/wf/health").is(200).has("status", "UP").has("checks.database", "UP")
	anonymous.get("/v1/wf/requests").refused(401, "WF-008")
	s.proves("Every operation except health requires a bearer token. Every error has a stable code.")
}

// meet issues the tokens and starts a receiver of callbacks.
func (s *story) meet() {
	s.step("Issue tokens for the users of this tour")
	secret, err := s.secret()
	if err != nil {
		s.fail("read the secret of the development files: %w", err)
		return
	}
	if s.hooks, err = listen(s.ctx, cmp.Or(s.Receiver, "127.0.0.1:0"), secret); err != nil {
		s.fail("%w", err)
		return
	}
	if s.keys, err = bearer.OpenDevIssuer(filepath.Join(s.Data, "dev-issuer.jwk")); err != nil {
		s.fail("%w", err)
		return
	}
	for name, who := range map[string]*person{
		"rosa": &s.rosa, "fatima": &s.fatima, "felix": &s.felix, "paula": &s.paula, "pedro": &s.pedro,
		"paul": &s.paul, "dora": &s.dora, "dan": &s.dan,
	} {
		*who = s.enter(s.WF, bearer.DevToken{Subject: name})
	}
	s.ana = s.enter(s.WF, bearer.DevToken{Subject: "ana", Roles: []string{"WF_ADMIN"}})
	s.line("ana                   administrator: role WF_ADMIN")
	s.line("rosa                  requester, and finance officer")
	s.line("fatima, felix         finance officers")
	s.line("paula, pedro          programme officers; paul and petra, their colleagues")
	s.line("dora, dan             directors")
	s.proves("In development a key in a file signs the tokens. In production the identity provider issues them.")
}

// secret returns the secret that signs callbacks and calls of resolvers.
func (s *story) secret() (string, error) {
	if s.Secret != "" {
		return s.Secret, nil
	}
	content, err := os.ReadFile(filepath.Join(s.Data, "dev-webhook.secret"))
	return strings.TrimSpace(string(content)), err
}

// enter issues a token for a user of a service.
func (s *story) enter(base string, token bearer.DevToken) person {
	token.Issuer, token.Audience = issuer, wfAudience
	if base == s.Registrar {
		token.Audience = registrarAudience
	}
	signed, err := s.keys.Issue(token)
	if err != nil {
		s.fail("%w", err)
	}
	return person{story: s, base: base, name: token.Subject, token: signed}
}

// definition returns the policy of the tour. Its first stage needs the given number of approvals.
func (s *story) definition(approvals int) object {
	user := func(ids ...string) object { return object{"type": "user", "ids": ids, "min_approvals": 1} }
	return object{
		"policy_key": s.policy, "name": "Disbursement batch approval",
		"settings": object{"require_comment": object{"reject": true}},
		"stages": []object{
			{
				"key": "checks", "name": "Finance and programme", "assignment": "each",
				"approvers": []object{user("fatima", "felix", "rosa"), user("paula", "pedro")},
				"quorum":    object{"mode": "count", "value": approvals},
			},
			{
				"key": "director", "name": "Director", "when": "context.amount > 50000.0", "assignment": "pool",
				"approvers": []object{{"type": "user", "ids": []string{"dora", "dan"}}}, "quorum": object{"mode": "any"},
			},
		},
	}
}

// policies creates, simulates and activates the policy.
func (s *story) policies() {
	s.chapter("Policies")
	path := "/v1/wf/policies/" + s.policy

	s.step("Create a policy: finance and programme, then a director above 50,000")
	s.line("checks: two approvals, one of them by fatima, felix or rosa, one by paula or pedro")
	s.line("director: dora or dan, when context.amount > 50000.0")
	s.ana.post("/v1/wf/policies", s.definition(2)).is(201).has("policy_key", s.policy).has("version", 1).has("status", "draft")
	s.proves("A policy starts as a draft, version 1. Requests cannot use it.")

	s.step("Require more approvals than approvers: refused")
	s.ana.put(path, s.definition(9)).refused(400, "WF-010")
	s.proves("A policy is validated when it is written, not when a request needs it.")

	s.step("Simulate the draft with 60,000 and with 10,000")
	approve := func(user string) object { return object{"stage": "checks", "user": user, "action": "approve"} }
	approved := []object{approve("fatima"), approve("paula")}
	for amount, outcome := range map[int]string{60000: "in_review", 10000: "approved"} {
		input := object{"context": object{"amount": amount}, "requester": "rosa", "play": approved}
		s.ana.post(path+"/versions/1/simulate", input).
			is(200).has("stages.1.when.value", amount > 50000).has("play.1.request_status", outcome)
	}
	s.proves("Two approvals complete the small request; the large one continues with the director. A simulation stores nothing.")

	s.step("Activate version 1")
	s.ana.post(path+"/versions/1/activate", nil).is(200).has("status", "active")
	s.proves("At most one version of a policy is active. New requests use it.")
}

// request creates a request.
func (s *story) request() {
	s.chapter("A request")
	ask := object{
		"policy_key": s.policy, "artifact_type": "disbursement_batch", "artifact_id": "B-17-" + s.run,
		"title": "School grants, batch 17", "context": object{"amount": 60000},
	}
	if s.err == nil {
		ask["callback_url"] = s.hooks.url
	}
	rosa := s.rosa
	rosa.key = "batch-17-" + s.run

	s.step("Rosa creates a request for 60,000, with an Idempotency-Key and a callback_url")
	s.created = rosa.post("/v1/wf/requests", ask).is(201).
		has("status", "in_review").has("policy_version", 1).has("current_stages", []string{"checks"}).
		has("stages.0.quorum.need", 2).has("stages.0.quorum.seats", 4)
	s.big = s.created.value("id")
	s.fatimas, s.pedros, s.paulas = s.created.taskOf("fatima"), s.created.taskOf("pedro"), s.created.taskOf("paula")
	s.created.has("stages.0.excluded", []object{{"reason": "requester", "user": object{"id": "rosa"}}})
	s.proves("Each approver of the stage has a task. Rosa is a finance officer, but requesters never approve their own requests.")

	s.step("Repeat the call after a lost reply")
	again := rosa.post("/v1/wf/requests", ask).is(201)
	if s.err == nil && !bytes.Equal(again.raw, s.created.raw) {
		s.fail("the replay differs from the first answer: %s", again.raw)
	}
	ask["context"] = object{"amount": 61000}
	rosa.post("/v1/wf/requests", ask).refused(409, "WF-009")
	s.proves("The same key and body have the same reply, and there is one request. A key belongs to one body.")
}

// checks completes the first stage.
func (s *story) checks() {
	s.chapter("Stage one: finance and programme")
	approve := object{"action": "approve"}

	s.step("Fatima approves for finance; Felix may not in her place")
	s.felix.decide(s.fatimas, approve).refused(403, "WF-008")
	s.fatima.decide(s.fatimas, approve).is(200).
		has("task.status", "completed").has("request.status", "in_review").
		has("request.stages.0.quorum.approvals", 1).has("request.stages.0.quorum.need", 2)
	s.proves("Only the assignee decides a task. One of two approvals is there; programme is open.")

	s.step("Ana reassigns Pedro's task to Petra")
	s.ana.post("/v1/wf/tasks/"+s.pedros+"/reassign", object{"new_assignee": "petra", "reason": "Pedro is away today"}).is(200).
		has("id", s.pedros).has("assignee.id", "petra").has("reassigned_from.id", "pedro")
	s.pedro.decide(s.pedros, approve).refused(403, "WF-008")
	s.proves("The task keeps its id and its seat.")

	s.step("Paula delegates to Paul for a week")
	s.paul.get("/v1/wf/me").is(200) // a delegate is known: they have signed in
	s.paula.post("/v1/wf/delegations", object{
		"delegate_to": "paul", "ends_at": time.Now().Add(7 * 24 * time.Hour).UTC().Format(time.RFC3339),
		"scope": object{"policy_keys": []string{s.policy}}, "reason": "annual leave",
	}).is(201).has("status", "active")
	s.proves("Paul may decide for her under this policy until the delegation ends.")

	s.step("Paul approves on behalf of Paula")
	s.paul.decide(s.paulas, approve).is(200).
		has("decision.actor.id", "paul").has("decision.on_behalf_of.id", "paula").
		has("request.stages.0.status", "approved").has("request.current_stages", []string{"director"})
	s.proves("Both minimums are met, and the stage is approved. The decision names delegate and delegator.")
}

// director completes the second stage.
func (s *story) director() {
	s.chapter("Stage two: one of the directors")
	inbox := "/v1/wf/tasks?inbox=me&status=open&policy_key=" + s.policy

	s.step("Dora claims the task, and so does Dan: refused")
	offered := s.dan.get(inbox).is(200).has("items.0.assignee", nil).has("items.0.candidate_count", 2).value("items.0.id")
	s.dora.post("/v1/wf/tasks/"+offered+"/claim", nil).is(200).has("status", "claimed").has("assignee.id", "dora")
	s.dan.post("/v1/wf/tasks/"+offered+"/claim", nil).refused(409, "WF-007")
	s.proves("The task of a pool is in the inbox of each candidate. Of two concurrent claims exactly one succeeds.")

	s.step("Dora approves")
	s.dora.decide(offered, object{"action": "approve", "comment": "Go ahead."}).is(200).
		has("request.status", "approved").has("request.status_reason.code", "quorum_met")
	s.proves("The last stage is approved, and so is the request.")
}

// showOutcome shows webhooks, timeline and audit trail.
func (s *story) showOutcome() {
	s.chapter("Webhooks and audit trail")
	path := "/v1/wf/requests/" + s.big

	s.step("Receive webhooks of the request")
	s.webhooks()
	s.proves("Webhooks follow the Standard Webhooks specification. Its library verifies the signature here.")

	s.step("Read and verify the timeline")
	timeline := s.ana.get(path+"/events?verify=true&limit=200").is(200).has("verification.valid", true)
	events := timeline.list("items")
	timeline.has("verification.events", len(events))
	for i := range events {
		at := fmt.Sprintf("items.%d.", i)
		s.line("     %2d  %-20s %s", i+1, timeline.value(at+"type"), timeline.value(at+"actor.id"))
	}
	s.proves("Each event contains the hash of the previous one, so a changed event is detected.")
}

// webhooks checks the webhook of the approval.
func (s *story) webhooks() {
	if s.err != nil {
		return
	}
	h, err := s.hooks.await(s.ctx, s.big, "request.approved")
	if err != nil {
		s.fail("%w", err)
		return
	}
	s.line("POST %s  %s, status %s, event %d of the request, signature valid", s.hooks.url, h.Type, h.Data.Request.Status, h.Data.Sequence)
	forged := bytes.Replace(h.body, []byte("approved"), []byte("rejected"), 1)
	if s.hooks.secret.Verify(forged, h.header) == nil {
		s.fail("the signature of %s is valid for a forged body", h.Type)
	}
	s.line("the same with a changed status: signature invalid")
}

// endings shows other outcomes of a request.
func (s *story) endings() {
	s.chapter("Other outcomes")
	open := func(title string, amount int) *answer {
		return s.rosa.post("/v1/wf/requests", object{"policy_key": s.policy, "title": title, "context": object{"amount": amount}}).is(201)
	}

	s.step("Fatima rejects a request, with a comment")
	rejected := open("Gold taps", 20000)
	task := rejected.taskOf("fatima")
	s.fatima.decide(task, object{"action": "reject", "comment": "Not a school need."}).is(200).
		has("request.status", "rejected").has("request.status_reason.code", "veto").has("request.stages.0.approvers.1.status", "skipped")
	s.proves("Under this policy one rejection ends the request and its other tasks.")

	s.step("Cancel a request")
	cancelled := "/v1/wf/requests/" + open("Bus", 30000).value("id") + "/cancel"
	s.rosa.post(cancelled, object{"reason": "bought elsewhere"}).is(200).has("status", "cancelled").has("status_reason.code", "withdrawn")
	s.rosa.post(cancelled, nil).refused(409, "WF-007")
	s.proves("The requester may cancel. A final state never changes.")
}
