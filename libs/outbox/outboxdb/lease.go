package outboxdb

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/work/workdb"
)

// Claim is a claimed delivery with its present endpoint; a callback has none.
type Claim struct {
	outbox.Delivery
	Endpoint *outbox.Endpoint
}

// Claimer configures the claims of a worker.
type Claimer struct {
	Process   string         // its name in the table process; see package heartbeat
	PerTarget int            // most requests in flight to one target
	Jitter    func() float64 // see outbox.Delivery.Crashed

	// People permits claims of notices to people. Without it they wait.
	People bool

	// Signs reports whether the claimer has the keys of an endpoint. Deliveries of others wait. Nil permits
	// all.
	Signs func(outbox.Endpoint, time.Time) bool
}

// Claims is the result of ClaimDeliveries.
type Claims struct {
	Held    []*Claim
	Crashed []outbox.Delivery // lease expired without a result; in any later state
	More    bool              // further deliveries are due and wait for a slot
}

// ClaimDeliveries leases at most n due deliveries. At most PerTarget of one target are in flight, so that
// a slow receiver does not occupy all workers; concurrent claims of two replicas can exceed it. Deliveries
// of a disabled or deleted endpoint are cancelled.
//
// A lease without a result is recorded as a crash; see outbox.Delivery.RecordCrash.
func (s *Store) ClaimDeliveries(ctx context.Context, by Claimer, n int) (Claims, error) {
	slots, endpoints, full, err := s.openTargets(ctx, by, n)
	if err != nil || len(slots) == 0 {
		return Claims{More: full}, wrapError(err, "find due deliveries")
	}
	var claims Claims
	err = s.do(ctx, func(tx *Tx) error {
		claims = Claims{More: full}
		claimed, err := queue.Claim(tx.Tx, by.Process, slots, n)
		if err != nil {
			return err
		}
		due, err := tx.dueDeliveries(claimed)
		if err != nil {
			return err
		}
		var batch []sqldb.Stmt
		for i, before := range due {
			d := before
			if d.Status == outbox.DeliverySending {
				var crash outbox.Attempt
				d, crash = d.RecordCrash(tx.Now(), by.Jitter())
				claims.Crashed = append(claims.Crashed, d)
				batch = append(batch, attemptTable.Insert("", rowOfAttempt(crash))...)
			}
			claim := &Claim{d, endpoints[targetOf(d.Target)]}
			if claim.Endpoint == nil {
				claim.Endpoint = &outbox.Endpoint{}
			}
			isOff := d.Target.Endpoint != "" && !d.Target.ToPeople() && !claim.Endpoint.Enabled
			switch {
			case before.Status == outbox.DeliverySending && d.Status != outbox.DeliverySending: // pending or failed
				batch = append(batch, putOutbox(d)...)
			case isOff:
				d = d.Cancel(tx.Now())
				batch = append(batch, putOutbox(d)...)
			default:
				claim.Status, claim.Lease = outbox.DeliverySending, claimed[i].Lease
				claims.Held = append(claims.Held, claim)
			}
			batch = append(batch, deliveryTable.Update(rowOfDelivery(before), rowOfDelivery(d), "")...)
		}
		return tx.Batch(batch...)
	})
	if err != nil {
		return Claims{}, wrapError(err, "claim deliveries")
	}
	return claims, nil
}

// openTargets returns the targets with claimable deliveries and their endpoints; full reports due deliveries
// that wait for a slot. It runs outside the transaction, so that an idle poll does not wait for writers.
func (s *Store) openTargets(
	ctx context.Context, by Claimer, n int,
) (slots []workdb.Slot, endpoints map[string]*outbox.Endpoint, full bool, err error) {
	now, err := s.db.Now(ctx)
	if err != nil {
		return nil, nil, false, err
	}
	targets, err := queue.Targets(s.db.Read(ctx), by.Process, now)
	if err != nil || len(targets) == 0 {
		return nil, nil, false, err
	}
	if endpoints, err = s.endpointsOf(ctx, targets); err != nil {
		return nil, nil, false, err
	}
	for _, t := range targets {
		e := endpoints[t.Name]
		isPaused := e != nil && e.Enabled && e.Health.PausedUntil.After(now)
		isUnsigned := by.Signs != nil && e != nil && e.Enabled && !by.Signs(*e, now)
		if isPaused || isUnsigned || t.Name == outbox.People && !by.People {
			continue
		}
		most := by.PerTarget // also of a deleted or disabled endpoint, whose deliveries are claimed for their cancellation
		if e != nil && e.Enabled {
			most = e.FreeSlots(now, most)
		}
		free := min(n, most-t.Busy)
		if full = full || t.Ready > free; free > 0 {
			slots = append(slots, workdb.Slot{Target: t.Name, Slots: free})
		}
	}
	return slots, endpoints, full, nil
}

// endpointsOf returns the endpoints of targets by id.
func (s *Store) endpointsOf(ctx context.Context, targets []workdb.Target) (map[string]*outbox.Endpoint, error) {
	var ids []string
	for _, t := range targets {
		if isID(t.Name) {
			ids = append(ids, t.Name)
		}
	}
	endpoints := map[string]*outbox.Endpoint{}
	if ids == nil {
		return endpoints, nil
	}
	var rows []endpointRow
	err := s.db.Read(ctx).Find(&rows, "id IN ?", ids).Error
	for _, row := range rows {
		e := row.endpoint()
		endpoints[e.ID] = &e
	}
	return endpoints, err
}

// dueRow is a due delivery with its payload.
type dueRow struct {
	Row         deliveryRow `gorm:"embedded"`
	Payload     string
	Traceparent string
}

// dueDeliveries returns the claimed deliveries with their payloads, in the state before the claim.
func (tx *Tx) dueDeliveries(claimed []workdb.Claimed) ([]outbox.Delivery, error) {
	ids := sqldb.Values(claimed, func(c workdb.Claimed) string { return c.Key })
	var rows []dueRow
	err := tx.Table("delivery d").Select("d.*, m.payload, m.traceparent").
		Joins("JOIN message m ON m.event_id = d.event_id AND m.variant = d.variant").
		Where("d.id IN ?", ids).Find(&rows).Error
	byID := map[string]dueRow{}
	for _, row := range rows {
		byID[row.Row.ID] = row
	}
	list := sqldb.Values(claimed, func(c workdb.Claimed) outbox.Delivery {
		row := byID[c.Key]
		d := row.Row.delivery()
		d.Payload, d.Traceparent = []byte(row.Payload), row.Traceparent
		fill(&d, c.Due, c.Before)
		return d
	})
	return list, err
}

// Finished is the outcome of an attempt, as outbox.Delivery.Finish returns it.
type Finished struct {
	Delivery outbox.Delivery
	Attempt  outbox.Attempt
}

// FinishDeliveries writes outcomes. It returns outcomes with a lost lease without writing them.
func (tx *Tx) FinishDeliveries(list []Finished) (lost []Finished, err error) {
	tokens := map[string]string{}
	for _, f := range list {
		tokens[f.Delivery.ID] = f.Delivery.Lease.Token
	}
	held, err := queue.FinishAll(tx.Tx, tokens)
	if err != nil {
		return nil, wrapError(err, "end the leases of finished deliveries")
	}
	var rows []deliveryRow
	var attempts []attemptRow
	var again []outboxRow
	for _, f := range list {
		if !held[f.Delivery.ID] {
			lost = append(lost, f)
			continue
		}
		rows = append(rows, rowOfDelivery(f.Delivery))
		if f.Attempt.Seq != 0 { // a cancelled delivery has no attempt
			attempts = append(attempts, rowOfAttempt(f.Attempt))
		}
		if isOpen(f.Delivery) {
			again = append(again, rowOfOutbox(f.Delivery))
		}
	}
	return lost, wrapError(tx.Batch(slices.Concat(
		deliveryTable.UpdateAll(rows, "url", "status", "attempt", "last_attempt_ms", "last_status_code", "last_error",
			"last_duration_ms", "response_excerpt", "delivered_ms", "updated_ms"),
		attemptTable.Insert("", attempts...), outboxTable.Insert("", again...),
	)...), "write outcomes of deliveries")
}

// ReleaseDelivery releases a claimed, unsent delivery. It ignores a lost lease.
func (s *Store) ReleaseDelivery(ctx context.Context, d outbox.Delivery) error {
	err := s.do(ctx, func(tx *Tx) error { return queue.Release(tx.DB, d.ID, d.Lease.Token, d.NextAttemptAt) })
	if errors.Is(err, workdb.ErrLeaseLost) {
		err = nil
	}
	return wrapError(err, "release delivery %s", d.ID)
}
