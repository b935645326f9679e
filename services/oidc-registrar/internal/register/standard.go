package register

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// IssueInitialToken makes a token with which clients of a partner are registered under a
// policy (RFC 7591 §3), if the partner may use the policy now. It is told once.
func (g *Engine) IssueInitialToken(ctx context.Context, by Caller, t registrar.InitialToken, lifetime time.Duration) (token string, issued registrar.InitialToken, err error) {
	t.IssuedBy, token = by.Subject, rand.Text()
	t.ID = store.TokenID(token)
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		t.ExpiresAt = tx.Now().Add(lifetime)
		if err := t.Check(tx.Now()); err != nil {
			return err
		}
		reg := registrar.Registration{Door: registrar.PartnerDoor, PartnerID: t.PartnerID, PolicyID: t.PolicyID}
		found, err := tx.Survey(reg)
		if err == nil {
			_, err = reg.Authorise(found.Partner, found.Policy, found.Mapping)
		}
		if err == nil {
			err = g.unattended(tx, t.PolicyID)
		}
		if err != nil {
			return err
		}
		return tx.AddInitialToken(token, t)
	})
	if err == nil {
		g.log.InfoContext(ctx, "initial access token issued", "token", t.ID, "partner", t.PartnerID, "policy", t.PolicyID, "uses", t.Uses, "actor", by.Subject)
	}
	return token, t, err
}

// unattended refuses a policy under which people approve clients: whoever registers with a
// token gets the client at once, or not at all.
func (g *Engine) unattended(tx *store.Tx, policyID string) error {
	asked, err := g.approvalPolicy(tx, registrar.Client{PolicyID: policyID})
	if err == nil && asked != "" {
		err = registrar.Invalid{{Field: "policyId", Reason: registrar.InvalidPolicyID, Message: "people approve the clients of this policy, which a token cannot wait for"}}
	}
	return err
}

// InitialToken returns what a token allows. It takes no use of it.
func (g *Engine) InitialToken(ctx context.Context, token string) (registrar.InitialToken, error) {
	return g.store.InitialToken(ctx, token)
}

// The kinds of token of the RFC 7591 API, as the actor of an event names them.
const (
	initialKind      = "initial access token"
	registrationKind = "registration access token"
)

// tokenHolder is the holder of the token with an id, which belongs to a partner. Its subject tells tokens apart:
// a registration is repeated only with the token that made it.
func tokenHolder(kind, tokenID, partnerID string) Caller {
	return Caller{Subject: kind + ":" + tokenID, Partners: []string{partnerID}, Service: true}
}

// RegisterByToken registers a client by a token that allows t, and returns the token that
// manages it. The logo is that of the partner if there is none, and the name the client id. It ends with a
// client that is ACTIVE, or with an error and nothing left behind but what the worker takes
// back from a provider that cannot be reached. A use that has led to nothing is returned.
//
// The token that manages a client is issued once, by the call that stores the client. A repeat with the same
// initial token returns the client without one, and takes no use.
func (g *Engine) RegisterByToken(ctx context.Context, token string, t registrar.InitialToken, in *registrar.PartnerRequest) (client registrar.Client, access string, err error) {
	if in.LogoURI == "" {
		partner, err := g.store.Partner(ctx, t.PartnerID)
		if err != nil {
			return client, "", err
		}
		in.LogoURI = partner.LogoURI
	}
	in.Name = cmp.Or(in.Name, g.idOf(in.PublicKey))
	in.GrantTypes = g.grantedTypes(in.GrantTypes)
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		if err := g.unattended(tx, t.PolicyID); err != nil { // it may be so since the token was issued
			return err
		}
		tx.Last()
		return tx.UseInitialToken(token)
	})
	if err != nil {
		return client, "", err
	}
	ctx, by := context.WithoutCancel(ctx), tokenHolder(initialKind, t.ID, t.PartnerID)
	in.AuthPartnerID, in.PolicyID = t.PartnerID, t.PolicyID
	client, repeat, err := g.registerPartnerClient(ctx, by, in)
	switch {
	case err != nil || client.Status == registrar.ClientActive:
	case client.Status == registrar.ClientInactive:
		err = g.refuse(ctx, by, client.ID, registrar.Refuse(registrar.DuplicateKey, "Client public key already exists."))
	default:
		err = idp.ErrUnreachable // or it waits for somebody
	}
	if err == nil && !repeat {
		access = rand.Text()
		err = g.store.Do(ctx, func(tx *store.Tx) error {
			tx.Last()
			return tx.AddRegistrationToken(access, client.ID)
		})
		return client, access, err
	}
	if errors.Is(err, registrar.ProviderUnreachable) || errors.Is(err, idp.ErrOurs) {
		g.withdraw(ctx, by, in, client)
	}
	returned := g.store.Do(ctx, func(tx *store.Tx) error { return tx.ReturnInitialToken(token) })
	if err != nil {
		client = registrar.Client{}
	}
	return client, "", errors.Join(err, returned)
}

// withdraw gives up a registration that nobody will hear of. If that fails too, the worker
// goes on.
func (g *Engine) withdraw(ctx context.Context, by Caller, in *registrar.PartnerRequest, client registrar.Client) {
	id := cmp.Or(client.ID, g.idOf(in.PublicKey))
	if err := g.GiveUpPartnerClient(ctx, by, id); err != nil {
		g.log.InfoContext(ctx, "a registration is taken back later", "client", id, "error", err.Error())
	}
}

// idOf is the id of the client that a key would get. A key that the rules refuse gives an id of no client.
func (g *Engine) idOf(publicKey []byte) string {
	key, _, err := g.Rules.ParseKey(publicKey)
	if err != nil {
		return "none"
	}
	return g.Rules.IDRule.ClientID(key)
}

// grantedTypes are those of the grant types asked for that a client may have (RFC 7591 §2). If there are none, all
// are left for the rules to refuse.
func (g *Engine) grantedTypes(asked []string) []string {
	granted := slices.DeleteFunc(slices.Clone(asked), func(t string) bool { return !slices.Contains(g.Rules.GrantTypes, t) })
	if len(granted) == 0 {
		return asked
	}
	return granted
}

// ClientByToken returns the client that a registration token manages, if id is what the
// provider or this service knows it by.
func (g *Engine) ClientByToken(ctx context.Context, token, id string) (registrar.Client, error) {
	client, err := g.store.RegisteredClient(ctx, token)
	if err == nil && id != client.ID && id != client.ProviderClientID {
		err = registrar.Refuse(registrar.InvalidToken, "the token is not valid")
	}
	return client, err
}

// UpdateByToken changes the client that a registration token manages; keys are all of its
// keys to sign with then, or nil for those that it has. One that is switched off stays so.
func (g *Engine) UpdateByToken(ctx context.Context, token, id string, in *registrar.PartnerUpdate, keys [][]byte) (registrar.Client, error) {
	client, err := g.ClientByToken(ctx, token, id)
	if err != nil {
		return client, err
	}
	by := tokenHolder(registrationKind, store.TokenID(token), client.PartnerID)
	in.Status = string(registrar.ClientActive)
	if client.Status == registrar.ClientInactive {
		in.Status = string(registrar.ClientInactive)
	}
	in.GrantTypes = g.grantedTypes(in.GrantTypes)
	u, err := g.Rules.PartnerUpdate(in)
	var parsed []registrar.Key
	for _, jwk := range keys {
		key, wrong := g.Rules.NewKey(jwk)
		if err == nil {
			err = wrong
		}
		parsed = append(parsed, key)
	}
	if err != nil {
		return registrar.Client{}, g.refuse(ctx, by, client.ID, err)
	}
	return g.update(ctx, by, registrar.PartnerDoor, client.ID, func(c registrar.Client) (registrar.Update, error) {
		if keys == nil {
			return u, nil
		}
		var err error
		if u.Keys, err = c.ReplaceKeys(parsed); err == nil && u.Keys != (registrar.KeyChange{}) {
			err = g.rollsKeys()
		}
		return u, err
	})
}

// DeregisterByToken switches the client off for good that a registration token manages, and
// revokes every token that manages it (RFC 7592 §2.3). The client itself stays: a client that was ever active is
// never deleted.
func (g *Engine) DeregisterByToken(ctx context.Context, token, id string) error {
	client, err := g.ClientByToken(ctx, token, id)
	if err != nil {
		return err
	}
	if client.Status != registrar.ClientInactive {
		off := client.SwitchOff()
		off.Final = true
		by := tokenHolder(registrationKind, store.TokenID(token), client.PartnerID)
		if _, err := g.update(ctx, by, registrar.PartnerDoor, client.ID, always(off)); err != nil {
			return err
		}
	}
	return g.store.Do(ctx, func(tx *store.Tx) error { return tx.RemoveRegistrationTokens(client.ID) })
}
