package jobs

import "context"

// Comparer is the name of the leader lock for the comparison with the identity provider.
const Comparer = "reconcile"

// reconcile returns the pass that compares clients with the identity provider when a comparison is due. It resigns
// afterwards, so that a command can lead.
func (j Jobs) reconcile() func(context.Context) (bool, error) {
	leader := j.DB.Leader(Comparer)
	return func(ctx context.Context) (bool, error) {
		due, err := j.Engine.Reconciliation.IsDue(ctx, j.ReconcileEvery)
		if err != nil || !due {
			return false, err
		}
		if leads, err := leader.TryLead(ctx); err != nil || !leads {
			return false, err
		}
		defer leader.Resign()
		return false, j.Engine.Reconciliation.Pass(ctx)
	}
}
