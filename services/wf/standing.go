package wf

import (
	"cmp"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Consumption is the input of a use of an approval.
type Consumption struct {
	ContextHash string // of the content about to be used
	Consumer    string // name of the use, for people; may be empty
}

// Revoke ends an approval that is pending or in force.
func Revoke(cause string) Step {
	return func(c *change) error {
		if !c.req.mayRevoke(c.by) {
			return refusal.New(reason.Forbidden, "the caller may not revoke the approval of request %s", c.req.ID)
		}
		if err := c.mustStand(); err != nil {
			return err
		}
		c.reason = cause
		c.endStanding(StandingRevoked, audit.EventRequestRevoked, c.facts.At)
		return nil
	}
}

// Consume uses an approval in force, once.
func Consume(in Consumption) Step {
	return func(c *change) error {
		if !c.req.mayConsume(c.def, c.by) {
			return refusal.New(reason.Forbidden, "the caller may not consume the approval of request %s", c.req.ID)
		}
		if err := c.mustStand(); err != nil {
			return err
		}
		switch {
		case c.req.Standing.At(c.req.ValidFrom, c.facts.At) == StandingPending:
			return refusal.New(reason.WrongState, "the approval of request %s is not yet in force: it begins at %s",
				c.req.ID, identity.Stamp{Time: c.req.ValidFrom})
		case !c.def.Settings.SingleUse:
			return refusal.New(reason.WrongState, "policy %s has no single_use: its approvals are not consumed", c.req.PolicyKey)
		case in.ContextHash != c.req.ContextHash:
			return refusal.New(reason.WrongState, "the content of request %s has another context_hash", c.req.ID)
		}
		c.reason = in.Consumer
		c.endStanding(StandingConsumed, audit.EventRequestConsumed, c.facts.At)
		return nil
	}
}

// At returns the standing at a time: a pending approval is in force from its start on.
func (s Standing) At(from, now time.Time) Standing {
	if s == StandingPending && !now.Before(from) {
		return StandingInForce
	}
	return s
}

// Stands reports whether the approval is pending or in force.
func (s Standing) Stands() bool { return s == StandingPending || s == StandingInForce }

// start returns the time from which an approval is in force.
func (r Request) start() time.Time {
	if r.ValidFrom.After(r.CompletedAt) {
		return r.ValidFrom
	}
	return r.CompletedAt
}

// EndsUnused reports whether the end that the content of an open request sets has passed: an approval would lapse
// immediately.
func (r Request) EndsUnused(now time.Time) bool {
	return !r.Status.Final() && !r.ValidUntil.IsZero() && !now.Before(r.ValidUntil)
}

// hasLapsed reports whether the validity of an approval is over.
func (r Request) hasLapsed(now time.Time) bool {
	return r.Standing.Stands() && !r.ValidUntil.IsZero() && !now.Before(r.ValidUntil)
}

// lapse ends an approval whose validity is over, as the service, and reports whether it was.
func (c *change) lapse() bool {
	if !c.req.hasLapsed(c.facts.At) {
		return false
	}
	c.by, c.reason = identity.SystemExpiry, ""
	end := c.req.ValidUntil
	if end.Before(c.req.CompletedAt) { // the approval came too late
		end = c.req.CompletedAt
	}
	c.endStanding(StandingLapsed, audit.EventRequestLapsed, end)
	return true
}

// mustStand refuses a request without an approval that is pending or in force. It commits a due expiry or lapse.
func (c *change) mustStand() error {
	if err := c.requireUnexpired(); err != nil {
		return err
	}
	if c.req.Status != RequestApproved {
		return refusal.New(reason.WrongState, "request %s is %s, not approved", c.req.ID, c.req.Status)
	}
	c.keep = c.lapse()
	if !c.req.Standing.Stands() {
		at := identity.Stamp{Time: c.req.EndedAt}
		return refusal.New(reason.WrongState, "the approval of request %s was %s at %s", c.req.ID, ended[c.req.Standing], at)
	}
	return nil
}

// ended names the end of an approval in refusals.
var ended = map[Standing]string{
	StandingLapsed: "ended by its validity", StandingRevoked: "revoked", StandingConsumed: "consumed",
}

// computeValidity evaluates the validity that the content sets. The end must be in the future and after the start. It
// also checks valid_for, so that the approval cannot fail.
func (c *change) computeValidity() error {
	y := c.def.Settings.ValidityOrZero()
	if y.ValidFor != "" {
		if err := policy.CheckValidFor(y.ValidFor); err != nil {
			return refusal.New(reason.EngineRefused, "settings.validity.valid_for of policy %s %s", c.req.PolicyKey, err)
		}
	}
	from, err := c.validity("from_cel", y.FromCEL, policy.YieldsTime)
	if err != nil {
		return err
	}
	until, err := c.validity("until_cel", y.UntilCEL, policy.YieldsTime)
	if err != nil {
		return err
	}
	length, err := c.validity("valid_for_cel", y.ValidForCEL, policy.YieldsDue)
	if err != nil {
		return err
	}
	refuse := func(member, format string, args ...any) error {
		return refusal.New(reason.EngineRefused, "settings.validity."+member+" yields "+format, args...)
	}
	switch end := (identity.Stamp{Time: until.Time}); {
	case y.UntilCEL != "" && !until.Time.After(c.facts.At):
		return refuse("until_cel", "%s, which is not in the future", end)
	case y.UntilCEL != "" && !until.Time.After(from.Time):
		return refuse("until_cel", "%s, which is not after the start, %s", end, identity.Stamp{Time: from.Time})
	case y.ValidForCEL != "":
		if err := policy.CheckValidFor(length.Due.In); err != nil {
			return refuse("valid_for_cel", "%q, which %s", length.Due.In, err)
		}
	}
	if end := policy.EarliestEnd(from.Time, cmp.Or(y.ValidFor, length.Due.In), until.Time); end.Year() > 9999 {
		return refuse("from_cel", "%s, and the approval would end after the year 9999", identity.Stamp{Time: from.Time})
	}
	c.req.ValidFrom, c.req.ValidUntil, c.req.ValidFor = from.Time, until.Time, length.Due.In
	return nil
}

// validity returns the value of an expression of settings.validity; the zero value without one.
func (c *change) validity(member, source string, yields policy.Yield) (value policy.Value, _ error) {
	if source == "" {
		return value, nil
	}
	value = c.evaluate(source, yields)
	switch {
	case approver.IsUnanswered(value.Failure):
		return value, reason.NoAnswer("settings.validity.%s: %s", member, value.Failure.Message)
	case value.Failure != nil:
		return value, refusal.New(reason.EngineRefused, "settings.validity.%s: %s", member, value.Explain())
	}
	return value, nil
}

// endStanding ends an approval in force, on behalf of the actor.
func (c *change) endStanding(end Standing, kind audit.EventType, at time.Time) {
	c.req.Standing, c.req.EndedAt, c.req.EndedBy, c.req.EndReason = end, at, new(c.by.User), c.reason
	c.note(kind, nil, nil)
}

// mayRevoke reports whether the caller may revoke an approval: the requester, the submitter, an actor of a
// counted approval, an owner of the policy, or an admin.
func (r Request) mayRevoke(by identity.Actor) bool {
	return r.isParty(by.ID) || by.Manages() || slices.ContainsFunc(r.Tasks, func(t Task) bool {
		last, _ := r.LatestRun(t.StageKey)
		d := t.Decision
		return last.Owns(t) && d != nil && d.Action == ActionApprove && d.Actor.ID == by.ID
	})
}

// mayConsume reports whether the caller may consume an approval. WF_ADMIN alone does not permit it.
func (r Request) mayConsume(def policy.Definition, by identity.Actor) bool {
	if def.Settings.Consumers != nil {
		return def.Settings.Consumers.Includes(by)
	}
	return r.isParty(by.ID)
}

// isParty reports whether the user is the requester or the submitter.
func (r Request) isParty(id string) bool { return id == r.Requester.ID || id == r.SubmittedBy.ID }
