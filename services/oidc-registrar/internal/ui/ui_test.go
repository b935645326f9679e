package ui_test

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

func TestMain(m *testing.M) { os.Exit(registrartest.Run(m)) }

func boot(t *testing.T) *registrartest.Service {
	t.Helper()
	return registrartest.Boot(t, registrartest.Options{})
}

// requireText fails the test if a page has another status or lacks a text.
func requireText(t *testing.T, r registrartest.Reply, status int, texts ...string) {
	t.Helper()
	_, shown, _ := strings.Cut(r.Body, "<main")
	if r.Status != status {
		t.Fatalf("%d, want %d: %s", r.Status, status, shown)
	}
	for _, text := range texts {
		if !strings.Contains(r.Body, text) {
			t.Errorf("the page lacks %q: %s", text, shown)
		}
	}
}

// pagesOfMembers and pagesOfAdmins are the pages that need a role.
var (
	pagesOfMembers = []string{
		"", "/queues", "/queues/failed", "/queues/doubtful", "/queues/different", "/register", "/register/partner", "/mappings",
	}
	pagesOfAdmins = []string{
		"/register/provider", "/admin", "/admin/partners/demo-partner", "/admin/policies", "/admin/policies/demo-policy",
		"/admin/tokens", "/admin/audit", "/admin/audit/export", "/admin/import",
	}
)

func TestPagesRequireTheirRoles(t *testing.T) {
	w := boot(t)
	admin, partner := w.AdminBrowser(), w.PartnerBrowser("demo-partner")
	other := w.Browser(w.Token(bearer.DevToken{Subject: "guest"}))
	for _, path := range append(pagesOfMembers, pagesOfAdmins...) {
		requireText(t, admin.Get(path), http.StatusOK)
		requireText(t, other.Get(path), http.StatusForbidden, "You do not have access to this page")
		r := w.Browser("").Get(path)
		if to := r.Header.Get("Location"); r.Status != http.StatusSeeOther || !strings.HasPrefix(to, "/console/signin?to=") {
			t.Errorf("%s without a session: %d to %q", path, r.Status, to)
		}
	}
	for _, path := range pagesOfMembers {
		requireText(t, partner.Get(path), http.StatusOK)
	}
	for _, path := range pagesOfAdmins {
		requireText(t, partner.Get(path), http.StatusForbidden, "You do not have access to this page")
		form := url.Values{"page": {"/console" + path}, "edit": {"yes"}} // a form that names another page
		requireText(t, partner.Post("/register/partner", form), http.StatusForbidden, "You do not have access to this page")
	}
}

func TestAFormOfAnotherSiteIsRefused(t *testing.T) {
	w := boot(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.URL+"/console/settings", strings.NewReader("language=fr"))
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "clients.example"
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body.Close(); response.StatusCode != http.StatusForbidden {
		t.Errorf("%d", response.StatusCode)
	}
}

func TestSettingsAreInTheLanguageOfTheReader(t *testing.T) {
	b := boot(t).AdminBrowser()
	b.Language = "fr"
	requireText(t, b.Get("/settings"), http.StatusOK, "Préférences", "Fuseau horaire")
	requireText(t, b.Submit("/settings", url.Values{"language": {"fr"}}), http.StatusOK, "Enregistré")
}

func TestALogoutOfTheIssuerEndsTheTokensOfTheAPI(t *testing.T) {
	w := boot(t)
	token := w.Token(bearer.DevToken{Subject: "admin", Roles: []string{"PARTNER_ADMIN"}, Claims: map[string]any{"sid": "s1"}})
	if r := w.Call(http.MethodGet, "/v1/partnermanager/policies", token, nil); r.Status != http.StatusOK {
		t.Fatal(r)
	}
	logOut(t, w, "s1")
	if r := w.Call(http.MethodGet, "/v1/partnermanager/policies", token, nil); r.Status != http.StatusUnauthorized {
		t.Errorf("after the logout: %d", r.Status)
	}
	if r := w.Browser(token).Get(""); r.Status != http.StatusSeeOther {
		t.Errorf("a page after the logout: %d", r.Status)
	}
}

func TestTheConsoleIsOffWithoutItsClient(t *testing.T) {
	for name, config := range map[string]func(*server.Config){
		"no client": func(c *server.Config) { c.ConsoleClientID = "" },
		"read-only": func(c *server.Config) { c.ReadOnly = true },
	} {
		w := registrartest.Boot(t, registrartest.Options{Config: config, Closed: true})
		if w.UI != nil {
			t.Errorf("%s: there is a console", name)
		}
	}
}

func logOut(t *testing.T, w *registrartest.Service, sid string) {
	t.Helper()
	err := w.Sessions.LogOut(t.Context(), session.Logout{JTI: "j1", Session: sid, IssuedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
}
