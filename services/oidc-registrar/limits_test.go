package registrar_test

import (
	"strings"
	"testing"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// TestLimitsOfTheProvider has for each field the longest accepted value and one character more. A field
// that does not change is accepted.
func TestLimitsOfTheProvider(t *testing.T) {
	l := registrar.Limits{Provider: "P", Name: 10, Names: 40, RedirectURI: 20, RedirectURIs: 40, Claims: 12, ACRs: 12, Key: 30}
	for name, tt := range map[string]struct {
		longest int
		set     func(c *registrar.Client, text string)
		want    string
	}{
		"name":        {10, func(c *registrar.Client, s string) { c.Name = s }, "name invalid_client_name"},
		"redirectUri": {20, func(c *registrar.Client, s string) { c.RedirectURIs = []string{s} }, "redirectUris[0] invalid_redirect_uri"},
		"redirectUris": {12, func(c *registrar.Client, s string) { c.RedirectURIs = []string{"12345678901234567", s, "1"} },
			"redirectUris invalid_redirect_uri"},
		"claims": {8, func(c *registrar.Client, s string) { c.UserClaims = []string{s} }, "userClaims invalid_claim"},
		"acrs":   {8, func(c *registrar.Client, s string) { c.ACRs = []string{s} }, "authContextRefs invalid_acr"},
		"key":    {22, func(c *registrar.Client, s string) { c.Key.JWK = `{"x5c":["long long long"],"x":"` + s + `"}` }, "publicKey invalid_key"},
		"names together": {18, func(c *registrar.Client, s string) {
			c.Name, c.Extensions.Names = "N", map[string]string{"fra": s}
		}, "clientNameLangMap long_language_name"},
	} {
		fits, over := registrar.Client{API: registrar.PartnerAPI}, registrar.Client{API: registrar.PartnerAPI}
		tt.set(&fits, strings.Repeat("é", tt.longest))
		tt.set(&over, strings.Repeat("é", tt.longest+1))
		if err := l.Check(registrar.Client{}, fits); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		err := l.Check(registrar.Client{}, over)
		if got := problems(t, err); len(got) != 1 || got[0] != tt.want || !strings.Contains(err.Error(), "P, which has room for ") {
			t.Errorf("%s: %q, %v, want %s", name, got, err, tt.want)
		}
		if err := l.Check(over, over); err != nil {
			t.Errorf("%s, unchanged: %v", name, err)
		}
		if err := (registrar.Limits{}).Check(registrar.Client{}, over); err != nil {
			t.Errorf("%s without limits: %v", name, err)
		}
	}
}
