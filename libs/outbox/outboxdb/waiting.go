package outboxdb

import (
	"cmp"
	"database/sql"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb"
)

// outboxRow is the queue entry of a pending or leased delivery.
type outboxRow struct {
	ID               string `gorm:"primaryKey"`
	ConcurrencyGroup string
	NextAttemptMS    int64
	Cycle            int64
	LeaseToken       int64
	LeaseOwner       string
	LeasedMS         int64
}

var outboxTable = sqldb.TableOf[outboxRow]()

func rowOfOutbox(d outbox.Delivery) outboxRow {
	return outboxRow{
		ID: d.ID, ConcurrencyGroup: groupOf(d.Target), NextAttemptMS: ms(d.NextAttemptAt), Cycle: int64(d.Cycle),
		LeaseToken: d.Lease.Token, LeaseOwner: d.Lease.Owner, LeasedMS: ms(d.Lease.Since),
	}
}

// fill completes a delivery that is not done.
func (r outboxRow) fill(d *outbox.Delivery) {
	d.Status = outbox.DeliveryPending
	if r.LeasedMS > 0 {
		d.Status = outbox.DeliverySending
	}
	d.NextAttemptAt = at(r.NextAttemptMS)
	d.Lease = outbox.Lease{Token: r.LeaseToken, Owner: r.LeaseOwner, Since: at(r.LeasedMS)}
}

// groupOf returns the concurrency group of a target, whose deliveries share a limit of requests in
// flight: the id or name of an endpoint, or the host of a callback.
func groupOf(t outbox.Target) string {
	if name := cmp.Or(t.EndpointID, t.Endpoint); name != "" {
		return name
	}
	if u, err := url.Parse(t.URL); err == nil && u.Host != "" {
		return strings.ToLower(u.Host)
	}
	return t.URL
}

// isOpen reports whether a delivery has a queue entry.
func isOpen(d outbox.Delivery) bool {
	return d.Status == outbox.DeliveryPending || d.Status == outbox.DeliverySending
}

// putOutbox returns the statement that writes or deletes the queue entry of a delivery.
func putOutbox(d outbox.Delivery) []sqldb.Stmt {
	if !isOpen(d) {
		return []sqldb.Stmt{{SQL: "DELETE FROM outbox WHERE id = ?", Args: []any{d.ID}}}
	}
	return outboxTable.Insert(` ON CONFLICT (id) DO UPDATE SET next_attempt_ms = excluded.next_attempt_ms, cycle = excluded.cycle,
		lease_token = excluded.lease_token, lease_owner = excluded.lease_owner, leased_ms = excluded.leased_ms`, rowOfOutbox(d))
}

// deliveryState is a delivery with its queue entry.
type deliveryState struct {
	Row           deliveryRow   `gorm:"embedded"`
	NextAttemptMS sql.NullInt64 // NULL when it is done
	LeaseToken    sql.NullInt64
	LeaseOwner    sql.NullString
	LeasedMS      sql.NullInt64
}

func (r deliveryState) delivery() outbox.Delivery {
	d := r.Row.delivery()
	if r.NextAttemptMS.Valid {
		outboxRow{
			NextAttemptMS: r.NextAttemptMS.Int64, LeaseToken: r.LeaseToken.Int64, LeaseOwner: r.LeaseOwner.String, LeasedMS: r.LeasedMS.Int64,
		}.fill(&d)
	}
	return d
}

// The states of a queue entry.
const (
	isWaiting = "leased_ms = 0"
	isSending = "leased_ms > 0"
)

// leaseEnd returns the latest start of an expired lease, of a live and of a dead process.
func leaseEnd(now time.Time) (living, dead int64) {
	return ms(now.Add(-outbox.LeaseTime)), ms(now.Add(-outbox.AbandonedAfter))
}
