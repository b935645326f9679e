package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
// Before the head of a lane, the index is full of entries of what was sent since the
// last vacuum, so only the jump walks over them.
var dueLanes = `WITH RECURSIVE lanes (name, head) AS (
		SELECT lane, next_attempt_ms FROM delivery WHERE id = (
			SELECT id FROM delivery WHERE status IN ('pending', 'sending') ORDER BY lane, next_attempt_ms LIMIT 1)
		UNION ALL
		SELECT d.lane, d.next_attempt_ms FROM lanes JOIN delivery d ON d.id = (
			SELECT id FROM delivery WHERE status IN ('pending', 'sending') AND lane > lanes.name ORDER BY lane, next_attempt_ms LIMIT 1)
	), found AS MATERIALIZED (
		SELECT name AS lane, head,
			(SELECT next_attempt_ms FROM delivery WHERE lane = name AND next_attempt_ms >= head AND ` + dueDelivery + `
				ORDER BY next_attempt_ms LIMIT 1) AS since,
			(SELECT count(*) FROM delivery WHERE lane = name AND status = 'sending' AND lease_until_ms > ?) AS busy
		FROM lanes
	)
	SELECT found.lane, found.head, found.busy, e.` + strings.ReplaceAll(endpointTable.list(), ", ", ", e.") + `
	FROM found LEFT JOIN endpoint e ON CAST(e.id AS text) = found.lane
	WHERE found.since IS NOT NULL AND coalesce(e.paused_until_ms, 0) <= ? ORDER BY found.since`

// lane is what shares a limit of requests in flight: an endpoint, or the host of
// callbacks.
type lane struct {
	Lane     string
	Head     int64 // when the first of it was or is due
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
	var open []openLane
	for _, l := range lanes {
		e, err := l.Endpoint.endpoint()
		if err != nil {
			return nil, err
		}
		if room := min(n, l.room(e, now, perTarget)); room > 0 && len(open) < n {
			open, endpoints[l.Lane] = append(open, openLane{l.Lane, l.Head, room}), e
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	var claimed []Claim
	err = s.Do(ctx, func(tx *Tx) error {
		claimed = nil
		due, err := tx.due(open)
		if err != nil {
			return err
		}
		var batch []sqldb.Stmt
		var taken []deliveryRow
		for _, row := range inTurn(open, due, n) {
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
				if row.Status == wf.DeliveryPending {
					taken = append(taken, rowOfDelivery(*d))
					continue
				}
			}
			batch = append(batch, deliveryTable.update(row, rowOfDelivery(*d), "")...)
		}
		take, err := deliveryTable.updateAll(tx, taken, "status", "lease_token", "lease_until_ms")
		if err != nil {
			return err
		}
		return tx.Batch(append(batch, take...)...)
	})
	if err != nil {
		return nil, failed(err, "claim deliveries")
	}
	return claimed, nil
}

// openLane is a lane of which something may be taken.
type openLane struct {
	Lane string `json:"lane"`
	Head int64  `json:"head"`
	Room int    `json:"room"`
}

// due loads and locks what is due on the lanes, of each the longest waiting. What
// another worker has locked is passed over.
func (tx *Tx) due(lanes []openLane) (map[string][]deliveryRow, error) {
	const first = " WHERE lane = %s AND next_attempt_ms >= %s AND " + dueDelivery + " ORDER BY next_attempt_ms, id LIMIT %s FOR NO KEY UPDATE SKIP LOCKED"
	rows := make([][]deliveryRow, len(lanes))
	var selects []sqldb.Select
	if tx.Name() == "sqlite" {
		for i, l := range lanes {
			selects = append(selects, sqldb.Select{
				SQL:  deliveryTable.from() + fmt.Sprintf(first, "?", "?", "?"),
				Args: []any{l.Lane, l.Head, ms(tx.Now), ms(tx.Now), l.Room}, Into: &rows[i],
			})
		}
	} else { // one statement for all of them takes half the time
		text, err := json.Marshal(lanes)
		if err != nil {
			return nil, err
		}
		selects = append(selects, sqldb.Select{
			SQL: "SELECT due.* FROM jsonb_to_recordset(?::jsonb) AS open (lane text, head bigint, room int) CROSS JOIN LATERAL (" +
				deliveryTable.from() + fmt.Sprintf(first, "open.lane", "open.head", "open.room") + ") AS due",
			Args: []any{string(text), ms(tx.Now), ms(tx.Now)}, Into: &rows[0],
		})
	}
	if err := tx.Load(selects...); err != nil {
		return nil, err
	}
	byLane := map[string][]deliveryRow{}
	for _, row := range slices.Concat(rows...) {
		byLane[row.Lane] = append(byLane[row.Lane], row)
	}
	return byLane, nil
}

// inTurn takes the first of each lane, then the second, and so on, up to n.
func inTurn(lanes []openLane, due map[string][]deliveryRow, n int) []deliveryRow {
	var rows []deliveryRow
	for i, more := 0, true; more; i++ {
		more = false
		for _, l := range lanes {
			if i < len(due[l.Lane]) && len(rows) < n {
				rows, more = append(rows, due[l.Lane][i]), true
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
	set, arg := tx.setOf(ids)
	var rows []struct {
		ID         string
		LeaseToken int64
	}
	err = tx.Load(sqldb.Select{
		SQL:  "SELECT id, lease_token FROM delivery WHERE status = 'sending' AND id " + set + " ORDER BY created_ms, id FOR NO KEY UPDATE",
		Args: []any{arg}, Into: &rows,
	})
	if err != nil {
		return nil, failed(err, "lock finished deliveries")
	}
	held := map[string]int64{}
	for _, row := range rows {
		held[row.ID] = row.LeaseToken
	}
	var deliveries []deliveryRow
	var attempts []attemptRow
	for _, f := range list {
		row := rowOfDelivery(f.Delivery)
		if token, ok := held[row.ID]; !ok || token != row.LeaseToken {
			fenced = append(fenced, f)
			continue
		}
		deliveries = append(deliveries, row)
		if f.Attempt.Seq != 0 { // a delivery that is cancelled was not tried
			attempts = append(attempts, rowOfAttempt(f.Attempt))
		}
	}
	batch, err := deliveryTable.updateAll(tx, deliveries, "url", "status", "attempt", "next_attempt_ms", "lease_until_ms", "last_attempt_ms",
		"last_status_code", "last_error", "last_duration_ms", "response_excerpt", "delivered_ms", "updated_ms")
	if err != nil {
		return nil, err
	}
	return fenced, failed(tx.Batch(append(batch, attemptTable.insert("", attempts...)...)...), "write outcomes of deliveries")
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

// setOf is what an id must be to be one of several, and the argument of that.
func (tx *Tx) setOf(ids []string) (condition, arg string) {
	if tx.Name() == "sqlite" {
		return "IN (SELECT value FROM json_each(?))", `["` + strings.Join(ids, `","`) + `"]`
	}
	return "= ANY(?::uuid[])", "{" + strings.Join(ids, ",") + "}"
}
