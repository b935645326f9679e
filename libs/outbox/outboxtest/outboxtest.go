// Package outboxtest has the tables of an outbox, for tests of the packages that use them.
// What the events there are about is called a note.
package outboxtest

import (
	"context"
	"embed"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

//go:embed migrations
var migrations embed.FS

// Schema makes databases with the tables.
func Schema() sqldbtest.Schema {
	return sqldbtest.Schema{Migrate: func(ctx context.Context, db *sqldb.DB) error { return db.Migrate(ctx, migrations) }}
}

// Box is an outbox with the database that it is in.
type Box struct {
	*outboxdb.Store
	DB *sqldb.DB
}

// Open opens an outbox, by a clock, until the test ends.
func Open(t testing.TB, url string, now func() time.Time) Box {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{Now: now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return Box{outboxdb.New(db, "note"), db}
}

// Do runs fn in a transaction.
func (b Box) Do(ctx context.Context, fn func(*outboxdb.Tx) error) error {
	return b.DB.Do(ctx, func(tx *sqldb.Tx) error { return fn(b.In(tx)) })
}

// Settle is what a service does that tells nobody.
func (b Box) Settle(ctx context.Context, fn func(*outboxdb.Tx) ([]outbox.Endpoint, error)) error {
	return b.Do(ctx, func(tx *outboxdb.Tx) error {
		_, err := fn(tx)
		return err
	})
}

// Deliver stores one event for each target, which is due now, and returns the deliveries.
func (b Box) Deliver(t testing.TB, targets ...outbox.Target) []outbox.Delivery {
	t.Helper()
	var list []outbox.Delivery
	err := b.Do(context.WithoutCancel(t.Context()), func(tx *outboxdb.Tx) error {
		list = nil
		for _, target := range targets {
			m := outbox.Message{EventID: NewID(), EventType: "note.written", Subject: "n1", Sequence: 1, At: tx.Now, Payload: []byte(`{"note":"é"}`)}
			list = append(list, m.To([]outbox.Target{target}, NewID)...)
		}
		return tx.Batch(tx.Add(list)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// NewID returns an id, which sorts by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
