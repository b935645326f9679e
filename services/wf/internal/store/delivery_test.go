package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
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

// outbox adds a request whose one event goes to the targets.
func (f *fixture) outbox(targets ...outbox.Target) []outbox.Delivery {
	f.t.Helper()
	r, events := withEvents(f, 1)
	var list []outbox.Delivery
	for _, target := range targets {
		list = append(list, f.newDelivery(r, events[0], target))
	}
	f.addDeliveries(list...)
	return list
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

// finish writes the result of one attempt.
func (f *fixture) finish(d outbox.Delivery, r outbox.Result) (leaseLost bool, err error) {
	f.t.Helper()
	d, a := d.Finish(r, 0)
	err = f.Do(f.t.Context(), func(tx *store.Tx) error {
		lost, err := tx.Outbox.FinishDeliveries([]outboxdb.Finished{{Delivery: d, Attempt: a}})
		leaseLost = len(lost) > 0
		return err
	})
	return leaseLost, err
}

func TestADeliveryComesBackAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		r, events := withEvents(f, 1)
		fill := &filler{t: t}
		var added, changed outbox.Delivery
		fill.fill(&added)
		fill.fill(&changed)
		added.NextAttemptAt, added.Lease = time.Time{}, outbox.Lease{} // it is done
		added.Target.EndpointID = newID()
		added.ID, added.EventID, added.Subject, added.Status = newID(), events[0].ID, r.ID, outbox.DeliveryFailed
		changed.ID, changed.EventID, changed.Subject, changed.Status = added.ID, added.EventID, r.ID, outbox.DeliverySending
		changed.EventType, changed.Sequence, changed.CreatedAt, changed.Variant = added.EventType, added.Sequence, added.CreatedAt, added.Variant // these never change
		changed.Target.EndpointID, changed.Target.Endpoint = added.Target.EndpointID, added.Target.Endpoint
		payload, parent := added.Payload, added.Traceparent
		f.addDeliveries(added)
		f.do(func(tx *store.Tx) error {
			got, _, err := tx.Outbox.Delivery(added.ID)
			added.Payload, added.Traceparent = nil, ""
			same(t, "added", added, got, err)
			return tx.Outbox.PutDelivery(changed)
		})
		changed.Payload, changed.Traceparent = payload, parent // those of the event, which never change
		got, attempts, err := f.Outbox.ReadDelivery(t.Context(), added.ID)
		same(t, "changed", changed, got, err)
		if attempts != nil {
			t.Errorf("attempts = %v", attempts)
		}
		if _, _, err := f.Outbox.ReadDelivery(t.Context(), newID()); !errors.Is(err, reason.WrongState) {
			t.Errorf("an unknown delivery: %v", err)
		}
		list, _, err := f.Outbox.Deliveries(t.Context(), outbox.DeliveryFilter{}, wf.Page{})
		changed.Payload, changed.Traceparent = nil, ""
		same(t, "list", []outbox.Delivery{changed}, list, err)
	})
}

func TestOneEventGoesToATargetOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		first := f.outbox(f.target("a"), outbox.Target{URL: "https://a/1"}, outbox.Target{URL: "https://a/2"})[0]
		again := first
		again.ID = newID()
		err := f.Do(t.Context(), func(tx *store.Tx) error {
			r, err := tx.Request(store.ByID(first.Subject))
			if err != nil {
				return err
			}
			return tx.PutRequest(r, r, nil, []outbox.Delivery{again}, nil)
		})
		if err == nil {
			t.Error("the event goes there twice")
		}
	})
}

func TestADeliveryIsClaimedWhenItIsDue(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		d := f.outbox(f.target("a"))[0]
		later := f.outbox(f.target("a"))[0]
		done := f.outbox(f.target("a"))[0]
		later.NextAttemptAt, done.Status = start.Add(time.Second), outbox.DeliveryDelivered
		f.do(func(tx *store.Tx) error {
			if err := tx.Outbox.PutDelivery(later); err != nil {
				return err
			}
			return tx.Outbox.PutDelivery(done)
		})
		d.Status, d.Lease = outbox.DeliverySending, outbox.Lease{Token: 1, Since: start}
		same(t, "claimed", []outbox.Delivery{d}, f.claim(t, 10, 4), nil)
		same(t, "claimed again", 0, len(f.claim(t, 10, 4)), nil)
		f.advance(time.Second)
		if got := f.claim(t, 10, 4); len(got) != 1 || got[0].ID != later.ID {
			t.Errorf("a second later: %v", got)
		}
	})
}

func TestASlowTargetDoesNotTakeTheWorkersFromOthers(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
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
		same(t, "the first claim is shared out", map[string]int{"slow": 2, "https://Host.example": 1, "https://host.example:8443": 1}, lanes(f.claim(t, 4, 2)), nil)
		same(t, "a target at its limit is skipped", map[string]int{"https://Host.example": 1, "https://host.example:8443": 1}, lanes(f.claim(t, 10, 2)), nil)
		same(t, "when all are at their limit", 0, len(f.claim(t, 10, 2)), nil)
		f.advance(time.Minute + time.Millisecond)
		same(t, "leases that ran out free their place", 6, len(f.claim(t, 10, 2)), nil)
	})
}

func TestADeliveryIsClaimedByOneWorker(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		const n = 40
		for i := range n {
			f.outbox(f.target(fmt.Sprint("e", i%4)))
		}
		var mu sync.Mutex
		claimed := map[string]int{}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					list, err := f.Outbox.ClaimDeliveries(t.Context(), claimer(n), 3)
					if err != nil {
						t.Error(err)
						return
					}
					if len(list.Held) == 0 {
						return
					}
					mu.Lock()
					for _, d := range list.Held {
						claimed[d.ID]++
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		for len(claimed) < n { // a worker may have stopped because the rows were locked by another
			list := f.claim(t, n, n)
			if len(list) == 0 {
				break
			}
			for _, d := range list {
				claimed[d.ID]++
			}
		}
		if len(claimed) != n {
			t.Errorf("%d are claimed, want %d", len(claimed), n)
		}
		for id, times := range claimed {
			if times != 1 {
				t.Errorf("%s is claimed %d times", id, times)
			}
		}
	})
}

func TestTheResultOfALostLeaseIsDropped(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.outbox(f.target("a"))
		first := f.claim(t, 1, 1)[0]
		f.advance(time.Minute)
		second := f.claim(t, 1, 1)[0]
		if second.ID != first.ID || second.Lease.Token != 2 || second.Crashes != 1 {
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
		got, attempts, err := f.Outbox.ReadDelivery(t.Context(), first.ID)
		want, attempt := second.Finish(outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock().Add(time.Second), StatusCode: 500, Excerpt: "a\uFFFD\uFFFDb"}, 0)
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
		f.addPolicy("p")
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
		list[2].Delivery.Lease.Token--
		f.do(func(tx *store.Tx) error {
			lost, err := tx.Outbox.FinishDeliveries(list)
			same(t, "lost", list[2:3], lost, err)
			return nil
		})
		list[2] = outboxdb.Finished{Delivery: claimed[2]}
		for i, want := range list {
			if want.Delivery.NextAttemptAt.IsZero() {
				want.Delivery.Lease = outbox.Lease{} // finished rows are not selected
			}
			got, attempts, err := f.Outbox.ReadDelivery(t.Context(), want.Delivery.ID)
			same(t, fmt.Sprint("delivery ", i), want.Delivery, got, err)
			if want.Attempt.Seq != 0 {
				same(t, fmt.Sprint("attempts ", i), []outbox.Attempt{want.Attempt}, attempts, nil)
			} else if attempts != nil {
				t.Errorf("delivery %d was not tried: %+v", i, attempts)
			}
		}
	})
}

func TestADeliveryThatCrashesItsWorkersIsSlowedDownAndGivenUp(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		d := f.outbox(f.target("a"))[0]
		claims := 0
		for range 4 {
			claims += len(f.claim(t, 1, 1))
			f.advance(time.Minute)
		}
		same(t, "the fifth time", 1, len(f.claim(t, 1, 1)), nil)
		for i, wait := range outbox.Schedule {
			f.advance(time.Minute)
			same(t, fmt.Sprint("crash ", i+5), 0, len(f.claim(t, 1, 1)), nil) // recorded, and the delivery is pending
			got := f.stored(d.ID)
			if got.Status != outbox.DeliveryPending || got.Attempt != i+1 || !got.NextAttemptAt.Equal(f.clock().Add(wait)) || got.Lease.Owner != "" {
				t.Errorf("after crash %d: %+v", i+5, got)
			}
			f.advance(wait - time.Millisecond)
			same(t, "before its time", 0, len(f.claim(t, 1, 1)), nil)
			f.advance(time.Millisecond)
			same(t, "when its time has come", 1, len(f.claim(t, 1, 1)), nil)
		}
		f.advance(time.Minute)
		same(t, "the last crash", 0, len(f.claim(t, 1, 1)), nil)
		got, attempts, err := f.Outbox.ReadDelivery(t.Context(), d.ID)
		if err != nil || got.Status != outbox.DeliveryFailed || got.LastError != "crash_loop" || got.Attempt != 6 || !got.Lease.Since.IsZero() {
			t.Errorf("delivery = %+v (%v)", got, err)
		}
		same(t, "claims and recorded crashes", [2]int{4, 10}, [2]int{claims, len(attempts)}, nil)
		same(t, "what waits", 0, f.waiting(), nil)
	})
}

// waiting counts the rows of the outbox.
func (f *fixture) waiting() (n int) {
	f.t.Helper()
	if err := f.db.Read(f.t.Context()).Raw("SELECT count(*) FROM outbox").Scan(&n).Error; err != nil {
		f.t.Fatal(err)
	}
	return n
}

func TestAReleasedDeliveryIsDueAgain(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.outbox(f.target("a"))
		d := f.claim(t, 1, 1)[0]
		other := d
		other.Lease.Token--
		if err := f.Outbox.ReleaseDelivery(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		same(t, "released by another", 0, len(f.claim(t, 1, 1)), nil)
		if err := f.Outbox.ReleaseDelivery(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if again := f.claim(t, 1, 1); len(again) != 1 || again[0].Crashes != 0 || again[0].Lease.Token != 2 {
			t.Errorf("released: %+v", again)
		}
	})
}

func TestDeliveriesOfAnEventCarryOnePayload(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		var ids []string
		want := map[string]string{}
		for range 2 {
			r, events := withEvents(f, 2)
			var list []outbox.Delivery
			for _, name := range []string{"a", "b", "c"} { // those of the events alternate
				for _, e := range events {
					d := f.newDelivery(r, e, f.target(name))
					d.Payload = fmt.Appendf(nil, `{"event":"%s"}`, e.ID)
					list, ids, want[d.ID] = append(list, d), append(ids, d.ID), string(d.Payload)
				}
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
		var messages int
		err := f.db.Read(t.Context()).Raw("SELECT count(*) FROM message").Scan(&messages).Error
		same(t, "messages", 4, messages, err)
	})
}

// An index on the lease would be the largest cost of a claim. SQLite has no HOT updates.
func TestALeaseTouchesNoIndex(t *testing.T) {
	url := schema.Postgres(t)
	f := &fixture{t: t, time: timetest.At(start)}
	f.open(url, f.clock)
	f.addPolicy("p")
	for i := range 20 {
		f.addEndpoint(fmt.Sprint("e", i))
	}
	f.enqueue(20)
	const rounds, n = 10, 64
	for range rounds {
		claimed := f.claim(t, n, 4)
		same(t, "claimed", n, len(claimed), nil)
		for _, d := range claimed {
			if err := f.Outbox.ReleaseDelivery(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.reportStatistics(url)
	var updates struct{ Total, Hot int }
	err := f.db.Read(t.Context()).Raw("SELECT n_tup_upd AS total, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'outbox'").Scan(&updates).Error
	same(t, "updates", 2*rounds*n, updates.Total, err)
	// The maximum without other transactions: a full page moves a row, and is not pruned while
	// another transaction, such as autovacuum, may read the old row. With an index on the lease the
	// value is 0.
	if updates.Hot < updates.Total/10 {
		t.Errorf("%d of %d updates left the indexes alone", updates.Hot, updates.Total)
	}
}

func TestDeliveryFilters(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		names := map[string]string{}
		add := func(name string, change func(*outbox.Delivery)) outbox.Delivery {
			r, events := withEvents(f, 1)
			d := f.newDelivery(r, events[0], f.target("a"))
			change(&d)
			f.addDeliveries(d)
			names[d.ID] = name
			return d
		}
		a := add("a", func(d *outbox.Delivery) { d.Status = outbox.DeliveryFailed })
		add("b", func(d *outbox.Delivery) { d.Target = f.target("b") })
		add("c", func(d *outbox.Delivery) {
			d.EventType, d.CreatedAt = string(audit.EventTaskDecided), start.Add(time.Minute)
		})
		sending := func(since time.Duration) func(*outbox.Delivery) {
			return func(d *outbox.Delivery) {
				d.Status, d.Lease = outbox.DeliverySending, outbox.Lease{Token: 1, Since: start.Add(since)}
			}
		}
		add("d", sending(0))
		add("e", sending(-time.Minute)) // until the next claim
		add("f", func(d *outbox.Delivery) { d.Status, d.Lease.Token = outbox.DeliveryDelivered, 1 })
		add("g", func(d *outbox.Delivery) { d.Status = outbox.DeliveryCancelled })
		add("h", func(d *outbox.Delivery) { d.Lease.Token = 2 }) // was given back
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
			"event type": {outbox.DeliveryFilter{EventType: []string{string(audit.EventTaskDecided)}}, []string{"c"}},
			"request":    {outbox.DeliveryFilter{Subject: a.Subject}, []string{"a"}},
			"no request": {outbox.DeliveryFilter{Subject: "x"}, nil},
			"after":      {outbox.DeliveryFilter{CreatedAfter: start}, []string{"c"}},
		}
		for name, tt := range tests {
			list, _, err := f.Outbox.Deliveries(t.Context(), tt.filter, wf.Page{})
			same(t, name, tt.want, sorted(list, func(d outbox.Delivery) string { return names[d.ID] }), err)
		}
	})
}
