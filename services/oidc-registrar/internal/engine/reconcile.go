package engine

import (
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

// Reconciled counts clients by the result of their comparison: a kind of difference, or one of these. All but same,
// different, missing and unknown are not compared.
type Reconciled map[string]int

// Complete reports whether every client was compared and none differs.
func (n Reconciled) Complete() bool { return len(n) == min(n[Same], 1) }

// The results without a difference.
const (
	Same     = "same"
	Unread   = "unreadable" // the provider gives no answer about it
	Waiting  = "waiting"    // a call for it waits
	Doubtful = "doubtful"   // the outcome of a call for it is unknown
	Unknown  = "unknown"    // only the provider has it, where it lists clients
)

// Results lists every result.
var Results = []string{
	Same, string(registrar.DifferenceMembers), string(registrar.DifferenceMissing), Unknown,
	string(registrar.DifferenceLocked), Unread, Waiting, Doubtful,
}

// Finding is a client whose result is not Same, with its difference or a note.
type Finding struct {
	ClientID string
	registrar.Difference
	Note   string
	Listed idp.Listed // of Unknown
}

// Reconciliation has the use cases of the comparison with the identity provider. It changes no client.
type Reconciliation struct{ *core }

// CheckComparable refuses a comparison with a provider that does not support reads.
func (g *Reconciliation) CheckComparable() error {
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
// Only one process may run it at a time; a stopped comparison starts again.
func (g *Reconciliation) Reconcile(ctx context.Context, by Caller, report func(Finding)) (Reconciled, error) {
	sum := Reconciled{}
	if err := g.CheckComparable(); err != nil {
		return sum, err
	}
	if err := g.begin(ctx); err != nil {
		return sum, err
	}
	for after, more := "", true; more; more = after != "" {
		clients, next, err := g.store.ListForComparison(ctx, after, reconcileBatch)
		if err == nil {
			err = g.compareAll(ctx, by, clients, sum, report)
		}
		if after = next; err != nil {
			return sum, err
		}
	}
	if err := g.listUnknown(ctx, sum, report); err != nil {
		return sum, err
	}
	g.log.InfoContext(ctx, "clients reconciled with the identity provider", "actor", oplog.Subject(by.Subject),
		"differences", sum[string(registrar.DifferenceMembers)]+sum[string(registrar.DifferenceMissing)])
	return sum, g.store.Do(ctx, func(tx *store.Tx) error {
		return tx.PutReconciliation(store.Reconciliation{Ended: tx.Now()})
	})
}

// begin stores the begin of a comparison. A comparison that has not ended is due.
func (g *Reconciliation) begin(ctx context.Context) error {
	state, err := g.store.Reconciliation(ctx)
	if err != nil || state.UnderWay() {
		return err
	}
	return g.store.Do(ctx, func(tx *store.Tx) error {
		return tx.PutReconciliation(store.Reconciliation{BegunAt: tx.Now(), Ended: state.Ended})
	})
}

// Pass is Reconcile by the worker. It logs the clients that only the provider has.
func (g *Reconciliation) Pass(ctx context.Context) error {
	_, err := g.Reconcile(ctx, Caller{Subject: Worker}, func(f Finding) {
		if l := f.Listed; l.ProviderClientID != "" {
			g.log.WarnContext(ctx, "client only at the identity provider",
				"client", l.ClientID, "provider_client", l.ProviderClientID)
		}
	})
	return err
}

// IsDue reports whether a comparison was requested, has not ended, or must start. A read with a client's own token
// may replace that token, so the worker compares such clients only on request.
func (g *Reconciliation) IsDue(ctx context.Context, every time.Duration) (bool, error) {
	able := g.Provider.Abilities()
	if able.Unreadable != "" {
		return false, nil
	}
	state, err := g.store.Reconciliation(ctx)
	if err != nil || state.UnderWay() || every == 0 || able.ReadsByToken {
		return err == nil && state.UnderWay(), err
	}
	now, err := g.store.Now(ctx)
	return err == nil && !now.Before(state.Ended.Add(every)), err
}

// Request requests a comparison of all clients, for admins. The worker makes it.
func (g *Reconciliation) Request(ctx context.Context, by Caller) error {
	err := by.requireAdmin()
	if err == nil {
		err = g.CheckComparable()
	}
	if err == nil {
		err = g.begin(ctx)
	}
	if err == nil {
		g.log.InfoContext(ctx, "comparison requested", "actor", oplog.Subject(by.Subject))
	}
	return err
}

// ComparisonState holds the times of the last comparison.
type ComparisonState = store.Reconciliation

// State returns the times of the last comparison, for admins.
func (g *Reconciliation) State(ctx context.Context, by Caller) (ComparisonState, error) {
	if err := by.requireAdmin(); err != nil {
		return ComparisonState{}, err
	}
	return g.store.Reconciliation(ctx)
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

// listUnknown reports the clients in the provider's list that this service does not have under the same provider id.
// Either an answer of the provider or this service's state was lost.
func (g *Reconciliation) listUnknown(ctx context.Context, sum Reconciled, report func(Finding)) error {
	list := g.Provider.Abilities().List
	if list == nil {
		return nil
	}
	return list(ctx, func(l idp.Listed) error {
		c, err := g.store.Client(ctx, l.ClientID)
		switch {
		case err == nil && (c.ProviderClientID == l.ProviderClientID || c.IsUnconfirmed()): // the same, or counted as waiting
			return nil
		case err != nil && !errors.Is(err, registrar.ClientNotFound):
			return err
		}
		sum[Unknown]++
		report(Finding{Listed: l})
		return nil
	})
}

// compareAll compares clients concurrently. It fails if the provider is unreachable for all of them.
func (g *Reconciliation) compareAll(
	ctx context.Context, by Caller, clients []registrar.Client, sum Reconciled, report func(Finding),
) error {
	var lock sync.Mutex
	var group sync.WaitGroup
	var away, broken error
	slots, reached := make(chan struct{}, Batch), 0
	for _, c := range clients {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			result, found, err := g.compare(ctx, by, c)
			lock.Lock()
			defer lock.Unlock()
			switch {
			case err == nil:
				reached++
			case errors.Is(err, idp.ErrUnreachable):
				away = fmt.Errorf("client %s: %w", c.ID, err)
			default:
				broken = errors.Join(broken, fmt.Errorf("client %s: %w", c.ID, err))
				return
			}
			sum[result]++
			g.measures.comparisons.WithLabelValues(result).Inc()
			if result != Same {
				report(found)
			}
		})
	}
	group.Wait()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case broken != nil || away != nil && reached == 0:
		return errors.Join(broken, away)
	case away != nil:
		g.log.WarnContext(ctx, "client not reconciled", "setting", "REGISTRAR_IDP_URL", "error", away.Error())
	}
	return nil
}

// errSkipped reports that a client is not compared because of a concurrent change.
var errSkipped = errors.New("the client changes meanwhile")

// compare compares one client. A read with the client's own token blocks other calls with that token.
func (g *Reconciliation) compare(ctx context.Context, by Caller, c registrar.Client) (string, Finding, error) {
	found := Finding{ClientID: c.ID}
	if c.OutcomeUnknown {
		found.Note = "the outcome of a call for it is unknown; see confirm and drop"
		return Doubtful, found, nil
	}
	err := errSkipped
	if !c.IsUnconfirmed() {
		found.Difference, err = g.read(context.WithoutCancel(ctx), by, c) // the provider's answer must be recorded
	}
	switch {
	case errors.Is(err, errSkipped), errors.Is(err, registrar.StaleClient), errors.Is(err, store.ErrLeaseLost):
		return Waiting, Finding{ClientID: c.ID, Note: "it is PENDING or FAILED, or a call for it waits"}, nil
	case errors.Is(err, idp.ErrUnreachable), errors.Is(err, registrar.ProviderRefused):
		found.Note = refusal.MessageOf(err)
		if errors.Is(err, registrar.ProviderRefused) { // the provider's answer for this client
			err = nil
		}
		return Unread, found, err
	case found.Kind == registrar.DifferenceNone:
		return Same, found, err
	}
	return string(found.Kind), found, err
}

// read reads a client from the provider and stores its difference, unless the client has changed meanwhile.
func (g *Reconciliation) read(ctx context.Context, by Caller, c registrar.Client) (found registrar.Difference, err error) {
	var lease *store.Lease
	if g.Provider.Abilities().ReadsByToken {
		if lease, err = g.leaseForRead(ctx, by, c); err != nil {
			return found, err
		}
	}
	before, err := g.providerRecord(ctx, c.ID)
	if err != nil {
		return found, err
	}
	begun := time.Now()
	found, record, readErr := g.Provider.Read(ctx, c, before)
	g.measures.observeCall(registrar.CallRead, time.Since(begun), readErr)
	if record != before { // first, since the previous token may be void
		sealed, err := g.sealRecord(c.ID, record)
		if err == nil {
			err = g.store.Do(ctx, func(tx *store.Tx) error { return tx.PutRecord(sealed) })
		}
		if err != nil {
			return found, err
		}
	}
	var changed error
	err = g.store.Do(ctx, func(tx *store.Tx) (err error) {
		if changed = lockUnchanged(tx, c, lease != nil); changed != nil && !errors.Is(changed, errSkipped) {
			return changed
		}
		if lease != nil {
			err = tx.Settle(*lease)
		}
		if err != nil || changed != nil || readErr != nil {
			return err
		}
		return recordDifference(tx, c.ID, by.Subject, found)
	})
	return found, errors.Join(err, changed, readErr)
}

// leaseForRead leases a client for a read, so that no other call is made for it.
func (g *Reconciliation) leaseForRead(ctx context.Context, by Caller, c registrar.Client) (*store.Lease, error) {
	var l store.Lease
	err := g.store.Do(ctx, func(tx *store.Tx) error {
		if err := lockUnchanged(tx, c, false); err != nil {
			return err
		}
		l = *g.newCall(tx, c.ID, registrar.CallRead, registrar.Call{}, registrar.Update{}, by, begun)
		return tx.Enqueue(l, g.Process)
	})
	return &l, err
}

// lockUnchanged locks a client. It fails with errSkipped if the client has changed or has a pending call that is not
// ours.
func lockUnchanged(tx *store.Tx, c registrar.Client, ours bool) error {
	now, err := tx.Client(c.ID)
	if errors.Is(err, registrar.ClientNotFound) {
		return errSkipped
	}
	if err != nil {
		return err
	}
	_, pending, err := tx.Call(c.ID)
	if err == nil && (now.Rev != c.Rev || pending && !ours) {
		err = errSkipped
	}
	return err
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
