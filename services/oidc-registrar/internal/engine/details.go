package engine

import (
	"context"
	"errors"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Details is a client with its approval, its pending call and its difference to the provider.
type Details = store.Details

// QueueCounts are the numbers of clients that need attention. Each is at most MaxQueueCount.
type QueueCounts = store.QueueCounts

// MaxQueueCount is the maximum of a count. It may stand for more.
const MaxQueueCount = store.MaxQueueCount

// GetDetails returns a client of any interface that the caller can read, with its details.
func (g *Clients) GetDetails(ctx context.Context, by Caller, id string) (Details, error) {
	found, err := g.store.Details(ctx, id)
	if err != nil && !errors.Is(err, registrar.ClientNotFound) {
		return Details{}, err
	}
	if denied := by.checkAccess(anyAPI, found.Client, id, registrar.ForeignRead); denied != nil {
		return Details{}, denied
	}
	return found, err
}

// ListHistory lists the audit trail of a client of GetDetails, the newest entry first. A partner's caller does
// not see refusals of other callers.
func (g *Clients) ListHistory(ctx context.Context, by Caller, of Details, p registrar.Page) ([]registrar.Event, string, error) {
	f := registrar.EventFilter{ClientID: of.Client.ID}
	if !by.Admin {
		f.Reader = by.Subject
	}
	return g.store.History(ctx, f, p)
}

// CountQueues returns the numbers of clients that need attention, of those that the caller can read.
func (g *Clients) CountQueues(ctx context.Context, by Caller) (QueueCounts, error) {
	if by.Admin {
		return g.store.CountQueues(ctx, nil)
	}
	return g.store.CountQueues(ctx, by.Partners)
}

// AddPastedKey adds a public key as AddKey does. The text is a JWK, or a key or certificate in PEM. It refuses a
// private key under all rules.
func (g *Clients) AddPastedKey(ctx context.Context, by Caller, id, text string) (registrar.Client, error) {
	key, err := g.CheckPastedKey(text)
	if err != nil {
		return registrar.Client{}, g.refuse(ctx, by, id, err)
	}
	return g.AddKey(ctx, by, id, "", []byte(key.JWK))
}

// ChangeRedirectURIs replaces the redirect URIs of a client of any interface, by the rules for an update.
func (g *Clients) ChangeRedirectURIs(ctx context.Context, by Caller, id string, uris []string) (registrar.Client, error) {
	anywhere := registrar.ProviderInterface
	anywhere.API = anyAPI
	in := &registrar.Request{RedirectURIs: registrar.NotNil(uris), Given: []string{"redirectUris"}}
	return g.UpdateClient(ctx, by, anywhere, id, "", in)
}

// Retry registers a FAILED or PENDING client again, without a change.
func (g *Clients) Retry(ctx context.Context, by Caller, id string) (registrar.Client, error) {
	return g.update(ctx, by, anyAPI, id, registrar.Client.Retry)
}

// SendAgain compares a client and enqueues a call that gives the provider a client that differs as it is here, or
// registers a missing one again, for admins. It refuses a client without such a difference: a missing INACTIVE one is
// as it should be.
func (g *Reconciliation) SendAgain(ctx context.Context, by Caller, id string) error {
	if err := by.requireAdmin(); err != nil {
		return err
	}
	if _, err := g.CompareClient(ctx, by, id); err != nil {
		return err
	}
	return g.store.Do(ctx, func(tx *store.Tx) error {
		c, err := tx.Client(id)
		if err != nil {
			return err
		}
		found, err := tx.Difference(id)
		if err != nil {
			return err
		}
		kind, wanted := registrar.CallUpdate, c.Repetition()
		_, pending, err := tx.Call(id)
		switch {
		case err != nil:
			return err
		case pending:
			return refusal.New(registrar.StaleClient, "a call for client %s waits", id)
		case found.Kind == registrar.DifferenceMissing:
			lost, err := c.RecordMissing(tx.Now())
			if err == nil {
				err = tx.PutClient(c, lost)
			}
			if err != nil {
				return err
			}
			kind, wanted = registrar.CallRegister, registrar.Update{}
		case found.Kind != registrar.DifferenceMembers || c.IsUnconfirmed() || c.OutcomeUnknown:
			return refusal.New(registrar.InvalidStatus, "client %s has no difference that can be sent", id)
		}
		event := registrar.Event{
			ClientID: id, Type: registrar.EventClientRepaired, Actor: by.Subject, Changed: found.Fields(),
			Comment: by.Note,
		}
		return errors.Join(tx.AddEvent(event), tx.Enqueue(*g.newCall(tx, id, kind, registrar.Call{}, wanted, by, due), g.Process))
	})
}

// CheckReadable refuses a read of a doubtful client that the provider does not support, or that could replace its
// access token.
func (g *Outcomes) CheckReadable() error {
	if g.Provider.Abilities().ReadsByToken {
		return refusal.New(registrar.InvalidRequest, "%s", idp.NeedsManager)
	}
	return g.CheckComparable()
}

// CompareDoubtful compares a client with an unknown outcome, as it was sent, with the provider's record. It changes
// nothing. As ConfirmClient and DropClient it is for admins.
func (g *Outcomes) CompareDoubtful(ctx context.Context, id string) (registrar.Difference, error) {
	if err := g.CheckReadable(); err != nil {
		return registrar.Difference{}, err
	}
	found, err := g.store.Details(ctx, id)
	if err != nil {
		return registrar.Difference{}, err
	}
	sent, err := found.Sent()
	if err != nil {
		return registrar.Difference{}, err
	}
	record, err := g.providerRecord(ctx, id)
	if err != nil {
		return registrar.Difference{}, err
	}
	difference, _, err := g.readProvider(ctx, sent, record)
	return difference, err
}
