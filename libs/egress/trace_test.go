package egress_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"go.opentelemetry.io/otel"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/trace/tracetest"
)

func TestTraceContinuesAtTheCalledServer(t *testing.T) {
	recorder := tracetest.Record(t)
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Traceparent"))
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	client := egress.New(egress.Policy{AllowHTTP: true, AnyPort: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	ctx, span := otel.Tracer(trace.Scope).Start(t.Context(), "work")
	for _, url := range []string{server.URL + "/canary?canary=canary", "https://10.0.0.1/canary"} {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
		}
		if request.Header.Get("Traceparent") != "" {
			t.Error("the caller's request was changed")
		}
	}
	span.End()
	spans := recorder.Spans(oteltrace.SpanContextFromContext(ctx).TraceID().String())
	if len(spans) != 2 { // a refused address is not called
		t.Fatalf("spans: %s", recorder.Text(""))
	}
	called := spans[0]
	if len(got) != 1 || !strings.Contains(got[0], called.Trace+"-"+called.ID) {
		t.Errorf("traceparent %q of %+v", got, called)
	}
	if called.Name != "POST" || called.Kind != "client" || called.Attributes["error.type"] != "418" ||
		called.Attributes["server.address"] != strings.TrimPrefix(server.URL, "http://") {
		t.Errorf("span: %+v", called)
	}
	if strings.Contains(recorder.Text(""), "canary") {
		t.Errorf("spans: %s", recorder.Text(""))
	}
}
