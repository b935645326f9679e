package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sqlitedialect "gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"modernc.org/sqlite" // the driver named "sqlite"; it needs no C compiler
	sqlite3 "modernc.org/sqlite/lib"
)

// journal is the only setting stored in the file.
const journal = "journal_mode(WAL)"

// sqliteSettings are the settings of every connection. Without _txlock=immediate a transaction that reads first
// fails with SQLITE_BUSY after a concurrent write, despite the busy timeout. With synchronous=FULL a commit
// survives a power failure.
var sqliteSettings = url.Values{
	"_txlock": {"immediate"},
	"_pragma": {
		journal,
		"synchronous(FULL)",
		"foreign_keys(1)",
	},
}

// sqliteDSN returns the data source name of a file, with special characters escaped.
func sqliteDSN(path string, settings url.Values) string {
	u := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	return u.String()
}

func (db *DB) openSQLite(ctx context.Context, path string, maxConns int, existing bool) error {
	if path == "" || strings.Contains(path, "?") || strings.Contains(path, ":memory:") {
		// In memory each pooled connection has a separate database.
		return fmt.Errorf("database URL sqlite:%s: want the path of a file and no options", path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("open SQLite database: %w", err)
	}
	db.file = path
	settings := maps.Clone(sqliteSettings)
	settings["_pragma"] = append(slices.Clone(settings["_pragma"]), fmt.Sprintf("busy_timeout(%d)", max(waitLimit, db.patience).Milliseconds()))
	if db.readOnly {
		settings["_pragma"] = append(settings["_pragma"], "query_only(1)")
	}
	if existing {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return fmt.Errorf("open %s: %v", db.Name(), errors.Unwrap(err)) // without the second mention of the path
		}
		_ = file.Close()
		settings["_pragma"] = slices.DeleteFunc(settings["_pragma"], func(s string) bool { return s == journal })
	} else if err := createPrivate(path); err != nil {
		// Without %w: IsUnavailable is false for errors of the file system.
		return fmt.Errorf("create %s: %v", db.Name(), errors.Unwrap(err))
	}
	if db.pool, err = sql.Open("sqlite", sqliteDSN(path, settings)); err != nil {
		return fmt.Errorf("open %s: %w", db.Name(), err)
	}
	db.writer = &writer{limit: max(waitLimit, db.patience), lock: make(chan struct{}, 1)}
	dialector := sqlitedialect.New(sqlitedialect.Config{DriverName: "sqlite", Conn: db.pool})
	if err := db.usePool(dialector, maxConns+1); err != nil {
		return fmt.Errorf("open %s: %w", db.Name(), err)
	}
	if err := checkSQLite(ctx, db.pool, existing); err != nil {
		return fmt.Errorf("open %s: %w", db.Name(), err)
	}
	return nil
}

// writer is the connection of the writing transactions of SQLite. It keeps prepared statements, because
// SQLite takes about as long to parse a statement as to execute it.
type writer struct {
	limit time.Duration // of the wait for lock

	// lock holds a value during a transaction. Its waiters are admitted in their order, and their wait ends
	// with the context. The pool of database/sql admits in no order; the busy handler of SQLite sleeps up to
	// 100 ms between attempts and only serialises processes.
	lock       chan struct{}
	conn       *sql.Conn // nil before the first transaction
	statements gorm.ConnPool
}

const (
	preparedStatements = 512
	preparedFor        = 10 * 365 * 24 * time.Hour // no expiry, which needs a goroutine
)

// acquire waits for the writer lock of SQLite.
func (w *writer) acquire(ctx context.Context) (unlock func(), err error) {
	wait, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	select {
	case w.lock <- struct{}{}:
		return func() { <-w.lock }, nil
	case <-wait.Done():
		return nil, fmt.Errorf("wait for the SQLite writer lock: %w", cmp.Or(ctx.Err(), error(errWaitedTooLong)))
	}
}

// connectWriter opens the connection, unless it is open. The caller holds the lock.
func (db *DB) connectWriter(ctx context.Context) (err error) {
	w := db.writer
	if w.conn != nil {
		return nil
	}
	if w.conn, err = db.poolConn(ctx); err == nil {
		w.statements = gorm.NewPreparedStmtDB(w.conn, preparedStatements, preparedFor)
	}
	return err
}

// disconnect closes the connection and with it the statements. The caller holds the lock.
func (w *writer) disconnect() {
	if w.conn != nil {
		endConn(w.conn)
		_ = w.conn.Close()
		w.conn = nil
	}
}

// createPrivate creates a file that only its owner can read. SQLite gives the -wal and -shm files the same
// mode. The mode of an existing file is unchanged.
func createPrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// checkSQLite checks the version of the library by its newest operator in use, ->> of 3.38, and the journal
// mode of a new file: some network file systems have no WAL and keep a rollback journal without an error.
func checkSQLite(ctx context.Context, pool *sql.DB, existing bool) error {
	var version, arrow, journal string
	err := pool.QueryRowContext(ctx, `SELECT sqlite_version(), '{"a":"b"}' ->> 'a'`).Scan(&version, &arrow)
	if err != nil {
		return fmt.Errorf("check for the JSON operators of SQLite 3.38: %w", err)
	}
	if err := pool.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal); err != nil {
		return fmt.Errorf("read journal mode: %w", err)
	}
	if arrow != "b" || journal != "wal" && !existing {
		return fmt.Errorf("SQLite %s in journal mode %s cannot be used; it must be 3.38 or later in WAL mode", version, journal)
	}
	return nil
}

// migrateWait bounds the wait for the migration of another process.
const migrateWait = 5 * time.Minute

// ErrServed is the error of LockServing for a SQLite file that another process serves.
var ErrServed = errors.New("another process serves this file")

// LockServing locks the SQLite file for serving until the call of unlock or the end of the process. It does
// not wait: it returns ErrServed while another process has the lock. PostgreSQL needs no lock.
func (db *DB) LockServing(ctx context.Context) (unlock func() error, err error) {
	if db.Postgres() {
		return func() error { return nil }, nil
	}
	unlock, err = db.lockFile(ctx, "-serve", 0)
	if lite, ok := errors.AsType[*sqlite.Error](err); ok && lite.Code()&0xff == sqlite3.SQLITE_BUSY {
		return nil, fmt.Errorf("%s: %w", db.Name(), ErrServed)
	}
	return unlock, err
}

// lockFile acquires an exclusive lock against other processes, until the call of unlock or the end of the
// process: a lock on an empty SQLite database beside the real one, which is portable.
func (db *DB) lockFile(ctx context.Context, suffix string, wait time.Duration) (unlock func() error, err error) {
	path := db.file + suffix
	if err := createPrivate(path); err != nil {
		return nil, err
	}
	pool, err := sql.Open("sqlite", sqliteDSN(path, url.Values{"_pragma": {"busy_timeout(100)"}}))
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	end := time.Now().Add(wait) // the wait of SQLite does not end with ctx
	for {
		_, err := pool.ExecContext(ctx, "BEGIN EXCLUSIVE")
		if err == nil {
			return pool.Close, nil
		}
		lite, ok := errors.AsType[*sqlite.Error](err)
		if !ok || lite.Code()&0xff != sqlite3.SQLITE_BUSY || ctx.Err() != nil || time.Now().After(end) {
			return nil, errors.Join(err, pool.Close())
		}
	}
}
