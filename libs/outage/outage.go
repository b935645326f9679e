// Package outage limits the log lines of a lasting or repeated failure.
package outage

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// every is the log interval of a lasting failure.
const every = time.Minute

// Log logs the failures of one dependency: the first immediately, then at most one a minute with
// the number of failures since. The zero value is a working dependency.
type Log struct {
	mu     sync.Mutex
	since  time.Time // first failure; zero while it works
	logged time.Time // time of the last log line
	more   int       // failures since that line
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

// Worked logs the recovery and the duration of the outage. It does nothing without an outage.
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
