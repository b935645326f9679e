package engine

import (
	"context"
	"errors"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// unapprovedFor is the time after which a client of open registration is deleted without an approval.
const unapprovedFor = 7 * 24 * time.Hour

// EndClients makes the clients whose time is over INACTIVE for good, and gives up unapproved clients of open
// registration. A client with a call in flight is left to the next pass. It returns their number, also after an error.
func (g *Clients) EndClients(ctx context.Context) (ended int, err error) {
	now, err := g.store.Now(ctx)
	if err != nil {
		return 0, err
	}
	var errs []error
	for after, more := "", true; more; {
		list, err := g.store.EndedClients(ctx, now, now.Add(-unapprovedFor), after, Batch)
		if err != nil {
			return ended, errors.Join(append(errs, err)...)
		}
		for _, c := range list {
			if after = c.ID; c.IsUnconfirmed() {
				err = g.Abandon(ctx, Caller{Subject: Worker, Admin: true, Note: "its time is over"}, c.ID)
			} else {
				err = g.store.Do(ctx, func(tx *store.Tx) error { return g.expire(tx, c.ID) })
			}
			switch {
			case err == nil:
				ended++
			case !errors.Is(err, registrar.StaleClient) && !errors.Is(err, registrar.ProviderUnreachable):
				errs = append(errs, err)
			}
		}
		more = len(list) == Batch
	}
	return ended, errors.Join(errs...)
}

// expire makes a client whose time is over INACTIVE, here and then at the identity provider.
func (g *core) expire(tx *store.Tx, id string) error {
	before, call, err := lockClientAndCall(tx, id)
	if err != nil || before.IsUnconfirmed() || before.OutcomeUnknown || !before.HasExpired(tx.Now()) {
		return err
	}
	if err := withdrawLastApproval(tx, before); err != nil {
		return err
	}
	after := before.Expire(tx.Now())
	expired := registrar.Event{
		ClientID: id, Type: registrar.EventClientExpired, Actor: Worker, Changed: before.Changes(after),
	}
	return g.disable(tx, before, after, call, before.Deactivation(), expired)
}

// disable stores a client that is INACTIVE from now on, with an event, and replaces its pending call by one that
// disables it at the identity provider. That call is repeated until the provider answers. A client that was INACTIVE
// without a pending call needs none.
func (g *core) disable(
	tx *store.Tx, before, after registrar.Client, call store.Lease, wanted registrar.Update, event registrar.Event,
) error {
	if err := errors.Join(tx.PutClient(before, after), tx.AddEvent(event)); err != nil {
		return err
	}
	if g.direct || call.Kind == "" && before.Status == registrar.ClientInactive {
		return nil
	}
	disable := g.newCall(tx, before.ID, registrar.CallUpdate, call.Call, wanted, Caller{Subject: Worker}, due)
	return errors.Join(tx.Enqueue(*disable, g.Process), reserveKeys(tx, after, registrar.Update{}))
}
