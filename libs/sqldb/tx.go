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
	// maxRetries bounds the retries of Do after serialization failures.
	maxRetries = 3

	// endLimit bounds COMMIT and ROLLBACK, which continue after the end of the caller's context.
	endLimit = 10 * time.Second

	commit = "COMMIT"
)

// Tx is an open transaction of one goroutine, until the function of Do returns. It is a gorm session; gorm's
// Begin and Transaction fail in it.
type Tx struct {
	*gorm.DB

	conn *sql.Conn
	db   *DB
	stop context.CancelFunc // ends running statements

	reads     bool // see View
	began     bool
	failure   error // of BEGIN
	now       time.Time
	last      bool
	committed bool
}

// Now returns the start of the transaction by the clock of Options.Now, in UTC and milliseconds. It is the only
// time to write. On SQLite it is read after the wait for the writer lock. Before the first statement it costs
// a round trip; see Clock.
func (tx *Tx) Now() time.Time {
	_ = tx.begin() // statements return its error
	return tx.now
}

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
	if !db.Postgres() { // the writer lock is held
		if err := tx.begin(); err != nil {
			return err
		}
	}
	span.AddEvent("begun") // after the wait for a connection
	if err := fn(tx); err != nil || tx.committed {
		return cmp.Or(tx.failure, err)
	}
	if err := tx.begin(); err != nil { // without statements, to return an unavailable database
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

// Snapshot is View for functions with queries of gorm only.
func (db *DB) Snapshot(ctx context.Context, fn func(*gorm.DB) error) error {
	return db.View(ctx, func(tx *Tx) error { return fn(tx.DB) })
}

// View runs fn in a read-only transaction on one snapshot. On PostgreSQL BEGIN is pipelined with the first Load,
// and COMMIT with the Load after Last.
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
			tx.rollback(ctx)
		}
	}()
	err = fn(tx)
	return cmp.Or(tx.failure, err)
}

// open returns a transaction on conn before BEGIN. Open rows hold the connection; stop ends their context and
// with it the rows.
func (db *DB) open(ctx context.Context, conn *sql.Conn, statements gorm.ConnPool) *Tx {
	ctx, stop := context.WithCancel(ctx)
	tx := &Tx{conn: conn, db: db, stop: stop, DB: db.gorm.Session(&gorm.Session{NewDB: true, Context: ctx})}
	tx.Statement.ConnPool = connPool{statements, tx}
	return tx
}

// connect returns the connection of a writing transaction. statements has prepared statements on SQLite.
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

// begin opens the transaction and reads the clock, once. On PostgreSQL the first Load or Batch pipelines both.
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

// beginStatement returns the BEGIN of the transaction.
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

// noteBegin records the result of BEGIN. After an error all statements fail.
func (tx *Tx) noteBegin(err error) {
	if tx.began, tx.failure = true, err; err != nil {
		tx.stop()
	}
}

// commit commits the transaction, also after the end of ctx.
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

// rollback rolls back the transaction. After an error it closes the connection, so that no open transaction
// returns to the pool; the database then rolls back.
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

// connPool is the transaction's connection without BeginTx, so that a nested transaction of gorm fails.
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
	_ = p.tx.begin() // an error ends ctx and with it the query
	// Not p.ConnPool: the Row of gorm's prepared statements panics after an error.
	return p.tx.conn.QueryRowContext(ctx, query, args...)
}

// system returns the name of the database system in traces (db.system.name).
func (db *DB) system() string {
	if db.Postgres() {
		return "postgresql"
	}
	return "sqlite"
}

// endSpan ends the span of a transaction. A refusal of the caller is not a failure of the span.
func endSpan(span trace.Span, committed bool, err error) {
	span.Set(slog.Bool("committed", committed))
	failure := errorKind(err)
	if failure == "other" || failure == "conflict" {
		failure = ""
	}
	span.End(failure)
}
