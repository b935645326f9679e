package engine

import (
	"context"
	"slices"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// SupportedValues returns the values that registrations may have, of the fields with closed lists.
func (g *Clients) SupportedValues() registrar.Rules {
	r := g.Rules
	return registrar.Rules{
		Claims: slices.Clone(r.Claims), ACRs: slices.Clone(r.ACRs), GrantTypes: slices.Clone(r.GrantTypes), AuthMethods: slices.Clone(r.AuthMethods),
	}
}

// CheckPastedKey returns the key of AddPastedKey, or the refusal. It stores nothing.
func (g *Clients) CheckPastedKey(text string) (registrar.Key, error) {
	rules := g.Rules
	rules.DropPrivate = false
	jwk, err := registrar.PublicJWK(text)
	if err != nil {
		return registrar.Key{}, err
	}
	return rules.NewKey(jwk)
}

// RefuseKey records the refusal of the key of a registration, and returns it.
func (g *Clients) RefuseKey(ctx context.Context, by Caller, err error) error {
	return g.refuse(ctx, by, "", err)
}
