package engine

import (
	"context"
	"time"

	"github.com/countersign/countersign/services/wf/internal/store"
)

// Deletion has the use cases that delete data: the end of its retention, and the erasure of a user.
type Deletion struct{ *core }

// Retention holds the retention periods of objects after their end. Zero keeps them forever.
// Idempotency keys have their own expiry and are deleted after it.
type Retention struct{ Requests, Deliveries, Refusals time.Duration }

// cutoffs returns the cutoff times.
func (r Retention) cutoffs(now time.Time) store.Old {
	ago := func(d time.Duration) time.Time {
		if d == 0 {
			return time.Time{}
		}
		return now.Add(-d)
	}
	return store.Old{Requests: ago(r.Requests), Deliveries: ago(r.Deliveries), Refusals: ago(r.Refusals), Keys: now}
}

// Purgeable counts the objects that Purge would delete now.
func (e *Deletion) Purgeable(ctx context.Context, r Retention) (store.Purgeable, error) {
	now, err := e.store.Now(ctx)
	if err != nil {
		return store.Purgeable{}, err
	}
	return e.store.CountPurgeable(ctx, r.cutoffs(now))
}

// Purge deletes objects beyond their retention in batches, one transaction each, and returns the
// numbers deleted. After an error, these are the numbers deleted before it.
//
// Keys are deleted first: the key of a deleted request would replay a reply about a missing object.
func (e *Deletion) Purge(ctx context.Context, r Retention, batch int) (done store.Purgeable, err error) {
	now, err := e.store.Now(ctx)
	if err != nil {
		return done, err
	}
	old := r.cutoffs(now)
	for n := batch; n == batch; done.Keys += int64(n) {
		if n, err = e.store.PurgeKeys(ctx, batch); err != nil {
			return done, err
		}
	}
	for _, kind := range []struct {
		count  *int64
		before time.Time
		pass   func(tx *store.Tx, before time.Time, limit int) (int, error)
	}{
		{&done.Requests, old.Requests, (*store.Tx).PurgeRequests},
		{&done.Deliveries, old.Deliveries, (*store.Tx).PurgeDeliveries},
		{&done.Refusals, old.Refusals, (*store.Tx).PurgeRefusals},
	} {
		for n := batch; n == batch && !kind.before.IsZero(); *kind.count += int64(n) {
			err := e.store.Do(ctx, func(tx *store.Tx) (err error) {
				n, err = kind.pass(tx, kind.before, batch)
				return err
			})
			if err != nil {
				return done, err
			}
		}
	}
	return done, nil
}
