package chaos

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/test/programs"
)

// chaos skips a test of every day.
func chaos(t *testing.T) {
	t.Helper()
	if os.Getenv("COUNTERSIGN_CHAOS") != "1" {
		t.Skip("COUNTERSIGN_CHAOS is not set; make check SUITE=chaos sets it")
	}
}

// service is one of the two, as all its replicas are started.
type service struct {
	t       *testing.T
	name    string // of the program
	program string // its path
	prefix  string // of its variables
	dir     string // of its keys and files
	env     []string
}

// wf is the approval service on a database. Variables are named without the prefix, as
// NAME=value.
func wf(t *testing.T, database string, variables ...string) *service {
	t.Helper()
	return prepare(t, "wf", "WF_", database, variables)
}

// registrar is the registration service on a database, with a catalogue.
func registrar(t *testing.T, database string, variables ...string) *service {
	t.Helper()
	s := prepare(t, "oidc-registrar", "REGISTRAR_", database, variables)
	catalog := filepath.Join(s.dir, "catalog.yaml")
	write(t, catalog, `{partners: [{partnerId: demo-partner, name: Demo partner, type: Auth_Partner, status: ACTIVE}],
		policies: [{policyId: demo-policy, name: Demo, type: Auth, status: ACTIVE, userClaims: [name], authContextRefs: ["mosip:idp:acr:generated-code"]}],
		mappings: [{partnerId: demo-partner, policyId: demo-policy, status: APPROVED}]}`)
	s.env = append(s.env, s.prefix+"CATALOG_FILE="+catalog)
	return s
}

// prepare builds the program and gives it the settings of production: an issuer, whose keys are a file,
// and a database.
func prepare(t *testing.T, name, prefix, database string, variables []string) *service {
	t.Helper()
	s := &service{t: t, name: name, program: programs.Build(t, name), prefix: prefix, dir: t.TempDir()}
	keys := filepath.Join(s.dir, "jwks.json")
	jwks, err := exec.Command(s.program, "jwks", "--data-dir", s.dir).Output() // it reports on stderr the creation of a key
	if err != nil {
		t.Fatal(err)
	}
	write(t, keys, string(jwks))
	for _, variable := range append([]string{
		"ADMIN_LISTEN=off", "DATABASE_URL=" + database, "AUTH_ISSUER=" + daemon.DevIssuer, "ALLOW_DEV_VALUES=true", "AUTH_JWKS_URL=file://" + keys,
		"RATE_PERSON=0", "RATE_SERVICE=0", // as fast as the tests go
	}, variables...) {
		s.env = append(s.env, s.prefix+variable)
	}
	return s
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// audience is the default audience of the service.
func (s *service) audience() string {
	if s.name == "wf" {
		return "countersign-wf"
	}
	return "countersign-registrar"
}

// token returns a token of a user with every role.
func (s *service) token(subject string) string {
	s.t.Helper()
	roles := []string{"WF_ADMIN", "PARTNER_ADMIN"}
	token, err := daemon.DevToken(s.dir, bearer.DevToken{Audience: s.audience(), Subject: subject, Roles: roles, TTL: time.Hour})
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// replica is a process of a service, at an address that its successor can take.
type replica struct {
	*programs.Process
	url string
}

// start starts a replica at an address, or at any when it is empty.
func (s *service) start(address string) *replica {
	s.t.Helper()
	address = cmp.Or(address, programs.FreeAddress(s.t))
	env := append([]string{s.prefix + "LISTEN=" + address, s.prefix + "ADMIN_LISTEN=off"}, s.env...)
	return &replica{programs.Run(s.t, s.dir, env, s.program, "serve"), "http://" + address}
}

// begin calls start and returns when the replica is ready.
func (s *service) begin(address string) *replica {
	s.t.Helper()
	r := s.start(address)
	r.Ready(r.url)
	return r
}

// address is that of the replica, without the scheme.
func (r *replica) address() string { return strings.TrimPrefix(r.url, "http://") }

// lastLine is the last that the replica has printed.
func (r *replica) lastLine() string {
	lines := strings.Split(strings.TrimSpace(r.Log.String()), "\n")
	return lines[len(lines)-1]
}
