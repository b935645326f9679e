package sqldb

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/countersign/countersign/libs/trace"
)

// View runs fn on one state of the database, like Snapshot, for what is read often. On
// PostgreSQL BEGIN travels with the first queries that are given to Load, and the end with
// those that follow Last. Nothing can be written.
func (db *DB) View(ctx context.Context, fn func(tx *Tx) error) (err error) {
	ctx, span := trace.Step(ctx, trace.Client, "read-only transaction", slog.String("db.system.name", db.system()))
	defer func() { endSpan(span, err == nil, err) }()
	conn, err := db.pooled(ctx)
	if err != nil {
		db.failed(err)
		return err
	}
	defer conn.Close()
	tx := db.open(ctx, conn)
	tx.reads = true
	defer func() {
		if tx.stop(); tx.began && !tx.committed {
			tx.rollback(ctx) // it has written nothing
		}
	}()
	err = fn(tx)
	return cmp.Or(tx.failure, err)
}
