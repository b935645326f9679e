package upgrade

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/keycloaktest"
	"github.com/countersign/countersign/test/programs"
)

// The dumps contain these addresses, which are neither in the range of ephemeral ports nor in that of
// deploy/dev/postgres.sh.
const (
	outside   = "127.0.0.1:18476" // the receiver of webhooks and the identity provider
	wfAddress = "127.0.0.1:18477"
	registrar = "127.0.0.1:18478"
)

// secret signs callbacks and the webhooks between the services.
var secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef"))

// encKeys encrypt the secrets in the dumps.
var encKeys = "dump:" + base64.StdEncoding.EncodeToString([]byte("fedcba9876543210fedcba9876543210"))

// system is both services with the systems around them.
type system struct {
	t         *testing.T
	dir       string // of the keys for development
	directory *keycloaktest.Keycloak
	outside   *world
}

func newSystem(t *testing.T) *system {
	s := &system{t: t, dir: t.TempDir(), directory: keycloaktest.New(), outside: newWorld(t)}
	t.Cleanup(s.directory.Close)
	if err := os.WriteFile(filepath.Join(s.dir, "dev-webhook.secret"), []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ada", "ana", "bo", "cy", "dee", "eve", "fay", "gil", "hal", "mia", "vera",
		"oidc-registrar"} {
		s.directory.AddUser(keycloaktest.User{ID: id, Username: id, Email: id + "@example.org",
			FirstName: strings.ToTitle(id[:1]) + id[1:]})
	}
	s.directory.AddRole("officer", keycloaktest.Holders{Users: []string{"cy", "dee"}})
	s.directory.AddRole("controller", keycloaktest.Holders{})
	return s
}

// process is a service that runs.
type process struct {
	*programs.Process
	s        *system
	url      string
	audience string
	command  func(args ...string) *programs.Process // with the settings of the service
}

// wf starts wf on a database. settings are variables without prefix.
func (s *system) wf(database string, settings ...string) *process {
	s.t.Helper()
	return s.start("wf", "WF_", wfAddress, "countersign-wf", append([]string{
		"DATABASE_URL=" + database, "KEYCLOAK_URL=" + s.directory.URL + "/realms/" + s.directory.Realm,
		"RETENTION_REQUESTS=30d", "NOTIFY_EXPIRES_BEFORE=30m", "KEYCLOAK_CLIENT_ID=" + s.directory.ClientID, "KEYCLOAK_CLIENT_SECRET=" + s.directory.ClientSecret,
		"NOTIFY_SMTP_URL=smtp://127.0.0.1:1?starttls=none", "NOTIFY_FROM=wf@example.org", "INBOX_URL=http://" + wfAddress,
	}, settings...))
}

// registrar starts oidc-registrar on a database.
func (s *system) registrar(database string, settings ...string) *process {
	s.t.Helper()
	return s.start("oidc-registrar", "REGISTRAR_", registrar, "countersign-registrar", append([]string{
		"DATABASE_URL=" + database, "IDP=rfc7591", "IDP_URL=http://" + outside + "/register", "APPROVAL_URL=http://" + wfAddress, "RECONCILE_EVERY=0",
	}, settings...))
}

func (s *system) start(name, prefix, address, audience string, settings []string) *process {
	s.t.Helper()
	var env []string
	for _, setting := range append([]string{"LISTEN=" + address, "ADMIN_LISTEN=off", "DATA_DIR=" + s.dir,
		"ENC_KEYS=" + encKeys, "RATE_PERSON=0", "RATE_SERVICE=0", "LOG_LEVEL=warn"}, settings...) {
		env = append(env, prefix+setting)
	}
	program := programs.Build(s.t, name)
	command := func(args ...string) *programs.Process {
		return programs.Run(s.t, s.dir, env, program, args...)
	}
	p := &process{Process: command("serve", "--dev"), s: s, url: "http://" + address, audience: audience,
		command: command}
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("%s:\n%s", name, p.Log.String())
		}
	})
	p.Ready(p.url)
	return p
}

// stop ends the process as an operator does.
func (p *process) stop() {
	p.s.t.Helper()
	p.Signal(syscall.SIGTERM)
	if status := p.Wait(); status != 0 {
		p.s.t.Errorf("%s ended with %d", p.url, status)
	}
}

// kill ends the process without notice.
func (p *process) kill() {
	p.Signal(syscall.SIGKILL)
	<-p.Done()
}

// run runs a command of the program to its end.
func (p *process) run(args ...string) string {
	p.s.t.Helper()
	c := p.command(args...)
	if status := c.Wait(); status != 0 {
		p.s.t.Fatalf("%v ended with %d: %s", args, status, c.Log.String())
	}
	return c.Log.String()
}

// user calls a service with a token.
type user struct {
	*process
	token string
	key   string // Idempotency-Key; empty for none
}

func (p *process) as(subject string, roles ...string) user {
	p.s.t.Helper()
	token, err := daemon.DevToken(p.s.dir, bearer.DevToken{
		Audience: p.audience, Subject: subject, Roles: roles, TTL: time.Hour,
		Claims: map[string]any{"name": "Name of " + subject, "email": subject + "@example.org"},
	})
	if err != nil {
		p.s.t.Fatal(err)
	}
	return user{process: p, token: token}
}

// admin returns a user with every role.
func (p *process) admin() user { return p.as("ada", "WF_ADMIN", "PARTNER_ADMIN") }

type object = map[string]any

// call sends a request with a JSON body, or none.
func (u user) call(method, path string, body any) programs.Reply {
	u.s.t.Helper()
	return programs.Call(u.s.t, u.token, u.key, method, u.url+path, body)
}
