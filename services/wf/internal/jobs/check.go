package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// check reads the gauges for operators.
type check struct {
	store   *store.Store
	metrics *metrics.Registry
	log     *slog.Logger
	stuck   *store.StuckSearch
	patrol  *store.Patrol
}

// checker returns the job that reads the gauges.
func (j Jobs) checker() *daemon.Loop {
	c := check{store: j.Store, metrics: j.Metrics, log: j.Logger, stuck: j.Store.NewStuckSearch(), patrol: j.Store.NewPatrol()}
	return daemon.CheckLoop(j.DB, j.Metrics, c.read)
}

// read sets the gauges.
func (c *check) read(ctx context.Context, gauges *metrics.Registry) error {
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
	if stuck.Number > 0 {
		c.log.ErrorContext(ctx, "stuck requests: no open task and no retry", "requests", stuck.Number, "first", stuck.IDs)
	}
	gauges.Gauge("stuck_requests", "Open requests that nobody and nothing can move. There should be none.").WithLabelValues().Set(float64(stuck.Number))
	underWay(gauges, census)
	gauges.Gauge("processes", "Processes of the service that said within five seconds that they live.").WithLabelValues().Set(float64(census.Processes))
	webhooks.Gauges(gauges, census.Outbox)
	notices(gauges, census.Outbox)
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

// notices sets the gauges of notification deliveries.
func notices(gauges *metrics.Registry, census outboxdb.Census) {
	count := gauges.Gauge("notices", "What people are to be told and are not yet, or could not be. Each of the first 100,000.", "status")
	oldest := gauges.Gauge("notices_oldest_pending_seconds", "Age of the oldest of what people are to be told.").WithLabelValues()
	var people outboxdb.LaneCount
	for _, lane := range census.Deliveries {
		if lane.Endpoint == outbox.People {
			people = lane
		}
	}
	count.WithLabelValues(string(outbox.DeliveryPending)).Set(float64(people.Pending))
	count.WithLabelValues(string(outbox.DeliveryFailed)).Set(float64(people.Failed))
	if people.Pending > 0 {
		oldest.Set(census.At.Sub(time.UnixMilli(people.OldestMS)).Seconds())
	}
}

func (c *check) chains(ctx context.Context, gauges *metrics.Registry, found store.Patrolled) {
	breaks := gauges.Gauge("audit_breaks", "Breaks of the audit trail by chain that no admin has acknowledged, of the first 100 chains. There should be none.", "chain")
	breaks.WithLabelValues(store.ServiceChain).Set(0)
	for _, bad := range found.Bad {
		breaks.WithLabelValues(bad.Chain).Set(float64(len(bad.Breaks)))
		if len(bad.Breaks) > 0 {
			first := bad.Breaks[0]
			c.log.ErrorContext(ctx, "audit chain broken", "chain", bad.Chain, "breaks", len(bad.Breaks), "first_bad", first.Seq, "what", first.What)
		}
	}
	c.metrics.Counter("audit_events_checked_total", "Events whose hash was recomputed.").WithLabelValues().Add(float64(found.Events))
	rounds := c.metrics.Counter("audit_rounds_total", "Times that the chains of all requests have been recomputed.").WithLabelValues()
	if found.Round {
		rounds.Inc()
	}
}
