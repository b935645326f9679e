package wf

import (
	"cmp"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Resolve retries the due stages: resolving and understaffed ones. A stage that remains unresolved changes
// without an event.
func (r Request) Resolve(def policy.Definition, f Facts) (Request, []Event, error) {
	c := newChange(r, def, identity.SystemDirectory, f)
	return c.end(c.resolve(func(run StageRun) bool { return !run.RetryAt.IsZero() && !f.At.Before(run.RetryAt) }, 0, false))
}

// Reevaluate is Resolve on request of an admin. It ignores retry times and cached answers.
func (r Request) Reevaluate(def policy.Definition, by identity.Actor, f Facts) (Request, []Event, error) {
	c := newChange(r, def, by, f)
	if err := c.requireUnexpired(); err != nil {
		return c.end(err)
	}
	waits := func(run StageRun) bool { return run.Status == StageResolving || run.understaffed(c.Tasks) }
	if !slices.ContainsFunc(c.Stages, waits) {
		return c.end(refusal.New(reason.WrongState, "no stage of request %s is resolving or understaffed; the request is %s", r.ID, r.Status))
	}
	return c.end(c.resolve(waits, -1, false))
}

// resolve retries the stages selected by due. With moved, the request advances even if no stage is due.
func (c *change) resolve(due func(StageRun) bool, maxAge time.Duration, moved bool) error {
	if c.Status.Final() || c.Overdue(c.facts.At) {
		return nil
	}
	for i := range c.Stages {
		run := &c.Stages[i]
		if !due(*run) {
			continue
		}
		if run.Status != StageResolving {
			c.onRun(run).reresolve(maxAge)
		} else if err := c.onRun(run).start(); err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		return nil
	}
	return c.advance()
}

// reresolve resolves the approvers of an understaffed stage again. With enough approvers the stage restarts,
// and its unassigned rescue tasks are closed.
func (c runChange) reresolve(maxAge time.Duration) {
	found := newStaffing(c, c.stage(), maxAge)
	if found.understaffed || found.unavailable != "" || len(found.failures) > 0 || found.fewer(c) {
		since := c.facts.At
		for _, t := range c.run.tasksOf(c.Tasks) {
			if t.vacant() && t.UpdatedAt.Before(since) { // unchanged since then
				since = t.UpdatedAt
			}
		}
		*c.run = c.run.scheduleRetry(since, c.facts.At)
		c.run.LastError = cmp.Or(found.failureText(), found.unavailable)
		return
	}
	before := *c.run
	found.put(c.run)
	for _, a := range before.People { // approvers added by an admin or by escalation stay
		switch added := a.PlacedBy != nil || a.Reassigned || a.Escalated; {
		case c.run.entry(a.ID) >= 0:
		case added && !slices.Contains(c.run.Former, a.ID):
			a.Added = true
			c.run.People = append(c.run.People, a)
		default:
			c.run.leave(a.ID)
		}
	}
	for i := range c.Tasks {
		if t := &c.Tasks[i]; c.run.Owns(*t) && t.Status.live() {
			c.onTask(t).adapt(before)
		}
	}
	c.assignTasks()
}

// fewer reports whether a stage would have fewer approvers than at its start, or approvers absent
// from the directory. Their places then stay rescue tasks, so that the quorum is not weakened.
func (s staffing) fewer(c runChange) bool {
	ballot, _ := c.ballot()
	starting := 0
	for _, v := range ballot.Voters {
		if !v.Added {
			starting++
		}
	}
	var before []identity.User
	for _, a := range s.people {
		if c.run.entry(a.ID) >= 0 {
			before = append(before, a.User)
		}
	}
	return len(s.people) < starting || len(c.KnownUsers(before)) < len(before)
}

// adapt updates a task to the re-resolved approvers of its stage. The stage has no decision yet, so
// the result equals a start with these approvers.
func (c taskChange) adapt(before StageRun) {
	holder := c.task.holder()
	here := c.run.entry(holder)
	switch {
	case c.task.vacant() && c.task.Owner == nil:
		*c.task = c.task.close(TaskSkipped, ClosedNotNeeded, c.facts.At)
	case c.task.vacant(), // the task of a former approver
		holder != "" && here < 0 && before.entry(holder) >= 0:
		*c.task = c.task.close(TaskSkipped, ClosedApproverLost, c.facts.At)
	case here >= 0 && (c.task.Rescue && c.run.People[here].PlacedBy == nil || c.task.escalated() && !c.run.People[here].Escalated):
		// the rules yield the holder now
		c.task.Rescue, c.task.PlacedBy, c.task.Added, c.task.Rules, c.task.Required = false, nil, false, c.run.People[here].Rules, c.run.People[here].Required
		return
	default:
		return
	}
	c.note(audit.EventTaskClosed, c.run, c.task)
}
