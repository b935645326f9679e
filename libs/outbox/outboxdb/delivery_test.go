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

func TestADeliveryIsClaimedWhenItIsDue(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		d := f.outbox(f.target("a"))[0]
		later := f.outbox(f.target("a"))[0]
		done := f.outbox(f.target("a"))[0]
		later.NextAttemptAt, done.Status = start.Add(time.Second), outbox.DeliveryDelivered
		f.do(func(tx *outboxdb.Tx) error {
			if err := tx.PutDelivery(later); err != nil {
				return err
			}
			return tx.PutDelivery(done)
		})
		claimed := f.claim(t, 10, 4)
		if len(claimed) != 1 || !claimed[0].Lease.IsHeld() {
			t.Fatalf("claimed %+v", claimed)
		}
		d.Status, d.Lease = outbox.DeliverySending, work.Lease{Token: claimed[0].Lease.Token, Since: start}
		same(t, "claimed", d, claimed[0], nil)
		same(t, "claimed again", 0, len(f.claim(t, 10, 4)), nil)
		f.advance(time.Second)
		if got := f.claim(t, 10, 4); len(got) != 1 || got[0].ID != later.ID {
			t.Errorf("a second later: %v", got)
		}
	})
}

func TestASlowTargetDoesNotTakeTheWorkersFromOthers(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for range 5 {
			f.outbox(f.target("slow"))
		}
		f.advance(time.Millisecond)
		for i := range 5 {
			f.outbox(outbox.Target{URL: fmt.Sprintf("https://Host.example/%d", i)}, outbox.Target{URL: fmt.Sprintf("https://host.example:8443/%d", i)})
		}
		lanes := func(list []outbox.Delivery) map[string]int {
			n := map[string]int{}
			for _, d := range list {
				if d.Target.Endpoint != "" {
					n[d.Target.Endpoint]++
				} else {
					n[d.Target.URL[:len(d.Target.URL)-2]]++
				}
			}
			return n
		}
		same(t, "the first claim is shared out", map[string]int{"slow": 2, "https://Host.example": 1,
			"https://host.example:8443": 1}, lanes(f.claim(t, 4, 2)), nil)
		same(t, "a target at its limit is skipped", map[string]int{"https://Host.example": 1, "https://host.example:8443": 1},
			lanes(f.claim(t, 10, 2)), nil)
		same(t, "when all are at their limit", 0, len(f.claim(t, 10, 2)), nil)
		f.advance(time.Minute + time.Millisecond)
		same(t, "leases that ran out free their place", 6, len(f.claim(t, 10, 2)), nil)
	})
}

func TestTheResultOfALostLeaseIsDropped(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.outbox(f.target("a"))
		first := f.claim(t, 1, 1)[0]
		f.advance(time.Minute)
		second := f.claim(t, 1, 1)[0]
		if second.ID != first.ID || second.Crashes != 1 {
			t.Fatalf("second claim: %+v", second)
		}
		finish := func(d outbox.Delivery, status int) (bool, error) {
			return f.finish(d, outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock().Add(time.Second), StatusCode: status, Excerpt: "a\x00\xffb"})
		}
		if lost, err := finish(first, 200); !lost || err != nil {
			t.Errorf("the first worker: lost = %v (%v)", lost, err)
		}
		if lost, err := finish(second, 500); lost || err != nil {
			t.Errorf("the second worker: lost = %v (%v)", lost, err)
		}
		if lost, err := finish(second, 200); !lost || err != nil {
			t.Errorf("the second worker again: lost = %v (%v)", lost, err)
		}
		got, attempts, err := f.ReadDelivery(t.Context(), first.ID)
		want, attempt := second.Finish(outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock().Add(time.Second),
			StatusCode: 500, Excerpt: "a\uFFFD\uFFFDb"}, 0)
		want.Lease = work.Lease{}
		same(t, "delivery", want, got, err)
		_, crash := first.RecordCrash(f.clock(), 0)
		same(t, "attempts", []outbox.Attempt{crash, attempt}, attempts, err)
		if attempts[0].N != 0 || attempts[1].N != 1 {
			t.Errorf("a crash consumed an attempt: %+v", attempts)
		}
	})
}

func TestOutcomesAreWrittenTogether(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.outbox(f.target("a"), f.target("b"), f.target("c"), f.target("d"))
		claimed := f.claim(t, 4, 1)
		if len(claimed) != 4 {
			t.Fatalf("claimed %d", len(claimed))
		}
		now := f.clock()
		var list []outboxdb.Finished
		for i, status := range []int{204, 500, 200, 0} {
			d := claimed[i]
			if status == 0 { // a callback whose host may not be called any more
				list = append(list, outboxdb.Finished{Delivery: d.Cancel(now)})
				continue
			}
			d.Target.URL += "/moved"
			d, a := d.Finish(outbox.Result{StartedAt: now, FinishedAt: now.Add(time.Duration(i) * time.Second), StatusCode: status, Excerpt: `"<é>"`}, 0)
			list = append(list, outboxdb.Finished{Delivery: d, Attempt: a})
		}
		list[2].Delivery.Lease.Token = "of another"
		f.do(func(tx *outboxdb.Tx) error {
			lost, err := tx.FinishDeliveries(list)
			same(t, "lost", list[2:3], lost, err)
			return nil
		})
		list[2] = outboxdb.Finished{Delivery: claimed[2]}
		for i, want := range list {
			if want.Delivery.Status != outbox.DeliverySending {
				want.Delivery.Lease = work.Lease{}
			}
			got, attempts, err := f.ReadDelivery(t.Context(), want.Delivery.ID)
			same(t, fmt.Sprint("delivery ", i), want.Delivery, got, err)
			if want.Attempt.Seq != 0 {
				same(t, fmt.Sprint("attempts ", i), []outbox.Attempt{want.Attempt}, attempts, nil)
			} else if attempts != nil {
				t.Errorf("delivery %d was not tried: %+v", i, attempts)
			}
		}
	})
}

func TestADeliveryThatCrashesItsWorkersWaitsFromTheFifthTimeOn(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		d := f.outbox(f.target("a"))[0]
		for range 5 {
			same(t, "claimed", 1, len(f.claim(t, 1, 1)), nil)
			f.advance(time.Minute)
		}
		same(t, "the fifth crash", 0, len(f.claim(t, 1, 1)), nil) // recorded, and the delivery is pending
		got, attempts, err := f.ReadDelivery(t.Context(), d.ID)
		if err != nil || got.Status != outbox.DeliveryPending || got.Attempt != 1 || got.Lease.Owner != "" ||
			len(attempts) != 5 || !got.NextAttemptAt.Equal(f.clock().Add(work.Schedule[0])) {
			t.Errorf("delivery = %+v after %d crashes, %v", got, len(attempts), err)
		}
	})
}

func TestDeliveryFilters(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		names := map[string]string{}
		add := func(name string, change func(*outbox.Delivery)) outbox.Delivery {
			d := f.newDeliveries(f.target("a"))[0]
			change(&d)
			f.addDeliveries(d)
			names[d.ID] = name
			return d
		}
		a := add("a", func(d *outbox.Delivery) { d.Status = outbox.DeliveryFailed })
		add("b", func(d *outbox.Delivery) { d.Target = f.target("b") })
		add("c", func(d *outbox.Delivery) {
			d.EventType, d.CreatedAt = "client.activated", start.Add(time.Minute)
		})
		sending := func(since time.Duration) func(*outbox.Delivery) {
			return func(d *outbox.Delivery) {
				d.Status, d.Lease = outbox.DeliverySending, work.Lease{Token: "t", Since: start.Add(since)}
			}
		}
		add("d", sending(0))
		add("e", sending(-time.Minute)) // until the next claim
		add("f", func(d *outbox.Delivery) { d.Status, d.Lease.Token = outbox.DeliveryDelivered, "t" })
		add("g", func(d *outbox.Delivery) { d.Status = outbox.DeliveryCancelled })
		add("h", func(*outbox.Delivery) {})
		in := func(list ...outbox.DeliveryStatus) outbox.DeliveryFilter { return outbox.DeliveryFilter{Status: list} }
		tests := map[string]struct {
			filter outbox.DeliveryFilter
			want   []string
		}{
			"none":       {outbox.DeliveryFilter{}, []string{"a", "b", "c", "d", "e", "f", "g", "h"}},
			"pending":    {in(outbox.DeliveryPending), []string{"b", "c", "h"}},
			"sending":    {in(outbox.DeliverySending), []string{"d", "e"}},
			"delivered":  {in(outbox.DeliveryDelivered), []string{"f"}},
			"failed":     {in(outbox.DeliveryFailed), []string{"a"}},
			"cancelled":  {in(outbox.DeliveryCancelled), []string{"g"}},
			"unfinished": {in(outbox.DeliveryPending, outbox.DeliverySending), []string{"b", "c", "d", "e", "h"}},
			"unknown":    {in("x"), nil},
			"some known": {in("x", outbox.DeliveryFailed), []string{"a"}},
			"two things": {
				outbox.DeliveryFilter{Status: []outbox.DeliveryStatus{outbox.DeliverySending, outbox.DeliveryPending}, Endpoint: []string{"b"}}, []string{"b"},
			},
			"endpoint":   {outbox.DeliveryFilter{Endpoint: []string{"b"}}, []string{"b"}},
			"event type": {outbox.DeliveryFilter{EventType: []string{"client.activated"}}, []string{"c"}},
			"subject":    {outbox.DeliveryFilter{Subject: a.Subject}, []string{"a"}},
			"no subject": {outbox.DeliveryFilter{Subject: "x"}, nil},
			"after":      {outbox.DeliveryFilter{CreatedAfter: start}, []string{"c"}},
		}
		for name, tt := range tests {
			list, _, err := f.Deliveries(t.Context(), tt.filter, paging.Page{})
			same(t, name, tt.want, sorted(list, func(d outbox.Delivery) string { return names[d.ID] }), err)
		}
	})
}

func TestADeliveryComesBackAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var n int
		var added, changed outbox.Delivery
		fill(&added, &n)
		fill(&changed, &n)
		added.NextAttemptAt, added.Lease = time.Time{}, work.Lease{} // it is done
		added.Target.EndpointID = newID()
		added.ID, added.EventID, added.Subject, added.Status = newID(), newID(), "c1", outbox.DeliveryFailed
		changed.ID, changed.EventID, changed.Subject, changed.Status = added.ID, added.EventID, "c1", outbox.DeliverySending
		changed.EventType, changed.Sequence, changed.CreatedAt, changed.Variant = added.EventType, added.Sequence,
			added.CreatedAt, added.Variant // these never change
		changed.Target.EndpointID, changed.Target.Endpoint = added.Target.EndpointID, added.Target.Endpoint
		payload, parent := added.Payload, added.Traceparent
		f.addDeliveries(added)
		f.do(func(tx *outboxdb.Tx) error {
			got, _, err := tx.Delivery(added.ID)
			added.Payload, added.Traceparent = nil, ""
			same(t, "added", added, got, err)
			return tx.PutDelivery(changed)
		})
		changed.Payload, changed.Traceparent = payload, parent // those of the event, which never change
		got, attempts, err := f.ReadDelivery(t.Context(), added.ID)
		same(t, "changed", changed, got, err)
		if attempts != nil {
			t.Errorf("attempts = %v", attempts)
		}
		if _, _, err := f.ReadDelivery(t.Context(), newID()); !errors.Is(err, outbox.WrongState) {
			t.Errorf("an unknown delivery: %v", err)
		}
		list, _, err := f.Deliveries(t.Context(), outbox.DeliveryFilter{}, paging.Page{})
		changed.Payload, changed.Traceparent = nil, ""
		same(t, "list", []outbox.Delivery{changed}, list, err)
	})
}

func TestDeliveriesOfAnEventCarryOnePayload(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var ids []string
		want := map[string]string{}
		for range 2 {
			targets := []outbox.Target{f.target("a"), f.target("b"), f.target("c")}
			one, other := f.newDeliveries(targets...), f.newDeliveries(targets...)
			var list []outbox.Delivery
			for i := range targets { // those of the events alternate
				list = append(list, one[i], other[i])
			}
			for _, d := range list {
				ids, want[d.ID] = append(ids, d.ID), string(d.Payload)
			}
			f.addDeliveries(list[:4]...)
			f.addDeliveries(list[4:]...) // of the same events
		}
		for _, id := range ids {
			same(t, "read", want[id], string(f.stored(id).Payload), nil)
		}
		claimed := f.claim(t, 100, 100)
		for _, d := range claimed {
			same(t, "claimed", want[d.ID], string(d.Payload), nil)
		}
		same(t, "claims", len(want), len(claimed), nil)
		same(t, "messages", 4, f.count("SELECT count(*) FROM message"), nil)
	})
}
