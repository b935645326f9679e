package engine

import (
	"context"
	"time"

	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Deletion has the use cases that delete expired data.
type Deletion struct{ *core }

// Kept holds the retention periods. Zero keeps objects forever.
type Kept struct{ Refusals, Deliveries time.Duration }

// Purged holds the number of deleted or deletable objects of each kind.
type Purged struct{ Events, Deliveries int64 }

// CountPurgeable counts the objects that Purge would delete now.
func (g *Deletion) CountPurgeable(ctx context.Context, kept Kept) (n Purged, err error) {
	now, err := g.store.Now(ctx)
	if err == nil && kept.Refusals != 0 {
		n.Events, err = g.store.CountOldEvents(ctx, now.Add(-kept.Refusals))
	}
	if err == nil && kept.Deliveries != 0 {
		n.Deliveries, err = g.store.CountOldDeliveries(ctx, now.Add(-kept.Deliveries))
	}
	return n, err
}

// Purge deletes expired refusals, events of deleted clients, and finished deliveries in batches,
// each in its own transaction. It returns their number, also after an error.
func (g *Deletion) Purge(ctx context.Context, kept Kept, batch int) (n Purged, err error) {
	now, err := g.store.Now(ctx)
	if err == nil && kept.Refusals != 0 {
		n.Events, err = g.purge(ctx, batch, func(tx *store.Tx) (int, error) { return tx.PurgeEvents(now.Add(-kept.Refusals), batch) })
	}
	if err == nil && kept.Deliveries != 0 {
		n.Deliveries, err = g.purge(ctx, batch, func(tx *store.Tx) (int, error) { return tx.PurgeDeliveries(now.Add(-kept.Deliveries), batch) })
	}
	return n, err
}

// purge deletes batches until one is not full.
func (g *Deletion) purge(ctx context.Context, batch int, some func(*store.Tx) (int, error)) (done int64, err error) {
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
