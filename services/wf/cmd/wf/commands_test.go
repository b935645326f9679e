package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

func statements(t *testing.T, db *sqldb.DB, list ...string) {
	t.Helper()
	for _, statement := range list {
		if err := db.Read(t.Context()).Exec(statement).Error; err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// In a wrong folder, rekey must not create a database and report success.
func TestRekeyNeverMakesADatabase(t *testing.T) {
	keys := "WF_ENC_KEYS=k1:" + seal.NewKey()
	sqldbtest.Each(t, func(t *testing.T, empty string) {
		dir := t.TempDir()
		for name, tt := range map[string]struct{ url, want string }{
			"no database": {"", "WF_DATABASE_URL: name the database"},
			"no file":     {"sqlite:" + filepath.Join(dir, "none.db"), "no such file or directory; nothing was changed"},
			"no server":   {"postgres://canary:canary@127.0.0.1:1/wf", "not done within --timeout=1s (open PostgreSQL 127.0.0.1:1/wf: "},
		} {
			env := []string{keys}
			if tt.url != "" {
				env = append(env, "WF_DATABASE_URL="+tt.url)
			}
			status, out, text := runs(t, dir, env, "rekey", "--timeout=1s")
			if status != 1 || out != "" || !strings.Contains(text, tt.want) || strings.Contains(text, "canary") {
				t.Errorf("%s: ended with %d, printed %q and\n%s", name, status, out, text)
			}
		}
		if strings.HasPrefix(empty, "postgres:") {
			status, out, text := runs(t, dir, []string{keys, "WF_DATABASE_URL=" + empty}, "rekey")
			if status != 1 || out != "" || !strings.Contains(text,
				"there are no tables of wf; check WF_DATABASE_URL, and if it is right run wf migrate; nothing was changed") {
				t.Errorf("an empty database: ended with %d, printed %q and\n%s", status, out, text)
			}
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("there is %v", left)
		}
	})
}

// A migration is blocked by another one, receives a signal to stop, and reports its progress.
func TestStoppedMigrationReportsItsProgress(t *testing.T) {
	database := sqldbtest.Postgres(t)
	env := []string{"WF_DATABASE_URL=" + database}
	db := wftest.Connect(t, database, nil)
	const gooseLock = "4097083626"
	err := db.Read(t.Context()).Connection(func(other *gorm.DB) error {
		if err := other.Exec("SELECT pg_advisory_lock(" + gooseLock + ")").Error; err != nil {
			return err
		}
		p := start(t, t.TempDir(), env, "migrate")
		p.until("a pending lock request", func() bool {
			var n int
			err := other.Raw("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_try_advisory_lock%' AND pid <> pg_backend_pid()").Scan(&n).Error
			return err == nil && n > 0
		})
		if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
			return err
		}
		status, text := p.status(), p.err.String()
		for _, want := range []string{"wf: PostgreSQL ", "stopped by the signal interrupt", "; schema stays at version 0 of "} {
			if status != 1 || !strings.Contains(text, want) {
				t.Errorf("ended with %d without %q in the output:\n%s", status, want, text)
			}
		}
		return other.Exec("SELECT pg_advisory_unlock(" + gooseLock + ")").Error
	})
	must(t, err)
	if status, out, text := runs(t, t.TempDir(), env, "migrate"); status != 0 || !strings.Contains(out, "schema migrated from version 0 to ") {
		t.Errorf("again: ended with %d, printed %q and\n%s", status, out, text)
	}
}
