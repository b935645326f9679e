package engine

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/countersign/countersign/libs/metrics"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// measures are the metrics of registrations.
type measures struct {
	registrations *prometheus.CounterVec
	calls         *prometheus.HistogramVec
	takenOver     prometheus.Counter
	approvalCalls *prometheus.CounterVec
}

func newMeasures(r *metrics.Registry) measures {
	m := measures{
		registrations: r.Counter("registrations_total", "Registrations by API and outcome: active, pending, refused or failed.", "api", "outcome"),
		calls: r.Histogram("provider_duration_seconds", "Duration of calls to the identity provider.",
			[]float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15}, "call", "outcome"),
		takenOver: r.Counter(
			"leases_taken_over_total",
			"Calls to the identity provider that were begun by a process which did not record their outcome.",
		).WithLabelValues(),
	}
	m.approvalCalls = r.Counter("approval_calls_total", "Calls to the approval service by outcome: done or failed.", "outcome")
	for _, outcome := range []string{"done", "failed"} {
		m.approvalCalls.WithLabelValues(outcome)
	}
	for _, api := range []registrar.API{registrar.PartnerAPI, registrar.ProviderAPI} {
		for _, outcome := range []string{"active", "pending", "refused", "failed"} {
			m.registrations.WithLabelValues(string(api), outcome)
		}
	}
	return m
}

// countApprovalCall counts a call to the approval service with the record of its answer.
func (m measures) countApprovalCall(err error) {
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	m.approvalCalls.WithLabelValues(outcome).Inc()
}

// countRegistration counts a registration.
func (m measures) countRegistration(api registrar.API, c registrar.Client, err error) {
	outcome := "failed"
	_, refused := refusalEvent(err)
	switch {
	case err == nil && c.Status == registrar.ClientActive:
		outcome = "active"
	case err == nil || errors.Is(err, registrar.ProviderUnreachable) ||
		errors.Is(err, registrar.ProviderOutcomeUnknown): // the worker retries, or an admin resolves it
		outcome = "pending"
	case refused:
		outcome = "refused"
	}
	m.registrations.WithLabelValues(string(api), outcome).Inc()
}

// observeCall counts a call to the provider.
func (m measures) observeCall(kind registrar.CallKind, took time.Duration, err error) {
	outcome := "done"
	if _, refused := refusalEvent(err); refused {
		outcome = "refused"
	} else if errors.Is(err, registrar.ProviderOutcomeUnknown) {
		outcome = "doubtful"
	} else if err != nil {
		outcome = "unreachable"
	}
	m.calls.WithLabelValues(string(kind), outcome).Observe(took.Seconds())
}

// countTakeovers counts leased calls that were taken over.
func (m measures) countTakeovers(leases []store.Lease) {
	for _, l := range leases {
		if l.TakenOver {
			m.takenOver.Inc()
		}
	}
}
