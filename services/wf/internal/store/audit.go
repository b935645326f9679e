package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/services/wf"
)

// AuditFilter narrows a list of events of all chains. What is zero does not; the values
// of a slice are alternatives.
type AuditFilter struct {
	Types        []wf.EventType
	Actor        string // user id
	RequestID    string // events of its chain, and those of the service that are about it
	Chain        string // the id of a request, or ServiceChain
	ResourceType string
	ResourceID   string
	Outcome      wf.EventOutcome
	ErrorCode    string

	CreatedAfter, CreatedBefore time.Time // both exclusive

	Oldest bool // first; else the newest are
}

// AuditEvent is an event with the name of its chain.
type AuditEvent struct {
	Chain string
	wf.Event
}

// ofService are the types of resources whose events stand in the service's own chain.
var ofService = []string{"delegation", "policy", "delivery", "endpoint"}

// apply adds the filter to a query. Where a value says that an event is one of few, the
// query says so in the words of the index of those few.
func (f AuditFilter) apply(q *gorm.DB) *gorm.DB {
	q = oneOf(q, "type", f.Types)
	q = equal(q, "actor_id", f.Actor)
	q = equal(q, "resource_type", f.ResourceType)
	q = equal(q, "resource_id", f.ResourceID)
	q = equal(q, "error_code", f.ErrorCode)
	switch {
	case f.Outcome == wf.Denied || f.ErrorCode != "":
		q = q.Where("outcome = 'denied'")
	case f.Outcome == wf.Success:
		q = q.Where("outcome = ''")
	}
	switch {
	case f.Chain == serviceChain || slices.Contains(ofService, f.ResourceType):
		q = q.Where("chain = 'service'")
	case f.Chain != "":
		q = q.Where("chain = ?", printable(f.Chain))
	}
	if f.RequestID != "" {
		id := printable(f.RequestID)
		q = q.Where("(chain = ? OR chain = 'service' AND request_id <> '' AND request_id = ?)", id, id)
	}
	if !f.CreatedAfter.IsZero() {
		q = q.Where("at_ms > ?", ms(f.CreatedAfter))
	}
	if !f.CreatedBefore.IsZero() {
		q = q.Where("at_ms < ?", ms(f.CreatedBefore))
	}
	return q
}

// AuditEvents lists events of all chains, with the names that are known of the people in
// them.
func (s *Store) AuditEvents(ctx context.Context, f AuditFilter, p Page) ([]AuditEvent, string, error) {
	order := sorting{name: "audit", numbers: []string{"at_ms"}, id: "id", validID: isID, desc: true}
	if f.Oldest {
		order.name, order.desc = "audit_oldest", false
	}
	p, err := s.bind(ctx, p, order.name, f)
	if err != nil {
		return nil, "", err
	}
	db := s.read(ctx)
	q, err := order.apply(f.apply(db.Model(&eventRow{})), p)
	if err != nil {
		return nil, "", err
	}
	var rows []eventRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, "", failed(err, "list audit events")
	}
	rows, more, err := next(order, p, rows, func(r eventRow) ([]int64, string) { return []int64{r.AtMS}, r.ID })
	if err != nil {
		return nil, "", err
	}
	events, err := all(rows, eventRow.event)
	if err != nil {
		return nil, "", err
	}
	if events, err = named(db, events); err != nil {
		return nil, "", err
	}
	list := make([]AuditEvent, len(rows))
	for i, row := range rows {
		list[i] = AuditEvent{row.Chain, events[i]}
	}
	return list, more, nil
}

// StoredEvent is an event as it is stored: its place in a chain, its hash, and the bytes
// that were hashed.
type StoredEvent struct {
	Chain string
	Seq   int64
	Hash  string
	Body  string
}

// StoredEvents returns at most limit events, chain by chain and each chain from its
// start, from the one after last on. Nothing holds the chains meanwhile: of each there is
// as much as was written when it was read, without a gap.
func (s *Store) StoredEvents(ctx context.Context, f AuditFilter, last StoredEvent, limit int) ([]StoredEvent, error) {
	var rows []StoredEvent
	err := f.apply(s.read(ctx).Model(&eventRow{})).Select("chain", "seq", "hash", "body").
		Where("(chain, seq) > (?, ?)", last.Chain, last.Seq).Order("chain, seq").Limit(limit).Find(&rows).Error
	return rows, failed(err, "read events after %d of chain %s", last.Seq, last.Chain)
}
