package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// schema is one of these files, each of which makes the table of its name.
func schema(names ...string) sqldb.Schema {
	files := fstest.MapFS{}
	for _, name := range names {
		table := strings.TrimSuffix(name[len("00001_"):], ".sql")
		file := &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE " + table + " (id TEXT);\n")}
		files["migrations/sqlite/"+name], files["migrations/postgres/"+name] = file, file
	}
	return sqldb.Schema{Files: files, Table: strings.TrimSuffix(names[0][len("00001_"):], ".sql")}
}

// onHang is the context key of the test's function for a hanging command.
type onHang struct{}

// countCommand is a command that uses the database: it adds a row to the table of
// the schema and prints the number of rows.
type countCommand struct {
	daemon.DatabaseCommand
	Fail bool
	Hang bool
	Full bool
}

func (c *countCommand) Run(w *daemon.Process, p daemon.Program) error {
	return c.Work(w, p, func(ctx context.Context, db *sqldb.DB) (string, error) {
		var n int
		err := db.Do(ctx, func(tx *sqldb.Tx) error {
			if c.Full {
				if err := tx.Exec("PRAGMA max_page_count = 1").Error; err != nil { // as many as there are
					return err
				}
				return tx.Exec("INSERT INTO thing (id) VALUES (hex(randomblob(100000)))").Error
			}
			if err := tx.Exec("INSERT INTO thing (id) VALUES ('a')").Error; err != nil {
				return err
			}
			return tx.Raw("SELECT count(*) FROM thing").Scan(&n).Error
		})
		done := fmt.Sprintf("%d things", n)
		if c.Hang {
			if stop, ok := ctx.Value(onHang{}).(func()); ok {
				stop()
			}
			<-ctx.Done()
			return done, ctx.Err()
		}
		if c.Fail {
			err = errors.New("a page is missing")
		}
		if c.Full {
			done = ""
		}
		return done, err
	})
}

// A path differs in each test, and a name of a database.
var place = regexp.MustCompile(`(SQLite|PostgreSQL) \S+?(: |;|$)`)

func blur(text string) string { return place.ReplaceAllString(text, "THE DATABASE$2") }

func TestCommandReportsItsResultAndDatabase(t *testing.T) {
	one, two := schema("00001_thing.sql"), schema("00001_thing.sql", "00002_more.sql")
	const newer = "THE DATABASE: the schema is at version 2 and this program has version 1; use a newer x"
	tests := map[string]struct {
		there  []sqldb.Schema // the earlier migrations
		schema sqldb.Schema   // of the program
		args   []string
		out    string
		err    string
	}{
		"migrate an empty one": {nil, two, []string{"migrate"}, "THE DATABASE: schema migrated from version 0 to 2\n", ""},
		"migrate an older one": {[]sqldb.Schema{one}, two, []string{"migrate"}, "THE DATABASE: schema migrated from version 1 to 2\n", ""},
		"migrate one like it":  {[]sqldb.Schema{two}, two, []string{"migrate"}, "THE DATABASE: schema is at version 2 already, nothing to do\n", ""},
		"migrate a newer one":  {[]sqldb.Schema{two}, one, []string{"migrate"}, "", newer},
		"migrate another's": {[]sqldb.Schema{schema("00001_other.sql")}, one, []string{"migrate"}, "",
			"THE DATABASE: the tables there are not those of x; check X_DATABASE_URL"},
		"status of one like it": {[]sqldb.Schema{two}, two, []string{"migrate", "--status"},
			"THE DATABASE: schema is at version 2, this program needs 2\n", ""},
		"status of an older one": {[]sqldb.Schema{one}, two, []string{"migrate", "--status"},
			"THE DATABASE: schema is at version 1, this program needs 2\npending: 00002_more.sql\n",
			"THE DATABASE: the schema is at version 1 and this program needs 2; run x migrate first"},
		"status of a newer one": {[]sqldb.Schema{two}, one, []string{"migrate", "--status"}, "", newer},
		"work on one like it":   {[]sqldb.Schema{one}, one, []string{"count"}, "THE DATABASE: 1 things\n", ""},
		"work on an older one": {[]sqldb.Schema{one}, two, []string{"count"}, "",
			"THE DATABASE: the schema is at version 1 and this program needs 2; run x migrate first; nothing was changed"},
		"work on a newer one": {[]sqldb.Schema{two}, one, []string{"count"}, "", newer + "; nothing was changed"},
		"work on another's": {[]sqldb.Schema{schema("00001_other.sql")}, one, []string{"count"}, "",
			"THE DATABASE: the tables there are not those of x; check X_DATABASE_URL; nothing was changed"},
		"work that fails": {[]sqldb.Schema{one}, one, []string{"count", "--fail"}, "", "THE DATABASE: a page is missing; 1 things"},
		"work that takes long": {[]sqldb.Schema{one}, one, []string{"count", "--hang", "--timeout=2s"}, "",
			"THE DATABASE: not done within --timeout=2s (context deadline exceeded); 1 things"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sqldbtest.Each(t, func(t *testing.T, url string) {
				for _, before := range tt.there {
					if _, err := runWithin(t, t.Context(), before, "migrate", "--database-url="+url); err != nil {
						t.Fatal(err)
					}
				}
				out, err := runWithin(t, t.Context(), tt.schema, append(tt.args, "--database-url="+url)...)
				if got := blur(out); got != tt.out {
					t.Errorf("printed %q, want %q", got, tt.out)
				}
				if got := blur(text(err)); got != tt.err {
					t.Errorf("error %q\nwant  %q", got, tt.err)
				}
			})
		})
	}
}

func TestMigrateGrantsARoleTheRightsOfItsScript(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		one := schema("00001_thing.sql")
		one.Files.(fstest.MapFS)["migrations/roles.sql"] = &fstest.MapFile{Data: []byte("GRANT SELECT ON thing TO x_app;\n")}
		one.App = "x_app"
		out, err := runWithin(t, t.Context(), one, "migrate", "--grant-to=nobody here", "--database-url="+url)
		want := `THE DATABASE: grant rights to the role nobody here: ERROR: role "nobody here" does not exist (SQLSTATE 42704); schema migrated from version 0 to 1`
		if strings.HasPrefix(url, "sqlite:") {
			want = "THE DATABASE: only PostgreSQL has roles; schema migrated from version 0 to 1"
		}
		if got := blur(text(err)); got != want || out != "" {
			t.Errorf("error %q, printed %q\nwant  %q", got, out, want)
		}
		if strings.HasPrefix(url, "sqlite:") {
			return
		}
		out, err = runWithin(t, t.Context(), one, "migrate", "--grant-to=pg_monitor", "--database-url="+url)
		if want := "THE DATABASE: schema is at version 1 already, nothing to do; rights granted\n"; blur(out) != want || err != nil {
			t.Errorf("printed %q, want %q; %v", blur(out), want, err)
		}
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestACommandOnNoDatabaseChangesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("not a database, but a text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ url, args, err string }{
		"work, none named":    {"", "count", "X_DATABASE_URL: name the database, as sqlite:PATH or postgres://…; only --dev has one of its own"},
		"migrate, none named": {"", "migrate", "X_DATABASE_URL: name the database, as sqlite:PATH or postgres://…; only --dev has one of its own"},
		"work, no file": {"sqlite:none.db", "count", "X_DATABASE_URL: open SQLite " + dir +
			"/none.db: no such file or directory; nothing was changed"},
		"status, no file": {"sqlite:none.db", "migrate --status", "X_DATABASE_URL: open SQLite " + dir +
			"/none.db: no such file or directory; nothing was changed"},
		"work in development": {"", "count --dev", "DEV.DB: no such file or directory; nothing was changed"},
		"migrate, no folder": {"sqlite:foreign/x.db", "migrate", "X_DATABASE_URL: create SQLite " + dir +
			"/foreign/x.db: not a directory; nothing was changed"},
		"work, no database": {"sqlite:foreign", "count", "X_DATABASE_URL: open SQLite " + foreign +
			": file is not a database (26); nothing was changed"},
		"migrate, no such kind": {"mysql://u:canary@h/d", "migrate", "X_DATABASE_URL: want sqlite:PATH or postgres://…; nothing was changed"},
		"migrate, nobody listens": {"postgres://canary:canary@127.0.0.1:1/d", "migrate --timeout=1ms",
			"X_DATABASE_URL: not done within --timeout=1ms (open PostgreSQL 127.0.0.1:1/d: "},
		"work, nobody listens": {"postgres://canary:canary@127.0.0.1:1/d", "count --timeout=1ms",
			"X_DATABASE_URL: not done within --timeout=1ms (open PostgreSQL 127.0.0.1:1/d: "},
		"migrate, no time": {"sqlite:none.db", "migrate --timeout=0", "--timeout must be more than 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, append(strings.Fields(tt.args), "--database-url="+tt.url)...)
			if !strings.Contains(strings.ReplaceAll(text(err), "dev.db", "DEV.DB"), tt.err) || out != "" || err == nil {
				t.Errorf("printed %q, error\n%v, want\n%s", out, err, tt.err)
			}
			if strings.Contains(text(err), "canary") {
				t.Errorf("shows a secret: %v", err)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("there are %q, want nothing new", left)
	}
}

func TestStoppedCommandReportsItsProgress(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		if _, err := run(t, "migrate", "--database-url="+url); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := func() { cancel(errors.New("interrupt signal received")) }
		_, err := runWithin(t, context.WithValue(ctx, onHang{}, stop), schema("00001_thing.sql"), "count", "--hang", "--database-url="+url)
		if want := "THE DATABASE: interrupt signal received (context canceled); 1 things"; blur(text(err)) != want {
			t.Errorf("error %q, want %q", blur(text(err)), want)
		}
	})
}

func TestCommandOnFullDiskReportsItsProgress(t *testing.T) {
	one := schema("00001_thing.sql")
	both := fstest.MapFS{
		"migrations/sqlite/00001_thing.sql": {Data: []byte("-- +goose Up\nCREATE TABLE thing (id TEXT);\n")},
		"migrations/sqlite/00002_more.sql":  {Data: []byte("-- +goose Up\nCREATE TABLE more (id TEXT);\n")},
		"migrations/sqlite/00003_full.sql": {Data: []byte(
			"-- +goose Up\nPRAGMA max_page_count = 1;\nCREATE TABLE large AS SELECT hex(randomblob(100000)) AS id;\n")},
	}
	url := "--database-url=" + sqldbtest.SQLite(t)
	if _, err := runWithin(t, t.Context(), one, "migrate", url); err != nil {
		t.Fatal(err)
	}
	_, err := runWithin(t, t.Context(), one, "count", "--full", url)
	if want := "THE DATABASE: database or disk is full (13); nothing was changed"; blur(text(err)) != want {
		t.Errorf("work: %q, want %q", blur(text(err)), want)
	}
	_, err = runWithin(t, t.Context(), sqldb.Schema{Files: both, Table: "thing"}, "migrate", url)
	for _, want := range []string{"00003_full.sql", "database or disk is full (13)",
		"; schema migrated from version 1 to 2 of 3; run it again for the rest"} {
		if !strings.Contains(text(err), want) {
			t.Errorf("migrate: %q lacks %q", text(err), want)
		}
	}
	out, err := runWithin(t, t.Context(), sqldb.Schema{Files: both, Table: "thing"}, "migrate", "--status", url)
	if want := "THE DATABASE: schema is at version 2, this program needs 3\npending: 00003_full.sql\n"; blur(out) != want || err == nil {
		t.Errorf("status: %q, %v, want %q", blur(out), err, want)
	}
}
