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
	// WF is the base URL of wf, such as http://127.0.0.1:8081. It runs with --dev.
	WF string

	// Registrar is the base URL of oidc-registrar, which trusts the same issuer of
	// tokens; its part is left out when empty.
	Registrar string

	// Data is the folder of the services' development files: the key that signs
	// tokens and the secret that signs callbacks.
	Data string

	// Secret signs callbacks, if not that of Data: whsec_ and base64.
	Secret string

	// Receiver is host:port to listen on for webhooks, by the name that wf calls. A
	// free port of 127.0.0.1 when empty.
	Receiver string

	// Program is the wf to start beside, with a directory of its own; the part about
	// directories is left out when empty.
	Program string

	// Colour asks for terminal colours.
	Colour bool
}

// Run makes the tour and prints it to out. Its error names the failed step. Every run uses names of
// its own, so that it can be repeated on the same database.
func Run(ctx context.Context, out io.Writer, o Options) error {
	s := &story{
		Options: o, ctx: ctx, teller: &teller{out: out, colour: o.Colour},
		http: &http.Client{Timeout: 30 * time.Second},
		run:  strings.ToLower(rand.Text()[:8]),
	}
	s.policy = "disbursement.batch-" + s.run
	for _, part := range []func(){s.service, s.meet, s.policies, s.request, s.checks, s.director, s.showOutcome, s.endings, s.endpoints} {
		if s.err == nil {
			part()
		}
	}
	if s.port != nil {
		s.port.close()
	}
	if s.err == nil && o.Program != "" {
		s.directory()
	}
	for _, part := range []func(){s.catalogue, s.register, s.refusals, s.login, s.approvals} {
		if s.err == nil && o.Registrar != "" {
			part()
		}
	}
	if s.err == nil {
		s.print("\nAll %d steps succeeded.\n", s.number)
	}
	return s.err
}

// story is the state of a tour. It lives no longer than Run, whose context it keeps.
type story struct {
	Options
	*teller
	ctx  context.Context
	http *http.Client
	keys *bearer.DevIssuer
	run  string // makes the names of this run unique

	// Users of wf.
	ana, rosa, fatima, felix, paula, pedro, petra, paul, dora, dan person

	port       *port
	hooks      *receiver // of callbacks
	policy     string    // its key
	big        string    // the main request, by id
	created    *answer   // to its creation
	delegation string    // from paula to paul, by id

	// Tasks of big, by id.
	fatimas, pedros, paulas, offered string

	// Users of the registrar. The partners of vera and boris are tax and bank.
	admin, vera, boris, idp person
	tax, bank               string
	portal                  portal
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
	s.proves("The schema is current, the workers run and the database answers. Probes need no token.")

	s.step("Call without a token")
	anonymous.get("/v1/wf/requests").expectCodes(401, "WF-008")
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
	if s.port, err = listen(s.ctx, cmp.Or(s.Receiver, "127.0.0.1:0")); err != nil {
		s.fail("%w", err)
		return
	}
	if s.hooks, err = s.port.receiver("/hooks", secret); err != nil {
		s.fail("%w", err)
		return
	}
	if s.keys, err = bearer.OpenDevIssuer(filepath.Join(s.Data, "dev-issuer.jwk")); err != nil {
		s.fail("%w", err)
		return
	}
	for name, who := range map[string]*person{
		"ana": &s.ana, "rosa": &s.rosa, "fatima": &s.fatima, "felix": &s.felix, "paula": &s.paula,
		"pedro": &s.pedro, "petra": &s.petra, "paul": &s.paul, "dora": &s.dora, "dan": &s.dan,
	} {
		token := bearer.DevToken{Subject: name}
		if who == &s.ana {
			token.Roles = []string{"WF_ADMIN"}
		}
		*who = s.enter(s.WF, token)
	}
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
	return object{
		"policy_key": s.policy,
		"name":       "Disbursement batch approval",
		"context_schema": object{
			"type": "object", "required": []string{"amount"},
			"properties": object{"amount": object{"type": "number", "minimum": 0}},
		},
		"settings": object{"require_comment": object{"reject": true}},
		"stages": []object{
			{
				"key": "checks", "name": "Finance and programme", "assignment": "each",
				"approvers": []object{
					{"type": "user", "ids": []string{"fatima", "felix", "rosa"}, "min_approvals": 1, "label": "finance"},
					{"type": "user", "ids": []string{"paula", "pedro"}, "min_approvals": 1, "label": "programme"},
				},
				"quorum": object{"mode": "count", "value": approvals},
			},
			{
				"key": "director", "name": "Director", "when": "context.amount > 50000.0",
				"assignment": "pool",
				"approvers":  []object{{"type": "user", "ids": []string{"dora", "dan"}}},
				"quorum":     object{"mode": "any"},
			},
		},
	}
}

// policies creates, simulates and activates the policy.
func (s *story) policies() {
	s.chapter("Policies")
	path := "/v1/wf/policies/" + s.policy
	ask := object{"policy_key": s.policy, "context": object{"amount": 60000}}

	s.step("Create a policy: finance and programme, then a director above 50,000")
	s.line("checks: two approvals, one of them by fatima, felix or rosa, one by paula or pedro")
	s.line("director: dora or dan, when context.amount > 50000.0")
	s.ana.post("/v1/wf/policies", s.definition(2)).is(201).has("policy_key", s.policy).has("version", 1).has("status", "draft")
	s.proves("A policy starts as a draft, version 1. Requests cannot use it.")

	s.step("Create it again: refused")
	s.ana.post("/v1/wf/policies", s.definition(2)).expectCodes(409, "WF-002")
	s.proves("A key belongs to one policy. PUT adds a version.")

	s.step("Misspell a member: refused")
	misspelt := s.definition(2)
	misspelt["stagse"] = misspelt["stages"]
	s.ana.put(path, misspelt).invalid("extra_forbidden", "body stagse")
	s.proves("An ignored rule would be dangerous. Replies with 422 have no envelope.")

	s.step("Require more approvals than approvers: refused")
	s.ana.put(path, s.definition(9)).expectCodes(400, "WF-010")
	s.proves("A policy is validated when it is written, not when a request needs it.")

	s.step("Create a request under a draft: refused")
	s.rosa.post("/v1/wf/requests", object{"policy_key": "no-such-policy"}).expectCodes(404, "WF-001")
	s.rosa.post("/v1/wf/requests", ask).expectCodes(404, "WF-001")
	s.proves("To requesters a draft does not exist.")

	s.step("Simulate the draft with 60,000 and with 10,000")
	decisions := []object{
		{"stage_key": "checks", "user_id": "fatima", "action": "approve"},
		{"stage_key": "checks", "user_id": "paula", "action": "approve"},
	}
	for _, try := range []struct {
		amount  int
		needed  bool
		outcome string
	}{{60000, true, "in_review"}, {10000, false, "approved"}} {
		s.ana.post(path+"/versions/1/simulate", object{"context": object{"amount": try.amount}, "requester": "rosa", "decisions": decisions}).
			is(200).has("outcome", "would_start").
			has("stages.1.when.value", try.needed).
			has("play.1.stage_status", "approved").has("play.1.request_status", try.outcome)
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
	if s.hooks != nil {
		ask["callback_url"] = s.hooks.url
	}
	rosa := s.rosa.withKey("batch-17-" + s.run)

	s.step("Rosa creates a request for 60,000, with an Idempotency-Key and a callback_url")
	s.created = rosa.post("/v1/wf/requests", ask).is(201).
		has("status", "in_review").has("policy_version", 1).has("current_stages", []string{"checks"}).
		has("stages.0.quorum.need", 2).has("stages.0.quorum.seats", 4)
	s.big = s.created.value("id")
	s.fatimas, s.pedros, s.paulas = s.created.taskOf("fatima"), s.created.taskOf("pedro"), s.created.taskOf("paula")
	s.proves("Each approver of the stage has a task. The request keeps version 1 until its end.")

	s.step("Reassign a task to the requester: refused")
	s.created.has("stages.0.excluded", []object{{"reason": "requester", "user": object{"id": "rosa"}}})
	s.ana.post("/v1/wf/tasks/"+s.fatimas+"/reassign", object{"new_assignee": "rosa"}).expectCodes(409, "WF-007")
	s.proves("Rosa is a finance officer, but requesters never approve their own requests.")

	s.step("Repeat the call after a lost reply")
	again := rosa.post("/v1/wf/requests", ask).is(201).hasHeader("Idempotency-Replayed", "true")
	if s.err == nil && !bytes.Equal(again.raw, s.created.raw) {
		s.fail("the replay differs from the first answer: %s", again.raw)
	}
	s.line("     %d bytes, the same as before", len(again.raw))
	s.proves("The reply is identical, and there is one request.")

	s.step("Reuse the key with another amount: refused")
	ask["context"] = object{"amount": 61000}
	rosa.post("/v1/wf/requests", ask).expectCodes(409, "WF-009")
	s.proves("A key belongs to one body, so a faulty caller is not mistaken for a retry.")
}

// checks completes the first stage.
func (s *story) checks() {
	s.chapter("Stage one: finance and programme")
	approve := object{"action": "approve"}

	s.step("Decide another approver's task: refused")
	s.felix.decide(s.fatimas, approve).expectCodes(403, "WF-008")
	s.proves("Only the assignee decides a task.")

	s.step("Fatima approves for finance")
	s.fatima.decide(s.fatimas, approve).is(200).
		has("task.status", "completed").has("request.status", "in_review").
		has("request.stages.0.quorum.approvals", 1).has("request.stages.0.quorum.need", 2)
	s.proves("One of two approvals. Programme is open.")

	s.step("Ana reassigns Pedro's task to Petra")
	s.ana.post("/v1/wf/tasks/"+s.pedros+"/reassign", object{"new_assignee": "petra", "reason": "Pedro is away today"}).is(200).
		has("id", s.pedros).has("assignee.id", "petra").has("reassigned_from.id", "pedro")
	s.pedro.decide(s.pedros, approve).expectCodes(403, "WF-008")
	s.proves("The task keeps its id and its seat.")

	s.step("Paula delegates to Paul for a week")
	s.delegation = s.paula.post("/v1/wf/delegations", object{
		"delegate_to": "paul", "ends_at": time.Now().Add(7 * 24 * time.Hour).UTC().Format(time.RFC3339),
		"scope": object{"policy_keys": []string{s.policy}}, "reason": "annual leave",
	}).is(201).has("status", "active").has("routed_open_tasks", 1).value("id")
	s.paul.get("/v1/wf/tasks/"+s.paulas).is(200).has("assignee.id", "paul").has("on_behalf_of.id", "paula")
	s.paul.get("/v1/wf/me").is(200).has("id", "paul").has("delegations.received.0.id", s.delegation)
	s.proves("Her open and future tasks under this policy go to Paul until the delegation ends.")

	s.step("Paul approves on behalf of Paula")
	s.paul.decide(s.paulas, approve).is(200).
		has("decision.actor.id", "paul").has("decision.on_behalf_of.id", "paula").
		has("request.stages.0.status", "approved").has("request.current_stages", []string{"director"})
	s.proves("Both minimums are met, and the stage is approved. The decision names delegate and delegator.")

	s.step("Decide after the stage: refused")
	s.petra.decide(s.pedros, object{"action": "reject", "comment": "too much"}).expectCodes(409, "WF-007")
	s.proves("A completed stage accepts no further decision.")
}

// director completes the second stage.
func (s *story) director() {
	s.chapter("Stage two: one of the directors")
	inbox := "/v1/wf/tasks?inbox=me&status=open&policy_key=" + s.policy

	s.step("Dora and Dan list their inboxes")
	found := s.dora.get(inbox).is(200).has("items.0.assignee", nil).has("items.0.candidate_count", 2).has("items.0.allowed_actions", []string{"claim", "decide"})
	s.offered = found.value("items.0.id")
	s.dan.get(inbox).is(200).has("items.0.id", s.offered)
	s.proves("The task of a pool is in the inbox of each candidate.")

	s.step("Dora claims it")
	s.dora.post("/v1/wf/tasks/"+s.offered+"/claim", nil).is(200).has("status", "claimed").has("assignee.id", "dora")
	s.proves("The task is assigned to Dora.")

	s.step("Dan claims it as well: refused")
	s.dan.post("/v1/wf/tasks/"+s.offered+"/claim", nil).expectCodes(409, "WF-007")
	s.proves("Of two concurrent claims exactly one succeeds.")

	s.step("Dora approves")
	s.dora.decide(s.offered, object{"action": "approve", "comment": "Go ahead."}).is(200).
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

	s.step("Search for refused calls, and verify all chains")
	const audit = "/v1/wf/admin/audit?limit=1"
	s.ana.get(audit+"&actor=felix&resource_id="+s.fatimas).is(200).
		has("items.0.type", "auth.denied").has("items.0.error_code", "WF-008").has("items.0.chain", "service")
	s.rosa.get(audit).expectCodes(403, "WF-008")
	s.ana.get(audit+"&verify=true").is(200).has("verification.valid", true).has("verification.bad", []any{})
	s.proves("The refused decision of Felix is recorded. The chains of all requests and of the service are valid.")
}

// webhooks checks the webhooks of the request.
func (s *story) webhooks() {
	if s.err != nil {
		return
	}
	const first, last = "request.created", "request.approved"
	hooks, err := s.hooks.await(s.ctx, s.big, first, last)
	if err != nil {
		s.fail("%w", err)
		return
	}
	for _, kind := range []string{first, last} {
		h := hooks[kind]
		s.line("POST %s  %s, status %s, event %d of the request, signature valid", s.hooks.url, h.Type, h.Data.Request.Status, h.Data.Sequence)
	}
	forged := bytes.Replace(hooks[first].body, []byte("in_review"), []byte("approved"), 1)
	if s.hooks.secret.Verify(forged, hooks[first].header) == nil {
		s.fail("the signature of %s is valid for a forged body", first)
	}
	s.line("the same with a changed status: signature invalid")
}

// endings shows the other outcomes of a request, and cleans up.
func (s *story) endings() {
	s.chapter("Other outcomes")
	open := func(title string, amount int) *answer {
		return s.rosa.post("/v1/wf/requests", object{"policy_key": s.policy, "title": title, "context": object{"amount": amount}}).is(201)
	}

	s.step("Approve a small request without the director")
	small := open("Chalk", 10000)
	s.felix.decide(small.taskOf("felix"), object{"action": "approve"}).is(200)
	s.pedro.decide(small.taskOf("pedro"), object{"action": "approve"}).is(200).
		has("request.status", "approved").has("request.stages.1.status", "skipped").has("request.stages.1.skip.reason", "when_false")
	s.proves("A stage whose condition is false is skipped, which the timeline records.")

	s.step("Reject a request, which requires a comment")
	rejected := open("Gold taps", 20000)
	task := rejected.taskOf("fatima")
	s.fatima.decide(task, object{"action": "reject"}).invalid("missing", "body comment")
	s.fatima.decide(task, object{"action": "reject", "comment": "Not a school need."}).is(200).
		has("request.status", "rejected").has("request.status_reason.code", "veto").has("request.stages.0.approvers.1.status", "skipped")
	s.proves("Under this policy one rejection ends the request and its other tasks.")

	s.step("Cancel a request")
	cancelled := "/v1/wf/requests/" + open("Bus", 30000).value("id") + "/cancel"
	s.rosa.post(cancelled, object{"reason": "bought elsewhere"}).is(200).has("status", "cancelled").has("status_reason.code", "withdrawn")
	s.rosa.post(cancelled, nil).expectCodes(409, "WF-007")
	s.proves("The requester may cancel. A final state never changes.")

	s.step("Revoke the delegation and deactivate the policy")
	s.paula.delete("/v1/wf/delegations/"+s.delegation).is(200).has("status", "revoked")
	s.ana.post("/v1/wf/policies/"+s.policy+"/versions/1/deactivate", nil).is(200).has("status", "retired")
	s.rosa.post("/v1/wf/requests", object{"policy_key": s.policy, "context": object{"amount": 1}}).expectCodes(404, "WF-001")
	s.proves("A retired policy accepts no new requests. Its versions remain and can be activated again.")
}
