package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

type endpointRow struct {
	ID                                           string `gorm:"primaryKey"`
	Name, URL, Events, PolicyKeys                string
	Signature                                    wf.SignatureScheme
	Enabled                                      bool
	DisabledReason                               wf.DisabledReason
	DisabledMS                                   int64
	Sealed, Hint, PublicKey                      string
	PreviousSealed, PreviousHint, PreviousPublic string
	PreviousUntilMS                              int64
	Failures                                     int
	FailingSinceMS, PausedUntilMS                int64
	CreatedBy                                    string
	CreatedMS, UpdatedMS                         int64
	Rev                                          int64
}

func (endpointRow) TableName() string { return "endpoint" }

var endpointTable = tableOf[endpointRow]()

func rowOfEndpoint(e wf.Endpoint) (endpointRow, error) {
	var c codec
	return endpointRow{
		ID: e.ID, Name: e.Name, URL: e.URL, Events: c.text(e.Events), PolicyKeys: c.text(e.PolicyKeys), Signature: e.Signature,
		Enabled: e.Enabled, DisabledReason: e.DisabledReason, DisabledMS: ms(e.DisabledAt),
		Sealed: e.Key.Sealed, Hint: e.Key.Hint, PublicKey: e.Key.PublicKey,
		PreviousSealed: e.Previous.Sealed, PreviousHint: e.Previous.Hint, PreviousPublic: e.Previous.PublicKey, PreviousUntilMS: ms(e.PreviousUntil),
		Failures: e.Health.Failures, FailingSinceMS: ms(e.Health.FailingSince), PausedUntilMS: ms(e.Health.PausedUntil),
		CreatedBy: c.text(e.CreatedBy), CreatedMS: ms(e.CreatedAt), UpdatedMS: ms(e.UpdatedAt), Rev: e.Rev,
	}, c.err
}

func (r endpointRow) endpoint() (wf.Endpoint, error) {
	var c codec
	e := wf.Endpoint{
		ID: r.ID, Name: r.Name, URL: r.URL, Signature: r.Signature,
		Enabled: r.Enabled, DisabledReason: r.DisabledReason, DisabledAt: at(r.DisabledMS),
		Key:           wf.SealedKey{Sealed: r.Sealed, Hint: r.Hint, PublicKey: r.PublicKey},
		Previous:      wf.SealedKey{Sealed: r.PreviousSealed, Hint: r.PreviousHint, PublicKey: r.PreviousPublic},
		PreviousUntil: at(r.PreviousUntilMS),
		Health:        wf.Health{Failures: r.Failures, FailingSince: at(r.FailingSinceMS), PausedUntil: at(r.PausedUntilMS)},
		CreatedAt:     at(r.CreatedMS), UpdatedAt: at(r.UpdatedMS), Rev: r.Rev,
	}
	c.read(r.Events, &e.Events)
	c.read(r.PolicyKeys, &e.PolicyKeys)
	c.read(r.CreatedBy, &e.CreatedBy)
	return e, failed(c.err, "read endpoint %s", r.ID)
}

// AddEndpoint writes a new endpoint. It is refused with wf.WrongState when there is
// one of its name.
func (tx *Tx) AddEndpoint(e wf.Endpoint) error {
	tx.wroteEndpoint = true
	row, err := rowOfEndpoint(e)
	if err == nil {
		err = tx.Batch(endpointTable.insert("", row)...)
	}
	switch name, _ := sqldb.IsUnique(err); name {
	case "endpoint_name", "endpoint.name":
		return wf.Refuse(wf.WrongState, "an endpoint %s exists", e.Name)
	}
	return failed(err, "add endpoint %s", e.ID)
}

// PutEndpoint turns before, which is locked, into after.
func (tx *Tx) PutEndpoint(before, after wf.Endpoint) error {
	tx.wroteEndpoint = true
	old, err := rowOfEndpoint(before)
	if err != nil {
		return err
	}
	now, err := rowOfEndpoint(after)
	if err != nil {
		return err
	}
	return failed(tx.Batch(endpointTable.update(old, now, "")...), "write endpoint %s", after.ID)
}

// DeleteEndpoint deletes an endpoint, which frees its name. Its deliveries stay.
func (tx *Tx) DeleteEndpoint(id string) error {
	tx.wroteEndpoint = true
	return failed(tx.Batch(sqldb.Stmt{SQL: "DELETE FROM endpoint WHERE id = ?", Args: []any{id}, Want: 1}), "delete endpoint %s", id)
}

// Endpoint loads an endpoint and locks it. Endpoints are locked before their
// deliveries.
func (tx *Tx) Endpoint(id string) (wf.Endpoint, error) {
	return takeEndpoint(tx.Clauses(lockRow), id)
}

// ReadEndpoint returns an endpoint.
func (s *Store) ReadEndpoint(ctx context.Context, id string) (wf.Endpoint, error) {
	return takeEndpoint(s.read(ctx), id)
}

func takeEndpoint(db *gorm.DB, id string) (wf.Endpoint, error) {
	unknown := wf.Refuse(wf.EndpointNotFound, "no webhook endpoint %s", id)
	if !isID(id) {
		return wf.Endpoint{}, unknown
	}
	var row endpointRow
	err := db.Take(&row, "id = ?", id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return wf.Endpoint{}, unknown
	}
	if err != nil {
		return wf.Endpoint{}, failed(err, "load endpoint %s", id)
	}
	return row.endpoint()
}

// endpointsVersion asks for what tells one state of the endpoints from another. It
// comes with the load of a request, and costs a twentieth of loading them.
func endpointsVersion(into *string) sqldb.Select {
	return sqldb.Select{
		SQL:  "SELECT count(*) || ' ' || coalesce(string_agg(CAST(id AS text) || ':' || rev, ' ' ORDER BY id), '') FROM endpoint",
		Into: into,
	}
}

// endpointList is the endpoints as they were committed at a version.
type endpointList struct {
	version string
	list    []wf.Endpoint
}

func (l endpointList) versioned() endpointList {
	var b strings.Builder
	fmt.Fprint(&b, len(l.list), " ")
	for i, e := range l.list {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, e.ID, ":", e.Rev)
	}
	l.version = b.String()
	return l
}

// Endpoints returns every endpoint; the list must not be changed. In a transaction
// that has read a request they are remembered from an earlier one unless their
// revisions have changed, so that what has none, their health and how their keys are
// encrypted, may be out of date.
func (tx *Tx) Endpoints() ([]wf.Endpoint, error) {
	known := tx.store.endpoints.Load()
	if !tx.wroteEndpoint && known != nil && known.version == tx.endpointsVersion {
		return known.list, nil
	}
	var rows []endpointRow
	err := tx.Load(sqldb.Select{SQL: endpointTable.from() + " ORDER BY id", Into: &rows})
	if err != nil {
		return nil, failed(err, "load endpoints")
	}
	list, err := all(rows, endpointRow.endpoint)
	if err == nil && !tx.wroteEndpoint {
		now := endpointList{list: list}.versioned()
		tx.store.endpoints.Store(&now)
	}
	return list, err
}

// Endpoints lists endpoints, newest first.
func (s *Store) Endpoints(ctx context.Context, f wf.EndpointFilter, page wf.Page) ([]wf.Endpoint, string, error) {
	q := search(s.read(ctx).Model(&endpointRow{}), f.Q, "name", "url")
	if f.Enabled != nil {
		q = q.Where("enabled = ?", *f.Enabled)
	}
	p, err := s.bind(ctx, page, "endpoints", f)
	if err != nil {
		return nil, "", err
	}
	order := byCreation("endpoint")
	q, err = order.apply(q, p)
	if err != nil {
		return nil, "", err
	}
	var rows []endpointRow
	if err := q.Find(&rows).Error; err != nil {
		return nil, "", failed(err, "list endpoints")
	}
	rows, more, err := next(order, p, rows, func(r endpointRow) ([]int64, string) { return []int64{r.CreatedMS}, r.ID })
	if err != nil {
		return nil, "", err
	}
	list, err := all(rows, endpointRow.endpoint)
	return list, more, err
}

// CancelDeliveries cancels what waits for an endpoint, as wf.Delivery.Cancel does. What
// is being sent ends by itself, and what another transaction is adding is cancelled
// when it is due.
func (tx *Tx) CancelDeliveries(endpointID string) error {
	var ids []string
	err := tx.Load(sqldb.Select{
		SQL:  "SELECT id FROM delivery WHERE lane = ? AND " + isWaiting + " ORDER BY created_ms, id FOR NO KEY UPDATE",
		Args: []any{endpointID}, Into: &ids,
	})
	if err == nil {
		set, arg := tx.setOf(ids)
		err = tx.Batch(sqldb.Stmt{
			SQL:  "UPDATE delivery SET status = 'cancelled', updated_ms = ? WHERE id " + set,
			Args: []any{ms(tx.Now), arg}, Want: int64(len(ids)),
		})
	}
	return failed(err, "cancel the deliveries to endpoint %s", endpointID)
}

// Recoverable loads and locks the deliveries of a recovery that can be retried, oldest
// first and without their payload. more reports whether the limit left some.
func (tx *Tx) Recoverable(r wf.Recovery) (list []wf.Delivery, more bool, err error) {
	q := tx.Model(&deliveryRow{}).Clauses(lockRow).
		Where("status = ? AND created_ms > ? AND created_ms < ?", r.Status, ms(r.CreatedAfter), ms(r.CreatedBefore)).
		Where("(endpoint = '' OR endpoint_id IN (SELECT id FROM endpoint WHERE enabled))")
	q = equal(q, "endpoint", r.Endpoint)
	var rows []deliveryRow
	if err := q.Order("created_ms, id").Limit(r.Limit + 1).Find(&rows).Error; err != nil {
		return nil, false, failed(err, "load deliveries to recover")
	}
	if more = len(rows) > r.Limit; more {
		rows = rows[:r.Limit]
	}
	list, err = all(rows, func(r deliveryRow) (wf.Delivery, error) { return r.delivery(), nil })
	return list, more, err
}

// PutRecovered writes what wf.Delivery.Retry has changed.
func (tx *Tx) PutRecovered(list []wf.Delivery) error {
	rows := make([]deliveryRow, len(list))
	for i, d := range list {
		rows[i] = rowOfDelivery(d)
	}
	stmts := deliveryTable.updateAll(tx, rows, "status", "cycle", "attempt", "crashes", "next_attempt_ms", "updated_ms")
	return failed(tx.Batch(stmts...), "write recovered deliveries")
}
