package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

const movedLine = `{"clientId":"c1","api":"provider","clientName":"Moved","partnerId":"rp-1","publicKey":{"kty":"EC","crv":"P-256",` +
	`"x":"Y76Xt0D3eChgKjB126sVV_NLNs_elEPSVdVn8s51gCo","y":"siYTSiazJH1VIt_bgKg7lJxjbePI-XXK-epnT6I02_o"},"userClaims":["name"],"authContextRefs":["a"],` +
	`"logoUri":"https://rp.example/l.png","redirectUris":["https://rp.example/cb"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"],"status":"ACTIVE"}` + "\n"

// Only --no-dry-run changes the database.
func TestImportAndExportReportTheirResults(t *testing.T) {
	dir := t.TempDir()
	program(t, dir, "migrate", "--dev")
	if err := os.WriteFile(dir+"/in.ndjson", []byte(movedLine), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		want string
		args []string
	}{
		{": dry run: would import 1 clients, 1 flagged; unchanged: 0", []string{"import", "--dev", "in.ndjson"}},
		{": exported 0 clients to none.ndjson", []string{"export", "--dev", "none.ndjson"}},
		{": imported 1 clients, 1 flagged; unchanged: 0", []string{"import", "--dev", "--no-dry-run", "in.ndjson"}},
		{": imported 0 clients, 0 flagged; unchanged: 1", []string{"import", "--dev", "--no-dry-run", "in.ndjson"}},
		{": exported 1 clients to out.ndjson", []string{"export", "--dev", "out.ndjson"}},
		{": imported 0 clients, 0 flagged; unchanged: 1", []string{"import", "--dev", "--no-dry-run", "out.ndjson"}},
		{`{"clientId":"c1","api":"provider"`, []string{"export", "--dev", "-"}},
	} {
		if out := program(t, dir, step.args...); !strings.Contains(out, step.want) {
			t.Errorf("%s printed %q, want %q", step.args, out, step.want)
		}
	}
	if info, err := os.Stat(dir + "/out.ndjson"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the export: %v, %v", info, err)
	}
	for want, args := range map[string][]string{
		"file exists":                   {"export", "--dev", "out.ndjson"},
		"line 1: clientId: ":            {"import", "--dev", "-"},
		"no such file":                  {"import", "--dev", "missing.ndjson"},
		"REGISTRAR_DATABASE_URL: name ": {"import", "in.ndjson"},
	} {
		cmd := command(t.Context(), dir, args...)
		cmd.Stdin = strings.NewReader(strings.Replace(movedLine, `"c1"`, `"a/b"`, 1))
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", args, err, out)
		}
	}
}

// An operator compares the clients with the identity provider.
func TestReconcileReportsDifferences(t *testing.T) {
	dir := t.TempDir()
	program(t, dir, "migrate", "--dev")
	if out := program(t, dir, "reconcile", "--dev"); !strings.Contains(out, "reads its clients from this service, so there is nothing to compare") {
		t.Errorf("local: %s", out)
	}
	provider := registrartest.NewRFC7591(t)
	if out := program(t, dir, "reconcile", "--dev", "--idp=rfc7591", "--idp-url="+provider.URL+
		"/register"); !strings.Contains(out, "compared with the identity provider: 0 same, 0 different") {
		t.Errorf("rfc7591: %s", out)
	}
	line := strings.Replace(movedLine, `"status"`,
		fmt.Sprintf(`"providerClientId":"a1","registrationClientUri":"%s/register/a1","registrationAccessToken":"x","status"`,
			provider.URL), 1)
	if err := os.WriteFile(dir+"/in.ndjson", []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	program(t, dir, "import", "--dev", "--no-dry-run", "in.ndjson")
	for want, args := range map[string][]string{
		"eSignet before 2.0 has no interface to read a client":  {"reconcile", "--dev", "--idp=esignet-1.8", "--idp-url=" + provider.URL},
		"REGISTRAR_IDP_MANAGE_CLIENT_ID":                        {"reconcile", "--dev", "--idp=rfc7591", "--idp-url=" + provider.URL + "/register"},
		"not every client is the same at the identity provider": {"reconcile", "--dev", "--idp=rfc7591", "--idp-url=" + provider.URL + "/register"},
	} {
		if out, err := command(t.Context(), dir, args...).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", args, err, out)
		}
	}
}
