package outboxdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/paging"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
)

// deliveryRow is a delivery without its payload. The state of an unfinished delivery is in outboxRow.
type deliveryRow struct {
	ID                                string `gorm:"primaryKey"`
	EventID, Variant                  string
	EventType                         string
	Subject                           sql.NullString
	Sequence                          int64
	EndpointID                        sql.NullString
	Endpoint, URL, Target             string
	Status                            outbox.DeliveryStatus // sending until it is done; see rowOfDelivery
	Cycle, Attempt, Crashes           int
	LastAttemptMS                     int64
	LastStatusCode                    int
	LastError                         string
	LastDurationMS                    int64
	ResponseExcerpt                   string
	DeliveredMS, CreatedMS, UpdatedMS int64
}

var deliveryTable = sqldb.TableOf[deliveryRow]()

func nullString(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// rowOfDelivery returns the row of a delivery. An unfinished delivery has the status sending, so that the
// row is written only at its creation and after attempts.
func rowOfDelivery(d outbox.Delivery) deliveryRow {
	if isOpen(d) {
		d.Status = outbox.DeliverySending
	}
	target := cmp.Or(d.Target.EndpointID, d.Target.Endpoint, d.Target.URL)
	if d.Target.ToPeople() { // one event can have several recipients
		target = d.Target.URL
	}
	return deliveryRow{
		ID: d.ID, EventID: d.EventID, Variant: d.Variant, EventType: d.EventType, Subject: nullString(d.Subject), Sequence: d.Sequence,
		EndpointID: nullString(d.Target.EndpointID), Endpoint: d.Target.Endpoint, URL: d.Target.URL,
		Target: target,
		Status: d.Status, Cycle: d.Cycle, Attempt: d.Attempt, Crashes: d.Crashes,
		LastAttemptMS: ms(d.LastAttemptAt), LastStatusCode: d.LastStatusCode, LastError: printable(d.LastError),
		LastDurationMS: d.LastDuration.Milliseconds(), ResponseExcerpt: printable(d.ResponseExcerpt),
		DeliveredMS: ms(d.DeliveredAt), CreatedMS: ms(d.CreatedAt), UpdatedMS: ms(d.UpdatedAt),
	}
}

func (r deliveryRow) delivery() outbox.Delivery {
	return outbox.Delivery{
		ID: r.ID, EventID: r.EventID, Variant: r.Variant, EventType: r.EventType, Subject: r.Subject.String, Sequence: r.Sequence,
		Target: outbox.Target{EndpointID: r.EndpointID.String, Endpoint: r.Endpoint, URL: r.URL},
		Status: r.Status, Cycle: r.Cycle, Attempt: r.Attempt, Crashes: r.Crashes,
		LastAttemptAt: at(r.LastAttemptMS), LastStatusCode: r.LastStatusCode, LastError: r.LastError,
		LastDuration: time.Duration(r.LastDurationMS) * time.Millisecond, ResponseExcerpt: r.ResponseExcerpt,
		DeliveredAt: at(r.DeliveredMS), CreatedAt: at(r.CreatedMS), UpdatedAt: at(r.UpdatedMS),
	}
}

// messageRow is the payload that the deliveries of an event in one variant share.
type messageRow struct {
	EventID     string `gorm:"primaryKey"`
	Variant     string `gorm:"primaryKey"`
	Payload     string
	Traceparent string
}

var messageTable = sqldb.TableOf[messageRow]()

// Add returns the statements that add deliveries.
func (tx *Tx) Add(list []outbox.Delivery) []sqldb.Stmt {
	rows := make([]deliveryRow, len(list))
	var messages []messageRow
	var open []outboxRow
	for i, d := range list {
		rows[i] = rowOfDelivery(d)
		if isOpen(d) {
			open = append(open, rowOfOutbox(d))
		}
		if i == 0 || list[i-1].EventID != d.EventID || list[i-1].Variant != d.Variant { // those of a message come together
			messages = append(messages, messageRow{EventID: d.EventID, Variant: d.Variant, Payload: string(d.Payload), Traceparent: d.Traceparent})
		}
	}
	return slices.Concat(
		messageTable.Insert(" ON CONFLICT DO NOTHING", messages...),
		deliveryTable.Insert("", rows...),
		outboxTable.Insert("", open...),
	)
}

type attemptRow struct {
	DeliveryID            string `gorm:"primaryKey"`
	Cycle                 int    `gorm:"primaryKey;autoIncrement:false"`
	Seq                   int    `gorm:"primaryKey;autoIncrement:false"`
	Number                sql.NullInt64
	StartedMS, FinishedMS int64
	Outcome               outbox.AttemptOutcome
	StatusCode            int
	Error, Excerpt        string
}

func (attemptRow) TableName() string { return "delivery_attempt" }

var attemptTable = sqldb.TableOf[attemptRow]()

func rowOfAttempt(a outbox.Attempt) attemptRow {
	return attemptRow{
		DeliveryID: a.DeliveryID, Cycle: a.Cycle, Seq: a.Seq, Number: sql.NullInt64{Int64: int64(a.N), Valid: a.N != 0},
		StartedMS: ms(a.StartedAt), FinishedMS: ms(a.FinishedAt), Outcome: a.Outcome, StatusCode: a.StatusCode,
		Error: printable(a.Error), Excerpt: printable(a.Excerpt),
	}
}

func (r attemptRow) attempt() outbox.Attempt {
	return outbox.Attempt{
		DeliveryID: r.DeliveryID, Cycle: r.Cycle, Seq: r.Seq, N: int(r.Number.Int64),
		StartedAt: at(r.StartedMS), FinishedAt: at(r.FinishedMS), Outcome: r.Outcome, StatusCode: r.StatusCode,
		Error: r.Error, Excerpt: r.Excerpt,
	}
}

// Delivery loads a delivery, without its payload, and locks it. It reports false when
// there is none.
func (tx *Tx) Delivery(id string) (outbox.Delivery, bool, error) {
	if !isID(id) {
		return outbox.Delivery{}, false, nil
	}
	var row deliveryRow
	var open outboxRow
	where := " WHERE id = ?" + tx.RowLock("FOR NO KEY UPDATE")
	err := tx.Batch(
		sqldb.Stmt{SQL: outboxTable.From() + where, Args: []any{id}, Into: &open},
		sqldb.Stmt{SQL: deliveryTable.From() + where, Args: []any{id}, Into: &row},
	)
	d := row.delivery()
	if err == nil && isOpen(d) {
		if open.ID == "" { // retried during the wait for the second lock; the retry may wait for the first lock
			err = tx.Batch(sqldb.Stmt{SQL: outboxTable.From() + " WHERE id = ?", Args: []any{id}, Into: &open})
		}
		fill(&d, open.Due(), open.Lease())
	}
	return d, row.ID != "", wrapError(err, "load delivery %s", id)
}

func (s *Store) readDelivery(db *gorm.DB, id string) (outbox.Delivery, bool, error) {
	row, err := sqldb.Take[deliveryState](hasID(db.Table(states), id), nil)
	return row.delivery(), row.Row.ID != "", wrapError(err, "load delivery %s", id)
}

// PutDelivery writes a delivery that Delivery has locked. Its event and its target's name
// never change.
func (tx *Tx) PutDelivery(d outbox.Delivery) error {
	stmts := deliveryTable.UpdateAll([]deliveryRow{rowOfDelivery(d)}, "url", "status", "cycle", "attempt", "crashes", "last_attempt_ms",
		"last_status_code", "last_error", "last_duration_ms", "response_excerpt", "delivered_ms", "updated_ms")
	return wrapError(tx.Batch(append(stmts, putOutbox(d)...)...), "write delivery %s", d.ID)
}

// ReadDelivery returns a delivery with its payload and its attempts, oldest first. An
// unknown id is a state conflict.
func (s *Store) ReadDelivery(ctx context.Context, id string) (d outbox.Delivery, tries []outbox.Attempt, err error) {
	err = s.db.Snapshot(ctx, func(db *gorm.DB) (err error) {
		var found bool
		if d, found, err = s.readDelivery(db, id); err != nil {
			return err
		}
		if !found {
			return refusal.New(outbox.WrongState, "no delivery %s", id)
		}
		var message messageRow
		if err := db.Take(&message, "event_id = ? AND variant = ?", d.EventID, d.Variant).Error; err != nil {
			return err
		}
		d.Payload, d.Traceparent = []byte(message.Payload), message.Traceparent
		var rows []attemptRow
		if err := db.Order("cycle, seq").Find(&rows, "delivery_id = ?", id).Error; err != nil {
			return err
		}
		for _, row := range rows {
			tries = append(tries, row.attempt())
		}
		return nil
	})
	return d, tries, s.Refusal(wrapError(err, "load delivery %s", id))
}

// inStatus restricts a query of deliveries to the given states. An empty list permits all states.
func inStatus(q *gorm.DB, list []outbox.DeliveryStatus) *gorm.DB {
	var conditions []string
	for _, status := range list {
		switch status {
		case outbox.DeliveryPending:
			conditions = append(conditions, isWaiting)
		case outbox.DeliverySending:
			conditions = append(conditions, isSending)
		case outbox.DeliveryFailed, outbox.DeliveryCancelled:
			conditions = append(conditions, "rare_status = '"+string(status)+"'")
		case outbox.DeliveryDelivered:
			conditions = append(conditions, "status = 'delivered'")
		default:
			conditions = append(conditions, "1 = 0")
		}
	}
	if conditions == nil {
		return q
	}
	return q.Where("(" + strings.Join(conditions, " OR ") + ")")
}

var deliveriesByCreation = sqldb.List[deliveryState]{
	Name: "deliveries", Sort: "created_at", Numbers: []string{"created_ms"}, ID: "id", Desc: true,
	Place: func(r deliveryState) ([]int64, string) { return []int64{r.Row.CreatedMS}, r.Row.ID },
}

// Deliveries lists deliveries without their payload, newest first.
func (s *Store) Deliveries(ctx context.Context, f outbox.DeliveryFilter, p paging.Page) ([]outbox.Delivery, string, error) {
	if s.UUID && f.Subject != "" && !isID(f.Subject) {
		f.Subject = uuid.Nil.String() // the column requires a UUID; this one identifies no object
	}
	q := sqldb.OneOf(inStatus(s.db.Read(ctx).Table(states), f.Status), "endpoint", f.Endpoint)
	q = sqldb.OneOf(q, "event_type", f.EventType)
	q = sqldb.Equal(q, "subject", f.Subject)
	if !f.CreatedAfter.IsZero() {
		q = q.Where("created_ms > ?", ms(f.CreatedAfter))
	}
	rows, nextPage, err := deliveriesByCreation.Page(s.db, q, f, p)
	return sqldb.Values(rows, deliveryState.delivery), nextPage, s.Refusal(wrapError(err, "list deliveries"))
}
