package wf_test

import (
	"errors"
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

// officers is a role and its members at the start.
func officers(ids ...string) policy.Rule {
	return policy.Rule{Type: policy.RuleRole, Role: "officer", IDs: ids}
}

// ruled is a stage with these rules and the quorum all.
func ruled(key string, rules ...policy.Rule) policy.Stage {
	return policy.Stage{Key: key, Name: key, Approvers: rules}
}

// now yields these people for every role, whatever it was at the start.
func now(ids ...string) yields {
	return func(policy.Rule, time.Duration) ([]identity.User, error) { return users(ids...), nil }
}

func down(policy.Rule, time.Duration) ([]identity.User, error) {
	return nil, refusal.New(reason.ResolverFailed, "role officer: no answer")
}

func unknown(policy.Rule, time.Duration) ([]identity.User, error) {
	return nil, refusal.New(reason.EngineRefused, "role officer: there is none")
}

func TestApproverMembershipRecheck(t *testing.T) {
	fallback := func(s *story) {
		s.def.Settings.FallbackApprovers = []policy.Rule{names("fay"), {Type: policy.RuleGroup, Path: "/rescue", IDs: []string{"ana"}}}
		s.def.Stages[0].OnEmpty, s.def.Stages[0].Approvers = policy.OnEmptyFallback, []policy.Rule{officers()}
	}
	delegated := func(s *story) {
		s.delegations = []approver.Delegation{{ID: "d", User: user("ana"), DelegateTo: user("dee"), StartsAt: noon, EndsAt: noon.AddDate(0, 0, 1)}}
	}
	rescuers := func(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
		if rule.Type == policy.RuleGroup {
			return users("ana"), nil
		}
		return nil, nil
	}
	for name, tt := range map[string]struct {
		mode   policy.MembershipRecheck
		yields yields
		change func(*story)
		by     string // ana when empty
		want   error
		stale  bool
	}{
		"still in the role":                  {yields: now("ana")},
		"not in the role any more":           {yields: now("bo"), want: reason.Forbidden},
		"the role is gone":                   {yields: unknown, stale: true},
		"the role is gone, strict":           {mode: policy.RecheckStrict, yields: unknown, want: reason.ResolverFailed},
		"nobody answers":                     {yields: down, stale: true},
		"nobody answers, cached":             {mode: policy.RecheckCached, yields: down, stale: true},
		"nobody answers, strict":             {mode: policy.RecheckStrict, yields: down, want: reason.ResolverFailed},
		"still in the role, strict":          {mode: policy.RecheckStrict, yields: now("ana")},
		"not in the role, strict":            {mode: policy.RecheckStrict, yields: now(), want: reason.Forbidden},
		"not in the role, without a recheck": {mode: policy.RecheckNone, yields: now("bo")},
		"as at the start":                    {},
		"named by another rule as well": {yields: now(),
			change: func(s *story) { s.def.Stages[0].Approvers = append(s.def.Stages[0].Approvers, names("ana")) }},
		"a replaced manager": {yields: now(),
			change: func(s *story) { s.def.Stages[0].Approvers[0].Type = policy.RuleManager }, want: reason.Forbidden},
		"a group is looked at": {yields: now(),
			change: func(s *story) { s.def.Stages[0].Approvers[0].Type = policy.RuleGroup }, want: reason.Forbidden},
		"a resolver": {yields: now(),
			change: func(s *story) { s.def.Stages[0].Approvers[0].Type = policy.RuleHTTP }, want: reason.Forbidden},
		"a current fallback approver":      {yields: rescuers, change: fallback},
		"a former fallback approver":       {yields: now(), change: fallback, want: reason.Forbidden},
		"a delegate of a current approver": {yields: now("ana"), change: delegated, by: "dee"},
		"a delegate of a former approver":  {yields: now("dee"), change: delegated, by: "dee", want: reason.Forbidden},
		"a candidate of a pool":            {yields: now("ana"), change: pooled},
		"a former candidate of a pool":     {yields: now(), change: pooled, want: reason.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			by := tt.by
			if by == "" {
				by = "ana"
			}
			for _, act := range []string{"claim", "decide"} {
				s := tell(t, policyOf(ruled("s", officers("ana"))))
				s.def.Settings.MembershipRecheck = tt.mode
				if tt.change != nil {
					tt.change(s)
				}
				s.must(s.start())
				s.yields = tt.yields
				task := s.now.Tasks[len(s.now.Tasks)-1].ID
				err := s.claim
				kind := audit.EventTaskClaimed
				if act == "decide" {
					err = func(task string, by identity.Actor) error { return s.approve(task, by.ID) }
					kind = audit.EventTaskDecided
				}
				if got := err(task, person(by)); !errors.Is(got, tt.want) {
					t.Fatalf("%s: %v, want %v", act, got, tt.want)
				}
				stale := false
				for _, e := range s.events {
					stale = stale || e.Type == kind && e.MembershipStale
				}
				if stale != tt.stale {
					t.Errorf("%s: stale = %v, want %v", act, stale, tt.stale)
				}
			}
		})
	}
}

func pooled(s *story) {
	s.def.Stages[0].Assignment, s.def.Stages[0].Quorum = policy.AssignmentPool, quorum.Quorum{Mode: quorum.QuorumAny}
}

func TestHowFreshAnAnswerAboutAMembershipIs(t *testing.T) {
	for mode, want := range map[policy.MembershipRecheck]time.Duration{"": 5 * time.Minute,
		policy.RecheckCached: 5 * time.Minute, policy.RecheckStrict: -1} {
		s := tell(t, policyOf(ruled("s", officers("ana"))))
		s.def.Settings.MembershipRecheck = mode
		s.must(s.start())
		s.yields = func(_ policy.Rule, maxAge time.Duration) ([]identity.User, error) {
			if maxAge != want {
				t.Errorf("%q requires an answer of age %s, want %s", mode, maxAge, want)
			}
			return users("ana"), nil
		}
		s.must(s.approve(s.of("s", "ana"), "ana"))
	}
}

func TestReassignedApproverIsExemptFromMembershipRecheck(t *testing.T) {
	s := begin(t, ruled("s", officers("ana")))
	s.must(s.reassign(s.of("s", "ana"), "zoe", root))
	s.yields = now()
	s.must(s.approve(s.of("s", "zoe"), "zoe"))
	s.status(wf.RequestApproved)
}

func TestOverrideQueriesNoDirectory(t *testing.T) {
	s := tell(t, policyOf(ruled("s", officers("ana"))))
	s.def.Settings.AdminOverride, s.def.Settings.MembershipRecheck = true, policy.RecheckStrict
	s.must(s.start())
	s.yields = down
	s.must(s.decide(s.of("s", "ana"), root, wf.DecisionInput{Action: wf.ActionApprove, Comment: "ana cannot be reached"}))
	s.status(wf.RequestApproved)
}

func TestSeatOfDepartedApproverIsReassigned(t *testing.T) {
	s := begin(t, ruled("s", officers("ana", "bo")))
	id := s.of("s", "ana")
	s.yields = now("ana", "rita", "bo", "cy")
	s.must(s.sweep("ana"))
	s.holdersAre("s", "cy", "bo") // rita is the requester, bo has a seat
	task, _ := s.now.Task(id)
	if task.Assignee.ID != "cy" || task.ReassignedFrom.ID != "ana" || task.Seat != 1 || task.Kind != wf.ApproverTask {
		t.Errorf("the task is %+v", task)
	}
	if last := s.events[len(s.events)-1]; last.Type != audit.EventTaskReassigned || last.Actor.ID != "system:directory" {
		t.Errorf("the last event is %s by %s", last.Type, last.Actor.ID)
	}
	s.refused(s.approve(id, "ana"), reason.Forbidden)
	s.must(s.approve(id, "cy"))
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.status(wf.RequestApproved)
}

func TestASuccessorFillsTheRulesThatYieldThem(t *testing.T) {
	other := policy.Rule{Type: policy.RuleGroup, Path: "/other", IDs: []string{"ana"}}
	s := begin(t, ruled("s", officers("ana"), other))
	s.yields = func(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
		if rule.Type == policy.RuleGroup {
			return users("cy"), nil
		}
		return nil, nil
	}
	s.must(s.sweep("ana"))
	if task := s.now.Tasks[0]; len(task.Rules) != 1 || task.Rules[0] != 1 {
		t.Errorf("the task fits the rules %v, want the second", task.Rules)
	}
}

func TestFallbackApproverTakesSeatWithoutOtherSuccessor(t *testing.T) {
	s := tell(t, policyOf(ruled("s", officers("ana"))))
	s.def.Settings.FallbackApprovers = []policy.Rule{{Type: policy.RuleGroup, Path: "/rescue"}}
	s.must(s.start())
	s.yields = func(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
		if rule.Type == policy.RuleGroup {
			return users("rita", "fay"), nil
		}
		return users("ana"), nil
	}
	s.must(s.sweep("ana"))
	s.holdersAre("s", "fay")
}

func TestSeatWithoutSuccessorWaitsForAdmin(t *testing.T) {
	for name, yields := range map[string]yields{"nobody there": now("ana"), "no answer": down} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(but(ruled("s", officers("ana"), names("bo")), func(s *policy.Stage) { s.Approvers[0].MinApprovals = 1 })))
			s.must(s.start())
			taskID := s.of("s", "ana")
			s.yields = yields
			s.must(s.sweep("ana"))
			task, _ := s.now.Task(taskID)
			if task.Kind != wf.RescueTask || task.Assignee != nil || task.Owner.ID != "ana" {
				t.Errorf("the task is %+v", task)
			}
			s.must(s.approve(s.of("s", "bo"), "bo"))
			s.status(wf.RequestBlocked) // it is counted still
			s.stageIs("s", wf.StageBlocked)
			s.refused(s.approve(taskID, "ana"), reason.Forbidden)
			s.refused(s.claim(taskID, person("bo")), reason.Forbidden)
			s.must(s.reassign(taskID, "zoe", root))
			if task, _ = s.now.Task(taskID); task.Kind != wf.ApproverTask || task.Added {
				t.Errorf("the task is %+v", task)
			}
			s.must(s.approve(taskID, "zoe"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestPoolTaskOfRemovedApproverReturnsToPool(t *testing.T) {
	s := begin(t, but(pool("s", 1), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("ana", "bo")} }))
	task := s.now.Tasks[0].ID
	s.must(s.claim(task, person("ana")))
	s.yields = now("ana", "bo")
	s.must(s.sweep("ana"))
	s.takersAre("s", "bo")
	s.must(s.claim(task, person("bo")))

	s.yields = now("bo")
	s.must(s.sweep("bo")) // no approver is left
	s.status(wf.RequestBlocked)
}

func TestSweepSkipsDecidedApproversAndNonHolders(t *testing.T) {
	s := begin(t, ruled("s", officers("ana", "bo")))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.yields = now("bo", "cy")
	events := len(s.events)
	s.must(s.sweep("ana")) // they have decided
	s.must(s.sweep("eve")) // they hold nothing
	if len(s.events) != events {
		t.Errorf("events %v follow", s.events[events:])
	}
	s.must(s.cancel(person("rita")))
	events = len(s.events)
	s.must(s.sweep("bo"))
	if len(s.events) != events {
		t.Errorf("events %v follow the end", s.events[events:])
	}
}

// losing lists the actions that a former approver attempts.
var losing = map[string]func(s *story, task string) error{
	"claims":        func(s *story, task string) error { return s.claim(task, person("ana")) },
	"decides":       func(s *story, task string) error { return s.approve(task, "ana") },
	"hands on":      func(s *story, task string) error { return s.reassign(task, "friend", person("ana")) },
	"abstains":      func(s *story, task string) error { return s.act(task, "ana", wf.ActionAbstain) },
	"sends it back": func(s *story, task string) error { return s.sendBack(task, "ana") },
	"decides on changed content": func(s *story, task string) error {
		return s.decide(task, person("ana"), wf.DecisionInput{Action: wf.ActionApprove, ExpectedRevision: 7})
	},
}

func TestMembershipLossReassignsTaskAtOnce(t *testing.T) {
	for name, act := range losing {
		for who, tt := range map[string]struct {
			yields  yields
			holders []string
			blocked bool
		}{
			"to a successor": {answering(policy.RuleRole, now("bo", "cy")), []string{"cy", "bo"}, false},
			"to a fallback approver": {func(r policy.Rule, a time.Duration) ([]identity.User, error) {
				if r.Type == policy.RuleGroup {
					return users("rita", "fay"), nil
				}
				return users("bo"), nil
			}, []string{"fay", "bo"}, false},
			"to a rescue": {func(r policy.Rule, a time.Duration) ([]identity.User, error) {
				if r.Type == policy.RuleGroup {
					return nil, nil
				}
				return users("bo"), nil
			}, []string{"bo"}, true},
		} {
			t.Run(name+" "+who, func(t *testing.T) {
				s := tell(t, policyOf(but(ruled("s", officers("ana", "bo")), func(s *policy.Stage) {
					s.Allow = policy.Allow{Abstain: true, Reassign: policy.ReassignAny}
				})))
				s.def.Settings.FallbackApprovers = []policy.Rule{{Type: policy.RuleGroup, Path: "/rescue"}}
				s.must(s.start())
				task := s.of("s", "ana")
				s.yields = tt.yields
				n := len(s.events)
				s.refused(act(s, task), reason.Forbidden)
				s.holdersAre("s", tt.holders...)
				if e := s.events[n]; e.Type != audit.EventTaskOrphaned || e.Actor.ID != "system:directory" || e.Task.ID != task {
					t.Errorf("the first event is %s by %s", e.Type, e.Actor.ID)
				}
				for _, a := range s.run("s").People {
					if a.Ineligible != (a.ID == "ana") || a.Fallback != (a.ID == "fay") {
						t.Errorf("people: %+v", a)
					}
				}
				if got := s.run("s").Count; got.Need != 2 || got.Voters != 2 {
					t.Errorf("count = %+v: a departure lowers the quorum", got)
				}
				if (s.now.Status == wf.RequestBlocked) != tt.blocked {
					t.Errorf("request is %s", s.now.Status)
				}
				n = len(s.events)
				s.refused(act(s, task), reason.Forbidden)
				if len(s.events) != n {
					t.Errorf("and again: %v", s.types(n))
				}
			})
		}
	}
}

func TestMembershipLossRemovesApproverFromPool(t *testing.T) {
	for name, act := range losing {
		for _, claimed := range []bool{true, false} {
			if name == "hands on" && !claimed {
				continue
			}
			t.Run(name+map[bool]string{true: ", with a task in hand", false: ", from the queue"}[claimed], func(t *testing.T) {
				s := begin(t, but(pool("s", 2), func(s *policy.Stage) {
					s.Approvers, s.Allow = []policy.Rule{officers("ana", "bo")}, policy.Allow{Abstain: true, Reassign: policy.ReassignAny}
				}))
				task := s.nth("s", 1)
				if claimed {
					s.must(s.claim(task, person("ana")))
				}
				s.yields = now("bo", "cy") // cy has joined the role
				n := len(s.events)
				if claimed && name == "claims" {
					s.must(act(s, task)) // what one holds already is claimed again in silence
					return
				}
				s.refused(act(s, task), reason.Forbidden)
				if e := s.events[n]; e.Type != audit.EventTaskOrphaned || e.Actor.ID != "system:directory" {
					t.Errorf("the first event is %s by %s", e.Type, e.Actor.ID)
				}
				if n := s.count(audit.EventTaskOrphaned); n != 1 {
					t.Errorf("%d notices", n)
				}
				s.status(wf.RequestInReview)
				s.takersAre("s", "bo", "cy")
				if n := len(s.unassigned("s")); n != 2 {
					t.Errorf("%d tasks are open, want 2", n)
				}
				if err := s.claim(s.unassigned("s")[0], person("ana")); err == nil || err.Error() != "forbidden: the caller is no longer an approver of stage s" {
					t.Errorf("refusal = %v", err)
				}
				if got := s.run("s").Count; got.Voters != 2 || got.Need != 2 {
					t.Errorf("count = %+v", got)
				}
				s.must(s.take("s", "bo", wf.ActionApprove))
				s.must(s.take("s", "cy", wf.ActionApprove))
				s.status(wf.RequestApproved)
			})
		}
	}
}

func TestAPoolWithTooFewMembersLeftIsRescued(t *testing.T) {
	s := begin(t, but(pool("s", 2), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("ana", "bo")} }))
	s.yields = now("bo")
	s.refused(s.claim(s.nth("s", 1), person("ana")), reason.Forbidden)
	s.status(wf.RequestBlocked)
	if n := len(s.rescues("s")); n != 1 || len(s.unassigned("s")) != 1 {
		t.Errorf("%d rescues beside %d open tasks", n, len(s.unassigned("s")))
	}
}

func TestSweepDetectsLostMembershipWithoutRetry(t *testing.T) {
	for name, tt := range map[string]struct {
		recheck policy.MembershipRecheck
		yields  yields
		stays   bool
	}{
		"no member any more":             {"", now("bo", "cy"), false},
		"no member, strict":              {policy.RecheckStrict, now("bo", "cy"), false},
		"no member, without a recheck":   {policy.RecheckNone, now("bo", "cy"), true},
		"the role is gone":               {"", unknown, true},
		"no answer":                      {"", down, true},
		"the role is gone, strict":       {policy.RecheckStrict, unknown, true},
		"no answer about it, and strict": {policy.RecheckStrict, down, true},
	} {
		for _, pooled := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", of a pool"}[pooled], func(t *testing.T) {
				stage := ruled("s", officers("ana", "bo"))
				if pooled {
					stage.Assignment, stage.Quorum = policy.AssignmentPool, quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}
				}
				s := tell(t, policyOf(stage))
				s.def.Settings.MembershipRecheck = tt.recheck
				s.must(s.start())
				s.yields = tt.yields
				s.must(s.sweep())
				lost := s.run("s").People[0].Ineligible
				if lost == tt.stays {
					t.Errorf("ana has lost their place: %v", lost)
				}
				n := len(s.events)
				s.must(s.sweep())
				if len(s.events) != n {
					t.Errorf("and again: %v", s.types(n))
				}
			})
		}
	}
}

func TestAStrictRecheckActsOnNothingWithoutAnAnswer(t *testing.T) {
	for name, act := range losing {
		if name == "decides on changed content" {
			continue // 409, whatever the directory returns
		}
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(but(ruled("s", officers("ana", "bo")), func(s *policy.Stage) {
				s.Allow = policy.Allow{Abstain: true, Reassign: policy.ReassignAny}
			})))
			s.def.Settings.MembershipRecheck = policy.RecheckStrict
			s.must(s.start())
			s.yields = down
			n := len(s.events)
			err := act(s, s.of("s", "ana"))
			s.refused(err, reason.ResolverFailed)
			if refusal, _ := errors.AsType[*refusal.Error](err); refusal.RetryAfter == 0 || len(s.events) != n {
				t.Errorf("refusal = %+v, events %v", refusal, s.types(n))
			}
		})
	}
	s := tell(t, policyOf(ruled("s", officers("ana", "bo"))))
	s.def.Settings.MembershipRecheck = policy.RecheckStrict
	s.must(s.start())
	s.yields = down
	s.refused(losing["decides on changed content"](s, s.of("s", "ana")), reason.WrongState)
}

func TestSuccessorIsNeitherRemovedNorActedNorExcluded(t *testing.T) {
	s := begin(t, ruled("s", officers("ana", "bo", "cy")))
	s.must(s.approve(s.of("s", "cy"), "cy"))
	s.yields = now("bo", "cy", "rita")
	s.must(s.sweep("ana"))
	s.status(wf.RequestBlocked) // bo has a seat, cy has acted, rita is the requester
	s.yields = now("ana", "cy", "dee")
	s.must(s.sweep("bo"))
	s.holdersAre("s", "dee") // ana has left before
}

func TestApproverRemovedFromOneStageKeepsTheOther(t *testing.T) {
	for _, pooled := range []bool{false, true} {
		t.Run(map[bool]string{false: "each", true: "pool"}[pooled], func(t *testing.T) {
			one, two := together(ruled("one", names("ana"))), together(ruled("two", officers("ana")))
			if pooled {
				one.Assignment, one.Quorum, two.Assignment, two.Quorum = policy.AssignmentPool,
					quorum.Quorum{Mode: quorum.QuorumAny}, policy.AssignmentPool, quorum.Quorum{Mode: quorum.QuorumAny}
			}
			s := begin(t, one, two)
			if pooled {
				s.must(s.claim(s.nth("one", 1), person("ana")))
				s.must(s.claim(s.nth("two", 1), person("ana")))
			}
			s.yields = now()
			s.must(s.sweep())
			s.holdersAre("one", "ana")
			s.stageIs("one", wf.StageActive)
			s.stageIs("two", wf.StageBlocked)
		})
	}
}

func TestASweepTouchesNothingThatIsOver(t *testing.T) {
	undecided := begin(t, pool("s", 2, "ana", "bo"))
	undecided.must(undecided.take("s", "ana", wf.ActionApprove))
	events := len(undecided.events)
	undecided.must(undecided.sweep("ana"))
	if len(undecided.events) != events || undecided.run("s").People[0].Ineligible {
		t.Errorf("ana has acted, and yet %v", undecided.types(events))
	}

	s := begin(t, pool("s", 1, "ana", "bo"), each("next", "cy"))
	s.must(s.take("s", "bo", wf.ActionApprove))
	n := len(s.events)
	s.must(s.sweep("ana"))
	if len(s.events) != n || s.run("s").People[0].Ineligible {
		t.Errorf("events = %v", s.types(n))
	}
}
