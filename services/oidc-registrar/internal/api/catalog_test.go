package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

func TestChangesOfTheCatalogueAreEvents(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	admin := w.Admin()
	call := func(method, path string, request map[string]any) {
		t.Helper()
		response(t, w.Call(method, "/v1/partnermanager/"+path, admin, map[string]any{"request": request}))
	}
	partner := func(changes map[string]any) map[string]any {
		p := with("name", "P", "type", "Auth_Partner", "status", "ACTIVE")
		for name, value := range changes {
			p[name] = value
		}
		return p
	}
	call("PUT", "partners/p1", partner(nil))
	call("PUT", "partners/p1", partner(nil)) // nothing changes
	call("PUT", "partners/p1", partner(with("name", "Q", "logoUri", "https://rp.example/l.png")))
	call("PUT", "partners/p1/policies/demo-policy", nil)
	call("PUT", "partners/p1/policies/demo-policy", nil)
	call("DELETE", "partners/p1/policies/demo-policy", nil)
	events := func(path, token string) (list []string) {
		t.Helper()
		for _, e := range response(t, w.Call("GET", "/v1/partnermanager/"+path+"/events", token, nil))["items"].([]any) {
			e := e.(map[string]any)
			list = append(list, fmt.Sprint(e["type"], " ", e["partnerId"], " ", e["policyId"], " ", e["changed"], " ", e["actor"]))
		}
		return list
	}
	want := "[created p1 <nil> <nil> admin updated p1 <nil> [name logoUri] admin approved p1 demo-policy <nil> admin revoked p1 demo-policy <nil> admin]"
	if got := fmt.Sprint(events("partners/p1", admin)); got != want {
		t.Errorf("of the partner: %s\nwant %s", got, want)
	}
	want = "[created <nil> demo-policy <nil> system:catalog approved demo-partner demo-policy <nil> system:catalog approved p1 demo-policy <nil> admin revoked p1 demo-policy <nil> admin]"
	if got := fmt.Sprint(events("policies/demo-policy", admin)); got != want {
		t.Errorf("of the policy: %s\nwant %s", got, want)
	}
	if r := w.Call("GET", "/v1/partnermanager/partners/p1/events", w.Partner("eve", "other"), nil); r.Status != 403 {
		t.Errorf("another partner's: %d %s", r.Status, r.Body)
	}
}

func TestAPolicyIsRefusedForAnUnsupportedValue(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	policy := with("name", "P", "type", "Auth", "status", "ACTIVE", "userClaims", []any{"name"}, "authContextRefs", []any{"loa4"})
	r := w.Call("PUT", "/v1/partnermanager/policies/p1", w.Admin(), map[string]any{"request": policy})
	if r.Code() != "PMS_COR_001" || !strings.Contains(r.Body, `\"loa4\", is not supported; permitted: mosip:idp:acr:password, `) {
		t.Error(r.Body)
	}
	expect(t, "not stored", w.Call("GET", "/v1/partnermanager/policies/p1", w.Admin(), nil), 200, "PMS_PRT_073")
}
