package store_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// addEndpoint writes an enabled endpoint of the events.
func (f *fixture) addEndpoint(name, events string) outbox.Endpoint {
	f.t.Helper()
	e := outbox.Endpoint{
		ID: newID(), Name: name, URL: "https://e.example/" + name, Events: []string{events}, PolicyKeys: []string{"*"},
		Signature: outbox.SignHMAC, Enabled: true, CreatedAt: f.clock(), UpdatedAt: f.clock(), Rev: 1,
	}
	f.do(func(tx *store.Tx) error { return tx.Outbox.AddEndpoint(e) })
	return e
}

func TestOnlyEnabledEndpointsThatSelectItAreNotifiedOfDisabledOnes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		gone := []outbox.Endpoint{f.addEndpoint("a", "*"), f.addEndpoint("b", "*")}
		f.addEndpoint("ops", "*")
		f.addEndpoint("requests", "request.*")
		err := f.Settle(t.Context(), func(tx *outboxdb.Tx) ([]outbox.Endpoint, error) {
			for i := range gone {
				gone[i] = gone[i].Disable(outbox.DisabledGone, tx.Now())
				if err := tx.PutEndpoint(gone[i]); err != nil {
					return nil, err
				}
			}
			return gone, nil
		})
		must(t, err)
		claimer := outboxdb.Claimer{PerTarget: 4, Jitter: func() float64 { return 0 }}
		claims, err := f.Outbox.ClaimDeliveries(t.Context(), claimer, 10)
		told := claims.Held
		if err != nil || len(told) != 2 {
			t.Fatalf("%d messages, %v, want 2 to the endpoint that is left", len(told), err)
		}
		for i, d := range told {
			var message wf.Payload
			must(t, json.Unmarshal(d.Payload, &message))
			want := wf.PayloadData{
				EventID: d.EventID, Sequence: int64(i) + 1, Resource: wf.EndpointResource(gone[i]), Actor: identity.SystemDelivery.Ref(), Reason: "gone",
			}
			if diff := cmp.Diff(want, message.Data); d.Target.Endpoint != "ops" || message.Type != audit.EventEndpointDisabled || diff != "" {
				t.Errorf("%s received %s (-want +got):\n%s", d.Target.Endpoint, message.Type, diff)
			}
		}
		if bad, n, err := f.Audit.VerifyChain(t.Context(), ""); bad.FirstBad != 0 || n != 2 || err != nil {
			t.Errorf("the service's chain has %d events, the first bad one is %v, %v", n, bad, err)
		}
	})
}
