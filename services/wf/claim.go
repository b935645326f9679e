package wf

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Claim claims a task. It is idempotent for the holder of a claimed task.
func (r Request) Claim(def policy.Definition, taskID string, by identity.Actor, f Facts) (_ Request, _ []Event, err error) {
	c := newChange(r, def, by, f)
	defer c.Recover(&err)
	task, err := c.findTaskForActor(taskID)
	if err != nil {
		return c.end(err)
	}
	return c.end(task.claim())
}

func (c taskChange) claim() error {
	right, err := c.mayAct()
	if err != nil {
		return err
	}
	if err := c.requireStepUp(); err != nil {
		return err
	}
	if c.task.Status == TaskClaimed && c.task.HeldBy(c.by.ID) {
		return nil
	}
	who, err := c.admit(right.owner.User)
	if err != nil {
		return err
	}
	c.take(who, right)
	return c.advance() // in a pool, others may claim the remaining tasks
}

// take assigns the task to the actor according to their right.
func (c taskChange) take(who approver.Fit, right right) {
	requireActor(c.by, who)
	switch {
	case right.queue:
		*c.task = c.task.assign(who, right.owner, c.facts.At)
	case right.back:
		*c.task = c.task.returnToOwner(who, c.facts.At).claim(c.facts.At)
		c.run.removeDelegateOf(right.owner.ID)
	case right.final:
		c.makePermanent()
		*c.task = c.task.claim(c.facts.At)
	default:
		*c.task = c.task.claim(c.facts.At)
	}
	c.note(audit.EventTaskClaimed, c.run, c.task)
}

// Unclaim releases a claimed task to the queue of its pool or to its assignee.
func (r Request) Unclaim(def policy.Definition, taskID string, by identity.Actor, f Facts) (_ Request, _ []Event, err error) {
	c := newChange(r, def, by, f)
	defer c.Recover(&err)
	task, err := c.findTaskForActor(taskID)
	if err != nil {
		return c.end(err)
	}
	return c.end(task.unclaim())
}

func (c taskChange) unclaim() error {
	owner := c.task.OnBehalfOf != nil && c.task.OnBehalfOf.ID == c.by.ID
	if !c.task.HeldBy(c.by.ID) && !owner && !c.by.Has(identity.RoleAdmin) {
		return refusal.New(reason.Forbidden, "the caller is not the assignee of task %s", c.task.ID)
	}
	if err := c.requireUnexpired(); err != nil {
		return err
	}
	if c.task.Status != TaskClaimed {
		return refusal.New(reason.WrongState, "task %s is %s, not claimed", c.task.ID, c.task.Status)
	}
	over := c.task.OnBehalfOf != nil && !c.delegated()
	final := over && c.isFinal()
	var who approver.Fit
	returns := false
	if over && !c.run.Pool {
		who, returns = c.fitToReturn(c.task.owner())
	}
	switch {
	case owner && (!over || final) && !c.by.Has(identity.RoleAdmin):
		return refusal.New(reason.Forbidden, "%s is the delegate on task %s", c.task.Assignee.ID, c.task.ID)
	case final:
		c.makePermanent()
		*c.task = c.task.unclaim(c.run.Pool, c.facts.At)
	case returns:
		*c.task = c.task.returnToOwner(who, c.facts.At)
		c.run.removeDelegateOf(c.task.owner().ID)
	default:
		*c.task = c.task.unclaim(c.run.Pool, c.facts.At)
	}
	c.note(audit.EventTaskUnclaimed, c.run, c.task)
	return c.advance()
}
