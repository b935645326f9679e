package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// UpdateClient changes a client of an interface: of the caller's partner, of the client-management API, or any client
// for an admin. A patch changes the given members.
//
// The client keeps its old fields until the provider has confirmed the new ones. If the provider is
// unreachable, the worker retries the change until a later update replaces it. A FAILED client is
// registered again with the new fields.
func (g *Clients) UpdateClient(
	ctx context.Context, by Caller, i registrar.Interface, id, requestTime string, in *registrar.Request,
) (registrar.Client, error) {
	rules := g.Rules
	before, missing := g.store.Client(ctx, id)
	if missing == nil && by.checkAccess(i.API, before, id, registrar.ForeignUpdate) == nil {
		rules = rules.WithCurrent(before)
	}
	u, err := rules.Update(i, in)
	if err = registrar.Join(rules.CheckRequestTime(requestTime, g.Now()), err); err != nil {
		return registrar.Client{}, g.refuse(ctx, by, id, err)
	}
	return g.update(ctx, by, i.API, id, func(c registrar.Client) (registrar.Update, error) {
		if c.Rev != before.Rev {
			if _, err := g.Rules.WithCurrent(c).Update(i, in); err != nil {
				return registrar.Update{}, err
			}
		}
		wanted := u
		if in.Given != nil {
			wanted = c.Fill(u)
		}
		return c.WithStatus(wanted), c.CheckFixed(in)
	})
}

// checkAccess refuses a client that the caller of an interface cannot access, with r in the partner
// interface. The answer for a missing client is the same.
//
// At a path of no interface the client's own interface applies. A caller of the client-management API
// gets the answer for a missing client unless the client belongs to that interface or to their own
// partner.
func (c Caller) checkAccess(api registrar.API, client registrar.Client, id string, r registrar.Reason) error {
	if api == anyAPI {
		api = registrar.ProviderAPI
		provider := c.ChangesProviderSide
		if r == registrar.ForeignRead {
			provider = c.ReadsProviderSide
		}
		if !provider || client.API == registrar.PartnerAPI && c.Owns(client.PartnerID) {
			api = registrar.PartnerAPI
		}
	}
	switch {
	case c.Admin, api == client.API && (api == registrar.ProviderAPI || c.Owns(client.PartnerID)):
		return nil
	case api == registrar.ProviderAPI:
		return refusal.New(registrar.ClientNotFound, "no client %s", id)
	}
	return refusal.New(r, "client %s does not belong to the caller's partner", id)
}

// anyAPI is the interface of a path that both interfaces share.
const anyAPI registrar.API = ""

// Disable makes a client INACTIVE immediately and then updates the identity provider. After a
// ProviderUnreachable error it is INACTIVE, and the worker updates the provider. A repeated call
// updates the provider again. requestTime is that of the envelope, or empty.
func (g *Clients) Disable(ctx context.Context, by Caller, id, requestTime, reason string) (registrar.Client, error) {
	err := registrar.Join(g.Rules.CheckRequestTime(requestTime, g.Now()), registrar.CheckNote(reason))
	if err != nil {
		return registrar.Client{}, g.refuse(ctx, by, id, err)
	}
	return g.update(ctx, by, anyAPI, id, func(c registrar.Client) (registrar.Update, error) { return c.Disable(reason) })
}

// Enable makes a client ACTIVE again by an update that changes nothing else.
func (g *Clients) Enable(ctx context.Context, by Caller, id string) (registrar.Client, error) {
	return g.update(ctx, by, anyAPI, id, registrar.Client.Enable)
}

// fixedUpdate returns an update that does not depend on the client.
func fixedUpdate(u registrar.Update) func(registrar.Client) (registrar.Update, error) {
	return func(registrar.Client) (registrar.Update, error) { return u, nil }
}

// update applies updating to a client that the caller of an interface can access.
func (g *Clients) update(
	ctx context.Context, by Caller, api registrar.API, id string,
	updating func(registrar.Client) (registrar.Update, error),
) (registrar.Client, error) {
	begin, done := g.slot()
	defer done()
	var client registrar.Client
	var pending *store.Lease
	err := g.store.Do(ctx, func(tx *store.Tx) error {
		pending = nil
		before, call, err := lockOwned(tx, by, api, id)
		if err != nil {
			return err
		}
		u, err := updating(before)
		if err != nil {
			return err
		}
		u.Lift, u.Note = by.Admin, cmp.Or(u.Note, by.Note)
		if u, err = replacePending(tx, before, u); err != nil {
			return err
		}
		client, err = applyUpdate(tx, before, u)
		if err == nil && (u.Status != registrar.ClientInactive || !client.Extensions.Equal(before.Extensions)) { // disabling is always allowed
			err = registrar.RefuseExtensions(g.Provider.MissingExtensions(client.Extensions))
		}
		if err == nil {
			err = g.Rules.Limits.Check(before, client)
		}
		if err == nil && client.LogoURI != before.LogoURI {
			err = g.checkLogo(client.LogoURI)
		}
		if err == nil {
			err = g.checkEncKeyRemoval(before, client)
		}
		if err != nil {
			return g.addManagerHint(before, err)
		}
		if waits, err := g.requestApproval(tx, before, client, u, by); err != nil || waits {
			if err == nil {
				client, err = g.holdChange(tx, before, client, u, call, by)
			}
			return err
		}
		switch {
		case g.direct && !before.IsUnconfirmed():
			return storeUpdate(tx, before, client, u, by.Subject)
		case before.IsUnconfirmed():
			pending = g.newCall(tx, id, registrar.CallRegister, call.Call, registrar.Update{}, by, beginIf(begin))
			event := registrar.Event{
				ClientID: id, Type: registrar.EventClientRetried, Actor: by.Subject, Changed: before.Changes(client),
				Ignored: u.Ignored, Comment: u.Note,
			}
			return errors.Join(tx.PutClient(before, client), tx.AddEvent(event), tx.Enqueue(*pending, g.Process))
		}
		// An update without a change is sent too: an earlier update may be in flight. The client
		// keeps its fields until confirmation, unless the update is immediate.
		after := client
		client = before
		if u.Immediate {
			if err := storeUpdate(tx, before, after, u, by.Subject); err != nil {
				return err
			}
			client = after
		}
		u = u.MergePending(call.Wanted)
		pending = g.newCall(tx, id, registrar.CallUpdate, call.Call, u, by, beginIf(begin))
		return errors.Join(tx.ReserveKeys(id, before.ReservedKeys(u)), tx.Enqueue(*pending, g.Process))
	})
	if err != nil {
		return registrar.Client{}, g.refuse(ctx, by, id, err)
	}
	g.wakeApprovals(client)
	return g.makeCall(ctx, client, pending, by)
}

// checkEncKeyRemoval refuses the removal of an encryption key if the provider cannot remove it.
func (g *Clients) checkEncKeyRemoval(before, after registrar.Client) error {
	if before.Extensions.EncKey == "" || after.Extensions.EncKey != "" || before.IsUnconfirmed() || g.Provider.Abilities().RemovesEncKey {
		return nil
	}
	return refusal.At(registrar.InvalidEncKey, "/"+registrar.EncKeyExtension, "cannot be removed at the identity provider behind this service")
}

// addManagerHint adds the missing setting to the refusal of a client with unknown outcome. Without the
// setting the client's token may be void.
func (g *Clients) addManagerHint(c registrar.Client, err error) error {
	if refused, ok := errors.AsType[*refusal.Error](err); ok && c.OutcomeUnknown && g.Provider.Abilities().Unmanaged {
		return refusal.New(refused.Reason, "%s; %s", refused.Message, idp.NeedsManager)
	}
	return err
}

// replacePending returns u as the replacement of an update with a pending approval. Disabling needs no
// approval, so it also drops the pending key change.
func replacePending(tx *store.Tx, c registrar.Client, u registrar.Update) (registrar.Update, error) {
	last, err := tx.Approvals.Newest(c.ID)
	if err != nil || !last.Open() || u.Status == registrar.ClientInactive && c.Status != registrar.ClientInactive {
		return u, err
	}
	return u.MergePending(last.Wanted), nil
}

// lockOwned locks a client that the caller may change. It returns its pending call, if any, with the
// possible state at the provider and a new attempt count.
func lockOwned(tx *store.Tx, by Caller, api registrar.API, id string) (client registrar.Client, call store.Lease, err error) {
	client, err = tx.Client(id)
	if denied := by.checkAccess(api, client, id, registrar.ForeignUpdate); denied != nil {
		return client, call, denied
	}
	if err != nil {
		return client, call, err
	}
	call, found, err := tx.Call(id)
	call.Call = registrar.Call{ClientID: id, Sent: call.Sent, Ours: call.Ours}
	if !found && client.IsUnconfirmed() { // created without a call
		call.Sent = true
	}
	return client, call, err
}

// applyUpdate applies an update if the rules and the catalogue allow it.
func applyUpdate(tx *store.Tx, before registrar.Client, u registrar.Update) (registrar.Client, error) {
	if err := before.RefuseExpired(u, tx.Now()); err != nil {
		return before, err
	}
	after, err := before.Update(u, tx.Now())
	if err != nil {
		return before, err
	}
	partner, mapping, err := tx.Catalog.PartnerAndMapping(before)
	if err != nil {
		return before, err
	}
	return after, before.Permit(after, partner, mapping)
}

// storeUpdate stores a client that was changed by u, with an event that lists the changed fields.
func storeUpdate(tx *store.Tx, before, after registrar.Client, u registrar.Update, actor string) error {
	changes := before.Changes(after)
	if len(changes) == 0 {
		return nil
	}
	if err := tx.PutClient(before, after); err != nil {
		return err
	}
	return tx.AddEvent(registrar.Event{
		ClientID: after.ID, Type: registrar.EventClientUpdated, Actor: actor, Changed: changes, Ignored: u.Ignored,
		Comment: u.Note,
	})
}

// GetPartnerClient returns a client of the partner API that the caller can read.
func (g *Clients) GetPartnerClient(ctx context.Context, by Caller, id string) (registrar.Client, error) {
	return g.read(ctx, by, registrar.PartnerAPI, id)
}

// GetClient returns a client of any interface that the caller can read.
func (g *Clients) GetClient(ctx context.Context, by Caller, id string) (registrar.Client, error) {
	return g.read(ctx, by, anyAPI, id)
}

func (g *Clients) read(ctx context.Context, by Caller, api registrar.API, id string) (registrar.Client, error) {
	client, err := g.store.Client(ctx, id)
	if err != nil && !errors.Is(err, registrar.ClientNotFound) {
		return client, err
	}
	if denied := by.checkAccess(api, client, id, registrar.ForeignRead); denied != nil {
		return registrar.Client{}, denied
	}
	return client, err
}

// GetListedClient is PartnerClient with the current policy of the client.
func (g *Clients) GetListedClient(ctx context.Context, by Caller, id string) (registrar.Client, registrar.Policy, error) {
	client, err := g.GetPartnerClient(ctx, by, id)
	if err != nil || client.PolicyID == "" {
		return client, registrar.Policy{}, err
	}
	policy, err := g.store.Policy(ctx, client.PolicyID)
	if errors.Is(err, registrar.PolicyNotFound) { // the client is older than the catalogue
		err = nil
	}
	return client, policy, err
}

// ListPartnerClients returns a page of the clients of the partner API and their total number. A
// partner's caller sees those of their own partners.
func (g *Clients) ListPartnerClients(ctx context.Context, by Caller, l registrar.ClientList) ([]registrar.ListedClient, int64, error) {
	if l.None || !by.Admin && len(by.Partners) == 0 {
		return nil, 0, nil
	}
	if by.Admin {
		return g.store.ListedClients(ctx, nil, l)
	}
	return g.store.ListedClients(ctx, by.Partners, l)
}

// GetProviderClient returns any client of either interface: an identity provider serves them all.
func (g *Clients) GetProviderClient(ctx context.Context, id string) (registrar.Client, error) {
	return g.store.Client(ctx, id)
}

// ListClients lists clients, the newest first. A partner's caller sees only those of their own
// partners.
func (g *Clients) ListClients(ctx context.Context, by Caller, f registrar.ClientFilter, p registrar.Page) ([]registrar.Client, string, error) {
	if !by.Admin {
		if f.PartnerID != "" && !by.Owns(f.PartnerID) || len(by.Partners) == 0 {
			return nil, "", refusal.New(registrar.ForeignRead, "the caller may list only the clients of their own partner")
		}
		f.API, f.Partners = registrar.PartnerAPI, by.Partners
	}
	return g.store.Clients(ctx, f, p)
}

// ListEvents lists the audit trail of a client, the oldest first. A partner's caller does not see
// refusals of other callers. An admin can read the trail of a deleted client.
func (g *Clients) ListEvents(ctx context.Context, by Caller, id string, p registrar.Page) ([]registrar.Event, string, error) {
	_, missing := g.GetClient(ctx, by, id)
	if missing != nil && (!by.Admin || !errors.Is(missing, registrar.ClientNotFound)) {
		return nil, "", missing
	}
	f := registrar.EventFilter{ClientID: id}
	if !by.Admin {
		f.Reader = by.Subject
	}
	events, nextPage, err := g.store.Events(ctx, f, p)
	if err == nil && len(events) == 0 && missing != nil {
		err = missing
	}
	return events, nextPage, err
}
