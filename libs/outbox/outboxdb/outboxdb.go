// Package outboxdb stores endpoints and deliveries in the database of a service, PostgreSQL or SQLite. The
// service's migrations create the tables endpoint, delivery, message, delivery_attempt and outbox, and
// process of package heartbeat.
//
// Methods of [Tx] write, or read and lock until the end of the transaction. Methods of [Store] read
// committed rows without locks, or open their own transaction. Lock order: endpoint by id, outbox,
// delivery. Claims and recoveries skip locked deliveries.
//
// Adding, claiming and finishing deliveries use hand-written statements in batches, other operations gorm.
package outboxdb

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
)

// Options configures a Store.
type Options struct {
	// Subject is the object of the service's events in logs, such as request. UUID declares that the column
	// subject contains UUIDs only.
	Subject string
	UUID    bool

	// Refusal converts the error of a read into a refusal of the service; nil keeps it.
	Refusal func(error) error
}

// Store is the outbox of a service. It is safe for concurrent use.
type Store struct {
	Options
	db *sqldb.DB
}

// states is a table of deliveryState.
const states = `(SELECT d.*, o.due_ms, o.lease_token, o.lease_owner, o.leased_ms
	FROM delivery d LEFT JOIN outbox o ON o.id = d.id) AS delivery`

// New returns the outbox in db.
func New(db *sqldb.DB, o Options) *Store {
	if o.Refusal == nil {
		o.Refusal = func(err error) error { return err }
	}
	return &Store{Options: o, db: db}
}

// Tx is a transaction that is open.
type Tx struct {
	*sqldb.Tx
	store *Store

	loaded []endpointRow // nil before LoadEndpoints, and after the change of an endpoint
}

// In returns the outbox in a transaction of the service. Each transaction has one Tx.
func (s *Store) In(tx *sqldb.Tx) *Tx { return &Tx{Tx: tx, store: s} }

// do runs fn in a transaction of its own.
func (s *Store) do(ctx context.Context, fn func(*Tx) error) error {
	return s.db.Do(ctx, func(tx *sqldb.Tx) error { return fn(s.In(tx)) })
}

// wrapError adds the operation to an error. Nil and refusals are unchanged.
func wrapError(err error, format string, args ...any) error {
	if _, refused := errors.AsType[*refusal.Error](err); err == nil || refused {
		return err
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}

// Shorthands for columns.
var (
	ms        = sqldb.Millis
	at        = sqldb.Time
	printable = sqldb.CleanText
	isID      = sqldb.IsID
	hasID     = sqldb.HasID
)

// lockRow locks rows against other writers. Foreign key checks do not wait for it.
var lockRow = clause.Locking{Strength: "NO KEY UPDATE"}
