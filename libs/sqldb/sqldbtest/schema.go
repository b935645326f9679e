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

// Schema creates test databases with the tables of a service. They are copies of a template that is migrated
// once per process, because a migration takes longer than most tests. A package has one Schema:
//
//	var schema = sqldbtest.Schema{Migrate: …}
//
//	func TestMain(m *testing.M) { os.Exit(schema.Run(m)) }
//
// Without Migrate the databases are empty.
type Schema struct {
	Migrate func(context.Context, *sqldb.DB) error

	running bool
	turn    func(t testing.TB) string // implements Fresh during Twice

	sqlite   sync.Once
	file     []byte
	postgres sync.Once
	template string // name of the PostgreSQL template
}

// Run runs the tests of a package.
func (s *Schema) Run(m *testing.M) int {
	s.running = true
	defer s.drop()
	return m.Run()
}

// Twice runs the tests of a package twice, with Fresh on SQLite and then on PostgreSQL. TestMain calls it, so that
// every test runs on both databases.
//
// Without a PostgreSQL server the second run is skipped or fails; see Postgres.
func (s *Schema) Twice(m *testing.M) int {
	s.turn = s.SQLite
	code := s.Run(m) // parses the flags
	for _, mode := range []string{"list", "fuzz", "bench", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"} {
		if f := flag.Lookup("test." + mode); f != nil && f.Value.String() != "" {
			return code // it is about one run
		}
	}
	s.turn = s.Postgres
	return max(code, s.Run(m))
}

// Fresh returns the URL of a new database of the kind of the current run. Without Twice it is the one of Any.
func (s *Schema) Fresh(t testing.TB) string {
	t.Helper()
	turn := s.turn
	if turn == nil {
		turn = s.SQLite
		if onPostgres() {
			turn = s.Postgres
		}
	}
	url := turn(t)
	kind, _, _ := strings.Cut(url, ":")
	t.Log("on", kind) // shown when the test fails
	return url
}

// Each is the function Each with databases that have the schema.
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

// Postgres is the function Postgres with a database that has the schema.
func (s *Schema) Postgres(t testing.TB) string {
	t.Helper()
	if s.Migrate == nil {
		return Postgres(t)
	}
	admin := server(t)
	if !s.running {
		t.Fatal("TestMain does not call Schema.Run, which drops the template")
	}
	s.postgres.Do(func() {
		name := newName()
		exec(t, admin, "CREATE DATABASE "+name+" TEMPLATE template0")
		s.template = name
		s.migrate(t, at(t, admin, name))
	})
	return create(t, admin, s.template)
}

// migrate migrates a template. A failed template stays empty, so that later tests fail too.
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

// drop removes the PostgreSQL template.
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
