package trace_test

import (
	"testing"

	"go.opentelemetry.io/otel"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/trace/tracetest"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent  = "00-" + traceID + "-00f067aa0ba902b7-01"
)

func TestTraceIsPropagatedWithoutARecorder(t *testing.T) {
	ctx, span := otel.Tracer(trace.Scope).Start(trace.Resume(t.Context(), parent), "call")
	if sent := trace.Parent(ctx); sent != parent || span.IsRecording() {
		t.Errorf("sent %v", sent)
	}
	trace.End(span, "failed")
}

func TestInvalidTraceparentIsIgnored(t *testing.T) {
	recorder := tracetest.Record(t)
	for _, text := range []string{"", "canary", parent[:54], "ff" + parent[2:], "00-" + traceID + "-0000000000000000-01", parent + "\n"} {
		ctx := trace.Resume(t.Context(), text)
		ctx, span := trace.Tracer(ctx).Start(ctx, "step")
		if span.IsRecording() || trace.Parent(ctx) != "" {
			t.Errorf("%q was taken for a trace: %v", text, trace.Parent(ctx))
		}
	}
	if spans := recorder.Spans(""); len(spans) > 0 {
		t.Errorf("spans outside of a trace: %v", spans)
	}
}

func TestStepsHangTogether(t *testing.T) {
	recorder := tracetest.Record(t)
	ctx, call := otel.Tracer(trace.Scope).Start(trace.Resume(t.Context(), parent), "call", oteltrace.WithSpanKind(oteltrace.SpanKindServer))
	inner, step := trace.Tracer(ctx).Start(ctx, "step")
	later := trace.Resume(t.Context(), trace.Parent(inner)) // as another process would
	_, sent := otel.Tracer(trace.Scope).Start(later, "later")
	trace.End(sent, "timeout")
	trace.End(step, "")
	trace.End(call, "")
	a, b, c := recorder.Find(t, traceID, "call"), recorder.Find(t, traceID, "step"), recorder.Find(t, traceID, "later")
	if a.Parent != "00f067aa0ba902b7" || b.Parent != a.ID || c.Parent != b.ID {
		t.Errorf("parents: %s", recorder.Text(traceID))
	}
	if a.Failed || !c.Failed || c.Attributes["error.type"] != "timeout" {
		t.Errorf("spans: %s", recorder.Text(traceID))
	}
}
