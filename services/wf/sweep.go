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

// Sweep reassigns the tasks of former approvers: users absent from the directory or no longer yielded by the
// rules. It covers approvers without API calls of their own. It then re-resolves the understaffed stages.
func Sweep(gone []string) Step {
	return func(c *change) error {
		c.by = identity.SystemDirectory
		if c.req.Status.Final() || c.req.Overdue(c.facts.At) {
			return nil
		}
		for i := range c.req.Stages {
			if run := &c.req.Stages[i]; run.Status.running() {
				c.onRun(run).sweep(gone)
			}
		}
		return c.retry(func(run StageRun) bool { return run.understaffed(c.req.Tasks) }, 0, len(c.events) > 0)
	}
}

func (s runChange) sweep(gone []string) {
	var lost []string
	undecided := s.run.undecidedApprovers(s.c.req.Tasks)
	for i := range undecided {
		member := true
		var failure *refusal.Error
		if mode := s.c.def.Settings.MembershipRecheck; mode != policy.RecheckNone {
			member, failure = s.membership(undecided[i], membershipAge)
		}
		if slices.Contains(gone, undecided[i]) || !member && failure == nil {
			lost = append(lost, undecided[i])
		}
	}
	for _, id := range lost {
		s.removeApprover(nil, id)
	}
}

// Resolve retries the due stages: resolving and understaffed ones. A stage that remains unresolved changes
// without an event.
func Resolve(c *change) error {
	c.by = identity.SystemDirectory
	return c.retry(func(run StageRun) bool { return !run.RetryAt.IsZero() && !c.facts.At.Before(run.RetryAt) }, 0, false)
}

// Reevaluate is Resolve on request of an admin or an owner. It ignores retry times and cached answers.
func Reevaluate(c *change) error {
	if err := RequireManager(c.by, "re-evaluate a request"); err != nil {
		return err
	}
	if err := c.requireUnexpired(); err != nil {
		return err
	}
	waits := func(run StageRun) bool { return run.Status == StageResolving || run.understaffed(c.req.Tasks) }
	if !slices.ContainsFunc(c.req.Stages, waits) {
		return refusal.New(reason.WrongState, "no stage of request %s is resolving or understaffed; the request is %s",
			c.req.ID, c.req.Status)
	}
	return c.retry(waits, -1, false)
}

// retry resolves the stages selected by due. With moved, the request advances even if no stage is due.
func (c *change) retry(due func(StageRun) bool, maxAge time.Duration, moved bool) error {
	if c.req.Status.Final() || c.req.Overdue(c.facts.At) {
		return nil
	}
	for i := range c.req.Stages {
		run := &c.req.Stages[i]
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
func (s runChange) reresolve(maxAge time.Duration) {
	found := newStaffing(s, s.stage(), maxAge)
	if found.understaffed || found.unavailable != "" || len(found.failures) > 0 || found.fewer(s) {
		since := s.c.facts.At
		for _, t := range s.run.tasksOf(s.c.req.Tasks) {
			if t.vacant() && t.UpdatedAt.Before(since) { // unchanged since then
				since = t.UpdatedAt
			}
		}
		*s.run = s.run.scheduleRetry(since, s.c.facts.At)
		s.run.LastError = cmp.Or(found.failureText(), found.unavailable)
		return
	}
	before := *s.run
	found.put(s.run)
	for _, a := range before.People { // approvers added by an admin or by escalation stay
		switch added := a.PlacedBy != nil || a.Reassigned || a.Escalated; {
		case s.run.entry(a.ID) >= 0:
		case added && !slices.Contains(s.run.Former, a.ID):
			a.Added = true
			s.run.People = append(s.run.People, a)
		default:
			s.run.leave(a.ID)
		}
	}
	for i := range s.c.req.Tasks {
		if t := &s.c.req.Tasks[i]; s.run.Owns(*t) && t.Status.live() {
			s.onTask(t).adapt(before)
		}
	}
	s.assignTasks()
}

// fewer reports whether a stage would have fewer approvers than at its start, or approvers absent
// from the directory. Their places then stay rescue tasks, so that the quorum is not weakened.
func (s staffing) fewer(at runChange) bool {
	ballot, _ := at.ballot()
	starting := 0
	for _, v := range ballot.Voters {
		if !v.Added {
			starting++
		}
	}
	var before []identity.User
	for _, a := range s.people {
		if at.run.entry(a.ID) >= 0 {
			before = append(before, a.User)
		}
	}
	return len(s.people) < starting || len(at.c.finder.KnownUsers(before)) < len(before)
}

// adapt updates a task to the re-resolved approvers of its stage. The stage has no decision yet, so
// the result equals a start with these approvers.
func (t taskChange) adapt(before StageRun) {
	holder := t.task.holder()
	here := t.run.entry(holder)
	switch {
	case t.task.vacant() && t.task.Owner == nil:
		*t.task = t.task.close(TaskSkipped, ClosedNotNeeded, t.c.facts.At)
	case t.task.vacant(), // the task of a former approver
		holder != "" && here < 0 && before.entry(holder) >= 0:
		*t.task = t.task.close(TaskSkipped, ClosedApproverLost, t.c.facts.At)
	case here >= 0 && (t.task.Rescue && t.run.People[here].PlacedBy == nil ||
		t.task.escalated() && !t.run.People[here].Escalated):
		a := t.run.People[here] // the rules yield the holder now
		t.task.Rescue, t.task.PlacedBy, t.task.Added, t.task.Rules, t.task.Required = false, nil, false, a.Rules, a.Required
		return
	default:
		return
	}
	t.c.note(audit.EventTaskClosed, t.run, t.task)
}
