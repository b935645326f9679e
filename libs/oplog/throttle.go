package oplog

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// throttleEvery is the log interval of a lasting failure.
const throttleEvery = time.Minute

// Throttle logs the failures of one dependency: the first immediately, then at most one a minute with
// the number of failures since. The zero value is a working dependency.
type Throttle struct {
	mu     sync.Mutex
	since  time.Time // first failure; zero while it works
	logged time.Time // time of the last log line
	more   int       // failures since that line
}

// LogFailure logs a failure, unless one was logged in the last minute.
func (t *Throttle) LogFailure(ctx context.Context, log *slog.Logger, level slog.Level, message string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.since.IsZero() {
		t.since = now
	}
	if !t.logged.IsZero() && now.Sub(t.logged) < throttleEvery {
		t.more++
		return
	}
	if t.more > 0 {
		args = append(args, "more", t.more)
	}
	t.logged, t.more = now, 0
	log.Log(ctx, level, message, args...)
}

// LogRecovery logs the recovery and the duration of the outage. It does nothing without an outage.
func (t *Throttle) LogRecovery(ctx context.Context, log *slog.Logger, message string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.since.IsZero() {
		return
	}
	args = append(args, "failed_for", time.Since(t.since).Round(time.Millisecond).String())
	t.since, t.logged, t.more = time.Time{}, time.Time{}, 0
	log.Log(ctx, slog.LevelInfo, message, args...)
}
