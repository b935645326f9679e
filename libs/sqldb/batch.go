package sqldb

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// Stmt is a hand-written statement of a Batch. Placeholders are ? on both databases; a ? in quotes is
// kept. Arguments are column values, a driver.Valuer, or nil. JSON is a string, because SQLite stores
// []byte as a blob.
type Stmt struct {
	SQL  string
	Args []any

	// One requires that the statement changes exactly one row, as the guard of a conditional update.
	One bool

	// Into receives the rows of a query or of RETURNING. It points to a slice of gorm rows, which is
	// replaced, or to one row or value, which is unchanged if there is no row. gorm's hooks do not run.
	Into any
}

// ErrRowCount is the error of a Stmt with One that has changed no row or several.
var ErrRowCount = errors.New("unexpected number of rows")

// Batch executes the statements in order, on PostgreSQL in one round trip; the first use of a statement
// on a connection needs one more. The error is a BatchError. The caller must then roll back.
func (tx *Tx) Batch(stmts ...Stmt) error {
	if len(stmts) == 0 {
		return nil
	}
	ctx := tx.Statement.Context
	if !tx.db.Postgres() {
		for i, s := range stmts {
			if err := tx.execute(s); err != nil {
				return tx.db.countError(&BatchError{i, len(stmts), err})
			}
		}
		return nil
	}
	return tx.db.countError(onPostgres(tx.conn, func(pg *pgx.Conn) error {
		batch := &pgx.Batch{}
		for _, s := range stmts {
			batch.Queue(rebind(s.SQL), s.Args...)
		}
		results := pg.SendBatch(ctx, batch)
		for i, s := range stmts {
			if err := tx.receive(s, results); err != nil {
				_ = results.Close() // the same error
				return &BatchError{failedIndex(batch, i, err), len(stmts), err}
			}
		}
		return results.Close()
	}))
}

// failedIndex returns the index of the failed statement. It is i, except for a statement that cannot be
// prepared: the first result then has the error, and no statement was executed.
func failedIndex(batch *pgx.Batch, i int, err error) int {
	if early, ok := errors.AsType[pgx.ErrPreprocessingBatch](err); ok {
		i = slices.IndexFunc(batch.QueuedQueries, func(q *pgx.QueuedQuery) bool { return q.SQL == early.SQL() })
	}
	return i
}

// execute executes a statement on SQLite.
func (tx *Tx) execute(s Stmt) error {
	ctx, conn := tx.Statement.Context, tx.Statement.ConnPool
	if s.Into != nil {
		rows, err := conn.QueryContext(ctx, s.SQL, s.Args...)
		if err != nil {
			return err
		}
		return tx.scan(rows, s)
	}
	result, err := conn.ExecContext(ctx, s.SQL, s.Args...)
	if err != nil || !s.One {
		return err
	}
	affected, err := result.RowsAffected()
	return errors.Join(err, s.check(affected))
}

// receive reads the result of a statement from PostgreSQL.
func (tx *Tx) receive(s Stmt, results pgx.BatchResults) error {
	if s.Into != nil {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		return tx.scan(pgxRows{rows}, s)
	}
	tag, err := results.Exec()
	if err != nil {
		return err
	}
	return s.check(tag.RowsAffected())
}

func (s Stmt) check(affected int64) error {
	if s.One && affected != 1 {
		return fmt.Errorf("%w: changed %d, want 1", ErrRowCount, affected)
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
func (tx *Tx) scan(rows gorm.Rows, s Stmt) error {
	defer rows.Close()
	switch s.Into.(type) {
	case *int, *int64, *string: // several times faster than gorm
		for rows.Next() {
			if err := rows.Scan(s.Into); err != nil {
				return err
			}
		}
		return rows.Err()
	}
	return tx.scanInto(rows, s.Into)
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

// rebind converts each ? into $1, $2, … except in quoted strings and names.
func rebind(query string) string {
	var out strings.Builder
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
			out.WriteByte('$')
			out.WriteString(strconv.Itoa(n))
			copied = i + 1
		}
	}
	return out.String() + query[copied:]
}
