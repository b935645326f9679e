package server

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/jobs"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Purge deletes expired events and deliveries, or counts them in a dry run. It reports their
// number, also after an error.
func Purge(ctx context.Context, db *sqldb.DB, dryRun bool) (done string, err error) {
	core := engine.New(engine.Options{Store: store.New(db)})
	if dryRun {
		n, err := core.Deletion.CountPurgeable(ctx, jobs.Kept)
		return fmt.Sprintf("dry run, nothing was deleted: %d events and %d deliveries are old enough; --no-dry-run deletes them", n.Events, n.Deliveries), err
	}
	n, err := core.Deletion.Purge(ctx, jobs.Kept, jobs.PurgeBatch)
	return fmt.Sprintf("deleted %d events, %d deliveries", n.Events, n.Deliveries), err
}
