package engine

import (
	"context"
	"errors"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Abandon abandons a PENDING or FAILED registration and frees its id and key. A registration that was
// never sent is deleted immediately. Otherwise the provider's record is deleted first. After a
// ProviderUnreachable error the worker retries.
func (g *Clients) Abandon(ctx context.Context, by Caller, id string) error {
	begin, done := g.slot()
	defer done()
	var pending *store.Lease
	err := g.store.Do(ctx, func(tx *store.Tx) error {
		pending = nil
		before, call, err := lockOwned(tx, by, anyAPI, id)
		if err != nil {
			return err
		}
		after, err := before.Abandon(tx.Now())
		if err != nil {
			return err
		}
		if err := withdrawLastApproval(tx, before); err != nil {
			return err
		}
		event := registrar.Event{ClientID: id, Type: registrar.EventClientAbandoned, Actor: by.Subject, Comment: by.Note}
		if !call.Sent {
			event.Type = registrar.EventClientRemoved
			return errors.Join(tx.DropCall(id, g.Process), tx.RemoveClient(id), tx.AddEvent(event))
		}
		pending = g.newCall(tx, id, registrar.CallRemove, call.Call, registrar.Update{}, by, beginIf(begin))
		return errors.Join(tx.PutClient(before, after), tx.AddEvent(event), tx.Enqueue(*pending, g.Process))
	})
	if err != nil {
		return g.refuse(ctx, by, id, err)
	}
	_, err = g.makeCall(ctx, registrar.Client{}, pending, by)
	return err
}

// Outcomes has the use cases of clients with an unknown outcome at the identity provider.
type Outcomes struct{ *core }

// ConfirmClient records that the provider has the last state sent and that its client is this client. If
// the provider can be read, a read comes first, and a difference is sent again. A registration ends
// with the provider's own answer; an abandoned one is then deleted. After a ProviderUnreachable
// error the worker retries.
func (g *Outcomes) ConfirmClient(ctx context.Context, by Caller, id string) (client registrar.Client, gone bool, err error) {
	begin, done := g.slot()
	defer done()
	var pending *store.Lease
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		pending = nil
		before, call, err := lockClientAndCall(tx, id)
		if err != nil {
			return err
		}
		if client, err = before.Resolve(tx.Now()); err != nil {
			return err
		}
		call.Sent, call.Ours = true, true
		event := registrar.Event{ClientID: id, Type: registrar.EventClientConfirmed, Actor: by.Subject, Comment: by.Note}
		switch {
		case call.Kind == registrar.CallUpdate && g.Provider.Abilities().Settles: // outcome unknown until the provider has been read
			client = before
			pending = g.newCall(tx, id, call.Kind, call.Call, call.Wanted, by, beginIf(begin))
			return tx.Enqueue(*pending, g.Process)
		case call.Kind == registrar.CallUpdate:
			if client, err = client.Update(call.Wanted, tx.Now()); err != nil {
				return err
			}
			event.Changed = before.Changes(client)
			return errors.Join(tx.DropCall(id, g.Process), tx.PutClient(before, client), releaseKeys(tx, call, client), tx.AddEvent(event))
		}
		pending = g.newCall(tx, id, call.Kind, call.Call, call.Wanted, by, beginIf(begin))
		return errors.Join(tx.PutClient(before, client), tx.AddEvent(event), tx.Enqueue(*pending, g.Process))
	})
	if err != nil {
		return registrar.Client{}, false, g.refuse(ctx, by, id, err)
	}
	client, err = g.makeCall(ctx, client, pending, by)
	return client, err == nil && pending != nil && pending.Kind == registrar.CallRemove, err
}

// ListClients lists the clients with an unknown outcome at the provider, the newest first.
func (g *Outcomes) ListClients(ctx context.Context, p registrar.Page) ([]registrar.Client, string, error) {
	return g.store.Clients(ctx, registrar.ClientFilter{OutcomeUnknown: true}, p)
}

// DropClient records that the provider did not receive the last call, or that its client has another
// owner. A registration is deleted and frees its id and key; gone reports that. An update is
// discarded.
func (g *Outcomes) DropClient(ctx context.Context, by Caller, id string) (client registrar.Client, gone bool, err error) {
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		before, call, err := lockClientAndCall(tx, id)
		if err != nil {
			return err
		}
		if client, err = before.Resolve(tx.Now()); err != nil {
			return err
		}
		gone = before.IsUnconfirmed()
		event := registrar.Event{ClientID: id, Type: registrar.EventClientDropped, Actor: by.Subject, Comment: by.Note}
		forgotten := errors.Join(tx.DropCall(id, g.Process), releaseKeys(tx, call, before), tx.AddEvent(event))
		if gone {
			return errors.Join(forgotten, tx.RemoveClient(id))
		}
		return errors.Join(forgotten, tx.PutClient(before, client))
	})
	if err != nil {
		return registrar.Client{}, false, g.refuse(ctx, by, id, err)
	}
	return client, gone, nil
}

// lockClientAndCall locks a client with its held call.
func lockClientAndCall(tx *store.Tx, id string) (registrar.Client, store.Lease, error) {
	client, err := tx.Client(id)
	if err != nil {
		return client, store.Lease{}, err
	}
	call, _, err := tx.Call(id)
	return client, call, err
}
