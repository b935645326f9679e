package api_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// fixedKey is a public key without a stored private key.
var fixedKey = map[string]any{
	"kty": "EC", "crv": "P-256", "kid": "k1",
	"x": "Y76Xt0D3eChgKjB126sVV_NLNs_elEPSVdVn8s51gCo", "y": "siYTSiazJH1VIt_bgKg7lJxjbePI-XXK-epnT6I02_o",
}

// anotherKey is one more.
var anotherKey = map[string]any{
	"kty": "EC", "crv": "P-256", "kid": "k2",
	"x": "hCRC1yyoyl_Z9JCzwshqcIcjdbqZigFWPPqKfRnVlPY", "y": "pJzIU9WL2qU874udibpOGn6qNmsKtLbqx_i6-9bj0B8",
}

const (
	partnerPath  = "/v1/partnermanager/oidc/client"
	providerPath = "/v1/idp/client-mgmt/oidc-client"
)

var (
	timestamp = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`)
	callID    = regexp.MustCompile(`"callId":"\w+"`)
	cursor    = regexp.MustCompile(`"nextCursor":"[\w-]+"`)
)

// golden compares a reply with a file, byte for byte but for times, calls and cursors.
func golden(t *testing.T, name string, r registrartest.Reply) {
	t.Helper()
	got := timestamp.ReplaceAllString(r.Body, `"TIME"`) + "\n"
	got = cursor.ReplaceAllString(got, `"nextCursor":"CURSOR"`)
	got = callID.ReplaceAllString(got, `"callId":"CALL"`)
	file := filepath.Join("testdata", name+".golden.json")
	want := webtest.ReadGolden(t, file, []byte(got))
	if got != string(want) {
		t.Errorf("%s\ngot  %swant %s", name, got, want)
	}
	if content := r.Header.Get("Content-Type"); content != "application/json" {
		t.Errorf("%s has the type %q", name, content)
	}
}

func TestTheBytesOfEveryShape(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	admin, ana, provider := w.Admin(), w.Partner("ana", "demo-partner"), w.Provider()
	id := "/XMCPhG6EMaWXCntA2cJXwSCIoPTuNrkP_X_YCplpkto"

	golden(t, "partner-registered", w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(fixedKey, nil)))
	golden(t, "partner-field-refused", w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(fixedKey, map[string]any{"name": " "})))
	golden(t, "partner-element-refused", w.Call("POST", partnerPath, ana,
		registrartest.PartnerRequest(registrartest.Key(t), map[string]any{"redirectUris": []any{"https://rp.example/#f"}})))
	golden(t, "partner-duplicate", w.Call("POST", partnerPath, admin, registrartest.PartnerRequest(fixedKey, nil)))
	golden(t, "partner-foreign", w.Call("POST", partnerPath, w.Partner("eve", "other"), registrartest.PartnerRequest(fixedKey, nil)))
	golden(t, "partner-updated", w.Call("PUT", partnerPath+id, ana, registrartest.UpdateRequest(map[string]any{"status": "inactive"})))
	golden(t, "partner-client", w.Call("GET", partnerPath+id, ana, nil))
	golden(t, "partner-clients", w.Call("GET", partnerPath, ana, nil))
	golden(t, "partner-no-clients", w.Call("GET", partnerPath+"?q=nothing", ana, nil))
	golden(t, "client-events", w.Call("GET", clientsPath+id[1:]+"/events", admin, nil))
	golden(t, "partner-no-token", w.Call("GET", partnerPath, "", nil))
	golden(t, "partner-no-role", w.Call("GET", partnerPath, provider, nil))

	golden(t, "provider-registered", w.Call("POST", providerPath, provider, registrartest.ProviderRequest("c1", anotherKey, nil)))
	golden(t, "provider-several-refused", w.Call("POST", providerPath, provider,
		registrartest.ProviderRequest("a b", registrartest.Key(t), map[string]any{
			"clientName": 5, "publicKey": nil, "relyingPartyId": "", "userClaims": "name", "authContextRefs": []any{}, "logoUri": "http://rp.example/",
			"redirectUris": []any{7}, "grantTypes": []any{"implicit"}, "clientAuthMethods": []any{"private_key_jwt", "private_key_jwt"},
		})))
	golden(t, "provider-duplicate", w.Call("POST", providerPath, provider, registrartest.ProviderRequest("c1", registrartest.Key(t), nil)))
	golden(t, "provider-updated", w.Call("PUT", providerPath+"/c1", provider, registrartest.UpdateRequest(nil)))
	golden(t, "provider-client", w.Call("GET", providerPath+"/c1", provider, nil))
	golden(t, "provider-keys", w.Call("GET", providerPath+id+"/jwks", "", nil))
	golden(t, "provider-no-token", w.Call("POST", providerPath, "", nil))
	golden(t, "provider-no-scope", w.Call("POST", providerPath, ana, nil))

	golden(t, "policy", w.Call("PUT", "/v1/partnermanager/policies/p1", admin, map[string]any{"request": map[string]any{
		"name": "P", "type": "Auth", "status": "ACTIVE", "userClaims": []any{"name"}, "authContextRefs": []any{"mosip:idp:acr:password"},
	}}))
	golden(t, "policies", w.Call("GET", "/v1/partnermanager/policies?limit=1", ana, nil))
	golden(t, "partner", w.Call("PUT", "/v1/partnermanager/partners/q1", admin, map[string]any{"request": map[string]any{
		"name": "Q", "type": "Auth_Partner", "status": "ACTIVE",
	}}))
	golden(t, "mapping", w.Call("PUT", "/v1/partnermanager/partners/q1/policies/p1", admin, nil))
	golden(t, "mapping-revoked", w.Call("DELETE", "/v1/partnermanager/partners/q1/policies/p1", admin, nil))
	golden(t, "partner-detail", w.Call("GET", "/v1/partnermanager/partners/q1", admin, nil))
	golden(t, "partners", w.Call("GET", "/v1/partnermanager/partners", ana, nil))
	golden(t, "health", w.Call("GET", "/v1/registrar/health", "", nil))
	esignetGolden(t, w)
	oauthGolden(t, w)
}

// esignetGolden pins the later forms of client management.
func esignetGolden(t *testing.T, w *registrartest.Service) {
	token := w.Provider()
	key := map[string]any{"kty": "EC", "crv": "P-256", "use": "enc", "kid": "e1", "x": fixedKey["x"], "y": fixedKey["y"]}
	all := map[string]any{"clientNameLangMap": map[string]any{"fra": "Santé"},
		"additionalConfig": map[string]any{"require_pkce": true}, "encPublicKey": key}
	for _, path := range []string{"oidc-client", "oauth-client", "client"} {
		name := "esignet-" + path
		golden(t, name+"-registered", w.Call("POST", esignetPath+path, token,
			withRequestTime(registrartest.ProviderRequest("e-"+path, registrartest.Key(t), all))))
		golden(t, name+"-refused", w.Call("POST", esignetPath+path, token,
			withRequestTime(registrartest.ProviderRequest("e", registrartest.Key(t), map[string]any{
				"grantTypes": []any{"implicit"}, "clientNameLangMap": map[string]any{"xx": ""}, "additionalConfig": 5, "encPublicKey": "x",
			}))))
		golden(t, name+"-duplicate", w.Call("POST", esignetPath+path, token,
			withRequestTime(registrartest.ProviderRequest("e-"+path, registrartest.Key(t), nil))))
		golden(t, name+"-updated", w.Call("PUT", esignetPath+path+"/e-"+path, token,
			withRequestTime(registrartest.UpdateRequest(map[string]any{"status": "INACTIVE"}))))
		golden(t, name+"-unknown", w.Call("PUT", esignetPath+path+"/nobody", token, withRequestTime(registrartest.UpdateRequest(nil))))
		golden(t, name+"-no-token", w.Call("PUT", esignetPath+path+"/e-"+path, "", nil))
		golden(t, name+"-no-scope", w.Call("POST", esignetPath+path, w.Partner("ana", "demo-partner"), nil))
	}
	golden(t, "esignet-client-patched", w.Call("PATCH", esignetPath+"client/e-client", token, withRequestTime(map[string]any{"request": all})))
	golden(t, "esignet-client-patch-refused", w.Call("PATCH", esignetPath+"client/e-client", token,
		withRequestTime(map[string]any{"request": map[string]any{"clientName": "", "status": "x"}})))
	golden(t, "esignet-no-request-time", w.Call("PATCH", esignetPath+"client/e-client", token, map[string]any{"request": map[string]any{}}))
	golden(t, "esignet-no-route", w.Call("GET", "/v1/esignet/none", token, nil))
}

// oauthGolden pins partner management since 1.2.2.
func oauthGolden(t *testing.T, w *registrartest.Service) {
	ana := w.Partner("ana", "q2")
	w.Call("PUT", "/v1/partnermanager/partners/q2", w.Admin(),
		map[string]any{"request": map[string]any{"name": "Q2", "type": "Auth_Partner", "status": "ACTIVE"}})
	w.Call("PUT", "/v1/partnermanager/partners/q2/policies/demo-policy", w.Admin(), nil)
	key := map[string]any{"kty": "EC", "crv": "P-256", "x": "v3SN5VDaZxTpdDSzE9TSORwEUSAS_7498ZoB7i7b7uM",
		"y": "MPGRiWApc63WWzy4aFyIc4X6ba4L3B7QLZtBKzy3pzg"}
	r := w.Call("POST", oauthPath, ana, withNames(registrartest.PartnerRequest(key, map[string]any{"authPartnerId": "q2"})))
	golden(t, "oauth-registered", r)
	id := "/" + response(t, r)["clientId"].(string)
	golden(t, "oauth-field-refused", w.Call("POST", oauthPath, ana, registrartest.PartnerRequest(key, map[string]any{"authPartnerId": "q2"})))
	golden(t, "oauth-element-refused", w.Call("POST", oauthPath, ana,
		withNames(registrartest.PartnerRequest(registrartest.Key(t),
			map[string]any{"authPartnerId": "q2", "grantTypes": []any{"implicit"}}))))
	golden(t, "oauth-duplicate", w.Call("POST", oauthPath, ana,
		withNames(registrartest.PartnerRequest(key, map[string]any{"authPartnerId": "q2", "name": "Other"}))))
	golden(t, "oauth-foreign", w.Call("GET", oauthPath+id, w.Partner("eve", "other"), nil))
	golden(t, "oauth-unknown", w.Call("GET", oauthPath+"/nobody", w.Admin(), nil))
	golden(t, "oauth-client", w.Call("GET", oauthPath+id, ana, nil))
	golden(t, "oauth-clients", w.Call("GET", oauthPath+"?pageNo=0&pageSize=1", ana, nil))
	golden(t, "oauth-no-clients", w.Call("GET", oauthPath+"?clientName=none", ana, nil))
	golden(t, "oauth-list-refused", w.Call("GET", oauthPath+"?pageNo=0", ana, nil))
	golden(t, "oauth-updated", w.Call("PUT", oauthPath+id, ana, withNames(registrartest.UpdateRequest(map[string]any{"status": "INACTIVE"}))))
	golden(t, "oauth-switched-off", w.Call("PUT", oauthPath+id, ana, withNames(registrartest.UpdateRequest(nil))))
	golden(t, "oauth-no-token", w.Call("GET", oauthPath, "", nil))
	golden(t, "oauth-no-role", w.Call("GET", oauthPath, w.Provider(), nil))
	golden(t, "oauth-no-partner", w.Call("GET", oauthPath, w.Partner("eve", ""), nil))
}

func TestTransportErrorsUseTheFormatOfTheInterface(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	large := []byte(`{"request":"` + strings.Repeat("x", 256<<10) + `"}`)
	for _, tt := range []struct {
		name, method, path string
		body               any
		headers            []string
		status             int
	}{
		{"partner-no-route", "GET", "/v1/partnermanager/none", nil, nil, 404},
		{"provider-no-route", "GET", "/v1/idp/none", nil, nil, 404},
		{"other-no-route", "GET", "/none", nil, nil, 404},
		{"partner-no-method", "DELETE", partnerPath, nil, nil, 405},
		{"provider-no-method", "DELETE", providerPath, nil, nil, 405},
		{"partner-too-large", "POST", partnerPath, large, nil, 413},
		{"provider-too-large", "POST", providerPath, large, nil, 413},
		{"partner-media-type", "POST", partnerPath, []byte("{}"), []string{"Content-Type", "text/plain"}, 415},
		{"provider-media-type", "POST", providerPath, []byte("{}"), []string{"Content-Type", "text/plain"}, 415},
	} {
		r := w.Call(tt.method, tt.path, w.Admin(), tt.body, tt.headers...)
		if r.Status != tt.status {
			t.Errorf("%s: status %d, want %d", tt.name, r.Status, tt.status)
		}
		golden(t, tt.name, r)
	}
	w.DB.Close()
	for name, path := range map[string]string{"partner-no-database": partnerPath, "provider-no-database": providerPath +
		"/c1", "health-no-database": "/v1/registrar/health"} {
		r := w.Call("GET", path, w.Admin(), nil)
		if r.Status != 503 || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q", name, r.Status, r.Header.Get("Retry-After"))
		}
		golden(t, name, r)
	}
	w = registrartest.Boot(t, registrartest.Options{Closed: true})
	for name, path := range map[string]string{"partner-not-ready": partnerPath, "provider-not-ready": providerPath} {
		r := w.Call("GET", path, w.Admin(), nil)
		if r.Status != 503 || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d, Retry-After %q", name, r.Status, r.Header.Get("Retry-After"))
		}
		golden(t, name, r)
	}
}
