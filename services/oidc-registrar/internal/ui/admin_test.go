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
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// keyPair returns a key pair in the form of the commands on the page.
func keyPair(t *testing.T) (private, public string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, err1 := x509.MarshalPKCS8PrivateKey(key)
	open, err2 := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: open}))
}

func partnerForm(key string) url.Values {
	return url.Values{
		"name": {"Harbour portal"}, "partner": {"demo-partner"}, "policy": {"demo-policy"}, "logo": {"https://rp.example.org/logo.png"},
		"uris": {"https://rp.example.org/callback\r\n\r\nhttps://rp.example.org/second"}, "key": {key}, "grants": {"authorization_code"},
		"methods": {"private_key_jwt"},
	}
}

// events returns the kinds of the newest entries of the audit trail, with their clients and codes.
func events(t *testing.T, w *registrartest.Service, query string) (list []string) {
	t.Helper()
	items, _ := w.Call(http.MethodGet, "/v1/registrar/admin/audit?"+query, w.Admin(), nil).Member("items").([]any)
	for _, item := range items {
		kind, _ := item.(map[string]any)["kind"].(string)
		code, _ := item.(map[string]any)["errorCode"].(string)
		list = append(list, strings.TrimSpace(kind+" "+code))
	}
	return list
}

func TestAPartnerRegistersAClient(t *testing.T) {
	w := boot(t)
	partner := w.PartnerBrowser("demo-partner")
	requireText(t, partner.Get("/register"), http.StatusOK, "/console/register/partner")
	requireText(t, partner.Get("/register/partner"), http.StatusOK, "openssl genpkey",
		`<option dir="auto" value="demo-policy">`, `<option dir="auto" value="demo-partner" selected>`)

	_, public := keyPair(t)
	r := partner.Post("/register/partner", partnerForm(public))
	to := r.Header.Get("Location")
	if r.Status != http.StatusSeeOther || !strings.HasPrefix(to, "/console/clients/") || !strings.HasSuffix(to, "?note=registered") {
		t.Fatalf("%d to %q", r.Status, to)
	}
	id := strings.TrimSuffix(strings.TrimPrefix(to, "/console/clients/"), "?note=registered")
	got := w.Call(http.MethodGet, "/v1/registrar/clients/"+id, w.Admin(), nil)
	for _, text := range []string{`"status":"ACTIVE"`, `"clientName":"Harbour portal"`,
		`"redirectUris":["https://rp.example.org/callback","https://rp.example.org/second"]`} {
		if !strings.Contains(got.Body, text) {
			t.Errorf("the client lacks %s: %s", text, got.Body)
		}
	}

	wrong := partnerForm("{}")
	wrong.Set("name", " ")
	wrong.Set("uris", "https://rp.example.org/*")
	r = partner.Submit("/register/partner", wrong)
	requireText(t, r, http.StatusUnprocessableEntity, "<title>Error:", `href="#name"`, `href="#key"`,
		`aria-describedby="key-error`, "https://rp.example.org/logo.png")
	foreign := partnerForm(public)
	foreign.Set("partner", "other")
	requireText(t, partner.Submit("/register/partner", foreign), http.StatusForbidden, "your own partner only")
}

// The private key is neither stored nor shown again, and the refusal is in the trail.
func TestAPrivateKeyIsRefusedAndNotKept(t *testing.T) {
	w := boot(t)
	partner := w.PartnerBrowser("demo-partner")
	guest := w.Browser(w.Token(bearer.DevToken{Subject: "guest"}))
	private, _ := keyPair(t)
	line := strings.Split(private, "\n")[1]
	for name, key := range map[string]string{
		"PEM": private, "PEM after text": "my key:\r\n" + strings.ReplaceAll(private, "\n", "\r\n"),
		"JWK": `{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"` + line + `"}`,
	} {
		form := partnerForm(key)
		r := partner.Submit("/register/partner", form)
		if requireText(t, r, http.StatusUnprocessableEntity, "This is a private key",
			"Harbour portal"); strings.Contains(html.UnescapeString(r.Body), line) {
			t.Errorf("%s: the page has the private key", name)
		}
		r = guest.Submit("/register/partner", form)
		if requireText(t, r, http.StatusForbidden, "Harbour portal"); strings.Contains(html.UnescapeString(r.Body), line) {
			t.Errorf("%s without a role: the refused form has the private key", name)
		}
	}
	if got := events(t, w, "kind=refused&actor=of-demo-partner"); !slices.Contains(got, "refused invalid_public_key") {
		t.Errorf("the trail has %q", got)
	}
}

// The value of a private key may be in another field in place of the key. It has the length of an id.
func TestAFormWithoutAKeyKeepsNoValueOfTheLengthOfAKey(t *testing.T) {
	partner, value := boot(t).PartnerBrowser("demo-partner"), strings.Repeat("aB3_", 10)+"xyz"
	_, public := keyPair(t)
	for key, kept := range map[string]bool{"": false, "{}": false, public: true} {
		for _, field := range []string{"name", "uris", "logo"} {
			form := partnerForm(key)
			form.Set(field, value)
			form.Set("methods", "wrong")
			if r := partner.Submit("/register/partner", form); strings.Contains(r.Body, value) != kept || r.Status != http.StatusUnprocessableEntity {
				t.Errorf("key %q, %s: %d, shown: %t", key, field, r.Status, !kept)
			}
		}
	}
}

// A private key with a mistake, or in another field, is not kept either; the field key is never filled again.
func TestNoPageShowsAKeyAgain(t *testing.T) {
	w := boot(t)
	partner, admin := w.PartnerBrowser("demo-partner"), w.AdminBrowser()
	private, public := keyPair(t)
	line := strings.Split(private, "\n")[1]
	leaks := func(r registrartest.Reply) bool {
		text := html.UnescapeString(r.Body)
		return strings.Contains(text, line) || strings.Contains(text, strings.Split(public, "\n")[1])
	}
	for name, secret := range map[string]string{
		"PEM": private, "a mistyped begin": strings.Replace(private, "PRIVATE", "PRIVTE", 1), "without its begin": strings.SplitN(private, "\n", 2)[1],
		"the body alone": line, "JWK": `{"kty":"EC","d":"` + line + `"}`, "a mistyped JWK": `{"kty":"EC",d":"` + line + `",}`, "its value": `d: "` + line,
	} {
		for _, field := range []string{"key", "name", "logo", "uris", "policy", "partner"} {
			form := partnerForm(public)
			form.Set("page", "/console/register/partner")
			form.Set(field, secret)
			form.Add("methods", "wrong")
			if r := partner.Submit("/register/partner", form); leaks(r) || r.Status >= 500 {
				t.Errorf("%s in %s: %d, the page has a key: %s", name, field, r.Status, r.Body)
			}
			form.Set("edit", "yes")
			if r := partner.Submit("/register/partner", form); leaks(r) || r.Status >= 500 {
				t.Errorf("%s in %s, shown again: %d, the page has a key: %s", name, field, r.Status, r.Body)
			}
		}
		if r := admin.Submit("/admin/import", url.Values{"clients": {secret}, "do": {"check"}}); leaks(r) {
			t.Errorf("%s: the import shows it again", name)
		}
		if r := admin.Submit("/admin/partners", url.Values{"id": {"new"}, "name": {secret}}); leaks(r) {
			t.Errorf("%s: the catalogue shows it again", name)
		}
	}
	form := partnerForm(public)
	form.Set("page", "/console/register/partner")
	form.Set("edit", "yes")
	requireText(t, partner.Submit("/register/partner", form), http.StatusOK, "Harbour portal",
		"https://rp.example.org/second", "https://rp.example.org/logo.png")
}

func TestAnAdminRegistersAClientWithNamedClaims(t *testing.T) {
	w := boot(t)
	admin := w.AdminBrowser()
	_, public := keyPair(t)
	form := partnerForm(public)
	form.Set("id", "c1")
	form["claims"], form["acrs"] = []string{"email"}, []string{"mosip:idp:acr:password"}
	if r := admin.Post("/register/provider", form); r.Header.Get("Location") != "/console/clients/c1?note=registered" {
		t.Fatalf("%d to %q", r.Status, r.Header.Get("Location"))
	}
	form.Del("acrs")
	form.Set("id", "c2")
	r := admin.Submit("/register/provider", form)
	requireText(t, r, http.StatusUnprocessableEntity, `href="#acrs"`, `id="acrs-error"`, `value="email" checked`)
	form["acrs"] = []string{"mosip:idp:acr:password"}
	requireText(t, admin.Submit("/register/provider", form), http.StatusConflict, "Each client needs its own key")
}

func TestAdminsManageTheCatalogue(t *testing.T) {
	w := boot(t)
	admin := w.AdminBrowser()
	requireText(t, admin.Submit("/admin/policies", url.Values{
		"id": {"ports"}, "name": {"Ports"}, "type": {"Auth"}, "status": {"ACTIVE"}, "claims": {"name\r\nemail"}, "acrs": {"mosip:idp:acr:password"},
	}), http.StatusOK, "Created", "Ports", "name\nemail")
	requireText(t, admin.Submit("/admin/partners", url.Values{"id": {"harbour"}, "name": {"Harbour"}, "type": {"Auth_Partner"}, "status": {"ACTIVE"}}),
		http.StatusOK, "Harbour", "may not use any policy yet")
	for path, id := range map[string]string{"/admin/policies": "ports", "/admin/partners": "harbour"} {
		r := admin.Submit(path, url.Values{"id": {id}, "name": {"Other"}, "type": {"Auth"}, "status": {"ACTIVE"}})
		requireText(t, r, http.StatusUnprocessableEntity, "This id is in use", `value="Other"`)
		requireText(t, admin.Submit(path, url.Values{"id": {"x y"}, "name": {""}, "status": {"ACTIVE"}}), http.StatusUnprocessableEntity, "<title>Error:")
	}
	requireText(t, admin.Submit("/admin/partners/harbour/policies", url.Values{"policy": {"none"}}), http.StatusUnprocessableEntity, "Policy not found")
	requireText(t, admin.Submit("/admin/partners/harbour/policies", url.Values{"policy": {"ports"}}), http.StatusOK, "Approved", "Policy approved")
	const withdraw = "/admin/partners/harbour/policies/ports/withdraw"
	requireText(t, admin.Submit(withdraw, nil), http.StatusOK, "Withdraw policy ports from Harbour?")
	requireText(t, admin.Submit(withdraw, url.Values{"sure": {"yes"}}), http.StatusOK, "Withdrawn")
	requireText(t, admin.Submit("/admin/partners/harbour", url.Values{"name": {"Harbour"}, "type": {"Auth_Partner"}, "status": {"INACTIVE"}}),
		http.StatusOK, "Saved", "Inactive")
	requireText(t, admin.Get("/admin/partners/none"), http.StatusUnprocessableEntity, "Partner not found")
	requireText(t, admin.Get("/admin"), http.StatusOK, "harbour", "demo-partner")
}

func TestAnInitialAccessTokenIsShownOnceAndRevoked(t *testing.T) {
	w := boot(t)
	admin := w.AdminBrowser()
	form := url.Values{"partner": {"demo-partner"}, "policy": {"demo-policy"}, "uses": {"2"}, "days": {"3"}}
	shown := admin.Post("/admin/tokens", form)
	requireText(t, shown, http.StatusOK, "it is not shown again", "2 uses left")
	secret := regexp.MustCompile(`<code>([A-Z2-7]{26})</code>`).FindStringSubmatch(shown.Body)
	if secret == nil {
		t.Fatalf("no token: %s", shown.Body)
	}
	if again := admin.Get("/admin/tokens"); strings.Contains(again.Body, secret[1]) {
		t.Error("the token is shown twice")
	}
	register := func() int {
		body := map[string]any{"redirect_uris": []string{"https://rp.example/cb"}, "logo_uri": "https://rp.example/l.png",
			"jwks": map[string]any{"keys": []any{registrartest.Key(t)}}}
		return w.Call(http.MethodPost, "/v1/registrar/register", secret[1], body).Status
	}
	if status := register(); status != http.StatusCreated {
		t.Errorf("the token registers with %d", status)
	}
	path := regexp.MustCompile(`/admin/tokens/[0-9a-f]{16}/revoke`).FindString(shown.Body)
	sure := url.Values{"sure": {"yes"}}
	requireText(t, admin.Submit(path, nil), http.StatusOK, "Revoke token")
	requireText(t, admin.Submit(path, sure), http.StatusOK, "Token revoked", "No valid tokens")
	requireText(t, admin.Submit(path, sure), http.StatusOK, "Token revoked") // as after a second click
	if status := register(); status != http.StatusUnauthorized {
		t.Errorf("the revoked token registers with %d", status)
	}
	for field, value := range map[string]string{"uses": "x", "days": "91", "partner": "other", "policy": ""} {
		wrong := url.Values{"partner": {"demo-partner"}, "policy": {"demo-policy"}, "uses": {"2"}, "days": {"3"}}
		wrong.Set(field, value)
		requireText(t, admin.Submit("/admin/tokens", wrong), http.StatusUnprocessableEntity, "<title>Error:")
	}
}

func TestAdminsReadAndExportTheTrail(t *testing.T) {
	w := boot(t)
	admin := w.AdminBrowser()
	_, public := keyPair(t)
	w.PartnerBrowser("demo-partner").Submit("/register/partner", partnerForm(public))
	requireText(t, admin.Get("/admin/audit"), http.StatusOK, "of-demo-partner", "/console/clients/", "/audit/export?")
	requireText(t, admin.Get("/admin/audit?actor=nobody"), http.StatusOK, "No entries")
	requireText(t, admin.Get("/admin/audit?since=2020-01-01&until=2020-01-02"), http.StatusOK, "No entries")
	export := admin.Get("/admin/audit/export?actor=of-demo-partner")
	requireText(t, export, http.StatusOK, `"kind":"registered","actor":"of-demo-partner"`, `"end":{"events":`)
	if got := export.Header.Get("Content-Disposition"); got != `attachment; filename="audit.ndjson"` {
		t.Errorf("Content-Disposition %q", got)
	}
}

func TestAdminsImportAfterADryRun(t *testing.T) {
	w := boot(t)
	admin := w.AdminBrowser()
	key, err := json.Marshal(registrartest.Key(t))
	if err != nil {
		t.Fatal(err)
	}
	line := `{"clientId":"moved","api":"provider","clientName":"Moved","partnerId":"rp-1","publicKey":` + string(key) + `,"userClaims":["name"],` +
		`"authContextRefs":["mosip:idp:acr:password"],"logoUri":"https://rp.example/l.png","redirectUris":["https://rp.example/cb"],` +
		`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"],"status":"ACTIVE"}`
	form := url.Values{"clients": {line + "\r\nnot JSON"}, "do": {"try"}}
	requireText(t, admin.Submit("/admin/import", form), http.StatusOK, "nothing was changed", "Line 2", "Import now", "moved")
	if got := w.Call(http.MethodGet, "/v1/registrar/clients/moved", w.Admin(), nil); got.Code() != "invalid_client_id" {
		t.Errorf("after the dry run: %s", got.Body)
	}
	form.Set("do", "import")
	requireText(t, admin.Submit("/admin/import", form), http.StatusOK, "Result of the import", "Line 2")
	if got := w.Call(http.MethodGet, "/v1/registrar/clients/moved", w.Admin(), nil); got.Code() != "" {
		t.Errorf("after the import: %s", got.Body)
	}
	requireText(t, admin.Submit("/admin/import", nil), http.StatusUnprocessableEntity, `href="#clients"`)
}

func TestAdminsCompareAndSendAgain(t *testing.T) {
	provider := registrartest.NewRFC7591(t)
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		provider.Configure(c)
		provider.Manager(c)
	}})
	admin := w.AdminBrowser()
	_, public := keyPair(t)
	requireText(t, admin.Post("/register/partner", partnerForm(public)), http.StatusSeeOther)
	requireText(t, admin.Get("/queues/different"), http.StatusOK, "Nothing needs attention here")
	provider.Change("assigned-1", map[string]any{"client_name": "Evil"})
	compare := func() {
		if err := w.Core.Reconciliation.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	compare()
	requireText(t, admin.Get("/queues/different"), http.StatusOK, "Harbour portal")
	listed, _, err := w.Store.Clients(t.Context(), registrar.ClientFilter{Differs: true}, registrar.Page{})
	if err != nil || len(listed) != 1 {
		t.Fatalf("%v, %v", listed, err)
	}
	again := "/clients/" + listed[0].ID + "/resend"
	requireText(t, admin.Submit(again, url.Values{"reason": {"changed there"}}), http.StatusOK, "The client is sent to the identity provider")
	if n, err := w.Core.Calls.RunOnce(t.Context()); n != 1 || err != nil {
		t.Fatalf("%d calls, %v", n, err)
	}
	compare()
	requireText(t, admin.Get("/queues/different"), http.StatusOK, "Nothing needs attention here")
}

func TestFormsOfAdminsRequireTheRole(t *testing.T) {
	partner := boot(t).PartnerBrowser("demo-partner")
	for _, path := range []string{
		"/register/provider", "/admin/partners", "/admin/partners/demo-partner", "/admin/partners/demo-partner/policies",
		"/admin/partners/demo-partner/policies/demo-policy/withdraw", "/admin/policies", "/admin/policies/demo-policy", "/admin/tokens",
		"/admin/tokens/x/revoke", "/admin/import", "/clients/x/resend",
	} {
		requireText(t, partner.Post(path, url.Values{"id": {"x"}}), http.StatusForbidden, "You do not have access to this page")
	}
}

// A refused form is answered with its page: with its status, an error summary with the focus, and the entries except a
// key.
func TestARefusedFormIsAnsweredWithItsPage(t *testing.T) {
	w := boot(t)
	admin, partner := w.AdminBrowser(), w.PartnerBrowser("demo-partner")
	private, public := keyPair(t)
	id := register(t, w, nil)
	for _, tt := range []struct {
		path  string
		of    *registrartest.Browser
		form  url.Values
		field string // with the error
		kept  string
	}{
		{"/register/partner", partner, url.Values{"name": {"Harbour"}, "key": {public}}, "logo", `value="Harbour"`},
		{"/register/partner", partner, url.Values{"name": {"Harbour"}, "key": {private}}, "key", `value="Harbour"`},
		{"/register/provider", admin, url.Values{"id": {"c9"}, "key": {public}}, "name", `value="c9"`},
		{"/clients/" + id + "/add-key", partner, url.Values{"reason": {"Rotation"}, "key": {private}}, "key", ">Rotation</textarea>"},
		{"/clients/" + id + "/add-key", partner, url.Values{"key": {public}}, "reason", ""},
		{"/clients/" + id + "/redirects", partner, url.Values{"uris": {"https://rp.example/cb"}}, "reason", ">https://rp.example/cb</textarea>"},
		{"/clients/" + id + "/disable", partner, url.Values{"reason": {" "}}, "reason", ""},
		{"/admin/partners", admin, url.Values{"id": {"x y"}, "name": {"Harbour"}}, "id", `value="Harbour"`},
		{"/admin/partners/demo-partner", admin, url.Values{"name": {""}, "type": {"Other"}}, "name", `value="Other"`},
		{"/admin/partners/demo-partner/policies", admin, url.Values{"policy": {"none"}}, "policy", `value="none"`},
		{"/admin/policies", admin, url.Values{"id": {"x y"}, "name": {"Ports"}}, "id", `value="Ports"`},
		{"/admin/policies/demo-policy", admin, url.Values{"name": {""}, "claims": {"name"}}, "name", ">name</textarea>"},
		{"/admin/tokens", admin, url.Values{"partner": {"demo-partner"}, "uses": {"x"}, "days": {"1"}}, "uses", `value="demo-partner"`},
		{"/admin/import", admin, url.Values{"clients": {" "}}, "clients", ""},
	} {
		r := tt.of.Post(tt.path, tt.form)
		requireText(t, r, http.StatusUnprocessableEntity, "<title>Error:", `role="alert" tabindex="-1" autofocus`, `<a href="#`+tt.field+`">`, tt.kept)
		for _, key := range []string{private, public} {
			if strings.Contains(html.UnescapeString(r.Body), strings.Split(key, "\n")[1]) {
				t.Errorf("%s: the page has a key", tt.path)
			}
		}
	}
}
