package jobs

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

// PurgeBatch is the number of rows that are deleted in one transaction.
const PurgeBatch = 1000

// Kept is the retention of deliveries, and of events about refusals and removed clients.
var Kept = engine.Kept{Refusals: 90 * 24 * time.Hour, Deliveries: 90 * 24 * time.Hour}

// purge deletes expired refusals and deliveries. The database role of the service may lack the right to
// delete; the owner of the tables then runs oidc-registrar purge.
func (j Jobs) purge(ctx context.Context) (bool, error) {
	_, err := j.Engine.Deletion.Purge(ctx, Kept, PurgeBatch)
	if sqldb.IsDenied(err) {
		err = nil
	}
	return false, err
}
