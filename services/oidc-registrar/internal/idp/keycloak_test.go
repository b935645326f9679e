package idp_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/keycloaktest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

var everyRole = []string{"manage-clients", "manage-realm"}

// realm starts a realm that shows names by language, and returns the options for it.
func realm(t *testing.T, s keycloaktest.Settings) (*keycloaktest.Keycloak, idp.Options) {
	t.Helper()
	k := keycloaktest.New()
	t.Cleanup(k.Close)
	k.Configure(s)
	return k, idp.Options{
		URL: k.URL + "/realms/" + k.Realm, ClientID: k.ClientID, ClientSecret: registrar.Secret(k.ClientSecret),
		Egress: loopback,
		Claims: map[string]string{"individual_id": "uin"}, OtherClients: []string{"wf-inbox"},
		Now: func() time.Time { return time.Unix(1700000000, 0) },
	}
}

func international() keycloaktest.Settings {
	return keycloaktest.Settings{Roles: everyRole, International: true, DefaultLocale: "en",
		ACRs: []string{"mosip:idp:acr:password"}}
}

// full is a client with every setting that the realm has a member for.
func full() registrar.Client {
	c := client()
	c.Mark, c.UserClaims = "mark-1", []string{"name", "email", "email_verified", "individual_id", "address", "updated_at",
		"sub"}
	c.ACRs = []string{"mosip:idp:acr:password", "mosip:idp:acr:biometrics"}
	c.GrantTypes = []string{"authorization_code", "refresh_token"}
	c.Extensions = registrar.Extensions{
		Names:  map[string]string{"fra": "L'{été}", "pt-BR": "Portal"},
		Config: `{"dpop_bound_access_tokens":true,"require_pkce":true,"require_pushed_authorization_requests":true,"userinfo_response_type":"JWE"}`,
		EncKey: `{"e":"AQAB","kty":"RSA","n":"eA","use":"enc"}`,
		Metadata: `{"client_uri":"https://rp.example/","policy_uri":"https://rp.example/policy","post_logout_redirect_uris":["https://rp.example/a","https://rp.example/b"],` +
			`"tos_uri":"https://rp.example/terms"}`,
	}
	return c
}

func public() registrar.Client {
	c := client()
	c.ID, c.Mark, c.Key, c.AuthMethods, c.RedirectURIs = "app-1", "mark-2", registrar.Key{}, []string{"none"}, []string{"http://127.0.0.1/cb"}
	return c // an imported one lacks require_pkce
}

// registerSame registers c and reads it back as the same.
func registerSame(t *testing.T, k idp.Connector, c registrar.Client) {
	t.Helper()
	if _, err := k.Register(t.Context(), c, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	same(t, k, c)
}

func same(t *testing.T, k idp.Connector, c registrar.Client) {
	t.Helper()
	if d, _, err := k.Read(t.Context(), c, registrar.ProviderRecord{}); err != nil || d.Kind != registrar.DifferenceNone {
		t.Errorf("a comparison: %+v, %v", d, err)
	}
}

func updateSame(t *testing.T, k idp.Connector, c registrar.Client) {
	t.Helper()
	if _, err := k.Update(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorNone); err != nil {
		t.Fatal(err)
	}
	same(t, k, c)
}

func TestEveryRowOfAClientIsAtKeycloak(t *testing.T) {
	there, o := realm(t, international())
	k := open(t, "keycloak", o)
	inactive := public()
	inactive.Status = registrar.ClientInactive
	plain := client()
	plain.ID = "plain"
	for _, tt := range []struct {
		name       string
		c          registrar.Client
		members    map[string]any
		attributes map[string]any // "" for none
		optional   []any
	}{
		{"confidential", full(), map[string]any{
			"name": "${registrar.client-1}", "enabled": true, "publicClient": false, "consentRequired": false,
			"baseUrl":                 "https://rp.example/",
			"clientAuthenticatorType": "client-jwt", "webOrigins": []any{}, "redirectUris": []any{"https://rp.example/cb"},
			"defaultClientScopes": []any{"acr", "basic"}, "protocol": "openid-connect", "standardFlowEnabled": true,
			"bearerOnly":       false,
			"fullScopeAllowed": false, "implicitFlowEnabled": false, "directAccessGrantsEnabled": false,
			"serviceAccountsEnabled": false,
			"frontchannelLogout":     false,
		}, map[string]any{
			"registrar.registration": "mark-1", "use.jwks.string": "true", "use.jwks.url": "false", "jwks.url": "",
			"use.refresh.tokens":              "true",
			"jwks.string":                     `{"keys":[{"crv":"P-256","kid":"k1","kty":"EC","use":"sig","x":"eA","y":"eQ"},{"e":"AQAB","kty":"RSA","n":"eA","use":"enc"}]}`,
			"token.endpoint.auth.signing.alg": "ES256",
			"post.logout.redirect.uris":       "https://rp.example/a##https://rp.example/b",
			"default.acr.values":              "mosip:idp:acr:password", "pkce.code.challenge.method": "S256",
			"require.pushed.authorization.requests": "true",
			"dpop.bound.access.tokens":              "true", "user.info.response.signature.alg": "RS256",
			"user.info.encrypted.response.alg": "RSA-OAEP-256",
			"user.info.encrypted.response.enc": "A256GCM", "logoUri": "https://rp.example/l.png",
			"policyUri": "https://rp.example/policy",
			"tosUri":    "https://rp.example/terms", "oauth2.device.authorization.grant.enabled": "false",
			"oidc.ciba.grant.enabled":         "false",
			"standard.token.exchange.enabled": "false", "oauth2.jwt.authorization.grant.enabled": "false",
			"backchannel.logout.url": "",
		}, []any{"email", "address", "offline_access"}},
		{"public", public(), map[string]any{
			"name": "Health portal", "publicClient": true, "consentRequired": true, "webOrigins": []any{"+"}, "baseUrl": "",
			"defaultClientScopes": []any{"acr", "basic", "web-origins"},
		}, map[string]any{
			"pkce.code.challenge.method": "S256", "jwks.string": "", "use.jwks.string": "false", "use.refresh.tokens": "false",
			"post.logout.redirect.uris": "-", "token.endpoint.auth.signing.alg": "", "user.info.response.signature.alg": "",
		}, []any{}},
		{"inactive", inactive, map[string]any{"enabled": false, "notBefore": 1700000000.0}, nil, []any{}},
		{"without PKCE", plain, nil, map[string]any{"pkce.code.challenge.method": "", "require.pushed.authorization.requests": "false"}, []any{}},
	} {
		if there.Client(tt.c.ID) == nil {
			registerSame(t, k, tt.c)
		} else {
			updateSame(t, k, tt.c)
		}
		got := there.Client(tt.c.ID)
		for member, want := range tt.members {
			if !reflect.DeepEqual(got[member], want) {
				t.Errorf("%s: %s is %v, want %v", tt.name, member, got[member], want)
			}
		}
		attributes := got["attributes"].(map[string]any)
		for name, want := range tt.attributes {
			if value, ok := attributes[name]; value != want && (ok || want != "") {
				t.Errorf("%s: attribute %s is %v, want %v", tt.name, name, value, want)
			}
		}
		if !reflect.DeepEqual(got["optionalClientScopes"], tt.optional) {
			t.Errorf("%s: optional scopes %v, want %v", tt.name, got["optionalClientScopes"], tt.optional)
		}
	}
	mappers := map[string]string{}
	for _, m := range there.Client("client-1")["protocolMappers"].([]any) {
		m := m.(map[string]any)
		config := m["config"].(map[string]any)
		mappers[m["name"].(string)], _ = config["user.attribute"].(string)
		if config["id.token.claim"] != "true" || config["userinfo.token.claim"] != "true" ||
			config["access.token.claim"] != "false" {
			t.Errorf("mapper %v", m)
		}
	}
	if want := map[string]string{"name": "", "email": "email", "email_verified": "emailVerified", "individual_id": "uin",
		"address": "", "updated_at": "updatedAt"}; !maps.Equal(mappers, want) {
		t.Errorf("mappers %v, want %v", mappers, want)
	}
	if scope := k.Abilities().Scope; scope(full()) != "openid email address offline_access" ||
		scope(public()) != "openid" {
		t.Errorf("scopes %q, %q", scope(full()), scope(public()))
	}
}

// An update sets every member, also to empty.
func TestAnUpdateRemovesWhatAClientNoLongerHas(t *testing.T) {
	there, o := realm(t, international())
	k := open(t, "keycloak", o)
	registerSame(t, k, full())
	c := client()
	c.Mark, c.Name, c.LogoURI, c.UserClaims, c.ACRs, c.Status = "mark-1", "New", "", nil, nil, registrar.ClientInactive
	updateSame(t, k, c)
	got := there.Client(c.ID)
	for _, name := range []string{"tosUri", "logoUri", "default.acr.values", "pkce.code.challenge.method", "user.info.response.signature.alg"} {
		if value, ok := got["attributes"].(map[string]any)[name]; ok {
			t.Errorf("attribute %s is still %v", name, value)
		}
	}
	if got["name"] != "New" || got["enabled"] != false || got["baseUrl"] != "" ||
		len(got["protocolMappers"].([]any)) != 0 || len(got["optionalClientScopes"].([]any)) != 0 {
		t.Errorf("%v", got)
	}
	if texts := len(there.Texts("en")) + len(there.Texts("fr")) + len(there.Texts("pt-BR")); texts != 0 {
		t.Errorf("%d texts are left", texts)
	}
	c.Status = registrar.ClientActive
	updateSame(t, k, c)
	if got := there.Client(c.ID); got["enabled"] != true || got["notBefore"] != 1700000000.0 {
		t.Errorf("enabled again: %v, tokens of before are valid from %v", got["enabled"], got["notBefore"])
	}
}

// Each call is lost from the n-th on, and then repeated: there is one client, without a difference, or none.
func TestALostAnswerOfKeycloakIsResolvedByARepeatedCall(t *testing.T) {
	changed := full()
	changed.Name, changed.Extensions.Names, changed.UserClaims, changed.Status = "New", map[string]string{"deu": "Neu"},
		[]string{"name"}, registrar.ClientActive
	for name, call := range map[string]func(context.Context, idp.Connector) error{
		"register": func(ctx context.Context, k idp.Connector) error {
			_, err := k.Register(ctx, full(), registrar.PriorUnknown)
			return err
		},
		"update": func(ctx context.Context, k idp.Connector) error {
			_, err := k.Update(ctx, changed, registrar.ProviderRecord{}, registrar.PriorUnknown)
			return err
		},
		"remove": func(ctx context.Context, k idp.Connector) error {
			_, err := k.Remove(ctx, full(), registrar.ProviderRecord{}, registrar.PriorUnknown)
			return err
		},
	} {
		for n := range int32(30) {
			there, o := realm(t, international())
			k := open(t, "keycloak", o)
			if name != "register" {
				registerSame(t, k, full())
			}
			var calls atomic.Int32
			there.SetAfter(func(r *http.Request) bool {
				return strings.HasPrefix(r.URL.Path, "/admin/") && calls.Add(1) > n
			})
			err := call(t.Context(), k)
			there.SetAfter(nil)
			if err == nil {
				if n < 3 {
					t.Errorf("%s makes %d calls", name, n)
				}
				break
			}
			if !errors.Is(err, idp.ErrUnreachable) || errors.Is(err, idp.ErrOutcomeUnknown) {
				t.Fatalf("%s, answers lost from call %d on: %v", name, n, err)
			}
			if err := call(t.Context(), k); err != nil {
				t.Fatalf("%s, repeated after call %d: %v", name, n, err)
			}
			switch name {
			case "register":
				same(t, k, full())
			case "update":
				same(t, k, changed)
			}
			want := map[string][]string{"register": {"client-1"}, "update": {"client-1"}}[name]
			if got := there.ClientIDs(); !slices.Equal(got, want) {
				t.Errorf("%s, repeated after call %d: clients %v", name, n, got)
			}
			texts := map[string]int{"register": 3, "update": 2}[name]
			if got := len(there.Texts("en")) + len(there.Texts("fr")) + len(there.Texts("pt-BR")) +
				len(there.Texts("de")); got != texts {
				t.Errorf("%s, repeated after call %d: %d texts, want %d", name, n, got, texts)
			}
		}
	}
}

// A client that has another mark, or none, is not ours: an admin of Keycloak or another service made it.
func TestAClientOfAnotherOwnerIsNeverTakenOver(t *testing.T) {
	for name, attributes := range map[string]map[string]any{
		"no mark": nil, "another mark": {"registrar.registration": "mark-9"}, "an empty mark": {"registrar.registration": ""},
	} {
		there, o := realm(t, international())
		k := open(t, "keycloak", o)
		there.AddClient("client-1", map[string]any{"name": "Theirs", "attributes": attributes})
		before := there.Client("client-1")
		_, err := k.Register(t.Context(), full(), registrar.PriorUnknown)
		if !errors.Is(err, registrar.ProviderRefused) || !strings.Contains(err.Error(), "duplicate_client_id") ||
			errors.Is(err, idp.ErrOurs) {
			t.Errorf("%s: a registration: %v", name, err)
		}
		for _, prior := range []registrar.Prior{registrar.PriorNone, registrar.PriorUnknown} {
			if _, err := k.Update(t.Context(), full(), registrar.ProviderRecord{}, prior); !errors.Is(err, idp.ErrOutcomeUnknown) {
				t.Errorf("%s: an update: %v", name, err)
			}
		}
		if _, err := k.Remove(t.Context(), full(), registrar.ProviderRecord{}, registrar.PriorUnknown); err != nil {
			t.Errorf("%s: a removal: %v", name, err)
		}
		d, _, err := k.Read(t.Context(), full(), registrar.ProviderRecord{})
		if err != nil || !slices.Contains(d.Fields(), "mark") {
			t.Errorf("%s: a comparison: %+v, %v", name, d, err)
		}
		if !reflect.DeepEqual(there.Client("client-1"), before) {
			t.Errorf("%s: it was changed", name)
		}
		if _, err := k.Update(t.Context(), full(), registrar.ProviderRecord{}, registrar.PriorOurs); err != nil {
			t.Errorf("%s: after the confirmation: %v", name, err)
		}
		same(t, k, full())
	}
}

func TestTheServiceAccountNeedsItsRoles(t *testing.T) {
	for name, tt := range map[string]struct {
		roles []string
		role  string // that the error names
		names bool
	}{
		"all":                          {everyRole, "", true},
		"clients alone":                {[]string{"manage-clients"}, "", false},
		"clients, and views the realm": {[]string{"manage-clients", "view-realm"}, "", false},
		"views clients":                {[]string{"view-clients", "manage-realm"}, "manage-clients", false},
		"none":                         {[]string{}, "manage-clients", false},
	} {
		s := international()
		s.Roles = tt.roles
		there, o := realm(t, s)
		k := open(t, "keycloak", o)
		err := k.Check(t.Context())
		if errors.Is(err, idp.ErrRole) != (tt.role != "") || tt.role != "" && !strings.Contains(err.Error(), tt.role) ||
			tt.role == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := k.Abilities().Names == idp.AllNames; got != tt.names {
			t.Errorf("%s: names by language: %v", name, got)
		}
		_, err = k.Register(t.Context(), full(), registrar.PriorNone)
		if tt.role != "" {
			if !errors.Is(err, idp.ErrUnreachable) || !errors.Is(err, idp.ErrNotSent) ||
				!strings.Contains(k.Abilities().Fault, tt.role) {
				t.Errorf("%s: a registration: %v, fault %q", name, err, k.Abilities().Fault)
			}
			continue
		}
		if err != nil || k.Abilities().Fault != "" {
			t.Fatalf("%s: %v, fault %q", name, err, k.Abilities().Fault)
		}
		same(t, k, full())
		if shown := there.Client("client-1")["name"]; (shown == "Health portal") == tt.names {
			t.Errorf("%s: the name is %v", name, shown)
		}
	}
}

func TestNamesByLanguageAreTextsOfTheRealm(t *testing.T) {
	there, o := realm(t, international())
	k := open(t, "keycloak", o)
	c := full()
	c.Name = "It's {1}"
	registerSame(t, k, c)
	for locale, want := range map[string]string{"en": "It''s '{'1'}'", "fr": "L'''{'été'}'", "pt-BR": "Portal"} {
		if got := there.Texts(locale)["registrar.client-1"]; got != want {
			t.Errorf("%s: %q, want %q", locale, got, want)
		}
	}
	c.Extensions.Names = map[string]string{"eng": "English", "fra": "Autre"}
	updateSame(t, k, c)
	if got := there.Texts("en")["registrar.client-1"] + there.Texts("fr")["registrar.client-1"] +
		there.Texts("pt-BR")["registrar.client-1"]; got != "EnglishAutre" {
		t.Errorf("after a change: %q", got)
	}
}

// A takeover is a change by which another can sign in, read tokens or stay signed in, or that changes what users see.
func TestEveryTakeoverIsFoundAndUndone(t *testing.T) {
	attribute := func(name, value string) map[string]any {
		return map[string]any{"attributes": map[string]any{name: value}}
	}
	mapper := map[string]any{"name": "ssn", "protocolMapper": "oidc-usermodel-attribute-mapper",
		"config": map[string]any{"claim.name": "ssn"}}
	for name, tt := range map[string]struct {
		change map[string]any
		want   string
	}{
		"a key":                    {attribute("jwks.string", `{"keys":[{"kty":"EC","crv":"P-256","x":"eA","y":"eA"}]}`), "publicKey"},
		"an extra key":             {attribute("jwks.string", `{"keys":[`+jwk+`,{"e":"AQAB","kty":"RSA","n":"eA"}]}`), "publicKey"},
		"an address of keys":       {attribute("jwks.url", "https://evil.example/jwks"), "@jwks.url"},
		"keys of the address":      {attribute("use.jwks.url", "true"), "@use.jwks.url"},
		"a secret":                 {map[string]any{"clientAuthenticatorType": "client-secret"}, "clientAuthenticatorType"},
		"another algorithm":        {attribute("token.endpoint.auth.signing.alg", "HS256"), "@token.endpoint.auth.signing.alg"},
		"public":                   {map[string]any{"publicClient": true}, "publicClient"},
		"a redirect URI":           {map[string]any{"redirectUris": []any{"https://rp.example/cb", "https://evil.example/"}}, "redirectUris"},
		"a root for redirect URIs": {map[string]any{"rootUrl": "https://evil.example"}, "rootUrl"},
		"an admin URL":             {map[string]any{"adminUrl": "https://evil.example"}, "adminUrl"},
		"a web origin":             {map[string]any{"webOrigins": []any{"*"}}, "webOrigins"},
		"after a sign-out":         {attribute("post.logout.redirect.uris", "+"), "@post.logout.redirect.uris"},
		"logout tokens":            {attribute("backchannel.logout.url", "https://evil.example/"), "@backchannel.logout.url"},
		"front-channel logout":     {map[string]any{"frontchannelLogout": true}, "frontchannelLogout"},
		"passwords":                {map[string]any{"directAccessGrantsEnabled": true}, "directAccessGrantsEnabled"},
		"implicit":                 {map[string]any{"implicitFlowEnabled": true}, "implicitFlowEnabled"},
		"client credentials":       {map[string]any{"serviceAccountsEnabled": true}, "serviceAccountsEnabled"},
		"device":                   {attribute("oauth2.device.authorization.grant.enabled", "true"), "@oauth2.device.authorization.grant.enabled"},
		"CIBA":                     {attribute("oidc.ciba.grant.enabled", "true"), "@oidc.ciba.grant.enabled"},
		"token exchange":           {attribute("standard.token.exchange.enabled", "true"), "@standard.token.exchange.enabled"},
		"JWT grants":               {attribute("oauth2.jwt.authorization.grant.enabled", "true"), "@oauth2.jwt.authorization.grant.enabled"},
		"no refresh tokens":        {attribute("use.refresh.tokens", "false"), "grantTypes"},
		"full scope":               {map[string]any{"fullScopeAllowed": true}, "fullScopeAllowed"},
		"no consent":               {map[string]any{"consentRequired": true}, "consentRequired"},
		"a default scope":          {map[string]any{"defaultClientScopes": []any{"acr", "basic", "profile"}}, "defaultClientScopes"},
		"an optional scope":        {map[string]any{"optionalClientScopes": []any{"email", "address", "offline_access", "phone"}}, "optionalClientScopes"},
		"a claim":                  {map[string]any{"protocolMappers": []any{mapper}}, "userClaims.ssn"},
		"no PKCE":                  {attribute("pkce.code.challenge.method", ""), "@pkce.code.challenge.method"},
		"no PAR":                   {attribute("require.pushed.authorization.requests", "false"), "@require.pushed.authorization.requests"},
		"no DPoP":                  {attribute("dpop.bound.access.tokens", ""), "@dpop.bound.access.tokens"},
		"plain userinfo":           {attribute("user.info.encrypted.response.alg", ""), "@user.info.encrypted.response.alg"},
		"unsigned ID tokens":       {attribute("id.token.signed.response.alg", "none"), "@id.token.signed.response.alg"},
		"another ACR":              {attribute("default.acr.values", "mosip:idp:acr:static-code"), "authContextRefs"},
		"another sign-in flow": {
			map[string]any{"authenticationFlowBindingOverrides": map[string]any{"browser": "weak"}},
			"authenticationFlowBindingOverrides.browser",
		},
		"another name": {map[string]any{"name": "Bank"}, "clientName"},
		"another logo": {attribute("logoUri", "https://evil.example/l.png"), "logoUri"},
		"another mark": {attribute("registrar.registration", "mark-9"), "mark"},
	} {
		for _, status := range []registrar.ClientStatus{registrar.ClientActive, registrar.ClientInactive} {
			there, o := realm(t, international())
			k := open(t, "keycloak", o)
			c := full()
			registerSame(t, k, c)
			c.Status = status
			updateSame(t, k, c)
			there.ChangeClient(c.ID, tt.change)
			d, _, err := k.Read(t.Context(), c, registrar.ProviderRecord{})
			if err != nil || !slices.Contains(d.Fields(), tt.want) {
				t.Errorf("%s of a client that is %s: %+v, %v", name, status, d, err)
			}
			if _, err := k.Update(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorOurs); err != nil {
				t.Fatal(err)
			}
			same(t, k, c)
		}
	}
}

func TestAComparisonOfKeycloakFindsStatusTextsAndDeletion(t *testing.T) {
	there, o := realm(t, international())
	k := open(t, "keycloak", o)
	c := full()
	registerSame(t, k, c)
	differs := func(what string, want ...string) {
		t.Helper()
		d, _, err := k.Read(t.Context(), c, registrar.ProviderRecord{})
		if got := d.Fields(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v, %v", what, got, want, err)
		}
	}
	c.Status = registrar.ClientActive
	there.ChangeClient(c.ID, map[string]any{"enabled": false})
	differs("disabled there", "status")
	updateSame(t, k, c)
	c.Status = registrar.ClientInactive
	differs("enabled there", "status", "notBefore")
	updateSame(t, k, c)
	there.ChangeClient(c.ID, map[string]any{"notBefore": 0})
	differs("tokens of before are valid again", "notBefore")
	updateSame(t, k, c)
	there.ChangeClient(c.ID, map[string]any{
		"description": "Reviewed", "alwaysDisplayInConsole": false,
		"attributes": map[string]any{"client.secret.creation.time": "1", "saml.encrypt": "false"},
	})
	differs("what gives nobody access")
	other := c
	other.Extensions.Names = map[string]string{"fra": "Autre"}
	updateSame(t, k, other)
	differs("another text", "clientName#fr", "clientName#pt-BR")
	there.ChangeClient(c.ID, nil)
	if d, _, err := k.Read(t.Context(), c, registrar.ProviderRecord{}); err != nil ||
		d.Kind != registrar.DifferenceMissing {
		t.Errorf("deleted there: %+v, %v", d, err)
	}
	if _, err := k.Update(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorNone); !errors.Is(err, idp.ErrMissing) {
		t.Errorf("an update of a client that is missing: %v", err)
	}
	if _, err := k.Remove(t.Context(), c, registrar.ProviderRecord{}, registrar.PriorUnknown); err != nil {
		t.Errorf("a removal: %v", err)
	}
}

func TestKeycloakRefusesAClientWithItsText(t *testing.T) {
	for name, tt := range map[string]struct {
		edit  func(*registrar.Client)
		want  string
		calls bool
	}{
		"Keycloak's own": {func(c *registrar.Client) { c.LogoURI = "javascript:alert(1)" }, "Logo URL uses an illegal scheme", true},
		"a key as name":  {func(c *registrar.Client) { c.Name = "${client_account}" }, "invalid_client_name", false},
		"another grant":  {func(c *registrar.Client) { c.GrantTypes = []string{"authorization_code", "password"} }, "invalid_grant_type", false},
		"no code":        {func(c *registrar.Client) { c.GrantTypes = []string{"refresh_token"} }, "invalid_grant_type", false},
		"another method": {func(c *registrar.Client) { c.AuthMethods = []string{"tls_client_auth"} }, "invalid_client_auth", false},
		"two methods":    {func(c *registrar.Client) { c.AuthMethods = []string{"private_key_jwt", "tls_client_auth"} }, "invalid_client_auth", false},
	} {
		there, o := realm(t, international())
		k := open(t, "keycloak", o)
		c := full()
		tt.edit(&c)
		_, err := k.Register(t.Context(), c, registrar.PriorNone)
		if !errors.Is(err, registrar.ProviderRefused) || !strings.Contains(err.Error(), tt.want) ||
			(len(there.Calls()) > 0) != tt.calls {
			t.Errorf("%s: %v after %v", name, err, there.Calls())
		}
	}
}

// A registration that is refused after the client was created must not be forgotten: the client is there.
func TestARefusalAfterTheCreationProvesThatTheClientIsThere(t *testing.T) {
	there, o := realm(t, international())
	k := open(t, "keycloak", o)
	there.SetHook(func(w http.ResponseWriter, r *http.Request) bool {
		refused := r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/localization/")
		if refused {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"errorMessage":"no text"}`))
		}
		return refused
	})
	for _, prior := range []registrar.Prior{registrar.PriorNone, registrar.PriorUnknown} { // created, and found
		_, err := k.Register(t.Context(), full(), prior)
		if !errors.Is(err, registrar.ProviderRefused) || !errors.Is(err, idp.ErrOurs) || len(there.ClientIDs()) != 1 {
			t.Errorf("%v, the realm has %v", err, there.ClientIDs())
		}
	}
}

// 401, 403 and 5xx are about this service, not about a client.
func TestAFailureOfKeycloakIsNoRefusal(t *testing.T) {
	for _, status := range []int{401, 403, 500, 503} {
		there, o := realm(t, international())
		k := open(t, "keycloak", o)
		if err := k.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		there.SetHook(func(w http.ResponseWriter, r *http.Request) bool {
			fails := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/clients")
			if fails {
				w.WriteHeader(status)
			}
			return fails
		})
		_, err := k.Register(t.Context(), full(), registrar.PriorNone)
		if !errors.Is(err, idp.ErrUnreachable) || errors.Is(err, registrar.ProviderRefused) ||
			errors.Is(err, idp.ErrNotSent) != (status < 500) {
			t.Errorf("%d: %v", status, err)
		}
		if fault := k.Abilities().Fault; (fault != "") != (status == 403) {
			t.Errorf("%d: fault %q", status, fault)
		}
		there.SetHook(nil)
		if _, err := k.Register(t.Context(), full(), registrar.PriorUnknown); err != nil || k.Abilities().Fault != "" {
			t.Errorf("%d: repeated: %v, fault %q", status, err, k.Abilities().Fault)
		}
	}
}

func TestKeycloakListsTheClientsThatMayBeOurs(t *testing.T) {
	there, o := realm(t, international())
	k := open(t, "keycloak", o)
	for _, id := range []string{"admin-cli", "wf-inbox", o.ClientID, "orphan"} {
		there.AddClient(id, map[string]any{"name": "Name of " + id})
	}
	for i := range 40 {
		c := client()
		c.ID, c.Mark = "c-"+string(rune('A'+i)), "m"
		registerSame(t, k, c)
	}
	var found []idp.Listed
	err := k.Abilities().List(t.Context(), func(l idp.Listed) error {
		found = append(found, l)
		return nil
	})
	if err != nil || len(found) != 41 || !slices.Contains(found, idp.Listed{ClientID: "orphan", Name: "Name of orphan"}) {
		t.Errorf("%d clients %v, %v", len(found), found, err)
	}
}

func TestTheAddressOfKeycloakIsThatOfARealm(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:1/realms/r": true, "http://127.0.0.1:1/auth/realms/r/": true, "http://127.0.0.1:1": false,
		"http://127.0.0.1:1/realms/r/clients-registrations/openid-connect": false, "http://127.0.0.1:1/realms/": false,
	} {
		if _, err := idp.NewKeycloak(idp.Options{URL: address, Egress: loopback}); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// The other settings of eSignet have no member.
func TestKeycloakHasNoMemberForSomeSettings(t *testing.T) {
	_, o := realm(t, international())
	k := open(t, "keycloak", o)
	config, err := json.Marshal(map[string]any{
		"purpose": map[string]any{}, "consent_expire_in_mins": 10, "signup_banner_required": true,
		"forgot_pwd_link_required": true,
		"id_token_response_type":   "JWE", "require_pkce": true, "dpop_bound_access_tokens": true,
	})
	if err != nil {
		t.Fatal(err)
	}
	e := registrar.Extensions{Config: string(config), EncKey: jwk, Names: map[string]string{"fra": "Nom"}}
	want := []string{"consent_expire_in_mins", "forgot_pwd_link_required", "id_token_response_type", "purpose",
		"signup_banner_required"}
	for i := range want {
		want[i] = registrar.ConfigExtension + "." + want[i]
	}
	if got := k.MissingExtensions(e); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
