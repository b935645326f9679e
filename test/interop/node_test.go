package interop

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// node is a folder with the packages of testdata/node.
type node struct {
	t   *testing.T
	dir string
}

// provider starts oidc-provider and returns its issuer.
func (n node) provider() (issuer string) {
	n.t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		n.t.Fatal(err)
	}
	p := programs.Run(n.t, n.dir, os.Environ(), path, "provider.mjs")
	timetest.Eventually(n.t, "oidc-provider serves", func() bool {
		for _, line := range strings.Split(p.Log.String(), "\n") {
			if strings.HasPrefix(line, "http://127.0.0.1:") {
				issuer = line
			}
		}
		return issuer != ""
	})
	return issuer
}

// signIn signs a person in with openid-client, and returns the output and whether there is an ID token.
func (n node) signIn(issuer, clientID string, rp *relyingParty) (string, bool) {
	n.t.Helper()
	cmd := exec.CommandContext(n.t.Context(), "node", "signin.mjs")
	cmd.Dir = n.dir
	key := mustJSON(n.t, jose.JSONWebKey{Key: rp.key, KeyID: rp.public.KeyID})
	cmd.Env = append(os.Environ(), "ISSUER="+issuer, "CLIENT_ID="+clientID, "REDIRECT_URI="+rp.redirect, "KEY="+string(key))
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// oidc-provider replaces the registration access token with each change, and has no credentials for all clients. People sign in through
// openid-client. The program is killed during a change, and the client is locked.
func TestOIDCProviderServesRegisteredClients(t *testing.T) {
	ask(t, "npm oidc-provider",
		"RFC 7591 and 7592: sign in through openid-client, change, deactivate, reconcile; a registrar that is killed during a change, without management credentials")
	n := node{t, installNode(t)}
	issuer := n.provider()
	w := newWire(t, issuer)
	port, _ := url.Parse(w.URL)
	settings := []string{
		"IDP=rfc7591", "IDP_URL=" + w.URL + "/reg", "IDP_ACRS=" + w.URL + "/.well-known/openid-configuration",
		"ALLOW_HTTP_OUTBOUND=true", "OUTBOUND_ALLOW=127.0.0.0/8," + port.Port(),
	}
	dir := filepath.Join(t.TempDir(), "registrar")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := developKillable(t, dir, settings...)
	rp := newRelyingParty(t)
	var made comparedClient
	r.call(r.root, "POST", partnerAPI, atPartners(rp)).Is(200).Decode(&made)
	id := made.ProviderClientID
	if out, ok := n.signIn(issuer, id, rp); !ok || !strings.Contains(out, `"sub":"ana"`) || !strings.Contains(out, id) {
		t.Fatalf("after the registration: %s", out)
	}
	if out, ok := n.signIn(issuer, id, &relyingParty{t: t, key: newRelyingParty(t).key, public: rp.public, redirect: rp.redirect}); ok {
		t.Errorf("with another key: %s", out)
	}
	former := *rp
	rp.redirect = "https://portal.example/new"
	r.call(r.root, "PUT", partnerAPI+"/"+made.ClientID, rp.changedByPartners("ACTIVE")).Is(200)
	if out, ok := n.signIn(issuer, id, rp); !ok {
		t.Errorf("after a change: %s", out)
	}
	if out, ok := n.signIn(issuer, id, &former); ok {
		t.Errorf("with the redirect URI of before: %s", out)
	}
	r.reconcile().expect(t, "1 same")
	r.call(r.root, "PUT", partnerAPI+"/"+made.ClientID, rp.changedByPartners("INACTIVE")).Is(200)
	if out, ok := n.signIn(issuer, id, rp); ok {
		t.Errorf("inactive: %s", out)
	}
	r.call(r.root, "PUT", partnerAPI+"/"+made.ClientID, rp.changedByPartners("ACTIVE")).Is(200)

	r.dies(w, "PUT", "PUT", partnerAPI+"/"+made.ClientID, rp.changedByPartners("INACTIVE"))
	r = developKillable(t, dir, settings...)
	timetest.Eventually(t, "the client is doubtful", func() bool { return r.client(made.ClientID).Doubtful })
	later := r.call(r.root, "PUT", partnerAPI+"/"+made.ClientID, rp.changedByPartners("INACTIVE"))
	later.ExpectRefusal(200, "invalid_status")
	if !strings.Contains(string(later.Body), "REGISTRAR_IDP_MANAGE_CLIENT_ID") {
		t.Errorf("a later change: %s", later.Body)
	}
	r.reconcile().expect(t, "1 not compared", "the outcome of a call for it is unknown")
	if out, ok := n.signIn(issuer, id, rp); ok {
		t.Errorf("the provider has done the change: %s", out)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
