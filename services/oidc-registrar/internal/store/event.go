package store

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/trace"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// eventColumns is registrar.Event, field by field, with where each is stored.
type eventColumns struct {
	ClientID string
	Type     registrar.EventType `gorm:"column:kind"`
	Actor    string
	At       time.Time        `gorm:"column:at_ms;serializer:millis"`
	Changed  []string         `gorm:"serializer:jsontext;empty:[]"`
	Ignored  []string         `gorm:"serializer:jsontext;empty:[]"`
	Flags    []registrar.Flag `gorm:"serializer:jsontext;empty:[]"`

	ProviderClientID string

	Reason       registrar.Reason
	Words        string
	ProviderCode string

	CallID, Traceparent string
}

type eventRow struct {
	Seq   int64        `gorm:"primaryKey;->"` // made by the database
	Value eventColumns `gorm:"embedded"`
}

func (eventRow) TableName() string { return "client_event" }

func (r eventRow) event() registrar.Event { return registrar.Event(r.Value) }

var eventTable = sqldb.TableOf[eventRow]()

// insertEvents returns the statements that append events, of the call that the transaction
// belongs to.
func (tx *Tx) insertEvents(events []registrar.Event) []sqldb.Stmt {
	ctx := tx.Statement.Context
	for i := range events {
		e := &events[i]
		e.CallID, e.Traceparent = cmp.Or(e.CallID, trace.CallID(ctx)), cmp.Or(e.Traceparent, trace.Parent(ctx))
	}
	tx.happened = append(tx.happened, events...)
	return eventTable.Insert("", sqldb.Values(events, func(e registrar.Event) eventRow { return eventRow{Value: eventColumns(e)} })...)
}

// AddEvent appends to the audit trail. Entries are never changed or removed; the
// database refuses it.
func (tx *Tx) AddEvent(e registrar.Event) error {
	return failed(tx.Batch(tx.insertEvents([]registrar.Event{e})...), "store event")
}

// refusalsEvery is how long one refusal stands for those that are like it.
const refusalsEvery = time.Minute

// AddRefusal appends a refusal, unless the same actor was refused for the same client,
// reason and code in the last minute. Whoever is refused again and again fills no table.
func (tx *Tx) AddRefusal(e registrar.Event) error {
	var recent []int64
	err := tx.Table("client_event").Where("kind = 'refused' AND client_id = ? AND reason = ? AND at_ms > ? AND actor = ? AND provider_code = ?",
		e.ClientID, e.Reason, sqldb.Millis(e.At.Add(-refusalsEvery)), e.Actor, e.ProviderCode).Limit(1).Pluck("seq", &recent).Error
	if err != nil || len(recent) > 0 {
		return failed(err, "look for refusals of client %s", e.ClientID)
	}
	return tx.AddEvent(e)
}

// tell says what has happened, in the line of the call that did it. What the worker did
// has lines of its own.
func (s *Store) tell(ctx context.Context, list []registrar.Event) {
	for _, e := range list {
		oplog.Happened(ctx, s.db.Logger(), slog.String("client", e.ClientID), []string{string(e.Type)}, slog.String("reason", string(e.Reason)))
	}
}

var eventsBySeq = sqldb.List[eventRow]{
	Name: "events", Sort: "events", Numbers: []string{"seq"},
	Place: func(r eventRow) ([]int64, string) { return []int64{r.Seq}, "" },
}

// Events lists the audit trail of a client, the oldest first. A client that is
// gone still has one.
func (s *Store) Events(ctx context.Context, f registrar.EventFilter, p registrar.Page) ([]registrar.Event, string, error) {
	q := s.db.Read(ctx).Where("client_id = ?", sqldb.Printable(f.ClientID))
	if f.Reader != "" {
		q = q.Where("(kind <> ? OR actor = ?)", string(registrar.EventClientRefused), f.Reader)
	}
	rows, nextPage, err := eventsBySeq.Page(s.db, q, f, sqldb.Page(p))
	return sqldb.Values(rows, eventRow.event), nextPage, failed(err, "list events of client %s", f.ClientID)
}
