// Package store persists the domain in PostgreSQL or SQLite.
//
// Methods of [Tx] write, or read and lock until the transaction ends. Methods of [Store] read
// committed data without locks. Their own methods concern requests, tasks and events. Each other concept
// is a field: policies, delegations, notices, the audit trail, due rows of background jobs. The lock order is always:
// idempotency key, policy, request, endpoint, outbox, delivery, the service's chain, people. The lock of a request
// protects its projections, events and revisions. Package outboxdb stores endpoints and deliveries.
//
// A request is one document. Tasks, inboxes and participants are projections of it for lists. Names of people are in
// person; reads of a request join them.
//
// The hot path has hand-written statements, sent in batches: a request with what follows from it
// (request.go, projection.go, event.go, key.go). Each of Start, AddRequest,
// ClaimRequest and PutRequest is one round trip on PostgreSQL, besides BEGIN and COMMIT. Lists of tasks, requests and audit
// events use hand-written queries too. Everything else uses gorm.
//
// Ids are lower-case UUIDs. Any other text matches no object.
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
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

//go:embed migrations
var migrations embed.FS

// Store is the database of the service. It is safe for concurrent use.
type Store struct {
	Outbox      *outboxdb.Store
	Policies    Policies
	Delegations Delegations
	Notices     Notices
	Audit       Audit
	Due         Due
	db          *sqldb.DB
	people      people
}

// Due has the queries of the background jobs for due rows.
type Due struct{ db *sqldb.DB }

// New returns the store in db. Migrate creates its tables.
func New(db *sqldb.DB) *Store {
	return &Store{
		db: db, Outbox: outboxdb.New(db, outboxdb.Options{Subject: "request", UUID: true, Refusal: refusalOf}),
		Policies: newPolicies(db), Delegations: Delegations{db}, Notices: Notices{db}, Audit: Audit{db}, Due: Due{db},
	}
}

// Sessions returns the sessions of the pages.
func (s *Store) Sessions(o session.Options) *session.Store {
	o.Refusal = refusalOf
	return session.New(s.db, o)
}

// Schema returns the migrations of the store.
func Schema() sqldb.Schema {
	return sqldb.Schema{Files: migrations, Table: "request", App: "wf_app", Reader: "wf_reader"}
}

// Migrate applies the pending migrations. Several processes can call it concurrently.
func (s *Store) Migrate(ctx context.Context) error { return refusalOf(s.db.Migrate(ctx, migrations)) }

// Ping checks that the database is reachable and accepts writes.
func (s *Store) Ping(ctx context.Context) error { return refusalOf(s.db.Ping(ctx)) }

// ServiceKey returns the named key of 32 random bytes, shared by all processes of the service.
func (s *Store) ServiceKey(ctx context.Context, name string) ([]byte, error) {
	key, err := s.db.ServiceKey(ctx, name)
	return key, refusalOf(err)
}

// Now returns the time of the clock that transactions use.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	now, err := s.db.Now(ctx)
	return now, wrapError(err, "read the clock")
}

// Tx is an open transaction. All its writes use the time of Now.
type Tx struct {
	*sqldb.Tx
	Outbox      *outboxdb.Tx
	Policies    PolicyTx
	Delegations DelegationTx
	Notices     NoticeTx
	store       *Store

	people     map[string]identity.User // people of its events with uncached data
	unverified identity.User            // a caller with an unverified address
	happened   []wf.Event
}

// Do runs fn in one transaction and commits if fn returns nil. After a conflict fn runs again. It
// must not wait on the network; see sqldb.DB.Do.
//
// An unreachable or read-only database, a statement timeout and a lock timeout are refused with
// reason.DatabaseDown. A lock timeout on the same idempotency key is refused with reason.WrongState. The
// error wraps the cause.
func (s *Store) Do(ctx context.Context, fn func(*Tx) error) error {
	var tx *Tx
	err := s.db.Do(ctx, func(raw *sqldb.Tx) error {
		tx = &Tx{
			Tx: raw, Outbox: s.Outbox.In(raw), store: s, people: map[string]identity.User{},
			Policies: PolicyTx{Tx: raw, committed: s.Policies}, Delegations: DelegationTx{raw}, Notices: NoticeTx{raw},
		}
		if err := fn(tx); err != nil || len(tx.people) == 0 && tx.unverified.Email == "" {
			return err
		}
		return wrapError(tx.Batch(tx.putPeople()...), "write %d people", len(tx.people))
	})
	if err != nil {
		return refusalOf(err)
	}
	if len(tx.people) > 0 {
		s.people.remember(tx.people)
	}
	if tx.unverified.Email != "" {
		s.people.forgetAddress(tx.unverified)
	}
	s.logEvents(ctx, tx.happened)
	return nil
}

// refusalOf turns errors of the database into refusals.
func refusalOf(err error) error {
	if _, refused := errors.AsType[*refusal.Error](err); err == nil || refused {
		return err
	}
	switch {
	case errors.Is(err, sqldb.ErrCursor):
		return refusal.At(reason.BadParameter, "/cursor", "not a cursor of this list")
	case sqldb.TakesNoWrites(err):
		return fmt.Errorf("%w: %w", refusal.New(reason.DatabaseDown, "the database takes no writes"), err)
	case sqldb.IsUnavailable(err):
		return fmt.Errorf("%w: %w", refusal.New(reason.DatabaseDown, "the database cannot be reached"), err)
	case sqldb.IsStatementTimeout(err):
		return fmt.Errorf("%w: %w", refusal.New(reason.DatabaseDown, "a database statement timed out"), err)
	case sqldb.IsContended(err):
		return fmt.Errorf("%w: %w", refusal.New(reason.DatabaseDown, "another operation holds for too long what this one needs"), err)
	default:
		return err
	}
}

// wrapError wraps err with the failed operation. Nil and refusals are returned unchanged.
func wrapError(err error, format string, args ...any) error {
	if _, refused := errors.AsType[*refusal.Error](err); err == nil || refused {
		return err
	}
	return refusalOf(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err))
}
