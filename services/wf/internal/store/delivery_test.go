package store_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func (f *fixture) newDelivery(r wf.Request, e wf.Event, target outbox.Target) outbox.Delivery {
	return outbox.Delivery{
		ID: newID(), EventID: e.ID, EventType: string(audit.EventRequestCreated), Subject: r.ID, Sequence: 1, Target: target, Payload: []byte(`{}`),
		Status: outbox.DeliveryPending, Cycle: 1, NextAttemptAt: f.clock(), CreatedAt: f.clock(), UpdatedAt: f.clock(),
	}
}

// addDeliveries writes deliveries of a request that is there.
func (f *fixture) addDeliveries(list ...outbox.Delivery) {
	f.t.Helper()
	f.do(func(tx *store.Tx) error {
		r, err := tx.Request(store.ByID(list[0].Subject))
		if err != nil {
			return err
		}
		return tx.PutRequest(r, r, nil, list, nil)
	})
}

// claimer is a worker of a process without a missed heartbeat.
func claimer(perTarget int) outboxdb.Claimer {
	return outboxdb.Claimer{PerTarget: perTarget, Jitter: func() float64 { return 0 }}
}

func (f *fixture) claim(t *testing.T, n, perTarget int) []outbox.Delivery {
	t.Helper()
	list, err := f.Outbox.ClaimDeliveries(t.Context(), claimer(perTarget), n)
	if err != nil {
		t.Fatal(err)
	}
	var deliveries []outbox.Delivery
	for _, c := range list.Held {
		if c.Endpoint.ID != c.Target.EndpointID || c.Endpoint.Name != c.Target.Endpoint {
			t.Errorf("a delivery to %v came with endpoint %s %s", c.Target, c.Endpoint.ID, c.Endpoint.Name)
		}
		deliveries = append(deliveries, c.Delivery)
	}
	return deliveries
}

// newEndpoint returns an enabled endpoint that is subscribed to all events.
func (f *fixture) newEndpoint(name string) outbox.Endpoint {
	return outbox.Endpoint{
		ID: newID(), Name: name, URL: "https://e.example/" + name, Events: []string{"*"}, PolicyKeys: []string{"*"},
		Signature: outbox.SignHMAC, Enabled: true, CreatedAt: f.clock(), UpdatedAt: f.clock(), Rev: 1,
	}
}

// addEndpoint writes an endpoint as newEndpoint makes it, with changes.
func (f *fixture) addEndpoint(name string, changes ...func(*outbox.Endpoint)) outbox.Endpoint {
	f.t.Helper()
	e := f.newEndpoint(name)
	for _, change := range changes {
		change(&e)
	}
	f.do(func(tx *store.Tx) error { return tx.Outbox.AddEndpoint(e) })
	return e
}

func TestAnEventOfTheServiceGoesToTheEndpointsThatSelectIt(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addEndpoint("all")
		f.addEndpoint("off", func(e *outbox.Endpoint) { e.Enabled = false })
		f.addEndpoint("requests", func(e *outbox.Endpoint) { e.Events = []string{"request.*"} })
		event := wf.Event{ID: newID(), Type: audit.EventEndpointDisabled, At: identity.Stamp{Time: start}}
		var returned []outbox.Delivery
		f.do(func(tx *store.Tx) (err error) {
			returned, err = tx.Append(event, newID)
			return err
		})
		same(t, "targets", []string{"all"}, sorted(returned, func(d outbox.Delivery) string { return d.Target.Endpoint }), nil)
		for _, d := range returned {
			stored, _, err := f.Outbox.ReadDelivery(t.Context(), d.ID)
			same(t, "to "+d.Target.Endpoint, d, stored, err)
			if d.EventID != event.ID || d.Sequence != 1 || !strings.Contains(string(d.Payload), event.ID) {
				t.Errorf("delivery %+v", d)
			}
		}
		same(t, "claimed", 1, len(f.claim(t, 10, 4)), nil)
		if bad, count, err := f.Audit.VerifyChain(t.Context(), ""); bad.FirstBad != 0 || count != 1 || err != nil {
			t.Errorf("VerifyChain = %v, %d, %v", bad, count, err)
		}
	})
}
