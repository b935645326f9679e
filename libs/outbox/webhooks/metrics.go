package webhooks

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
)

// measures are the metrics of deliveries.
type measures struct {
	registry *metrics.Registry
	attempts *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMeasures(r *metrics.Registry) measures {
	return measures{
		registry: r,
		attempts: r.Counter(
			"webhook_attempts_total",
			"Webhook attempts by outcome, unknown if the worker ended without a result; the endpoint (callback) is the "+
				"callback_url of requests, (people) are notices to users.",
			"endpoint",
			"outcome",
		),
		seconds: r.Histogram(
			"webhook_attempt_duration_seconds",
			"Time that attempts took.",
			[]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
			"outcome",
		),
	}
}

// callbacks is the endpoint label of the callback URLs of requests. No endpoint has this name.
const callbacks = "(callback)"

// crash counts a delivery of a dead process. Its receipt is unknown.
func (m measures) crash(d outbox.Delivery) {
	m.attempts.WithLabelValues(endpointLabel(m.registry, d.Target.Endpoint), string(outbox.AttemptUnknown)).Inc()
}

// endpointLabel returns the endpoint label of a target.
func endpointLabel(r *metrics.Registry, endpoint string) string {
	switch endpoint {
	case "":
		return callbacks
	case outbox.People:
		return endpoint
	}
	return r.Value("endpoint", endpoint)
}

// attempt counts the outcome of a claim. An outcome after the end of the lease is not stored, and the
// delivery is sent again.
func (m measures) attempt(o *outcome, lost bool) {
	result := string(o.finished.Attempt.Outcome)
	switch {
	case lost:
		result = "lease_lost"
	case o.fate == cancelled:
		result = "cancelled"
	default:
		m.seconds.WithLabelValues(result).Observe(o.finished.Delivery.LastDuration.Seconds())
	}
	m.attempts.WithLabelValues(endpointLabel(m.registry, o.finished.Delivery.Target.Endpoint), result).Inc()
}
