package chaos

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/test/programs"
)

// pooler is PgBouncer with the settings of docs/operating.md, except addresses, TLS and passwords.
type pooler struct {
	*programs.Process
	c    *cluster
	file string
}

// newPooler starts PgBouncer between the services and a node of the cluster.
func (c *cluster) newPooler(to *node) *pooler {
	c.t.Helper()
	dir, err := os.MkdirTemp("/tmp", "countersign-pooler-") // as newCluster
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &pooler{c: c, file: filepath.Join(dir, "pgbouncer.ini")}
	write(c.t, filepath.Join(dir, "users"), `"postgres" ""`)
	p.configure("session", to)
	command(c.t, "chown", "-R", "postgres:", dir)
	p.start()
	c.pooler = hub + ":6432"
	return p
}

// configure writes the configuration.
func (p *pooler) configure(mode string, to *node) {
	p.c.t.Helper()
	page, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		p.c.t.Fatal(err)
	}
	_, text, found := strings.Cut(string(page), "```ini\n[databases]\n")
	text, _, ends := strings.Cut("[databases]\n"+text, "```")
	if !found || !ends {
		p.c.t.Fatal("docs/operating.md has no example of PgBouncer")
	}
	for pattern, line := range map[string]string{
		`host=\S+`:           "host=" + to.ip,
		`(?m)^listen_addr.*`: "listen_addr = " + hub + "\nunix_socket_dir =",
		`(?m)^auth_type.*`:   "auth_type = trust",
		`(?m)^auth_file.*`:   "auth_file = " + filepath.Dir(p.file) + "/users",
		`(?m)^pool_mode.*`:   "pool_mode = " + mode,
		`(?m)^\w+_tls_.*\n`:  "",
	} {
		setting := regexp.MustCompile(pattern)
		if !setting.MatchString(text) {
			p.c.t.Fatalf("the example of PgBouncer has no %s", pattern)
		}
		text = setting.ReplaceAllString(text, line)
	}
	write(p.c.t, p.file, text)
}

func (p *pooler) start() {
	p.Process = programs.Run(p.c.t, filepath.Dir(p.file), []string{"PATH=" + os.Getenv("PATH")}, "pgbouncer", "-u", "postgres", p.file)
}

// restart ends PgBouncer, which closes every connection, and starts it again.
func (p *pooler) restart() {
	p.Signal(syscall.SIGTERM)
	p.Wait()
	p.start()
}

// lead changes the node behind PgBouncer, as after a promotion.
func (p *pooler) lead(to *node) {
	p.configure("session", to)
	p.Signal(syscall.SIGHUP)
}

func TestFailoversBehindAPoolerLoseNoWrite(t *testing.T) {
	c := newCluster(t, true)
	old, standby := c.whole(true)
	p := c.newPooler(old)
	approvals, wfs, registrations, registrars := c.replicas()
	db, err := sqldb.Open(t.Context(), c.serviceURL("wf"), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"statement_timeout": "5s", "lock_timeout": "4s", "idle_in_transaction_session_timeout": "10s"} {
		var got string
		if err := db.Read(t.Context()).Raw("SELECT current_setting(?)", name).Scan(&got).Error; err != nil || got != want {
			t.Errorf("%s is %q (%v), want %s", name, got, err, want)
		}
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}

	l := writes(t, approvals, wfs, registrations, registrars)
	for range 3 {
		l.writesAgain(time.Now(), 100)
		p.restart()
	}
	l.writesAgain(time.Now(), 100)
	old.kill()
	within(t, 2*time.Minute, func() bool { return c.leads(standby) }, func() string { return "no failover" })
	p.lead(standby)
	l.writesAgain(time.Now(), 100)
	l.ends()
	for _, text := range l.unsolved {
		t.Errorf("no success: %s", text)
	}
	l.complete(c)
	t.Logf("3 restarts of PgBouncer and a failover, %d requests, %d decisions and %d registrations accepted. Callers saw:%s",
		len(l.created), len(l.approved), len(l.clients), l.answers())

	for _, r := range append(wfs, registrars...) {
		r.Signal(syscall.SIGTERM)
		r.Wait()
	}
	p.configure("transaction", standby)
	p.restart()
	for _, s := range []*service{approvals, registrations} {
		if r := s.start(""); r.Wait() != 1 || !strings.Contains(r.Log.String(), "set pool_mode = session in the pooler") {
			t.Errorf("%s starts in transaction mode: %s", s.name, r.Log.String())
		}
	}
}

// serviceURL is the URL of a database for the services: all hosts, or the pooler.
func (c *cluster) serviceURL(database string) string {
	text := c.url(database, c.nodes[0])
	if u, err := url.Parse(text); err == nil && c.pooler != "" {
		u.Host = c.pooler
		return u.String()
	}
	return text
}
