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

// ErrNoBackup refuses to back up PostgreSQL, whose own programs do it better.
var ErrNoBackup = errors.New("PostgreSQL is backed up by pg_dump, or by a base backup and its log")

// Backup writes a copy of the database, as it is at one moment, into a file that must not
// be there yet, and returns how large it is. Others may read and write meanwhile. The
// copy is complete, checked and on the disk before it has its name.
func (db *DB) Backup(ctx context.Context, path string) (size int64, err error) {
	if db.Postgres() {
		return 0, ErrNoBackup
	}
	if path, err = filepath.Abs(path); err != nil {
		return 0, err
	}
	taken := fmt.Errorf("%s exists and is not replaced", path)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return 0, errors.Join(err, taken)
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
		return 0, taken
	} else if err != nil {
		return 0, err
	}
	return info.Size(), syncFolder(filepath.Dir(path))
}

// checkFile reads a whole database file, and fails unless it is sound.
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

// syncFolder makes a new name in a folder survive a power cut.
func syncFolder(path string) error {
	folder, err := os.Open(path) // #nosec G304 -- the operator names the folder
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
