package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// Clock is an argument of a Stmt or Select: Tx.Now plus an offset in milliseconds. PostgreSQL evaluates
// it, so that a transaction needs no round trip for its time.
type Clock time.Duration

// Stmt is a hand-written statement of a Batch. Placeholders are ? on both databases; a ? in quotes is
// kept. Arguments are column values, a driver.Valuer, a Clock, or nil. JSON is a string, because SQLite
// stores []byte as a blob.
type Stmt struct {
	SQL  string
	Args []any

	// Want is the required number of changed rows; zero permits any. Conditional updates use it to detect
	// a concurrent change.
	Want int64
}

// ErrRowCount is the error of a Stmt with another number of changed rows than Stmt.Want.
var ErrRowCount = errors.New("unexpected number of rows")

// errReads rejects a Batch in a View.
var errReads = errors.New("a View writes nothing")

// Batch executes the statements in order, on PostgreSQL in one round trip; the first use of a statement
// on a connection needs one more. The error has the index of the failed statement. The caller must then
// roll back.
func (tx *Tx) Batch(stmts ...Stmt) (err error) {
	if tx.reads {
		return errReads
	}
	defer func() { tx.db.measures.countError(err) }()
	for _, s := range stmts {
		tx.db.measures.countStatement(s.SQL)
	}
	switch {
	case tx.db.Postgres() && tx.last && !slices.ContainsFunc(stmts, func(s Stmt) bool { return s.Want != 0 }):
		return tx.finish(stmts)
	case tx.db.Postgres():
		return tx.send(tx.Statement.Context, stmts, func(i int, results pgx.BatchResults) error {
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

// Last declares the next Batch, in a View the next Load, as the end of the transaction. On PostgreSQL it
// includes COMMIT, unless a statement has a Want. The function of Do must return its result.
func (tx *Tx) Last() { tx.last = true }

// IsLast reports whether the next Batch is the end of the transaction.
func (tx *Tx) IsLast() bool { return tx.last }

// finish sends the statements with COMMIT. It fails if the context has ended.
func (tx *Tx) finish(stmts []Stmt) error {
	if err := tx.Statement.Context.Err(); err != nil {
		return fmt.Errorf("commit transaction: %w", err)
	}
	ctx, cancel := tx.db.detach(tx.Statement.Context)
	defer cancel()
	return tx.send(ctx, append(slices.Clone(stmts), Stmt{SQL: commit}), func(i int, results pgx.BatchResults) error {
		if i == len(stmts) {
			return tx.readCommit(results)
		}
		_, err := results.Exec()
		return err
	})
}

// readCommit reads the reply to COMMIT: ROLLBACK without an error if a statement failed before.
func (tx *Tx) readCommit(results pgx.BatchResults) error {
	tag, err := results.Exec()
	if err == nil && tag.String() != commit {
		err = pgx.ErrTxCommitRollback
	}
	if tx.committed = err == nil; tx.committed && !tx.reads {
		tx.stop() // ends later statements of fn, which would be outside the transaction
	}
	return err
}

// exec executes a statement on SQLite.
func (tx *Tx) exec(s Stmt) (affected int64, err error) {
	query, args := tx.bind(s.SQL, s.Args)
	result, err := tx.Statement.ConnPool.ExecContext(tx.Statement.Context, query, args...)
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

// Select is a hand-written query for Load, with the placeholders and arguments of Stmt. See RowLock.
type Select struct {
	SQL  string
	Args []any

	// Into points to a slice of gorm rows, which is replaced, or to one row or value, which is unchanged
	// if there is no row. gorm's hooks do not run.
	Into any

	// Each scans a row without gorm, in place of Into, for hot paths. It calls scan once with pointers for
	// all columns.
	Each func(scan func(into ...any) error) error
}

// Load runs the queries in order and fills their targets, on PostgreSQL in one round trip. Errors are as
// in Batch.
func (tx *Tx) Load(selects ...Select) (err error) {
	defer func() { tx.db.measures.countError(err) }()
	for _, s := range selects {
		tx.db.measures.countStatement(s.SQL)
	}
	ctx := tx.Statement.Context
	if tx.db.Postgres() {
		stmts := make([]Stmt, len(selects))
		for i, s := range selects {
			stmts[i] = Stmt{SQL: s.SQL, Args: s.Args}
		}
		if tx.reads && tx.last {
			stmts = append(stmts, Stmt{SQL: commit})
		}
		return tx.send(ctx, stmts, func(i int, results pgx.BatchResults) error {
			if i == len(selects) {
				return tx.readCommit(results)
			}
			rows, err := results.Query()
			if err != nil {
				return err
			}
			return tx.scan(pgxRows{rows}, selects[i])
		})
	}
	if err := tx.begin(); err != nil {
		return err
	}
	for i, s := range selects {
		query, args := tx.bind(s.SQL, s.Args)
		rows, err := tx.Statement.ConnPool.QueryContext(ctx, query, args...)
		if err == nil {
			err = tx.scan(rows, s)
		}
		if err != nil {
			return batchError(i, len(selects), err)
		}
	}
	return nil
}

// RowLock returns a clause such as FOR UPDATE for the end of a query. It is empty on SQLite, which has one
// writer and no row locks.
func (db *DB) RowLock(clause string) string {
	if !db.Postgres() {
		return ""
	}
	return " " + clause
}

// RowLock is DB.RowLock.
func (tx *Tx) RowLock(clause string) string { return tx.db.RowLock(clause) }

// scan reads rows and closes them.
func (tx *Tx) scan(rows gorm.Rows, by Select) error {
	defer rows.Close()
	each := by.Each
	if each == nil {
		switch by.Into.(type) {
		case *int, *int64, *string: // several times faster than gorm
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

// pgxRows adapts the rows of a batch to gorm.
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

// send pipelines the statements on the transaction's connection, after BEGIN if they are the first, and
// passes each result to read.
func (tx *Tx) send(ctx context.Context, stmts []Stmt, read func(i int, results pgx.BatchResults) error) error {
	if tx.failure != nil {
		return tx.failure
	}
	if !tx.began && !tx.db.usesDatabaseClock() {
		tx.now = tx.db.localNow() // for bind
	}
	return onPostgres(tx.conn, func(pg *pgx.Conn) error {
		batch := &pgx.Batch{}
		if !tx.began {
			batch.Queue(tx.beginStatement())
			batch.Queue("SELECT " + postgresClock)
		}
		first := batch.Len()
		for _, s := range stmts {
			query, args := tx.bind(s.SQL, s.Args)
			batch.Queue(query, args...)
		}
		results := pg.SendBatch(ctx, batch)
		var err error
		for i := 0; err == nil && i < batch.Len(); i++ {
			if i < first {
				err = tx.readBegin(i, results)
			} else {
				err = read(i-first, results)
			}
			if err != nil {
				err = failedAt(failedIndex(batch, i, err)-first, stmts, err)
			}
		}
		if closed := results.Close(); err == nil && !tx.committed {
			err = closed // after an error Close returns the same one
		}
		if !tx.began {
			tx.noteBegin(err)
		}
		return err
	})
}

// readBegin reads the results of BEGIN and of the clock.
func (tx *Tx) readBegin(i int, results pgx.BatchResults) error {
	if i == 0 {
		_, err := results.Exec()
		return err
	}
	var ms int64
	err := results.QueryRow().Scan(&ms)
	if err == nil && tx.db.usesDatabaseClock() {
		tx.now = Time(ms)
	}
	tx.began = err == nil
	return err
}

// failedAt returns the error with the index of the failed statement. Earlier ones begin the transaction.
func failedAt(i int, stmts []Stmt, err error) error {
	switch {
	case i < 0:
		return fmt.Errorf("begin transaction: %w", err)
	case stmts[i].SQL == commit:
		return fmt.Errorf("commit transaction: %w", err)
	default:
		return batchError(i, len(stmts), err)
	}
}

// failedIndex corrects i for a statement that PostgreSQL cannot prepare: the first result then has the
// error, and no statement was executed.
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

// bind returns the statement and its arguments in the form of the database: Clock arguments are times, and on
// PostgreSQL placeholders are numbered.
func (tx *Tx) bind(query string, args []any) (string, []any) {
	byDatabase := func(int) bool { return false }
	if slices.ContainsFunc(args, isClock) {
		if tx.db.usesDatabaseClock() {
			given := args
			byDatabase = func(i int) bool { return isClock(given[i]) }
		}
		args = slices.Clone(args)
		for i, arg := range args {
			if plus, ok := arg.(Clock); ok {
				args[i] = time.Duration(plus).Milliseconds()
				if !tx.db.usesDatabaseClock() {
					args[i] = tx.now.Add(time.Duration(plus)).UnixMilli()
				}
			}
		}
	}
	if tx.db.Postgres() {
		query = rebind(query, byDatabase)
	}
	return query, args
}

func isClock(arg any) bool {
	_, ok := arg.(Clock)
	return ok
}

// rebind converts each ? into $1, $2, … except in quoted strings and names. It adds the database's clock to
// the arguments that byDatabase selects.
func rebind(query string, byDatabase func(i int) bool) string {
	var out strings.Builder
	out.Grow(len(query) + 64)
	var quote byte
	n, copied := 0, 0
	for i := range len(query) {
		switch c := query[i]; {
		case quote != 0:
			if c == quote {
				quote = 0 // a doubled quote reopens
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '?':
			n++
			out.WriteString(query[copied:i])
			copied = i + 1
			if placeholder := "$" + strconv.Itoa(n); byDatabase(n - 1) {
				out.WriteString("(" + postgresClock + " + " + placeholder + "::bigint)")
			} else {
				out.WriteString(placeholder)
			}
		}
	}
	out.WriteString(query[copied:])
	return out.String()
}
