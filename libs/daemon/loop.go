package daemon

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// Loop is a job that runs in passes: at every tick, when it is woken, and again at once
// while a pass says that there is more. A pass should be bounded, and harmless when
// there is nothing to do. One that fails is logged, and tried again at the next tick.
//
// The fields are set before the first use. A Loop must not be copied.
type Loop struct {
	Name   string        // for the log
	Every  time.Duration // between ticks, give or take a fifth: replicas must not tick together
	Pass   func(ctx context.Context) (more bool, err error)
	Logger *slog.Logger // slog.Default() when nil

	once sync.Once
	wake chan struct{}
}

// Wake asks for a pass soon. It never blocks. Calls that are made while a pass runs, or
// before Run, lead to one pass after that.
func (l *Loop) Wake() {
	select {
	case l.Woken() <- struct{}{}:
	default:
	}
}

// Woken is the channel that Wake sends to. Whoever sends there waits for room.
func (l *Loop) Woken() chan struct{} {
	l.once.Do(func() { l.wake = make(chan struct{}, 1) })
	return l.wake
}

// Run runs passes, one at a time and the first at once, until ctx ends. It then
// returns nil.
func (l *Loop) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		more, err := l.Pass(ctx)
		woken := l.Woken()
		switch {
		case ctx.Err() != nil:
			return nil // err then says that ctx has ended
		case err != nil:
			cmp.Or(l.Logger, slog.Default()).ErrorContext(ctx, "pass failed", "loop", l.Name, "error", err)
			woken = nil
		case more:
			continue
		}
		tick := time.NewTimer(time.Duration(float64(l.Every) * (0.8 + 0.4*rand.Float64()))) // #nosec G404 -- jitter
		select {
		case <-ctx.Done():
		case <-woken:
		case <-tick.C:
		}
		tick.Stop()
	}
	return nil
}
