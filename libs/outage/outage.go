// Package outage keeps the log of a failure short that lasts, or comes with every call.
package outage

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// every is how often a failure that goes on is logged.
const every = time.Minute

// Log tells of one thing that fails for a while: at once, and then at most once a minute,
// with how often it failed since. The zero value is for a thing that works.
type Log struct {
	mu     sync.Mutex
	since  time.Time // of the first failure; zero while it works
	logged time.Time // when it was last told
	more   int       // failures that were not
}

// Failed logs a failure, unless one was logged in the last minute.
func (l *Log) Failed(ctx context.Context, log *slog.Logger, level slog.Level, message string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.since.IsZero() {
		l.since = now
	}
	if !l.logged.IsZero() && now.Sub(l.logged) < every {
		l.more++
		return
	}
	if l.more > 0 {
		args = append(args, "more", l.more)
	}
	l.logged, l.more = now, 0
	log.Log(ctx, level, message, args...)
}

// Worked logs that the thing works again, if it has failed, and how long it did.
func (l *Log) Worked(ctx context.Context, log *slog.Logger, message string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.IsZero() {
		return
	}
	args = append(args, "failed_for", time.Since(l.since).Round(time.Millisecond).String())
	l.since, l.logged, l.more = time.Time{}, time.Time{}, 0
	log.Log(ctx, slog.LevelInfo, message, args...)
}
