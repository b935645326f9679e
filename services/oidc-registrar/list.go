package registrar

import (
	"time"

	"github.com/countersign/countersign/libs/paging"
)

// Page is a page of a list.
//
// Rows that are inserted or deleted between two pages may be missing. No other row is returned
// twice or missed.
type Page = paging.Page

// ClientFilter narrows a list of clients. A zero field does not filter.
type ClientFilter struct {
	API            API
	Partners       []string // any of these
	PartnerID      string
	PolicyID       string
	Status         ClientStatus
	OutcomeUnknown bool   // outcome at the identity provider unknown
	Suspended      bool   // INACTIVE until a new approval
	Q              string // substring of the id or the name, case-insensitive

	Origin         Origin
	KeyThumbprint  string // RFC 7638 thumbprint of a key, current, former or reserved by a pending change
	AwaitsApproval bool   // a registration or change waits for its approval
	Differs        bool   // from the provider's record, as of the last comparison
}

// EventFilter narrows an audit trail.
type EventFilter struct {
	ClientID string

	// Reader, if set, is the subject of the caller. Refusals of other callers are filtered out.
	Reader string
}

// CatalogEventFilter narrows the audit trail of the catalogue. A zero field does not filter.
type CatalogEventFilter struct {
	Partners []string // any of these
	PolicyID string
}

// ClientList selects one numbered page of clients, with the names in the catalogue. A non-empty
// text must be a substring of its field, case-insensitive.
type ClientList struct {
	PartnerID   string
	PartnerName string
	PolicyName  string
	ClientName  string
	Status      ClientStatus // if not empty
	None        bool         // matches no client

	Numbered
}

// SortCreated is the time of registration.
const SortCreated = "createdDateTime"

// ClientSorts lists the sort fields by their names in partner management.
var ClientSorts = []string{
	"partnerId", "orgName", "policyGroupName", "policyName", "clientId", "clientName", "status", SortCreated,
}

// ListedClient is one line of a ClientList. A name that the catalogue does not have is empty.
type ListedClient struct {
	ClientID    string
	ClientName  string
	PartnerID   string
	PartnerName string
	PolicyID    string
	PolicyName  string
	Status      ClientStatus
	CreatedAt   time.Time
}
