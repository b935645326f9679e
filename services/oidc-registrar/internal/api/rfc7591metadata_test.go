package api_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// A client that relies on a protection is not registered without it.
func TestSecurityMembersThatWouldBeDroppedAreRefusedByName(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token, key := initialToken(t, w, 1), registrartest.Key(t)
	for member, value := range map[string]any{
		"subject_type": "pairwise", "sector_identifier_uri": "https://rp.example/s.json", "require_signed_request_object": true,
		"tls_client_certificate_bound_access_tokens": true, "hardware_bound_access_tokens": true,
		"tls_client_auth_subject_dn": "cn=x", "id_token_encrypted_response_alg": "RSA-OAEP-256",
		"id_token_encrypted_response_enc": "A256GCM", "id_token_signed_response_alg": "none", "userinfo_signed_response_alg": "ES256",
		"request_object_signing_alg": "none", "authorization_signed_response_alg": "ES256", "require_auth_time": true,
		"request_uris": []any{"https://rp.example/r"}, "backchannel_logout_uri": "https://rp.example/out", "frontchannel_logout_session_required": true,
		"client_secret": "x", "token_endpoint_auth_signing_alg": "none", "default_acr_values": []any{"mosip:idp:acr:biometrics"},
	} {
		got := members(t, w.Call("POST", standardPath, token, metadata(key, with(member, value))), 400)
		if got["error"] != "invalid_client_metadata" || !strings.HasPrefix(got["error_description"].(string), member) {
			t.Errorf("%s %v: %v", member, value, got)
		}
	}
	for alg, key := range map[string]map[string]any{"HS256": key, "RS256": key, "ES384": key,
		"PS256": with("kty", "EC", "crv", "P-256", "alg", "ES256", "x", key["x"], "y", key["y"])} {
		got := members(t, w.Call("POST", standardPath, token, metadata(key, with("token_endpoint_auth_signing_alg", alg))), 400)
		if !strings.HasPrefix(got["error_description"].(string), "token_endpoint_auth_signing_alg:") {
			t.Errorf("%s: %v", alg, got)
		}
	}
	made := members(t, w.Call("POST", standardPath, token, metadata(key, with("subject_type", "public",
		"id_token_signed_response_alg", "RS256", "request_object_signing_alg", "RS256",
		"require_signed_request_object", false, "request_uris", []any{}, "sector_identifier_uri", nil, "contacts", []any{"a@rp.example"}))), 201)
	if made["subject_type"] != nil {
		t.Errorf("what holds anyway: %v", made)
	}
	older := registrartest.NewESignet(t)
	w = registrartest.Boot(t, registrartest.Options{Config: older.Configure})
	got := members(t, w.Call("POST", standardPath, initialToken(t, w, 1),
		metadata(key, with("userinfo_signed_response_alg", "RS256"))), 400)
	if !strings.HasPrefix(got["error_description"].(string), "userinfo_signed_response_alg:") {
		t.Errorf("at a provider that signs no userinfo: %v", got)
	}
}

func TestAClientIsRegisteredWithTheAlgorithmThatItNames(t *testing.T) {
	p := registrartest.NewRFC7591(t)
	w := registrartest.Boot(t, registrartest.Options{Config: p.Configure})
	key := rsaKey(t)
	made := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), metadata(key, with("token_endpoint_auth_signing_alg", "PS256"))), 201)
	id, access := made["client_id"].(string), made["registration_access_token"].(string)
	if got := p.Clients()[id]["token_endpoint_auth_signing_alg"]; made["token_endpoint_auth_signing_alg"] != "PS256" || got != "PS256" {
		t.Errorf("registered %v, and at the provider %v", made, got)
	}
	read := members(t, w.Call("GET", standardPath+"/"+id, access, nil), 200)
	if changed := members(t, w.Call("PUT", standardPath+"/"+id, access, read), 200); fmt.Sprint(changed) != fmt.Sprint(read) {
		t.Errorf("read %v, and written back %v", read, changed)
	}
	got := members(t, w.Call("PUT", standardPath+"/"+id, access, metadata(key, with("client_id", id, "token_endpoint_auth_signing_alg", "RS256"))), 400)
	if !strings.HasPrefix(got["error_description"].(string), "token_endpoint_auth_signing_alg:") {
		t.Errorf("another algorithm with the same key: %v", got)
	}
}

// rsaKey returns a new public RSA key as a JWK.
func rsaKey(t *testing.T) map[string]any {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return with("kty", "RSA", "e", "AQAB", "n", base64.RawURLEncoding.EncodeToString(key.N.Bytes()))
}

func TestMetadataThatIsLeftOutHasDefaults(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token := initialToken(t, w, 4)
	bare := metadata(registrartest.Key(t), with("client_name", nil, "logo_uri", nil, "token_endpoint_auth_method", nil,
		"grant_types", []any{"refresh_token", "authorization_code"}))
	made := members(t, w.Call("POST", standardPath, token, bare), 201)
	id, access := made["client_id"].(string), made["registration_access_token"].(string)
	if _, logo := made["logo_uri"]; made["client_name"] != id || logo ||
		fmt.Sprint(made["grant_types"]) != "[authorization_code]" || made["default_acr_values"] != nil ||
		made["token_endpoint_auth_signing_alg"] != "ES256" {
		t.Errorf("registered %v", made)
	}
	again := maps.Clone(bare)
	again["client_id"] = id
	if got := members(t, w.Call("PUT", standardPath+"/"+id, access, again), 200); got["client_name"] != id ||
		fmt.Sprint(got["grant_types"]) != "[authorization_code]" {
		t.Errorf("changed to %v", got)
	}
	expect(t, "the body of GET is taken by PUT", putBack(t, w, partnerPath+"/"+id, w.Partner("ana", "demo-partner")), 200, "")
	acrs := members(t, w.Call("POST", standardPath, token,
		metadata(registrartest.Key(t), with("default_acr_values", []any{"mosip:idp:acr:generated-code"}))), 201)
	if list, _ := acrs["default_acr_values"].([]any); !slices.Contains(list, any("mosip:idp:acr:generated-code")) {
		t.Errorf("default_acr_values: %v", acrs)
	}
	for want, changes := range map[string]map[string]any{
		`token_endpoint_auth_method: "none" is the method of a public client, but policy demo-policy has the clientTypes confidential`: with(
			"jwks", nil, "token_endpoint_auth_method", nil),
		"jwks: must have the public keys of the client, with which it authenticates by private_key_jwt": with(
			"jwks", nil, "token_endpoint_auth_method", "client_secret_basic"),
	} {
		got := members(t, w.Call("POST", standardPath, token, metadata(nil, changes)), 400)
		if text := got["error_description"].(string); !strings.HasPrefix(text, want) {
			t.Errorf("a client without a key: %v, want %s", got, want)
		}
	}
}

// The default registrations of client libraries, and a JWK in place of a set.
func TestTheReplyHasWhatIsRegistered(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token := initialToken(t, w, 5)
	body := metadata(registrartest.Key(t), with("default_max_age", 86400, "subject_type", "public", "id_token_signed_response_alg", "RS256",
		"application_type", "native", "response_types", []any{"code"}, "scope", "openid profile email offline_access", "contacts", []any{"a@rp.example"}))
	made := members(t, w.Call("POST", standardPath, token, body), 201)
	if made["scope"] != "openid profile email" || made["application_type"] != "web" || made["default_max_age"] != 86400.0 {
		t.Errorf("registered %v", made)
	}
	body["client_id"] = made["client_id"]
	body["redirect_uris"] = []any{"com.example.app:/cb"}
	access := made["registration_access_token"].(string)
	uri := standardPath + "/" + made["client_id"].(string)
	members(t, w.Call("PUT", uri, access, body), 200)
	if read := members(t, w.Call("GET", uri, access, nil), 200); read["scope"] != "openid profile email" || read["application_type"] != "native" {
		t.Errorf("read %v", read)
	}
	for _, jwks := range []any{registrartest.Key(t), "-----BEGIN PUBLIC KEY-----", []any{}, with("keys", nil)} {
		got := members(t, w.Call("POST", standardPath, token, metadata(nil, with("jwks", jwks))), 400)
		if got["error_description"] != "jwks: must be a JWK Set, an object with the member keys" {
			t.Errorf("%v: %v", jwks, got)
		}
	}
}

// Every fault is in one answer (RFC 7591 §3.2.2).
func TestOneReplyNamesEveryFault(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token, key := initialToken(t, w, 1), registrartest.Key(t)
	got := members(t, w.Call("POST", standardPath, token, metadata(key, with("client_name", 5, "redirect_uris", []any{"http://rp.example/cb"},
		"grant_types", []any{"implicit"}, "backchannel_logout_uri", "https://rp.example/out", "id_token_signed_response_alg", "ES256",
		"tos_uri", "ftp://rp.example", "contacts", "a@rp.example", "default_max_age", -1, "post_logout_redirect_uris", []any{"https://rp.example/*"},
		"default_acr_values", []any{"loa3"}, "client_name#fr", " ", "dpop_bound_access_tokens", "yes"))), 400)
	for _, member := range []string{
		"client_name: ", "redirect_uris[0]: ", "grant_types: ", "backchannel_logout_uri: ", "id_token_signed_response_alg: ", "tos_uri: ",
		"contacts: ", "default_max_age: ", "post_logout_redirect_uris: ", "default_acr_values[0]: ", "client_name#fr: ", "dpop_bound_access_tokens: ",
	} {
		if got["error"] != "invalid_client_metadata" || !strings.Contains(got["error_description"].(string), member) {
			t.Errorf("no %s in %v", member, got)
		}
	}
	uris := members(t, w.Call("POST", standardPath, token, metadata(key, with("redirect_uris", []any{"http://rp.example/cb"}))), 400)
	if uris["error"] != "invalid_redirect_uri" {
		t.Errorf("a redirect URI alone: %v", uris)
	}
	members(t, w.Call("POST", standardPath, token, metadata(key, nil)), 201) // no use was taken
}

// The reply has what the provider has, and nothing else of what was asked.
func TestTheReplyHasTheMetadataThatTheProviderKeeps(t *testing.T) {
	all := with("client_uri", "https://rp.example/", "tos_uri", "https://rp.example/tos", "policy_uri", "https://rp.example/privacy",
		"contacts", []any{"a@rp.example"}, "post_logout_redirect_uris", []any{"https://rp.example/bye"}, "default_max_age", 3600,
		"software_id", "4NRB1-0XZABZI9E6-5SM3R", "software_version", "2",
		"userinfo_signed_response_alg", "RS256", "client_name#fr", "Portail", "client_name#pt-BR", "Portal de saúde",
		"client_name#not a tag", "x", "made_up", true)
	eSignet, dynamic := registrartest.NewESignet(t), registrartest.NewRFC7591(t)
	for name, tt := range map[string]struct {
		configure func(*server.Config)
		left      []string // out of the reply
	}{
		"local":   {nil, []string{"client_name#not a tag", "made_up"}},
		"rfc7591": {dynamic.Configure, []string{"client_name#not a tag", "made_up"}},
		"esignet": {func(c *server.Config) { eSignet.Configure(c); c.IDP = "esignet-1.8" }, []string{"client_uri", "tos_uri", "policy_uri",
			"contacts", "post_logout_redirect_uris", "default_max_age", "client_name#pt-BR", "client_name#not a tag", "made_up"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := registrartest.Boot(t, registrartest.Options{Config: tt.configure})
			body := metadata(registrartest.Key(t), all)
			made := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), body), 201)
			for member, value := range all {
				want := fmt.Sprint(value)
				if slices.Contains(tt.left, member) {
					want = "<nil>"
				}
				if got := fmt.Sprint(made[member]); got != want {
					t.Errorf("%s: %s, want %s", member, got, want)
				}
			}
			uri, access := standardPath+"/"+made["client_id"].(string), made["registration_access_token"].(string)
			if read := members(t, w.Call("GET", uri, access, nil), 200); fmt.Sprint(read) != fmt.Sprint(made) {
				t.Errorf("read %v, registered %v", read, made)
			}
			if changed := members(t, w.Call("PUT", uri, access, made), 200); fmt.Sprint(changed) != fmt.Sprint(made) {
				t.Errorf("written back %v, registered %v", changed, made)
			}
			bare := members(t, w.Call("PUT", uri, access, with("client_id", made["client_id"], "redirect_uris", made["redirect_uris"])), 200)
			if bare["tos_uri"] != nil || bare["client_name#fr"] != nil || bare["jwks"] == nil || bare["logo_uri"] == nil {
				t.Errorf("replaced by %v", bare)
			}
		})
	}
	for id, there := range dynamic.Clients() {
		if there["client_name#pt-BR"] != nil || there["software_id"] == "4NRB1-0XZABZI9E6-5SM3R" {
			t.Errorf("%s: %v", id, there)
		}
	}
}

// Five keys at most, each with its own kid. One key with two algorithms counts as two.
func TestSeveralKeysAreRegistered(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	named := func(key map[string]any, kid string, more ...any) map[string]any {
		named := maps.Clone(key)
		maps.Copy(named, with(more...))
		named["kid"] = kid
		return named
	}
	rsa := rsaKey(t)
	var six []map[string]any
	for i := range 6 {
		six = append(six, named(registrartest.Key(t), fmt.Sprint("k", i)))
	}
	for name, tt := range map[string]struct {
		keys   []map[string]any
		status int
		alg    string
	}{
		"an RSA and an EC key":        {[]map[string]any{named(rsaKey(t), "r"), named(registrartest.Key(t), "e")}, 201, "RS256"},
		"one key with two algorithms": {[]map[string]any{named(rsa, "a", "alg", "RS256"), named(rsa, "b", "alg", "PS256")}, 201, "PS256"},
		"five":                        {six[:5], 201, ""},
		"six":                         {six, 400, ""},
		"two with one kid":            {[]map[string]any{named(rsaKey(t), "x"), named(registrartest.Key(t), "x")}, 400, ""},
		"an algorithm of none":        {[]map[string]any{named(registrartest.Key(t), "z")}, 400, "RS256"},
	} {
		changes := with("jwks", set(tt.keys...))
		if tt.alg != "" {
			changes["token_endpoint_auth_signing_alg"] = tt.alg
		}
		got := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), metadata(nil, changes)), tt.status)
		if tt.status != 201 {
			continue
		}
		if n := len(got["jwks"].(map[string]any)["keys"].([]any)); n != len(tt.keys) || tt.alg != "" && got["token_endpoint_auth_signing_alg"] != tt.alg {
			t.Errorf("%s: %v", name, got)
		}
	}
	eSignet := registrartest.NewESignet(t)
	one := registrartest.Boot(t, registrartest.Options{Config: eSignet.Configure})
	got := members(t, one.Call("POST", standardPath, initialToken(t, one, 1), metadata(nil, with("jwks", set(six[:2]...)))), 400)
	if !strings.HasPrefix(got["error_description"].(string), "jwks: must be one key") || len(eSignet.Clients()) != 0 {
		t.Errorf("a provider of one key: %v", got)
	}
}

func TestAProviderThatNeedsALogoRefusesByName(t *testing.T) {
	provider := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	got := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), metadata(registrartest.Key(t), with("logo_uri", nil))), 400)
	if !strings.HasPrefix(got["error_description"].(string), "logo_uri:") || len(provider.Clients()) != 0 {
		t.Errorf("%v", got)
	}
}

// putBack sends the response of GET as the request of PUT.
func putBack(t *testing.T, w *registrartest.Service, path, token string) registrartest.Reply {
	t.Helper()
	return w.Call("PUT", path, token, map[string]any{"request": response(t, w.Call("GET", path, token, nil))})
}

func TestPutTakesTheBodyOfGet(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana := w.Partner("ana", "demo-partner")
	partner := clientID(t, w.Call("POST", oauthPath, ana, withNames(registrartest.PartnerRequest(registrartest.Key(t), nil))))
	provider := clientID(t, w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil)))
	for path, token := range map[string]string{partnerPath + "/" + partner: ana, oauthPath + "/" + partner: ana,
		providerPath + "/" + provider: w.Provider()} {
		before := w.Call("GET", path, token, nil).Member("redirectUris")
		expect(t, path, putBack(t, w, path, token), 200, "")
		if after := w.Call("GET", path, token, nil).Member("redirectUris"); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%s: %v became %v", path, before, after)
		}
	}
}

// GET at oauth/client also returns clients that were registered without names in other languages.
func TestPutTakesTheBodyOfGetWithoutNames(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana := w.Partner("ana", "demo-partner")
	id := clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil)))
	expect(t, "without names", putBack(t, w, oauthPath+"/"+id, ana), 200, "")
	named := clientID(t, w.Call("POST", oauthPath, ana, withNames(registrartest.PartnerRequest(registrartest.Key(t), nil))))
	expect(t, "without the names it has", w.Call("PUT", oauthPath+"/"+named, ana, registrartest.UpdateRequest(nil)), 200, "PMS_COR_001")
}

// GET returns PENDING and FAILED, and PUT registers such a client again.
func TestPutTakesTheBodyOfGetBeforeTheProviderHasTheClient(t *testing.T) {
	e := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: e.Configure})
	e.SetDown(true)
	w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil))
	if got := w.Call("GET", providerPath+"/c1", w.Provider(), nil).Member("status"); got != "PENDING" {
		t.Fatalf("the client is %v", got)
	}
	e.SetDown(false)
	expect(t, "PENDING", putBack(t, w, providerPath+"/c1", w.Provider()), 200, "")
	if got := w.Call("GET", providerPath+"/c1", w.Provider(), nil).Member("status"); got != "ACTIVE" {
		t.Errorf("the client is %v", got)
	}
	expect(t, "PENDING of an ACTIVE client",
		w.Call("PUT", providerPath+"/c1", w.Provider(), registrartest.UpdateRequest(with("status", "PENDING"))), 200,
		"invalid_status")
}

// A number in a list of strings is not reported as a bad value.
func TestNumbersInListsAreReportedAsNumbers(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	five := []any{5}
	policy := map[string]any{"request": with("name", "P", "type", "Auth", "status", "ACTIVE", "userClaims", five,
		"authContextRefs", []any{"mosip:idp:acr:password"})}
	hook := map[string]any{"request": with("name", "h", "url", "https://rp.example/h", "events", five)}
	for what, r := range map[string]registrartest.Reply{
		"redirectUris[0]": w.Call("POST", partnerPath, w.Admin(), registrartest.PartnerRequest(registrartest.Key(t), with("redirectUris", five))),
		"grantTypes[0]":   w.Call("POST", partnerPath, w.Admin(), registrartest.PartnerRequest(registrartest.Key(t), with("grantTypes", five))),
		"userClaims[0]":   w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c", registrartest.Key(t), with("userClaims", five))),
		"userClaims[0] ":  w.Call("PUT", "/v1/partnermanager/policies/p", w.Admin(), policy),
		"events[0]":       w.Call("POST", "/v1/registrar/admin/webhooks", w.Admin(), hook),
	} {
		isText := strings.Contains(r.Body, "must be a string, not a number") ||
			strings.Contains(r.Body, "should be a valid string")
		if !isText || !strings.Contains(r.Body, strings.TrimSpace(what)) {
			t.Errorf("%s: %s", what, r.Body)
		}
	}
	var standard map[string]any
	r := w.Call("POST", standardPath, initialToken(t, w, 1), metadata(registrartest.Key(t), with("redirect_uris", five)))
	if err := json.Unmarshal([]byte(r.Body), &standard); err != nil ||
		!strings.Contains(r.Body, "redirect_uris: must be a list of strings: it has a number") {
		t.Errorf("redirect_uris: %s", r.Body)
	}
}
