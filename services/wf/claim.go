package wf

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/reason"
)

// Claim claims a task for the caller, or for a delegator of theirs. behalf selects the delegator; empty for any. It is
// idempotent for the claimant of a task.
func Claim(taskID, behalf string) Step {
	return atTask(taskID, func(t taskChange) error {
		right, err := t.mayAct(behalf)
		if err != nil {
			return err
		}
		if err := t.requireStepUp(); err != nil {
			return err
		}
		if t.task.hasClaim(t.c.by.ID) {
			return nil
		}
		if err := t.admit(&right); err != nil {
			return err
		}
		t.take(right)
		return t.c.advance() // in a pool, others may claim the remaining tasks
	})
}

// take records the claim of the caller. The owner of the right becomes the assignee of a pool task.
func (t taskChange) take(r right) {
	requireActor(t.c.by, r.actor)
	if r.queue {
		*t.task = t.task.assign(r.holder, r.owner)
	}
	*t.task = t.task.claim(r.actor, t.c.facts.At)
	t.c.note(audit.EventTaskClaimed, t.run, t.task)
}

// Unclaim releases a claimed task to the queue of its pool or to its assignee.
func Unclaim(taskID string) Step {
	return atTask(taskID, func(t taskChange) error {
		if err := t.mayUnclaim(); err != nil {
			return err
		}
		if err := t.c.requireUnexpired(); err != nil {
			return err
		}
		if t.task.Status != TaskClaimed {
			return refusal.New(reason.WrongState, "task %s is %s, not claimed", t.task.ID, t.task.Status)
		}
		*t.task = t.task.unclaim(t.run.Pool, t.c.facts.At)
		t.c.note(audit.EventTaskUnclaimed, t.run, t.task)
		return t.c.advance()
	})
}
