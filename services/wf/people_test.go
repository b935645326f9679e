package wf_test

import (
	"errors"
	"fmt"
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

func roleOf(name string) policy.Rule { return policy.Rule{Type: policy.RuleRole, Role: name} }

// excluding returns a stage that excludes the users of rules.
func excluding(stage policy.Stage, rules ...policy.Rule) policy.Stage {
	stage.Exclude = rules
	return stage
}

// vetoing gives a rule of the stage a veto and lets three rejections reject it.
func vetoing(stage policy.Stage, rule int) policy.Stage {
	stage.Approvers = slices.Clone(stage.Approvers)
	stage.Approvers[rule].Veto = true
	stage.Rejection = quorum.Rejection{Mode: quorum.RejectionCount, Value: 3}
	return stage
}

func TestAVetoRejectsTheStageWhateverItsRejectionRule(t *testing.T) {
	two := func(stage policy.Stage) policy.Stage {
		stage.Approvers = []policy.Rule{names("ana"), names("bo", "cy")}
		return vetoing(stage, 0)
	}
	for name, stage := range map[string]policy.Stage{
		"each": two(but(each("s"), func(s *policy.Stage) { s.Quorum.Mode = quorum.QuorumAny })), "pool": two(pool("s", 1)),
	} {
		for _, mode := range []quorum.RejectionMode{quorum.RejectionCount, quorum.RejectionUnreachable} {
			for _, reaction := range []quorum.OnUnreachable{quorum.OnUnreachableReject, quorum.OnUnreachableBlock} {
				stage.Rejection = quorum.Rejection{Mode: mode, OnUnreachable: reaction}
				if mode == quorum.RejectionCount {
					stage.Rejection.Value = 3
				}
				for who, veto := range map[string]bool{"ana": true, "bo": false} {
					t.Run(fmt.Sprint(name, mode, reaction, who), func(t *testing.T) {
						s := begin(t, stage)
						s.must(s.reject(s.taskFor("s", who), who))
						if !veto {
							s.status(wf.RequestInReview)
							return
						}
						s.status(wf.RequestRejected)
						s.because(wf.BecauseVeto)
					})
				}
			}
		}
	}
}

// taskFor returns the task that a person holds in a stage, or an unassigned one.
func (s *story) taskFor(key, id string) string {
	s.t.Helper()
	for _, t := range s.tasks(key) {
		if live(t) && (t.Assignee == nil && t.Kind == wf.ApproverTask || t.Assignee != nil && t.HeldBy(id)) {
			return t.ID
		}
	}
	s.t.Fatalf("no task of stage %s for %s", key, id)
	return ""
}

// The veto belongs to the rules of the seat: a delegate acts with those of the owner, a new holder with those of
// the seat, and a rescuer satisfies every rule.
func TestAVetoFollowsTheRulesOfTheSeat(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": vetoing(but(each("s", "ana", "bo"), func(s *policy.Stage) {
			s.Allow.Reassign, s.Quorum.Mode = policy.ReassignAny, quorum.QuorumAny
		}), 0),
		"pool": vetoing(pool("s", 1, "ana", "bo"), 0),
	} {
		for how, prepare := range map[string]func(*story) (task, by string){
			"a delegate": func(s *story) (string, string) {
				s.delegate(delegation("ana", "dee"))
				return s.nth("s", 1), "dee"
			},
			"a new holder": func(s *story) (string, string) {
				task := s.taskFor("s", "ana")
				s.must(s.claim(task, person("ana")))
				s.must(s.reassign(task, "dee", root))
				return task, "dee"
			},
			"a rescuer": func(s *story) (string, string) {
				s.without("ana", "bo")
				s.must(s.sweep("ana", "bo"))
				task := s.rescue("s")
				s.must(s.reassign(task, "dee", root))
				return task, "dee"
			},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				s := begin(t, stage)
				task, by := prepare(s)
				s.must(s.reject(task, by))
				s.status(wf.RequestRejected)
				s.because(wf.BecauseVeto)
			})
		}
	}
	s := tell(t, policyOf(vetoing(but(each("s"), func(s *policy.Stage) {
		s.Approvers, s.OnEmpty = []policy.Rule{roleOf("director"), names("bo")}, policy.OnEmptyFallback
		s.Approvers[0].MinApprovals = 1
	}), 0)))
	s.def.Settings.FallbackApprovers = []policy.Rule{names("fay")}
	s.yields = byRole(nil)
	s.must(s.start())
	s.must(s.reject(s.of("s", "fay"), "fay"))
	s.because(wf.BecauseVeto)
}

func TestExcludeRulesRemovePeopleBeforeCounting(t *testing.T) {
	for name, tt := range map[string]struct {
		stage, settings []policy.Rule
		label           string
	}{
		"of the stage":    {stage: []policy.Rule{names("ana")}, label: "user"},
		"of the settings": {settings: []policy.Rule{roleOf("author")}, label: "role author"},
		"of both":         {stage: []policy.Rule{roleOf("author")}, settings: []policy.Rule{names("zoe")}, label: "role author"},
		"with a label":    {stage: []policy.Rule{{Type: policy.RuleRole, Role: "author", Label: "Authors"}}, label: "Authors"},
	} {
		for _, assignment := range []policy.Assignment{policy.AssignmentEach, policy.AssignmentPool} {
			t.Run(name+" "+string(assignment), func(t *testing.T) {
				stage := excluding(each("s", "ana", "bo"), tt.stage...)
				if assignment == policy.AssignmentPool {
					stage.Assignment, stage.Quorum = assignment, quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 100}
				}
				s := tell(t, policyOf(stage))
				s.def.Settings.Exclude = tt.settings
				s.yields = byRole(map[string][]string{"author": {"ana", "rita"}})
				s.must(s.start())
				run := s.run("s")
				want := approver.Exclusion{User: user("ana"), Reason: approver.ExcludedByRule, Label: tt.label}
				if !slices.Equal(run.Excluded, []approver.Exclusion{want}) || run.Count.Need != 1 || run.Count.Voters != 1 {
					t.Errorf("excluded = %+v, count = %+v", run.Excluded, run.Count)
				}
				if !slices.Contains(run.Barred, "ana") || !slices.IsSorted(run.Barred) {
					t.Errorf("barred = %v", run.Barred)
				}
				s.must(s.approve(s.taskFor("s", "bo"), "bo"))
				s.status(wf.RequestApproved)
			})
		}
	}
}

// An exclusion never makes approval easier: the stage is not skipped.
func TestAnExclusionLeadsToNoSkip(t *testing.T) {
	two := but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} })
	for name, tt := range map[string]struct {
		stage policy.Stage
		empty policy.OnEmpty
		want  wf.StageStatus
	}{
		"too few, skip":               {excluding(two, names("ana")), policy.OnEmptySkip, wf.StageBlocked},
		"nobody left, skip":           {excluding(each("s", "ana"), names("ana")), policy.OnEmptySkip, wf.StageBlocked},
		"nobody left, reject":         {excluding(each("s", "ana"), names("ana")), policy.OnEmptyReject, wf.StageRejected},
		"nobody left, fallback":       {excluding(each("s", "ana"), names("ana")), policy.OnEmptyFallback, wf.StageActive},
		"fallback excluded as well":   {excluding(each("s", "ana"), names("ana", "fay")), policy.OnEmptyFallback, wf.StageBlocked},
		"a repeat excluded by a rule": {excluding(each("s", "eve"), names("eve")), policy.OnEmptySkip, wf.StageBlocked},
		"a repeat not excluded, skip": {each("s", "eve"), policy.OnEmptySkip, wf.StageSkipped},
		"an empty rule": {excluding(but(each("s"),
			func(s *policy.Stage) { s.Approvers = []policy.Rule{roleOf("none")} }), names("ana")), policy.OnEmptySkip,
			wf.StageSkipped},
		"actors of an earlier stage": {excluding(each("s", "eve"),
			policy.Rule{Type: policy.RuleStageActor, Stage: "first"}), policy.OnEmptySkip, wf.StageBlocked},
		"actors, and others are there": {excluding(each("s", "eve", "bo"),
			policy.Rule{Type: policy.RuleStageActor, Stage: "first"}), policy.OnEmptyBlock, wf.StageActive},
	} {
		t.Run(name, func(t *testing.T) {
			tt.stage.OnEmpty = tt.empty
			s := tell(t, policyOf(each("first", "eve"), tt.stage))
			s.def.Settings.RepeatApprover, s.def.Settings.FallbackApprovers = policy.RepeatExclude, []policy.Rule{names("fay")}
			s.yields = byRole(nil)
			s.must(s.start())
			s.must(s.approve(s.of("first", "eve"), "eve"))
			s.stageIs("s", tt.want)
		})
	}
}

// failing is a directory whose role answers with a failure.
func failing(role string, kind refusal.Reason, people map[string][]string) yields {
	rest := byRole(people)
	return func(rule policy.Rule, age time.Duration) ([]identity.User, error) {
		if rule.Role == role {
			return nil, refusal.New(kind, "role %s", role)
		}
		return rest(rule, age)
	}
}

func TestFailedExcludeRuleAssignsNoApprover(t *testing.T) {
	for _, empty := range policy.OnEmpty("").Values() {
		stage := excluding(each("s", "ana", "bo"), roleOf("author"))
		stage.OnEmpty = empty
		s := tell(t, policyOf(stage))
		s.def.Settings.FallbackApprovers = []policy.Rule{names("fay")}
		s.yields = failing("author", reason.EngineRefused, nil)
		err := s.start()
		if s.refused(err, reason.EngineRefused); !strings.Contains(err.Error(), "exclude rule 0: role author") {
			t.Errorf("error = %v", err)
		}
		s.yields = failing("author", reason.ResolverFailed, nil)
		s.refused(s.start(), reason.ResolverFailed)

		second := tell(t, policyOf(each("first", "eve"), stage))
		second.def.Settings.FallbackApprovers = s.def.Settings.FallbackApprovers
		second.yields = failing("author", reason.EngineRefused, nil)
		second.must(second.start())
		second.must(second.approve(second.of("first", "eve"), "eve"))
		if second.stageIs("s", wf.StageBlocked); !strings.Contains(second.run("s").LastError, "exclude rule 0: role author") {
			t.Errorf("last_error = %q", second.run("s").LastError)
		}
		second.yields = byRole(map[string][]string{"author": {"ana"}})
		second.must(second.reevaluate(root))
		second.stageIs("s", wf.StageActive)
		second.holdersAre("s", "bo")

		later := tell(t, policyOf(each("first", "eve"), stage))
		later.yields = failing("author", reason.ResolverFailed, nil)
		later.must(later.start())
		later.must(later.approve(later.of("first", "eve"), "eve"))
		later.stageIs("s", wf.StageResolving)
	}
}

func TestExcludeRulesYieldAtMost5000People(t *testing.T) {
	for n, want := range map[int]bool{2500: true, 2501: false} {
		crowd := func(prefix string, n int) []string {
			ids := make([]string, n)
			for i := range ids {
				ids[i] = fmt.Sprint(prefix, i)
			}
			return ids
		}
		s := tell(t, policyOf(excluding(each("s", "ana"), roleOf("a"), roleOf("b"))))
		s.yields = byRole(map[string][]string{"a": crowd("a", n), "b": crowd("b", 2500)})
		if err := s.start(); (err == nil) != want || err != nil && !errors.Is(err, reason.EngineRefused) {
			t.Errorf("%d people: %v", n+2500, err)
		}
	}
}

// TestTheExclusionsOfTheStartOutliveEveryStaffing of a blocked stage.
func TestTheExclusionsOfTheStartOutliveEveryStaffing(t *testing.T) {
	stage := policy.Stage{Key: "s", Name: "s", Approvers: []policy.Rule{roleOf("officer")}, Quorum: quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}}
	s := tell(t, policyOf(excluding(stage, roleOf("author"))))
	s.yields = byRole(map[string][]string{"officer": {"ana", "bo"}, "author": {"ana"}})
	s.must(s.start())
	s.stageIs("s", wf.StageBlocked)
	s.yields = byRole(map[string][]string{"officer": {"ana", "bo"}})
	for range 2 {
		s.must(s.reevaluate(root))
		s.stageIs("s", wf.StageBlocked)
	}
	if run := s.run("s"); len(run.People) != 1 || !slices.Equal(run.Barred, []string{"ana"}) {
		t.Errorf("approvers %v, excluded since the start %v", run.People, run.Barred)
	}
}

// TestTheFirstExcludeRuleNamesAnExclusion of a person that two of them yield.
func TestTheFirstExcludeRuleNamesAnExclusion(t *testing.T) {
	s := tell(t, policyOf(excluding(each("s", "ana", "bo"), roleOf("first"), roleOf("second"))))
	s.yields = byRole(map[string][]string{"first": {"ana"}, "second": {"ana"}})
	s.must(s.start())
	if got := s.run("s").Excluded; len(got) != 1 || got[0].Label != roleOf("first").Name() {
		t.Errorf("excluded %+v", got)
	}
}

// excludedLater starts a stage whose author rule comes to yield a person after the start.
func excludedLater(t *testing.T, stage policy.Stage, mode policy.MembershipRecheck, id string, more ...func(*story)) *story {
	s := tell(t, policyOf(excluding(stage, roleOf("author"))))
	s.def.Settings.MembershipRecheck = mode
	s.yields = byRole(nil)
	for _, change := range more {
		change(s)
	}
	s.must(s.start())
	s.yields = byRole(map[string][]string{"author": {id}})
	return s
}

// attempts are the calls of a holder that a check of the person precedes.
var attempts = map[string]func(s *story, task, by string) error{
	"claim":    func(s *story, task, by string) error { return s.claim(task, person(by)) },
	"approve":  func(s *story, task, by string) error { return s.approve(task, by) },
	"reject":   func(s *story, task, by string) error { return s.reject(task, by) },
	"reassign": func(s *story, task, by string) error { return s.reassign(task, "zoe", person(by)) },
}

func TestAnExcludedHolderIsRefusedAndLosesThePlace(t *testing.T) {
	free := func(s *policy.Stage) { s.Allow.Reassign = policy.ReassignAny }
	for name, stage := range map[string]policy.Stage{
		"each": but(each("s", "ana", "bo"), free), "pool": but(pool("s", 2, "ana", "bo"), free),
	} {
		for _, mode := range []policy.MembershipRecheck{policy.RecheckStrict, policy.RecheckCached, "", policy.RecheckNone} {
			for how, attempt := range attempts {
				t.Run(fmt.Sprint(name, mode, how), func(t *testing.T) {
					s := excludedLater(t, stage, mode, "ana")
					task := s.taskFor("s", "ana")
					if name == "pool" && how == "reassign" {
						s.yields = byRole(nil)
						s.must(s.claim(task, person("ana")))
						s.yields = byRole(map[string][]string{"author": {"ana"}})
					}
					n := len(s.events)
					err := attempt(s, task, "ana")
					if mode == policy.RecheckNone {
						s.must(err)
						return
					}
					s.refused(err, reason.Forbidden)
					if !slices.Contains(s.types(n), audit.EventTaskOrphaned) {
						t.Errorf("events = %v", s.types(n))
					}
					s.stageIs("s", wf.StageBlocked)
					s.rescue("s")
					s.refused(s.approve(task, "ana"), reason.Forbidden)
					s.must(s.approve(s.taskFor("s", "bo"), "bo"))
					s.status(wf.RequestBlocked)
				})
			}
		}
	}
}

// TestApprovalInEarlierRunExcludesNoApprover from another stage.
func TestApprovalInEarlierRunExcludesNoApprover(t *testing.T) {
	s := tell(t, policyOf(anyOf(each("first", "ana", "bo")), each("second", "ana", "cy")))
	s.def.Settings.RepeatApprover = policy.RepeatExclude
	s.must(s.start())
	s.must(s.approve(s.of("first", "ana"), "ana"))
	s.must(s.sendBack(s.of("second", "cy"), "cy"))
	s.must(s.resubmit(sam, "sha256:two"))
	s.must(s.approve(s.of("first", "bo"), "bo"))
	s.holdersAre("second", "ana", "cy")
}

// TestSimulationDoesNotRequeryExcludeRules: those of the start count.
func TestSimulationDoesNotRequeryExcludeRules(t *testing.T) {
	s := excludedLater(t, each("s", "ana", "bo"), policy.RecheckStrict, "ana")
	s.trust = true
	s.must(s.approve(s.of("s", "ana"), "ana"))
}

func TestAMissingAnswerAboutAnExcludeRule(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 1, "ana", "bo")} {
		for _, kind := range []refusal.Reason{reason.ResolverFailed, reason.EngineRefused} {
			for _, mode := range []policy.MembershipRecheck{policy.RecheckStrict, policy.RecheckCached, policy.RecheckNone} {
				t.Run(fmt.Sprint(name, kind, mode), func(t *testing.T) {
					s := excludedLater(t, stage, mode, "")
					s.yields = failing("author", kind, nil)
					n := len(s.events)
					err := s.approve(s.taskFor("s", "ana"), "ana")
					if mode == policy.RecheckStrict {
						if s.refused(err, reason.ResolverFailed); len(s.events) > n {
							t.Errorf("events = %v", s.types(n))
						}
						s.refused(s.reassign(s.taskFor("s", "bo"), "zoe", root), reason.ResolverFailed)
						return
					}
					s.must(err)
					for _, e := range s.events[n:] {
						if e.Type == audit.EventTaskDecided && e.MembershipStale != (mode == policy.RecheckCached) {
							t.Errorf("membership_stale is %t", e.MembershipStale)
						}
					}
				})
			}
		}
	}
}

// A rule that fails does not readmit the people of another rule.
func TestAFailedExcludeRuleLeavesTheOthers(t *testing.T) {
	stage := excluding(each("s", "ana", "bo"), roleOf("lost"), roleOf("author"))
	s := tell(t, policyOf(stage))
	s.yields = byRole(nil)
	s.must(s.start())
	s.yields = failing("lost", reason.ResolverFailed, map[string][]string{"author": {"ana"}})
	s.refused(s.approve(s.of("s", "ana"), "ana"), reason.Forbidden)
	s.must(s.approve(s.of("s", "bo"), "bo"))
}

// An exclusion at the start holds for the run, whatever the rules yield now.
func TestAnExclusionAtTheStartHoldsForTheRun(t *testing.T) {
	for _, mode := range policy.MembershipRecheck("").Values() {
		for name, stage := range map[string]policy.Stage{"each": each("s", "bo", "cy"), "pool": pool("s", 2, "bo", "cy")} {
			s := tell(t, policyOf(excluding(stage, roleOf("author"))))
			s.def.Settings.MembershipRecheck = mode
			s.yields = byRole(map[string][]string{"author": {"ana"}})
			s.must(s.start())
			s.yields = byRole(nil)
			task := s.nth("s", 1)
			s.refused(s.reassign(task, "ana", root), reason.WrongState)
			if got := s.asCase().Receivers(s.task(task), s.run("s")); slices.ContainsFunc(got, func(u identity.User) bool { return u.ID == "ana" }) {
				t.Errorf("%s: offered to ana", name)
			}
			s.delegate(delegation("bo", "ana"))
			s.refused(s.approve(s.nth("s", 1), "ana"), reason.Forbidden)
			s.must(s.approve(s.nth("s", 1), "bo"))
		}
	}
}

func TestAnExcludedPersonReceivesNoTask(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := excludedLater(t, stage, policy.RecheckStrict, "dee")
			task := s.nth("s", 2)
			s.refused(s.reassign(task, "dee", root), reason.WrongState)
			s.must(s.reassign(task, "zoe", root))

			// A rescue task, also if the requester may approve.
			s = excludedLater(t, stage, policy.RecheckStrict, "dee", func(s *story) { s.def.Settings.RequesterMayApprove = true })
			s.without("ana")
			s.yields = func(rule policy.Rule, age time.Duration) ([]identity.User, error) {
				if rule.Role == "author" {
					return users("dee"), nil
				}
				return present([]string{"ana"})(rule, age)
			}
			s.must(s.sweep("ana"))
			s.refused(s.reassign(s.rescue("s"), "dee", root), reason.WrongState)
			s.refused(s.reassign(s.rescue("s"), "rita", root), reason.WrongState)
			s.must(s.reassign(s.rescue("s"), "zoe", root))
		})
	}
}

// Both sides of a delegation are checked: the place of an excluded owner is released also at the attempt of the
// delegate.
func TestADelegateDoesNotActForAnExcludedOwner(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := excludedLater(t, stage, policy.RecheckStrict, "ana", func(s *story) { s.delegations = []approver.Delegation{delegation("ana", "dee")} })
			n := len(s.events)
			s.refused(s.approve(s.nth("s", 1), "dee"), reason.Forbidden)
			if !slices.Contains(s.types(n), audit.EventTaskOrphaned) {
				t.Errorf("events = %v", s.types(n))
			}
			s.stageIs("s", wf.StageBlocked)
		})
	}
}

// Later members of a run are checked as well: a successor, a member of a pool, and a fallback approver.
func TestAnExcludedPersonIsNoSuccessor(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": but(each("s"), func(s *policy.Stage) { s.Approvers = []policy.Rule{roleOf("officer")} }),
		"pool": but(pool("s", 1), func(s *policy.Stage) { s.Approvers = []policy.Rule{roleOf("officer")} }),
	} {
		for author, want := range map[string]wf.StageStatus{
			"nobody": wf.StageActive, "dee": wf.StageBlocked, "no answer": wf.StageBlocked,
		} {
			t.Run(fmt.Sprint(name, author), func(t *testing.T) {
				s := tell(t, policyOf(excluding(stage, roleOf("author"))))
				s.def.Settings.FallbackApprovers = []policy.Rule{names("dee")}
				s.yields = byRole(map[string][]string{"officer": {"ana"}})
				s.must(s.start())
				people := map[string][]string{"officer": {"dee"}, "author": {author}}
				s.yields = byRole(people)
				if author == "no answer" {
					s.def.Settings.MembershipRecheck = policy.RecheckStrict
					s.yields = failing("author", reason.ResolverFailed, people)
				}
				s.must(s.sweep("ana"))
				s.stageIs("s", want)
			})
		}
	}
}

func TestAnExcludedAdminMayNotOverride(t *testing.T) {
	for _, start := range []bool{false, true} {
		s := tell(t, policyOf(excluding(each("s", "ana"), roleOf("author"))))
		s.def.Settings.AdminOverride, s.def.Settings.MembershipRecheck = true, policy.RecheckStrict
		s.yields = byRole(map[string][]string{"author": map[bool][]string{true: {"root"}}[start]})
		s.must(s.start())
		s.yields = byRole(map[string][]string{"author": map[bool][]string{false: {"root"}}[start]})
		in := wf.DecisionInput{Action: wf.ActionApprove, Comment: "long enough to be a reason"}
		n := len(s.events)
		if s.refused(s.decide(s.of("s", "ana"), root, in), reason.Forbidden); len(s.events) > n {
			t.Errorf("events = %v", s.types(n))
		}
		other := root
		other.User = user("rolf")
		s.must(s.decide(s.of("s", "ana"), other, in))
		s.status(wf.RequestApproved)
	}
}

// The requester overrides no stage of their own request, also if they may approve it.
func TestTheRequesterMayNotOverride(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana")))
	s.def.Settings.AdminOverride, s.def.Settings.RequesterMayApprove = true, true
	s.must(s.start())
	in := wf.DecisionInput{Action: wf.ActionApprove, Comment: "long enough to be a reason"}
	for _, id := range []string{"rita", "sam"} {
		admin := root
		admin.User = user(id)
		s.refused(s.decide(s.of("s", "ana"), admin, in), reason.Forbidden)
	}
}

// A rescuer satisfies every rule, and has no veto of a rule that is off.
func TestARuleThatIsOffGivesNoVeto(t *testing.T) {
	for _, big := range []bool{false, true} {
		stage := but(each("s"), func(s *policy.Stage) {
			s.Approvers = []policy.Rule{when("big", names("cy")), roleOf("nobody"), names("bo")}
			s.Approvers[0].Veto, s.Approvers[1].MinApprovals = true, 1
			s.Rejection = quorum.Rejection{Mode: quorum.RejectionCount, Value: 3, OnUnreachable: quorum.OnUnreachableBlock}
		})
		s := tell(t, policyOf(stage))
		s.values["big"], s.yields = constant(big), byRole(nil)
		s.must(s.start())
		task := s.rescue("s")
		s.must(s.reassign(task, "dee", root))
		s.must(s.reject(task, "dee"))
		s.status(map[bool]wf.RequestStatus{false: wf.RequestBlocked, true: wf.RequestRejected}[big])
	}
}

// The service repeats no approval of a person excluded after the staffing.
func TestNoApprovalOfAnExcludedPersonIsRepeated(t *testing.T) {
	for _, excluded := range []bool{false, true} {
		s := tell(t, policyOf(each("first", "ana"), excluding(each("s", "ana"), roleOf("author"))))
		s.def.Settings.RepeatApprover, s.def.Settings.MembershipRecheck = policy.RepeatAutoApprove, policy.RecheckStrict
		s.yields = func(rule policy.Rule, age time.Duration) ([]identity.User, error) {
			if rule.Role == "author" && age < 0 && excluded { // only the strict answer contains it already
				return users("ana"), nil
			}
			return users(rule.IDs...), nil
		}
		s.must(s.start())
		s.must(s.approve(s.of("first", "ana"), "ana"))
		s.status(map[bool]wf.RequestStatus{false: wf.RequestApproved, true: wf.RequestInReview}[excluded])
	}
}

// A decision made while the person was fit stays counted.
func TestALaterExclusionKeepsDecisions(t *testing.T) {
	s := excludedLater(t, each("s", "ana", "bo"), policy.RecheckStrict, "")
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.yields = byRole(map[string][]string{"author": {"ana"}})
	s.must(s.sweep())
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.status(wf.RequestApproved)
}

// Expressions of exclude rules are evaluated once a run, and never at a recheck.
func TestAnExcludeExpressionIsEvaluatedOnce(t *testing.T) {
	rule := policy.Rule{Type: policy.RuleExpression, CEL: "context.roles", As: policy.AsRoles}
	s := tell(t, policyOf(excluding(each("s", "ana", "bo"), rule)))
	s.def.Settings.MembershipRecheck = policy.RecheckStrict
	s.values["context.roles"] = policy.Value{Names: []string{"author"}}
	s.yields = byRole(nil)
	s.must(s.start())
	s.values["context.roles"] = fails("evaluated again")
	s.yields = byRole(map[string][]string{"author": {"ana"}})
	s.refused(s.approve(s.of("s", "ana"), "ana"), reason.Forbidden)
}
