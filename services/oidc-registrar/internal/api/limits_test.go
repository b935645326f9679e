package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

const (
	partnerDoor  = "/v1/partnermanager/oidc/client"
	providerDoor = "/v1/idp/client-mgmt/oidc-client"
)

func hourly(burst int) limit.Rate { return limit.Rate{Calls: 1, Per: time.Hour, Burst: burst} }

// limited reports a reply that is not 429 with its headers and the code.
func limited(t *testing.T, r registrartest.Reply, code, policy string) {
	t.Helper()
	if r.Status != 429 || r.Code() != code || r.Header.Get("Retry-After") != "3600" || r.Header.Get("RateLimit-Policy") != policy || r.Header.Get("RateLimit") == "" {
		t.Errorf("%d %s %v, want 429 %s %s", r.Status, r.Body, r.Header, code, policy)
	}
}

func TestACallerWhoCallsTooOftenIsRefusedInTheEnvelopeOfTheDoor(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.RatePerson, c.RateService = hourly(2), hourly(1) }})
	ana := w.Partner("ana", "demo-partner")
	robot := w.Token(bearer.DevToken{Subject: "robot", Roles: []string{"PARTNER_ADMIN"}, Claims: map[string]any{"client_id": "robot"}})
	for range 2 {
		if r := w.Call("GET", partnerDoor, ana, nil); r.Status != 200 {
			t.Fatal(r.Body)
		}
	}
	limited(t, w.Call("GET", partnerDoor, ana, nil), "PMS_PRT_500", `"person";q=2;w=7200`)
	if r := w.Call("GET", partnerDoor, robot, nil); r.Status != 200 {
		t.Fatal(r.Body)
	}
	limited(t, w.Call("GET", providerDoor+"/x", robot, nil), "unknown_error", `"service";q=1;w=3600`)
	if r := w.Call("GET", partnerDoor, w.Admin(), nil); r.Status != 200 {
		t.Error(r.Body)
	}
}

func TestAPartnerRegistersSoManyClientsInATime(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.RateRegistrations = hourly(2) }})
	ana, mallory, admin := w.Partner("ana", "demo-partner"), w.Partner("mallory", "other"), w.Admin()
	register := func(token string) registrartest.Reply {
		t.Helper()
		return w.Call("POST", partnerDoor, token, registrartest.PartnerRequest(registrartest.Key(t), nil))
	}
	for range 3 { // somebody else's calls do not count for the partner
		if r := register(mallory); r.Status != 403 {
			t.Fatal(r.Status, r.Body)
		}
	}
	for range 2 {
		if r := register(ana); r.Code() != "" {
			t.Fatal(r.Body)
		}
	}
	limited(t, register(ana), "PMS_PRT_500", `"registrations";q=2;w=7200`)
	if r := register(admin); r.Code() != "" {
		t.Error(r.Body)
	}
	if r := w.Call("GET", partnerDoor, ana, nil); r.Status != 200 {
		t.Error(r.Body)
	}

	ids := 0
	provider := w.Provider()
	provide := func(partner string) registrartest.Reply {
		t.Helper()
		ids++
		return w.Call("POST", providerDoor, provider, registrartest.ProviderRequest(fmt.Sprint("client-", ids), registrartest.Key(t), map[string]any{"relyingPartyId": partner}))
	}
	for range 2 {
		if r := provide("rp-1"); r.Code() != "" {
			t.Fatal(r.Body)
		}
	}
	limited(t, provide("rp-1"), "unknown_error", `"registrations";q=2;w=7200`)
	if r := provide("rp-2"); r.Code() != "" {
		t.Error(r.Body)
	}
	provider = admin
	if r := provide("rp-1"); r.Code() != "" {
		t.Error(r.Body)
	}
	provider = w.Provider()
	limited(t, provide("demo-partner"), "unknown_error", `"registrations";q=2;w=7200`)
	metricstest.Want(t, w.Metrics, map[string]float64{`registrar_http_limited_total{limit="operation_rate"}`: 3})
}
