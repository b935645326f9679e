package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// FollowPass is FollowOnce that reports whether there may be more. It logs failures, which are
// retried after their lease. After a failure the next pass waits, since the approval service may be
// unreachable.
func (g *Approvals) FollowPass(ctx context.Context) (more bool, err error) {
	n, err := g.FollowOnce(ctx)
	if n > 0 && err != nil {
		g.warnFailedCall(ctx, err)
		return false, nil
	}
	return n == Batch, err
}

// FollowOnce reads the standing of due granted approvals and executes the steps that they require.
// It returns their number.
func (g *Approvals) FollowOnce(ctx context.Context) (int, error) {
	if g.Approvals == nil {
		return 0, nil
	}
	var taken []registrar.Approval
	var now time.Time
	err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
		now = tx.Now()
		taken, err = tx.Approvals.TakeGranted(Batch, approvalLease)
		return err
	})
	if err != nil {
		return 0, err
	}
	var group sync.WaitGroup
	errs := make([]error, len(taken))
	for i, a := range taken {
		group.Go(func() { errs[i] = g.advance(context.WithoutCancel(ctx), a, now) })
	}
	group.Wait()
	return len(taken), errors.Join(errs...)
}

// follow reads the standing of a granted approval that was leased at a time, and records it. The end of
// its validity needs no read.
func (g *Approvals) follow(ctx context.Context, a registrar.Approval, at time.Time) error {
	var verdict registrar.Verdict
	if !a.HasLapsed(at) {
		var err error
		if verdict, err = g.Approvals.Verdict(ctx, a); err != nil {
			return err
		}
	}
	return g.recordStanding(ctx, a, verdict)
}

// recordStanding records the standing of a granted approval and executes the step that it requires. A
// change of the client that is in flight postpones the end of the approval. The worker makes the
// provider call of a suspension.
func (g *Approvals) recordStanding(ctx context.Context, a registrar.Approval, verdict registrar.Verdict) error {
	err := g.store.Do(ctx, func(tx *store.Tx) error {
		if a.Kind == registrar.CallMapping {
			return g.recordMappingStanding(tx, a, verdict)
		}
		d, call, err := g.dependence(tx, a.RecordStanding(verdict, tx.Now()))
		if err != nil {
			return err
		}
		after := d.Approval
		switch d.Next() {
		case registrar.FollowWait: // until the lease has ended
			return nil
		case registrar.FollowReplace:
			after = a
			after.Standing = registrar.StandingReplaced
		case registrar.FollowSuspend:
			err = g.suspend(tx, d, call)
		case registrar.FollowFail:
			err = g.failUnsent(tx, d)
		}
		after.DueAt = after.NextRead(verdict, tx.Now())
		return errors.Join(err, tx.Approvals.Put(a, after))
	})
	if errors.Is(err, registrar.StaleClient) { // a call is in flight
		return nil
	}
	return err
}

// dependence loads the state that decides the effect of a granted approval, and locks its client. The
// call is the pending one of the client.
func (g *Approvals) dependence(tx *store.Tx, a registrar.Approval) (registrar.Dependence, store.Lease, error) {
	d := registrar.Dependence{Approval: a}
	var err error
	if d.Client, err = tx.Client(a.ClientID); err != nil {
		if errors.Is(err, registrar.ClientNotFound) {
			err = nil
		}
		return registrar.Dependence{Approval: a}, store.Lease{}, err
	}
	call, _, err := tx.Call(a.ClientID)
	d.Call = call.Call
	return d, call, err
}

// suspend makes the client of an ended approval INACTIVE, here and then at the identity provider.
func (g *Approvals) suspend(tx *store.Tx, d registrar.Dependence, call store.Lease) error {
	c := d.Client
	after, err := c.Suspend(tx.Now())
	if err != nil {
		return err
	}
	return g.disable(tx, c, after, call, c.Suspension(), d.Approval.EndEvent(c, after, Worker, tx.Now()))
}

// failUnsent fails a registration whose approval ended before it was sent.
func (g *Approvals) failUnsent(tx *store.Tx, d registrar.Dependence) error {
	c := d.Client
	after, err := c.Fail(d.Approval.Refusal(), tx.Now())
	if err != nil {
		return err
	}
	held := g.newCall(tx, c.ID, registrar.CallRegister, registrar.Call{}, registrar.Update{}, Caller{Subject: Worker}, held)
	ended := d.Approval.EndEvent(c, after, Worker, tx.Now())
	return errors.Join(tx.Enqueue(*held, g.Process), tx.PutClient(c, after), tx.AddEvent(ended))
}
