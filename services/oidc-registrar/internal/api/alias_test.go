package api_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// Callers of eSignet 2.0 keep their paths and scopes.
func TestScopesOfESignet2AreAliases(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: registrartest.NewESignet2(t).Configure})
	path := esignetPath + "client"
	token := func(scope string) string {
		return w.Token(bearer.DevToken{Subject: "esignet", Scopes: []string{scope}})
	}
	body := withRequestTime(registrartest.ProviderRequest("c1", registrartest.Key(t), nil))
	patch := withRequestTime(map[string]any{"request": map[string]any{"status": "INACTIVE"}})
	for _, step := range []struct {
		scope, method, path string
		body                any
		status              int
	}{
		{"client_mgmt_read", "POST", path, body, 403},
		{"client_mgmt_write", "POST", path, body, 200},
		{"client_mgmt_write", "GET", path + "/c1", nil, 403},
		{"client_mgmt_read", "GET", path + "/c1", nil, 200},
		{"client_mgmt_read", "PATCH", path + "/c1", patch, 403},
		{"client_mgmt", "PATCH", path + "/c1", patch, 200},
		{"client_mgmt", "GET", path + "/c1", nil, 200},
		{"get_oidc_client", "GET", path + "/c1", nil, 200},
		{"client_mgm", "GET", path + "/c1", nil, 403},
		{"client_mgmt", "GET", "/v1/registrar/admin/clients/doubtful", nil, 403},
		{"client_mgmt_write", "GET", clientsPath + "c1", nil, 403},
		{"client_mgmt_read", "GET", clientsPath + "c1", nil, 200},
		{"client_mgmt_read", "POST", clientsPath + "c1/disable", because("x"), 403},
		{"client_mgmt_write", "POST", clientsPath + "c1/disable", because("x"), 200},
	} {
		r := w.Call(step.method, step.path, token(step.scope), step.body)
		if r.Status != step.status || r.Status == 200 && r.Member("clientId") != "c1" {
			t.Errorf("%s %s with %s: %d %s", step.method, step.path, step.scope, r.Status, r.Body)
		}
	}
	if r := w.Call("GET", path+"/c1", token("client_mgmt"), nil); r.Member("status") != "INACTIVE" || strings.Contains(r.Body, "publicKey") {
		t.Errorf("id and status: %s", r.Body)
	}
	if r := w.Call("GET", path+"/none", token("client_mgmt"), nil); r.Code() != "invalid_client_id" {
		t.Errorf("no such client: %d %s", r.Status, r.Body)
	}
}

func TestDoubtfulClientsAreListedAndConfirmedByAdmins(t *testing.T) {
	provider := registrartest.NewESignet2(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	provider.AddForeignClient("c1")
	if r := w.Call("POST", esignetPath+"client", w.Provider(),
		withRequestTime(registrartest.ProviderRequest("c1", registrartest.Key(t), nil))); r.Status != 503 ||
		r.Code() != "unknown_error" {
		t.Errorf("a duplicate on a first attempt: %d %s", r.Status, r.Body)
	}
	const list, confirm = "/v1/registrar/admin/clients/doubtful", "/v1/registrar/admin/clients/c1/confirm"
	if r := w.Call("GET", list, w.Admin(), nil); len(r.Member("items").([]any)) != 1 {
		t.Errorf("listed: %s", r.Body)
	}
	if r := w.Call("POST", confirm, w.Admin(), nil); r.Status != 200 || r.Member("status") != "ACTIVE" {
		t.Errorf("confirmed: %d %s", r.Status, r.Body)
	}
}
