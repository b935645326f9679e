package ui_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// register registers a client in the partner API and returns its id.
func register(t *testing.T, w *registrartest.Service, changes map[string]any) string {
	t.Helper()
	r := w.Call(http.MethodPost, "/v1/partnermanager/oidc/client", w.Admin(), registrartest.PartnerRequest(registrartest.Key(t), changes))
	id, _ := r.Member("clientId").(string)
	if id == "" {
		t.Fatal(r)
	}
	return id
}

// registerProvider registers a client in the client-management API.
func registerProvider(t *testing.T, w *registrartest.Service, id string) registrartest.Reply {
	t.Helper()
	return w.Call(http.MethodPost, "/v1/idp/client-mgmt/oidc-client", w.Admin(), registrartest.ProviderRequest(id, registrartest.Key(t), nil))
}

// pair returns a new private key and its public key, in PEM.
func pair(t *testing.T) (private, public string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	private = encode("PRIVATE KEY", secret, err)
	open, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	return private, encode("PUBLIC KEY", open, err)
}

func because(reason string, more ...string) url.Values {
	form := url.Values{"reason": {reason}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

func TestTheListHasClientsOfBothInterfacesAndOfThePartnerAlone(t *testing.T) {
	w := boot(t)
	id := register(t, w, map[string]any{"name": "Health portal", "redirectUris": []any{"https://health.example/cb"}})
	registerProvider(t, w, "kiosk")
	admin, partner := w.AdminBrowser(), w.PartnerBrowser("demo-partner")
	requireText(t, admin.Get(""), http.StatusOK, "Health portal", id, ">kiosk<", "Partner management", "Client management", "Active")
	list := partner.Get("")
	if requireText(t, list, http.StatusOK, id); strings.Contains(list.Body, "kiosk") {
		t.Error("a partner has a client of client management")
	}
	for query, found := range map[string]bool{
		"q=health": true, "q=bank": false, "key=" + id: true, "status=active": true,
		"status=failed": false, "status=doubtful": false, "api=partner": true, "api=rfc7591": false, "partner=demo-partner": true, "partner=x": false,
		"policy=demo-policy": true, "policy=x": false,
	} {
		if got := strings.Contains(admin.Get("?"+query).Body, `title="`+id+`"`); got != found {
			t.Errorf("%s: %t", query, got)
		}
	}
	requireText(t, admin.Get("?q=bank"), http.StatusOK, "No client matches")
	requireText(t, admin.Get("/clients/none"), http.StatusNotFound, "Client not found")
	requireText(t, partner.Get("/clients/kiosk"), http.StatusNotFound, "Client not found")
	requireText(t, w.PartnerBrowser("other").Get("/clients/"+id), http.StatusNotFound, "Client not found")
}

func TestAListHasANextAndAPreviousPage(t *testing.T) {
	w := boot(t)
	for range 51 {
		register(t, w, nil)
	}
	b := w.AdminBrowser()
	first := b.Get("?status=active")
	to := func(r registrartest.Reply, rel string) string {
		_, rest, found := strings.Cut(r.Body, `rel="`+rel+`" href="/console`)
		if !found {
			return ""
		}
		address, _, _ := strings.Cut(rest, `"`)
		return strings.ReplaceAll(address, "&amp;", "&")
	}
	if to(first, "prev") != "" || to(first, "next") == "" {
		t.Fatal(first.Body)
	}
	second := b.Get(to(first, "next"))
	if n := strings.Count(second.Body, "data-row"); n != 1 || to(second, "next") != "" {
		t.Errorf("%d clients on the second page", n)
	}
	back := b.Get(to(second, "prev"))
	if n := strings.Count(back.Body, "data-row"); n != 50 || to(back, "prev") != "" || to(back, "next") != to(first, "next") {
		t.Errorf("%d clients on the page before: %s", n, to(second, "prev"))
	}
}

func TestAClientIsShownInWords(t *testing.T) {
	w := boot(t)
	id := register(t, w, nil)
	page := w.PartnerBrowser("demo-partner").Get("/clients/" + id)
	requireText(t, page, http.StatusOK, "Users can sign in with this client.", "EC P-256", "https://rp.example/cb", "Full name", "One-time code",
		"Registered by", "Confirmed by the identity provider", "demo-policy", "/console/clients/"+id+"/disable")
	for _, hidden := range []string{"/confirm", "/drop", "/enable", "/retry", "/resend", "/compare", "/remove-key"} {
		if strings.Contains(page.Body, id+hidden) {
			t.Errorf("the page has %s", hidden)
		}
	}
	b := w.AdminBrowser()
	b.Language = "fr"
	requireText(t, b.Get("/clients/"+id), http.StatusOK, "Les utilisateurs peuvent se connecter avec ce client.", "Nom complet", "Désactiver")
}

func TestDisableAndEnableTakeAReasonIntoTheHistory(t *testing.T) {
	w := boot(t)
	id, b := register(t, w, nil), w.PartnerBrowser("demo-partner")
	path := "/clients/" + id
	requireText(t, b.Get(path+"/disable"), http.StatusOK, "Users can no longer sign in with this client")
	requireText(t, b.Submit(path+"/disable", because("  ")), http.StatusUnprocessableEntity, "Error:", "Enter a reason of at most 500 characters")
	requireText(t, b.Submit(path+"/disable", because("Key stolen")), http.StatusOK, "Client disabled.", "Inactive", "Key stolen", path+"/enable")
	requireText(t, b.Get(path+"/disable"), http.StatusConflict, "The client’s status does not permit this")
	requireText(t, b.Submit(path+"/enable", because("New key is in use")), http.StatusOK, "Client enabled.", "Active", "New key is in use")
	requireText(t, w.PartnerBrowser("other").Submit(path+"/disable", because("Envy")), http.StatusForbidden, "of your own partner only")
	events := w.Call(http.MethodGet, "/v1/registrar/clients/"+id+"/events", w.Admin(), nil).Body
	if !strings.Contains(events, `"kind":"refused","actor":"of-other"`) || strings.Contains(events, "Envy") {
		t.Errorf("the audit trail: %s", events)
	}
}

func TestKeysAreAddedAndRemovedAndPrivateKeysAreNotKept(t *testing.T) {
	w := boot(t)
	id, b := register(t, w, nil), w.PartnerBrowser("demo-partner")
	path := "/clients/" + id
	private, public := pair(t)
	jwk, err := json.Marshal(registrartest.Key(t))
	if err != nil {
		t.Fatal(err)
	}
	secretJWK := strings.Replace(string(jwk), "{", `{"d":"c2VjcmV0",`, 1)
	for name, form := range map[string]url.Values{
		"PEM": because("Rotation", "key", private), "JWK": because("Rotation", "key", secretJWK),
		"no reason": because("", "key", private), "escaped": because("", "key", strings.Replace(secretJWK, `"d"`, `"\u0064"`, 1)),
	} {
		page := b.Submit(path+"/add-key", form)
		if page.Status != http.StatusUnprocessableEntity || strings.Contains(page.Body, "c2VjcmV0") || strings.Contains(page.Body, "BEGIN PRIVATE") {
			t.Errorf("%s: %d: %s", name, page.Status, page.Body)
		}
		if name == "PEM" || name == "JWK" {
			requireText(t, page, http.StatusUnprocessableEntity, `href="#key"`, "This is a private key", "Rotation")
		}
	}
	foreign := w.PartnerBrowser("other")
	r := foreign.Post(path+"/add-key", because("Rotation", "key", private))
	if strings.Contains(r.Body, "BEGIN PRIVATE") {
		t.Error("the refused form has the private key")
	}
	requireText(t, b.Submit(path+"/add-key", because("Rotation", "key", "{}")), http.StatusUnprocessableEntity, "Enter a public key")
	requireText(t, b.Submit(path+"/add-key", because("Rotation", "key", public+public)), http.StatusUnprocessableEntity, "must be one PEM block")
	if again := b.Submit(path+"/add-key", because("", "key", public)); again.Status != http.StatusUnprocessableEntity ||
		strings.Contains(again.Body, "BEGIN PUBLIC KEY") {
		t.Errorf("without a reason: %d, the field key is filled again", again.Status)
	}
	requireText(t, b.Submit(path+"/add-key", because("Rotation", "key", public)), http.StatusOK, "Key added.", "Older key, still accepted", "Rotation")
	requireText(t, b.Get(path+"/add-key"), http.StatusConflict)
	requireText(t, b.Submit(path+"/remove-key", because("Done")), http.StatusUnprocessableEntity, "This field is required")
	page := b.Submit(path+"/remove-key", because("Done", "kid", id)) // the id is the thumbprint of the first key
	if requireText(t, page, http.StatusOK, "Key removed.", "Current key"); strings.Contains(page.Body, "Older key") {
		t.Error(page.Body)
	}
}

// Neither a change nor a registration is done before its approval, and the note does not report that it is.
func TestAChangeThatNeedsAnApprovalIsReportedAsSent(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		c.AllowDevValues = true
		c.ApprovalURL, c.ApprovalToken, c.ApprovalWebhookSecret = "https://wf.example", "token", "whsec_a25vd24gdG8gYWxsLCBzbyBsb2NhbCB1"
	}})
	id, b := register(t, w, nil), w.PartnerBrowser("demo-partner")
	_, public := pair(t)
	requireText(t, b.Submit("/clients/"+id+"/disable", because("Out of use")), http.StatusOK, "Client disabled.")
	policy := map[string]any{"request": map[string]any{
		"name": "Demo", "type": "Auth", "status": "ACTIVE", "userClaims": []any{"name"}, "mandatoryAuthTypes": []any{},
		"authContextRefs": []any{"mosip:idp:acr:password"}, "approvalPolicy": "clients",
	}}
	if r := w.Call(http.MethodPut, "/v1/partnermanager/policies/demo-policy", w.Admin(), policy); r.Status != http.StatusOK {
		t.Fatal(r)
	}
	for action, form := range map[string]url.Values{
		"enable": because("Needed"), "add-key": because("Rotation", "key", public), "redirects": because("New", "uris", "https://rp.example.org/new"),
	} {
		requireText(t, b.Submit("/clients/"+id+"/"+action, form), http.StatusOK, "Sent for approval.", "Inactive")
	}
	_, public = keyPair(t)
	requireText(t, b.Submit("/register/partner", partnerForm(public)), http.StatusOK, "Sent for approval.", "Pending")
}

func TestRedirectAddressesAreChecked(t *testing.T) {
	w := boot(t)
	id, b := register(t, w, nil), w.PartnerBrowser("demo-partner")
	path := "/clients/" + id
	page := b.Submit(path+"/redirects", because("Move", "uris", "https://rp.example/cb\nhttps://rp.example/#x"))
	requireText(t, page, http.StatusUnprocessableEntity, `href="#uris"`, "redirectUris[1]", "https://rp.example/#x", "Move")
	requireText(t, b.Submit(path+"/redirects", because("Move", "uris", " \n")), http.StatusUnprocessableEntity, "Enter 1 to 5 redirect addresses")
	requireText(t, b.Submit(path+"/redirects", because("Move", "uris", "https://new.example/cb\r\n\r\nio.example.app://oauth")), http.StatusOK,
		"Redirect addresses changed.", "https://new.example/cb", "io.example.app://oauth", "Move")
}

func TestAFailedClientIsRetriedAndGivenUp(t *testing.T) {
	provider := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	b := w.AdminBrowser()
	provider.SetDown(true)
	registerProvider(t, w, "down")
	requireText(t, b.Get("/clients/down"), http.StatusOK, "The registration will be sent to the identity provider.", "Pending", "/clients/down/retry")
	requireText(t, b.Submit("/clients/down/retry", because("Try")), http.StatusOK, "Stored. The identity provider is unreachable", "Sent again", "Try")
	provider.SetDown(false)
	requireText(t, b.Submit("/clients/down/retry", because("Again")), http.StatusOK, "Registration sent again.", "Active")
	requireText(t, b.Get("/clients/down/abandon"), http.StatusConflict)
	provider.SetDown(true)
	registerProvider(t, w, "end")
	provider.SetDown(false)
	requireText(t, b.Submit("/clients/end/abandon", because("Mistake")), http.StatusOK, "Registration given up.", "Clients")
	requireText(t, b.Get("/clients/end"), http.StatusNotFound)
}

func TestADoubtfulClientIsConfirmedOrDropped(t *testing.T) {
	provider := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	b := w.AdminBrowser()
	for _, id := range []string{"c1", "c2"} {
		provider.SetNextFaults(registrartest.DropsAfter)
		registerProvider(t, w, id)
	}
	requireText(t, b.Get("/queues/doubtful"), http.StatusOK, ">c1<", ">c2<", "Doubtful")
	requireText(t, b.Get("/clients/c1"), http.StatusOK, "An administrator must confirm or drop the client", "/clients/c1/confirm", "/clients/c1/drop")
	requireText(t, b.Get("/clients/c1/confirm"), http.StatusOK, "cannot be read from here", "As sent", "https://rp.example/cb")
	requireText(t, b.Submit("/clients/c1/confirm", because("Seen there")), http.StatusOK, "Client confirmed.", "Seen there", "Active")
	requireText(t, b.Submit("/clients/c2/drop", because("Not there")), http.StatusOK, "Client dropped.")
	requireText(t, b.Get("/clients/c2"), http.StatusNotFound)
	requireText(t, w.PartnerBrowser("demo-partner").Get("/clients/c1/confirm"), http.StatusForbidden)
	requireText(t, b.Get("/queues/doubtful"), http.StatusOK, "Nothing needs attention here")
}

func TestADifferenceIsFoundAndShown(t *testing.T) {
	provider := registrartest.NewRFC7591(t)
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		provider.Configure(c)
		provider.Manager(c)
	}})
	id, b := register(t, w, nil), w.AdminBrowser()
	requireText(t, b.Submit("/clients/"+id+"/compare", nil), http.StatusOK, "Compared with the identity provider.")
	for there := range provider.Clients() {
		provider.Change(there, map[string]any{"redirect_uris": []any{"https://evil.example/cb"}})
	}
	requireText(t, b.Submit("/clients/"+id+"/compare", nil), http.StatusOK, "has other values of these fields",
		"Redirect addresses", "There: <code>https://evil.example/cb</code>", "Here: <code>https://rp.example/cb</code>")
	requireText(t, b.Get("/queues/different"), http.StatusOK, `title="`+id+`"`)
	if r := w.PartnerBrowser("demo-partner").Post("/clients/"+id+"/compare", nil); r.Status != http.StatusForbidden {
		t.Errorf("a partner compares: %d", r.Status)
	}
}

func TestAnUnknownOutcomeOfAnActionIsShownAtTheClient(t *testing.T) {
	provider := registrartest.NewRFC7591(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	id, b := register(t, w, nil), w.AdminBrowser()
	provider.LoseReplies(true)
	requireText(t, b.Submit("/clients/"+id+"/disable", because("Out of use")), http.StatusOK,
		"Sent. The outcome at the identity provider is unknown", "Doubtful", "Out of use", "/clients/"+id+"/drop")
	provider.LoseReplies(false)
	if page := w.PartnerBrowser("demo-partner").Get("/clients/" + id); strings.Contains(page.Body, "/drop") || page.Status != http.StatusOK {
		t.Errorf("a partner drops: %d", page.Status)
	}
	requireText(t, b.Get("/clients/"+id+"/drop"), http.StatusOK, "cannot be read from here", "https://rp.example/cb")
	requireText(t, b.Get("/clients/"+id+"/disable"), http.StatusConflict)
	requireText(t, b.Submit("/clients/"+id+"/drop", because("Not received")), http.StatusOK, "Client dropped.", "Not received")
}

func TestAClientWithAnyIdHasAPage(t *testing.T) {
	w := boot(t)
	b := w.AdminBrowser()
	for _, id := range []string{"a%b", "%41", "a&b:c;d=e", "a.b~c", "'<x>", "a?b", "a#b"} {
		if r := registerProvider(t, w, id); r.Code() != "" {
			t.Fatal(id, r.Body)
		}
		path := "/clients/" + url.PathEscape(id)
		requireText(t, b.Get(path), http.StatusOK, `/disable"`, html.EscapeString(id))
		requireText(t, b.Submit(path+"/disable", because("Test")), http.StatusOK, "Client disabled.")
		requireText(t, b.Submit(path+"/enable", because(" ")), http.StatusUnprocessableEntity, "Enter a reason")
	}
}

// A public client has no key. Its policy permits it.
func TestAPublicClientIsRegisteredInTheConsole(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	admin, form := w.AdminBrowser(), partnerForm("")
	form["methods"] = []string{"none"}
	requireText(t, admin.Post("/register/partner", form), http.StatusUnprocessableEntity, "clientTypes confidential")
	policy := map[string]any{"request": map[string]any{
		"name": "P", "type": "Auth", "status": "ACTIVE", "userClaims": []string{"name"},
		"authContextRefs": []string{"mosip:idp:acr:generated-code"}, "clientTypes": []string{"public"},
	}}
	if r := w.Call("PUT", "/v1/partnermanager/policies/demo-policy", w.Admin(), policy); r.Code() != "" {
		t.Fatal(r.Body)
	}
	requireText(t, admin.Get("/admin/policies/demo-policy"), http.StatusOK, "Client types", "public")
	requireText(t, admin.Post("/register/partner", form), http.StatusSeeOther)
	listed, _, err := w.Store.Clients(t.Context(), registrar.ClientFilter{}, registrar.Page{})
	if err != nil || len(listed) != 1 || !listed[0].IsPublic() || listed[0].Status != registrar.ClientActive {
		t.Fatalf("%+v, %v", listed, err)
	}
	requireText(t, admin.Get("/clients/"+listed[0].ID), http.StatusOK, listed[0].Name)
}
