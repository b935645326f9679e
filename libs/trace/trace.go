// Package trace propagates traces between services with the W3C traceparent header.
package trace

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// header is the only trace header in use. tracestate and baggage carry arbitrary data of
// callers, which must not reach the receiver of a webhook.
const header = "traceparent"

type callKey struct{}

// Call returns a context with the id of a call, which events and log lines contain.
func Call(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, callKey{}, id)
}

// CallID returns the id of the call of ctx, or an empty string.
func CallID(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

var w3c propagation.TraceContext

// Accept returns a context with the trace of the caller. It ignores an invalid or repeated
// header.
func Accept(ctx context.Context, h http.Header) context.Context {
	if values := h.Values(header); len(values) == 1 {
		return Resume(ctx, values[0])
	}
	return ctx
}

// Resume returns a context with the trace of a traceparent of Parent. It ignores an invalid
// one.
func Resume(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return w3c.Extract(ctx, propagation.MapCarrier{header: traceparent})
}

// Parent returns the traceparent of ctx; empty without a trace.
func Parent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	w3c.Inject(ctx, carrier)
	return carrier[header]
}

// ID returns the id of the trace of ctx; empty without a trace.
func ID(ctx context.Context) string {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		return span.TraceID().String()
	}
	return ""
}

// Send adds the traceparent of ctx to an outgoing request.
func Send(ctx context.Context, h http.Header) {
	if parent := Parent(ctx); parent != "" {
		h.Set(header, parent)
	}
}
