package wf_test

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// claimants returns the eligible claimants of an unassigned pool task: "dee for ana" is a
// delegate.
func (s *story) claimants(key string) []string {
	s.t.Helper()
	ids := []string{}
	for _, claimant := range s.run(key).Claimants(s.now.Tasks) {
		id := claimant.ID
		ids = append(ids, id)
	}
	return ids
}

func (s *story) takersAre(key string, want ...string) {
	s.t.Helper()
	if got := s.claimants(key); !slices.Equal(got, want) {
		s.t.Fatalf("a task of stage %s may be taken by %v, want %v", key, got, want)
	}
}

// unassigned returns the ids of the open tasks of a pool without an assignee.
func (s *story) unassigned(key string) []string {
	s.t.Helper()
	var ids []string
	for _, t := range s.tasks(key) {
		if t.Kind == wf.ApproverTask && t.Status == wf.TaskOpen && t.Assignee == nil {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// lenient is a pool that rejections end only when it is out of reach.
func lenient(s policy.Stage) policy.Stage {
	s.Rejection, s.Allow.Abstain = quorum.Rejection{Mode: quorum.RejectionUnreachable}, true
	return s
}

// take makes a user act on an unassigned task of a pool.
func (s *story) take(key, by string, a wf.Action) error {
	s.t.Helper()
	open := s.unassigned(key)
	if len(open) == 0 {
		s.t.Fatalf("no task of stage %s is open", key)
	}
	return s.act(open[0], by, a)
}

func TestOneAbstentionOrRejectionOfFiveCandidatesDoesNotEndThePool(t *testing.T) {
	for name, tt := range map[string]struct {
		rejection quorum.Rejection
		action    wf.Action
	}{
		"an abstention":                    {quorum.Rejection{}, wf.ActionAbstain},
		"an abstention, unreachable":       {quorum.Rejection{Mode: quorum.RejectionUnreachable}, wf.ActionAbstain},
		"a rejection, unreachable":         {quorum.Rejection{Mode: quorum.RejectionUnreachable}, wf.ActionReject},
		"a rejection, when three are a no": {quorum.Rejection{Mode: quorum.RejectionCount, Value: 3}, wf.ActionReject},
		"a rejection that would only block": {quorum.Rejection{Mode: quorum.RejectionUnreachable,
			OnUnreachable: quorum.OnUnreachableBlock}, wf.ActionReject},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, but(pool("s", 2, "a", "b", "c", "d", "e"), func(s *policy.Stage) { s.Rejection, s.Allow.Abstain = tt.rejection, true }))
			s.must(s.take("s", "a", tt.action))
			s.status(wf.RequestInReview)
			if n := len(s.unassigned("s")); n != 2 {
				t.Fatalf("%d tasks are open, want 2: the one that a has used up is followed by another", n)
			}
			s.takersAre("s", "b", "c", "d", "e")
			s.must(s.take("s", "b", tt.action))
			s.must(s.take("s", "c", wf.ActionApprove))
			s.must(s.take("s", "d", wf.ActionApprove))
			s.status(wf.RequestApproved)
		})
	}
}

func TestAPoolEndsWhenTooFewAreLeft(t *testing.T) {
	s := begin(t, lenient(pool("s", 2, "a", "b", "c")))
	s.must(s.take("s", "a", wf.ActionReject))
	s.must(s.take("s", "b", wf.ActionAbstain))
	s.status(wf.RequestRejected)
	s.because(wf.BecauseQuorumUnreachable)

	s = begin(t, but(lenient(pool("s", 2, "a", "b", "c")), func(s *policy.Stage) { s.Rejection.OnUnreachable = quorum.OnUnreachableBlock }))
	s.must(s.take("s", "a", wf.ActionReject))
	s.must(s.take("s", "b", wf.ActionAbstain))
	s.status(wf.RequestBlocked)
	s.because(wf.BecauseQuorumUnreachable)
	s.takersAre("s", "c")
	s.must(s.reassign(s.rescue("s"), "zoe", root))
	s.must(s.approve(s.of("s", "zoe"), "zoe"))
	s.must(s.take("s", "c", wf.ActionApprove))
	s.status(wf.RequestApproved)
}

func TestAVetoEndsAPool(t *testing.T) {
	s := begin(t, pool("s", 2, "a", "b", "c"))
	s.must(s.take("s", "a", wf.ActionReject))
	s.status(wf.RequestRejected)
	s.because(wf.BecauseVeto)
}

// officersAndCFO needs two officers and the cfo, also an officer.
func officersAndCFO() policy.Stage {
	s := pool("s", 2)
	s.Approvers = []policy.Rule{atLeast(names("ana", "bo", "cfo"), 1), atLeast(names("cfo"), 1)}
	return s
}

func TestTheCFOMayTakeEitherOfTwoEqualTasks(t *testing.T) {
	for _, n := range []int{0, 1} {
		s := begin(t, officersAndCFO())
		if got := len(s.unassigned("s")); got != 2 {
			t.Fatalf("%d tasks", got)
		}
		s.takersAre("s", "ana", "bo", "cfo")
		s.must(s.claim(s.unassigned("s")[n], person("cfo")))
		s.status(wf.RequestInReview)
		s.takersAre("s", "ana", "bo")
		s.must(s.approve(s.of("s", "cfo"), "cfo"))
		s.must(s.take("s", "ana", wf.ActionApprove))
		s.status(wf.RequestApproved)
	}
}

func TestAPlaceIsKeptForThePeopleOfARule(t *testing.T) {
	s := begin(t, officersAndCFO())
	s.must(s.take("s", "ana", wf.ActionApprove))
	s.takersAre("s", "cfo")
	if got := s.run("s").UnmetRules(2); !slices.Equal(got, []int{1}) {
		t.Errorf("the rules that are waited for are %v, want the second", got)
	}
	left := s.unassigned("s")[0]
	s.refused(s.claim(left, person("bo")), reason.WrongState) // not 403: it may change
	s.refused(s.approve(left, "bo"), reason.WrongState)
	s.refused(s.claim(left, person("eve")), reason.Forbidden)
	s.must(s.approve(left, "cfo"))
	s.status(wf.RequestApproved)
	s.takersAre("s")

	s = begin(t, officersAndCFO())
	s.must(s.take("s", "bo", wf.ActionApprove))
	err := s.take("s", "ana", wf.ActionApprove)
	s.refused(err, reason.WrongState)
	if err.Error() != "wrong_state: the open tasks of stage s require approvers of other rules" {
		t.Errorf("refusal = %v", err)
	}
	if err := s.take("s", "bo", wf.ActionApprove); err == nil ||
		err.Error() != "wrong_state: the caller already holds or has decided a task of stage s" {
		t.Errorf("refusal = %v", err)
	}
}

func TestEveryOpenTaskOfAPoolHasATaker(t *testing.T) {
	stage := pool("s", 3)
	stage.Approvers = []policy.Rule{atLeast(names("ana", "bo"), 1), atLeast(names("cy", "bo"), 1), names("dee")}
	for _, order := range [][]string{{"bo", "cy", "dee"}, {"dee", "ana", "cy"}, {"ana", "bo", "dee"}, {"ana", "cy", "bo"}, {"dee", "bo", "ana"}} {
		s := begin(t, stage)
		for i, id := range order {
			open := s.unassigned("s")
			if len(open) != 3-i {
				t.Fatalf("%v: %d tasks are open after %d", order, len(open), i)
			}
			if !slices.Contains(s.claimants("s"), id) {
				t.Fatalf("%v: %s may not take a task, only %v", order, id, s.claimants("s"))
			}
			s.must(s.claim(open[len(open)-1], person(id)))
		}
		for _, id := range order {
			s.status(wf.RequestInReview)
			s.must(s.approve(s.of("s", id), id))
		}
		s.status(wf.RequestApproved)
	}
}

func TestLastPoolTaskIsReservedForUnmetMinimums(t *testing.T) {
	stage := pool("s", 2)
	stage.Approvers = []policy.Rule{atLeast(names("ana", "bo"), 1), atLeast(names("cy", "bo"), 1), names("dee")}
	s := begin(t, stage)
	s.takersAre("s", "ana", "bo", "cy")
	s.refused(s.take("s", "dee", wf.ActionApprove), reason.WrongState) // two places, and both are kept
	s.must(s.take("s", "bo", wf.ActionApprove))
	s.takersAre("s", "ana", "cy") // bo fits either rule
	s.must(s.take("s", "ana", wf.ActionApprove))
	s.status(wf.RequestApproved)
}

func TestTasksThatAPoolNeedsNoMoreAreClosed(t *testing.T) {
	s := begin(t, pool("s", 2, "ana", "bo"))
	first, second := s.nth("s", 1), s.nth("s", 2)
	s.must(s.sweep("ana")) // an admin must fill one of the two places
	if got := s.unassigned("s"); len(s.rescues("s")) != 1 || !slices.Equal(got, []string{first}) {
		t.Fatalf("open are %v beside %d rescues", got, len(s.rescues("s")))
	}
	if got := s.task(second); got.Status != wf.TaskSkipped || got.CloseReason != wf.ClosedNotNeeded {
		t.Errorf("the surplus task is %+v", got)
	}
	if !slices.Contains(s.types(0), audit.EventTaskClosed) {
		t.Error("nobody is told")
	}
	s.must(s.reassign(s.rescue("s"), "zoe", root))
	s.must(s.approve(s.of("s", "zoe"), "zoe"))
	s.must(s.take("s", "bo", wf.ActionApprove))
	s.status(wf.RequestApproved)
}

func TestPoolActionLeavesOtherTasksUnchanged(t *testing.T) {
	s := begin(t, but(pool("s", 3, "a", "b", "c", "d", "e"), func(s *policy.Stage) { s.Approvers[0].MinApprovals = 1 }))
	first, others := s.nth("s", 1), []string{s.nth("s", 2), s.nth("s", 3)}
	for _, act := range []func() error{
		func() error { return s.claim(first, person("a")) },
		func() error { return s.unclaim(first, person("a")) },
		func() error { return s.approve(first, "b") },
	} {
		before := []string{encode(s.task(others[0])), encode(s.task(others[1]))}
		s.must(act())
		for i, id := range others {
			if got := encode(s.task(id)); got != before[i] {
				t.Errorf("task %s changes to %s", id, got)
			}
		}
	}
}

func TestAbstentionLowersPoolQuorumOnlyForInitialMembers(t *testing.T) {
	s := begin(t, percent(lenient(pool("s", 1, "a", "b", "c", "d")), 100))
	if got := s.run("s").Count; got.Need != 4 || got.Voters != 4 {
		t.Fatalf("count = %+v", got)
	}
	s.must(s.take("s", "a", wf.ActionAbstain))
	if got := s.run("s").Count; got.Need != 3 || got.Abstentions != 1 || got.Open != 3 {
		t.Errorf("count = %+v", got)
	}
}

func TestReassigningInAPool(t *testing.T) {
	for name, tt := range map[string]struct {
		to        string
		rules     []int
		claimants []string // afterwards
	}{
		"to a free person":          {"bo", []int{0}, []string{"ana", "cfo"}},
		"to somebody else entirely": {"zoe", []int{0}, []string{"bo", "cfo"}}, // they replace ana
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, but(officersAndCFO(), func(s *policy.Stage) { s.Quorum.Value = 3; s.Approvers = append(s.Approvers, names("dee")) }))
			task := s.unassigned("s")[0]
			s.must(s.claim(task, person("ana")))
			s.must(s.reassign(task, tt.to, root))
			if got := s.task(task); got.Assignee.ID != tt.to || !slices.Equal(got.Rules, tt.rules) || got.Rescue {
				t.Errorf("task = %+v", got)
			}
			s.takersAre("s", append(tt.claimants, "dee")...)
			if got := s.run("s").Count; got.Voters != 4 || got.Need != 3 {
				t.Errorf("count = %+v", got)
			}
			s.must(s.approve(task, tt.to))
		})
	}
}

func TestPoolReassignmentKeepsRuleMinimums(t *testing.T) {
	stage := pool("s", 2)
	stage.Approvers = []policy.Rule{atLeast(names("ana", "bo"), 1), names("cy")}
	s := begin(t, stage)
	task := s.unassigned("s")[0]
	s.must(s.claim(task, person("ana")))
	s.must(s.reassign(task, "cy", person("ana")))
	s.takersAre("s", "ana", "bo") // the place that ana would have filled is open again
	second := s.unassigned("s")[0]
	s.must(s.claim(second, person("bo")))
	s.must(s.reassign(second, "ana", person("bo")))
	s.must(s.claim(second, person("ana")))
	s.must(s.unclaim(second, person("ana")))
	s.must(s.approve(task, "cy"))
	s.must(s.take("s", "bo", wf.ActionApprove))
	s.status(wf.RequestApproved)
}

func TestReleasedReassignedTaskReturnsToTheWholePool(t *testing.T) {
	s := begin(t, pool("s", 1, "ana", "bo"))
	s.must(s.reassign(s.nth("s", 1), "dee", root))
	s.takersAre("s")
	s.must(s.claim(s.nth("s", 1), person("dee")))
	s.must(s.unclaim(s.nth("s", 1), person("dee")))
	s.takersAre("s", "ana", "bo", "dee")
	s.must(s.approve(s.nth("s", 1), "bo"))
	s.status(wf.RequestApproved)
}

func TestFormerHolderOfEndedTaskReceivesStateConflict(t *testing.T) {
	s := begin(t, each("s", "ana", "bo"), each("next", "cy"))
	task := s.of("s", "ana")
	s.must(s.reassign(task, "dee", root))
	s.refused(s.approve(task, "ana"), reason.Forbidden) // it is dee's
	s.must(s.approve(task, "dee"))
	s.refused(s.approve(task, "ana"), reason.WrongState)
	s.refused(s.claim(task, person("ana")), reason.WrongState)
	s.refused(s.approve(task, "eve"), reason.Forbidden)

	task = s.of("s", "bo")
	s.must(s.reassign(task, "xi", root))
	s.must(s.reassign(task, "yan", root))
	s.must(s.approve(task, "yan"))
	s.refused(s.approve(task, "bo"), reason.WrongState) // its first holder
	s.refused(s.approve(task, "xi"), reason.WrongState) // and its last holder
}

func TestTaskRefusalNamesItsReason(t *testing.T) {
	s := begin(t, pool("s", 1, "ana", "bo", "cy"))
	task := s.nth("s", 1)
	why := func(id, want string) {
		t.Helper()
		if err := s.claim(task, person(id)); err == nil || err.Error() != want {
			t.Errorf("%s receives %v, want %q", id, err, want)
		}
	}
	why("eve", "forbidden: the caller is neither the assignee of task "+task+" nor a candidate for it")
	s.must(s.claim(task, person("ana")))
	why("bo", "wrong_state: task "+task+" is already claimed")
	s.must(s.reassign(task, "cy", person("ana")))
	why("bo", "wrong_state: task "+task+" is assigned to another user")
}
