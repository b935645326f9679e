package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/trace"
)

const (
	// maxRetries bounds the retries of Do after serialization failures.
	maxRetries = 3

	// endLimit bounds COMMIT and ROLLBACK, which continue after the end of the caller's context.
	endLimit = 10 * time.Second
)

// Tx is an open transaction of one goroutine, until the function of Do returns. It is a gorm session; gorm's
// Begin and Transaction fail in it.
type Tx struct {
	*gorm.DB
	db   *DB
	conn *sql.Conn
	now  time.Time
}

// Now returns the start of the transaction by the clock of Options.Now, in UTC and milliseconds. It is the only
// time to write. On SQLite it is read after the wait for the writer lock.
func (tx *Tx) Now() time.Time { return tx.now }

// Do runs fn in one transaction and commits if fn returns nil. After an error, a panic, or the end of ctx before
// the commit, nothing is written.
//
// fn must not wait on the network: it holds row locks, and on SQLite the writer lock. It runs again, up to three
// times, after a serialization failure or a deadlock (40001, 40P01), so its only effects must be those of tx. On
// PostgreSQL an error aborts the transaction: fn must return it.
//
// A commit in progress completes also after the end of ctx. If the connection is lost during the commit,
// IsUnavailable is true and the result is unknown.
func (db *DB) Do(ctx context.Context, fn func(tx *Tx) error) error {
	if db.readOnly {
		return errReadOnly
	}
	for retry := 1; ; retry++ {
		err := db.do(ctx, fn)
		if TakesNoWrites(err) {
			db.refused.Store(&refusedWrite{err})
		}
		if retry > maxRetries || !isSerialization(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(time.Duration(retry) * 20 * time.Millisecond)): // #nosec G404 -- jitter
		}
	}
}

func (db *DB) do(ctx context.Context, fn func(tx *Tx) error) (err error) {
	begin, committed := time.Now(), false
	ctx, span := db.beginSpan(ctx, "transaction")
	defer func() {
		db.measures.seconds.Observe(time.Since(begin).Seconds())
		endSpan(span, committed, err)
	}()
	if db.Postgres() {
		return db.onPooled(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED", func(tx *Tx) error {
			span.AddEvent("begun") // after the wait for a connection
			return fn(tx)
		}, &committed)
	}
	unlock, err := db.writer.acquire(ctx)
	if err != nil {
		return db.countError(err)
	}
	defer unlock()
	if err := db.connectWriter(ctx); err != nil {
		return db.countError(err)
	}
	return db.run(ctx, db.writer.conn, db.writer.statements, "BEGIN IMMEDIATE", func(tx *Tx) error {
		span.AddEvent("begun") // after the wait for the writer lock
		return fn(tx)
	}, &committed)
}

// View runs fn in a read-only transaction on one snapshot.
func (db *DB) View(ctx context.Context, fn func(tx *Tx) error) (err error) {
	ctx, span := db.beginSpan(ctx, "read-only transaction")
	defer func() { endSpan(span, err == nil, err) }()
	begin := "BEGIN"
	if db.Postgres() {
		begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	}
	return db.onPooled(ctx, begin, fn, nil)
}

// Snapshot is View for functions with queries of gorm only.
func (db *DB) Snapshot(ctx context.Context, fn func(*gorm.DB) error) error {
	return db.View(ctx, func(tx *Tx) error { return fn(tx.DB) })
}

// onPooled is run on a connection of the pool.
func (db *DB) onPooled(ctx context.Context, begin string, fn func(tx *Tx) error, committed *bool) error {
	conn, err := db.poolConn(ctx)
	if err != nil {
		return db.countError(err)
	}
	defer conn.Close()
	return db.run(ctx, conn, conn, begin, fn, committed)
}

// run runs fn between BEGIN and COMMIT on conn, and sets committed. Without committed it rolls back in any case.
// statements are conn, with prepared statements on SQLite's writer.
func (db *DB) run(
	ctx context.Context, conn *sql.Conn, statements gorm.ConnPool, begin string, fn func(tx *Tx) error, committed *bool,
) error {
	inner, stop := context.WithCancel(ctx) // ends open rows, which hold the connection
	defer func() {
		if stop(); committed == nil || !*committed {
			db.rollback(ctx, conn, statements)
		}
	}()
	now, err := db.begin(ctx, conn, begin)
	if err != nil {
		return db.countError(fmt.Errorf("begin transaction: %w", err))
	}
	tx := &Tx{DB: db.gorm.Session(&gorm.Session{NewDB: true, Context: inner}), db: db, conn: conn, now: now}
	tx.Statement.ConnPool = noBegin{statements}
	if err := fn(tx); err != nil || committed == nil {
		return err
	}
	stop()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit transaction: %w", err)
	}
	if err := db.commit(ctx, conn); err != nil {
		return db.countError(fmt.Errorf("commit transaction: %w", err))
	}
	*committed = true
	return nil
}

// begin opens the transaction and returns its time; on PostgreSQL in one round trip.
func (db *DB) begin(ctx context.Context, conn *sql.Conn, begin string) (time.Time, error) {
	if !db.Postgres() {
		_, err := conn.ExecContext(ctx, begin)
		return db.localNow(), err
	}
	var ms int64
	err := onPostgres(conn, func(pg *pgx.Conn) error {
		batch := &pgx.Batch{}
		batch.Queue(begin)
		batch.Queue("SELECT " + postgresClock).QueryRow(func(row pgx.Row) error { return row.Scan(&ms) })
		return pg.SendBatch(ctx, batch).Close()
	})
	if !db.usesDatabaseClock() {
		return db.localNow(), err
	}
	return Time(ms), err
}

// commit commits the transaction, also after the end of ctx.
func (db *DB) commit(ctx context.Context, conn *sql.Conn) error {
	ctx, cancel := db.detach(ctx)
	defer cancel()
	if !db.Postgres() {
		_, err := conn.ExecContext(ctx, "COMMIT")
		return err
	}
	return onPostgres(conn, func(pg *pgx.Conn) error {
		tag, err := pg.Exec(ctx, "COMMIT")
		if err == nil && tag.String() != "COMMIT" { // ROLLBACK if fn has ignored the error of a statement
			err = pgx.ErrTxCommitRollback
		}
		return err
	})
}

// rollback rolls back the transaction. After an error it closes the connection, so that no open transaction
// returns to the pool; the database then rolls back.
func (db *DB) rollback(ctx context.Context, conn *sql.Conn, statements gorm.ConnPool) {
	ctx, cancel := db.detach(ctx)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err == nil {
		return
	}
	if statements == gorm.ConnPool(conn) {
		endConn(conn)
	} else { // the caller holds the lock of the writer; without it, writer.conn may not be read
		db.writer.disconnect()
	}
}

// poolConn returns a connection of the pool. The wait is bounded.
func (db *DB) poolConn(ctx context.Context) (*sql.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, max(waitLimit, db.patience))
	defer cancel()
	conn, err := db.pool.Conn(wait)
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		err = errWaitedTooLong
	}
	if err != nil {
		return nil, fmt.Errorf("take a database connection: %w", err)
	}
	return conn, nil
}

// endConn closes a connection instead of returning it to the pool.
func endConn(conn *sql.Conn) { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }

// detach returns a context with a deadline that does not end with ctx.
func (db *DB) detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), max(endLimit, db.patience))
}

// onPostgres calls fn with the pgx connection below conn.
func onPostgres(conn *sql.Conn, fn func(pg *pgx.Conn) error) error {
	return conn.Raw(func(c any) error { return fn(c.(*stdlib.Conn).Conn()) })
}

// noBegin is a connection without BeginTx, so that a nested transaction of gorm fails.
type noBegin struct{ gorm.ConnPool }

// system returns the name of the database system in traces (db.system.name).
func (db *DB) system() string {
	if db.Postgres() {
		return "postgresql"
	}
	return "sqlite"
}

// endSpan ends the span of a transaction. A refusal of the caller is not a failure of the span.
func (db *DB) beginSpan(ctx context.Context, name string) (context.Context, oteltrace.Span) {
	return trace.Tracer(ctx).Start(ctx, name, oteltrace.WithSpanKind(oteltrace.SpanKindClient),
		oteltrace.WithAttributes(attribute.String("db.system.name", db.system())))
}

func endSpan(span oteltrace.Span, committed bool, err error) {
	span.SetAttributes(attribute.Bool("committed", committed))
	failure := errorKind(err)
	if failure == "other" || failure == "conflict" {
		failure = ""
	}
	trace.End(span, failure)
}
