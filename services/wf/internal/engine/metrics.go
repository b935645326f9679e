package engine

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

// measures holds the metrics of requests.
type measures struct {
	registry                 *metrics.Registry
	created, ended, repeated *prometheus.CounterVec
	deadlines                *prometheus.CounterVec
	seconds                  prometheus.Observer
	waits                    *prometheus.HistogramVec
}

// Durations range from minutes to weeks.
var waitSeconds = []float64{1, 10, 60, 600, 3600, 4 * 3600, 24 * 3600, 3 * 24 * 3600, 7 * 24 * 3600, 14 * 24 * 3600, 30 * 24 * 3600}

func newMeasures(r *metrics.Registry) *measures {
	m := &measures{
		registry: r,
		created:  r.Counter("requests_created_total", "Created requests.", "policy"),
		ended:    r.Counter("requests_total", "Ended requests by outcome.", "policy", "outcome"),
		deadlines: r.Counter("deadline_total",
			"Actions of stage deadlines: reminded, due, due_moved, escalated, escalation_empty and expired.", "policy", "action"),
		seconds: r.Histogram("request_duration_seconds", "Time from the creation of requests to their end.", waitSeconds).WithLabelValues(),
		waits:   r.Histogram("stage_wait_seconds", "Time from the start to the end of stages with approvers.", waitSeconds, "policy", "stage"),
		repeated: r.Counter(
			"idempotency_total",
			"Calls with an Idempotency-Key: new, replayed, reused with another body, or refused. A refusal releases the key.",
			"result",
		),
	}
	for _, result := range []string{"new", "replayed", "reused", "refused"} { // a rate needs an initial sample
		m.repeated.WithLabelValues(result)
	}
	return m
}

// step is the change of a request in a transaction. It is reported after the commit.
type step struct {
	before, after wf.Request
	events        []wf.Event
	deliveries    []outbox.Delivery
}

// deadlineActions names the events of deadlines in metrics.
var deadlineActions = map[audit.EventType]string{
	audit.EventStageReminded: "reminded", audit.EventStageDue: "due", audit.EventStageDueMoved: "due_moved",
	audit.EventStageEscalated: "escalated", audit.EventStageEscalationEmpty: "escalation_empty",
}

// count updates the metrics with committed steps.
func (m *measures) count(steps []step) {
	for _, s := range steps {
		policy := m.registry.Value("policy", s.after.PolicyKey)
		if s.before.ID == "" {
			m.created.WithLabelValues(policy).Inc()
		}
		if s.after.Status.Final() && !s.before.Status.Final() {
			m.ended.WithLabelValues(policy, string(s.after.Status)).Inc()
			m.seconds.Observe(seconds(s.after.CreatedAt, s.after.CompletedAt))
			if why := s.after.StatusReason; why != nil && why.Code == wf.BecauseDeadline {
				m.deadlines.WithLabelValues(policy, "expired").Inc()
			}
		}
		for _, event := range s.events {
			if action := deadlineActions[event.Type]; action != "" {
				m.deadlines.WithLabelValues(policy, action).Inc()
			}
		}
		for i, run := range s.before.Stages[:min(len(s.before.Stages), len(s.after.Stages))] { // runs are appended
			if ended := s.after.Stages[i]; run.CompletedAt.IsZero() && !ended.CompletedAt.IsZero() && !ended.StartedAt.IsZero() {
				m.observeStage(s.after.PolicyKey, ended)
			}
		}
	}
}

// observeStage records a completed stage. Stage keys are unique only within their policy, so both labels
// share one cardinality bound.
func (m *measures) observeStage(policy string, run wf.StageRun) {
	stage := run.Key
	if m.registry.Value("stage", policy+"/"+stage) == metrics.Other {
		policy, stage = metrics.Other, metrics.Other
	}
	m.waits.WithLabelValues(policy, stage).Observe(seconds(run.StartedAt, run.CompletedAt))
}

func seconds(from, to time.Time) float64 { return max(0, to.Sub(from).Seconds()) }

// repeat counts a call with an Idempotency-Key.
func (m *measures) repeat(key *store.Key, reply Reply, err error) {
	if key == nil {
		return
	}
	result := "new"
	switch {
	case errors.Is(err, reason.KeyReused):
		result = "reused"
	case err != nil:
		result = "refused"
	case reply.Replayed:
		result = "replayed"
	}
	m.repeated.WithLabelValues(result).Inc()
}
