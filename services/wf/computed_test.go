package wf_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// integer is the value of an expression over the content.
func integer(n int64) policy.Value { return policy.Value{Int: n, OverContent: true} }

// constant is the value of a condition over the content.
func constant(b bool) policy.Value { return policy.Value{Bool: b, OverContent: true} }

// late is an expression that was not evaluated in time.
var late = policy.Value{Failure: &refusal.Error{Reason: reason.ResolverFailed, Message: "not evaluated in time"}}

// when returns a rule that applies on a condition.
func when(cel string, rule policy.Rule) policy.Rule {
	rule.When = cel
	return rule
}

// counted is a stage whose quorum is computed.
func counted(key string, ids ...string) policy.Stage {
	return but(each(key, ids...), func(s *policy.Stage) {
		s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, ValueCEL: "n"}
	})
}

func TestAComputedQuorumIsThatOfTheRun(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": counted("s", "ana", "bo", "cy"),
		"pool": but(counted("s", "ana", "bo", "cy"), func(s *policy.Stage) { s.Assignment = policy.AssignmentPool }),
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(stage))
			s.values["n"] = integer(2)
			s.must(s.start())
			if got := s.run("s"); got.Count.Need != 2 || got.Computed.Quorum != 2 || got.Stage(s.def).Quorum.Value != 2 {
				t.Fatalf("run = %+v", got)
			}
			s.must(s.approve(s.nth("s", 1), "ana"))
			s.status(wf.RequestInReview)
			s.must(s.approve(s.nth("s", 2), "bo"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestAComputedQuorumIsBetween1And100(t *testing.T) {
	for n, ok := range map[int64]bool{-1: false, 0: false, 1: true, 3: true, 101: false, 1<<32 + 1: false} {
		s := tell(t, policyOf(counted("s", "ana", "bo", "cy")))
		s.values["n"] = integer(n)
		if err := s.start(); ok {
			s.must(err)
		} else {
			s.refused(err, reason.EngineRefused)
		}
	}
	over := tell(t, policyOf(counted("s", "ana", "bo")))
	over.values["n"] = integer(100)
	over.must(over.start())
	over.stageIs("s", wf.StageBlocked) // understaffed
}

// A value that cannot be computed refuses the creation, also for a stage that is reached later, and all
// expressions are evaluated in one round.
func TestAnExpressionOverTheContentFailsAtCreationOrNever(t *testing.T) {
	rule := but(each("s", "ana"), func(s *policy.Stage) {
		heads := when("big", names("bo"))
		heads.Label = "Heads"
		s.Approvers = append(s.Approvers, heads)
	})
	for name, tt := range map[string]struct {
		second  policy.Stage
		values  map[string]policy.Value
		refusal refusal.Reason // empty: created
		message string
	}{
		"a quorum": {counted("second", "ana"), map[string]policy.Value{"n": {Failure: fails("context.n is not a number").Failure, Refused: `"two"`}},
			reason.EngineRefused, `stage second: quorum.value_cel: context.n is not a number: "two"`},
		"a quorum out of range": {counted("second", "ana"), map[string]policy.Value{"n": integer(0)},
			reason.EngineRefused, "stage second: quorum.value_cel: yields 0, not 1 to 100"},
		"a quorum not in time": {counted("second", "ana"), map[string]policy.Value{"n": late}, reason.ResolverFailed,
			"stage second: quorum.value_cel: not evaluated in time"},
		"a rule": {rule, map[string]policy.Value{"big": fails("no such key: amount")},
			reason.EngineRefused, "stage s: when of approver rule 1 (Heads): no such key: amount"},
		"a rule not in time": {rule, map[string]policy.Value{"big": late}, reason.ResolverFailed,
			"stage s: when of approver rule 1 (Heads): not evaluated in time"},
		"a stage that the content skips": {but(counted("second", "ana"), func(s *policy.Stage) { s.When = "never" }),
			map[string]policy.Value{"never": constant(false), "n": fails("not evaluated")}, "", ""},
		"a stage skipped for now only": {but(counted("second", "ana"), func(s *policy.Stage) { s.When = "later" }),
			map[string]policy.Value{"later": value(false), "n": fails("no such key: n")},
			reason.EngineRefused, "stage second: quorum.value_cel: no such key: n"},
		"a stage whose condition fails": {but(counted("second", "ana"), func(s *policy.Stage) { s.When = "bad" }),
			map[string]policy.Value{"bad": fails("no such key: bad"), "n": fails("no such key: n")},
			reason.EngineRefused, "stage second: quorum.value_cel: no such key: n"},
		"a stage whose condition is not in time": {but(counted("second", "ana"), func(s *policy.Stage) { s.When = "slow" }),
			map[string]policy.Value{"slow": late, "n": integer(1)}, reason.ResolverFailed, "stage second: not evaluated in time"},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("first", "eve"), tt.second))
			s.values = tt.values
			err := s.start()
			if tt.refusal == "" {
				s.must(err)
				return
			}
			if s.refused(err, tt.refusal); refusal.MessageOf(err) != tt.message || len(s.events) > 0 {
				t.Errorf("error = %v, want %s", err, tt.message)
			}
			if _, problems, err := s.preview(tt.second); tt.refusal == reason.EngineRefused &&
				(err != nil || len(problems) != 1 || !strings.HasSuffix(tt.message, problems[0])) {
				t.Errorf("preview: %v, %v", problems, err)
			}
		})
	}
}

// preview returns the run of a stage of a draft, as if it started now.
func (s *story) preview(stage policy.Stage) (run wf.StageRun, problems []string, err error) {
	_, _, err = s.settle(func(f wf.Facts) (wf.Request, []wf.Event, error) {
		var err error
		run, problems, err = draft().Preview(s.def, stage, f)
		return wf.Request{}, nil, err
	})
	return run, problems, err
}

func TestExpressionsOverTheContentAreEvaluatedOnce(t *testing.T) {
	second := but(counted("second", "ana"), func(s *policy.Stage) { s.Approvers = append(s.Approvers, when("big", names("bo"))) })
	s := tell(t, policyOf(counted("first", "eve"), second))
	s.values["n"], s.values["big"] = integer(1), constant(true)
	s.must(s.start())
	// No later step evaluates them, whatever their values would be.
	s.values["n"], s.values["big"] = fails("again"), fails("again")
	s.must(s.approve(s.of("first", "eve"), "eve"))
	if s.stageIs("second", wf.StageActive); s.run("second").Count.Need != 1 {
		t.Errorf("count = %+v", s.run("second").Count)
	}
	s.holdersAre("second", "ana", "bo")
}

func TestAResubmissionComputesAgainAndMayFail(t *testing.T) {
	s := tell(t, policyOf(counted("s", "ana", "bo")))
	s.values["n"] = integer(1)
	s.must(s.start())
	s.must(s.sendBack(s.of("s", "ana"), "ana"))
	s.values["n"] = fails("no such key: n")
	s.refused(s.resubmit(sam, "sha256:two"), reason.EngineRefused)
	s.status(wf.RequestChangesRequested)
	s.values["n"] = late
	s.refused(s.resubmit(sam, "sha256:two"), reason.ResolverFailed)
	s.status(wf.RequestChangesRequested)
	s.values["n"] = integer(2)
	s.must(s.resubmit(sam, "sha256:two"))
	if got := s.run("s"); got.Run != 2 || got.Count.Need != 2 || s.now.Stages[0].Computed.Quorum != 1 {
		t.Errorf("runs = %+v", s.now.Stages)
	}
}

// An approved stage that a resumed request keeps has its value, and is not computed again.
func TestAKeptStageIsNotComputedAgain(t *testing.T) {
	s := tell(t, policyOf(counted("first", "ana"), each("second", "bo")))
	s.def.Settings.OnResubmit = policy.OnResubmitResume
	s.values["n"] = integer(1)
	s.must(s.start())
	s.must(s.approve(s.of("first", "ana"), "ana"))
	s.must(s.sendBack(s.of("second", "bo"), "bo"))
	s.values["n"] = fails("again")
	s.must(s.resubmit(sam, ""))
	s.stageIs("first", wf.StageApproved)
	s.stageIs("second", wf.StageActive)
}

func TestDisabledRuleYieldsNoApproverAndRequiresNone(t *testing.T) {
	director := when("big", names("dee"))
	director.Required, director.MinApprovals, director.Veto = true, 1, true
	stage := but(each("s", "ana"), func(s *policy.Stage) {
		s.Approvers = []policy.Rule{director, s.Approvers[0]}
		s.Rejection = quorum.Rejection{Mode: quorum.RejectionCount, Value: 3}
	})
	for _, big := range []bool{false, true} {
		s := tell(t, policyOf(stage))
		s.values["big"] = constant(big)
		s.must(s.start())
		want := map[bool][]string{false: {"ana"}, true: {"dee", "ana"}}[big]
		if s.holdersAre("s", want...); !slices.Equal(s.run("s").Computed.Off, map[bool][]int{false: {0}}[big]) {
			t.Errorf("computed = %+v", s.run("s").Computed)
		}
		if got := s.task(s.of("s", "ana")); !slices.Equal(got.Rules, []int{1}) || got.Required {
			t.Errorf("the rules keep their indexes: %+v", got)
		}
		s.must(s.approve(s.of("s", "ana"), "ana"))
		s.status(map[bool]wf.RequestStatus{false: wf.RequestApproved, true: wf.RequestInReview}[big])
	}
}

func TestAStageWithoutARuleThatAppliesIsUnderstaffed(t *testing.T) {
	off, nobody := when("big", names("dee")), policy.Rule{Type: policy.RuleRole, Role: "nobody"}
	for name, tt := range map[string]struct {
		rules   []policy.Rule
		onEmpty policy.OnEmpty
		want    wf.StageStatus
	}{
		"all off, skip":               {[]policy.Rule{off}, policy.OnEmptySkip, wf.StageBlocked},
		"all off, block":              {[]policy.Rule{off}, policy.OnEmptyBlock, wf.StageBlocked},
		"all off, reject":             {[]policy.Rule{off, off}, policy.OnEmptyReject, wf.StageRejected},
		"all off, fallback":           {[]policy.Rule{off}, policy.OnEmptyFallback, wf.StageActive},
		"one off, others empty, skip": {[]policy.Rule{off, nobody}, policy.OnEmptySkip, wf.StageSkipped},
	} {
		t.Run(name, func(t *testing.T) {
			stage := but(each("s"), func(s *policy.Stage) { s.Approvers, s.OnEmpty = tt.rules, tt.onEmpty })
			s := tell(t, policyOf(stage, each("next", "bo")))
			s.def.Settings.FallbackApprovers = []policy.Rule{names("fay")}
			s.values["big"] = constant(false)
			s.must(s.start())
			s.stageIs("s", tt.want)
		})
	}
}

// byRole yields the users of rules by their role; other rules yield their ids.
func byRole(people map[string][]string) yields {
	return func(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
		if rule.Type == policy.RuleUser {
			return users(rule.IDs...), nil
		}
		return users(people[rule.Role]...), nil
	}
}

// Rules that are off stay off for later approvers: successors and members of a pool.
func TestARuleThatIsOffYieldsNoSuccessor(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": but(each("s"), func(s *policy.Stage) { s.Quorum.Mode = quorum.QuorumAny }),
		"pool": but(pool("s", 1), func(s *policy.Stage) {}),
	} {
		t.Run(name, func(t *testing.T) {
			stage.Approvers = []policy.Rule{
				{Type: policy.RuleRole, Role: "officer"}, when("big", policy.Rule{Type: policy.RuleRole, Role: "director"}),
			}
			s := tell(t, policyOf(stage))
			s.values["big"] = constant(false)
			s.yields = byRole(map[string][]string{"officer": {"ana"}, "director": {"dee"}})
			s.must(s.start())
			s.yields = byRole(map[string][]string{"director": {"dee"}})
			n := len(s.events)
			s.must(s.sweep("ana"))
			if !slices.Contains(s.types(n), audit.EventTaskOrphaned) {
				t.Errorf("events = %v", s.types(n))
			}
			s.stageIs("s", wf.StageBlocked)
			if got := s.holders("s"); len(got) != 0 {
				t.Errorf("held by %v", got)
			}
		})
	}
}
