// Package tracetest keeps the spans of a test.
package tracetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/countersign/countersign/libs/trace"
)

// Recorder has the spans that have ended.
type Recorder struct{ spans *tracetest.SpanRecorder }

// Record keeps every span of the process until the test ends. Tests that record do not
// run side by side.
func Record(t testing.TB) *Recorder {
	t.Helper()
	r := &Recorder{tracetest.NewSpanRecorder()}
	trace.Record(sdk.NewTracerProvider(sdk.WithSpanProcessor(r.spans)))
	t.Cleanup(func() { trace.Record(nil) })
	return r
}

// Span is a span that has ended.
type Span struct {
	Name, Kind, Trace, ID, Parent string
	Attributes                    map[string]string
	Failed                        bool
}

// Spans are those of a trace, in the order of their ends, or all of them if it is empty.
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

// Text is everything that a reader of the spans sees.
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
