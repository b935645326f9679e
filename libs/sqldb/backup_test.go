package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// ledger is a table of numbered rows, each with the sum of those before it: a copy that is
// not of one moment does not add up.
func ledger(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func write(ctx context.Context, db *sqldb.DB) error {
	return db.Do(ctx, func(tx *sqldb.Tx) error {
		return tx.Batch(
			sqldb.Stmt{SQL: "INSERT INTO entry (n) SELECT coalesce(max(n), 0) + 1 FROM entry"},
			sqldb.Stmt{SQL: "UPDATE total SET n = n + 1", One: true},
		)
	})
}

func number(t *testing.T, db *sqldb.DB, query string) (n int64) {
	t.Helper()
	if err := db.Read(t.Context()).Raw(query).Scan(&n).Error; err != nil {
		t.Fatal(err)
	}
	return n
}

func TestABackupUnderLoadIsOfOneMoment(t *testing.T) {
	db := ledger(t, sqldbtest.SQLite(t))
	for _, statement := range []string{"CREATE TABLE entry (n INTEGER PRIMARY KEY)",
		"CREATE TABLE total (n INTEGER NOT NULL)", "INSERT INTO total VALUES (0)"} {
		if err := db.Read(t.Context()).Exec(statement).Error; err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for ctx.Err() == nil {
				if err := write(ctx, db); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	var last int64
	for i := range 10 {
		before := number(t, db, "SELECT n FROM total")
		path := filepath.Join(folder, fmt.Sprintf("copy %d.db", i))
		size, err := db.Backup(t.Context(), path)
		info, _ := os.Stat(path)
		if err != nil || info == nil || size != info.Size() || info.Mode().Perm() != 0o600 {
			t.Fatalf("backup of %d bytes: %v, %v", size, info, err)
		}
		backup := ledger(t, "sqlite:"+path)
		last = number(t, backup, "SELECT n FROM total")
		if n := number(t, backup, "SELECT count(*) FROM entry"); n != last || last < before {
			t.Errorf("backup %d has %d entries, a total of %d, and %d were there before it", i, n, last, before)
		}
	}
	stop()
	writers.Wait()
	if last == 0 {
		t.Error("nothing was written meanwhile")
	}
}

func TestABackupReplacesNothingAndLeavesNothingWhenItFails(t *testing.T) {
	db := ledger(t, sqldbtest.SQLite(t))
	folder := t.TempDir()
	path := filepath.Join(folder, "taken.db")
	if err := os.WriteFile(path, []byte("somebody's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Backup(t.Context(), path); err == nil || !strings.Contains(err.Error(), "exists and is not replaced") {
		t.Errorf("a file that is there: %v", err)
	}
	if content, _ := os.ReadFile(path); string(content) != "somebody's" {
		t.Error("a file that was there has changed")
	}
	if _, err := db.Backup(t.Context(), filepath.Join(folder, "nowhere", "copy.db")); err == nil {
		t.Error("a folder that is not there: no error")
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := db.Backup(ended, filepath.Join(folder, "copy.db")); err == nil {
		t.Error("a backup that was stopped: no error")
	}
	if left, _ := os.ReadDir(folder); len(left) != 1 {
		t.Errorf("%d files are left", len(left))
	}
}

func TestPostgreSQLIsNotBackedUpHere(t *testing.T) {
	db := ledger(t, sqldbtest.Postgres(t))
	if _, err := db.Backup(t.Context(), filepath.Join(t.TempDir(), "copy")); !errors.Is(err, sqldb.ErrNoBackup) {
		t.Errorf("error %v", err)
	}
}
