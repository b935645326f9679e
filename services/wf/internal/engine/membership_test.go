package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/keycloaktest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// A call by an ineligible approver is refused, and its consequences for the request are stored. The
// reply is not stored: the key is free for a retry.
func TestADecisionWithoutMembershipGivesUpThePlaceAndFreesItsKey(t *testing.T) {
	strict := func(s policy.Stage) policy.Definition {
		return but(policyOf(s), func(p *policy.Definition) { p.Settings.MembershipRecheck = policy.RecheckStrict })
	}
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		r := d.create(d.publish(strict(ruled("check", officers()))))
		task := taskOf(t, r, "ana")
		decide := func() (engine.Reply, error) {
			return d.Tasks.DecideTask(t.Context(), person("ana"), task, wf.DecisionInput{Action: wf.ActionApprove}, "", keyOf(person("ana"), "k", "body"))
		}
		d.realm.TakeRole("officer", "ana")
		_, err := decide()
		refused(t, "a decision", err, reason.Forbidden)
		equal(t, "keys", d.rows("SELECT value FROM idempotency_key"), nil)
		equal(t, "holders", holders(d.read(r.ID)), []string{"-", "bo"})
		d.status(r.ID, wf.RequestBlocked)
		if types := d.types(r.ID); !slices.Contains(types, audit.EventTaskOrphaned) {
			t.Errorf("the events are %v", types)
		}
		_, err = decide()
		refused(t, "the same call again", err, reason.Forbidden)
		must(t, d.reassign(task, "ana", root)) // an approver assigned by an admin has no rule to lose
		reply, err := decide()
		must(t, err)
		same(t, "replayed", reply.Replayed, false)
		reply, err = decide()
		must(t, err)
		same(t, "replayed at last", reply.Replayed, true)
		must(t, d.approve(taskOf(t, r, "bo"), "bo"))
		d.status(r.ID, wf.RequestApproved)
	})
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		in := ruled("check", officers())
		in.Assignment, in.Quorum.Mode = policy.AssignmentPool, quorum.QuorumAny
		r := d.create(d.publish(strict(in)))
		d.realm.TakeRole("officer", "ana")
		refused(t, "from a pool", d.approve(r.Tasks[0].ID, "ana"), reason.Forbidden)
		refused(t, "from a pool, again", d.approve(r.Tasks[0].ID, "ana"), reason.Forbidden)
		list, _, err := d.Tasks.ListTasks(t.Context(), person("ana"), wf.TaskFilter{Inbox: "ana"}, wf.Page{})
		if must(t, err); len(list) != 0 {
			t.Errorf("ana is shown %d tasks", len(list))
		}
		must(t, d.approve(r.Tasks[0].ID, "bo"))
		d.status(r.ID, wf.RequestApproved)
	})
}

func TestApproverWithoutRoleCannotReassign(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		r := d.create(d.publish(but(policyOf(but(ruled("check", officers()), func(s *policy.Stage) { s.Allow.Reassign = policy.ReassignAny })), func(p *policy.Definition) {
			p.Settings.MembershipRecheck = policy.RecheckStrict
		})))
		d.realm.TakeRole("officer", "ana")
		refused(t, "to a friend", d.reassign(taskOf(t, r, "ana"), "zoe", person("ana")), reason.Forbidden)
		equal(t, "holders", holders(d.read(r.ID)), []string{"-", "bo"})
	})
}

// A sweep finds ineligible approvers without a call of theirs, and re-resolves understaffed stages.
func TestSweepFindsApproversWithoutTheirRole(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		r := d.begin(ruled("check", officers()))
		d.realm.TakeRole("officer", "ana")
		d.advance(5 * time.Minute)
		must(t, d.Timers.Sweep(t.Context()))
		equal(t, "holders", holders(d.read(r.ID)), []string{"-", "bo"})
		d.status(r.ID, wf.RequestBlocked)
		d.advance(5 * time.Second)
		n, err := d.Timers.RetryStages(t.Context(), d.now(), 10)
		must(t, err)
		same(t, "requests looked at", n, 1)
		equal(t, "holders later", holders(d.read(r.ID)), []string{"-", "bo"}) // a departure never lowers the quorum
		d.status(r.ID, wf.RequestBlocked)

		// A lost place is not regained: only a reassignment gives ana another.
		for _, row := range []struct {
			member string
			want   []string
			status wf.RequestStatus
		}{{"ana", []string{"-", "bo"}, wf.RequestBlocked}, {"cy", []string{"bo", "cy"}, wf.RequestInReview}} {
			d.realm.AddRole("officer", keycloaktest.Holders{Users: []string{"ana", row.member}})
			d.advance(15 * time.Minute)
			_, err = d.Timers.RetryStages(t.Context(), d.now(), 10)
			must(t, err)
			equal(t, "holders with the role of "+row.member, holders(d.read(r.ID)), row.want)
			d.status(r.ID, row.status)
		}
	})
}

// An expression that yields the name of a role selects approvers as a role rule does.
func TestExpressionApproverWithoutTheRoleCannotApprove(t *testing.T) {
	byRole := policy.Rule{Type: policy.RuleExpression, CEL: `["officer"]`, As: policy.AsRoles}
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		r := d.create(d.publish(but(policyOf(ruled("check", byRole)), func(p *policy.Definition) { p.Settings.MembershipRecheck = policy.RecheckStrict })))
		swept := d.begin(ruled("check", byRole))
		d.realm.TakeRole("officer", "ana")
		refused(t, "a decision", d.approve(taskOf(t, r, "ana"), "ana"), reason.Forbidden)
		equal(t, "holders", holders(d.read(r.ID)), []string{"-", "bo"})
		d.advance(5 * time.Minute)
		must(t, d.Timers.Sweep(t.Context()))
		equal(t, "holders after the sweep", holders(d.read(swept.ID)), []string{"-", "bo"})
	})
}

// The value of an expression is stored with the run: a recheck evaluates nothing.
func TestTheValueOfAnExpressionStaysForTheRun(t *testing.T) {
	rule := policy.Rule{Type: policy.RuleExpression, CEL: `now == request.created_at ? ["officer"] : ["nobody"]`, As: policy.AsRoles}
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		r := d.create(d.publish(but(policyOf(ruled("check", rule)), func(p *policy.Definition) { p.Settings.MembershipRecheck = policy.RecheckStrict })))
		d.advance(time.Hour)
		equal(t, "names", d.read(r.ID).Stages[0].Names[rule.CEL], []string{"officer"})
		must(t, d.approve(taskOf(t, r, "bo"), "bo"))
	})
}
