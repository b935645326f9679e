package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

func TestMain(m *testing.M) { os.Exit(registrartest.Run(m)) }

// with returns changes to a request.
func with(pairs ...any) map[string]any {
	m := make(map[string]any)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func longList(n int) (list []any) {
	for i := range n {
		list = append(list, fmt.Sprintf("https://rp.example/%d", i))
	}
	return list
}

// oauthCodes maps codes to those of the new paths of partner management, some with a
// message.
var oauthCodes = map[string]string{
	"PMS_IDP_001": "PMS_ESI_001", "PMS_IDP_002": "PMS_ESI_002", "PMS_IDP_003": "PMS_ESI_003", "no user claim": "PMS_ESI_005",
	"no authentication context reference": "PMS_ESI_006", "invalid_public_key": "PMS_ESI_007",
}

func TestPartnerInterfaceReportsTheFirstObstacle(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	admin, ana := w.Admin(), w.Partner("ana", "demo-partner")
	put := func(path string, request map[string]any) {
		t.Helper()
		if r := w.Call("PUT", "/v1/partnermanager/"+path, admin, map[string]any{"request": request}); r.Code() != "" {
			t.Fatal(r.Body)
		}
	}
	acr, claims := []any{"mosip:idp:acr:password"}, []any{"name"}
	put("partners/off", with("name", "P", "type", "Auth_Partner", "status", "INACTIVE"))
	put("partners/device", with("name", "P", "type", "Device_Provider", "status", "ACTIVE"))
	put("partners/new", with("name", "P", "type", "Auth_Partner", "status", "ACTIVE"))
	for id, p := range map[string]map[string]any{
		"off":       with("status", "INACTIVE"),
		"share":     with("type", "DataShare"),
		"mandatory": with("mandatoryAuthTypes", []any{"OTP"}),
		"no-claim":  with("userClaims", []any{}),
		"no-acr":    with("authContextRefs", []any{}),
		"odd-claim": nil,
		"odd-acr":   nil,
		"revoked":   nil,
	} {
		policy := with("name", "P", "type", "Auth", "status", "ACTIVE", "userClaims", claims, "authContextRefs", acr)
		for name, value := range p {
			policy[name] = value
		}
		put("policies/"+id, policy)
		w.Call("PUT", "/v1/partnermanager/partners/demo-partner/policies/"+id, admin, nil)
	}
	w.Call("DELETE", "/v1/partnermanager/partners/demo-partner/policies/revoked", admin, nil)
	narrowed := func(id string, claims, acrs []string) { // a policy from before a change of the settings
		t.Helper()
		p := registrar.Policy{ID: id, Name: "P", Type: registrar.AuthPolicy, Status: registrar.EntryActive, UserClaims: claims, ACRs: acrs}
		if err := w.Store.Do(t.Context(), func(tx *store.Tx) error { return tx.Catalog.PutPolicy(p) }); err != nil {
			t.Fatal(err)
		}
	}
	narrowed("odd-claim", []string{"shoe_size"}, []string{"mosip:idp:acr:password"})
	narrowed("odd-acr", []string{"name"}, []string{"x"})
	taken := registrartest.Key(t)
	if r := w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(taken, nil)); r.Code() != "" {
		t.Fatal(r.Body)
	}
	secret := registrartest.Key(t)
	secret["d"] = "AAAA"

	// Each obstacle comes with all the later ones, so that its place shows.
	steps := []struct {
		code, message string
		changes       map[string]any
	}{
		{"PMS_COR_001", "must not be blank :name", with("name", nil)},
		{"PMS_COR_001", "is missing :policyId", with("policyId", "")},
		{"PMS_COR_001", "is missing :publicKey", with("publicKey", nil)},
		{"PMS_COR_001", "is missing :authPartnerId", with("authPartnerId", nil)},
		{"PMS_COR_001", "must be an https URL :logoUri", with("logoUri", "http://rp.example/l")},
		{"PMS_COR_001", "is missing :redirectUris", with("redirectUris", nil)},
		{"PMS_COR_001", "must have 1 to 3 elements, not 0 :grantTypes", with("grantTypes", []any{})},
		{"PMS_COR_001", "must be a list of strings :clientAuthMethods", with("clientAuthMethods", "private_key_jwt")},
		{"invalid_public_key", "has the private member d", with("publicKey", secret)},
		{"PMS_IDP_001", "Client public key already exists.", with("publicKey", taken)},
		{"PMS_PRT_058", "no partner nobody", with("authPartnerId", "nobody")},
		{"PMS_PMP_016", "partner off is not active", with("authPartnerId", "off")},
		{"PMS_PRT_059", "partner device is not of type Auth_Partner", with("authPartnerId", "device")},
		{"PMS_PRT_073", "no policy nothing", with("policyId", "nothing")},
		{"PMS_PMP_019", "policy off is not active", with("policyId", "off")},
		{"PMS_PRT_057", "policy share is not of type Auth", with("policyId", "share")},
		{"PMS_PRT_061", "no mapping", with("authPartnerId", "new")},
		{"PMS_IDP_002", "is not approved", with("policyId", "revoked")},
		{"PMS_IDP_003", "mandatory", with("policyId", "mandatory")},
		{"PMS_IDP_005", "no user claim", with("policyId", "no-claim")},
		{"PMS_IDP_005", "no authentication context reference", with("policyId", "no-acr")},
		{"invalid_claim", "policyId: names a policy", with("policyId", "odd-claim")},
		{"invalid_acr", "policyId: names a policy", with("policyId", "odd-acr")},
		{"invalid_redirect_uri", "redirectUris[1]: \\\"https://rp.example/*\\\" must not have a wildcard",
			with("redirectUris", []any{"https://rp.example/", "https://rp.example/*"})},
		{"invalid_grant_type", "grantTypes[0]: \\\"implicit\\\" is not supported; permitted: authorization_code", with("grantTypes", []any{"implicit"})},
		{"invalid_client_auth", "clientAuthMethods[0]: \\\"tls_client_auth\\\" is not supported; permitted: private_key_jwt",
			with("clientAuthMethods", []any{"tls_client_auth"})},
	}
	for i, step := range steps {
		for _, worse := range []bool{false, true} {
			changes := map[string]any{}
			if worse {
				for _, later := range slices.Backward(steps[i+1:]) {
					for name, value := range later.changes {
						changes[name] = value
					}
				}
			}
			for name, value := range step.changes {
				changes[name] = value
			}
			switch step.code {
			case "PMS_PRT_061": // needs a policy that is there
				changes["policyId"] = "demo-policy"
			case "PMS_PRT_073", "PMS_PMP_019", "PMS_PRT_057": // and a partner that is
				changes["authPartnerId"] = "demo-partner"
			case "PMS_IDP_002", "PMS_IDP_003", "PMS_IDP_005", "invalid_claim", "invalid_acr":
				changes["authPartnerId"] = "demo-partner"
			}
			for path, code := range map[string]string{partnerPath: step.code, oauthPath: cmp.Or(oauthCodes[step.message], oauthCodes[step.code], step.code)} {
				r := w.Call("POST", path, admin, withNames(registrartest.PartnerRequest(registrartest.Key(t), changes)))
				if r.Status != 200 || r.Code() != code || !strings.Contains(r.Body, step.message) {
					t.Errorf("%s with %v: %d %s\nwant %s … %s", path, changes, r.Status, r.Body, code, step.message)
				}
			}
		}
	}
}

func TestProviderInterfaceReportsEveryInvalidField(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	everything := with("clientId", strings.Repeat("x", 101), "clientName", "\u202eportal",
		"publicKey", map[string]any{"kty": "oct", "k": "c2VjcmV0"}, "relyingPartyId", "a b", "userClaims", []any{"*"},
		"authContextRefs", []any{nil}, "logoUri", "https://169.254.169.254/", "redirectUris", longList(6),
		"grantTypes", []any{"AUTHORIZATION_CODE"}, "clientAuthMethods", nil)
	want := []string{
		"invalid_client_id request.clientId", "invalid_client_name request.clientName",
		"invalid_public_key request.publicKey", "invalid_rp_id request.relyingPartyId",
		"invalid_claim request.userClaims", "invalid_acr request.authContextRefs",
		"invalid_uri request.logoUri", "invalid_redirect_uri request.redirectUris", "invalid_grant_type request.grantTypes",
		"invalid_client_auth request.clientAuthMethods",
	}
	r := w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), everything))
	if got := problems(t, r); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// problems returns the errors of a provider reply as "code path".
func problems(t *testing.T, r registrartest.Reply) (list []string) {
	t.Helper()
	var body struct {
		Errors []struct{ ErrorCode, ErrorMessage string }
	}
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil || r.Status != 200 {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	for _, e := range body.Errors {
		path, _, _ := strings.Cut(e.ErrorMessage, ": ")
		path, _, _ = strings.Cut(path, "[")
		list = append(list, e.ErrorCode+" "+path)
	}
	return list
}

func TestADocumentThatIsNotStrictJSONIsAnInvalidRequest(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token := w.Admin()
	for name, body := range map[string]string{
		"no body":           "",
		"white space":       "  ",
		"half a document":   `{"request":{`,
		"a list":            `[]`,
		"null":              `null`,
		"a string":          `"x"`,
		"two documents":     `{} {}`,
		"a member twice":    `{"request":{"name":"a","name":"b"}}`,
		"twice by escape":   `{"request":{"name":"a","n\u0061me":"b"}}`,
		"NUL":               `{"request":{"name":"\u0000"}}`,
		"a lone surrogate":  `{"request":{"name":"\ud800"}}`,
		"bad UTF-8":         "{\"request\":{\"name\":\"\xff\"}}",
		"a BOM":             "\ufeff{}",
		"another case":      `{"Request":{}}`,
		"request is a list": `{"request":[]}`,
		"request is text":   `{"request":"x"}`,
		"request missing":   `{}`,
		"request null":      `{"request":null}`,
		"too deep":          `{"x":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			for path, want := range map[string]string{partnerPath: "PMS_COR_001", providerPath: "invalid_request"} {
				r := w.Call("POST", path, token, []byte(body))
				if r.Status != 200 || r.Code() != want {
					t.Errorf("%s: %d %s", path, r.Status, r.Body)
				}
			}
		})
	}
	for _, query := range []string{"?limit=0", "?limit=201", "?limit=x", "?limit=1&limit=2", "?page=2", "?status=ON",
		"?cursor=!", "?q=%zz", "?cursor=bnVsbA=="} {
		if r := w.Call("GET", partnerPath+query, token, nil); r.Status != 200 || r.Code() != "PMS_COR_001" {
			t.Errorf("%s: %d %s", query, r.Status, r.Body)
		}
	}
}

func TestInvalidInputNamesItsField(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	for name, tt := range map[string]struct{ method, path, body, field string }{
		"a member of a list":     {"POST", partnerPath, `{"request":{"redirectUris":[{},{"a":1,"a":2}]}}`, "request.redirectUris[1].a"},
		"a place in broken JSON": {"POST", partnerPath, `{"request":`, "body"},
		"a parameter":            {"GET", partnerPath + "?limit=0", "", "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			var body any
			if tt.body != "" {
				body = []byte(tt.body)
			}
			if r := w.Call(tt.method, tt.path, w.Admin(), body); r.Status != 200 || r.Code() != "PMS_COR_001" || !strings.Contains(r.Body, " :"+tt.field+`"`) {
				t.Errorf("%d %s, want the field %s", r.Status, r.Body, tt.field)
			}
		})
	}
}

// The trail lists at most 20 ignored members, each shortened and without controls.
func TestTheTrailNamesSomeOfTheMembersThatWereIgnored(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	many := with("line\nbreak", 1)
	for i := range 60 {
		many[fmt.Sprintf("z%02d%s", i, strings.Repeat("x", 100))] = i
	}
	body := registrartest.ProviderRequest("c1", registrartest.Key(t), many)
	expect(t, "POST", w.Call("POST", providerPath, w.Provider(), body), 200, "")
	events := w.Call("GET", clientsPath+"c1/events", w.Admin(), nil)
	ignored := events.Member("items").([]any)[0].(map[string]any)["ignored"].([]any)
	if got := fmt.Sprint(ignored); len(ignored) != 20 || ignored[0] != "linebreak" || len(got) > 20*66 {
		t.Error(got)
	}
}

func TestUnknownMembersAreIgnored(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	body := registrartest.PartnerRequest(registrartest.Key(t), with("logoHash", 5, "__proto__", map[string]any{}))
	body["requestTime"], body["Request"], body["ID"] = "soon", 5, nil // in another letter case
	body["request"].(map[string]any)["NAME"] = 5
	body["id"], body["version"], body["metadata"], body["requesttime"], body["more"] = 7, nil, "x", "soon", []any{}
	if r := w.Call("POST", partnerPath, w.Partner("ana", "demo-partner"), body); r.Code() != "" {
		t.Error(r.Body)
	}
}

func TestAnUnreachableProviderIs503WithRetryAfter(t *testing.T) {
	provider := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	provider.SetDown(true)
	partner := registrartest.PartnerRequest(registrartest.Key(t), nil)
	r := w.Call("POST", partnerPath, w.Partner("ana", "demo-partner"), partner)
	if r.Status != 503 || r.Code() != "PMS_PRT_500" || r.Header.Get("Retry-After") != "60" {
		t.Errorf("%d %s, Retry-After %q", r.Status, r.Body, r.Header.Get("Retry-After"))
	}
	if r := w.Call("POST", partnerPath, w.Partner("ana", "demo-partner"), partner); r.Status != 200 || !strings.Contains(r.Body, `"PENDING"`) {
		t.Errorf("a repeat: %d %s", r.Status, r.Body)
	}
	r = w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil))
	if r.Status != 503 || r.Code() != "unknown_error" || r.Header.Get("Retry-After") != "60" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if strings.Contains(r.Body, "127.0.0.1") {
		t.Errorf("the reply names the provider's address: %s", r.Body)
	}
	provider.SetDown(false)
	for code, want := range map[string]string{"invalid_redirect_uri": "invalid_redirect_uri",
		"no_such_code_here": "no_such_code_here", "IDP-007": "PMS_PRT_500"} {
		provider.Refuse(code)
		if r := w.Call("POST", partnerPath, w.Partner("ana", "demo-partner"),
			registrartest.PartnerRequest(registrartest.Key(t), nil)); r.Status != 200 || r.Code() != want {
			t.Errorf("refused with %s: %d %s", code, r.Status, r.Body)
		}
	}
}

// callers are the columns of the table below.
var callers = []string{"nobody", "partner", "another partner", "partner without a claim", "admin", "scopes", "no role", "role as scope"}

func TestOperationAccess(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	created := w.Call("POST", partnerPath, w.Partner("ana", "demo-partner"), registrartest.PartnerRequest(fixedKey, nil))
	if created.Code() != "" {
		t.Fatal(created.Body)
	}
	tokens := map[string]string{
		"nobody": "", "partner": w.Partner("ana", "demo-partner"), "another partner": w.Partner("eve", "other"),
		"partner without a claim": w.Partner("eve", ""), "admin": w.Admin(), "scopes": w.Provider(),
		"no role":       w.Token(bearer.DevToken{Subject: "x"}),
		"role as scope": w.Token(bearer.DevToken{Subject: "x", Scopes: []string{"PARTNER_ADMIN"}, Roles: []string{"add_oidc_client", "get_oidc_client"}}),
	}
	everybody := "200 200 200 200 200 200 200 200"
	table := map[string]string{
		"registerPartnerClient":  "401 200 403 403 200 403 403 403",
		"updatePartnerClient":    "401 200 403 403 200 403 403 403",
		"getPartnerClient":       "401 200 403 403 200 403 403 403",
		"confirmClient":          "401 403 403 403 200 403 403 403",
		"listClients":            "401 200 200 403 200 403 403 403",
		"listDoubtfulClients":    "401 403 403 403 200 403 403 403",
		"dropClient":             "401 403 403 403 200 403 403 403",
		"getClient":              "401 200 403 403 200 200 403 403",
		"abandonClient":          "401 200 403 403 200 200 403 403",
		"addClientKey":           "401 200 200 200 200 200 403 403", // the body is missing,
		"removeClientKey":        "401 200 403 403 200 200 403 403",
		"removeNamedClientKey":   "401 200 200 200 200 200 403 403", // without the kid, refused with 200
		"disableClient":          "401 200 403 403 200 200 403 403",
		"enableClient":           "401 200 403 403 200 200 403 403",
		"listPartnerClients":     "401 200 200 403 200 403 403 403",
		"listClientEvents":       "401 200 403 403 200 200 403 403",
		"registerProviderClient": "401 403 403 403 200 200 403 403",
		"updateProviderClient":   "401 403 403 403 200 200 403 403",
		"getProviderClient":      "401 403 403 403 200 200 403 403",
		"getClientKeys":          everybody,

		"registerEsignetClient":    "401 403 403 403 200 200 403 403",
		"updateEsignetClient":      "401 403 403 403 200 200 403 403",
		"getEsignetClient":         "401 403 403 403 200 200 403 403",
		"getEsignetClientKeys":     everybody,
		"registerOauthClient":      "401 403 403 403 200 200 403 403",
		"updateOauthClient":        "401 403 403 403 200 200 403 403",
		"registerConfiguredClient": "401 403 403 403 200 200 403 403",
		"updateConfiguredClient":   "401 403 403 403 200 200 403 403",
		"getConfiguredClient":      "401 403 403 403 200 200 403 403",
		"patchConfiguredClient":    "401 403 403 403 200 200 403 403",
		"issueInitialAccessToken":  "401 403 403 403 200 403 403 403",
		"listInitialAccessTokens":  "401 403 403 403 200 403 403 403",
		"revokeInitialAccessToken": "401 403 403 403 200 403 403 403",
		"registerStandardClient":   "401 401 401 401 401 401 401 401", // these are no tokens of that door
		"getStandardClient":        "401 401 401 401 401 401 401 401",
		"updateStandardClient":     "401 401 401 401 401 401 401 401",
		"deleteStandardClient":     "401 401 401 401 401 401 401 401",

		"registerOauthPartnerClient": "401 200 200 200 200 403 403 403", // refusals of ownership are 200 here
		"updateOauthPartnerClient":   "401 200 200 200 200 403 403 403",
		"getOauthPartnerClient":      "401 200 200 200 200 403 403 403",
		"listOauthPartnerClients":    "401 200 200 200 200 403 403 403",

		"putPolicy":           "401 403 403 403 200 403 403 403",
		"getPolicy":           "401 200 200 200 200 403 403 403",
		"listPolicies":        "401 200 200 200 200 403 403 403",
		"putPartner":          "401 403 403 403 200 403 403 403",
		"getPartner":          "401 200 403 403 200 403 403 403",
		"listPartners":        "401 200 200 403 200 403 403 403",
		"listPolicyEvents":    "401 200 200 403 200 403 403 403",
		"listPartnerEvents":   "401 200 403 403 200 403 403 403",
		"requestMapping":      "401 200 403 403 200 403 403 403",
		"decideMapping":       "401 403 403 403 200 403 403 403",
		"listMappingRequests": "401 200 200 403 200 403 403 403",
		"approveMapping":      "401 403 403 403 200 403 403 403",
		"revokeMapping":       "401 403 403 403 200 403 403 403",
		"approvalWebhook":     "401 401 401 401 401 401 401 401", // by its signature
		"createEndpoint":      "401 403 403 403 200 403 403 403",
		"listEndpoints":       "401 403 403 403 200 403 403 403",
		"getEndpoint":         "401 403 403 403 200 403 403 403",
		"updateEndpoint":      "401 403 403 403 200 403 403 403",
		"deleteEndpoint":      "401 403 403 403 200 403 403 403",
		"rotateSecret":        "401 403 403 403 200 403 403 403",
		"testEndpoint":        "401 403 403 403 200 403 403 403",
		"listDeliveries":      "401 403 403 403 200 403 403 403",
		"getDelivery":         "401 403 403 403 200 403 403 403",
		"retryDelivery":       "401 403 403 403 200 403 403 403",
		"recoverDeliveries":   "401 403 403 403 200 403 403 403",
		"importClients":       "401 403 403 403 415 403 403 403", // without a body in its media type
		"listAudit":           "401 403 403 403 200 403 403 403",
		"exportAudit":         "401 403 403 403 200 403 403 403",
		"exportClients":       "401 403 403 403 200 403 403 403",
		"health":              everybody, "readyz": everybody, "livez": everybody, "version": everybody,
	}
	client := strings.NewReplacer("{thumbprint}", "none", "{client_id}", "XMCPhG6EMaWXCntA2cJXwSCIoPTuNrkP_X_YCplpkto",
		"{policyId}", "demo-policy", "{partnerId}", "demo-partner", "{endpointId}", "none", "{deliveryId}", "none",
		"{tokenId}", "none")
	n := 0
	for path, item := range w.API.API.OpenAPI().Paths {
		for method, op := range map[string]any{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			id := operationID(t, op)
			if id == "" {
				continue
			}
			n++
			want := strings.Fields(table[id])
			if len(want) != len(callers) {
				t.Errorf("%s has no line in the table", id)
				continue
			}
			for i, caller := range callers {
				var body any
				switch id {
				case "registerStandardClient", "updateStandardClient":
					body = map[string]any{}
				case "issueInitialAccessToken":
					body = map[string]any{"request": map[string]any{}} // refused with 200
				case "registerOauthPartnerClient":
					body = withNames(registrartest.PartnerRequest(registrartest.Key(t), nil))
				case "updateOauthPartnerClient":
					body = withNames(registrartest.UpdateRequest(nil))
				case "registerEsignetClient", "registerOauthClient", "registerConfiguredClient":
					body = withRequestTime(registrartest.ProviderRequest("c1", registrartest.Key(t), nil))
				case "updateEsignetClient", "updateOauthClient", "updateConfiguredClient", "patchConfiguredClient":
					body = withRequestTime(registrartest.UpdateRequest(nil))
				case "registerPartnerClient":
					body = registrartest.PartnerRequest(registrartest.Key(t), nil)
				case "registerProviderClient":
					body = registrartest.ProviderRequest("c1", registrartest.Key(t), nil)
				case "updatePartnerClient", "updateProviderClient":
					body = registrartest.UpdateRequest(nil)
				case "addPartnerKey", "addProviderKey", "addOauthPartnerKey", "addEsignetKey", "addOauthKey", "addConfiguredKey":
					body = bodyWithKey(t, "k")
				case "approvalWebhook":
					body = map[string]any{"type": "request.approved"}
				case "requestMapping", "decideMapping":
					body = map[string]any{"request": with("useCaseDescription", "x", "status", "Approved", "policyId", "demo-policy")}
				case "putPolicy", "putPartner":
					body = map[string]any{"request": with("name", "N", "status", "ACTIVE")} // refused with 200
				case "disableClient":
					body = because("x")
				case "createEndpoint", "updateEndpoint", "rotateSecret", "recoverDeliveries":
					body = map[string]any{"request": map[string]any{}} // the same
				}
				r := w.Call(method, client.Replace(path), tokens[caller], body)
				if id == "disableClient" { // by an admin it would refuse the later calls of others
					w.Call("PUT", "/v1/partnermanager/partners/demo-partner/policies/demo-policy", w.Admin(), nil) // it may be withdrawn
					w.Call("POST", client.Replace("/v1/registrar/clients/{client_id}/enable"), w.Admin(), nil)
				}
				if fmt.Sprint(r.Status) != want[i] {
					t.Errorf("%s by %s: %d, want %s: %s", id, caller, r.Status, want[i], r.Body)
				}
				if (r.Status == 401) != (r.Header.Get("WWW-Authenticate") != "") {
					t.Errorf("%s by %s: WWW-Authenticate %q with %d", id, caller, r.Header.Get("WWW-Authenticate"), r.Status)
				}
			}
		}
	}
	if n != len(table) {
		t.Errorf("%d operations, %d lines in the table", n, len(table))
	}
}

func operationID(t *testing.T, op any) string {
	t.Helper()
	var o struct {
		OperationID string `json:"operationId"`
	}
	raw, err := json.Marshal(op)
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o.OperationID
}

func TestTheTokenIsJudgedBeforeTheBody(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	for _, body := range []string{"", "{", `{"a":1,"a":2}`} {
		if r := w.Call("POST", partnerPath, "", []byte(body)); r.Status != 401 {
			t.Errorf("%q: %d", body, r.Status)
		}
		if r := w.Call("POST", partnerPath, w.Provider(), []byte(body)); r.Status != 403 {
			t.Errorf("%q: %d", body, r.Status)
		}
	}
}

func TestKeysAreCached(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	if r := w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", fixedKey, nil)); r.Code() != "" {
		t.Fatal(r.Body)
	}
	path := providerPath + "/c1/jwks"
	first := w.Call("GET", path, "", nil)
	etag := first.Header.Get("ETag")
	if first.Status != 200 || etag == "" || first.Header.Get("Cache-Control") != "public, max-age=300" {
		t.Fatalf("%d %v", first.Status, first.Header)
	}
	for value, want := range map[string]int{etag: 304, "W/" + etag: 304, `"x", ` + etag: 304, "*": 304, `"x"`: 200, "": 200} {
		r := w.Call("GET", path, "", nil, "If-None-Match", value)
		if r.Status != want || (want == 304) != (r.Body == "") || r.Header.Get("ETag") != etag {
			t.Errorf("If-None-Match %s: %d %q", value, r.Status, r.Body)
		}
	}
	if r := w.Call("GET", path+"?v=2&%zz", "", nil); r.Status != 200 || r.Body != first.Body {
		t.Errorf("with a query: %d %s", r.Status, r.Body)
	}
	if r := w.Call("GET", providerPath+"/none/jwks", "", nil); r.Status != 404 || r.Code() != "invalid_client_id" ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}

func TestPagesFollowOneAnother(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	admin := w.Admin()
	for n := range 7 {
		w.Call("POST", providerPath, admin, registrartest.ProviderRequest(fmt.Sprint("c", n), registrartest.Key(t), nil))
	}
	seen, cursor := map[string]bool{}, ""
	for pages := 0; ; pages++ {
		var body struct {
			Response struct {
				Items      []struct{ ClientID string }
				NextCursor string
			}
		}
		r := w.Call("GET", partnerPath+"?limit=3"+cursor, admin, nil)
		if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
			t.Fatal(err)
		}
		for _, item := range body.Response.Items {
			seen[item.ClientID] = true
		}
		if body.Response.NextCursor == "" {
			if pages != 2 || len(seen) != 7 {
				t.Errorf("%d clients on %d pages", len(seen), pages+1)
			}
			return
		}
		cursor = "&cursor=" + body.Response.NextCursor
	}
}

func TestNothingThatARegistrantSendsIsEverFetched(t *testing.T) {
	var hits atomic.Int64
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer canary.Close()
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.AllowHTTP = true }})
	token := w.Provider()
	accepted := w.Call("POST", providerPath, token, registrartest.ProviderRequest("c1", registrartest.Key(t),
		with("logoUri", canary.URL+"/logo", "redirectUris", []any{canary.URL + "/cb"})))
	if accepted.Code() != "" {
		t.Fatal(accepted.Body)
	}
	for _, member := range []string{"x5u", "jku"} {
		key := registrartest.Key(t)
		key[member] = canary.URL + "/" + member
		if r := w.Call("POST", providerPath, token, registrartest.ProviderRequest("c2", key, nil)); r.Code() != "invalid_public_key" {
			t.Errorf("%s: %s", member, r.Body)
		}
	}
	w.Call("PUT", providerPath+"/c1", token, registrartest.UpdateRequest(with("logoUri", canary.URL+"/logo2")))
	w.Call("GET", providerPath+"/c1", token, nil)
	w.Call("PUT", "/v1/partnermanager/partners/p", w.Admin(),
		map[string]any{"request": with("name", "P", "type", "T", "status", "ACTIVE", "logoUri", canary.URL)})
	if n := hits.Load(); n != 0 {
		t.Errorf("the canary was called %d times", n)
	}
}

func TestNoKeyMaterialIsAnsweredOrLogged(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	const canary = "Q0FOQVJZLXNlY3JldA"
	var replies strings.Builder
	send := func(path, token string, body any) {
		replies.WriteString(w.Call("POST", path, token, body).Body)
	}
	for _, member := range []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"} {
		key := registrartest.Key(t)
		key[member] = canary
		send(providerPath, w.Provider(), registrartest.ProviderRequest("c1", key, nil))
		send(partnerPath, w.Partner("ana", "demo-partner"), registrartest.PartnerRequest(key, nil))
	}
	send(providerPath, w.Provider(), registrartest.ProviderRequest("c1", with("kty", "oct", "k", canary), nil))
	send(providerPath, w.Provider(), registrartest.ProviderRequest("c1", with("kty", canary, canary, canary), nil))
	if strings.Contains(replies.String(), canary) {
		t.Errorf("answered: %s", replies.String())
	}
	send(providerPath, w.Provider(), registrartest.ProviderRequest(" "+canary, nil,
		with("clientName", "\u202e"+canary, "logoUri", "http://"+canary, "redirectUris", []any{canary})))
	replies.WriteString(w.Call("GET", clientsPath+"c1/events", w.Admin(), nil).Body)
	if !strings.Contains(replies.String(), "invalid_public_key") {
		t.Fatal("the keys were not refused")
	}
	if strings.Contains(w.Log.String(), canary) {
		t.Errorf("logged: %s", w.Log.String())
	}
}

func TestPrivateMembersAreDroppedWhereThatIsWanted(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.PrivateJWK = "drop" }})
	key := registrartest.Key(t)
	key["d"] = "Q0FOQVJZ"
	if r := w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", key, nil)); r.Code() != "" {
		t.Fatal(r.Body)
	}
	if r := w.Call("GET", providerPath+"/c1", w.Provider(), nil); strings.Contains(r.Body, "Q0FOQVJZ") {
		t.Error(r.Body)
	}
	if r := w.Call("GET", clientsPath+"c1/events", w.Admin(), nil); !strings.Contains(r.Body, "private_key_dropped") {
		t.Error(r.Body)
	}
}
