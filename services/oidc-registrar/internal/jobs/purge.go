package jobs

import (
	"context"

	"github.com/countersign/countersign/libs/sqldb"
)

// PurgeBatch is the number of rows that are deleted in one transaction.
const PurgeBatch = 1000

// purge deletes expired refusals and deliveries. The database role of the service may lack the right to
// delete; the owner of the tables then runs oidc-registrar purge.
func (j Jobs) purge(ctx context.Context) (bool, error) {
	_, err := j.Engine.Deletion.Purge(ctx, j.Kept, PurgeBatch)
	if sqldb.IsDenied(err) {
		err = nil
	}
	return false, err
}
