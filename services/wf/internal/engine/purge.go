package engine

import (
	"context"
	"errors"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Retention is how long objects are kept after their end. Zero is for ever. Idempotency
// keys have an end of their own, and are deleted after it.
type Retention struct{ Requests, Deliveries, Refusals, Drafts time.Duration }

// old returns the times before which objects are old enough.
func (r Retention) old(now time.Time) store.Old {
	ago := func(d time.Duration) time.Time {
		if d == 0 {
			return time.Time{}
		}
		return now.Add(-d)
	}
	return store.Old{Requests: ago(r.Requests), Deliveries: ago(r.Deliveries), Refusals: ago(r.Refusals), Keys: now, Drafts: ago(r.Drafts)}
}

// Purgeable counts what Purge would delete now.
func (e *Engine) Purgeable(ctx context.Context, r Retention) (store.Purgeable, error) {
	now, err := e.store.Now(ctx)
	if err != nil {
		return store.Purgeable{}, err
	}
	return e.store.CountPurgeable(ctx, r.old(now))
}

// Purge deletes what is old enough, batch by batch, each in a transaction of its own, and
// returns how many objects it deleted. After an error this is what was deleted before it.
//
// Keys go first: a key of a request that is deleted would repeat a reply about nothing.
func (e *Engine) Purge(ctx context.Context, r Retention, batch int) (store.Purgeable, error) {
	var done store.Purgeable
	now, err := e.store.Now(ctx)
	if err != nil {
		return done, err
	}
	old := r.old(now)
	in := func(pass func(tx *store.Tx, before time.Time, limit int) (int, error), before time.Time) func() (int, error) {
		return func() (n int, err error) {
			if before.IsZero() {
				return 0, nil
			}
			err = e.store.Do(ctx, func(tx *store.Tx) (err error) {
				n, err = pass(tx, before, batch)
				return err
			})
			if err != nil {
				return 0, err // all of it is there again
			}
			return n, nil
		}
	}
	for _, kind := range []struct {
		count *int64
		pass  func() (int, error)
	}{
		{&done.Keys, func() (int, error) { return e.store.PurgeKeys(ctx, batch) }},
		{&done.Requests, in((*store.Tx).PurgeRequests, old.Requests)},
		{&done.Deliveries, in((*store.Tx).PurgeDeliveries, old.Deliveries)},
		{&done.Refusals, in((*store.Tx).PurgeRefusals, old.Refusals)},
		{&done.Drafts, func() (int, error) { return e.purgeDrafts(ctx, old.Drafts, batch) }},
	} {
		for more := true; more; {
			n, err := kind.pass()
			*kind.count += int64(n)
			if err != nil {
				return done, err
			}
			more = n == batch
		}
	}
	return done, nil
}

// purgeDrafts deletes at most limit versions that were never activated and that nobody
// has touched since a time, and returns how many.
func (e *Engine) purgeDrafts(ctx context.Context, before time.Time, limit int) (int, error) {
	if before.IsZero() {
		return 0, nil
	}
	drafts, err := e.store.OldDrafts(ctx, before, limit)
	if err != nil {
		return 0, err
	}
	for i, draft := range drafts {
		err := e.store.Do(ctx, func(tx *store.Tx) error {
			if _, err := tx.LockPolicy(draft.PolicyKey); err != nil {
				return err
			}
			v, err := tx.Version(draft.PolicyKey, draft.Number)
			if err != nil || v.CheckDelete() != nil || !v.UpdatedAt.Before(before) {
				return err // somebody has touched it
			}
			if err := tx.DeleteVersion(v); err != nil {
				return err
			}
			return auditVersion(tx, wf.EventPolicyVersionDeleted, wf.SystemRetention, v)
		})
		if err != nil && !errors.Is(err, wf.PolicyNotFound) {
			return i, err
		}
	}
	return len(drafts), nil
}
