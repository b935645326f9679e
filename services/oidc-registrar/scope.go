package registrar

import (
	"slices"
	"strings"
)

// scopes are the scopes of OpenID Connect Core §5.4 with their claims.
var scopes = []struct {
	name   string
	claims []string
}{
	{"profile", []string{"name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
		"website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"}},
	{"email", []string{"email", "email_verified"}},
	{"address", []string{"address"}},
	{"phone", []string{"phone", "phone_number", "phone_number_verified"}},
}

// Scope returns the scopes that cover the claims of c, as far as there are any. A scope is coarser than a claim: a
// provider that supports scopes only may release more claims than requested.
func (c Client) Scope() string {
	names := []string{"openid"}
	for _, s := range scopes {
		if slices.ContainsFunc(s.claims, func(claim string) bool { return slices.Contains(c.UserClaims, claim) }) {
			names = append(names, s.name)
		}
	}
	return strings.Join(names, " ")
}

// ApplicationType is native for a client with a redirect URI that is not https, else web (OpenID Connect Registration
// §2).
func (c Client) ApplicationType() string {
	if slices.ContainsFunc(c.RedirectURIs, func(uri string) bool { return !strings.HasPrefix(strings.ToLower(uri), "https:") }) {
		return "native"
	}
	return "web"
}
