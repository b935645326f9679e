// Package jobs lists the background jobs of oidc-registrar.
package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

// Jobs are the background jobs of a process.
type Jobs struct {
	Engine  *engine.Engine
	DB      *sqldb.DB
	Logger  *slog.Logger
	Metrics *metrics.Registry

	KeySetting     string        // the variable of the encryption keys, for logs
	ReconcileEvery time.Duration // 0 for never
	Kept           engine.Kept
}

// Approvals returns the job that calls the approval service. Registrations wake it.
func (j Jobs) Approvals() *daemon.Loop {
	return j.job("approval_calls", 5*time.Second, func(ctx context.Context) (bool, error) { return j.Engine.ApprovalPass(ctx, "") })
}

// Keys returns the job that checks whether the keys decrypt the stored secrets.
func (j Jobs) Keys() *daemon.Loop {
	return webhooks.KeyLoop(j.KeySetting, j.Engine.CheckKeys, j.Logger, j.Metrics) // every minute
}

// Workers lists the other jobs.
func (j Jobs) Workers() []*daemon.Loop {
	purge := j.job("retention", time.Hour, j.purge)
	purge.Leader = j.DB.Leader("purge")
	return []*daemon.Loop{
		j.job("provider_calls", 5*time.Second, j.Engine.Pass),
		daemon.CheckLoop(j.DB, j.Metrics, j.Engine.Check), // every minute
		j.job("reconcile", time.Minute, j.reconcile()),
		purge,
	}
}

func (j Jobs) job(name string, every time.Duration, pass func(context.Context) (more bool, err error)) *daemon.Loop {
	return &daemon.Loop{Name: name, Every: every, Logger: j.Logger, Metrics: j.Metrics, Pass: pass}
}

// Comparer is the name of the leader lock for the comparison with the identity provider.
const Comparer = "reconcile"

// reconcile returns the pass that compares clients with the identity provider when a comparison is due.
// It resigns after each comparison, so that a command can lead.
func (j Jobs) reconcile() func(context.Context) (bool, error) {
	leader := j.DB.Leader(Comparer)
	return func(ctx context.Context) (bool, error) {
		if j.ReconcileEvery == 0 || j.Engine.CheckComparable() != nil {
			return false, nil
		}
		due, err := j.Engine.ReconcileDue(ctx, j.ReconcileEvery)
		if err != nil || !due {
			return false, err
		}
		if leads, err := leader.Leads(ctx); err != nil || !leads {
			return false, err
		}
		more, err := j.Engine.ReconcilePass(ctx, j.ReconcileEvery)
		if !more || ctx.Err() != nil {
			leader.Resign()
		}
		return more, err
	}
}

// PurgeBatch is the number of events or deliveries that are deleted in one transaction.
const PurgeBatch = 1000

// purge deletes expired refusals and deliveries. The database role of the service may lack the right to
// delete; the owner of the tables then runs oidc-registrar purge.
func (j Jobs) purge(ctx context.Context) (bool, error) {
	_, err := j.Engine.Purge(ctx, j.Kept, PurgeBatch)
	if sqldb.IsDenied(err) {
		err = nil
	}
	return false, err
}
