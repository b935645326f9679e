package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/work"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Worker is the actor of the worker's events.
const Worker = "oidc-registrar"

const (
	// Batch is the maximum number of calls in one pass of the worker.
	Batch = 8

	// maxAttempts is the maximum number of attempts of a call. A further attempt means that the
	// process died in the last one. The call is then abandoned, so that it does not end the next
	// process.
	maxAttempts = work.MaxAttempts
)

// Calls has the use cases of the worker for calls to the identity provider.
type Calls struct{ *core }

// ProviderFault returns what an operator must repair at the identity provider, or an empty text.
func (g *Calls) ProviderFault() string { return g.Provider.Abilities().Fault }

// attempt makes a call under a lease of this process and records its outcome. It ignores the
// cancellation of ctx, since the provider's answer must be recorded.
//
// The error is the provider's refusal, ProviderUnreachable or ProviderOutcomeUnknown.
func (g *core) attempt(ctx context.Context, l store.Lease, actor string) (registrar.Client, error) {
	ctx = context.WithoutCancel(ctx)
	if l.Kind == registrar.CallRead { // of an ended process: the next comparison reads again
		return registrar.Client{}, g.store.Do(ctx, func(tx *store.Tx) error { return tx.Settle(l) })
	}
	result := answer{err: idp.ErrUnreachable, prior: l.Prior}
	if l.Attempts <= maxAttempts {
		step, span := trace.Tracer(ctx).Start(ctx, "call the identity provider", oteltrace.WithAttributes(
			attribute.String("client", l.ClientID), attribute.String("call.kind", string(l.Kind)), attribute.Int("call.attempt", l.Attempts)))
		result = g.callProvider(step, l)
		failure := ""
		if errors.Is(result.err, idp.ErrUnreachable) || errors.Is(result.err, idp.ErrOutcomeUnknown) {
			failure = "unreachable"
		}
		trace.End(span, failure)
	}
	if l.Kind == registrar.CallUpdate && l.Prior == registrar.PriorOurs && errors.Is(result.err, idp.ErrLocked) {
		result.err = nil // the provider cannot be read: the confirmation of the PARTNER_ADMIN decides
	}
	g.warnWithoutUpdates(ctx, l, result)
	kept := g.storeRecord(ctx, l, result)
	client, stored, err := g.recordOutcome(ctx, l, result, actor)
	if err != nil && l.Kind == registrar.CallRegister && result.err == nil {
		g.removeOrphan(ctx, l, result.record, stored)
	}
	switch err = errors.Join(err, kept); {
	case errors.Is(err, store.ErrLeaseLost):
		// Another worker repeats this call and records its outcome.
		return client, fmt.Errorf("%w: %w", idp.ErrUnreachable, err)
	case err != nil:
		return client, errors.Join(err, result.err)
	}
	return client, result.err
}

// answer is the result of a call to the provider.
type answer struct {
	err    error
	record registrar.ProviderRecord
	before registrar.ProviderRecord // as stored
	prior  registrar.Prior          // possible state at the provider now
}

// callProvider calls the provider.
func (g *core) callProvider(ctx context.Context, l store.Lease) (a answer) {
	begun := time.Now()
	defer func() {
		g.measures.observeCall(l.Kind, time.Since(begun), a.err)
	}()
	a.prior = l.Prior
	lost := func(err error) answer {
		a.err = fmt.Errorf("%w: %w: %w", idp.ErrUnreachable, idp.ErrNotSent, err)
		return a
	}
	client, err := g.store.Client(ctx, l.ClientID)
	if err != nil {
		return lost(err)
	}
	if a.record, err = g.providerRecord(ctx, l.ClientID); err != nil {
		return lost(err)
	}
	a.before = a.record
	switch l.Kind {
	case registrar.CallRegister:
		a.record, a.err = g.Provider.Register(ctx, client, l.Prior)
	case registrar.CallRemove:
		a.prior, a.err = g.Provider.Remove(ctx, client, a.record, l.Prior)
	default:
		client.OutcomeUnknown = false // a repeated call, which resolves the unknown outcome if the provider answers
		if client, a.err = client.Update(l.Wanted, client.UpdatedAt); a.err == nil {
			a.record, a.err = g.Provider.Update(ctx, client, a.record, l.Prior)
		}
	}
	if errors.Is(a.err, idp.ErrOurs) {
		a.prior = registrar.PriorOurs
	}
	if l.Kind == registrar.CallUpdate && errors.Is(a.err, idp.ErrOutcomeUnknown) && !errors.Is(a.err, idp.ErrLocked) {
		a.prior = registrar.PriorUnknown // a confirmation concerned the state before this update
	}
	if a.prior == registrar.PriorNone && (errors.Is(a.err, idp.ErrUnreachable) || errors.Is(a.err, idp.ErrOutcomeUnknown)) &&
		!errors.Is(a.err, idp.ErrNotSent) {
		a.prior = registrar.PriorUnknown
	}
	return a
}

// storeRecord stores the provider's record from the reply to an update before any step that can fail: the
// previous record may be void.
func (g *core) storeRecord(ctx context.Context, l store.Lease, result answer) error {
	if l.Kind != registrar.CallUpdate || result.record == result.before {
		return nil
	}
	kept, err := g.sealRecord(l.ClientID, result.record)
	if err != nil {
		return err
	}
	return g.store.Do(ctx, func(tx *store.Tx) error { return tx.PutRecord(kept) })
}

// warnWithoutUpdates logs at the first registration that the provider does not support updates.
func (g *core) warnWithoutUpdates(ctx context.Context, l store.Lease, result answer) {
	if l.Kind == registrar.CallRegister && result.err == nil && result.record.ClientID != "" && result.record.URI == "" {
		g.noUpdates.Do(func() {
			g.log.WarnContext(ctx, "identity provider returned no registration_client_uri; its clients cannot be changed or disabled", "client", l.ClientID)
		})
	}
}

// removeOrphan deletes a new registration at the provider unless it is stored. If that is unknown, it
// logs the client.
func (g *core) removeOrphan(ctx context.Context, l store.Lease, record registrar.ProviderRecord, stored bool) {
	if record.ClientID == "" {
		return // the provider uses our id, so a repeated call finds it
	}
	err := errors.New("it may be stored, or not")
	if !stored {
		_, err = g.Provider.Remove(ctx, registrar.Client{ID: l.ClientID}, record, registrar.PriorOurs)
	}
	if err != nil {
		g.log.ErrorContext(ctx, "client may be orphaned at the identity provider",
			"client", l.ClientID, "provider_client", record.ClientID, "error", err.Error())
	}
}

// recordOutcome records the outcome of a call. It applies the change, reverts it after a refusal, or
// schedules the next attempt or a manual resolution. It returns store.ErrLeaseLost if the lease is
// lost. With an error, stored reports whether the outcome may be stored.
func (g *core) recordOutcome(ctx context.Context, l store.Lease, result answer, actor string) (client registrar.Client, stored bool, err error) {
	kept, err := g.sealRecord(l.ClientID, result.record)
	if err != nil {
		return client, false, err
	}
	err = g.store.Do(ctx, func(tx *store.Tx) error {
		stored = false
		before, err := tx.Client(l.ClientID)
		if errors.Is(err, registrar.ClientNotFound) {
			return store.ErrLeaseLost
		}
		if err != nil {
			return err
		}
		o := outcome{
			tx: tx, lease: l, before: before, result: result, kept: kept, readable: g.Provider.Abilities().Settles, jitter: g.Jitter(),
			event: registrar.Event{ClientID: l.ClientID, Actor: actor},
		}
		client, err = o.record()
		stored = err == nil
		return err
	})
	return client, stored, err
}

// outcome is the result of a call in the transaction that records it.
type outcome struct {
	tx     *store.Tx
	lease  store.Lease
	before registrar.Client
	result answer
	kept   store.Record // of result
	event  registrar.Event

	readable bool    // see registrar.CallOutcome
	jitter   float64 // see work.Delay
}

// record executes the step that registrar.Call.Next decides.
func (o outcome) record() (registrar.Client, error) {
	result := callResult(o.result.err)
	step, next := o.lease.Next(registrar.CallOutcome{
		Result: result, Prior: o.result.prior, Client: o.before, Wanted: o.lease.Wanted,
		Readable: o.readable, Awaited: o.event.Actor != Worker,
	}, o.tx.Now(), o.jitter)
	if result == registrar.CallSucceeded || result == registrar.CallRefused {
		if err := o.resolve(); err != nil {
			return o.before, err
		}
	}
	switch result {
	case registrar.CallRefused:
		refused, ok := refusalEvent(o.result.err)
		if !ok {
			return o.before, o.result.err
		}
		o.event.Reason, o.event.ProviderCode = refused.Reason, refused.ProviderCode
	case registrar.CallUnreachable:
		o.event.Reason = registrar.ProviderUnreachable
	case registrar.CallOutcomeUnknown:
		o.event.Reason = registrar.ProviderOutcomeUnknown
	}
	switch step {
	case registrar.StepApply:
		return o.apply()
	case registrar.StepDiscard:
		return o.discard()
	case registrar.StepRemove:
		return o.remove()
	case registrar.StepFail:
		return o.fail(next)
	}
	if result == registrar.CallOutcomeUnknown && !o.before.OutcomeUnknown {
		after := o.before.RecordUnknownOutcome(o.tx.Now())
		return o.change(after, registrar.EventClientOutcomeUnknown, o.tx.Postpone(o.lease, next))
	}
	return o.before, o.tx.Postpone(o.lease, next)
}

// callResult classifies the error of an attempt.
func callResult(err error) registrar.CallResult {
	switch {
	case err == nil:
		return registrar.CallSucceeded
	case errors.Is(err, idp.ErrOutcomeUnknown):
		return registrar.CallOutcomeUnknown
	case errors.Is(err, idp.ErrUnreachable):
		return registrar.CallUnreachable
	}
	return registrar.CallRefused
}

// resolve resolves an unknown outcome after the provider has answered a repeated call.
func (o *outcome) resolve() error {
	if !o.before.OutcomeUnknown {
		return nil
	}
	settled, err := o.before.Resolve(o.tx.Now())
	if err != nil {
		return err
	}
	event := o.event
	event.Type = registrar.EventClientConfirmed
	if o.result.err != nil {
		event.Type = registrar.EventClientDropped
	}
	err = errors.Join(o.tx.PutClient(o.before, settled), o.tx.AddEvent(event))
	o.before = settled
	return err
}

// apply records a successful registration or update.
func (o outcome) apply() (registrar.Client, error) {
	if err := o.tx.Settle(o.lease); err != nil {
		return o.before, err
	}
	if o.lease.Kind == registrar.CallUpdate {
		after, err := o.before.Update(o.lease.Wanted, o.tx.Now())
		if err != nil {
			return o.before, err
		}
		return after, errors.Join(
			storeUpdate(o.tx, o.before, after, o.lease.Wanted, o.lease.Actor), releaseKeys(o.tx, o.lease, after))
	}
	after, err := o.before.Activate(o.result.record.ClientID, o.tx.Now())
	if err != nil {
		return o.before, err
	}
	o.event.ProviderClientID = after.ProviderClientID
	if o.result.record == (registrar.ProviderRecord{}) { // no provider record to store
		return o.change(after, registrar.EventClientActivated)
	}
	return o.change(after, registrar.EventClientActivated, o.tx.PutRecord(o.kept))
}

// discard drops an update that was refused, or that was never answered.
func (o outcome) discard() (registrar.Client, error) {
	event := registrar.EventClientFailed
	if o.event.Reason != registrar.ProviderUnreachable {
		event = registrar.EventClientRefused
	}
	if errors.Is(o.result.err, idp.ErrMissing) {
		missing := registrar.Difference{Kind: registrar.DifferenceMissing}
		if err := recordDifference(o.tx, o.before.ID, o.event.Actor, missing); err != nil {
			return o.before, err
		}
	}
	return o.change(o.before, event, o.tx.Settle(o.lease), releaseKeys(o.tx, o.lease, o.before))
}

// fail records the final failure of a registration, with its held call.
func (o outcome) fail(held registrar.Call) (registrar.Client, error) {
	if err := o.tx.Postpone(o.lease, held); err != nil {
		return o.before, err
	}
	why := registrar.Failure{Reason: o.event.Reason, ProviderCode: o.event.ProviderCode}
	if one, ok := errors.AsType[*refusal.Error](o.result.err); ok {
		why.Message = one.Message
	}
	after, err := o.before.Fail(why, o.tx.Now())
	if err != nil {
		return o.before, err
	}
	return o.change(after, registrar.EventClientFailed)
}

// remove deletes the client and its call: an abandoned client, or a registration that was refused.
func (o outcome) remove() (registrar.Client, error) {
	o.event.Type = registrar.EventClientRemoved
	if o.result.err != nil {
		o.event.Type = registrar.EventClientRefused
	}
	return o.before, errors.Join(o.tx.Settle(o.lease), o.tx.RemoveClient(o.before.ID), o.tx.AddEvent(o.event))
}

// change stores the client with an event.
func (o outcome) change(after registrar.Client, event registrar.EventType, more ...error) (registrar.Client, error) {
	o.event.Type = event
	return after, errors.Join(append(more, o.tx.PutClient(o.before, after), o.tx.AddEvent(o.event))...)
}

// releaseKeys releases the reserved keys of a finished update. The client's keys and those of a pending
// approval stay reserved.
func releaseKeys(tx *store.Tx, l store.Lease, c registrar.Client) error {
	if l.Wanted.Keys.IsZero() {
		return nil
	}
	return reserveKeys(tx, c, registrar.Update{})
}

// Pass makes due calls and reports whether there may be more. It logs failures, which are retried.
func (g *Calls) Pass(ctx context.Context) (more bool, err error) {
	n, err := g.RunOnce(ctx)
	if n > 0 && err != nil {
		g.log.WarnContext(ctx, "provider call failed", "setting", "REGISTRAR_IDP_URL", "error", err.Error())
		err = nil
	}
	return n == Batch, err
}

// RunOnce makes up to eight due calls and returns their number.
func (g *Calls) RunOnce(ctx context.Context) (int, error) {
	var leases []store.Lease
	err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
		leases, err = tx.TakeDue(Batch, g.Process)
		return err
	})
	if err != nil {
		return 0, err
	}
	g.measures.countTakeovers(leases)
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
