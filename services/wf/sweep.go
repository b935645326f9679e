package wf

import (
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// Sweep reassigns the tasks of former approvers: users absent from the directory or no longer yielded by the
// rules. It covers approvers without API calls of their own. It then re-resolves the understaffed stages.
func (r Request) Sweep(def policy.Definition, gone []string, f Facts) (_ Request, _ []Event, err error) {
	c := newChange(r, def, identity.SystemDirectory, f)
	defer c.Recover(&err)
	if c.Status.Final() || c.Overdue(f.At) {
		return c.end(nil)
	}
	for i := range c.Stages {
		if run := &c.Stages[i]; run.Status.running() {
			c.onRun(run).sweep(gone)
		}
	}
	return c.end(c.resolve(func(run StageRun) bool { return run.understaffed(c.Tasks) }, 0, len(c.events) > 0))
}

func (c runChange) sweep(gone []string) {
	for i := range c.Tasks { // delegates absent from the directory
		t := &c.Tasks[i]
		if !c.run.Owns(*t) || !t.Status.live() || t.delegate() == nil || !slices.Contains(gone, t.delegate().ID) {
			continue
		}
		c.run.removeDelegateOf(t.owner().ID)
		switch who, fit := c.fitToReturn(t.owner()); {
		case c.run.Pool:
			*t = t.unclaim(true, c.facts.At)
			c.note(audit.EventTaskOrphaned, c.run, t)
		case fit && !slices.Contains(gone, t.owner().ID):
			*t = t.returnToOwner(who, c.facts.At)
			c.note(audit.EventTaskReassigned, c.run, t)
		default:
			c.onTask(t).reassignOrphaned()
		}
	}
	var lost []string
	undecided := c.run.undecidedApprovers(c.Tasks)
	c.Want(len(undecided), func(i int) {
		member := true
		var failure *refusal.Error
		if mode := c.def.Settings.MembershipRecheck; mode != policy.RecheckNone {
			member, failure = c.membership(undecided[i], membershipAge)
		}
		if slices.Contains(gone, undecided[i]) || !member && failure == nil {
			lost = append(lost, undecided[i])
		}
	})
	for _, id := range lost {
		c.removeApprover(nil, id)
	}
	if c.run.Pool && len(gone) > 0 {
		for i := range c.run.People {
			if a := &c.run.People[i]; a.Delegate != nil && slices.Contains(gone, a.Delegate.ID) {
				*a = a.WithoutDelegate()
				c.note(audit.EventDelegationEnded, c.run, nil)
			}
		}
	}
}
