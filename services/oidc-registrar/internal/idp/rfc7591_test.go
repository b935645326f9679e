package idp_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

// information is a provider's answer with these further members.
func information(uri string, more string) string {
	return `{"client_id":"assigned-1","client_secret_expires_at":0,"registration_access_token":"reg-token-1","registration_client_uri":"` + uri + `"` + more + `}`
}

// pad returns JSON of a length in bytes.
func pad(body string, length int) string { return body + strings.Repeat(" ", length-len(body)) }

func TestDynamicRegistration(t *testing.T) {
	refusal := wants{reason: registrar.ProviderRefused}
	for name, tt := range map[string]struct {
		script []http.HandlerFunc
		want   wants
	}{
		"created":     {[]http.HandlerFunc{reply(201, information("https://idp.example/c/1", ""))}, wants{calls: 1}},
		"200 will do": {[]http.HandlerFunc{reply(200, information("https://idp.example/c/1", ""))}, wants{calls: 1}},
		"the echoed metadata is as sent": {[]http.HandlerFunc{reply(201,
			information("", `,"redirect_uris":["https://rp.example/cb"],"token_endpoint_auth_method":"private_key_jwt"`))},
			wants{calls: 1}},
		"a 5xx, then an answer":      {[]http.HandlerFunc{reply(502, ""), reply(201, information("", ""))}, wants{calls: 2}},
		"a 401 once, then an answer": {[]http.HandlerFunc{reply(401, ""), reply(201, information("", ""))}, wants{calls: 2}},
		"a redirect URI it refuses": {[]http.HandlerFunc{reply(400,
			`{"error":"invalid_redirect_uri","error_description":"no"}`)},
			wants{reason: registrar.ProviderRefused, code: "invalid_redirect_uri", calls: 1}},
		"metadata it refuses":           {[]http.HandlerFunc{reply(400, `{"error":"invalid_client_metadata"}`)}, refusal},
		"a 400 without a code":          {[]http.HandlerFunc{reply(400, `{}`)}, wants{reason: registrar.ProviderUnreachable}},
		"other redirect URIs than sent": {[]http.HandlerFunc{reply(201, information("", `,"redirect_uris":["https://evil.example/"]`))}, refusal},
		"another way to authenticate":   {[]http.HandlerFunc{reply(201, information("", `,"token_endpoint_auth_method":"client_secret_basic"`))}, refusal},
		"an answer of 256 KiB":          {[]http.HandlerFunc{reply(201, pad(information("", ""), 256<<10))}, wants{calls: 1}},
		"a client_id of 512 characters": {[]http.HandlerFunc{reply(201, `{"client_id":"`+strings.Repeat("a", 512)+`"}`)}, wants{calls: 1}},
		"a longer one": {[]http.HandlerFunc{reply(201, `{"client_id":"`+strings.Repeat("a", 513)+`"}`)},
			wants{reason: registrar.ProviderUnreachable}},
		"a client_id with a space":     {[]http.HandlerFunc{reply(201, `{"client_id":"a b"}`)}, wants{reason: registrar.ProviderUnreachable}},
		"one with a control character": {[]http.HandlerFunc{reply(201, `{"client_id":"a\u007f"}`)}, wants{reason: registrar.ProviderUnreachable}},
		"one that is not ASCII":        {[]http.HandlerFunc{reply(201, `{"client_id":"é"}`)}, wants{reason: registrar.ProviderUnreachable}},
		"a 202 with a client":          {[]http.HandlerFunc{reply(202, information("", ""))}, wants{reason: registrar.ProviderUnreachable}},
		"no client_id":                 {[]http.HandlerFunc{reply(201, `{"client_name":"x"}`)}, wants{reason: registrar.ProviderUnreachable}},
		"a token that is none": {[]http.HandlerFunc{reply(201,
			`{"client_id":"a","registration_access_token":"a\nb"}`)}, wants{reason: registrar.ProviderUnreachable}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.script...)
			record, err := p.connector(t, "rfc7591").Register(t.Context(), client(), registrar.PriorNone)
			tt.want.check(t, p, err)
			if err == nil && record.ClientID != strings.Repeat("a", 512) && (record.ClientID != "assigned-1" || record.AccessToken != "reg-token-1") {
				t.Errorf("record %q, %q", record.ClientID, string(record.AccessToken))
			}
		})
	}
}

// signing is the key of client with the member use.
const signing = `{"crv":"P-256","kid":"k1","kty":"EC","use":"sig","x":"eA","y":"eQ"}`

func TestProviderAccessDenialReasonIsReported(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":"insufficient_scope","error_description":"Policy 'Allowed Client Scopes' rejected\nreq\ufffduest"}`: "let in: insufficient_scope: Policy 'Allowed Client Scopes' rejectedrequest",
		`{"error":"insufficient_scope"}`: "let in: insufficient_scope",
		`<html>`:                         "let in",
	} {
		p := start(t, reply(403, body))
		_, err := p.connector(t, "rfc7591").Register(t.Context(), client(), registrar.PriorNone)
		wants{reason: registrar.ProviderUnreachable, calls: 1}.check(t, p, err)
		if want = "status 403: this service was not " + want; !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestDynamicRegistrationSendsTheMetadata(t *testing.T) {
	p := start(t, reply(201, information("", "")))
	c := p.connector(t, "rfc7591")
	if _, err := c.Register(t.Context(), client(), registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	native := client()
	native.RedirectURIs = append(native.RedirectURIs, "com.example.app:/cb")
	if _, err := c.Register(t.Context(), native, registrar.PriorUnknown); err != nil {
		t.Fatal(err)
	}
	calls := p.received()
	want := call{"POST", "/", "t1", `{"client_name":"Health portal","application_type":"web","redirect_uris":["https://rp.example/cb"],` +
		`"grant_types":["authorization_code"],"response_types":["code"],"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_signing_alg":"ES256",` +
		`"jwks":{"keys":[` + signing + `]},"logo_uri":"https://rp.example/l.png","scope":"openid profile email","software_id":"client-1"}`}
	if calls[0] != want {
		t.Errorf("call\n%+v, want\n%+v", calls[0], want)
	}
	if got := object(t, calls[1].body)["application_type"]; got != "native" {
		t.Errorf("an application with a scheme of its own is %v", got)
	}
}

func TestDynamicRegistrationSendsConsistentMetadata(t *testing.T) {
	p := start(t, reply(201, information("", "")))
	c := client()
	c.GrantTypes, c.AuthMethods = []string{"client_credentials"}, []string{"tls_client_auth"}
	c.OtherKeys = []registrar.Key{{JWK: `{"crv":"P-256","kid":"k0","kty":"EC","x":"eg","y":"ew"}`, Thumbprint: "k0"}}
	if _, err := p.connector(t, "rfc7591").Register(t.Context(), c, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	sent := object(t, p.received()[0].body)
	if got := sent["response_types"]; !reflect.DeepEqual(got, []any{}) {
		t.Errorf("without authorization_code the response types are %v", got)
	}
	if got, ok := sent["token_endpoint_auth_signing_alg"]; ok || sent["token_endpoint_auth_method"] != "tls_client_auth" {
		t.Errorf("%v signs nothing, but has the algorithm %v", sent["token_endpoint_auth_method"], got)
	}
	if got := len(sent["jwks"].(map[string]any)["keys"].([]any)); got != 2 {
		t.Errorf("%d keys were sent of a client that has two", got)
	}
}

// A disabled client is locked out by a key without an owner, whatever its authentication
// method.
func TestInactiveClientUsesAnUnownedKey(t *testing.T) {
	p := start(t, echo(nil))
	c := client()
	c.Status, c.AuthMethods, c.Key.JWK = registrar.ClientInactive, []string{"tls_client_auth"}, `{"e":"AQAB","kty":"RSA","n":"eA"}`
	record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
	if _, err := p.connector(t, "rfc7591").Update(t.Context(), c, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	sent := object(t, p.received()[0].body)
	if sent["token_endpoint_auth_method"] != "private_key_jwt" || sent["token_endpoint_auth_signing_alg"] != "ES256" {
		t.Errorf("it authenticates by %v with %v", sent["token_endpoint_auth_method"], sent["token_endpoint_auth_signing_alg"])
	}
	keys := sent["jwks"].(map[string]any)["keys"].([]any)
	x := sha256.Sum256([]byte("key of a disabled client \x03"))
	key := keys[0].(map[string]any)
	if len(keys) != 1 || key["x"] != base64.RawURLEncoding.EncodeToString(x[:]) {
		t.Errorf("its keys are %v", keys)
	}
	text, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registrar.KeyOf(text); err != nil {
		t.Errorf("its key is not on the curve: %v", err)
	}
}

func TestClientChangedByProviderIsDeletedAtProvider(t *testing.T) {
	var p *provider
	p = start(t, func(w http.ResponseWriter, r *http.Request) {
		reply(201, information(p.URL+"/c/1", `,"redirect_uris":["https://evil.example/"]`))(w, r)
	}, reply(204, ""))
	_, err := p.connector(t, "rfc7591").Register(t.Context(), client(), registrar.PriorNone)
	wants{reason: registrar.ProviderRefused, calls: 2}.check(t, p, err)
	if got, want := p.received()[1], (call{"DELETE", "/c/1", "reg-token-1", ""}); got != want {
		t.Errorf("call %+v, want %+v", got, want)
	}
}

func TestDynamicRegistrationUpdates(t *testing.T) {
	p := start(t,
		reply(200, `{"client_id":"assigned-1","registration_access_token":"reg-token-2"}`),
		reply(200, `{"client_id":"assigned-1"}`))
	c := p.connector(t, "rfc7591")
	record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
	active := client()
	active.Status = registrar.ClientActive
	record, err := c.Update(t.Context(), active, record, registrar.PriorNone)
	if err != nil || record.AccessToken != "reg-token-2" || record.URI != p.URL+"/c/1" {
		t.Fatalf("record %q, %s, %v; the token was replaced", string(record.AccessToken), record.URI, err)
	}
	if record, err = c.Update(t.Context(), active, record, registrar.PriorNone); err != nil || record.AccessToken != "reg-token-2" {
		t.Fatalf("record %q, %v; nothing was replaced", string(record.AccessToken), err)
	}
	inactive := active
	inactive.Status = registrar.ClientInactive
	if _, err := c.Update(t.Context(), inactive, record, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	calls := p.received()
	for i, token := range []string{"reg-token-1", "reg-token-2", "reg-token-2"} {
		if calls[i].method != "PUT" || calls[i].path != "/c/1" || calls[i].token != token {
			t.Errorf("call %d: %+v, want the token %s", i, calls[i], token)
		}
		sent := object(t, calls[i].body)
		if sent["client_id"] != "assigned-1" || sent["software_id"] != "client-1" ||
			!slices.Equal(sent["redirect_uris"].([]any), []any{"https://rp.example/cb"}) {
			t.Errorf("call %d sent %s", i, calls[i].body)
		}
		ours := strings.Contains(calls[i].body, `"jwks":{"keys":[`+signing+`]}`)
		if ours != (i < 2) {
			t.Errorf("call %d: our key is in it: %t; only an active client has it", i, ours)
		}
	}
}

func TestDynamicRegistrationUpdateRefusals(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		edit   func(*registrar.ProviderRecord)
		want   wants
	}{
		"a provider without RFC 7592":   {nil, func(r *registrar.ProviderRecord) { r.URI = "" }, wants{reason: registrar.ProviderRefused}},
		"a provider that gave no token": {nil, func(r *registrar.ProviderRecord) { r.AccessToken = "" }, wants{reason: registrar.ProviderRefused}},
		"a URI that is none":            {nil, func(r *registrar.ProviderRecord) { r.URI = ":" }, wants{reason: registrar.ProviderUnreachable}},
		"a URI the guard does not let out": {nil, func(r *registrar.ProviderRecord) { r.URI = "http://169.254.169.254/c" },
			wants{reason: registrar.ProviderUnreachable}},
		"a client it has forgotten": {reply(401, ""), nil, wants{reason: registrar.ProviderRefused, calls: 1}},
		"metadata it refuses": {reply(400, `{"error":"invalid_client_metadata","error_description":"no"}`),
			nil, wants{reason: registrar.ProviderRefused, calls: 1}},
		"an answer about another client": {reply(200, `{"client_id":"assigned-2"}`), nil, wants{reason: registrar.ProviderOutcomeUnknown, calls: 1}},
		"redirect URIs other than those sent": {reply(200, `{"client_id":"assigned-1","redirect_uris":[]}`), nil,
			wants{reason: registrar.ProviderRefused, calls: 1}},
		"a connection that is dropped": {drop, nil, wants{reason: registrar.ProviderOutcomeUnknown, calls: 1}},
		"a failing provider":           {reply(500, ""), nil, wants{reason: registrar.ProviderOutcomeUnknown, calls: 1}},
		"a provider that is away":      {reply(503, ""), nil, wants{reason: registrar.ProviderUnreachable, calls: 1}},
		"a page that is not there":     {reply(404, "<html>"), nil, wants{reason: registrar.ProviderUnreachable, calls: 1}},
		"something in its way":         {reply(409, ""), nil, wants{reason: registrar.ProviderUnreachable, calls: 1}},
		"a 400 of no protocol":         {reply(400, "<html>"), nil, wants{reason: registrar.ProviderUnreachable, calls: 1}},
		"a redirect":                   {reply(303, ""), nil, wants{reason: registrar.ProviderOutcomeUnknown, calls: 1}},
		"half an answer":               {breakOff, nil, wants{reason: registrar.ProviderOutcomeUnknown, calls: 1}},
		"a provider that is busy":      {reply(429, ""), nil, wants{reason: registrar.ProviderUnreachable, calls: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.answer)
			record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1?key=reg-token-1", AccessToken: "reg-token-1"}
			if tt.edit != nil {
				tt.edit(&record)
			}
			got, err := p.connector(t, "rfc7591").Update(t.Context(), client(), record, registrar.PriorNone)
			tt.want.check(t, p, err)
			if got != record {
				t.Error("the record was lost")
			}
		})
	}
}

func TestACRsAreSentOnlyIfProviderSupportsThem(t *testing.T) {
	two := client()
	two.ACRs = []string{"mosip:idp:acr:password", "mosip:idp:acr:biometrics"}
	for name, tt := range map[string]struct {
		metadata http.HandlerFunc // nil for none
		want     any
		reason   registrar.Reason
	}{
		"nobody says": {nil, nil, ""},
		"it lists one": {
			reply(200, `{"acr_values_supported":["1","mosip:idp:acr:password"]}`), []any{"mosip:idp:acr:password"}, "",
		},
		"it lists none": {reply(200, `{}`), nil, ""},
		"no statement": {
			reply(404, `{"acr_values_supported":["mosip:idp:acr:password"]}`), nil, registrar.ProviderUnreachable,
		},
		"it says nonsense": {reply(200, `<html>`), nil, registrar.ProviderUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := []http.HandlerFunc{reply(201, information("", ""))}
			if tt.metadata != nil {
				script = append([]http.HandlerFunc{tt.metadata}, script...)
			}
			p := start(t, script...)
			o := p.options()
			if tt.metadata != nil {
				o.MetadataURL = p.URL + "/metadata"
			}
			c, err := idp.NewRFC7591(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Register(t.Context(), two, registrar.PriorNone)
			wants{reason: tt.reason}.check(t, p, err)
			if err != nil {
				if !errors.Is(err, idp.ErrNotSent) {
					t.Errorf("%v: nothing was sent", err)
				}
				return
			}
			seen := p.received()
			if got := object(t, seen[len(seen)-1].body)["default_acr_values"]; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("sent %v, want %v", got, tt.want)
			}
			if _, err := c.Register(t.Context(), two, registrar.PriorNone); err != nil || len(p.received()) != len(seen)+1 {
				t.Errorf("the metadata are read each time: %d calls, %v", len(p.received()), err)
			}
		})
	}
}

func TestProviderMetadataIsCachedForAnHour(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	reads := 0
	p := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metadata" {
			reads++
			reply(200, `{"acr_values_supported":["mosip:idp:acr:password"]}`)(w, r)
			return
		}
		reply(201, information("", ""))(w, r)
	})
	o := p.options()
	o.MetadataURL, o.Now = p.URL+"/metadata", func() time.Time { return now }
	c, err := idp.NewRFC7591(o)
	if err != nil {
		t.Fatal(err)
	}
	without := client()
	without.ACRs = nil
	for _, tt := range []struct {
		after time.Duration
		c     registrar.Client
		want  int
	}{{0, without, 0}, {0, client(), 1}, {time.Hour - time.Second, client(), 1}, {time.Hour, client(), 2}} {
		now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(tt.after)
		if _, err := c.Register(t.Context(), tt.c, registrar.PriorNone); err != nil {
			t.Fatal(err)
		}
		if reads != tt.want {
			t.Errorf("after %s, of a client with the ACRs %v, the metadata were read %d times, want %d", tt.after, tt.c.ACRs, reads, tt.want)
		}
	}
}

func TestClientKeySelectsUserinfoEncryptionAlgorithm(t *testing.T) {
	for want, key := range map[string]string{
		"RSA-OAEP": `{"alg":"RSA-OAEP","kty":"RSA","use":"enc"}`, "RSA-OAEP-256": `{"kty":"RSA","use":"enc"}`,
		"ECDH-ES": `{"crv":"P-256","kty":"EC","use":"enc"}`,
	} {
		p := start(t, echo(nil))
		c := client()
		c.Extensions = registrar.Extensions{Config: `{"userinfo_response_type":"JWE"}`, EncKey: key}
		if _, err := p.connector(t, "rfc7591").Register(t.Context(), c, registrar.PriorNone); err != nil {
			t.Fatal(err)
		}
		sent := object(t, p.received()[0].body)
		if sent["userinfo_encrypted_response_alg"] != want || sent["userinfo_encrypted_response_enc"] != "A256GCM" {
			t.Errorf("with %s it is %v, %v, want %s", key, sent["userinfo_encrypted_response_alg"], sent["userinfo_encrypted_response_enc"], want)
		}
	}
}

// The answers of a provider about a deleted client, by the token of the client and by
// credentials for all.
func TestAClientThatIsTakenBackIsDeleted(t *testing.T) {
	for name, tt := range map[string]struct {
		script  []http.HandlerFunc
		byToken error // nil for success
		byOwn   error
	}{
		"deleted":                {[]http.HandlerFunc{reply(204, "")}, nil, nil},
		"gone already":           {[]http.HandlerFunc{reply(404, "")}, nil, nil},
		"gone, or a void token":  {[]http.HandlerFunc{reply(401, "")}, nil, idp.ErrUnreachable},
		"not let in":             {[]http.HandlerFunc{reply(403, "")}, idp.ErrUnreachable, idp.ErrUnreachable},
		"it deletes nothing":     {[]http.HandlerFunc{reply(405, "")}, registrar.ProviderRefused, registrar.ProviderRefused},
		"300 is not deleted":     {[]http.HandlerFunc{reply(300, "")}, idp.ErrUnreachable, idp.ErrUnreachable},
		"it fails":               {[]http.HandlerFunc{reply(500, "")}, idp.ErrUnreachable, idp.ErrUnreachable},
		"it fails, and is busy":  {[]http.HandlerFunc{reply(500, ""), reply(429, "")}, idp.ErrUnreachable, idp.ErrUnreachable},
		"it is busy":             {[]http.HandlerFunc{reply(429, "")}, idp.ErrUnreachable, idp.ErrUnreachable},
		"it cannot be reached":   {[]http.HandlerFunc{drop}, idp.ErrUnreachable, idp.ErrUnreachable},
		"there is something new": {[]http.HandlerFunc{reply(200, "{}")}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for token, want := range map[string]error{"reg-token-1": tt.byToken, "t1": tt.byOwn} {
				p := start(t, tt.script...)
				c := p.registry(t, token == "t1")
				record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
				prior, err := c.Remove(t.Context(), client(), record, registrar.PriorOurs)
				if want == nil && err != nil || want != nil && !errors.Is(err, want) || prior != registrar.PriorOurs {
					t.Errorf("with the token %s: %v, %v, want %v", token, prior, err, want)
				}
				if seen := p.received(); seen[0] != (call{"DELETE", "/c/1", token, ""}) {
					t.Errorf("call %+v, want the token %s", seen[0], token)
				}
				before := len(p.received())
				if prior, err := c.Remove(t.Context(), client(), registrar.ProviderRecord{}, registrar.PriorUnknown); err != nil ||
					prior != registrar.PriorUnknown || len(p.received()) != before {
					t.Errorf("a client whose answer was lost: %v, %v", prior, err)
				}
			}
		})
	}
}

func TestTheSigningAlgorithmIsThatOfTheKeys(t *testing.T) {
	key := func(jwk string) registrar.Key { return registrar.Key{JWK: jwk, Thumbprint: jwk} }
	rsa, named, ec, p384, ed := key(`{"kty":"RSA"}`), key(`{"alg":"PS256","kty":"RSA"}`),
		key(`{"crv":"P-256","kty":"EC"}`), key(`{"crv":"P-384","kty":"EC"}`), key(`{"crv":"Ed25519","kty":"OKP"}`)
	for want, keys := range map[string][]registrar.Key{"RS256": {rsa}, "PS256": {named}, "ES256": {ec}, "ES384": {p384}, "EdDSA": {ed}} {
		p := start(t, reply(201, information("", "")))
		c := client()
		c.Key = keys[0]
		if _, err := p.connector(t, "rfc7591").Register(t.Context(), c, registrar.PriorNone); err != nil {
			t.Fatal(err)
		}
		if got, _ := object(t, p.received()[0].body)["token_endpoint_auth_signing_alg"].(string); got != want {
			t.Errorf("%v: %q, want %q", keys, got, want)
		}
	}
}

func TestOwnCredentialsChangeClientsAgainAndAgain(t *testing.T) {
	p := start(t, drop, reply(200, `{"client_id":"assigned-1","registration_access_token":"reg-token-2"}`), reply(204, ""), reply(403, ""))
	c := p.registry(t, true)
	record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
	active := client()
	active.Status = registrar.ClientActive
	got, err := c.Update(t.Context(), active, record, registrar.PriorUnknown)
	if err != nil || got.AccessToken != "reg-token-2" {
		t.Fatalf("%v", err)
	}
	if _, err := c.Remove(t.Context(), active, got, registrar.PriorOurs); err != nil {
		t.Error(err)
	}
	for _, seen := range p.received() {
		if seen.token != "t1" {
			t.Errorf("%s %s with the token %q", seen.method, seen.path, seen.token)
		}
	}
	if _, err := c.Update(t.Context(), active, got, registrar.PriorNone); !errors.Is(err, idp.ErrUnreachable) || !errors.Is(err, idp.ErrNotSent) {
		t.Errorf("not let in: %v", err)
	}
	before := len(p.received())
	for _, uri := range []string{"http://127.0.0.1:1/c/1", strings.Replace(p.URL, "http:", "https:", 1) + "/c/1", "/c/1", ":", ""} {
		elsewhere := got
		elsewhere.URI = uri
		if _, err := c.Update(t.Context(), active, elsewhere, registrar.PriorNone); !errors.Is(err,
			registrar.ProviderRefused) || len(p.received()) != before {
			t.Errorf("our credentials for %q: %v", uri, err)
		}
	}
}

// A write with credentials of our own may be made again, so a lost answer leaves no doubt.
func TestOwnCredentialsLeaveNoDoubt(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"dropped": drop, "failed": reply(500, ""), "half": breakOff, "a page": reply(200, "<html>"),
		"another client": reply(200, `{"client_id":"assigned-2"}`),
	} {
		p := start(t, answer)
		c := p.registry(t, true)
		record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1"}
		_, err := c.Update(t.Context(), client(), record, registrar.PriorNone)
		if !errors.Is(err, idp.ErrUnreachable) || errors.Is(err, idp.ErrOutcomeUnknown) || errors.Is(err, idp.ErrNotSent) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheAddressThatAnUpdateIsAnsweredWithIsKept(t *testing.T) {
	p := start(t, reply(200, information("https://idp.example/new/1", "")))
	record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-0"}
	got, err := p.connector(t, "rfc7591").Update(t.Context(), client(), record, registrar.PriorNone)
	if want := (registrar.ProviderRecord{ClientID: "assigned-1", URI: "https://idp.example/new/1",
		AccessToken: "reg-token-1"}); err != nil || got != want {
		t.Errorf("record %s, %q, %v", got.URI, string(got.AccessToken), err)
	}
}

// An update without an answer may have invalidated the token. A read decides, and the update is sent with the token of
// its answer.
func TestATokenThatMayBeVoidIsTriedByARead(t *testing.T) {
	doubt, gone := wants{reason: registrar.ProviderOutcomeUnknown, calls: 1}, wants{reason: registrar.ProviderRefused, calls: 1}
	for name, tt := range map[string]struct {
		read   http.HandlerFunc
		prior  registrar.Prior
		want   wants
		locked bool
		token  registrar.Secret
	}{
		"it works": {reply(200, `{"client_id":"assigned-1","registration_access_token":"reg-token-2"}`),
			registrar.PriorUnknown, wants{calls: 2}, false, "reg-token-2"},
		"confirmed":          {reply(200, `{"client_id":"assigned-1"}`), registrar.PriorOurs, wants{calls: 2}, false, "reg-token-1"},
		"it is void":         {reply(401, ""), registrar.PriorUnknown, doubt, true, "reg-token-1"},
		"forbidden":          {reply(403, ""), registrar.PriorOurs, doubt, true, "reg-token-1"},
		"the client is gone": {reply(404, ""), registrar.PriorUnknown, gone, false, "reg-token-1"},
		"no answer":          {drop, registrar.PriorUnknown, wants{reason: registrar.ProviderUnreachable, calls: 1}, false, "reg-token-1"},
		"another one answered": {reply(200, `{"client_id":"assigned-2"}`), registrar.PriorUnknown,
			wants{reason: registrar.ProviderUnreachable, calls: 1}, false, "reg-token-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.read, reply(200, `{"client_id":"assigned-1"}`))
			record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
			got, err := p.connector(t, "rfc7591").Update(t.Context(), client(), record, tt.prior)
			tt.want.check(t, p, err)
			if got.AccessToken != tt.token || errors.Is(err, idp.ErrLocked) != tt.locked || tt.locked &&
				!strings.Contains(err.Error(), "REGISTRAR_IDP_MANAGE_CLIENT_ID") {
				t.Errorf("token %q, %v", string(got.AccessToken), err)
			}
			if calls := p.received(); calls[0].method != "GET" || len(calls) > 1 && (calls[1].method != "PUT" || calls[1].token != string(tt.token)) {
				t.Errorf("calls %+v", calls)
			}
		})
	}
}

// Some providers answer a change of a client that they do not have with 404, and some with 500: a read shows which.
func TestAClientThatAProviderDoesNotHaveIsMissing(t *testing.T) {
	for name, tt := range map[string]struct {
		put, get http.HandlerFunc
		own      bool
		missing  bool
	}{
		"404, 404":           {reply(404, ""), reply(404, ""), true, true},
		"500, 404":           {reply(500, ""), reply(404, ""), true, true},
		"500, 410":           {reply(500, ""), reply(410, ""), true, true},
		"500, and there":     {reply(500, ""), reply(200, `{"client_id":"assigned-1"}`), true, false},
		"500, 500":           {reply(500, ""), reply(500, ""), true, false},
		"by the token alone": {reply(500, ""), reply(404, ""), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					tt.get(w, r)
				} else {
					tt.put(w, r)
				}
			})
			record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
			_, err := p.registry(t, tt.own).Update(t.Context(), client(), record, registrar.PriorNone)
			if errors.Is(err, idp.ErrMissing) != tt.missing || err == nil {
				t.Errorf("%v", err)
			}
		})
	}
}

// Ory Hydra takes no token_endpoint_auth_signing_alg for RS256.
func TestTheAlgorithmOfTheFormerKeyStaysUntilThatIsGone(t *testing.T) {
	ec, rsa := registrar.Key{JWK: jwk, Thumbprint: "k1"}, registrar.Key{JWK: `{"e":"AQAB","kty":"RSA","n":"eA"}`, Thumbprint: "k2"}
	for name, tt := range map[string]struct {
		key    registrar.Key
		others []registrar.Key
		want   string
	}{
		"before":       {ec, nil, "ES256"},
		"EC → RSA":     {rsa, []registrar.Key{ec}, "ES256"},
		"RSA → EC":     {ec, []registrar.Key{rsa}, "RS256"},
		"the same one": {ec, []registrar.Key{{JWK: jwk, Thumbprint: "k3"}}, "ES256"},
		"after":        {rsa, nil, "RS256"},
	} {
		p := start(t, reply(200, `{"client_id":"assigned-1"}`))
		c := client()
		c.ACRs, c.Key, c.OtherKeys = nil, tt.key, tt.others
		record := registrar.ProviderRecord{ClientID: "assigned-1", URI: p.URL + "/c/1", AccessToken: "reg-token-1"}
		if _, err := p.connector(t, "rfc7591").Update(t.Context(), c, record, registrar.PriorNone); err != nil {
			t.Fatal(err)
		}
		if got := object(t, p.received()[0].body)["token_endpoint_auth_signing_alg"]; got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// The protocol has room for one way to authenticate: of several none is dropped.
func TestSeveralWaysToAuthenticateAreRefused(t *testing.T) {
	p := start(t, echo(nil))
	c := client()
	c.AuthMethods = []string{"private_key_jwt", "tls_client_auth"}
	_, err := p.connector(t, "rfc7591").Register(t.Context(), c, registrar.PriorNone)
	wants{reason: registrar.ProviderRefused}.check(t, p, err)
	if want := "provider_refused: the identity provider refused the client: its protocol has room for one way to authenticate"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if n := len(p.received()); n != 0 {
		t.Errorf("the provider got %d calls", n)
	}
}
