package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// permitTypes gives the demo policy types of clients.
func permitTypes(t *testing.T, w *registrartest.Service, types ...any) registrartest.Reply {
	t.Helper()
	return w.Call("PUT", "/v1/partnermanager/policies/demo-policy", w.Admin(),
		map[string]any{"request": with("name", "P", "type", "Auth", "status", "ACTIVE",
			"userClaims", []any{"name", "email"}, "authContextRefs", []any{"mosip:idp:acr:generated-code"}, "clientTypes", types)})
}

// mcpClient is the registration of the TypeScript SDK of the Model Context Protocol.
func mcpClient(changes ...any) map[string]any {
	return metadata(nil, with(append([]any{
		"client_name", "MCP CLI Proxy", "logo_uri", nil, "jwks", nil, "redirect_uris", []any{"http://localhost:3334/oauth/callback"},
		"token_endpoint_auth_method", "none", "grant_types", []any{"authorization_code", "refresh_token"}, "response_types", []any{"code"},
		"client_uri", "https://github.com/modelcontextprotocol/mcp-cli", "software_id", "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d",
		"software_version", "0.1.38", "scope", "openid email",
	}, changes...)...))
}

func TestAPublicClientRegistersChangesAndEndsByTheStandard(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		c.GrantTypes = []string{"authorization_code", "refresh_token"}
	}})
	expect(t, "the policy", permitTypes(t, w, "public"), 200, "")
	token := initialToken(t, w, 3)
	made := members(t, w.Call("POST", standardPath, token, mcpClient()), 201)
	id, access := made["client_id"].(string), made["registration_access_token"].(string)
	if made["token_endpoint_auth_method"] != "none" || made["jwks"] != nil || made["token_endpoint_auth_signing_alg"] != nil || len(id) != 43 ||
		fmt.Sprint(made["grant_types"]) != "[authorization_code refresh_token]" || made["scope"] != "openid profile email" ||
		made["application_type"] != "native" || made["software_version"] != "0.1.38" || made["status"] != "ACTIVE" {
		t.Errorf("%v", made)
	}
	if other := members(t, w.Call("POST", standardPath, token, mcpClient()), 201); other["client_id"] == id {
		t.Error("each registration is another client")
	}
	there := response(t, w.Call("GET", providerPath+"/"+id, w.Provider(), nil))
	if config, _ := there["additionalConfig"].(map[string]any); config["require_pkce"] != true || there["publicKey"] != nil {
		t.Errorf("the provider reads %v", there)
	}
	uri := standardPath + "/" + id
	changed := members(t, w.Call("PUT", uri, access, mcpClient("client_id", id, "redirect_uris", []any{"com.example.app:/cb"})), 200)
	if fmt.Sprint(changed["redirect_uris"]) != "[com.example.app:/cb]" || changed["token_endpoint_auth_method"] != "none" {
		t.Errorf("%v", changed)
	}
	there = response(t, w.Call("GET", providerPath+"/"+id, w.Provider(), nil))
	if config, _ := there["additionalConfig"].(map[string]any); config["require_pkce"] != true {
		t.Errorf("after a change: %v", there)
	}
	if got := w.Call("GET", providerPath+"/"+id+"/jwks", "", nil); got.Body != `{"keys":[]}` {
		t.Errorf("%s", got.Body)
	}
	for name, changes := range map[string][]any{
		"a key":          {"jwks", set(registrartest.Key(t))},
		"another method": {"token_endpoint_auth_method", "private_key_jwt"},
	} {
		members(t, w.Call("PUT", uri, access, mcpClient(append(changes, "client_id", id)...)), 400)
		_ = name
	}
	key := w.Call("POST", "/v1/registrar/clients/"+id+"/keys", w.Admin(), map[string]any{"request": with("publicKey", registrartest.Key(t))})
	if key.Code() != "invalid_public_key" || !strings.Contains(key.Body, "public client") {
		t.Errorf("a key: %s", key.Body)
	}
	if gone := w.Call("DELETE", uri, access, nil); gone.Status != 204 {
		t.Errorf("%d %s", gone.Status, gone.Body)
	}
	if got := response(t, w.Call("GET", providerPath+"/"+id, w.Provider(), nil)); got["status"] != "INACTIVE" {
		t.Errorf("%v", got)
	}
}

func TestAPublicClientOfPartnerManagement(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana := w.Partner("ana", "demo-partner")
	request := func(changes ...any) map[string]any {
		return registrartest.PartnerRequest(nil, with(append([]any{
			"publicKey", nil, "clientAuthMethods", []any{"none"}, "redirectUris", []any{"http://127.0.0.1/cb", "io.example.app:/cb"},
		}, changes...)...))
	}
	refused := w.Call("POST", partnerPath, ana, request())
	if refused.Code() != "invalid_client_auth" || !strings.Contains(refused.Body, "policy demo-policy has the clientTypes confidential") {
		t.Errorf("not permitted: %s", refused.Body)
	}
	expect(t, "the policy", permitTypes(t, w, "public", "confidential"), 200, "")
	id := clientID(t, w.Call("POST", partnerPath, ana, request()))
	if again := clientID(t, w.Call("POST", partnerPath, ana, request())); again != id || len(id) != 43 {
		t.Errorf("a repeat is %s, and not %s", again, id)
	}
	for name, tt := range map[string]struct {
		changes []any
		code    string
	}{
		"another logo, and the same id": {[]any{"logoUri", "https://rp.example/other.png"}, "PMS_IDP_001"},
		"a key":                         {[]any{"publicKey", registrartest.Key(t)}, "invalid_public_key"},
		"two methods":                   {[]any{"name", "Other", "clientAuthMethods", []any{"none", "private_key_jwt"}}, "PMS_COR_001"},
		"another grant":                 {[]any{"name", "Other", "grantTypes", []any{"implicit"}}, "invalid_grant_type"},
		"a scheme without a dot":        {[]any{"redirectUris", []any{"cursor://cb"}}, "invalid_redirect_uri"},
		"eleven redirect URIs": {[]any{"redirectUris", []any{"a.b:/1", "a.b:/2", "a.b:/3", "a.b:/4", "a.b:/5",
			"a.b:/6", "a.b:/7", "a.b:/8", "a.b:/9", "a.b:/10", "a.b:/11"}}, "PMS_COR_001"},
	} {
		if r := w.Call("POST", partnerPath, ana, request(tt.changes...)); r.Code() != tt.code {
			t.Errorf("%s: %s, want %s", name, r.Body, tt.code)
		}
	}
	six := []any{"a.b:/1", "a.b:/2", "a.b:/3", "a.b:/4", "a.b:/5", "a.b:/6"}
	update := func(changes ...any) map[string]any {
		return registrartest.UpdateRequest(with(append([]any{"clientAuthMethods", []any{"none"}, "redirectUris", six}, changes...)...))
	}
	expect(t, "a change", w.Call("PUT", partnerPath+"/"+id, ana, update()), 200, "")
	expect(t, "another type", w.Call("PUT", partnerPath+"/"+id, ana, update("clientAuthMethods", []any{"private_key_jwt"})), 200, "invalid_client_auth")
	expect(t, "by another partner", w.Call("PUT", partnerPath+"/"+id, w.Partner("eve", "other"), update()), 403, "PMS_POLICY_ERROR_010")
	expect(t, "the provider's API", w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", nil,
		with("publicKey", nil, "clientAuthMethods", []any{"none"}))), 200, "invalid_public_key")
	expect(t, "the provider's API, with a key", w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t),
		with("clientAuthMethods", []any{"none"}))), 200, "invalid_client_auth")
	expect(t, "a public policy alone", permitTypes(t, w, "public"), 200, "")
	expect(t, "a confidential client", w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t),
		nil)), 200, "invalid_client_auth")
}

func TestAProviderWithoutPKCEHasNoPublicClients(t *testing.T) {
	provider := registrartest.NewRFC7591(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	if r := permitTypes(t, w, "public"); r.Code() != "PMS_COR_001" || !strings.Contains(r.Body, "does not enforce PKCE") {
		t.Errorf("the policy: %s", r.Body)
	}
	got := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), mcpClient()), 400)
	if text := got["error_description"].(string); !strings.Contains(text, "token_endpoint_auth_method: ") || !strings.Contains(text, "PKCE") {
		t.Errorf("%v", got)
	}
	if len(provider.Clients()) != 0 {
		t.Errorf("the provider has %v", provider.Clients())
	}
}

func TestASettingPermitsASchemeOfRedirectURIs(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.RedirectSchemes = []string{"cursor"} }})
	for uri, status := range map[string]int{"cursor://anysphere.cursor-retrieval/oauth": 201, "vscode://x/cb": 400, "cursor:x": 400} {
		members(t, w.Call("POST", standardPath, initialToken(t, w, 1), metadata(registrartest.Key(t), with("redirect_uris", []any{uri}))), status)
	}
}
