package registrar

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
	Q         string // part of the id or the name, in any letter case
}

// EventFilter narrows an audit trail.
type EventFilter struct {
	ClientID string

	// Reader, if set, is the subject of a caller who sees no refusal that somebody
	// else received.
	Reader string
}
