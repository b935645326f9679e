package wf

import (
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// NextReminder returns the next reminder of a running stage; zero for none.
func (s StageRun) NextReminder(def policy.Definition) time.Time {
	if !s.Status.running() {
		return time.Time{}
	}
	next := time.Time{}
	for _, reminder := range s.reminders(def) {
		next = earliest(next, reminder.at)
	}
	return next
}

// reminder is one instant of the timetable of a run.
type reminder struct {
	at    time.Time
	phase ReminderPhase
}

// reminders returns the reminders after RemindedAt, those before the due date first. After the date is recorded
// only those after it remain.
func (s StageRun) reminders(def policy.Definition) []reminder {
	stage, _ := def.Stage(s.Key)
	if stage.Deadline == nil {
		return nil
	}
	timetable := def.Settings.Timetable()
	var all []reminder
	for _, before := range stage.Deadline.RemindBefore {
		if at := timetable.Before(s.DueAt, before); !s.DueRecorded && at.After(s.RemindedAt) {
			all = append(all, reminder{at, ReminderBefore})
		}
	}
	if every := stage.Deadline.RemindEvery; every != "" {
		at := s.DueAt
		for range policy.MaxReminders {
			if at = timetable.After(at, every); at.After(s.RemindedAt) {
				all = append(all, reminder{at, ReminderAfter})
			}
		}
	}
	return all
}

// newClock fixes the due date of a run that has its first approvers. deadline is nil for none.
func newClock(s policy.Settings, deadline *policy.Deadline, values policy.Computed, now time.Time) Clock {
	if deadline == nil {
		return Clock{}
	}
	return Clock{DueAt: s.DueAt(*deadline, values, now), OnDue: deadline.Effect(), RemindedAt: now}
}

// setTimers computes the timers of the runs and the end of the request that follows from them.
func (c *change) setTimers() {
	c.DueEnd = time.Time{}
	for i := range c.Stages {
		run := &c.Stages[i]
		switch {
		case !run.Status.running():
			run.TimerAt = time.Time{}
		case run.OnDue == policy.OnDueExpire:
			c.DueEnd = earliest(c.DueEnd, run.DueAt)
			run.TimerAt = run.NextReminder(c.def)
		default:
			retry := run.TimerAt
			run.TimerAt = run.NextReminder(c.def)
			if !run.DueRecorded {
				run.TimerAt = earliest(run.TimerAt, run.DueAt)
			} else if run.escalating() {
				run.TimerAt = earliest(run.TimerAt, retry)
			}
		}
	}
	if c.ExpiresAt != nil && !c.DueEnd.Before(*c.ExpiresAt) {
		c.DueEnd = time.Time{}
	}
}

// ProcessDeadlines does all work of the stage deadlines that is due: the end of the request, due dates with
// their escalation, and reminders. Late and repeated calls are harmless: of missed reminders only the newest
// is sent, and each date is recorded once.
func (r Request) ProcessDeadlines(def policy.Definition, f Facts) (Request, []Event, error) {
	c := newChange(r, def, identity.SystemDeadline, f)
	if c.requireUnexpired() != nil {
		return c.end(nil)
	}
	escalated := false
	for i := range c.Stages {
		if run := &c.Stages[i]; run.Status.running() {
			c.onRun(run).processDeadline()
			escalated = escalated || run.EscalatedAt.Equal(f.At)
		}
	}
	if !escalated {
		return c.end(nil)
	}
	return c.end(c.advance())
}

// processDeadline handles the due date first, then the newest reminder.
func (c runChange) processDeadline() {
	if !c.run.DueRecorded && c.run.Overdue(c.facts.At) {
		c.run.DueRecorded = true
		c.note(audit.EventStageDue, c.run, nil)
	}
	if c.run.escalating() && !c.facts.At.Before(c.run.TimerAt) {
		c.escalate()
	}
	c.remind()
}

// remind records the newest reminder that is due.
func (c runChange) remind() {
	var newest reminder
	for _, r := range c.run.reminders(c.def) {
		if !r.at.After(c.facts.At) && r.at.After(newest.at) {
			newest = r
		}
	}
	if newest.at.IsZero() {
		return
	}
	c.run.RemindedAt = newest.at
	c.note(audit.EventStageReminded, c.run, nil).Stage.Reminder = &Reminder{At: identity.Stamp{Time: newest.at}, Phase: newest.phase}
}

// NextWork returns the first instant after now at which the service changes the request: an end, a due date, a
// reminder or another attempt of an escalation. It is zero for none.
func (r Request) NextWork(now time.Time) time.Time {
	next := time.Time{}
	add := func(at time.Time) {
		if at.After(now) {
			next = earliest(next, at)
		}
	}
	switch {
	case r.Standing.Stands():
		add(r.ValidUntil)
	case !r.Status.Final():
		if r.ExpiresAt != nil {
			add(*r.ExpiresAt)
		}
		add(r.DueEnd)
		for _, run := range r.Stages {
			add(run.TimerAt)
		}
	}
	return next
}

// MoveDueDate moves the due date of the latest run of a stage. Its reminders follow, and the new date is
// recorded when it is reached.
func (r Request) MoveDueDate(
	def policy.Definition, stage string, to time.Time, why string, by identity.Actor, f Facts,
) (Request, []Event, error) {
	c := newChange(r, def, by, f)
	return c.end(c.moveDueDate(stage, to, why))
}

func (c *change) moveDueDate(stage string, to time.Time, why string) error {
	switch {
	case !c.by.Manages():
		return refusal.New(reason.Forbidden, "only an admin or an owner of the policy may move a due date")
	case !to.After(c.facts.At):
		return refusal.At(reason.BadInput, "/due_at", "must be in the future")
	case identity.IsBlank(why):
		return refusal.At(reason.Missing, "/reason", "A new due date needs a reason")
	}
	if err := c.requireUnexpired(); err != nil {
		return err
	}
	i := c.indexOfLatest(stage)
	if i < 0 {
		return refusal.New(reason.WrongState, "request %s has no stage %.64q", c.ID, stage)
	}
	run := &c.Stages[i]
	switch {
	case !run.Status.running():
		return refusal.New(reason.WrongState, "stage %s is %s, not active or blocked", stage, run.Status)
	case run.DueAt.IsZero():
		return refusal.New(reason.WrongState, "stage %s has no deadline", stage)
	case c.ExpiresAt != nil && to.After(*c.ExpiresAt):
		return refusal.New(reason.WrongState, "the request expires before this date, at %s", identity.Stamp{Time: *c.ExpiresAt})
	case to.Equal(run.DueAt):
		return nil
	}
	from := run.DueAt
	if run.escalating() {
		run.setEscalationError("")
	}
	run.DueAt, run.DueRecorded = to, false
	if c.facts.At.After(run.RemindedAt) {
		run.RemindedAt = c.facts.At
	}
	c.reason = why
	moved := &Moved{From: identity.Stamp{Time: from}, To: identity.Stamp{Time: to}}
	c.note(audit.EventStageDueMoved, run, nil).Stage.Moved = moved
	return nil
}
