package registrar

import (
	"time"

	"github.com/countersign/countersign/libs/envelope"
)

// AuditFilter narrows the audit trail of all clients. A zero field does not filter.
type AuditFilter struct {
	ClientID     string
	Actor        string
	Type         EventType
	Since, Until time.Time // Until is excluded
}

// AuditEvent is an entry of the audit trail of all clients.
type AuditEvent struct {
	Event
	Purged int64 // of EventPurged: number of deleted entries
}

// AuditRecord is an AuditEvent as a line of an export.
type AuditRecord struct {
	At               envelope.Time `json:"at"`
	ClientID         string        `json:"clientId,omitempty"`
	Kind             EventType     `json:"kind"`
	Actor            string        `json:"actor"`
	Acting           []Party       `json:"acting,omitempty"`
	Changed          []string      `json:"changed,omitempty"`
	Ignored          []string      `json:"ignored,omitempty"`
	Flags            []Flag        `json:"flags,omitempty"`
	Reason           Reason        `json:"reason,omitempty"`
	ProviderCode     string        `json:"providerCode,omitempty"`
	ProviderClientID string        `json:"providerClientId,omitempty"`
	Comment          string        `json:"comment,omitempty"`
	CallID           string        `json:"callId,omitempty"`
	Traceparent      string        `json:"traceparent,omitempty"`
	Purged           int64         `json:"purged,omitempty"`
}

// Record returns e as a line of an export.
func (e AuditEvent) Record() AuditRecord {
	return AuditRecord{
		envelope.Time{Time: e.At}, e.ClientID, e.Type, e.Actor, e.Acting, e.Changed, e.Ignored, e.Flags, e.Reason, e.ProviderCode, e.ProviderClientID,
		e.Comment, e.CallID, e.Traceparent, e.Purged,
	}
}
