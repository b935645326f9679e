package worker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

const (
	defaultConcurrency = 64
	defaultPerTarget   = 4
	defaultLease       = 45 * time.Second

	// poll is how late a delivery is noticed that nobody woke the worker for: a
	// retry that falls due, or one that another process committed.
	poll = 500 * time.Millisecond

	// finishLimit bounds the writing of a result.
	finishLimit = 5 * time.Second

	// grace is what running exchanges get when the worker is told to stop.
	grace = 5 * time.Second
)

// Options is what a Webhooks works with. Numbers that are zero get the default.
type Options struct {
	Store *store.Store

	// Client makes the exchanges and bounds their time. It comes from package
	// egress. It is never asked to retry, whatever its settings: the schedule is in
	// the database, and a second one would multiply it.
	Client *retryablehttp.Client

	// Endpoints are the URLs of the named endpoints now, and Secrets signs for them
	// and for the hosts of callbacks. A delivery to a target that has no URL or no
	// secret any more is cancelled: nothing is sent unsigned.
	Endpoints map[string]string
	Secrets   Secrets

	Concurrency int           // exchanges at a time in this process; 64
	PerTarget   int           // exchanges at a time with one target; 4
	Lease       time.Duration // of a delivery that is being sent; 45 s, three times an exchange

	// Jitter spreads retries; see wf.Delivery.Finish. It must be safe for concurrent
	// use. When nil it is random.
	Jitter func() float64

	Logger *slog.Logger // slog.Default() when nil
}

// Webhooks sends deliveries to their targets by Standard Webhooks 1.0.0. Each is
// sent at least once: the outcome of an attempt is lost when the process dies
// before it is stored, and the delivery is then sent again, under the same
// webhook-id, once its lease has run out.
//
// Every time that is written comes from the database's clock. The process's own
// only measures durations, so it may be wrong, or jump.
type Webhooks struct {
	Options
	http *http.Client
	loop Loop
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
	return &Webhooks{Options: o, http: o.Client.HTTPClient, loop: Loop{Name: "webhooks", Every: poll, Logger: o.Logger}}
}

// Wake says that a delivery may be due. It never blocks.
func (w *Webhooks) Wake() { w.loop.Wake() }

// Run sends what is due until ctx ends, and then returns nil. It takes only as many
// deliveries as it has room for, so none waits in memory while its lease runs, and
// a target that hangs takes room for PerTarget exchanges and no more.
//
// Exchanges that run when ctx ends get a few seconds. One that is cut off then is
// treated like one that a crash cut off.
func (w *Webhooks) Run(ctx context.Context) error {
	exchanges, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var running sync.WaitGroup
	var busy atomic.Int64
	w.loop.Pass = func(ctx context.Context) (bool, error) {
		free := w.Concurrency - int(busy.Load())
		if free == 0 {
			return false, nil // an exchange that ends wakes the loop
		}
		claimed, err := w.claim(ctx, free)
		for _, c := range claimed {
			busy.Add(1)
			running.Go(func() {
				if err := w.deliver(exchanges, c); err != nil {
					w.Logger.ErrorContext(ctx, "outcome of a delivery not stored", "delivery", c.ID, "error", err)
				}
				busy.Add(-1)
				// There is room again, here and at the target.
				w.Wake()
			})
		}
		return false, err
	}
	err := w.loop.Run(ctx)
	late := time.AfterFunc(grace, cut)
	defer late.Stop()
	running.Wait()
	return err
}

// RunOnce sends what is due now, up to Concurrency, waits for the outcome and
// stores it. It returns how many deliveries it took. It is meant for tests.
func (w *Webhooks) RunOnce(ctx context.Context) (int, error) {
	claimed, err := w.claim(ctx, w.Concurrency)
	errs := make([]error, len(claimed))
	var running sync.WaitGroup
	for i, c := range claimed {
		running.Go(func() { errs[i] = w.deliver(ctx, c) })
	}
	running.Wait()
	return len(claimed), errors.Join(append(errs, err)...)
}

// claim is a delivery that this worker holds, and the clock to use with it.
type claim struct {
	wf.Delivery
	clock clock
}

func (w *Webhooks) claim(ctx context.Context, n int) ([]claim, error) {
	asked := time.Now()
	deliveries, err := w.Store.ClaimDeliveries(ctx, n, w.Lease, w.PerTarget)
	claimed := make([]claim, len(deliveries))
	for i, d := range deliveries {
		claimed[i] = claim{d, clock{database: d.Lease.Until.Add(-w.Lease), local: asked}}
	}
	return claimed, err
}

// clock continues the database's clock by the process's. It read database at some
// moment after local, so it is never slow, and what is due by it is not early.
type clock struct{ database, local time.Time }

// now is in whole milliseconds, rounded up.
func (c clock) now() time.Time {
	return c.database.Add(c.passed().Truncate(time.Millisecond) + time.Millisecond)
}

func (c clock) passed() time.Duration { return time.Since(c.local) }

// deliver makes an attempt and stores its outcome. When there is not enough left of
// the lease for an exchange and for that, it gives the delivery back instead:
// somebody else might otherwise send it at the same time.
func (w *Webhooks) deliver(ctx context.Context, c claim) error {
	if w.Lease-c.clock.passed() < w.http.Timeout+finishLimit {
		return w.release(ctx, c)
	}
	url, signers := w.target(c.Target)
	if url == "" || signers == nil {
		now := c.clock.now()
		d, attempt := c.Finish(wf.Result{StartedAt: now, FinishedAt: now, Error: "target_removed", Gone: true}, 0)
		d.Status = wf.DeliveryCancelled
		return w.finish(ctx, d, attempt)
	}
	result, touched := message{c.Delivery, url, signers, c.clock}.send(ctx, w.http)
	if ctx.Err() != nil && result.StatusCode == 0 {
		if touched {
			return nil // the lease runs out; nobody knows whether the receiver has it
		}
		return w.release(ctx, c)
	}
	d, attempt := c.Finish(result, w.Jitter())
	return w.finish(ctx, d, attempt)
}

// target returns where to send and how to sign. For a named endpoint that is what
// the configuration says now, not when the event happened.
func (w *Webhooks) target(t wf.Target) (string, signers) {
	if t.Endpoint != "" {
		return w.Endpoints[t.Endpoint], w.Secrets.of(t)
	}
	return t.URL, w.Secrets.of(t)
}

// finish stores the outcome of an attempt, also when ctx has ended.
func (w *Webhooks) finish(ctx context.Context, d wf.Delivery, a wf.Attempt) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	fenced, err := w.Store.FinishDelivery(ctx, d, a)
	switch {
	case err != nil:
		return err
	case fenced:
		w.Logger.WarnContext(ctx, "result of a delivery dropped: its lease was lost", "delivery", d.ID, "attempt", a.N)
	case d.Status != wf.DeliveryDelivered:
		w.Logger.WarnContext(ctx, "delivery not accepted", "delivery", d.ID, "event", d.EventType,
			"endpoint", d.Target.Endpoint, "attempt", a.N, "reason", a.Error, "status", d.Status)
	}
	return nil
}

// release gives an unsent delivery back, also when ctx has ended.
func (w *Webhooks) release(ctx context.Context, c claim) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	return w.Store.ReleaseDelivery(ctx, c.ID, c.Lease.Token)
}
