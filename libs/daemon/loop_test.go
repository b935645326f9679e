package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// passed is the result of a pass.
type passed struct {
	more bool
	err  error
}

func TestALoopPassesAtItsTime(t *testing.T) {
	const every = 10 * time.Second
	broken := errors.New("broken")
	tests := map[string]struct {
		passes []passed
		wakes  []time.Duration // since the start
		want   int             // passes within a second
		later  int             // passes more after that, until the next tick is surely over
		logged bool
	}{
		"at the start and at a tick":             {nil, nil, 1, 1, false},
		"at once again while there is more":      {[]passed{{more: true}, {more: true}}, nil, 3, 1, false},
		"when it is woken":                       {nil, []time.Duration{time.Millisecond}, 2, 1, false},
		"each time it is woken":                  {nil, []time.Duration{time.Millisecond, time.Second / 2}, 3, 1, false},
		"once for several wakes":                 {nil, []time.Duration{0, 0, 0}, 2, 1, false},
		"not before the tick after a failure":    {[]passed{{err: broken}}, []time.Duration{time.Millisecond}, 1, 2, true}, // the wake is not lost
		"not at once after a failure, with more": {[]passed{{true, broken}}, nil, 1, 1, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var logs bytes.Buffer
				var passes atomic.Int64
				loop := &Loop{Name: "sweep", Every: every, Logger: slog.New(slog.NewTextHandler(&logs, nil))}
				loop.Pass = func(context.Context) (bool, error) {
					n := int(passes.Add(1))
					if n > len(tt.passes) {
						return false, nil
					}
					return tt.passes[n-1].more, tt.passes[n-1].err
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				for _, after := range tt.wakes {
					if after == 0 {
						loop.Wake() // before Run
						continue
					}
					time.AfterFunc(after, loop.Wake)
				}
				go func() { ended <- loop.Run(ctx) }()
				<-time.After(time.Second)
				synctest.Wait()
				soon := int(passes.Load())
				if soon != tt.want {
					t.Errorf("%d passes within a second, want %d", soon, tt.want)
				}
				<-time.After(every*12/10 - time.Second/4)
				synctest.Wait()
				if got := int(passes.Load()) - soon; got != tt.later {
					t.Errorf("%d passes until the tick is over, want %d", got, tt.later)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Errorf("Run = %v, want nil", err)
				}
				if logged := strings.Contains(logs.String(), "loop=sweep error=broken"); logged != tt.logged {
					t.Errorf("logged: %s", &logs)
				}
			})
		})
	}
}

func TestLoopLogsNothingWhenPassIsCancelledByShutdown(t *testing.T) {
	var logs bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	loop := &Loop{Name: "sweep", Every: time.Hour, Logger: slog.New(slog.NewTextHandler(&logs, nil)), Pass: func(ctx context.Context) (bool, error) {
		cancel()
		return true, ctx.Err()
	}}
	if err := loop.Run(ctx); err != nil || logs.Len() != 0 {
		t.Errorf("Run = %v, logged %q", err, &logs)
	}
}

func TestFailingLoopBacksOffAndLogsOncePerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logs bytes.Buffer
		var passes, good atomic.Int64
		good.Store(1000)
		loop := &Loop{Name: "sweep", Every: time.Second / 2, Logger: slog.New(slog.NewTextHandler(&logs, nil)), Pass: func(context.Context) (bool, error) {
			if passes.Add(1) >= good.Load() {
				return false, nil
			}
			return true, errors.New("no database")
		}}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- loop.Run(ctx) }()
		<-time.After(150 * time.Second)
		synctest.Wait()
		// After half a second, one, two, four, and then five, give or take a fifth.
		if n := passes.Load(); n < 150/6+3 || n > 150/4+4 {
			t.Errorf("%d passes in 150 seconds", n)
		}
		if n := strings.Count(logs.String(), "pass failed"); n != 3 {
			t.Errorf("%d log lines in two minutes and a half:\n%s", n, &logs)
		}
		good.Store(0)
		before := passes.Load()
		<-time.After(6*time.Second + 6*time.Second)
		synctest.Wait()
		if n := passes.Load() - before; n < 8 {
			t.Errorf("%d passes since it works again", n)
		}
		cancel()
		if err := <-ended; err != nil || !strings.Contains(logs.String(), "pass works again") {
			t.Errorf("Run = %v, logged %s", err, &logs)
		}
	})
}
