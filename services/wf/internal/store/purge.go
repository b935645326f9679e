package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// Conditions for deletion, on a time in milliseconds. The condition on the creation time uses an
// index.
const (
	oldRequest = `status IN ('approved', 'rejected', 'cancelled', 'expired') AND created_ms < @before AND completed_ms > 0 AND completed_ms < @before
		AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.subject = request.id AND d.status NOT IN ('delivered', 'failed', 'cancelled'))`
	oldRefusal = "chain = 'service' AND outcome = 'denied' AND type = 'auth.denied' AND at_ms < @before"
	oldKey     = "expires_ms <= @before"
)

// Purgeable holds the numbers of deletable objects by kind.
type Purgeable struct{ Requests, Deliveries, Refusals, Keys int64 }

// Old holds the retention limit of each kind. A zero time deletes nothing.
type Old struct{ Requests, Deliveries, Refusals, Keys time.Time }

// CountPurgeable counts the objects that a purge would delete. Deliveries count if they are past
// their own limit, independent of their requests.
func (s *Store) CountPurgeable(ctx context.Context, o Old) (Purgeable, error) {
	var n Purgeable
	err := s.db.Snapshot(ctx, func(db *gorm.DB) error {
		if err := sqldb.NoTimeout(db); err != nil {
			return err
		}
		for _, kind := range []struct {
			into         *int64
			table, which string
			before       time.Time
		}{
			{&n.Requests, "request", oldRequest, o.Requests},
			{&n.Refusals, "event", oldRefusal, o.Refusals},
			{&n.Keys, "idempotency_key", oldKey, o.Keys},
		} {
			if kind.before.IsZero() {
				continue
			}
			if err := db.Table(kind.table).Where(kind.which, beforeArgs(kind.before)).Count(kind.into).Error; err != nil {
				return err
			}
		}
		if o.Deliveries.IsZero() {
			return nil
		}
		var err error
		n.Deliveries, err = s.Outbox.CountOld(db, o.Deliveries)
		return err
	})
	return n, wrapError(err, "count purgeable objects")
}

func beforeArgs(t time.Time) map[string]any { return map[string]any{"before": ms(t)} }

// lockOld selects at most limit rows of a kind in the given order and locks them. It skips locked rows.
func (tx *Tx) lockOld(row any, which string, t time.Time, order string, limit int) *gorm.DB {
	return tx.Model(row).Clauses(skipLocked).
		Where(which, beforeArgs(t)).Order(order).Limit(limit)
}

// PurgeRequests deletes at most limit requests that ended before t, with all dependent rows, and
// returns their number. Requests with unfinished deliveries are kept. Each deleted request leaves a
// tombstone in the service chain; see wf.PurgeRequest.
func (tx *Tx) PurgeRequests(t time.Time, limit int) (int, error) {
	var rows []documentRow
	err := sqldb.NoTimeout(tx.DB)
	if err == nil {
		err = tx.lockOld(&documentRow{}, oldRequest, t, "status, created_ms, id", limit).Select("id", "chain_seq", "chain_hash").Find(&rows).Error
	}
	if err != nil || len(rows) == 0 {
		return 0, wrapError(err, "find old requests")
	}
	ids := make([]string, len(rows))
	tombstones := make([]wf.Event, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
		tombstones[i] = wf.PurgeRequest(r.ID, audit.Chain{Seq: r.ChainSeq, Hash: r.ChainHash}, identity.Stamp{Time: tx.Now()})
	}
	err = tx.deleteAll(ids,
		rowsOf{"message", "event_id IN (SELECT id FROM event WHERE chain IN ?)"},
		rowsOf{"delivery_attempt", "delivery_id IN (SELECT id FROM delivery WHERE subject IN ?)"},
		rowsOf{"delivery", "subject IN ?"})
	if err == nil {
		err = tx.appendAll(tombstones...)
	}
	if err != nil {
		return 0, wrapError(err, "purge requests")
	}
	rest := []rowsOf{
		{"event", "chain IN ?"},
		{"inbox", "request_id IN ?"},
		{"task", "request_id IN ?"},
		{"participant", "request_id IN ?"},
		{"notice_item", "request_id IN ?"},
		{"revision", "request_id IN ?"},
	}
	if tx.Name() == "sqlite" {
		rest = append(rest, rowsOf{"request_search", "request_id IN ?"})
	}
	return len(ids), wrapError(tx.deleteAll(ids, append(rest, rowsOf{"request", "id IN ?"})...), "purge requests")
}

// rowsOf selects rows of a table by a list of ids.
type rowsOf struct{ table, where string }

// deleteAll deletes the rows of some ids, in the order of the tables.
func (tx *Tx) deleteAll(ids []string, list ...rowsOf) error {
	for _, rows := range list {
		if err := tx.Table(rows.table).Where(rows.where, ids).Delete(nil).Error; err != nil {
			return err
		}
	}
	return nil
}

// PurgeDeliveries deletes at most limit deliveries that ended before t, with their attempts, and
// returns their number.
func (tx *Tx) PurgeDeliveries(t time.Time, limit int) (int, error) {
	if err := sqldb.NoTimeout(tx.DB); err != nil {
		return 0, wrapError(err, "find old deliveries")
	}
	return tx.Outbox.Purge(t, limit)
}

// PurgeRefusals deletes at most limit denial events older than t and returns their number. One
// tombstone in their chain covers all of them; see wf.PurgeFrom.
func (tx *Tx) PurgeRefusals(t time.Time, limit int) (int, error) {
	if _, err := tx.lockChain(); err != nil { // blocks appends during the deletion
		return 0, err
	}
	var rows []eventRow
	err := sqldb.NoTimeout(tx.DB)
	if err == nil {
		err = tx.lockOld(&eventRow{}, oldRefusal, t, "seq", limit).Select("id", "seq", "hash").Find(&rows).Error
	}
	if err != nil || len(rows) == 0 {
		return 0, wrapError(err, "find old refusals")
	}
	ids, ends := make([]string, len(rows)), make([]audit.Chain, len(rows))
	for i, r := range rows {
		ids[i], ends[i] = r.ID, audit.Chain{Seq: r.Seq, Hash: r.Hash}
	}
	if err := tx.appendAll(wf.PurgeFrom(ServiceChain, ends, identity.Stamp{Time: tx.Now()})); err != nil {
		return 0, err
	}
	return len(rows), wrapError(tx.deleteAll(ids, rowsOf{"event", "id IN ?"}), "purge refusals")
}

// appendAll appends events without deliveries to the service's own chain. It locks the chain, which
// must be the caller's last lock.
func (tx *Tx) appendAll(list ...wf.Event) error {
	row, err := tx.lockChain()
	if err != nil {
		return err
	}
	_, stmts, err := tx.link(row.End, list)
	if err != nil {
		return err
	}
	return wrapError(tx.Batch(stmts...), "append %d events", len(list))
}
