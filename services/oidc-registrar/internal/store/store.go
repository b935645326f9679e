// Package store stores the domain in PostgreSQL or SQLite.
//
// Methods of [Tx] write, or read and lock until the transaction ends: those of clients, their calls and
// events, and in a field each those of approvals, the catalogue and tokens. Methods of [Store] read
// committed rows and lock nothing. The order of locks is always: client, its call, then those of
// package outboxdb.
//
// A registration takes two round trips on PostgreSQL besides BEGIN and COMMIT:
// [Tx.Conflicts] and [Tx.AddClient].
package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/ui/session"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

//go:embed migrations
var migrations embed.FS

var (
	// ErrUnavailable reports that the database is unavailable. Its cause is for the log. The same
	// call may succeed later.
	ErrUnavailable = errors.New("the database cannot be reached")

	// ErrNoWrites reports that the database is read-only.
	ErrNoWrites = errors.New("the database takes no writes")

	// ErrTimeout reports a statement timeout. Nothing was written.
	ErrTimeout = errors.New("a database statement timed out")

	// ErrBusy reports a lock timeout. Nothing was written.
	ErrBusy = errors.New("another operation on the same client is running")
)

// Store is the service's storage. It is safe for concurrent use.
type Store struct {
	Outbox *outboxdb.Store
	db     *sqldb.DB
	Wake   func() // wakes the sender of webhooks; may be nil
}

// New returns the store in db. Migrate creates its tables.
func New(db *sqldb.DB) *Store {
	return &Store{Outbox: outboxdb.New(db, outboxdb.Options{Subject: "client", Refusal: classify}), db: db}
}

// Sessions returns the sessions of the console.
func (s *Store) Sessions(o session.Options) *session.Store {
	o.Refusal = classify
	return session.New(s.db, o)
}

// Schema returns the schema of the store.
func Schema() sqldb.Schema {
	return sqldb.Schema{Files: migrations, Table: "client", App: "registrar_app", Reader: "registrar_reader"}
}

// Migrate applies pending migrations. It is safe for concurrent use by several processes.
func (s *Store) Migrate(ctx context.Context) error { return classify(s.db.Migrate(ctx, migrations)) }

// Ping reports whether the database answers and accepts writes.
func (s *Store) Ping(ctx context.Context) error { return classify(s.db.Ping(ctx)) }

// Now returns the time that Tx.Now would be.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	now, err := s.db.Now(ctx)
	return now, classify(err)
}

// Tx is an open transaction. Now is the time for all of its writes.
type Tx struct {
	*sqldb.Tx
	Outbox    *outboxdb.Tx
	Approvals ApprovalTx
	Catalog   CatalogTx
	Tokens    TokenTx
	clients   map[string]subject // read or written in this transaction
	happened  []registrar.Event
	waiting   bool // webhooks were added
}

// Do runs fn in one transaction and commits if it returns nil. The transaction ends with the
// webhooks of its events. fn may run again after a conflict
// and must not wait on the network; see sqldb.DB.Do. Errors may be ErrUnavailable, ErrNoWrites,
// ErrTimeout or ErrBusy.
func (s *Store) Do(ctx context.Context, fn func(*Tx) error) error {
	var tx *Tx
	err := s.db.Do(ctx, func(raw *sqldb.Tx) error {
		tx = &Tx{
			Tx: raw, Outbox: s.Outbox.In(raw), Approvals: ApprovalTx{raw}, Catalog: CatalogTx{raw}, Tokens: TokenTx{raw},
			clients: map[string]subject{},
		}
		if err := fn(tx); err != nil {
			return err
		}
		webhooks, err := tx.announce()
		if err != nil || len(webhooks) == 0 {
			return err
		}
		return wrapError(tx.Batch(webhooks...), "add the webhooks of events")
	})
	if err == nil {
		s.logEvents(ctx, tx.happened)
		if tx.waiting && s.Wake != nil {
			s.Wake()
		}
	}
	return classify(err)
}

// classify maps errors with a meaning for callers to those of this package and keeps the cause.
func classify(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrUnavailable), errors.Is(err, ErrNoWrites), errors.Is(err, ErrTimeout),
		errors.Is(err, ErrBusy):
		return err
	case errors.Is(err, sqldb.ErrCursor):
		return refusal.At(registrar.InvalidRequest, "/cursor", "is not the cursor of a page")
	case sqldb.TakesNoWrites(err):
		return fmt.Errorf("%w: %w", ErrNoWrites, err)
	case sqldb.IsUnavailable(err):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case sqldb.IsStatementTimeout(err):
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	case sqldb.IsContended(err):
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// wrapError wraps err with the failed operation; nil stays nil.
func wrapError(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return classify(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err))
}

func notFound(id string) error {
	return refusal.New(registrar.ClientNotFound, "no client %s", id)
}
