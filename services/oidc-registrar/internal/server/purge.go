package server

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// purgeBatch is how many events are deleted in one transaction.
const purgeBatch = 1000

// Purge deletes what is old enough, or counts it in a dry run, and says how many events
// that is; after an error, how many were deleted before it.
func Purge(ctx context.Context, db *sqldb.DB, r Retention, dryRun bool) (done string, err error) {
	core := register.New(register.Options{Store: store.New(db)})
	kept := time.Duration(r.Refusals)
	if dryRun {
		n, err := core.Purgeable(ctx, kept)
		return fmt.Sprintf("dry run, nothing was deleted: %d events are old enough; --no-dry-run deletes them", n), err
	}
	n, err := core.Purge(ctx, kept, purgeBatch)
	return fmt.Sprintf("deleted %d events", n), err
}
