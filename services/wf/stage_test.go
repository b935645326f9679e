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

// TestStageWithoutEligibleApprover runs every choice of on_empty as the first stage and
// as one after a decision. Nothing is ever approved by accident.
func TestStageWithoutEligibleApprover(t *testing.T) {
	empties := map[string]struct {
		stage   policy.Stage
		missing int  // places that a rescue has to be found for
		nobody  bool // no rule has people
	}{
		"nobody":              {each("s"), 1, true},
		"nobody of three":     {but(each("s"), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 3} }), 3, true},
		"the requester alone": {each("s", "rita", "sam"), 1, false},
		"too few": {but(each("s", "ana", "bo"),
			func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 3} }), 1, false},
		"too few for a rule": {but(each("s", "ana", "bo"),
			func(s *policy.Stage) { s.Approvers[0].MinApprovals = 3; s.Quorum.Mode = quorum.QuorumAny }), 1, false},
		"too few, and all must vote": {but(each("s", "ana", "bo"),
			func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 3, WaitForAll: true} }), 1, false},
		"an empty pool":             {pool("s", 1), 1, true},
		"an empty pool for two":     {pool("s", 2), 2, true},
		"a pool that is too small":  {pool("s", 3, "ana", "bo"), 1, false},
		"a pool that waits for all": {but(pool("s", 3, "ana", "bo"), func(s *policy.Stage) { s.Quorum.WaitForAll = true }), 1, false},
		"a pool short of one rule": {but(pool("s", 2, "ana", "bo"), func(s *policy.Stage) {
			s.Approvers = append(s.Approvers, policy.Rule{Type: policy.RuleUser, MinApprovals: 1})
		}), 1, false},
		"a person for two rules": {but(pool("s", 2), func(s *policy.Stage) {
			s.Approvers = []policy.Rule{{Type: policy.RuleUser, IDs: []string{"ana"}, MinApprovals: 1},
				{Type: policy.RuleUser, IDs: []string{"ana"}, MinApprovals: 1}}
		}), 1, false},
	}
	for name, empty := range empties {
		for _, later := range []bool{false, true} {
			for _, onEmpty := range []policy.OnEmpty{"", policy.OnEmptyBlock, policy.OnEmptySkip, policy.OnEmptyReject, policy.OnEmptyFallback} {
				where := map[bool]string{false: "first", true: "later"}[later]
				t.Run(name+"/"+where+"/"+string(onEmpty), func(t *testing.T) {
					stage := empty.stage
					stage.OnEmpty = onEmpty
					s := tell(t, policyOf(each("before", "xi"), stage, each("after", "yu")))
					s.def.Settings.FallbackApprovers = []policy.Rule{names("fay", "fox", "fin")}
					if !later {
						s.def.Stages = s.def.Stages[1:]
					}
					s.must(s.start())
					if later {
						s.must(s.approve(s.of("before", "xi"), "xi"))
					}
					switch {
					case onEmpty == policy.OnEmptySkip && empty.nobody:
						s.status(wf.RequestInReview)
						s.stageIs("s", wf.StageSkipped)
						s.stageIs("after", wf.StageActive)
						if skip := s.run("s").Skip; skip == nil || skip.Reason != "empty" {
							t.Errorf("skip = %+v", skip)
						}
					case onEmpty == policy.OnEmptyReject:
						s.status(wf.RequestRejected)
						s.because(wf.BecauseStageEmpty)
						s.stageIs("s", wf.StageRejected)
						s.stageIs("after", wf.StageCancelled)
					case onEmpty == policy.OnEmptyFallback:
						s.status(wf.RequestInReview)
						s.stageIs("s", wf.StageActive)
						if run := s.run("s"); !run.Fallback || run.People[len(run.People)-1].ID != "fin" {
							t.Errorf("run = %+v", run)
						}
					default:
						s.status(wf.RequestBlocked)
						s.because(wf.BecauseNoApprovers)
						s.stageIs("s", wf.StageBlocked)
						if got := len(s.rescues("s")); got != empty.missing {
							t.Errorf("%d rescue tasks for %d missing places", got, empty.missing)
						}
						if last := s.events[len(s.events)-1]; last.Type != audit.EventRequestBlocked {
							t.Errorf("last event = %s", last.Type)
						}
					}
				})
			}
		}
	}
}

// rescues returns the ids of the unassigned live rescue tasks of a stage.
func (s *story) rescues(key string) []string {
	s.t.Helper()
	var ids []string
	for _, t := range s.tasks(key) {
		if t.Kind == wf.RescueTask && live(t) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

func TestAFallbackThatIsEmptyTooBlocks(t *testing.T) {
	for name, fallback := range map[string]policy.Rule{"nobody": names(), "the requester": names("rita"), "too few": names("fay")} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(but(each("s"), func(s *policy.Stage) {
				s.OnEmpty, s.Quorum = policy.OnEmptyFallback, quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}
			})))
			s.def.Settings.FallbackApprovers = []policy.Rule{fallback}
			s.must(s.start())
			s.status(wf.RequestBlocked)
			s.rescue("s")
		})
	}
}

func TestRequiredRuleWithFallbackNeedsOneFallbackApprover(t *testing.T) {
	stage := each("s", "rita")
	stage.Approvers[0].Required, stage.Approvers[0].MinApprovals, stage.OnEmpty = true, 1, policy.OnEmptyFallback
	stage.Quorum.Mode = quorum.QuorumAny
	s := tell(t, policyOf(stage))
	s.def.Settings.FallbackApprovers = []policy.Rule{names("fay", "fox")}
	s.must(s.start())
	s.must(s.approve(s.of("s", "fox"), "fox"))
	s.status(wf.RequestApproved)
}

func TestRescueTasksFindPeopleUntilThereAreEnough(t *testing.T) {
	s := begin(t, but(each("s", "ana"), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 3} }), each("after", "yu"))
	s.status(wf.RequestBlocked)
	rescues := s.rescues("s")
	if len(rescues) != 2 {
		t.Fatalf("%d rescue tasks, want one for each missing place", len(rescues))
	}
	if n := s.count(audit.EventTaskCreated); n != 3 {
		t.Errorf("%d tasks have notices, want ana's and the two", n)
	}
	first, second := rescues[0], rescues[1]
	s.refused(s.reassign(first, "rita", root), reason.WrongState)
	s.refused(s.reassign(first, "ana", root), reason.WrongState)
	s.must(s.reassign(first, "dee", root))
	s.status(wf.RequestBlocked)
	if got := s.task(first); got.Kind != wf.ApproverTask || !got.Added || !got.Rescue {
		t.Fatalf("the rescue task became %+v", got)
	}
	s.must(s.approve(first, "dee"))
	s.must(s.reassign(second, "eve", root))
	s.status(wf.RequestInReview)
	if s.now.StatusReason != nil {
		t.Errorf("status reason = %+v", s.now.StatusReason)
	}
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.must(s.approve(second, "eve"))
	s.stageIs("s", wf.StageApproved)
	s.stageIs("after", wf.StageActive)
}

func TestABlockedStageCanStillBeDecided(t *testing.T) {
	s := begin(t, but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 3} }))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.status(wf.RequestBlocked)
	rescue := s.rescue("s")
	s.must(s.reject(s.of("s", "bo"), "bo"))
	s.status(wf.RequestRejected)
	if got := s.task(rescue); got.Status != wf.TaskSkipped {
		t.Errorf("rescue task = %+v", got)
	}
}

func TestAStageThatWaitsForAllStaysBlockedUntilThereAreEnough(t *testing.T) {
	s := begin(t, but(each("s", "ana"), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 3, WaitForAll: true} }))
	s.status(wf.RequestBlocked)
	s.must(s.reassign(s.rescue("s"), "bo", root))
	s.status(wf.RequestBlocked)
	s.must(s.reassign(s.rescue("s"), "cy", root))
	s.status(wf.RequestInReview)
	for _, id := range []string{"ana", "bo", "cy"} {
		s.status(wf.RequestInReview)
		s.must(s.approve(s.of("s", id), id))
	}
	s.status(wf.RequestApproved)
}

func TestAQuorumOutOfReachRejectsOrBlocks(t *testing.T) {
	stage := each("s", "ana", "bo")
	stage.Rejection = quorum.Rejection{Mode: quorum.RejectionUnreachable}
	s := begin(t, stage)
	s.must(s.reject(s.of("s", "ana"), "ana"))
	s.status(wf.RequestRejected)
	s.because(wf.BecauseQuorumUnreachable)

	stage.Rejection.OnUnreachable = quorum.OnUnreachableBlock
	s = begin(t, stage)
	s.must(s.reject(s.of("s", "ana"), "ana"))
	s.status(wf.RequestBlocked)
	s.because(wf.BecauseQuorumUnreachable)
	s.must(s.reassign(s.rescue("s"), "dee", root))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("s", "dee"), "dee"))
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.status(wf.RequestApproved)
}

func TestRejectionsEndAStagePerRejectionMode(t *testing.T) {
	stage := each("s", "ana", "bo", "cy")
	stage.Quorum, stage.Rejection = quorum.Quorum{Mode: quorum.QuorumAny}, quorum.Rejection{Mode: quorum.RejectionCount, Value: 2}
	s := begin(t, stage)
	s.must(s.reject(s.of("s", "ana"), "ana"))
	s.status(wf.RequestInReview)
	s.must(s.reject(s.of("s", "bo"), "bo"))
	s.status(wf.RequestRejected)
	s.because(wf.BecauseRejectThreshold)
	if got := s.task(s.of("s", "cy")); got.Status != wf.TaskSkipped || got.CloseReason != wf.ClosedStageRejected {
		t.Errorf("task = %+v", got)
	}
}

func TestRequiredApprovers(t *testing.T) {
	stage := each("s", "ana", "bo")
	stage.Approvers = append(stage.Approvers, policy.Rule{Type: policy.RuleUser, IDs: []string{"cy"}, Required: true})
	stage.Quorum.Mode = quorum.QuorumAny
	s := begin(t, stage)
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("s", "cy"), "cy"))
	s.status(wf.RequestApproved)

	stage.Allow.Abstain = true
	s = begin(t, stage)
	s.must(s.act(s.of("s", "cy"), "cy", wf.ActionAbstain))
	s.status(wf.RequestRejected)
	s.because(wf.BecauseQuorumUnreachable)
}

func TestAPersonOfTwoRulesSitsOnce(t *testing.T) {
	stage := each("s", "ana", "bo")
	stage.Approvers = append(stage.Approvers, names("bo", "cy"))
	s := begin(t, stage)
	s.holdersAre("s", "ana", "bo", "cy")
	if got := s.task(s.of("s", "bo")).Rules; !slices.Equal(got, []int{0, 1}) {
		t.Errorf("bo comes from rules %v", got)
	}
}

func TestOnePersonFillsOneRuleMinimum(t *testing.T) {
	stage := each("s", "ana", "bo")
	stage.Approvers = []policy.Rule{{Type: policy.RuleUser, IDs: []string{"ana", "bo"}, MinApprovals: 1},
		{Type: policy.RuleUser, IDs: []string{"ana", "cy"}, MinApprovals: 1}}
	stage.Quorum.Mode = quorum.QuorumAny
	s := begin(t, stage)
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("s", "cy"), "cy"))
	s.status(wf.RequestApproved)
}

func TestAPoolHasAsManyTasksAsApprovalsAreNeeded(t *testing.T) {
	for name, tt := range map[string]struct {
		quorum quorum.Quorum
		people []string
		min    int // of the rule
		want   int
	}{
		"any":                       {quorum.Quorum{Mode: quorum.QuorumAny}, []string{"ana", "bo", "cy"}, 0, 1},
		"any, but at least two":     {quorum.Quorum{Mode: quorum.QuorumAny, MinApprovals: 2}, []string{"ana", "bo", "cy"}, 0, 2},
		"any, and three by rule":    {quorum.Quorum{Mode: quorum.QuorumAny}, []string{"ana", "bo", "cy"}, 3, 3},
		"count":                     {quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}, []string{"ana", "bo", "cy"}, 1, 2},
		"half of three, rounded up": {quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 50}, []string{"ana", "bo", "cy"}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			stage := pool("s", 1, tt.people...)
			stage.Quorum, stage.Approvers[0].MinApprovals = tt.quorum, tt.min
			s := begin(t, stage)
			if got := len(s.tasks("s")); got != tt.want {
				t.Fatalf("%d tasks, want %d", got, tt.want)
			}
			for i, id := range tt.people[:tt.want] {
				s.status(wf.RequestInReview)
				s.must(s.approve(s.nth("s", i+1), id))
			}
			s.status(wf.RequestApproved)
		})
	}
}

func TestAStageWhoseConditionIsFalseIsSkipped(t *testing.T) {
	s := tell(t, policyOf(each("one", "ana"), each("two", "bo")))
	s.def.Stages[0].When, s.values["context.amount > 10"] = "context.amount > 10", value(false)
	s.must(s.start())
	s.stageIs("one", wf.StageSkipped)
	s.stageIs("two", wf.StageActive)
	i := slices.Index(s.types(0), audit.EventStageSkipped)
	if i < 0 || s.events[i].Stage.Skip == nil || s.events[i].Stage.Skip.Detail != "context.amount > 10" {
		t.Errorf("events = %v", s.types(0))
	}
}

func TestALaterStageThatIsTooLargeIsBlocked(t *testing.T) {
	s := begin(t, each("one", "ana"), ruled("two", crowd(101)))
	s.must(s.approve(s.of("one", "ana"), "ana"))
	s.status(wf.RequestBlocked)
	if got := s.run("two"); got.LastError == "" || s.now.StatusReason.Message != got.LastError {
		t.Errorf("run = %+v, reason = %+v", got, s.now.StatusReason)
	}
	s.holdersAre("two")
	s.rescue("two")
}

func TestALaterStageWhoseRuleYieldsNonsenseIsBlocked(t *testing.T) {
	s := begin(t, each("one", "ana"), ruled("two", heads))
	s.values["head"] = fails("yields a number")
	s.must(s.approve(s.of("one", "ana"), "ana"))
	s.status(wf.RequestBlocked)
	if s.now.StatusReason.Message != "approver rule 0: yields a number" {
		t.Errorf("reason = %+v", s.now.StatusReason)
	}
}

func TestEveryBlockedStageOfAGroupHasARescueTask(t *testing.T) {
	s := begin(t, together(each("one")), together(each("two")))
	s.status(wf.RequestBlocked)
	s.must(s.reassign(s.rescue("one"), "ana", root))
	s.status(wf.RequestBlocked)
	s.must(s.reassign(s.rescue("two"), "bo", root))
	s.status(wf.RequestInReview)
}

func TestRequestingChangesClosesTheOtherTasks(t *testing.T) {
	s := begin(t, each("s", "ana", "bo"))
	s.must(s.sendBack(s.of("s", "ana"), "ana"))
	if got := s.task(s.of("s", "bo")); got.Status != wf.TaskCancelled || got.CloseReason != wf.ClosedChangesRequested {
		t.Errorf("task = %+v", got)
	}
	if last := s.events[len(s.events)-1]; last.Type != audit.EventRequestChangesRequested || last.Stage.Key != "s" {
		t.Errorf("last event = %+v", last)
	}
}

func TestTheStageAfterTheLastDecisionIsCounted(t *testing.T) {
	s := begin(t, but(each("s", "ana", "bo", "cy"), func(s *policy.Stage) {
		s.Quorum, s.Allow.Abstain, s.Rejection = quorum.Quorum{Mode: quorum.QuorumAll, WaitForAll: true}, true,
			quorum.Rejection{Mode: quorum.RejectionUnreachable}
	}))
	s.must(s.act(s.of("s", "ana"), "ana", wf.ActionAbstain))
	s.must(s.approve(s.of("s", "bo"), "bo"))
	want := quorum.Count{Need: 2, Voters: 3, Approvals: 1, Abstentions: 1, Open: 1}
	if got := s.run("s").Count; got != want {
		t.Errorf("count = %+v, want %+v", got, want)
	}
}

func TestFinishedStageRecordsEventsAndCount(t *testing.T) {
	for name, tt := range map[string]struct {
		stage policy.Stage
		act   wf.Action
		count quorum.Count
		types []audit.EventType
	}{
		"approved": {anyOf(each("s", "ana", "bo")), wf.ActionApprove, quorum.Count{Need: 1, Voters: 2, Approvals: 1},
			[]audit.EventType{audit.EventTaskDecided, audit.EventTaskClosed, audit.EventStageApproved,
				audit.EventRequestApproved}},
		"rejected": {anyOf(each("s", "ana", "bo")), wf.ActionReject, quorum.Count{Need: 1, Voters: 2, Rejections: 1},
			[]audit.EventType{audit.EventTaskDecided, audit.EventTaskClosed, audit.EventStageRejected,
				audit.EventRequestRejected}},
		"a pool, rejected": {pool("s", 2, "ana", "bo"), wf.ActionReject, quorum.Count{Need: 2, Voters: 2, Rejections: 1},
			[]audit.EventType{audit.EventTaskClaimed, audit.EventTaskDecided, audit.EventTaskClosed, audit.EventStageRejected,
				audit.EventRequestRejected}},
		"with two minimums": {anyOf(ruled("s", atLeast(names("ana", "bo"), 1), atLeast(names("ana", "bo"), 1))),
			wf.ActionReject, quorum.Count{Need: 2, Voters: 2, Rejections: 1},
			[]audit.EventType{audit.EventTaskDecided, audit.EventTaskClosed, audit.EventStageRejected,
				audit.EventRequestRejected}},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, tt.stage)
			n := len(s.events)
			s.must(s.act(s.nth("s", 1), "ana", tt.act))
			if got := s.types(n); !slices.Equal(got, tt.types) {
				t.Errorf("events = %v, want %v", got, tt.types)
			}
			if run := s.run("s"); run.Count != tt.count || run.Unmet != 0 || !run.CompletedAt.Equal(noon) {
				t.Errorf("run = %+v, want %+v", run, tt.count)
			}
		})
	}
}
