package wf

import (
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// Reroute re-evaluates the delegations of all open tasks and pools after the start, end or
// revocation of d.
func (r Request) Reroute(def policy.Definition, d approver.Delegation, f Facts) (_ Request, _ []Event, err error) {
	by := identity.SystemExpiry
	switch d.Status(f.At) {
	case approver.DelegationActive:
		by = identity.Actor{User: d.CreatedBy, Kind: identity.ActorUser}
	case approver.DelegationRevoked:
		by = identity.Actor{User: d.RevokedBy, Kind: identity.ActorUser}
	}
	c := newChange(r, def, by, f)
	defer c.Recover(&err)
	if c.Status.Final() || c.Overdue(f.At) {
		return c.end(nil)
	}
	for i := range c.Stages {
		run := &c.Stages[i]
		switch {
		case !run.Status.running():
		case run.Pool:
			c.onRun(run).reroutePool(d)
		default:
			c.onRun(run).rerouteTasks(d)
		}
	}
	if len(c.events) == 0 {
		return c.end(nil)
	}
	return c.end(c.advance())
}

// reaches returns a predicate for the delegations that apply to the run: those with ApplyToOpen,
// and those created and started no later than the run.
func reaches(run *StageRun) func(approver.Delegation) bool {
	return func(d approver.Delegation) bool {
		return d.ApplyToOpen || !d.StartsAt.After(run.StartedAt) && !d.CreatedAt.After(run.StartedAt)
	}
}

func (c runChange) rerouteTasks(d approver.Delegation) {
	var owners []identity.User
	for _, t := range c.run.tasksOf(c.Tasks) {
		if t.Status.live() && t.Assignee != nil {
			owners = append(owners, t.owner())
		}
	}
	fit := c.eligibleDelegate(owners)
	c.Want(len(c.Tasks), func(i int) {
		t := &c.Tasks[i]
		if c.run.Owns(*t) && t.Status.live() && t.Assignee != nil {
			c.onTask(t).rerouteTask(d, fit)
		}
	})
}

func (c taskChange) rerouteTask(d approver.Delegation, fit delegateCheck) {
	present := c.delegateOf()
	r := c.chainOf(c.task.owner(), reaches(c.run), orPresent(present, fit))
	next, ok := r.effective()
	switch {
	case present == nil && !r.uses(d.ID):
		if c.task.owner().ID == d.User.ID && c.task.Status == TaskOpen && d.Covers(c.facts.At, c.PolicyKey, c.run.Key, c.ArtifactType) &&
			reaches(c.run)(d) {
			c.note(audit.EventDelegationNotApplied, c.run, c.task)
		}
		return
	case present != nil && ok && next.DelegateTo.ID == present.ID && (next.Mode == approver.DelegationShare) == (c.task.SharedWith != nil):
		if c.task.DelegationID != next.ID { // another delegation to the same delegate
			c.task.DelegationID = next.ID
			*c.task = c.task.touch(c.facts.At)
			c.run.redelegate(c.task.owner().ID, next)
			c.note(audit.EventDelegationApplied, c.run, c.task)
		}
		return
	}
	if present != nil && !c.returnToOwner(d) {
		return
	}
	c.run.removeDelegateOf(c.task.owner().ID)
	who := r.delegate
	if ok && present != nil && next.DelegateTo.ID == present.ID { // in the other mode
		who, ok = c.fitToReturn(*present)
	}
	if ok && c.task.Status == TaskOpen { // a claimed task stays with its owner
		owner := approver.Approver{User: c.task.owner()}
		*c.task = c.task.withDelegate(owner.WithDelegate(next, who)).touch(c.facts.At)
		c.run.setDelegate(c.task.owner().ID, next, who)
		c.note(audit.EventDelegationApplied, c.run, c.task)
	}
}

// returnToOwner returns the task from a former delegate to its owner, and reports whether the owner
// holds it. A delegate may still decide a claimed task after the delegation ended, but not after a
// revocation. A task of an ended delegation without return stays with the delegate.
func (c taskChange) returnToOwner(d approver.Delegation) bool {
	switch who, fit := c.fitToReturn(c.task.owner()); {
	case c.task.SharedWith != nil:
		c.task.SharedWith, c.task.DelegationID = nil, ""
		*c.task = c.task.touch(c.facts.At)
		c.note(audit.EventTaskReassigned, c.run, c.task)
		return true
	case c.task.DelegationID == d.ID && c.isFinal():
		c.makePermanent()
		c.note(audit.EventTaskReassigned, c.run, c.task)
		return false
	case c.mayFinish():
		return false
	case !fit: // for example, the owner is active in a parallel stage
		c.reassignOrphaned()
		return false
	default:
		*c.task = c.task.returnToOwner(who, c.facts.At)
		c.note(audit.EventTaskReassigned, c.run, c.task)
		return true
	}
}

// reroutePool re-evaluates the delegates of a pool. The approvers themselves may act at any time.
func (c runChange) reroutePool(d approver.Delegation) {
	fit := c.eligibleDelegate(c.run.users())
	c.Want(len(c.run.People), func(i int) {
		a := &c.run.People[i]
		if a.Ineligible {
			return
		}
		r := c.chainOf(a.User, reaches(c.run), orPresent(a.Delegate, fit))
		next, ok := r.effective()
		switch {
		case ok && a.HasDelegate(next.DelegateTo.ID):
			if a.DelegationID != next.ID { // another delegation to the same delegate
				*a = a.WithDelegation(next)
				c.note(audit.EventDelegationApplied, c.run, nil)
			}
			return
		case a.Delegate == nil && !r.uses(d.ID):
			if a.ID == d.User.ID && d.Covers(c.facts.At, c.PolicyKey, c.run.Key, c.ArtifactType) && reaches(c.run)(d) {
				c.note(audit.EventDelegationNotApplied, c.run, nil)
			}
			return
		case a.Delegate != nil:
			owner := a.ID
			if c.removeDelegate(a, d); a.ID != owner {
				return // the delegate has the place now
			}
		}
		if ok {
			*a = a.WithDelegate(next, r.delegate)
			c.note(audit.EventDelegationApplied, c.run, nil)
		}
	})
}

// removeDelegate removes a delegate from a pool. Tasks claimed by the delegate return to the queue, unless
// the delegate may finish them.
func (c runChange) removeDelegate(a *approver.Approver, d approver.Delegation) {
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if !c.run.Owns(*t) || !t.Status.live() || t.OnBehalfOf == nil || t.OnBehalfOf.ID != a.ID {
			continue
		}
		switch {
		case t.DelegationID == d.ID && c.onTask(t).isFinal():
			c.onTask(t).makePermanent()
			c.note(audit.EventTaskReassigned, c.run, t)
		case !c.onTask(t).mayFinish():
			*t = t.unclaim(true, c.facts.At)
			c.note(audit.EventTaskUnclaimed, c.run, t)
		}
	}
	*a = a.WithoutDelegate()
	c.note(audit.EventDelegationEnded, c.run, nil)
}
