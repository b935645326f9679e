// Package story tells what the services do. Each step makes real calls, prints them
// and says what they prove; the first answer that differs from what the step expects
// ends the story.
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

// Options says where the services are.
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

// Run tells the story on out. Its error names the step that went wrong. Every run
// uses names of its own, so that it can be repeated on the same database.
func Run(ctx context.Context, out io.Writer, o Options) error {
	s := &story{
		Options: o, ctx: ctx, teller: &teller{out: out, colour: o.Colour},
		http: &http.Client{Timeout: 30 * time.Second},
		run:  strings.ToLower(rand.Text()[:8]),
	}
	s.policy = "disbursement.batch-" + s.run
	for _, part := range []func(){s.service, s.meet, s.policies, s.request, s.checks, s.director, s.outcome, s.endings, s.endpoints} {
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
		s.print("\nAll %d steps went as they should.\n", s.number)
	}
	return s.err
}

// story is what the steps share. It lives no longer than Run, whose context it keeps
// so that the steps read as what people do.
type story struct {
	Options
	*teller
	ctx  context.Context
	http *http.Client
	keys *bearer.DevIssuer
	run  string // makes the names of this run unique

	// Whom wf knows.
	ana, rosa, fatima, felix, paula, pedro, petra, paul, dora, dan person

	port       *port
	hooks      *receiver // of callbacks
	policy     string    // its key
	big        string    // the request that the story follows, by id
	created    *answer   // how it began
	delegation string    // from paula to paul, by id

	// Tasks of big, by id.
	fatimas, pedros, paulas, offered string

	// Whom the registrar knows. The partners of vera and boris are tax and bank.
	admin, vera, boris, idp person
	tax, bank               string
	portal                  portal
}

// The development issuer of wf serve --dev, and whom its tokens are for.
const (
	issuer            = "https://dev.countersign.local"
	wfAudience        = "countersign-wf"
	registrarAudience = "countersign-registrar"
)

// service checks that both services answer.
func (s *story) service() {
	s.chapter("The service")
	nobody := person{story: s, base: s.WF, name: "nobody"}

	s.step("The service is up")
	nobody.get("/v1/wf/health").is(200).has("status", "UP").has("checks.database", "UP")
	s.proves("The schema is in place, the workers run and the database answers. Probes carry no token.")

	s.step("Nobody gets in without a token")
	nobody.get("/v1/wf/requests").refused(401, "WF-008")
	s.proves("Every operation but health needs a bearer token, and every error has a code to branch on.")
}

// meet gives everybody a token, and the story a receiver of callbacks.
func (s *story) meet() {
	s.step("Everybody in this story gets a token")
	secret, err := s.secret()
	if err != nil {
		s.fail("is this the folder of the service's development files? %w", err)
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
	s.line("ana                   runs the service: role WF_ADMIN")
	s.line("rosa                  asks for money, and works in finance")
	s.line("fatima, felix         finance officers")
	s.line("paula, pedro          programme officers; paul and petra, their colleagues")
	s.line("dora, dan             directors")
	s.proves("In development a key in a file signs the tokens. In production that is an identity provider's work.")
}

// secret signs callbacks, and what is asked of resolvers.
func (s *story) secret() (string, error) {
	if s.Secret != "" {
		return s.Secret, nil
	}
	content, err := os.ReadFile(filepath.Join(s.Data, "dev-webhook.secret"))
	return strings.TrimSpace(string(content)), err
}

// enter gives a caller of a service a token.
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

// definition is the policy of the story. Its first stage wants so many approvals.
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

// policies writes the rules, tries them out and puts them in force.
func (s *story) policies() {
	s.chapter("A policy says who must approve what")
	path := "/v1/wf/policies/" + s.policy
	ask := object{"policy_key": s.policy, "context": object{"amount": 60000}}

	s.step("Ana writes the policy: finance and programme, then a director above 50,000")
	s.line("checks: two approvals, one of them by fatima, felix or rosa, one by paula or pedro")
	s.line("director: dora or dan, when context.amount > 50000.0")
	s.ana.post("/v1/wf/policies", s.definition(2)).is(201).has("policy_key", s.policy).has("version", 1).has("status", "draft")
	s.proves("A policy begins as version 1, a draft, which nobody can use by accident.")

	s.step("Writing it again is refused")
	s.ana.post("/v1/wf/policies", s.definition(2)).refused(409, "WF-002")
	s.proves("A key names one policy for good. PUT adds a version to it.")

	s.step("A misspelt member is refused")
	misspelt := s.definition(2)
	misspelt["stagse"] = misspelt["stages"]
	s.ana.put(path, misspelt).invalid("extra_forbidden", "body stagse")
	s.proves("A rule that would be ignored in silence is dangerous. 422 is the one reply without the envelope.")

	s.step("A stage that nobody could pass is refused")
	s.ana.put(path, s.definition(9)).refused(400, "WF-010")
	s.proves("Policies are checked when they are written, not when somebody waits for an approval.")

	s.step("Rosa cannot use what is not in force")
	s.rosa.post("/v1/wf/requests", object{"policy_key": "no-such-policy"}).refused(404, "WF-001")
	s.rosa.post("/v1/wf/requests", ask).refused(404, "WF-001")
	s.proves("A draft counts as little as a policy that does not exist.")

	s.step("Ana tries the draft out with 60,000 and with 10,000")
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
	s.proves("The same two approvals end the small request and send the large one on to a director. Nothing was stored.")

	s.step("Ana puts version 1 in force")
	s.ana.post(path+"/versions/1/activate", nil).is(200).has("status", "active")
	s.proves("One version of a policy is active at most, and new requests follow it.")
}

// request asks for an approval.
func (s *story) request() {
	s.chapter("A request asks for approval")
	ask := object{
		"policy_key": s.policy, "artifact_type": "disbursement_batch", "artifact_id": "B-17-" + s.run,
		"title": "School grants, batch 17", "context": object{"amount": 60000},
	}
	if s.hooks != nil {
		ask["callback_url"] = s.hooks.url
	}
	rosa := s.rosa.keyed("batch-17-" + s.run)

	s.step("Rosa asks for 60,000, with an Idempotency-Key and a callback_url")
	s.created = rosa.post("/v1/wf/requests", ask).is(201).
		has("status", "in_review").has("policy_version", 1).has("current_stages", []string{"checks"}).
		has("stages.0.quorum.need", 2).has("stages.0.quorum.seats", 4)
	s.big = s.created.value("id")
	s.fatimas, s.pedros, s.paulas = s.created.taskOf("fatima"), s.created.taskOf("pedro"), s.created.taskOf("paula")
	s.proves("Everybody whom the stage names has a task now. The request follows version 1 for life.")

	s.step("Rosa does not approve her own request")
	s.created.has("stages.0.excluded", []object{{"reason": "requester", "user": object{"id": "rosa"}}})
	s.ana.post("/v1/wf/tasks/"+s.fatimas+"/reassign", object{"new_assignee": "rosa"}).refused(409, "WF-007")
	s.proves("The policy names her as a finance officer; separation of duties leaves her out. No admin can hand her a task.")

	s.step("Rosa's answer got lost, so she sends the same again")
	again := rosa.post("/v1/wf/requests", ask).is(201).hasHeader("Idempotency-Replayed", "true")
	if s.err == nil && !bytes.Equal(again.raw, s.created.raw) {
		s.fail("the replay differs from the first answer: %s", again.raw)
	}
	s.line("     %d bytes, the same as before", len(again.raw))
	s.proves("A retry is safe: there is one request, and its first answer byte for byte.")

	s.step("The same key with another amount is refused")
	ask["context"] = object{"amount": 61000}
	rosa.post("/v1/wf/requests", ask).refused(409, "WF-009")
	s.proves("A key stands for one content. A mistake in the caller cannot pass for a retry.")
}

// checks lets the first stage decide.
func (s *story) checks() {
	s.chapter("Stage one: finance and programme")
	approve := object{"action": "approve"}

	s.step("Felix cannot decide for Fatima")
	s.felix.decide(s.fatimas, approve).refused(403, "WF-008")
	s.proves("A task is decided by its assignee. A valid token alone is not enough.")

	s.step("Fatima approves for finance")
	s.fatima.decide(s.fatimas, approve).is(200).
		has("task.status", "completed").has("request.status", "in_review").
		has("request.stages.0.quorum.approvals", 1).has("request.stages.0.quorum.need", 2)
	s.proves("One approval of two. The stage waits for programme.")

	s.step("Ana hands Pedro's task to Petra")
	s.ana.post("/v1/wf/tasks/"+s.pedros+"/reassign", object{"new_assignee": "petra", "reason": "Pedro is away today"}).is(200).
		has("id", s.pedros).has("assignee.id", "petra").has("reassigned_from.id", "pedro")
	s.pedro.decide(s.pedros, approve).refused(403, "WF-008")
	s.proves("The task keeps its id, so links to it stay good, and the number of seats does not change.")

	s.step("Paula goes on leave and lets Paul stand in")
	s.delegation = s.paula.post("/v1/wf/delegations", object{
		"delegate_to": "paul", "ends_at": time.Now().Add(7 * 24 * time.Hour).UTC().Format(time.RFC3339),
		"scope": object{"policy_keys": []string{s.policy}}, "reason": "annual leave",
	}).is(201).has("status", "active").has("routed_open_tasks", 1).value("id")
	s.paul.get("/v1/wf/tasks/"+s.paulas).is(200).has("assignee.id", "paul").has("on_behalf_of.id", "paula")
	s.paul.get("/v1/wf/me").is(200).has("id", "paul").has("delegations.received.0.id", s.delegation)
	s.proves("Her open task went to them. Later ones under this policy will, until the delegation ends. me tells them so.")

	s.step("Paul approves in Paula's place")
	s.paul.decide(s.paulas, approve).is(200).
		has("decision.actor.id", "paul").has("decision.on_behalf_of.id", "paula").
		has("request.stages.0.status", "approved").has("request.current_stages", []string{"director"})
	s.proves("Both minimums are met, so the stage is approved, and the record says who acted for whom.")

	s.step("Petra is too late")
	s.petra.decide(s.pedros, object{"action": "reject", "comment": "too much"}).refused(409, "WF-007")
	s.proves("What is decided stays decided.")
}

// director lets one of two directors decide.
func (s *story) director() {
	s.chapter("Stage two: one of the directors")
	inbox := "/v1/wf/tasks?inbox=me&status=open&policy_key=" + s.policy

	s.step("Dora and Dan find the same task in their inboxes")
	found := s.dora.get(inbox).is(200).has("items.0.assignee", nil).has("items.0.candidate_count", 2).has("items.0.allowed_actions", []string{"claim", "decide"})
	s.offered = found.value("items.0.id")
	s.dan.get(inbox).is(200).has("items.0.id", s.offered)
	s.proves("A pool offers its task to everybody who may take it.")

	s.step("Dora claims it")
	s.dora.post("/v1/wf/tasks/"+s.offered+"/claim", nil).is(200).has("status", "claimed").has("assignee.id", "dora")
	s.proves("Dan can see now that she is on it.")

	s.step("Dan is second")
	s.dan.post("/v1/wf/tasks/"+s.offered+"/claim", nil).refused(409, "WF-007")
	s.proves("Of two people who reach for a task one gets it, however close they were.")

	s.step("Dora approves")
	s.dora.decide(s.offered, object{"action": "approve", "comment": "Go ahead."}).is(200).
		has("request.status", "approved").has("request.status_reason.code", "quorum_met")
	s.proves("The last stage is approved, and with it the request.")
}

// outcome shows what others learn of it.
func (s *story) outcome() {
	s.chapter("What others learn of it")
	path := "/v1/wf/requests/" + s.big

	s.step("Rosa's application hears of it by webhook")
	s.webhooks()
	s.proves("Webhooks follow the Standard Webhooks specification, and its own library checks the signature here.")

	s.step("Every step is on record")
	timeline := s.ana.get(path+"/events?verify=true&limit=200").is(200).has("verification.valid", true)
	events := timeline.list("items")
	timeline.has("verification.events", len(events))
	for i := range events {
		at := fmt.Sprintf("items.%d.", i)
		s.line("     %2d  %-20s %s", i+1, timeline.value(at+"type"), timeline.value(at+"actor.id"))
	}
	s.proves("Each event holds the hash of the one before, so a change to any of them is found.")

	s.step("Ana looks for what was tried in vain, and verifies everything")
	const audit = "/v1/wf/admin/audit?limit=1"
	s.ana.get(audit+"&actor=felix&resource_id="+s.fatimas).is(200).
		has("items.0.type", "auth.denied").has("items.0.error_code", "WF-008").has("items.0.chain", "service")
	s.rosa.get(audit).refused(403, "WF-008")
	s.ana.get(audit+"&verify=true").is(200).has("verification.valid", true).has("verification.bad", []any{})
	s.proves("Felix's attempt to decide for Fatima is on record. The chains of all requests and of the service hold.")
}

// webhooks checks what the receiver was sent for the request.
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
		s.line("POST %s  %s, status %s, event %d of the request, signature good", s.hooks.url, h.Type, h.Data.Request.Status, h.Data.Sequence)
	}
	forged := bytes.Replace(hooks[first].body, []byte("in_review"), []byte("approved"), 1)
	if s.hooks.secret.Verify(forged, hooks[first].header) == nil {
		s.fail("the signature of %s holds for a forged body", first)
	}
	s.line("the same with status approved written into it: signature bad")
}

// endings shows the other ways in which a request ends, and clears up.
func (s *story) endings() {
	s.chapter("Other endings")
	open := func(title string, amount int) *answer {
		return s.rosa.post("/v1/wf/requests", object{"policy_key": s.policy, "title": title, "context": object{"amount": amount}}).is(201)
	}

	s.step("A small request needs no director")
	small := open("Chalk", 10000)
	s.felix.decide(small.taskOf("felix"), object{"action": "approve"}).is(200)
	s.pedro.decide(small.taskOf("pedro"), object{"action": "approve"}).is(200).
		has("request.status", "approved").has("request.stages.1.status", "skipped").has("request.stages.1.skip.reason", "when_false")
	s.proves("Two different people than before, and the stage whose condition is false is skipped, on record.")

	s.step("Fatima rejects a request, and has to say why")
	rejected := open("Gold taps", 20000)
	task := rejected.taskOf("fatima")
	s.fatima.decide(task, object{"action": "reject"}).invalid("missing", "body comment")
	s.fatima.decide(task, object{"action": "reject", "comment": "Not a school need."}).is(200).
		has("request.status", "rejected").has("request.status_reason.code", "veto").has("request.stages.0.approvers.1.status", "skipped")
	s.proves("One veto ends the request under this policy, and the tasks of the others with it.")

	s.step("Rosa changes her mind")
	cancelled := "/v1/wf/requests/" + open("Bus", 30000).value("id") + "/cancel"
	s.rosa.post(cancelled, object{"reason": "bought elsewhere"}).is(200).has("status", "cancelled").has("status_reason.code", "withdrawn")
	s.rosa.post(cancelled, nil).refused(409, "WF-007")
	s.proves("The requester may withdraw. Nothing leaves a final state, not even to the same state.")

	s.step("Paula is back, and the policy is taken out of use")
	s.paula.delete("/v1/wf/delegations/"+s.delegation).is(200).has("status", "revoked")
	s.ana.post("/v1/wf/policies/"+s.policy+"/versions/1/deactivate", nil).is(200).has("status", "retired")
	s.rosa.post("/v1/wf/requests", object{"policy_key": s.policy, "context": object{"amount": 1}}).refused(404, "WF-001")
	s.proves("A retired policy takes no new requests. Its history stays, and it can be activated again.")
}
