package store

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/trace"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// eventColumns is registrar.Event with the storage of each field.
type eventColumns struct {
	ClientID string
	Type     registrar.EventType
	Actor    string
	At       time.Time         `gorm:"column:at_ms;serializer:millis"`
	Acting   []registrar.Party `gorm:"serializer:jsontext;empty:[]"`
	Changed  []string          `gorm:"serializer:jsontext;empty:[]"`
	Ignored  []string          `gorm:"serializer:jsontext;empty:[]"`
	Flags    []registrar.Flag  `gorm:"serializer:jsontext;empty:[]"`

	ProviderClientID string

	Reason       registrar.Reason
	Comment      string
	ProviderCode string

	CallID, Traceparent string
}

type actingKey struct{}

// WithActing returns a context whose events record the parties that act for the caller.
func WithActing(ctx context.Context, parties []registrar.Party) context.Context {
	return context.WithValue(ctx, actingKey{}, parties)
}

func actingOf(ctx context.Context) []registrar.Party {
	parties, _ := ctx.Value(actingKey{}).([]registrar.Party)
	return parties
}

type eventRow struct {
	Seq   int64        `gorm:"primaryKey;->"` // set by the database
	Value eventColumns `gorm:"embedded"`
}

func (eventRow) TableName() string { return "client_event" }

func (r eventRow) event() registrar.Event { return registrar.Event(r.Value) }

var eventTable = sqldb.TableOf[eventRow]()

// insertEvents returns the statements that append events of this transaction, with the id of the current call.
func (tx *Tx) insertEvents(events []registrar.Event) []sqldb.Stmt {
	ctx := tx.Statement.Context
	for i := range events {
		e := &events[i]
		if e.At.IsZero() {
			e.At = tx.Now()
		}
		if e.Acting == nil {
			e.Acting = actingOf(ctx)
		}
		e.CallID, e.Traceparent = cmp.Or(e.CallID, oplog.CallID(ctx)), cmp.Or(e.Traceparent, trace.Parent(ctx))
	}
	tx.happened = append(tx.happened, events...)
	return eventTable.Insert("", sqldb.Values(events, func(e registrar.Event) eventRow { return eventRow{Value: eventColumns(e)} })...)
}

// AddEvent appends to the audit trail. The database refuses changes and deletions of entries.
func (tx *Tx) AddEvent(e registrar.Event) error {
	return wrapError(tx.Batch(tx.insertEvents([]registrar.Event{e})...), "store event")
}

// refusalsEvery is the interval in which equal refusals are stored once.
const refusalsEvery = time.Minute

// AddRefusal appends a refusal, unless the same actor was refused for the same client, reason and
// code in the last minute. This limits the events of a caller that repeats a refused request.
func (tx *Tx) AddRefusal(e registrar.Event) error {
	var recent []int64
	err := tx.Table("client_event").Where("type = 'refused' AND client_id = ? AND reason = ? AND at_ms > ? AND actor = ? AND provider_code = ?",
		e.ClientID, e.Reason, sqldb.Millis(e.At.Add(-refusalsEvery)), e.Actor, e.ProviderCode).Limit(1).Pluck("seq", &recent).Error
	if err != nil || len(recent) > 0 {
		return wrapError(err, "look for refusals of client %s", e.ClientID)
	}
	return tx.AddEvent(e)
}

// logEvents adds the events to the log line of the call. The worker's operations have their own lines.
func (s *Store) logEvents(ctx context.Context, list []registrar.Event) {
	for _, e := range list {
		oplog.LogEvents(ctx, s.db.Logger(), slog.String("client", e.ClientID), []string{string(e.Type)}, slog.String("reason", string(e.Reason)))
	}
}

var eventsBySeq = sqldb.List[eventRow]{
	Name: "events", Sort: "events", Numbers: []string{"seq"},
	Place: func(r eventRow) ([]int64, string) { return []int64{r.Seq}, "" },
}

// Events lists the audit trail of a client, the oldest first, also of a deleted client.
func (s *Store) Events(ctx context.Context, f registrar.EventFilter, p registrar.Page) ([]registrar.Event, string, error) {
	rows, nextPage, err := eventsBySeq.Page(s.db, s.eventsOf(ctx, f), f, p)
	return sqldb.Values(rows, eventRow.event), nextPage, wrapError(err, "list events of client %s", f.ClientID)
}

func (s *Store) eventsOf(ctx context.Context, f registrar.EventFilter) *gorm.DB {
	q := s.db.Read(ctx).Where("client_id = ?", sqldb.CleanText(f.ClientID))
	if f.Reader != "" {
		q = q.Where("(type <> ? OR actor = ?)", string(registrar.EventClientRefused), f.Reader)
	}
	return q
}

// auditRow is an entry of the trail of all clients.
type auditRow struct {
	Seq    int64
	Value  eventColumns `gorm:"embedded"`
	Purged int64
}

func (auditRow) TableName() string { return "client_event" }

func (r auditRow) auditEvent() registrar.AuditEvent {
	return registrar.AuditEvent{Event: registrar.Event(r.Value), Purged: r.Purged}
}

var eventsByTime = sqldb.List[auditRow]{
	Name: "audit", Sort: "events", Numbers: []string{"at_ms", "seq"}, Desc: true,
	Place: func(r auditRow) ([]int64, string) { return []int64{sqldb.Millis(r.Value.At), r.Seq}, "" },
}

func auditQuery(q *gorm.DB, f registrar.AuditFilter) *gorm.DB {
	q = sqldb.Equal(sqldb.Equal(sqldb.Equal(q, "client_id", f.ClientID), "actor", f.Actor), "type", f.Type)
	if !f.Since.IsZero() {
		q = q.Where("at_ms >= ?", sqldb.Millis(f.Since))
	}
	if !f.Until.IsZero() {
		q = q.Where("at_ms < ?", sqldb.Millis(f.Until))
	}
	return q
}

// Audit lists the audit trail of all clients, the newest first, also of deleted ones.
func (s *Store) Audit(ctx context.Context, f registrar.AuditFilter, p registrar.Page) ([]registrar.AuditEvent, string, error) {
	rows, nextPage, err := eventsByTime.Page(s.db, auditQuery(s.db.Read(ctx), f), f, p)
	return sqldb.Values(rows, auditRow.auditEvent), nextPage, wrapError(err, "list the audit trail")
}

// ExportAudit calls write for every entry of one snapshot of the audit trail, the oldest first. It may take long.
func (s *Store) ExportAudit(ctx context.Context, f registrar.AuditFilter, write func(registrar.AuditEvent) error) error {
	err := s.longSnapshot(ctx, func(db *gorm.DB) error {
		rows, err := auditQuery(db.Model(&auditRow{}), f).Order("at_ms, seq").Rows()
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var row auditRow
			if err := db.ScanRows(rows, &row); err != nil {
				return err
			}
			if err := write(row.auditEvent()); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return wrapError(err, "export the audit trail")
}
