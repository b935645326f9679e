package interop

import (
	"crypto/rand"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/test/programs"
)

// service is one of the two, which runs.
type service struct {
	t   *testing.T
	url string
	run func(args ...string) *programs.Process // a command with its settings
}

// startWf starts wf as in production, for tokens of an issuer. Variables are named without
// the prefix, as NAME=value.
func startWf(t *testing.T, issuer string, variables ...string) service {
	t.Helper()
	return start(t, programs.Build(t, "wf"), "WF_", issuer, variables)
}

// startRegistrar starts oidc-registrar likewise, with a partner and a policy.
func startRegistrar(t *testing.T, issuer string, variables ...string) service {
	t.Helper()
	return start(t, programs.Build(t, "oidc-registrar"), "REGISTRAR_", issuer,
		append([]string{"CATALOG_FILE=" + catalog(t, "public"), "PUBLIC_URL=https://clients.example", "ENC_KEYS=k1:" +
			seal.NewKey()}, variables...))
}

// developRegistrar starts it with the development issuer, and returns the token of an admin.
func developRegistrar(t *testing.T, variables ...string) (s service, root string) {
	t.Helper()
	dir := t.TempDir()
	env := []string{"REGISTRAR_CATALOG_FILE=" + catalog(t, "public")}
	for _, variable := range variables {
		env = append(env, "REGISTRAR_"+variable)
	}
	s = service{t: t, url: programs.Start(t, programs.Build(t, "oidc-registrar"), "REGISTRAR_LISTEN", dir, env...)}
	root, err := daemon.DevToken(filepath.Join(dir, ".data"), bearer.DevToken{
		Audience: "countersign-registrar", Subject: "root", Roles: []string{"PARTNER_ADMIN"}, TTL: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, root
}

// catalog is a file with a partner, a policy, and one for public clients.
func catalog(t *testing.T, appType string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "catalog.yaml")
	if err := os.WriteFile(path, []byte(`{partners: [{partnerId: demo-partner, name: Demo partner, type: Auth_Partner, status: ACTIVE}],
		policies: [{policyId: demo-policy, name: Demo, type: Auth, status: ACTIVE, userClaims: [name, email], authContextRefs: ["mosip:idp:acr:generated-code"]},
			{policyId: app-policy, name: Apps, type: Auth, status: ACTIVE, userClaims: [name, email, email_verified], authContextRefs: ["mosip:idp:acr:generated-code"], clientTypes: [`+appType+`]}],
		mappings: [{partnerId: demo-partner, policyId: demo-policy, status: APPROVED}, {partnerId: demo-partner, policyId: app-policy, status: APPROVED}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// start starts a program whose peers are all on this machine, on the ports that they chose.
func start(t *testing.T, path, prefix, issuer string, variables []string) service {
	t.Helper()
	dir, address := t.TempDir(), programs.FreeAddress(t)
	var env []string
	for _, variable := range append([]string{
		"LISTEN=" + address, "ADMIN_LISTEN=off", "DRAIN_DELAY=0s", "DATABASE_URL=sqlite:" + filepath.Join(dir, "test.db"),
		"AUTH_ISSUER=" + issuer, "ALLOW_DEV_VALUES=true", "ALLOW_HTTP_OUTBOUND=true",
		"OUTBOUND_ALLOW=127.0.0.0/8," + portOf(t, issuer),
	}, variables...) {
		env = append(env, prefix+variable)
		if chosen, ok := strings.CutPrefix(variable, "LISTEN="); ok {
			address = chosen
		}
	}
	run := func(args ...string) *programs.Process { return programs.Run(t, dir, env, path, args...) }
	process := run("serve")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s:\n%s", path, process.Log.String())
		}
	})
	process.Ready("http://" + address)
	return service{t, "http://" + address, run}
}

// encKeys is the setting with the key that secrets are kept with.
func encKeys() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return "ENC_KEYS=interop:" + base64.StdEncoding.EncodeToString(key)
}

// object is one of JSON.
type object = map[string]any

// call makes a call with a token, or none.
func (s service) call(token, method, path string, body any) programs.Reply {
	s.t.Helper()
	return programs.Call(s.t, token, "", method, s.url+path, body)
}
