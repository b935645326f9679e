package webhooks

import (
	"context"
	"log/slog"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/trace"
)

// beginSpan starts the span of an attempt, in the trace of the call that caused the event.
func (w *Sender) beginSpan(ctx context.Context, c claim) (context.Context, trace.Span) {
	return trace.Begin(trace.Resume(ctx, c.Traceparent), trace.Internal, "deliver "+c.EventType,
		slog.String("delivery", c.ID), slog.String("event", c.EventID), slog.String(w.Store.Subject, c.Subject),
		slog.String("endpoint", c.Target.Endpoint), slog.Int("attempt", c.Attempt+1))
}

// endSpan ends the span with the response. The reason of a failure is one of a few words.
func endSpan(span trace.Span, r outbox.Result) {
	span.Set(slog.Int("http.response.status_code", r.StatusCode))
	span.End(r.Error)
}
