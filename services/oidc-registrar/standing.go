package registrar

import (
	"cmp"
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
	StandingReplaced Standing = "replaced" // a later approval was granted, or the client no longer exists
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

// Dependence is the newest granted approval of a client with the state that decides its effect.
type Dependence struct {
	Approval Approval
	Client   Client // the zero value if it no longer exists
	Call     Call   // pending for the client; the zero value for none
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
	a, c := d.Approval, d.Client
	pending := c.Status == ClientPending
	switch {
	case c.ID == "" || a.AskedAt.Before(c.CreatedAt), // deleted, and perhaps registered again
		c.Status == ClientFailed,               // a retry needs a new approval
		pending && d.Call.Kind != CallRegister: // abandoned
		return FollowReplace
	case !a.HasEnded():
		return FollowKeep
	case c.OutcomeUnknown || pending && d.Call.Sent:
		return FollowWait
	case pending:
		return FollowFail
	}
	return FollowSuspend
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

// Suspend makes an ACTIVE client INACTIVE until a new approval. It does not change an INACTIVE one.
func (c Client) Suspend(at time.Time) (Client, error) { return c.Update(c.Suspension(), at) }

// Suspension returns the update of Suspend.
func (c Client) Suspension() Update {
	u := c.Deactivation()
	u.Suspend = true
	return u
}
