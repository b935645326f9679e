// Package sqldbtest creates SQLite and PostgreSQL databases for tests.
package sqldbtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"modernc.org/sqlite"

	"github.com/countersign/countersign/libs/sqldb"
)

// Each runs fn as the subtests "sqlite" and "postgres", each with the URL of an empty database for sqldb.Open. See
// Postgres for a missing server.
func Each(t *testing.T, fn func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { fn(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { fn(t, Postgres(t)) })
}

// onPostgres reports whether Any and Fresh create PostgreSQL databases, as under make check SUITE=postgres.
func onPostgres() bool { return os.Getenv("COUNTERSIGN_DATABASE") == "postgres" }

// Any runs fn with the URL of an empty database: for tests of layers above the store, whose statements the tests of
// the store and the engine run on both databases. It is a SQLite file, and on PostgreSQL under make check SUITE=postgres.
func Any(t *testing.T, fn func(t *testing.T, url string)) {
	t.Helper()
	if onPostgres() {
		fn(t, Postgres(t))
		return
	}
	fn(t, SQLite(t))
}

// SQLite returns the URL of a database file in t.TempDir, which Open creates.
func SQLite(t testing.TB) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
}

// limits holds the maximum numbers of pages of SQLite files by path.
var limits sync.Map

// keepLimits applies limits to every new connection.
var keepLimits = sync.OnceFunc(func() {
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, dsn string) error {
		u, err := url.Parse(dsn)
		if err != nil {
			return err
		}
		pages, limited := limits.Load(u.Path)
		if limited {
			_, err = conn.ExecContext(context.Background(), fmt.Sprintf("PRAGMA max_page_count = %d", pages), nil)
		}
		return err
	})
})

// Limit sets the maximum number of pages of 4 KiB of a SQLite file before it is opened. Writes beyond it fail as on
// a full disk.
func Limit(t testing.TB, url string, pages int) {
	keepLimits()
	path := strings.TrimPrefix(url, "sqlite:")
	limits.Store(path, pages)
	t.Cleanup(func() { limits.Delete(path) })
}

// Postgres creates a PostgreSQL database, returns its URL, and drops it after the test. TEST_POSTGRES_URL is the
// server, with a role that can create databases. Without it the test is skipped; with
// COUNTERSIGN_REQUIRE_POSTGRES=1, as under make test, it fails.
func Postgres(t testing.TB) string {
	t.Helper()
	return create(t, server(t), "template0")
}

const serverVariable = "TEST_POSTGRES_URL"

// server returns the URL of the server. Without one it skips or fails the test.
func server(t testing.TB) string {
	t.Helper()
	admin := os.Getenv(serverVariable)
	if admin == "" {
		if os.Getenv("COUNTERSIGN_REQUIRE_POSTGRES") == "1" {
			t.Fatal(serverVariable + " is not set and COUNTERSIGN_REQUIRE_POSTGRES=1")
		}
		t.Skip(serverVariable + " is not set; make test sets it")
	}
	return admin
}

// create creates the database of a test as a copy of the template.
func create(t testing.TB, admin, template string) string {
	t.Helper()
	name := newName()
	exec(t, admin, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY file_copy") // the faster one without fsync
	t.Cleanup(func() { exec(t, admin, "DROP DATABASE "+name+" WITH (FORCE)") })
	return at(t, admin, name)
}

func newName() string { return "sqldbtest_" + strings.ToLower(rand.Text()) }

// at returns the URL of a database of the server.
func at(t testing.TB, admin, name string) string {
	t.Helper()
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatal(serverVariable + " is not a URL")
	}
	u.Path = "/" + name
	return u.String()
}

func exec(t testing.TB, url, statement string) {
	t.Helper()
	if err := run(url, statement); err != nil {
		t.Fatal(err)
	}
}

// run runs one statement on a separate connection, with its own deadline, because the test's context has ended in a
// cleanup.
func run(url, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", serverVariable, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// Roles creates a role of the service and one of readers on the server of a PostgreSQL database, grants them their
// rights, and drops them after the test. It returns the database's URL for each of them.
func Roles(t testing.TB, database string, schema sqldb.Schema) (app, reader string) {
	t.Helper()
	var roles, urls []string
	for _, name := range []string{schema.App, schema.Reader} {
		role := strings.ToLower(name + "_" + rand.Text())
		exec(t, database, "CREATE ROLE "+role+" LOGIN")
		t.Cleanup(func() {
			exec(t, database, "DROP OWNED BY "+role)
			exec(t, database, "DROP ROLE "+role)
		})
		u, err := url.Parse(database)
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.User(role)
		roles, urls = append(roles, role), append(urls, u.String())
	}
	db, err := sqldb.Open(t.Context(), database, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Grant(t.Context(), schema, roles[0], roles[1]); err != nil {
		t.Fatal(err)
	}
	return urls[0], urls[1]
}
