package store

import (
	"crypto/rand"
	"errors"
	"time"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// ErrLeaseLost means that the lease of a call ended and somebody else has taken the
// call over, or that its client is gone. What was found out must be dropped.
var ErrLeaseLost = errors.New("the lease of the call has ended")

// Lease is the right to make a call and to record its outcome, until DueAt of the
// call.
type Lease struct {
	registrar.Call
	Actor string // the subject of the caller who made it necessary

	// Wanted is the change of a CallUpdate: the client gets it once the provider
	// has confirmed it.
	Wanted registrar.Update

	// Prior is what the provider may have had before this attempt.
	Prior registrar.Prior

	TakenOver bool   // from a process that did not record the outcome
	token     string // empty while nobody makes the call
	owner     string // the process that does
}

// Begun reports whether somebody makes the call, or has to.
func (l Lease) Begun() bool { return l.token != "" }

// Owed returns a call that is to be made at once, by whoever comes to it first.
func Owed(call registrar.Call, wanted registrar.Update, actor string, at time.Time) Lease {
	call.DueAt = at
	return Lease{Call: call, Wanted: wanted, Actor: actor, Prior: call.Prior()}
}

// Holder is who makes calls: a process, and how long its leases last.
type Holder struct {
	Process string
	Lease   time.Duration
}

// Begin takes the call, which is to be made at once.
func (l Lease) Begin(by Holder, at time.Time) Lease {
	l.Prior, l.Call = l.Call.Prior(), l.Call.Begin(at, by.Lease)
	l.token, l.owner = rand.Text(), by.Process
	return l
}

// callColumns is registrar.Call, field by field, with where each is stored.
type callColumns struct {
	ClientID string `gorm:"primaryKey"`
	Kind     registrar.CallKind
	Attempts int
	DueAt    time.Time `gorm:"column:due_ms;serializer:millis"`
	Sent     bool
	Ours     bool
}

type callRow struct {
	Call   callColumns `gorm:"embedded"`
	Actor  string
	Wanted registrar.Update `gorm:"serializer:jsontext;empty:{}"`
	Token  string
	Owner  string
}

func (callRow) TableName() string { return "idp_call" }

var callTable = sqldb.TableOf[callRow]()

func (l Lease) row() callRow {
	return callRow{callColumns(l.Call), l.Actor, l.Wanted, l.token, l.owner}
}

func (r callRow) lease() Lease {
	return Lease{Call: registrar.Call(r.Call), Actor: r.Actor, Wanted: r.Wanted, TakenOver: r.Token != "", token: r.Token, owner: r.Owner}
}

// exchange is how long a call to the provider can be under way at most, with some time for
// the clock. What a dead process has begun may be begun again after it.
const exchange = 15 * time.Second

// free is true of a call that nobody makes, or not any more: its time has come, or who
// made it is dead. Its arguments are those of freed.
const free = "(due_ms <= ? OR token <> '' AND due_ms <= ? AND owner <> ? AND owner NOT IN (" + heartbeat.Alive + "))"

func (h Holder) freed(now time.Time) []any {
	return []any{sqldb.Millis(now), sqldb.Millis(now.Add(h.Lease - exchange)), h.Process, heartbeat.Since(now)}
}

// Call returns the call that is owed for a client that is locked, and locks it; ok is false
// if none is.
func (tx *Tx) Call(clientID string) (owed Lease, ok bool, err error) {
	row, err := sqldb.Take[callRow](tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("client_id = ?", clientID), nil)
	return row.lease(), row.Call.ClientID != "", failed(err, "load call for client %s", clientID)
}

// Owe stores a call for a client that is locked. It replaces one that nobody makes; one
// that is under way refuses it with StaleClient.
func (tx *Tx) Owe(l Lease, by Holder) error {
	if err := tx.Forget(l.ClientID, by); err != nil {
		return err
	}
	return failed(tx.Batch(callTable.Insert("", l.row())...), "store call for client %s", l.ClientID)
}

// Forget removes the call that is owed for a client that is locked, if there is one. One
// that is under way refuses it with StaleClient.
func (tx *Tx) Forget(clientID string, by Holder) error {
	_, owed, err := tx.Call(clientID)
	if err != nil || !owed {
		return err
	}
	stale := registrar.Refuse(registrar.StaleClient, "another change of client %s is under way", clientID)
	result := tx.Delete(&callRow{}, append([]any{"client_id = ? AND (token = '' OR " + free + ")", clientID}, by.freed(tx.Now())...)...)
	return failed(sqldb.One(result, stale), "forget call for client %s", clientID)
}

// TakeDue takes up to n calls that are due. Calls that others take at the same moment are
// skipped.
func (tx *Tx) TakeDue(n int, by Holder) ([]Lease, error) {
	var rows []callRow
	err := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).
		Where(free, by.freed(tx.Now())...).Order("due_ms").Limit(n).Find(&rows).Error
	if err != nil {
		return nil, failed(err, "take calls")
	}
	leases := sqldb.Values(rows, callRow.lease)
	for i, l := range leases {
		leases[i] = l.Begin(by, tx.Now())
		row := leases[i].row()
		if err := sqldb.Put(tx.Tx, &row, ErrLeaseLost); err != nil {
			return nil, failed(err, "take call for client %s", l.ClientID)
		}
	}
	return leases, nil
}

// Settle removes a call whose outcome is known. It fails with ErrLeaseLost unless the
// lease is still held.
func (tx *Tx) Settle(l Lease) error {
	result := tx.Delete(&callRow{}, "client_id = ? AND token = ?", l.ClientID, l.token)
	return failed(sqldb.One(result, ErrLeaseLost), "settle call for client %s", l.ClientID)
}

// Postpone returns a call to the outbox until next is due. It fails with ErrLeaseLost
// unless the lease is still held.
func (tx *Tx) Postpone(l Lease, next registrar.Call) error {
	result := tx.Model(&callRow{}).Where("client_id = ? AND token = ?", l.ClientID, l.token).
		Updates(map[string]any{"due_ms": sqldb.Millis(next.DueAt), "attempts": next.Attempts, "sent": next.Sent, "ours": next.Ours, "token": "", "owner": ""})
	return failed(sqldb.One(result, ErrLeaseLost), "postpone call for client %s", l.ClientID)
}
