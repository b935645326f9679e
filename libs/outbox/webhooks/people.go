package webhooks

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/work"
)

// NoticeSender sends notices to people through a channel of the service; see outbox.People. Its deliveries
// have the leases and the schedule of webhooks.
type NoticeSender struct {
	// Limit is the time limit of Send. It leaves time to store the outcome within the lease.
	Limit time.Duration

	// Ready reports whether notices can be sent. Otherwise they wait without using attempts.
	Ready func() bool

	// Send makes an attempt. Its context ends after Limit.
	Send func(context.Context, outbox.Delivery) NoticeResult
}

// NoticeResult is the outcome of a notice.
type NoticeResult struct {
	StatusCode int    // 2xx if the notice was sent
	Error      string // reason; empty if the notice was sent
	Gone       bool   // permanent failure: no further attempt

	Unwanted string // reason of a superseded notice; nothing was sent
	Later    bool   // nothing was sent for a cause of the service; no attempt is counted
}

func (c *NoticeSender) isReady() bool { return c != nil && c.Ready() }

// grace is the time of running exchanges after the stop.
func (w *Sender) grace() time.Duration {
	if w.Notices != nil {
		return max(grace, w.Notices.Limit)
	}
	return grace
}

// sendNotice sends a notice, unless the attempt could outlast the lease.
func (w *Sender) sendNotice(ctx context.Context, c claim) *outcome {
	if !w.Notices.isReady() || c.clock.elapsedTime() > work.LeaseTime-finishLimit-w.Notices.Limit {
		return &outcome{claim: c, fate: givenBack}
	}
	sending, span := w.beginSpan(ctx, c)
	sending, cancel := context.WithTimeout(sending, w.Notices.Limit)
	defer cancel()
	r := outbox.Result{StartedAt: c.clock.now()}
	result := w.Notices.Send(sending, c.Delivery)
	r.FinishedAt, r.StatusCode, r.Error, r.Gone = c.clock.now(), result.StatusCode, result.Error, result.Gone
	endSpan(span, r)
	switch {
	case result.Unwanted != "":
		d := c.Cancel(r.FinishedAt)
		d.LastError = result.Unwanted
		return &outcome{claim: c, fate: cancelled, finished: outboxdb.Finished{Delivery: d}}
	case result.Later:
		return &outcome{claim: c, fate: givenBack}
	case ctx.Err() != nil && result.StatusCode == 0:
		return &outcome{claim: c, fate: unknown}
	default:
		return w.newOutcome(c, r)
	}
}
