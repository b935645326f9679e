package wf

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Claim claims a task for the caller, or for a delegator of theirs. behalf selects the delegator; empty for any. It is
// idempotent for the claimant of a task.
func (r Request) Claim(
	def policy.Definition, taskID, behalf string, by identity.Actor, f Facts,
) (Request, []Event, error) {
	c := newChange(r, def, by, f)
	task, err := c.findTaskForActor(taskID)
	if err != nil {
		return c.end(err)
	}
	return c.end(task.claim(behalf))
}

func (c taskChange) claim(behalf string) error {
	right, err := c.mayAct(behalf)
	if err != nil {
		return err
	}
	if err := c.requireStepUp(); err != nil {
		return err
	}
	if c.task.hasClaim(c.by.ID) {
		return nil
	}
	if err := c.admit(&right); err != nil {
		return err
	}
	c.take(right)
	return c.advance() // in a pool, others may claim the remaining tasks
}

// take records the claim of the caller. The owner of the right becomes the assignee of a pool task.
func (c taskChange) take(r right) {
	requireActor(c.by, r.actor)
	if r.queue {
		*c.task = c.task.assign(r.holder, r.owner)
	}
	*c.task = c.task.claim(r.actor, c.facts.At)
	c.note(audit.EventTaskClaimed, c.run, c.task)
}

// Unclaim releases a claimed task to the queue of its pool or to its assignee.
func (r Request) Unclaim(def policy.Definition, taskID string, by identity.Actor, f Facts) (Request, []Event, error) {
	c := newChange(r, def, by, f)
	task, err := c.findTaskForActor(taskID)
	if err != nil {
		return c.end(err)
	}
	return c.end(task.unclaim())
}

func (c taskChange) unclaim() error {
	if !c.task.HeldBy(c.by.ID) && !c.task.hasClaim(c.by.ID) && !c.by.Has(identity.RoleAdmin) {
		return refusal.New(reason.Forbidden, "the caller is neither the assignee nor the claimant of task %s", c.task.ID)
	}
	if err := c.requireUnexpired(); err != nil {
		return err
	}
	if c.task.Status != TaskClaimed {
		return refusal.New(reason.WrongState, "task %s is %s, not claimed", c.task.ID, c.task.Status)
	}
	*c.task = c.task.unclaim(c.run.Pool, c.facts.At)
	c.note(audit.EventTaskUnclaimed, c.run, c.task)
	return c.advance()
}
