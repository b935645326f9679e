package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// dueDelivery is true of a delivery that a worker may take: its time has come and
// nobody holds it. One that is being sent is due when its lease has run out.
const dueDelivery = "status IN ('pending', 'sending') AND next_attempt_ms <= ? AND lease_until_ms <= ?"

// dueLanes finds the lanes with something due that are not paused, the longest
// waiting first, how many requests are in flight on each, and its endpoint. It jumps
// from lane to lane in the index: a long queue of one lane costs the others nothing.
var dueLanes = `WITH RECURSIVE lanes (name) AS (
		SELECT min(lane) FROM delivery WHERE status IN ('pending', 'sending')
		UNION ALL
		SELECT (SELECT min(d.lane) FROM delivery d WHERE d.status IN ('pending', 'sending') AND d.lane > lanes.name)
		FROM lanes WHERE lanes.name IS NOT NULL
	), found AS (
		SELECT name AS lane,
			(SELECT next_attempt_ms FROM delivery WHERE lane = name AND ` + dueDelivery + ` ORDER BY next_attempt_ms LIMIT 1) AS since,
			(SELECT count(*) FROM delivery WHERE lane = name AND status = 'sending' AND lease_until_ms > ?) AS busy
		FROM lanes WHERE name IS NOT NULL
	)
	SELECT found.lane, found.busy, e.` + strings.ReplaceAll(endpointTable.list(), ", ", ", e.") + `
	FROM found LEFT JOIN endpoint e ON CAST(e.id AS text) = found.lane
	WHERE found.since IS NOT NULL AND coalesce(e.paused_until_ms, 0) <= ? ORDER BY found.since`

// lane is what shares a limit of requests in flight: an endpoint, or the host of
// callbacks.
type lane struct {
	Lane     string
	Busy     int
	Endpoint endpointRow `gorm:"embedded"`
}

// room is how many deliveries of the lane may be taken. Those of an endpoint that is
// gone or disabled are taken too: to be cancelled.
func (l lane) room(e wf.Endpoint, now time.Time, perTarget int) int {
	if e.ID == "" || !e.Enabled {
		return perTarget - l.Busy
	}
	return e.Room(now, perTarget) - l.Busy
}

// Claim is a delivery that a worker holds, and its endpoint as it is now; a callback
// has none.
type Claim struct {
	wf.Delivery
	Endpoint wf.Endpoint
}

// ClaimDeliveries takes at most n deliveries that are due and holds each until its
// lease ends. At most perTarget of one target are in flight at a time: a slow
// receiver does not take the workers from the others. Two replicas that claim in
// the same moment may together go over that. What is meant for an endpoint that is
// disabled or deleted is cancelled.
//
// A lease that ran out without a result is recorded as a crash; see
// wf.Delivery.Crashed.
func (s *Store) ClaimDeliveries(ctx context.Context, n int, lease time.Duration, perTarget int) ([]Claim, error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return nil, failed(err, "claim deliveries")
	}
	// Outside the transaction: a poll that finds nothing must not wait for writers.
	var lanes []lane
	if err := s.read(ctx).Raw(dueLanes, ms(now), ms(now), ms(now), ms(now)).Scan(&lanes).Error; err != nil {
		return nil, failed(err, "find due deliveries")
	}
	endpoints := map[string]wf.Endpoint{}
	rooms := map[string]int{}
	var open []lane
	for _, l := range lanes {
		e, err := l.Endpoint.endpoint()
		if err != nil {
			return nil, err
		}
		if room := min(n, l.room(e, now, perTarget)); room > 0 {
			open, rooms[l.Lane], endpoints[l.Lane] = append(open, l), room, e
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	var claimed []Claim
	err = s.Do(ctx, func(tx *Tx) error {
		claimed = nil
		due := make([][]deliveryRow, len(open))
		selects := make([]sqldb.Select, len(open))
		for i, l := range open {
			selects[i] = sqldb.Select{
				SQL: deliveryTable.from() + " WHERE lane = ? AND " + dueDelivery +
					" ORDER BY next_attempt_ms, id LIMIT ? FOR NO KEY UPDATE SKIP LOCKED",
				Args: []any{l.Lane, ms(tx.Now), ms(tx.Now), rooms[l.Lane]},
				Into: &due[i],
			}
		}
		if err := tx.Load(selects...); err != nil {
			return err
		}
		var batch []sqldb.Stmt
		for _, row := range inTurn(due, n) {
			claim := Claim{row.delivery(), endpoints[row.Lane]}
			d := &claim.Delivery
			if d.Status == wf.DeliverySending {
				var crash wf.Attempt
				*d, crash = d.Crashed(tx.Now)
				batch = append(batch, attemptTable.insert("", rowOfAttempt(crash))...)
			}
			switch {
			case d.Status == wf.DeliveryFailed:
			case d.Target.Endpoint != "" && !claim.Endpoint.Enabled:
				*d = d.Cancel(tx.Now)
			default:
				d.Status = wf.DeliverySending
				d.Lease = wf.Lease{Token: d.Lease.Token + 1, Until: tx.Now.Add(lease)}
				claimed = append(claimed, claim)
			}
			batch = append(batch, deliveryTable.update(row, rowOfDelivery(*d), "")...)
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

// Finished is the outcome of an attempt, as wf.Delivery.Finish returns it.
type Finished struct {
	Delivery wf.Delivery
	Attempt  wf.Attempt
}

// FinishDeliveries writes outcomes. Those of which the worker has lost the lease
// meanwhile are not written, and returned.
func (tx *Tx) FinishDeliveries(list []Finished) (fenced []Finished, err error) {
	ids := make([]string, len(list))
	for i, f := range list {
		ids[i] = f.Delivery.ID
	}
	set, names, err := tx.inIDs(ids)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		ID         string
		LeaseToken int64
	}
	err = tx.Load(sqldb.Select{
		SQL:  "SELECT id, lease_token FROM delivery WHERE status = 'sending' AND id IN (" + set + ") ORDER BY id FOR NO KEY UPDATE",
		Args: []any{names}, Into: &rows,
	})
	if err != nil {
		return nil, failed(err, "lock finished deliveries")
	}
	held := map[string]int64{}
	for _, row := range rows {
		held[row.ID] = row.LeaseToken
	}
	var batch []sqldb.Stmt
	var attempts []attemptRow
	for _, f := range list {
		row := rowOfDelivery(f.Delivery)
		if token, ok := held[row.ID]; !ok || token != row.LeaseToken {
			fenced = append(fenced, f)
			continue
		}
		batch = append(batch, sqldb.Stmt{
			SQL: `UPDATE delivery SET url = ?, status = ?, attempt = ?, next_attempt_ms = ?, lease_until_ms = 0, last_attempt_ms = ?,
				last_status_code = ?, last_error = ?, last_duration_ms = ?, response_excerpt = ?, delivered_ms = ?, updated_ms = ?
				WHERE id = ?`,
			Args: []any{
				row.URL, row.Status, row.Attempt, row.NextAttemptMS, row.LastAttemptMS,
				row.LastStatusCode, row.LastError, row.LastDurationMS, row.ResponseExcerpt, row.DeliveredMS, row.UpdatedMS,
				row.ID,
			},
			Want: 1,
		})
		if f.Attempt.Seq != 0 { // a delivery that is cancelled was not tried
			attempts = append(attempts, rowOfAttempt(f.Attempt))
		}
	}
	return fenced, failed(tx.Batch(append(batch, attemptTable.insert("", attempts...)...)...), "write outcomes of deliveries")
}

// inIDs is a query for the ids, and its argument.
func (tx *Tx) inIDs(ids []string) (query, arg string, err error) {
	names, err := json.Marshal(ids)
	if tx.Name() == "sqlite" {
		return "SELECT value FROM json_each(?)", string(names), err
	}
	return "SELECT jsonb_array_elements_text(?::jsonb)::uuid", string(names), err
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
