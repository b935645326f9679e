package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// sayings returns the optional members of a registration, with values.
func sayings(t *testing.T) map[string][]any {
	t.Helper()
	enc := keyOf(t, "enc")
	enc["use"] = "enc"
	text := map[string]any{"@none": "T", "fra": "F"}
	return map[string][]any{
		"clientNameLangMap": {with("fra", "Portail"), with("fra", "Portail", "ara", "صحة")},
		"encPublicKey":      {enc},
		"additionalConfig.userinfo_response_type":                {"JWS", "JWE"},
		"additionalConfig.purpose":                               {with("type", "login"), with("type", "verify", "title", text, "subTitle", text)},
		"additionalConfig.signup_banner_required":                {true, false},
		"additionalConfig.forgot_pwd_link_required":              {true, false},
		"additionalConfig.consent_expire_in_mins":                {10, 60.5},
		"additionalConfig.require_pushed_authorization_requests": {true, false},
		"additionalConfig.dpop_bound_access_tokens":              {true, false},
		"additionalConfig.require_pkce":                          {true, false},
		"redirectUris": {[]any{"https://rp.example/cb?x=1&y=%20",
			"http://127.0.0.1:8080/cb", "io.example.app://oauth"}},
		"userClaims":      {[]any{}, []any{"name", "email", "phone_number", "address"}},
		"authContextRefs": {[]any{"mosip:idp:acr:biometrics", "mosip:idp:acr:password"}},
		"clientName":      {"Ünïcode \"quoted\" <b>", strings.Repeat("長", 256)},
		"logoUri":         {"https://cdn.example/l.png?a=b&c=%2F"},
	}
}

// said converts optional members to changes of a registration.
func said(chosen map[string]any) map[string]any {
	changes, config := map[string]any{}, map[string]any{}
	for name, value := range chosen {
		if member, ok := strings.CutPrefix(name, "additionalConfig."); ok {
			config[member] = value
		} else {
			changes[name] = value
		}
	}
	if len(config) > 0 {
		changes["additionalConfig"] = config
	}
	return changes
}

// plain is a value as JSON reads it.
func plain(t *testing.T, v any) (out any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every connector sends an accepted registration whole or refuses it: the provider has all members
// of the client, or none, and the refusal names the unsupported ones.
func TestAcceptedRegistrationIsSentWholeOrRefused(t *testing.T) {
	const rounds = 40
	refusals := 0
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	all := sayings(t)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for kind, tt := range map[string]struct {
		config func(*server.Config)
		rfc    bool
	}{
		"esignet 1.0": {func(*server.Config) {}, false},
		"esignet 1.4": {func(c *server.Config) { c.IDP = "esignet-1.4" }, false},
		"esignet 1.6": {func(c *server.Config) { c.IDP = "esignet-1.6" }, false},
		"esignet 1.8": {func(c *server.Config) { c.IDP = "esignet-1.8" }, false},
		"rfc7591":     {func(*server.Config) {}, true},
	} {
		e, p := registrartest.NewESignet(t), registrartest.NewRFC7591(t)
		w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
			if e.Configure(c); tt.rfc {
				p.Configure(c)
			}
			tt.config(c)
		}})
		taken := 0
		for i := range rounds {
			d, chosen := everyDoor[random.IntN(len(everyDoor))], map[string]any{}
			for _, name := range names {
				if random.IntN(8) == 0 {
					chosen[name] = all[name][random.IntN(len(all[name]))]
				}
			}
			id, key := fmt.Sprint("c", i), registrartest.Key(t)
			token, body := w.Provider(), withRequestTime(registrartest.ProviderRequest(id, key, said(chosen)))
			if d.partner {
				token, body = w.Partner("ana", "demo-partner"), withNames(registrartest.PartnerRequest(key, said(chosen)))
			}
			calls, made := e.Calls(), p.RegistrationCount()
			r := w.Call("POST", d.path, token, body)
			if r.Member("status") != "ACTIVE" {
				refusals++
				lacks := strings.Contains(r.Body, "is not supported by the identity provider") || strings.Contains(r.Body, "JWE needs a key")
				if !lacks || e.Calls() != calls || p.RegistrationCount() != made {
					t.Errorf("%s to %s, %v: %d %s, and %d calls", d.path, kind, chosen, r.Status, r.Body, e.Calls()-calls+p.RegistrationCount()-made)
				}
				continue
			}
			taken++
			// The service returns the accepted fields; the provider must have all of them.
			shown := response(t, w.Call("GET", providerPath+"/"+r.Member("clientId").(string), w.Provider(), nil))
			if tt.rfc {
				registeredWhole(t, kind, shown, p.Clients()[r.Member("providerClientId").(string)])
				continue
			}
			there := plain(t, e.Members(r.Member("clientId").(string))).(map[string]any)
			for member, value := range shown {
				switch member {
				case "jwks", "status", "clientId":
					continue
				}
				if member == "clientNameLangMap" && kind == "esignet 1.0" {
					value = nil // stored here, and left out of the call
				}
				if !reflect.DeepEqual(there[member], value) {
					t.Errorf("%s to %s: %s is %v here and %v there", d.path, kind, member, value, there[member])
				}
			}
		}
		if taken == 0 {
			t.Errorf("%s takes nothing", kind)
		}
	}
	if refusals == 0 {
		t.Error("nothing was refused")
	}
}

// registeredWhole holds the metadata at an RFC 7591 provider against a client as it is shown.
func registeredWhole(t *testing.T, kind string, shown, there map[string]any) {
	t.Helper()
	want := map[string]any{
		"client_name": shown["clientName"], "logo_uri": shown["logoUri"], "redirect_uris": shown["redirectUris"], "grant_types": shown["grantTypes"],
		"token_endpoint_auth_method": shown["clientAuthMethods"].([]any)[0],
	}
	names, _ := shown["clientNameLangMap"].(map[string]any)
	for code, tag := range map[string]string{"fra": "fr", "ara": "ar"} {
		want["client_name#"+tag] = names[code]
	}
	config, _ := shown["additionalConfig"].(map[string]any)
	for name, value := range config {
		switch name {
		case "userinfo_response_type":
			want["userinfo_signed_response_alg"] = "RS256"
			if value == "JWE" {
				want["userinfo_encrypted_response_alg"], want["userinfo_encrypted_response_enc"] = "ECDH-ES", "A256GCM"
			}
		default:
			want[name] = value
		}
	}
	for member, value := range want {
		if !reflect.DeepEqual(plain(t, there[member]), value) {
			t.Errorf("%s: %s is %v there, want %v", kind, member, there[member], value)
		}
	}
	set, keys := fmt.Sprint(there["jwks"]), []any{shown["publicKey"]}
	if enc := shown["encPublicKey"]; enc != nil {
		keys = append(keys, enc)
	}
	for _, key := range keys {
		if x := key.(map[string]any)["x"].(string); !strings.Contains(set, x) {
			t.Errorf("%s: the key %s is not in %s", kind, x, set)
		}
	}
	for claim, scope := range map[string]string{"name": "profile", "email": "email", "phone_number": "phone", "address": "address"} {
		if slices.Contains(shown["userClaims"].([]any), any(claim)) != slices.Contains(strings.Fields(there["scope"].(string)), scope) {
			t.Errorf("%s: %v has the scopes %s", kind, shown["userClaims"], there["scope"])
		}
	}
}
