package webhooks

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
)

// Carrier tells people what is meant for them, in a way of the service's own; see
// outbox.People. Its deliveries have the same leases and schedule as webhooks.
type Carrier struct {
	// Limit is how long Tell may take. It leaves time for the outcome to be stored before
	// the lease ends.
	Limit time.Duration

	// Ready reports whether people can be told now. What waits loses no attempt while they
	// cannot.
	Ready func() bool

	// Tell makes an attempt, in at most Limit: its context ends then.
	Tell func(context.Context, outbox.Delivery) Told
}

// Told is how an attempt to tell somebody ended.
type Told struct {
	StatusCode int    // 2xx when they were told
	Error      string // a word; empty when they were told
	Gone       bool   // they will never be: no other attempt is made

	Unwanted string // a word: why nobody is to be told any more; nothing was sent
	Later    bool   // nothing was sent, and not because of them: this is no attempt
}

func (c *Carrier) ready() bool { return c != nil && c.Ready() }

// grace is how long running exchanges may take when the worker is told to stop.
func (w *Sender) grace() time.Duration {
	if w.People != nil {
		return max(grace, w.People.Limit)
	}
	return grace
}

// tell makes an attempt to tell somebody, unless it could last until another worker may
// have the delivery.
func (w *Sender) tell(ctx context.Context, c claim) *outcome {
	if !w.People.ready() || c.clock.passed() > outbox.LeaseTime-finishLimit-w.People.Limit {
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
		return w.tried(c, r)
	}
}
