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

// Reconciled is the result of a comparison.
type Reconciled struct {
	Same           int `json:"same" doc:"Clients that it has as they are here."`
	Changed        int `json:"changed" doc:"Clients that it has otherwise."`
	Missing        int `json:"missing" doc:"Clients that it has not."`
	Locked         int `json:"locked" doc:"Clients whose own token it does not accept."`
	Unread         int `json:"unread" doc:"Clients of which it did not say."` // or that cannot be read
	Waiting        int `json:"waiting" doc:"Clients that were not compared: they are PENDING or FAILED, or a call for them waits."`
	OutcomeUnknown int `json:"doubtful" doc:"Clients that were not compared: the outcome of a call for them is unknown."`
	Unknown        int `json:"unknown" doc:"Clients that only the identity provider has, where it can list clients."`
}

// Complete reports whether every client was compared and none differs.
func (n Reconciled) Complete() bool {
	n.Same = 0
	return n == Reconciled{}
}

// Add adds the counts of other.
func (n *Reconciled) Add(other Reconciled) {
	n.Same, n.Changed, n.Missing = n.Same+other.Same, n.Changed+other.Changed, n.Missing+other.Missing
	n.Locked, n.Unread = n.Locked+other.Locked, n.Unread+other.Unread
	n.Waiting, n.OutcomeUnknown, n.Unknown = n.Waiting+other.Waiting, n.OutcomeUnknown+other.OutcomeUnknown, n.Unknown+other.Unknown
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
	if err == nil {
		err = g.listUnknown(ctx, o, &sum)
	}
	return sum, err
}

// Unlisted returns the reason that clients which only the provider has are not counted, or an empty string.
func (g *Reconciliation) Unlisted() string {
	if g.Provider.Abilities().List != nil {
		return ""
	}
	return "clients that only the identity provider has cannot be seen: it does not list clients for this service"
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
	o := Reconciling{careful: true}
	_, _, more, err = g.reconcile(ctx, Caller{Subject: Worker}, o, state)
	if err == nil && !more {
		var sum Reconciled
		o.Unknown = func(l idp.Listed) {
			g.log.WarnContext(ctx, "client only at the identity provider", "client", l.ClientID, "provider_client", l.ProviderClientID)
		}
		err = g.listUnknown(ctx, o, &sum)
	}
	return more, err
}

// reconcile compares the next clients and stores the position.
func (g *Reconciliation) reconcile(
	ctx context.Context,
	by Caller,
	o Reconciling,
	state store.Reconciliation,
) (sum Reconciled, next store.Reconciliation, more bool, err error) {
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
		g.log.WarnContext(
			ctx,
			"the identity provider replaces the registration access token with each comparison, so clients are compared by oidc-registrar reconcile alone, or with REGISTRAR_IDP_MANAGE_CLIENT_ID",
		)
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
			"actor", oplog.Subject(by.Subject), "differences", sum.Changed+sum.Missing+sum.Locked)
	}
	return sum, next, after != "", err
}

// compareAll compares clients concurrently. It fails if the provider is unreachable for all of
// them.
func (g *Reconciliation) compareAll(
	ctx context.Context,
	by Caller,
	o Reconciling,
	clients []registrar.Client,
) (sum Reconciled, replaced bool, err error) {
	var lock sync.Mutex
	var group sync.WaitGroup
	var away, broken error
	slots := make(chan struct{}, Batch)
	reached := 0
	for _, c := range clients {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			comparison, err := g.compare(ctx, by, o, c)
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
func (g *Reconciliation) compare(ctx context.Context, by Caller, o Reconciling, c registrar.Client) (out comparison, err error) {
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
		out.found, out.sum, out.skipped = registrar.Difference{}, Reconciled{}, ""
		return g.recordComparison(tx, by, c, lease, found, readErr, &out)
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

// recordComparison records the result of a read.
func (g *Reconciliation) recordComparison(
	tx *store.Tx,
	by Caller,
	c registrar.Client,
	lease *store.Lease,
	found registrar.Difference,
	readErr error,
	out *comparison,
) error {
	err := lockUnchanged(tx, c, lease != nil)
	if lease != nil {
		if err := tx.Settle(*lease); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(err, errSkipped):
		skipped := skippedComparison(c, out.replaced) // the current state is unknown; the lease is released
		out.sum, out.skipped = skipped.sum, skipped.skipped
		return nil
	case err != nil:
		return err
	case readErr != nil:
		out.sum.Unread++
		return nil
	}
	out.found = found
	switch found.Kind {
	case registrar.DifferenceNone:
		out.sum.Same++
	case registrar.DifferenceChanged:
		out.sum.Changed++
	case registrar.DifferenceMissing:
		out.sum.Missing++
	case registrar.DifferenceLocked:
		out.sum.Locked++
	}
	return recordDifference(tx, c.ID, by.Subject, found)
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

// SendAgain compares a client and enqueues a call that gives the provider a client that differs as it is here, or
// registers a missing one again, for admins. It refuses a client without such a difference: a missing INACTIVE one is
// as it should be, and the provider lets this service change no locked one.
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
		call, wanted := registrar.Call{ClientID: id, Kind: registrar.CallUpdate}, c.Repetition()
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
			call.Kind, wanted = registrar.CallRegister, registrar.Update{}
		case found.Kind != registrar.DifferenceChanged || c.IsUnconfirmed() || c.OutcomeUnknown:
			return refusal.New(registrar.InvalidStatus, "client %s has no difference that can be sent", id)
		}
		event := registrar.Event{
			ClientID: id, Type: registrar.EventClientRepaired, Actor: by.Subject, At: tx.Now(), Changed: found.Fields, Comment: by.Note,
		}
		return errors.Join(tx.AddEvent(event), tx.Enqueue(store.NewCall(call, wanted, by.Subject, tx.Now()), g.holder))
	})
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
