package webhooks

import (
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
)

// WfWebhooksLate blamed the service while one receiver took 8 s per answer.
func TestTheCauseOfLateDeliveries(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	well := outbox.Endpoint{Name: "billing", Enabled: true}
	with := func(change func(*outbox.Endpoint)) outbox.Endpoint { e := well; change(&e); return e }
	sick := func(e *outbox.Endpoint) { e.Health.Failures = 1 }
	paused := func(e *outbox.Endpoint) { e.Health.Failures, e.Health.PausedUntil = 5, now.Add(time.Second) }
	for name, c := range map[string]struct {
		lane outboxdb.EndpointCount
		e    outbox.Endpoint
		want lateness
	}{
		"8 s per answer":            {outboxdb.EndpointCount{Endpoint: "billing", Pending: 9, InFlight: 4}, well, lateSlow},
		"no delivery is in flight":  {outboxdb.EndpointCount{Endpoint: "billing", Pending: 9}, well, lateUnsent},
		"callbacks in flight":       {outboxdb.EndpointCount{Pending: 9, InFlight: 1}, outbox.Endpoint{}, lateSlow},
		"callbacks that are unsent": {outboxdb.EndpointCount{Pending: 9}, outbox.Endpoint{}, lateUnsent},
		"the last attempt failed":   {outboxdb.EndpointCount{Endpoint: "billing", Pending: 9, InFlight: 1}, with(sick), lateFailing},
		"paused":                    {outboxdb.EndpointCount{Endpoint: "billing", Pending: 9}, with(paused), latePaused},
		"disabled": {outboxdb.EndpointCount{Endpoint: "billing", Pending: 9},
			with(func(e *outbox.Endpoint) { paused(e); e.Enabled = false }), ""},
		"disabled, with some on way": {outboxdb.EndpointCount{Endpoint: "billing", Pending: 9, InFlight: 1},
			with(func(e *outbox.Endpoint) { e.Enabled = false }), ""},
	} {
		if got := causeOf(c.lane, c.e, now); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
