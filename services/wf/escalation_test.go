package wf_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// escalated is a story whose stage s is due.
func escalated(t *testing.T, stage policy.Stage, prepare ...func(*story)) *story {
	t.Helper()
	s := begin(t, stage)
	for _, change := range prepare {
		change(s)
	}
	s.at = after(time.Hour)
	s.must(s.deadlines())
	return s
}

var toCarl = escalates(names("c"))

// addedBy returns the people added by the last stage.escalated event; nil without one, with the reason of an empty one.
func (s *story) added() (people []string, empty string) {
	for _, e := range s.events {
		if e.Type == audit.EventStageEscalated {
			for _, u := range e.Stage.Added {
				people = append(people, u.ID)
			}
		}
		if e.Type == audit.EventStageEscalationEmpty {
			empty = e.Stage.Error
		}
	}
	return people, empty
}

// TestEscalationAddsPeopleAndRaisesNothing has the requirements before and after it.
func TestEscalationAddsPeopleAndRaisesNothing(t *testing.T) {
	s := escalated(t, due(each("s", "a", "b"), toCarl))
	s.holdersAre("s", "a", "b", "c")
	if people, _ := s.added(); !slices.Equal(people, []string{"c"}) || s.run("s").Count.Need != 2 {
		t.Errorf("added %v, need %d", people, s.run("s").Count.Need)
	}
	n := len(s.events)
	s.at = after(2 * time.Hour)
	s.must(s.deadlines())
	s.must(s.moveDue("s", after(3*time.Hour), "more time", root))
	s.at = after(3 * time.Hour)
	s.must(s.deadlines())
	if got := s.types(n); !slices.Equal(got, []audit.EventType{audit.EventStageDueMoved, audit.EventStageDue}) {
		t.Errorf("later: %v", got)
	}
	s.must(s.approve(s.of("s", "c"), "c"))
	s.status(wf.RequestInReview)
	s.must(s.approve(s.of("s", "a"), "a"))
	s.status(wf.RequestApproved)
	for _, task := range s.tasks("s") {
		if task.Assignee.ID == "b" && task.Status != wf.TaskSkipped {
			t.Errorf("the task of b is %s", task.Status)
		}
	}
}

func TestAddedApproversSatisfyRules(t *testing.T) {
	ruled := func(rules ...policy.Rule) policy.Stage {
		return policy.Stage{Key: "s", Name: "s", Approvers: rules, Quorum: quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}}
	}
	for name, tt := range map[string]struct {
		stage policy.Stage
		votes []string
		want  wf.RequestStatus
	}{
		"no required seat": {ruled(required(names("a")), names("b")), []string{"b", "c"}, wf.RequestInReview},
		"any minimum":      {ruled(atLeast(names("a"), 1), atLeast(names("b"), 1)), []string{"c", "a"}, wf.RequestApproved},
		"one minimum":      {ruled(atLeast(names("a", "d"), 2), names("b")), []string{"c", "b"}, wf.RequestInReview},
		"a count":          {ruled(names("a", "b")), []string{"c", "a"}, wf.RequestApproved},
	} {
		t.Run(name, func(t *testing.T) {
			s := escalated(t, due(tt.stage, toCarl))
			for _, id := range tt.votes {
				s.must(s.approve(s.of("s", id), id))
			}
			s.status(tt.want)
		})
	}
}

// TestAnAddedPersonHasEveryVeto, also that of a required rule, whose seat they do not fill.
func TestAnAddedPersonHasEveryVeto(t *testing.T) {
	veto := func(r policy.Rule) policy.Rule { r.Veto = true; return r }
	for name, tt := range map[string]struct {
		rules []policy.Rule
		want  wf.RequestStatus
	}{
		"of a required rule": {[]policy.Rule{veto(required(names("a"))), names("b")}, wf.RequestRejected},
		"of any rule":        {[]policy.Rule{names("a"), veto(names("b"))}, wf.RequestRejected},
		"of no rule":         {[]policy.Rule{required(names("a")), names("b")}, wf.RequestInReview},
	} {
		t.Run(name, func(t *testing.T) {
			stage := policy.Stage{Key: "s", Name: "s", Approvers: tt.rules, Quorum: quorum.Quorum{Mode: quorum.QuorumAny}}
			stage.Rejection = quorum.Rejection{Mode: quorum.RejectionCount, Value: 3}
			s := escalated(t, due(stage, toCarl))
			s.must(s.reject(s.of("s", "c"), "c"))
			if s.status(tt.want); tt.want == wf.RequestRejected {
				s.because(wf.BecauseVeto)
			}
		})
	}
}

// TestEscalationWithoutNewApprovers is recorded once, with its reason, and not repeated. An error of a rule and a limit are
// also the last error of the run, which a moved date keeps.
func TestEscalationWithoutNewApprovers(t *testing.T) {
	boss := policy.Rule{Type: policy.RuleRole, Role: "boss"}
	const known = "everyone whom escalate_to yields is excluded, unknown to the directory, or already part of the stage"
	for name, tt := range map[string]struct {
		stage   policy.Stage
		prepare func(*story)
		want    string
		wrong   bool // the reason is an error of the run
	}{
		"a seat":        {due(each("s", "a", "c"), toCarl), func(*story) {}, known, false},
		"the requester": {due(each("s", "a"), escalates(names("rita"))), func(*story) {}, known, false},
		"an excluded person": {due(but(each("s", "a"), func(s *policy.Stage) { s.Exclude = []policy.Rule{names("c")} }), toCarl),
			func(*story) {}, known, false},
		"nobody": {due(each("s", "a"), escalates(boss)), func(s *story) { s.yields = answering(policy.RuleRole, now()) },
			"escalate_to yields nobody", false},
		"an unknown rule": {due(each("s", "a"), escalates(boss, names("c"))), func(s *story) { s.yields = answering(policy.RuleRole, unknown) },
			"escalate_to rule 0: role officer: there is none", true},
		"a stranger": {due(each("s", "a"), escalates(names("nemo"))), func(s *story) {
			s.directory, s.yields = true, allButNemo
		}, known, false},
		"a delegate that has claimed": {due(each("s", "a"), toCarl), func(s *story) {
			s.delegate(delegation("a", "c"))
			s.must(s.claim(s.of("s", "a"), person("c")))
		}, known, false},
		"a former member": {due(pool("s", 1, "a", "c"), toCarl), func(s *story) { s.must(s.sweep("c")) }, known, false},
		"more than a stage takes": {due(policy.Stage{Key: "s", Name: "s", Approvers: []policy.Rule{crowd(100)}}, toCarl), func(*story) {},
			"escalate_to: the stage would have 101 approvers, over the limit of 100", true},
		"more than a pool takes": {due(policy.Stage{
			Key: "s", Name: "s", Assignment: policy.AssignmentPool, Approvers: []policy.Rule{crowd(1000)}, Quorum: quorum.Quorum{Mode: quorum.QuorumAny},
		}, toCarl), func(*story) {}, "escalate_to: the stage would have 1001 approvers, over the limit of 1000", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := escalated(t, tt.stage, tt.prepare)
			people, empty := s.added()
			if people != nil || empty != tt.want || s.run("s").EscalatedAt.IsZero() {
				t.Errorf("added %v, reason %q", people, empty)
			}
			n := len(s.events)
			s.at = after(24 * time.Hour)
			s.must(s.deadlines())
			if len(s.events) != n {
				t.Errorf("again: %v", s.types(n))
			}
			s.must(s.moveDue("s", after(48*time.Hour), "more time", root))
			want := ""
			if tt.wrong {
				want = tt.want
			}
			if got := s.run("s").LastError; got != want {
				t.Errorf("last error %q, want %q", got, want)
			}
		})
	}
}

// TestEscalationUpToTheLimit: seats that are closed do not count.
func TestEscalationUpToTheLimit(t *testing.T) {
	role := policy.Rule{Type: policy.RuleRole, Role: "officer"}
	stage := policy.Stage{Key: "s", Name: "s", Approvers: []policy.Rule{role}, Quorum: quorum.Quorum{Mode: quorum.QuorumCount, Value: 99}}
	s := tell(t, policyOf(due(stage, toCarl)))
	s.yields = answering(policy.RuleRole, now(crowd(98).IDs...))
	s.must(s.start())
	s.stageIs("s", wf.StageBlocked)
	s.yields = answering(policy.RuleRole, now(crowd(99).IDs...))
	s.must(s.reevaluate(root)) // closes the rescue
	if n := len(s.tasks("s")); n != 100 {
		t.Fatalf("%d tasks of 99 approvers and a rescue", n)
	}
	s.at = after(time.Hour)
	s.must(s.deadlines())
	if people, empty := s.added(); !slices.Equal(people, []string{"c"}) {
		t.Errorf("added %v, %s", people, empty)
	}
}

// TestEscalationKeepsOtherErrors of a blocked stage.
func TestEscalationKeepsOtherErrors(t *testing.T) {
	role := policy.Rule{Type: policy.RuleRole, Role: "officer"}
	stage := policy.Stage{Key: "s", Name: "s", Approvers: []policy.Rule{names("a"), role}}
	s := tell(t, policyOf(each("first", "x"), due(stage, toCarl)))
	s.yields = answering(policy.RuleRole, unknown)
	s.def.Stages[0].Approvers[0] = names("x")
	s.must(s.start())
	s.must(s.approve(s.of("first", "x"), "x"))
	s.stageIs("s", wf.StageBlocked)
	want := s.run("s").LastError
	s.at = after(time.Hour)
	s.must(s.deadlines())
	if people, _ := s.added(); !slices.Equal(people, []string{"c"}) || want == "" || s.run("s").LastError != want {
		t.Errorf("added %v, last error %q, want %q", people, s.run("s").LastError, want)
	}
}

// TestEscalationWithoutAnswerIsRetried: the date is recorded at once.
func TestEscalationWithoutAnswerIsRetried(t *testing.T) {
	boss := policy.Rule{Type: policy.RuleRole, Role: "boss"}
	s := escalated(t, due(each("s", "a"), escalates(boss)), func(s *story) { s.yields = answering(policy.RuleRole, silent) })
	if last := s.events[len(s.events)-1]; last.Type != audit.EventStageDue || s.run("s").LastError == "" {
		t.Fatalf("last event %s, error %q", last.Type, s.run("s").LastError)
	}
	if timer := s.run("s").TimerAt; !timer.Equal(s.at.Add(5 * time.Second)) {
		t.Errorf("retried at %s", timer)
	}
	n := len(s.events)
	s.at = after(2 * time.Hour)
	s.must(s.deadlines())
	if timer := s.run("s").TimerAt; len(s.events) != n || !timer.Equal(s.at.Add(5*time.Minute)) {
		t.Errorf("retried at %s, events %v", timer, s.types(n))
	}
	s.must(s.moveDue("s", after(4*time.Hour), "more time", root)) // the retry is at the new date
	s.yields = answering(policy.RuleRole, now("c"))
	s.at = after(3 * time.Hour)
	s.must(s.deadlines())
	s.holdersAre("s", "a")
	if s.run("s").LastError != "" {
		t.Errorf("error %q", s.run("s").LastError)
	}
	s.at = after(4 * time.Hour)
	s.must(s.deadlines())
	s.holdersAre("s", "a", "c")
}

// TestEscalationWaitsForTheExcludeRules: without their answer nobody is added, and nothing is given up.
func TestEscalationWaitsForTheExcludeRules(t *testing.T) {
	s := tell(t, policyOf(due(excluding(each("s", "a"), roleOf("author")), toCarl)))
	s.def.Settings.MembershipRecheck = policy.RecheckStrict
	s.yields = byRole(nil)
	s.must(s.start())
	s.yields = failing("author", reason.ResolverFailed, nil)
	s.at = after(time.Hour)
	s.must(s.deadlines())
	people, empty := s.added()
	if people != nil || empty != "" || !strings.HasPrefix(s.run("s").LastError, "escalate_to: ") {
		t.Errorf("added %v, %q; last error %q", people, empty, s.run("s").LastError)
	}
	s.yields = byRole(nil)
	s.at = after(2 * time.Hour)
	s.must(s.deadlines())
	s.holdersAre("s", "a", "c")
}

// TestEscalationRaisesNoShareOfAPool: the share is that of the people of the start.
func TestEscalationRaisesNoShareOfAPool(t *testing.T) {
	stage := pool("s", 50, "a", "b")
	stage.Quorum.Mode = quorum.QuorumPercentage
	s := escalated(t, due(stage, escalates(names("c", "d"))))
	if need := s.run("s").Count.Need; need != 1 {
		t.Errorf("need %d of two people, half of which have to approve", need)
	}
}

// TestTheManagersOfAllPendingAssignees: of the delegator, not of the delegate, and not of those who have decided.
func TestTheManagersOfAllPendingAssignees(t *testing.T) {
	managers := escalates(policy.Rule{Type: policy.RuleManager, Of: policy.OfAssignee})
	s := begin(t, due(each("s", "a", "b", "d"), managers))
	bosses := map[string]string{"a": "boss-a", "b": "boss-b", "d": "boss-d", "x": "boss-x"}
	s.managers = bosses
	s.delegate(delegation("b", "x"))
	s.must(s.approve(s.of("s", "d"), "d"))
	s.at = after(time.Hour)
	s.must(s.deadlines())
	if people, _ := s.added(); !slices.Equal(people, []string{"boss-a", "boss-b"}) {
		t.Fatalf("added %v", people)
	}
	s.def.Settings.MembershipRecheck = policy.RecheckStrict
	s.must(s.approve(s.of("s", "a"), "a")) // the manager of a stays one after the decision of a
	bosses["b"] = "other"
	s.refused(s.approve(s.of("s", "boss-b"), "boss-b"), reason.Forbidden)
	s.must(s.approve(s.of("s", "boss-a"), "boss-a"))
	s.status(wf.RequestApproved)
}

// TestLostEscalationApproverIsNotReplaced: the stage is complete without them.
func TestLostEscalationApproverIsNotReplaced(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": due(each("s", "a", "b"), toCarl), "pool": due(pool("s", 1, "a"), toCarl)} {
		t.Run(name, func(t *testing.T) {
			s := escalated(t, stage)
			s.must(s.sweep("c"))
			s.stageIs("s", wf.StageActive)
			for _, task := range s.tasks("s") {
				if task.Kind == wf.RescueTask || task.Assignee != nil && task.Assignee.ID == "c" && task.CloseReason != wf.ClosedApproverLost {
					t.Errorf("task %+v", task)
				}
			}
		})
	}
}

// TestAnAddedPersonAbstains lowers nothing.
func TestAnAddedPersonAbstains(t *testing.T) {
	s := escalated(t, due(but(each("s", "a", "b"), func(s *policy.Stage) { s.Allow.Abstain = true }), toCarl))
	s.must(s.act(s.of("s", "c"), "c", wf.ActionAbstain))
	if need := s.run("s").Count.Need; need != 2 {
		t.Errorf("need %d", need)
	}
}

func TestEscalationOfAPool(t *testing.T) {
	s := begin(t, due(pool("s", 1, "a"), toCarl))
	s.refused(s.claim(s.nth("s", 1), person("c")), reason.Forbidden)
	s.at = after(time.Hour)
	s.must(s.deadlines())
	s.must(s.claim(s.nth("s", 1), person("c")))
	s.must(s.approve(s.nth("s", 1), "c"))
	s.status(wf.RequestApproved)
}

// TestEscalationOfABlockedStage: in a pool the added person takes the place of an unassigned rescue; with each the
// rescue stays.
func TestEscalationOfABlockedStage(t *testing.T) {
	s := escalated(t, due(pool("s", 2, "a", "b"), toCarl), func(s *story) { s.must(s.sweep("b")) })
	s.stageIs("s", wf.StageActive)
	for _, id := range []string{"a", "c"} {
		for _, task := range s.tasks("s") {
			if task.Status == wf.TaskOpen && task.Assignee == nil {
				s.must(s.approve(task.ID, id))
				break
			}
		}
	}
	s.status(wf.RequestApproved)

	s = escalated(t, due(pool("s", 3, "a", "b", "d"), toCarl), func(s *story) {
		s.directory, s.yields = true, func(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
			gone := func(id string) bool { return id == "b" || id == "d" }
			return users(slices.DeleteFunc(slices.Clone(rule.IDs), gone)...), nil
		}
		s.must(s.sweep("b", "d"))
	})
	s.stageIs("s", wf.StageBlocked)
	rescues, all := 0, 0
	for _, task := range s.tasks("s") {
		if task.Kind == wf.RescueTask {
			all++
			if live(task) {
				rescues++
			}
		}
	}
	if rescues != 1 || all != 2 {
		t.Errorf("%d rescues are left of two, of %d in all", rescues, all)
	}

	s = escalated(t, due(each("s", "a", "b"), toCarl), func(s *story) { s.must(s.sweep("b")) })
	s.stageIs("s", wf.StageBlocked)
	s.must(s.approve(s.of("s", "c"), "c"))
	s.status(wf.RequestBlocked)
	s.must(s.approve(s.of("s", "a"), "a"))
	s.status(wf.RequestApproved)
}

// TestEscalationLeavesTheRescuesOfOtherStages as they are.
func TestEscalationLeavesTheRescuesOfOtherStages(t *testing.T) {
	parallel := func(s *policy.Stage) { s.ParallelGroup = "g" }
	s := begin(t, but(due(pool("s", 2, "a", "b"), toCarl), parallel), but(pool("other", 2, "a", "b"), parallel))
	s.must(s.sweep("b"))
	rescue := s.rescue("other")
	s.at = after(time.Hour)
	s.must(s.deadlines())
	s.stageIs("s", wf.StageActive)
	if s.rescue("other") != rescue {
		t.Errorf("the rescue of the other stage is replaced")
	}
}

// TestEscalationOffersTheTasksOfEveryPool that is due, not only of the last stage.
func TestEscalationOffersTheTasksOfEveryPool(t *testing.T) {
	parallel := func(s *policy.Stage) { s.ParallelGroup = "g" }
	s := begin(t, but(due(pool("s", 2, "a", "b"), toCarl), parallel), but(due(each("z", "d")), parallel))
	s.must(s.sweep("b"))
	s.at = after(time.Hour)
	s.must(s.deadlines())
	s.stageIs("s", wf.StageActive)
	open := 0
	for _, task := range s.tasks("s") {
		if live(task) && task.Kind == wf.ApproverTask && task.Assignee == nil {
			open++
		}
	}
	if open != 2 {
		t.Errorf("%d tasks are open", open)
	}
}

// TestRestaffingKeepsAddedPeople: a stage blocked from the start still has them.
func TestRestaffingKeepsAddedPeople(t *testing.T) {
	role := policy.Rule{Type: policy.RuleRole, Role: "officer"}
	s := tell(t, policyOf(due(policy.Stage{Key: "s", Name: "s", Approvers: []policy.Rule{role},
		Quorum: quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}}, toCarl)))
	s.yields = answering(policy.RuleRole, now("a"))
	s.must(s.start())
	s.stageIs("s", wf.StageBlocked)
	if run := s.run("s"); !run.DueAt.Equal(after(time.Hour)) {
		t.Errorf("a blocked stage is due at %s", run.DueAt)
	}
	s.at = after(time.Hour)
	s.must(s.deadlines())
	s.holdersAre("s", "a", "c")
	s.yields = answering(policy.RuleRole, now("a", "b"))
	s.at = after(5 * time.Hour)
	s.must(s.resolve())
	s.stageIs("s", wf.StageActive)
	s.holdersAre("s", "a", "c", "b")
	s.must(s.approve(s.of("s", "c"), "c"))
	s.must(s.approve(s.of("s", "b"), "b"))
	s.status(wf.RequestApproved)
}
