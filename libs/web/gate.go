package web

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
)

// Database holds the database checks of a Server.
type Database struct {
	Ping     func(context.Context) error // fails when it does not answer
	Writable func() error                // fails while the last known state is read-only
	TryWrite func(context.Context) error // attempts a write and updates the state of Writable
}

// gate holds the readiness of the service. Every call reads it, so database is set before started.
type gate struct {
	started  atomic.Bool            // the dependencies of the service are ready
	opened   chan struct{}          // closed by Start
	clockOff atomic.Bool            // the clock is wrong, so the times of tokens cannot be verified
	down     atomic.Pointer[string] // text for callers if the last ping of the database failed; otherwise nil
	missed   atomic.Int64           // failed pings before the start
	database Database

	logger   *slog.Logger
	patience time.Duration // see Options.Patience

	away, readOnly, troubled oplog.Throttle // logs of the database

	stopping context.Context // ended by Drain
	drain    context.CancelFunc
	longEnd  context.Context // ends the long calls
	endLong  context.CancelCauseFunc
}

const (
	pingTime   = 2 * time.Second
	probeEvery = time.Second
	tryEvery   = 5 * probeEvery // while the database rejects writes
)

// Start admits calls, including those that wait for it. It is called once.
func (g *gate) Start(db Database) {
	g.database = db
	g.started.Store(true)
	close(g.opened)
}

// startWait is the time of a call that waits for Start. A balancer sends calls to a new replica before its first check.
const startWait = 5 * time.Second

// awaitStart waits for Start, unless the database cannot be reached, and returns the refusal of the call; nil if it is
// admitted.
func (g *gate) awaitStart(ctx context.Context) *refusal.Error {
	if why := g.refusal(); why == nil || g.started.Load() || why.Reason != Starting {
		return why
	}
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	select {
	case <-g.opened:
	case <-ctx.Done():
	}
	return g.refusal()
}

// ClockOff sets whether the clock of the process differs too much from the database'g. Every call is then
// refused, because valid tokens would be 401.
func (g *gate) ClockOff(off bool) { g.clockOff.Store(off) }

// Started reports whether Start was called.
func (g *gate) Started() bool { return g.started.Load() }

// Drain makes readiness and health report the stop, adds Connection: close to every reply and ends long
// polls. Calls are still admitted.
//
// The server closes no idle connection, because a caller may be sending on it.
func (g *gate) Drain() { g.drain() }

// Stopping reports whether Drain was called.
func (g *gate) Stopping() bool { return g.stopping.Err() != nil }

// errStopping is the cause of the end of long calls.
var errStopping = errors.New("the service is stopping")

// EndLong ends the long calls; see Long. Later long calls end immediately.
func (g *gate) EndLong() { g.endLong(errStopping) }

// refusal returns the refusal of every call; nil if calls are admitted.
func (g *gate) refusal() *refusal.Error {
	down := g.down.Load()
	switch {
	case down != nil:
		return &refusal.Error{Reason: DatabaseDown, Message: *down}
	case !g.started.Load():
		return &refusal.Error{Reason: Starting, Message: "the service is starting"}
	case g.clockOff.Load():
		return &refusal.Error{Reason: Starting, Message: "the clock of this replica is wrong"}
	default:
		return nil
	}
}

// unready returns the reason for failing readiness; nil if the service is ready.
func (g *gate) unready() *refusal.Error {
	if g.stopping.Err() != nil {
		return &refusal.Error{Reason: Starting, Message: "the service is stopping"}
	}
	return g.refusal()
}

// Probe pings the database, and admits or refuses calls by the result. It ignores the end of ctx,
// because a closed client connection is no failure of the database.
func (g *gate) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(pingTime, g.patience))
	defer cancel()
	err := g.database.Ping(ctx)
	g.RecordDatabaseCheck(ctx, err)
	return err
}

// RecordDatabaseCheck records the result of a database check. Before the start the database counts as unreachable
// after two failures; until then the service is starting.
func (g *gate) RecordDatabaseCheck(ctx context.Context, err error) {
	if err == nil {
		g.down.Store(nil)
		g.away.LogRecovery(ctx, g.logger, "database", "reachable", true)
		return
	}
	g.away.LogFailure(ctx, g.logger, slog.LevelWarn, "database", "reachable", false, "error", err)
	if g.started.Load() || g.missed.Add(1) > 1 {
		text := "the database cannot be reached"
		g.down.Store(&text)
	}
}

// Watch probes until ctx ends, so that calls are admitted again without a health request, and returns
// nil. While the database rejects writes it tries to write every few seconds.
func (g *gate) Watch(ctx context.Context) error {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	var tried time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if g.Probe(ctx) != nil {
			continue
		}
		why := g.database.Writable()
		if why == nil {
			g.readOnly.LogRecovery(ctx, g.logger, "database", "takes_writes", true)
			continue
		}
		g.readOnly.LogFailure(ctx, g.logger, slog.LevelError, "database", "takes_writes", false, "error", why)
		if time.Since(tried) >= tryEvery {
			tried = time.Now()
			_ = g.database.TryWrite(ctx) // updates Writable
		}
	}
}

// Unavailable logs the database error of a call, at most once a minute.
func (g *gate) Unavailable(ctx context.Context, op Operation, err error) {
	g.troubled.LogFailure(ctx, g.logger, slog.LevelWarn, "database unavailable", "operation", op.ID, "error", err)
}

// Health is Ready and also reports a database that rejects writes. Readiness ignores it, because reads
// work.
func (g *gate) Health(ctx context.Context) error {
	if err := g.Ready(ctx); err != nil {
		return err
	}
	if g.database.Writable() != nil {
		return &refusal.Error{Reason: DatabaseDown, Message: "the database takes no writes"}
	}
	return nil
}

// Ready returns the reason for failing readiness, or nil. It queries the database.
func (g *gate) Ready(ctx context.Context) error {
	if why := g.unready(); why != nil && (why.Reason == Starting || !g.started.Load()) {
		return why
	}
	_ = g.Probe(ctx) // logs the error
	if why := g.unready(); why != nil {
		return why
	}
	return nil
}
