package store

import (
	"context"
	"strings"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

type eventRow struct {
	Seq          int64 `gorm:"primaryKey"`
	ClientID     string
	Kind         string
	Actor        string
	AtMs         int64
	Changed      list
	Flags        list
	Reason       string
	ProviderCode string
}

func (eventRow) TableName() string { return "client_event" }

func (r eventRow) event() registrar.Event {
	e := registrar.Event{
		ClientID: r.ClientID, Type: registrar.EventType(r.Kind), Actor: r.Actor, At: fromMillis(r.AtMs), Changed: r.Changed,
		Reason: registrar.Reason(r.Reason), ProviderCode: r.ProviderCode,
	}
	for _, flag := range r.Flags {
		e.Flags = append(e.Flags, registrar.Flag(flag))
	}
	return e
}

const eventColumns = "client_id, kind, actor, at_ms, changed, flags, reason, provider_code"

// insertEvents is one statement for all events, of which there is at least one.
func insertEvents(events []registrar.Event) sqldb.Stmt {
	values := strings.Repeat(", (?, ?, ?, ?, ?, ?, ?, ?)", len(events))
	stmt := sqldb.Stmt{SQL: "INSERT INTO client_event (" + eventColumns + ") VALUES " + values[2:]}
	for _, e := range events {
		var flags list
		for _, flag := range e.Flags {
			flags = append(flags, string(flag))
		}
		stmt.Args = append(stmt.Args,
			e.ClientID, string(e.Type), e.Actor, e.At.UnixMilli(), list(e.Changed), flags, string(e.Reason), e.ProviderCode)
	}
	return stmt
}

// AddEvent appends to the audit trail. Entries are never changed or removed; the
// database refuses it.
func (tx *Tx) AddEvent(e registrar.Event) error {
	return failed(tx.Batch(insertEvents([]registrar.Event{e})), "store event")
}

// EventFilter narrows an audit trail.
type EventFilter struct {
	ClientID string

	// Reader, if set, is the subject of a caller who sees no refusal that somebody
	// else received.
	Reader string
}

// Events lists the audit trail of a client, the oldest first. A client that is
// gone still has one.
func (s *Store) Events(ctx context.Context, f EventFilter, p Page) ([]registrar.Event, string, error) {
	q := s.read(ctx).Where("client_id = ?", storable(f.ClientID)).Order("seq")
	if f.Reader != "" {
		q = q.Where("(kind <> ? OR actor = ?)", string(registrar.EventClientRefused), f.Reader)
	}
	q, err := p.after(q, "seq > ?", func(at place) []any { return []any{at.Number} })
	if err != nil {
		return nil, "", err
	}
	var rows []eventRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, "", failed(err, "list events of client %s", f.ClientID)
	}
	return next(p, rows, eventRow.event, func(r eventRow) place { return place{Number: r.Seq} })
}
