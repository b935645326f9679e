package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// documentedMembers returns the members of the client in the request of an operation, nil if it has none.
func documentedMembers(w *registrartest.Service, op *huma.Operation) (members []string, enveloped bool) {
	if op == nil || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil, false
	}
	resolve := func(s *huma.Schema) *huma.Schema {
		for s != nil && s.Ref != "" {
			s = w.API.API.OpenAPI().Components.Schemas.SchemaFromRef(s.Ref)
		}
		return s
	}
	s := resolve(op.RequestBody.Content["application/json"].Schema)
	if s != nil && s.Properties["request"] != nil {
		s, enveloped = resolve(s.Properties["request"]), true
	}
	if s == nil || s.Properties["redirectUris"] == nil && s.Properties["redirect_uris"] == nil {
		return nil, enveloped
	}
	return slices.Sorted(maps.Keys(s.Properties)), enveloped
}

// Every path that registers or changes a client is called with all of its members, and with members that it does not
// define.
func TestAnEventListsTheMembersThatHadNoEffectAndNoOthers(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	admin := w.Admin()
	lastIgnored := func(id string) string {
		items := w.Call("GET", "/v1/registrar/clients/"+id+"/events", admin, nil).Member("items").([]any)
		for _, e := range slices.Backward(items) {
			if e := e.(map[string]any); e["kind"] == "registered" || e["kind"] == "updated" {
				return fmt.Sprint(e["ignored"])
			}
		}
		return "no event"
	}
	calls := 0
	// send calls an operation with values for its members, twice: the second time with unknown members.
	send := func(method, path string, op *huma.Operation, token, id string, values map[string]any) map[string]any {
		t.Helper()
		var reply map[string]any
		members, enveloped := documentedMembers(w, op)
		for _, unknown := range []bool{false, true} {
			calls++
			request, want := map[string]any{}, "<nil>"
			for _, name := range members {
				value, known := values[name]
				if !known {
					t.Fatalf("%s %s: the test has no value for the member %s", method, path, name)
				}
				request[name] = value
			}
			for _, name := range []string{"name", "clientName", "client_name"} {
				if request[name] != nil {
					request[name] = fmt.Sprint("Portal ", calls)
				}
			}
			if unknown {
				if method == "POST" { // another client
					key := registrartest.Key(t)
					for name, value := range map[string]any{"publicKey": key, "jwks": set(key), "clientId": fmt.Sprint("c", calls)} {
						if request[name] != nil {
							request[name] = value
						}
					}
					delete(request, "encPublicKey")
				}
				request["zzz"], request["RedirectURIS"], request["redirect_URIS"] = 1, []any{"x"}, []any{"x"}
				want = "[RedirectURIS redirect_URIS zzz]"
			}
			body := map[string]any{"request": request, "more": 1}
			if !enveloped {
				body = request
			}
			r := w.Call(method, path, token, withRequestTime(body))
			if !enveloped {
				want = strings.Replace(want, "<nil>", "[requestTime]", 1)
				want = strings.Replace(want, "redirect_URIS zzz", "redirect_URIS requestTime zzz", 1)
			}
			var got struct{ Response map[string]any }
			if err := json.Unmarshal([]byte(r.Body), &got); err != nil || r.Status > 201 || r.Code() != "" {
				t.Fatalf("%s %s: %d %s", method, path, r.Status, r.Body)
			}
			if reply == nil {
				reply = got.Response
				if !enveloped {
					reply = make(map[string]any)
					_ = json.Unmarshal([]byte(r.Body), &reply)
				}
			}
			at := id
			if method == "POST" {
				if at, _ = got.Response["clientId"].(string); !enveloped {
					var m map[string]any
					_ = json.Unmarshal([]byte(r.Body), &m)
					at = m["client_id"].(string)
				}
			}
			if ignored := lastIgnored(at); ignored != want {
				t.Errorf("%s %s: the event lists %s as ignored, want %s", method, path, ignored, want)
			}
		}
		return reply
	}
	covered := map[string]bool{}
	paths := w.API.API.OpenAPI().Paths
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if members, _ := documentedMembers(w, paths[path].Post); members == nil {
			continue
		}
		covered["POST "+path] = true
		key, enc, id := registrartest.Key(t), registrartest.Key(t), fmt.Sprint("first-", len(covered))
		enc["use"] = "enc"
		values := map[string]any{
			"name": "P", "clientName": "P", "policyId": "demo-policy", "authPartnerId": "demo-partner", "clientId": id, "relyingPartyId": "rp-1",
			"publicKey": key, "logoUri": "https://rp.example/logo.png", "redirectUris": []any{"https://rp.example/cb"}, "status": "ACTIVE",
			"grantTypes": []any{"authorization_code"}, "clientAuthMethods": []any{"private_key_jwt"}, "userClaims": []any{"name"},
			"authContextRefs": []any{"mosip:idp:acr:password"}, "clientNameLangMap": with("fra", "Portail"),
			"additionalConfig": with("require_pkce", true), "encPublicKey": enc,

			"client_name": "P", "logo_uri": "https://rp.example/logo.png", "redirect_uris": []any{"https://rp.example/cb"},
			"grant_types": []any{"authorization_code"}, "response_types": []any{"code"}, "token_endpoint_auth_method": "private_key_jwt",
			"token_endpoint_auth_signing_alg": "ES256", "jwks": set(key), "scope": "openid", "application_type": "web",
			"client_uri": "https://rp.example/", "tos_uri": "https://rp.example/tos", "policy_uri": "https://rp.example/privacy",
			"contacts": []any{"a@rp.example"}, "post_logout_redirect_uris": []any{"https://rp.example/bye"}, "default_max_age": 60,
			"software_id": "s", "software_version": "1", "userinfo_signed_response_alg": "RS256",
			"approval": with("state", "granted"), "default_acr_values": []any{},
			"require_pushed_authorization_requests": true, "dpop_bound_access_tokens": true,
		}
		token := admin
		if path == standardPath {
			token = initialToken(t, w, 2)
		}
		reply := send("POST", path, paths[path].Post, token, "", values)
		if path == standardPath {
			id, token = reply["client_id"].(string), reply["registration_access_token"].(string)
			maps.Copy(values, reply)
		} else {
			id = reply["clientId"].(string)
		}
		values["clientId"] = id // an update may repeat what it cannot change
		if strings.HasPrefix(path, "/v1/partnermanager") {
			values["relyingPartyId"] = values["authPartnerId"]
		} else {
			values["policyId"], values["authPartnerId"] = "", values["relyingPartyId"]
		}
		item := paths[path+"/{client_id}"]
		for method, op := range map[string]*huma.Operation{"PUT": item.Put, "PATCH": item.Patch} {
			if op != nil {
				covered[method+" "+path+"/{client_id}"] = true
				send(method, path+"/"+id, op, token, id, values)
			}
		}
	}
	for path, item := range paths {
		for method, op := range map[string]*huma.Operation{"POST": item.Post, "PUT": item.Put, "PATCH": item.Patch} {
			if members, _ := documentedMembers(w, op); members != nil && !covered[method+" "+path] {
				t.Errorf("%s %s is not covered", method, path)
			}
		}
	}
	if len(covered) < 15 {
		t.Errorf("only %d operations: %v", len(covered), slices.Sorted(maps.Keys(covered)))
	}
}
