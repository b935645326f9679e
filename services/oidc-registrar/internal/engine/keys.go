package engine

import (
	"context"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// AddKey adds a second key to a client, by the rules for a registration. The first key remains valid until it is removed. requestTime is that of the
// envelope, or empty.
func (g *Clients) AddKey(ctx context.Context, by Caller, id, requestTime string, jwk []byte) (registrar.Client, error) {
	key, err := g.Rules.NewKey(jwk)
	if err = registrar.Join(g.Rules.CheckRequestTime(requestTime, g.Now()), err); err != nil {
		return registrar.Client{}, g.refuse(ctx, by, id, err)
	}
	return g.update(ctx, by, anyAPI, id, func(c registrar.Client) (registrar.Update, error) {
		if err := g.checkKeyChange(); err != nil {
			return registrar.Update{}, err
		}
		return c.AddKey(key)
	})
}

// RemoveKey removes one of two keys from a client, by its kid, or by its thumbprint if kid is empty.
func (g *Clients) RemoveKey(ctx context.Context, by Caller, id, kid, thumbprint string) (registrar.Client, error) {
	return g.update(ctx, by, anyAPI, id, func(c registrar.Client) (registrar.Update, error) {
		if err := g.checkKeyChange(); err != nil {
			return registrar.Update{}, err
		}
		return c.RemoveKey(kid, thumbprint)
	})
}

// checkKeyChange refuses a key change that the identity provider does not support.
func (g *Clients) checkKeyChange() error {
	if g.Provider.Abilities().ChangesKeys {
		return nil
	}
	return refusal.New(registrar.ProviderRefused, "the identity provider has no way to change the key of a client")
}
