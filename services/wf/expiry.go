package wf

import (
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// requireUnexpired expires an overdue request and refuses the caller. An overdue request accepts no other
// transition.
func (c *change) requireUnexpired() error {
	if c.Status.Final() || !c.Overdue(c.facts.At) {
		return nil
	}
	c.keep = true
	c.expire()
	return refusal.New(reason.WrongState, "request %s has expired", c.ID)
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
	if !c.DueEnd.IsZero() {
		why.Code, c.by = BecauseDeadline, identity.SystemDeadline
		for _, run := range c.Stages {
			if run.Status.running() && run.OnDue == policy.OnDueExpire && run.DueAt.Equal(c.DueEnd) {
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
	return c.Request
}

// EndByTime expires an overdue request, or ends an approval whose validity is over. It has no effect on other
// requests, so late and repeated calls are harmless.
func (r Request) EndByTime(def policy.Definition, f Facts) (Request, []Event, error) {
	c := newChange(r, def, identity.SystemExpiry, f)
	_ = c.requireUnexpired() // there is no caller to refuse
	c.lapse()
	return c.end(nil)
}

// WarnOfEnd records once that an open request expires soon, or an approval lapses soon. It skips those with a
// lifetime or a validity below the warning period.
func (r Request) WarnOfEnd(def policy.Definition, within time.Duration, f Facts) (Request, []Event, error) {
	c := newChange(r, def, identity.SystemExpiry, f)
	due := func(since, end time.Time) bool {
		from := end.Add(-within)
		return !f.At.Before(from) && since.Before(from)
	}
	switch {
	case !c.Status.Final():
		if !c.Warned && c.ExpiresAt != nil && !c.Overdue(f.At) && due(c.CreatedAt, *c.ExpiresAt) {
			c.Warned = true
			c.note(audit.EventRequestExpiring, nil, nil)
		}
	case c.Standing.Stands():
		if !c.LapseWarned && !c.hasLapsed(f.At) && due(c.start(), c.ValidUntil) {
			c.LapseWarned = true
			c.note(audit.EventRequestLapsing, nil, nil)
		}
	}
	return c.end(nil)
}
