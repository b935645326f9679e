package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// reconcileBatch is the number of clients that are loaded at once.
const reconcileBatch = 64

// Reconciled counts clients by the result of their comparison.
type Reconciled map[string]int

// Complete reports whether every client was compared and none differs.
func (n Reconciled) Complete() bool { return len(n) == min(n[Same], 1) }

// The results beside the kinds of a difference.
const (
	Same        = "same"
	Unknown     = "unknown"      // only the provider has it, where it lists clients
	NotCompared = "not compared" // the note of the finding has the reason
)

// Results lists every result.
var Results = []string{
	Same, string(registrar.DifferenceMembers), string(registrar.DifferenceMissing), Unknown, NotCompared,
}

// Finding is the result of the comparison of a client. Note is the reason for it, if any.
type Finding struct {
	ClientID, Result string
	registrar.Difference
	Note string
}

// Reconciliation has the use cases of the comparison with the identity provider. It changes no client.
type Reconciliation struct{ *core }

// CheckComparable refuses a comparison with a provider that does not support reads.
func (g *core) CheckComparable() error {
	if why := g.Provider.Abilities().Unreadable; why != "" {
		return refusal.New(registrar.InvalidRequest, "%s", why)
	}
	return nil
}

// Limits returns whether the provider lists clients for this service, and the members that its answers never contain.
func (g *Reconciliation) Limits() (lists bool, unreturned []string) {
	able := g.Provider.Abilities()
	return able.List != nil, able.Unreturned
}

// Reconcile compares every client with the provider's record and reports each finding. It stores the differences.
func (g *Reconciliation) Reconcile(ctx context.Context, by Caller, report func(Finding)) (Reconciled, error) {
	sum := Reconciled{}
	if err := g.CheckComparable(); err != nil {
		return sum, err
	}
	for cursor, more := "", true; more; more = cursor != "" {
		at := registrar.Page{Limit: reconcileBatch, Cursor: cursor}
		clients, next, err := g.store.Clients(ctx, registrar.ClientFilter{}, at)
		if err == nil {
			err = g.compareAll(ctx, by, clients, sum, report)
		}
		if cursor = next; err != nil {
			return sum, err
		}
	}
	if err := g.listUnknown(ctx, sum, report); err != nil {
		return sum, err
	}
	g.log.InfoContext(ctx, "clients reconciled with the identity provider", "actor", oplog.Subject(by.Subject),
		"differences", sum[string(registrar.DifferenceMembers)]+sum[string(registrar.DifferenceMissing)])
	return sum, nil
}

// Pass is Reconcile by the worker, where the provider can be read. It logs the clients that only the provider has.
func (g *Reconciliation) Pass(ctx context.Context) error {
	if g.CheckComparable() != nil {
		return nil
	}
	_, err := g.Reconcile(ctx, Caller{Subject: Worker}, func(f Finding) {
		if f.Result == Unknown {
			g.log.WarnContext(ctx, "client only at the identity provider", "client", f.ClientID, "name", f.Note)
		}
	})
	return err
}

// CompareClient compares one client as Reconcile does.
func (g *Reconciliation) CompareClient(ctx context.Context, by Caller, id string) (Reconciled, error) {
	sum := Reconciled{}
	c, err := g.store.Client(ctx, id)
	if err == nil {
		err = g.compareAll(ctx, by, []registrar.Client{c}, sum, func(Finding) {})
	}
	return sum, err
}

// listUnknown reports the clients in the provider's list that this service does not have.
func (g *Reconciliation) listUnknown(ctx context.Context, sum Reconciled, report func(Finding)) error {
	list := g.Provider.Abilities().List
	if list == nil {
		return nil
	}
	return list(ctx, func(l idp.Listed) error {
		if _, err := g.store.Client(ctx, l.ClientID); !errors.Is(err, registrar.ClientNotFound) {
			return err
		}
		sum[Unknown]++
		report(Finding{ClientID: l.ClientID, Result: Unknown, Note: l.Name})
		return nil
	})
}

// compareAll compares clients concurrently. It fails if the provider is unreachable for all of them.
func (g *Reconciliation) compareAll(
	ctx context.Context, by Caller, clients []registrar.Client, sum Reconciled, report func(Finding),
) error {
	findings, errs := make([]Finding, len(clients)), make([]error, len(clients))
	var group sync.WaitGroup
	slots := make(chan struct{}, Batch)
	for i, c := range clients {
		slots <- struct{}{}
		group.Go(func() {
			findings[i], errs[i] = g.compare(ctx, by, c)
			<-slots
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var unreached []error
	for i, found := range findings {
		switch err := errs[i]; {
		case errors.Is(err, idp.ErrUnreachable):
			unreached = append(unreached, err)
		case err != nil:
			return fmt.Errorf("client %s: %w", found.ClientID, err)
		}
		sum[found.Result]++
		if found.Result != Same {
			report(found)
		}
	}
	switch {
	case unreached == nil:
		return nil
	case len(unreached) == len(clients):
		return unreached[0]
	}
	g.log.WarnContext(ctx, "clients not reconciled", "setting", "REGISTRAR_IDP_URL", "number", len(unreached),
		"error", unreached[0].Error())
	return nil
}

// errSkipped reports that a client is not compared because of a pending call.
var errSkipped = errors.New("it is PENDING or FAILED, or a call for it waits")

// compare compares one client. An error is a failure of more than this client.
func (g *Reconciliation) compare(ctx context.Context, by Caller, c registrar.Client) (found Finding, err error) {
	found.ClientID = c.ID
	if c.OutcomeUnknown {
		found.Result, found.Note = NotCompared, "the outcome of a call for it is unknown; see confirm and drop"
		return found, nil
	}
	if err = errSkipped; !c.IsUnconfirmed() {
		found.Difference, err = g.read(context.WithoutCancel(ctx), by, c) // the provider's answer must be recorded
	}
	switch {
	case errors.Is(err, errSkipped):
		return Finding{ClientID: c.ID, Result: NotCompared, Note: errSkipped.Error()}, nil
	case err != nil:
		if found.Result, found.Note = NotCompared, refusal.MessageOf(err); errors.Is(err, registrar.ProviderRefused) {
			err = nil // the provider's answer for this client
		}
		return found, err
	}
	found.Result = cmp.Or(string(found.Kind), Same)
	return found, nil
}

// read reads a client from the provider and stores its difference, unless the client has changed meanwhile.
func (g *Reconciliation) read(ctx context.Context, by Caller, c registrar.Client) (found registrar.Difference, err error) {
	lease, err := g.leaseRead(ctx, by, c.ID)
	if err != nil {
		return found, err
	}
	before, err := g.providerRecord(ctx, c.ID)
	if err != nil {
		return found, err
	}
	found, record, readErr := g.readProvider(ctx, c, before)
	sealed, err := g.sealRecord(c.ID, record)
	if err != nil {
		return found, err
	}
	skipped := false
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		now, err := tx.Client(c.ID)
		if err == nil && lease != nil {
			err = tx.Settle(*lease)
		}
		skipped = errors.Is(err, registrar.ClientNotFound) || errors.Is(err, store.ErrLeaseLost)
		if err != nil && !skipped {
			return err
		}
		_, pending, err := tx.Call(c.ID)
		skipped = skipped || pending || now.Rev != c.Rev
		if err == nil && record != before && now.ID != "" { // the previous token may be void
			err = tx.PutRecord(sealed)
		}
		if err != nil || skipped || readErr != nil {
			return err
		}
		return recordDifference(tx, c.ID, by.Subject, found)
	})
	if skipped && err == nil {
		return found, errSkipped
	}
	return found, errors.Join(err, readErr)
}

// leaseRead leases the read of a client by its own token; nil where a read replaces none.
func (g *Reconciliation) leaseRead(ctx context.Context, by Caller, id string) (lease *store.Lease, err error) {
	if !g.Provider.Abilities().ReadsByToken {
		return nil, nil
	}
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		_, err := tx.Client(id)
		if err != nil {
			return err
		}
		_, pending, err := tx.Call(id)
		if pending {
			return errSkipped
		}
		lease = g.newCall(tx, id, registrar.CallRead, registrar.Call{}, registrar.Update{}, by, begun)
		return errors.Join(err, tx.Enqueue(*lease, g.Process))
	})
	return lease, err
}

// readProvider compares a client with the provider's record and measures the call.
func (g *core) readProvider(
	ctx context.Context, c registrar.Client, record registrar.ProviderRecord,
) (registrar.Difference, registrar.ProviderRecord, error) {
	begun := time.Now()
	found, record, err := g.Provider.Read(ctx, c, record)
	g.measures.observeCall(registrar.CallRead, time.Since(begun), err)
	return found, record, err
}

// recordDifference stores the difference of a locked client, with an event if it is new.
func recordDifference(tx *store.Tx, id, actor string, found registrar.Difference) error {
	last, err := tx.Difference(id)
	if err != nil || last.Equal(found) {
		return err
	}
	if err := tx.PutDifference(id, found); err != nil || found.Kind == registrar.DifferenceNone {
		return err
	}
	return tx.AddEvent(found.Event(id, actor, tx.Now()))
}
