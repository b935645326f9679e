package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/trace/tracetest"
	"github.com/countersign/countersign/libs/web"
)

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestCallWritesOneLogLineWithItsOutcome(t *testing.T) {
	w := start(t, func(o *web.Options) { o.Objects = map[string]string{"things": "thing"} })
	w.do("GET", "/v1/things/a1?canary=canary", "", "X-Canary", "canary", "X-Request-Id", "c1", "Traceparent", traceparent)
	w.create(`{"policy_key":"canary"}`)
	w.do("GET", "/canary/canary", "")
	w.do("GET", "/v1/things?canary=canary", "")
	w.do("PUT", "/v1/things", "")
	if strings.Contains(w.log.String(), "canary") {
		t.Errorf("the log contains input: %s", w.log)
	}
	lines := w.log.Lines(t, "call")
	if len(lines) != 5 || len(w.log.Lines(t, "")) != 5 {
		t.Fatalf("%d lines: %s", len(lines), w.log)
	}
	for i, want := range []logtest.Line{
		{"level": "INFO", "method": "GET", "route": "/v1/things/{id}", "status": 422.0, "thing": "a1", "reason": "unfit",
			"finding": "extra_forbidden query",
			"peer":    "127.0.0.1", "call_id": "c1", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736"},
		{"level": "INFO", "method": "POST", "route": "/v1/things", "status": 201.0},
		{"level": "INFO", "method": "GET", "route": "none", "status": 404.0},
		{"route": "/v1/things", "status": 422.0, "reason": "unfit"},
		{"method": "PUT", "route": "none", "status": 405.0},
	} {
		lines[i].Want(t, want)
		if _, ok := lines[i]["took_ms"].(float64); !ok {
			t.Errorf("took_ms of line %d: %v", i, lines[i])
		}
	}
}

func TestOnlyAValidTraceIsTakenOver(t *testing.T) {
	for name, headers := range map[string][]string{
		"none":         {},
		"nonsense":     {"Traceparent", "canary"},
		"a zero trace": {"Traceparent", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"},
		"two":          {"Traceparent", traceparent, "Traceparent", traceparent},
		"too long":     {"Traceparent", traceparent + "-canary"},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, nil)
			w.do("GET", "/v1/things/a1", "", headers...)
			line := w.log.Lines(t, "call")[0]
			if line["trace_id"] != nil || line["status"] != 200.0 {
				t.Errorf("line: %v", line)
			}
		})
	}
}

func TestProbesAreLoggedAtDebug(t *testing.T) {
	w := start(t, nil)
	for path, level := range map[string]string{"/v1/health": "DEBUG", "/readyz": "DEBUG", "/livez": "DEBUG",
		"/version": "DEBUG", "/openapi.json": "INFO"} {
		before := len(w.log.Lines(t, "call"))
		w.do("GET", path, "")
		if lines := w.log.Lines(t, "call")[before:]; len(lines) != 1 || lines[0]["level"] != level {
			t.Errorf("%s: %v", path, lines)
		}
	}
}

// A caller cannot write a line of their own, nor a very long one.
func TestLogEscapesAndTruncatesCallerInput(t *testing.T) {
	w := start(t, func(o *web.Options) { o.Objects = map[string]string{"things": "thing"} })
	w.do("GET", "/v1/things/a%22%7D%E2%80%AE"+strings.Repeat("x", 500), "")
	w.do("GET", "/v1/things/a%0A%7B%22msg%22:%22call%22%7D", "")
	lines := w.log.Lines(t, "call")
	if len(lines) != 2 || len(lines[0]["thing"].(string)) > 128 || lines[1]["route"] != "none" {
		t.Errorf("log: %s", w.log)
	}
}

func TestCallerDisconnectIsNotLoggedAsError(t *testing.T) {
	log := &logtest.Log{}
	s := running(web.Options{Failure: refuse, Logger: log.Logger()})
	huma.Register(s.API, huma.Operation{OperationID: "wait", Method: "GET", Path: "/wait"}, func(ctx context.Context, _ *struct{}) (*reply, error) {
		oplog.Note(ctx, slog.String("thing", "7"))
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/wait", nil))
	lines := log.Lines(t, "")
	if len(lines) != 2 {
		t.Fatalf("log: %s", log)
	}
	lines[0].Want(t, logtest.Line{"level": "DEBUG", "msg": "call failed"})
	lines[1].Want(t, logtest.Line{"level": "DEBUG", "msg": "call", "status": 499.0, "thing": "7"})
}

func TestACallIsASpanUnderTheNameOfItsRoute(t *testing.T) {
	recorder := tracetest.Record(t)
	w := start(t, func(o *web.Options) { o.Objects = map[string]string{"things": "thing"} })
	w.do("GET", "/v1/things/canary?q=canary", "", "X-Canary", "canary", "X-Request-Id", "c1", "Traceparent", traceparent)
	w.do("GET", "/v1/fail/panic", "")
	w.do("GET", "/canary/canary", "")
	w.do("GET", "/readyz", "")
	w.do("GET", "/v1/health", "")
	spans := recorder.Spans("")
	if len(spans) != 3 {
		t.Fatalf("spans: %s", recorder.Text(""))
	}
	call := spans[0]
	if call.Name != "GET /v1/things/{id}" || call.Kind != "server" || call.Trace != traceparent[3:35] ||
		call.Parent != traceparent[36:52] || call.Failed ||
		call.Attributes["call_id"] != "c1" || call.Attributes["http.route"] != "/v1/things/{id}" || call.Attributes["http.response.status_code"] != "422" {
		t.Errorf("span: %+v", call)
	}
	if !spans[1].Failed || spans[1].Attributes["error.type"] != "500" || spans[2].Name != "no route" {
		t.Errorf("spans: %s", recorder.Text(""))
	}
	if strings.Contains(recorder.Text(""), "canary") {
		t.Errorf("spans: %s", recorder.Text(""))
	}
	lines := w.log.Lines(t, "call")
	lines[0].Want(t, logtest.Line{"trace_id": call.Trace})
	lines[1].Want(t, logtest.Line{"trace_id": spans[1].Trace})
}
