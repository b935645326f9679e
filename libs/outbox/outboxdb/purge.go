package outboxdb

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// old is the condition of deliveries that ended before a time in milliseconds. The earlier creation comes
// first, because it has an index.
const old = `status IN ('delivered', 'failed', 'cancelled') AND created_ms < @before AND updated_ms < @before
	AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = delivery.id)`

func beforeArgs(t time.Time) map[string]any { return map[string]any{"before": ms(t)} }

// CountOld counts the deliveries that Purge would delete.
func (s *Store) CountOld(db *gorm.DB, t time.Time) (n int64, err error) {
	err = db.Table("delivery").Where(old, beforeArgs(t)).Count(&n).Error
	return n, err
}

// Purge deletes at most limit deliveries that ended before a time, with their attempts,
// and returns their number. It skips locked deliveries, and deliveries of a message that another purge has
// locked: otherwise neither purge would delete the message.
func (tx *Tx) Purge(t time.Time, limit int) (int, error) {
	var rows []struct{ ID, EventID string }
	err := tx.Table("delivery").Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).
		Joins("JOIN message ON message.event_id = delivery.event_id AND message.variant = delivery.variant").Select("delivery.id", "delivery.event_id").
		Where(old, beforeArgs(t)).Order("created_ms, id").Limit(limit).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return 0, wrapError(err, "find old deliveries")
	}
	ids, events := make([]string, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		ids[i], events[i] = r.ID, r.EventID
	}
	for _, del := range []struct {
		table, where string
		ids          []string
	}{
		{"delivery_attempt", "delivery_id IN ?", ids},
		{"delivery", "id IN ?", ids},
		{"message", "event_id IN ? AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.event_id = message.event_id AND d.variant = message.variant)", events},
	} {
		if err := tx.Table(del.table).Where(del.where, del.ids).Delete(nil).Error; err != nil {
			return 0, wrapError(err, "purge deliveries")
		}
	}
	return len(rows), nil
}
