package wf

import (
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// Withdraw takes a decision back while its stage is undecided. The task has the holder and the status that it had
// before. The stage is counted without the decision, and rescues that it no longer needs are closed.
func Withdraw(taskID, why string) Step {
	return atTask(taskID, func(t taskChange) error {
		if err := t.mayWithdraw(); err != nil {
			return err
		}
		if err := t.requireStepUp(); err != nil {
			return err
		}
		c, withdrawn := t.c, *t.task.Decision
		withdrawn.WithdrawnAt = &identity.Stamp{Time: c.facts.At}
		*t.task = t.task.reopen(c.facts.At)
		c.reason = why
		c.note(audit.EventTaskWithdrawn, t.run, t.task).Decision = &withdrawn
		c.reason = ""
		for i := range c.req.Stages {
			if run := &c.req.Stages[i]; run.Status.running() {
				c.onRun(run).closeRescues()
			}
		}
		return c.advance()
	})
}
