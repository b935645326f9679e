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

	checkpointLag func(context.Context) (time.Duration, error)
}

// checker returns the job that reads the gauges.
func (j Jobs) checker() *daemon.Loop {
	c := check{
		store: j.Store, metrics: j.Metrics, log: j.Logger,
		checkpointLag: func(ctx context.Context) (time.Duration, error) {
			return j.Engine.Audit.CheckpointLag(ctx, j.CheckpointEvery)
		},
	}
	return daemon.CheckLoop(j.Leads, j.Metrics, c.read)
}

// read sets the gauges.
func (c *check) read(ctx context.Context, gauges *metrics.Registry) error {
	counts, err := c.store.Counts(ctx)
	if err != nil {
		return err
	}
	if n := len(counts.Stuck); n > 0 {
		c.log.ErrorContext(ctx, "stuck requests: no open task and no retry", "requests", n, "first", counts.Stuck[:min(n, 10)])
	}
	gauges.Gauge("stuck_requests", "Open requests without an open task, timer or retry. The expected value is 0.").
		WithLabelValues().Set(float64(len(counts.Stuck)))
	lag, err := c.checkpointLag(ctx)
	if err != nil {
		return err
	}
	gauges.Gauge("checkpoint_lag_seconds", "Time since which a checkpoint of the audit trail is due, by the clock of the database.").
		WithLabelValues().Set(max(0, lag.Seconds()))
	setOpenWork(gauges, counts)
	gauges.Gauge("processes", "Processes of the service with a heartbeat in the last five seconds.").WithLabelValues().Set(float64(counts.Processes))
	webhooks.Gauges(gauges, counts.Outbox)
	setNotices(gauges, counts.Outbox)
	last, err := c.store.Audit.Checkpoint(ctx)
	gauges.Gauge("audit_invalid", "Invalid chains of the audit trail at the last checkpoint. The expected value is 0.").
		WithLabelValues().Set(float64(last.Invalid))
	return err
}

func setOpenWork(gauges *metrics.Registry, counts store.Counts) {
	requests := gauges.Gauge("requests_open", "Open requests by status. A blocked request has an understaffed stage.", "status")
	for _, status := range []wf.RequestStatus{wf.RequestInReview, wf.RequestBlocked, wf.RequestChangesRequested} {
		requests.WithLabelValues(string(status)).Set(float64(counts.Requests[status]))
	}
	tasks := gauges.Gauge("tasks_open", "Open tasks by policy, of the first 100,000.", "policy")
	overdue := gauges.Gauge("tasks_overdue", "Of tasks_open, those past the due date of their stage.", "policy")
	for policy, n := range counts.Tasks {
		label := gauges.Value("policy", policy)
		tasks.WithLabelValues(label).Add(float64(n))
		overdue.WithLabelValues(label).Add(float64(counts.Overdue[policy]))
	}
	for name, lag := range map[string]time.Duration{
		"expiry": counts.Lags.Expiry, "lapse": counts.Lags.Lapses, "deadline": counts.Lags.Deadlines,
	} {
		help := "Age of the oldest due " + name + " that no pass has handled, by the clock of the database."
		gauges.Gauge(name+"_lag_seconds", help).WithLabelValues().Set(lag.Seconds())
	}
}

// setNotices sets the gauges of notification deliveries.
func setNotices(gauges *metrics.Registry, counts outboxdb.Counts) {
	count := gauges.Gauge("notices", "Notification deliveries by status, of the first 100,000 each.", "status")
	oldest := gauges.Gauge("notices_oldest_pending_seconds", "Age of the oldest pending notification delivery.").WithLabelValues()
	var people outboxdb.EndpointCount
	for _, lane := range counts.Deliveries {
		if lane.Endpoint == outbox.People {
			people = lane
		}
	}
	count.WithLabelValues(string(outbox.DeliveryPending)).Set(float64(people.Pending))
	count.WithLabelValues(string(outbox.DeliveryFailed)).Set(float64(people.Failed))
	if people.Pending > 0 {
		oldest.Set(counts.At.Sub(time.UnixMilli(people.OldestMS)).Seconds())
	}
}
