package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"gorm.io/gorm"
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

	token string
}

// NewLease returns a call that is owed for the client and begun at once.
func NewLease(call registrar.Call, wanted registrar.Update, actor string, at time.Time, length time.Duration) Lease {
	return Lease{Call: call.Begin(at, length), Wanted: wanted, Actor: actor, token: rand.Text()}
}

type callRow struct {
	ClientID string `gorm:"primaryKey"`
	Kind     string
	Wanted   string
	Actor    string
	Attempts int
	DueMs    int64
	Token    string
}

func (callRow) TableName() string { return "idp_call" }

func (r callRow) lease() (Lease, error) {
	l := Lease{
		Call:  registrar.Call{ClientID: r.ClientID, Kind: registrar.CallKind(r.Kind), Attempts: r.Attempts, DueAt: fromMillis(r.DueMs)},
		Actor: r.Actor, token: r.Token,
	}
	return l, json.Unmarshal([]byte(r.Wanted), &l.Wanted)
}

const insertCall = "INSERT INTO idp_call (client_id, kind, wanted, actor, attempts, due_ms, token) VALUES (?, ?, ?, ?, ?, ?, ?)"

func (l Lease) insert() sqldb.Stmt {
	wanted, err := json.Marshal(l.Wanted)
	if err != nil {
		panic(err) // a struct of strings
	}
	return sqldb.Stmt{SQL: insertCall, Args: []any{l.ClientID, string(l.Kind), string(wanted), l.Actor, l.Attempts, l.DueAt.UnixMilli(), l.token}}
}

// Owe stores a call for a client that is locked. It replaces one that waits for
// its next attempt; one that is under way refuses it with StaleClient.
func (tx *Tx) Owe(l Lease) error {
	result := tx.Delete(&callRow{}, "client_id = ? AND (token = '' OR due_ms <= ?)", l.ClientID, tx.Now.UnixMilli())
	if result.Error != nil {
		return failed(result.Error, "store call for client %s", l.ClientID)
	}
	err := tx.Batch(l.insert())
	if _, ok := sqldb.IsUnique(err); ok {
		return registrar.Refuse(registrar.StaleClient, "another change of client %s is under way", l.ClientID)
	}
	return failed(err, "store call for client %s", l.ClientID)
}

// TakeDue takes up to n calls that are due, for the given time. Calls that others
// take at the same moment are skipped.
func (tx *Tx) TakeDue(n int, length time.Duration) ([]Lease, error) {
	var rows []callRow
	err := tx.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).
		Where("due_ms <= ?", tx.Now.UnixMilli()).Order("due_ms").Limit(n).Find(&rows).Error
	if err != nil {
		return nil, failed(err, "take calls")
	}
	leases := make([]Lease, len(rows))
	for i, row := range rows {
		if leases[i], err = row.lease(); err != nil {
			return nil, failed(err, "read call for client %s", row.ClientID)
		}
		leases[i].Call, leases[i].token = leases[i].Begin(tx.Now, length), rand.Text()
		err := tx.Model(&row).Updates(map[string]any{
			"attempts": leases[i].Attempts, "due_ms": leases[i].DueAt.UnixMilli(), "token": leases[i].token,
		}).Error
		if err != nil {
			return nil, failed(err, "take call for client %s", row.ClientID)
		}
	}
	return leases, nil
}

// Settle removes a call whose outcome is known. It fails with ErrLeaseLost unless the
// lease is still held.
func (tx *Tx) Settle(l Lease) error {
	result := tx.Delete(&callRow{}, "client_id = ? AND token = ?", l.ClientID, l.token)
	return failed(changed(result, ErrLeaseLost), "settle call for client %s", l.ClientID)
}

// Postpone returns a call to the outbox until next is due. It fails with ErrLeaseLost
// unless the lease is still held.
func (tx *Tx) Postpone(l Lease, next registrar.Call) error {
	result := tx.Model(&callRow{}).Where("client_id = ? AND token = ?", l.ClientID, l.token).
		Updates(map[string]any{"due_ms": next.DueAt.UnixMilli(), "token": ""})
	return failed(changed(result, ErrLeaseLost), "postpone call for client %s", l.ClientID)
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
	var row recordRow
	err := s.read(ctx).Take(&row, "client_id = ?", clientID).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return registrar.ProviderRecord{}, nil
	}
	return registrar.ProviderRecord{ClientID: row.ProviderClientID, URI: row.URI, AccessToken: registrar.Secret(row.AccessToken)},
		failed(err, "load provider record of client %s", clientID)
}
