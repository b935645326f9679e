// Package sqldb opens the database of a service: a SQLite file or PostgreSQL. Both use gorm with the same
// rules.
//
//   - One way to write: [DB.Do] runs a function in one transaction. It is READ
//     COMMITTED with row locks on PostgreSQL. On SQLite it is immediate, so that
//     transactions are serial and clause.Locking has no effect.
//   - One clock: [Tx.Now]. Columns hold it as BIGINT Unix milliseconds, because
//     SQLite compares times as text.
//   - One way to change tables: [DB.Migrate] runs numbered SQL files.
//   - Two ways to read and write rows: gorm, with [Put] and a guard on the revision,
//     and on hot paths hand-written statements in one [Tx.Batch], with the inserts
//     and updates of [Table].
//   - One way to list: a [List] reads pages, whose cursors are authenticated.
//   - Errors keep their cause. [IsUnique], [IsUnavailable], [TakesNoWrites]
//     and [IsLockTimeout] classify it for both databases.
package sqldb

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

const (
	// defaultMaxConns is the pool size when Options.MaxConns is zero.
	defaultMaxConns = 20

	// connLifetime bounds the age of a pooled connection, so that a failover or a changed password takes
	// effect without a restart.
	connLifetime = 30 * time.Minute

	// waitLimit bounds the wait of Do for a free connection and, on SQLite, for the writer lock.
	waitLimit = 10 * time.Second
)

var errScheme = errors.New("want sqlite:PATH or postgres://…")

// Options configures Open. The zero value is for production.
type Options struct {
	// Now replaces the clock of Tx.Now and DB.Now in tests. The default is the database's clock on
	// PostgreSQL, which all replicas share, and the process's clock on SQLite.
	Now func() time.Time

	// Logger receives slow statements (warn), failed ones (debug) and finished migrations (info), without the
	// values of arguments. The default is slog.Default().
	Logger *slog.Logger

	// MaxConns is the size of the pool, open and idle; 20 by default. A URL of PostgreSQL may have another as
	// pool_max_conns, as in pgxpool.
	MaxConns int

	// Patience is the minimum of each time limit: of a statement, and of waits for the server, a connection, a
	// lock and the end of a transaction. Tests set minutes. A parameter of the URL has precedence.
	Patience time.Duration

	// Existing requires an existing SQLite file and does not change its settings, because it can belong to
	// another program.
	Existing bool

	// ReadOnly rejects every write, in Do and in the database session. It can open a standby. It implies
	// Existing.
	ReadOnly bool
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	gorm     *gorm.DB
	pool     *sql.DB
	postgres *postgresConfig // nil on SQLite
	file     string          // SQLite's file; empty on PostgreSQL
	writer   *writer         // of SQLite; nil on PostgreSQL
	now      func() time.Time
	patience time.Duration
	readOnly bool // see Options
	log      *slog.Logger
	measures *measures
	keys     sync.Map // cached service keys by name

	refused, tried atomic.Pointer[refusedWrite] // the last one, and that of the last successful TryWrite
}

// Open connects to the database at url and checks its version and settings. The forms are
//
//	sqlite:PATH          creates the file with mode 0600, its folder with 0700
//	postgres://…         also postgresql://…, with pgx's parameters
//
// The default of sslmode is verify-full, unless every host is loopback or a Unix socket. Errors never contain
// the password. If IsUnavailable is true for the error, a later attempt can succeed.
func Open(ctx context.Context, url string, o Options) (*DB, error) {
	db := &DB{
		now: o.Now, patience: o.Patience, readOnly: o.ReadOnly, log: cmp.Or(o.Logger, slog.Default()),
		measures: newMeasures(nil),
	}
	maxConns := cmp.Or(o.MaxConns, defaultMaxConns)
	var err error
	scheme, rest, _ := strings.Cut(url, ":")
	switch scheme {
	case "sqlite":
		err = db.openSQLite(ctx, rest, maxConns, o.Existing || o.ReadOnly)
	case "postgres", "postgresql":
		err = db.openPostgres(ctx, url, maxConns)
	default:
		return nil, errScheme
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// usePool sets the limits of the pool and opens gorm with it.
func (db *DB) usePool(dialector gorm.Dialector, maxConns int) error {
	db.pool.SetMaxOpenConns(maxConns)
	db.pool.SetMaxIdleConns(maxConns)
	db.pool.SetConnMaxLifetime(connLifetime)
	var err error
	db.gorm, err = gorm.Open(dialector, &gorm.Config{
		// Transactions begin in Do only.
		SkipDefaultTransaction: true,
		// gorm prepares again in every transaction; pgx caches prepared statements by connection.
		PrepareStmt: false,
		// After a migration SELECT * fails once on every connection.
		QueryFields:          true,
		NamingStrategy:       naming,
		DisableAutomaticPing: true,
		NowFunc:              func() time.Time { return time.Now().UTC().Truncate(time.Millisecond) },
		Logger:               gormLog{logger.Discard, db},
	})
	return err
}

// Logger returns the logger of the database.
func (db *DB) Logger() *slog.Logger { return db.log }

// Name returns the kind and the location of the database, without user and password.
func (db *DB) Name() string {
	if db.Postgres() {
		return postgresName(db.postgres)
	}
	return "SQLite " + db.file
}

// Postgres reports whether the database is PostgreSQL. Otherwise it is SQLite.
func (db *DB) Postgres() bool { return db.postgres != nil }

// Read returns a session for queries outside a transaction. Each statement sees the rows committed at its
// start.
func (db *DB) Read(ctx context.Context) *gorm.DB { return db.gorm.WithContext(ctx) }

// Now returns the time of Tx.Now: UTC in milliseconds.
func (db *DB) Now(ctx context.Context) (time.Time, error) {
	if !db.usesDatabaseClock() {
		return db.localNow(), nil
	}
	var ms int64
	err := db.pool.QueryRowContext(ctx, "SELECT "+postgresClock).Scan(&ms)
	if err != nil {
		err = fmt.Errorf("read the database clock: %w", err)
	}
	return Time(ms), err
}

// usesDatabaseClock reports whether the clock is that of the database.
func (db *DB) usesDatabaseClock() bool { return db.Postgres() && db.now == nil }

// localNow returns the time of Options.Now or of the process.
func (db *DB) localNow() time.Time {
	now := time.Now
	if db.now != nil {
		now = db.now
	}
	return now().UTC().Truncate(time.Millisecond)
}

// Ping checks that the database is reachable. Standbys and read-only servers are; see Writable.
func (db *DB) Ping(ctx context.Context) error {
	query := "SELECT current_setting('transaction_read_only')"
	if !db.Postgres() {
		query = "SELECT 'off' FROM (SELECT count(*) FROM sqlite_schema)" // SELECT 1 does not touch the file
	}
	var readOnly string
	err := db.pool.QueryRowContext(ctx, query).Scan(&readOnly)
	if err != nil {
		return fmt.Errorf("ping database: %w", err)
	}
	if readOnly != "off" && !db.readOnly {
		db.refused.Store(&refusedWrite{errReadOnly})
	}
	return nil
}

// refusedWrite is a write that the database rejected.
type refusedWrite struct{ err error }

// Writable returns the reason for rejected writes, or nil. It makes no query: failed transactions set it,
// and TryWrite resets it.
func (db *DB) Writable() error {
	if refused := db.refused.Load(); refused != nil {
		return refused.err
	}
	return nil
}

// fillerSize is the size of TryWrite's row: several pages, so that free space in one page does not suffice.
const fillerSize = 16 << 10

// TryWrite writes and deletes a row of the table write_probe (id, filler). Callers repeat it every few
// seconds while Writable returns an error. Two successes without a failed write in between reset it, because
// a full disk can accept some writes.
func (db *DB) TryWrite(ctx context.Context) error {
	filler := make([]byte, fillerSize*3/4)
	_, _ = rand.Read(filler) // never fails; random, so that nothing compresses it
	id := rand.Text()
	err := db.Do(ctx, func(tx *Tx) error {
		return tx.Batch(
			Stmt{SQL: "INSERT INTO write_probe (id, filler) VALUES (?, ?)", Args: []any{id, base64.StdEncoding.EncodeToString(filler)}, One: true},
			Stmt{SQL: "DELETE FROM write_probe WHERE id = ?", Args: []any{id}, One: true},
		)
	})
	if err != nil {
		return fmt.Errorf("try to write: %w", err)
	}
	refused := db.refused.Load()
	if refused == db.tried.Swap(refused) {
		db.refused.CompareAndSwap(refused, nil)
	}
	return nil
}

// Close closes the pool after the end of running statements.
func (db *DB) Close() error {
	if db.pool == nil {
		return nil
	}
	if db.writer != nil {
		if unlock, err := db.writer.acquire(context.Background()); err == nil {
			db.writer.disconnect()
			unlock()
		}
	}
	return db.pool.Close()
}
