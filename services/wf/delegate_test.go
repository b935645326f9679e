package wf_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestADelegationReachesAnOpenPool(t *testing.T) {
	for name, d := range map[string]approver.Delegation{"replace": delegation("ana", "dee"), "share": share("ana", "dee")} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, pool("s", 2, "ana", "bo"))
			n := len(s.events)
			s.must(s.delegate(d))
			if got, want := s.types(n), []audit.EventType{audit.EventDelegationApplied}; !slices.Equal(got, want) {
				t.Errorf("events = %v, want %v", got, want)
			}
			s.takersAre("s", "ana", "dee for ana", "bo")
			s.must(s.approve(s.nth("s", 1), "dee"))
			if d := s.task(s.nth("s", 1)).Decision; d.Actor.ID != "dee" || d.OnBehalfOf == nil || d.OnBehalfOf.ID != "ana" {
				t.Errorf("decision = %+v", d)
			}
			s.takersAre("s", "bo")
			s.must(s.approve(s.nth("s", 2), "bo"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestTheOwnerOfAPlaceInAPoolMayAlwaysAct(t *testing.T) {
	for name, d := range map[string]approver.Delegation{"replace": delegation("ana", "dee"), "share": share("ana", "dee")} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(pool("s", 1, "ana", "bo")))
			s.delegations = []approver.Delegation{d}
			s.must(s.start())
			s.must(s.approve(s.nth("s", 1), "ana"))
			if d := s.task(s.nth("s", 1)).Decision; d.Actor.ID != "ana" || d.OnBehalfOf != nil {
				t.Errorf("decision = %+v", d)
			}
		})
	}
}

func TestAMemberOfAPoolActsForThemselfOnly(t *testing.T) {
	s := tell(t, policyOf(pool("s", 2, "ana", "bo")))
	s.delegations = []approver.Delegation{delegation("ana", "bo")}
	s.must(s.start())
	if !slices.Contains(s.types(0), audit.EventDelegationNotApplied) {
		t.Errorf("events = %v", s.types(0))
	}
	s.takersAre("s", "ana", "bo")
	s.must(s.approve(s.nth("s", 1), "bo"))
	if d := s.task(s.nth("s", 1)).Decision; d.OnBehalfOf != nil {
		t.Errorf("decision = %+v", d)
	}
	s.refused(s.claim(s.nth("s", 2), person("bo")), reason.WrongState)
	s.must(s.approve(s.nth("s", 2), "ana"))
}

func TestADelegateOfTwoActsForOne(t *testing.T) {
	s := tell(t, policyOf(pool("s", 2, "ana", "bo")))
	s.delegations = []approver.Delegation{delegation("ana", "dee"), delegation("bo", "dee")}
	s.must(s.start())
	s.takersAre("s", "ana", "dee for ana", "bo", "dee for bo")
	s.must(s.approve(s.nth("s", 1), "dee"))
	s.takersAre("s", "bo")
	s.refused(s.claim(s.nth("s", 2), person("dee")), reason.WrongState)
	s.refused(s.claim(s.nth("s", 2), person("ana")), reason.WrongState)
	s.must(s.approve(s.nth("s", 2), "bo"))
}

// Dee shares ana's task and is given one of their own in the meantime. They act once.
func TestOneActorActsOnceAlsoWithAShare(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": but(each("s", "ana", "bo"), anyHolder), "pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(stage))
			s.def.Settings.RequesterMayApprove = true
			s.delegations = []approver.Delegation{share("ana", "dee")}
			s.must(s.start())
			if name == "each" {
				s.must(s.approve(s.of("s", "ana"), "dee"))
				s.refused(s.reassign(s.of("s", "bo"), "dee", root), reason.WrongState)
				s.refused(s.reassign(s.of("s", "bo"), "ana", root), reason.WrongState)
				return
			}
			s.must(s.reassign(s.nth("s", 1), "dee", root))
			s.refused(s.approve(s.nth("s", 2), "dee"), reason.WrongState)
			s.must(s.approve(s.nth("s", 1), "dee"))
			s.refused(s.approve(s.nth("s", 2), "dee"), reason.WrongState)
			s.must(s.approve(s.nth("s", 2), "ana"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestFromItsEndOnADelegationGivesNoRight(t *testing.T) {
	for name, tt := range map[string]struct {
		d       approver.Delegation
		claimed bool
		may     bool
	}{
		"an open task":                      {delegation("ana", "dee"), false, false},
		"a claimed one":                     {delegation("ana", "dee"), true, true},
		"a shared one":                      {share("ana", "dee"), false, false},
		"a shared one that they claimed":    {share("ana", "dee"), true, false},
		"a shared one that does not return": {func() approver.Delegation { d := share("ana", "dee"); d.ReturnOnEnd = false; return d }(), false, false},
		"an open one that does not return":  {func() approver.Delegation { d := delegation("ana", "dee"); d.ReturnOnEnd = false; return d }(), false, true},
	} {
		for when, late := range map[string]time.Duration{"just before": -1, "at the end": 0, "later": time.Second} {
			t.Run(name+" "+when, func(t *testing.T) {
				s := tell(t, policyOf(each("s", "ana", "bo")))
				s.delegations = []approver.Delegation{tt.d}
				s.must(s.start())
				task := s.nth("s", 1)
				if tt.claimed {
					s.must(s.claim(task, person("dee")))
				}
				s.at = tt.d.EndsAt.Add(late) // and no worker notices
				err := s.approve(task, "dee")
				if late < 0 || tt.may {
					s.must(err)
					return
				}
				s.refused(err, reason.Forbidden)
				s.refused(s.reassign(task, "eve", person("dee")), reason.Forbidden)
				s.must(s.approve(task, "ana"))
			})
		}
	}
}

func TestARevokedDelegationGivesNoRightEvenToFinish(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		for _, noticed := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", noticed"}[noticed], func(t *testing.T) {
				s := tell(t, policyOf(stage))
				s.delegations = []approver.Delegation{delegation("ana", "dee")}
				s.must(s.start())
				task := s.nth("s", 1)
				s.must(s.claim(task, person("dee")))
				s.must(s.claim(s.nth("s", 2), person("bo")))
				if noticed {
					n := len(s.events)
					s.must(s.revoke("ana>dee"))
					want := map[string]audit.EventType{"each": audit.EventTaskReassigned, "pool": audit.EventTaskUnclaimed}[name]
					if got := s.types(n); len(got) == 0 || got[0] != want {
						t.Errorf("events = %v, want %s", got, want)
					}
					if name == "pool" {
						s.takersAre("s", "ana")
					}
					if s.task(s.nth("s", 2)).Status != wf.TaskClaimed || s.run("s").People[0].Shared {
						t.Errorf("bo's task is %+v, and ana %+v", s.task(s.nth("s", 2)), s.run("s").People[0])
					}
				} else {
					s.delegations[0].RevokedAt = s.at
				}
				s.refused(s.approve(task, "dee"), reason.Forbidden)
				s.must(s.approve(task, "ana"))
				if d := s.task(task).Decision; d.Actor.ID != "ana" || d.OnBehalfOf != nil {
					t.Errorf("decision = %+v", d)
				}
			})
		}
	}
}

func TestOwnerRegainsClaimedTaskAfterDelegationEnds(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		for _, noticed := range []bool{false, true} {
			for way, take := range map[string]func(s *story, task string) error{
				"claims":   func(s *story, task string) error { return s.claim(task, person("ana")) },
				"decides":  func(s *story, task string) error { return s.approve(task, "ana") },
				"releases": func(s *story, task string) error { return s.unclaim(task, person("ana")) },
			} {
				t.Run(name+" "+way+map[bool]string{true: ", noticed"}[noticed], func(t *testing.T) {
					s := tell(t, policyOf(stage))
					d := delegation("ana", "dee")
					s.delegations = []approver.Delegation{d}
					s.must(s.start())
					task := s.nth("s", 1)
					s.must(s.claim(task, person("dee")))
					early := map[string]refusal.Reason{"each": reason.Forbidden, "pool": reason.WrongState}[name]
					if way == "releases" {
						early = reason.Forbidden
					}
					s.refused(take(s, task), early) // not while dee is the delegate
					s.at = d.EndsAt
					if noticed {
						s.must(s.reroute(d))
					}
					s.must(take(s, task))
					got := s.task(task)
					free := name == "pool" && way == "releases"
					if got.OnBehalfOf != nil || (got.Assignee == nil) != free || !free && got.Assignee.ID != "ana" {
						t.Errorf("task = %+v", got)
					}
					if want := map[string]wf.TaskStatus{"claims": wf.TaskClaimed, "decides": wf.TaskCompleted, "releases": wf.TaskOpen}[way]; got.Status != want {
						t.Errorf("task is %s, want %s", got.Status, want)
					}
					if way != "decides" {
						s.refused(s.approve(task, "dee"), reason.Forbidden)
					}
					if got := s.run("s").People[0].Delegate; name == "each" && got != nil {
						t.Errorf("%s is still a delegate", got.ID)
					}
				})
			}
		}
	}
}

func TestAHandOverThatDoesNotReturnIsFinal(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": ruled("s", officers("ana", "bo")),
		"pool": but(pool("s", 2), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("ana", "bo")} }),
	} {
		for way, act := range map[string]func(s *story, task string) error{
			"decides":  func(s *story, task string) error { return s.approve(task, "dee") },
			"releases": func(s *story, task string) error { return s.unclaim(task, person("dee")) },
			"waits":    func(*story, string) error { return nil },
		} {
			for _, noticed := range []bool{false, true} {
				t.Run(name+" "+way+map[bool]string{true: ", noticed"}[noticed], func(t *testing.T) {
					s := tell(t, policyOf(stage))
					d := delegation("ana", "dee")
					d.ReturnOnEnd = false
					s.delegations = []approver.Delegation{d}
					s.must(s.start())
					task := s.nth("s", 1)
					s.must(s.claim(task, person("dee")))
					s.at = d.EndsAt
					if noticed {
						s.must(s.reroute(d))
					}
					s.must(act(s, task))
					s.must(s.reroute(d))
					s.must(s.sweep()) // it is a reassignment: dee has no rule to lose
					if way == "releases" && name == "pool" {
						s.takersAre("s", "dee", "bo")
						s.refused(s.claim(task, person("ana")), reason.Forbidden)
					} else if got := s.task(task); got.Assignee == nil || got.Assignee.ID != "dee" {
						t.Fatalf("task = %+v", got)
					}
					s.refused(s.unclaim(task, person("ana")), reason.Forbidden)
					if first := s.run("s").People[0]; first.Delegate != nil || first.ID != map[string]string{"each": "ana", "pool": "dee"}[name] {
						t.Errorf("the first place is %+v", first)
					}
					if way != "decides" {
						s.refused(s.approve(task, "ana"), reason.Forbidden)
						s.must(s.approve(task, "dee"))
					}
					if d := s.task(task).Decision; d.Actor.ID != "dee" {
						t.Errorf("decision = %+v", d)
					}
					if got := s.run("s").Count; got.Approvals != 1 || got.Voters != 2 || got.Need != 2 {
						t.Errorf("count = %+v", got)
					}
					s.must(s.approve(s.nth("s", 2), "bo"))
					s.status(wf.RequestApproved)
				})
			}
		}
	}
}

func TestPermanentlyDelegatedTaskCanBeClaimed(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana", "bo")))
	d := delegation("ana", "dee")
	d.ReturnOnEnd = false
	s.delegations = []approver.Delegation{d}
	s.must(s.start())
	task := s.of("s", "dee")
	s.at = d.EndsAt
	s.refused(s.claim(task, person("ana")), reason.Forbidden)
	s.must(s.claim(task, person("dee")))
	if got := s.task(task); got.Status != wf.TaskClaimed || got.OnBehalfOf != nil || got.ReassignedFrom == nil || got.ReassignedFrom.ID != "ana" {
		t.Errorf("task = %+v", got)
	}
}

func TestClaimingDelegateKeepsTaskAfterNewDelegation(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(stage))
			s.delegations = []approver.Delegation{delegation("ana", "dee")}
			s.must(s.start())
			task := s.nth("s", 1)
			s.must(s.claim(task, person("dee")))
			s.must(s.delegate(newest(delegation("ana", "eve"))))
			s.refused(s.approve(task, "eve"), map[string]refusal.Reason{"each": reason.Forbidden, "pool": reason.WrongState}[name])
			s.must(s.approve(task, "dee"))
		})
	}
}

func TestAnotherDelegationToTheSamePersonKeepsTheTaskThere(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(stage))
			first, second := delegation("ana", "dee"), newest(lasting(delegation("ana", "dee")))
			second.ID = "second"
			s.delegations = []approver.Delegation{first}
			s.must(s.start())
			rev := s.task(s.nth("s", 1)).Rev
			s.must(s.delegate(second))
			if got := s.task(s.nth("s", 1)); name == "each" && (got.DelegationID != "second" || got.Rev == rev) {
				t.Errorf("task = %+v", got)
			}
			n := len(s.events)
			s.must(s.reroute(second))
			s.must(s.end(first))
			if len(s.events) != n {
				t.Errorf("events = %v: dee stays the delegate", s.types(n))
			}
			if got := s.run("s").People[0]; got.Delegate == nil || got.DelegationID != "second" {
				t.Errorf("ana = %+v", got)
			}
			s.must(s.approve(s.nth("s", 1), "dee"))
		})
	}
}

func TestADelegationChainIsCutWhereItEnds(t *testing.T) {
	for _, pooled := range []bool{false, true} {
		t.Run(map[bool]string{false: "each", true: "pool"}[pooled], func(t *testing.T) {
			stage := each("s", "ana", "bo")
			if pooled {
				stage = pool("s", 2, "ana", "bo")
			}
			s := tell(t, policyOf(stage))
			s.def.Settings.Delegation.MaxHops = 2
			s.delegations = []approver.Delegation{lasting(delegation("ana", "dee")), delegation("dee", "eve")}
			s.must(s.start())
			if got := s.run("s").People[0].Delegate; got == nil || got.ID != "eve" {
				t.Fatalf("ana is represented by %v, want eve", got)
			}
			s.must(s.end(s.delegations[1]))
			if got := s.run("s").People[0].Delegate; got == nil || got.ID != "dee" {
				t.Fatalf("ana is represented by %v, want dee", got)
			}
			s.must(s.revoke("ana>dee"))
			if got := s.run("s").People[0].Delegate; got != nil {
				t.Fatalf("ana is represented by %v, want none", got)
			}
		})
	}
}

// The refusal names the task and the delegate.
func TestTheRefusalAfterADelegationNamesTaskAndDelegate(t *testing.T) {
	s := begin(t, each("s", "ana"))
	s.must(s.delegate(delegation("ana", "dee")))
	task := s.of("s", "dee")
	s.at = after(23 * time.Hour)
	err := s.approve(task, "dee")
	if want := "the delegation of task " + task + " to dee has ended"; refusal.MessageOf(err) != want {
		t.Errorf("refused with %v, want %s", err, want)
	}
}

// When the first of two delegations has ended, the last person of the chain may not finish
// either, because no delegation gives them the right.
func TestBrokenDelegationChainReturnsTask(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(stage))
			s.def.Settings.Delegation.MaxHops = 2
			s.delegations = []approver.Delegation{delegation("ana", "dee"), lasting(delegation("dee", "eve"))}
			s.must(s.start())
			task := s.nth("s", 1)
			s.must(s.claim(task, person("eve")))
			s.must(s.end(s.delegations[0]))
			if got := s.task(task); got.Status != wf.TaskOpen || got.OnBehalfOf != nil {
				t.Errorf("task = %+v", got)
			}
			s.refused(s.approve(task, "eve"), reason.Forbidden)
			s.must(s.approve(task, "ana"))
		})
	}
}

func TestALoopThatComesAboutLaterReturnsTheSeat(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana", "bo")))
	s.delegations = []approver.Delegation{delegation("ana", "dee")}
	s.must(s.start())
	s.holdersAre("s", "dee", "bo")
	s.must(s.delegate(delegation("dee", "ana")))
	s.holdersAre("s", "ana", "bo")
}

func TestDelegationReportsWhyItIsNotApplied(t *testing.T) {
	for name, tt := range map[string]struct {
		stage policy.Stage
		d     approver.Delegation
		told  bool
	}{
		"to the requester":               {each("s", "ana", "bo"), delegation("ana", "rita"), true},
		"to the requester, in a pool":    {pool("s", 2, "ana", "bo"), delegation("ana", "rita"), true},
		"to another of the pool":         {pool("s", 2, "ana", "bo"), delegation("ana", "bo"), true},
		"of somebody else":               {pool("s", 2, "ana", "bo"), delegation("cy", "dee"), false},
		"for another stage":              {pool("s", 2, "ana", "bo"), scoped(approver.Scope{StageKeys: []string{"other"}}), false},
		"for new work alone, in a pool":  {pool("s", 2, "ana", "bo"), forNewWork("ana", "rita"), false},
		"for new work alone, in a stage": {each("s", "ana", "bo"), forNewWork("ana", "rita"), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, tt.stage)
			s.must(s.delegate(tt.d))
			if got := s.count(audit.EventDelegationNotApplied) == 1; got != tt.told || s.count(audit.EventDelegationApplied) > 0 {
				t.Errorf("events = %v", s.types(0))
			}
		})
	}
}

func TestADisabledDelegateIsPassedOver(t *testing.T) {
	for name, tt := range map[string]struct {
		yields yields
		want   []string
	}{
		"disabled": {func(r policy.Rule, _ time.Duration) ([]identity.User, error) {
			return users(slices.DeleteFunc(slices.Clone(r.IDs), func(id string) bool { return id == "dee" })...), nil
		}, []string{"ana", "bo"}},
		"enabled":   {nil, []string{"dee", "bo"}},
		"no answer": {down, []string{"dee", "bo"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("s", "ana", "bo")))
			s.directory, s.yields, s.delegations = true, tt.yields, []approver.Delegation{delegation("ana", "dee")}
			s.must(s.start())
			s.holdersAre("s", tt.want...)
		})
	}
}

// Dee shares ana's task, and is found for that of bo, who has left.
func TestSharedDelegateWithOwnSeatActsOnce(t *testing.T) {
	s := tell(t, policyOf(ruled("s", officers("ana", "bo"))))
	s.delegations = []approver.Delegation{share("ana", "dee")}
	s.must(s.start())
	s.yields = now("ana", "dee")
	s.must(s.sweep("bo"))
	s.holdersAre("s", "ana", "dee")
	s.refused(s.approve(s.of("s", "ana"), "dee"), reason.WrongState)
	s.refused(s.claim(s.of("s", "ana"), person("dee")), reason.WrongState)
	s.must(s.approve(s.of("s", "dee"), "dee"))
	s.refused(s.approve(s.of("s", "ana"), "dee"), reason.WrongState)
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.status(wf.RequestApproved)
}

func TestDelegationEventNamesItsActor(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage)
			d := delegation("ana", "dee")
			d.CreatedBy = user("root")
			last := func() string { return s.events[len(s.events)-1].Actor.ID }
			s.must(s.delegate(d))
			if last() != "root" {
				t.Errorf("delegated by %s", last())
			}
			s.must(s.revoke(d.ID))
			if last() != "ana" {
				t.Errorf("revoked by %s", last())
			}
			d.ID = "second"
			s.must(s.delegate(d))
			s.must(s.end(d))
			if last() != "system:expiry" {
				t.Errorf("ended by %s", last())
			}
		})
	}
}

func TestDelegationDoesNotChangeFinishedStage(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": anyOf(each("s", "ana", "bo")), "pool": pool("s", 1, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage, each("next", "cy"))
			s.must(s.approve(s.tasks("s")[len(s.tasks("s"))-1].ID, "bo"))
			s.stageIs("s", wf.StageApproved)
			n := len(s.events)
			s.must(s.delegate(delegation("ana", "dee")))
			if len(s.events) != n {
				t.Errorf("events = %v", s.types(n))
			}
		})
	}
}

// A delegation that does not apply to open tasks reaches a stage only if it was there
// when the stage started.
func TestDelegationForNewTasksAppliesToLaterStagesOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		starts, created time.Duration // before the stage
		want            string
	}{
		"there before":                   {time.Hour, time.Hour, "dee"},
		"there just then":                {0, 0, "dee"},
		"created before, starting later": {-time.Minute, time.Hour, "ana"},
		"created later, for the past":    {time.Hour, -time.Minute, "ana"},
	} {
		for _, pooled := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", in a pool"}[pooled], func(t *testing.T) {
				stage := each("s", "ana", "bo")
				if pooled {
					stage = pool("s", 2, "ana", "bo")
				}
				s := tell(t, policyOf(stage))
				d := delegation("ana", "dee")
				d.StartsAt, d.CreatedAt, d.ApplyToOpen = noon.Add(-tt.starts), noon.Add(-tt.created), false
				if tt.want == "dee" {
					s.delegations = []approver.Delegation{d}
				}
				s.must(s.start())
				s.at = noon.Add(2 * time.Minute)
				s.delegations = []approver.Delegation{d}
				s.must(s.reroute(d))
				s.must(s.delegate(delegation("bo", "eve")))
				got := "ana"
				if in := s.run("s").People[0].Delegate; in != nil {
					got = in.ID
				}
				if got != tt.want {
					t.Errorf("ana's place is acted for by %s, want %s", got, tt.want)
				}
			})
		}
	}
}

func TestTheEndOfAShareLeavesTheOwnerAtWork(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana", "bo")))
	d := share("ana", "dee")
	s.delegations = []approver.Delegation{d}
	s.must(s.start())
	task := s.of("s", "ana")
	s.must(s.claim(task, person("ana")))
	s.must(s.end(d))
	if got := s.task(task); got.Status != wf.TaskClaimed || got.SharedWith != nil || got.Assignee.ID != "ana" {
		t.Errorf("task = %+v", got)
	}
}

func TestADelegationTakesOverFromAShare(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana", "bo")))
	s.delegations = []approver.Delegation{share("ana", "dee")}
	s.must(s.start())
	s.must(s.delegate(newest(delegation("ana", "eve"))))
	s.holdersAre("s", "eve", "bo")
	if got := s.task(s.of("s", "eve")); got.SharedWith != nil || got.OnBehalfOf.ID != "ana" {
		t.Errorf("task = %+v", got)
	}
}

// A delegate with a permanent reassignment keeps the task, also after another delegation of the
// owner.
func TestPermanentReassignmentIsNotDelegatedAgain(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(stage))
			final := newest(delegation("ana", "dee"))
			final.ReturnOnEnd = false
			s.delegations = []approver.Delegation{final, lasting(delegation("ana", "eve"))}
			s.must(s.start())
			task := s.nth("s", 1)
			if name == "pool" {
				s.must(s.claim(task, person("dee")))
			}
			s.must(s.end(final))
			if got := s.task(task); got.Assignee == nil || got.Assignee.ID != "dee" || got.OnBehalfOf != nil {
				t.Errorf("task = %+v", got)
			}
			if first := s.run("s").People[0]; name == "pool" && (first.ID != "dee" || first.Delegate != nil) {
				t.Errorf("the place is %+v", first)
			}
		})
	}
}

func TestDelegationOfRemovedApproverHasNoEffect(t *testing.T) {
	s := begin(t, pool("s", 1, "ana", "bo"))
	s.must(s.sweep("ana"))
	n := len(s.events)
	s.must(s.delegate(delegation("ana", "dee")))
	if len(s.events) != n || s.run("s").People[0].Delegate != nil {
		t.Errorf("events = %v", s.types(n))
	}
	s.takersAre("s", "bo")
}

func TestRevokingADelegationForOneStageLeavesTheTasksOfAnother(t *testing.T) {
	s := tell(t, policyOf(together(pool("one", 1, "ana", "bo")), together(pool("two", 1, "ana", "bo"))))
	first, second := delegation("ana", "dee"), delegation("ana", "dee")
	first.Scope.StageKeys, second.Scope.StageKeys, second.ID = []string{"one"}, []string{"two"}, "second"
	s.delegations = []approver.Delegation{first, second}
	s.must(s.start())
	s.must(s.claim(s.nth("one", 1), person("dee")))
	s.must(s.claim(s.nth("two", 1), person("dee")))
	s.must(s.revoke(first.ID))
	s.holdersAre("one", "-")
	s.holdersAre("two", "dee")
}

func TestMissingDelegationGrantsNoRight(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(stage))
			s.delegations = []approver.Delegation{delegation("ana", "dee")}
			s.must(s.start())
			s.must(s.claim(s.nth("s", 1), person("dee")))
			s.delegations = nil
			s.refused(s.approve(s.nth("s", 1), "dee"), reason.Forbidden)
			s.must(s.approve(s.nth("s", 1), "ana"))
		})
	}
}
