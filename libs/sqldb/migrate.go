package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// migrationPause is the time between two attempts of a migration, in which calls blocked by its locks
// complete.
const migrationPause = time.Second

// Migrate applies the pending migrations. files holds the folders migrations/sqlite and migrations/postgres
// with goose's numbered SQL files, with the same numbers in both. Each file runs in its own transaction. On
// PostgreSQL a file waits at most two seconds for a lock, because calls queue behind the waiting migration.
// After a lock timeout or a deadlock it is rolled back and retried until ctx ends.
//
// One process migrates at a time; others wait up to five minutes. Migrate returns an error for a database
// newer than the files, and does not change it.
func (db *DB) Migrate(ctx context.Context, files fs.FS) (err error) {
	if db.Postgres() {
		return db.migratePostgres(ctx, files)
	}
	unlock, err := db.writer.acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	unlockFile, err := db.lockFile(ctx, "-migrate", migrateWait)
	if err != nil {
		return fmt.Errorf("wait for the migration lock: %w", err)
	}
	defer func() { err = errors.Join(err, unlockFile()) }()

	return applyMigrations(ctx, db.log, goose.DialectSQLite3, db.pool, files, "migrations/sqlite")
}

// migratePostgres uses its own pool: a migration may exceed the statement timeout, and the advisory lock
// belongs to a connection.
func (db *DB) migratePostgres(ctx context.Context, files fs.FS) error {
	config := db.postgres.Copy()
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	config.RuntimeParams["lock_timeout"] = "2s"
	pool := openPool(config)
	defer pool.Close()

	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // 300 attempts, one per second
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	return applyMigrations(ctx, db.log, goose.DialectPostgres, pool, files, "migrations/postgres", goose.WithSessionLocker(locker))
}

// applyMigrations applies the pending migrations. It compares versions afterwards, because a newer database has no pending
// migrations and an empty one has no version table.
func applyMigrations(
	ctx context.Context, log *slog.Logger, dialect goose.Dialect, pool *sql.DB, files fs.FS, folder string,
	o ...goose.ProviderOption,
) error {
	files, err := fs.Sub(files, folder)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	o = append(o, goose.WithDisableGlobalRegistry(true), goose.WithSlog(slog.New(slog.DiscardHandler)))
	provider, err := goose.NewProvider(dialect, pool, files, o...)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	for {
		applied := results
		partial, ok := errors.AsType[*goose.PartialError](err)
		if ok {
			applied = partial.Applied
		}
		for _, r := range applied {
			log.InfoContext(ctx, "database migrated", "version", r.Source.Version,
				"took", r.Duration.Round(time.Millisecond).String())
		}
		if !ok || !IsContended(partial.Err) {
			break
		}
		log.InfoContext(ctx, "migration rolled back after a lock conflict; retrying",
			"file", partial.Failed.Source.Path, "error", partial.Err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("migrate database: %s: %w", partial.Failed.Source.Path, errors.Join(ctx.Err(), partial.Err))
		case <-time.After(migrationPause):
		}
		results, err = provider.Up(ctx)
	}
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		return fmt.Errorf("migrate database: %s: %w", partial.Failed.Source.Path, partial.Err)
	}
	if err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	current, newest, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read database version: %w", err)
	}
	if current > newest {
		return fmt.Errorf("schema version %d is newer than version %d of this program; start a newer program", current, newest)
	}
	return nil
}
