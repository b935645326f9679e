package wf

import (
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// unexpired ends a request whose time is over, and refuses the caller. Nothing else can
// happen to such a request.
func (c *change) unexpired() error {
	if c.Status.Final() || !c.Overdue(c.facts.At) {
		return nil
	}
	c.by, c.keep = identity.SystemExpiry, true
	c.finish(RequestExpired, StatusReason{Code: BecauseExpired})
	return refusal.New(reason.WrongState, "request %s has expired", c.ID)
}

// AsOf is the request as callers read it: one whose time is over reads as expired, also
// before the service has stored that.
func (r Request) AsOf(now time.Time) Request {
	if r.Status.Final() || !r.Overdue(now) {
		return r
	}
	c := r.begin(policy.Definition{}, identity.SystemExpiry, Facts{At: now})
	c.finish(RequestExpired, StatusReason{Code: BecauseExpired})
	return c.Request
}

// Expire ends a request whose time is over. It leaves any other as it is, so a late or
// repeated call is harmless.
func (r Request) Expire(def policy.Definition, f Facts) (Request, []Event, error) {
	return r.transition(def, identity.SystemExpiry, f, func(c *change) error {
		_ = c.unexpired() // there is no caller to refuse
		return nil
	})
}

// WarnOfExpiry records, once, that an open request expires soon. It skips requests that started
// with less time than the warning period.
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
