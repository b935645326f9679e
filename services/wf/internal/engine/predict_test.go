package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// oneOf returns an element of a list.
func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomRule returns a rule that may yield people, only the requester, no people, or fail.
func randomRule(r *rand.Rand, earlier []string) policy.Rule {
	rule := oneOf(r, names("ana"), names("ana", "bo"), names("rita"), names("rita", "bo"),
		policy.Rule{Type: policy.RuleExpression, CEL: "context.owners"},
		policy.Rule{Type: policy.RuleExpression, CEL: "context.nobody"},
		policy.Rule{Type: policy.RuleExpression, CEL: `stages.size() > 9 ? ["ana"] : ["rita"]`},
	)
	switch r.IntN(12) {
	case 0:
		rule = policy.Rule{Type: policy.RuleExpression, CEL: "context.missing"}
	case 1:
		if len(earlier) > 0 {
			rule = policy.Rule{Type: policy.RuleStageActor, Stage: oneOf(r, earlier...)}
		}
	}
	rule.Required = r.IntN(4) == 0
	return rule
}

// randomPolicy returns a policy, possibly invalid. Its creation may start, end immediately or be
// refused.
func randomPolicy(r *rand.Rand) policy.Definition {
	d := policyOf()
	when := []string{"", "", "false", "context.amount > 10", "context.missing", `stages["s0"].approvals > 0`}
	d.Settings = policy.Settings{
		OnNoStages:          oneOf(r, policy.OnNoStages(""), policy.OnNoStagesRefuse, policy.OnNoStagesApprove, policy.OnNoStagesReject),
		RepeatApprover:      oneOf(r, policy.RepeatAllow, policy.RepeatExclude, policy.RepeatAutoApprove),
		RequesterMayApprove: r.IntN(4) == 0,
		FallbackApprovers:   []policy.Rule{names(oneOf(r, "fay", "rita"))},
	}
	if r.IntN(6) == 0 {
		d.Settings.AutoApproveWhen = oneOf(r, "context.amount > 10", "context.missing", "true")
	}
	if r.IntN(6) == 0 {
		d.Settings.AutoRejectWhen = oneOf(r, "context.amount > 10", "context.missing", "true")
	}
	var earlier []string
	group := ""
	for i := range r.IntN(4) {
		s := policy.Stage{Key: fmt.Sprint("s", i), Name: "Stage", When: oneOf(r, when...)}
		s.OnEmpty = oneOf(r, policy.OnEmpty(""), policy.OnEmptyBlock, policy.OnEmptySkip, policy.OnEmptyReject, policy.OnEmptyFallback)
		for range 1 + r.IntN(2) {
			s.Approvers = append(s.Approvers, randomRule(r, earlier))
		}
		s.Quorum = oneOf(r, quorum.Quorum{}, quorum.Quorum{Mode: quorum.QuorumAny}, quorum.Quorum{Mode: quorum.QuorumCount, Value: 2})
		if r.IntN(3) == 0 {
			s.Assignment = policy.AssignmentPool
		}
		if r.IntN(3) == 0 {
			group = fmt.Sprint("g", i)
		}
		if s.ParallelGroup = group; group == "" {
			earlier = append(earlier, s.Key)
		}
		if r.IntN(2) == 0 {
			group = ""
		}
		d.Stages = append(d.Stages, s)
	}
	return d
}

// randomDecisions returns decisions of approvers and others in stages that may exist.
func randomDecisions(r *rand.Rand) (list []engine.PlayedDecision) {
	for range 6 {
		list = append(list, engine.PlayedDecision{
			StageKey: fmt.Sprint("s", r.IntN(3)), UserID: oneOf(r, "ana", "bo", "fay", "rita"),
			Action: oneOf(r, wf.ActionApprove, wf.ActionApprove, wf.ActionReject, wf.ActionAbstain, wf.ActionRequestChanges),
		})
	}
	return list
}

// playedTask returns a task of the stage for a decision of the user: a live one that is unassigned or held, else one
// held, else the last.
func playedTask(r wf.Request, d engine.PlayedDecision) (id string) {
	best := 0
	for _, t := range r.Tasks {
		rank, held := 1, t.HeldBy(d.UserID)
		switch live := t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed; {
		case t.StageKey != d.StageKey:
			continue
		case live && (held || t.Assignee == nil && t.Kind != wf.RescueTask):
			return t.ID
		case held:
			rank = 2
		}
		if rank >= best {
			id, best = t.ID, rank
		}
	}
	return id
}

// text returns a refusal without ids; empty for none.
func text(err error) string {
	if err == nil {
		return ""
	}
	return idPattern.ReplaceAllString(fmt.Sprint(errors.Unwrap(err), ": ", refusal.MessageOf(err)), "ID")
}

// asError returns nil for no refusal.
func asError(e *refusal.Error) error {
	if e == nil {
		return nil
	}
	return e
}

var idPattern = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// The outcome of a dry run is that of creation, for random policies: a request starts, is refused, or ends without a
// decision by a person. The preview shows the same, and each played decision has the result of the service.
func TestSimulatePredictsCreation(t *testing.T) {
	of := map[engine.Outcome]wf.RequestStatus{
		engine.WouldAutoApprove: wf.RequestApproved, engine.WouldApprove: wf.RequestApproved,
		engine.WouldAutoReject: wf.RequestRejected, engine.WouldReject: wf.RequestRejected,
	}
	each(t, func(t *testing.T, s *service) {
		r := rand.New(rand.NewPCG(1, 2))
		seen, acts := map[engine.Outcome]int{}, map[bool]int{}
		for n := 0; n < 150; {
			d, key := randomPolicy(r), fmt.Sprint("random-", n)
			if _, err := s.Policies.CreatePolicy(t.Context(), root, key, d); err != nil {
				continue // not valid
			}
			n++
			_, err := s.Policies.ActivateVersion(t.Context(), eve, key, 1, "", "")
			must(t, err)
			content := oneOf(r, `{"amount":11,"owners":["ana","bo"],"nobody":[]}`, `{"amount":1,"owners":["rita"],"nobody":[]}`)
			sim, err := s.Policies.SimulateVersion(t.Context(), rita, key, 1, engine.DryRunInput{Context: []byte(content), ContextHash: sum([]byte(content))})
			must(t, err)
			decisions := randomDecisions(r)
			played, err := s.Policies.SimulateVersion(t.Context(), rita, key, 1, engine.DryRunInput{
				Context: []byte(content), ContextHash: sum([]byte(content)), Play: entriesOf(decisions...),
			})
			must(t, err)
			seen[sim.Outcome]++
			shown, previewErr := s.Requests.PreviewRequest(t.Context(), rita, input(key, withContext(content)))
			reply, err := s.Requests.CreateRequest(t.Context(), rita, input(key, withContext(content)), nil)
			fail := func(format string, args ...any) {
				t.Errorf("policy %+v\ncontent %s: %s", d, content, fmt.Sprintf(format, args...))
			}
			if refused := errors.Is(err, reason.EngineRefused); refused != (sim.Outcome == engine.WouldRefuse) || !refused && err != nil {
				fail("simulate predicts %s, creation: %v", sim.Outcome, err)
			}
			if fmt.Sprint(previewErr) != fmt.Sprint(err) {
				fail("preview: %v, creation: %v", previewErr, err)
			}
			if (sim.Outcome == engine.WouldRefuse || sim.Outcome == engine.WouldReject) && len(sim.Problems) == 0 {
				fail("%s without a problem", sim.Outcome)
			}
			if err != nil {
				continue
			}
			created := reply.Case.Request
			if want, ends := of[sim.Outcome]; ends != created.Status.Final() || ends && created.Status != want {
				fail("simulate predicts %s, the request is %s", sim.Outcome, created.Status)
			}
			if auto := sim.Outcome == engine.WouldAutoApprove || sim.Outcome == engine.WouldAutoReject; auto != (created.StatusReason != nil && created.StatusReason.Code == wf.BecausePolicy) {
				fail("simulate predicts %s, the reason is %+v", sim.Outcome, created.StatusReason)
			}
			if describe(shown.Request) != describe(created) || describe(sim.Request) != describe(created) {
				fail("created  %s\nsimulate %s\npreview  %s", describe(created), describe(sim.Request), describe(shown.Request))
			}
			for i, d := range decisions {
				id, got := playedTask(created, d), played.Play[i]
				if id == "" {
					continue // no such task, which a caller cannot name
				}
				err := s.act(id, d.UserID, d.Action)
				created = s.read(created.ID)
				acts[err == nil]++
				if text(err) != text(asError(got.Refusal)) {
					fail("%+v: the dry run says %v, the service %v", d, got.Refusal, err)
				}
				if got.RequestStatus != created.Status {
					fail("%+v: the dry run says %s, the request is %s", d, got.RequestStatus, created.Status)
				}
			}
			if describe(played.Request) != describe(created) {
				fail("became %s\nplayed %s", describe(created), describe(played.Request))
			}
		}
		for _, outcome := range []engine.Outcome{engine.WouldStart, engine.WouldRefuse, engine.WouldAutoApprove, engine.WouldAutoReject, engine.WouldApprove, engine.WouldReject} {
			if seen[outcome] == 0 {
				t.Errorf("no policy with outcome %s: %v", outcome, seen)
			}
		}
		if acts[true] < 10 || acts[false] < 10 {
			t.Errorf("accepted and refused decisions: %v", acts)
		}
	})
}

// A first stage that rejects is a problem also if its rules read earlier stages.
func TestARejectionAtOnceIsAProblemThatSimulateLists(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		in := stage("check")
		in.OnEmpty, in.Approvers = policy.OnEmptyReject, []policy.Rule{{Type: policy.RuleExpression, CEL: `stages["check"].approvals > 0 ? ["ana"] : ["rita"]`}}
		sim, err := s.Policies.SimulateVersion(t.Context(), rita, s.publish(policyOf(in)), 1, engine.DryRunInput{Context: []byte(`{}`)})
		must(t, err)
		if sim.Outcome != engine.WouldReject || len(sim.Problems) != 1 || sim.Problems[0].Where != "/stages/0" {
			t.Errorf("%s with problems %v", sim.Outcome, sim.Problems)
		}
	})
}
