package register

import (
	"context"
	"time"

	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Purgeable counts the events that Purge would delete now.
func (g *Engine) Purgeable(ctx context.Context, kept time.Duration) (int64, error) {
	now, err := g.store.Now(ctx)
	if err != nil || kept == 0 {
		return 0, err
	}
	return g.store.CountOldEvents(ctx, now.Add(-kept))
}

// Purge deletes refusals that are kept long enough, and events of clients that there are
// no more, batch by batch, each in a transaction of its own. It returns how many; after an
// error, how many were deleted before it. Zero keeps them for ever.
func (g *Engine) Purge(ctx context.Context, kept time.Duration, batch int) (int64, error) {
	now, err := g.store.Now(ctx)
	if err != nil || kept == 0 {
		return 0, err
	}
	var done int64
	for {
		n := 0
		err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
			n, err = tx.PurgeEvents(now.Add(-kept), batch)
			return err
		})
		if err != nil {
			return done, err
		}
		done += int64(n)
		if n < batch {
			return done, nil
		}
	}
}
