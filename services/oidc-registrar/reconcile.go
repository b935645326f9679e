package registrar

import (
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
)

// DifferenceKind is the state of a client's record at the identity provider.
type DifferenceKind string

const (
	DifferenceNone    DifferenceKind = ""
	DifferenceMissing DifferenceKind = "missing"   // no such client at the provider
	DifferenceMembers DifferenceKind = "different" // other values of Members
)

// DifferenceKinds lists the kinds of a client that differs.
var DifferenceKinds = []DifferenceKind{DifferenceMissing, DifferenceMembers}

// Difference is the deviation of the provider's record from the stored client.
type Difference struct {
	Kind    DifferenceKind
	Members []OtherValue // of DifferenceMembers
}

// OtherValue is a member with another value at the identity provider. Keys are thumbprints; an empty value is none.
type OtherValue struct {
	Member string `json:"member"` // its name in the client-management API, or else in RFC 7591
	Here   string `json:"here"`
	There  string `json:"there"`
}

// DifferentMembers returns the deviation of members, or the zero value for none.
func DifferentMembers(members ...OtherValue) Difference {
	if len(members) == 0 {
		return Difference{}
	}
	return Difference{DifferenceMembers, members}
}

// Equal reports whether d and other are the same.
func (d Difference) Equal(other Difference) bool {
	return d.Kind == other.Kind && slices.Equal(d.Members, other.Members)
}

// Fields returns the names of the members.
func (d Difference) Fields() (names []string) {
	for _, m := range d.Members {
		names = append(names, m.Member)
	}
	return names
}

// Event returns the audit event of the difference.
func (d Difference) Event(clientID, actor string, at time.Time) Event {
	e := Event{ClientID: clientID, Type: EventClientDiffers, Actor: actor, At: at, Changed: d.Fields()}
	if d.Kind == DifferenceMissing {
		e.Type = EventClientMissing
	}
	return e
}

// Repetition returns the update that changes no field: it overwrites the provider's record with c.
func (c Client) Repetition() Update { return c.statusUpdate(c.Status) }

// RecordMissing records that the provider has no record of an ACTIVE client. The client is PENDING until it
// is registered there again. It refuses other states and an unknown outcome.
func (c Client) RecordMissing(at time.Time) (Client, error) {
	if c.OutcomeUnknown {
		return c, c.refuseUnknownOutcome()
	}
	if c.Status != ClientActive {
		return c, refusal.New(InvalidStatus, "client %s is %s", c.ID, c.Status)
	}
	return c.withStatus(ClientPending, at), nil
}
