package server

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/jobs"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// periods returns the retention periods.
func (r Retention) periods() engine.Kept {
	return engine.Kept{Refusals: time.Duration(r.Refusals), Deliveries: time.Duration(r.Deliveries)}
}

// Purge deletes expired events and deliveries, or counts them in a dry run. It reports their
// number, also after an error.
func Purge(ctx context.Context, db *sqldb.DB, r Retention, dryRun bool) (done string, err error) {
	core := engine.New(engine.Options{Store: store.New(db)})
	if dryRun {
		n, err := core.Deletion.CountPurgeable(ctx, r.periods())
		return fmt.Sprintf("dry run, nothing was deleted: %d events and %d deliveries are old enough; --no-dry-run deletes them", n.Events, n.Deliveries), err
	}
	n, err := core.Deletion.Purge(ctx, r.periods(), jobs.PurgeBatch)
	return fmt.Sprintf("deleted %d events, %d deliveries", n.Events, n.Deliveries), err
}
