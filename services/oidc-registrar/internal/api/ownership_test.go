package api_test

import (
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// expect fails the test unless a reply has a status and a code.
func expect(t *testing.T, what string, r registrartest.Reply, status int, code string) {
	t.Helper()
	if r.Status != status || r.Code() != code {
		t.Errorf("%s: %d %q, want %d %q: %s", what, r.Status, r.Code(), status, code, r.Body)
	}
}

// clientID is the id in a reply.
func clientID(t *testing.T, r registrartest.Reply) string {
	t.Helper()
	id, ok := r.Member("clientId").(string)
	if !ok {
		t.Fatalf("no clientId: %s", r.Body)
	}
	return id
}

// A relying party with the name of a partner is another owner.
func TestTheTwoSidesAreApart(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana, provider, admin := w.Partner("ana", "demo-partner"), w.Provider(), w.Admin()
	partners := clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil)))
	providers := clientID(t, w.Call("POST", providerPath, provider,
		registrartest.ProviderRequest("app", registrartest.Key(t), with("relyingPartyId", "demo-partner"))))
	update := registrartest.UpdateRequest(with("userClaims", []any{"name", "email"}, "clientName", "Moved"))

	expect(t, "a partner reads a client of the other side", w.Call("GET", partnerPath+"/"+providers, ana, nil), 403, "PMS_POLICY_ERROR_011")
	expect(t, "a partner reads its trail", w.Call("GET", clientsPath+providers+"/events", ana, nil), 403, "FORBIDDEN")
	expect(t, "a partner changes it", w.Call("PUT", partnerPath+"/"+providers, ana, update), 403, "PMS_POLICY_ERROR_010")
	expect(t, "a scope changes a partner's client", w.Call("PUT", providerPath+"/"+partners, provider, update), 200, "invalid_client_id")
	expect(t, "a scope reads a partner's client, to serve it", w.Call("GET", providerPath+"/"+partners, provider, nil), 200, "")
	if items := w.Call("GET", partnerPath, ana, nil).Member("items").([]any); len(items) != 1 {
		t.Errorf("a partner lists %d clients, want its own", len(items))
	}
	expect(t, "an admin changes values of the policy", w.Call("PUT", providerPath+"/"+partners, admin, update), 200, "invalid_acr")
	read := w.Call("GET", providerPath+"/"+partners, admin, nil)
	expect(t, "an admin changes the rest", w.Call("PUT", providerPath+"/"+partners, admin, registrartest.UpdateRequest(
		with("clientName", "Moved", "userClaims", read.Member("userClaims"), "authContextRefs", read.Member("authContextRefs")))), 200, "")
	expect(t, "an admin reaches the other side", w.Call("PUT", partnerPath+"/"+providers, admin, update), 200, "")
}

func TestUpdateRechecksTheCatalogue(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana, admin := w.Partner("ana", "demo-partner"), w.Admin()
	path := partnerPath + "/" + clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil)))
	moved := registrartest.UpdateRequest(with("redirectUris", []any{"https://elsewhere.example/cb"}))
	off := registrartest.UpdateRequest(with("status", "INACTIVE"))
	const mapping = "/v1/partnermanager/partners/demo-partner/policies/demo-policy"

	expect(t, "the mapping is withdrawn", w.Call("DELETE", mapping, admin, nil), 200, "")
	expect(t, "a change without a mapping", w.Call("PUT", path, ana, moved), 200, "PMS_IDP_002")
	expect(t, "the same by an admin", w.Call("PUT", path, admin, moved), 200, "PMS_IDP_002")
	expect(t, "switching off without a mapping", w.Call("PUT", path, ana, off), 200, "")
	expect(t, "switching on without a mapping", w.Call("PUT", path, ana, registrartest.UpdateRequest(nil)), 200, "PMS_IDP_002")
	expect(t, "the mapping is back", w.Call("PUT", mapping, admin, nil), 200, "")
	expect(t, "switching on", w.Call("PUT", path, ana, registrartest.UpdateRequest(nil)), 200, "")

	partner := func(status, query string) {
		t.Helper()
		expect(t, "the partner becomes "+status, w.Call("PUT", "/v1/partnermanager/partners/demo-partner"+query, admin,
			map[string]any{"request": with("name", "Demo", "type", "Auth_Partner", "status", status)}), 200, "")
	}
	partner("INACTIVE", "")
	expect(t, "a change by an inactive partner", w.Call("PUT", path, ana, moved), 200, "PMS_PMP_016")
	if r := w.Call("GET", path, ana, nil); r.Member("status") != "ACTIVE" {
		t.Errorf("an inactive partner keeps its clients: %s", r.Body)
	}
	partner("INACTIVE", "?cascade=true")
	if r := w.Call("GET", path, ana, nil); r.Member("status") != "INACTIVE" {
		t.Errorf("its clients go with it: %s", r.Body)
	}
}

func TestAUserOfSeveralPartners(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	expect(t, "a second partner", w.Call("PUT", "/v1/partnermanager/partners/second", w.Admin(),
		map[string]any{"request": with("name", "Second", "type", "Auth_Partner", "status", "ACTIVE")}), 200, "")
	expect(t, "its mapping", w.Call("PUT", "/v1/partnermanager/partners/second/policies/demo-policy", w.Admin(), nil), 200, "")
	both := w.Token(bearer.DevToken{Subject: "bo", Roles: []string{"AUTH_PARTNER"},
		Claims: map[string]any{"partner_id": []any{"demo-partner", "second"}}})
	for _, partner := range []string{"demo-partner", "second"} {
		expect(t, partner, w.Call("POST", partnerPath, both, registrartest.PartnerRequest(registrartest.Key(t), with("authPartnerId", partner))), 200, "")
	}
	expect(t, "a third one", w.Call("POST", partnerPath, both, registrartest.PartnerRequest(registrartest.Key(t),
		with("authPartnerId", "third"))), 403, "PMS_POLICY_ERROR_009")
	if items := w.Call("GET", partnerPath, both, nil).Member("items").([]any); len(items) != 2 {
		t.Errorf("%d clients, want those of both", len(items))
	}
	if items := w.Call("GET", partnerPath+"?authPartnerId=second", both, nil).Member("items").([]any); len(items) != 1 {
		t.Errorf("%d clients, want those of one", len(items))
	}
	if items := w.Call("GET", "/v1/partnermanager/partners", both, nil).Member("items").([]any); len(items) != 2 {
		t.Errorf("%d partners, want both", len(items))
	}
}

func TestTheTokenInACookie(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.TokenCookie = true }})
	cookie := "Authorization=" + w.Partner("ana", "demo-partner")
	register := func(headers ...string) registrartest.Reply {
		return w.Call("POST", partnerPath, "", registrartest.PartnerRequest(registrartest.Key(t), nil), headers...)
	}
	expect(t, "no browser", register("Cookie", cookie), 200, "")
	expect(t, "a page of the same origin", register("Cookie", cookie, "Sec-Fetch-Site", "same-origin"), 200, "")
	expect(t, "a page of another origin", register("Cookie", cookie, "Sec-Fetch-Site", "cross-site"), 403, "KER-ATH-403")
	expect(t, "an old browser", register("Cookie", cookie, "Origin", "https://evil.example"), 403, "KER-ATH-403")
	expect(t, "another origin that reads", w.Call("GET", partnerPath, "", nil, "Cookie", cookie, "Sec-Fetch-Site", "cross-site"), 200, "")
	expect(t, "two cookies", register("Cookie", cookie+"; "+cookie), 401, "KER-ATH-401")
	expect(t, "the header wins", w.Call("GET", partnerPath, "no token", nil, "Cookie", cookie), 401, "KER-ATH-401")
	expect(t, "not unless it is set", registrartest.Boot(t, registrartest.Options{}).Call("GET", partnerPath, "", nil,
		"Cookie", cookie), 401, "KER-ATH-401")
}
