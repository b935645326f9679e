package registrar

import (
	"slices"
	"time"
)

// DifferenceKind says how a client stands at the identity provider.
type DifferenceKind string

const (
	DifferenceNone    DifferenceKind = ""
	DifferenceMissing DifferenceKind = "missing" // the provider has none
	DifferenceChanged DifferenceKind = "changed" // it has other fields, which Fields names
	DifferenceLocked  DifferenceKind = "locked"  // it does not accept the client's own token: the client is gone there, or only the token
)

// DifferenceKinds are those of a client that differs.
var DifferenceKinds = []DifferenceKind{DifferenceMissing, DifferenceChanged, DifferenceLocked}

// Difference is what the provider has of a client otherwise than it is here.
type Difference struct {
	Kind   DifferenceKind
	Fields []string // of DifferenceChanged, by their names at the provider door
}

// Equal reports whether d and other are the same.
func (d Difference) Equal(other Difference) bool {
	return d.Kind == other.Kind && slices.Equal(d.Fields, other.Fields)
}

// Event is the event that says so.
func (d Difference) Event(clientID, actor string, at time.Time) Event {
	e := Event{ClientID: clientID, Type: EventClientDiffers, Actor: actor, At: at, Changed: d.Fields}
	switch d.Kind {
	case DifferenceMissing:
		e.Type = EventClientMissing
	case DifferenceLocked:
		e.Type, e.Reason = EventClientMissing, ProviderDoubtful
	}
	return e
}

// Again is the update that changes nothing: it makes the provider's record what c is.
func (c Client) Again() Update { return c.as(c.Status) }

// Lost says that the provider has nothing of an ACTIVE client: it is PENDING until it is
// registered there anew.
func (c Client) Lost(at time.Time) (Client, error) {
	if c.Doubtful {
		return c, c.doubtful()
	}
	if c.Status != ClientActive {
		return c, Refuse(InvalidStatus, "client %s is %s", c.ID, c.Status)
	}
	return c.become(ClientPending, at), nil
}
