package registrar_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// line is a line of an import, with changes; nil removes a member.
func line(changes ...any) string {
	members := object{
		"clientId": "c1", "api": "provider", "clientName": "Moved", "partnerId": "rp-1", "publicKey": ecJWK(p256Key()),
		"userClaims": []string{"name"}, "authContextRefs": []string{"mosip:idp:acr:password"}, "logoUri": "https://rp.example/l.png",
		"redirectUris": []string{"https://rp.example/cb"}, "grantTypes": []string{"authorization_code"},
		"clientAuthMethods": []string{"private_key_jwt"}, "status": "ACTIVE",
	}
	return members.with(changes...).json()
}

func TestAClientThatIsFoundIsTakenAndFlagged(t *testing.T) {
	weak := object{"kty": "RSA", "n": b64(odd(1024).Bytes()), "e": "Aw"}
	for name, tt := range map[string]struct {
		line  string
		flags []registrar.Flag
	}{
		"a good one": {line(), nil},
		"null for none": {line("policyId", nil, "otherPublicKeys", json.RawMessage("null"), "additionalConfig",
			json.RawMessage("null"), "encPublicKey", json.RawMessage("null")), nil},
		"a wildcard": {line("redirectUris", []string{"https://rp.example/*"}), []registrar.Flag{registrar.FlagLegacyRedirect}},
		"a script": {line("redirectUris", []string{"javascript:alert(1)"}),
			[]registrar.Flag{registrar.FlagLegacyRedirect, registrar.FlagForeignLogo}},
		"none":                   {line("redirectUris", []string{}), []registrar.Flag{registrar.FlagLegacyRedirect, registrar.FlagForeignLogo}},
		"a weak key":             {line("publicKey", weak), []registrar.Flag{registrar.FlagLegacyKey}},
		"a key without kty":      {line("publicKey", weak.with("kty", nil)), []registrar.Flag{registrar.FlagLegacyKey}},
		"a key with another use": {line("publicKey", ecJWK(p256Key()).with("use", "enc")), []registrar.Flag{registrar.FlagLegacyKey}},
		"a key in padded base64": {line("publicKey",
			weak.with("e", "AQAB", "n", strings.NewReplacer("-", "+", "_", "/").Replace(b64(odd(1024).Bytes()))+"=")),
			[]registrar.Flag{registrar.FlagLegacyKey}},
		"an unknown curve":         {line("publicKey", ecJWK(p256Key()).with("crv", "secp256k1")), []registrar.Flag{registrar.FlagLegacyKey}},
		"a private key":            {line("publicKey", ecJWK(p256Key()).with("d", "AAAA")), []registrar.Flag{registrar.FlagPrivateDropped}},
		"a weak private key":       {line("publicKey", weak.with("D", "AAAA")), []registrar.Flag{registrar.FlagLegacyKey, registrar.FlagPrivateDropped}},
		"a private encryption key": {line("encPublicKey", ecJWK(p384Key()).with("d", "AAAA")), []registrar.Flag{registrar.FlagPrivateDropped}},
		"a claim":                  {line("userClaims", []string{"registration_type"}), []registrar.Flag{registrar.FlagLegacyField}},
		"a long name":              {line("clientName", strings.Repeat("n", 600)), []registrar.Flag{registrar.FlagLegacyField}},
		"a method":                 {line("clientAuthMethods", []string{"none"}), []registrar.Flag{registrar.FlagLegacyField}},
		"another host":             {line("logoUri", "https://other.example/l.png"), []registrar.Flag{registrar.FlagForeignLogo}},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := registrar.DefaultRules().ParseImported([]byte(tt.line))
			if err != nil || !slices.Equal(f.Flags, tt.flags) {
				t.Fatalf("flags %v, want %v; %v", f.Flags, tt.flags, err)
			}
			for _, secret := range []string{`"d"`, `"D"`, "AAAA"} {
				if strings.Contains(f.Client.Key.JWK+f.Client.Extensions.EncKey, secret) {
					t.Errorf("a private member is kept: %s", f.Client.Key.JWK)
				}
			}
			if f.Client.Key.Thumbprint == "" || f.Client.Key.ID == "" {
				t.Errorf("the key is %+v", f.Client.Key)
			}
			text, err := json.Marshal(f.Import("x", f.Client.CreatedAt).Export(registrar.ProviderRecord{}))
			if err != nil {
				t.Fatal(err)
			}
			var again map[string]any
			if err := json.Unmarshal(text, &again); err != nil {
				t.Fatal(err)
			}
			maps.DeleteFunc(again, func(name string, _ any) bool { return strings.HasSuffix(name, "At") })
			written, err := json.Marshal(again)
			if err != nil {
				t.Fatal(err)
			}
			same, err := registrar.DefaultRules().ParseImported(written)
			if err != nil {
				t.Fatalf("the written form is refused: %v", err)
			}
			if err := same.CompareImported(f.Client); err != nil {
				t.Errorf("the written form differs: %v", err)
			}
		})
	}
}

// Equal keys have one identity in every encoding, so a second registration is refused.
func TestAKeyThatIsFoundHasTheThumbprintOfTheSameKey(t *testing.T) {
	good := ecJWK(p256Key())
	want, err := registrar.DefaultRules().NewKey([]byte(good.json()))
	if err != nil {
		t.Fatal(err)
	}
	pad := func(v any) string { return strings.NewReplacer("-", "+", "_", "/").Replace(v.(string)) + "=" }
	for _, odd := range []object{good.with("use", "enc"), good.with("alg", 5), good.with("x", pad(good["x"]), "y", pad(good["y"]))} {
		if got, err := registrar.KeyOf([]byte(odd.json())); err != nil || got.Thumbprint != want.Thumbprint {
			t.Errorf("%s: %+v, %v", odd.json(), got, err)
		}
	}
}

func TestALineThatCannotBeTakenIsRefused(t *testing.T) {
	var five []any
	for i := range byte(5) {
		five = append(five, object{"kty": "OKP", "crv": "Ed25519", "x": b64([]byte{i + 1})})
	}
	for name, tt := range map[string]struct{ line, want string }{
		"not an object":       {`[]`, "line: "},
		"a member twice":      {`{"clientId":"a","clientId":"b"}`, "line: is not one strict JSON"},
		"another letter case": {line("ClientId", "c2"), "line: "},
		"an unknown member":   {line("secret", "x"), "line: secret is not a known member"},
		"a number":            {line("clientName", 5), "line: clientName is of the wrong type: number"},
		"a text for a list":   {line("redirectUris", "https://a.test"), "line: redirectUris is of the wrong type: string"},
		"null in a list":      {line("redirectUris", []any{nil}), "line: "},
		"no list":             {line("redirectUris", nil), "redirectUris: is missing"},
		"a blank URI":         {line("redirectUris", []string{" "}), "redirectUris: element 0"},
		"a control character": {line("redirectUris", []string{"a\nb"}), "redirectUris: element 0"},
		"a slash":             {line("clientId", "a/b"), "clientId: "},
		"a backslash":         {line("clientId", `a\b`), "clientId: "},
		"an id too long":      {line("clientId", strings.Repeat("x", 101)), "clientId: "},
		"an id with a space":  {line("clientId", "a b"), "clientId: "},
		"a dot segment":       {line("clientId", ".."), "clientId: "},
		"no api":              {line("api", nil), "api: "},
		"another api":         {line("api", "pms"), "api: "},
		"a policy there":      {line("policyId", "p"), "policyId: "},
		"no policy here":      {line("api", "partner"), "policyId: "},
		"a status":            {line("status", "PENDING"), "status: "},
		"final and active":    {line("final", true), "final: "},
		"a symmetric key":     {line("publicKey", object{"kty": "oct", "k": "AAAA"}), "publicKey: is a symmetric key"},
		"a key set":           {line("publicKey", object{"keys": []any{ecJWK(p256Key())}}), "publicKey: "},
		"no key":              {line("publicKey", nil), "publicKey: "},
		"the same key twice": {
			line("otherPublicKeys", []any{ecJWK(p256Key())}), "otherPublicKeys: has a key that is there twice",
		},
		"a further key":      {line("otherPublicKeys", []any{object{"kty": "EC"}}), "otherPublicKeys: has no crv"},
		"six keys":           {line("otherPublicKeys", five), "otherPublicKeys: must have at most 4 elements"},
		"a time":             {line("createdAt", "yesterday"), "line: "},
		"a time before":      {line("createdAt", "1969-12-31T23:59:59Z"), "createdAt: "},
		"a token of nothing": {line("registrationAccessToken", "t"), "providerClientId: "},
	} {
		_, err := registrar.DefaultRules().ParseImported([]byte(tt.line))
		if err == nil {
			t.Errorf("%s is accepted, want %q", name, tt.want)
			continue
		}
		got := registrar.Describe(err)
		twice := strings.HasSuffix(got, "there twice") != strings.HasSuffix(tt.want, "there twice")
		if !strings.HasPrefix(got, tt.want) || strings.Contains(got+err.Error(), "AAAA") || twice {
			t.Errorf("%s: %s, want %q", name, got, tt.want)
		}
	}
}

func FuzzFound(f *testing.F) {
	f.Add([]byte(line()))
	f.Add([]byte(line("publicKey", object{"n": "AA", "e": "AQ"})))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := registrar.DefaultRules().ParseImported(data)
		if err != nil {
			return
		}
		text, err := json.Marshal(found.Import("x", found.Client.CreatedAt).Export(registrar.ProviderRecord{}))
		if err != nil {
			t.Fatal(err)
		}
		if !registrar.PossibleID(found.Client.ID) || strings.Contains(string(text), `"d":`) {
			t.Errorf("%q is taken as %s", data, text)
		}
	})
}
