package engine_test

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
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
}
