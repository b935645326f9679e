package sqldb

import (
	"cmp"
	"context"
	"log/slog"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/trace"
)

// Snapshot is View for queries of gorm alone.
func (db *DB) Snapshot(ctx context.Context, fn func(*gorm.DB) error) error {
	return db.View(ctx, func(tx *Tx) error { return fn(tx.DB) })
}

// View runs fn on one state of the database: all its queries see the same commits. It locks
// and writes nothing. On PostgreSQL BEGIN is pipelined with the first Load, and COMMIT with the Load after
// Last.
func (db *DB) View(ctx context.Context, fn func(tx *Tx) error) (err error) {
	ctx, span := trace.Step(ctx, trace.Client, "read-only transaction", slog.String("db.system.name", db.system()))
	defer func() { endSpan(span, err == nil, err) }()
	conn, err := db.poolConn(ctx)
	if err != nil {
		db.countError(err)
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
