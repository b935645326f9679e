package outboxdb_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/work"
)

// A manual retry recreates the row. State of an earlier cycle must not end it.
func TestAResultOfAnEarlierCycleIsDropped(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.lane(1)
		old, other := f.start(t), f.start(t)
		late := old.claim()[0]
		f.advance(20 * time.Second)
		other.beat()
		d := other.claim()[0]
		if _, err := f.finish(d, outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock(), StatusCode: 410, Gone: true}); err != nil {
			t.Fatal(err)
		}
		f.do(func(tx *outboxdb.Tx) error {
			before, _, err := tx.Delivery(d.ID)
			if err != nil {
				return err
			}
			after, err := before.Retry(tx.Now())
			if err != nil {
				return err
			}
			return tx.PutDelivery(after)
		})
		same(t, "claimed again", 1, len(other.claim()), nil)
		if lost, err := f.finish(late, outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock(), StatusCode: 204}); !lost || err != nil {
			t.Errorf("the result of the first cycle: lost = %v, %v", lost, err)
		}
		if err := f.ReleaseDelivery(t.Context(), late); err != nil {
			t.Fatal(err)
		}
		if got := f.stored(d.ID); got.Status != outbox.DeliverySending || got.Cycle != 2 {
			t.Errorf("the delivery = %+v", got)
		}
	})
}

func TestAClaimedDeliveryIsTheWholeOfIt(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.outbox(f.target("a"))
		d := f.claim(t, 1, 1)[0]
		at := f.clock()
		_, err := f.finish(d, outbox.Result{StartedAt: at, FinishedAt: at.Add(1234 * time.Millisecond), StatusCode: 503,
			Error: "status 503", Excerpt: "busy"})
		if err != nil {
			t.Fatal(err)
		}
		f.advance(time.Hour)
		p := f.start(t)
		got := p.claim()[0]
		want := f.stored(d.ID)
		same(t, "claimed", want, got, nil)
		if got.LastError == "" || got.LastDuration == 0 || got.ResponseExcerpt == "" || got.Attempt != 1 ||
			got.LastStatusCode != 503 || got.Lease.Owner != p.ID() {
			t.Errorf("too few members are set for a finding: %+v", got)
		}
	})
}

func TestAClaimComesWithTheEndpointAsItIsNow(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a := f.addEndpoint("a")
		endpoint := func() outbox.Endpoint {
			t.Helper()
			f.outbox(a.Target())
			claims, err := f.ClaimDeliveries(t.Context(), claimer(10), 10)
			if err != nil || len(claims.Held) != 1 {
				t.Fatalf("claimed %d, %v", len(claims.Held), err)
			}
			return *claims.Held[0].Endpoint
		}
		same(t, "at first", a, endpoint(), nil)
		a = a.Move("https://elsewhere.example/", f.clock())
		f.do(func(tx *outboxdb.Tx) error { return tx.PutEndpoint(a) })
		same(t, "when it has moved", a, endpoint(), nil)
		a.Health = outbox.Health{Failures: 2, FailingSince: f.clock()} // without a new revision
		f.do(func(tx *outboxdb.Tx) error { return tx.PutEndpoint(a) })
		same(t, "when it has failed", a, endpoint(), nil)
		f.do(func(tx *outboxdb.Tx) error { return tx.DeleteEndpoint(a.ID) })
		f.outbox(a.Target())
		claims, err := f.ClaimDeliveries(t.Context(), claimer(10), 10)
		same(t, "claimed when it is deleted", 0, len(claims.Held), err)
	})
}

func TestCountsAreThoseOfEachTarget(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.lane(5)
		f.addDeliveries(f.newDeliveries(f.target("b"))...)
		failed := f.outbox(f.target("b"))[0]
		failed.Status = outbox.DeliveryFailed
		f.do(func(tx *outboxdb.Tx) error { return tx.PutDelivery(failed) })
		inFlight := func(what string, want int64) {
			t.Helper()
			counts, err := f.Counts(f.db.Read(t.Context()), f.clock())
			if err != nil || len(counts.Endpoints) != 2 {
				t.Fatalf("%+v, %v", counts, err)
			}
			got := map[string]outboxdb.EndpointCount{}
			for _, c := range counts.Deliveries {
				got[c.Endpoint] = c
			}
			at := start.UnixMilli()
			same(t, what, map[string]outboxdb.EndpointCount{
				"a": {Endpoint: "a", Pending: 5, OldestMS: at, DueMS: at, InFlight: want},
				"b": {Endpoint: "b", Pending: 1, Failed: 1, OldestMS: at + 5, DueMS: at + 5},
			}, got, nil)
		}
		inFlight("before a claim", 0)
		by := claimer(2)
		by.Signs = func(e outbox.Endpoint, _ time.Time) bool { return e.Name == "a" }
		if list, err := f.ClaimDeliveries(t.Context(), by, 10); err != nil || len(list.Held) != 2 {
			t.Fatalf("claimed %d, %v", len(list.Held), err)
		}
		inFlight("claimed", 2)
		f.advance(work.LeaseTime)
		inFlight("after the end of the leases", 0)
	})
}
