package outboxdb

import (
	"cmp"
	"database/sql"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/work"
	"github.com/countersign/countersign/libs/work/workdb"
)

// queue is the table of pending and leased deliveries.
var queue = workdb.Queue{Table: "outbox", Key: "id", Target: "target"}

// outboxRow is the queue entry of a pending or leased delivery.
type outboxRow struct {
	ID     string `gorm:"primaryKey"`
	Target string
	workdb.Columns
}

var outboxTable = sqldb.TableOf[outboxRow]()

func rowOfOutbox(d outbox.Delivery) outboxRow {
	row := outboxRow{ID: d.ID, Target: targetOf(d.Target), Columns: workdb.ColumnsOf(d.NextAttemptAt, work.Lease{})}
	if d.Status == outbox.DeliverySending {
		row.Columns = workdb.ColumnsOf(d.NextAttemptAt, d.Lease)
	}
	return row
}

// fill completes a delivery that is not done.
func fill(d *outbox.Delivery, due time.Time, l work.Lease) {
	d.Status = outbox.DeliveryPending
	if l.IsHeld() {
		d.Status = outbox.DeliverySending
	}
	d.NextAttemptAt, d.Lease = due, l
}

// targetOf returns the target of the queue, whose deliveries share a limit of requests in flight: the id or name of an endpoint, or the host of a callback.
func targetOf(t outbox.Target) string {
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
	return outboxTable.Insert(` ON CONFLICT (id) DO UPDATE SET due_ms = excluded.due_ms,
		lease_token = excluded.lease_token, lease_owner = excluded.lease_owner, leased_ms = excluded.leased_ms`, rowOfOutbox(d))
}

// deliveryState is a delivery with its queue entry.
type deliveryState struct {
	Row        deliveryRow   `gorm:"embedded"`
	DueMS      sql.NullInt64 // NULL when it is done
	LeaseToken sql.NullString
	LeaseOwner sql.NullString
	LeasedMS   sql.NullInt64
}

func (r deliveryState) delivery() outbox.Delivery {
	d := r.Row.delivery()
	if r.DueMS.Valid {
		fill(&d, at(r.DueMS.Int64), work.Lease{Token: r.LeaseToken.String, Owner: r.LeaseOwner.String, Since: at(r.LeasedMS.Int64)})
	}
	return d
}

// The states of a queue entry.
const (
	isWaiting = "leased_ms = 0"
	isSending = "leased_ms > 0"
)
