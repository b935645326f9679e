package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// errWaitedTooLong is the error of a wait for a connection or the writer lock beyond its limit.
var errWaitedTooLong = errors.New("waited too long")

// errReadOnly is the error of a write with Options.ReadOnly or on a read-only server.
var errReadOnly = errors.New("the database is read-only")

// BatchError has the index of the failed statement of Batch or Load.
type BatchError struct {
	Statement, Of int
	Err           error
}

func (e *BatchError) Error() string {
	return fmt.Sprintf("batch statement %d of %d: %v", e.Statement, e.Of, e.Err)
}

// Unwrap returns the cause.
func (e *BatchError) Unwrap() error { return e.Err }

// IsUnique reports whether err is a violation of a unique constraint or index. name is its name on
// PostgreSQL. On SQLite name is the list of its columns, "task.stage_id, task.seat", and for an index on an
// expression "index 'task_seat'".
func IsUnique(err error) (name string, ok bool) {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.ConstraintName, pg.Code == "23505"
	}
	lite, ok := errors.AsType[*sqlite.Error](err)
	if !ok || lite.Code() != sqlite3.SQLITE_CONSTRAINT_UNIQUE && lite.Code() != sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY {
		return "", false
	}
	_, name, _ = strings.Cut(lite.Error(), "UNIQUE constraint failed: ")
	name, _, _ = strings.Cut(name, " (") // the driver appends the code: "… (2067)"
	return name, true
}

// IsUnavailable reports whether the database is unreachable, starting, overloaded or read-only, or the
// connection was lost. A later call can succeed. IsContended, IsStatementTimeout and the end of the caller's
// context are other errors.
func IsUnavailable(err error) bool {
	if err == nil {
		return false
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.ContainsFunc(unavailable, func(code string) bool { return strings.HasPrefix(pg.Code, code) })
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		primary := lite.Code() & 0xff
		return slices.Contains([]int{
			sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
		}, primary)
	}
	if errors.Is(err, context.Canceled) {
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	for _, target := range []error{errReadOnly, errWaitedTooLong, driver.ErrBadConn, sql.ErrConnDone, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, target) {
			return true
		}
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	// SafeToRetry: pgx sent nothing. database/sql does not export the error of a closed pool.
	return pgconn.SafeToRetry(err) || strings.HasSuffix(err.Error(), "sql: database is closed")
}

// unavailable lists PostgreSQL's codes of IsUnavailable and prefixes of them.
var unavailable = []string{
	"08", "53", "58", // connection, resources, operating system
	"57P01", "57P02", "57P03", "57P05", // shutdown, crash, start; session idle timeout
	"25P03", "25P04", // timeouts of a transaction, which close the connection
	"25006",          // read-only
	"0A000",          // standby; cached plan after a migration
	"26000", "42P05", // prepared statements of another session: a pooler in transaction mode
}

// TakesNoWrites reports whether a reachable database rejected a write: it is read-only or a standby, or its
// disk is full or broken. IsUnavailable is also true.
func TakesNoWrites(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.Contains([]string{"25006", "53100", "58030"}, pg.Code)
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL:
			return true
		}
		return slices.Contains([]int{
			sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC,
			sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_SHMSIZE,
		}, lite.Code())
	}
	return errors.Is(err, errReadOnly)
}

// IsLockTimeout reports a lock_timeout of PostgreSQL. Nothing was written; the call can be repeated.
func IsLockTimeout(err error) bool { return hasCode(err, "55P03") }

// IsStatementTimeout reports a statement_timeout of PostgreSQL, or a cancellation by an operator. Nothing was
// written; the call can be repeated.
func IsStatementTimeout(err error) bool { return hasCode(err, "57014") }

// IsContended reports a conflict with other transactions: a lock timeout, or a deadlock or serialization
// failure in each attempt of Do. Nothing was written; the call can be repeated.
func IsContended(err error) bool { return IsLockTimeout(err) || isSerialization(err) }

// IsTemporary reports whether the same call can succeed later: IsUnavailable, IsContended or
// IsStatementTimeout.
func IsTemporary(err error) bool {
	return IsUnavailable(err) || IsContended(err) || IsStatementTimeout(err)
}

// IsDenied reports a missing right of the role on PostgreSQL.
func IsDenied(err error) bool { return hasCode(err, "42501") }

// isSerialization reports a serialization failure or deadlock of PostgreSQL, after which the transaction is
// repeated.
func isSerialization(err error) bool { return hasCode(err, "40001", "40P01") }

// hasCode reports whether err is PostgreSQL's error with one of the codes.
func hasCode(err error, codes ...string) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(codes, pg.Code)
}
