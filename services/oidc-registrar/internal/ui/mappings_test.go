package ui_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

func TestAPartnerAsksForAPolicyAndAnAdminDecides(t *testing.T) {
	w := boot(t)
	admin, partner := w.AdminBrowser(), w.PartnerBrowser("demo-partner")
	for _, id := range []string{"ports", "roads"} {
		admin.Submit("/admin/policies", url.Values{"id": {id}, "name": {"Policy of " + id}, "type": {"Auth"},
			"status": {"ACTIVE"}, "claims": {"name"}, "acrs": {"mosip:idp:acr:password"}})
	}
	requireText(t, partner.Get("/mappings"), http.StatusOK, "No requests", "Request a policy", "Policy of ports")
	form := func(policy, use string) url.Values {
		return url.Values{"partner": {"demo-partner"}, "policy": {policy}, "use": {use}}
	}
	ask := func(policy string) (path string) {
		t.Helper()
		r := partner.Post("/mappings", form(policy, "Sign-in of\r\nport staff"))
		path, note, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Location"), "/console"), "?")
		if r.Status != http.StatusSeeOther || note != "note=mapping-requested" {
			t.Fatalf("%d to %q: %s", r.Status, r.Header.Get("Location"), r.Body)
		}
		return path
	}
	ports, roads := ask("ports"), ask("roads")
	for name, tt := range map[string]struct {
		form   url.Values
		status int
		text   string
	}{
		"in progress": {form("ports", "Again"), http.StatusConflict, "is in progress"},
		"mapped":      {form("demo-policy", "More"), http.StatusConflict, "mapped already"},
		"no policy":   {form("none", "More"), http.StatusUnprocessableEntity, "Policy not found"},
		"no use case": {form("ports", " "), http.StatusUnprocessableEntity, `href="#use"`},
		"another's partner": {url.Values{"partner": {"other"}, "policy": {"ports"}, "use": {"X"}}, http.StatusForbidden,
			"own partner"},
	} {
		t.Log(name)
		requireText(t, partner.Submit("/mappings", tt.form), tt.status, tt.text)
	}

	shown := partner.Get(ports)
	requireText(t, shown, http.StatusOK, "Policy ports for demo-partner", "port staff", "In progress")
	if strings.Contains(shown.Body, `name="status"`) {
		t.Error("a partner is offered the decision")
	}
	requireText(t, partner.Post(ports, url.Values{"status": {"approved"}}), http.StatusForbidden)
	requireText(t, w.PartnerBrowser("other").Get(ports), http.StatusNotFound, "There is no such request")

	requireText(t, admin.Get("/queues"), http.StatusOK, "/console/mappings?status=InProgress")
	queue := admin.Get("/mappings?status=InProgress")
	requireText(t, queue, http.StatusOK, "Policy of ports", "Policy of roads", "/console"+ports)
	if strings.Contains(queue.Body, "Request a policy") {
		t.Error("an admin, who maps policies, is offered a request")
	}
	requireText(t, admin.Get(ports), http.StatusOK, "Approve", "Reject", "port staff")
	requireText(t, admin.Submit(ports, url.Values{"status": {"rejected"}}), http.StatusUnprocessableEntity,
		`href="#comment"`)
	rejected := url.Values{"status": {"rejected"}, "comment": {"Too broad"}}
	requireText(t, admin.Submit(ports, rejected), http.StatusOK, "Request rejected")
	requireText(t, partner.Get(ports), http.StatusOK, "Rejected", "Too broad")
	again := admin.Submit(ports, rejected)
	requireText(t, again, http.StatusConflict, "rejected already")
	if strings.Contains(again.Body, `name="status"`) {
		t.Error("a decided request is offered for a decision")
	}
	requireText(t, admin.Submit(roads, url.Values{"status": {"approved"}}), http.StatusOK,
		"The partner may use the policy")
	requireText(t, partner.Get("/register/partner"), http.StatusOK, `value="roads"`)
	if queue = admin.Get("/mappings?status=InProgress"); strings.Contains(queue.Body, "Policy of ") {
		t.Errorf("decided requests are in the queue: %s", queue.Body)
	}

	w.Core.Catalog.MappingPolicy = "mappings"
	held := ask("ports")
	requireText(t, admin.Submit(held, url.Values{"status": {"approved"}}), http.StatusForbidden, "approval service")
	page := admin.Get(held)
	if strings.Contains(page.Body, `name="status"`) || !strings.Contains(page.Body, "Decision in wf") {
		t.Errorf("a request that approvers decide about is offered to an admin: %s", page.Body)
	}
	partner.Language = "fr"
	requireText(t, partner.Get("/mappings"), http.StatusOK, "Demandes de règle", "Rejetée", "En cours")
}

// More requests than one page has. Each is on one page, the newest first, and the next page keeps the filter.
func TestMappingRequestsArePaged(t *testing.T) {
	clock := timetest.At(time.Now())
	w := registrartest.Boot(t, registrartest.Options{Now: clock.Now})
	by := engine.Caller{Subject: "root", Admin: true}
	other := registrar.Partner{ID: "other", Name: "Other", Type: "Auth_Partner", Status: registrar.EntryActive}
	if err := w.Core.Catalog.PutPartner(t.Context(), by, other, false); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for range 52 {
		clock.Advance(time.Millisecond)
		r, err := w.Core.Catalog.RequestMapping(t.Context(), by, registrar.MappingRequest{
			PartnerID: "other", PolicyID: "demo-policy", UseCase: "Sign-in",
		}, "")
		if err == nil {
			_, err = w.Core.Catalog.DecideMapping(t.Context(), by, r.Key, "Rejected", "No")
		}
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, r.Key)
	}
	next := regexp.MustCompile(`rel="next" href="/console([^"]+)"`)
	shown := func(b *registrartest.Browser, path string) (found []string, more string) {
		page := b.Get(path)
		requireText(t, page, http.StatusOK)
		for _, key := range keys {
			if strings.Contains(page.Body, "/console/mappings/"+key+`"`) {
				found = append(found, key)
			}
		}
		if m := next.FindStringSubmatch(page.Body); m != nil {
			more = html.UnescapeString(m[1])
		}
		return found, more
	}
	for name, b := range map[string]*registrartest.Browser{
		"admin": w.AdminBrowser(), "partner": w.PartnerBrowser("other"),
	} {
		first, more := shown(b, "/mappings?status=rejected")
		second, end := shown(b, more)
		if len(first) != 50 || !slices.Equal(append(second, first...), keys) || end != "" {
			t.Errorf("%s: %d requests, then at %s %d, then %q", name, len(first), more, len(second), end)
		}
		if !strings.Contains(more, "status=rejected") {
			t.Errorf("%s: the next page is %s", name, more)
		}
	}
	if found, more := shown(w.PartnerBrowser("demo-partner"), "/mappings"); found != nil || more != "" {
		t.Errorf("another partner is shown %d requests, then %q", len(found), more)
	}
}
