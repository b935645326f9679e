package idp_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

func TestProviderAnswersToClientReads(t *testing.T) {
	missing, denied := registrar.DifferenceMissing, registrar.DifferenceMembers
	type outcome struct {
		kind registrar.DifferenceKind
		err  error // nil for none
	}
	for name, tt := range map[string]struct {
		answer  http.HandlerFunc
		byToken outcome
		byOwn   outcome
	}{
		"as it was sent": {reply(200, `{"client_id":"assigned-1","jwks":{"keys":[`+jwk+`]}}`), outcome{}, outcome{}},
		"404":            {reply(404, ""), outcome{kind: missing}, outcome{kind: missing}},
		"410":            {reply(410, ""), outcome{kind: missing}, outcome{kind: missing}},
		"401":            {reply(401, ""), outcome{kind: denied}, outcome{err: idp.ErrUnreachable}},
		"403":            {reply(403, ""), outcome{kind: denied}, outcome{err: idp.ErrUnreachable}},
		"another client": {reply(200, `{"client_id":"assigned-2"}`), outcome{err: idp.ErrUnreachable}, outcome{err: idp.ErrUnreachable}},
		"a page":         {reply(200, "<html>"), outcome{err: idp.ErrUnreachable}, outcome{err: idp.ErrUnreachable}},
		"a refusal": {reply(400, `{"error":"invalid_request"}`), outcome{err: registrar.ProviderRefused},
			outcome{err: registrar.ProviderRefused}},
		"nothing":                   {drop, outcome{err: idp.ErrUnreachable}, outcome{err: idp.ErrUnreachable}},
		"a failure is no statement": {reply(500, ""), outcome{err: idp.ErrUnreachable}, outcome{err: idp.ErrUnreachable}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for token, want := range map[string]outcome{"reg-token-1": tt.byToken, "t1": tt.byOwn} {
				p := start(t, tt.answer)
				c := p.registry(t, token == "t1")
				if c.Abilities().ReadsByToken != (token == "reg-token-1") {
					t.Errorf("it reads by the token of the client: %t", c.Abilities().ReadsByToken)
				}
				record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
				got, kept, err := c.Read(t.Context(), client(), record)
				if got.Kind != want.kind || want.err == nil && err != nil || want.err != nil && !errors.Is(err, want.err) || kept != record {
					t.Errorf("with the token %s: %+v, %v, want %+v", token, got, err, want)
				}
				if seen := p.received(); seen[0] != (call{"GET", "/c/1", token, ""}) {
					t.Errorf("call %+v, want the token %s", seen[0], token)
				}
			}
		})
	}
	p := start(t, drop)
	_, _, err := p.connector(t, "rfc7591").Read(t.Context(), client(), registrar.ProviderRecord{ClientID: "assigned-1"})
	wants{reason: registrar.ProviderRefused}.check(t, p, err)
}

// A token and an address that come with the answer take the place of those before.
func TestReadStoresReturnedTokenAndURI(t *testing.T) {
	p := start(t, reply(200, information("https://idp.example/new/1", "")), reply(200, `{"client_id":"assigned-1"}`))
	c := p.connector(t, "rfc7591")
	record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-0"}
	_, got, err := c.Read(t.Context(), client(), record)
	if want := (registrar.ProviderRecord{ClientID: "assigned-1", URI: "https://idp.example/new/1",
		AccessToken: "reg-token-1"}); err != nil || got != want {
		t.Errorf("record %s, %q, %v", got.URI, string(got.AccessToken), err)
	}
	if _, got, err = c.Read(t.Context(), client(), record); err != nil || got != record {
		t.Errorf("nothing new: record %s, %q, %v", got.URI, string(got.AccessToken), err)
	}
}

// Each member that the provider adds or changes differs, also of an INACTIVE client. Other members that are
// absent from the reply are not compared, except for the keys.
func TestClientComparisonUsesOnlyMembersReturnedByProvider(t *testing.T) {
	const ours, other = `{"crv":"P-256","kty":"EC","x":"Y76Xt0D3eChgKjB126sVV_NLNs_elEPSVdVn8s51gCo","y":"siYTSiazJH1VIt_bgKg7lJxjbePI-XXK-epnT6I02_o"`,
		`{"crv":"P-256","kty":"EC","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"`
	key, err := registrar.KeyOf([]byte(ours + "}"))
	if err != nil {
		t.Fatal(err)
	}
	former, err := registrar.KeyOf([]byte(other + "}"))
	if err != nil {
		t.Fatal(err)
	}
	two := func(c *registrar.Client) { c.OtherKeys = []registrar.Key{former} }
	var disabled struct{ JWKS json.RawMessage }
	p := start(t, reply(200, `{"client_id":"assigned-1"}`))
	c := client()
	c.Status = registrar.ClientInactive
	record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
	if _, err := p.connector(t, "rfc7591").Update(t.Context(), c, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(p.received()[0].body), &disabled); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		shown string // members
		edit  func(c *registrar.Client)
		want  []string
	}{
		"the name": {`"client_name":"Other"`, nil, []string{"clientName"}},
		"no text":  {`"client_name":7`, nil, []string{"clientName"}},
		"the logo": {`"logo_uri":"https://rp.example/other.png"`, nil, []string{"logoUri"}},
		"the same, in another order": {`"redirect_uris":["https://rp.example/b","https://rp.example/a"]`,
			func(c *registrar.Client) { c.RedirectURIs = []string{"https://rp.example/a", "https://rp.example/b"} }, nil},
		"a redirect URI more":         {`"redirect_uris":["https://rp.example/cb","https://evil.example/"]`, nil, []string{"redirectUris"}},
		"none":                        {`"redirect_uris":[]`, nil, []string{"redirectUris"}},
		"a grant type more":           {`"grant_types":["authorization_code","refresh_token"]`, nil, nil},
		"without ours":                {`"grant_types":["refresh_token"]`, nil, []string{"grantTypes"}},
		"grant types that are none":   {`"grant_types":7`, nil, []string{"grantTypes"}},
		"a password grant":            {`"grant_types":["authorization_code","password"]`, nil, []string{"grantTypes"}},
		"client credentials":          {`"grant_types":["authorization_code","client_credentials"]`, nil, []string{"grantTypes"}},
		"an implicit response":        {`"response_types":["code","id_token"]`, nil, []string{"response_types"}},
		"a public client":             {`"token_endpoint_auth_method":"none"`, nil, []string{"clientAuthMethods"}},
		"an address for keys":         {`"jwks_uri":"https://evil.example/jwks"`, nil, []string{"jwks_uri"}},
		"an address alone":            {`"jwks":null,"jwks_uri":"https://evil.example/jwks"`, nil, []string{"publicKey", "jwks_uri"}},
		"where to go after":           {`"post_logout_redirect_uris":["https://evil.example/"]`, nil, []string{"post_logout_redirect_uris"}},
		"logout tokens":               {`"backchannel_logout_uri":"https://evil.example/"`, nil, []string{"backchannel_logout_uri"}},
		"empty members":               {`"backchannel_logout_uri":"","request_uris":[],"jwks_uri":null`, nil, nil},
		"a scope more":                {`"scope":"openid profile email phone"`, nil, []string{"scope"}},
		"a scope fewer":               {`"scope":"openid profile"`, nil, nil},
		"an ACR more":                 {`"default_acr_values":["mosip:idp:acr:password","loa0"]`, nil, []string{"authContextRefs"}},
		"unsigned ID tokens":          {`"id_token_signed_response_alg":"none"`, nil, []string{"id_token_signed_response_alg"}},
		"an encryption":               {`"userinfo_encrypted_response_alg":"RSA-OAEP"`, nil, []string{"userinfo_encrypted_response_alg"}},
		"a name in a language":        {`"client_name#fr":"Autre"`, named, []string{"client_name#fr"}},
		"ours in a language":          {`"client_name#fr":"Santé"`, named, nil},
		"another way to authenticate": {`"token_endpoint_auth_method":"client_secret_basic"`, nil, []string{"clientAuthMethods"}},
		"ours":                        {`"token_endpoint_auth_method":"private_key_jwt"`, nil, nil},
		"PAR that is not ours":        {`"require_pushed_authorization_requests":true`, nil, []string{"require_pushed_authorization_requests"}},
		"PAR that is off":             {`"require_pushed_authorization_requests":false`, nil, nil},
		"a home page":                 {`"client_uri":"https://evil.example/"`, nil, []string{"client_uri"}},
		"another algorithm":           {`"token_endpoint_auth_signing_alg":"RS256"`, nil, []string{"token_endpoint_auth_signing_alg"}},
		"our algorithm":               {`"token_endpoint_auth_signing_alg":"ES256"`, nil, nil},
		"a setting":                   {`"require_pushed_authorization_requests":true`, par, nil},
		"a setting that is off":       {`"require_pushed_authorization_requests":false`, par, []string{"require_pushed_authorization_requests"}},
		"a setting that is not there": {`"client_name":"Health portal"`, par, []string{"require_pushed_authorization_requests"}},
		"our key":                     {`"jwks":{"keys":[` + ours + `,"use":"sig"}]}`, nil, nil},
		"with one to encrypt with":    {`"jwks":{"keys":[` + ours + `},` + other + `,"use":"enc"}]}`, nil, []string{"publicKey"}},
		"another key":                 {`"jwks":{"keys":[` + other + `}]}`, nil, []string{"publicKey"}},
		"one key more":                {`"jwks":{"keys":[` + ours + `},` + other + `}]}`, nil, []string{"publicKey"}},
		"both keys":                   {`"jwks":{"keys":[` + ours + `},` + other + `}]}`, two, nil},
		"one of both":                 {`"jwks":{"keys":[` + ours + `}]}`, two, []string{"publicKey"}},
		"no key":                      {`"jwks":{"keys":[]}`, nil, []string{"publicKey"}},
		"our key to encrypt with":     {`"jwks":{"keys":[` + ours + `,"use":"enc"}]}`, nil, []string{"publicKey"}},
		"with one of another kind":    {`"jwks":{"keys":[` + ours + `},{"kty":"oct"}]}`, nil, []string{"publicKey"}},
		"keys that are none":          {`"jwks":7`, nil, []string{"publicKey"}},
		"off":                         {`"token_endpoint_auth_method":"private_key_jwt"`, inactive, nil},
		"off, and another key":        {`"jwks":{"keys":[` + other + `}]}`, inactive, []string{"publicKey"}},
		"off, and our key is there":   {`"jwks":{"keys":[` + ours + `}]}`, inactive, []string{"publicKey"}},
		"off, and an address":         {`"jwks_uri":"https://evil.example/jwks"`, inactive, []string{"jwks_uri"}},
		"off, and a secret will do":   {`"token_endpoint_auth_method":"client_secret_basic"`, inactive, []string{"clientAuthMethods"}},
		"all at once": {
			`"client_name":"Other","logo_uri":"https://rp.example/other.png","redirect_uris":[],"jwks":{"keys":[]}`, nil,
			[]string{"clientName", "logoUri", "redirectUris", "publicKey"},
		},
	} {
		c := client()
		c.Status, c.Key = registrar.ClientActive, key
		if tt.edit != nil {
			tt.edit(&c)
		}
		if keys := ours + "}"; !strings.Contains(tt.shown, `"jwks":`) && c.Status == registrar.ClientActive {
			tt.shown += `,"jwks":{"keys":[` + keys + `]}`
		} else if !strings.Contains(tt.shown, `"jwks":`) {
			tt.shown += `,"jwks":` + string(disabled.JWKS)
		}
		p := start(t, reply(200, `{"client_id":"assigned-1",`+tt.shown+`}`))
		record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
		got, _, err := p.connector(t, "rfc7591").Read(t.Context(), c, record)
		if err != nil || !slices.Equal(got.Fields(), tt.want) || (got.Kind == registrar.DifferenceMembers) != (tt.want != nil) {
			t.Errorf("%s: %+v, %v, want %v", name, got, err, tt.want)
		}
	}
}

// A difference has both values, of keys the thumbprints.
func TestADifferenceHasBothValues(t *testing.T) {
	const jwk = `{"crv":"P-256","kty":"EC","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}`
	foreign, err := registrar.KeyOf([]byte(jwk))
	if err != nil {
		t.Fatal(err)
	}
	c := client()
	ours, err := registrar.KeyOf([]byte(c.Key.JWK))
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, reply(200, `{"client_id":"assigned-1","client_name":"Ev\u202eil","redirect_uris":["https://rp.example/cb","https://evil.example/"],`+
		`"grant_types":["authorization_code","password"],"jwks":{"keys":[`+jwk+`]},"jwks_uri":"https://evil.example/jwks"}`))
	record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
	got, _, err := p.connector(t, "rfc7591").Read(t.Context(), c, record)
	want := []registrar.OtherValue{
		{Member: "clientName", Here: c.Name, There: "Evil"},
		{Member: "redirectUris", Here: "https://rp.example/cb", There: "https://evil.example/ https://rp.example/cb"},
		{Member: "grantTypes", Here: "authorization_code", There: "authorization_code password"},
		{Member: "publicKey", Here: ours.Thumbprint, There: foreign.Thumbprint},
		{Member: "jwks_uri", There: "https://evil.example/jwks"},
	}
	if err != nil || !slices.Equal(got.Members, want) {
		t.Errorf("%+v, %v, want %+v", got.Members, err, want)
	}
}

func par(c *registrar.Client) {
	c.Extensions.Config = `{"require_pushed_authorization_requests":true}`
}

func named(c *registrar.Client) { c.Extensions.Names = map[string]string{"fra": "Santé"} }

func inactive(c *registrar.Client) { c.Status = registrar.ClientInactive }
