package registrar

import "time"

// EventType says what happened to a client.
type EventType string

const (
	EventClientRegistered EventType = "registered" // stored, PENDING
	EventClientActivated  EventType = "activated"  // the identity provider confirmed it
	EventClientUpdated    EventType = "updated"
	EventClientRefused    EventType = "refused" // by this service or by the identity provider; Reason says why
	EventClientFailed     EventType = "failed"  // the last attempt to reach the identity provider has failed
	EventClientRetried    EventType = "retried" // FAILED to PENDING, on demand
)

// Event is one entry of a client's audit trail. It never holds key material.
type Event struct {
	ClientID string // empty if the refused registration had none
	Type     EventType
	Actor    string // the caller's subject, or the name of the worker
	At       time.Time

	Changed []string // of EventUpdated: the names of the fields
	Flags   []Flag   // of EventRegistered

	Reason       Reason // of EventRefused and EventFailed
	ProviderCode string // the identity provider's code, if that is where the refusal came from

	// Of the call that caused it; the store knows them. Both are empty when a worker did.
	CallID      string
	Traceparent string // empty also when the call belongs to no trace
}
