package registrar

import "time"

// EventKind says what happened to a client.
type EventKind string

const (
	EventRegistered EventKind = "registered" // stored, PENDING
	EventActivated  EventKind = "activated"  // the identity provider confirmed it
	EventUpdated    EventKind = "updated"
	EventRefused    EventKind = "refused" // by this service or by the identity provider; Reason says why
	EventFailed     EventKind = "failed"  // the last attempt to reach the identity provider is over
	EventRetried    EventKind = "retried" // FAILED to PENDING, on demand
)

// Event is one entry of a client's audit trail. It never holds key material.
type Event struct {
	ClientID string // empty if the refused registration had none
	Kind     EventKind
	Actor    string // the caller's subject; the worker's name for what it did alone
	At       time.Time

	Changed []string // of EventUpdated: the names of the fields
	Flags   []Flag   // of EventRegistered

	Reason       Reason // of EventRefused and EventFailed
	ProviderCode string // the identity provider's code, if that is where the refusal came from
}
