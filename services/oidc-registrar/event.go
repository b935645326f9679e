package registrar

import "time"

// EventType says what happened to a client.
type EventType string

const (
	EventClientRegistered EventType = "registered" // stored, PENDING
	EventClientActivated  EventType = "activated"  // the identity provider confirmed it
	EventClientUpdated    EventType = "updated"
	EventClientRefused    EventType = "refused"   // by this service or by the identity provider; Reason says why
	EventClientFailed     EventType = "failed"    // the identity provider could not be reached for too long, or has refused it when nobody waited for the answer
	EventClientRetried    EventType = "retried"   // corrected, or tried again, before it was ever active
	EventClientDoubtful   EventType = "doubtful"  // nobody can tell what became of a call to the identity provider
	EventClientConfirmed  EventType = "confirmed" // somebody has looked: the identity provider has what was sent
	EventClientDropped    EventType = "dropped"   // somebody has looked: it has not, or not from here
	EventClientGivenUp    EventType = "given_up"  // its owner does not want it any more
	EventClientHeld       EventType = "held"      // it goes on when people have approved it
	EventClientApproved   EventType = "approved"  // they have
	EventClientRemoved    EventType = "removed"   // it is gone here, and id and key are free
	EventClientDiffers    EventType = "differs"   // the identity provider has it otherwise; Changed names the fields
	EventClientMissing    EventType = "missing"   // the identity provider does not have it, or does not say so with its token
	EventClientRepaired   EventType = "repaired"  // the identity provider is told of it again
	EventClientImported   EventType = "imported"  // it was registered elsewhere, and is brought in
)

// Event is one entry of a client's audit trail. It never holds key material.
type Event struct {
	ClientID string // empty if the refused registration had none
	Type     EventType
	Actor    string // the caller's subject, or the name of the worker
	At       time.Time

	Changed []string // of EventUpdated: the names of the fields
	Ignored []string // of what a request had, the members that its door does not know
	Flags   []Flag   // of EventRegistered and EventImported

	ProviderClientID string // of EventClientActivated: the id that the identity provider gave it, if any

	Reason       Reason // of EventRefused and EventFailed
	Words        string // the reason that a person gave: an approver who denied it, or the caller who disabled the client
	ProviderCode string // the identity provider's code, if that is where the refusal came from

	// Of the call that caused it; the store knows them. Both are empty when a worker did.
	CallID      string
	Traceparent string // empty also when the call belongs to no trace
}
