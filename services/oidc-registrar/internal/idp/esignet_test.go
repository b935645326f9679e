package idp_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

const registered = `{"responseTime":"2026-03-01T12:00:00.000Z","response":{"clientId":"client-1","status":"ACTIVE"},"errors":[]}`

func failure(code string) string {
	return `{"responseTime":"2026-03-01T12:00:00.000Z","response":null,"errors":[{"errorCode":"` + code + `","errorMessage":"Provider's words"}]}`
}

func TestESignetRegistration(t *testing.T) {
	unreachable := wants{reason: registrar.ProviderUnreachable}
	refusal := func(code string, calls int) wants {
		return wants{reason: registrar.ProviderRefused, code: code, calls: calls}
	}
	doubt := func(calls int) wants { return wants{reason: registrar.ProviderOutcomeUnknown, calls: calls} }
	tests := map[string]struct {
		script []http.HandlerFunc
		prior  registrar.Prior
		want   wants
	}{
		"the client is taken": {[]http.HandlerFunc{reply(200, registered)}, registrar.PriorNone, wants{calls: 1}},
		"an error null is none": {[]http.HandlerFunc{reply(200,
			`{"response":{"clientId":"client-1"},"errors":null}`)}, registrar.PriorNone, wants{calls: 1}},
		"a 5xx, then an answer": {[]http.HandlerFunc{reply(503, ""), reply(200, registered)},
			registrar.PriorNone, wants{calls: 2}},
		"half an answer, then a whole one": {[]http.HandlerFunc{breakOff, reply(200, registered)}, registrar.PriorNone, wants{calls: 2}},
		"a 401 once, then an answer": {[]http.HandlerFunc{reply(401, ""), reply(200, registered)},
			registrar.PriorNone, wants{calls: 2}},
		"a documented code is passed on": {[]http.HandlerFunc{reply(200, failure("invalid_redirect_uri"))},
			registrar.PriorNone, refusal("invalid_redirect_uri", 1)},
		"a refusal with its own status": {[]http.HandlerFunc{reply(400, failure("invalid_acr"))},
			registrar.PriorNone, refusal("invalid_acr", 1)},
		"an unknown code is passed on": {[]http.HandlerFunc{reply(200, failure("no_unique_alias"))},
			registrar.PriorNone, refusal("no_unique_alias", 1)},
		"a code of another form is none": {[]http.HandlerFunc{reply(200, failure("IDP-001"))}, registrar.PriorNone, refusal("", 1)},
		"a code that is too long is none": {[]http.HandlerFunc{reply(200, failure(strings.Repeat("a", 65)))},
			registrar.PriorNone, refusal("", 1)},
		"the provider's own accident": {[]http.HandlerFunc{reply(200, failure("unknown_error"))}, registrar.PriorNone, unreachable},
		"the answer is about another client": {[]http.HandlerFunc{reply(200,
			strings.ReplaceAll(registered, "client-1", "client-2"))}, registrar.PriorNone, unreachable},
		"a duplicate at once may be of a lost state": {[]http.HandlerFunc{reply(200, failure("duplicate_client_id"))}, registrar.PriorNone, doubt(1)},
		"a duplicate after a 401 may be of a lost state": {[]http.HandlerFunc{reply(401, ""),
			reply(200, failure("duplicate_client_id"))}, registrar.PriorNone, doubt(2)},
		"a duplicate after a 429 may be of a lost state": {[]http.HandlerFunc{reply(429, ""),
			reply(200, failure("duplicate_client_id"))}, registrar.PriorNone, doubt(2)},
		"a duplicate after a lost answer": {[]http.HandlerFunc{drop,
			reply(200, failure("duplicate_client_id"))}, registrar.PriorNone, doubt(2)},
		"a duplicate after a connection that is reset": {[]http.HandlerFunc{reset,
			reply(200, failure("duplicate_client_id"))}, registrar.PriorNone, doubt(2)},
		"a duplicate after half an answer": {[]http.HandlerFunc{breakOff,
			reply(200, failure("duplicate_client_id"))}, registrar.PriorNone, doubt(2)},
		"a duplicate after a 5xx": {[]http.HandlerFunc{reply(500, ""),
			reply(200, failure("duplicate_client_id"))}, registrar.PriorNone, doubt(2)},
		"a duplicate in a later attempt": {[]http.HandlerFunc{reply(200, failure("duplicate_client_id"))},
			registrar.PriorUnknown, doubt(1)},
		"a lost answer, a 401, then a duplicate": {[]http.HandlerFunc{drop, reply(401, ""),
			reply(200, failure("duplicate_client_id"))}, registrar.PriorNone, doubt(3)},
		"a 401, a lost answer, then a duplicate": {[]http.HandlerFunc{reply(401, ""), drop,
			reply(200, failure("duplicate_client_id"))}, registrar.PriorNone, doubt(3)},
		"a lost answer about a confirmed client": {[]http.HandlerFunc{drop,
			reply(200, failure("duplicate_client_id")), reply(200, registered)}, registrar.PriorOurs, wants{calls: 3}},
		"a duplicate key is never ours": {[]http.HandlerFunc{reply(200, failure("duplicate_public_key"))},
			registrar.PriorUnknown, refusal("duplicate_public_key", 1)},
		"a confirmed duplicate": {[]http.HandlerFunc{reply(200, failure("duplicate_client_id")),
			reply(200, registered)}, registrar.PriorOurs, wants{calls: 2}},
		"a confirmed client is absent": {[]http.HandlerFunc{reply(200, registered)}, registrar.PriorOurs, wants{calls: 1}},
		"a confirmed client is absent for a change": {[]http.HandlerFunc{reply(200, failure("duplicate_client_id")),
			reply(200, failure("invalid_client_id"))}, registrar.PriorOurs, refusal("invalid_client_id", 2)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			_, err := p.connector(t, "esignet-1.8").Register(t.Context(), client(), tt.prior)
			tt.want.check(t, p, err)
		})
	}
}

func TestDuplicateIsOursWithASoleWriter(t *testing.T) {
	duplicate := reply(200, failure("duplicate_client_id"))
	for name, tt := range map[string]struct {
		script []http.HandlerFunc
		prior  registrar.Prior
		want   wants
		ours   bool // an error proves that the provider has the client
	}{
		"at once": {[]http.HandlerFunc{duplicate}, registrar.PriorNone, wants{reason: registrar.ProviderOutcomeUnknown, calls: 1}, false},
		"after a call never sent": {[]http.HandlerFunc{reply(429, ""), duplicate}, registrar.PriorNone,
			wants{reason: registrar.ProviderOutcomeUnknown, calls: 2}, false},
		"after a lost answer":      {[]http.HandlerFunc{drop, duplicate, reply(200, registered)}, registrar.PriorNone, wants{calls: 3}, false},
		"after an earlier attempt": {[]http.HandlerFunc{duplicate, reply(200, registered)}, registrar.PriorUnknown, wants{calls: 2}, false},
		"but the change is refused": {[]http.HandlerFunc{duplicate, reply(200, failure("invalid_claim"))},
			registrar.PriorUnknown, wants{reason: registrar.ProviderRefused, code: "invalid_claim", calls: 2}, true},
		"but no change is let in": {[]http.HandlerFunc{drop, duplicate, reply(403, "")}, registrar.PriorNone,
			wants{reason: registrar.ProviderUnreachable, calls: 3}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			o := p.options()
			o.SoleWriter = true
			e, err := idp.NewESignet(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Register(t.Context(), client(), tt.prior)
			tt.want.check(t, p, err)
			if tt.want.reason == registrar.ProviderOutcomeUnknown && !errors.Is(err, idp.ErrNotSent) { // else a repeat would count as a later try
				t.Errorf("%v: something of ours may be there", err)
			}
			if ours := errors.Is(err, idp.ErrOurs); ours != tt.ours {
				t.Errorf("%v: it proves that the provider has the client: %t", err, ours)
			}
		})
	}
}

func TestRemoveDisablesOnlyOwnClients(t *testing.T) {
	ours, none := reply(200, registered), reply(200, failure("invalid_client_id"))
	for name, tt := range map[string]struct {
		script []http.HandlerFunc
		prior  registrar.Prior
		sole   bool
		then   registrar.Prior
		calls  string // the methods
		want   wants
	}{
		"ours":                     {[]http.HandlerFunc{ours}, registrar.PriorOurs, false, registrar.PriorOurs, "PUT", wants{}},
		"ours, and gone":           {[]http.HandlerFunc{none}, registrar.PriorOurs, false, registrar.PriorNone, "PUT", wants{}},
		"of the only writer":       {[]http.HandlerFunc{ours}, registrar.PriorUnknown, true, registrar.PriorUnknown, "PUT", wants{}},
		"unknown, and it had none": {[]http.HandlerFunc{ours, ours}, registrar.PriorUnknown, false, registrar.PriorOurs, "POST PUT", wants{}},
		"unknown, it had none, and no more answer": {[]http.HandlerFunc{ours, reply(500, "")}, registrar.PriorUnknown, false,
			registrar.PriorOurs, "POST PUT PUT PUT", wants{reason: registrar.ProviderUnreachable}},
		"unknown, and it has one": {[]http.HandlerFunc{reply(200, failure("duplicate_client_id"))},
			registrar.PriorUnknown, false, registrar.PriorUnknown, "POST", wants{reason: registrar.ProviderOutcomeUnknown}},
		"unknown, without a statement": {[]http.HandlerFunc{reply(200, failure("invalid_claim"))},
			registrar.PriorUnknown, false, registrar.PriorUnknown, "POST", wants{reason: registrar.ProviderOutcomeUnknown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			o := p.options()
			o.SoleWriter = tt.sole
			e, err := idp.NewESignet(o)
			if err != nil {
				t.Fatal(err)
			}
			then, err := e.Remove(t.Context(), client(), registrar.ProviderRecord{}, tt.prior)
			tt.want.check(t, p, err)
			var methods []string
			for _, c := range p.received() {
				methods = append(methods, c.method)
				if c.method == "PUT" && !strings.Contains(c.body, `"status":"INACTIVE"`) {
					t.Errorf("sent %s", c.body)
				}
			}
			if got := strings.Join(methods, " "); got != tt.calls || then != tt.then {
				t.Errorf("calls %s, and then %d; want %s and %d", got, then, tt.calls, tt.then)
			}
		})
	}
}

func TestESignetGetsTheProviderEnvelope(t *testing.T) {
	p := start(t, reply(200, registered))
	o := p.options()
	o.URL += "/v1/esignet/"
	o.Now = func() time.Time { return time.Date(2026, 3, 1, 14, 0, 0, 5e6, time.FixedZone("", 7200)) }
	e, err := idp.NewESignet(o)
	if err != nil {
		t.Fatal(err)
	}
	c := client()
	c.UserClaims = nil
	if _, err := e.Register(t.Context(), c, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	c.ID, c.Status = "a/b ü", registrar.ClientInactive
	if _, err := e.Update(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorNone); err == nil {
		t.Error("the answer about client-1 passes for one about another")
	}
	want := []call{
		{"POST", "/v1/esignet/client-mgmt/oidc-client", "t1", `{"requestTime":"2026-03-01T12:00:00.005Z","request":{` +
			`"clientId":"client-1","clientName":"Health portal","publicKey":` + jwk + `,"relyingPartyId":"partner-1","userClaims":[],` +
			`"authContextRefs":["mosip:idp:acr:password"],"logoUri":"https://rp.example/l.png","redirectUris":["https://rp.example/cb"],` +
			`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`},
		{"PUT", "/v1/esignet/client-mgmt/oidc-client/a%2Fb%20%C3%BC", "t1", `{"requestTime":"2026-03-01T12:00:00.005Z","request":{` +
			`"clientName":"Health portal","userClaims":[],` +
			`"authContextRefs":["mosip:idp:acr:password"],"logoUri":"https://rp.example/l.png","redirectUris":["https://rp.example/cb"],` +
			`"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"],"status":"INACTIVE"}}`},
	}
	for i, got := range p.received() {
		if got != want[i] {
			t.Errorf("call %d\n%+v, want\n%+v", i, got, want[i])
		}
	}
}

func TestESignetUpdate(t *testing.T) {
	for name, tt := range map[string]struct {
		script []http.HandlerFunc
		want   wants
	}{
		"the change is taken": {[]http.HandlerFunc{reply(200, registered)}, wants{calls: 1}},
		"an unknown client": {[]http.HandlerFunc{reply(200, failure("invalid_client_id"))},
			wants{reason: registrar.ProviderRefused, code: "invalid_client_id", calls: 1}},
		"a 5xx, then an answer":          {[]http.HandlerFunc{reply(500, ""), reply(200, registered)}, wants{calls: 2}},
		"no answer":                      {[]http.HandlerFunc{reply(500, "")}, wants{reason: registrar.ProviderUnreachable, calls: 3}},
		"a refusal in a foreign costume": {[]http.HandlerFunc{reply(200, failure(`\u001b[2J`))}, wants{reason: registrar.ProviderRefused}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			_, err := p.connector(t, "esignet-1.8").Update(t.Context(), client(), registrar.ProviderRecord{}, registrar.PriorNone)
			tt.want.check(t, p, err)
			if err != nil && strings.ContainsRune(err.Error(), '\x1b') {
				t.Errorf("%q", err)
			}
		})
	}
}

func TestESignetInterfacesAcceptOnlyTheirExtensions(t *testing.T) {
	names, config := registrar.Extensions{Names: map[string]string{"fra": "Santé"}}, registrar.Extensions{Config: `{"require_pkce":true}`}
	all := registrar.Extensions{Names: names.Names, Config: config.Config, EncKey: encKey}
	for path, want := range map[string]struct{ lacks, plain, named string }{
		"oidc-client":  {"additionalConfig.require_pkce encPublicKey", "oidc-client", ""},
		"oauth-client": {"additionalConfig.require_pkce encPublicKey", "oidc-client", "oauth-client"},
		"client":       {"encPublicKey", "client", "client"},
	} {
		t.Run(path, func(t *testing.T) {
			p := start(t, reply(200, registered))
			o := p.options()
			o.ClientPath = path
			e, err := idp.NewESignet(o)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(e.MissingExtensions(all), " "); got != want.lacks {
				t.Errorf("lacks %s, want %s", got, want.lacks)
			}
			c := client()
			if _, err := e.Register(t.Context(), c, registrar.PriorNone); err != nil {
				t.Fatal(err)
			}
			if got := p.received()[0]; got.path != "/client-mgmt/"+want.plain ||
				strings.Contains(got.body, "clientNameLangMap") || strings.Contains(got.body, "additionalConfig") {
				t.Errorf("a plain client: %+v", got)
			}
			c.Extensions = names
			if want.named == "" {
				if _, err := e.Register(t.Context(), c, registrar.PriorNone); err != nil ||
					strings.Contains(p.received()[1].body, "clientNameLangMap") {
					t.Errorf("names at %s: %v %s", path, err, p.received()[1].body)
				}
				return
			}
			if path == "client" {
				c.Extensions.Config = config.Config
			}
			for range 2 {
				if _, err := e.Update(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorNone); err != nil {
					t.Fatal(err)
				}
			}
			got := p.received()[1]
			if got.path != "/client-mgmt/"+want.named+"/client-1" ||
				!strings.Contains(got.body, `"clientNameLangMap":{"fra":"Santé"}`) ||
				(path == "client") != strings.Contains(got.body, `"additionalConfig":{"require_pkce":true}`) {
				t.Errorf("a client with names: %+v", got)
			}
		})
	}
}

// eSignet accepts an encryption key only by PATCH. A client with one is complete or unusable.
func TestAKeyToEncryptWithIsSetByPatch(t *testing.T) {
	done, refusal := reply(200, registered), reply(200, failure("invalid_public_key"))
	for name, tt := range map[string]struct {
		script []http.HandlerFunc
		call   func(t *testing.T, e *idp.ESignet, c registrar.Client) error
		calls  string
		want   wants
		ours   bool // that the provider has the client is certain
	}{
		"registered": {[]http.HandlerFunc{done}, register(registrar.PriorNone), "POST PATCH", wants{}, false},
		"the key is refused": {[]http.HandlerFunc{done, refusal, done}, register(registrar.PriorNone),
			"POST PATCH PUT INACTIVE", wants{reason: registrar.ProviderRefused, code: "invalid_public_key"}, true},
		"and it stays usable": {[]http.HandlerFunc{done, refusal, reply(500, "")}, register(registrar.PriorNone),
			"POST PATCH PUT INACTIVE PUT INACTIVE PUT INACTIVE", wants{reason: registrar.ProviderUnreachable}, true},
		"no answer about the key": {[]http.HandlerFunc{done, reply(500, "")}, register(registrar.PriorNone),
			"POST PATCH PATCH PATCH", wants{reason: registrar.ProviderUnreachable}, true},
		"again, when it is ours": {[]http.HandlerFunc{reply(200, failure("duplicate_client_id")), done},
			register(registrar.PriorOurs), "POST PATCH PUT ACTIVE", wants{}, false},
		"nothing for others": {[]http.HandlerFunc{reply(200, failure("duplicate_client_id"))},
			register(registrar.PriorUnknown), "POST", wants{reason: registrar.ProviderOutcomeUnknown}, false},
		"changed": {[]http.HandlerFunc{done}, update(registrar.ClientActive), "PATCH PUT ACTIVE", wants{}, false},
		"a change that is refused": {[]http.HandlerFunc{refusal}, update(registrar.ClientActive), "PATCH",
			wants{reason: registrar.ProviderRefused, code: "invalid_public_key"}, false},
		"switched off": {[]http.HandlerFunc{done}, update(registrar.ClientInactive), "PUT INACTIVE", wants{}, false},
		"removed": {[]http.HandlerFunc{done}, func(t *testing.T, e *idp.ESignet, c registrar.Client) error {
			_, err := e.Remove(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorUnknown)
			return err
		}, "POST PUT INACTIVE", wants{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			o := p.options()
			o.ClientPath, o.ClientPatch = "client", true
			e, err := idp.NewESignet(o)
			if err != nil {
				t.Fatal(err)
			}
			c := client()
			c.Extensions.EncKey = encKey
			if lacks := e.MissingExtensions(c.Extensions); len(lacks) > 0 {
				t.Errorf("it lacks %v", lacks)
			}
			err = tt.call(t, e, c)
			tt.want.check(t, p, err)
			var calls []string
			for _, c := range p.received() {
				calls = append(calls, c.method)
				if c.method == "PUT" {
					status, _, _ := strings.Cut(strings.SplitN(c.body, `"status":"`, 2)[1], `"`)
					calls = append(calls, status)
				}
				if c.method == "PATCH" && (c.path != "/client-mgmt/client/client-1" || !strings.HasSuffix(c.body, `"request":{"encPublicKey":`+encKey+`}}`)) {
					t.Errorf("sent to %s: %s", c.path, c.body)
				}
			}
			if got := strings.Join(calls, " "); got != tt.calls || errors.Is(err, idp.ErrOurs) != tt.ours {
				t.Errorf("calls %s, want %s; ours %t, %v", got, tt.calls, tt.ours, err)
			}
		})
	}
}

func register(prior registrar.Prior) func(*testing.T, *idp.ESignet, registrar.Client) error {
	return func(t *testing.T, e *idp.ESignet, c registrar.Client) error {
		_, err := e.Register(t.Context(), c, prior)
		return err
	}
}

func update(status registrar.ClientStatus) func(*testing.T, *idp.ESignet, registrar.Client) error {
	return func(t *testing.T, e *idp.ESignet, c registrar.Client) error {
		c.Status = status
		_, err := e.Update(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorNone)
		return err
	}
}
