package store

import (
	"cmp"
	"context"
	"database/sql"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// outboxRow is a delivery that is not done: what claims and leases are about. It is there
// as long as the delivery is pending or being sent, and delivery has the rest.
type outboxRow struct {
	ID            string `gorm:"primaryKey"`
	Lane          string
	NextAttemptMS int64
	Cycle         int64
	LeaseToken    int64
	LeaseOwner    string
	LeasedMS      int64
}

func (outboxRow) TableName() string { return "outbox" }

var outboxTable = sqldb.TableOf[outboxRow]()

func rowOfOutbox(d wf.Delivery) outboxRow {
	return outboxRow{
		ID: d.ID, Lane: laneOf(d.Target), NextAttemptMS: ms(d.NextAttemptAt), Cycle: int64(d.Cycle),
		LeaseToken: d.Lease.Token, LeaseOwner: d.Lease.Owner, LeasedMS: ms(d.Lease.Since),
	}
}

// fill completes a delivery that is not done.
func (r outboxRow) fill(d *wf.Delivery) {
	d.Status = wf.DeliveryPending
	if r.LeasedMS > 0 {
		d.Status = wf.DeliverySending
	}
	d.NextAttemptAt = at(r.NextAttemptMS)
	d.Lease = wf.Lease{Token: r.LeaseToken, Owner: r.LeaseOwner, Since: at(r.LeasedMS)}
}

// laneOf is what shares a limit of requests in flight: an endpoint, or the host of
// callbacks. Before there were endpoints in the database, they had no more than a name.
func laneOf(t wf.Target) string {
	if name := cmp.Or(t.EndpointID, t.Endpoint); name != "" {
		return name
	}
	if u, err := url.Parse(t.URL); err == nil && u.Host != "" {
		return strings.ToLower(u.Host)
	}
	return t.URL
}

// isOpen reports whether a delivery has a row in outbox.
func isOpen(d wf.Delivery) bool {
	return d.Status == wf.DeliveryPending || d.Status == wf.DeliverySending
}

// putOutbox writes what outbox says of a delivery, or that it is done.
func putOutbox(d wf.Delivery) []sqldb.Stmt {
	if !isOpen(d) {
		return []sqldb.Stmt{{SQL: "DELETE FROM outbox WHERE id = ?", Args: []any{d.ID}}}
	}
	return outboxTable.Insert(` ON CONFLICT (id) DO UPDATE SET next_attempt_ms = excluded.next_attempt_ms, cycle = excluded.cycle,
		lease_token = excluded.lease_token, lease_owner = excluded.lease_owner, leased_ms = excluded.leased_ms`, rowOfOutbox(d))
}

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
			ms(tx.Now), n, wf.LeaseTime.Milliseconds())
		adopted = int(result.RowsAffected)
		return result.Error
	})
	return adopted, failed(err, "take over deliveries of an older version")
}

// deliveryState is a delivery with what outbox says of it.
type deliveryState struct {
	Row           deliveryRow   `gorm:"embedded"`
	NextAttemptMS sql.NullInt64 // NULL when it is done
	LeaseToken    sql.NullInt64
	LeaseOwner    sql.NullString
	LeasedMS      sql.NullInt64
}

func (r deliveryState) delivery() wf.Delivery {
	d := r.Row.delivery()
	if r.NextAttemptMS.Valid {
		outboxRow{
			NextAttemptMS: r.NextAttemptMS.Int64, LeaseToken: r.LeaseToken.Int64, LeaseOwner: r.LeaseOwner.String, LeasedMS: r.LeasedMS.Int64,
		}.fill(&d)
	}
	return d
}

// deliveryStates is a table of deliveryState.
var deliveryStates = "(SELECT d." + strings.ReplaceAll(deliveryTable.Columns(), ", ", ", d.") +
	", d.rare_status, o.next_attempt_ms, o.lease_token, o.lease_owner, o.leased_ms FROM delivery d LEFT JOIN outbox o ON o.id = d.id) AS delivery"

// The two states of what is not done.
const (
	isWaiting = "leased_ms = 0"
	isSending = "leased_ms > 0"
)

// leaseEnd is until when a lease must have been taken to be over now: of a process that
// may live, and of one that is dead.
func leaseEnd(now time.Time) (living, dead int64) {
	return ms(now.Add(-wf.LeaseTime)), ms(now.Add(-wf.AbandonedAfter))
}
