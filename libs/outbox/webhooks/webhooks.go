// Package webhooks sends deliveries.
//
// Due deliveries and their leases are in the database, so any number of processes can run, and any of
// them can end at any time.
package webhooks

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
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/outbox/signing"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/work"
)

const (
	defaultConcurrency = 128
	defaultPerTarget   = 8

	// poll is the interval without a wake-up, for retries and for deliveries of other processes.
	poll = 500 * time.Millisecond

	// gather is the time between two claims while most exchanges run. A few large claims cost the
	// database less than many small ones.
	gather = 10 * time.Millisecond

	// finishLimit bounds the time to store a result.
	finishLimit = 5 * time.Second

	// grace is the time of running exchanges after the stop: their full time limit, so that a stop
	// sends no delivery twice.
	grace = 15 * time.Second
)

// Options configures a Sender. Zero numbers have defaults.
type Options struct {
	Store *outboxdb.Store

	// Settle runs fn in a transaction of the service. If fn returns nil, the service adds the events of
	// disabled endpoints.
	Settle func(ctx context.Context, fn func(*outboxdb.Tx) (disabled []outbox.Endpoint, err error)) error

	Service string // names the service in the headers of requests, such as wf

	// Client makes the exchanges and bounds their time. It is a client of package egress without
	// retries: the schedule is in the database.
	Client *http.Client

	// Render returns the chat message of an event. It is required for endpoints of chats.
	Render func(context.Context, outbox.Format, []byte) ([]byte, error)

	Notices *NoticeSender // sends notices to people; nil without notices, or if another process sends them

	Keys      seal.Keys       // open the keys of endpoints
	Callbacks signing.Secrets // sign for callbacks

	Concurrency int    // exchanges at a time; 128
	PerTarget   int    // exchanges at a time with one target; 8
	Process     string // owner of the leases; see package heartbeat

	// Jitter spreads retries; see outbox.Delivery.Finish. It must be safe for concurrent use. It is
	// random if nil.
	Jitter func() float64

	Logger  *slog.Logger      // slog.Default() when nil
	Metrics *metrics.Registry // may be nil
}

// Sender sends deliveries by Standard Webhooks 1.0.0, each at least once. If the process ends before it
// has stored an outcome, the delivery is sent again under the same webhook-id after its lease.
//
// Stored times come from the database's clock. The process's clock measures durations only.
type Sender struct {
	Options
	loop     daemon.Loop
	measures measures
	more     atomic.Bool // due deliveries exceeded the free capacity
}

// New returns a Sender. Run or RunOnce starts it.
func New(o Options) *Sender {
	o.Concurrency = cmp.Or(o.Concurrency, defaultConcurrency)
	o.PerTarget = cmp.Or(o.PerTarget, defaultPerTarget)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Jitter == nil {
		o.Jitter = rand.Float64 // #nosec G404 -- jitter
	}
	return &Sender{
		Options: o, measures: newMeasures(o.Metrics),
		loop: daemon.Loop{Name: "webhooks", Every: poll, Logger: o.Logger, Metrics: o.Metrics},
	}
}

// Wake signals a possibly due delivery. It never blocks.
func (w *Sender) Wake() { w.loop.Wake() }

// next wakes the loop if deliveries wait for free capacity.
func (w *Sender) next() {
	if w.more.Load() {
		w.loop.Wake()
	}
}

// Run sends due deliveries until ctx ends, and then returns nil. It claims only as many deliveries as it
// can send immediately. A hanging target occupies at most PerTarget exchanges.
//
// Running exchanges are finished after ctx ends. An interrupted exchange counts as a crash.
func (w *Sender) Run(ctx context.Context) error {
	exchanges, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	outcomes := make(chan *outcome, w.Concurrency)
	var running, settling sync.WaitGroup
	var busy atomic.Int64
	var unstored oplog.Throttle
	settling.Go(func() {
		for batch := range batches(outcomes, w.Concurrency) {
			if err := w.settle(exchanges, batch); err != nil {
				unstored.LogFailure(ctx, w.Logger, slog.LevelError, "outcomes of deliveries not stored", "deliveries", len(batch), "error", err)
			} else {
				unstored.LogRecovery(ctx, w.Logger, "outcomes of deliveries stored again")
			}
			w.next() // the targets have free capacity
		}
	})
	var last time.Time
	w.loop.Pass = func(ctx context.Context) (bool, error) {
		if w.more.Load() || int(busy.Load()) > w.Concurrency/2 {
			daemon.Sleep(ctx, gather-time.Since(last))
		}
		w.more.Store(true) // the next outcome wakes the loop
		free := w.Concurrency - int(busy.Load())
		if free == 0 {
			return false, nil
		}
		last = time.Now()
		claimed, more, err := w.claim(ctx, free)
		w.more.Store(more || err != nil)
		for _, c := range claimed {
			busy.Add(1)
			running.Go(func() {
				outcomes <- w.deliver(exchanges, c)
				busy.Add(-1)
				w.next() // free capacity
			})
		}
		return false, err
	}
	err := w.loop.Run(ctx)
	late := time.AfterFunc(w.grace(), cut)
	defer late.Stop()
	running.Wait()
	close(outcomes)
	settling.Wait()
	return err
}

// batches yields the values received since the last turn: at least one, at most most. One transaction
// stores the outcomes that arrive while others are written.
func batches(outcomes <-chan *outcome, most int) iter.Seq[[]*outcome] {
	return func(yield func([]*outcome) bool) {
		for first := range outcomes {
			batch := []*outcome{first}
			for len(batch) < most && len(outcomes) > 0 {
				batch = append(batch, <-outcomes)
			}
			if !yield(batch) {
				return
			}
		}
	}
}

// RunOnce sends due deliveries, up to Concurrency, and waits for the storage of their outcomes. It
// returns the number of claimed deliveries. It is for tests.
func (w *Sender) RunOnce(ctx context.Context) (int, error) {
	claimed, _, err := w.claim(ctx, w.Concurrency)
	batch := make([]*outcome, len(claimed))
	var running sync.WaitGroup
	for i, c := range claimed {
		running.Go(func() { batch[i] = w.deliver(ctx, c) })
	}
	running.Wait()
	return len(claimed), errors.Join(w.settle(ctx, batch), err)
}

// claim is a claimed delivery with its clock.
type claim struct {
	*outboxdb.Claim
	clock clock
}

func (w *Sender) claim(ctx context.Context, n int) (claimed []claim, more bool, err error) {
	asked := time.Now()
	claimer := outboxdb.Claimer{
		Process:   w.Process,
		PerTarget: w.PerTarget,
		Jitter:    w.Jitter,
		Signs:     w.hasKeys,
		People:    w.Notices.isReady(),
	}
	found, err := w.Store.ClaimDeliveries(ctx, claimer, n)
	for _, d := range found.Crashed {
		w.measures.crash(d)
		w.Logger.WarnContext(ctx, "worker stopped before it recorded a delivery's outcome", "delivery", d.ID, "event", d.EventType,
			"endpoint", d.Target.Endpoint, "crashes", d.Crashes, "status", d.Status)
	}
	for _, c := range found.Held {
		claimed = append(claimed, claim{c, clock{database: c.Lease.Since, local: asked}})
	}
	return claimed, found.More, err
}

// hasKeys reports whether this process has the keys of an endpoint. Deliveries of other endpoints wait for
// a process with their keys.
func (w *Sender) hasKeys(e outbox.Endpoint, at time.Time) bool {
	return signing.HasKeys(w.Keys, e, at)
}

// clock continues the database's clock with the process's monotonic clock. The database's clock was read
// after local, so that no delivery is early.
type clock struct{ database, local time.Time }

// now returns whole milliseconds, rounded up.
func (c clock) now() time.Time {
	return c.database.Add(c.elapsedTime().Truncate(time.Millisecond) + time.Millisecond)
}

func (c clock) elapsedTime() time.Duration { return time.Since(c.local) }

// fate is the result of a claim.
type fate int

const (
	tried     fate = iota // an attempt was made: finished has its outcome
	cancelled             // the target must not receive it; finished has no attempt
	givenBack             // nothing was sent; another worker may send it
	unknown               // receipt unknown; the lease expires
)

// outcome is a finished claim.
type outcome struct {
	claim
	fate     fate
	finished outboxdb.Finished // stored outcome of tried and cancelled
	gone     bool              // the receiver answered 410
}

// deliver makes an attempt. It releases the claim if the exchange could outlast the lease of a process
// without a heartbeat.
func (w *Sender) deliver(ctx context.Context, c claim) *outcome {
	if c.Target.ToPeople() {
		return w.sendNotice(ctx, c)
	}
	if c.clock.elapsedTime() > work.AbandonedAfter-w.Client.Timeout {
		return &outcome{claim: c, fate: givenBack}
	}
	m, err := w.message(ctx, c)
	if err != nil { // the key changed after the claim
		w.Logger.ErrorContext(ctx, "signing key not available", "delivery", c.ID, "endpoint", c.Target.Endpoint, "error", err)
		return &outcome{claim: c, fate: givenBack}
	}
	if m.keys == nil && !m.chat { // the host is no longer configured
		d := c.Cancel(c.clock.now())
		d.LastError = "target_removed"
		return &outcome{claim: c, fate: cancelled, finished: outboxdb.Finished{Delivery: d}}
	}
	if c.Target.URL = m.url; m.chat {
		c.Target.URL = c.Endpoint.URL // without its secret part
	}
	sending, span := w.beginSpan(ctx, c)
	result, touched := m.send(sending, w.Client)
	endSpan(span, result)
	switch {
	case ctx.Err() == nil || result.StatusCode != 0:
		return w.newOutcome(c, result)
	case touched:
		return &outcome{claim: c, fate: unknown}
	default:
		return &outcome{claim: c, fate: givenBack}
	}
}

func (w *Sender) newOutcome(c claim, result outbox.Result) *outcome {
	d, attempt := c.Finish(result, w.Jitter())
	return &outcome{claim: c, fate: tried, finished: outboxdb.Finished{Delivery: d, Attempt: attempt}, gone: result.Gone}
}

// message returns the body, the URL and the signature keys. It uses the present endpoint. A callback to
// a host without configuration has no keys.
func (w *Sender) message(ctx context.Context, c claim) (message, error) {
	m := message{service: w.Service, delivery: c.Delivery, clock: c.clock}
	if c.Target.EndpointID == "" {
		m.url, m.keys, m.scheme = c.Target.URL, w.Callbacks.Keys(c.Target), outbox.SignHMAC
		return m, nil
	}
	m.url, m.scheme = c.Endpoint.URL, c.Endpoint.Signature
	var err error
	if c.Endpoint.Chat() {
		m.chat = true
		if m.url, err = signing.OpenURL(w.Keys, *c.Endpoint); err == nil {
			m.delivery.Payload, err = w.Render(ctx, c.Endpoint.Format, c.Payload)
		}
		return m, err
	}
	m.keys, err = signing.EndpointKeys(w.Keys, *c.Endpoint, c.clock.now())
	return m, err
}
