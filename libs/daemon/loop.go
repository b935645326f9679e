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
	"github.com/countersign/countersign/libs/sqldb"
)

// Loop is a job that runs in passes: at every tick, when it is woken, and again at once
// while a pass says that there is more. A pass should be bounded, and harmless when
// there is nothing to do. One that fails is tried again at the next tick; while it goes on
// failing the ticks come less often, up to five seconds apart, and the log is told once a
// minute.
//
// The fields are set before the first use. A Loop must not be copied.
type Loop struct {
	Name   string        // for the log
	Every  time.Duration // between ticks, give or take a fifth: replicas must not tick together
	Pass   func(ctx context.Context) (more bool, err error)
	Logger *slog.Logger // slog.Default() when nil

	Metrics *metrics.Registry // may be nil

	// Leader is set for a job that runs in one process at a time. Pass then runs in the process that leads,
	// and Idle, if set, in the others. A pass may resign.
	Leader *sqldb.Leader
	Idle   func()

	once sync.Once
	wake chan struct{}

	failures oplog.Throttle
}

// maxBackoff is how far apart the ticks of a loop come that fails; those of a slower loop
// come as ever. So it goes on soon after what it needs is back.
const maxBackoff = 5 * time.Second

// Wake asks for a pass soon. It never blocks. Calls that are made while a pass runs, or
// before Run, lead to one pass after that.
func (l *Loop) Wake() {
	select {
	case l.WakeChannel() <- struct{}{}:
	default:
	}
}

// WakeChannel is the channel that Wake sends to. Whoever sends there waits for room.
func (l *Loop) WakeChannel() chan struct{} {
	l.once.Do(func() { l.wake = make(chan struct{}, 1) })
	return l.wake
}

// pass runs a pass, of a job with a leader only while this process leads.
func (l *Loop) pass(ctx context.Context) (more bool, err error) {
	if l.Leader == nil {
		return l.Pass(ctx)
	}
	if leads, err := l.Leader.Leads(ctx); err != nil || !leads {
		if l.Idle != nil && !leads {
			l.Idle()
		}
		return false, err
	}
	return l.Pass(ctx)
}

// Run runs passes, one at a time and the first at once, until ctx ends. It then
// returns nil.
func (l *Loop) Run(ctx context.Context) error {
	passes := l.Metrics.Counter("loop_passes_total", "Passes of the jobs that run beside the calls.", "loop").WithLabelValues(l.Name)
	failures := l.Metrics.Counter("loop_failures_total", "Those that failed.", "loop").WithLabelValues(l.Name)
	success := l.Metrics.Gauge("loop_last_success_timestamp_seconds", "When a pass of the job last went well.", "loop").WithLabelValues(l.Name)
	log := cmp.Or(l.Logger, slog.Default())
	wait := l.Every
	if l.Leader != nil {
		defer l.Leader.Resign()
	}
	for ctx.Err() == nil {
		more, err := l.pass(ctx)
		woken := l.WakeChannel()
		passes.Inc()
		switch {
		case ctx.Err() != nil:
			return nil // err then says that ctx has ended
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
