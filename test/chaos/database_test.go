package chaos

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/test/programs"
)

// kind holds the differences of the services during a database failure.
type kind struct {
	service func(t *testing.T, database string, variables ...string) *service
	health  string
	write   step
	read    step
	code    string // of the refusal of a database
}

var kinds = map[string]kind{
	"wf":             {wf, "/v1/wf/health", creates, lists, "WF-006"},
	"oidc-registrar": {registrar, "/v1/registrar/health", registers, partners, "PMS_PRT_500"},
}

// tried is a service of a kind with a caller.
type tried struct {
	*testing.T
	kind
	*replica
	caller *caller
}

// call makes a step of the load.
func (x tried) call(s step) answer {
	x.Helper()
	method, path, body, _ := s()
	a, err := x.caller.call(method, path, body)
	if err != nil {
		x.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// expectRefused fails the test unless a step is refused, to be retried by the caller.
func (x tried) expectRefused(s step, message string) {
	x.Helper()
	if a := x.call(s); a.status != 503 || a.code != x.code || !strings.Contains(a.message, message) || a.header.Get("Retry-After") == "" {
		x.Errorf("%d %s, Retry-After %q; want 503 %s %s", a.status, a.body, a.header.Get("Retry-After"), x.code, message)
	}
}

// done fails the test unless a step is done.
func (x tried) done(s step) {
	x.Helper()
	method, path, _, status := s()
	if a := x.call(s); a.status != status || a.code != "" {
		x.Errorf("%s %s: %d %s", method, path, a.status, a.body)
	}
}

// becomes polls GET path until the reply has the status and a text. It fails the test after the
// limit.
func (x tried) becomes(path string, status int, text string, within time.Duration) {
	x.Helper()
	var a answer
	for begin := time.Now(); time.Since(begin) < within; time.Sleep(20 * time.Millisecond) {
		var err error
		if a, err = x.caller.call("GET", path, ""); err == nil && a.status == status && strings.Contains(string(a.body), text) {
			return
		}
	}
	x.Errorf("GET %s is not %d %s within %s: %d %s", path, status, text, within, a.status, a.body)
}

// lines counts the lines of the log, but for those of calls, that contain a text.
func (x tried) lines(text string) (n int) {
	for line := range strings.Lines(x.replica.Log.String()) {
		if strings.Contains(line, text) && !strings.Contains(line, `"route":`) {
			n++
		}
	}
	return n
}

// ends stops the replica, which has to end well.
func (x tried) ends() {
	x.Helper()
	x.Signal(syscall.SIGTERM)
	if status := x.Wait(); status != 0 || !strings.Contains(x.lastLine(), `"msg":"stopped"`) {
		x.Errorf("ended with %d: %s", status, x.lastLine())
	}
}

// each runs a test with either service on a database of its own, which is made ready.
func each(t *testing.T, test func(x tried, database string, p *proxy)) {
	chaos(t)
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := sqldbtest.Postgres(t)
			p, through := newProxy(t, database)
			s := kind.service(t, through, "DRAIN_DELAY=0s")
			x := tried{t, kind, s.begin(""), nil}
			if x.caller = s.caller(x.url); name == "wf" {
				x.caller.policy(t)
			}
			x.done(x.read) // the first list of all makes the key of the cursors
			test(x, database, p)
			x.ends()
		})
	}
}

func execute(t *testing.T, database, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestADatabaseThatIsAwayAtTheStartIsNamedAndWaitedFor(t *testing.T) {
	chaos(t)
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, through := newProxy(t, sqldbtest.Postgres(t))
			p.Cut()
			s := kind.service(t, through)
			x := tried{t, kind, s.start(""), nil}
			x.caller = s.caller(x.url)
			x.becomes("/readyz", 503, "the database cannot be reached", 8*time.Second)
			x.becomes("/livez", 200, "", time.Second)
			time.Sleep(5 * time.Second) // in which it tries again and again
			if n := x.lines("reachable"); n != 1 {
				t.Errorf("%d lines of the log in five seconds:\n%s", n, x.replica.Log.String())
			}
			p.Mend()
			x.becomes("/readyz", 200, "", 8*time.Second)
			x.ends()
		})
	}
}

func TestDatabaseOutageIsReportedAndRecovers(t *testing.T) {
	each(t, func(x tried, _ string, p *proxy) {
		for range 2 {
			p.Cut()
			x.becomes(x.health, 503, "the database cannot be reached", 3*time.Second)
			x.becomes("/readyz", 503, "the database cannot be reached", time.Second)
			x.expectRefused(x.write, "the database cannot be reached")
			x.expectRefused(x.read, "the database cannot be reached")
			time.Sleep(3 * time.Second) // for the workers to fail
			p.Mend()
			x.becomes("/readyz", 200, "", 3*time.Second)
			x.done(x.write)
			x.done(x.read)
		}
		if n := x.lines("pass failed"); n > 2*15 {
			x.Errorf("%d lines of passes that failed in two outages", n)
		}
	})
}

func TestAFullDiskOfTheServerStopsWritesAlone(t *testing.T) {
	each(t, func(x tried, _ string, p *proxy) {
		p.full.Store(true)
		begin := time.Now()
		for range 50 {
			x.expectRefused(x.write, "the database takes no writes")
		}
		x.Logf("fifty calls were refused in %s", time.Since(begin).Round(time.Millisecond))
		x.becomes(x.health, 503, "the database takes no writes", time.Second)
		x.becomes("/readyz", 200, "", time.Second)
		x.done(x.read)
		time.Sleep(7 * time.Second) // it tries to write
		x.becomes(x.health, 503, "the database takes no writes", time.Second)
		if n := x.lines("takes_writes") + x.lines("database unavailable"); n != 2 {
			x.Errorf("%d lines of the log for fifty calls:\n%s", n, x.replica.Log.String())
		}
		p.full.Store(false)
		x.done(x.write)
		x.becomes(x.health, 200, "", 12*time.Second)
	})
}

func TestAServerThatIsReadOnlyServesReads(t *testing.T) {
	each(t, func(x tried, database string, _ *proxy) {
		u, err := url.Parse(database)
		if err != nil {
			x.Fatal(err)
		}
		name, query := u.Path[1:], u.Query()
		query.Set("default_transaction_read_only", "off") // of this connection, which turns it off
		u.RawQuery = query.Encode()
		set := func(value string) {
			x.Helper()
			execute(x.T, u.String(), fmt.Sprintf("ALTER DATABASE %s SET default_transaction_read_only = %s", name, value))
			execute(x.T, u.String(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		}
		set("on")
		x.becomes(x.health, 503, "the database takes no writes", 5*time.Second)
		x.becomes("/readyz", 200, "", time.Second)
		x.expectRefused(x.write, "the database takes no writes")
		x.done(x.read)
		set("off")
		x.becomes(x.health, 200, "", 15*time.Second)
		x.done(x.write)
	})
}

// The file of SQLite is on a disk of its own, which fills up.
func TestAFullDiskOfSQLiteStopsWritesAlone(t *testing.T) {
	chaos(t)
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := kind.service(t, "sqlite:"+filepath.Join(dir, "disk", "test.db"), "DRAIN_DELAY=0s")
			if err := os.Mkdir(filepath.Join(dir, "disk"), 0o700); err != nil {
				t.Fatal(err)
			}
			address := programs.FreeAddress(t)
			env := append([]string{s.prefix + "LISTEN=" + address, "PATH=" + os.Getenv("PATH")}, s.env...)
			x := tried{t, kind, &replica{programs.Run(t, dir, env, "unshare", "-rm", "sh", "-c",
				`mount -t tmpfs -o size=16m tmpfs disk && exec "$0" serve`, s.program), "http://" + address}, nil}
			select {
			case <-x.Done():
				t.Skipf("no disk can be mounted here: %s", x.replica.Log.String())
			case <-time.After(time.Second):
			}
			x.Ready(x.url)
			if x.caller = s.caller(x.url); name == "wf" {
				x.caller.policy(t)
			}
			x.done(x.write)
			x.done(x.read)
			ballast := fmt.Sprintf("/proc/%d/root%s/disk/ballast", x.PID(), dir)
			if err := os.WriteFile(ballast, make([]byte, 16<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("the disk is not full: %v", err)
			}
			accepted := 0
			for a := x.call(x.write); a.status < 300; a = x.call(x.write) { // the pages that are there already
				if accepted++; accepted > 5000 {
					t.Fatal("a full disk takes writes")
				}
			}
			x.expectRefused(x.write, "the database takes no writes")
			x.becomes(x.health, 503, "the database takes no writes", time.Second)
			x.becomes("/readyz", 200, "", time.Second)
			x.done(x.read)
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			x.done(x.write)
			x.becomes(x.health, 200, "", 12*time.Second)
			x.ends()
		})
	}
}
