package registrar

import (
	"errors"
	"time"
)

// InitialToken lets whoever holds it register clients of a partner under a policy (RFC
// 7591 §3): so many, until a time. The token itself is nowhere stored.
type InitialToken struct {
	ID        string // names the token in events and logs, and does not reveal it
	PartnerID string
	PolicyID  string
	Uses      int // that are left
	ExpiresAt time.Time
	IssuedBy  string // the admin's subject
}

// The most that an InitialToken allows.
const (
	maxUses     = 1000
	maxLifetime = 90 * 24 * time.Hour
)

// Check reports what is wrong with a token that is to be issued now, as an Invalid.
func (t InitialToken) Check(now time.Time) error {
	var found Invalid
	found.add("authPartnerId", InvalidPartnerID, checkID(t.PartnerID, 100))
	found.add("policyId", InvalidPolicyID, checkID(t.PolicyID, 36))
	if t.Uses < 1 || t.Uses > maxUses {
		found.add("uses", InvalidRequest, errors.New("must be 1 to 1000"))
	}
	if d := t.ExpiresAt.Sub(now); d <= 0 || d > maxLifetime {
		found.add("expiresIn", InvalidRequest, errors.New("must be 1 second to 90 days"))
	}
	return found.err()
}
