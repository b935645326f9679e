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

// Deliveries are taken and finished by statements of their own: see the package.

// dueDelivery is true of a delivery that a worker may take: its time has come and
// nobody holds it. One that is being sent is due when its lease has run out.
const dueDelivery = "status = 'pending' AND next_attempt_ms <= ? AND lease_until_ms <= ?"

// dueLanes finds the lanes of which the first is due and that are not paused, the
// longest waiting first, how many requests are in flight on each, and its endpoint. It
// jumps from lane to lane in the index: a long queue of one lane costs the others
// nothing. Before the head of a lane, the index is full of entries of what was sent
// since the last vacuum, so only the jump walks over them.
//
// What is in flight is among the first of its lane: deliveries are taken in that order.
// The limit leaves room for a few that were committed late and belong before them.
var dueLanes = `WITH RECURSIVE lanes (name, head) AS (
		SELECT lane, next_attempt_ms FROM delivery WHERE id = (
			SELECT id FROM delivery WHERE status = 'pending' ORDER BY lane, next_attempt_ms LIMIT 1)
		UNION ALL
		SELECT d.lane, d.next_attempt_ms FROM lanes JOIN delivery d ON d.id = (
			SELECT id FROM delivery WHERE status = 'pending' AND lane > lanes.name ORDER BY lane, next_attempt_ms LIMIT 1)
	)
	SELECT lanes.name AS lane, lanes.head, (
			SELECT count(*) FROM (
				SELECT lease_until_ms FROM delivery
				WHERE lane = lanes.name AND next_attempt_ms >= lanes.head AND status = 'pending'
				ORDER BY next_attempt_ms, id LIMIT ?) AS first
			WHERE lease_until_ms > ?) AS busy,
		e.` + strings.ReplaceAll(endpointTable.Columns(), ", ", ", e.") + `
	FROM lanes LEFT JOIN endpoint e ON CAST(e.id AS text) = lanes.name
	WHERE lanes.head <= ? AND coalesce(e.paused_until_ms, 0) <= ? ORDER BY lanes.head`

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
	if err := s.db.Read(ctx).Raw(dueLanes, 2*perTarget, ms(now), ms(now), ms(now)).Scan(&lanes).Error; err != nil {
		return nil, failed(err, "find due deliveries")
	}
	endpoints := map[string]wf.Endpoint{}
	var open []openLane
	for _, l := range lanes {
		e := l.Endpoint.endpoint()
		if room := min(n, l.room(e, now, perTarget)); room > 0 && len(open) < n {
			open, endpoints[l.Lane] = append(open, openLane{l.Lane, l.Head, room}), e
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	for i := range open { // no more than can be taken in turn
		open[i].Room = min(open[i].Room, (n+len(open)-1)/len(open))
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
		for _, found := range inTurn(open, due, n) {
			row := found.Row
			claim := Claim{row.delivery(), endpoints[row.Lane]}
			d := &claim.Delivery
			d.Payload = []byte(found.Payload)
			if d.Status == wf.DeliverySending {
				var crash wf.Attempt
				*d, crash = d.Crashed(tx.Now)
				batch = append(batch, attemptTable.Insert("", rowOfAttempt(crash))...)
			}
			switch {
			case d.Status == wf.DeliveryFailed:
			case d.Target.Endpoint != "" && !claim.Endpoint.Enabled:
				*d = d.Cancel(tx.Now)
			default:
				d.Status = wf.DeliverySending
				d.Lease = wf.Lease{Token: d.Lease.Token + 1, Until: tx.Now.Add(lease)}
				claimed = append(claimed, claim)
				if row.LeaseUntilMS == 0 {
					taken = append(taken, rowOfDelivery(*d))
					continue
				}
			}
			batch = append(batch, deliveryTable.Update(row, rowOfDelivery(*d), "")...)
		}
		return tx.Batch(append(batch, deliveryTable.UpdateAll(tx.Tx, taken, "lease_token", "lease_until_ms")...)...)
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

// dueRow is a delivery with its payload.
type dueRow struct {
	Row     deliveryRow `gorm:"embedded"`
	Payload string
}

// due loads and locks what is due on the lanes, of each the longest waiting. What
// another worker has locked is passed over.
func (tx *Tx) due(lanes []openLane) (map[string][]dueRow, error) {
	from := "SELECT " + deliveryTable.Columns() + ", (SELECT payload FROM message WHERE event_id = delivery.event_id) AS payload FROM delivery"
	const first = " WHERE lane = %s AND next_attempt_ms >= %s AND " + dueDelivery + " ORDER BY next_attempt_ms, id LIMIT %s FOR NO KEY UPDATE SKIP LOCKED"
	rows := make([][]dueRow, len(lanes))
	var selects []sqldb.Select
	if tx.Name() == "sqlite" {
		for i, l := range lanes {
			selects = append(selects, sqldb.Select{
				SQL:  from + fmt.Sprintf(first, "?", "?", "?"),
				Args: []any{l.Lane, l.Head, ms(tx.Now), ms(tx.Now), l.Room}, Into: &rows[i],
			})
		}
	} else { // one statement for all of them takes half the time
		text, err := json.Marshal(lanes)
		if err != nil {
			return nil, err
		}
		// A lease that a failure of the server takes with it is as good as none: what it
		// was for is sent again, as after any crash. So nobody waits for the disk here.
		var ignored string
		selects = append(selects, sqldb.Select{SQL: "SELECT set_config('synchronous_commit', 'off', true)", Into: &ignored}, sqldb.Select{
			SQL: "SELECT due.* FROM jsonb_to_recordset(?::jsonb) AS open (lane text, head bigint, room int) CROSS JOIN LATERAL (" +
				from + fmt.Sprintf(first, "open.lane", "open.head", "open.room") + ") AS due",
			Args: []any{string(text), ms(tx.Now), ms(tx.Now)}, Into: &rows[0],
		})
	}
	if err := tx.Load(selects...); err != nil {
		return nil, err
	}
	byLane := map[string][]dueRow{}
	for _, row := range slices.Concat(rows...) {
		byLane[row.Row.Lane] = append(byLane[row.Row.Lane], row)
	}
	return byLane, nil
}

// inTurn takes the first of each lane, then the second, and so on, up to n.
func inTurn(lanes []openLane, due map[string][]dueRow, n int) []dueRow {
	var rows []dueRow
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
func (tx *Tx) FinishDeliveries(list []Finished) (lost []Finished, err error) {
	ids := make([]string, len(list))
	for i, f := range list {
		ids[i] = f.Delivery.ID
	}
	set, arg := tx.setOf(ids)
	var rows []deliveryRow
	err = tx.Load(sqldb.Select{
		SQL:  "SELECT id, status, lease_token, lease_until_ms FROM delivery WHERE id " + set + " ORDER BY created_ms, id FOR NO KEY UPDATE",
		Args: []any{arg}, Into: &rows,
	})
	if err != nil {
		return nil, failed(err, "lock finished deliveries")
	}
	held := map[string]int64{}
	for _, row := range rows {
		if row.delivery().Status == wf.DeliverySending {
			held[row.ID] = row.LeaseToken
		}
	}
	var deliveries []deliveryRow
	var attempts []attemptRow
	for _, f := range list {
		row := rowOfDelivery(f.Delivery)
		if token, ok := held[row.ID]; !ok || token != row.LeaseToken {
			lost = append(lost, f)
			continue
		}
		deliveries = append(deliveries, row)
		if f.Attempt.Seq != 0 { // a delivery that is cancelled was not tried
			attempts = append(attempts, rowOfAttempt(f.Attempt))
		}
	}
	batch := deliveryTable.UpdateAll(tx.Tx, deliveries, "url", "status", "attempt", "next_attempt_ms", "lease_until_ms", "last_attempt_ms",
		"last_status_code", "last_error", "last_duration_ms", "response_excerpt", "delivered_ms", "updated_ms")
	return lost, failed(tx.Batch(append(batch, attemptTable.Insert("", attempts...)...)...), "write outcomes of deliveries")
}

// ReleaseDelivery gives a delivery back that was claimed and not sent. One whose
// lease somebody else has by now is left alone.
func (s *Store) ReleaseDelivery(ctx context.Context, id string, token int64) error {
	err := s.Do(ctx, func(tx *Tx) error {
		return tx.Exec("UPDATE delivery SET lease_until_ms = 0 WHERE id = ? AND lease_token = ? AND "+isSending, id, token).Error
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
