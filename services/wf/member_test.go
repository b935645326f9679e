package wf_test

import (
	"errors"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
)

// officers is a role, and whom it yields at the start.
func officers(ids ...string) wf.Rule { return wf.Rule{Type: wf.RuleRole, Role: "officer", IDs: ids} }

// ruled is a stage with these rules, of which everybody must approve.
func ruled(key string, rules ...wf.Rule) wf.Stage {
	return wf.Stage{Key: key, Name: key, Approvers: rules}
}

// now yields these people for every role, whatever it was at the start.
func now(ids ...string) yields {
	return func(wf.Rule, time.Duration) ([]wf.User, error) { return users(ids...), nil }
}

func down(wf.Rule, time.Duration) ([]wf.User, error) {
	return nil, wf.Refuse(wf.ResolverFailed, "role officer: no answer")
}

func TestWhoStillIsAnApprover(t *testing.T) {
	unknown := func(wf.Rule, time.Duration) ([]wf.User, error) {
		return nil, wf.Refuse(wf.EngineRefused, "role officer: there is none")
	}
	fallback := func(s *story) {
		s.def.Settings.FallbackApprovers = []wf.Rule{{Type: wf.RuleGroup, Path: "/rescue"}}
		s.def.Stages[0].OnEmpty, s.def.Stages[0].Approvers = wf.EmptyFallback, []wf.Rule{officers()}
		s.plans["s"] = func(p *wf.StagePlan) error { p.Fallback = users("ana"); return nil }
	}
	delegated := func(s *story) {
		s.delegations = []wf.Delegation{{ID: "d", User: user("ana"), DelegateTo: user("dee"), StartsAt: noon, EndsAt: noon.AddDate(0, 0, 1)}}
	}
	rescuers := func(rule wf.Rule, _ time.Duration) ([]wf.User, error) {
		if rule.Type == wf.RuleGroup {
			return users("ana"), nil
		}
		return nil, nil
	}
	for name, tt := range map[string]struct {
		mode   wf.MembershipRecheck
		yields yields
		change func(*story)
		by     string // ana when empty
		want   error
		stale  bool
	}{
		"still in the role":                          {yields: now("ana")},
		"not in the role any more":                   {yields: now("bo"), want: wf.Forbidden},
		"the role is gone":                           {yields: unknown, want: wf.Forbidden},
		"nobody answers":                             {yields: down, stale: true},
		"nobody answers, cached":                     {mode: wf.RecheckCached, yields: down, stale: true},
		"nobody answers, strict":                     {mode: wf.RecheckStrict, yields: down, want: wf.ResolverFailed},
		"still in the role, strict":                  {mode: wf.RecheckStrict, yields: now("ana")},
		"not in the role, strict":                    {mode: wf.RecheckStrict, yields: now(), want: wf.Forbidden},
		"not in the role, and nobody looks":          {mode: wf.RecheckNone, yields: now("bo")},
		"nobody to ask":                              {},
		"named by another rule as well":              {yields: now(), change: func(s *story) { s.def.Stages[0].Approvers = append(s.def.Stages[0].Approvers, names("ana")) }},
		"a manager stays one":                        {yields: now(), change: func(s *story) { s.def.Stages[0].Approvers[0].Type = wf.RuleManager }},
		"a group is looked at":                       {yields: now(), change: func(s *story) { s.def.Stages[0].Approvers[0].Type = wf.RuleGroup }, want: wf.Forbidden},
		"a resolver is asked":                        {yields: now(), change: func(s *story) { s.def.Stages[0].Approvers[0].Type = wf.RuleHTTP }, want: wf.Forbidden},
		"a fallback approver who is one":             {yields: rescuers, change: fallback},
		"a fallback approver who is none any more":   {yields: now(), change: fallback, want: wf.Forbidden},
		"a delegate of one who still is":             {yields: now("ana"), change: delegated, by: "dee"},
		"a delegate of one who is none any more":     {yields: now("dee"), change: delegated, by: "dee", want: wf.Forbidden},
		"a candidate of a pool":                      {yields: now("ana"), change: pooled},
		"a candidate of a pool who is none any more": {yields: now(), change: pooled, want: wf.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			by := tt.by
			if by == "" {
				by = "ana"
			}
			for _, act := range []string{"claim", "decide"} {
				s := tell(t, policy(ruled("s", officers("ana"))))
				s.def.Settings.MembershipRecheck = tt.mode
				if tt.change != nil {
					tt.change(s)
				}
				s.must(s.start())
				s.yields = tt.yields
				task := s.now.Tasks[0].ID
				err := s.claim
				kind := wf.TaskWasClaimed
				if act == "decide" {
					err = func(task string, by wf.Actor) error { return s.approve(task, by.ID) }
					kind = wf.TaskDecided
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
	s.def.Stages[0].Assignment, s.def.Stages[0].Quorum = wf.Pool, wf.Quorum{Mode: wf.QuorumAny}
}

func TestHowFreshAnAnswerAboutAMembershipIs(t *testing.T) {
	for mode, want := range map[wf.MembershipRecheck]time.Duration{"": 5 * time.Minute, wf.RecheckCached: 5 * time.Minute, wf.RecheckStrict: -1} {
		s := tell(t, policy(ruled("s", officers("ana"))))
		s.def.Settings.MembershipRecheck = mode
		s.must(s.start())
		s.yields = func(_ wf.Rule, maxAge time.Duration) ([]wf.User, error) {
			if maxAge != want {
				t.Errorf("%q asks for an answer of %s, want %s", mode, maxAge, want)
			}
			return users("ana"), nil
		}
		s.must(s.approve(s.of("s", "ana"), "ana"))
	}
}

func TestWhoWasPutOnASeatByHandIsHeldToNoRule(t *testing.T) {
	s := begin(t, ruled("s", officers("ana")))
	s.must(s.reassign(s.of("s", "ana"), "zoe", root))
	s.yields = now()
	s.must(s.approve(s.of("s", "zoe"), "zoe"))
	s.status(wf.WasApproved)
}

func TestAnOverrideAsksNoDirectory(t *testing.T) {
	s := tell(t, policy(ruled("s", officers("ana"))))
	s.def.Settings.AdminOverride, s.def.Settings.MembershipRecheck = true, wf.RecheckStrict
	s.must(s.start())
	s.yields = down
	s.must(s.decide(s.of("s", "ana"), root, wf.DecisionInput{Action: wf.Approve, Comment: "ana cannot be reached"}))
	s.status(wf.WasApproved)
}

func TestTheSeatOfOneWhoLeftGoesToSomebodyElse(t *testing.T) {
	s := begin(t, ruled("s", officers("ana", "bo")))
	seat := s.of("s", "ana")
	s.yields = now("ana", "rita", "bo", "cy")
	s.must(s.replace("ana"))
	s.holdersAre("s", "cy", "bo") // rita asks, and bo has a seat
	task, _ := s.now.Task(seat)
	if task.Assignee.ID != "cy" || task.ReassignedFrom.ID != "ana" || task.Seat != 1 || task.Kind != wf.ApproverTask {
		t.Errorf("the seat is %+v", task)
	}
	if last := s.events[len(s.events)-1]; last.Type != wf.TaskReassigned || last.Actor.ID != "system:directory" {
		t.Errorf("the last event is %s by %s", last.Type, last.Actor.ID)
	}
	s.refused(s.approve(seat, "ana"), wf.Forbidden)
	s.must(s.approve(seat, "cy"))
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.status(wf.WasApproved)
}

func TestASuccessorFillsTheRulesThatYieldHim(t *testing.T) {
	other := wf.Rule{Type: wf.RuleGroup, Path: "/other", IDs: []string{"ana"}}
	s := begin(t, ruled("s", officers("ana"), other))
	s.yields = func(rule wf.Rule, _ time.Duration) ([]wf.User, error) {
		if rule.Type == wf.RuleGroup {
			return users("cy"), nil
		}
		return nil, nil
	}
	s.must(s.replace("ana"))
	if task := s.now.Tasks[0]; len(task.Rules) != 1 || task.Rules[0] != 1 {
		t.Errorf("the seat fills the rules %v, want the second", task.Rules)
	}
}

func TestAFallbackApproverTakesASeatThatNobodyElseCan(t *testing.T) {
	s := tell(t, policy(ruled("s", officers("ana"))))
	s.def.Settings.FallbackApprovers = []wf.Rule{{Type: wf.RuleGroup, Path: "/rescue"}}
	s.must(s.start())
	s.yields = func(rule wf.Rule, _ time.Duration) ([]wf.User, error) {
		if rule.Type == wf.RuleGroup {
			return users("fay"), nil
		}
		return users("ana"), nil
	}
	s.must(s.replace("ana"))
	s.holdersAre("s", "fay")
}

func TestASeatThatNobodyCanTakeWaitsForAnAdmin(t *testing.T) {
	for name, yields := range map[string]yields{"nobody there": now("ana"), "nobody to ask": nil} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policy(but(ruled("s", officers("ana"), names("bo")), func(s *wf.Stage) { s.Approvers[0].MinApprovals = 1 })))
			s.must(s.start())
			seat := s.of("s", "ana")
			s.yields = yields
			s.must(s.replace("ana"))
			task, _ := s.now.Task(seat)
			if task.Kind != wf.RescueTask || task.Assignee != nil || task.Owner.ID != "ana" {
				t.Errorf("the seat is %+v", task)
			}
			s.must(s.approve(s.of("s", "bo"), "bo"))
			s.status(wf.InReview) // it is a seat still
			s.stageIs("s", wf.StageActive)
			s.refused(s.approve(seat, "ana"), wf.Forbidden)
			s.refused(s.claim(seat, person("bo")), wf.Forbidden)
			s.must(s.reassign(seat, "zoe", root))
			if task, _ = s.now.Task(seat); task.Kind != wf.ApproverTask || task.Added {
				t.Errorf("the seat is %+v", task)
			}
			s.must(s.approve(seat, "zoe"))
			s.status(wf.WasApproved)
		})
	}
}

func TestAPoolGetsTheSeatOfOneWhoLeftBack(t *testing.T) {
	s := begin(t, but(pool("s", 1), func(s *wf.Stage) { s.Approvers = []wf.Rule{officers("ana", "bo")} }))
	task := s.now.Tasks[0].ID
	s.must(s.claim(task, person("ana")))
	s.yields = now("ana", "bo")
	s.must(s.replace("ana"))
	if got := s.now.Run(s.now.Tasks[0]).Candidates(s.now.Tasks[0]); len(got) != 1 || got[0].ID != "bo" {
		t.Errorf("candidates %v, want bo alone", got)
	}
	s.must(s.claim(task, person("bo")))

	s.must(s.replace("bo")) // nobody is left
	s.status(wf.Blocked)
}

func TestASeatGoesBackFromADelegateWhoLeft(t *testing.T) {
	s := tell(t, policy(ruled("s", officers("ana"))))
	s.delegations = []wf.Delegation{{ID: "d", User: user("ana"), DelegateTo: user("dee"), StartsAt: noon, EndsAt: noon.AddDate(0, 0, 1)}}
	s.must(s.start())
	s.holdersAre("s", "dee")
	s.yields = down // nobody needs to be asked
	s.must(s.replace("dee"))
	s.holdersAre("s", "ana")
	s.yields = now("ana")
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.status(wf.WasApproved)
}

func TestNothingIsReplacedWithoutAnAnswerOrAReason(t *testing.T) {
	s := begin(t, ruled("s", officers("ana", "bo")))
	s.yields = down
	s.refused(s.replace("ana"), wf.ResolverFailed)
	s.holdersAre("s", "ana", "bo")
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.yields = now("cy")
	events := len(s.events)
	s.must(s.replace("ana")) // he has decided
	s.must(s.replace("eve")) // she holds nothing
	if len(s.events) != events {
		t.Errorf("events %v follow", s.events[events:])
	}
	s.must(s.cancel(person("rita")))
	events = len(s.events)
	s.must(s.replace("bo"))
	if len(s.events) != events {
		t.Errorf("events %v follow the end", s.events[events:])
	}
}
