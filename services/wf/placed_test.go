package wf_test

import (
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// A rescuer in a pool was recorded as selected by the rule. The task and the place in the
// pool name the admin.
func TestRescueRecordsTheAssigningAdmin(t *testing.T) {
	other := identity.Actor{User: user("ruth"), Kind: identity.ActorUser, Roles: []identity.Role{identity.RoleAdmin}}
	placed := func(u *identity.User) string {
		if u == nil {
			return ""
		}
		return u.ID
	}
	for name, stage := range map[string]policy.Stage{
		"pool": but(pool("s", 2, "ana", "rita"), anyHolder), "each": but(but(each("s", "ana", "rita"), anyHolder),
			func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} }),
	} {
		for way, c := range map[string]struct {
			next func(s *story, task string)
			want string
		}{
			"placed":                      {func(*story, string) {}, "root"},
			"reassigned by another admin": {func(s *story, task string) { s.must(s.reassign(task, "fay", other)) }, "ruth"},
			"reassigned by the rescuer":   {func(s *story, task string) { s.must(s.reassign(task, "fay", person("zoe"))) }, "root"},
			"the rescuer left":            {func(s *story, _ string) { s.without("zoe"); s.must(s.sweep("zoe")) }, ""},
			"placed after the first left": {func(s *story, _ string) {
				s.without("zoe")
				s.must(s.sweep("zoe"))
				s.must(s.reassign(s.rescue("s"), "fay", other))
			}, "ruth"},
			"claimed by the rescuer":       {func(s *story, task string) { s.must(s.claim(task, person("zoe"))) }, "root"},
			"an approver keeps their rule": {func(s *story, _ string) { s.must(s.approve(s.takenBy("s", "ana"), "ana")) }, "root"},
		} {
			t.Run(name+", "+way, func(t *testing.T) {
				s := begin(t, stage)
				task := s.rescue("s")
				if got := s.task(task).PlacedBy; got != nil {
					t.Errorf("before an admin has placed a person: %+v", got)
				}
				s.must(s.reassign(task, "zoe", root))
				c.next(s, task)
				for _, t := range s.tasks("s") { // a pool has another task for the next rescuer
					if t.Rescue {
						task = t.ID
					}
				}
				got := s.task(task)
				if placed(got.PlacedBy) != c.want || !got.Rescue {
					t.Errorf("the task is placed by %q, want %q: %+v", placed(got.PlacedBy), c.want, got)
				}
				for _, a := range s.run("s").People {
					if a.Ineligible {
						continue
					}
					want := ""
					if got.Assignee != nil && a.ID == got.Assignee.ID {
						want = c.want
					}
					if placed(a.PlacedBy) != want {
						t.Errorf("%s is placed by %q, want %q", a.ID, placed(a.PlacedBy), want)
					}
				}
				for _, other := range s.tasks("s") {
					if other.ID != task && other.PlacedBy != nil {
						t.Errorf("the task of an approver is placed by %s", other.PlacedBy.ID)
					}
				}
			})
		}
	}
	t.Run("a task that a rescuer puts back into its pool", func(t *testing.T) {
		s := begin(t, pool("s", 2, "ana", "rita"))
		task := s.rescue("s")
		s.must(s.reassign(task, "zoe", root))
		s.must(s.claim(task, person("zoe")))
		s.must(s.unclaim(task, person("zoe")))
		if got := s.task(task); got.PlacedBy != nil {
			t.Errorf("the unassigned task is %+v", got)
		}
		s.must(s.claim(s.nth("s", 1), person("zoe")))
		if got := s.task(s.nth("s", 1)); placed(got.PlacedBy) != "root" || !got.Rescue {
			t.Errorf("the task that the rescuer claimed is %+v", got)
		}
	})
}

// takenBy is the task of a person of the stage, or of a pool, one that they may take.
func (s *story) takenBy(key, id string) string {
	for _, t := range s.tasks(key) {
		if t.Assignee != nil && t.Assignee.ID == id || t.Assignee == nil && t.Kind == wf.ApproverTask {
			return t.ID
		}
	}
	s.t.Fatalf("%s has no task of stage %s", id, key)
	return ""
}
