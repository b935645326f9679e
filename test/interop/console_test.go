package interop

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"os"
	"testing"

	stories "github.com/countersign/countersign/test/browser"
	"github.com/countersign/countersign/test/programs"
)

// In Chromium, which applies the content security policy to redirects of forms, unlike the browser of the other tests.
func TestTheConsoleManagesClientsOfKeycloak(t *testing.T) {
	ask(t, "Keycloak", "console of oidc-registrar: register, approval in wf, disable, a key rotation, a difference, in Chromium")
	k := theKeycloak(t)
	if why := stories.Missing(); why != "" && os.Getenv("COUNTERSIGN_REQUIRE_KEYCLOAK") != "1" {
		unavailable(t, why)
	}
	address := programs.FreeAddress(t)
	registrar := "http://" + address
	k.movePages("registrar-console", "http://127.0.0.1:8082", registrar, "300")
	wf, _ := k.startWithApprovals(address, "CONSOLE_CLIENT_ID=registrar-console", "CONSOLE_CLIENT_SECRET=console-secret")
	name := "Portal " + rand.Text()[:8]
	t.Cleanup(func() {
		k.endSessions(anaID) // of several sessions of a user Keycloak ends one with a logout, and other tests have one
		var clients []struct{ ID, Name string }
		k.manage(http.MethodGet, "/"+k.realm+"/clients", nil, &clients)
		for _, c := range clients {
			if c.Name == name {
				k.manage(http.MethodDelete, "/"+k.realm+"/clients/"+c.ID, nil, nil)
			}
		}
	})
	stories.RunStory(t, "keycloak.mjs", "NAME="+name, "BASE="+registrar+"/console", "INBOX="+wf.url+"/inbox", "KEYS="+
		t.TempDir(), "KEYCLOAK="+k.url, "REALM="+k.realm,
		"ADMIN="+cmp.Or(os.Getenv("KEYCLOAK_ADMIN"), "admin"), "ADMIN_PASSWORD="+cmp.Or(os.Getenv("KEYCLOAK_ADMIN_PASSWORD"), "admin-local-only"))
}

// registrarID is the service account of oidc-registrar.
const registrarID = "aaaaaaaa-0000-4000-8000-000000000015"

// startWithApprovals starts wf with its inbox, and oidc-registrar at an address. A finance officer approves each
// client.
func (k keycloak) startWithApprovals(address string, variables ...string) (wf, registrar service) {
	k.t.Helper()
	const secret = "whsec_a25vd24gdG8gYWxsLCBzbyBsb2NhbCB1" // #nosec G101 -- as in deploy
	at := "http://" + address
	wf = k.startInbox("300", "OUTBOUND_ALLOW=127.0.0.0/8,"+portOf(k.t, k.url)+","+portOf(k.t, at))
	root := k.person("root")
	wf.call(root, "POST", policies, object{
		"policy_key": "clients", "name": "Clients",
		"settings": object{"submitters": []object{{"type": "user", "ids": []string{registrarID}}}, "on_behalf": "submitters"},
		"stages": []object{{"key": "review", "name": "Review", "quorum": object{"mode": "any"},
			"approvers": []object{{"type": "role", "role": "finance-officer"}}}},
	}).Is(201)
	wf.call(root, "POST", policies+"/clients/versions/1/activate", nil).Is(200)
	wf.call(root, "POST", "/v1/wf/admin/webhooks", object{
		"name": "registrar", "url": at + "/v1/registrar/approvals", "secret": secret, "policy_keys": []string{"clients"},
		"events": []string{"request.approved"},
	}).Is(201)
	return wf, k.startRegistrar(append([]string{"LISTEN=" + address, "PUBLIC_URL=" + at,
		"APPROVAL_URL=" + wf.url, "APPROVAL_POLICY=clients",
		"APPROVAL_WEBHOOK_SECRET=" + secret, "APPROVAL_TOKEN_URL=" + discover(k.t, k.issuer()).Token,
		"APPROVAL_CLIENT_ID=oidc-registrar", "APPROVAL_CLIENT_SECRET=registrar-secret",
		"OUTBOUND_ALLOW=127.0.0.0/8," + portOf(k.t, k.url) + "," + portOf(k.t, wf.url)}, variables...)...)
}
