package webhooks

import (
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
)

// Gauges registers the gauges of deliveries and endpoints.
func Gauges(gauges *metrics.Registry, counts outboxdb.Counts) {
	deliveries(gauges, counts)
	endpoints(gauges, counts)
}

func deliveries(gauges *metrics.Registry, counts outboxdb.Counts) {
	count := gauges.Gauge(
		"webhook_deliveries",
		"Deliveries by endpoint that are pending, or were given up; (callback) are those to callback_url. Each of the first 100,000.",
		"endpoint",
		"status",
	)
	oldest := gauges.Gauge("webhook_oldest_pending_seconds", "Age of the oldest delivery that is pending, by endpoint.", "endpoint")
	backlog := gauges.Gauge(
		"webhook_backlog_seconds",
		"How long the first delivery to an endpoint has been due, by cause: the endpoint is paused, it is failing, it is slow, or unsent: the endpoint is well and no delivery is in flight.",
		"endpoint",
		"cause",
	)
	endpoints := map[string]outbox.Endpoint{}
	for _, e := range counts.Endpoints {
		endpoints[e.Name] = e
	}
	for _, lane := range counts.Deliveries {
		if lane.Endpoint == outbox.People { // not a webhook; the service has its own gauges
			continue
		}
		name := endpointLabel(gauges, lane.Endpoint)
		count.WithLabelValues(name, string(outbox.DeliveryPending)).Add(float64(lane.Pending))
		count.WithLabelValues(name, string(outbox.DeliveryFailed)).Add(float64(lane.Failed))
		if lane.Pending == 0 {
			continue
		}
		late := max(0, counts.At.Sub(time.UnixMilli(lane.DueMS)).Seconds())
		oldest.WithLabelValues(name).Set(counts.At.Sub(time.UnixMilli(lane.OldestMS)).Seconds())
		if cause := causeOf(lane, endpoints[lane.Endpoint], counts.At); cause != "" {
			backlog.WithLabelValues(name, string(cause)).Set(late)
		}
	}
}

// lateness is the cause of due deliveries to an endpoint.
type lateness string

// The causes. Only unsent is a fault of the service.
const (
	latePaused  lateness = "paused"  // the endpoint fails and is paused
	lateFailing lateness = "failing" // its last attempt failed
	lateSlow    lateness = "slow"    // deliveries are in flight
	lateUnsent  lateness = "unsent"  // no delivery is in flight
)

// causeOf returns the cause of due deliveries to an endpoint; empty for a disabled one. The
// endpoint of callbacks is the zero Endpoint.
func causeOf(lane outboxdb.EndpointCount, e outbox.Endpoint, now time.Time) lateness {
	state := e.State(now)
	switch {
	case lane.Endpoint != "" && state == outbox.EndpointDisabled:
		return ""
	case state == outbox.EndpointPaused:
		return latePaused
	case e.Health.Failures > 0:
		return lateFailing
	case lane.InFlight > 0:
		return lateSlow
	default:
		return lateUnsent
	}
}

func endpoints(gauges *metrics.Registry, counts outboxdb.Counts) {
	state := gauges.Gauge(
		"webhook_endpoint_state",
		"1 for the state that an endpoint is in: enabled, paused because it fails, or disabled.",
		"endpoint",
		"state",
	)
	disabled := gauges.Gauge(
		"webhook_endpoint_disabled",
		"1 for each endpoint that is disabled, with the reason: by an admin, gone, failing or failures.",
		"endpoint",
		"reason",
	)
	failures := gauges.Gauge("webhook_endpoint_failures", "Failed attempts in a row, of endpoints that are not disabled.", "endpoint")
	since := gauges.Gauge("webhook_endpoint_failing_since_timestamp_seconds",
		"Start of the present failures of an endpoint, also of a disabled one.", "endpoint")
	for _, e := range counts.Endpoints {
		now, name := e.State(counts.At), gauges.Value("endpoint", e.Name)
		state.WithLabelValues(name, string(now)).Set(1)
		if now == outbox.EndpointDisabled {
			disabled.WithLabelValues(name, string(e.DisabledReason)).Set(1)
		} else {
			failures.WithLabelValues(name).Add(float64(e.Health.Failures))
		}
		switch {
		case e.Health.Failures > 0:
			since.WithLabelValues(name).Set(float64(e.Health.FailingSince.Unix()))
		case now == outbox.EndpointDisabled:
			since.WithLabelValues(name).Set(float64(e.DisabledAt.Unix()))
		}
	}
}
