package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"

	"github.com/countersign/countersign/libs/trace"
)

const (
	// maxRetries is how often Do starts again after a serialisation failure.
	maxRetries = 3

	// endLimit bounds COMMIT and ROLLBACK, which go on when the caller is gone.
	endLimit = 10 * time.Second
)

// Tx is a transaction that is open. It belongs to one goroutine and is invalid
// once the function given to Do returns.
//
// It is a gorm session; gorm's own Begin and Transaction are refused inside it.
type Tx struct {
	*gorm.DB

	// Now is when the transaction began, by the clock described at Options.Now:
	// UTC, cut to milliseconds. It is the only time to write. On SQLite it is
	// taken after the wait for the writer lock.
	Now time.Time

	conn *sql.Conn
	db   *DB
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
		db.ended(begin, committed, err)
		endSpan(span, committed, err)
	}()
	conn, release, err := db.connect(ctx)
	if err != nil {
		db.failed(err)
		return err
	}
	defer release()

	// Rows that fn leaves open keep the connection; ending their context frees it.
	fnCtx, cancel := context.WithCancel(ctx)
	defer cancel()

	defer func() {
		if !committed {
			cancel()
			db.rollback(ctx, conn)
		}
	}()
	now, err := db.begin(ctx, conn)
	if err != nil {
		db.failed(err)
		return fmt.Errorf("begin transaction: %w", err)
	}
	span.Reached("begun") // before that it has waited for a connection
	session := db.gorm.Session(&gorm.Session{NewDB: true, Context: fnCtx})
	session.Statement.ConnPool = connPool{conn}
	if err := fn(&Tx{DB: session, Now: now, conn: conn, db: db}); err != nil {
		return err
	}
	cancel()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit transaction: %w", err)
	}
	if err := db.commit(ctx, conn); err != nil {
		db.failed(err)
		return fmt.Errorf("commit transaction: %w", err)
	}
	committed = true
	return nil
}

// connect takes a connection for a transaction: of the pool, or the one that writes to
// SQLite.
func (db *DB) connect(ctx context.Context) (conn *sql.Conn, release func(), err error) {
	if db.writer != nil {
		return db.writer.take(ctx, db.pooled)
	}
	if conn, err = db.pooled(ctx); err != nil {
		return nil, nil, err
	}
	return conn, func() { _ = conn.Close() }, nil
}

// pooled takes a connection of the pool, waiting a bounded time for one.
func (db *DB) pooled(ctx context.Context) (*sql.Conn, error) {
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

// begin opens the transaction and reads the clock: one round trip, which database/sql
// cannot make.
func (db *DB) begin(ctx context.Context, conn *sql.Conn) (time.Time, error) {
	if !db.Postgres() {
		_, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE")
		return db.localNow(), err
	}
	var ms int64
	err := onPostgres(conn, func(pg *pgx.Conn) error {
		batch := &pgx.Batch{}
		batch.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
		batch.Queue("SELECT " + postgresClock).QueryRow(func(row pgx.Row) error { return row.Scan(&ms) })
		return pg.SendBatch(ctx, batch).Close()
	})
	if db.now != nil {
		return db.localNow(), err
	}
	return time.UnixMilli(ms).UTC(), err
}

// commit reports success only if the database says COMMIT: PostgreSQL answers
// ROLLBACK, without an error, when a statement had failed before.
func (db *DB) commit(ctx context.Context, conn *sql.Conn) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(endLimit, db.patience))
	defer cancel()
	if !db.Postgres() {
		_, err := conn.ExecContext(ctx, "COMMIT")
		return err
	}
	return onPostgres(conn, func(pg *pgx.Conn) error {
		tag, err := pg.Exec(ctx, "COMMIT")
		if err == nil && tag.String() != "COMMIT" {
			err = pgx.ErrTxCommitRollback
		}
		return err
	})
}

// rollback ends the transaction on conn. If it cannot, conn is closed for good,
// so that no transaction returns to the pool; the database then rolls back.
func (db *DB) rollback(ctx context.Context, conn *sql.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(endLimit, db.patience))
	defer cancel()
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err == nil {
		return
	}
	if db.writer != nil {
		db.writer.discard()
	} else {
		endConn(conn)
	}
}

// onPostgres calls fn with the pgx connection below conn.
func onPostgres(conn *sql.Conn, fn func(pg *pgx.Conn) error) error {
	return conn.Raw(func(c any) error { return fn(c.(*stdlib.Conn).Conn()) })
}

// connPool shows gorm the transaction's connection without its BeginTx, so that
// a nested transaction is an error and not a surprise.
type connPool struct{ gorm.ConnPool }

// Stmt is a statement by hand for Batch. Placeholders are ?, also on
// PostgreSQL; a ? in quotes is left alone. Arguments are single values: what
// the column takes, a driver.Valuer, or nil. Give JSON as a string: SQLite
// stores []byte as a blob.
type Stmt struct {
	SQL  string
	Args []any

	// Want is how many rows the statement must change; zero means any number.
	// Use it for conditional updates, where no row means that someone was first.
	Want int64
}

// ErrRowCount is the error of a Stmt that did not change Stmt.Want rows.
var ErrRowCount = errors.New("unexpected number of rows")

// Batch executes the statements in order. On PostgreSQL they travel together, in
// one round trip; the first use of a statement on a connection costs one more.
// The error names the first statement that failed, counted from 0, and the
// transaction must then be given up.
func (tx *Tx) Batch(stmts ...Stmt) (err error) {
	defer func() { tx.db.failed(err) }()
	for _, s := range stmts {
		tx.db.sent(s.SQL)
	}
	if tx.db.Postgres() {
		return tx.send(stmts, func(i int, results pgx.BatchResults) error {
			tag, err := results.Exec()
			return stmts[i].check(tag.RowsAffected(), err)
		})
	}
	for i, s := range stmts {
		affected, err := tx.exec(s)
		if err := s.check(affected, err); err != nil {
			return batchError(i, len(stmts), err)
		}
	}
	return nil
}

// exec executes a statement on SQLite.
func (tx *Tx) exec(s Stmt) (affected int64, err error) {
	prepared, err := tx.db.writer.prepare(tx.Statement.Context, s.SQL)
	if err != nil {
		return 0, err
	}
	result, err := prepared.ExecContext(tx.Statement.Context, s.Args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s Stmt) check(affected int64, err error) error {
	if err == nil && s.Want != 0 && affected != s.Want {
		return fmt.Errorf("%w: changed %d, want %d", ErrRowCount, affected, s.Want)
	}
	return err
}

// Select is a query by hand for Load, with the placeholders and arguments of
// Stmt. A FOR UPDATE or FOR SHARE clause at its end is dropped on SQLite.
type Select struct {
	SQL  string
	Args []any

	// Into points to a slice of gorm rows, which is replaced, or to one row or
	// value, which stays as it was when nothing is found. gorm's hooks do not run.
	Into any

	// Each takes a row by hand in place of Into, for what is hot: gorm takes several
	// times as long. It calls scan once, with pointers for all columns.
	Each func(scan func(into ...any) error) error
}

// Load runs the queries in order and fills what they point to. On PostgreSQL
// they travel together, as in Batch, and errors are as in Batch.
func (tx *Tx) Load(selects ...Select) (err error) {
	defer func() { tx.db.failed(err) }()
	for _, s := range selects {
		tx.db.sent(s.SQL)
	}
	ctx := tx.Statement.Context
	if tx.db.Postgres() {
		stmts := make([]Stmt, len(selects))
		for i, s := range selects {
			stmts[i] = Stmt{SQL: s.SQL, Args: s.Args}
		}
		return tx.send(stmts, func(i int, results pgx.BatchResults) error {
			rows, err := results.Query()
			if err != nil {
				return err
			}
			return tx.scan(pgxRows{rows}, selects[i])
		})
	}
	for i, s := range selects {
		prepared, err := tx.db.writer.prepare(ctx, tx.db.spell(s.SQL))
		if err == nil {
			var rows *sql.Rows
			if rows, err = prepared.QueryContext(ctx, s.Args...); err == nil {
				err = tx.scan(rows, s)
			}
		}
		if err != nil {
			return batchError(i, len(selects), err)
		}
	}
	return nil
}

// lockClause is a row lock at the end of a query. SQLite has none and needs none.
var lockClause = regexp.MustCompile(`(?i)\s+FOR\s+(NO\s+KEY\s+)?(KEY\s+)?(UPDATE|SHARE)(\s+OF\s+[\w, ]+?)?(\s+(SKIP\s+LOCKED|NOWAIT))?\s*$`)

// scan reads rows and closes them.
func (tx *Tx) scan(rows gorm.Rows, by Select) error {
	defer rows.Close()
	each := by.Each
	if each == nil {
		switch by.Into.(type) {
		case *int, *int64, *string: // gorm takes several times as long
			each = func(scan func(into ...any) error) error { return scan(by.Into) }
		default:
			return tx.scanInto(rows, by.Into)
		}
	}
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanInto fills into from rows by gorm's rules.
func (tx *Tx) scanInto(rows gorm.Rows, into any) error {
	s := tx.Session(&gorm.Session{NewDB: true}).Model(into)
	s.Statement.Dest = into
	if err := s.Statement.Parse(into); err != nil && !errors.Is(err, schema.ErrUnsupportedDataType) {
		return err
	}
	s.Statement.ReflectValue = reflect.Indirect(reflect.ValueOf(into))
	gorm.Scan(rows, s, 0)
	return s.Error
}

// pgxRows lets gorm read the rows of a batch.
type pgxRows struct{ pgx.Rows }

func (r pgxRows) Columns() ([]string, error) {
	var names []string
	for _, f := range r.FieldDescriptions() {
		names = append(names, f.Name)
	}
	return names, nil
}

func (r pgxRows) ColumnTypes() ([]*sql.ColumnType, error) { return nil, nil }

func (r pgxRows) Close() error { r.Rows.Close(); return r.Err() }

// send pipelines the statements on the transaction's own connection and gives
// each result to read.
func (tx *Tx) send(stmts []Stmt, read func(i int, results pgx.BatchResults) error) error {
	batch := &pgx.Batch{}
	for _, s := range stmts {
		batch.Queue(tx.db.spell(s.SQL), s.Args...)
	}
	return onPostgres(tx.conn, func(pg *pgx.Conn) error {
		results := pg.SendBatch(tx.Statement.Context, batch)
		for i := range stmts {
			if err := read(i, results); err != nil {
				_ = results.Close() // it repeats err
				return batchError(failedIndex(batch, i, err), len(stmts), err)
			}
		}
		return results.Close()
	})
}

// failedIndex corrects i for a statement that PostgreSQL could not even prepare:
// then nothing was executed and the first result carries the error.
func failedIndex(batch *pgx.Batch, i int, err error) int {
	if early, ok := errors.AsType[pgx.ErrPreprocessingBatch](err); ok {
		for j, q := range batch.QueuedQueries {
			if q.SQL == early.SQL() {
				return j
			}
		}
	}
	return i
}

func batchError(i, n int, err error) error {
	return &BatchError{Statement: i, Of: n, Err: err}
}

// spell writes a statement as the database wants it, once for each: with numbered
// placeholders on PostgreSQL, and without a row lock on SQLite.
func (db *DB) spell(query string) string {
	if known, ok := db.spelled.Get(query); ok {
		return known
	}
	spelled := ""
	if db.Postgres() {
		spelled = rebind(query)
	} else {
		spelled = lockClause.ReplaceAllString(query, "")
	}
	db.spelled.Add(query, spelled)
	return spelled
}

// rebind turns each ? into $1, $2, … except in quoted strings and names.
func rebind(query string) string {
	var out strings.Builder
	var quote rune
	n := 0
	for _, c := range query {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0 // a doubled quote opens again at once
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '?':
			n++
			out.WriteString("$" + strconv.Itoa(n))
			continue
		}
		out.WriteRune(c)
	}
	return out.String()
}
