package wf_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// waiting returns a request with a second stage that cannot start: the directory of its first
// rule does not respond.
func waiting(t *testing.T, stages ...policy.Stage) *story {
	t.Helper()
	s := begin(t, append([]policy.Stage{each("one", "ana")}, stages...)...)
	s.yields = down
	s.must(s.approve(s.of("one", "ana"), "ana"))
	s.stageIs("two", wf.StageResolving)
	return s
}

func (s *story) count(kind audit.EventType) (n int) {
	for _, e := range s.events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

func TestDecisionStandsWhenResolvingTheNextStageFails(t *testing.T) {
	s := waiting(t, ruled("two", officers("bo")))
	s.status(wf.RequestInReview)
	s.stageIs("one", wf.StageApproved)
	if run := s.run("two"); run.LastError != "approver rule 0: role officer: no answer" || !run.RetryAt.Equal(noon.Add(5*time.Second)) {
		t.Errorf("stage two = %+v, want its error and another try after 5 s", run)
	}
	if got := s.now.Current(); !slices.Equal(got, []string{"two"}) {
		t.Errorf("current stages %v, want the one that is resolved", got)
	}

	s.yields = nil
	s.at = noon.Add(5 * time.Second)
	s.must(s.resolve())
	s.stageIs("two", wf.StageActive)
	run := s.run("two")
	if run.LastError != "" || !run.RetryAt.IsZero() || !run.StartedAt.Equal(s.at) {
		t.Errorf("stage two = %+v, want it as if nothing had been", run)
	}
	if last := s.events[len(s.events)-1]; last.Actor.ID != "system:directory" {
		t.Errorf("the stage was started by %s", last.Actor.ID)
	}
	s.must(s.approve(s.of("two", "bo"), "bo"))
	s.status(wf.RequestApproved)
}

func TestAStageIsTriedAgainAfterLongerAndLongerWaits(t *testing.T) {
	s := waiting(t, ruled("two", officers("bo")))
	var waits []time.Duration
	for range 10 {
		run := s.run("two")
		waits = append(waits, run.RetryAt.Sub(s.at))
		s.at = run.RetryAt.Add(-time.Millisecond)
		rev := s.now.Rev
		s.must(s.resolve())
		if again := s.run("two"); !again.RetryAt.Equal(run.RetryAt) {
			t.Fatalf("tried before its time: %s", again.RetryAt)
		}
		s.at = run.RetryAt
		s.must(s.resolve())
		if s.now.Rev != rev {
			t.Fatal("a try in vain should not change the entity tag")
		}
	}
	want := []time.Duration{5, 5, 10, 20, 40, 80, 160, 300, 300, 300}
	for i := range want {
		want[i] *= time.Second
	}
	if !slices.Equal(waits, want) {
		t.Errorf("intervals %v, want %v", waits, want)
	}
	if n := s.count(audit.EventStageResolutionFailed); n != 1 {
		t.Errorf("%d events, want 1", n)
	}
}

func TestAStageThatIsResolvedMayTakeEveryWay(t *testing.T) {
	for name, tt := range map[string]struct {
		onEmpty policy.OnEmpty
		yields  yields
		when    policy.Value
		stage   wf.StageStatus
		request wf.RequestStatus
	}{
		"blocked":               {policy.OnEmptyBlock, now(), value(true), wf.StageBlocked, wf.RequestBlocked},
		"skipped, nobody there": {policy.OnEmptySkip, now(), value(true), wf.StageSkipped, wf.RequestApproved},
		"rejected":              {policy.OnEmptyReject, now(), value(true), wf.StageRejected, wf.RequestRejected},
		"skipped":               {policy.OnEmptyBlock, now("bo"), value(false), wf.StageSkipped, wf.RequestApproved},
		"a bad rule":            {policy.OnEmptySkip, unknown, value(true), wf.StageBlocked, wf.RequestBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("one", "ana"), but(ruled("two", officers("bo")), func(s *policy.Stage) { s.OnEmpty, s.When = tt.onEmpty, "expr" })))
			s.values["expr"], s.yields = value(true), down
			s.must(s.start())
			s.must(s.approve(s.of("one", "ana"), "ana"))
			s.stageIs("two", wf.StageResolving)
			s.yields, s.values["expr"], s.at = tt.yields, tt.when, noon.Add(time.Minute)
			s.must(s.resolve())
			s.stageIs("two", tt.stage)
			s.status(tt.request)
			if run := s.run("two"); tt.stage != wf.StageBlocked && (run.LastError != "" || !run.RetryAt.IsZero()) {
				t.Errorf("it is over, and yet %q, tried again at %s", run.LastError, run.RetryAt)
			}
		})
	}
}

func TestARequestThatWaitsCanEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		end     func(*story) error
		stage   wf.StageStatus
		request wf.RequestStatus
	}{
		"cancelled": {func(s *story) error { return s.cancel(person("rita")) }, wf.StageCancelled, wf.RequestCancelled},
		"expired":   {func(s *story) error { s.at = noon.AddDate(0, 2, 0); return s.expire() }, wf.StageExpired, wf.RequestExpired},
	} {
		t.Run(name, func(t *testing.T) {
			s := waiting(t, ruled("two", officers("bo")))
			s.must(tt.end(s))
			s.status(tt.request)
			s.stageIs("two", tt.stage)
			events := len(s.events)
			s.yields = nil
			s.at = s.at.Add(time.Hour)
			s.must(s.resolve())
			if len(s.events) != events {
				t.Error("something followed the end")
			}
		})
	}
}

func TestAParallelStageGoesOnWhileAnotherIsResolved(t *testing.T) {
	grouped := func(s *policy.Stage) { s.ParallelGroup = "g" }
	s := waiting(t, but(ruled("two", officers("bo")), grouped), but(each("three", "cy"), grouped), each("last", "dee"))
	s.stageIs("three", wf.StageActive)
	s.must(s.approve(s.of("three", "cy"), "cy"))
	s.stageIs("last", wf.StagePending)
	s.yields = nil
	s.at = noon.Add(time.Hour)
	s.must(s.resolve())
	s.must(s.approve(s.of("two", "bo"), "bo"))
	s.stageIs("last", wf.StageActive)
}

func TestAResubmittedRequestNeedsAnAnswer(t *testing.T) {
	s := begin(t, ruled("one", officers("ana")))
	s.must(s.sendBack(s.of("one", "ana"), "ana"))
	s.yields = down
	s.refused(s.resubmit(person("rita"), "sha256:two"), reason.ResolverFailed)
	s.status(wf.RequestChangesRequested)
}

// blocked returns a request with a second stage without approvers, after ana's approval of the
// first.
func blocked(t *testing.T, stage policy.Stage) *story {
	t.Helper()
	s := begin(t, each("before", "ana"), stage, each("after", "yu"))
	s.yields = now()
	s.must(s.approve(s.of("before", "ana"), "ana"))
	s.stageIs("s", wf.StageBlocked)
	return s
}

func TestABlockedStageIsLookedAtAgainByItself(t *testing.T) {
	s := blocked(t, ruled("s", officers("bo", "cy")))
	var waits []time.Duration
	for range 12 {
		run := s.run("s")
		waits = append(waits, run.RetryAt.Sub(s.at))
		s.at = run.RetryAt.Add(-time.Millisecond)
		asked, events := s.asked, len(s.events)
		s.must(s.resolve())
		if s.asked != asked || !s.run("s").RetryAt.Equal(run.RetryAt) {
			t.Fatal("looked at before its time")
		}
		s.at = run.RetryAt
		s.must(s.resolve())
		if len(s.events) != events {
			t.Fatalf("a failed retry has an event: %v", s.types(events))
		}
	}
	want := []time.Duration{5, 5, 10, 20, 40, 80, 160, 900, 900, 900, 900, 900}
	for i := range want {
		want[i] *= time.Second
	}
	if !slices.Equal(waits, want) {
		t.Errorf("intervals %v, want %v", waits, want)
	}
}

func TestAStageThatHasBecomeStaffedStarts(t *testing.T) {
	for name, look := range map[string]struct {
		do func(*story) error
		by string
	}{
		"by itself":       {func(s *story) error { s.at = s.run("s").RetryAt; return s.resolve() }, "system:directory"},
		"after the sweep": {func(s *story) error { return s.sweep() }, "system:directory"},
		"by an admin":     {func(s *story) error { return s.reevaluate(root) }, "root"},
	} {
		t.Run(name, func(t *testing.T) {
			s := blocked(t, ruled("s", officers("bo", "cy")))
			rescue := s.rescue("s")
			s.yields = now("bo", "cy")
			n := len(s.events)
			s.must(look.do(s))
			s.status(wf.RequestInReview)
			s.stageIs("s", wf.StageActive)
			s.holdersAre("s", "bo", "cy")
			if got := s.task(rescue); got.Status != wf.TaskSkipped || got.CloseReason != wf.ClosedNotNeeded {
				t.Errorf("the rescue is %+v", got)
			}
			if run := s.run("s"); !run.RetryAt.IsZero() || run.LastError != "" || run.Count.Need != 2 || run.Count.Voters != 2 {
				t.Errorf("run = %+v", run)
			}
			want := []audit.EventType{audit.EventTaskClosed, audit.EventTaskCreated, audit.EventTaskCreated, audit.EventRequestUnblocked}
			if got := s.types(n); !slices.Equal(got, want) {
				t.Errorf("events = %v, want %v", got, want)
			}
			if got := s.events[n].Actor.ID; got != look.by {
				t.Errorf("the stage was staffed by %s, want %s", got, look.by)
			}
			s.must(s.approve(s.of("s", "bo"), "bo"))
			s.status(wf.RequestInReview)
			s.must(s.approve(s.of("s", "cy"), "cy"))
			s.stageIs("after", wf.StageActive)
		})
	}
}

func TestAPoolThatHasBecomeStaffedStarts(t *testing.T) {
	s := blocked(t, but(pool("s", 2), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("bo", "cy")} }))
	if n := len(s.rescues("s")); n != 2 {
		t.Fatalf("%d rescues", n)
	}
	s.yields = now("bo", "cy")
	s.must(s.reevaluate(root))
	s.takersAre("s", "bo", "cy")
	if n := len(s.unassigned("s")); n != 2 || len(s.rescues("s")) != 0 {
		t.Errorf("%d open tasks", n)
	}
	s.must(s.approve(s.unassigned("s")[0], "bo"))
	s.must(s.approve(s.unassigned("s")[0], "cy"))
	s.stageIs("s", wf.StageApproved)
}

func TestAStageThatIsStillShortStaysBlocked(t *testing.T) {
	for name, tt := range map[string]struct {
		answer yields
		error  string
	}{
		"too few":             {now("bo"), ""},
		"no answer":           {down, "approver rule 0: role officer: no answer"},
		"a role that is gone": {unknown, "approver rule 0: role officer: there is none"},
	} {
		t.Run(name, func(t *testing.T) {
			s := blocked(t, but(ruled("s", officers("bo", "cy")), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} }))
			if n := len(s.rescues("s")); n != 2 {
				t.Fatalf("%d rescues, want one for each missing place", n)
			}
			s.yields, s.at = tt.answer, s.at.Add(time.Minute)
			s.must(s.reevaluate(root))
			s.status(wf.RequestBlocked)
			s.holdersAre("s")
			if n := len(s.rescues("s")); n != 2 {
				t.Errorf("%d rescues", n)
			}
			if run := s.run("s"); run.RetryAt.Before(s.at) || run.LastError != tt.error {
				t.Errorf("looked at again at %s, because of %q", run.RetryAt, run.LastError)
			}
		})
	}
}

func TestReevaluationBypassesCachedAnswers(t *testing.T) {
	s := blocked(t, ruled("s", officers("bo")))
	var ages []time.Duration
	s.yields = func(_ policy.Rule, maxAge time.Duration) ([]identity.User, error) {
		ages = append(ages, maxAge)
		return users("bo"), nil
	}
	s.must(s.reevaluate(root))
	if len(ages) == 0 || ages[0] != -1 {
		t.Errorf("queried for answers of ages %v, want new ones", ages)
	}
}

func TestAReevaluationTriesAStageThatIsResolving(t *testing.T) {
	s := waiting(t, ruled("two", officers("bo")))
	s.yields = nil
	s.must(s.reevaluate(root))
	s.stageIs("two", wf.StageActive)
}

func TestAReevaluationIsRefusedWhenNothingWaitsForPeople(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T) *story{
		"in review": func(t *testing.T) *story { return begin(t, each("s", "ana")) },
		"blocked by decisions": func(t *testing.T) *story {
			s := begin(t, but(each("s", "ana", "bo"), func(s *policy.Stage) {
				s.Rejection = quorum.Rejection{Mode: quorum.RejectionUnreachable, OnUnreachable: quorum.OnUnreachableBlock}
			}))
			s.must(s.reject(s.of("s", "ana"), "ana"))
			s.status(wf.RequestBlocked)
			return s
		},
		"blocked for staffing, with a decision": func(t *testing.T) *story {
			s := begin(t, anyOf(ruled("s", required(officers()), names("bo"))))
			s.must(s.approve(s.of("s", "bo"), "bo"))
			s.status(wf.RequestBlocked)
			return s
		},
		"sent back": func(t *testing.T) *story { s, _ := standings[wf.RequestChangesRequested](t); return s },
		"approved":  func(t *testing.T) *story { s, _ := standings[wf.RequestApproved](t); return s },
	} {
		t.Run(name, func(t *testing.T) {
			s := prepare(t)
			s.refused(s.reevaluate(root), reason.WrongState)
			for _, run := range s.now.Stages {
				if run.Status == wf.StageBlocked && !run.RetryAt.IsZero() {
					t.Errorf("stage %s is looked at again at %s", run.Key, run.RetryAt)
				}
			}
			events := len(s.events)
			s.at = s.at.Add(time.Hour)
			s.yields = now("zoe", "yan")
			s.must(s.resolve())
			if len(s.events) != events {
				t.Errorf("events %v", s.types(events))
			}
		})
	}
}

func TestAdminAssignedRescuerStaysWhenStageIsStaffed(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": but(ruled("s", officers("bo", "cy")), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} }),
		"pool": but(pool("s", 2), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("bo", "cy")} }),
	} {
		t.Run(name, func(t *testing.T) {
			s := blocked(t, stage)
			rescue := s.rescue("s")
			s.must(s.reassign(rescue, "zoe", root))
			s.status(wf.RequestBlocked)
			s.yields = now("bo", "cy")
			s.must(s.reevaluate(root))
			s.status(wf.RequestInReview)
			if got := s.task(rescue); got.Status != wf.TaskOpen || got.Assignee.ID != "zoe" || !got.Rescue {
				t.Errorf("zoe's task is %+v", got)
			}
			if got := s.run("s").Count; got.Need != 2 || got.Voters != map[string]int{"each": 3, "pool": 2}[name] {
				t.Errorf("count = %+v", got)
			}
			if want := map[string][]string{"each": {"bo", "cy"}, "pool": {"bo", "cy", "zoe"}}[name]; !slices.Equal(s.people("s"), want) {
				t.Errorf("people = %v, want %v", s.people("s"), want)
			}
			s.must(s.approve(rescue, "zoe"))
			s.status(wf.RequestInReview)
			if s.run("s").Pool {
				s.must(s.approve(s.unassigned("s")[0], "bo"))
			} else {
				s.must(s.approve(s.of("s", "bo"), "bo"))
			}
			s.stageIs("s", wf.StageApproved)
		})
	}
}

func TestRescuerYieldedByRulesLaterBecomesRegularApprover(t *testing.T) {
	s := blocked(t, but(ruled("s", officers("bo", "cy")), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} }))
	rescue := s.rescue("s")
	s.must(s.reassign(rescue, "bo", root))
	s.yields = now("bo", "cy")
	s.must(s.reevaluate(root))
	s.holdersAre("s", "bo", "cy")
	if got := s.task(rescue); got.Rescue || got.Added || !slices.Equal(got.Rules, []int{0}) || got.Status != wf.TaskOpen {
		t.Errorf("bo's task is %+v", got)
	}
	if got := s.run("s").Count; got.Voters != 2 || got.Need != 2 {
		t.Errorf("count = %+v", got)
	}
}

func TestAStageThatIsStaffedAgainRepeats(t *testing.T) {
	s := blocked(t, ruled("s", officers("ana", "bo")))
	s.def.Settings.RepeatApprover = policy.RepeatAutoApprove
	s.yields = now("ana", "bo")
	s.must(s.reevaluate(root))
	s.holdersAre("s", "bo") // ana approved before
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.stageIs("s", wf.StageApproved)
}

func TestFallbackResolvedLaterStartsTheStage(t *testing.T) {
	s := tell(t, policyOf(but(ruled("s", officers()), func(s *policy.Stage) { s.OnEmpty = policy.OnEmptyFallback })))
	s.def.Settings.FallbackApprovers = []policy.Rule{{Type: policy.RuleGroup, Path: "/rescue"}}
	s.must(s.start())
	s.status(wf.RequestBlocked)
	s.yields = answering(policy.RuleGroup, now("fay"))
	s.must(s.reevaluate(root))
	s.status(wf.RequestInReview)
	s.holdersAre("s", "fay")
	if !s.run("s").Fallback {
		t.Error("the run lacks the mark of the fallback")
	}
}

// people returns the ids of the people of a stage.
func (s *story) people(key string) []string {
	s.t.Helper()
	var ids []string
	for _, a := range s.run(key).People {
		ids = append(ids, a.ID)
	}
	return ids
}

func TestPoolRescuerYieldedByRulesLaterIsListedOnce(t *testing.T) {
	s := blocked(t, but(pool("s", 2), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("bo", "cy")} }))
	s.must(s.reassign(s.rescue("s"), "bo", root))
	s.yields = now("bo", "cy")
	s.must(s.reevaluate(root))
	if got := s.people("s"); !slices.Equal(got, []string{"bo", "cy"}) {
		t.Errorf("people = %v", got)
	}
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.must(s.take("s", "cy", wf.ActionApprove))
	s.stageIs("s", wf.StageApproved)
}

// When a stage is staffed after all, it is as if it had started with the people that it
// has now.
func TestASeatOfAStageThatIsStaffedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		before, after []string
		kept          bool // the seat of the first
	}{
		"stays with a current approver":                 {[]string{"ana"}, []string{"ana", "bo"}, true},
		"stays with the second, too":                    {[]string{"ana"}, []string{"bo", "ana"}, true},
		"leaves a former approver":                      {[]string{"ana"}, []string{"bo", "cy"}, false},
		"without an assignee is closed when not needed": {nil, []string{"bo", "cy"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, but(ruled("s", officers(tt.before...)), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} }))
			first := s.tasks("s")[0]
			s.yields = now(tt.after...)
			s.must(s.reevaluate(root))
			s.status(wf.RequestInReview)
			got := s.task(first.ID)
			switch {
			case tt.kept && (got.Status != wf.TaskOpen || got.Rev != first.Rev):
				t.Errorf("the task is %+v", got)
			case !tt.kept && first.Assignee != nil && (got.Status != wf.TaskSkipped || got.CloseReason != wf.ClosedApproverLost):
				t.Errorf("the task is %+v", got)
			}
			if got := s.run("s").Count; got.Voters != 2 || got.Need != 2 || got.Open != 2 {
				t.Errorf("count = %+v", got)
			}
			if got := s.people("s"); !slices.Equal(got, tt.after) {
				t.Errorf("people = %v", got)
			}
			for _, id := range tt.after {
				s.must(s.approve(s.of("s", id), id))
			}
			s.status(wf.RequestApproved)
		})
	}
}

func TestRestaffingClosesSeatOfDepartedApprover(t *testing.T) {
	s := begin(t, ruled("s", officers("ana", "bo")))
	id := s.of("s", "ana")
	s.at = noon.Add(time.Hour)
	s.yields = now("bo")
	s.must(s.sweep())
	s.status(wf.RequestBlocked)
	run := s.run("s")
	if wait := run.RetryAt.Sub(s.at); wait != 5*time.Second {
		t.Errorf("looked at again after %s", wait)
	}
	s.yields = down
	s.at = run.RetryAt
	s.must(s.resolve())
	if wait := s.run("s").RetryAt.Sub(s.at); wait != 5*time.Second {
		t.Errorf("and then after %s: it has waited for 5 s, not for an hour", wait)
	}
	s.yields = now("bo", "cy")
	s.must(s.reevaluate(root))
	if got := s.task(id); got.Status != wf.TaskSkipped || got.CloseReason != wf.ClosedApproverLost {
		t.Errorf("the task is %+v", got)
	}
	s.holdersAre("s", "bo", "cy")
}

func TestStaffingOneOfTwoBlockedStagesLeavesTheOther(t *testing.T) {
	s := begin(t, together(ruled("one", officers())), together(ruled("two", policy.Rule{Type: policy.RuleGroup, Path: "/two"})))
	rescue := s.rescue("two")
	s.yields = answering(policy.RuleRole, now("ana"))
	s.must(s.reevaluate(root))
	s.status(wf.RequestBlocked)
	s.stageIs("one", wf.StageActive)
	if got := s.task(rescue); got.Status != wf.TaskOpen {
		t.Errorf("the rescue of the other is %+v", got)
	}
}

// Bo is in the pool and is put on a rescue, and the rules do not yield them when the
// stage is staffed. They stay, and the pool is no larger for it.
func TestDroppedCandidateOnRescueDoesNotRaiseTheNeed(t *testing.T) {
	s := begin(t, but(pool("s", 3), func(s *policy.Stage) {
		s.Approvers, s.Quorum = []policy.Rule{officers("bo")}, quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 100, MinApprovals: 3}
	}))
	s.must(s.reassign(s.rescue("s"), "bo", root))
	s.yields = now("cy", "dee", "eve")
	s.must(s.reevaluate(root))
	s.status(wf.RequestInReview)
	if got := s.run("s").Count; got.Voters != 3 || got.Need != 3 {
		t.Errorf("count = %+v", got)
	}
	s.must(s.approve(s.of("s", "bo"), "bo"))
}

func TestOnlyAnAdminOrAnOwnerReevaluates(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana")))
	s.must(s.start())
	owner := person("olga")
	owner.Owner = true
	for _, tt := range []struct {
		by   identity.Actor
		want error
	}{{person("ana"), reason.Forbidden}, {owner, reason.WrongState}, {root, reason.WrongState}} { // no stage waits
		if err := s.reevaluate(tt.by); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.by.ID, err, tt.want)
		}
	}
}
