package store

import (
	"context"

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
		ClientID: r.ClientID, Kind: registrar.EventKind(r.Kind), Actor: r.Actor, At: fromMillis(r.AtMs), Changed: r.Changed,
		Reason: registrar.Reason(r.Reason), ProviderCode: r.ProviderCode,
	}
	for _, flag := range r.Flags {
		e.Flags = append(e.Flags, registrar.Flag(flag))
	}
	return e
}

const insertEvent = "INSERT INTO client_event (client_id, kind, actor, at_ms, changed, flags, reason, provider_code) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

func insertEvents(events []registrar.Event) []sqldb.Stmt {
	stmts := make([]sqldb.Stmt, len(events))
	for i, e := range events {
		var flags list
		for _, flag := range e.Flags {
			flags = append(flags, string(flag))
		}
		stmts[i] = sqldb.Stmt{SQL: insertEvent, Args: []any{
			e.ClientID, string(e.Kind), e.Actor, e.At.UnixMilli(), list(e.Changed), flags, string(e.Reason), e.ProviderCode,
		}}
	}
	return stmts
}

// AddEvents appends to the audit trail. Entries are never changed or removed; the
// database refuses it.
func (tx *Tx) AddEvents(events ...registrar.Event) error {
	if len(events) == 0 {
		return nil
	}
	return failed(tx.Batch(insertEvents(events)...), "store event")
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
		q = q.Where("(kind <> ? OR actor = ?)", string(registrar.EventRefused), f.Reader)
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
