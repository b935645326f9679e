package idp_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

// second is the connector to an eSignet 2.0 that answers a script.
func (p *provider) second(t *testing.T, sole bool) *idp.ESignet2 {
	t.Helper()
	o := p.options()
	o.SoleWriter = sole
	e, err := idp.NewESignet2(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// methods are the methods of the calls that a provider got.
func (p *provider) methods() string {
	var methods []string
	for _, c := range p.received() {
		methods = append(methods, c.method)
	}
	return strings.Join(methods, " ")
}

// A duplicate is 500 as any failure, so a read before and after each try decides.
func TestRegistrationsAtESignet2AreDecidedByARead(t *testing.T) {
	there, none, failed := reply(200, registered), reply(200, failure("invalid_client_id")), reply(500, failure("server_error"))
	doubt, unreachable := wants{reason: registrar.ProviderOutcomeUnknown}, wants{reason: registrar.ProviderUnreachable}
	for name, tt := range map[string]struct {
		script []http.HandlerFunc
		prior  registrar.Prior
		sole   bool
		calls  string
		want   wants
		clean  bool // nothing of ours can be there
		ours   bool // the client there is known to be ours
	}{
		"new":                          {[]http.HandlerFunc{none, there}, registrar.PriorNone, false, "GET POST", wants{}, false, false},
		"there before the first try":   {[]http.HandlerFunc{there}, registrar.PriorNone, false, "GET", doubt, true, false},
		"and with one writer":          {[]http.HandlerFunc{there}, registrar.PriorNone, true, "GET", doubt, true, false},
		"there after an earlier try":   {[]http.HandlerFunc{there}, registrar.PriorUnknown, false, "GET", doubt, false, false},
		"and with one writer, so ours": {[]http.HandlerFunc{there, there}, registrar.PriorUnknown, true, "GET PATCH", wants{}, false, false},
		"confirmed":                    {[]http.HandlerFunc{there, there}, registrar.PriorOurs, false, "GET PATCH", wants{}, false, false},
		"confirmed, and gone":          {[]http.HandlerFunc{none, there}, registrar.PriorOurs, false, "GET POST", wants{}, false, false},
		"confirmed, and the change is refused": {[]http.HandlerFunc{there, reply(200, failure("invalid_acr"))},
			registrar.PriorOurs, false, "GET PATCH", wants{reason: registrar.ProviderRefused, code: "invalid_acr"}, false, true},
		"a lost answer": {[]http.HandlerFunc{none, drop, there}, registrar.PriorNone, false, "GET POST GET", doubt, false, false},
		"a lost answer with one writer": {[]http.HandlerFunc{none, drop, there, there}, registrar.PriorNone, true,
			"GET POST GET PATCH", wants{}, false, false},
		"500, and not there: once more": {[]http.HandlerFunc{none, failed, none, there}, registrar.PriorNone, false,
			"GET POST GET POST", wants{}, false, false},
		"500 for ever": {[]http.HandlerFunc{none, failed, none, failed, none}, registrar.PriorNone,
			false, "GET POST GET POST GET", unreachable, false, false},
		"a refusal": {[]http.HandlerFunc{none, reply(200, failure("invalid_input"))},
			registrar.PriorNone, false, "GET POST", wants{reason: registrar.ProviderRefused, code: "invalid_input"}, false,
			false},
		"a duplicate with its code": {[]http.HandlerFunc{none, reply(200, failure("duplicate_client_id"))},
			registrar.PriorNone, true, "GET POST", doubt, true, false},
		"no read, so nothing is sent": {[]http.HandlerFunc{reply(403, "")}, registrar.PriorNone, true, "GET", unreachable, true, false},
		"no read after a try": {[]http.HandlerFunc{none, drop, reply(403, "")}, registrar.PriorNone, true,
			"GET POST GET", unreachable, false, false},
		"not sent again": {[]http.HandlerFunc{none, drop, none, reply(429, "")}, registrar.PriorNone,
			true, "GET POST GET POST", unreachable, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			_, err := p.second(t, tt.sole).Register(t.Context(), client(), tt.prior)
			tt.want.check(t, p, err)
			if got := p.methods(); got != tt.calls {
				t.Errorf("calls %s, want %s", got, tt.calls)
			}
			if errors.Is(err, idp.ErrNotSent) != tt.clean || errors.Is(err, idp.ErrOurs) != tt.ours {
				t.Errorf("%v: nothing of ours is there %t, it is ours %t", err, tt.clean, tt.ours)
			}
		})
	}
}

func TestESignet2GetsNamesAndPatches(t *testing.T) {
	p := start(t, reply(200, failure("invalid_client_id")), reply(200, registered))
	e, c := p.second(t, false), client()
	c.Extensions.EncKey = encKey
	if _, err := e.Register(t.Context(), c, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	c.Status, c.Extensions = registrar.ClientActive, registrar.Extensions{Config: `{"id_token_response_type":"JWE"}`,
		Names: map[string]string{"fra": "Santé"}}
	if lacks := e.MissingExtensions(c.Extensions); len(lacks) > 0 {
		t.Errorf("it lacks %v", lacks)
	}
	if _, err := e.Update(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	c.Status, c.ID = registrar.ClientInactive, "client-1"
	if _, err := e.Update(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		method, path string
		parts        []string
	}{
		{"GET", "/client-mgmt/client/client-1", nil},
		{"POST", "/client-mgmt/client", []string{`"clientId":"client-1"`, `"publicKey":` + jwk,
			`"relyingPartyId":"partner-1"`, `"clientNameLangMap":{}`, `"additionalConfig":{}`}},
		{"PATCH", "/client-mgmt/client/client-1", []string{`"request":{"encPublicKey":` + encKey + `}}`}},
		{"PATCH", "/client-mgmt/client/client-1",
			[]string{`"clientNameLangMap":{"fra":"Santé"}`, `"additionalConfig":{"id_token_response_type":"JWE"}`,
				`"status":"ACTIVE"`, `"encPublicKey":null`}},
		{"PATCH", "/client-mgmt/client/client-1", []string{`"request":{"status":"INACTIVE"}}`}},
	} {
		got := p.received()[i]
		if got.method != want.method || got.path != want.path || got.token != "t1" {
			t.Errorf("call %d: %+v", i, got)
		}
		for _, part := range want.parts {
			if !strings.Contains(got.body, part) {
				t.Errorf("call %d: %s, want %s", i, got.body, part)
			}
		}
	}
}

// A key to encrypt with that is refused leaves no client that can be used.
func TestESignet2SwitchesOffAClientThatItRefusesInPart(t *testing.T) {
	p := start(t, reply(200, failure("invalid_client_id")), reply(200, registered), reply(200, failure("invalid_public_key")), reply(200, registered))
	c := client()
	c.Extensions.EncKey = encKey
	_, err := p.second(t, false).Register(t.Context(), c, registrar.PriorNone)
	wants{reason: registrar.ProviderRefused, code: "invalid_public_key", calls: 4}.check(t, p, err)
	if last := p.received()[3]; !errors.Is(err, idp.ErrOurs) || last.method != "PATCH" || !strings.Contains(last.body, `{"status":"INACTIVE"}`) {
		t.Errorf("%+v, %v", last, err)
	}
}

func TestESignet2MissesAClient(t *testing.T) {
	none := reply(200, failure("invalid_client_id"))
	for name, tt := range map[string]struct {
		script  []http.HandlerFunc
		missing bool
	}{
		"by its code":    {[]http.HandlerFunc{none}, true},
		"500, no client": {[]http.HandlerFunc{reply(500, ""), reply(500, ""), reply(500, ""), none}, true},
		"500, a client":  {[]http.HandlerFunc{reply(500, ""), reply(500, ""), reply(500, ""), reply(200, registered)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client()
			c.Status = registrar.ClientActive
			if _, err := start(t, tt.script...).second(t, false).Update(t.Context(), c, registrar.ProviderRecord{},
				registrar.PriorNone); err == nil || errors.Is(err, idp.ErrMissing) != tt.missing {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestESignet2RemovesOwnClientsOnly(t *testing.T) {
	there, none := reply(200, registered), reply(200, failure("invalid_client_id"))
	for name, tt := range map[string]struct {
		script []http.HandlerFunc
		prior  registrar.Prior
		sole   bool
		then   registrar.Prior
		calls  string
		want   wants
	}{
		"ours": {[]http.HandlerFunc{there}, registrar.PriorOurs, false, registrar.PriorOurs, "GET PATCH", wants{}},
		"gone": {[]http.HandlerFunc{none}, registrar.PriorUnknown, false, registrar.PriorNone, "GET", wants{}},
		"of whom": {[]http.HandlerFunc{there}, registrar.PriorUnknown, false, registrar.PriorUnknown, "GET",
			wants{reason: registrar.ProviderOutcomeUnknown}},
		"with one writer": {[]http.HandlerFunc{there}, registrar.PriorUnknown, true, registrar.PriorUnknown, "GET PATCH", wants{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			then, err := p.second(t, tt.sole).Remove(t.Context(), client(), registrar.ProviderRecord{}, tt.prior)
			tt.want.check(t, p, err)
			if got := p.methods(); got != tt.calls || then != tt.then {
				t.Errorf("calls %s, then %d", got, then)
			}
		})
	}
}

func TestESignet2ShowsTheStatusAlone(t *testing.T) {
	for status, want := range map[registrar.ClientStatus]registrar.DifferenceKind{registrar.ClientActive: registrar.DifferenceNone, registrar.ClientInactive: registrar.DifferenceMembers} {
		c := client()
		c.Status = status
		if found, _, err := start(t, reply(200, registered)).second(t, false).Read(t.Context(), c,
			registrar.ProviderRecord{}); err != nil || found.Kind != want {
			t.Errorf("%s: %+v, %v", status, found, err)
		}
	}
	if found, _, err := start(t, reply(200, failure("invalid_client_id"))).second(t, false).Read(t.Context(), client(),
		registrar.ProviderRecord{}); err != nil || found.Kind != registrar.DifferenceMissing {
		t.Errorf("%+v, %v", found, err)
	}
}
