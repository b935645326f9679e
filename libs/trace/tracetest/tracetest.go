// Package tracetest records the spans of a test.
package tracetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace/noop"
)

// Recorder holds the ended spans.
type Recorder struct{ spans *tracetest.SpanRecorder }

// Record records every span of the process until the test ends. Tests that record must not
// run in parallel.
func Record(t testing.TB) *Recorder {
	t.Helper()
	r := &Recorder{tracetest.NewSpanRecorder()}
	otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSpanProcessor(r.spans)))
	t.Cleanup(func() { otel.SetTracerProvider(noop.NewTracerProvider()) })
	return r
}

// Span is an ended span.
type Span struct {
	Name, Kind, Trace, ID, Parent string
	Attributes                    map[string]string
	Failed                        bool
}

// Spans returns the spans of a trace in the order of their ends; all spans for an empty trace.
func (r *Recorder) Spans(traceID string) (list []Span) {
	for _, s := range r.spans.Ended() {
		span := Span{
			Name: s.Name(), Kind: s.SpanKind().String(), Trace: s.SpanContext().TraceID().String(), ID: s.SpanContext().SpanID().String(),
			Attributes: map[string]string{}, Failed: s.Status().Code.String() == "Error",
		}
		if s.Parent().IsValid() {
			span.Parent = s.Parent().SpanID().String()
		}
		for _, a := range s.Attributes() {
			span.Attributes[string(a.Key)] = a.Value.String()
		}
		if traceID == "" || traceID == span.Trace {
			list = append(list, span)
		}
	}
	return list
}

// Find returns the first span of a trace with a name.
func (r *Recorder) Find(t testing.TB, traceID, name string) Span {
	t.Helper()
	spans := r.Spans(traceID)
	i := slices.IndexFunc(spans, func(s Span) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no span %q among %s", name, r.Text(traceID))
	}
	return spans[i]
}

// Text returns names, attributes and events of the spans as text.
func (r *Recorder) Text(traceID string) string {
	var text strings.Builder
	for _, s := range r.Spans(traceID) {
		fmt.Fprintf(&text, "%+v\n", s)
	}
	for _, s := range r.spans.Ended() {
		if traceID == "" {
			fmt.Fprintf(&text, "%v %v %v %v\n", s.Name(), s.Attributes(), s.Events(), s.Status())
		}
	}
	return text.String()
}
