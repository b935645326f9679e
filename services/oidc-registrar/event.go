package registrar

import "time"

// EventType is the type of a client's audit event.
type EventType string

const (
	EventClientRegistered     EventType = "registered" // stored, PENDING
	EventClientActivated      EventType = "activated"  // confirmed by the identity provider
	EventClientUpdated        EventType = "updated"
	EventClientRefused        EventType = "refused"        // by this service or the identity provider, with a Reason
	EventClientFailed         EventType = "failed"         // provider unreachable for too long, or a late refusal
	EventClientRetried        EventType = "retried"        // corrected or retried before it was ever active
	EventClientOutcomeUnknown EventType = "doubtful"       // the outcome of a call to the identity provider is unknown
	EventClientConfirmed      EventType = "confirmed"      // an admin confirmed that the identity provider has the client as sent
	EventClientDropped        EventType = "dropped"        // an admin found no client of this service at the identity provider
	EventClientAbandoned      EventType = "abandoned"      // registration abandoned by its owner
	EventClientHeld           EventType = "held"           // the call to the provider is held until its approval
	EventClientApproved       EventType = "approved"       // approval granted
	EventApprovalEnded        EventType = "approval_ended" // approval lapsed or revoked; Reason holds which
	EventClientRemoved        EventType = "removed"        // deleted here; id and key are free
	EventClientDiffers        EventType = "differs"        // the identity provider's record differs; Changed names the fields
	EventClientMissing        EventType = "missing"        // the identity provider has no such client, or rejects its token
	EventClientRepaired       EventType = "repaired"       // sent to the identity provider again
	EventClientExpired        EventType = "expired"        // INACTIVE for good at the end of its time
	EventClientImported       EventType = "imported"       // registered elsewhere and imported
	EventPurged               EventType = "purged"         // old entries were deleted; of no client
)

// Values returns every value.
func (EventType) Values() []EventType {
	return []EventType{
		EventClientRegistered, EventClientActivated, EventClientUpdated, EventClientRefused, EventClientFailed,
		EventClientRetried, EventClientOutcomeUnknown, EventClientConfirmed, EventClientDropped, EventClientAbandoned,
		EventClientHeld, EventClientApproved, EventApprovalEnded, EventClientRemoved, EventClientDiffers, EventClientMissing,
		EventClientRepaired, EventClientExpired, EventClientImported, EventPurged,
	}
}

// Party is a party that acts for the subject of a token (act, RFC 8693 §4.1).
type Party struct {
	Subject string `json:"sub" doc:"Subject of the party."`
	Issuer  string `json:"iss,omitempty" doc:"Issuer of the subject; absent if the token does not name it."`
}

// Event is one entry of a client's audit trail. It never contains key material.
type Event struct {
	ClientID string // empty if the refused registration had none
	Type     EventType
	Actor    string // the caller's subject, or the name of the worker
	At       time.Time

	// Acting are the parties that acted for the caller, the current one first. The store sets those of its call.
	Acting []Party

	Changed []string // of EventUpdated: names of the fields
	Ignored []string // unknown members of the request
	Flags   []Flag   // of EventRegistered and EventImported

	ProviderClientID string // of EventClientActivated: id assigned by the identity provider, if any

	Reason       Reason // of EventRefused, EventFailed and EventApprovalEnded
	Comment      string // reason given by the approver or by the caller who disabled the client
	ProviderCode string // the identity provider's code, if it refused

	// Of the call that caused the event; set by the store. Both are empty for an event of a worker.
	CallID      string
	Traceparent string // empty also if the call has no trace
}
