package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

const (
	partnerAPI    = "/v1/partnermanager/oidc/client"
	clientMgmtAPI = "/v1/idp/client-mgmt/oidc-client"
)

func hourly(burst int) limit.Rate { return limit.Rate{Calls: 1, Per: time.Hour, Burst: burst} }

// expectLimited reports a reply that is not 429 with its headers and the code.
func expectLimited(t *testing.T, r registrartest.Reply, code, policy string) {
	t.Helper()
	if r.Status != 429 || r.Code() != code || r.Header.Get("Retry-After") != "3600" ||
		r.Header.Get("RateLimit-Policy") != policy || r.Header.Get("RateLimit") == "" {
		t.Errorf("%d %s %v, want 429 %s %s", r.Status, r.Body, r.Header, code, policy)
	}
}

func TestRateLimitedCallerIsRefusedInTheInterfaceEnvelope(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Now: timetest.At(time.Now()).Now,
		Config: func(c *server.Config) { c.RatePerson, c.RateService = hourly(2), hourly(1) }})
	ana := w.Partner("ana", "demo-partner")
	robot := w.Token(bearer.DevToken{Subject: "robot", Roles: []string{"PARTNER_ADMIN"}, Claims: map[string]any{"client_id": "robot"}})
	for range 2 {
		if r := w.Call("GET", partnerAPI, ana, nil); r.Status != 200 {
			t.Fatal(r.Body)
		}
	}
	expectLimited(t, w.Call("GET", partnerAPI, ana, nil), "PMS_PRT_500", `"person";q=2;w=7200`)
	if r := w.Call("GET", partnerAPI, robot, nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	expectLimited(t, w.Call("GET", clientMgmtAPI+"/x", robot, nil), "unknown_error", `"service";q=1;w=3600`)
	if r := w.Call("GET", partnerAPI, w.Admin(), nil); r.Status != 200 {
		t.Error(r.Body)
	}
}

func TestAPartnerRegistersSoManyClientsInATime(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Now: timetest.At(time.Now()).Now,
		Config: func(c *server.Config) { c.RateRegistrations = hourly(2) }})
	ana, mallory, admin := w.Partner("ana", "demo-partner"), w.Partner("mallory", "other"), w.Admin()
	register := func(token string) registrartest.Reply {
		t.Helper()
		return w.Call("POST", partnerAPI, token, registrartest.PartnerRequest(registrartest.Key(t), nil))
	}
	for range 3 { // calls of others are not counted for the partner
		if r := register(mallory); r.Status != 403 {
			t.Fatal(r.Status, r.Body)
		}
	}
	for range 2 {
		if r := register(ana); r.Code() != "" {
			t.Fatal(r.Body)
		}
	}
	expectLimited(t, register(ana), "PMS_PRT_500", `"registrations";q=2;w=7200`)
	if r := register(admin); r.Code() != "" {
		t.Error(r.Body)
	}
	if r := w.Call("GET", partnerAPI, ana, nil); r.Status != 200 {
		t.Error(r.Body)
	}

	ids := 0
	provider := w.Provider()
	provide := func(partner string) registrartest.Reply {
		t.Helper()
		ids++
		return w.Call("POST", clientMgmtAPI, provider, registrartest.ProviderRequest(fmt.Sprint("client-", ids),
			registrartest.Key(t), map[string]any{"relyingPartyId": partner}))
	}
	for range 2 {
		if r := provide("rp-1"); r.Code() != "" {
			t.Fatal(r.Body)
		}
	}
	expectLimited(t, provide("rp-1"), "unknown_error", `"registrations";q=2;w=7200`)
	if r := provide("rp-2"); r.Code() != "" {
		t.Error(r.Body)
	}
	provider = admin
	if r := provide("rp-1"); r.Code() != "" {
		t.Error(r.Body)
	}
	provider = w.Provider()
	expectLimited(t, provide("demo-partner"), "unknown_error", `"registrations";q=2;w=7200`)
	metricstest.Want(t, w.Metrics, map[string]float64{`registrar_http_limited_total{limit="operation_rate"}`: 3})
}

// An invalid id is refused before any lookup and is not stored.
func TestAnIDThatNothingCanHaveIsNotLookedFor(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	admin := w.Admin()
	for _, id := range []string{strings.Repeat("x", 2700), "a%20b", "%E2%80%8Bx", strings.Repeat("%C3%A9", 101)} {
		for _, tt := range []struct {
			method, path string
			status       int
			code         string
		}{
			{"GET", partnerPath + "/" + id, 200, "PMS_IDP_004"},
			{"PUT", partnerPath + "/" + id, 200, "PMS_IDP_004"},
			{"GET", clientsPath + id + "/events", 200, "invalid_client_id"},
			{"GET", oauthPath + "/" + id, 200, "PMS_ESI_004"},
			{"PUT", oauthPath + "/" + id, 200, "PMS_ESI_004"},
			{"GET", providerPath + "/" + id, 200, "invalid_client_id"},
			{"PUT", providerPath + "/" + id, 200, "invalid_client_id"},
			{"PATCH", esignetPath + "client/" + id, 200, "invalid_client_id"},
			{"GET", providerPath + "/" + id + "/jwks", 404, "invalid_client_id"},
			{"GET", "/v1/partnermanager/partners/" + id, 200, "PMS_PRT_058"},
			{"GET", "/v1/partnermanager/policies/" + id, 200, "PMS_PRT_073"},
		} {
			var body any
			if tt.method != "GET" {
				body = map[string]any{}
			}
			if r := w.Call(tt.method, tt.path, admin, body); r.Status != tt.status || r.Code() != tt.code || len(r.Body) > 300 {
				t.Errorf("%s %.60s: %d %s", tt.method, tt.path, r.Status, r.Body)
			}
		}
	}
	for _, path := range []string{partnerPath, providerPath, esignetPath + "client", oauthPath} {
		r, err := http.Get(w.URL + path + "/%ff")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != 404 {
			t.Errorf("GET %s/%%ff: %d", path, r.StatusCode)
		}
	}
}

func TestRefusedReadsAreNotStoredAndRefusedWritesOnceAMinute(t *testing.T) {
	clock := timetest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	w := registrartest.Boot(t, registrartest.Options{Now: clock.Now})
	admin, eve := w.Admin(), w.Partner("eve", "other")
	response(t, w.Call("POST", partnerPath, admin, registrartest.PartnerRequest(fixedKey, nil)))
	path := partnerPath + "/XMCPhG6EMaWXCntA2cJXwSCIoPTuNrkP_X_YCplpkto"
	refusals := func() int {
		t.Helper()
		return strings.Count(w.Call("GET", neutral(path)+"/events", admin, nil).Body, `"refused"`)
	}
	for range 3 {
		w.Call("GET", path, eve, nil)
		w.Call("GET", neutral(path)+"/events", eve, nil)
		w.Call("GET", partnerPath+"?authPartnerId=demo-partner", eve, nil)
	}
	if n := refusals(); n != 0 {
		t.Errorf("%d refused reads are stored", n)
	}
	for range 3 {
		w.Call("PUT", path, eve, registrartest.UpdateRequest(nil))
		w.Call("PUT", path, admin, registrartest.UpdateRequest(map[string]any{"clientName": ""}))
	}
	if n := refusals(); n != 2 { // two codes
		t.Errorf("%d refused writes of one minute are stored, want 2", n)
	}
	clock.Advance(time.Minute)
	w.Call("PUT", path, eve, registrartest.UpdateRequest(nil))
	if n := refusals(); n != 3 {
		t.Errorf("a minute later %d are stored, want 3", n)
	}
}

// A value that the provider cannot store is refused by its field, and nothing is stored or sent.
func TestAValueTooLongForTheProviderIsRefused(t *testing.T) {
	e := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: e.Configure})
	expect(t, "registered", w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil)), 200, "")
	calls := e.Calls()
	var uris []any
	for i := range 5 {
		uris = append(uris, fmt.Sprintf("https://rp.example/%d/%s", i, strings.Repeat("x", 400)))
	}
	long := badValue{"redirectUris", "long", "invalid_redirect_uri", element}
	provider, changes := door{path: providerPath}, with("redirectUris", uris)
	body, token := provider.registration("c2", registrartest.Key(t), changes), w.Provider()
	long.expect(t, w.Call("POST", providerPath, token, body), "POST", provider)
	long.expect(t, w.Call("PUT", providerPath+"/c1", token, registrartest.UpdateRequest(changes)), "PUT", provider)
	expect(t, "not stored", w.Call("GET", providerPath+"/c2", w.Provider(), nil), 200, "invalid_client_id")
	if e.Calls() != calls {
		t.Errorf("the provider got %s", e.Methods())
	}
}
