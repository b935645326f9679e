package sqldbtest

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
)

// Schema gives tests databases that have a service's tables. They are copies of one
// that is migrated once a process, because a migration takes longer than most tests. A
// package has one, and runs its tests by it:
//
//	var schema = sqldbtest.Schema{Migrate: …}
//
//	func TestMain(m *testing.M) { os.Exit(schema.Run(m)) }
//
// Without Migrate the databases are empty.
type Schema struct {
	Migrate func(context.Context, *sqldb.DB) error

	running bool
	turn    func(t testing.TB) string // what Fresh returns now; nil without Once and Twice

	sqlite   sync.Once
	file     []byte
	postgres sync.Once
	template string // its name
}

// Run runs the tests of a package.
func (s *Schema) Run(m *testing.M) int {
	s.running = true
	defer s.drop()
	return m.Run()
}

// Once runs the tests of a package with Fresh on SQLite. It is for packages above the store
// and the engine, whose tests run on both databases.
func (s *Schema) Once(m *testing.M) int {
	s.turn = s.SQLite
	return s.Run(m)
}

// Twice runs the tests of a package twice: Fresh is SQLite the first time, and
// PostgreSQL the second. A package whose tests run the whole service has it in its
// TestMain, so that no test can forget a database.
//
// Without a PostgreSQL server the tests of the second time are skipped, or fail, as
// Postgres says.
func (s *Schema) Twice(m *testing.M) int {
	code := s.Once(m) // parses the flags
	for _, mode := range []string{"list", "fuzz", "bench", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"} {
		if f := flag.Lookup("test." + mode); f != nil && f.Value.String() != "" {
			return code // it is about one run
		}
	}
	s.turn = s.Postgres
	return max(code, s.Run(m))
}

// Fresh returns the URL of a database of the kind that Once or Twice chose.
func (s *Schema) Fresh(t testing.TB) string {
	t.Helper()
	if s.turn == nil {
		t.Fatal("TestMain calls neither Schema.Once nor Schema.Twice")
	}
	url := s.turn(t)
	kind, _, _ := strings.Cut(url, ":")
	t.Log("on", kind) // shown when the test fails
	return url
}

// Each is the function Each, on databases with the schema.
func (s *Schema) Each(t *testing.T, fn func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { fn(t, s.SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { fn(t, s.Postgres(t)) })
}

// SQLite returns the URL of a database file in t.TempDir.
func (s *Schema) SQLite(t testing.TB) string {
	t.Helper()
	if s.Migrate == nil {
		return SQLite(t)
	}
	s.sqlite.Do(func() {
		path := filepath.Join(t.TempDir(), "template.db")
		s.migrate(t, "sqlite:"+path)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s.file = content
	})
	path := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(path, s.file, 0o600); err != nil {
		t.Fatal(err)
	}
	return "sqlite:" + path
}

// Postgres creates a PostgreSQL database as the function Postgres does.
func (s *Schema) Postgres(t testing.TB) string {
	t.Helper()
	if s.Migrate == nil {
		return Postgres(t)
	}
	admin := server(t)
	if !s.running {
		t.Fatal("TestMain does not call Schema.Run, so that nobody would drop what the databases are copied from")
	}
	s.postgres.Do(func() {
		name := newName()
		exec(t, admin, "CREATE DATABASE "+name+" TEMPLATE template0")
		s.template = name
		s.migrate(t, at(t, admin, name))
	})
	return create(t, admin, s.template)
}

// migrate leaves a failed template empty, so that the tests that follow fail as well.
func (s *Schema) migrate(t testing.TB, url string) {
	t.Helper()
	ctx := context.Background() // it is not the test's alone
	db, err := sqldb.Open(ctx, url, sqldb.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := s.Migrate(ctx, db); err != nil {
		t.Fatal(err)
	}
}

// drop removes the PostgreSQL template, if there is one.
func (s *Schema) drop() {
	s.running = false
	if s.template == "" {
		return
	}
	if err := run(os.Getenv(serverVariable), "DROP DATABASE "+s.template+" WITH (FORCE)"); err != nil {
		panic(err) // there is no test to fail
	}
	s.template, s.postgres = "", sync.Once{}
}
