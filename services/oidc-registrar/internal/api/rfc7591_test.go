package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

const (
	standardPath = "/v1/registrar/register"
	tokensPath   = "/v1/registrar/admin/initial-access-tokens"
)

// initialToken issues a token for clients of the demo partner.
func initialToken(t *testing.T, w *registrartest.Service, uses int) string {
	t.Helper()
	r := w.Call("POST", tokensPath, w.Admin(),
		map[string]any{"request": with("authPartnerId", "demo-partner", "policyId", "demo-policy", "uses", uses, "expiresIn",
			3600)})
	return response(t, r)["token"].(string)
}

// metadata is that of a good registration, with changes; nil removes a member.
func metadata(key map[string]any, changes map[string]any) map[string]any {
	m := map[string]any{
		"client_name": "Health portal", "logo_uri": "https://rp.example/logo.png", "redirect_uris": []any{"https://rp.example/cb"},
		"token_endpoint_auth_method": "private_key_jwt", "jwks": map[string]any{"keys": []any{key}},
	}
	maps.Copy(m, changes)
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	return m
}

// members are those of an answer with a status.
func members(t *testing.T, r registrartest.Reply, status int) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(r.Body), &m); err != nil || r.Status != status {
		t.Fatalf("%d %s, want %d", r.Status, r.Body, status)
	}
	return m
}

func TestAClientRegistersItselfByTheStandard(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token := initialToken(t, w, 1)
	key := registrartest.Key(t)
	made := w.Call("POST", standardPath, token,
		metadata(key, with("client_name#fr", "Portail", "dpop_bound_access_tokens", true, "contacts", []any{"a@rp.example"})))
	client := members(t, made, 201)
	if made.Header.Get("Cache-Control") != "no-store" || client["client_name#fr"] != "Portail" ||
		client["dpop_bound_access_tokens"] != true || client["token_endpoint_auth_method"] != "private_key_jwt" {
		t.Errorf("registered %s %v", made.Body, made.Header)
	}
	id, access := client["client_id"].(string), client["registration_access_token"].(string)
	uri, err := url.Parse(client["registration_client_uri"].(string))
	if err != nil || uri.Path != standardPath+"/"+id || !uri.IsAbs() {
		t.Errorf("it is managed at %s, %v", uri, err)
	}
	members(t, w.Call("POST", standardPath, token, metadata(registrartest.Key(t), nil)), 401) // used up

	read := members(t, w.Call("GET", uri.Path, access, nil), 200)
	if read["client_id"] != id || read["registration_access_token"] != access ||
		fmt.Sprint(read["user_claims"]) != "[name email]" {
		t.Errorf("it reads as %v", read)
	}
	changed := members(t, w.Call("PUT", uri.Path, access,
		metadata(key, with("client_id", id, "client_name", "New", "redirect_uris", []any{"https://rp.example/new"}))), 200)
	if changed["client_name"] != "New" || changed["client_name#fr"] != nil || changed["dpop_bound_access_tokens"] != nil {
		t.Errorf("changed to %v", changed)
	}
	for name, body := range map[string]map[string]any{
		"another id":    metadata(key, with("client_id", "other")),
		"no id":         metadata(key, nil),
		"no key":        metadata(key, with("client_id", id, "jwks", map[string]any{"keys": []any{}})),
		"one key twice": metadata(key, with("client_id", id, "jwks", map[string]any{"keys": []any{key, key}})),
		"a private key": metadata(key, with("client_id", id, "jwks",
			map[string]any{"keys": []any{with("kty", "EC", "crv", "P-256", "x", key["x"], "y", key["y"], "d", "AAAA")}})),
		"a bad URI": metadata(key, with("client_id", id, "redirect_uris", []any{"https://rp.example/#f"})),
	} {
		members(t, w.Call("PUT", uri.Path, access, body), 400)
		if got := members(t, w.Call("GET", uri.Path, access, nil), 200); got["client_name"] != "New" {
			t.Errorf("%s has changed the client to %v", name, got)
		}
	}
	for _, other := range []string{"", token, "x", w.Admin()} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			r := w.Call(method, uri.Path, other, nil)
			if r.Status != 401 && method != "PUT" || r.Status < 400 {
				t.Errorf("%s with another token: %d %s", method, r.Status, r.Body)
			}
		}
	}
	if r := w.Call("GET", standardPath+"/other", access, nil); r.Status != 401 {
		t.Errorf("another client: %d %s", r.Status, r.Body)
	}
	if r := w.Call("DELETE", uri.Path, access, nil); r.Status != 204 || r.Body != "" {
		t.Errorf("deleted: %d %s", r.Status, r.Body)
	}
	if r := w.Call("GET", uri.Path, access, nil); r.Status != 401 || r.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("its token after that: %d %s", r.Status, r.Body)
	}
	if got := response(t, w.Call("GET", partnerPath+"/"+id, w.Partner("ana", "demo-partner"), nil)); got["status"] != "INACTIVE" {
		t.Errorf("the partner has %v", got)
	}
	on := registrartest.UpdateRequest(nil)
	expect(t, "it is off for good", w.Call("PUT", partnerPath+"/"+id, w.Partner("ana", "demo-partner"), on), 403, "KER-ATH-403")
	expect(t, "but for an admin", w.Call("PUT", partnerPath+"/"+id, w.Admin(), on), 200, "")
}

func TestRFC7591RefusalsHaveRFC7591Codes(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token := initialToken(t, w, 1) // no refusal counts
	key := registrartest.Key(t)
	for name, tt := range map[string]struct {
		changes map[string]any
		code    string
		member  string
	}{
		"no redirect URI":          {with("redirect_uris", nil), "invalid_redirect_uri", "redirect_uris"},
		"a fragment":               {with("redirect_uris", []any{"https://rp.example/#f"}), "invalid_redirect_uri", "redirect_uris[0]"},
		"a blank name":             {with("client_name", " "), "invalid_client_metadata", "client_name"},
		"a number for a name":      {with("client_name", 5), "invalid_client_metadata", "client_name"},
		"no key":                   {with("jwks", nil), "invalid_client_metadata", "jwks"},
		"no set":                   {with("jwks", []any{}), "invalid_client_metadata", "jwks"},
		"a key twice":              {with("jwks", map[string]any{"keys": []any{key, key}}), "invalid_client_metadata", "jwks"},
		"a secret":                 {with("jwks", map[string]any{"keys": []any{with("kty", "oct", "k", "AAAA")}}), "invalid_client_metadata", "jwks"},
		"keys to fetch":            {with("jwks_uri", "https://rp.example/jwks"), "invalid_client_metadata", "jwks_uri"},
		"a statement":              {with("software_statement", "x"), "invalid_client_metadata", "software_statement"},
		"another method":           {with("token_endpoint_auth_method", "client_secret_basic"), "invalid_client_metadata", "token_endpoint_auth_method"},
		"another grant":            {with("grant_types", []any{"implicit"}), "invalid_client_metadata", "grant_types"},
		"another response":         {with("response_types", []any{"token"}), "invalid_client_metadata", "response_types"},
		"a blank name by language": {with("client_name#fr", " "), "invalid_client_metadata", "client_name#fr"},
		"a setting of no kind":     {with("dpop_bound_access_tokens", "yes"), "invalid_client_metadata", "dpop_bound_access_tokens"},
		"encryption":               {with("userinfo_encrypted_response_alg", "RSA-OAEP"), "invalid_client_metadata", "userinfo_encrypted_response_alg"},
	} {
		got := members(t, w.Call("POST", standardPath, token, metadata(key, tt.changes)), 400)
		if got["error"] != tt.code || !strings.HasPrefix(got["error_description"].(string), tt.member+":") {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, body := range map[string]any{"a list": []any{}, "no JSON": []byte("{"), "null": []byte("null")} {
		if got := members(t, w.Call("POST", standardPath, token, body), 400); got["error"] != "invalid_client_metadata" {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, other := range map[string]string{"none": "", "an admin's": w.Admin(), "unknown": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		r := w.Call("POST", standardPath, other, metadata(key, nil))
		code, challenge := any("invalid_token"), `Bearer error="invalid_token"`
		if name == "none" { // RFC 6750 §3.1
			code, challenge = nil, "Bearer"
		}
		got := members(t, r, 401)
		if got["error"] != code || !slices.Equal(r.Header.Values("WWW-Authenticate"), []string{challenge}) {
			t.Errorf("%s: %v %v", name, got, r.Header)
		}
		if text := got["error_description"].(string); strings.Contains(text, "an initial access token") != (name == "none") {
			t.Errorf("%s: %s", name, text)
		}
	}
	members(t, w.Call("POST", standardPath, token, metadata(key, nil)), 201)
	again := initialToken(t, w, 1)
	if got := members(t, w.Call("POST", standardPath, again, metadata(key, with("client_name", "Other"))),
		400); got["error"] != "invalid_client_metadata" {
		t.Errorf("a key that is taken: %v", got)
	}
}

func TestAnInitialTokenIsForSoManyUntilATime(t *testing.T) {
	clock := timetest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	w := registrartest.Boot(t, registrartest.Options{Now: clock.Now})
	token := initialToken(t, w, 2)
	var group sync.WaitGroup
	statuses := make([]int, 4)
	keys := []map[string]any{registrartest.Key(t), registrartest.Key(t), registrartest.Key(t), registrartest.Key(t)}
	for i := range statuses {
		group.Go(func() { statuses[i] = w.Call("POST", standardPath, token, metadata(keys[i], nil)).Status })
	}
	group.Wait()
	if text := fmt.Sprint(statuses); strings.Count(text, "201") != 2 || strings.Count(text, "401") != 2 {
		t.Errorf("four at once, for two: %v", statuses)
	}
	token = initialToken(t, w, 1)
	clock.Advance(time.Hour)
	members(t, w.Call("POST", standardPath, token, metadata(keys[0], nil)), 401)

	for field, value := range map[string]any{"uses": 0, "expiresIn": 0, "authPartnerId": nil, "policyId": nil} {
		body := with("authPartnerId", "demo-partner", "policyId", "demo-policy")
		body[field] = value
		if r := w.Call("POST", tokensPath, w.Admin(), map[string]any{"request": body}); r.Code() != "PMS_COR_001" ||
			!strings.Contains(r.Body, field) {
			t.Errorf("%s %v: %s", field, value, r.Body)
		}
	}
	for field, code := range map[string]string{"authPartnerId": "PMS_PRT_058", "policyId": "PMS_PRT_073"} {
		body := with("authPartnerId", "demo-partner", "policyId", "demo-policy")
		body[field] = "nobody"
		if r := w.Call("POST", tokensPath, w.Admin(), map[string]any{"request": body}); r.Code() != code {
			t.Errorf("another %s: %s", field, r.Body)
		}
	}
	var stored []string
	err := w.DB.Do(t.Context(), func(tx *sqldb.Tx) error {
		return tx.Raw("SELECT hash FROM initial_token UNION ALL SELECT hash FROM registration_token").Scan(&stored).Error
	})
	if err != nil || len(stored) == 0 || strings.Contains(strings.Join(stored, " "), token) {
		t.Errorf("stored are %v, %v", stored, err)
	}
}

// A provider that assigns the id has none for the reply.
func TestNoTokenWaitsForAnIDOfTheProvider(t *testing.T) {
	wf, provider := newWF(t), registrartest.NewRFC7591(t)
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		wf.Configure(c)
		provider.Configure(c)
	}})
	asked := map[string]any{"request": with("authPartnerId", "demo-partner", "policyId", "demo-policy", "uses", 1, "expiresIn", 3600)}
	if r := w.Call("POST", tokensPath, w.Admin(), asked); r.Code() != "PMS_COR_001" || !strings.Contains(r.Body, "people approve") {
		t.Errorf("a token for a policy with approval: %s", r.Body)
	}
}

// An answer with an id unknown to the provider would mislead the caller.
func TestStandardInterfaceRollsBackFailedRegistration(t *testing.T) {
	for _, rule := range registrar.IDRules {
		t.Run(string(rule), func(t *testing.T) { leavesNothingBehind(t, rule) })
	}
}

func leavesNothingBehind(t *testing.T, rule registrar.IDRule) {
	t.Helper()
	e := registrartest.NewESignet(t)
	clock := timetest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		e.Configure(c)
		c.IDPSoleWriter,
			c.ClientIDRule = true, string(rule)
	}, Now: clock.Now})
	token, key := initialToken(t, w, 1), registrartest.Key(t)
	e.SetDown(true)
	r := w.Call("POST", standardPath, token, metadata(key, nil))
	if got := members(t, r, 503); got["error"] != "temporarily_unavailable" || r.Header.Get("Retry-After") == "" {
		t.Errorf("the provider is down: %v %v", got, r.Header)
	}
	e.SetDown(false)
	clock.Advance(2 * time.Minute)
	if _, err := w.Core.Calls.RunOnce(t.Context()); err != nil { // the calls of the worker
		t.Fatal(err)
	}
	if list, _ := w.Call("GET", partnerPath, w.Admin(), nil).Member("items").([]any); len(list) != 0 {
		t.Errorf("there is still %v", list)
	}
	for id, status := range e.Clients() {
		if status != "INACTIVE" {
			t.Errorf("the provider has the client %s, %s", id, status)
		}
	}
	made := members(t, w.Call("POST", standardPath, token, metadata(key, nil)), 201)
	jwk, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	if read, err := registrar.DefaultRules().NewKey(jwk); err != nil || made["client_id"] != rule.ClientID(read) {
		t.Errorf("its id is %v, %v", made["client_id"], err)
	}
}

// A repeated registration returns no unconfirmed id and does not affect the first call.
func TestStandardInterfaceRepeatReturnsNoUnconfirmedID(t *testing.T) {
	e := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: e.Configure})
	token, key := initialToken(t, w, 2), registrartest.Key(t)
	repeated := make(chan registrartest.Reply, 1)
	e.SetHook(registrartest.Before, func() {
		e.SetHook(registrartest.Before, nil)
		repeated <- w.Call("POST", standardPath, token, metadata(key, nil))
	})
	made := members(t, w.Call("POST", standardPath, token, metadata(key, nil)), 201)
	if got := members(t, <-repeated, 503); got["error"] != "temporarily_unavailable" {
		t.Errorf("a repeat during the call: %v", got)
	}
	if id := made["client_id"].(string); e.Clients()[id] != "ACTIVE" {
		t.Errorf("the provider has %v", e.Clients())
	}
	members(t, w.Call("POST", standardPath, token, metadata(registrartest.Key(t), nil)), 201) // the repeat took no use
	members(t, w.Call("POST", standardPath, token, metadata(registrartest.Key(t), nil)), 401)
}

// What eSignet takes in part, without the key to encrypt with, is taken back too.
func TestStandardInterfaceRollsBackPartialRegistration(t *testing.T) {
	e := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		e.Configure(c)
		c.IDP = "esignet-1.8"
	}})
	token, key, enc := initialToken(t, w, 1), registrartest.Key(t), registrartest.Key(t)
	enc["use"] = "enc"
	e.RefuseMethod("PATCH", "invalid_public_key")
	if got := members(t, w.Call("POST", standardPath, token, metadata(nil, with("jwks", set(key, enc)))),
		400); got["error"] != "invalid_client_metadata" {
		t.Errorf("refused in part: %v", got)
	}
	if list, _ := w.Call("GET", partnerPath, w.Admin(), nil).Member("items").([]any); len(list) != 0 {
		t.Errorf("there is still %v", list)
	}
	if got := slices.Collect(maps.Values(e.Clients())); !slices.Equal(got, []string{"INACTIVE"}) {
		t.Errorf("the provider has %v", e.Clients())
	}
	members(t, w.Call("POST", standardPath, token, metadata(registrartest.Key(t), nil)), 201) // no use was taken
}

// set is a JWK Set.
func set(keys ...map[string]any) map[string]any { return map[string]any{"keys": keys} }

func TestAClientRollsItsKeyByTheStandard(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	key := func(kid string) map[string]any {
		k := registrartest.Key(t)
		k["kid"] = kid
		return k
	}
	first, second, third := key("one"), key("two"), key("three")
	made := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), metadata(first, nil)), 201)
	id, access := made["client_id"].(string), made["registration_access_token"].(string)
	path := standardPath + "/" + id
	put := func(what string, status int, want string, keys ...map[string]any) {
		t.Helper()
		r := members(t, w.Call("PUT", path, access, metadata(first, with("client_id", id, "jwks", set(keys...)))), status)
		got := fmt.Sprint(kids(t, w.Call("GET", providerPath+"/"+id+"/jwks", "", nil).Body))
		if got != want {
			t.Errorf("%s: the keys are %s, want %s", what, got, want)
		}
		if description, _ := r["error_description"].(string); status == 400 && !strings.HasPrefix(description, "jwks:") &&
			!strings.Contains(description, "already exists") {
			t.Errorf("%s: %v", what, r)
		}
	}
	put("the same", 200, "[one]", first)
	put("a second one beside it", 200, "[two one]", first, second)
	put("its response, written back", 200, "[two one]", second, first)
	put("a third one", 200, "[three two one]", first, second, third)
	put("two go, and one is new", 200, "[four two]", second, key("four"))
	put("the others go", 200, "[two]", second)
	put("another one with its kid", 400, "[two]", second, key("two"))
	put("at once", 200, "[three]", third)
	if r := w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("other", second, nil)); r.Code() != "" {
		t.Errorf("the key that went is not free: %s", r.Body)
	}
	put("one of another client now", 400, "[three]", second)

	// Switched off by its owner, it stays so.
	ana := w.Partner("ana", "demo-partner")
	expect(t, "off", w.Call("PUT", partnerPath+"/"+id, ana, registrartest.UpdateRequest(with("status", "INACTIVE"))), 200, "")
	members(t, w.Call("PUT", path, access, metadata(third, with("client_id", id, "client_name", "New"))), 200)
	if got := response(t, w.Call("GET", partnerPath+"/"+id, ana, nil)); got["status"] != "INACTIVE" || got["name"] != "New" {
		t.Errorf("the client is %v", got)
	}
}

func TestAKeyToEncryptWithIsReplacedAndNotRemovedByTheStandard(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	key, enc, other := registrartest.Key(t), registrartest.Key(t), registrartest.Key(t)
	enc["use"], enc["kid"], other["use"], other["kid"] = "enc", "e1", "enc", "e2"
	made := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), metadata(key, with("jwks", set(key, enc)))), 201)
	id, access := made["client_id"].(string), made["registration_access_token"].(string)
	for what, tt := range map[string]struct {
		keys   []map[string]any
		status int
		want   string
	}{
		"replaced": {[]map[string]any{key, other}, 200, `"kid":"e2"`},
		"removed":  {[]map[string]any{key}, 400, ""},
		"two":      {[]map[string]any{key, enc, other}, 400, ""},
	} {
		r := w.Call("PUT", standardPath+"/"+id, access, metadata(key, with("client_id", id, "jwks", set(tt.keys...))))
		if members(t, r, tt.status); !strings.Contains(r.Body, tt.want) {
			t.Errorf("%s: %s", what, r.Body)
		}
	}
}

// eSignet changes no key: the change is refused, and both sides keep the old key.
func TestAKeyThatTheProviderCannotChangeIsRefusedByTheStandardToo(t *testing.T) {
	provider := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	first := registrartest.Key(t)
	made := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), metadata(first, nil)), 201)
	id, access := made["client_id"].(string), made["registration_access_token"].(string)
	members(t, w.Call("PUT", standardPath+"/"+id, access, metadata(first, with("client_id", id, "client_name", "New"))), 200)
	members(t, w.Call("PUT", standardPath+"/"+id, access, metadata(registrartest.Key(t), with("client_id", id, "client_name", "Newer"))), 400)
	if got := provider.Client(id).Name; got != "New" {
		t.Errorf("the provider has %q", got)
	}
}
