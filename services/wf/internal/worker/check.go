package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Check reads what operators have to know of what is under way, for a daemon.Checker.
type Check struct {
	store   *store.Store
	metrics *metrics.Registry
	log     *slog.Logger
	stuck   *store.StuckSearch
	patrol  *store.Patrol
}

// NewCheck returns a Check.
func NewCheck(s *store.Store, r *metrics.Registry, log *slog.Logger) *Check {
	return &Check{store: s, metrics: r, log: log, stuck: s.NewStuckSearch(), patrol: s.NewPatrol()}
}

// Read puts the gauges.
func (c *Check) Read(ctx context.Context, gauges *metrics.Registry) error {
	census, err := c.store.TakeCensus(ctx)
	if err != nil {
		return err
	}
	stuck, err := c.stuck.Next(ctx)
	if err != nil {
		return err
	}
	patrolled, err := c.patrol.Next(ctx)
	if err != nil {
		return err
	}
	if stuck > 0 {
		c.log.ErrorContext(ctx, "requests are stuck: nobody and nothing can move them", "requests", stuck)
	}
	gauges.Gauge("stuck_requests", "Open requests that nobody and nothing can move. There should be none.").WithLabelValues().Set(float64(stuck))
	underWay(gauges, census)
	gauges.Gauge("processes", "Processes of the service that said within five seconds that they live.").WithLabelValues().Set(float64(census.Processes))
	deliveries(gauges, census)
	endpoints(gauges, census)
	c.chains(ctx, gauges, patrolled)
	return nil
}

func underWay(gauges *metrics.Registry, census store.Census) {
	requests := gauges.Gauge("requests_open", "Open requests by status. Blocked ones have a stage with too few people.", "status")
	for _, status := range []wf.RequestStatus{wf.RequestInReview, wf.RequestBlocked, wf.RequestChangesRequested} {
		requests.WithLabelValues(string(status)).Set(float64(census.Requests[status]))
	}
	tasks := gauges.Gauge("tasks_open", "Open tasks by policy, of the first 100,000.", "policy")
	for policy, n := range census.Tasks {
		tasks.WithLabelValues(gauges.Value("policy", policy)).Add(float64(n))
	}
	gauges.Gauge("tasks_overdue", "Open tasks of requests whose time is over. The expiry closes them within seconds.").
		WithLabelValues().Set(float64(census.Overdue))
}

func deliveries(gauges *metrics.Registry, census store.Census) {
	count := gauges.Gauge("webhook_deliveries", "Deliveries by endpoint that are pending, or were given up; (callback) are those to callback_url. Each of the first 100,000.", "endpoint", "status")
	oldest := gauges.Gauge("webhook_oldest_pending_seconds", "Age of the oldest delivery that is pending, by endpoint.", "endpoint")
	due := gauges.Gauge("webhook_endpoint_backlog_seconds", "How long the first delivery to an endpoint has been due.", "endpoint")
	waits := map[string]bool{} // not by neglect of the workers
	for _, e := range census.Endpoints {
		waits[e.Name] = e.State(census.At) != wf.EndpointEnabled
	}
	var backlog float64
	for _, lane := range census.Deliveries {
		name := counted(gauges, lane.Endpoint)
		count.WithLabelValues(name, string(wf.DeliveryPending)).Add(float64(lane.Pending))
		count.WithLabelValues(name, string(wf.DeliveryFailed)).Add(float64(lane.Failed))
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

func endpoints(gauges *metrics.Registry, census store.Census) {
	states := gauges.Gauge("webhook_endpoints", "Webhook endpoints by state.", "state")
	state := gauges.Gauge("webhook_endpoint_state", "1 for the state that an endpoint is in: enabled, paused because it fails, or disabled.", "endpoint", "state")
	disabled := gauges.Gauge("webhook_endpoint_disabled", "1 for each endpoint that is disabled, with the reason: by an admin, gone, failing or failures.", "endpoint", "reason")
	failures := gauges.Gauge("webhook_endpoint_failures", "Failed attempts in a row.", "endpoint")
	since := gauges.Gauge("webhook_endpoint_failing_since_timestamp_seconds", "When an endpoint that fails, or was disabled, began to.", "endpoint")
	for _, s := range []wf.EndpointState{wf.EndpointEnabled, wf.EndpointPaused, wf.EndpointDisabled} {
		states.WithLabelValues(string(s))
	}
	for _, e := range census.Endpoints {
		now, name := e.State(census.At), gauges.Value("endpoint", e.Name)
		states.WithLabelValues(string(now)).Inc()
		state.WithLabelValues(name, string(now)).Set(1)
		failures.WithLabelValues(name).Add(float64(e.Health.Failures))
		if now == wf.EndpointDisabled {
			disabled.WithLabelValues(name, string(e.DisabledReason)).Set(1)
		}
		switch {
		case e.Health.Failures > 0:
			since.WithLabelValues(name).Set(float64(e.Health.FailingSince.Unix()))
		case now == wf.EndpointDisabled:
			since.WithLabelValues(name).Set(float64(e.DisabledAt.Unix()))
		}
	}
}

func (c *Check) chains(ctx context.Context, gauges *metrics.Registry, found store.Patrolled) {
	for chain, seq := range found.Bad {
		c.log.ErrorContext(ctx, "the audit trail was changed: a chain does not hold", "chain", chain, "first_bad", seq)
	}
	gauges.Gauge("audit_bad_chains", "Chains of the audit trail that do not hold, of those recomputed in this round and the one before.").
		WithLabelValues().Set(float64(len(found.Bad)))
	c.metrics.Counter("audit_events_checked_total", "Events whose hash was recomputed.").WithLabelValues().Add(float64(found.Events))
	rounds := c.metrics.Counter("audit_rounds_total", "Times that the chains of all requests have been recomputed.").WithLabelValues()
	if found.Round {
		rounds.Inc()
	}
}
