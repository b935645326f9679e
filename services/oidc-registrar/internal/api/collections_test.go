package api_test

import (
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// TestRequestsOfMOSIPsCollectionsAreAccepted sends the requests of the Postman collections of eSignet
// (postman-collection) and of partner management (mosip-onboarding), in their order. A wildcard is replaced by the
// address that moving-in.md names, and {{$randomImageUrl}} by an https address.
func TestRequestsOfMOSIPsCollectionsAreAccepted(t *testing.T) {
	w := newMappings(t, registrartest.Options{})
	onboarding := func(method, path, token string, request map[string]any) registrartest.Reply {
		return w.Call(method, "/v1/partnermanager/"+path, token, map[string]any{
			"id": "string", "version": "string", "requesttime": now(), "metadata": map[string]any{}, "request": request,
		})
	}
	asked := onboarding("POST", "partners/demo-partner/policy/map", w.ana,
		with("policyName", "Health", "useCaseDescription", "mapping partner to policy name"))
	key, _ := response(t, asked)["mappingkey"].(string)
	expect(t, "approve-partner-mapping-to-policy",
		onboarding("PUT", "partners/policy/"+key, w.Admin(), with("status", "Approved")), 200, "")

	rsa := func() map[string]any {
		return with("kty", "RSA", "e", "AQAB", "use", "sig", "alg", "RS256", "n", rsaKey(t)["n"], "kid", "8f3a1c77")
	}
	for module, of := range map[string][3]string{
		"demo-oidc": {"Health service OIDC Client", "https://healthservices.example/logo.png",
			"https://healthservices.example/userprofile"},
		"resident-oidc": {"resident-oidc", "https://resident.example/assets/MOSIP%20Vertical%20Black.png",
			"https://api-internal.example/resident/v1/login-redirect/aHR0cHM6Ly9yZXNpZGVudA=="}, // was …/**
		"mimoto-oidc": {"mimoto-oidc", "https://api.example/inji/inji-home-logo.png",
			"io.mosip.residentapp.inji://oauthredirect"},
	} {
		client := registrartest.PartnerRequest(rsa(), with("name", of[0], "policyId", "health", "logoUri", of[1],
			"redirectUris", []any{of[2]}))
		r := w.Call("POST", partnerPath, w.ana, withRequestTime(client))
		if expect(t, "create-oidc-client of "+module, r, 200, ""); r.Member("status") != "ACTIVE" {
			t.Errorf("%s: %s", module, r.Body)
		}
	}
	expect(t, "Create OIDC Client in MOSIP", onboarding("POST", "oidc/client", w.ana, registrartest.PartnerRequest(
		rsa(), with("name", "O'Reilly, Kuhn and Sons"))["request"].(map[string]any)), 200, "")

	const id = "IBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA+x_5Pw"
	title := with("type", "verify", "title", with("@none", "title"), "subTitle", with("@none", "subtitle"))
	settings := func(response string, purpose any, more ...any) map[string]any {
		all := with(more...)
		for name, value := range with("userinfo_response_type", response, "purpose", purpose, "signup_banner_required", true,
			"forgot_pwd_link_required", true, "consent_expire_in_mins", 20) {
			all[name] = value
		}
		return all
	}
	acr := func(levels ...string) (list []any) {
		for _, level := range levels {
			list = append(list, "mosip:idp:acr:"+level)
		}
		return list
	}
	fields := with("clientName", "O'Reilly, Kuhn and Sons", "logoUri", "https://loremflickr.com/640/480",
		"redirectUris", []any{
			"https://healthservices.example/userprofile", "io.mosip.residentapp://oauth",
			"http://localhost:5000/userprofile", "http://localhost:3000/registration/done", // were …/** and …/*
		},
		"userClaims", []any{"name", "email", "gender", "phone_number", "birthdate", "picture", "address"},
		"authContextRefs", acr("generated-code", "password", "linked-wallet", "biometrics", "static-code"),
		"grantTypes", []any{"authorization_code"}, "clientAuthMethods", []any{"private_key_jwt"})
	for _, step := range []struct {
		name, method, path string
		changes            map[string]any
	}{
		{"Create OIDC client", "POST", "", with("clientId", id, "publicKey", rsa(), "relyingPartyId", "mock-relying-party-id",
			"userClaims", []any{"name", "email", "gender", "phone_number", "picture", "birthdate"},
			"authContextRefs", acr("generated-code", "password", "linked-wallet"),
			"additionalConfig", settings("JWS", with("type", "verify")))},
		{"Update OIDC client", "PUT", "/" + id, with("status", "ACTIVE", "additionalConfig", settings("JWS", title))},
		{"Patch OIDC client", "PATCH", "/" + id, with("status", "ACTIVE",
			"additionalConfig", settings("JWE", title, "require_pushed_authorization_requests", false,
				"dpop_bound_access_tokens", false, "require_pkce", true),
			"encPublicKey", with("kty", "RSA", "e", "AQAB", "n", rsaKey(t)["n"], "alg", "RSA-OAEP-256", "use", "enc"))},
	} {
		request := with("requestTime", now())
		body := map[string]any{}
		for _, members := range []map[string]any{fields, step.changes} {
			for name, value := range members {
				body[name] = value
			}
		}
		request["request"] = body
		r := w.Call(step.method, esignetPath+"client"+step.path, w.Provider(), request)
		if expect(t, step.name, r, 200, ""); r.Member("clientId") != id || r.Member("status") != "ACTIVE" {
			t.Errorf("%s: %s", step.name, r.Body)
		}
	}
	shown := response(t, w.Call("GET", esignetPath+"oidc-client/"+id, w.Provider(), nil))
	config, _ := shown["additionalConfig"].(map[string]any)
	if len(shown["userClaims"].([]any)) != 7 || config["require_pkce"] != true || shown["encPublicKey"] == nil {
		t.Errorf("after all: %v", shown)
	}
}
