package webhooks

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/trace"
)

// beginSpan starts the span of an attempt, in the trace of the call that caused the event.
func (w *Sender) beginSpan(ctx context.Context, c claim) (context.Context, oteltrace.Span) {
	return otel.Tracer(trace.Scope).Start(trace.Resume(ctx, c.Traceparent), "deliver "+c.EventType, oteltrace.WithAttributes(
		attribute.String("delivery", c.ID), attribute.String("event", c.EventID), attribute.String(w.Store.Subject, c.Subject),
		attribute.String("endpoint", c.Target.Endpoint), attribute.Int("attempt", c.Attempt+1)))
}

// endSpan ends the span with the response. The reason of a failure is one of a few words.
func endSpan(span oteltrace.Span, r outbox.Result) {
	span.SetAttributes(attribute.Int("http.response.status_code", r.StatusCode))
	trace.End(span, r.Error)
}
