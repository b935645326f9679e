// Package store keeps the domain in the database, PostgreSQL or SQLite.
//
// Methods of [Tx] write, or read and lock until the transaction ends. Methods of
// [Store] read what was committed and lock nothing. The order of locks is always:
// idempotency key, policy, request, endpoint, outbox, delivery, the service's chain, people;
// what lies under a request is guarded by the request's lock. Endpoints and deliveries are
// kept by package outboxdb.
//
// What is hot has statements of its own, sent together: a request with all that hangs on
// it (request.go, stage.go, task.go, event.go, key.go). Each of Start, AddRequest, Request, ClaimRequest and
// PutRequest is one round trip on PostgreSQL. Pages of tasks, requests and the audit trail are read by
// hand too. Everything else is written and read by gorm.
//
// Ids are lower-case UUIDs. Anything else is the id of nothing.
package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

//go:embed migrations
var migrations embed.FS

// Store is the service's data. It is safe for concurrent use.
type Store struct {
	Outbox      *outboxdb.Store
	db          *sqldb.DB
	definitions *lru.Cache[VersionID, cachedDefinition] // those that cannot change any more: of versions that are or were active
	people      people
}

// New returns the store in db, whose tables Migrate makes.
func New(db *sqldb.DB) *Store {
	definitions, _ := lru.New[VersionID, cachedDefinition](maxDefinitions) // fails for sizes below one only
	return &Store{db: db, Outbox: outboxdb.New(db, outboxdb.Options{Subject: "request", UUID: true, Refusal: refusal}), definitions: definitions}
}

// Schema is what the store keeps in its database.
func Schema() sqldb.Schema { return sqldb.Schema{Files: migrations, Table: "request"} }

// Migrate brings the tables up to date. Several processes may call it at once.
func (s *Store) Migrate(ctx context.Context) error { return refusal(s.db.Migrate(ctx, migrations)) }

// Ping reports whether the database answers and takes writes.
func (s *Store) Ping(ctx context.Context) error { return refusal(s.db.Ping(ctx)) }

// ServiceKey returns the key of 32 random bytes with this name, which all processes of
// the service share.
func (s *Store) ServiceKey(ctx context.Context, name string) ([]byte, error) {
	key, err := s.db.ServiceKey(ctx, name)
	return key, refusal(err)
}

// Now is the time by the clock that transactions read.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	now, err := s.db.Now(ctx)
	return now, failed(err, "read the clock")
}

// CachedDefinition returns a definition that is in memory.
func (s *Store) CachedDefinition(key string, number int) (wf.Definition, bool) {
	d, ok := s.definitions.Get(VersionID{key, number})
	return d.definition, ok
}

// Tx is a transaction that is open. Now is the only time to write.
type Tx struct {
	*sqldb.Tx
	Outbox *outboxdb.Tx
	store  *Store

	wroteVersion bool // what the transaction reads of them may never be committed

	people     map[string]wf.User // whom its events name, and person does not know yet
	unverified wf.User            // a caller whose token does not prove their address
	happened   []wf.Event
}

// Do runs fn in one transaction and commits if it returns nil. fn may run again
// after a conflict, and must not wait on the network; see sqldb.DB.Do.
//
// A database that cannot be reached or takes no writes is refused with wf.DatabaseDown, and
// so is a lock that somebody else holds for too long, unless it is that of the same
// idempotency key: that is wf.WrongState. The cause stays in the error's chain.
func (s *Store) Do(ctx context.Context, fn func(*Tx) error) error { return s.do(ctx, fn, s.db.Do) }

// Share is Do for a transaction that writes requests and what is under them, and nothing
// that this process keeps in memory; see sqldb.DB.Share.
func (s *Store) Share(ctx context.Context, fn func(*Tx) error) error {
	return s.do(ctx, fn, s.db.Share)
}

func (s *Store) do(ctx context.Context, fn func(*Tx) error, do func(context.Context, func(*sqldb.Tx) error) error) error {
	var tx *Tx
	err := do(ctx, func(raw *sqldb.Tx) error {
		tx = &Tx{Tx: raw, Outbox: s.Outbox.In(raw), store: s, people: map[string]wf.User{}}
		if err := fn(tx); err != nil || tx.IsLast() || len(tx.people) == 0 && tx.unverified.Email == "" {
			return err
		}
		tx.Last()
		return failed(tx.Batch(tx.putPeople()...), "write %d people", len(tx.people))
	})
	if err != nil {
		return refusal(err)
	}
	if len(tx.people) > 0 {
		s.people.remember(tx.people)
	}
	if tx.unverified.Email != "" {
		s.people.forgetAddress(tx.unverified)
	}
	s.tell(ctx, tx.happened)
	return nil
}

// refusal turns the errors that mean something to a caller into refusals.
func refusal(err error) error {
	if _, refused := errors.AsType[*wf.Error](err); err == nil || refused {
		return err
	}
	if refused, ok := errors.AsType[*outbox.Error](err); ok {
		return refusalOfOutbox(refused)
	}
	switch {
	case errors.Is(err, sqldb.ErrCursor):
		return wf.RefuseInput("value_error", []any{"query", "cursor"}, "Value error, not a cursor of this list")
	case sqldb.TakesNoWrites(err):
		return fmt.Errorf("%w: %w", wf.Refuse(wf.DatabaseDown, "the database takes no writes"), err)
	case sqldb.IsUnavailable(err):
		return fmt.Errorf("%w: %w", wf.Refuse(wf.DatabaseDown, "the database cannot be reached"), err)
	case sqldb.IsLockTimeout(err):
		return fmt.Errorf("%w: %w", wf.Refuse(wf.DatabaseDown, "another operation holds for too long what this one needs"), err)
	default:
		return err
	}
}

// refusalOfOutbox says in the service's words what package outbox has refused.
func refusalOfOutbox(e *outbox.Error) error {
	switch e.Reason {
	case outbox.UnknownEndpoint:
		return wf.Refuse(wf.EndpointNotFound, "%s", e.Message)
	case outbox.BadSecret:
		return wf.RefuseInput("value_error", []any{"body", "secret"}, "Value error, %s", e.Message)
	case outbox.NoKeys:
		return wf.Refuse(wf.WrongState, "%s: WF_ENC_KEYS is not set", e.Message)
	default:
		return wf.Refuse(wf.WrongState, "%s", e.Message)
	}
}

// failed says what was being done when err happened. Nil and refusals stay as they
// are.
func failed(err error, format string, args ...any) error {
	if _, refused := errors.AsType[*wf.Error](err); err == nil || refused {
		return err
	}
	return refusal(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err))
}
