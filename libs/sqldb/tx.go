package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/trace"
)

const (
	// maxRetries is how often Do starts again after a serialisation failure.
	maxRetries = 3

	// endLimit bounds COMMIT and ROLLBACK, which go on when the caller is gone.
	endLimit = 10 * time.Second

	commit = "COMMIT"
)

// Tx is a transaction that is open. It belongs to one goroutine and is invalid
// once the function given to Do returns.
//
// It is a gorm session; gorm's own Begin and Transaction are refused inside it.
type Tx struct {
	*gorm.DB

	conn *sql.Conn
	db   *DB
	stop context.CancelFunc // ends whatever runs in the transaction

	reads     bool // see View
	began     bool
	failure   error // of BEGIN
	now       time.Time
	last      bool
	committed bool
}

// Now is when the transaction began, by the clock described at Options.Now: UTC, cut
// to milliseconds. It is the only time to write. On SQLite it is taken after the wait
// for the writer lock. Before the first statement it costs a round trip; see Clock.
func (tx *Tx) Now() time.Time {
	_ = tx.begin() // later statements return its error
	return tx.now
}

// Do runs fn in one transaction and commits if fn returns nil. After an error,
// a panic, or when ctx ends before the commit, nothing is written.
//
// fn must not wait on the network: it holds row locks, and on SQLite the only
// write lock there is. It runs again, up to three times, after a serialisation
// failure or a deadlock (40001, 40P01), so it must have no effect but through
// tx. On PostgreSQL an error inside a transaction spoils it: fn cannot handle
// one and go on.
//
// A commit that has begun is finished even if ctx ends, so that the caller
// learns the result. If the connection is lost during the commit, IsUnavailable
// is true and the result is unknown.
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
		db.measures.retries.Inc()
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(time.Duration(retry) * 20 * time.Millisecond)): // #nosec G404 -- jitter
		}
	}
}

func (db *DB) do(ctx context.Context, fn func(tx *Tx) error) (err error) {
	begin, committed := time.Now(), false
	ctx, span := trace.Step(ctx, trace.Client, "transaction", slog.String("db.system.name", db.system()))
	defer func() {
		db.measures.countTransaction(begin, committed, err)
		endSpan(span, committed, err)
	}()
	conn, statements, release, err := db.connect(ctx)
	if err != nil {
		db.measures.countError(err)
		return err
	}
	defer release()

	tx := db.open(ctx, conn, statements)
	defer tx.stop()
	defer func() {
		if committed = tx.committed; !committed {
			tx.stop()
			tx.rollback(ctx)
		}
	}()
	if !db.Postgres() { // its writer is taken already
		if err := tx.begin(); err != nil {
			return err
		}
	}
	span.AddEvent("begun") // before that it has waited for a connection
	if err := fn(tx); err != nil || tx.committed {
		return cmp.Or(tx.failure, err)
	}
	if err := tx.begin(); err != nil { // nothing was done, and the caller learns whether anything could be
		return err
	}
	tx.stop()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit transaction: %w", err)
	}
	err = tx.commit(ctx)
	db.measures.countError(err)
	return err
}

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
		db.measures.countError(err)
		return err
	}
	defer conn.Close()
	tx := db.open(ctx, conn, conn)
	tx.reads = true
	defer func() {
		if tx.stop(); tx.began && !tx.committed {
			tx.rollback(ctx) // it has written nothing
		}
	}()
	err = fn(tx)
	return cmp.Or(tx.failure, err)
}

// open returns a transaction on conn that has not begun. Rows that its function leaves
// open keep the connection; stop ends their context, which frees it.
func (db *DB) open(ctx context.Context, conn *sql.Conn, statements gorm.ConnPool) *Tx {
	ctx, stop := context.WithCancel(ctx)
	tx := &Tx{conn: conn, db: db, stop: stop, DB: db.gorm.Session(&gorm.Session{NewDB: true, Context: ctx})}
	tx.Statement.ConnPool = connPool{statements, tx}
	return tx
}

// connect returns the connection of a writing transaction, and the same with prepared statements on SQLite.
func (db *DB) connect(ctx context.Context) (conn *sql.Conn, statements gorm.ConnPool, release func(), err error) {
	if db.Postgres() {
		if conn, err = db.poolConn(ctx); err != nil {
			return nil, nil, nil, err
		}
		return conn, conn, func() { _ = conn.Close() }, nil
	}
	unlock, err := db.writer.acquire(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := db.connectWriter(ctx); err != nil {
		unlock()
		return nil, nil, nil, err
	}
	return db.writer.conn, db.writer.statements, unlock, nil
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

// begin opens the transaction and reads the clock, unless that was done. On PostgreSQL
// it is pipelined with the first statements of Load or Batch.
func (tx *Tx) begin() error {
	if tx.began {
		return tx.failure
	}
	var err error
	if tx.db.Postgres() {
		err = tx.send(tx.Statement.Context, nil, nil)
	} else {
		_, err = tx.conn.ExecContext(tx.Statement.Context, tx.beginStatement())
		tx.now = tx.db.localNow()
		if err != nil {
			err = fmt.Errorf("begin transaction: %w", err)
		}
		tx.noteBegin(err)
	}
	tx.db.measures.countError(err)
	return err
}

// beginStatement is the statement that opens the transaction.
func (tx *Tx) beginStatement() string {
	switch {
	case tx.db.Postgres() && tx.reads:
		return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	case tx.db.Postgres():
		return "BEGIN ISOLATION LEVEL READ COMMITTED"
	case tx.reads:
		return "BEGIN"
	default:
		return "BEGIN IMMEDIATE"
	}
}

// noteBegin records the result of BEGIN. After an error nothing can be done in the transaction.
func (tx *Tx) noteBegin(err error) {
	if tx.began, tx.failure = true, err; err != nil {
		tx.stop()
	}
}

// commit ends the transaction, whether or not the caller is still there.
func (tx *Tx) commit(ctx context.Context) error {
	ctx, cancel := tx.db.detach(ctx)
	defer cancel()
	if tx.db.Postgres() {
		return tx.send(ctx, []Stmt{{SQL: commit}}, func(_ int, results pgx.BatchResults) error { return tx.readCommit(results) })
	}
	if _, err := tx.conn.ExecContext(ctx, commit); err != nil {
		return fmt.Errorf("commit transaction: %w", err)
	}
	tx.committed = true
	return nil
}

// rollback ends the transaction. If it cannot, its connection is closed for good,
// so that no transaction returns to the pool; the database then rolls back.
func (tx *Tx) rollback(ctx context.Context) {
	ctx, cancel := tx.db.detach(ctx)
	defer cancel()
	if _, err := tx.conn.ExecContext(ctx, "ROLLBACK"); err == nil {
		return
	}
	if tx.db.Postgres() || tx.reads {
		endConn(tx.conn)
	} else {
		tx.db.writer.disconnect()
	}
}

// endConn closes a connection for good: it does not return to the pool.
func endConn(conn *sql.Conn) { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }

// detach returns a context that outlives the caller, with a deadline.
func (db *DB) detach(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), max(endLimit, db.patience))
}

// onPostgres calls fn with the pgx connection below conn.
func onPostgres(conn *sql.Conn, fn func(pg *pgx.Conn) error) error {
	return conn.Raw(func(c any) error { return fn(c.(*stdlib.Conn).Conn()) })
}

// connPool shows gorm the transaction's connection without its BeginTx, so that
// a nested transaction is an error and not a surprise.
type connPool struct {
	gorm.ConnPool
	tx *Tx
}

func (p connPool) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := p.tx.begin(); err != nil {
		return nil, err
	}
	return p.ConnPool.ExecContext(ctx, query, args...)
}

func (p connPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := p.tx.begin(); err != nil {
		return nil, err
	}
	return p.ConnPool.QueryContext(ctx, query, args...)
}

func (p connPool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	_ = p.tx.begin() // its error ends ctx, and with it the query
	// Without gorm's prepared statements, whose Row panics after an error.
	return p.tx.conn.QueryRowContext(ctx, query, args...)
}

// system is the database as traces name it.
func (db *DB) system() string {
	if db.Postgres() {
		return "postgresql"
	}
	return "sqlite"
}

// endSpan ends the span of a transaction. One that is rolled back because its caller is
// refused has not failed.
func endSpan(span trace.Span, committed bool, err error) {
	span.Set(slog.Bool("committed", committed))
	failure := errorKind(err)
	if failure == "other" || failure == "conflict" {
		failure = ""
	}
	span.End(failure)
}
