package registrar

import "time"

// Page is a part of a list: at most Limit items (50 when zero, never more than
// 200) after the place where Cursor points. Cursor is empty for the first page and
// else what the page before returned as nextPage, with the same filter.
//
// Rows that come and go between two pages are seen or not, but no row that stays
// is seen twice or missed.
type Page struct {
	Limit  int
	Cursor string
}

// ClientFilter narrows a list of clients. A zero field does not filter.
type ClientFilter struct {
	Door      Door
	Partners  []string // one of these
	PartnerID string
	PolicyID  string
	Status    ClientStatus
	Doubtful  bool   // of which it is not known what the identity provider has
	Q         string // part of the id or the name, in any letter case
}

// EventFilter narrows an audit trail.
type EventFilter struct {
	ClientID string

	// Reader, if set, is the subject of a caller who sees no refusal that somebody
	// else received.
	Reader string
}

// CatalogEventFilter narrows the audit trail of the catalogue. A zero field does not filter.
type CatalogEventFilter struct {
	Partners []string // one of these
	PolicyID string
}

// ClientList asks for one page of clients by its number, with the names that the catalogue
// has for them. A text that is not empty has to be part of a field, in any letter case.
type ClientList struct {
	PartnerID   string
	PartnerName string
	PolicyName  string
	ClientName  string
	Status      ClientStatus // if not empty
	None        bool         // asks for what no client has

	Sort       ClientSort
	Descending bool
	Page, Size int // pages count from 0
}

// ClientSort is a field that a ClientList is sorted by. Clients that are the same in it
// are sorted by their id.
type ClientSort string

// SortCreated is the time of registration.
const SortCreated ClientSort = "createdDateTime"

// ClientSorts are the fields to sort by, by their names in partner management.
var ClientSorts = []ClientSort{
	"partnerId", "orgName", "policyGroupName", "policyName", "clientId", "clientName", "status", SortCreated,
}

// ListedClient is one line of a ClientList. A name is empty if the catalogue has none.
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
