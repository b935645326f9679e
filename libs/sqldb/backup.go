package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// ErrNoBackup is the error of Backup on PostgreSQL.
var ErrNoBackup = errors.New("PostgreSQL is backed up by pg_dump, or by a base backup and its log")

// Backup writes a consistent copy of the SQLite database into a new file and returns its size. Reads and
// writes continue. The copy is complete, checked and synced before it gets its name.
func (db *DB) Backup(ctx context.Context, path string) (size int64, err error) {
	if db.Postgres() {
		return 0, ErrNoBackup
	}
	if path, err = filepath.Abs(path); err != nil {
		return 0, err
	}
	errExists := fmt.Errorf("%s exists and is not replaced", path)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return 0, errors.Join(err, errExists)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".backup-*") // mode 0600
	if err != nil {
		return 0, err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	if _, err := db.pool.ExecContext(ctx, "VACUUM INTO ?", temp.Name()); err != nil {
		return 0, fmt.Errorf("copy the database: %w", err)
	}
	if err := checkFile(ctx, temp.Name()); err != nil {
		return 0, fmt.Errorf("check the copy: %w", err)
	}
	info, err := temp.Stat()
	if err := errors.Join(err, temp.Sync()); err != nil {
		return 0, err
	}
	// Unlike a rename, a link does not replace an existing file.
	if err := os.Link(temp.Name(), path); errors.Is(err, fs.ErrExist) {
		return 0, errExists
	} else if err != nil {
		return 0, err
	}
	return info.Size(), syncFolder(filepath.Dir(path))
}

// checkFile checks the integrity of a whole database file.
func checkFile(ctx context.Context, path string) error {
	pool, err := sql.Open("sqlite", sqliteDSN(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if err != nil {
		return err
	}
	defer pool.Close()
	var verdict string
	if err := pool.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return errors.New(verdict)
	}
	return nil
}

// syncFolder writes the names of a folder to the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path) // #nosec G304 -- the operator names the folder
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
