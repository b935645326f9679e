package web_test

import (
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/web"
)

// startMeasured starts a service that counts its calls.
func startMeasured(t *testing.T) (*service, *metrics.Registry) {
	t.Helper()
	r := metrics.New("x", "1")
	return start(t, func(o *web.Options) { o.Metrics = r }), r
}

func TestCallsAreCountedByRouteStatusAndCode(t *testing.T) {
	w, r := startMeasured(t)
	w.do("GET", "/v1/things/7", "")
	w.do("GET", "/v1/things/8", "")
	w.do("POST", "/v1/things", `{}`, "Content-Type", "text/plain", "Authorization", "x")
	w.do("GET", "/v1/things?limit=0", "")
	w.do("GET", "/v1/fail/error", "")
	w.do("GET", "/v1/fail/panic", "")
	w.do("GET", "/v1/elsewhere", "")
	w.do("GET", "/v1/things/7/8", "") // swallowed by a parameter, and no route
	w.do("PUT", "/v1/things/7", "")
	w.do("OPTIONS", "/v1/things/7", "")
	w.do("GET", "/docs", "")
	metricstest.Want(t, r, map[string]float64{
		`x_http_requests_total{code="",route="GET /v1/things/{id}",status="200"}`:               2,
		`x_http_requests_total{code="T-wrong_media_type",route="POST /v1/things",status="415"}`: 1,
		`x_http_requests_total{code="",route="GET /v1/things",status="422"}`:                    1,
		`x_http_requests_total{code="T-internal",route="GET /v1/fail/{how}",status="500"}`:      2,
		`x_http_requests_total{code="T-no_route",route="none",status="404"}`:                    2,
		`x_http_requests_total{code="T-wrong_method",route="none",status="405"}`:                2,
		`x_http_requests_total{code="",route="GET /docs",status="200"}`:                         1,
		`x_http_request_duration_seconds_count{route="GET /v1/things/{id}"}`:                    2,
		`x_http_requests_in_flight`: 0,
	})
}

func TestCallsInFlightAreCounted(t *testing.T) {
	w, r := startMeasured(t)
	done := make(chan struct{})
	go func() {
		w.do("GET", "/v1/slow", "")
		close(done)
	}()
	timetest.Await(t, w.enter, "the call is in its handler")
	metricstest.Want(t, r, map[string]float64{"x_http_requests_in_flight": 1})
	w.leave <- struct{}{}
	timetest.Await(t, done, "the call is answered")
	metricstest.Want(t, r, map[string]float64{"x_http_requests_in_flight": 0})
}

func TestCallerInputCreatesNoMetricSeries(t *testing.T) {
	w, r := startMeasured(t)
	for i := range 10_000 {
		for _, call := range [][2]string{{fmt.Sprint("METHOD", i), "/v1/things/"}, {"GET", "/v1/made-up-"}, {"GET", "/v1/things/"}} {
			w.server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(call[0], call[1]+strconv.Itoa(i), nil))
		}
	}
	series := 0
	for name := range metricstest.Values(t, r) {
		if strings.HasPrefix(name, "x_http_requests_total") {
			series++
		}
	}
	if series != 3 { // read, none with 404, none with 405
		t.Errorf("%d series, want 3", series)
	}
}
