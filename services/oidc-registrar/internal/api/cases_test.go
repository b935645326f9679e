package api_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// TestReportedCases replays calls from issues of other projects. A row names its source. The separator of the lists
// of settings has its own test in package server.
func TestReportedCases(t *testing.T) {
	provider := registrartest.NewRFC7591(t)
	dynamic := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	w := registrartest.Boot(t, registrartest.Options{})
	post := func(path string, body map[string]any) registrartest.Reply {
		return w.Call("POST", path, w.Admin(), withRequestTime(body))
	}
	managed := func(id string, changes ...any) map[string]any {
		return registrartest.ProviderRequest(id, registrartest.Key(t), with(changes...))
	}
	dcr := func(to *registrartest.Service, changes ...any) registrartest.Reply {
		return to.Call("POST", standardPath, initialToken(t, to, 1), metadata(registrartest.Key(t), with(changes...)))
	}
	second := registrartest.Key(t)
	change := registrartest.UpdateRequest(with("publicKey", registrartest.Key(t), "relyingPartyId", "bogus-rp"))
	delete(change["request"].(map[string]any), "policyId")
	post(providerPath, managed("imm"))
	for _, tt := range []struct {
		name, source string
		reply        registrartest.Reply
		status       int
		want         []string
	}{
		{"put-immutable-silent", "mosip/esignet#2535", w.Call("PUT", providerPath+"/imm", w.Admin(), withRequestTime(change)), 200,
			[]string{"invalid_public_key", "invalid_rp_id", "POST /v1/registrar/clients/imm/keys", "bogus-rp"}},
		{"jwe-without-key", "mosip/esignet#2534",
			post(esignetPath+"client", managed("jwe", "additionalConfig", with("userinfo_response_type", "JWE"))), 200,
			[]string{"invalid_additional_config", "request.additionalConfig.userinfo_response_type: ", "encPublicKey"}},
		{"host-underscore-message", "host names of container networks",
			post(providerPath, managed("host", "redirectUris", []any{"https://my_app.portal.example/cb"})), 200,
			[]string{"invalid_redirect_uri", "request.redirectUris[0]: ", "my_app.portal.example", "'_'"}},
		{"host-underscore-message", "aspnet/Security#1646",
			post(providerPath, managed("host", "redirectUris", []any{"https://грант.рф/signin-oidc"})), 200,
			[]string{"invalid_redirect_uri", "request.redirectUris[0]: ", "xn--"}},
		{"logo-data-message", "mosip/esignet#2536", post(providerPath, managed("logo", "logoUri", "javascript:alert(1)")), 200,
			[]string{"invalid_uri", "request.logoUri: ", "must be an https URL"}},
		{"logo-data-message", "mosip/esignet#2536",
			post(providerPath, managed("logo", "logoUri", "data:image/png;base64,iVBORw0KGgo=")), 200,
			[]string{"invalid_uri", "request.logoUri: ", "must be an https URL"}},
		{"onboarder-resident", "mosip/mosip-onboarding",
			post(partnerPath, registrartest.PartnerRequest(registrartest.Key(t),
				with("redirectUris", []any{"https://api-internal.example/resident/v1/login-redirect/**"}))), 200,
			[]string{"invalid_redirect_uri", "register each exact address"}},
		{"dcr-bare-jwk", "keycloak/keycloak#12344", dcr(w, "jwks", registrartest.Key(t)), 400,
			[]string{"invalid_client_metadata", "jwks: must be a JWK Set, an object with the member keys"}},
		{"dcr-default-max-age", "idpyoidc 5.0", dcr(w, "default_max_age", 86400, "subject_type", "public",
			"id_token_signed_response_alg", "RS256", "userinfo_signed_response_alg", "RS256",
			"request_object_signing_alg", "RS256", "response_modes", []any{"query", "fragment", "form_post"},
			"application_type", "web", "response_types", []any{"code"}), 201,
			[]string{`"default_max_age":86400`, `"userinfo_signed_response_alg":"RS256"`}},
		{"one reply names every fault", "OpenIDC/mod_auth_openidc src/metadata", dcr(w, "jwks", nil,
			"token_endpoint_auth_method", "client_secret_basic",
			"response_types", []any{"code", "id_token", "id_token token", "code id_token"},
			"grant_types", []any{"authorization_code", "implicit", "refresh_token"}, "contacts", []any{"a@rp.example"},
			"jwks_uri", "https://rp.example/cb?jwks=rsa", "initiate_login_uri", "https://rp.example/cb",
			"frontchannel_logout_uri", "https://rp.example/cb?logout=get", "request_object_signing_alg", "none",
			"backchannel_logout_uri", "https://rp.example/cb?logout=backchannel"), 400,
			[]string{"invalid_client_metadata", "jwks_uri: ", "frontchannel_logout_uri: ", "backchannel_logout_uri: ",
				"request_object_signing_alg: ", "token_endpoint_auth_method: ", "jwks: "}},
		{"dcr-name-bcp47", "RFC 7591 §2.2", dcr(w, "client_name#ja-Jpan-JP", "クライアント名", "client_name#pt-BR", "Portal de saúde"), 201,
			[]string{`"client_name#ja-Jpan-JP":"クライアント名"`, `"client_name#pt-BR":"Portal de saúde"`}},
		{"dcr-post-logout", "indigo-iam#1179", dcr(w, "post_logout_redirect_uris", []any{"https://portal.example/bye"}), 201,
			[]string{`"post_logout_redirect_uris":["https://portal.example/bye"]`}},
		{"dcr-two-signing-keys", "idpyoidc DEFAULT_RP_KEY_DEFS", dcr(w, "jwks", set(
			with("kty", "RSA", "e", "AQAB", "kid", "r", "use", "sig", "n", rsaKey(t)["n"]), with("kid", "e", "use", "sig", "kty", "EC", "crv", "P-256",
				"x", second["x"], "y", second["y"]))), 201, []string{`"kid":"r"`, `"kid":"e"`}},
		{"mcp-vscode", "microsoft/vscode PR 252226", dcr(w, "client_name", "Visual Studio Code", "redirect_uris", []any{
			"https://insiders.vscode.dev/redirect", "https://vscode.dev/redirect", "http://localhost/", "http://127.0.0.1/",
			"http://localhost:33418/", "http://127.0.0.1:33418/",
		}, "client_uri", "https://code.visualstudio.com", "grant_types",
			[]any{"authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"},
			"response_types", []any{"code"}, "application_type", "native"), 201,
			[]string{`"grant_types":["authorization_code"]`, `"application_type":"native"`}},
		{"mcp-public-client, not permitted", "modelcontextprotocol/typescript-sdk", dcr(w, "jwks", nil, "token_endpoint_auth_method", "none",
			"redirect_uris", []any{"http://localhost:3334/oauth/callback"}), 400, []string{"token_endpoint_auth_method: ", "demo-policy", "clientTypes"}},
		{"dcr-reply-scope", "keycloak PR 7339", dcr(dynamic, "scope", "openid profile email offline_access"), 201,
			[]string{`"scope":"openid`, `"application_type":"web"`}},
	} {
		for _, want := range tt.want {
			if !strings.Contains(tt.reply.Body, want) {
				t.Errorf("%s (%s): no %s in %s", tt.name, tt.source, want, tt.reply.Body)
			}
		}
		if tt.reply.Status != tt.status {
			t.Errorf("%s (%s): %d, want %d: %s", tt.name, tt.source, tt.reply.Status, tt.status, tt.reply.Body)
		}
	}
	if c := response(t, w.Call("GET", providerPath+"/imm", w.Admin(), nil)); c["relyingPartyId"] == "bogus-rp" {
		t.Errorf("a refused update was made: %v", c)
	}
}

// A wrong requestTime hides no invalid field, at each call that has one.
func TestAWrongRequestTimeHidesNoInvalidField(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	expect(t, "a client", w.Call("POST", providerPath, w.Admin(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil)), 200, "")
	for call, tt := range map[string]struct {
		request any
		fields  []string
	}{
		"POST " + providerPath: {with("clientId", "a/b", "clientName", 5),
			[]string{"request.clientId: ", "request.clientName: must be a string"}},
		"POST " + esignetPath + "client":         {with("clientId", "c2", "logoUri", "x"), []string{"request.logoUri: ", "request.publicKey: "}},
		"PUT " + providerPath + "/c1":            {with("clientName", " ", "status", "GONE"), []string{"request.clientName: ", "request.status: "}},
		"PATCH " + esignetPath + "client/c1":     {with("clientName", " ", "status", "GONE"), []string{"request.clientName: ", "request.status: "}},
		"POST " + clientsPath + "c1/keys":        {with("publicKey", with("kty", "x")), []string{"ublicKey"}},
		"POST " + clientsPath + "c1/disable":     {with("reason", " "), []string{"reason"}},
		"POST " + esignetPath + "oidc-client":    {nil, []string{"request is missing"}},
		"PUT " + esignetPath + "oauth-client/c1": {with("clientNameLangMap", with("french", "x")), []string{`the member \"french\"`}},
		"POST " + esignetPath + "oauth-client":   {with("redirectUris", longList(7)), []string{"must have 1 to 5 elements, not 7"}},
		"PUT " + esignetPath + "client/c1": {with("additionalConfig", with("odd", 1, "more", 2)),
			[]string{`\"more\"; permitted: `, `\"odd\"; permitted: `}},
	} {
		method, path, _ := strings.Cut(call, " ")
		r := w.Call(method, path, w.Admin(), map[string]any{"requestTime": "2020-01-01T00:00:00.000Z", "request": tt.request})
		for _, want := range append(tt.fields, `"errorMessage":"requestTime: `) {
			if !strings.Contains(r.Body, want) {
				t.Errorf("%s: no %s in %s", call, want, r.Body)
			}
		}
		if r.Code() != "invalid_request" {
			t.Errorf("%s: the first code is %s", call, r.Code())
		}
	}
}
