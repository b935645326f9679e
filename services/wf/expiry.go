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
	case r.Standing == StandingInForce:
		return r.ValidUntil
	case r.Status.Final():
		return time.Time{}
	default:
		return r.effectiveEnd()
	}
}

// expire ends an overdue request. A due date before the expiry is the reason.
func (c *change) expire() {
	why := StatusReason{Code: BecauseExpired}
	c.by = identity.SystemExpiry
	if !c.DueEnd.IsZero() {
		why = StatusReason{Code: BecauseDeadline, StageKey: c.endingStage()}
		c.by = identity.SystemDeadline
	}
	c.finish(RequestExpired, why)
}

// AsOf returns the request at a time: an overdue request is expired, and an approval past its validity has
// lapsed, also before a job records it.
func (r Request) AsOf(now time.Time) Request {
	expired := !r.Status.Final() && r.Overdue(now)
	if !expired && !r.hasLapsed(now) {
		return r
	}
	c := r.begin(policy.Definition{}, identity.SystemExpiry, Facts{At: now})
	if expired {
		c.expire()
	}
	c.lapse()
	return c.Request
}

// Expire expires an overdue request. It has no effect on other requests, so late and repeated calls are
// harmless.
func (r Request) Expire(def policy.Definition, f Facts) (Request, []Event, error) {
	return r.transition(def, identity.SystemExpiry, f, func(c *change) error {
		_ = c.requireUnexpired() // there is no caller to refuse
		return nil
	})
}

// WarnOfExpiry records once that an open request expires soon. It skips requests with a lifetime below the
// warning period.
func (r Request) WarnOfExpiry(def policy.Definition, within time.Duration, f Facts) (Request, []Event, error) {
	return r.transition(def, identity.SystemExpiry, f, func(c *change) error {
		due := !c.Status.Final() && !c.Warned && c.ExpiresAt != nil && !c.Overdue(f.At) &&
			!f.At.Before(c.ExpiresAt.Add(-within)) && c.CreatedAt.Before(c.ExpiresAt.Add(-within))
		if due {
			c.Warned = true
			c.note(audit.EventRequestExpiring, nil, nil)
		}
		return nil
	})
}
