package store

import (
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/work"
	"github.com/countersign/countersign/libs/work/workdb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// ErrLeaseLost reports that another worker has taken over the call, or that its client is deleted.
// The outcome must be discarded.
var ErrLeaseLost = workdb.ErrLeaseLost

// calls is the queue of calls. The provider is their one target.
var calls = workdb.Queue{Table: "idp_call", Key: "client_id", Target: "'provider'"}

// Lease is the right to make a call and to record its outcome.
type Lease struct {
	registrar.Call
	Actor string // subject of the caller that caused the call

	// Wanted is the change of a CallUpdate. It is applied to the client after the provider's
	// confirmation.
	Wanted registrar.Update

	// Prior is the possible state at the provider before this attempt.
	Prior registrar.Prior

	TakenOver bool       // from a process that did not record the outcome
	lease     work.Lease // none unless leased
}

// IsLeased reports whether the call is leased.
func (l Lease) IsLeased() bool { return l.lease.IsHeld() }

// NewCall returns an enqueued call that is due immediately.
func NewCall(call registrar.Call, wanted registrar.Update, actor string, at time.Time) Lease {
	call.DueAt = at
	return Lease{Call: call, Wanted: wanted, Actor: actor, Prior: call.Prior()}
}

// Begin leases the call to a process and starts an attempt.
func (l Lease) Begin(process string, at time.Time) Lease {
	return l.begin(work.NewLease(process, at))
}

func (l Lease) begin(lease work.Lease) Lease {
	l.Prior, l.Call, l.lease = l.Call.Prior(), l.Call.Begin(), lease
	return l
}

// callColumns is registrar.Call with the storage of each field.
type callColumns struct {
	ClientID string `gorm:"primaryKey"`
	Kind     registrar.CallKind
	Attempts int
	DueAt    time.Time `gorm:"-"` // in workdb.Columns
	Sent     bool
	Ours     bool `gorm:"column:confirmed"`
}

type callRow struct {
	Call   callColumns `gorm:"embedded"`
	Actor  string
	Wanted registrar.Update `gorm:"column:change;serializer:jsontext;empty:{}"`
	workdb.Columns
}

func (callRow) TableName() string { return "idp_call" }

var callTable = sqldb.TableOf[callRow]()

func (l Lease) row() callRow {
	return callRow{callColumns(l.Call), l.Actor, l.Wanted, workdb.ColumnsOf(l.DueAt, l.lease)}
}

func (r callRow) lease() Lease {
	l := Lease{Call: registrar.Call(r.Call), Actor: r.Actor, Wanted: r.Wanted, TakenOver: r.LeaseToken != "", lease: r.Lease()}
	l.DueAt = r.Due()
	return l
}

// Call returns the pending call of a locked client and locks it. ok is false if there is none.
func (tx *Tx) Call(clientID string) (pending Lease, ok bool, err error) {
	row, err := sqldb.Take[callRow](tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("client_id = ?", clientID), nil)
	return row.lease(), row.Call.ClientID != "", wrapError(err, "load call for client %s", clientID)
}

// Enqueue enqueues a call for a locked client and replaces a pending one. It refuses with StaleClient
// if a call is in flight, as seen by the process.
func (tx *Tx) Enqueue(l Lease, process string) error {
	if err := tx.DropCall(l.ClientID, process); err != nil {
		return err
	}
	return wrapError(tx.Batch(callTable.Insert("", l.row())...), "store call for client %s", l.ClientID)
}

// DropCall deletes the pending call of a locked client, if any. It refuses with StaleClient if a call
// is in flight, as seen by the process.
func (tx *Tx) DropCall(clientID, process string) error {
	_, pending, err := tx.Call(clientID)
	if err != nil || !pending {
		return err
	}
	stale := refusal.New(registrar.StaleClient, "another change of client %s is under way", clientID)
	unleased, args := workdb.Unleased(process, tx.Now())
	result := tx.Where("client_id = ?", clientID).Where(unleased, args...).Delete(&callRow{})
	return wrapError(sqldb.One(result, stale), "forget call for client %s", clientID)
}

// TakeDue leases up to n due calls. It skips calls that other processes are leasing.
func (tx *Tx) TakeDue(n int, process string) ([]Lease, error) {
	claimed, err := calls.Claim(tx.Tx, process, []workdb.Slot{{Target: "provider", Slots: n}}, n)
	if err != nil {
		return nil, wrapError(err, "take calls")
	}
	leases := make([]Lease, len(claimed))
	for i, c := range claimed {
		row, err := sqldb.Take[callRow](tx.Where("client_id = ?", c.Key), ErrLeaseLost)
		if err != nil {
			return nil, wrapError(err, "take call for client %s", c.Key)
		}
		leases[i] = row.lease().begin(c.Lease)
		leases[i].TakenOver = c.Before.IsHeld()
		begun := leases[i].row()
		if err := sqldb.Put(tx.Tx, &begun, ErrLeaseLost); err != nil {
			return nil, wrapError(err, "take call for client %s", c.Key)
		}
	}
	return leases, nil
}

// Settle deletes a call with a known outcome. It fails with ErrLeaseLost unless the lease is still
// held.
func (tx *Tx) Settle(l Lease) error {
	return wrapError(calls.Finish(tx.DB, l.ClientID, l.lease.Token), "settle call for client %s", l.ClientID)
}

// Postpone releases a call until next is due. It fails with ErrLeaseLost unless the lease is still
// held.
func (tx *Tx) Postpone(l Lease, next registrar.Call) error {
	err := calls.Release(tx.DB, l.ClientID, l.lease.Token, next.DueAt)
	if err == nil {
		err = tx.Model(&callRow{}).Where("client_id = ?", l.ClientID).
			Updates(map[string]any{"attempts": next.Attempts, "sent": next.Sent, "confirmed": next.Ours}).Error
	}
	return wrapError(err, "postpone call for client %s", l.ClientID)
}
