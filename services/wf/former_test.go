package wf_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// roles sets the members of the roles.
func (s *story) roles(members map[string][]string) { s.yields = byRole(members) }

// taskOf returns the live task of stage s that the person holds; in a pool, the person claims one if they hold none.
func (s *story) taskOf(id string) string {
	s.t.Helper()
	open := ""
	for _, task := range s.tasks("s") {
		if live(task) && task.HeldBy(id) {
			return task.ID
		}
		if live(task) && task.Assignee == nil && task.Kind == wf.ApproverTask {
			open = task.ID
		}
	}
	s.must(s.claim(open, person(id)))
	return open
}

// hasPlace reports whether the person holds a live task of stage s or may claim one.
func (s *story) hasPlace(id string) bool {
	held := func(t wf.Task) bool { return live(t) && t.HeldBy(id) }
	return slices.ContainsFunc(s.tasks("s"), held) ||
		slices.ContainsFunc(s.run("s").Claimants(s.now.Tasks), func(u identity.User) bool { return u.ID == id })
}

// TestAFormerHolderOfAPlaceGetsNoOther crosses the ways to lose or hand over a place in a run with those by which the
// service gives places. A newcomer whom the same rules yield gets one. A reassignment by an admin gives the former
// holder another place.
func TestAFormerHolderOfAPlaceGetsNoOther(t *testing.T) {
	ways := map[string]struct {
		start     []string // officers at the start; ana and bo by default
		lose      func(s *story)
		loser     string // ana by default
		escalated bool   // the only escalation of the run is over
	}{
		"reassigned by an admin":   {lose: func(s *story) { s.must(s.reassign(s.taskOf("ana"), "zoe", root)) }},
		"reassigned by the holder": {lose: func(s *story) { s.must(s.reassign(s.taskOf("ana"), "zoe", person("ana"))) }},
		"reassigned twice": {loser: "zoe", lose: func(s *story) {
			task := s.taskOf("ana")
			s.must(s.reassign(task, "zoe", root))
			s.must(s.reassign(task, "yan", root))
		}},
		"membership lost": {lose: func(s *story) {
			s.roles(map[string][]string{"officer": {"bo"}})
			s.refused(s.approve(s.nth("s", 1), "ana"), reason.Forbidden)
		}},
		"excluded for a time": {lose: func(s *story) {
			s.roles(map[string][]string{"officer": {"ana", "bo"}, "author": {"ana"}})
			s.refused(s.approve(s.nth("s", 1), "ana"), reason.Forbidden)
		}},
		"absent from the directory": {lose: func(s *story) { s.must(s.sweep("ana")) }},
		"left a rescue": {loser: "zoe", lose: func(s *story) {
			s.roles(map[string][]string{"officer": {"bo"}})
			s.must(s.sweep())
			s.must(s.reassign(s.rescue("s"), "zoe", root))
			s.must(s.sweep("zoe"))
		}},
		"re-resolved": {start: []string{"ana"}, lose: func(s *story) {
			s.roles(map[string][]string{"officer": {"bo", "cy"}})
			s.must(s.reevaluate(root))
		}},
		"added by escalation": {loser: "max", escalated: true, lose: func(s *story) {
			s.roles(map[string][]string{"officer": {"ana", "bo"}, "boss": {"max"}})
			s.at = after(time.Hour)
			s.must(s.deadlines())
			if !s.hasPlace("max") {
				s.t.Fatalf("max is not added")
			}
			s.must(s.sweep("max"))
		}},
		"handed over what an escalation added": {loser: "max", escalated: true, lose: func(s *story) {
			s.roles(map[string][]string{"officer": {"ana", "bo"}, "boss": {"max"}})
			s.at = after(time.Hour)
			s.must(s.deadlines())
			s.must(s.reassign(s.taskOf("max"), "zoe", person("max")))
		}},
	}
	// vacate removes every member of the rules; their places become rescues, or the new places of others.
	vacate := func(s *story, members map[string][]string) {
		s.roles(members)
		s.must(s.sweep())
	}
	givers := map[string]func(s *story, loser string){
		"escalation": func(s *story, loser string) {
			s.roles(map[string][]string{"officer": {"ana", "bo", "cy"}, "boss": {loser, "new"}})
			s.at = after(time.Hour)
			s.must(s.deadlines())
		},
		"re-staffing": func(s *story, loser string) {
			vacate(s, nil)
			s.roles(map[string][]string{"officer": {loser, "new", "newer", "newest"}})
			s.must(s.reevaluate(root))
		},
		"fallback": func(s *story, loser string) {
			vacate(s, nil)
			s.roles(map[string][]string{"deputy": {loser, "new", "newest"}})
			s.must(s.reevaluate(root))
		},
		"successor": func(s *story, loser string) { vacate(s, map[string][]string{"officer": {loser, "new"}}) },
		"successor from fallback": func(s *story, loser string) {
			vacate(s, map[string][]string{"deputy": {loser, "new"}})
		},
	}
	for way, lost := range ways {
		for giver, give := range givers {
			for _, assignment := range policy.Assignment("").Values() {
				if lost.escalated && giver == "escalation" || assignment == policy.AssignmentPool && giver == "successor from fallback" {
					continue // adds no people
				}
				t.Run(way+", "+giver+", "+string(assignment), func(t *testing.T) {
					stage := due(pool("s", 2), escalates(roleOf("boss")))
					stage.Assignment, stage.Approvers, stage.Exclude = assignment, []policy.Rule{roleOf("officer")}, []policy.Rule{roleOf("author")}
					stage.OnEmpty, stage.Allow.Reassign = policy.OnEmptyFallback, policy.ReassignAny
					s := tell(t, policyOf(stage))
					s.def.Settings.MembershipRecheck, s.def.Settings.FallbackApprovers = policy.RecheckStrict, []policy.Rule{roleOf("deputy")}
					officers, loser := lost.start, lost.loser
					if officers == nil {
						officers = []string{"ana", "bo"}
					}
					if loser == "" {
						loser = "ana"
					}
					s.roles(map[string][]string{"officer": officers})
					s.must(s.start())
					lost.lose(s)
					if s.hasPlace(loser) {
						t.Fatalf("%s still has a place", loser)
					}
					give(s, loser)
					if s.hasPlace(loser) || !s.hasPlace("new") || s.run("s").Count.Need != 2 {
						t.Fatalf("place of %s: %t, of the newcomer: %t, need %d", loser, s.hasPlace(loser), s.hasPlace("new"), s.run("s").Count.Need)
					}
					for _, task := range s.tasks("s") {
						if live(task) && task.Kind == wf.ApproverTask {
							s.refused(s.approve(task.ID, loser), reason.Forbidden)
						}
					}
					task := s.taskOf("new")
					s.must(s.reassign(task, loser, root))
					s.must(s.approve(task, loser))
				})
			}
		}
	}
}

// A pool member whose task another member receives keeps their place, also when the stage is resolved again.
func TestAPoolMemberWithoutTheirTaskKeepsTheirPlace(t *testing.T) {
	stage := pool("s", 2)
	stage.Approvers = []policy.Rule{roleOf("officer")}
	s := tell(t, policyOf(stage))
	s.def.Settings.MembershipRecheck = policy.RecheckStrict
	s.roles(map[string][]string{"officer": {"ana", "bo"}})
	s.must(s.start())
	s.must(s.reassign(s.taskOf("ana"), "bo", root))
	s.roles(map[string][]string{"officer": {"ana"}})
	s.must(s.sweep())
	s.roles(map[string][]string{"officer": {"ana", "cy"}})
	s.must(s.reevaluate(root))
	s.stageIs("s", wf.StageActive)
	if !s.hasPlace("ana") || !s.hasPlace("cy") {
		t.Errorf("place of ana: %t, of cy: %t", s.hasPlace("ana"), s.hasPlace("cy"))
	}
}

// TestAReassignedSeatHasOneHolder: examples 52 and 53 of the design. The new holder alone has the seat, whatever the
// quorum.
func TestAReassignedSeatHasOneHolder(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"all":      each("s", "a", "b"),
		"count":    but(each("s", "a", "b"), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} }),
		"required": {Key: "s", Name: "s", Approvers: []policy.Rule{required(names("a")), names("b")}},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, due(stage, toCarl))
			task := s.of("s", "a")
			s.must(s.reassign(task, "x", root))
			s.at = after(time.Hour)
			s.must(s.deadlines())
			s.holdersAre("s", "x", "b", "c")
			if need := s.run("s").Count.Need; need != 2 {
				t.Errorf("need %d", need)
			}
			s.must(s.approve(task, "x"))
			s.refused(s.approve(s.of("s", "b"), "a"), reason.Forbidden)
			s.status(wf.RequestInReview)
			s.must(s.approve(s.of("s", "b"), "b"))
			s.status(wf.RequestApproved)
		})
	}
	for _, isRequired := range []bool{false, true} {
		rule := roleOf("officer")
		rule.Required = isRequired
		s := tell(t, policyOf(policy.Stage{Key: "s", Name: "s", Approvers: []policy.Rule{rule}, Quorum: quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}}))
		s.roles(map[string][]string{"officer": {"a"}})
		s.must(s.start())
		s.stageIs("s", wf.StageBlocked)
		s.must(s.reassign(s.of("s", "a"), "x", root))
		s.roles(map[string][]string{"officer": {"a", "b"}})
		s.must(s.reevaluate(root))
		s.stageIs("s", wf.StageActive)
		s.holdersAre("s", "x", "b")
		if x := s.task(s.of("s", "x")); x.Required != isRequired || x.Added {
			t.Errorf("seat of x: %+v", x)
		}
	}
}
