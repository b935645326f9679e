package registrar_test

import (
	"errors"
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// publicRequest is a registration of a public client in the partner API.
func publicRequest() *registrar.Request {
	in := partnerRequest()
	in.PublicKey, in.AuthMethods, in.RedirectURIs = nil, []string{"none"}, []string{"http://127.0.0.1/cb", "com.example.app:/cb"}
	return in
}

// publicRules are rules of a provider that enforces PKCE.
func publicRules() registrar.Rules {
	rules := registrar.DefaultRules()
	rules.EnforcesPKCE = true
	return rules
}

// authorise registers a request under a policy for types of clients.
func authorise(rules registrar.Rules, i registrar.Interface, in *registrar.Request, types ...string) (registrar.Client, error) {
	reg, err := rules.Register(i, in)
	if err != nil {
		return registrar.Client{}, err
	}
	partner, policy, mapping := catalogue()
	policy.ClientTypes = types
	if reg, err = reg.Authorise(&partner, &policy, &mapping); err != nil {
		return registrar.Client{}, err
	}
	return reg.NewClient("ana", born), rules.Check(reg)
}

func TestTheTypeOfAClientIsThatOfItsPolicy(t *testing.T) {
	whole := registrar.PartnerInterface
	whole.Whole = true
	weak := registrar.DefaultRules()
	for name, tt := range map[string]struct {
		rules registrar.Rules
		i     registrar.Interface
		types []string
		edit  func(*registrar.Request)
		want  error
	}{
		"public, permitted":          {publicRules(), registrar.PartnerInterface, []string{"public"}, nil, nil},
		"public, among both":         {publicRules(), whole, []string{"confidential", "public"}, nil, nil},
		"public, by default":         {publicRules(), registrar.PartnerInterface, nil, nil, registrar.InvalidAuthMethod},
		"public, confidential alone": {publicRules(), whole, []string{"confidential"}, nil, registrar.InvalidAuthMethod},
		"public, without PKCE":       {weak, whole, []string{"public"}, nil, registrar.MissingKey},
		"public, with a key": {publicRules(), whole, []string{"public"},
			func(in *registrar.Request) { in.PublicKey = partnerRequest().PublicKey }, registrar.InvalidKey},
		"public, with another method": {publicRules(), whole, []string{"public"},
			func(in *registrar.Request) { in.AuthMethods = []string{"none", "private_key_jwt"} }, registrar.MissingKey},
		"public, with another grant": {publicRules(), whole, []string{"public"},
			func(in *registrar.Request) { in.GrantTypes = []string{"implicit"} }, registrar.InvalidGrantType},
		"public, with plain http": {publicRules(), whole, []string{"public"},
			func(in *registrar.Request) { in.RedirectURIs = []string{"http://rp.example/"} }, registrar.InvalidRedirectURI},
		"public, ten redirect URIs": {publicRules(), whole, []string{"public"},
			func(in *registrar.Request) { in.RedirectURIs = times(10) }, nil},
		"public, eleven redirect URIs": {publicRules(), whole, []string{"public"},
			func(in *registrar.Request) { in.RedirectURIs = times(11) }, registrar.WrongRedirectCount},
		"confidential, by default": {publicRules(), registrar.PartnerInterface, nil,
			func(in *registrar.Request) { *in = *partnerRequest() }, nil},
		"confidential, public alone": {publicRules(), registrar.PartnerInterface, []string{"public"},
			func(in *registrar.Request) { *in = *partnerRequest() }, registrar.InvalidAuthMethod},
		"confidential, six redirect URIs": {publicRules(), registrar.PartnerInterface, nil,
			func(in *registrar.Request) { *in = *partnerRequest(); in.RedirectURIs = times(6) }, registrar.WrongRedirectCount},
		"a key and none, in partner management": {publicRules(), registrar.PartnerInterface, []string{"public"},
			func(in *registrar.Request) { in.PublicKey = partnerRequest().PublicKey }, registrar.InvalidKey},
	} {
		in := publicRequest()
		if tt.edit != nil {
			tt.edit(in)
		}
		c, err := authorise(tt.rules, tt.i, in, tt.types...)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
		if err == nil && c.IsPublic() != (len(c.Keys()) == 0) || err == nil &&
			c.IsPublic() != strings.Contains(c.Extensions.Config, `"require_pkce":true`) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	in := providerRequest()
	in.PublicKey, in.AuthMethods = nil, []string{"none"}
	if _, err := publicRules().Register(registrar.ProviderInterface, in); !errors.Is(err, registrar.MissingKey) ||
		!errors.Is(err, registrar.InvalidAuthMethod) {
		t.Errorf("the client-management API has no policy: %v", err)
	}
}

func TestTheIDOfAPublicClientIsThatOfItsRegistration(t *testing.T) {
	id := func(edit func(*registrar.Request)) string {
		in := publicRequest()
		edit(in)
		reg, err := publicRules().Register(registrar.PartnerInterface, in)
		if err != nil || len(reg.ID) != 43 {
			t.Fatalf("%q, %v", reg.ID, err)
		}
		return reg.ID
	}
	same := id(func(*registrar.Request) {})
	for name, tt := range map[string]struct {
		edit func(*registrar.Request)
		same bool
	}{
		"the order of the URIs": {func(in *registrar.Request) { in.RedirectURIs = []string{in.RedirectURIs[1], in.RedirectURIs[0]} }, true},
		"the logo":              {func(in *registrar.Request) { in.LogoURI = "https://rp.example/other.png" }, true},
		"the name":              {func(in *registrar.Request) { in.Name = "Other" }, false},
		"the partner":           {func(in *registrar.Request) { in.PartnerID = "other" }, false},
		"the policy":            {func(in *registrar.Request) { in.PolicyID = "other" }, false},
		"a redirect URI":        {func(in *registrar.Request) { in.RedirectURIs = in.RedirectURIs[:1] }, false},
	} {
		if got := id(tt.edit); (got == same) != tt.same {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAPublicClientStaysOne(t *testing.T) {
	c, err := authorise(publicRules(), registrar.PartnerInterface, publicRequest(), "public")
	if err == nil {
		c, err = c.Activate("", born)
	}
	if err != nil {
		t.Fatal(err)
	}
	key, none := newNamedKey("k1"), ""
	for name, err := range map[string]error{
		"a key is added":   second(c.AddKey(key)),
		"a key is removed": second(c.RemoveKey("k1", "")),
		"keys are set":     second(c.ReplaceKeys([]registrar.Key{key})),
	} {
		if !errors.Is(err, registrar.InvalidKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	u := c.Repetition()
	u.AuthMethods = []string{"private_key_jwt"}
	if _, err := c.Update(u, later); !errors.Is(err, registrar.InvalidAuthMethod) {
		t.Errorf("it becomes confidential: %v", err)
	}
	confidential := active(t)
	u = confidential.Repetition()
	u.AuthMethods = []string{"none"}
	if _, err := confidential.Update(u, later); !errors.Is(err, registrar.InvalidAuthMethod) {
		t.Errorf("it becomes public: %v", err)
	}
	u = c.Repetition()
	u.Name, u.Extensions.Config = "New", &none
	if after, err := c.Update(u, later); err != nil || after.Name != "New" || after.Extensions.Config != c.Extensions.Config {
		t.Errorf("PKCE is no longer enforced: %+v, %v", after.Extensions, err)
	}
}
