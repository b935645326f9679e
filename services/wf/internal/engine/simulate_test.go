package engine_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestSimulationPredictsCreation(t *testing.T) {
	when := func(expr string, s policy.Stage) policy.Stage { s.When = expr; return s }
	onEmpty := func(on policy.OnEmpty, s policy.Stage) policy.Stage { s.OnEmpty = on; return s }
	group := func(s policy.Stage) policy.Stage { s.ParallelGroup = "both"; return s }
	with := func(d policy.Definition, change func(*policy.Settings)) policy.Definition {
		change(&d.Settings)
		return d
	}
	expression := func(cel string) policy.Stage {
		return policy.Stage{Key: "check", Name: "check", Approvers: []policy.Rule{{Type: policy.RuleExpression, CEL: cel}}}
	}
	tests := map[string]struct {
		def     policy.Definition
		context string
		want    engine.Outcome
	}{
		"one stage":                     {policyOf(stage("check", "ana", "bo")), `{}`, engine.WouldStart},
		"two stages":                    {policyOf(stage("check", "ana"), stage("director", "dora")), `{}`, engine.WouldStart},
		"stages side by side":           {policyOf(group(stage("check", "ana")), group(stage("law", "lee")), stage("director", "dora")), `{}`, engine.WouldStart},
		"a pool":                        {policyOf(pool("check", 2, "ana", "bo", "cy")), `{}`, engine.WouldStart},
		"a condition that holds":        {policyOf(when("context.amount > 10", stage("check", "ana")), stage("director", "dora")), `{"amount":11}`, engine.WouldStart},
		"a condition that does not":     {policyOf(when("context.amount > 10", stage("check", "ana")), stage("director", "dora")), `{"amount":10}`, engine.WouldStart},
		"a condition that fails":        {policyOf(when("context.amount > 10", stage("check", "ana")), stage("director", "dora")), `{}`, engine.WouldStart},
		"a condition on an earlier one": {policyOf(stage("check", "ana"), when(`stages["check"].approvals > 1`, stage("director", "dora"))), `{}`, engine.WouldStart},
		"the requester among them":      {policyOf(stage("check", "ana", "rita")), `{}`, engine.WouldStart},
		"the requester alone":           {policyOf(stage("check", "rita")), `{}`, engine.WouldStart},
		"the requester alone, skipped":  {policyOf(onEmpty(policy.OnEmptySkip, stage("check", "rita")), stage("director", "dora")), `{}`, engine.WouldStart},
		"the requester alone, rejected": {policyOf(onEmpty(policy.OnEmptyReject, stage("check", "rita"))), `{}`, engine.WouldReject},
		"the requester alone, rescued":  {with(policyOf(onEmpty(policy.OnEmptyFallback, stage("check", "rita"))), func(s *policy.Settings) { s.FallbackApprovers = []policy.Rule{names("fay")} }), `{}`, engine.WouldStart},
		"the requester, if permitted":   {with(policyOf(stage("check", "rita")), func(s *policy.Settings) { s.RequesterMayApprove = true }), `{}`, engine.WouldStart},
		"somebody on leave":             {policyOf(stage("check", "zoe", "bo")), `{}`, engine.WouldStart},
		"an absent user, no delegate":   {with(policyOf(stage("check", "zoe", "bo")), func(s *policy.Settings) { s.Delegation.Allowed = new(bool) }), `{}`, engine.WouldStart},
		"people from the context":       {policyOf(expression("context.owners")), `{"owners":["ana","bo","ana"]}`, engine.WouldStart},
		"no approver from the context":  {policyOf(expression("context.owners")), `{"owners":[]}`, engine.WouldStart},
		"no context":                    {policyOf(expression("context.owners")), `{}`, engine.WouldRefuse},
		"no stage":                      {policyOf(), `{}`, engine.WouldRefuse},
		"no stage that applies":         {policyOf(when("false", stage("check", "ana"))), `{}`, engine.WouldRefuse},
		"no stage, and that approves":   {with(policyOf(), func(s *policy.Settings) { s.OnNoStages = policy.OnNoStagesApprove }), `{}`, engine.WouldApprove},
		"the artifact type":             {but(policyOf(stage("check", "ana")), func(d *policy.Definition) { d.ArtifactType = "invoice" }), `{}`, engine.WouldStart},
		"a violated check": {with(policyOf(stage("check", "ana")), func(s *policy.Settings) {
			s.Checks = []policy.Check{{CEL: "context.amount > 1", Message: "The amount is too low"}}
		}), `{"amount":1}`, engine.WouldRefuse},
		"a context against the schema": {but(policyOf(stage("check", "ana")), func(d *policy.Definition) { d.ContextSchema = []byte(`{"required":["amount"]}`) }), `{}`, engine.WouldRefuse},
		"approved by itself":           {with(policyOf(stage("check", "ana")), func(s *policy.Settings) { s.AutoApproveWhen = "context.amount < 10" }), `{"amount":1}`, engine.WouldAutoApprove},
		"rejected by itself":           {with(policyOf(stage("check", "ana")), func(s *policy.Settings) { s.AutoRejectWhen = "context.amount < 10" }), `{"amount":1}`, engine.WouldAutoReject},
	}
	each(t, func(t *testing.T, s *service) {
		for name, tt := range tests {
			key := s.publish(tt.def)
			sim, err := s.Policies.SimulateVersion(t.Context(), rita, key, 1, engine.DryRunInput{Context: []byte(tt.context), ContextHash: sum([]byte(tt.context))})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if sim.Outcome != tt.want {
				t.Errorf("%s: %s, want %s", name, sim.Outcome, tt.want)
			}
			reply, err := s.Requests.CreateRequest(t.Context(), rita, input(key, withContext(tt.context)), nil)
			refusal, _ := errors.AsType[*refusal.Error](err)
			switch {
			case sim.Outcome == engine.WouldRefuse:
				if refusal == nil || refusal.Reason != reason.EngineRefused || len(sim.Problems) == 0 || refusal.Message != sim.Problems[0].Message {
					t.Errorf("%s: predicted %q, and creation returned %v", name, sim.Problems, err)
				}
				continue
			case err != nil:
				t.Errorf("%s: predicted %s, and creation returned %v", name, sim.Outcome, err)
				continue
			}
			created := s.read(reply.Case.Request.ID)
			if got, want := describe(created), describe(sim.Request); got != want {
				t.Errorf("%s: became %s\nforetold was %s", name, got, want)
			}
			for i, run := range created.Stages {
				if run.Status == wf.StagePending || sim.Request.Status.Final() && run.Status == wf.StageCancelled {
					continue // shown as its rules stand now
				}
				foretold := sim.Stages[i].Run
				if diff := cmp.Diff([]any{run.People, run.Excluded, run.Count, run.Minimums, run.Skip}, []any{foretold.People, foretold.Excluded, foretold.Count, foretold.Minimums, foretold.Skip}); diff != "" {
					t.Errorf("%s: stage %s differs (-created +foretold):\n%s", name, run.Key, diff)
				}
			}
		}
	})
}

func entriesOf(decisions ...engine.PlayedDecision) (entries []engine.PlayEntry) {
	for _, d := range decisions {
		entries = append(entries, engine.PlayEntry{PlayedDecision: d})
	}
	return entries
}

// A simulation moves its clock: reminders, escalation, the end of the validity and uses of the approval happen as
// in a real request.
func TestASimulationPlaysTheClock(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		def := policyOf(but(stage("check", "ana", "bo"), func(s *policy.Stage) {
			s.Deadline = &policy.Deadline{DueIn: "PT2H", OnDue: policy.OnDueEscalate, EscalateTo: []policy.Rule{names("cy")}}
		}), but(stage("director", "dora"), func(s *policy.Stage) {
			s.Deadline = &policy.Deadline{DueIn: "PT1H", OnDue: policy.OnDueExpire}
		}))
		def.Settings.SingleUse, def.Settings.Validity = true, &policy.Validity{ValidFor: "PT4H"}
		key := s.publish(def)
		start := time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)
		decide := func(stage, user string) engine.PlayEntry {
			return entriesOf(engine.PlayedDecision{StageKey: stage, UserID: user, Action: wf.ActionApprove})[0]
		}
		after := func(hours float64) engine.PlayEntry {
			return engine.PlayEntry{At: start.Add(time.Duration(hours * float64(time.Hour)))}
		}
		approved := []engine.PlayEntry{decide("check", "ana"), decide("check", "bo"), decide("director", "dora")}
		tests := map[string]struct {
			play     []engine.PlayEntry
			status   wf.RequestStatus
			standing wf.Standing
			refused  string
		}{
			"cy before the date":       {[]engine.PlayEntry{after(1), decide("check", "cy")}, wf.RequestInReview, "", "neither the assignee"},
			"cy after the date":        {[]engine.PlayEntry{after(2), decide("check", "cy")}, wf.RequestInReview, "", ""},
			"the clock backwards":      {[]engine.PlayEntry{after(2), after(1)}, wf.RequestInReview, "", "already"},
			"the second stage expires": {[]engine.PlayEntry{decide("check", "ana"), decide("check", "bo"), after(1)}, wf.RequestExpired, "", ""},
			"in force":                 {append(slices.Clip(approved), after(3.9)), wf.RequestApproved, wf.StandingInForce, ""},
			"lapsed":                   {append(slices.Clip(approved), after(4)), wf.RequestApproved, wf.StandingLapsed, ""},
			"consumed":                 {append(slices.Clip(approved), engine.PlayEntry{Consume: "rita"}), wf.RequestApproved, wf.StandingConsumed, ""},
			"consumed by a stranger":   {append(slices.Clip(approved), engine.PlayEntry{Consume: "eve"}), wf.RequestApproved, wf.StandingInForce, "may not consume"},
			"consumed before":          {[]engine.PlayEntry{{Consume: "rita"}}, wf.RequestInReview, "", "not approved"},
			"revoked":                  {append(slices.Clip(approved), engine.PlayEntry{Revoke: "ana"}), wf.RequestApproved, wf.StandingRevoked, ""},
			"revoked by a stranger":    {append(slices.Clip(approved), engine.PlayEntry{Revoke: "eve"}), wf.RequestApproved, wf.StandingInForce, "may not revoke"},
		}
		for name, tt := range tests {
			sim, err := s.Policies.SimulateVersion(t.Context(), root, key, 1, engine.DryRunInput{
				Context: []byte(`{}`), Requester: "rita", At: start, Play: tt.play,
			})
			must(t, err)
			last := sim.Play[len(sim.Play)-1]
			refused := ""
			if last.Refusal != nil {
				refused = last.Refusal.Message
			}
			if last.RequestStatus != tt.status || last.Standing != tt.standing || (tt.refused == "") != (refused == "") || !strings.Contains(refused, tt.refused) {
				t.Errorf("%s: %s, standing %q, refused %q; want %s, %q, %q", name, last.RequestStatus, last.Standing, refused, tt.status, tt.standing, tt.refused)
			}
		}
	})
}

// A refused decision of a simulation has the reason and the message of the service.
func TestASimulationRefusesADecisionAsTheServiceDoes(t *testing.T) {
	ids := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	each(t, func(t *testing.T, s *service) {
		by := func(stage, user string, action wf.Action) engine.PlayedDecision {
			return engine.PlayedDecision{StageKey: stage, UserID: user, Action: action}
		}
		ana, bo, cy := by("check", "ana", wf.ActionApprove), by("check", "bo", wf.ActionApprove), by("check", "cy", wf.ActionApprove)
		for name, tt := range map[string]struct {
			stages []policy.Stage
			play   []engine.PlayedDecision // the last one is refused
			want   refusal.Reason
		}{
			"a stranger":            {[]policy.Stage{stage("check", "ana", "bo")}, []engine.PlayedDecision{cy}, reason.Forbidden},
			"a stranger, late":      {[]policy.Stage{stage("check", "ana")}, []engine.PlayedDecision{ana, cy}, reason.Forbidden},
			"a second decision":     {[]policy.Stage{stage("check", "ana", "bo")}, []engine.PlayedDecision{ana, ana}, reason.WrongState},
			"a decision at the end": {[]policy.Stage{stage("check", "ana")}, []engine.PlayedDecision{ana, ana}, reason.WrongState},
			"a task not needed":     {[]policy.Stage{anyOf("check", "ana", "bo"), stage("next", "cy")}, []engine.PlayedDecision{ana, bo}, reason.WrongState},
			"a second act in a pool": {
				[]policy.Stage{pool("check", 2, "ana", "bo")}, []engine.PlayedDecision{ana, ana}, reason.WrongState,
			},
			"a late candidate":    {[]policy.Stage{pool("check", 1, "ana", "bo")}, []engine.PlayedDecision{ana, bo}, reason.WrongState},
			"no candidate":        {[]policy.Stage{pool("check", 1, "ana", "bo")}, []engine.PlayedDecision{cy}, reason.Forbidden},
			"an abstention":       {[]policy.Stage{stage("check", "ana")}, []engine.PlayedDecision{by("check", "ana", wf.ActionAbstain)}, reason.WrongState},
			"after a change call": {[]policy.Stage{stage("check", "ana", "bo")}, []engine.PlayedDecision{by("check", "ana", wf.ActionRequestChanges), bo}, reason.WrongState},
		} {
			key := s.publish(policyOf(tt.stages...))
			sim, err := s.Policies.SimulateVersion(t.Context(), root, key, 1, engine.DryRunInput{
				Context: []byte(`{}`), Requester: "rita", Play: entriesOf(tt.play...),
			})
			must(t, err)
			r := s.create(key)
			for _, d := range tt.play {
				must(t, err)
				task := taskFor(r, d)
				for _, other := range r.Tasks {
					if task == "" && other.StageKey == d.StageKey || other.HeldBy(d.UserID) && taskFor(r, d) == "" {
						task = other.ID
					}
				}
				err = s.act(task, d.UserID, d.Action)
				r = s.read(r.ID)
			}
			refused(t, name, err, tt.want)
			played := sim.Play[len(sim.Play)-1].Refusal
			if played == nil || played.Reason != tt.want || ids.ReplaceAllString(played.Message, "ID") != ids.ReplaceAllString(refusal.MessageOf(err), "ID") {
				t.Errorf("%s: the simulation refuses with %v, the service with %v", name, played, err)
			}
		}
		sim, err := s.Policies.SimulateVersion(t.Context(), root, s.publish(policyOf(stage("check", "ana"), stage("next", "bo"))), 1, engine.DryRunInput{
			Context: []byte(`{}`), Requester: "rita", Play: entriesOf(by("next", "bo", wf.ActionApprove)),
		})
		must(t, err)
		refused(t, "a stage without tasks", sim.Play[0].Refusal, reason.WrongState)
	})
}

// taskFor returns a live task of a stage that is unassigned or held by the user.
func taskFor(r wf.Request, d engine.PlayedDecision) string {
	i := slices.IndexFunc(r.Tasks, func(t wf.Task) bool {
		return t.StageKey == d.StageKey && t.Status == wf.TaskOpen && (t.Assignee == nil || t.Assignee.ID == d.UserID)
	})
	if i < 0 {
		return ""
	}
	return r.Tasks[i].ID
}

func TestASimulationWritesNothingButThatItRan(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(policyOf(stage("check", "ana")))
		s.endpoint("ledger", subscribed(key, "*"))
		count := func() string {
			var counts []string
			for _, table := range []string{"policy_version", "request", "participant", "task", "inbox", "delegation", "delivery", "idempotency_key"} {
				counts = append(counts, table+" "+s.rows("SELECT count(*) FROM " + table)[0])
			}
			return fmt.Sprint(counts)
		}
		before, events := count(), s.types("")
		_, err := s.Policies.SimulateVersion(t.Context(), root, key, 1, engine.DryRunInput{Context: []byte(`{}`), Play: entriesOf(engine.PlayedDecision{StageKey: "check", UserID: "ana", Action: wf.ActionApprove})})
		must(t, err)
		if after := count(); after != before {
			t.Errorf("wrote: %s, was %s", after, before)
		}
		equal(t, "the service's chain", s.types(""), append(events, audit.EventPolicySimulated))
	})
}

func TestSimulationStartsFromGivenTimeOrRequest(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		key := s.publish(policyOf(but(stage("check", "ana"), func(s *policy.Stage) { s.When = `now > timestamp("2026-06-01T00:00:00Z") || context.urgent` }), stage("director", "dora")))
		simulate := func(by identity.Actor, in engine.DryRunInput) (wf.StageStatus, error) {
			if in.Context == nil {
				in.Context = []byte(`{"urgent":false}`)
			}
			sim, err := s.Policies.SimulateVersion(ctx, by, key, 1, in)
			if err != nil {
				return "", err
			}
			return sim.Stages[0].Run.Status, nil
		}
		want := func(what string, got wf.StageStatus, err error, want wf.StageStatus) {
			t.Helper()
			if err != nil || got != want {
				t.Errorf("%s: the first stage is %s, %v, want %s", what, got, err, want)
			}
		}
		got, err := simulate(root, engine.DryRunInput{})
		want("now", got, err, wf.StageSkipped)
		got, err = simulate(root, engine.DryRunInput{At: noon.AddDate(0, 6, 0)})
		want("in half a year", got, err, wf.StageActive)
		r := s.create(key, withContext(`{"urgent":true}`))
		got, err = simulate(root, engine.DryRunInput{FromRequest: r.ID})
		want("from a request", got, err, wf.StageActive)

		_, err = simulate(rita, engine.DryRunInput{FromRequest: r.ID})
		refused(t, "from a request, by no admin", err, reason.Forbidden)
		_, err = simulate(root, engine.DryRunInput{FromRequest: key})
		refused(t, "from no request", err, reason.BadInput)
		_, err = s.Policies.SimulateVersion(ctx, root, key, 2, engine.DryRunInput{Context: []byte(`{}`)})
		refused(t, "of an unknown version", err, reason.PolicyNotFound)
	})
}
