package jobs

import (
	"context"
	"time"
)

// reconcile returns the pass that compares all clients with the identity provider. A failed comparison is repeated by
// the next pass.
func (j Jobs) reconcile() func(context.Context) (bool, error) {
	var last time.Time
	return func(ctx context.Context) (bool, error) {
		if j.ReconcileEvery == 0 || time.Since(last) < j.ReconcileEvery {
			return false, nil
		}
		err := j.Engine.Reconciliation.Pass(ctx)
		if err == nil {
			last = time.Now()
		}
		return false, err
	}
}
