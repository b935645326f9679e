package webhooks

import (
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
)

// Gauges puts what operators have to know of deliveries and endpoints.
func Gauges(gauges *metrics.Registry, census outboxdb.Census) {
	deliveries(gauges, census)
	endpoints(gauges, census)
}

func deliveries(gauges *metrics.Registry, census outboxdb.Census) {
	count := gauges.Gauge("webhook_deliveries", "Deliveries by endpoint that are pending, or were given up; (callback) are those to callback_url. Each of the first 100,000.", "endpoint", "status")
	oldest := gauges.Gauge("webhook_oldest_pending_seconds", "Age of the oldest delivery that is pending, by endpoint.", "endpoint")
	due := gauges.Gauge("webhook_endpoint_backlog_seconds", "How long the first delivery to an endpoint has been due.", "endpoint")
	waits := map[string]bool{} // not by neglect of the workers
	for _, e := range census.Endpoints {
		waits[e.Name] = e.State(census.At) != outbox.EndpointEnabled
	}
	var backlog float64
	for _, lane := range census.Deliveries {
		if lane.Endpoint == outbox.People { // the receivers of webhooks have no part in it: see the service
			continue
		}
		name := counted(gauges, lane.Endpoint)
		count.WithLabelValues(name, string(outbox.DeliveryPending)).Add(float64(lane.Pending))
		count.WithLabelValues(name, string(outbox.DeliveryFailed)).Add(float64(lane.Failed))
		if lane.Pending == 0 {
			continue
		}
		late := max(0, census.At.Sub(time.UnixMilli(lane.DueMS)).Seconds())
		oldest.WithLabelValues(name).Set(census.At.Sub(time.UnixMilli(lane.OldestMS)).Seconds())
		due.WithLabelValues(name).Set(late)
		if !waits[lane.Endpoint] {
			backlog = max(backlog, late)
		}
	}
	gauges.Gauge("webhook_backlog_seconds", "How long the first delivery has been due that may be sent: to endpoints that are enabled and not paused.").
		WithLabelValues().Set(backlog)
}

func endpoints(gauges *metrics.Registry, census outboxdb.Census) {
	states := gauges.Gauge("webhook_endpoints", "Webhook endpoints by state.", "state")
	state := gauges.Gauge("webhook_endpoint_state", "1 for the state that an endpoint is in: enabled, paused because it fails, or disabled.", "endpoint", "state")
	disabled := gauges.Gauge("webhook_endpoint_disabled", "1 for each endpoint that is disabled, with the reason: by an admin, gone, failing or failures.", "endpoint", "reason")
	failures := gauges.Gauge("webhook_endpoint_failures", "Failed attempts in a row.", "endpoint")
	since := gauges.Gauge("webhook_endpoint_failing_since_timestamp_seconds", "When an endpoint that fails, or was disabled, began to.", "endpoint")
	for _, s := range []outbox.EndpointState{outbox.EndpointEnabled, outbox.EndpointPaused, outbox.EndpointDisabled} {
		states.WithLabelValues(string(s))
	}
	for _, e := range census.Endpoints {
		now, name := e.State(census.At), gauges.Value("endpoint", e.Name)
		states.WithLabelValues(string(now)).Inc()
		state.WithLabelValues(name, string(now)).Set(1)
		failures.WithLabelValues(name).Add(float64(e.Health.Failures))
		if now == outbox.EndpointDisabled {
			disabled.WithLabelValues(name, string(e.DisabledReason)).Set(1)
		}
		switch {
		case e.Health.Failures > 0:
			since.WithLabelValues(name).Set(float64(e.Health.FailingSince.Unix()))
		case now == outbox.EndpointDisabled:
			since.WithLabelValues(name).Set(float64(e.DisabledAt.Unix()))
		}
	}
}
