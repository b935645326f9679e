package wf_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// anyOf lets one approval be enough.
func anyOf(s policy.Stage) policy.Stage {
	s.Quorum = quorum.Quorum{Mode: quorum.QuorumAny}
	return s
}

func required(r policy.Rule) policy.Rule {
	r.Required = true
	return r
}

// resolver is an http rule; it yields its people unless the test overrides it.
func resolver(ids ...string) policy.Rule {
	return policy.Rule{Type: policy.RuleHTTP, Resolver: "heads", IDs: ids}
}

// answering answers rules of one type like this, and lets all others yield their
// people.
func answering(kind policy.RuleType, answer yields) yields {
	return func(rule policy.Rule, maxAge time.Duration) ([]identity.User, error) {
		if rule.Type == kind {
			return answer(rule, maxAge)
		}
		return users(rule.IDs...), nil
	}
}

func badContext(policy.Rule, time.Duration) ([]identity.User, error) {
	return nil, refusal.New(reason.EngineRefused, "resolver heads: 400, no such district")
}

func silent(policy.Rule, time.Duration) ([]identity.User, error) {
	return nil, reason.NoAnswer("resolver heads: no answer")
}

var onEmpties = []policy.OnEmpty{"", policy.OnEmptyBlock, policy.OnEmptyFallback, policy.OnEmptySkip, policy.OnEmptyReject}

// wrongRules are stages with a rule that fails beside one that yields bo.
var wrongRules = map[string]struct {
	stage  policy.Stage
	change func(*story)
	error  string
}{
	"a required expression that fails": {anyOf(ruled("s", required(heads), names("bo"))),
		func(s *story) { s.values["head"] = fails("no such key: head") }, "approver rule 0: no such key: head"},
	"an expression that fails": {ruled("s", heads, names("bo")),
		func(s *story) { s.values["head"] = fails("no such key: head") }, "approver rule 0: no such key: head"},
	"a resolver that answers 400": {anyOf(ruled("s", resolver(), names("bo"))),
		func(s *story) { s.yields = answering(policy.RuleHTTP, badContext) },
		"approver rule 0: resolver heads: 400, no such district"},
	"a role that does not exist": {anyOf(ruled("s", names("bo"), officers())),
		func(s *story) { s.yields = answering(policy.RuleRole, unknown) }, "approver rule 1: role officer: there is none"},
	"a rule that names over 1,000 people": {anyOf(ruled("s", names("bo"), crowd(1001))), func(*story) {},
		"approver rule 1: yields 1001 people, over the limit of 1000"},
	"a pool with a resolver that returns 400": {but(pool("s", 1),
		func(s *policy.Stage) { s.Approvers = []policy.Rule{resolver(), names("bo")} }),
		func(s *story) { s.yields = answering(policy.RuleHTTP, badContext) },
		"approver rule 0: resolver heads: 400, no such district"},
	"an expression that names no id": {anyOf(ruled("s", heads, names("bo"))),
		func(s *story) { s.values["head"] = policy.Value{Names: []string{"system:policy"}} }, "approver rule 0: "},
	"a manager of two": {anyOf(ruled("s", policy.Rule{Type: policy.RuleManager, Of: "heads"},
		names("bo"))), func(s *story) { s.values["heads"] = policy.Value{Names: []string{"a", "b"}} },
		"approver rule 0: of yields 2 users, not one"},
}

func TestARuleThatFailsRefusesTheRequestAtItsCreation(t *testing.T) {
	for name, tt := range wrongRules {
		for _, onEmpty := range onEmpties {
			t.Run(name+"/"+string(onEmpty), func(t *testing.T) {
				s := tell(t, policyOf(but(tt.stage, func(s *policy.Stage) { s.OnEmpty = onEmpty })))
				s.def.Settings.FallbackApprovers = []policy.Rule{names("fay")}
				tt.change(s)
				err := s.start()
				s.refused(err, reason.EngineRefused)
				if !strings.Contains(err.Error(), "stage s: "+tt.error) {
					t.Errorf("refusal = %v", err)
				}
			})
		}
	}
}

// A rule that fails does not let the other person approve alone, required or not.
func TestARuleThatFailsLaterBlocksTheStageWhateverElseIsThere(t *testing.T) {
	for name, tt := range wrongRules {
		for _, onEmpty := range onEmpties {
			t.Run(name+"/"+string(onEmpty), func(t *testing.T) {
				s := begin(t, each("before", "xi"), but(tt.stage, func(s *policy.Stage) { s.OnEmpty = onEmpty }), each("after", "yu"))
				s.def.Settings.FallbackApprovers = []policy.Rule{names("fay")}
				tt.change(s)
				s.must(s.approve(s.of("before", "xi"), "xi"))
				s.status(wf.RequestBlocked)
				s.because(wf.BecauseNoApprovers)
				s.stageIs("s", wf.StageBlocked)
				if got := s.run("s").LastError; !strings.HasPrefix(got, tt.error) || s.now.StatusReason.Message != got {
					t.Errorf("last error = %q, reason = %+v", got, s.now.StatusReason)
				}
				i := slices.Index(s.types(0), audit.EventStageStarted) + 1
				i += slices.Index(s.types(i), audit.EventStageStarted)
				if note := s.events[i].Stage; note.Key != "s" || !strings.HasPrefix(note.Error, tt.error) {
					t.Errorf("stage.started says %+v", note)
				}
				if n := len(s.rescues("s")); n != 1 {
					t.Errorf("%d rescues, want one for the rule that failed", n)
				}
				rescue := s.rescue("s")
				if s.run("s").Pool {
					s.must(s.reassign(rescue, "zoe", root))
					s.must(s.approve(rescue, "zoe"))
				} else {
					s.must(s.approve(s.of("s", "bo"), "bo"))
					s.status(wf.RequestBlocked) // bo alone is not enough
					s.must(s.reassign(rescue, "zoe", root))
					s.must(s.approve(rescue, "zoe"))
				}
				s.stageIs("s", wf.StageApproved)
				s.stageIs("after", wf.StageActive)
			})
		}
	}
}

func TestRuleWithoutAnswerIsNotTreatedAsEmpty(t *testing.T) {
	for _, onEmpty := range onEmpties {
		t.Run(string(onEmpty), func(t *testing.T) {
			stage := but(anyOf(ruled("s", resolver(), names("bo"))), func(s *policy.Stage) { s.OnEmpty = onEmpty })
			s := tell(t, policyOf(stage))
			s.def.Settings.FallbackApprovers = []policy.Rule{names("fay")}
			s.yields = answering(policy.RuleHTTP, silent)
			s.refused(s.start(), reason.ResolverFailed)

			s.def.Stages = []policy.Stage{each("before", "xi"), stage}
			s.must(s.start())
			s.must(s.approve(s.of("before", "xi"), "xi"))
			s.stageIs("s", wf.StageResolving)
			s.holdersAre("s")
		})
	}
}

func TestAFallbackWithoutAnAnswerIsWaitedFor(t *testing.T) {
	stage := but(ruled("s"), func(s *policy.Stage) { s.Approvers, s.OnEmpty = []policy.Rule{names()}, policy.OnEmptyFallback })
	s := tell(t, policyOf(stage))
	s.def.Settings.FallbackApprovers = []policy.Rule{officers("fay")}
	s.yields = answering(policy.RuleRole, down)
	s.refused(s.start(), reason.ResolverFailed)
	s.yields = answering(policy.RuleRole, unknown)
	s.refused(s.start(), reason.EngineRefused)
	s.yields = nil
	s.must(s.start())
	s.holdersAre("s", "fay")
	if a := s.run("s").People[0]; !a.Fallback || !slices.Equal(a.Rules, []int{0}) {
		t.Errorf("fay is %+v", a)
	}
}

// bossAndTwo returns a stage of the boss, required, and two others, with a quorum of one.
func bossAndTwo(boss policy.Rule) policy.Stage {
	return anyOf(ruled("s", required(boss), names("u5", "u6")))
}

// absences lists reasons for the absence of the boss.
var absences = map[string]func(*story){
	"the boss asks": func(s *story) { s.def.Stages[1] = bossAndTwo(names("rita")) },
	"the boss approved an earlier stage": func(s *story) {
		s.def.Stages[1], s.def.Settings.RepeatApprover = bossAndTwo(names("boss")), policy.RepeatExclude
	},
	"the rule is empty": func(s *story) { s.def.Stages[1] = bossAndTwo(officers()) },
}

func absent(t *testing.T, change func(*story), onEmpty policy.OnEmpty) *story {
	t.Helper()
	s := tell(t, policyOf(each("before", "boss"), each("s"), each("after", "yu")))
	s.def.Settings.FallbackApprovers = []policy.Rule{names("fay", "fox")}
	change(s)
	s.def.Stages[1].OnEmpty = onEmpty
	s.must(s.start())
	s.must(s.approve(s.of("before", "boss"), "boss"))
	return s
}

func TestRequiredRuleWithoutApproverBlocksStageWithOneRescue(t *testing.T) {
	for name, change := range absences {
		for _, onEmpty := range []policy.OnEmpty{"", policy.OnEmptyBlock, policy.OnEmptySkip} {
			t.Run(name+"/"+string(onEmpty), func(t *testing.T) {
				s := absent(t, change, onEmpty)
				s.status(wf.RequestBlocked)
				s.because(wf.BecauseNoApprovers)
				s.holdersAre("s", "u5", "u6")
				if n := len(s.rescues("s")); n != 1 {
					t.Fatalf("%d rescues, want 1", n)
				}
				s.must(s.approve(s.of("s", "u5"), "u5"))
				s.must(s.approve(s.of("s", "u6"), "u6"))
				s.stageIs("s", wf.StageBlocked) // they do not replace the boss
				rescue := s.rescue("s")
				s.must(s.reassign(rescue, "zoe", root))
				s.must(s.approve(rescue, "zoe"))
				s.stageIs("s", wf.StageApproved)
			})
		}
	}
}

func TestRequiredRuleWithoutApproverRejectsOrFallsBack(t *testing.T) {
	for name, change := range absences {
		t.Run(name+"/reject", func(t *testing.T) {
			s := absent(t, change, policy.OnEmptyReject)
			s.status(wf.RequestRejected)
			s.because(wf.BecauseStageEmpty)
		})
		t.Run(name+"/fallback", func(t *testing.T) {
			s := absent(t, change, policy.OnEmptyFallback)
			s.status(wf.RequestInReview)
			s.holdersAre("s", "u5", "u6", "fay", "fox")
			s.must(s.approve(s.of("s", "u5"), "u5"))
			s.stageIs("s", wf.StageActive) // u5 does not replace the boss
			s.must(s.approve(s.of("s", "fox"), "fox"))
			s.stageIs("s", wf.StageApproved) // one fallback approver does
		})
	}
}

func TestRequiredRuleOfThreeWithRequesterNeedsTheOtherTwo(t *testing.T) {
	s := begin(t, anyOf(ruled("s", required(names("rita", "ana", "bo")), names("cy"))))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("s", "cy"), "cy"))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.status(wf.RequestApproved)
}

func TestStageIsSkippedOnlyWhenItsRulesYieldNoApprover(t *testing.T) {
	for name, tt := range map[string]struct {
		rules []policy.Rule
		skips bool
	}{
		"nobody":                                 {[]policy.Rule{officers(), names()}, true},
		"only an earlier approver":               {[]policy.Rule{names("boss")}, true},
		"only the requester":                     {[]policy.Rule{names("rita")}, false},
		"an earlier approver, and the requester": {[]policy.Rule{names("boss", "rita")}, false},
		"too few":                                {[]policy.Rule{atLeast(names("ana"), 2)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := absent(t, func(s *story) {
				s.def.Stages[1], s.def.Settings.RepeatApprover = ruled("s", tt.rules...), policy.RepeatExclude
			}, policy.OnEmptySkip)
			s.stageIs("s", map[bool]wf.StageStatus{true: wf.StageSkipped, false: wf.StageBlocked}[tt.skips])
		})
	}
}

// atLeast is the rule with a minimum.
func atLeast(r policy.Rule, least int) policy.Rule {
	r.MinApprovals = least
	return r
}

func TestExcludedFallbackApproversStayExcluded(t *testing.T) {
	s := tell(t, policyOf(but(ruled("s", names("ana")), func(s *policy.Stage) {
		s.Quorum, s.OnEmpty = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}, policy.OnEmptyFallback
	})))
	s.def.Stages[0].Approvers[0].IDs = []string{"ana", "rita"}
	s.def.Settings.FallbackApprovers = []policy.Rule{names("rita", "sam", "ana", "fay")}
	s.must(s.start())
	s.holdersAre("s", "ana", "fay")
	want := []approver.Exclusion{{User: user("rita"), Reason: approver.ExcludedRequester}, {User: user("sam"), Reason: approver.ExcludedSubmitter}}
	if got := s.run("s").Excluded; !slices.Equal(got, want) {
		t.Errorf("excluded = %v, want %v", got, want)
	}
}

func TestTheFallbackStandsForTheRulesThatAreShortAlone(t *testing.T) {
	s := tell(t, policyOf(but(anyOf(ruled("s", atLeast(officers(), 1), atLeast(names("ana"), 1))),
		func(s *policy.Stage) { s.OnEmpty = policy.OnEmptyFallback })))
	s.def.Settings.FallbackApprovers = []policy.Rule{names("fay", "fox")}
	s.must(s.start())
	s.holdersAre("s", "ana", "fay", "fox")
	s.must(s.approve(s.of("s", "fay"), "fay"))
	s.must(s.approve(s.of("s", "fox"), "fox"))
	s.status(wf.RequestInReview) // ana's rule is not short
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.status(wf.RequestApproved)
}

// An automatic decision needs both conditions. One that fails decides nothing, and if
// the rejecting one fails, people decide.
func TestARejectingConditionThatFailsSwitchesTheApprovingOneOff(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana")))
	automatic(value(true), fails("no such key: sanctioned"))(s)
	s.must(s.start())
	s.status(wf.RequestInReview)
	s.holdersAre("s", "ana")
}

func TestFailedConditionRunsTheStageAndReportsTheError(t *testing.T) {
	s := tell(t, policyOf(but(each("s", "ana"), func(s *policy.Stage) { s.When = "context.amount > 5" })))
	s.values["context.amount > 5"] = fails("no such key: amount")
	s.must(s.start())
	s.stageIs("s", wf.StageActive)
	if got := s.run("s").LastError; got != "when: no such key: amount" {
		t.Errorf("last error = %q", got)
	}
	if i := slices.Index(s.types(0), audit.EventStageStarted); s.events[i].Stage.Error != "when: no such key: amount" {
		t.Errorf("stage.started says %+v", s.events[i].Stage)
	}
}

func TestAutoApprovalSkipsStagesNeedingInput(t *testing.T) {
	for name, change := range map[string]func(*story){
		"a stage with reauthentication":   func(s *story) { s.def.Stages[1].Reauth = &policy.Reauth{MaxAge: "PT5M"} },
		"a stage with a decision schema":  func(s *story) { s.def.Stages[1].DecisionSchema = []byte(`{}`) },
		"a policy with required comments": func(s *story) { s.def.Settings.RequireComment.Approve = true },
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("one", "ana"), each("two", "ana")))
			s.def.Settings.RepeatApprover = policy.RepeatAutoApprove
			change(s)
			s.must(s.start())
			s.must(s.decide(s.of("one", "ana"), person("ana"), wf.DecisionInput{Action: wf.ActionApprove, Comment: "fine"}))
			s.status(wf.RequestInReview)
			s.holdersAre("two", "ana")
		})
	}
}

func TestPreviewReportsProblemsThatPreventStageStart(t *testing.T) {
	for name, tt := range map[string]struct {
		stage   policy.Stage
		change  func(*story)
		problem string
		status  wf.StageStatus
		want    refusal.Reason
	}{
		"nothing": {stage: each("s", "ana"), status: wf.StagePending},
		"a condition that is false": {stage: but(each("s", "ana"), func(s *policy.Stage) { s.When = "expr" }),
			change: func(s *story) { s.values["expr"] = value(false) }, status: wf.StageSkipped},
		"a condition that fails": {stage: but(each("s", "ana"), func(s *policy.Stage) { s.When = "expr" }),
			change: func(s *story) { s.values["expr"] = fails("no such key") }, status: wf.StagePending},
		"a rule that fails": {stage: ruled("s", heads, names("bo")),
			change: func(s *story) { s.values["head"] = fails("no such key") }, problem: "approver rule 0: no such key",
			status: wf.StagePending},
		"none, skipped": {stage: but(each("s"), func(s *policy.Stage) { s.OnEmpty = policy.OnEmptySkip }), status: wf.StageSkipped},
		"the requester alone": {stage: but(each("s", "rita"),
			func(s *policy.Stage) { s.OnEmpty = policy.OnEmptySkip }), problem: "too few eligible approvers: 0",
			status: wf.StagePending},
		"none, rejected": {stage: but(each("s"), func(s *policy.Stage) { s.OnEmpty = policy.OnEmptyReject }),
			problem: "too few eligible approvers: the request would be rejected", status: wf.StagePending},
		"a directory without answers": {stage: ruled("s", officers("bo")), change: func(s *story) { s.yields = down }, want: reason.ResolverFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, each("before", "xi"), tt.stage)
			if tt.change != nil {
				tt.change(s)
			}
			var run wf.StageRun
			var found []string
			_, _, err := s.settle(func(f wf.Facts) (wf.Request, []wf.Event, error) {
				var err error
				run, found, err = s.now.Preview(s.def, s.def.Stages[1], f)
				return wf.Request{}, nil, err
			})
			if tt.want != "" {
				s.refused(err, tt.want)
				return
			}
			s.must(err)
			if run.Status != tt.status {
				t.Errorf("stage is %s, want %s", run.Status, tt.status)
			}
			if name == "nothing" && (len(run.People) != 1 || run.Count.Need != 1 || run.Count.Voters != 1) {
				t.Errorf("run = %+v", run)
			}
			if tt.problem == "" && len(found) > 0 || tt.problem != "" && (len(found) != 1 || !strings.HasPrefix(found[0], tt.problem)) {
				t.Errorf("problems = %q, want %q", found, tt.problem)
			}
		})
	}
}

func TestEmptyRuleWithoutMinimumDoesNotBlock(t *testing.T) {
	s := begin(t, anyOf(ruled("s", officers(), names("bo"))))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.status(wf.RequestApproved)

	s = begin(t, anyOf(ruled("s", required(names("bo")), required(names("bo"))))) // one person may be required twice
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.status(wf.RequestApproved)
}

func TestFallbackApproverAlreadyAssignedCountsForShortRule(t *testing.T) {
	s := tell(t, policyOf(but(anyOf(ruled("s", atLeast(officers(), 1), names("fay"))), func(s *policy.Stage) { s.OnEmpty = policy.OnEmptyFallback })))
	s.def.Settings.FallbackApprovers = []policy.Rule{names("fay")}
	s.must(s.start())
	s.holdersAre("s", "fay")
	if got := s.task(s.of("s", "fay")).Rules; !slices.Equal(got, []int{0, 1}) {
		t.Errorf("fay has the rules %v", got)
	}
	s.must(s.approve(s.of("s", "fay"), "fay"))
	s.status(wf.RequestApproved)
}

func TestAFallbackThatIsTooLargeIsWrong(t *testing.T) {
	s := tell(t, policyOf(but(ruled("s", officers()), func(s *policy.Stage) { s.OnEmpty = policy.OnEmptyFallback })))
	s.def.Settings.FallbackApprovers = []policy.Rule{crowd(101)}
	s.refused(s.start(), reason.EngineRefused)
}
