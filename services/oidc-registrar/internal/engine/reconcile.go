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

// reconcileBatch is the number of clients between two stored positions. After a stop at most that
// many are compared again.
const reconcileBatch = 64

// Reconciling holds the options of a comparison with the identity provider.
type Reconciling struct {
	// Found is called for each difference; may be nil.
	Found func(clientID string, d registrar.Difference)

	// Skipped is called for each client that is not compared, with the reason; may be nil.
	Skipped func(clientID, reason string)

	// Unknown is called for each client that only the provider has; may be nil.
	Unknown func(idp.Listed)

	// careful ends a pass if the provider replaces tokens at each read. Each such read can lose the
	// access to a client, so only an operator may request them.
	careful bool
}

// Reconciled has the numbers of a comparison.
type Reconciled struct {
	Same, Different, Missing int
	Unknown                  int // only the provider has them, where it lists clients

	// Not compared: the provider rejects the client's own token, gives no answer about it, a call for it waits, or the
	// outcome of a call is unknown.
	Locked, Unread, Waiting, OutcomeUnknown int
}

// Complete reports whether every client was compared and none differs.
func (n Reconciled) Complete() bool { return n == Reconciled{Same: n.Same} }

// Add adds the counts of other.
func (n *Reconciled) Add(other Reconciled) {
	n.Same, n.Different, n.Missing = n.Same+other.Same, n.Different+other.Different, n.Missing+other.Missing
	n.Unknown, n.Locked, n.Unread = n.Unknown+other.Unknown, n.Locked+other.Locked, n.Unread+other.Unread
	n.Waiting, n.OutcomeUnknown = n.Waiting+other.Waiting, n.OutcomeUnknown+other.OutcomeUnknown
}

// Reconciliation has the use cases of the comparison with the identity provider.
type Reconciliation struct{ *core }

// CheckComparable refuses a comparison with a provider that does not support reads.
func (g *Reconciliation) CheckComparable() error {
	if why := g.Provider.Abilities().Unreadable; why != "" {
		return refusal.New(registrar.InvalidRequest, "%s", why)
	}
	return nil
}

// Reconcile compares every client with the provider's record, from the start or from the position
// of a stopped comparison. Only one process may run it at a time. It stores the differences and changes
// nothing else.
func (g *Reconciliation) Reconcile(ctx context.Context, by Caller, o Reconciling) (sum Reconciled, err error) {
	if err := g.CheckComparable(); err != nil {
		return sum, err
	}
	state, err := g.store.Reconciliation(ctx)
	if err != nil {
		return sum, err
	}
	if !state.UnderWay() {
		state = store.Reconciliation{Ended: state.Ended}
	}
	for more := true; more && err == nil; {
		var n Reconciled
		n, state, more, err = g.reconcile(ctx, by, o, state)
		sum.Add(n)
	}
	return sum, err
}

// Limits returns whether the provider lists clients for this service, and the members that its answers never contain.
func (g *Reconciliation) Limits() (lists bool, unreturned []string) {
	able := g.Provider.Abilities()
	return able.List != nil, able.Unreturned
}

// listUnknown counts the clients in the provider's list that this service does not have under the
// same provider id. Either an answer of the provider or this service's state was lost. It does not
// change them.
func (g *Reconciliation) listUnknown(ctx context.Context, o Reconciling, sum *Reconciled) error {
	list := g.Provider.Abilities().List
	if list == nil {
		return nil
	}
	return list(ctx, func(l idp.Listed) error {
		c, err := g.store.Client(ctx, l.ClientID)
		switch {
		case err == nil && (c.ProviderClientID == l.ProviderClientID || c.IsUnconfirmed()): // the same client, or counted as waiting
			return nil
		case err != nil && !errors.Is(err, registrar.ClientNotFound):
			return err
		}
		sum.Unknown++
		if o.Unknown != nil {
			o.Unknown(l)
		}
		return nil
	})
}

// IsDue reports whether a comparison must continue or start.
func (g *Reconciliation) IsDue(ctx context.Context, every time.Duration) (due bool, err error) {
	_, due, err = g.state(ctx, every)
	return due, err
}

// state returns the position of the comparison and whether it is due.
func (g *Reconciliation) state(ctx context.Context, every time.Duration) (state store.Reconciliation, due bool, err error) {
	if state, err = g.store.Reconciliation(ctx); err != nil {
		return state, false, err
	}
	now, err := g.store.Now(ctx)
	return state, err == nil && state.IsDue(now, every), err
}

// Pass compares the next clients and reports whether there are more. Only one process may
// run it at a time.
func (g *Reconciliation) Pass(ctx context.Context, every time.Duration) (more bool, err error) {
	state, due, err := g.state(ctx, every)
	if err != nil || !due {
		return false, err
	}
	if !state.UnderWay() {
		state.AfterID = ""
	}
	o := Reconciling{careful: true, Unknown: func(l idp.Listed) {
		g.log.WarnContext(ctx, "client only at the identity provider",
			"client", l.ClientID, "provider_client", l.ProviderClientID)
	}}
	_, _, more, err = g.reconcile(ctx, Caller{Subject: Worker}, o, state)
	return more, err
}

// reconcile compares the next clients and stores the position. After the last it counts the unknown clients.
func (g *Reconciliation) reconcile(ctx context.Context, by Caller, o Reconciling, state store.Reconciliation) (
	sum Reconciled, next store.Reconciliation, more bool, err error,
) {
	n := reconcileBatch
	if o.careful && g.Provider.Abilities().ReadsByToken {
		n = 1 // a read that replaces the token ends the pass
	}
	clients, after, err := g.store.ListForComparison(ctx, state.AfterID, n)
	if err != nil {
		return sum, state, false, err
	}
	sum, replaced, err := g.compareAll(ctx, by, o, clients)
	if err != nil {
		return sum, state, false, err
	}
	if o.careful && replaced && g.Provider.Abilities().ReadsByToken {
		g.log.WarnContext(ctx, "the identity provider replaces the registration access token with each comparison, "+
			"so clients are compared by oidc-registrar reconcile alone, or with REGISTRAR_IDP_MANAGE_CLIENT_ID")
		after = ""
	}
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		next = state
		if !next.UnderWay() {
			next.BegunAt = tx.Now()
		}
		if next.AfterID = after; after == "" {
			next.Ended = tx.Now()
			if !next.Ended.After(next.BegunAt) { // same millisecond
				next.BegunAt = next.Ended
			}
		}
		return tx.PutReconciliation(next)
	})
	if err == nil && after == "" {
		g.log.InfoContext(ctx, "clients reconciled with the identity provider",
			"actor", oplog.Subject(by.Subject), "differences", sum.Different+sum.Missing)
		err = g.listUnknown(ctx, o, &sum)
	}
	return sum, next, after != "", err
}

// compareAll compares clients concurrently. It fails if the provider is unreachable for all of
// them.
func (g *Reconciliation) compareAll(ctx context.Context, by Caller, o Reconciling, clients []registrar.Client) (
	sum Reconciled, replaced bool, err error,
) {
	var lock sync.Mutex
	var group sync.WaitGroup
	var away, broken error
	slots := make(chan struct{}, Batch)
	reached := 0
	for _, c := range clients {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			comparison, err := g.compare(ctx, by, c)
			lock.Lock()
			defer lock.Unlock()
			sum.Add(comparison.sum)
			if comparison.skipped != "" && o.Skipped != nil {
				o.Skipped(c.ID, comparison.skipped)
			}
			replaced = replaced || comparison.replaced
			switch {
			case err == nil:
				reached++
			case errors.Is(err, idp.ErrUnreachable):
				away = fmt.Errorf("client %s: %w", c.ID, err)
			default:
				broken = errors.Join(broken, fmt.Errorf("client %s: %w", c.ID, err))
			}
			if comparison.found.Kind != registrar.DifferenceNone && o.Found != nil {
				o.Found(c.ID, comparison.found)
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return sum, replaced, context.Cause(ctx)
	}
	if broken != nil || away != nil && reached == 0 {
		return sum, replaced, errors.Join(broken, away)
	}
	if away != nil {
		g.log.WarnContext(ctx, "client not reconciled", "setting", "REGISTRAR_IDP_URL", "error", away.Error())
	}
	return sum, replaced, nil
}

// comparison is the result of one reconciliation read.
type comparison struct {
	found    registrar.Difference
	sum      Reconciled
	replaced bool // the provider has replaced the token
	skipped  string
}

// The reasons for skipping a client.
const (
	skippedWaiting  = "it is PENDING or FAILED, or a call for it waits"
	skippedDoubtful = "the outcome of a call for it is unknown; see confirm and drop"
)

// skippedComparison returns the result for a skipped client.
func skippedComparison(c registrar.Client, replaced bool) comparison {
	if c.OutcomeUnknown {
		return comparison{sum: Reconciled{OutcomeUnknown: 1}, skipped: skippedDoubtful, replaced: replaced}
	}
	return comparison{sum: Reconciled{Waiting: 1}, skipped: skippedWaiting, replaced: replaced}
}

// errSkipped reports that a client is not compared because of a concurrent change.
var errSkipped = errors.New("the client changes meanwhile")

// compare compares one client. A read with the client's own token blocks other calls with that
// token.
func (g *Reconciliation) compare(ctx context.Context, by Caller, c registrar.Client) (out comparison, err error) {
	if c.IsUnconfirmed() || c.OutcomeUnknown {
		return skippedComparison(c, false), nil
	}
	var lease *store.Lease
	if g.Provider.Abilities().ReadsByToken {
		lease, err = g.leaseForRead(ctx, by, c)
		if errors.Is(err, errSkipped) || errors.Is(err, registrar.StaleClient) {
			return skippedComparison(c, false), nil
		}
		if err != nil {
			return out, err
		}
	}
	kept := context.WithoutCancel(ctx) // the provider's answer must be recorded
	before, err := g.providerRecord(kept, c.ID)
	if err != nil {
		return out, err
	}
	begun := time.Now()
	found, record, readErr := g.Provider.Read(kept, c, before)
	g.measures.observeCall(registrar.CallRead, time.Since(begun), readErr)
	out.replaced = record.AccessToken != before.AccessToken
	if record != before { // first, since the previous token may be void
		sealed, err := g.sealRecord(c.ID, record)
		if err == nil {
			err = g.store.Do(kept, func(tx *store.Tx) error { return tx.PutRecord(sealed) })
		}
		if err != nil {
			return out, err
		}
	}
	err = g.store.Do(kept, func(tx *store.Tx) error {
		out = comparison{found: found, replaced: record.AccessToken != before.AccessToken}
		return out.record(tx, by, c, lease, readErr)
	})
	if errors.Is(err, errSkipped) || errors.Is(err, store.ErrLeaseLost) {
		return skippedComparison(c, out.replaced), nil
	}
	if err == nil {
		g.measures.countComparison(out.sum)
		if errors.Is(readErr, idp.ErrUnreachable) { // a refusal is the provider's answer for this client
			err = readErr
		}
	}
	return out, err
}

// leaseForRead leases a client for a read, so that no other call is made for it.
func (g *Reconciliation) leaseForRead(ctx context.Context, by Caller, c registrar.Client) (*store.Lease, error) {
	var l store.Lease
	err := g.store.Do(ctx, func(tx *store.Tx) error {
		if err := lockUnchanged(tx, c, false); err != nil {
			return err
		}
		l = store.NewCall(registrar.Call{ClientID: c.ID, Kind: registrar.CallRead}, registrar.Update{}, by.Subject, tx.Now()).Begin(g.holder, tx.Now())
		return tx.Enqueue(l, g.holder)
	})
	return &l, err
}

// lockUnchanged locks a client. It fails with errSkipped if the client has changed or has a pending
// call that is not ours.
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

// record stores the result of a read.
func (out *comparison) record(tx *store.Tx, by Caller, c registrar.Client, lease *store.Lease, readErr error) error {
	err := lockUnchanged(tx, c, lease != nil)
	if lease != nil {
		if err := tx.Settle(*lease); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(err, errSkipped): // the current state is unknown; the lease is released
		*out = skippedComparison(c, out.replaced)
		return nil
	case err != nil:
		return err
	case readErr != nil:
		out.found, out.sum.Unread = registrar.Difference{}, 1
		return nil
	}
	switch out.found.Kind {
	case registrar.DifferenceNone:
		out.sum.Same++
	case registrar.DifferenceMembers:
		out.sum.Different++
	case registrar.DifferenceMissing:
		out.sum.Missing++
	case registrar.DifferenceLocked:
		out.sum.Locked++
	}
	return recordDifference(tx, c.ID, by.Subject, out.found)
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

// CompareClient compares one client as Reconcile does.
func (g *Reconciliation) CompareClient(ctx context.Context, by Caller, id string) (Reconciled, error) {
	c, err := g.store.Client(ctx, id)
	if err != nil {
		return Reconciled{}, err
	}
	sum, _, err := g.compareAll(ctx, by, Reconciling{}, []registrar.Client{c})
	return sum, err
}

// ComparisonState is the position of the comparison of all clients with the identity provider.
type ComparisonState = store.Reconciliation

// State returns the position of the comparison, for admins.
func (g *Reconciliation) State(ctx context.Context, by Caller) (ComparisonState, error) {
	if err := by.requireAdmin(); err != nil {
		return ComparisonState{}, err
	}
	return g.store.Reconciliation(ctx)
}

// Request requests a comparison of all clients, for admins. Pass makes it. A comparison that is under way continues.
func (g *Reconciliation) Request(ctx context.Context, by Caller) error {
	err := by.requireAdmin()
	if err == nil {
		err = g.CheckComparable()
	}
	if err != nil {
		return err
	}
	state, err := g.store.Reconciliation(ctx)
	if err != nil || state.UnderWay() {
		return err
	}
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		return tx.PutReconciliation(store.Reconciliation{BegunAt: tx.Now(), Ended: state.Ended})
	})
	if err == nil {
		g.log.InfoContext(ctx, "comparison requested", "actor", oplog.Subject(by.Subject))
	}
	return err
}
