package webhooks

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
)

// Carrier sends notices to people through a channel of the service; see outbox.People. Its deliveries
// have the leases and the schedule of webhooks.
type Carrier struct {
	// Limit is the time limit of Tell. It leaves time to store the outcome within the lease.
	Limit time.Duration

	// Ready reports whether notices can be sent. Otherwise they wait without using attempts.
	Ready func() bool

	// Tell makes an attempt. Its context ends after Limit.
	Tell func(context.Context, outbox.Delivery) Told
}

// Told is the outcome of a notice.
type Told struct {
	StatusCode int    // 2xx if the notice was sent
	Error      string // reason; empty if the notice was sent
	Gone       bool   // permanent failure: no further attempt

	Unwanted string // reason of a superseded notice; nothing was sent
	Later    bool   // nothing was sent for a cause of the service; no attempt is counted
}

func (c *Carrier) ready() bool { return c != nil && c.Ready() }

// grace is the time of running exchanges after the stop.
func (w *Sender) grace() time.Duration {
	if w.People != nil {
		return max(grace, w.People.Limit)
	}
	return grace
}

// tell sends a notice, unless the attempt could outlast the lease.
func (w *Sender) tell(ctx context.Context, c claim) *outcome {
	if !w.People.ready() || c.clock.elapsed() > outbox.LeaseTime-finishLimit-w.People.Limit {
		return &outcome{claim: c, fate: givenBack}
	}
	sending, span := w.beginSpan(ctx, c)
	sending, cancel := context.WithTimeout(sending, w.People.Limit)
	defer cancel()
	r := outbox.Result{StartedAt: c.clock.now()}
	told := w.People.Tell(sending, c.Delivery)
	r.FinishedAt, r.StatusCode, r.Error, r.Gone = c.clock.now(), told.StatusCode, told.Error, told.Gone
	endSpan(span, r)
	switch {
	case told.Unwanted != "":
		d := c.Cancel(r.FinishedAt)
		d.LastError = told.Unwanted
		return &outcome{claim: c, fate: cancelled, finished: outboxdb.Finished{Delivery: d}}
	case told.Later:
		return &outcome{claim: c, fate: givenBack}
	case ctx.Err() != nil && told.StatusCode == 0:
		return &outcome{claim: c, fate: unknown}
	default:
		return w.newOutcome(c, r)
	}
}
