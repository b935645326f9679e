package store

import (
	"context"

	"github.com/countersign/countersign/libs/outbox"
)

// Adopt takes over at most n deliveries of a program that knows no outbox: those that it
// has added, and those whose lease has run out. Such a program runs beside this one only
// on PostgreSQL, while a new version is rolled out.
func (s *Store) Adopt(ctx context.Context, n int) (adopted int, err error) {
	if !s.db.Postgres() {
		return 0, nil
	}
	err = s.Do(ctx, func(tx *Tx) error {
		result := tx.Exec(`WITH free AS (
				UPDATE delivery SET status = 'sending' WHERE id IN (
					SELECT id FROM delivery WHERE rare_status = 'pending' AND lease_until_ms <= ? ORDER BY created_ms, id LIMIT ? FOR NO KEY UPDATE SKIP LOCKED)
				RETURNING id, lane, next_attempt_ms, cycle, lease_token, lease_until_ms
			)
			INSERT INTO outbox (id, lane, next_attempt_ms, cycle, lease_token, lease_owner, leased_ms)
			SELECT id, lane, next_attempt_ms, cycle, lease_token, '', CASE WHEN lease_until_ms > 0 THEN lease_until_ms - ? ELSE 0 END FROM free`,
			ms(tx.Now()), n, outbox.LeaseTime.Milliseconds())
		adopted = int(result.RowsAffected)
		return result.Error
	})
	return adopted, failed(err, "take over deliveries of an older version")
}
