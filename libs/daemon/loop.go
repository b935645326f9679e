package daemon

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/oplog"
)

// Loop is a job that runs in bounded, idempotent passes: at every tick, after Wake, and immediately after
// a pass that reports more work. A failed pass is retried at the next tick. Successive failures double the
// interval, up to maxBackoff, and are logged once a minute.
//
// The fields are set before the first use. A Loop must not be copied.
type Loop struct {
	Name   string        // for the log
	Every  time.Duration // between ticks, with a jitter of 20 %, so that replicas do not tick together
	Pass   func(ctx context.Context) (more bool, err error)
	Logger *slog.Logger // slog.Default() when nil

	Metrics *metrics.Registry // may be nil

	// Leads restricts the job to one process at a time: Pass runs while it returns true, otherwise Idle, if set. See
	// heartbeat.Process.
	Leads func(context.Context) (bool, error)
	Idle  func()

	once sync.Once
	wake chan struct{}

	failures oplog.Throttle
}

// maxBackoff is the longest interval of a failing loop, so that the loop resumes soon after its
// dependency recovers. The interval of a slower loop does not change.
const maxBackoff = 5 * time.Second

// Wake requests a pass. It never blocks. Calls during a pass, or before Run, cause one pass.
func (l *Loop) Wake() {
	select {
	case l.wakes() <- struct{}{}:
	default:
	}
}

// wakes returns the channel to which Wake sends.
func (l *Loop) wakes() chan struct{} {
	l.once.Do(func() { l.wake = make(chan struct{}, 1) })
	return l.wake
}

// pass runs a pass, unless another process leads.
func (l *Loop) pass(ctx context.Context) (more bool, err error) {
	if l.Leads == nil {
		return l.Pass(ctx)
	}
	switch leads, err := l.Leads(ctx); {
	case err != nil:
		return false, err
	case leads:
		return l.Pass(ctx)
	case l.Idle != nil:
		l.Idle()
	}
	return false, nil
}

// Run runs passes, one at a time and the first immediately, until ctx ends. It then
// returns nil.
func (l *Loop) Run(ctx context.Context) error {
	passes := l.Metrics.Counter("loop_passes_total", "Passes of background jobs.", "loop").WithLabelValues(l.Name)
	failures := l.Metrics.Counter("loop_failures_total", "Failed passes of background jobs.", "loop").
		WithLabelValues(l.Name)
	success := l.Metrics.Gauge("loop_last_success_timestamp_seconds", "Time of the last successful pass.", "loop").
		WithLabelValues(l.Name)
	log := cmp.Or(l.Logger, slog.Default())
	wait := l.Every
	for ctx.Err() == nil {
		more, err := l.pass(ctx)
		woken := l.wakes()
		passes.Inc()
		switch {
		case ctx.Err() != nil:
			return nil // err is that of ctx
		case err != nil:
			l.failures.LogFailure(ctx, log, slog.LevelError, "pass failed", "loop", l.Name, "error", err)
			failures.Inc()
			woken = nil
		default:
			l.failures.LogRecovery(ctx, log, "pass works again", "loop", l.Name)
			success.SetToCurrentTime()
			wait = l.Every
			if more {
				continue
			}
		}
		tick := time.NewTimer(time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64()))) // #nosec G404 -- jitter
		if err != nil {
			wait = max(l.Every, min(2*wait, maxBackoff))
		}
		select {
		case <-ctx.Done():
		case <-woken:
		case <-tick.C:
		}
		tick.Stop()
	}
	return nil
}
