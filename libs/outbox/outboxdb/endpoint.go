package outboxdb

import (
	"cmp"
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/paging"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
)

type endpointRow struct {
	ID                 string `gorm:"primaryKey"`
	Name               string `gorm:"<-:create"`
	URL                string
	Format             outbox.Format
	Events, PolicyKeys []string `gorm:"serializer:jsontext"`
	Include            []string `gorm:"serializer:jsontext"`
	Signature          outbox.SignatureScheme
	Enabled            bool
	DisabledReason     outbox.DisabledReason
	DisabledMS         int64
	Key                outbox.SealedKey `gorm:"embedded"`
	PreviousSealed     string
	PreviousHint       string
	PreviousPublic     string
	PreviousUntilMS    int64
	Failures           int
	FailingSinceMS     int64
	PausedUntilMS      int64
	CreatedBy          outbox.Person `gorm:"serializer:jsontext;<-:create"`
	CreatedMS          int64         `gorm:"<-:create"`
	UpdatedMS          int64
	Rev                int64
}

func rowOfEndpoint(e outbox.Endpoint) *endpointRow {
	return &endpointRow{
		ID: e.ID, Name: e.Name, URL: e.URL, Format: e.Format, Events: e.Events, PolicyKeys: e.PolicyKeys, Include: e.Include, Signature: e.Signature,
		Enabled: e.Enabled, DisabledReason: e.DisabledReason, DisabledMS: ms(e.DisabledAt), Key: e.Key,
		PreviousSealed: e.Previous.Sealed, PreviousHint: e.Previous.Hint, PreviousPublic: e.Previous.PublicKey, PreviousUntilMS: ms(e.PreviousUntil),
		Failures: e.Health.Failures, FailingSinceMS: ms(e.Health.FailingSince), PausedUntilMS: ms(e.Health.PausedUntil),
		CreatedBy: e.CreatedBy, CreatedMS: ms(e.CreatedAt), UpdatedMS: ms(e.UpdatedAt), Rev: e.Rev,
	}
}

func (r endpointRow) endpoint() outbox.Endpoint {
	return outbox.Endpoint{
		ID: r.ID, Name: r.Name, URL: r.URL, Format: r.Format, Events: r.Events, PolicyKeys: r.PolicyKeys, Include: r.Include, Signature: r.Signature,
		Enabled: r.Enabled, DisabledReason: r.DisabledReason, DisabledAt: at(r.DisabledMS), Key: r.Key,
		Previous:      outbox.SealedKey{Sealed: r.PreviousSealed, Hint: r.PreviousHint, PublicKey: r.PreviousPublic},
		PreviousUntil: at(r.PreviousUntilMS),
		Health:        outbox.Health{Failures: r.Failures, FailingSince: at(r.FailingSinceMS), PausedUntil: at(r.PausedUntilMS)},
		CreatedBy:     r.CreatedBy, CreatedAt: at(r.CreatedMS), UpdatedAt: at(r.UpdatedMS), Rev: r.Rev,
	}
}

// AddEndpoint writes a new endpoint. It refuses an existing name with outbox.WrongState.
func (tx *Tx) AddEndpoint(e outbox.Endpoint) error {
	tx.loaded = nil
	err := tx.Create(rowOfEndpoint(e)).Error
	switch name, _ := sqldb.IsUnique(err); name {
	case "endpoint_name", "endpoint.name":
		return refusal.New(outbox.WrongState, "an endpoint %s exists", e.Name)
	}
	return wrapError(err, "add endpoint %s", e.ID)
}

// PutEndpoint writes a locked endpoint.
func (tx *Tx) PutEndpoint(e outbox.Endpoint) error {
	tx.loaded = nil
	return wrapError(sqldb.Put(tx.Tx, rowOfEndpoint(e), sqldb.ErrRowCount), "write endpoint %s", e.ID)
}

// DeleteEndpoint deletes an endpoint and releases its name. Its deliveries stay.
func (tx *Tx) DeleteEndpoint(id string) error {
	tx.loaded = nil
	return wrapError(sqldb.One(tx.Delete(&endpointRow{}, "id = ?", id), sqldb.ErrRowCount), "delete endpoint %s", id)
}

// Endpoint loads and locks an endpoint. Endpoints are locked before their deliveries.
func (tx *Tx) Endpoint(id string) (outbox.Endpoint, error) {
	return takeEndpoint(tx.Clauses(lockRow), id)
}

// ReadEndpoint returns an endpoint.
func (s *Store) ReadEndpoint(ctx context.Context, id string) (outbox.Endpoint, error) {
	e, err := takeEndpoint(s.db.Read(ctx), id)
	return e, s.Refusal(err)
}

func takeEndpoint(db *gorm.DB, id string) (outbox.Endpoint, error) {
	row, err := sqldb.Take[endpointRow](hasID(db, id), refusal.New(outbox.EndpointNotFound, "no webhook endpoint %s", id))
	return row.endpoint(), wrapError(err, "load endpoint %s", id)
}

var endpointTable = sqldb.TableOf[endpointRow]()

// LoadEndpoints returns the query of Endpoints, for a batch.
func (tx *Tx) LoadEndpoints() sqldb.Stmt {
	return sqldb.Stmt{SQL: endpointTable.From() + " ORDER BY id", Into: &tx.loaded}
}

// Endpoints returns every endpoint. It makes no query after that of LoadEndpoints, or its own, until the transaction
// changes an endpoint.
func (tx *Tx) Endpoints() ([]outbox.Endpoint, error) {
	if tx.loaded == nil {
		if err := tx.Batch(tx.LoadEndpoints()); err != nil {
			return nil, wrapError(err, "load endpoints")
		}
	}
	return sqldb.Values(tx.loaded, endpointRow.endpoint), nil
}

var endpointsByCreation = sqldb.List[endpointRow]{
	Name: "endpoints", Sort: "created_at", Numbers: []string{"created_ms"}, ID: "id", Desc: true,
	Place: func(r endpointRow) ([]int64, string) { return []int64{r.CreatedMS}, r.ID },
}

// Endpoints lists endpoints, newest first.
func (s *Store) Endpoints(ctx context.Context, f outbox.EndpointFilter, p paging.Page) ([]outbox.Endpoint, string, error) {
	q := sqldb.Search(s.db.Read(ctx), f.Q, "name", "url")
	if f.Enabled != nil {
		q = q.Where("enabled = ?", *f.Enabled)
	}
	rows, nextPage, err := endpointsByCreation.Page(s.db, q, f, p)
	return sqldb.Values(rows, endpointRow.endpoint), nextPage, s.Refusal(wrapError(err, "list endpoints"))
}

// CancelDeliveries cancels the waiting deliveries of an endpoint with outbox.Delivery.Cancel. It skips
// rows that are being sent, added or locked; those are cancelled when due. A transaction with many locks
// must not wait.
func (tx *Tx) CancelDeliveries(endpointID string) error {
	var ids []string
	err := tx.Batch(sqldb.Stmt{
		SQL: "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE target = ? AND " + isWaiting +
			tx.RowLock("FOR UPDATE SKIP LOCKED") + ") RETURNING id",
		Args: []any{endpointID}, Into: &ids,
	})
	if err == nil {
		set, arg := sqldb.Among(tx.DB, "id", ids)
		err = tx.Batch(sqldb.Stmt{
			SQL:  "UPDATE delivery SET status = 'cancelled', updated_ms = ? WHERE " + set,
			Args: []any{ms(tx.Now()), arg},
		})
	}
	return wrapError(err, "cancel the deliveries to endpoint %s", endpointID)
}

// LoadRecoverable loads and locks the deliveries of a recovery, oldest first and without payload. more reports
// further ones. It skips locked rows, because a transaction with many locks must not wait.
func (tx *Tx) LoadRecoverable(r outbox.Recovery) (list []outbox.Delivery, more bool, err error) {
	q := tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE", Options: "SKIP LOCKED"}).
		Where("rare_status = ? AND created_ms > ? AND created_ms < ?",
			cmp.Or(outbox.DeliveryStatus(r.Status), outbox.DeliveryFailed), ms(r.CreatedAfter), ms(r.CreatedBefore)).
		Where("endpoint IN ('', ?) OR endpoint_id IN (SELECT id FROM endpoint WHERE enabled)", outbox.People)
	var rows []deliveryRow
	err = sqldb.Equal(q, "endpoint", r.Endpoint).Order("created_ms, id").Limit(r.Limit + 1).Find(&rows).Error
	if err != nil {
		return nil, false, wrapError(err, "load deliveries to recover")
	}
	if more = len(rows) > r.Limit; more {
		rows = rows[:r.Limit]
	}
	return sqldb.Values(rows, deliveryRow.delivery), more, nil
}

// PutRecovered writes the changes of outbox.Delivery.Retry.
func (tx *Tx) PutRecovered(list []outbox.Delivery) error {
	rows, open := make([]deliveryRow, len(list)), make([]outboxRow, len(list))
	for i, d := range list {
		rows[i], open[i] = rowOfDelivery(d), rowOfOutbox(d)
	}
	stmts := deliveryTable.UpdateAll(rows, "status", "cycle", "attempt", "crashes", "updated_ms")
	return wrapError(tx.Batch(append(stmts, outboxTable.Insert("", open...)...)...), "write recovered deliveries")
}
