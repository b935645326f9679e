package store

import (
	"crypto/rand"
	"errors"
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// ErrLeaseLost reports that another worker has taken over the call, or that its client is deleted.
// The outcome must be discarded.
var ErrLeaseLost = errors.New("the lease of the call has ended")

// Lease is the right to make a call and to record its outcome until DueAt of the call.
type Lease struct {
	registrar.Call
	Actor string // subject of the caller that caused the call

	// Wanted is the change of a CallUpdate. It is applied to the client after the provider's
	// confirmation.
	Wanted registrar.Update

	// Prior is the possible state at the provider before this attempt.
	Prior registrar.Prior

	TakenOver bool   // from a process that did not record the outcome
	token     string // empty unless leased
	owner     string // process of the lease
}

// IsLeased reports whether the call is leased.
func (l Lease) IsLeased() bool { return l.token != "" }

// NewCall returns an enqueued call that is due immediately.
func NewCall(call registrar.Call, wanted registrar.Update, actor string, at time.Time) Lease {
	call.DueAt = at
	return Lease{Call: call, Wanted: wanted, Actor: actor, Prior: call.Prior()}
}

// Holder is a process that makes calls, with the duration of its leases.
type Holder struct {
	Process string
	Lease   time.Duration
}

// Begin leases the call and starts an attempt.
func (l Lease) Begin(by Holder, at time.Time) Lease {
	l.Prior, l.Call = l.Call.Prior(), l.Call.Begin(at, by.Lease)
	l.token, l.owner = rand.Text(), by.Process
	return l
}

// callColumns is registrar.Call with the storage of each field.
type callColumns struct {
	ClientID string `gorm:"primaryKey"`
	Kind     registrar.CallKind
	Attempts int
	DueAt    time.Time `gorm:"column:due_ms;serializer:millis"`
	Sent     bool
	Ours     bool `gorm:"column:confirmed"`
}

type callRow struct {
	Call   callColumns `gorm:"embedded"`
	Actor  string
	Wanted registrar.Update `gorm:"column:change;serializer:jsontext;empty:{}"`
	Token  string           `gorm:"column:lease_token"`
	Owner  string           `gorm:"column:lease_owner"`
}

func (callRow) TableName() string { return "idp_call" }

var callTable = sqldb.TableOf[callRow]()

func (l Lease) row() callRow {
	return callRow{callColumns(l.Call), l.Actor, l.Wanted, l.token, l.owner}
}

func (r callRow) lease() Lease {
	return Lease{Call: registrar.Call(r.Call), Actor: r.Actor, Wanted: r.Wanted, TakenOver: r.Token != "", token: r.Token, owner: r.Owner}
}

// exchange is the maximum duration of a call to the provider, with a margin for clock differences.
// After it, the call of an ended process may be repeated.
const exchange = 15 * time.Second

// free selects calls that may be leased: due ones, and those whose process has ended. Its arguments
// are those of freed.
const free = "(due_ms <= ? OR lease_token <> '' AND due_ms <= ? AND lease_owner <> ? AND lease_owner NOT IN (" + heartbeat.Alive + "))"

func (h Holder) abandonedArgs(now time.Time) []any {
	return []any{sqldb.Millis(now), sqldb.Millis(now.Add(h.Lease - exchange)), h.Process, heartbeat.LivenessCutoff(now)}
}

// Call returns the pending call of a locked client and locks it. ok is false if there is none.
func (tx *Tx) Call(clientID string) (pending Lease, ok bool, err error) {
	row, err := sqldb.Take[callRow](tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("client_id = ?", clientID), nil)
	return row.lease(), row.Call.ClientID != "", wrapError(err, "load call for client %s", clientID)
}

// Enqueue enqueues a call for a locked client and replaces a pending one. It refuses with StaleClient
// if a call is in flight.
func (tx *Tx) Enqueue(l Lease, by Holder) error {
	if err := tx.DropCall(l.ClientID, by); err != nil {
		return err
	}
	return wrapError(tx.Batch(callTable.Insert("", l.row())...), "store call for client %s", l.ClientID)
}

// DropCall deletes the pending call of a locked client, if any. It refuses with StaleClient if a call
// is in flight.
func (tx *Tx) DropCall(clientID string, by Holder) error {
	_, pending, err := tx.Call(clientID)
	if err != nil || !pending {
		return err
	}
	stale := refusal.New(registrar.StaleClient, "another change of client %s is under way", clientID)
	result := tx.Delete(&callRow{}, append([]any{"client_id = ? AND (lease_token = '' OR " + free + ")", clientID}, by.abandonedArgs(tx.Now())...)...)
	return wrapError(sqldb.One(result, stale), "forget call for client %s", clientID)
}

// TakeDue leases up to n due calls. It skips calls that other processes are leasing.
func (tx *Tx) TakeDue(n int, by Holder) ([]Lease, error) {
	var rows []callRow
	err := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).
		Where(free, by.abandonedArgs(tx.Now())...).Order("due_ms").Limit(n).Find(&rows).Error
	if err != nil {
		return nil, wrapError(err, "take calls")
	}
	leases := sqldb.Values(rows, callRow.lease)
	for i, l := range leases {
		leases[i] = l.Begin(by, tx.Now())
		row := leases[i].row()
		if err := sqldb.Put(tx.Tx, &row, ErrLeaseLost); err != nil {
			return nil, wrapError(err, "take call for client %s", l.ClientID)
		}
	}
	return leases, nil
}

// Settle deletes a call with a known outcome. It fails with ErrLeaseLost unless the lease is still
// held.
func (tx *Tx) Settle(l Lease) error {
	result := tx.Delete(&callRow{}, "client_id = ? AND lease_token = ?", l.ClientID, l.token)
	return wrapError(sqldb.One(result, ErrLeaseLost), "settle call for client %s", l.ClientID)
}

// Postpone releases a call until next is due. It fails with ErrLeaseLost unless the lease is still
// held.
func (tx *Tx) Postpone(l Lease, next registrar.Call) error {
	result := tx.Model(&callRow{}).Where("client_id = ? AND lease_token = ?", l.ClientID, l.token).
		Updates(
			map[string]any{
				"due_ms":      sqldb.Millis(next.DueAt),
				"attempts":    next.Attempts,
				"sent":        next.Sent,
				"confirmed":   next.Ours,
				"lease_token": "",
				"lease_owner": "",
			},
		)
	return wrapError(sqldb.One(result, ErrLeaseLost), "postpone call for client %s", l.ClientID)
}
