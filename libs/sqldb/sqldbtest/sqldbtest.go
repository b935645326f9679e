// Package sqldbtest gives tests a fresh database: always a real one.
package sqldbtest

import (
	"context"
	"crypto/rand"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Each runs fn twice, as the sub-tests "sqlite" and "postgres", each with the
// URL of an empty database for sqldb.Open. The second is skipped as Postgres
// says.
func Each(t *testing.T, fn func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { fn(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { fn(t, Postgres(t)) })
}

// turn is what Fresh returns now; nil in a package without Main.
var turn func(t testing.TB) string

// Main runs the tests of a package twice: Fresh is SQLite the first time, and
// PostgreSQL the second. A package whose tests run the whole service has it as its
// TestMain, so that no test can forget a database:
//
//	func TestMain(m *testing.M) { os.Exit(sqldbtest.Main(m)) }
//
// Without a PostgreSQL server the tests of the second time are skipped, or fail, as
// Postgres says.
func Main(m *testing.M) int {
	turn = SQLite
	code := m.Run() // parses the flags
	for _, mode := range []string{"list", "fuzz", "bench", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"} {
		if f := flag.Lookup("test." + mode); f != nil && f.Value.String() != "" {
			return code // it is about one run
		}
	}
	turn = Postgres
	return max(code, m.Run())
}

// Fresh returns the URL of an empty database of the kind whose turn it is under Main.
func Fresh(t testing.TB) string {
	t.Helper()
	if turn == nil {
		t.Fatal("TestMain does not call sqldbtest.Main, so that only one database would be tested")
	}
	url := turn(t)
	kind, _, _ := strings.Cut(url, ":")
	t.Log("on", kind) // shown when the test fails
	return url
}

// SQLite returns the URL of a database file in t.TempDir. The file does not
// exist yet.
func SQLite(t testing.TB) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
}

// Postgres creates a PostgreSQL database, returns its URL, and drops it when the
// test is over. The server is the one in TEST_POSTGRES_URL, whose role must be
// allowed to create databases. If that is not set, the test is skipped; with
// COUNTERSIGN_REQUIRE_POSTGRES=1, as under make test, it fails.
func Postgres(t testing.TB) string {
	t.Helper()
	admin := os.Getenv("TEST_POSTGRES_URL")
	if admin == "" {
		if os.Getenv("COUNTERSIGN_REQUIRE_POSTGRES") == "1" {
			t.Fatal("TEST_POSTGRES_URL is not set and COUNTERSIGN_REQUIRE_POSTGRES=1")
		}
		t.Skip("TEST_POSTGRES_URL is not set; make test sets it")
	}
	u, err := url.Parse(admin)
	if err != nil {
		t.Fatal("TEST_POSTGRES_URL is not a URL")
	}
	name := "sqldbtest_" + strings.ToLower(rand.Text())
	exec(t, admin, "CREATE DATABASE "+name+" TEMPLATE template0")
	t.Cleanup(func() { exec(t, admin, "DROP DATABASE "+name+" WITH (FORCE)") })
	u.Path = "/" + name
	return u.String()
}

// exec runs one statement on a connection of its own. It has its own deadline:
// in a cleanup the test's context is over.
func exec(t testing.TB, url, statement string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatalf("connect to TEST_POSTGRES_URL: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
