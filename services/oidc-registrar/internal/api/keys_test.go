package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// kids lists the keys of a JWK Set.
func kids(t *testing.T, set string) (list []string) {
	t.Helper()
	var keys struct {
		Keys []struct{ Kid string }
	}
	if err := json.Unmarshal([]byte(set), &keys); err != nil {
		t.Fatal(err)
	}
	for _, k := range keys.Keys {
		list = append(list, k.Kid)
	}
	return list
}

// bodyWithKey returns a key with a kid, in the body of a call.
func bodyWithKey(t *testing.T, kid string) map[string]any {
	key := registrartest.Key(t)
	key["kid"] = kid
	return map[string]any{"request": map[string]any{"publicKey": key}}
}

func TestAKeyRollsWithoutAPause(t *testing.T) {
	for side, path := range map[string]string{"partner": partnerPath, "provider": providerPath} {
		t.Run(side, func(t *testing.T) {
			w := registrartest.Boot(t, registrartest.Options{})
			token := map[string]string{"partner": w.Partner("ana", "demo-partner"), "provider": w.Provider()}[side]
			first := registrartest.Key(t)
			first["kid"] = "one"
			body := map[string]map[string]any{"partner": registrartest.PartnerRequest(first, nil),
				"provider": registrartest.ProviderRequest("app", first, nil)}[side]
			id := clientID(t, w.Call("POST", path, token, body))
			set := func() []string {
				t.Helper()
				return kids(t, w.Call("GET", providerPath+"/"+id+"/jwks", "", nil).Body)
			}
			keys := clientsPath + id + "/keys"
			second := bodyWithKey(t, "two")

			expect(t, "the only key is removed", w.Call("DELETE", keys+"?kid=one", token, nil), 200, "invalid_public_key")
			expect(t, "a second key", w.Call("POST", keys, token, second), 200, "")
			expect(t, "the same again", w.Call("POST", keys, token, second), 200, "")
			expect(t, "another one with its kid", w.Call("POST", keys, token, bodyWithKey(t, "one")), 200, "invalid_public_key")
			expect(t, "a third key", w.Call("POST", keys, token, bodyWithKey(t, "three")), 200, "invalid_public_key")
			if got := set(); !slices.Equal(got, []string{"two", "one"}) {
				t.Errorf("JWK Set %q, want both keys, the newest first", got)
			}
			expect(t, "a key that is not there", w.Call("DELETE", keys+"?kid=none", token, nil), 200, "invalid_public_key")
			removed := w.Call("DELETE", keys+"?kid=one", token, nil)
			expect(t, "the old key goes", removed, 200, "")
			if got := set(); !slices.Equal(got, []string{"two"}) || removed.Member("clientId") != id {
				t.Errorf("JWK Set %q, want the new key alone; %s", got, removed.Body)
			}
			events := w.Call("GET", clientsPath+id+"/events", w.Admin(), nil).Member("items").([]any)
			last := events[len(events)-1].(map[string]any)
			if last["kind"] != "updated" || fmt.Sprint(last["changed"]) != "[publicKey]" {
				t.Errorf("the last event is %v", last)
			}
			// The first key is free, but its id, where it was made from that, is not.
			again := w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("other", first, nil))
			expect(t, "the old key for another owner", again, 200, "")
		})
	}
}

func TestAKeyIsOfOneClientWhicheverOfItsKeysItIs(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	provider := w.Provider()
	for _, id := range []string{"a", "b"} {
		expect(t, id, w.Call("POST", providerPath, provider, registrartest.ProviderRequest(id, registrartest.Key(t), nil)), 200, "")
	}
	second := bodyWithKey(t, "second")
	expect(t, "a key for a", w.Call("POST", clientsPath+"a/keys", provider, second), 200, "")
	expect(t, "the same for b", w.Call("POST", clientsPath+"b/keys", provider, second), 200, "duplicate_public_key")
	key := second["request"].(map[string]any)["publicKey"].(map[string]any)
	expect(t, "the same for a new client", w.Call("POST", providerPath, provider,
		registrartest.ProviderRequest("c", key, nil)), 200, "duplicate_public_key")
}

func TestManyClientsWantTheSameKey(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	const clients = 16
	for i := range clients {
		expect(t, "register", w.Call("POST", providerPath, w.Provider(),
			registrartest.ProviderRequest(fmt.Sprint("c", i), registrartest.Key(t), nil)), 200, "")
	}
	wanted, token := bodyWithKey(t, "wanted"), w.Provider()
	codes := make([]string, clients)
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			codes[i] = w.Call("POST", fmt.Sprintf("%sc%d/keys", clientsPath, i), token, wanted).Code()
		})
	}
	group.Wait()
	slices.Sort(codes)
	if codes[0] != "" || codes[1] != "duplicate_public_key" || codes[clients-1] != "duplicate_public_key" {
		t.Errorf("%q, want one that has the key", codes)
	}
}

func TestAKeyOfTheBodyFollowsTheRulesOfKeys(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana := w.Partner("ana", "demo-partner")
	keys := clientsPath + clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil))) + "/keys"
	private := bodyWithKey(t, "k")
	private["request"].(map[string]any)["publicKey"].(map[string]any)["d"] = "AAAA"
	expect(t, "a private key", w.Call("POST", keys, ana, private), 200, "invalid_public_key")
	expect(t, "no key", w.Call("POST", keys, ana, map[string]any{"request": map[string]any{}}), 200, "invalid_public_key")
	expect(t, "no request", w.Call("POST", keys, ana, map[string]any{}), 200, "invalid_request")
}

// rfc7591 is a provider that keeps the last JWK Set it was sent, while it is up.
type rfc7591 struct {
	mu   sync.Mutex
	keys string
	down bool

	instead http.HandlerFunc // replaces the handler while it is set
}

func (p *rfc7591) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var body struct {
		JWKS json.RawMessage `json:"jwks"`
	}
	if p.down || r.Method != http.MethodGet && json.NewDecoder(r.Body).Decode(&body) != nil {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	if p.instead != nil {
		p.instead(w, r)
		return
	}
	if r.Method != http.MethodGet {
		p.keys = string(body.JWKS)
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodPost {
		w.WriteHeader(http.StatusCreated)
	}
	fmt.Fprintf(w, `{"client_id":"its-id","registration_access_token":"t","registration_client_uri":"http://%s/c"}`, r.Host)
}

func (p *rfc7591) set(down bool) (keys string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
	return p.keys
}

// up makes the provider do something in the place of its work, which nil is.
func (p *rfc7591) up(instead http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down, p.instead = false, instead
}

func TestTheProviderGetsTheWholeSet(t *testing.T) {
	provider := &rfc7591{}
	listening := httptest.NewServer(provider)
	defer listening.Close()
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.IDP, c.IDPURL = "rfc7591", listening.URL }})
	first := registrartest.Key(t)
	first["kid"] = "one"
	token := w.Provider()
	expect(t, "register", w.Call("POST", providerPath, token, registrartest.ProviderRequest("app", first, nil)), 200, "")
	second := bodyWithKey(t, "two")

	provider.set(true)
	expect(t, "a key while the provider is down", w.Call("POST", clientsPath+"app/keys", token, second), 503, "unknown_error")
	expect(t, "it is taken for another owner meanwhile", w.Call("POST", providerPath, token,
		registrartest.ProviderRequest("thief", second["request"].(map[string]any)["publicKey"].(map[string]any), nil)), 200, "duplicate_public_key")
	provider.set(false)
	expect(t, "another change, while that is pending",
		w.Call("PUT", providerPath+"/app", token, registrartest.UpdateRequest(with("clientName", "New"))), 200, "")
	if got := kids(t, provider.set(false)); !slices.Equal(got, []string{"two", "one"}) {
		t.Errorf("the provider has %q, want both", got)
	}
	expect(t, "the old key goes", w.Call("DELETE", clientsPath+"app/keys?kid=one", token, nil), 200, "")
	if got := kids(t, provider.set(false)); !slices.Equal(got, []string{"two"}) {
		t.Errorf("the provider has %q, want the new one", got)
	}
}

// What eSignet does not take whole is neither usable there nor lost here.
func TestAKeyToEncryptWithThatESignetRefuses(t *testing.T) {
	provider := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		provider.Configure(c)
		c.IDP = "esignet-1.8"
	}})
	enc := registrartest.Key(t)
	enc["use"] = "enc"
	token, path := w.Provider(), esignetPath+"client"
	register := func(id string) registrartest.Reply {
		return w.Call("POST", path, token, withRequestTime(registrartest.ProviderRequest(id, registrartest.Key(t), with("encPublicKey", enc))))
	}
	expect(t, "taken", register("whole"), 200, "")
	if got := provider.Client("whole"); got.EncKey == nil || got.Status != "ACTIVE" {
		t.Errorf("the provider has %+v", got)
	}
	provider.RefuseMethod("PATCH", "invalid_public_key")
	expect(t, "refused", register("part"), 200, "invalid_public_key")
	if got := response(t, w.Call("GET", providerPath+"/part", token, nil)); got["status"] != "FAILED" || provider.Clients()["part"] != "INACTIVE" {
		t.Errorf("%v here, %s there", got, provider.Clients()["part"])
	}
	another := registrartest.Key(t)
	another["use"] = "enc"
	patch := withRequestTime(map[string]any{"request": with("encPublicKey", another)})
	expect(t, "another key", w.Call("PATCH", path+"/part", token, patch), 200, "invalid_public_key")
	expect(t, "a change of one that is whole", w.Call("PATCH", path+"/whole", token, patch), 200, "invalid_public_key")
	if got := response(t, w.Call("GET", providerPath+"/whole", token,
		nil)); got["encPublicKey"].(map[string]any)["x"] != enc["x"] || got["status"] != "ACTIVE" {
		t.Errorf("a change that was refused was made: %v", got)
	}
	provider.RefuseMethod("", "")
	expect(t, "corrected", w.Call("PATCH", path+"/part", token, patch), 200, "")
	if got := provider.Client("part"); got.Status != "ACTIVE" || !strings.Contains(string(got.EncKey), another["x"].(string)) {
		t.Errorf("the provider has %+v", got)
	}
	provider.RefuseMethod("PATCH", "invalid_public_key")
	expect(t, "refused again", register("gone"), 200, "invalid_public_key")
	expect(t, "deleted", w.Call("DELETE", clientsPath+"gone", token, nil), 200, "")
	if got := provider.Clients()["gone"]; got != "INACTIVE" {
		t.Errorf("the provider has it %s", got)
	}
	provider.Check(t)
}

func TestAKeyWithAnyKidIsRemovedByIt(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana := w.Partner("ana", "demo-partner")
	for _, kid := range []string{"a/b", `a\b`, "..", ".", "https://rp.example/keys?a=1&b=2#c", "ключ", "a b", "a+b%2F", "\u200eא", "keys"} {
		first := registrartest.Key(t)
		first["kid"] = kid
		id := clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(first, nil)))
		keys := clientsPath + id + "/keys"
		expect(t, kid+": a second key", w.Call("POST", keys, ana, bodyWithKey(t, "two")), 200, "")
		expect(t, kid+" goes", w.Call("DELETE", keys+"?kid="+url.QueryEscape(kid), ana, nil), 200, "")
		if got := kids(t, w.Call("GET", providerPath+"/"+id+"/jwks", "", nil).Body); !slices.Equal(got, []string{"two"}) {
			t.Errorf("%s: JWK Set %q", kid, got)
		}
	}
}

func TestAKeyIsRemovedByItsOwnName(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana := w.Partner("ana", "demo-partner")
	id := clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil)))
	thumbprint := kids(t, w.Call("GET", providerPath+"/"+id+"/jwks", "", nil).Body)[0] // of the first key, which has no kid
	keys := clientsPath + id + "/keys"
	expect(t, "a second key", w.Call("POST", keys, ana, bodyWithKey(t, "two")), 200, "")
	expect(t, "a kid as a thumbprint", w.Call("DELETE", keys+"/two", ana, nil), 200, "invalid_public_key")
	expect(t, "no kid", w.Call("DELETE", keys, ana, nil), 200, "invalid_request")
	expect(t, "the first by its thumbprint", w.Call("DELETE", keys+"/"+thumbprint, ana, nil), 200, "")
	if got := kids(t, w.Call("GET", providerPath+"/"+id+"/jwks", "", nil).Body); !slices.Equal(got, []string{"two"}) {
		t.Errorf("JWK Set %q", got)
	}
}
