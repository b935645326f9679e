// Package trace propagates traces between services with the W3C traceparent header.
package trace

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// header is the only trace header that is read or written. tracestate and baggage hold arbitrary
// data of callers, which must not reach a webhook's receiver.
const header = "traceparent"

type callKey struct{}

// Call returns a context that belongs to the call with an id, which events and lines of
// the log name.
func Call(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, callKey{}, id)
}

// CallID is the id of the call that ctx belongs to; empty when it belongs to none.
func CallID(ctx context.Context) string {
	id, _ := ctx.Value(callKey{}).(string)
	return id
}

var w3c propagation.TraceContext

// Accept returns a context that belongs to the trace of the caller. One that is not
// valid, or given twice, is ignored.
func Accept(ctx context.Context, h http.Header) context.Context {
	if values := h.Values(header); len(values) == 1 {
		return Resume(ctx, values[0])
	}
	return ctx
}

// Resume returns a context that belongs to the trace of a traceparent, as Parent wrote
// it. Anything else is ignored.
func Resume(ctx context.Context, traceparent string) context.Context {
	if traceparent == "" {
		return ctx
	}
	return w3c.Extract(ctx, propagation.MapCarrier{header: traceparent})
}

// Parent returns the traceparent of ctx; empty if ctx belongs to no trace.
func Parent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	w3c.Inject(ctx, carrier)
	return carrier[header]
}

// ID is the id of the trace that ctx belongs to; empty when it belongs to none.
func ID(ctx context.Context) string {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		return span.TraceID().String()
	}
	return ""
}

// Send adds the traceparent of ctx to a request that leaves.
func Send(ctx context.Context, h http.Header) {
	if parent := Parent(ctx); parent != "" {
		h.Set(header, parent)
	}
}
