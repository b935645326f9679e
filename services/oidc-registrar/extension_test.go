package registrar_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func TestAdditionalConfigHasAClosedSchema(t *testing.T) {
	for raw, want := range map[string]string{
		``:     "",
		`null`: "",
		` {} `: "",
		`{ "require_pkce": true, "dpop_bound_access_tokens": false }`:                   `{"dpop_bound_access_tokens":false,"require_pkce":true}`,
		`{"userinfo_response_type":"JWE"}`:                                              `{"userinfo_response_type":"JWE"}`,
		`{"consent_expire_in_mins":10.50}`:                                              `{"consent_expire_in_mins":10.50}`,
		`{"purpose":null}`:                                                              `{"purpose":null}`,
		`{"purpose":{"type":"verify","title":{"@none":"T","fra":"F"},"subTitle":null}}`: `{"purpose":{"subTitle":null,"title":{"@none":"T","fra":"F"},"type":"verify"}}`,
	} {
		if got, err := registrar.ParseConfig([]byte(raw)); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", raw, got, err, want)
		}
	}
	for raw, field := range map[string]string{
		`[]`:                                                 "additionalConfig",
		`"x"`:                                                "additionalConfig",
		`{"client_secret":"x"}`:                              "additionalConfig",
		`{"userinfo_response_type":"JSON"}`:                  "additionalConfig.userinfo_response_type",
		`{"userinfo_response_type":null}`:                    "additionalConfig.userinfo_response_type",
		`{"require_pkce":"true"}`:                            "additionalConfig.require_pkce",
		`{"require_pkce":null}`:                              "additionalConfig.require_pkce",
		`{"signup_banner_required":1}`:                       "additionalConfig.signup_banner_required",
		`{"consent_expire_in_mins":9}`:                       "additionalConfig.consent_expire_in_mins",
		`{"consent_expire_in_mins":"10"}`:                    "additionalConfig.consent_expire_in_mins",
		`{"consent_expire_in_mins":null}`:                    "additionalConfig.consent_expire_in_mins",
		`{"consent_expire_in_mins":1e999}`:                   "additionalConfig.consent_expire_in_mins",
		`{"purpose":{}}`:                                     "additionalConfig.purpose",
		`{"purpose":"login"}`:                                "additionalConfig.purpose",
		`{"purpose":{"type":"read"}}`:                        "additionalConfig.purpose",
		`{"purpose":{"type":"link","x":1}}`:                  "additionalConfig.purpose",
		`{"purpose":{"type":"link","title":{"fra":"F"}}}`:    "additionalConfig.purpose",
		`{"purpose":{"type":"link","title":{"@none":1}}}`:    "additionalConfig.purpose",
		`{"purpose":{"type":"link","title":{"@none":null}}}`: "additionalConfig.purpose",
		`{"x":"` + strings.Repeat("y", 16<<10) + `"}`:        "additionalConfig",
	} {
		_, err := registrar.ParseConfig([]byte(raw))
		if got := problems(t, err); !slices.Equal(got, []string{field + " invalid_config"}) {
			t.Errorf("%.60s is refused with %v, want a problem with %s", raw, err, field)
		}
	}
}

func TestAKeyToEncryptWithIsOfItsOwnKind(t *testing.T) {
	rules := registrar.DefaultRules()
	rules.AllowEd25519 = true
	plain := ecJWK(p256Key())
	for name, key := range map[string]string{
		"a key":          plain.json(),
		"its use":        plain.with("use", "enc").json(),
		"its alg":        plain.with("alg", "ECDH-ES").json(),
		"its operations": plain.with("key_ops", []string{"deriveKey"}).json(),
		"an RSA key":     rsaJWK(rsaKey().N).with("alg", "RSA-OAEP-256").json(),
	} {
		jwk, err := rules.ParseEncKey([]byte(key))
		if err != nil || !strings.Contains(jwk, `"use":"enc"`) {
			t.Errorf("%s: %s, %v", name, jwk, err)
		}
	}
	for name, key := range map[string]string{
		"a key for signing":        plain.with("use", "sig").json(),
		"an algorithm for signing": plain.with("alg", "ES256").json(),
		"a private key":            plain.with("d", "AAAA").json(),
		"an empty object":          `{}`,
		"a secret":                 `{"kty":"oct","k":"AAAA"}`,
		"a key for signing alone":  `{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}`,
	} {
		if jwk, err := rules.ParseEncKey([]byte(key)); err == nil {
			t.Errorf("%s is taken: %s", name, jwk)
		}
	}
	for _, none := range []string{"", "null", " null "} {
		if jwk, err := rules.ParseEncKey([]byte(none)); jwk != "" || err != nil {
			t.Errorf("%q is %q, %v", none, jwk, err)
		}
	}
}

func TestAnUpdateChangesTheExtensionsThatItNames(t *testing.T) {
	before, _ := registration(t).NewClient("ana", born).Activate("", born)
	before.Extensions = registrar.Extensions{Names: map[string]string{"fra": "Santé"}, Config: `{"require_pkce":true}`, EncKey: `{"kty":"EC"}`}
	none, other := "", `{"require_pkce":false}`
	for name, tt := range map[string]struct {
		change  registrar.ExtensionChange
		want    registrar.Extensions
		changed []string
	}{
		"nothing": {registrar.ExtensionChange{}, before.Extensions, nil},
		"other names": {registrar.ExtensionChange{Names: map[string]string{"deu": "G"}},
			registrar.Extensions{Names: map[string]string{"deu": "G"}, Config: before.Extensions.Config,
				EncKey: before.Extensions.EncKey}, []string{"clientNameLangMap"}},
		"no names": {registrar.ExtensionChange{Names: map[string]string{}},
			registrar.Extensions{Config: before.Extensions.Config, EncKey: before.Extensions.EncKey},
			[]string{"clientNameLangMap"}},
		"other config": {registrar.ExtensionChange{Config: &other}, registrar.Extensions{Names: before.Extensions.Names,
			Config: other, EncKey: before.Extensions.EncKey}, []string{"additionalConfig"}},
		"neither of two": {registrar.ExtensionChange{Config: &none, EncKey: &none},
			registrar.Extensions{Names: before.Extensions.Names}, []string{"additionalConfig", "encPublicKey"}},
	} {
		u := registrar.Update{
			Name: before.Name, LogoURI: before.LogoURI, RedirectURIs: before.RedirectURIs, GrantTypes: before.GrantTypes,
			AuthMethods: before.AuthMethods, Status: before.Status, Extensions: tt.change,
		}
		after, err := before.Update(u, later)
		if err != nil || !after.Extensions.Equal(tt.want) || !reflect.DeepEqual(before.Changes(after), tt.changed) {
			t.Errorf("%s: %+v, %v, changed %v", name, after.Extensions, err, before.Changes(after))
		}
	}
}

func TestUnsupportedExtensionsAreNamed(t *testing.T) {
	e := registrar.Extensions{Names: map[string]string{"fra": "Santé"}, Config: `{"require_pkce":true,"purpose":null}`, EncKey: `{}`}
	err := registrar.RefuseExtensions(e.List())
	var want []string
	for field, reason := range map[string]registrar.Reason{
		"clientNameLangMap": registrar.InvalidLanguage, "additionalConfig.purpose": registrar.InvalidConfig,
		"additionalConfig.require_pkce": registrar.InvalidConfig, "encPublicKey": registrar.InvalidEncKey,
	} {
		want = append(want, field+" "+string(reason))
	}
	got := problems(t, err)
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || registrar.RefuseExtensions(nil) != nil {
		t.Errorf("problems: %v, want %v", got, want)
	}
}
