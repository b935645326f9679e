package jobs

import (
	"context"
	"time"
)

// reconcileEvery is the interval of comparisons.
const reconcileEvery = 24 * time.Hour

// reconcile returns the pass that compares all clients with the identity provider. A failed comparison is repeated by
// the next pass.
func (j Jobs) reconcile() func(context.Context) (bool, error) {
	var last time.Time
	return func(ctx context.Context) (bool, error) {
		if time.Since(last) < reconcileEvery {
			return false, nil
		}
		err := j.Engine.Reconciliation.Pass(ctx)
		if err == nil {
			last = time.Now()
		}
		return false, err
	}
}
