package registrar

import "time"

// CallKind says what the identity provider has to be told.
type CallKind string

const (
	CallRegister CallKind = "register"
	CallUpdate   CallKind = "update"
	CallRemove   CallKind = "remove" // of a client that was given up
	CallRead     CallKind = "read"   // nothing is told, but asked with a token that the provider may replace
)

// Delays are the waits after the first attempt and each further one. When they
// are used up, the client is FAILED.
var Delays = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour}

// Call is a call to the identity provider that still has to be made. It is stored in
// the transaction that makes it necessary, and removed in the one that records its
// outcome. A crash in between repeats the call and loses nothing.
type Call struct {
	ClientID string
	Kind     CallKind

	// Attempts counts the attempts that were begun. It is raised before the call is
	// made, so an attempt that ends in a crash counts.
	Attempts int

	// DueAt is when the next attempt may begin. While one runs it is the end of
	// the lease: whoever finds the call due then may take it over.
	DueAt time.Time

	// Sent says that the provider may have got it. It is raised before an attempt, so a
	// crash leaves it raised, and taken back when nothing has left this service.
	Sent bool

	// Ours says that whatever the provider has under the id of the client is this client:
	// somebody has looked, and confirmed it.
	Ours bool
}

// Prior is what the provider may have of a client before a call.
type Prior int

const (
	PriorNone    Prior = iota // nothing of ours
	PriorUnknown              // an earlier attempt may have had its effect
	PriorOurs                 // what it has under the client's id is ours
)

// Prior is what the provider may have before the next attempt.
func (c Call) Prior() Prior {
	switch {
	case c.Ours:
		return PriorOurs
	case c.Sent:
		return PriorUnknown
	}
	return PriorNone
}

// Begin takes the call for the length of lease, which must be longer than an
// attempt can last.
func (c Call) Begin(at time.Time, lease time.Duration) Call {
	c.Attempts++
	c.DueAt = at.Add(lease)
	c.Sent = true
	return c
}

// Postpone says when to try again after a failed attempt; ok is false when there
// is no further attempt.
func (c Call) Postpone(at time.Time) (next Call, ok bool) {
	if c.Attempts > len(Delays) {
		return c, false
	}
	c.DueAt = at.Add(Delays[max(c.Attempts, 1)-1])
	return c, true
}

// Parked is when a call is due that waits for a person.
var Parked = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// RecheckDelay is the time between two reads of the provider that may settle a doubt.
const RecheckDelay = time.Hour

// Recheck keeps a call whose outcome is unknown for the next read of the provider. Attempts count from the
// beginning: such a call is never given up.
func (c Call) Recheck(at time.Time) Call {
	c.DueAt, c.Attempts = at.Add(RecheckDelay), 0
	return c
}

// Park keeps the call, which tells what the provider may have, until somebody says how it
// goes on.
func (c Call) Park() Call {
	c.DueAt = Parked
	return c
}
