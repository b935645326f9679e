// Package jobs lists the background jobs of oidc-registrar. The heartbeat (libs/heartbeat) and the sender of
// webhooks (libs/outbox/webhooks) have loops of their own: the sender ends with the heartbeat.
package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Jobs are the background jobs of a process.
type Jobs struct {
	Engine  *engine.Engine
	Store   *store.Store
	Logger  *slog.Logger
	Metrics *metrics.Registry

	Sessions *session.Store // of the console

	Leads func(context.Context) (bool, error) // see heartbeat.Process

	KeySetting string // the variable of the encryption keys, for logs
}

// Approvals returns the job that calls the approval service. Registrations wake it.
func (j Jobs) Approvals() *daemon.Loop {
	return j.job("approval_calls", 5*time.Second, func(ctx context.Context) (bool, error) { return j.Engine.Approvals.Pass(ctx, "") })
}

// Standing returns the job that follows granted approvals.
func (j Jobs) Standing() *daemon.Loop {
	return j.job("approval_standing", 5*time.Second, j.Engine.Approvals.FollowPass)
}

// Keys returns the job that checks whether the keys decrypt the stored secrets.
func (j Jobs) Keys() *daemon.Loop {
	return webhooks.KeyLoop(j.KeySetting, j.Engine.Webhooks.CheckKeys, j.Logger, j.Metrics) // every minute
}

// Logouts returns the job of every process that loads the logouts of the others.
func (j Jobs) Logouts() *daemon.Loop {
	return j.job("load_logouts", 5*time.Second, func(ctx context.Context) (bool, error) { return false, j.Sessions.LoadLogouts(ctx) })
}

// Workers lists the other jobs.
func (j Jobs) Workers() []*daemon.Loop {
	purge := j.job("retention", time.Hour, j.purge)
	purge.Leads = j.Leads
	end := j.job("end_clients", time.Minute, func(ctx context.Context) (bool, error) {
		_, err := j.Engine.Clients.EndClients(ctx)
		return false, err
	})
	end.Leads = j.Leads
	reconcile := j.job("reconcile", time.Minute, j.reconcile())
	reconcile.Leads = j.Leads
	return []*daemon.Loop{
		j.job("provider_calls", 5*time.Second, j.Engine.Calls.Pass),
		daemon.CheckLoop(j.Leads, j.Metrics, j.check), // every minute
		j.job("sessions", 10*time.Minute, upTo(PurgeBatch, j.Sessions.Purge)),
		j.job("purge_logouts", time.Hour, upTo(PurgeBatch, j.Sessions.PurgeLogouts)),
		purge, end, reconcile,
	}
}

func (j Jobs) job(name string, every time.Duration, pass func(context.Context) (more bool, err error)) *daemon.Loop {
	return &daemon.Loop{Name: name, Every: every, Logger: j.Logger, Metrics: j.Metrics, Pass: pass}
}

// upTo returns a pass over a limited number of rows, which is repeated while it reaches the limit.
func upTo(limit int, pass func(context.Context, int) (int, error)) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		n, err := pass(ctx, limit)
		return n == limit, err
	}
}
