package registrar

import "time"

// CallKind is the operation of a call to the identity provider.
type CallKind string

const (
	CallRegister CallKind = "register"
	CallUpdate   CallKind = "update"
	CallRemove   CallKind = "remove" // of an abandoned client
	CallRead     CallKind = "read"   // reads the client; the provider may replace the access token
)

// Values returns every value.
func (CallKind) Values() []CallKind {
	return []CallKind{CallRegister, CallUpdate, CallRemove, CallRead}
}

// Delays are the delays after the first attempt and after each later one. After the last delay the
// client becomes FAILED.
var Delays = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour}

// Call is a pending call to the identity provider. It is stored in the transaction that requires it
// and removed in the transaction that records its outcome. After a crash in between, the call is
// repeated.
type Call struct {
	ClientID string
	Kind     CallKind

	// Attempts counts the attempts that were started. It is incremented before the call, so an
	// attempt that ends in a crash counts.
	Attempts int

	// DueAt is the earliest start of the next attempt. During an attempt it is the end of the
	// lease: after it, any process may take over the call.
	DueAt time.Time

	// Sent reports that the provider may have received the call. It is set before an attempt, so it
	// survives a crash. It is cleared if no data has left this service.
	Sent bool

	// Ours reports that an admin has confirmed the provider's client with this id as this client.
	Ours bool
}

// Prior is the state of the client at the provider before a call.
type Prior int

const (
	PriorNone    Prior = iota // no client of this service
	PriorUnknown              // an earlier attempt may have had its effect
	PriorOurs                 // the client with this id belongs to this service
)

// Prior returns the possible state at the provider before the next attempt.
func (c Call) Prior() Prior {
	switch {
	case c.Ours:
		return PriorOurs
	case c.Sent:
		return PriorUnknown
	}
	return PriorNone
}

// Begin leases the call for the given duration, which must exceed the longest possible attempt.
func (c Call) Begin(at time.Time, lease time.Duration) Call {
	c.Attempts++
	c.DueAt = at.Add(lease)
	c.Sent = true
	return c
}

// Postpone schedules the next attempt after a failure. It returns false if no attempt is left.
func (c Call) Postpone(at time.Time) (next Call, ok bool) {
	if c.Attempts > len(Delays) {
		return c, false
	}
	c.DueAt = at.Add(Delays[max(c.Attempts, 1)-1])
	return c, true
}

// Repeat schedules one more attempt after the last delay of the schedule.
func (c Call) Repeat(at time.Time) Call {
	c.DueAt, c.Attempts = at.Add(Delays[len(Delays)-1]), len(Delays)
	return c
}

// HeldUntil is the due time of a held call.
var HeldUntil = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// RecheckDelay is the time between two provider reads that can resolve an unknown outcome.
const RecheckDelay = time.Hour

// Recheck schedules the next provider read of a call with unknown outcome. It resets Attempts, so
// such a call is never abandoned.
func (c Call) Recheck(at time.Time) Call {
	c.DueAt, c.Attempts = at.Add(RecheckDelay), 0
	return c
}

// Hold holds the call, with its record of the provider's possible state, until an admin resolves
// it.
func (c Call) Hold() Call {
	c.DueAt = HeldUntil
	return c
}
