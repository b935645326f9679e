package store

import (
	"context"
	"errors"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// dueDelivery is true of a delivery that a worker may take: its time has come and
// nobody holds it. One that is being sent is due when its lease has run out.
const dueDelivery = "status IN ('pending', 'sending') AND next_attempt_ms <= ? AND lease_until_ms <= ?"

// dueLanes finds the lanes with something due, the longest waiting first, and how
// many requests are in flight on each. It jumps from lane to lane in the index: a
// long queue of one lane costs the others nothing.
const dueLanes = `WITH RECURSIVE lanes (name) AS (
		SELECT min(lane) FROM delivery WHERE status IN ('pending', 'sending')
		UNION ALL
		SELECT (SELECT min(d.lane) FROM delivery d WHERE d.status IN ('pending', 'sending') AND d.lane > lanes.name)
		FROM lanes WHERE lanes.name IS NOT NULL
	), found AS (
		SELECT name,
			(SELECT next_attempt_ms FROM delivery WHERE lane = name AND ` + dueDelivery + ` ORDER BY next_attempt_ms LIMIT 1) AS since,
			(SELECT count(*) FROM delivery WHERE lane = name AND status = 'sending' AND lease_until_ms > ?) AS busy
		FROM lanes WHERE name IS NOT NULL
	)
	SELECT name, busy FROM found WHERE since IS NOT NULL AND busy < ? ORDER BY since LIMIT ?`

// ClaimDeliveries takes at most n deliveries that are due and holds each until its
// lease ends. At most perTarget of one target are in flight at a time: a slow
// receiver does not take the workers from the others. Two replicas that claim in
// the same moment may together go over that.
//
// A lease that ran out without a result is recorded as a crash; see
// wf.Delivery.Crashed.
func (s *Store) ClaimDeliveries(ctx context.Context, n int, lease time.Duration, perTarget int) ([]wf.Delivery, error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return nil, failed(err, "claim deliveries")
	}
	var lanes []struct {
		Name string
		Busy int
	}
	// Outside the transaction: a poll that finds nothing must not wait for writers.
	err = s.read(ctx).Raw(dueLanes, ms(now), ms(now), ms(now), perTarget, n).Scan(&lanes).Error
	if err != nil || len(lanes) == 0 {
		return nil, failed(err, "find due deliveries")
	}
	var claimed []wf.Delivery
	err = s.Do(ctx, func(tx *Tx) error {
		claimed = nil
		due := make([][]deliveryRow, len(lanes))
		selects := make([]sqldb.Select, len(lanes))
		for i, lane := range lanes {
			selects[i] = sqldb.Select{
				SQL: deliveryTable.from() + " WHERE lane = ? AND " + dueDelivery +
					" ORDER BY next_attempt_ms, id LIMIT ? FOR NO KEY UPDATE SKIP LOCKED",
				Args: []any{lane.Name, ms(tx.Now), ms(tx.Now), min(n, perTarget-lane.Busy)},
				Into: &due[i],
			}
		}
		if err := tx.Load(selects...); err != nil {
			return err
		}
		var batch []sqldb.Stmt
		for _, row := range inTurn(due, n) {
			d := row.delivery()
			if d.Status == wf.DeliverySending {
				var crash wf.Attempt
				d, crash = d.Crashed(tx.Now)
				batch = append(batch, attemptTable.insert("", rowOfAttempt(crash))...)
			}
			if d.Status == wf.DeliveryFailed {
				d.Lease.Until = time.Time{}
			} else {
				d.Status = wf.DeliverySending
				d.Lease = wf.Lease{Token: d.Lease.Token + 1, Until: tx.Now.Add(lease)}
				claimed = append(claimed, d)
			}
			batch = append(batch, deliveryTable.update(row, rowOfDelivery(d), "")...)
		}
		return tx.Batch(batch...)
	})
	if err != nil {
		return nil, failed(err, "claim deliveries")
	}
	return claimed, nil
}

// inTurn takes the first of each lane, then the second, and so on, up to n.
func inTurn(lanes [][]deliveryRow, n int) []deliveryRow {
	var rows []deliveryRow
	for i, more := 0, true; more; i++ {
		more = false
		for _, lane := range lanes {
			if i < len(lane) && len(rows) < n {
				rows, more = append(rows, lane[i]), true
			}
		}
	}
	return rows
}

// FinishDelivery writes the outcome of an attempt: d and a as wf.Delivery.Finish
// returns them. It is fenced, and writes nothing, when the worker has lost its
// lease meanwhile.
func (s *Store) FinishDelivery(ctx context.Context, d wf.Delivery, a wf.Attempt) (fenced bool, err error) {
	row := rowOfDelivery(d)
	err = s.Do(ctx, func(tx *Tx) error {
		held := sqldb.Stmt{
			SQL: `UPDATE delivery SET status = ?, attempt = ?, next_attempt_ms = ?, lease_until_ms = 0, last_attempt_ms = ?,
				last_status_code = ?, last_error = ?, last_duration_ms = ?, response_excerpt = ?, delivered_ms = ?, updated_ms = ?
				WHERE id = ? AND lease_token = ? AND status = 'sending'`,
			Args: []any{
				row.Status, row.Attempt, row.NextAttemptMS, row.LastAttemptMS,
				row.LastStatusCode, row.LastError, row.LastDurationMS, row.ResponseExcerpt, row.DeliveredMS, row.UpdatedMS,
				row.ID, row.LeaseToken,
			},
			Want: 1,
		}
		return tx.Batch(append([]sqldb.Stmt{held}, attemptTable.insert("", rowOfAttempt(a))...)...)
	})
	if errors.Is(err, sqldb.ErrRowCount) {
		return true, nil
	}
	return false, failed(err, "finish delivery %s", d.ID)
}

// ReleaseDelivery gives a delivery back that was claimed and not sent. One whose
// lease somebody else has by now is left alone.
func (s *Store) ReleaseDelivery(ctx context.Context, id string, token int64) error {
	err := s.Do(ctx, func(tx *Tx) error {
		return tx.Exec(`UPDATE delivery SET status = 'pending', lease_until_ms = 0
			WHERE id = ? AND lease_token = ? AND status = 'sending'`, id, token).Error
	})
	return failed(err, "release delivery %s", id)
}
