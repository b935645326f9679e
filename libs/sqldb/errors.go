package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// errWaitedTooLong says that the database is too busy to take the call.
var errWaitedTooLong = errors.New("waited too long")

// errReadOnly says that the database answers and takes no writes.
var errReadOnly = errors.New("the database is read-only")

// IsUnique reports whether err violates a unique constraint or index, and which.
//
// On PostgreSQL name is the constraint's or index's name. SQLite does not tell
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
// read-only, full or too busy. The caller may try again later. A context that
// the caller ended is not such an error.
func IsUnavailable(err error) bool {
	if err == nil {
		return false
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		// The classes connection exception and insufficient resources, then
		// admin_shutdown, crash_shutdown, cannot_connect_now, read_only_sql_transaction.
		return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "53") ||
			slices.Contains([]string{"57P01", "57P02", "57P03", "25006"}, pg.Code)
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

// IsLockTimeout reports whether err gave up waiting for a row or table lock
// (PostgreSQL's lock_timeout). Nothing was written and the call may be repeated.
func IsLockTimeout(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "55P03"
}

// isSerialization reports whether PostgreSQL chose the transaction as the victim
// of a conflict; running it again is the documented answer.
func isSerialization(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}
