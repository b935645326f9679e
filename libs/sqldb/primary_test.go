package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestServersThatAreNotTheNewestPrimaryAreRefused(t *testing.T) {
	primary := func(system string, timeline int64, started string) server {
		return server{position: position{system, timeline}, started: started}
	}
	standby := func(timeline int64) server {
		return server{position: position{"s", timeline}, standby: true, started: "standby"}
	}
	for name, test := range map[string]struct {
		newest  position
		found   map[string]server
		after   int64
		refused string // addresses
		text    string
	}{
		"one primary":                      {position{}, map[string]server{"a": primary("s", 3, "1")}, 3, "", ""},
		"a primary and its standby":        {position{"s", 2}, map[string]server{"a": primary("s", 2, "1"), "b": standby(2)}, 2, "", ""},
		"a standby that follows late":      {position{"s", 2}, map[string]server{"a": primary("s", 2, "1"), "b": standby(1)}, 2, "", ""},
		"a failover":                       {position{"s", 1}, map[string]server{"b": primary("s", 2, "2")}, 2, "", ""},
		"an old primary beside":            {position{"s", 1}, map[string]server{"a": primary("s", 1, "1"), "b": primary("s", 2, "2")}, 2, "a", "timeline 2 exists"},
		"an old primary alone":             {position{"s", 2}, map[string]server{"a": primary("s", 1, "1")}, 2, "a", "an old primary"},
		"an old primary at the start":      {position{}, map[string]server{"a": primary("s", 1, "1"), "b": primary("s", 2, "2")}, 2, "a", "an old primary"},
		"a standby shows a newer one":      {position{"s", 1}, map[string]server{"a": primary("s", 1, "1"), "b": standby(2)}, 2, "a", "an old primary"},
		"another cluster":                  {position{"s", 1}, map[string]server{"a": primary("x", 9, "1")}, 1, "a", "another cluster"},
		"another cluster beside":           {position{"s", 1}, map[string]server{"a": primary("x", 9, "1"), "b": primary("s", 1, "2")}, 1, "a", "another cluster"},
		"two clusters at the start":        {position{}, map[string]server{"a": primary("x", 1, "1"), "b": primary("s", 1, "2")}, 0, "a b", "different clusters"},
		"two primaries of one timeline":    {position{"s", 2}, map[string]server{"a": primary("s", 2, "1"), "b": primary("s", 2, "2")}, 2, "a b", "primaries of one timeline"},
		"two addresses of one server":      {position{"s", 2}, map[string]server{"a": primary("s", 2, "1"), "b": primary("s", 2, "1")}, 2, "", ""},
		"no answer":                        {position{"s", 2}, map[string]server{}, 2, "", ""},
		"a standby alone is no old server": {position{"s", 2}, map[string]server{"b": standby(1)}, 2, "", ""},
	} {
		after, refused := test.newest.judge(test.found)
		if got := strings.Join(slices.Sorted(maps.Keys(refused)), " "); got != test.refused || after.Timeline != test.after {
			t.Errorf("%s: newest timeline %d, refused %q; want %d, %q", name, after.Timeline, got, test.after, test.refused)
		}
		for _, err := range refused {
			if !strings.Contains(err.Error(), test.text) || !IsOutdated(err) || !IsUnavailable(err) {
				t.Errorf("%s: %v; want %s", name, err, test.text)
			}
		}
	}
}

// markedURL returns a database, its position and a file for a mark.
func markedURL(t *testing.T) (url string, at position, mark string) {
	t.Helper()
	if url = os.Getenv("TEST_POSTGRES_URL"); url == "" {
		t.Skip("TEST_POSTGRES_URL is not set")
	}
	conn, err := pgconn.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	found, err := readServer(t.Context(), conn)
	if err != nil || found.System == "" || found.Timeline < 1 || found.standby || found.started == "" {
		t.Fatalf("read %+v (%v)", found, err)
	}
	return url, found.position, filepath.Join(t.TempDir(), "mark")
}

func TestTheMarkRefusesAnOldPrimaryAfterARestart(t *testing.T) {
	url, at, mark := markedURL(t)
	text := func(system string, timeline int64) string {
		return fmt.Sprintf(`{"system":"%s","timeline":%d}`, system, timeline)
	}
	for _, test := range []struct{ before, problem, after string }{
		{"", "", text(at.System, at.Timeline)},
		{text(at.System, at.Timeline), "", text(at.System, at.Timeline)},
		{text(at.System, at.Timeline-1), "", text(at.System, at.Timeline)},
		{text(at.System, at.Timeline+1), "is an old primary", text(at.System, at.Timeline+1)},
		{text("1", at.Timeline), "is another cluster", text("1", at.Timeline)},
		{"no JSON", "read the mark of the database", "no JSON"},
	} {
		_ = os.Remove(mark)
		if test.before != "" {
			if err := os.WriteFile(mark, []byte(test.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		db, err := Open(t.Context(), url, Options{Mark: mark})
		if err == nil {
			err = db.Close()
		}
		if got := fmt.Sprint(err); (test.problem == "") != (err == nil) || !strings.Contains(got, test.problem) {
			t.Errorf("with the mark %s: %v; want %q", test.before, err, test.problem)
		}
		if err != nil && IsOutdated(err) != (test.before != "no JSON") {
			t.Errorf("with the mark %s: IsOutdated is %v", test.before, IsOutdated(err))
		}
		if content, err := os.ReadFile(mark); err != nil || string(content) != test.after {
			t.Errorf("with the mark %s: it is %s (%v) afterwards, want %s", test.before, content, err, test.after)
		}
	}
	if db, err := Open(t.Context(), url, Options{Mark: mark, ReadOnly: true}); err != nil {
		t.Errorf("read-only: %v", err)
	} else {
		_ = db.Close()
	}
}

// A failover elsewhere makes every pooled connection useless at once.
func TestPooledConnectionsToAnOldPrimaryAreDropped(t *testing.T) {
	url, at, mark := markedURL(t)
	db, err := Open(t.Context(), url, Options{Mark: mark})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	write := func() error {
		return db.Do(t.Context(), func(tx *Tx) error { return tx.Batch(Stmt{SQL: "SELECT 1"}) })
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	db.guard.learn(position{at.System, at.Timeline + 1})
	if err := write(); !IsOutdated(err) || !IsUnavailable(err) || TakesNoWrites(err) {
		t.Errorf("write to an old primary: %v", err)
	}
	if err := db.Ping(t.Context()); !IsOutdated(err) {
		t.Errorf("ping of an old primary: %v", err)
	}
	db.CheckHosts(t.Context())
	if n := db.OutdatedHosts(); n != 1 {
		t.Errorf("%d outdated hosts, want 1", n)
	}
	db.guard.mu.Lock()
	db.guard.newest = at
	db.guard.mu.Unlock()
	db.CheckHosts(t.Context())
	if err := write(); err != nil || db.OutdatedHosts() != 0 {
		t.Errorf("write to the newest primary: %v; %d outdated hosts", err, db.OutdatedHosts())
	}
}

func TestEveryHostOfTheURLIsReadBeforeTheFirstUse(t *testing.T) {
	raw, at, _ := markedURL(t)
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("sslmode", "disable")
	u.RawQuery, u.Host = query.Encode(), u.Host+",127.0.0.1:1,"+u.Host
	config, err := parsePostgres(u.String(), 0)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newPrimaryGuard(config, "", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if hosts := g.hosts(); len(hosts) != 2 { // the third is the first
		t.Fatalf("%d hosts", len(hosts))
	}
	conn, err := pgconn.ConnectConfig(t.Context(), &config.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if g.newest != at || len(g.refused) != 0 || g.read.IsZero() {
		t.Errorf("newest %+v, refused %v, read at %s", g.newest, g.refused, g.read)
	}
	g.learn(position{at.System, at.Timeline + 1})
	if err := g.check(conn); !IsOutdated(err) {
		t.Errorf("a connection to an old primary: %v", err)
	}
	conn.CustomData()[identityKey] = server{position: at, standby: true}
	if err := g.check(conn); err != nil {
		t.Errorf("a connection to a standby, whose timeline can be late: %v", err)
	}
	g.refused = map[string]error{conn.Conn().RemoteAddr().String(): &outdatedError{"refused"}}
	if err := g.check(conn); !IsOutdated(err) {
		t.Errorf("a connection to a host that the last reading refused: %v", err)
	}
}

func TestARoleWithoutTheRightToReadTheTimelineIsServed(t *testing.T) {
	raw, _, mark := markedURL(t)
	admin, err := sql.Open("pgx", raw)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	// A function of this name on the search path is found before the one of the server.
	name := "guard_" + strings.ToLower(t.Name())
	name = name[:30]
	for _, statement := range []string{
		"DROP SCHEMA IF EXISTS " + name + " CASCADE", "CREATE SCHEMA " + name,
		"CREATE FUNCTION " + name + ".pg_control_system(OUT system_identifier bigint) LANGUAGE plpgsql AS $$ BEGIN RAISE insufficient_privilege; END $$",
	} {
		if _, err := admin.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { _, _ = admin.Exec("DROP SCHEMA " + name + " CASCADE") }()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("search_path", name+",pg_catalog")
	u.RawQuery = query.Encode()
	var lines strings.Builder
	db, err := Open(t.Context(), u.String(), Options{Mark: mark, Logger: slog.New(slog.NewTextHandler(&lines, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.CheckHosts(t.Context())
	if err := db.Do(t.Context(), func(tx *Tx) error { return tx.Batch(Stmt{SQL: "SELECT 1"}) }); err != nil {
		t.Error(err)
	}
	if n := strings.Count(lines.String(), "old primaries are not recognised"); n != 1 {
		t.Errorf("%d lines of the log, want 1:\n%s", n, lines.String())
	}
}

func TestALeaderWhoseLockIsInAnotherSessionAcquiresItAgain(t *testing.T) {
	url, _, _ := markedURL(t)
	db, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	l := db.Leader(t.Name())
	lead := func() *sql.Conn {
		if leads, err := l.TryLead(t.Context()); err != nil || !leads {
			t.Fatalf("leads %v (%v)", leads, err)
		}
		return l.conn
	}
	first := lead()
	if lead() != first {
		t.Error("a leader changed its connection")
	}
	if _, err := first.ExecContext(t.Context(), "SELECT set_config('countersign.session', 'another', false)"); err != nil {
		t.Fatal(err)
	}
	if lead() == first {
		t.Error("the leader keeps a connection with the session of another one")
	}
	l.Resign()
}
