package web

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/metrics"
)

// httpMetrics are the metrics of calls. Their routes are those of the table of operations, such as "GET
// /v1/wf/tasks/{id}"; unknown paths have none.
type httpMetrics struct {
	registry *metrics.Registry
	routes   map[string]string // by method and path, as echo writes them
	calls    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
	refused  *prometheus.CounterVec
}

var callSeconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

func newMetrics(r *metrics.Registry) httpMetrics {
	return httpMetrics{
		registry: r,
		routes:   map[string]string{},
		calls:    r.Counter("http_requests_total", "Calls by route, status and the code of the refusal.", "route", "status", "code"),
		seconds:  r.Histogram("http_request_duration_seconds", "Duration of calls.", callSeconds, "route"),
		inFlight: r.Gauge("http_requests_in_flight", "Calls in flight.").WithLabelValues(),
		refused:  r.Counter("auth_failures_total", "Refused tokens by reason.", "reason"),
	}
}

// add registers a route.
func (m httpMetrics) add(method, path string) {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if name, ok := strings.CutPrefix(segment, ":"); ok {
			segments[i] = "{" + name + "}"
		}
	}
	m.routes[method+" "+path] = method + " " + strings.Join(segments, "/")
}

// tokenRefused counts a token.
func (m httpMetrics) tokenRefused(err error) {
	reason, known := errors.AsType[bearer.Reason](err)
	if !known {
		reason = metrics.Other
	}
	m.refused.WithLabelValues(string(reason)).Inc()
}

// observe counts a completed call.
func (m httpMetrics) observe(c *call, status int, took time.Duration) {
	m.inFlight.Dec()
	route, code := cmp.Or(c.route, "none"), c.code
	if code != "" {
		code = m.registry.Value("code", code) // a provider's may be among them
	}
	m.calls.WithLabelValues(route, strconv.Itoa(status), code).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}
