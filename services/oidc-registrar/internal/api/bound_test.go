package api_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

func TestAProviderThatHangsTakesNothingElseWithIt(t *testing.T) {
	const slots, registrations, calls = 64, 80, 32 // all answered long before the timeout of the provider, on a slow machine too
	provider := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		provider.Configure(c)
		c.MaxInFlight = slots
	}})
	if r := w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("known", registrartest.Key(t), nil)); r.Code() != "" {
		t.Fatal(r.Body)
	}
	release := make(chan struct{})
	provider.SetHook(registrartest.Before, func() { <-release })
	var group sync.WaitGroup
	replies := make(chan registrartest.Reply, registrations)
	partner, key := w.Partner("ana", "demo-partner"), registrartest.Key(t)
	for range registrations {
		body := registrartest.PartnerRequest(registrartest.Key(t), nil)
		group.Go(func() { replies <- w.Call("POST", partnerPath, partner, body) })
	}
	stored := 1 + calls
	for range registrations - calls { // the other calls are blocked by the provider
		r := <-replies
		if strings.Contains(r.Body, "will be made later") { // else there was no slot for the call
			stored++
		}
		if r.Status != 503 || r.Code() != "PMS_PRT_500" || r.Header.Get("Retry-After") == "" {
			t.Errorf("%d %s, Retry-After %q", r.Status, r.Body, r.Header.Get("Retry-After"))
		}
	}
	for _, path := range []string{partnerPath + "?limit=200", providerPath + "/known", providerPath + "/known/jwks", "/v1/registrar/health", "/readyz"} {
		if r := w.Call("GET", path, w.Admin(), nil); r.Status != 200 || r.Code() != "" {
			t.Errorf("%s while the provider hangs: %d %s", path, r.Status, r.Body)
		}
	}
	// A change is left to the worker too. Calls without the provider succeed.
	if r := w.Call("PUT", providerPath+"/known", w.Provider(), registrartest.UpdateRequest(nil)); r.Status != 503 ||
		!strings.Contains(r.Body, "will be made later") {
		t.Errorf("a change: %d %s", r.Status, r.Body)
	}
	if r := w.Call("POST", partnerPath, partner, registrartest.PartnerRequest(key, map[string]any{"name": ""})); r.Code() != "PMS_COR_001" {
		t.Errorf("a refusal: %d %s", r.Status, r.Body)
	}
	close(release)
	group.Wait()
	for range calls {
		if r := <-replies; r.Status != 200 || !strings.Contains(r.Body, `"ACTIVE"`) {
			t.Errorf("the waiting call: %d %s", r.Status, r.Body)
		}
	}
	if n := len(provider.Clients()); n != 1+calls {
		t.Errorf("the provider has %d clients", n)
	}
	for more := true; more; { // the worker makes the others, and none twice
		n, err := w.Core.Calls.RunOnce(t.Context())
		if more = n > 0; err != nil {
			t.Fatal(err)
		}
	}
	if n := len(provider.Clients()); n != stored || stored <= slots {
		t.Errorf("then the provider has %d clients of %d", n, stored)
	}
}
