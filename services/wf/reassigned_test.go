package wf_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// A delegate with allow.reassign: any could hand the owner's task to a third person, and
// revocation did not return it.
func TestADelegateReassignsTheOwnersTaskAndRevocationReturnsIt(t *testing.T) {
	d := delegation("ana", "dee")
	final := d
	final.ReturnOnEnd = false
	dee, eve, ana := person("dee"), person("eve"), person("ana")
	admin := identity.Actor{User: user("dee"), Kind: identity.ActorUser, Roles: []identity.Role{identity.RoleAdmin}}
	claimed := func(s *story, task string) { s.must(s.claim(task, eve)) }
	ended, revoked := (*story).end, func(s *story, d approver.Delegation) error { return s.revoke(d.ID) }
	for name, c := range map[string]struct {
		d            approver.Delegation
		by           identity.Actor
		prepare      func(s *story, task string)
		over         func(*story, approver.Delegation) error
		holder       string // of the task in a stage with assignment each
		holderInPool string // none when the task is unassigned
	}{
		"revoked":                  {d, dee, nil, revoked, "ana", ""},
		"revoked, by an admin":     {d, admin, nil, revoked, "ana", ""},
		"revoked, claimed":         {d, dee, claimed, revoked, "ana", ""},
		"revoked, handed on again": {d, dee, func(s *story, task string) { s.must(s.reassign(task, "fay", eve)) }, revoked, "ana", ""},
		"ended":                    {d, dee, nil, ended, "ana", ""},
		"ended, claimed":           {d, dee, claimed, ended, "eve", "eve"},
		"ended without return":     {final, dee, nil, ended, "eve", "eve"},
		"an admin reassigned it":   {d, dee, func(s *story, task string) { s.must(s.reassign(task, "fay", root)) }, revoked, "fay", "fay"},
		"the owner has it back":    {d, dee, func(s *story, task string) { s.must(s.reassign(task, "ana", eve)) }, revoked, "ana", "ana"},
	} {
		for kind, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 1, "ana", "bo")} {
			t.Run(name+", "+kind, func(t *testing.T) {
				s := begin(t, but(stage, anyHolder))
				s.must(s.delegate(c.d))
				task := s.nth("s", 1)
				if kind == "pool" {
					s.must(s.claim(task, dee))
				}
				s.must(s.reassign(task, "eve", c.by))
				if got := s.task(task); got.OnBehalfOf == nil || got.OnBehalfOf.ID != "ana" || got.DelegationID != c.d.ID || got.Assignee.ID != "eve" {
					t.Fatalf("the reassigned task is %+v", got)
				}
				if c.prepare != nil {
					c.prepare(s, task)
				}
				s.must(c.over(s, c.d))
				want, got := c.holder, ""
				if kind == "pool" {
					want = c.holderInPool
				}
				if a := s.task(task).Assignee; a != nil {
					got = a.ID
				}
				if got != want {
					t.Errorf("the task is with %q, want %q", got, want)
				}
			})
		}
	}
	t.Run("a decision names the owner", func(t *testing.T) {
		s := begin(t, but(each("s", "ana"), anyHolder))
		s.must(s.delegate(d))
		task := s.of("s", "dee")
		s.must(s.reassign(task, "eve", dee))
		s.refused(s.approve(task, "dee"), reason.Forbidden)
		s.must(s.approve(task, "eve"))
		if got := s.task(task).Decision; got.Actor.ID != "eve" || got.OnBehalfOf == nil || got.OnBehalfOf.ID != "ana" {
			t.Errorf("decision = %+v", got)
		}
	})
	t.Run("rights end with the delegation, before the service has noticed", func(t *testing.T) {
		s := begin(t, but(each("s", "ana"), anyHolder))
		s.must(s.delegate(d))
		task := s.of("s", "dee")
		s.must(s.reassign(task, "eve", dee))
		s.at = d.EndsAt.Add(time.Second)
		s.refused(s.approve(task, "eve"), reason.Forbidden)
		s.refused(s.reassign(task, "fay", eve), reason.Forbidden)
		s.must(s.claim(task, ana))
		s.must(s.approve(task, "ana"))
	})
	t.Run("a delegate with the right to finish a task may not reassign it", func(t *testing.T) {
		s := begin(t, but(each("s", "ana"), anyHolder))
		s.must(s.delegate(d))
		task := s.of("s", "dee")
		s.must(s.claim(task, dee))
		s.at = d.EndsAt.Add(time.Second)
		s.refused(s.reassign(task, "eve", dee), reason.Forbidden)
		s.must(s.approve(task, "dee"))
	})
	t.Run("a delegate whose hand-over is final reassigns it", func(t *testing.T) {
		s := begin(t, but(each("s", "ana"), anyHolder))
		s.must(s.delegate(final))
		task := s.of("s", "dee")
		s.must(s.claim(task, dee))
		s.at = final.EndsAt.Add(time.Second) // before the service has noticed
		s.must(s.reassign(task, "eve", dee))
		if got := s.task(task); got.OnBehalfOf != nil {
			t.Errorf("eve acts for %v", got.OnBehalfOf)
		}
	})
	t.Run("a delegate reassigns it to the owner", func(t *testing.T) {
		s := begin(t, but(each("s", "ana"), anyHolder))
		s.must(s.delegate(d))
		task := s.of("s", "dee")
		s.must(s.reassign(task, "ana", dee))
		if got := s.task(task); got.OnBehalfOf != nil || got.Assignee.ID != "ana" {
			t.Errorf("%v acts for %v", got.Assignee, got.OnBehalfOf)
		}
	})
	t.Run("the seat of the owner has the new delegate, the place in a pool keeps the former", func(t *testing.T) {
		for want, stage := range map[string]policy.Stage{"eve": each("s", "ana", "bo"), "dee": pool("s", 1, "ana", "bo")} {
			s := begin(t, but(stage, anyHolder))
			s.must(s.delegate(d))
			task := s.nth("s", 1)
			if want == "dee" {
				s.must(s.claim(task, dee))
			}
			s.must(s.reassign(task, "eve", dee))
			if got := s.run("s").People[0].Delegate; got == nil || got.ID != want {
				t.Errorf("%v acts for ana, want %s", got, want)
			}
		}
	})
	t.Run("an approver without the rule receives no task", func(t *testing.T) {
		holders := each("s", "ana", "bo")
		holders.Allow.Reassign = policy.ReassignEligible
		s := begin(t, holders)
		s.must(s.sweep("bo"))
		s.refused(s.reassign(s.of("s", "ana"), "bo", ana), reason.WrongState)
	})
	t.Run("a member of the pool takes it for themself", func(t *testing.T) {
		s := begin(t, but(pool("s", 1, "ana", "bo"), anyHolder))
		s.must(s.delegate(d))
		task := s.nth("s", 1)
		s.must(s.claim(task, dee))
		s.must(s.reassign(task, "bo", dee))
		if got := s.task(task); got.OnBehalfOf != nil || got.Assignee.ID != "bo" {
			t.Errorf("the task is %+v", got)
		}
		s.must(s.revoke(d.ID))
		s.must(s.approve(task, "bo"))
	})
}
