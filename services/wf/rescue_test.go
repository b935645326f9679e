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

// blocking blocks a stage that is out of reach.
func blocking(mode quorum.RejectionMode) quorum.Rejection {
	return quorum.Rejection{Mode: mode, OnUnreachable: quorum.OnUnreachableBlock}
}

// seven is a stage of seven people with boss required and a quorum of two.
func seven() policy.Stage {
	s := ruled("s", required(names("boss")), names("a", "b", "c", "d", "e", "f"))
	s.Quorum, s.Rejection, s.Allow.Abstain = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}, blocking(quorum.RejectionUnreachable), true
	return s
}

func TestRejectingRequiredApproverIsReplacedByRequiredRescue(t *testing.T) {
	s := begin(t, seven())
	boss := s.task(s.of("s", "boss"))
	s.must(s.reject(boss.ID, "boss"))
	s.status(wf.RequestBlocked)
	s.because(wf.BecauseQuorumUnreachable)
	rescue := s.task(s.rescue("s"))
	if len(s.rescues("s")) != 1 || !rescue.Required || rescue.Replaces != boss.Seat || !rescue.Added {
		t.Fatalf("the rescue is %+v", rescue)
	}
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		s.must(s.approve(s.of("s", id), id))
		s.status(wf.RequestBlocked)
	}
	if got := s.run("s").Count; got.Rejections != 1 || got.Approvals != 6 || got.Need != 2 {
		t.Errorf("count = %+v, want the rejection in it", got)
	}
	s.must(s.reassign(rescue.ID, "zoe", root))
	s.status(wf.RequestInReview)
	s.must(s.approve(rescue.ID, "zoe"))
	s.status(wf.RequestApproved)
}

func TestAbstainingRequiredApproverIsReplacedAndNotCounted(t *testing.T) {
	s := begin(t, but(seven(), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumAll} }))
	s.must(s.act(s.of("s", "boss"), "boss", wf.ActionAbstain))
	s.status(wf.RequestBlocked)
	if got := s.run("s").Count; got.Need != 7 {
		t.Errorf("count = %+v: another person replaces the boss", got)
	}
	s.must(s.act(s.of("s", "a"), "a", wf.ActionAbstain))
	if got := s.run("s").Count; got.Need != 6 {
		t.Errorf("count = %+v: a is not replaced", got)
	}
}

func TestRejectionsOfReplacedApproversAndRescuersCount(t *testing.T) {
	s := begin(t, but(seven(), func(s *policy.Stage) { s.Rejection = blocking(quorum.RejectionCount); s.Rejection.Value = 3 }))
	s.must(s.reject(s.of("s", "boss"), "boss"))
	first := s.rescue("s")
	s.must(s.reassign(first, "zoe", root))
	s.must(s.reject(first, "zoe"))
	s.status(wf.RequestBlocked) // two of three; zoe is replaced as the boss was
	second := s.task(s.rescue("s"))
	if !second.Required || second.Replaces != s.task(first).Seat {
		t.Errorf("the second rescue is %+v", second)
	}
	s.must(s.reject(s.of("s", "a"), "a"))
	s.status(wf.RequestRejected)
	s.because(wf.BecauseRejectThreshold)
}

func TestARescuersRejectionIsFinalWhenNothingElseCouldReject(t *testing.T) {
	s := begin(t, but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Rejection = blocking(quorum.RejectionUnreachable) }))
	s.must(s.reject(s.of("s", "ana"), "ana"))
	s.status(wf.RequestBlocked)
	rescue := s.rescue("s")
	s.must(s.reassign(rescue, "zoe", root))
	s.must(s.reject(rescue, "zoe"))
	s.status(wf.RequestRejected)
	s.because(wf.BecauseQuorumUnreachable)
}

func TestARescuersRejectionThatLeavesTheQuorumInReachIsNot(t *testing.T) {
	s := begin(t, but(pool("s", 2, "a"), func(s *policy.Stage) { s.Rejection = blocking(quorum.RejectionUnreachable) }))
	s.status(wf.RequestBlocked)
	first := s.rescue("s")
	s.must(s.reassign(first, "zoe", root))
	s.must(s.reassign(s.unassigned("s")[0], "yan", root)) // more than are needed
	s.must(s.reject(first, "zoe"))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("s", "yan"), "yan"))
	s.must(s.take("s", "a", wf.ActionApprove))
	s.status(wf.RequestApproved)
}

func TestARescuerMayNotAbstain(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": but(each("s", "ana"), func(s *policy.Stage) {
			s.Allow.Abstain, s.Quorum = true, quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}
		}),
		"pool": lenient(pool("s", 2, "ana")),
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage)
			rescue := s.rescue("s")
			s.must(s.reassign(rescue, "zoe", root))
			s.refused(s.act(rescue, "zoe", wf.ActionAbstain), reason.WrongState)
			if name == "pool" { // nor when they have released it, and take a task again
				s.must(s.claim(rescue, person("zoe")))
				s.must(s.unclaim(rescue, person("zoe")))
				s.refused(s.take("s", "zoe", wf.ActionAbstain), reason.WrongState)
				s.must(s.claim(s.unassigned("s")[0], person("zoe")))
				s.refused(s.act(s.of("s", "zoe"), "zoe", wf.ActionAbstain), reason.WrongState)
			}
			s.must(s.approve(s.of("s", "zoe"), "zoe"))
		})
	}
}

// allButNemo is a directory with all users except nemo.
func allButNemo(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
	return users(slices.DeleteFunc(slices.Clone(rule.IDs), func(id string) bool { return id == "nemo" })...), nil
}

func TestRescueAssignmentRights(t *testing.T) {
	admin := func(id string) identity.Actor {
		return identity.Actor{User: user(id), Kind: identity.ActorUser, Roles: []identity.Role{identity.RoleAdmin}}
	}
	for name, tt := range map[string]struct {
		to     string
		by     identity.Actor
		change func(*policy.Definition)
		want   error
	}{
		"an outsider":                         {"zoe", root, nil, nil},
		"the requester":                       {"rita", root, nil, reason.WrongState},
		"the submitter":                       {"sam", root, nil, reason.WrongState},
		"the requester, permitted to approve": {"rita", root, func(d *policy.Definition) { d.Settings.RequesterMayApprove = true }, reason.WrongState},
		"the submitter, permitted to approve": {"sam", root, func(d *policy.Definition) { d.Settings.RequesterMayApprove = true }, reason.WrongState},
		"approver of an earlier stage":        {"xi", root, nil, nil},
		"excluded approver of an earlier stage": {"xi", root,
			func(d *policy.Definition) { d.Settings.RepeatApprover = policy.RepeatExclude }, reason.WrongState},
		"seat holder":                      {"ana", root, nil, reason.WrongState},
		"who has decided":                  {"bo", root, nil, reason.WrongState},
		"the admin themself":               {"root", root, nil, reason.WrongState},
		"the admin, permitted to override": {"root", root, func(d *policy.Definition) { d.Settings.AdminOverride = true }, nil},
		"another admin":                    {"root", admin("groot"), nil, nil},
		"an excluded admin":                {"rita", admin("rita"), func(d *policy.Definition) { d.Settings.AdminOverride = true }, reason.WrongState},
		"by another role":                  {"zoe", person("ana"), nil, reason.Forbidden},
		"a user unknown to the directory":  {"nemo", root, nil, reason.WrongState},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("before", "xi"), but(each("s", "ana", "bo"), func(s *policy.Stage) {
				s.Quorum, s.Allow.Reassign = quorum.Quorum{Mode: quorum.QuorumCount, Value: 3}, policy.ReassignAny
			})))
			if tt.change != nil {
				tt.change(&s.def)
			}
			s.directory = true
			s.yields = allButNemo
			s.must(s.start())
			s.must(s.approve(s.of("before", "xi"), "xi"))
			s.must(s.approve(s.of("s", "bo"), "bo"))
			rescue := s.rescue("s")
			err := s.reassign(rescue, tt.to, tt.by)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error = %v, want %v", err, tt.want)
			}
			if err != nil {
				return
			}
			s.must(s.approve(rescue, tt.to))
			if got := s.task(rescue); !got.Rescue || got.Owner.ID != tt.to {
				t.Errorf("task = %+v", got)
			}
		})
	}
}

func TestAdminYieldedByRulesSelfAssignsRescueTask(t *testing.T) {
	s := begin(t, pool("s", 3, "root", "ana"))
	rescue := s.rescue("s")
	s.must(s.reassign(rescue, "root", root))
	s.must(s.decide(rescue, root, wf.DecisionInput{Action: wf.ActionApprove}))

	s = begin(t, but(ruled("s", officers("root", "ana")), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} }))
	s.yields = now("ana")
	s.must(s.sweep())
	s.refused(s.reassign(s.rescue("s"), "root", root), reason.WrongState) // they yield them no more
}

func TestPoolCandidateAssignedToRescueLeavesSeatForAnotherRescue(t *testing.T) {
	for name, onUnreachable := range map[string]quorum.OnUnreachable{"block": quorum.OnUnreachableBlock, "reject": quorum.OnUnreachableReject} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, but(pool("s", 3, "ana", "bo"), func(s *policy.Stage) { s.Rejection.OnUnreachable = onUnreachable }))
			first := s.rescue("s")
			s.must(s.reassign(first, "ana", root))
			s.status(wf.RequestBlocked)
			second := s.rescue("s")
			if first == second || len(s.rescues("s")) != 1 {
				t.Fatalf("rescues: %v", s.rescues("s"))
			}
			s.refused(s.reassign(second, "ana", root), reason.WrongState) // they hold one
			s.must(s.approve(first, "ana"))
			s.refused(s.reassign(second, "ana", root), reason.WrongState) // and have acted
			s.must(s.reassign(second, "zoe", root))
			s.must(s.approve(second, "zoe"))
			s.must(s.take("s", "bo", wf.ActionApprove))
			s.status(wf.RequestApproved)
		})
	}
}

func TestPoolRescuerFitsEveryRule(t *testing.T) {
	stage := pool("s", 1)
	stage.Approvers = []policy.Rule{names("ana"), atLeast(officers(), 1)}
	for _, id := range []string{"zoe", "ana"} {
		s := begin(t, stage)
		s.status(wf.RequestBlocked)
		s.must(s.reassign(s.rescue("s"), id, root))
		s.status(wf.RequestInReview)
		if got := s.task(s.of("s", id)); !got.Rescue || !slices.Equal(got.Rules, []int{0, 1}) {
			t.Errorf("task = %+v", got)
		}
		s.must(s.approve(s.of("s", id), id))
		s.status(wf.RequestApproved)
	}
}

func TestRescuerFitsEveryRuleAndNewAssigneeTheSeatRules(t *testing.T) {
	s := begin(t, ruled("s", names("ana"), required(officers())))
	rescue, given := s.rescue("s"), s.of("s", "ana")
	s.must(s.reassign(rescue, "zoe", root))
	s.must(s.reassign(given, "yan", root))
	if got := s.task(rescue).Rules; !slices.Equal(got, []int{0, 1}) {
		t.Errorf("zoe fits %v", got)
	}
	if got := s.task(given).Rules; !slices.Equal(got, []int{0}) {
		t.Errorf("yan fits %v", got)
	}
}

func TestOutsideAssigneeOfPoolTaskIsKeptBySweep(t *testing.T) {
	s := begin(t, but(pool("s", 1), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("ana", "bo")} }))
	task := s.nth("s", 1)
	s.must(s.reassign(task, "zoe", root))
	s.must(s.sweep())
	if got := s.run("s").Count; got.Voters != 2 {
		t.Errorf("count = %+v: the pool is no larger for it", got)
	}
	s.must(s.approve(task, "zoe"))
	s.status(wf.RequestApproved)
}

func TestATaskIsNotReassignedWithoutTheDirectory(t *testing.T) {
	s := begin(t, each("s", "ana"))
	s.directory, s.yields = true, down
	s.refused(s.reassign(s.of("s", "ana"), "dee", root), reason.ResolverFailed)
	s.holdersAre("s", "ana")
}

func TestAbstentionOfJoinedMemberDoesNotLowerTheQuorum(t *testing.T) {
	s := begin(t, but(percent(lenient(pool("s", 1)), 100), func(s *policy.Stage) {
		s.Approvers, s.Rejection.OnUnreachable = []policy.Rule{officers("ana", "bo")}, quorum.OnUnreachableBlock
	}))
	s.yields = now("bo", "cy")
	s.must(s.sweep()) // cy joins for ana
	s.must(s.take("s", "cy", wf.ActionAbstain))
	if got := s.run("s").Count; got.Need != 2 || got.Voters != 2 || len(s.rescues("s")) != 1 {
		t.Errorf("count = %+v, %d rescues", got, len(s.rescues("s")))
	}
}

func TestApproverLossCreatesRescuesUnderAnyPolicy(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": each("s", "ana", "bo"),
		"pool": pool("s", 2, "ana", "bo"),
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage)
			s.must(s.sweep("ana"))
			s.status(wf.RequestBlocked)
			s.because(wf.BecauseNoApprovers)
			if run := s.run("s"); run.RetryAt.IsZero() {
				t.Error("nothing has been decided, and it is not looked at again")
			}
			rescue := s.rescue("s")
			s.must(s.reassign(rescue, "zoe", root))
			s.must(s.approve(rescue, "zoe"))
			if name == "pool" {
				s.must(s.take("s", "bo", wf.ActionApprove))
			} else {
				s.must(s.approve(s.of("s", "bo"), "bo"))
			}
			s.status(wf.RequestApproved)
		})
	}
}

func TestRemovedRescuerIsReplacedByTheNext(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": ruled("s", officers("ana", "bo")),
		"pool": but(pool("s", 2), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("ana", "bo")} }),
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage)
			s.yields = now("bo")
			s.must(s.sweep("ana"))
			s.must(s.reassign(s.rescue("s"), "zoe", root))
			s.status(wf.RequestInReview)
			s.yields = now("bo", "cy") // a person of the rules does not replace a rescuer either
			s.must(s.sweep("zoe"))
			if name == "pool" {
				s.status(wf.RequestInReview)
				s.takersAre("s", "bo", "cy") // in a pool each new member can help
				return
			}
			s.status(wf.RequestBlocked)
			s.must(s.reassign(s.rescue("s"), "yan", root))
			s.must(s.approve(s.of("s", "yan"), "yan"))
			s.must(s.approve(s.of("s", "bo"), "bo"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestRescuesDoNotChangeTheQuorum(t *testing.T) {
	s := begin(t, but(percent(each("s", "a", "b", "c"), 67), func(s *policy.Stage) { s.Rejection = blocking(quorum.RejectionUnreachable) }))
	s.must(s.reject(s.of("s", "a"), "a"))
	s.status(wf.RequestBlocked)
	if got := s.run("s").Count; got.Need != 3 || got.Voters != 4 {
		t.Errorf("count = %+v", got)
	}
	rescues := s.rescues("s")
	s.must(s.reassign(rescues[0], "zoe", root))
	if got := s.run("s").Count; got.Need != 3 || len(rescues) != 1 {
		t.Errorf("count = %+v, %d rescues", got, len(rescues))
	}
}

func TestRescuerCannotReassignToTheRequester(t *testing.T) {
	s := tell(t, policyOf(but(each("s", "ana"), func(s *policy.Stage) {
		s.Quorum, s.Allow.Reassign = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}, policy.ReassignAny
	})))
	s.def.Settings.RequesterMayApprove = true
	s.must(s.start())
	rescue := s.rescue("s")
	s.must(s.reassign(rescue, "zoe", root))
	s.refused(s.reassign(rescue, "rita", person("zoe")), reason.WrongState)
	s.must(s.reassign(rescue, "yan", person("zoe")))
}

func TestARescueWaitsForAnAdminAlone(t *testing.T) {
	s := begin(t, pool("s", 2, "ana"))
	rescue := s.rescue("s")
	s.refused(s.claim(rescue, person("ana")), reason.WrongState)
	s.refused(s.approve(rescue, "ana"), reason.WrongState)
	err := s.claim(rescue, person("eve"))
	s.refused(err, reason.Forbidden)
	if err.Error() != "forbidden: task "+rescue+" must be reassigned by an admin first" {
		t.Errorf("refusal = %v", err)
	}
	s.refused(s.reassign(rescue, "zoe", person("ana")), reason.Forbidden)
	s.refused(s.decide(rescue, root, wf.DecisionInput{Action: wf.ActionApprove}), reason.WrongState)
}

func TestAPersonPutOnASeatByHandStaysThere(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": ruled("s", officers("ana", "bo")),
		"pool": but(pool("s", 2), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("ana", "bo")} }),
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage)
			task := s.nth("s", 1)
			if stage.Assignment == policy.AssignmentPool {
				s.must(s.claim(task, person("ana")))
			}
			s.must(s.reassign(task, "zoe", root))
			s.yields = now("ana", "bo")
			s.must(s.sweep())
			if got := s.task(task); got.Assignee == nil || got.Assignee.ID != "zoe" {
				t.Fatalf("task = %+v", got)
			}
			s.must(s.approve(task, "zoe"))
			if n := slices.Index(s.types(0), audit.EventTaskOrphaned); n >= 0 {
				t.Error("a task was orphaned")
			}
		})
	}
}

func TestDepartedApproverReassignedByAdminStays(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": ruled("s", officers("ana", "bo")),
		"pool": but(pool("s", 2), func(s *policy.Stage) { s.Approvers = []policy.Rule{officers("ana", "bo")} }),
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage)
			s.yields = now("bo")
			s.must(s.sweep())
			rescue := s.rescue("s")
			s.must(s.reassign(rescue, "ana", root))
			if s.run("s").People[0].Ineligible {
				t.Error("ana is lost still")
			}
			s.must(s.sweep())
			s.must(s.approve(rescue, "ana"))
			s.status(wf.RequestInReview)
		})
	}
}

// The rescue of a required rule without people reported required: false, although one
// rejection of it ends the request under rejection.count: 2.
func TestTheRescueOfAnEmptyRequiredRuleIsRequired(t *testing.T) {
	empty := required(names())
	any := func(s *policy.Stage) {
		s.Quorum = quorum.Quorum{Mode: quorum.QuorumAny}
		s.Rejection = quorum.Rejection{Mode: quorum.RejectionCount, Value: 2}
	}
	least := func(n int, r policy.Rule) policy.Rule { r.MinApprovals = n; return r }
	for name, c := range map[string]struct {
		stage                policy.Stage
		required, more, need int
	}{
		"beside others":             {ruled("s", empty, names("ana", "bo")), 1, 0, 1},
		"beside a minimum":          {ruled("s", empty, least(1, names("ana", "bo"))), 1, 0, 2},
		"two of them":               {ruled("s", empty, names("ana"), empty), 2, 0, 2},
		"excluded people":           {ruled("s", required(names("rita")), names("ana")), 1, 0, 1},
		"beside a required person":  {ruled("s", empty, required(names("boss"))), 1, 0, 1},
		"and others are missing":    {ruled("s", empty, least(2, names("ana"))), 1, 1, 3},
		"an empty rule of no force": {ruled("s", names()), 0, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, but(c.stage, any))
			s.status(wf.RequestBlocked)
			got := map[bool]int{}
			for _, id := range s.rescues("s") {
				got[s.task(id).Required]++
			}
			if got[true] != c.required || got[false] != c.more || s.run("s").Count.Need != c.need {
				t.Fatalf("required %v, need %d", got, s.run("s").Count.Need)
			}
		})
	}
	s := begin(t, but(ruled("s", empty, names("ana", "bo")), any))
	rescue := s.rescue("s")
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.status(wf.RequestBlocked)
	s.must(s.reassign(rescue, "zoe", root))
	if t1 := s.task(rescue); !t1.Required {
		t.Errorf("with zoe on it, the rescue is %+v", t1)
	}
	s.must(s.reject(rescue, "zoe"))
	s.status(wf.RequestRejected)
}

func TestARejectedRescueOfAnEmptyRequiredRuleIsReplacedByARequiredOne(t *testing.T) {
	s := begin(t, but(ruled("s", required(names()), names("ana", "bo")), func(s *policy.Stage) {
		s.Quorum, s.Rejection = quorum.Quorum{Mode: quorum.QuorumAny}, blocking(quorum.RejectionCount)
		s.Rejection.Value = 2
	}))
	first := s.rescue("s")
	s.must(s.reassign(first, "zoe", root))
	s.must(s.reject(first, "zoe"))
	s.status(wf.RequestBlocked)
	second := s.task(s.rescue("s"))
	if len(s.rescues("s")) != 1 || !second.Required || second.Replaces != s.task(first).Seat {
		t.Fatalf("the second rescue is %+v", second)
	}
	s.must(s.reassign(second.ID, "yan", root))
	s.must(s.approve(second.ID, "yan"))
	s.status(wf.RequestApproved)
}
