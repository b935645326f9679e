package register

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/countersign/countersign/libs/trace"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Worker is the actor in events of the worker.
const Worker = "oidc-registrar"

const (
	batch = 8 // calls made at a time

	// maxAttempts is how often a call is made. A call beyond it means that the process
	// died in the last attempt: it is given up, so that it does not kill the next
	// process.
	maxAttempts = len(registrar.Delays) + 1
)

// attempt makes a call whose lease this process holds, and records its outcome. It goes
// on when the caller hangs up: the provider's answer has to be recorded.
//
// The error is the provider's refusal, or ProviderUnreachable.
func (g *Engine) attempt(ctx context.Context, l store.Lease, actor string) (registrar.Client, error) {
	ctx = context.WithoutCancel(ctx)
	record, outcome := registrar.ProviderRecord{}, idp.ErrUnreachable
	if l.Attempts <= maxAttempts {
		told, span := trace.Step(ctx, trace.Internal, "tell the identity provider",
			slog.String("client", l.ClientID), slog.String("call.kind", string(l.Kind)), slog.Int("call.attempt", l.Attempts))
		record, outcome = g.tell(told, l)
		failure := ""
		if errors.Is(outcome, idp.ErrUnreachable) {
			failure = "unreachable"
		}
		span.End(failure)
	}
	client, err := g.conclude(ctx, l, record, outcome, actor)
	switch {
	case errors.Is(err, store.ErrLeaseLost):
		// Another worker makes this call again and records its outcome.
		return client, fmt.Errorf("%w: %w", idp.ErrUnreachable, err)
	case err != nil:
		return client, errors.Join(err, outcome)
	}
	return client, outcome
}

// tell calls the provider.
func (g *Engine) tell(ctx context.Context, l store.Lease) (record registrar.ProviderRecord, err error) {
	begun := time.Now()
	defer func() { g.measures.called(l.Kind, time.Since(begun), err) }()
	client, err := g.store.Client(ctx, l.ClientID)
	if err != nil {
		return registrar.ProviderRecord{}, fmt.Errorf("%w: %w", idp.ErrUnreachable, err)
	}
	if l.Kind == registrar.CallRegister {
		return g.Provider.Register(ctx, client, l.Repeated())
	}
	record, err = g.store.Record(ctx, l.ClientID)
	if err != nil {
		return record, fmt.Errorf("%w: %w", idp.ErrUnreachable, err)
	}
	wanted, err := client.Update(l.Wanted, client.UpdatedAt)
	if err != nil {
		return record, err
	}
	return g.Provider.Update(ctx, wanted, record)
}

// conclude records the outcome of a call. The client changes as it should, or the
// refusal undoes what was begun, or the call waits for its next attempt. It fails with
// store.ErrLeaseLost if the lease is lost.
func (g *Engine) conclude(ctx context.Context, l store.Lease, record registrar.ProviderRecord, outcome error, actor string) (client registrar.Client, err error) {
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		before, err := tx.Client(l.ClientID)
		if errors.Is(err, registrar.ClientNotFound) {
			return store.ErrLeaseLost
		}
		if err != nil {
			return err
		}
		client = before
		event, refused := refusal(outcome)
		event.ClientID, event.Actor, event.At = l.ClientID, actor, tx.Now
		if outcome != nil && !refused {
			return g.postpone(tx, l, before, event)
		}
		if err := tx.Settle(l); err != nil {
			return err
		}
		if refused {
			if l.Kind == registrar.CallRegister {
				return errors.Join(tx.RemoveClient(l.ClientID), tx.AddEvent(event))
			}
			return errors.Join(tx.PutRecord(l.ClientID, record), letGo(tx, l, before), tx.AddEvent(event))
		}
		if err := tx.PutRecord(l.ClientID, record); err != nil {
			return err
		}
		if l.Kind == registrar.CallUpdate {
			if client, err = before.Update(l.Wanted, tx.Now); err != nil {
				return err
			}
			return g.put(tx, before, client, l.Actor)
		}
		if client, err = before.Activate(tx.Now); err != nil {
			return err
		}
		event.Type = registrar.EventClientActivated
		return errors.Join(tx.PutClient(before, client), tx.AddEvent(event))
	})
	return client, err
}

// postpone stores a call for its next attempt, or gives it up after the last. A
// registration is FAILED then; an update is dropped and the client stays as it is.
func (g *Engine) postpone(tx *store.Tx, l store.Lease, before registrar.Client, event registrar.Event) error {
	if next, more := l.Call.Postpone(tx.Now); more {
		return tx.Postpone(l, next)
	}
	if err := tx.Settle(l); err != nil {
		return err
	}
	event.Type, event.Reason = registrar.EventClientFailed, registrar.ProviderUnreachable
	if l.Kind == registrar.CallUpdate {
		return errors.Join(letGo(tx, l, before), tx.AddEvent(event))
	}
	after, err := before.Fail(tx.Now)
	if err != nil {
		return err
	}
	return errors.Join(tx.PutClient(before, after), tx.AddEvent(event))
}

// letGo frees the key that an update would have added, which is not made after all.
func letGo(tx *store.Tx, l store.Lease, c registrar.Client) error {
	if l.Wanted.Keys == (registrar.KeyChange{}) {
		return nil
	}
	return tx.HoldKeys(c.ID, c.HeldKeys(registrar.Update{}))
}

// Pass makes calls that are due, and reports whether there may be more. Those that fail
// are logged, and wait for their next attempt.
func (g *Engine) Pass(ctx context.Context) (more bool, err error) {
	n, err := g.RunOnce(ctx)
	if n > 0 && err != nil {
		g.log.WarnContext(ctx, "calls to the identity provider", "error", err.Error())
		err = nil
	}
	return n == batch, err
}

// RunOnce makes up to eight calls that are due, and reports how many it made.
func (g *Engine) RunOnce(ctx context.Context) (int, error) {
	var leases []store.Lease
	err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
		leases, err = tx.TakeDue(batch, lease)
		return err
	})
	if err != nil {
		return 0, err
	}
	g.measures.took(leases)
	var group sync.WaitGroup
	errs := make([]error, len(leases))
	for i, l := range leases {
		group.Go(func() {
			if _, err := g.attempt(ctx, l, Worker); err != nil {
				errs[i] = fmt.Errorf("%s client %s, attempt %d: %w", l.Kind, l.ClientID, l.Attempts, err)
			}
		})
	}
	group.Wait()
	return len(leases), errors.Join(errs...)
}
