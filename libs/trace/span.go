package trace

import (
	"context"
	"log/slog"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Kind is the side of the exchange of a span.
type Kind = trace.SpanKind

// The kinds.
const (
	Internal = trace.SpanKindInternal
	Server   = trace.SpanKindServer
	Client   = trace.SpanKindClient
)

// tracer creates spans; nil while tracing is disabled.
var tracer atomic.Pointer[trace.Tracer]

// Record creates spans with a provider; nil disables tracing.
func Record(p trace.TracerProvider) {
	if p == nil {
		tracer.Store(nil)
		return
	}
	t := p.Tracer("github.com/countersign/countersign")
	tracer.Store(&t)
}

// Span is a step of a trace. The zero value records nothing.
type Span struct{ span trace.Span }

// Begin starts a span, in a new trace if ctx has none.
func Begin(ctx context.Context, kind Kind, name string, attrs ...slog.Attr) (context.Context, Span) {
	t := tracer.Load()
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := (*t).Start(ctx, name, trace.WithSpanKind(kind))
	s := Span{span}
	s.Set(attrs...)
	return ctx, s
}

// Step is Begin if ctx has a trace, and returns an empty Span otherwise: spans of background polls
// would fill the collector.
func Step(ctx context.Context, kind Kind, name string, attrs ...slog.Attr) (context.Context, Span) {
	if tracer.Load() == nil || !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, Span{}
	}
	return Begin(ctx, kind, name, attrs...)
}

// IsRecording reports whether the span is recorded.
func (s Span) IsRecording() bool { return s.span != nil && s.span.IsRecording() }

// Name renames the span.
func (s Span) Name(name string) {
	if s.IsRecording() {
		s.span.SetName(name)
	}
}

// Set adds attributes. They are visible to every reader of traces: use ids, names and numbers only,
// never request data or error texts.
func (s Span) Set(attrs ...slog.Attr) {
	if !s.IsRecording() {
		return
	}
	for _, a := range attrs {
		switch value := a.Value.Resolve(); value.Kind() {
		case slog.KindInt64:
			s.span.SetAttributes(attribute.Int64(a.Key, value.Int64()))
		case slog.KindBool:
			s.span.SetAttributes(attribute.Bool(a.Key, value.Bool()))
		default:
			s.span.SetAttributes(attribute.String(a.Key, value.String()))
		}
	}
}

// AddEvent adds an event to the span.
func (s Span) AddEvent(moment string) {
	if s.IsRecording() {
		s.span.AddEvent(moment)
	}
}

// End ends the span. failure is a short class of the failure; empty after a success.
func (s Span) End(failure string) {
	if s.span == nil {
		return
	}
	if failure != "" {
		s.span.SetAttributes(attribute.String("error.type", failure))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}
