package wf

import (
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

// Revoke ends an approval in force.
func (r Request) Revoke(def policy.Definition, cause string, by identity.Actor, f Facts) (_ Request, _ []Event, err error) {
	c := newChange(r, def, by, f)
	defer c.Recover(&err)
	return c.end(c.revoke(cause))
}

func (c *change) revoke(cause string) error {
	if !c.mayRevoke(c.by) {
		return refusal.New(reason.Forbidden, "the caller may not revoke the approval of request %s", c.ID)
	}
	if err := c.inForce(); err != nil {
		return err
	}
	c.reason = cause
	c.endStanding(StandingRevoked, audit.EventRequestRevoked, c.facts.At)
	return nil
}

// Consume uses an approval in force, once.
func (r Request) Consume(def policy.Definition, in Consumption, by identity.Actor, f Facts) (_ Request, _ []Event, err error) {
	c := newChange(r, def, by, f)
	defer c.Recover(&err)
	return c.end(c.consume(in))
}

func (c *change) consume(in Consumption) error {
	if !c.mayConsume(c.def, c.by) {
		return refusal.New(reason.Forbidden, "the caller may not consume the approval of request %s", c.ID)
	}
	if err := c.inForce(); err != nil {
		return err
	}
	switch {
	case !c.def.Settings.SingleUse:
		return refusal.New(reason.WrongState, "policy %s has no single_use: its approvals are not consumed", c.PolicyKey)
	case in.ContextHash != c.ContextHash:
		return refusal.New(reason.WrongState, "the content of request %s has another context_hash", c.ID)
	}
	c.reason = in.Consumer
	c.endStanding(StandingConsumed, audit.EventRequestConsumed, c.facts.At)
	return nil
}

// hasLapsed reports whether the validity of an approval in force is over.
func (r Request) hasLapsed(now time.Time) bool {
	return r.Standing == StandingInForce && !r.ValidUntil.IsZero() && !now.Before(r.ValidUntil)
}

// lapse ends an approval whose validity is over, as the service, and reports whether it was.
func (c *change) lapse() bool {
	if !c.hasLapsed(c.facts.At) {
		return false
	}
	c.by, c.reason = identity.SystemExpiry, ""
	end := c.ValidUntil
	if end.Before(c.CompletedAt) { // the approval came too late
		end = c.CompletedAt
	}
	c.endStanding(StandingLapsed, audit.EventRequestLapsed, end)
	return true
}

// inForce refuses a request without an approval in force. It commits a due expiry or lapse.
func (c *change) inForce() error {
	if err := c.requireUnexpired(); err != nil {
		return err
	}
	if c.Status != RequestApproved {
		return refusal.New(reason.WrongState, "request %s is %s, not approved", c.ID, c.Status)
	}
	c.keep = c.lapse()
	if c.Standing != StandingInForce {
		at := identity.Stamp{Time: c.EndedAt}
		return refusal.New(reason.WrongState, "the approval of request %s was %s at %s", c.ID, ended[c.Standing], at)
	}
	return nil
}

// ended names the end of an approval in refusals.
var ended = map[Standing]string{
	StandingLapsed: "ended by its validity", StandingRevoked: "revoked", StandingConsumed: "consumed",
}

// computeValidity evaluates the end of the approval that the content sets, which must be in the future. It also
// checks valid_for, so that the approval cannot fail.
func (c *change) computeValidity() error {
	if _, err := c.def.Settings.ValidUntil(c.facts.At, time.Time{}); err != nil {
		return refusal.New(reason.EngineRefused, "settings.validity.valid_for of policy %s %s", c.PolicyKey, err)
	}
	source := c.def.Settings.UntilCEL()
	if source == "" {
		return nil
	}
	value := c.evaluate(source, policy.YieldsTime)
	switch {
	case approver.IsUnanswered(value.Failure):
		return reason.NoAnswer("settings.validity.until_cel: %s", value.Failure.Message)
	case value.Failure != nil:
		return refusal.New(reason.EngineRefused, "settings.validity.until_cel: %s", value.Failure.Message)
	case !value.Time.After(c.facts.At):
		return refusal.New(reason.EngineRefused, "settings.validity.until_cel yields %s, which is not in the future",
			identity.Stamp{Time: value.Time})
	}
	c.ValidUntil = value.Time
	return nil
}

// endStanding ends an approval in force, on behalf of the actor.
func (c *change) endStanding(end Standing, kind audit.EventType, at time.Time) {
	c.Standing, c.EndedAt, c.EndedBy, c.EndReason = end, at, new(c.by.User), c.reason
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
