package registrar

import (
	"cmp"
	"slices"
	"time"
)

// A client may be ACTIVE while its approval is in force. The approval service reports the standing
// of an approval after the decision. The end of its validity also applies without a report.

// Standing is the standing of a granted Approval. All but the first are final. Other approvals have none.
type Standing string

const (
	StandingInForce  Standing = "in_force" // may lapse or be revoked
	StandingLapsed   Standing = "lapsed"   // ValidUntil is reached
	StandingRevoked  Standing = "revoked"
	StandingReplaced Standing = "replaced" // the client depends on another approval, or no longer exists
)

// Values returns every value.
func (Standing) Values() []Standing {
	return []Standing{StandingInForce, StandingLapsed, StandingRevoked, StandingReplaced}
}

// standingConsumed is a standing of the approval service: the approval was used. It can no longer be
// revoked, and its validity still ends here.
const standingConsumed Standing = "consumed"

// UnknownInterval is the poll interval for an approval whose request the approval service does not have: it has purged
// the request, or was restored.
const UnknownInterval = 24 * time.Hour

// CanChange reports whether the standing of the approval can still change.
func (a Approval) CanChange() bool {
	return a.State == ApprovalGranted && a.Standing == StandingInForce
}

// EndEvent returns the event of the end of an approval, which changes a client from c to after.
func (a Approval) EndEvent(c, after Client, actor string, at time.Time) Event {
	reason := ApprovalLapsed
	if a.Standing == StandingRevoked {
		reason = ApprovalRevoked
	}
	return Event{
		ClientID: a.ClientID, Type: EventApprovalEnded, Actor: actor, At: at, Reason: reason, Comment: a.Comment,
		Changed: c.Changes(after),
	}
}

// HasEnded reports whether the approval has lapsed or was revoked.
func (a Approval) HasEnded() bool {
	return a.Standing == StandingLapsed || a.Standing == StandingRevoked
}

// HasLapsed reports whether the end of the validity is reached.
func (a Approval) HasLapsed(at time.Time) bool {
	return !a.ValidUntil.IsZero() && !at.Before(a.ValidUntil)
}

// RecordStanding records the standing of a granted approval at a time. v is the state of its request,
// or the zero value if it was not read. A state of another request or of other content is ignored.
func (a Approval) RecordStanding(v Verdict, at time.Time) Approval {
	if !a.CanChange() {
		return a
	}
	if v.Status == "approved" && v.RequestID == a.RequestID && v.ContextHash == a.ContextHash {
		switch v.Standing {
		case StandingInForce, standingConsumed:
			a.Standing, a.ValidUntil = StandingInForce, v.ValidUntil
		case StandingLapsed:
			return a.end(StandingLapsed, "the approval has lapsed")
		case StandingRevoked:
			return a.end(StandingRevoked, cmp.Or(v.EndReason, "the approval was revoked"))
		}
	}
	if a.HasLapsed(at) {
		return a.end(StandingLapsed, "the approval has lapsed")
	}
	return a
}

func (a Approval) end(s Standing, comment string) Approval {
	a.Standing, a.Comment = s, comment
	return a
}

// Dependence is a granted approval with the state that decides its effect on its client.
type Dependence struct {
	Approval Approval
	Client   Client     // the zero value if it no longer exists
	Call     Call       // pending for the client; the zero value for none
	Newer    []Approval // later approvals of the client
	Exempt   []string   // members that change without an approval
}

// FollowStep is the step that a granted approval requires.
type FollowStep string

const (
	FollowKeep    FollowStep = "keep"
	FollowReplace FollowStep = "replace" // the client does not depend on the approval

	// These steps follow the end of the approval.
	FollowWait    FollowStep = "wait"    // for the outcome of a call
	FollowSuspend FollowStep = "suspend" // the client becomes INACTIVE, here and at the identity provider
	FollowFail    FollowStep = "fail"    // the registration was not sent and fails
)

// Next returns the step that the approval requires.
func (d Dependence) Next() FollowStep {
	pending := d.Client.Status == ClientPending
	switch {
	case !d.isEffective():
		return FollowReplace
	case d.Approval.HasEnded() && (d.Client.OutcomeUnknown || pending && d.Call.Sent || d.hasChangeInFlight()):
		return FollowWait
	case d.Approval.HasEnded() && pending:
		return FollowFail
	case d.Approval.HasEnded():
		return FollowSuspend
	}
	return FollowKeep
}

// isEffective reports whether the client depends on the approval, or may depend on it after a pending
// call. It depends on the newest granted approval whose content it has.
func (d Dependence) isEffective() bool {
	a, c := d.Approval, d.Client
	switch {
	case c.ID == "" || a.AskedAt.Before(c.CreatedAt): // deleted, and perhaps registered again
		return false
	case c.Status == ClientFailed: // a retry needs a new approval
		return false
	case c.Status == ClientPending && d.Call.Kind != CallRegister: // abandoned
		return false
	}
	for _, n := range d.Newer {
		replaces := n.State == ApprovalGranted && n.Standing != StandingReplaced && c.conforms(n, d.Exempt)
		corrects := n.Open() && n.Kind == CallRegister // the registration waits for that approval
		if replaces || corrects {
			return false
		}
	}
	return c.conforms(a, d.Exempt) || d.Call.Kind == CallUpdate // the change is in flight, or was refused or replaced
}

// hasChangeInFlight reports whether a change under a later approval is on its way to the identity
// provider. It decides whether the client still depends on this approval.
func (d Dependence) hasChangeInFlight() bool {
	return d.Call.Kind == CallUpdate && slices.ContainsFunc(d.Newer, Approval.CanChange)
}

// NextRead returns the time of the next read of a granted approval, after the state v was read. It is
// not later than the end of its validity.
func (a Approval) NextRead(v Verdict, at time.Time) time.Time {
	next := at.Add(PollInterval)
	if v.Status == "unknown" {
		next = at.Add(UnknownInterval)
	}
	if a.ValidUntil.After(at) && a.ValidUntil.Before(next) {
		next = a.ValidUntil
	}
	return next
}

// conforms reports whether the client has the content of a granted approval. The exempt members, which change without
// an approval, are not compared, nor is the status.
func (c Client) conforms(a Approval, exempt []string) bool {
	if a.Kind == CallRegister {
		return true
	}
	return !slices.ContainsFunc(c.Changes(c.withFields(a.Wanted)), func(name string) bool {
		return !slices.Contains(exempt, name)
	})
}

// Suspend makes an ACTIVE client INACTIVE until a new approval. It does not change an INACTIVE one.
func (c Client) Suspend(at time.Time) (Client, error) { return c.Update(c.Suspension(), at) }

// Suspension returns the update of Suspend.
func (c Client) Suspension() Update {
	u := c.Deactivation()
	u.Suspend = true
	return u
}
