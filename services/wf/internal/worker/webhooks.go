// Package worker does what nobody waits for: it sends the deliveries and runs the
// timers. With package engine it is the only place that writes.
//
// A worker keeps nothing in memory that matters. What is due is in the database,
// and whoever works on it holds a lease there, so that any number of processes may
// run and any of them may die at any time.
package worker

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/signing"
	"github.com/countersign/countersign/services/wf/internal/store"
)

const (
	defaultConcurrency = 128
	defaultPerTarget   = 8
	defaultLease       = 45 * time.Second

	// poll is how late a delivery is found if nobody has woken the worker: a retry that
	// falls due, or one that another process has stored.
	poll = 500 * time.Millisecond

	// gather is the time between two claims while most exchanges run. A few large
	// claims cost the database less than many small ones.
	gather = 10 * time.Millisecond

	// finishLimit bounds how long a result takes to be stored.
	finishLimit = 5 * time.Second

	// grace is how long running exchanges may take when the worker is told to stop.
	grace = 5 * time.Second
)

// Options is what a Webhooks works with. Numbers that are zero get the default.
type Options struct {
	Store *store.Store

	// Client makes the exchanges and bounds their time. It comes from package egress,
	// without retries: the schedule is in the database, and two schedules would
	// multiply.
	Client *http.Client

	Keys      seal.Keys       // open the keys of endpoints
	Callbacks signing.Secrets // sign for callbacks

	Concurrency int           // exchanges at a time; 128
	PerTarget   int           // exchanges at a time with one target; 8
	Lease       time.Duration // of a delivery that is being sent; 45 s, three times an exchange

	// Jitter spreads retries; see wf.Delivery.Finish. It must be safe for concurrent
	// use. When nil it is random.
	Jitter func() float64

	Logger *slog.Logger // slog.Default() when nil
}

// Webhooks sends deliveries to their targets by Standard Webhooks 1.0.0, each at least
// once. If the process dies before it has stored an outcome, the delivery is sent again
// under the same webhook-id when its lease has run out.
//
// Every time that is stored comes from the database's clock. The process's clock only
// measures durations, so it may be wrong, or jump.
type Webhooks struct {
	Options
	loop daemon.Loop
}

// NewWebhooks returns a worker that does nothing before Run or RunOnce.
func NewWebhooks(o Options) *Webhooks {
	o.Concurrency = cmp.Or(o.Concurrency, defaultConcurrency)
	o.PerTarget = cmp.Or(o.PerTarget, defaultPerTarget)
	o.Lease = cmp.Or(o.Lease, defaultLease)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Jitter == nil {
		o.Jitter = rand.Float64 // #nosec G404 -- jitter
	}
	return &Webhooks{Options: o, loop: daemon.Loop{Name: "webhooks", Every: poll, Logger: o.Logger}}
}

// Wake says that a delivery may be due. It never blocks.
func (w *Webhooks) Wake() { w.loop.Wake() }

// Run sends what is due until ctx ends, and then returns nil. It takes only as many
// deliveries as it can send at once, so none waits in memory while its lease runs. A
// target that hangs takes at most PerTarget exchanges.
//
// Exchanges that run when ctx ends get a few seconds more. One that is cut off then is
// treated as after a crash.
func (w *Webhooks) Run(ctx context.Context) error {
	exchanges, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	outcomes := make(chan outcome, w.Concurrency)
	var running, settling sync.WaitGroup
	var busy atomic.Int64
	settling.Go(func() {
		for batch := range gathered(outcomes, w.Concurrency) {
			if err := w.settle(exchanges, batch); err != nil {
				w.Logger.ErrorContext(ctx, "outcomes of deliveries not stored", "deliveries", len(batch), "error", err)
			}
			w.Wake() // there is room again at the targets
		}
	})
	var last time.Time
	w.loop.Pass = func(ctx context.Context) (bool, error) {
		if int(busy.Load()) > w.Concurrency/2 {
			pause(ctx, gather-time.Since(last))
		}
		free := w.Concurrency - int(busy.Load())
		if free == 0 {
			return false, nil // an exchange that ends wakes the loop
		}
		last = time.Now()
		claimed, err := w.claim(ctx, free)
		for _, c := range claimed {
			busy.Add(1)
			running.Go(func() {
				outcomes <- w.deliver(exchanges, c)
				busy.Add(-1)
				w.Wake() // there is room again here
			})
		}
		return false, err
	}
	err := w.loop.Run(ctx)
	late := time.AfterFunc(grace, cut)
	defer late.Stop()
	running.Wait()
	close(outcomes)
	settling.Wait()
	return err
}

// gathered yields what has come through the channel since the last turn: at least one,
// and at most most. More come while outcomes are written, and one transaction stores
// them all.
func gathered(outcomes <-chan outcome, most int) iter.Seq[[]outcome] {
	return func(yield func([]outcome) bool) {
		for first := range outcomes {
			batch := []outcome{first}
			for len(batch) < most && len(outcomes) > 0 {
				batch = append(batch, <-outcomes)
			}
			if !yield(batch) {
				return
			}
		}
	}
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// RunOnce sends what is due now, up to Concurrency, and waits until the outcomes are
// stored. It returns how many deliveries it took. It is for tests.
func (w *Webhooks) RunOnce(ctx context.Context) (int, error) {
	claimed, err := w.claim(ctx, w.Concurrency)
	batch := make([]outcome, len(claimed))
	var running sync.WaitGroup
	for i, c := range claimed {
		running.Go(func() { batch[i] = w.deliver(ctx, c) })
	}
	running.Wait()
	return len(claimed), errors.Join(w.settle(ctx, batch), err)
}

// claim is a delivery that this worker holds, and the clock to use with it.
type claim struct {
	store.Claim
	clock clock
}

func (w *Webhooks) claim(ctx context.Context, n int) ([]claim, error) {
	asked := time.Now()
	list, err := w.Store.ClaimDeliveries(ctx, n, w.Lease, w.PerTarget)
	claimed := make([]claim, len(list))
	for i, c := range list {
		claimed[i] = claim{c, clock{database: c.Lease.Until.Add(-w.Lease), local: asked}}
	}
	return claimed, err
}

// clock continues the database's clock by that of the process. It read the database's
// clock at some moment after local, so it is never slow, and nothing is sent early.
type clock struct{ database, local time.Time }

// now is in whole milliseconds, rounded up.
func (c clock) now() time.Time {
	return c.database.Add(c.passed().Truncate(time.Millisecond) + time.Millisecond)
}

func (c clock) passed() time.Duration { return time.Since(c.local) }

// fate is how a claim ended.
type fate int

const (
	tried     fate = iota // an attempt was made: finished has its outcome
	cancelled             // nothing may be sent to the target any more; finished has no attempt
	givenBack             // nothing was sent, and another worker may send it
	unknown               // it may have arrived: the lease runs out
)

// outcome is a claim that the worker is done with.
type outcome struct {
	claim
	fate     fate
	finished store.Finished // what to write, when it was tried or cancelled
	gone     bool           // the receiver answered 410
}

// keyUnavailable is the reason of an attempt that had no key to sign with. It does not
// count against the endpoint.
const keyUnavailable = "key_unavailable"

// deliver makes an attempt, unless the lease ends too soon for an exchange and for
// storing its outcome. Another worker could otherwise send the delivery at the same
// time.
func (w *Webhooks) deliver(ctx context.Context, c claim) outcome {
	if w.Lease-c.clock.passed() < w.Client.Timeout+finishLimit {
		return outcome{claim: c, fate: givenBack}
	}
	m, err := w.message(c)
	if err != nil {
		w.Logger.ErrorContext(ctx, "no key to sign with", "delivery", c.ID, "endpoint", c.Target.Endpoint, "error", err)
		now := c.clock.now()
		return w.tried(c, wf.Result{StartedAt: now, FinishedAt: now, Error: keyUnavailable})
	}
	if m.keys == nil { // the host is not allowed any more
		d := c.Cancel(c.clock.now())
		d.LastError = "target_removed"
		return outcome{claim: c, fate: cancelled, finished: store.Finished{Delivery: d}}
	}
	c.Target.URL = m.url
	result, touched := m.send(ctx, w.Client)
	switch {
	case ctx.Err() == nil || result.StatusCode != 0:
		return w.tried(c, result)
	case touched:
		return outcome{claim: c, fate: unknown}
	default:
		return outcome{claim: c, fate: givenBack}
	}
}

func (w *Webhooks) tried(c claim, result wf.Result) outcome {
	d, attempt := c.Finish(result, w.Jitter())
	return outcome{claim: c, fate: tried, finished: store.Finished{Delivery: d, Attempt: attempt}, gone: result.Gone}
}

// message says what to send, where to, and how to sign it. It uses the endpoint as it
// is now, not as it was when the event happened. A callback to a host that is not
// configured any more has no keys.
func (w *Webhooks) message(c claim) (message, error) {
	m := message{delivery: c.Delivery, clock: c.clock}
	if c.Target.EndpointID == "" {
		m.url, m.keys, m.scheme = c.Target.URL, w.Callbacks.Of(c.Target), wf.SignHMAC
		return m, nil
	}
	m.url, m.scheme = c.Endpoint.URL, c.Endpoint.Signature
	for _, sealed := range c.Endpoint.Keys(c.clock.now()) {
		key, err := signing.Open(w.Keys, c.Endpoint.ID, sealed)
		if err != nil {
			return message{}, err
		}
		m.keys = append(m.keys, key)
	}
	return m, nil
}
