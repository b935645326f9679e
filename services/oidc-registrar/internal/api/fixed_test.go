package api_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// TestAnUpdateRefusesAnotherValueOfAFixedMember crosses the paths of updates with the members that no update
// changes.
func TestAnUpdateRefusesAnotherValueOfAFixedMember(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	other := registrartest.Key(t)
	register := func(path string, body map[string]any, changes map[string]any) map[string]any {
		maps.Copy(body["request"].(map[string]any), changes)
		id := clientID(t, w.Call("POST", path, w.Admin(), body))
		return response(t, w.Call("GET", partnerPath+"/"+id, w.Admin(), nil))
	}
	partner := register(oauthPath, withNames(registrartest.PartnerRequest(registrartest.Key(t), nil)), nil)
	provider := register(esignetPath+"client", withRequestTime(registrartest.ProviderRequest("imm", registrartest.Key(t), nil)), nil)
	put := func(c map[string]any, changes map[string]any) map[string]any {
		request := map[string]any{}
		for _, name := range []string{"logoUri", "redirectUris", "grantTypes", "clientAuthMethods", "status", "userClaims", "authContextRefs"} {
			request[name] = c[name]
		}
		request["clientName"], request["clientNameLangMap"] = "Renamed", with("fra", "Portail")
		maps.Copy(request, changes)
		return withRequestTime(map[string]any{"request": request})
	}
	for _, door := range []struct {
		method, path string
		client       map[string]any
		partner      bool
	}{
		{"PUT", partnerPath, partner, true},
		{"PUT", oauthPath, partner, true},
		{"PUT", providerPath, provider, false},
		{"PUT", esignetPath + "oidc-client", provider, false},
		{"PUT", esignetPath + "oauth-client", provider, false},
		{"PUT", esignetPath + "client", provider, false},
		{"PATCH", esignetPath + "client", provider, false},
	} {
		path := door.path + "/" + door.client["clientId"].(string)
		for _, tt := range []struct {
			member           string
			stored, another  any
			partner, provide string
		}{
			{"clientId", door.client["clientId"], "bogus", "PMS_COR_001", "invalid_client_id"},
			{"publicKey", door.client["publicKey"], other, "PMS_COR_001", "invalid_public_key"},
			{"publicKey", nil, with("kty", "oct", "k", "AAAA"), "PMS_COR_001", "invalid_public_key"},
			{"policyId", door.client["policyId"], "bogus", "PMS_COR_001", "invalid_request"},
			{"authPartnerId", door.client["authPartnerId"], "bogus", "PMS_COR_001", "invalid_rp_id"},
			{"relyingPartyId", door.client["authPartnerId"], "bogus", "PMS_COR_001", "invalid_rp_id"},
		} {
			r := w.Call(door.method, path, w.Admin(), put(door.client, with(tt.member, tt.another)))
			if !door.partner {
				expectRefused(t, r, door.method+" "+path, badValue{tt.member, tt.another, tt.provide})
			} else if r.Code() != tt.partner || !strings.Contains(r.Body, " :"+tt.member+`"`) {
				t.Errorf("%s %s with another %s: %s", door.method, path, tt.member, r.Body)
			}
			if r := w.Call(door.method, path, w.Admin(), put(door.client, with(tt.member, tt.stored, "clientName", "Health portal"))); r.Code() != "" {
				t.Errorf("%s %s with the stored %s: %s", door.method, path, tt.member, r.Body)
			}
		}
	}
	for _, c := range []map[string]any{partner, provider} {
		if now := response(t, w.Call("GET", partnerPath+"/"+c["clientId"].(string), w.Admin(), nil)); now["name"] != "Health portal" {
			t.Errorf("a refused update was made: %v", now)
		}
	}
}

// TestAnEncryptedResponseNeedsAKey crosses the ways to JWE with those to a client without a key.
func TestAnEncryptedResponseNeedsAKey(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token, path := w.Provider(), esignetPath+"client"
	enc := keyOf(t, "enc")
	enc["use"] = "enc"
	for _, member := range []string{"userinfo_response_type", "id_token_response_type"} {
		jwe := with(member, "JWE")
		post := func(id string, changes map[string]any) registrartest.Reply {
			return w.Call("POST", path, token, withRequestTime(registrartest.ProviderRequest(id, registrartest.Key(t), changes)))
		}
		change := func(method string, changes map[string]any) registrartest.Reply {
			body := registrartest.UpdateRequest(changes)
			if method == "PATCH" {
				body = map[string]any{"request": changes}
			}
			return w.Call(method, path+"/"+member, token, withRequestTime(body))
		}
		refused := badValue{"additionalConfig." + member, "JWE", "invalid_additional_config"}
		expectRefused(t, post("none", with("additionalConfig", jwe)), "POST", refused)
		expect(t, "POST", post(member, nil), 200, "")
		expectRefused(t, change("PUT", with("additionalConfig", jwe)), "PUT", refused)
		expectRefused(t, change("PATCH", with("additionalConfig", jwe)), "PATCH", refused)
		expect(t, "PUT with a key", change("PUT", with("additionalConfig", jwe, "encPublicKey", enc)), 200, "")
		body := withRequestTime(map[string]any{"request": map[string]any{"encPublicKey": nil}})
		expectRefused(t, w.Call("PATCH", path+"/"+member, token, body), "PATCH without the key", refused)
		expect(t, "PATCH without both", w.Call("PATCH", path+"/"+member, token, withRequestTime(map[string]any{
			"request": map[string]any{"encPublicKey": nil, "additionalConfig": map[string]any{}}})), 200, "")
	}
}
