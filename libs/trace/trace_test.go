package trace_test

import (
	"log/slog"
	"net/http"
	"testing"

	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/trace/tracetest"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent  = "00-" + traceID + "-00f067aa0ba902b7-01"
)

func TestTraceIsPropagatedWithoutARecorder(t *testing.T) {
	ctx := trace.Accept(t.Context(), http.Header{"Traceparent": {parent}, "Tracestate": {"canary=1"}, "Baggage": {"canary=1"}})
	ctx, span := trace.Begin(ctx, trace.Server, "call")
	sent := http.Header{}
	trace.Send(ctx, sent)
	if len(sent) != 1 || sent.Get("Traceparent") != parent || trace.ID(ctx) != traceID || span.IsRecording() {
		t.Errorf("sent %v", sent)
	}
	span.Set(slog.String("a", "b"))
	span.End("failed")
}

func TestInvalidTraceparentIsIgnored(t *testing.T) {
	recorder := tracetest.Record(t)
	for _, text := range []string{"", "canary", parent[:54], "ff" + parent[2:], "00-" + traceID + "-0000000000000000-01", parent + "\n"} {
		ctx := trace.Resume(t.Context(), text)
		ctx, span := trace.Step(ctx, trace.Internal, "step")
		sent := http.Header{}
		trace.Send(ctx, sent)
		if len(sent) > 0 || span.IsRecording() || trace.Parent(ctx) != "" || trace.ID(ctx) != "" {
			t.Errorf("%q was taken for a trace: %v", text, sent)
		}
	}
	if spans := recorder.Spans(""); len(spans) > 0 {
		t.Errorf("spans outside of a trace: %v", spans)
	}
}

func TestStepsHangTogether(t *testing.T) {
	recorder := tracetest.Record(t)
	ctx, call := trace.Begin(trace.Resume(t.Context(), parent), trace.Server, "call", slog.Int("n", 1), slog.Bool("b", true))
	inner, step := trace.Step(ctx, trace.Client, "step")
	later := trace.Resume(t.Context(), trace.Parent(inner)) // as another process would
	_, sent := trace.Begin(later, trace.Client, "later")
	sent.End("timeout")
	step.End("")
	call.Name("the call")
	call.End("")
	a, b, c := recorder.Find(t, traceID, "the call"), recorder.Find(t, traceID, "step"), recorder.Find(t, traceID, "later")
	if a.Parent != "00f067aa0ba902b7" || b.Parent != a.ID || c.Parent != b.ID {
		t.Errorf("parents: %s", recorder.Text(traceID))
	}
	if a.Attributes["n"] != "1" || a.Attributes["b"] != "true" || a.Kind != "server" || a.Failed || !c.Failed || c.Attributes["error.type"] != "timeout" {
		t.Errorf("spans: %s", recorder.Text(traceID))
	}
}

func TestACallIsKnownByItsID(t *testing.T) {
	if id := trace.CallID(trace.Call(t.Context(), "c1")); id != "c1" || trace.CallID(t.Context()) != "" {
		t.Errorf("id %q", id)
	}
}
