package trace_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/trace"
)

// collector records the received spans.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if unzipped, err := gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, _ = io.ReadAll(unzipped)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests = append(c.requests, r.URL.Path+" "+r.Header.Get("Authorization")+" "+string(body))
	}))
	t.Cleanup(c.Close)
	return c
}

func start(t *testing.T, log *logtest.Log) (stop func()) {
	t.Helper()
	stop, err := trace.Start(t.Context(), "wf", "1.2.3", log.Logger())
	if err != nil {
		t.Fatal(err)
	}
	return stop
}

func isRecorded(t *testing.T) bool {
	_, span := otel.Tracer(trace.Scope).Start(t.Context(), "a call")
	defer span.End()
	return span.IsRecording()
}

func TestTheLastSpansLeaveWhenTheServiceStops(t *testing.T) {
	c, log := newCollector(t), &logtest.Log{}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20canary")
	stop := start(t, log)
	if !isRecorded(t) {
		t.Error("no span")
	}
	stop()
	if len(c.requests) != 1 || !strings.HasPrefix(c.requests[0], "/v1/traces Bearer canary ") {
		t.Fatalf("requests: %q", c.requests)
	}
	for _, want := range []string{"a call", "service.name", "wf", "1.2.3"} {
		if !strings.Contains(c.requests[0], want) {
			t.Errorf("no %q in %q", want, c.requests[0])
		}
	}
	if isRecorded(t) {
		t.Error("a span after the stop")
	}
	if strings.Contains(log.String(), "canary") {
		t.Errorf("log: %s", log)
	}
}

func TestEnvironmentEnablesTraceExport(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		sent bool
	}{
		"nothing is set":       {nil, false},
		"a name alone":         {map[string]string{"OTEL_SERVICE_NAME": "x"}, false},
		"an endpoint":          {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"}, true},
		"one for traces":       {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:1"}, true},
		"disabled":             {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "TRUE"}, false},
		"no exporter":          {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_EXPORTER": "none"}, false},
		"sampled by no chance": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_TRACES_SAMPLER": "always_off"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range tt.env {
				t.Setenv(variable, value)
			}
			t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "60000")
			stop := start(t, &logtest.Log{})
			defer otel.SetTracerProvider(noop.NewTracerProvider())
			_, span := otel.Tracer(trace.Scope).Start(t.Context(), "a call")
			if span.IsRecording() != tt.sent {
				t.Errorf("recorded: %v", span.IsRecording())
			}
			_ = stop // no span has ended, so none is queued
		})
	}
	t.Setenv("OTEL_TRACES_EXPORTER", "zipkin")
	if _, err := trace.Start(t.Context(), "wf", "1", (&logtest.Log{}).Logger()); err == nil || !strings.Contains(err.Error(), "OTEL_TRACES_EXPORTER") {
		t.Errorf("error: %v", err)
	}
}

// A collector delays no call, and its failures do not flood the log.
func TestADeadCollectorCostsALine(t *testing.T) {
	log := &logtest.Log{}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "a=%zzcanary,canary")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "50")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "50")
	stop := start(t, log)
	for range 5000 {
		isRecorded(t)
	}
	stopped := make(chan bool)
	go func() {
		stop()
		close(stopped)
	}()
	timetest.Await(t, stopped, "the traces end without their collector")
	if lines := log.Lines(t, "traces not exported"); len(lines) != 1 {
		t.Errorf("%d lines: %s", len(lines), log)
	}
	if len(log.Lines(t, "")) < 2 || strings.Contains(log.String(), "canary") {
		t.Errorf("log: %s", log)
	}
}
