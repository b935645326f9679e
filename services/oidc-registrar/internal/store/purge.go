package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
)

// oldEvent selects refusals before a time, and events before it of deleted clients.
const oldEvent = `at_ms < ? AND type <> 'purged'
	AND (type = 'refused' OR NOT EXISTS (SELECT 1 FROM client c WHERE c.id = client_event.client_id))`

// purger is the actor of purges in the audit trail.
const purger = "system:retention"

// CountOldEvents counts the events that PurgeEvents would delete.
func (s *Store) CountOldEvents(ctx context.Context, before time.Time) (int64, error) {
	var n int64
	err := s.db.Snapshot(ctx, func(db *gorm.DB) error {
		if err := sqldb.NoTimeout(db); err != nil {
			return err
		}
		return db.Table("client_event").Where(oldEvent, sqldb.Millis(before)).Count(&n).Error
	})
	return n, wrapError(err, "count old events")
}

// PurgeEvents deletes at most limit refusals before a time, and events of deleted clients, the
// oldest first. It returns their number. An event with their number and the last seq remains.
func (tx *Tx) PurgeEvents(before time.Time, limit int) (int, error) {
	var seqs []int64
	err := sqldb.NoTimeout(tx.DB)
	if err == nil {
		err = tx.Table("client_event").Where(oldEvent, sqldb.Millis(before)).Order("seq").Limit(limit).Pluck("seq", &seqs).Error
	}
	if err != nil || len(seqs) == 0 {
		return 0, wrapError(err, "find old events")
	}
	err = tx.Table("client_event").Create(map[string]any{
		"client_id": "", "type": "purged", "actor": purger, "at_ms": sqldb.Millis(tx.Now()), "changed": "[]", "flags": "[]",
		"reason": "", "provider_code": "", "purged": len(seqs), "purged_last_seq": seqs[len(seqs)-1],
	}).Error
	if err == nil {
		err = tx.Table("client_event").Where("seq IN ?", seqs).Delete(nil).Error
	}
	return len(seqs), wrapError(err, "purge events")
}

// CountOldDeliveries counts the deliveries that PurgeDeliveries would delete.
func (s *Store) CountOldDeliveries(ctx context.Context, before time.Time) (n int64, err error) {
	err = s.db.Snapshot(ctx, func(db *gorm.DB) (err error) {
		if err := sqldb.NoTimeout(db); err != nil {
			return err
		}
		n, err = s.Outbox.CountOld(db, before)
		return err
	})
	return n, wrapError(err, "count old deliveries")
}

// PurgeDeliveries deletes at most limit deliveries that ended before a time, with their attempts,
// and returns their number.
func (tx *Tx) PurgeDeliveries(before time.Time, limit int) (int, error) {
	if err := sqldb.NoTimeout(tx.DB); err != nil {
		return 0, wrapError(err, "find old deliveries")
	}
	n, err := tx.Outbox.Purge(before, limit)
	return n, wrapError(err, "purge deliveries")
}
