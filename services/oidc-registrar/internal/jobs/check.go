package jobs

import (
	"context"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// check sets the gauges of the current state.
func (j Jobs) check(ctx context.Context, gauges *metrics.Registry) error {
	counts, err := j.Store.Counts(ctx)
	if err != nil {
		return err
	}
	clients := gauges.Gauge("clients", "Clients by status, of the first 100,000.", "status")
	for _, status := range []registrar.ClientStatus{
		registrar.ClientActive, registrar.ClientInactive, registrar.ClientPending, registrar.ClientFailed,
	} {
		clients.WithLabelValues(string(status)).Set(float64(counts.Clients[status]))
	}
	calls := gauges.Gauge("provider_calls_pending", "Calls to the identity provider that are pending.", "call")
	for _, kind := range []registrar.CallKind{registrar.CallRegister, registrar.CallUpdate, registrar.CallRemove} {
		calls.WithLabelValues(string(kind)).Set(float64(counts.Calls[kind]))
	}
	const different = "Clients that the identity provider has otherwise than this service, as of the last comparison."
	differences := gauges.Gauge("provider_differences", different, "kind")
	for _, kind := range registrar.DifferenceKinds {
		differences.WithLabelValues(string(kind)).Set(float64(counts.Differences[kind]))
	}
	set := func(name, help string, value float64) { gauges.Gauge(name, help).WithLabelValues().Set(value) }
	set("provider_backlog_seconds", "How long the first call to the identity provider has been due.", counts.Late.Seconds())
	set("stuck_clients", "Clients that are PENDING and that no call will make ACTIVE. There should be none.", float64(counts.Stuck))
	set("doubtful_clients", "Clients with an unknown outcome at the identity provider.", float64(counts.OutcomeUnknown))
	webhooks.Gauges(gauges, counts.Outbox)
	if counts.OutcomeUnknown > 0 {
		j.Logger.WarnContext(ctx, "clients with unknown outcome; a PARTNER_ADMIN must confirm or drop each",
			"clients", counts.OutcomeUnknown)
	}
	if counts.Stuck > 0 {
		j.Logger.ErrorContext(ctx, "stuck clients: PENDING without a call to the identity provider", "clients", counts.Stuck)
	}
	return nil
}
