package api_test

import (
	"maps"
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
	for _, d := range everyDoor {
		client, methods := provider, []string{"PUT"}
		if d.partner {
			client = partner
		}
		if d.configured {
			methods = append(methods, "PATCH")
		}
		path := d.path + "/" + client["clientId"].(string)
		for stored, bad := range map[string]badValue{
			"clientId":       {"clientId", "bogus", "invalid_client_id", shape},
			"publicKey":      {"publicKey", other, "invalid_public_key", shape},
			"none":           {"publicKey", with("kty", "oct", "k", "AAAA"), "invalid_public_key", shape},
			"policyId":       {"policyId", "bogus", "invalid_request", shape},
			"authPartnerId":  {"authPartnerId", "bogus", "invalid_rp_id", shape},
			"relyingPartyId": {"relyingPartyId", "bogus", "invalid_rp_id", shape},
		} {
			for _, method := range methods {
				bad.expect(t, w.Call(method, path, w.Admin(), put(client, with(bad.field, bad.value))), method, d)
				same := put(client, with(bad.field, client[stored], "clientName", "Health portal"))
				expect(t, method+" "+path+" with the stored "+stored, w.Call(method, path, w.Admin(), same), 200, "")
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
		refused := badValue{"additionalConfig." + member, "JWE", "invalid_additional_config", shape}
		refused.expect(t, post("none", with("additionalConfig", jwe)), "POST", door{path: path})
		expect(t, "POST", post(member, nil), 200, "")
		refused.expect(t, change("PUT", with("additionalConfig", jwe)), "PUT", door{path: path})
		refused.expect(t, change("PATCH", with("additionalConfig", jwe)), "PATCH", door{path: path})
		expect(t, "PUT with a key", change("PUT", with("additionalConfig", jwe, "encPublicKey", enc)), 200, "")
		body := withRequestTime(map[string]any{"request": map[string]any{"encPublicKey": nil}})
		refused.expect(t, w.Call("PATCH", path+"/"+member, token, body), "PATCH without the key", door{path: path})
		expect(t, "PATCH without both", w.Call("PATCH", path+"/"+member, token, withRequestTime(map[string]any{
			"request": map[string]any{"encPublicKey": nil, "additionalConfig": map[string]any{}}})), 200, "")
	}
}
