package server

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/daemon/configtest"
	"github.com/countersign/countersign/libs/seal"
)

// parse reads settings as the program does, from args alone. kong validates them.
func parse(t *testing.T, args ...string) (Config, error) {
	t.Helper()
	for _, s := range settings(t) {
		t.Setenv(s.Variable, "")
		os.Unsetenv(s.Variable)
	}
	var c Config
	return c, Program().Parse(&c, args)
}

func settings(t *testing.T) []daemon.Setting {
	t.Helper()
	list, err := Program().Describe(&Config{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAFlagIsNamedLikeItsVariable(t *testing.T) {
	for _, s := range settings(t) {
		if want := "REGISTRAR_" + strings.ToUpper(strings.ReplaceAll(s.Flag[2:], "-", "_")); s.Variable != want {
			t.Errorf("%s is %s", s.Flag, s.Variable)
		}
	}
}

func TestTheDefaultsNeedAnIssuerAndADatabase(t *testing.T) {
	if _, err := parse(t, "--database-url=sqlite:x.db"); err == nil ||
		!strings.HasPrefix(err.Error(), "REGISTRAR_AUTH_ISSUER: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error = %v", err)
	}
	if _, err := parse(t, "--dev"); err != nil {
		t.Error(err)
	}
}

func TestEveryProblemIsReportedByItsVariable(t *testing.T) {
	_, err := parse(t, "--listen=x", "--auth-jwks-url=a", "--partner-claim=",
		"--idp=other", "--idp-token-url=x", "--outbound-allow=10.0.0.1",
		"--private-jwk=keep", "--request-time-leeway=-1s",
		"--public-url=clients.example.org",
		"--id-regex=(", "--client-id-rule=md5",
		"--idp-url=x", "--idp-acrs=http://id.example", "--approval-url=wf.example", "--approval-token-url=https://")
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"AUTH_ISSUER", "AUTH_JWKS_URL", "PARTNER_CLAIM", "IDP", "IDP_CLIENT_ID",
		"IDP_URL", "IDP_TOKEN_URL", "IDP_ACRS", "APPROVAL_URL", "APPROVAL_TOKEN_URL", "PUBLIC_URL", "OUTBOUND_ALLOW",
		"PRIVATE_JWK", "REQUEST_TIME_LEEWAY", "ID_REGEX", "CLIENT_ID_RULE"} {
		if !strings.Contains(err.Error(), "REGISTRAR_"+name+": ") && !strings.Contains(err.Error(), "REGISTRAR_"+name+", ") {
			t.Errorf("nothing about REGISTRAR_%s in\n%v", name, err)
		}
	}
	for _, listen := range []string{"0.0.0.0:8082", ":8082", "192.0.2.1:80"} {
		if _, err := parse(t, "--dev", "--listen="+listen); err == nil || !strings.Contains(err.Error(), "loopback") {
			t.Errorf("--dev on %s: %v", listen, err)
		}
	}
	for _, secret := range []string{"whsec_", "whsec_" + strings.Repeat("A", 28), "whsec_" + strings.Repeat("A", 88),
		strings.Repeat("A", 32), "whsec_%"} {
		_, err := parse(t, "--dev", "--approval-url=http://127.0.0.1:1", "--approval-webhook-secret="+secret)
		if err == nil || !strings.Contains(err.Error(),
			"REGISTRAR_APPROVAL_WEBHOOK_SECRET: must be whsec_ and the base64 of 24 to 64 bytes") || secret != "whsec_" &&
			strings.Contains(err.Error(), secret) {
			t.Errorf("a webhook secret of %d characters: %v", len(secret), err)
		}
	}
	for _, n := range []int{32, 84} { // 24 and 63 bytes
		if _, err := parse(t, "--dev", "--approval-url=http://127.0.0.1:1", "--approval-webhook-secret=whsec_"+strings.Repeat("A", n)); err != nil {
			t.Error(err)
		}
	}
	if _, err := parse(t, "--dev", "--idp=esignet-1.8"); err == nil || !strings.Contains(err.Error(), "REGISTRAR_IDP_URL: ") {
		t.Errorf("error = %v", err)
	}
}

func TestListsAreSeparatedByCommas(t *testing.T) {
	for _, tt := range []struct{ setting, value, wrong string }{
		{"auth-methods", "private_key_jwt none", "private_key_jwt none"},
		{"auth-methods", "private_key_jwt;none", "private_key_jwt;none"},
		{"claims", "name, email", " email"}, {"claims", "name,,email", ""}, {"claims", "name\temail", `name\temail`},
		{"acrs", "mosip:idp:acr:password mosip:idp:acr:biometrics", "mosip:idp:acr:password mosip:idp:acr:biometrics"},
		{"grant-types", "authorization_code\u00a0refresh_token", `authorization_code\u00a0refresh_token`},
	} {
		_, err := parse(t, "--dev", "--supported-"+tt.setting+"="+tt.value)
		name := "REGISTRAR_SUPPORTED_" + strings.ReplaceAll(strings.ToUpper(tt.setting), "-", "_") + ": "
		if err == nil || !strings.Contains(err.Error(), name+`the element "`+tt.wrong+`"`) ||
			!strings.Contains(err.Error(), "separate elements by commas alone, such as ") {
			t.Errorf("%s=%q: %v", tt.setting, tt.value, err)
		}
	}
	_, err := parse(t, "--dev", "--supported-claims=name,email", "--supported-auth-methods=private_key_jwt,none")
	if err != nil {
		t.Error(err)
	}
}

func TestKeycloakNeedsItsSettings(t *testing.T) {
	base := []string{"--dev", "--idp=keycloak", "--idp-url=http://127.0.0.1:1/realms/r", "--idp-client-id=registrar"}
	if _, err := parse(t, append(base, "--keycloak-claims=individual_id=uin,phone=mobile", "--idp-other-clients=wf-inbox")...); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct{ arg, name string }{
		{"--idp-client-id=", "IDP_CLIENT_ID"}, {"--keycloak-claims=individual_id", "KEYCLOAK_CLAIMS"}, {"--keycloak-claims==uin", "KEYCLOAK_CLAIMS"},
		{"--keycloak-claims=a=b,a=c", "KEYCLOAK_CLAIMS"}, {"--keycloak-claims=a=b, c=d", "KEYCLOAK_CLAIMS"},
		{"--idp-other-clients=a,,b", "IDP_OTHER_CLIENTS"},
		{"--idp-manage-client-id=m", "IDP_MANAGE_CLIENT_ID"}, {"--idp-url=", "IDP_URL"},
	} {
		if _, err := parse(t, append(base, tt.arg)...); err == nil ||
			!strings.Contains(err.Error(), "REGISTRAR_"+tt.name+": ") {
			t.Errorf("%s: %v", tt.arg, err)
		}
	}
}

func TestTheConsoleNeedsItsSettings(t *testing.T) {
	base := []string{"--auth-issuer=https://id.example", "--database-url=sqlite:x.db", "--console-client-id=console"}
	keys := "--enc-keys=k1:" + seal.NewKey()
	for want, args := range map[string][]string{
		"":                  {keys, "--public-url=https://registrar.example/"},
		"PUBLIC_URL":        {keys, "--public-url=https://registrar.example/path"},
		"ENC_KEYS":          {"--public-url=https://registrar.example"},
		"AUTH_ISSUER":       {keys, "--public-url=https://registrar.example", "--auth-issuer=https://id.example:8443"},
		"CONSOLE_CLIENT_ID": {"--public-url=http://localhost:8082", "--dev", "--auth-issuer="},
	} {
		_, err := parse(t, append(base, args...)...)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), "REGISTRAR_"+want+": ")) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestSettingsReachTheRules(t *testing.T) {
	c, err := parse(t, "--dev", "--supported-claims=a,b", "--supported-acrs=x", "--supported-grant-types=g",
		"--supported-auth-methods=m,none", "--allow-http", "--allow-ed25519", "--private-jwk=drop", "--request-time-leeway=0",
		"--id-regex=[a-z]+", "--client-id-rule=spki")
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.rules()
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(r.Claims, r.ACRs, r.GrantTypes, r.AuthMethods, r.AllowHTTP, r.AllowEd25519, r.DropPrivate,
		r.RequestTimeLeeway, r.IDPattern, " ", r.IDRule)
	if want := `[a b] [x] [g] [m] true true true 0s \A(?:[a-z]+)\z spki`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if c, err = parse(t, "--dev"); err != nil {
		t.Fatal(err)
	}
	if r, err = c.rules(); err != nil || len(r.Claims) != 22 || len(r.ACRs) != 7 ||
		r.AllowEd25519 || r.RequestTimeLeeway != 2*time.Minute || r.AllowHTTP {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestASecretCanBeAFile(t *testing.T) {
	file := t.TempDir() + "/secret"
	if err := os.WriteFile(file, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("REGISTRAR_IDP_CLIENT_SECRET_FILE", file)
	c, err := parse(t, "--dev")
	if err != nil {
		t.Fatal(err)
	}
	if string(c.IDPClientSecret) != "hunter2" {
		t.Errorf("secret %q", string(c.IDPClientSecret))
	}
	if text := fmt.Sprintf("%v %+v", c, c); strings.Contains(text, "hunter2") {
		t.Error("the secret is printed")
	}
}

// firstSettings are the settings of a new installation.
var firstSettings = []string{
	"REGISTRAR_LISTEN", "REGISTRAR_ADMIN_LISTEN", "REGISTRAR_DATABASE_URL", "REGISTRAR_AUTH_ISSUER", "REGISTRAR_AUTH_AUDIENCE",
	"REGISTRAR_ENC_KEYS", "REGISTRAR_PUBLIC_URL", "REGISTRAR_IDP", "REGISTRAR_IDP_URL", "REGISTRAR_IDP_TOKEN_URL",
	"REGISTRAR_IDP_CLIENT_ID", "REGISTRAR_IDP_CLIENT_SECRET", "REGISTRAR_IDP_MANAGE_CLIENT_ID", "REGISTRAR_IDP_MANAGE_CLIENT_SECRET",
	"REGISTRAR_CATALOG_FILE",
}

func TestThePageOnConfigurationListsTheSettings(t *testing.T) {
	configtest.Check(t, "../../../../docs/configuration.md", "oidc-registrar", firstSettings, settings(t))
}
