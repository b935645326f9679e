package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Tokens has the use cases of initial and registration access tokens.
type Tokens struct {
	*core
	clients *Clients
}

// IssueInitialToken issues a token that registers clients of a partner under a policy (RFC 7591
// §3), if the partner may use the policy now. The token is returned once and not stored.
func (g *Tokens) IssueInitialToken(
	ctx context.Context, by Caller, t registrar.InitialToken, lifetime time.Duration,
) (token string, issued registrar.InitialToken, err error) {
	t.IssuedBy, token = by.Subject, rand.Text()
	t.ID = store.TokenID(token)
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		t.IssuedAt, t.ExpiresAt = tx.Now(), tx.Now().Add(lifetime)
		if err := t.Check(tx.Now()); err != nil {
			return err
		}
		reg := registrar.Registration{Client: registrar.Client{API: registrar.PartnerAPI, PartnerID: t.PartnerID, PolicyID: t.PolicyID}}
		found, err := tx.Conflicts(reg.Client)
		if err == nil {
			_, err = reg.Authorise(found.Partner, found.Policy, found.Mapping)
		}
		if err == nil {
			err = g.refuseApprovalPolicy(tx, t.PolicyID)
		}
		if err != nil {
			return err
		}
		return errors.Join(tx.Tokens.AddInitial(token, t), tx.Catalog.AddTokenEvent(t, registrar.CatalogTokenIssued, by.Subject))
	})
	if err == nil {
		g.log.InfoContext(ctx, "initial access token issued",
			"token", t.ID, "partner", t.PartnerID, "policy", t.PolicyID, "uses", t.Uses, "actor", by.Subject)
	}
	return token, t, err
}

// ListInitialTokens lists the initial tokens that have not expired, for an admin.
func (g *Tokens) ListInitialTokens(ctx context.Context, by Caller, p registrar.Page) ([]registrar.InitialToken, string, error) {
	if err := by.requireAdmin(); err != nil {
		return nil, "", err
	}
	return g.store.InitialTokens(ctx, p)
}

// RevokeInitialToken deletes an initial token, for an admin. Clients that it registered remain.
func (g *Tokens) RevokeInitialToken(ctx context.Context, by Caller, id string) (revoked registrar.InitialToken, err error) {
	if err := by.requireAdmin(); err != nil {
		return revoked, err
	}
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		if revoked, err = tx.Tokens.RevokeInitial(id); err != nil {
			return err
		}
		return tx.Catalog.AddTokenEvent(revoked, registrar.CatalogTokenRevoked, by.Subject)
	})
	if err == nil {
		g.log.InfoContext(ctx, "initial access token revoked", "token", id, "partner", revoked.PartnerID, "actor", by.Subject)
	}
	return revoked, err
}

// refuseApprovalPolicy refuses a policy that requires approvals if the identity provider assigns the ids of clients: the
// reply to a registration has the id.
func (g *Tokens) refuseApprovalPolicy(tx *store.Tx, policyID string) error {
	asked, _, err := g.approvalPolicy(tx, registrar.Client{PolicyID: policyID})
	if err == nil && asked != "" && g.Provider.Abilities().AssignsIDs {
		err = refusal.At(registrar.InvalidPolicyID, "/policyId", "people approve the clients of this policy, and the identity provider "+
			"assigns the id of a client only after that, which a token cannot wait for")
	}
	return err
}

// GetInitialToken returns the rights of a token without consuming a use.
func (g *Tokens) GetInitialToken(ctx context.Context, token string) (registrar.InitialToken, error) {
	return g.store.InitialToken(ctx, token)
}

// The kinds of token of the RFC 7591 API, as part of the actor of an event.
const (
	initialKind      = registrar.InitialTokenActor
	registrationKind = "registration access token:"
)

// tokenHolder returns the caller for a token of a partner. Its subject contains the token's id: a
// repeated registration must have the same token.
func tokenHolder(kind, tokenID, partnerID string) Caller {
	return Caller{Subject: kind + tokenID, Partners: []string{partnerID}, Service: true}
}

// standard is the RFC 7591 API: that of partner management with an optional logo. It reports every problem at once.
var standard = func() registrar.Interface {
	i := registrar.PartnerInterface
	i.LogoOptional, i.Whole, i.Redirects = true, true, 10
	i.Registration = append(slices.Clone(i.Registration), registrar.MetadataExtension)
	i.Update = append(slices.Clone(i.Update), registrar.MetadataExtension)
	return i
}()

// RegisterByToken registers a client with an initial token t and returns its registration access
// token. from is the caller's address. A failed registration returns the use of the token.
//
// The registration access token is issued once, by the call that stores the client. A repetition
// with the same initial token returns the client without it and consumes no use.
func (g *Tokens) RegisterByToken(
	ctx context.Context, token string, t registrar.InitialToken, from string, in *registrar.Request,
) (client registrar.Client, access string, err error) {
	if err := g.store.Do(ctx, func(tx *store.Tx) error { return tx.Tokens.UseInitial(token) }); err != nil {
		return client, "", err
	}
	ctx, by := context.WithoutCancel(ctx), tokenHolder(initialKind, t.ID, t.PartnerID)
	by.Requester, by.Address = t.IssuedBy, from
	client, access, err = g.registerStandard(ctx, by, t.PolicyID, in)
	if access == "" {
		err = errors.Join(err, g.store.Do(ctx, func(tx *store.Tx) error { return tx.Tokens.ReturnInitial(token) }))
	}
	return client, access, err
}

// OpenRegistration names the partner and the policy of clients that are registered without a token, and their limits.
type OpenRegistration struct {
	PartnerID, PolicyID string
	Unapproved, Live    int64 // clients at most
}

// check refuses another client if there are too many.
func (o OpenRegistration) check(tx *store.Tx, policyID string) error {
	unapproved, live, err := tx.CountOpen(policyID)
	if err == nil && (unapproved >= o.Unapproved || live >= o.Live) {
		err = refusal.New(registrar.OpenLimit,
			"too many clients are registered without a token: %d wait for an approval, of at most %d, "+
				"and %d are live, of at most %d", unapproved, o.Unapproved, live, o.Live)
	}
	return err
}

// GetOpenRegistration returns the rights of a caller without a token. isOpen is false if there are none: the service
// has no open registration, or its policy neither requires an approval nor ends clients soon.
func (g *Tokens) GetOpenRegistration(ctx context.Context) (t registrar.InitialToken, isOpen bool, err error) {
	if g.Open.PolicyID == "" {
		return t, false, nil
	}
	policy, err := g.store.Policy(ctx, g.Open.PolicyID)
	if errors.Is(err, registrar.PolicyNotFound) {
		return t, false, nil
	}
	isApproved := g.approvalPolicyOr(policy.ApprovalPolicy) != ""
	return registrar.InitialToken{PartnerID: g.Open.PartnerID, PolicyID: policy.ID}, policy.PermitsOpen(isApproved), err
}

// RegisterOpen registers a client without a token, and returns its registration access token. from is the caller's
// address. Without a token nothing proves a repetition, which is refused.
func (g *Tokens) RegisterOpen(
	ctx context.Context, t registrar.InitialToken, from string, in *registrar.Request,
) (client registrar.Client, access string, err error) {
	ctx, by := context.WithoutCancel(ctx), tokenHolder(registrar.OpenActor, from, t.PartnerID)
	by.Address, by.Open = from, true
	client, access, err = g.registerStandard(ctx, by, t.PolicyID, in)
	if err == nil && access == "" {
		err = g.refuse(ctx, by, client.ID, refusal.New(registrar.DuplicateKey, "Client public key already exists."))
	}
	return client, access, err
}

// registerStandard registers a client of the partner of a caller under a policy, and returns its registration access
// token, which is empty for a repetition. The default logo is that of the partner, the default name the client id. The
// result is an ACTIVE client, a PENDING one under a policy with approval, or an error. After an error no client
// remains, except one that the worker still deletes at an unreachable provider.
func (g *Tokens) registerStandard(
	ctx context.Context, by Caller, policyID string, in *registrar.Request,
) (client registrar.Client, access string, err error) {
	in.PartnerID, in.PolicyID = by.Partners[0], policyID
	if in.LogoURI == "" {
		partner, err := g.store.Partner(ctx, in.PartnerID)
		if err != nil {
			return client, "", err
		}
		in.LogoURI = partner.LogoURI
	}
	if in.PublicKey == nil {
		id := make([]byte, 32) // of a public client
		_, _ = rand.Read(id)   // never fails
		in.ClientID = base64.RawURLEncoding.EncodeToString(id)
	}
	in.Name = cmp.Or(in.Name, in.ClientID, g.idOf(in.PublicKey))
	in.GrantTypes = g.grantedTypes(in.GrantTypes)
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		return g.refuseApprovalPolicy(tx, policyID) // it may be newer than a token
	})
	if err != nil {
		return client, "", err
	}
	client, repeat, err := g.clients.registerClient(ctx, by, standard, "", in)
	switch {
	case err != nil || client.Status == registrar.ClientActive || g.isHeld(ctx, client):
	case client.Status == registrar.ClientInactive:
		err = g.refuse(ctx, by, client.ID, refusal.New(registrar.DuplicateKey, "Client public key already exists."))
	default:
		err = idp.ErrUnreachable
	}
	switch {
	case errors.Is(err, registrar.ProviderUnreachable) || errors.Is(err, idp.ErrOurs):
		g.abandonFailed(ctx, by, in, client)
		return registrar.Client{}, "", err
	case err != nil || repeat:
		return client, "", err
	}
	access = rand.Text()
	return client, access, g.store.Do(ctx, func(tx *store.Tx) error {
		return tx.Tokens.AddRegistration(access, client.ID)
	})
}

// isHeld reports whether a PENDING client waits for an approval, or for the provider after one.
func (g *Tokens) isHeld(ctx context.Context, c registrar.Client) bool {
	asked, err := g.store.Approval(ctx, c.ID)
	return err == nil && c.Status == registrar.ClientPending && asked.ClientID != "" && !asked.AskedAt.Before(c.CreatedAt)
}

// abandonFailed abandons a registration whose caller gets an error. If that fails, the worker retries.
func (g *Tokens) abandonFailed(ctx context.Context, by Caller, in *registrar.Request, client registrar.Client) {
	id := cmp.Or(client.ID, in.ClientID, g.idOf(in.PublicKey))
	if err := g.clients.Abandon(ctx, by, id); err != nil {
		g.log.InfoContext(ctx, "registration rollback postponed", "client", id, "error", err.Error())
	}
}

// idOf returns the id of a client with this key. A refused key results in an id without a client.
func (g *Tokens) idOf(publicKey []byte) string {
	key, _, err := g.Rules.ParseKey(publicKey)
	if err != nil {
		return "none"
	}
	return g.Rules.IDRule.ClientID(key)
}

// grantedTypes returns the requested grant types that a client may have (RFC 7591 §2). If there are
// none, it returns all of them, and the rules refuse them.
func (g *Tokens) grantedTypes(asked []string) []string {
	granted := slices.DeleteFunc(slices.Clone(asked), func(t string) bool { return !slices.Contains(g.Rules.GrantTypes, t) })
	if len(granted) == 0 {
		return asked
	}
	return granted
}

// GetClientByToken returns the client of a registration token, if id is its id at the provider or in
// this service.
func (g *Tokens) GetClientByToken(ctx context.Context, token, id string) (registrar.Client, error) {
	client, err := g.store.RegisteredClient(ctx, token)
	if err == nil && id != client.ID && id != client.ProviderClientID {
		err = refusal.New(registrar.InvalidToken, "the token is not that of the client")
	}
	return client, err
}

// UpdateByToken changes the client of a registration token. keys are all of its signing keys after
// the update, or nil to keep the current ones. An INACTIVE client remains INACTIVE.
func (g *Tokens) UpdateByToken(
	ctx context.Context, token, id, from string, in *registrar.Request, keys [][]byte,
) (registrar.Client, error) {
	client, err := g.GetClientByToken(ctx, token, id)
	if err != nil {
		return client, err
	}
	by := tokenHolder(registrationKind, store.TokenID(token), client.PartnerID)
	by.Address = from
	last, err := g.store.Approval(ctx, client.ID)
	if err != nil {
		return client, err
	}
	if !last.AskedAt.Before(client.CreatedAt) {
		by.Requester = last.Requester // the admin who issued the initial token, or the address of open registration
	}
	in.Status = string(registrar.ClientActive)
	if client.Status == registrar.ClientInactive {
		in.Status = string(registrar.ClientInactive)
	}
	in.GrantTypes = g.grantedTypes(in.GrantTypes)
	u, err := g.Rules.WithCurrent(client).Update(standard, in)
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
	return g.clients.update(ctx, by, registrar.PartnerAPI, client.ID, func(c registrar.Client) (registrar.Update, error) {
		if keys == nil {
			return u, nil
		}
		var err error
		if u.Keys, err = c.ReplaceKeys(parsed); err == nil && !u.Keys.IsZero() {
			err = g.clients.checkKeyChange()
		}
		return u, err
	})
}

// KeptMetadata lists the further members of metadata that the identity provider keeps.
func (g *Tokens) KeptMetadata() []string { return g.Provider.Abilities().Metadata }

// Scope returns the scopes that a client may request at the identity provider.
func (g *Tokens) Scope(c registrar.Client) string {
	if scope := g.Provider.Abilities().Scope; scope != nil {
		return scope(c)
	}
	return c.Scope()
}

// SentNames lists the keys of the names in other languages that the identity provider takes.
func (g *Tokens) SentNames(c registrar.Client) []string {
	switch g.Provider.Abilities().Names {
	case idp.AllNames:
		return slices.Sorted(maps.Keys(c.Extensions.Names))
	case idp.ISONames:
		return slices.Sorted(maps.Keys(c.Extensions.ISONames()))
	}
	return nil
}

// DeregisterByToken makes the client of a registration token INACTIVE permanently and revokes all
// of its registration tokens (RFC 7592 §2.3). The client remains stored: a client that was ever
// active is never deleted. A client that was never active is abandoned, with its approval.
func (g *Tokens) DeregisterByToken(ctx context.Context, token, id string) error {
	client, err := g.GetClientByToken(ctx, token, id)
	if err != nil {
		return err
	}
	by := tokenHolder(registrationKind, store.TokenID(token), client.PartnerID)
	switch {
	case client.IsUnconfirmed():
		err = g.clients.Abandon(ctx, by, client.ID)
	case client.Status != registrar.ClientInactive:
		off := client.Deactivation()
		off.Final = true
		_, err = g.clients.update(ctx, by, registrar.PartnerAPI, client.ID, fixedUpdate(off))
	}
	if err != nil {
		return err
	}
	return g.store.Do(ctx, func(tx *store.Tx) error { return tx.Tokens.RemoveRegistration(client.ID) })
}
