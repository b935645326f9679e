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

// errWaitedTooLong reports an overloaded database.
var errWaitedTooLong = errors.New("waited too long")

// errReadOnly reports a database that rejects writes.
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

// IsUnique reports whether err violates a unique constraint or index, and which.
//
// On PostgreSQL name is the constraint's or index's name. SQLite does not report
// it: name is the columns, "task.stage_id, task.seat", for a constraint and for
// a named or partial index alike; only an index on an expression gives its name,
// "index 'task_seat'".
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

// IsUnavailable reports whether err says that the database cannot be used now:
// it cannot be reached, the connection was lost or is closing, it is starting,
// takes no writes, or is too busy. The caller may try again later. A context that
// the caller ended is not such an error, nor are IsContended and IsStatementTimeout.
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
	// pgx found its connection closed before it sent anything; database/sql keeps
	// the error of a closed pool to itself.
	return pgconn.SafeToRetry(err) || strings.HasSuffix(err.Error(), "sql: database is closed")
}

// unavailable are PostgreSQL's codes that IsUnavailable knows, or how they begin.
var unavailable = []string{
	"08", "53", "58", // the connection, resources, the system below
	"57P01", "57P02", "57P03", "57P05", // shut down, crashed, starting; a connection that was idle too long
	"25P03", "25P04", // the transaction was idle or ran for too long, and the server closed the connection
	"25006", // read-only
	"0A000", // a standby, or a plan from before a migration
}

// TakesNoWrites reports whether err says that the database answers and cannot write: it
// is read-only, a standby, or its disk is full or broken. IsUnavailable is true as well.
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

// IsLockTimeout reports whether err gave up waiting for a row or table lock
// (PostgreSQL's lock_timeout). Nothing was written and the call may be repeated.
func IsLockTimeout(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "55P03"
}

// IsStatementTimeout reports whether err ended a statement that took longer than statement_timeout, or that
// an operator cancelled. The database can be reached, nothing was written, and the call may be repeated.
func IsStatementTimeout(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "57014"
}

// IsTemporary reports whether the same call may succeed later: IsUnavailable, IsContended or IsStatementTimeout.
func IsTemporary(err error) bool {
	return IsUnavailable(err) || IsContended(err) || IsStatementTimeout(err)
}

// IsContended reports whether err gave up because of other transactions: a lock timeout, or a deadlock
// or serialization failure in each attempt of Do. Nothing was written and the call may be repeated.
func IsContended(err error) bool { return IsLockTimeout(err) || isSerialization(err) }

// IsDenied reports whether err says that the role on PostgreSQL has no right to do that.
func IsDenied(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "42501"
}

// isSerialization reports whether PostgreSQL chose the transaction as the victim
// of a conflict; running it again is the documented answer.
func isSerialization(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}
