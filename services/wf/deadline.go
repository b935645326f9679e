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
	c.req.DueEnd = time.Time{}
	for i := range c.req.Stages {
		run := &c.req.Stages[i]
		switch {
		case !run.Status.running():
			run.TimerAt = time.Time{}
		case run.OnDue == policy.OnDueExpire:
			c.req.DueEnd = earliest(c.req.DueEnd, run.DueAt)
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
	if c.req.ExpiresAt != nil && !c.req.DueEnd.Before(*c.req.ExpiresAt) {
		c.req.DueEnd = time.Time{}
	}
}

// ProcessDeadlines does all work of the stage deadlines that is due: the end of the request, due dates with
// their escalation, and reminders. Late and repeated calls are harmless: of missed reminders only the newest
// is sent, and each date is recorded once.
func ProcessDeadlines(c *change) error {
	c.by = identity.SystemDeadline
	if c.requireUnexpired() != nil {
		return nil
	}
	escalated := false
	for i := range c.req.Stages {
		if run := &c.req.Stages[i]; run.Status.running() {
			c.onRun(run).processDeadline()
			escalated = escalated || run.EscalatedAt.Equal(c.facts.At)
		}
	}
	if !escalated {
		return nil
	}
	return c.advance()
}

// processDeadline handles the due date first, then the newest reminder.
func (s runChange) processDeadline() {
	if !s.run.DueRecorded && s.run.Overdue(s.c.facts.At) {
		s.run.DueRecorded = true
		s.c.note(audit.EventStageDue, s.run, nil)
	}
	if s.run.escalating() && !s.c.facts.At.Before(s.run.TimerAt) {
		s.escalate()
	}
	s.remind()
}

// remind records the newest reminder that is due.
func (s runChange) remind() {
	var newest reminder
	for _, r := range s.run.reminders(s.c.def) {
		if !r.at.After(s.c.facts.At) && r.at.After(newest.at) {
			newest = r
		}
	}
	if newest.at.IsZero() {
		return
	}
	s.run.RemindedAt = newest.at
	made := &Reminder{At: identity.Stamp{Time: newest.at}, Phase: newest.phase}
	s.c.note(audit.EventStageReminded, s.run, nil).Stage.Reminder = made
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
func MoveDueDate(stage string, to time.Time, why string) Step {
	return func(c *change) error {
		if err := RequireManager(c.by, "move a due date"); err != nil {
			return err
		}
		switch {
		case !to.After(c.facts.At):
			return refusal.At(reason.BadInput, "/due_at", "must be in the future")
		case identity.IsBlank(why):
			return refusal.At(reason.Missing, "/reason", "A new due date needs a reason")
		}
		if err := c.requireUnexpired(); err != nil {
			return err
		}
		i := c.req.indexOfLatest(stage)
		if i < 0 {
			return refusal.New(reason.WrongState, "request %s has no stage %.64q", c.req.ID, stage)
		}
		run := &c.req.Stages[i]
		switch {
		case !run.Status.running():
			return refusal.New(reason.WrongState, "stage %s is %s, not active or blocked", stage, run.Status)
		case run.DueAt.IsZero():
			return refusal.New(reason.WrongState, "stage %s has no deadline", stage)
		case c.req.ExpiresAt != nil && to.After(*c.req.ExpiresAt):
			end := identity.Stamp{Time: *c.req.ExpiresAt}
			return refusal.New(reason.WrongState, "the request expires before this date, at %s", end)
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
}

// requireUnexpired expires an overdue request and refuses the caller. An overdue request accepts no other
// transition.
func (c *change) requireUnexpired() error {
	if c.req.Status.Final() || !c.req.Overdue(c.facts.At) {
		return nil
	}
	c.keep = true
	c.expire()
	return refusal.New(reason.WrongState, "request %s has expired", c.req.ID)
}

// EndsAt returns the time at which the request or its approval ends without a call; zero if it does not.
func (r Request) EndsAt() time.Time {
	switch {
	case r.Standing.Stands():
		return r.ValidUntil
	case r.Status.Final():
		return time.Time{}
	default:
		return r.End()
	}
}

// expire ends an overdue request. A due date before the expiry is the reason.
func (c *change) expire() {
	why := StatusReason{Code: BecauseExpired}
	c.by = identity.SystemExpiry
	if !c.req.DueEnd.IsZero() {
		why.Code, c.by = BecauseDeadline, identity.SystemDeadline
		for _, run := range c.req.Stages {
			if run.Status.running() && run.OnDue == policy.OnDueExpire && run.DueAt.Equal(c.req.DueEnd) {
				why.StageKey = run.Key
				break
			}
		}
	}
	c.finish(RequestExpired, why)
}

// AsOf returns the request at a time: an overdue request is expired, an approval is in force from its start on and has
// lapsed after its validity, also before a job records it.
func (r Request) AsOf(now time.Time) Request {
	r.Standing = r.Standing.At(r.ValidFrom, now)
	expired := !r.Status.Final() && r.Overdue(now)
	if !expired && !r.hasLapsed(now) {
		return r
	}
	c := newChange(r, policy.Definition{}, identity.SystemExpiry, Facts{At: now})
	if expired {
		c.expire()
	}
	c.lapse()
	return c.req
}

// EndByTime expires an overdue request, or ends an approval whose validity is over. It has no effect on other
// requests, so late and repeated calls are harmless.
func EndByTime(c *change) error {
	c.by = identity.SystemExpiry
	_ = c.requireUnexpired() // there is no caller to refuse
	c.lapse()
	return nil
}

// WarnOfEnd records once that an open request expires soon, or an approval lapses soon. It skips those with a
// lifetime or a validity below the warning period.
func WarnOfEnd(within time.Duration) Step {
	return func(c *change) error {
		c.by = identity.SystemExpiry
		due := func(since, end time.Time) bool {
			from := end.Add(-within)
			return !c.facts.At.Before(from) && since.Before(from)
		}
		switch {
		case !c.req.Status.Final():
			if !c.req.Warned && c.req.ExpiresAt != nil && !c.req.Overdue(c.facts.At) && due(c.req.CreatedAt, *c.req.ExpiresAt) {
				c.req.Warned = true
				c.note(audit.EventRequestExpiring, nil, nil)
			}
		case c.req.Standing.Stands():
			if !c.req.LapseWarned && !c.req.hasLapsed(c.facts.At) && due(c.req.start(), c.req.ValidUntil) {
				c.req.LapseWarned = true
				c.note(audit.EventRequestLapsing, nil, nil)
			}
		}
		return nil
	}
}
