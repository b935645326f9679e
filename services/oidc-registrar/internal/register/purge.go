package register

import (
	"context"
	"time"

	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Kept is how long objects are kept after their end. Zero is for ever.
type Kept struct{ Refusals, Deliveries time.Duration }

// Purged is how many objects of each kind were deleted, or could be.
type Purged struct{ Events, Deliveries int64 }

// Purgeable counts what Purge would delete now.
func (g *Engine) Purgeable(ctx context.Context, kept Kept) (n Purged, err error) {
	now, err := g.store.Now(ctx)
	if err == nil && kept.Refusals != 0 {
		n.Events, err = g.store.CountOldEvents(ctx, now.Add(-kept.Refusals))
	}
	if err == nil && kept.Deliveries != 0 {
		n.Deliveries, err = g.store.CountOldDeliveries(ctx, now.Add(-kept.Deliveries))
	}
	return n, err
}

// Purge deletes refusals that are kept long enough, events of clients that there are no
// more, and deliveries that have ended, batch by batch, each in a transaction of its own. It
// returns how many; after an error, how many were deleted before it.
func (g *Engine) Purge(ctx context.Context, kept Kept, batch int) (n Purged, err error) {
	now, err := g.store.Now(ctx)
	if err == nil && kept.Refusals != 0 {
		n.Events, err = g.purge(ctx, batch, func(tx *store.Tx) (int, error) { return tx.PurgeEvents(now.Add(-kept.Refusals), batch) })
	}
	if err == nil && kept.Deliveries != 0 {
		n.Deliveries, err = g.purge(ctx, batch, func(tx *store.Tx) (int, error) { return tx.PurgeDeliveries(now.Add(-kept.Deliveries), batch) })
	}
	return n, err
}

// purge deletes one batch after the other, until there is no full one.
func (g *Engine) purge(ctx context.Context, batch int, some func(*store.Tx) (int, error)) (done int64, err error) {
	for n := batch; n == batch; done += int64(n) {
		err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
			n, err = some(tx)
			return err
		})
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
