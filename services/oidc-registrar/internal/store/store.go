// Package store keeps the domain in the database, PostgreSQL or SQLite.
//
// Methods of [Tx] write, or read and lock until the transaction ends. Methods of
// [Store] read what was committed and lock nothing. The order of locks is always:
// client, its call, then those of package outboxdb.
//
// A registration costs two round trips on PostgreSQL besides those of the
// transaction itself: [Tx.Survey] and [Tx.AddClient].
package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

//go:embed migrations
var migrations embed.FS

var (
	// ErrUnavailable means that the database cannot be used now. What wraps it is
	// for the log. The same call may succeed later.
	ErrUnavailable = errors.New("the database cannot be reached")

	// ErrNoWrites means that the database answers and takes no writes.
	ErrNoWrites = errors.New("the database takes no writes")

	// ErrBusy means that another transaction holds what this one needs for too
	// long. Nothing was written.
	ErrBusy = errors.New("another operation on the same client is running")
)

// Store is the service's data. It is safe for concurrent use.
type Store struct {
	Outbox *outboxdb.Store
	db     *sqldb.DB
	Wake   func() // tells the sender that a webhook may be due; may be nil
}

// New returns the store in db, whose tables Migrate makes.
func New(db *sqldb.DB) *Store {
	return &Store{Outbox: outboxdb.New(db, outboxdb.Options{Subject: "client", Refusal: classify}), db: db}
}

// Schema is what the store keeps in its database.
func Schema() sqldb.Schema { return sqldb.Schema{Files: migrations, Table: "client"} }

// Migrate brings the tables up to date. Several processes may call it at once.
func (s *Store) Migrate(ctx context.Context) error { return classify(s.db.Migrate(ctx, migrations)) }

// Ping reports whether the database answers and takes writes.
func (s *Store) Ping(ctx context.Context) error { return classify(s.db.Ping(ctx)) }

// Now returns the time that Tx.Now would be.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	now, err := s.db.Now(ctx)
	return now, classify(err)
}

// Tx is a transaction that is open. Now is the only time to write.
type Tx struct {
	*sqldb.Tx
	Outbox   *outboxdb.Tx
	clients  map[string]subject // that it has read or written
	happened []registrar.Event
	waiting  bool // there are webhooks to send
}

// Do runs fn in one transaction and commits if it returns nil. Unless fn has ended it, with
// AddClient, it ends with the webhooks of what has happened. fn may run again
// after a conflict, and must not wait on the network; see sqldb.DB.Do. Errors may
// be ErrUnavailable, ErrNoWrites or ErrBusy.
func (s *Store) Do(ctx context.Context, fn func(*Tx) error) error {
	var tx *Tx
	err := s.db.Do(ctx, func(raw *sqldb.Tx) error {
		tx = &Tx{Tx: raw, Outbox: s.Outbox.In(raw), clients: map[string]subject{}}
		if err := fn(tx); err != nil || tx.IsLast() {
			return err
		}
		webhooks, err := tx.announce()
		if err != nil || len(webhooks) == 0 {
			return err
		}
		tx.Last()
		return failed(tx.Batch(webhooks...), "add the webhooks of events")
	})
	if err == nil {
		s.tell(ctx, tx.happened)
		if tx.waiting && s.Wake != nil {
			s.Wake()
		}
	}
	return classify(err)
}

// classify turns the errors that mean something to a caller into those of this
// package, and keeps the cause.
func classify(err error) error {
	if refused, ok := errors.AsType[*outbox.Error](err); ok {
		return refusalOfOutbox(refused)
	}
	switch {
	case err == nil, errors.Is(err, ErrUnavailable), errors.Is(err, ErrNoWrites), errors.Is(err, ErrBusy):
		return err
	case errors.Is(err, sqldb.ErrCursor):
		return registrar.Invalid{{Field: "cursor", Reason: registrar.InvalidRequest, Message: "is not the cursor of a page"}}
	case sqldb.TakesNoWrites(err):
		return fmt.Errorf("%w: %w", ErrNoWrites, err)
	case sqldb.IsUnavailable(err):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case sqldb.IsLockTimeout(err):
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// failed says what was being done when err happened; nil stays nil.
func failed(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return classify(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err))
}

func notFound(id string) error {
	return registrar.Refuse(registrar.ClientNotFound, "no client %s", id)
}
