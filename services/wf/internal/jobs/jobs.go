// Package jobs lists the background jobs of wf. The heartbeat (libs/heartbeat) and the sender of
// webhooks (libs/outbox/webhooks) have loops of their own: the sender ends with the heartbeat.
package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/waiting"
)

// Jobs are the background jobs of a process.
type Jobs struct {
	Engine   *engine.Engine
	Store    *store.Store
	DB       *sqldb.DB
	Sessions *session.Store
	Logger   *slog.Logger
	Metrics  *metrics.Registry

	Leads func(context.Context) (bool, error) // see heartbeat.Process

	KeySetting    string        // the variable of the encryption keys, for logs
	ExpiresBefore time.Duration // the warning before the expiry of a request and the lapse of an approval; 0 for none

	CheckpointEvery time.Duration // 0 for no checkpoints
}

// Numbers of rows of one pass.
const (
	batch      = 100
	purgeBatch = 1000
)

// Logouts returns the job of every process that loads the logouts of the others.
func (j Jobs) Logouts() *daemon.Loop {
	return j.job("load_logouts", 5*time.Second, func(ctx context.Context) (bool, error) { return false, j.Sessions.LoadLogouts(ctx) })
}

// Keys returns the job of every process that checks whether the keys decrypt the stored secrets.
func (j Jobs) Keys() *daemon.Loop {
	return webhooks.KeyLoop(j.KeySetting, j.Engine.Webhooks.CheckKeys, j.Logger, j.Metrics) // every minute
}

// Watch returns the job of every process that wakes its waiting calls after changes by other processes.
func (j Jobs) Watch(w *waiting.Watcher) *daemon.Loop {
	return j.job("watch_requests", 500*time.Millisecond, func(ctx context.Context) (bool, error) { return false, w.Poll(ctx) })
}

// Workers lists the jobs of the processes with WF_WORKERS. Replicas run them at the same time, but for
// the checker and the figures.
func (j Jobs) Workers() []*daemon.Loop {
	e := j.Engine
	figures := j.job("figures", 5*time.Minute, func(ctx context.Context) (bool, error) {
		return false, j.Store.RefreshFigures(ctx)
	})
	figures.Leads = j.Leads
	return []*daemon.Loop{
		j.job("expiry", time.Second, j.duePass(e.Timers.ExpireRequests)),
		j.job("lapses", time.Second, j.duePass(e.Timers.LapseApprovals)),
		j.job("deadlines", time.Second, j.duePass(e.Timers.ProcessDeadlines)),
		j.job("retry_stages", time.Second, j.duePass(e.Timers.RetryStages)),
		j.job("delegations", time.Second, j.duePass(e.Delegations.RecordDelegations)),
		j.job("expiry_warnings", time.Minute, j.duePass(j.warn(e.Timers.WarnOfExpiry))),
		j.job("lapse_warnings", time.Minute, j.duePass(j.warn(e.Timers.WarnOfLapse))),
		j.job("checkpoints", checkpointTick(j.CheckpointEvery), func(ctx context.Context) (bool, error) {
			return false, e.Audit.MakeCheckpoint(ctx, j.CheckpointEvery)
		}),
		j.job("mails", 5*time.Second, j.duePass(e.Notices.SendMails)),
		j.checker(), // every minute
		figures,
		j.job("sessions", 10*time.Minute, upTo(purgeBatch, j.Sessions.Purge)),
		j.job("orphan_sweep", 15*time.Minute, func(ctx context.Context) (bool, error) { return false, e.Timers.Sweep(ctx) }),
		j.job("notices", time.Hour, upTo(purgeBatch, j.Store.Notices.Purge)),
		j.job("purge_logouts", time.Hour, upTo(purgeBatch, j.Sessions.PurgeLogouts)),
		j.job("purge_idempotency_keys", time.Hour, upTo(purgeBatch, j.Store.PurgeKeys)),
	}
}

func (j Jobs) job(name string, every time.Duration, pass func(context.Context) (more bool, err error)) *daemon.Loop {
	return &daemon.Loop{Name: name, Every: every, Logger: j.Logger, Metrics: j.Metrics, Pass: pass}
}

// checkpointTick returns the time between passes of checkpoints: well below the interval of checkpoints, which counts
// for all processes.
func checkpointTick(every time.Duration) time.Duration {
	const slowest = 10 * time.Second
	if every == 0 {
		return slowest
	}
	return min(every/5, slowest)
}

// upTo returns a pass over a limited number of rows, which is repeated while it reaches the limit.
func upTo(limit int, pass func(context.Context, int) (int, error)) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		n, err := pass(ctx, limit)
		return n == limit, err
	}
}

// duePass returns a pass over the rows that are due by the clock of the database.
func (j Jobs) duePass(pass func(context.Context, time.Time, int) (int, error)) func(context.Context) (bool, error) {
	return upTo(batch, func(ctx context.Context, limit int) (int, error) {
		now, err := j.DB.Now(ctx)
		if err != nil {
			return 0, err
		}
		return pass(ctx, now, limit)
	})
}

// warn returns a pass of warnings, which does nothing without a warning period.
func (j Jobs) warn(
	pass func(context.Context, time.Duration, time.Time, int) (int, error),
) func(context.Context, time.Time, int) (int, error) {
	return func(ctx context.Context, now time.Time, limit int) (int, error) {
		if j.ExpiresBefore == 0 {
			return 0, nil
		}
		return pass(ctx, j.ExpiresBefore, now, limit)
	}
}
