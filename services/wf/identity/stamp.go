package identity

import (
	"time"

	"github.com/countersign/countersign/libs/envelope"
)

// Stamp is a point in time in events, decisions, replies and webhooks.
type Stamp = envelope.Time

// StampOf returns nil for the zero time.
func StampOf(t time.Time) *Stamp { return envelope.OptionalTime(t) }
