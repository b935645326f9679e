package registrar

import (
	"errors"
	"time"
)

// InitialToken allows its bearer to register clients of a partner under a policy (RFC 7591 §3),
// with a limit of uses and an expiry. The token itself is not stored.
type InitialToken struct {
	ID        string // identifier for events and logs; does not reveal the token
	PartnerID string
	PolicyID  string
	Uses      int // remaining
	ExpiresAt time.Time
	IssuedAt  time.Time
	IssuedBy  string // the admin's subject
}

// Limits of an InitialToken.
const (
	maxUses     = 1000
	maxLifetime = 90 * 24 * time.Hour
)

// Check returns the violations of a token to be issued at now, as problems.
func (t InitialToken) Check(now time.Time) error {
	var found problems
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
