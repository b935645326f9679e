package registrar

import (
	"slices"
	"time"
)

// CatalogEventType is the type of a change to the catalogue.
type CatalogEventType string

const (
	CatalogCreated  CatalogEventType = "created"  // a policy or a partner
	CatalogUpdated  CatalogEventType = "updated"  // Changed lists the fields
	CatalogApproved CatalogEventType = "approved" // the partner may use the policy
	CatalogRevoked  CatalogEventType = "revoked"

	CatalogRequested CatalogEventType = "requested" // a mapping, by its partner
	CatalogRejected  CatalogEventType = "rejected"  // a request for a mapping

	CatalogTokenIssued  CatalogEventType = "token_issued" // an initial access token for the partner under the policy
	CatalogTokenRevoked CatalogEventType = "token_revoked"
)

// Values returns every value.
func (CatalogEventType) Values() []CatalogEventType {
	return []CatalogEventType{
		CatalogCreated, CatalogUpdated, CatalogApproved, CatalogRevoked, CatalogRequested, CatalogRejected,
		CatalogTokenIssued, CatalogTokenRevoked,
	}
}

// CatalogEvent is one entry of the audit trail of the catalogue. It names a partner, a policy, or
// both if it concerns their mapping.
type CatalogEvent struct {
	PartnerID string
	PolicyID  string
	Type      CatalogEventType
	Actor     string
	At        time.Time
	Changed   []string
	TokenID   string // of CatalogTokenIssued and CatalogTokenRevoked

	CallID      string // of the call that caused it; empty if a file did
	Traceparent string
}

// Changes lists the fields that differ between p and after, by their names in the API.
func (p Partner) Changes(after Partner) []string {
	return changedFields(
		field{"name", p.Name == after.Name}, field{"type", p.Type == after.Type},
		field{"status", p.Status == after.Status}, field{"logoUri", p.LogoURI == after.LogoURI})
}

// Changes lists the fields that differ between p and after, by their names in the API.
func (p Policy) Changes(after Policy) []string {
	return changedFields(
		field{"name", p.Name == after.Name}, field{"type", p.Type == after.Type}, field{"status", p.Status == after.Status},
		field{"userClaims", slices.Equal(p.UserClaims, after.UserClaims)}, field{"authContextRefs", slices.Equal(p.ACRs, after.ACRs)},
		field{"mandatoryAuthTypes", slices.Equal(p.MandatoryAuthTypes, after.MandatoryAuthTypes)},
		field{"approvalPolicy", p.ApprovalPolicy == after.ApprovalPolicy},
		field{"clientTypes", slices.Equal(p.ClientTypes, after.ClientTypes)},
		field{"approvalExempt", slices.Equal(p.ApprovalExempt, after.ApprovalExempt)},
		field{"expiresAfter", p.ExpiresAfter == after.ExpiresAfter})
}

// field is the name of a field, and whether it is the same in two values.
type field struct {
	name string
	same bool
}

func changedFields(fields ...field) []string {
	var names []string
	for _, f := range fields {
		if !f.same {
			names = append(names, f.name)
		}
	}
	return names
}
