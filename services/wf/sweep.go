package wf

import (
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// Sweep reassigns the tasks of former approvers: users absent from the directory or no longer yielded by the
// rules. It covers approvers without API calls of their own. It then re-resolves the understaffed stages.
func (r Request) Sweep(def policy.Definition, gone []string, f Facts) (Request, []Event, error) {
	c := newChange(r, def, identity.SystemDirectory, f)
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
	var lost []string
	undecided := c.run.undecidedApprovers(c.Tasks)
	for i := range undecided {
		member := true
		var failure *refusal.Error
		if mode := c.def.Settings.MembershipRecheck; mode != policy.RecheckNone {
			member, failure = c.membership(undecided[i], membershipAge)
		}
		if slices.Contains(gone, undecided[i]) || !member && failure == nil {
			lost = append(lost, undecided[i])
		}
	}
	for _, id := range lost {
		c.removeApprover(nil, id)
	}
}
