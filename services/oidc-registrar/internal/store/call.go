package store

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"gorm.io/gorm/clause"

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

	TakenOver bool // from a process that did not record the outcome
	token     string
}

// NewLease returns a call that is owed for the client and begun at once.
func NewLease(call registrar.Call, wanted registrar.Update, actor string, at time.Time, length time.Duration) Lease {
	return Lease{Call: call.Begin(at, length), Wanted: wanted, Actor: actor, token: rand.Text()}
}

// callColumns is registrar.Call, field by field, with where each is stored.
type callColumns struct {
	ClientID string `gorm:"primaryKey"`
	Kind     registrar.CallKind
	Attempts int
	DueAt    time.Time `gorm:"column:due_ms;serializer:millis"`
}

type callRow struct {
	Call   callColumns `gorm:"embedded"`
	Actor  string
	Wanted registrar.Update `gorm:"serializer:jsontext;empty:{}"`
	Token  string
}

func (callRow) TableName() string { return "idp_call" }

var callTable = sqldb.TableOf[callRow]()

func (l Lease) row() callRow { return callRow{callColumns(l.Call), l.Actor, l.Wanted, l.token} }

func (r callRow) lease() Lease {
	return Lease{Call: registrar.Call(r.Call), Actor: r.Actor, Wanted: r.Wanted, TakenOver: r.Token != "", token: r.Token}
}

// Owe stores a call for a client that is locked. It replaces one that waits for
// its next attempt; one that is under way refuses it with StaleClient.
func (tx *Tx) Owe(l Lease) error {
	result := tx.Delete(&callRow{}, "client_id = ? AND (token = '' OR due_ms <= ?)", l.ClientID, sqldb.Millis(tx.Now))
	if result.Error != nil {
		return failed(result.Error, "store call for client %s", l.ClientID)
	}
	err := tx.Batch(callTable.Insert("", l.row())...)
	if _, ok := sqldb.IsUnique(err); ok {
		return registrar.Refuse(registrar.StaleClient, "another change of client %s is under way", l.ClientID)
	}
	return failed(err, "store call for client %s", l.ClientID)
}

// Waiting returns the change that waits for the identity provider; the zero update if
// none does.
func (tx *Tx) Waiting(clientID string) (registrar.Update, error) {
	row, err := sqldb.Take[callRow](tx.Where("client_id = ? AND kind = ?", clientID, registrar.CallUpdate), nil)
	return row.Wanted, failed(err, "load call for client %s", clientID)
}

// TakeDue takes up to n calls that are due, for the given time. Calls that others
// take at the same moment are skipped.
func (tx *Tx) TakeDue(n int, length time.Duration) ([]Lease, error) {
	var rows []callRow
	err := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).
		Where("due_ms <= ?", sqldb.Millis(tx.Now)).Order("due_ms").Limit(n).Find(&rows).Error
	if err != nil {
		return nil, failed(err, "take calls")
	}
	leases := sqldb.Values(rows, callRow.lease)
	for i, l := range leases {
		leases[i].Call, leases[i].token = l.Begin(tx.Now, length), rand.Text()
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
		Updates(map[string]any{"due_ms": sqldb.Millis(next.DueAt), "token": ""})
	return failed(sqldb.One(result, ErrLeaseLost), "postpone call for client %s", l.ClientID)
}

type recordRow struct {
	ClientID         string `gorm:"primaryKey"`
	ProviderClientID string
	URI              string `gorm:"column:uri"`
	AccessToken      string
}

func (recordRow) TableName() string { return "provider_record" }

// PutRecord remembers what the provider said of a client. The zero record is
// nothing to remember.
func (tx *Tx) PutRecord(clientID string, r registrar.ProviderRecord) error {
	if r == (registrar.ProviderRecord{}) {
		return nil
	}
	row := recordRow{ClientID: clientID, ProviderClientID: r.ClientID, URI: r.URI, AccessToken: string(r.AccessToken)}
	return failed(upsert(tx, &row), "store provider record of client %s", clientID)
}

// Record returns what the provider said of a client; the zero record if there is
// nothing.
func (s *Store) Record(ctx context.Context, clientID string) (registrar.ProviderRecord, error) {
	row, err := sqldb.Take[recordRow](s.db.Read(ctx).Where("client_id = ?", clientID), nil)
	return registrar.ProviderRecord{ClientID: row.ProviderClientID, URI: row.URI, AccessToken: registrar.Secret(row.AccessToken)},
		failed(err, "load provider record of client %s", clientID)
}
