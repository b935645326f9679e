package idp_test

import (
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
	tests := map[string]struct {
		script   []http.HandlerFunc
		repeated bool
		want     wants
	}{
		"the client is taken":                          {[]http.HandlerFunc{reply(200, registered)}, false, wants{calls: 1}},
		"an error null is none":                        {[]http.HandlerFunc{reply(200, `{"response":{"clientId":"client-1"},"errors":null}`)}, false, wants{calls: 1}},
		"a 5xx, then an answer":                        {[]http.HandlerFunc{reply(503, ""), reply(200, registered)}, false, wants{calls: 2}},
		"half an answer, then a whole one":             {[]http.HandlerFunc{breakOff, reply(200, registered)}, false, wants{calls: 2}},
		"a 401 once, then an answer":                   {[]http.HandlerFunc{reply(401, ""), reply(200, registered)}, false, wants{calls: 2}},
		"a known code is passed on":                    {[]http.HandlerFunc{reply(200, failure("invalid_redirect_uri"))}, false, refusal("invalid_redirect_uri", 1)},
		"a refusal with its own status":                {[]http.HandlerFunc{reply(400, failure("invalid_acr"))}, false, refusal("invalid_acr", 1)},
		"an unknown code is none":                      {[]http.HandlerFunc{reply(200, failure("no_unique_alias"))}, false, refusal("", 1)},
		"the provider's own accident":                  {[]http.HandlerFunc{reply(200, failure("unknown_error"))}, false, unreachable},
		"the answer is about another client":           {[]http.HandlerFunc{reply(200, strings.ReplaceAll(registered, "client-1", "client-2"))}, false, unreachable},
		"a duplicate at once is somebody else's":       {[]http.HandlerFunc{reply(200, failure("duplicate_client_id"))}, false, refusal("duplicate_client_id", 1)},
		"a duplicate after a 401 is somebody else's":   {[]http.HandlerFunc{reply(401, ""), reply(200, failure("duplicate_client_id"))}, false, refusal("duplicate_client_id", 2)},
		"a duplicate after a 429 is somebody else's":   {[]http.HandlerFunc{reply(429, ""), reply(200, failure("duplicate_client_id"))}, false, refusal("duplicate_client_id", 2)},
		"a duplicate after a lost answer is ours":      {[]http.HandlerFunc{drop, reply(200, failure("duplicate_client_id"))}, false, wants{calls: 2}},
		"a duplicate after half an answer is ours":     {[]http.HandlerFunc{breakOff, reply(200, failure("duplicate_client_id"))}, false, wants{calls: 2}},
		"a duplicate after a 5xx is ours":              {[]http.HandlerFunc{reply(500, ""), reply(200, failure("duplicate_client_id"))}, false, wants{calls: 2}},
		"a duplicate in a later attempt is ours":       {[]http.HandlerFunc{reply(200, failure("duplicate_client_id"))}, true, wants{calls: 1}},
		"a duplicate key is never ours":                {[]http.HandlerFunc{reply(200, failure("duplicate_public_key"))}, true, refusal("duplicate_public_key", 1)},
		"a lost answer, a 401, then a duplicate: ours": {[]http.HandlerFunc{drop, reply(401, ""), reply(200, failure("duplicate_client_id"))}, false, wants{calls: 3}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			_, err := p.connector(t, "esignet").Register(t.Context(), client(), tt.repeated)
			tt.want.check(t, p, err)
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
	if _, err := e.Register(t.Context(), c, false); err != nil {
		t.Fatal(err)
	}
	c.ID, c.Status = "a/b ü", registrar.ClientInactive
	if _, err := e.Update(t.Context(), c, registrar.ProviderRecord{}); err == nil {
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
	for i, got := range p.seen() {
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
		"the change is taken":            {[]http.HandlerFunc{reply(200, registered)}, wants{calls: 1}},
		"a client it does not know":      {[]http.HandlerFunc{reply(200, failure("invalid_client_id"))}, wants{reason: registrar.ProviderRefused, code: "invalid_client_id", calls: 1}},
		"a 5xx, then an answer":          {[]http.HandlerFunc{reply(500, ""), reply(200, registered)}, wants{calls: 2}},
		"no answer":                      {[]http.HandlerFunc{reply(500, "")}, wants{reason: registrar.ProviderUnreachable, calls: 3}},
		"a refusal in a foreign costume": {[]http.HandlerFunc{reply(200, failure(`\u001b[2J`))}, wants{reason: registrar.ProviderRefused}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			_, err := p.connector(t, "esignet").Update(t.Context(), client(), registrar.ProviderRecord{})
			tt.want.check(t, p, err)
			if err != nil && strings.ContainsRune(err.Error(), '\x1b') {
				t.Errorf("%q", err)
			}
		})
	}
}
