package registrar

import (
	"errors"
	"slices"

	"github.com/countersign/countersign/libs/refusal"
)

// A client belongs to its interface, and there to the partner or relying party that it names. The
// two namespaces are separate: a partner and a relying party with the same id are different owners.
// The following rules apply to every change, regardless of the caller.

// Permit checks a change from c to after against the catalogue, which may have changed since the
// registration. The partner must be active and its mapping to the policy approved. The arguments
// are the catalogue's entries, or nil.
//
// A change to INACTIVE is always allowed if it changes nothing else.
func (c Client) Permit(after Client, partner *Partner, mapping *Mapping) error {
	others := slices.DeleteFunc(c.Changes(after), func(name string) bool { return name == "status" })
	if c.API != PartnerAPI || after.Status == ClientInactive && len(others) == 0 {
		return nil
	}
	switch {
	case partner == nil:
		return refusal.New(PartnerNotFound, "no partner %s", c.PartnerID)
	case partner.Status != EntryActive:
		return refusal.New(PartnerInactive, "partner %s is not active", c.PartnerID)
	case mapping == nil:
		return refusal.New(MappingNotFound, "partner %s has no mapping to policy %s", c.PartnerID, c.PolicyID)
	case mapping.Status != MappingApproved:
		return refusal.New(MappingNotApproved, "the mapping of partner %s to policy %s is not approved", c.PartnerID, c.PolicyID)
	}
	return nil
}

// checkGrant refuses an update that changes the claims or ACRs granted by a policy.
func (c Client) checkGrant(u Update) error {
	if c.API != PartnerAPI {
		return nil
	}
	var found problems
	given := errors.New("is given by the policy of the client, and never changes")
	if u.UserClaims != nil && !slices.Equal(u.UserClaims, c.UserClaims) {
		found.add("userClaims", InvalidClaim, given)
	}
	if u.ACRs != nil && !slices.Equal(u.ACRs, c.ACRs) {
		found.add("authContextRefs", InvalidACR, given)
	}
	return found.err()
}
