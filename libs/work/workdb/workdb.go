// Package workdb claims items of work in a table of a service, PostgreSQL or SQLite. Such a table has a
// row for each item that is not done, with the columns
//
//	due_ms       earliest start of the next attempt
//	lease_token  of work.Lease; empty without a lease
//	lease_owner  the process; empty without a lease
//	leased_ms    start of the lease; 0 without one
//
// The table process of package heartbeat has the live processes.
package workdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/work"
)

// ErrLeaseLost reports that the worker no longer holds the item: another one has claimed it, or it was
// deleted. Its result must be discarded.
var ErrLeaseLost = errors.New("the lease has ended")

// Queue is a table of work.
type Queue struct {
	Table  string
	Key    string // column of the key
	Target string // expression of the target; items of a target share a limit of leases
}

// Columns are the columns of a lease, for a row of gorm.
type Columns struct {
	DueMS      int64
	LeaseToken string
	LeaseOwner string
	LeasedMS   int64
}

// ColumnsOf returns the columns of an item.
func ColumnsOf(due time.Time, l work.Lease) Columns {
	return Columns{sqldb.Millis(due), l.Token, l.Owner, sqldb.Millis(l.Since)}
}

// Due returns the due time.
func (c Columns) Due() time.Time { return sqldb.Time(c.DueMS) }

// Lease returns the lease.
func (c Columns) Lease() work.Lease {
	return work.Lease{Token: c.LeaseToken, Owner: c.LeaseOwner, Since: sqldb.Time(c.LeasedMS)}
}

// isAbandoned is the condition of a lease with a dead owner, other than the process of its argument.
const isAbandoned = "(leased_ms > 0 AND lease_owner NOT IN ('', ?) AND lease_owner NOT IN (" + heartbeat.Alive + "))"

// isUnleased is the condition of an item without a valid lease.
const isUnleased = "(leased_ms <= ? OR leased_ms <= ? AND " + isAbandoned + ")"

// Unleased returns the condition of items without a valid lease, as seen by a process, and its arguments.
func Unleased(process string, now time.Time) (condition string, args []any) {
	return isUnleased, []any{
		expired(now), sqldb.Millis(now.Add(-work.AbandonedAfter)), process, heartbeat.LivenessCutoff(now),
	}
}

// expired returns the latest start of an expired lease.
func expired(now time.Time) int64 { return sqldb.Millis(now.Add(-work.LeaseTime)) }

// InFlight is the condition of an item with a valid lease, and its argument.
func InFlight(now time.Time) (condition string, arg any) { return "leased_ms > ?", expired(now) }

// Target has the numbers of the due items of a target.
type Target struct {
	Name  string
	Busy  int // leased; leases of dead processes do not count
	Ready int // not leased
}

// Targets returns the targets with an item to claim, the longest waiting first.
func (q Queue) Targets(db *gorm.DB, process string, now time.Time) (list []Target, err error) {
	unleased, args := Unleased(process, now)
	args = append(args, expired(now), process, heartbeat.LivenessCutoff(now), sqldb.Millis(now))
	err = db.Raw(`SELECT name, busy, ready FROM (
			SELECT name, sum(busy) AS busy, sum(ready) AS ready, min(due_ms) AS head FROM (
				SELECT `+q.Target+` AS name, due_ms, CASE WHEN `+unleased+` THEN 1 ELSE 0 END AS ready,
					CASE WHEN leased_ms > ? AND NOT `+isAbandoned+` THEN 1 ELSE 0 END AS busy
				FROM `+q.Table+` WHERE due_ms <= ?) AS due
			GROUP BY name) AS target
		WHERE ready > 0 ORDER BY head`, args...).Scan(&list).Error
	return list, err
}

// Slot is the maximum number of items of a target in a claim.
type Slot struct {
	Target string `json:"target"`
	Slots  int    `json:"slots"`
}

// Claimed is a claimed item. Before is a lease that ended without a result.
type Claimed struct {
	Key    string
	Due    time.Time
	Before work.Lease
	Lease  work.Lease
}

// Claim leases at most n due items of the targets, in turn: the first of each, then the second. It skips
// items that another transaction has locked.
func (q Queue) Claim(tx *sqldb.Tx, process string, slots []Slot, n int) ([]Claimed, error) {
	text, err := json.Marshal(slots)
	if err != nil {
		return nil, err
	}
	list := "SELECT value ->> 'target' AS target, value ->> 'slots' AS slots FROM json_each(?)"
	if tx.Name() == "postgres" {
		list = "SELECT * FROM jsonb_to_recordset(CAST(? AS jsonb)) AS s (target text, slots int)"
	}
	unleased, args := Unleased(process, tx.Now())
	var rows []struct {
		Item string
		Columns
	}
	// The condition is repeated, because PostgreSQL checks it again after a wait for another transaction.
	err = tx.Raw(fmt.Sprintf(`SELECT w.%[1]s AS item, w.due_ms, w.lease_token, w.lease_owner, w.leased_ms FROM %[2]s w JOIN (
			SELECT %[1]s AS item, %[3]s AS target, row_number() OVER (PARTITION BY %[3]s ORDER BY due_ms, %[1]s) AS turn
			FROM %[2]s WHERE due_ms <= ? AND %[4]s) AS waiting ON waiting.item = w.%[1]s
		JOIN (%[5]s) AS slot ON slot.target = waiting.target
		WHERE waiting.turn <= slot.slots AND %[4]s
		ORDER BY waiting.turn, w.due_ms, w.%[1]s LIMIT ?`, q.Key, q.Table, q.Target, unleased, list)+
		tx.RowLock("FOR NO KEY UPDATE OF w SKIP LOCKED"),
		append(append(append([]any{sqldb.Millis(tx.Now())}, args...), string(text)), append(args, n)...)...).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	lease := work.NewLease(process, tx.Now())
	claimed, keys := make([]Claimed, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		keys[i] = row.Item
		claimed[i] = Claimed{Key: row.Item, Due: row.Due(), Before: row.Lease(), Lease: lease}
	}
	leased := map[string]any{"lease_token": lease.Token, "lease_owner": process, "leased_ms": sqldb.Millis(lease.Since)}
	return claimed, tx.Table(q.Table).Where(q.Key+" IN ?", keys).Updates(leased).Error
}

// Release ends a lease; the item is due again at a time. It fails with ErrLeaseLost.
func (q Queue) Release(tx *gorm.DB, key, token string, due time.Time) error {
	return sqldb.One(q.held(tx, key, token).Updates(map[string]any{
		"lease_token": "", "lease_owner": "", "leased_ms": 0, "due_ms": sqldb.Millis(due),
	}), ErrLeaseLost)
}

// Finish deletes a leased item. It fails with ErrLeaseLost.
func (q Queue) Finish(tx *gorm.DB, key, token string) error {
	return sqldb.One(q.held(tx, key, token).Delete(nil), ErrLeaseLost)
}

func (q Queue) held(tx *gorm.DB, key, token string) *gorm.DB {
	return tx.Table(q.Table).Where(q.Key+" = ? AND lease_token = ? AND leased_ms > 0", key, token)
}

// FinishAll deletes leased items in one batch and returns the keys of those that were held.
func (q Queue) FinishAll(tx *sqldb.Tx, tokens map[string]string) (held map[string]bool, err error) {
	keys := slices.Collect(maps.Keys(tokens))
	found := make([]string, len(keys))
	stmts := make([]sqldb.Stmt, len(keys))
	for i, key := range keys {
		stmts[i] = sqldb.Stmt{
			SQL:  "DELETE FROM " + q.Table + " WHERE " + q.Key + " = ? AND lease_token = ? AND leased_ms > 0 RETURNING " + q.Key,
			Args: []any{key, tokens[key]}, Into: &found[i],
		}
	}
	err = tx.Batch(stmts...)
	held = map[string]bool{}
	for _, key := range found {
		if key != "" {
			held[key] = true
		}
	}
	return held, err
}
