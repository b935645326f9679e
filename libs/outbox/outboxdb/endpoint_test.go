package outboxdb_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/paging"
	"github.com/countersign/countersign/libs/work"
)

func TestAnEndpointComesBackAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var n int
		var added, changed outbox.Endpoint
		fill(&added, &n)
		fill(&changed, &n)
		added.ID, added.Signature, added.Enabled = newID(), outbox.SignBoth, false
		changed.ID, changed.Signature = added.ID, outbox.SignEd25519
		changed.Name, changed.CreatedBy, changed.CreatedAt = added.Name, added.CreatedBy, added.CreatedAt // never change
		f.do(func(tx *outboxdb.Tx) error { return tx.AddEndpoint(added) })
		got, err := f.ReadEndpoint(t.Context(), added.ID)
		same(t, "added", added, got, err)
		f.do(func(tx *outboxdb.Tx) error {
			before, err := tx.Endpoint(added.ID)
			same(t, "locked", added, before, err)
			return tx.PutEndpoint(changed)
		})
		got, err = f.ReadEndpoint(t.Context(), added.ID)
		same(t, "changed", changed, got, err)
		f.do(func(tx *outboxdb.Tx) error {
			list, err := tx.Endpoints()
			same(t, "list", []outbox.Endpoint{changed}, list, err)
			return nil
		})
		for _, id := range []string{newID(), "", "x"} {
			if _, err := f.ReadEndpoint(t.Context(), id); !errors.Is(err, outbox.EndpointNotFound) {
				t.Errorf("endpoint %q: %v", id, err)
			}
		}
	})
}

func TestTheNameOfAnEndpointIsItsOwnUntilItIsDeleted(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		first := f.addEndpoint("a")
		d := f.outbox(first.Target())[0]
		twin := f.newEndpoint("a")
		if err := f.Do(t.Context(), func(tx *outboxdb.Tx) error { return tx.AddEndpoint(twin) }); !errors.Is(err, outbox.WrongState) {
			t.Errorf("a second endpoint of the name: %v", err)
		}
		f.do(func(tx *outboxdb.Tx) error { return tx.DeleteEndpoint(first.ID) })
		if _, err := f.ReadEndpoint(t.Context(), first.ID); !errors.Is(err, outbox.EndpointNotFound) {
			t.Errorf("a deleted endpoint: %v", err)
		}
		f.do(func(tx *outboxdb.Tx) error { return tx.AddEndpoint(twin) })
		got, _, err := f.ReadDelivery(t.Context(), d.ID)
		same(t, "its delivery", d, got, err)
		if err := f.Do(t.Context(), func(tx *outboxdb.Tx) error { return tx.DeleteEndpoint(first.ID) }); err == nil {
			t.Error("it was deleted twice")
		}
	})
}

func TestEndpointFilters(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addEndpoint("billing")
		f.addEndpoint("audit_log", func(e *outbox.Endpoint) { e.Enabled, e.DisabledReason = false, outbox.DisabledByAdmin })
		f.addEndpoint("auditor", func(e *outbox.Endpoint) { e.URL = "https://billing.example/x" })
		yes, no := true, false
		tests := map[string]struct {
			filter outbox.EndpointFilter
			want   []string
		}{
			"none":                 {outbox.EndpointFilter{}, []string{"audit_log", "auditor", "billing"}},
			"enabled":              {outbox.EndpointFilter{Enabled: &yes}, []string{"auditor", "billing"}},
			"disabled":             {outbox.EndpointFilter{Enabled: &no}, []string{"audit_log"}},
			"search":               {outbox.EndpointFilter{Q: "BILL"}, []string{"auditor", "billing"}},
			"a sign of no meaning": {outbox.EndpointFilter{Q: "a_d"}, nil},
			"both":                 {outbox.EndpointFilter{Enabled: &yes, Q: "audit"}, []string{"auditor"}},
		}
		for name, tt := range tests {
			list, _, err := f.Endpoints(t.Context(), tt.filter, paging.Page{})
			same(t, name, tt.want, sorted(list, func(e outbox.Endpoint) string { return e.Name }), err)
		}
	})
}

func TestCancelOfUnfinishedDeliveriesMatchesTheDomain(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.target("a"), f.target("b")
		var want []outbox.Delivery
		for _, status := range []outbox.DeliveryStatus{outbox.DeliveryPending, outbox.DeliverySending,
			outbox.DeliveryDelivered, outbox.DeliveryFailed, outbox.DeliveryCancelled} {
			for _, to := range []outbox.Target{a, b, {URL: "https://e.example/"}} {
				d := f.outbox(to)[0]
				if d.Status = status; status != outbox.DeliveryPending && status != outbox.DeliverySending {
					d.NextAttemptAt = time.Time{}
				}
				if status == outbox.DeliverySending {
					d.Lease = work.Lease{Token: "t", Since: start}
				}
				f.do(func(tx *outboxdb.Tx) error { return tx.PutDelivery(d) })
				want = append(want, d)
			}
		}
		f.advance(time.Second)
		f.do(func(tx *outboxdb.Tx) error { return tx.CancelDeliveries(a.EndpointID) })
		cancelled := 0
		for _, d := range want {
			if d.Target == a && d.Status == outbox.DeliveryPending {
				d = d.Cancel(f.clock())
				cancelled++
			}
			same(t, fmt.Sprint(d.Status, " to ", d.Target), d, f.stored(d.ID), nil)
		}
		same(t, "cancelled", 1, cancelled, nil)
		f.do(func(tx *outboxdb.Tx) error { return tx.CancelDeliveries(a.EndpointID) })
	})
}

func TestClaimCancelsDeliveriesWithoutEndpoint(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		off, gone := f.addEndpoint("off"), f.addEndpoint("gone")
		crashed := f.outbox(off.Target())[0]
		f.claim(t, 1, 1)
		list := f.outbox(off.Target(), gone.Target(), outbox.Target{Endpoint: "of old", URL: "https://old.example/"},
			outbox.Target{URL: "https://callback.example/"})
		f.do(func(tx *outboxdb.Tx) error {
			return errors.Join(tx.PutEndpoint(off.Disable(outbox.DisabledByAdmin, tx.Now())), tx.DeleteEndpoint(gone.ID))
		})
		f.advance(time.Minute)
		claimed, err := f.ClaimDeliveries(t.Context(), claimer(4), 10)
		if err != nil || len(claimed.Held) != 1 || claimed.Held[0].ID != list[3].ID || claimed.Held[0].Endpoint.ID != "" {
			t.Errorf("%d are claimed (%v), want the callback alone", len(claimed.Held), err)
		}
		for _, d := range list[:3] {
			same(t, "to "+d.Target.Endpoint, d.Cancel(f.clock()), f.stored(d.ID), nil)
		}
		if got := f.stored(crashed.ID); got.Status != outbox.DeliveryCancelled || got.Crashes != 1 || !got.Lease.Since.IsZero() {
			t.Errorf("deliveries in flight at the stop of the worker: %+v", got)
		}
		same(t, "claimed again", 0, len(f.claim(t, 10, 4)), nil)
	})
}

func TestEndpointsThatHangOrPauseHideNoOther(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var targets []outbox.Target
		for i := range 200 {
			e := f.addEndpoint(fmt.Sprint("e", i), func(e *outbox.Endpoint) {
				if i%2 == 0 {
					e.Health = outbox.Health{Failures: 6, PausedUntil: start.Add(time.Hour)}
				}
			})
			targets = append(targets, e.Target())
		}
		for range 3 {
			f.outbox(targets...)
		}
		hung := 0
		for {
			list := f.claim(t, 64, 2)
			if len(list) == 0 {
				break
			}
			hung += len(list)
		}
		same(t, "in flight", 200, hung, nil)
		f.advance(time.Second)
		well := f.outbox(f.target("well"))[0]
		if got := f.claim(t, 1, 2); len(got) != 1 || got[0].ID != well.ID {
			t.Errorf("claimed %v, want what goes to the healthy one", got)
		}
	})
}

func TestRecoverableDeliveries(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b, off, gone := f.addEndpoint("a"), f.addEndpoint("b"), f.addEndpoint("off"), f.addEndpoint("gone")
		names := map[string]string{}
		for i, to := range []outbox.Target{a.Target(), b.Target(), off.Target(), gone.Target(), {URL: "https://c.example/"}, {Endpoint: "of old"}} {
			for _, status := range []outbox.DeliveryStatus{outbox.DeliveryFailed, outbox.DeliveryCancelled, outbox.DeliveryDelivered} {
				d := f.outbox(to)[0]
				d.Status, d.CreatedAt = status, start.Add(time.Duration(10-i)*time.Second)
				f.do(func(tx *outboxdb.Tx) error {
					return errors.Join(tx.PutDelivery(d), tx.Exec("UPDATE delivery SET created_ms = ? WHERE id = ?", d.CreatedAt.UnixMilli(), d.ID).Error)
				})
				names[d.ID] = string(status[0]) + " " + to.Endpoint
			}
		}
		f.do(func(tx *outboxdb.Tx) error {
			return errors.Join(tx.PutEndpoint(off.Disable(outbox.DisabledGone, tx.Now())), tx.DeleteEndpoint(gone.ID))
		})
		tests := map[string]struct {
			recovery outbox.Recovery
			want     []string
			more     bool
		}{
			"failed, oldest first": {outbox.Recovery{Status: outbox.RecoverFailed}, []string{"f ", "f b", "f a"}, false},
			"cancelled":            {outbox.Recovery{Status: outbox.RecoverCancelled}, []string{"c ", "c b", "c a"}, false},
			"of an endpoint":       {outbox.Recovery{Status: outbox.RecoverFailed, Endpoint: "b"}, []string{"f b"}, false},
			"of a disabled one":    {outbox.Recovery{Status: outbox.RecoverFailed, Endpoint: "off"}, nil, false},
			"after":                {outbox.Recovery{Status: outbox.RecoverFailed, CreatedAfter: start.Add(6 * time.Second)}, []string{"f b", "f a"}, false},
			"before":               {outbox.Recovery{Status: outbox.RecoverFailed, CreatedBefore: start.Add(9 * time.Second)}, []string{"f "}, false},
			"more":                 {outbox.Recovery{Status: outbox.RecoverFailed, Limit: 2}, []string{"f ", "f b"}, true},
			"no more":              {outbox.Recovery{Status: outbox.RecoverFailed, Limit: 3}, []string{"f ", "f b", "f a"}, false},
		}
		for name, tt := range tests {
			r := tt.recovery
			if r.Limit == 0 {
				r.Limit = 10
			}
			if r.CreatedBefore.IsZero() {
				r.CreatedBefore = start.Add(time.Hour)
			}
			f.do(func(tx *outboxdb.Tx) error {
				list, more, err := tx.LoadRecoverable(r)
				var got []string
				for _, d := range list {
					got = append(got, names[d.ID])
				}
				same(t, name, tt.want, got, err)
				same(t, name+": more", tt.more, more, nil)
				return nil
			})
		}
	})
}

func TestRecoveryKeepsDeliveryContent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		d := f.outbox(f.target("a"))[0]
		d.Status, d.Attempt, d.Crashes = outbox.DeliveryFailed, 6, 2
		f.do(func(tx *outboxdb.Tx) error { return tx.PutDelivery(d) })
		f.advance(time.Minute)
		f.do(func(tx *outboxdb.Tx) error {
			before, _, err := tx.LoadRecoverable(outbox.Recovery{Status: outbox.RecoverFailed, CreatedBefore: tx.Now(), Limit: 1})
			if err != nil {
				return err
			}
			after, err := before[0].Retry(tx.Now())
			if err != nil {
				return err
			}
			return tx.PutRecovered([]outbox.Delivery{after})
		})
		want, err := d.Retry(f.clock())
		same(t, "recovered", want, f.stored(d.ID), err)
	})
}

func TestLoadedEndpointsFollowTheTransaction(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		urls := func(tx *outboxdb.Tx) []string {
			t.Helper()
			list, err := tx.Endpoints()
			if err != nil {
				t.Fatal(err)
			}
			return sorted(list, func(e outbox.Endpoint) string { return e.URL })
		}
		f.do(func(tx *outboxdb.Tx) error {
			err := tx.Batch(tx.LoadEndpoints())
			same(t, "none", []string(nil), urls(tx), err)
			return nil
		})
		a, b := f.addEndpoint("a"), f.addEndpoint("b")
		moved := a.Move("https://new.example/", f.clock())
		f.do(func(tx *outboxdb.Tx) error {
			err := tx.Batch(tx.LoadEndpoints())
			same(t, "loaded", []string{a.URL, b.URL}, urls(tx), err)
			err = tx.PutEndpoint(moved)
			same(t, "moved", []string{b.URL, moved.URL}, urls(tx), err)
			err = tx.DeleteEndpoint(b.ID)
			same(t, "deleted", []string{moved.URL}, urls(tx), err)
			return nil
		})
	})
}
