package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

const (
	oauthPath   = "/v1/partnermanager/oauth/client"
	esignetPath = "/v1/esignet/client-mgmt/"
)

// door is a path that registers clients with an envelope: of partner management or of client management, with the
// later members that it has.
type door struct {
	path                string
	partner             bool
	named, configured   bool
	grantType           string // code of grantTypes
	timed, noClaimsLeft bool   // requestTime is required; an update may have no claims
}

var everyDoor = []door{
	{path: partnerPath, partner: true, grantType: "invalid_grant_type"},
	{path: oauthPath, partner: true, grantType: "invalid_grant_type", named: true},
	{path: providerPath, grantType: "invalid_grant_type"},
	{path: esignetPath + "oidc-client", grantType: "unsupported_grant_type"},
	{path: esignetPath + "oauth-client", grantType: "unsupported_grant_type", named: true, timed: true},
	{
		path: esignetPath + "client", grantType: "unsupported_grant_type", named: true, configured: true, timed: true,
		noClaimsLeft: true,
	},
}

// registration returns a valid body with changes.
func (d door) registration(id string, key, changes map[string]any) map[string]any {
	if d.partner {
		return withNames(registrartest.PartnerRequest(key, changes))
	}
	return withRequestTime(registrartest.ProviderRequest(id, key, changes))
}

// withRequestTime adds a requestTime to a body.
func withRequestTime(body map[string]any) map[string]any {
	body["requestTime"] = now()
	return body
}

// withNames adds names in other languages to a body of partner management.
func withNames(body map[string]any) map[string]any {
	request := body["request"].(map[string]any)
	if _, given := request["clientNameLangMap"]; !given {
		request["clientNameLangMap"] = map[string]any{"fra": "Portail"}
	}
	return body
}

// badValue is a value that a field must not have, and the code that client management refuses it with.
type badValue struct {
	field string
	value any // nil removes the member
	code  string
	kind  badKind
}

// badKind tells the code of partner management.
type badKind int

const (
	shape   badKind = iota // badParameter
	blank                  // of client management, and at the newer path badParameter
	element                // of client management
	keyOnly                // of client management, and at the newer path its own
)

// badParameter is partner management's code for a field that is wrong.
const badParameter = "PMS_COR_001"

// codeAt is the code of an interface.
func (b badValue) codeAt(d door) string {
	switch {
	case d.partner && b.kind == shape, d.path == oauthPath && b.kind == blank:
		return badParameter
	case d.path == oauthPath && b.kind == keyOnly:
		return "PMS_ESI_007"
	case b.field == "grantTypes":
		return d.grantType
	}
	return b.code
}

// bad lists values of a field with one code.
func bad(field, code string, kind badKind, values ...any) (list []badValue) {
	for _, value := range values {
		list = append(list, badValue{field, value, code, kind})
	}
	return list
}

var (
	// badFields are those of registrations and updates at every interface.
	badFields = slices.Concat(
		bad("clientName", "invalid_client_name", shape, nil, " ", strings.Repeat("x", 257), 5, []any{}, "a\u202eb"),
		bad("logoUri", "invalid_uri", shape, nil, "", "logo.png", "javascript:x", []any{}, 5,
			"https://rp.example/"+strings.Repeat("x", 2048), "mailto:a@rp.example", "ftp://rp.example/l.png"),
		bad("redirectUris", "invalid_redirect_uri", shape, nil, []any{}, longList(6), "https://rp.example/"),
		bad("redirectUris", "invalid_redirect_uri", blank, []any{" "}, []any{nil}),
		bad("redirectUris", "invalid_redirect_uri", element, []any{"x"}, []any{7}, []any{"https://rp.example/*"},
			[]any{"https://rp.example/cb", "https://rp.example/cb"}),
		bad("grantTypes", "", shape, nil, []any{}, []any{"a", "b", "c", "d"}, map[string]any{}),
		bad("grantTypes", "", element, []any{"implicit"}), bad("grantTypes", "", blank, []any{""}),
		bad("clientAuthMethods", "invalid_client_auth", shape, nil, []any{}, []any{"a", "b", "c", "d"}),
		bad("clientAuthMethods", "invalid_client_auth", element, []any{"client_secret_basic"}),
		bad("clientAuthMethods", "invalid_client_auth", blank, []any{nil}),
	)
	badClaims = slices.Concat( // of client management
		bad("userClaims", "invalid_claim", shape, nil, longList(31), []any{"shoe_size"}, []any{""}, map[string]any{}),
		bad("authContextRefs", "invalid_acr", shape, nil, []any{}, longList(31), []any{"level4"}),
	)
	badRegistrations = slices.Concat(
		bad("relyingPartyId", "invalid_rp_id", shape, nil, " ", strings.Repeat("x", 101)),
		bad("publicKey", "invalid_public_key", shape, nil, map[string]any{}),
		bad("publicKey", "invalid_public_key", keyOnly, "key", with("kty", "RSA"), with("kty", "oct", "k", "AAAA"),
			with("kty", "EC", "crv", "P-256", "x", nil, "y", "AAAA")),
	)
	badIDs = bad("clientId", "invalid_client_id", shape, // of client management
		nil, "", "a b", strings.Repeat("x", 101), 7, "a/b", `a\b`)
	badPolicies = slices.Concat( // of partner management
		bad("policyId", "", shape, nil, "", strings.Repeat("x", 37), 5), bad("policyId", "PMS_PRT_073", element, "none"),
		bad("authPartnerId", "PMS_PRT_058", element, "nobody"),
	)
	badUpdates = bad("status", "invalid_status", element, nil, "PENDING", "DELETED", true)
	badNames   = slices.Concat(
		bad("clientNameLangMap", "invalid_language_code", element, with("xxx", "Santé"), with("FRA", "Santé"),
			with("cmn", "Santé")), // of ISO 639-3 only
		bad("clientNameLangMap", "invalid_language_code", blank, with("fr", "Santé"), with("@none", "Santé"), []any{}),
		bad("clientNameLangMap", "invalid_client_name_value", blank, with("fra", " "), with("fra", nil)),
		bad("clientNameLangMap", "invalid_client_name_value", element, with("fra", 5)),
		bad("clientNameLangMap", "invalid_client_name_length", element, with("fra", strings.Repeat("é", 51))),
	)
	badConfigs = slices.Concat(
		bad("additionalConfig", "invalid_additional_config", shape, []any{}, with("more", 1), with("require_pkce", "yes"),
			with("consent_expire_in_mins", 9), with("purpose", with("type", "read"))),
		bad("encPublicKey", "invalid_public_key", shape, with("kty", "EC"), map[string]any{}),
	)
)

// badAt returns the bad values of registrations and of updates at an interface.
func (d door) badAt() (registrations, updates []badValue) {
	both := slices.Clone(badFields)
	if d.named {
		both = append(both, badNames...)
	}
	if d.configured {
		both = append(both, badConfigs...)
	}
	if d.partner {
		return slices.Concat(both, badRegistrations, badPolicies), slices.Concat(both, badUpdates)
	}
	both = append(both, badClaims...)
	updates = append(slices.Concat(both, badUpdates), badValue{"status", "active", "invalid_status", element})
	if !d.noClaimsLeft {
		updates = append(updates, badValue{"userClaims", []any{}, "invalid_claim", shape})
	}
	return slices.Concat(both, badRegistrations, badIDs), updates
}

func TestEveryInterfaceRefusesBadValuesByItsCodes(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	admin := w.Admin()
	for i, d := range everyDoor {
		id := clientID(t, w.Call("POST", d.path, admin, d.registration(fmt.Sprint("c", i), registrartest.Key(t), nil)))
		update := func(field string, value any) map[string]any {
			body := registrartest.UpdateRequest(with(field, value))
			if d.partner {
				return withNames(body)
			}
			return withRequestTime(body)
		}
		registrations, updates := d.badAt()
		for _, b := range registrations {
			own := map[string]string{"clientName": "name", "relyingPartyId": "authPartnerId"}[b.field]
			if d.partner && own != "" {
				b.field = own
			}
			body := d.registration("x", registrartest.Key(t), with(b.field, b.value))
			b.expect(t, w.Call("POST", d.path, admin, body), "POST", d)
		}
		for _, b := range updates {
			b.expect(t, w.Call("PUT", d.path+"/"+id, admin, update(b.field, b.value)), "PUT", d)
			if d.configured && b.value != nil && b.value != "PENDING" {
				body := withRequestTime(map[string]any{"request": with(b.field, b.value)})
				b.expect(t, w.Call("PATCH", d.path+"/"+id, admin, body), "PATCH", d)
			}
		}
		if d.partner {
			if r := w.Call("PUT", d.path+"/"+id, admin, update("status", "inactive")); r.Member("status") != "INACTIVE" {
				t.Errorf("PUT %s in another letter case: %s", d.path, r.Body)
			}
			continue
		}
		for name, body := range map[string]map[string]any{
			"no request":      {"requestTime": now()},
			"no object":       {"requestTime": now(), "request": nil},
			"another time":    {"requestTime": "2020-01-01T00:00:00.000Z", "request": map[string]any{}},
			"a time of a day": {"requestTime": "12:00", "request": map[string]any{}},
		} {
			expect(t, "POST "+d.path+" with "+name, w.Call("POST", d.path, admin, body), 200, "invalid_request")
		}
		r := w.Call("POST", d.path, admin, registrartest.ProviderRequest("timeless", registrartest.Key(t), nil))
		if (r.Code() == "invalid_request") != d.timed {
			t.Errorf("POST %s without a time: %s", d.path, r.Body)
		}
	}
}

// expect reports a reply that has not one error, with the code and the field.
func (b badValue) expect(t *testing.T, r registrartest.Reply, call string, d door) {
	t.Helper()
	code, named := b.codeAt(d), `"errorMessage":"request.`+b.field
	if d.partner {
		if named = ""; code == badParameter {
			named = ":" + b.field
		}
	}
	if r.Status != 200 || r.Code() != code || strings.Count(r.Body, "errorCode") != 1 || !strings.Contains(r.Body, named) {
		t.Errorf("%s %s with %s %.60v: %d %s, want %s", call, d.path, b.field, b.value, r.Status, r.Body, code)
	}
}

// response is the response of a call.
func response(t *testing.T, r registrartest.Reply) map[string]any {
	t.Helper()
	var body struct{ Response map[string]any }
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil || r.Code() != "" {
		t.Fatalf("%s: %v", r.Body, err)
	}
	return body.Response
}

func TestTheLaterMembersOfAClientAreKeptByThePathsThatHaveThem(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token := w.Provider()
	key := map[string]any{"kty": "EC", "crv": "P-256", "use": "enc", "x": fixedKey["x"], "y": fixedKey["y"]}
	all := with("clientNameLangMap", map[string]any{"fra": "Santé"}, "additionalConfig", map[string]any{"require_pkce": true}, "encPublicKey", key)
	response(t, w.Call("POST", esignetPath+"client", token, withRequestTime(registrartest.ProviderRequest("c1", registrartest.Key(t), all))))
	members := []string{"clientNameLangMap", "additionalConfig", "encPublicKey"}
	for _, step := range []struct {
		what, method, path string
		body               map[string]any
		has                []string
	}{
		{"the first form has none", "PUT", providerPath, registrartest.UpdateRequest(nil), members},
		{"a patch of another field", "PATCH", esignetPath + "client",
			map[string]any{"request": with("clientName", "New", "additionalConfig", nil)}, members},
		{"the second form has names", "PUT", esignetPath + "oauth-client", registrartest.UpdateRequest(nil), members[1:]},
		{"a patch brings names", "PATCH", esignetPath + "client",
			map[string]any{"request": with("clientNameLangMap", map[string]any{"deu": "G"})}, members},
		{"the third form has settings", "PUT", esignetPath + "client", registrartest.UpdateRequest(with("userClaims", []any{})), members[2:]},
	} {
		response(t, w.Call(step.method, step.path+"/c1", token, withRequestTime(step.body)))
		got := response(t, w.Call("GET", providerPath+"/c1", token, nil))
		for _, member := range members {
			if want := fmt.Sprint(step.has); (got[member] != nil) != strings.Contains(want, member) {
				t.Errorf("%s: %s is %v, want %s", step.what, member, got[member], want)
			}
		}
	}
	if got := response(t, w.Call("PATCH", esignetPath+"client/c1", token,
		withRequestTime(map[string]any{"request": with("status", "INACTIVE")}))); got["status"] != "INACTIVE" {
		t.Errorf("patched: %v", got)
	}
	if got := response(t, w.Call("GET", providerPath+"/c1", token, nil)); got["clientName"] != "Health portal" ||
		got["status"] != "INACTIVE" || len(got["userClaims"].([]any)) != 0 {
		t.Errorf("the client is %v", got)
	}
}

// Unsupported members are refused before anything is stored.
func TestAProviderThatLacksAMemberMakesItARefusal(t *testing.T) {
	e := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.IDP, c.IDPURL = "rfc7591", e.URL }})
	for member, tt := range map[string]struct {
		value any
		code  string
	}{
		"additionalConfig.require_pkce": {map[string]any{"require_pkce": true}, "invalid_additional_config"},
		"additionalConfig.purpose":      {map[string]any{"purpose": map[string]any{"type": "login"}}, "invalid_additional_config"},
	} {
		name, _, _ := strings.Cut(member, ".")
		r := w.Call("POST", esignetPath+"client", w.Provider(),
			withRequestTime(registrartest.ProviderRequest("c1", registrartest.Key(t), with(name, tt.value))))
		if r.Code() != tt.code || !strings.Contains(r.Body, "request."+member+": is not supported by the identity provider") {
			t.Errorf("%s: %s", member, r.Body)
		}
	}
	if n := e.Calls(); n != 0 {
		t.Errorf("the provider got %d calls", n)
	}
	if r := w.Call("GET", providerPath+"/c1", w.Provider(), nil); r.Code() != "invalid_client_id" {
		t.Errorf("the client is %s", r.Body)
	}
}

// The new content of a client is also checked against the provider's extensions. A deactivation is
// always allowed.
func TestChangeToUnsupportedProviderExtensionIsRefused(t *testing.T) {
	e := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: e.Configure})
	expect(t, "registered", w.Call("POST", esignetPath+"client", w.Provider(),
		withRequestTime(registrartest.ProviderRequest("c1", registrartest.Key(t), nil))), 200, "")
	put := func(status string, config any) registrartest.Reply {
		return w.Call("PUT", esignetPath+"client/c1", w.Provider(),
			withRequestTime(registrartest.UpdateRequest(with("status", status, "additionalConfig", config))))
	}
	for _, status := range []string{"ACTIVE", "INACTIVE"} {
		r := put(status, map[string]any{"require_pkce": true})
		if r.Code() != "invalid_additional_config" || !strings.Contains(r.Body, "is not supported by the identity provider") {
			t.Errorf("%s with a setting: %s", status, r.Body)
		}
	}
	if got := e.Methods(); got != "POST" {
		t.Errorf("the provider got %s", got)
	}

	key, err := json.Marshal(registrartest.Key(t))
	if err != nil {
		t.Fatal(err)
	}
	line := `{"clientId":"c2","api":"provider","clientName":"C2","partnerId":"rp-1","publicKey":` + string(key) +
		`,"logoUri":"https://rp.example/logo.png",` +
		`"redirectUris":["https://rp.example/cb"],"userClaims":["name"],"authContextRefs":["mosip:idp:acr:password"],"grantTypes":["authorization_code"],` +
		`"clientAuthMethods":["private_key_jwt"],"status":"ACTIVE","additionalConfig":{"require_pkce":true}}`
	imported := w.Call("POST", "/v1/registrar/admin/import?dryRun=false", w.Admin(), []byte(line), "Content-Type", "application/x-ndjson")
	expect(t, "imported", imported, 200, "")
	for status, code := range map[string]string{"ACTIVE": "invalid_additional_config", "INACTIVE": "invalid_client_id"} { // the provider has no c2
		body := withRequestTime(registrartest.UpdateRequest(with("clientName", "New", "status", status, "additionalConfig",
			map[string]any{"require_pkce": true})))
		expect(t, status+" with an unsupported member", w.Call("PUT", esignetPath+"client/c2", w.Provider(), body), 200, code)
	}
}

func TestPartnerManagementSinceItsNewPathsHasCodesOfItsOwn(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana, admin := w.Partner("ana", "demo-partner"), w.Admin()
	bad := map[string]any{"kty": "EC", "crv": "P-256", "x": "AAAA", "y": "AAAA"}
	for _, tt := range []struct {
		code, text string
		token      string
		changes    map[string]any
	}{
		{"PMS_COR_001", ":clientNameLangMap", ana, with("clientNameLangMap", nil)},
		{"PMS_COR_001", ":clientNameLangMap", ana, with("clientNameLangMap", map[string]any{})},
		{"PMS_COR_001", ":name", ana, with("name", "", "publicKey", bad)},
		{"PMS_ESI_007", "is not a point", ana, with("publicKey", map[string]any{"kty": "EC", "crv": "P-256", "x": fixedKey["x"], "y": fixedKey["x"]})},
		{"PMS_COR_001", "must not be blank :grantTypes[0]", ana, with("grantTypes", []any{""}, "publicKey", bad)},
		{"PMS_POLICY_ERROR_009", "own partner", w.Partner("eve", "other"), nil},
		{"PMS_CERTIFICATE_ERROR_002", "no partner", w.Partner("eve", ""), nil},
		{"PMS_PRT_058", "nobody", admin, with("authPartnerId", "nobody")},
	} {
		changes := maps.Clone(tt.changes)
		body := registrartest.PartnerRequest(registrartest.Key(t), changes)
		if _, own := tt.changes["clientNameLangMap"]; !own {
			body = withNames(body)
		}
		if r := w.Call("POST", oauthPath, tt.token, body); r.Status != 200 || r.Code() != tt.code || !strings.Contains(r.Body, tt.text) {
			t.Errorf("%v: %d %s, want %s", tt.changes, r.Status, r.Body, tt.code)
		}
	}
	key := registrartest.Key(t)
	body := withNames(registrartest.PartnerRequest(key, nil))
	id := response(t, w.Call("POST", oauthPath, ana, body))["clientId"].(string)
	other := withNames(registrartest.PartnerRequest(key, with("name", "Other")))
	for _, tt := range []struct{ method, path, token, code string }{
		{"POST", oauthPath, ana, "PMS_ESI_001"},
		{"PUT", oauthPath + "/" + id, w.Partner("eve", "other"), "PMS_POLICY_ERROR_010"},
		{"GET", oauthPath + "/" + id, w.Partner("eve", "other"), "PMS_POLICY_ERROR_011"},
		{"GET", oauthPath + "/" + id, w.Partner("eve", ""), "PMS_CERTIFICATE_ERROR_002"},
		{"GET", oauthPath + "/nobody", admin, "PMS_ESI_004"},
		{"PUT", oauthPath + "/nobody", admin, "PMS_ESI_004"},
	} {
		var sent any
		switch tt.method {
		case "POST":
			sent = other
		case "PUT":
			sent = withNames(registrartest.UpdateRequest(nil))
		}
		if r := w.Call(tt.method, tt.path, tt.token, sent); r.Status != 200 || r.Code() != tt.code {
			t.Errorf("%s %s: %d %s, want %s", tt.method, tt.path, r.Status, r.Body, tt.code)
		}
	}
}

func TestPartnerManagementSwitchesOffOneWay(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana := w.Partner("ana", "demo-partner")
	id := response(t, w.Call("POST", oauthPath, ana, withNames(registrartest.PartnerRequest(registrartest.Key(t), nil))))["clientId"].(string)
	off := withNames(registrartest.UpdateRequest(with("clientName", "Ignored", "status", "inactive")))
	if got := response(t, w.Call("PUT", oauthPath+"/"+id, ana, off)); got["status"] != "INACTIVE" {
		t.Errorf("switched off: %v", got)
	}
	if got := response(t, w.Call("GET", oauthPath+"/"+id, ana, nil)); got["name"] != "Health portal" {
		t.Errorf("with the status another field has changed: %v", got)
	}
	on := withNames(registrartest.UpdateRequest(nil))
	expect(t, "enabled at its path", w.Call("PUT", oauthPath+"/"+id, ana, on), 200, "PMS_ESI_008")
	expect(t, "enabled at another path", w.Call("PUT", partnerPath+"/"+id, ana, on), 403, "KER-ATH-403")
	if got := response(t, w.Call("PUT", oauthPath+"/"+id, w.Admin(), withNames(registrartest.UpdateRequest(nil)))); got["status"] != "ACTIVE" {
		t.Errorf("an admin has lifted it: %v", got)
	}
}

func TestPartnerManagementListsByPageNumber(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana, admin := w.Partner("ana", "demo-partner"), w.Admin()
	for _, name := range []string{"Beta", "Alpha", "Gamma"} {
		response(t, w.Call("POST", oauthPath, ana, withNames(registrartest.PartnerRequest(registrartest.Key(t), with("name", name)))))
	}
	response(t, w.Call("POST", providerPath, admin, registrartest.ProviderRequest("other-side", registrartest.Key(t), nil)))
	for query, want := range map[string]string{
		"": "3: Gamma Alpha Beta",
		"?pageNo=0&pageSize=2&sortFieldName=clientName&sortType=ASC": "3: Alpha Beta",
		"?pageNo=1&pageSize=2&sortFieldName=clientName&sortType=ASC": "3: Gamma",
		"?pageNo=9&pageSize=2": "3:",
		"?pageNo=0&pageSize=9&sortFieldName=clientName&sortType=DESC": "3: Gamma Beta Alpha",
		"?clientName=LPH": "1: Alpha",
		"?clientName=%25": "0:",
		"?partnerId=demo&orgName=PARTNER&clientName=beta": "1: Beta",
		"?policyName=no-such":                             "0:",
		"?policyGroupName=a":                              "0:",
		"?status=INACTIVE":                                "0:",
		"?status=ACTIVE&clientName=beta":                  "1: Beta",
	} {
		for who, token := range map[string]string{"partner": ana, "admin": admin} {
			r := w.Call("GET", oauthPath+query, token, nil)
			got := fmt.Sprintf("%v:", response(t, r)["totalResults"])
			for _, line := range response(t, r)["data"].([]any) {
				got += " " + line.(map[string]any)["clientName"].(string)
			}
			if query == "" { // registered at the same time, perhaps
				got, want = got[:2], want[:2]
			}
			if got != want || !strings.Contains(r.Body, `"id":"mosip.pms.oauth.partners.clients.get"`) {
				t.Errorf("%s by %s: %s, want %s", query, who, got, want)
			}
		}
	}
	if got := response(t, w.Call("GET", oauthPath, w.Partner("eve", "other"), nil)); got["totalResults"] != 0.0 {
		t.Errorf("another partner sees %v", got)
	}
	for _, field := range []string{"partnerId", "orgName", "policyGroupName", "policyName", "clientId", "status", "createdDateTime"} {
		if got := response(t, w.Call("GET", oauthPath+"?pageNo=0&pageSize=200&sortType=DESC&sortFieldName="+field, admin,
			nil)); got["totalResults"] != 3.0 {
			t.Errorf("by %s: %v", field, got)
		}
	}
	for query, code := range map[string]string{
		"?pageNo=0": "PMS_PS_ERROR_006", "?pageSize=1": "PMS_PS_ERROR_006",
		"?pageNo=0&pageSize=1&sortType=ASC": "PMS_PS_ERROR_007", "?sortFieldName=status": "PMS_PS_ERROR_007",
		"?sortFieldName=status&sortType=ASC":                     "PMS_PS_ERROR_008",
		"?pageNo=0&pageSize=1&sortFieldName=id&sortType=ASC":     "PMS_PRT_357",
		"?pageNo=0&pageSize=1&sortFieldName=status&sortType=asc": "PMS_PRT_358",
		"?pageNo=-1&pageSize=1":                                  "PMS_PRT_360", "?pageNo=x&pageSize=1": "PMS_PRT_360",
		"?pageNo=0&pageSize=0": "PMS_PRT_361", "?pageNo=0&pageSize=201": "PMS_PRT_361",
		"?status=active": "PMS_COR_001",
	} {
		if r := w.Call("GET", oauthPath+query, ana, nil); r.Status != 200 || r.Code() != code {
			t.Errorf("%s: %d %s, want %s", query, r.Status, r.Body, code)
		}
	}
}

// The older path of partner management returns the client's members too. The key
// is an object there, and text at the newer path.
func TestAClientIsReadInTheMembersOfPartnerManagement(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana := w.Partner("ana", "demo-partner")
	id := clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil)))
	older, newer := response(t, w.Call("GET", partnerPath+"/"+id, ana, nil)), response(t, w.Call("GET", oauthPath+"/"+id, ana, nil))
	for name, value := range newer {
		if got := older[name]; name != "publicKey" && fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s is %v at the older path, and %v at the newer one", name, got, value)
		}
	}
	var key map[string]any
	if text, ok := newer["publicKey"].(string); !ok || json.Unmarshal([]byte(text), &key) != nil || fmt.Sprint(key) != fmt.Sprint(older["publicKey"]) {
		t.Errorf("the key is %v at the older path, and %v at the newer one", older["publicKey"], newer["publicKey"])
	}
}
