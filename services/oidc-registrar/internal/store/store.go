// Package store keeps the domain in the database, PostgreSQL or SQLite.
//
// Methods of [Tx] write, or read and lock until the transaction ends. Methods of
// [Store] read what was committed and lock nothing. The order of locks is always:
// client, its outbox entry.
//
// A registration costs two round trips on PostgreSQL besides those of the
// transaction itself: [Tx.Survey] and [Tx.AddClient].
package store

import (
	"context"
	"database/sql/driver"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

//go:embed migrations
var migrations embed.FS

var (
	// ErrUnavailable means that the database cannot be used now. What wraps it is
	// for the log. The same call may succeed later.
	ErrUnavailable = errors.New("the database cannot be reached")

	// ErrBusy means that another transaction holds what this one needs for too
	// long. Nothing was written.
	ErrBusy = errors.New("another operation on the same client is running")
)

// Store is the service's data. It is safe for concurrent use.
type Store struct{ db *sqldb.DB }

// New returns the store in db, whose tables Migrate makes.
func New(db *sqldb.DB) *Store { return &Store{db} }

// Migrate brings the tables up to date. Several processes may call it at once.
func (s *Store) Migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	return classify(s.db.Migrate(ctx, files))
}

// Ping reports whether the database answers and takes writes: a standby, or a
// server that was set to read-only, does not.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.db.Ping(ctx); err != nil {
		return classify(err)
	}
	if !s.db.Postgres() {
		return nil
	}
	var readOnly string
	if err := s.db.Read(ctx).Raw("SELECT current_setting('transaction_read_only')").Scan(&readOnly).Error; err != nil {
		return classify(fmt.Errorf("ping database: %w", err))
	}
	if readOnly != "off" {
		return fmt.Errorf("%w: it is read-only", ErrUnavailable)
	}
	return nil
}

// Now returns the time that Tx.Now would be.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	now, err := s.db.Now(ctx)
	return now, classify(err)
}

// Tx is a transaction that is open. Now is the only time to write.
type Tx struct{ *sqldb.Tx }

// Do runs fn in one transaction and commits if it returns nil. fn may run again
// after a conflict, and must not wait on the network; see sqldb.DB.Do. Errors may
// be ErrUnavailable or ErrBusy.
func (s *Store) Do(ctx context.Context, fn func(*Tx) error) error {
	return classify(s.db.Do(ctx, func(tx *sqldb.Tx) error {
		tx.DB = tx.Session(&named)
		return fn(&Tx{tx})
	}))
}

// named makes queries name their columns: SELECT * would fail once on every
// connection after a migration.
var named = gorm.Session{QueryFields: true}

// read returns a session for a single query outside a transaction.
func (s *Store) read(ctx context.Context) *gorm.DB { return s.db.Read(ctx).Session(&named) }

// classify turns the errors that mean something to a caller into those of this
// package, and keeps the cause.
func classify(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrUnavailable), errors.Is(err, ErrBusy):
		return err
	case sqldb.IsUnavailable(err):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case sqldb.IsLockTimeout(err):
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// failed says what was being done when err happened; nil stays nil.
func failed(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return classify(fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err))
}

// changed expects that a conditional write changed one row.
func changed(result *gorm.DB, none error) error {
	if result.Error == nil && result.RowsAffected != 1 {
		return none
	}
	return result.Error
}

// list is a column that holds a JSON array of strings. It reads as a list that is
// not nil, so that an empty one is told from a missing one.
type list []string

// Value writes the list as text: SQLite would store bytes as a blob.
func (l list) Value() (driver.Value, error) {
	if l == nil {
		return "[]", nil
	}
	text, err := json.Marshal([]string(l))
	return string(text), err
}

// Scan reads the list.
func (l *list) Scan(v any) error {
	switch v := v.(type) {
	case string:
		return json.Unmarshal([]byte(v), (*[]string)(l))
	case []byte:
		return json.Unmarshal(v, (*[]string)(l))
	}
	return fmt.Errorf("a list cannot be read from %T", v)
}

// GormDataType tells gorm that a list is one column.
func (list) GormDataType() string { return "text" }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// storable makes a caller's text fit for comparison. No stored text has the bytes
// that PostgreSQL refuses, so what had them finds nothing.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

func notFound(id string) error {
	return registrar.Refuse(registrar.ClientNotFound, "no client %s", id)
}
