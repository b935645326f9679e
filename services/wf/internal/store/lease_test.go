package store_test

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// process is one of several that share the outbox.
type process struct {
	*heartbeat.Process
	t *testing.T
	f *fixture
}

// start adds a process and lets it beat once.
func (f *fixture) start(t *testing.T) process {
	p := process{heartbeat.New(f.db, "v1", slog.New(slog.DiscardHandler)), t, f}
	p.beat()
	return p
}

func (p process) beat() {
	p.t.Helper()
	if err := p.Beat(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// claim takes the permitted deliveries, at most two of a target in flight.
func (p process) claim() []outbox.Delivery {
	p.t.Helper()
	by := claimer(2)
	by.Process = p.ID()
	list, err := p.f.Outbox.ClaimDeliveries(p.t.Context(), by, 10)
	if err != nil {
		p.t.Fatal(err)
	}
	var deliveries []outbox.Delivery
	for _, c := range list.Held {
		if c.Lease.Owner != p.ID() || !c.Lease.Since.Equal(p.f.clock()) {
			p.t.Errorf("lease = %+v", c.Lease)
		}
		deliveries = append(deliveries, c.Delivery)
	}
	return deliveries
}

// lane adds n deliveries to one endpoint, due one after the other.
func (f *fixture) lane(n int) (ids []string) {
	f.addPolicy("p")
	target := f.target("a")
	for range n {
		ids = append(ids, f.outbox(target)[0].ID)
		f.advance(time.Millisecond)
	}
	return ids
}

func TestALeaseOfADeadProcessCountsForNothingAfterFiveSecondsAndEndsAfterTwenty(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ids := f.lane(5)
		dead, other := f.start(t), f.start(t)
		held := dead.claim()
		same(t, "claimed by the one that dies", 2, len(held), nil)
		taken := f.clock()
		claims := func(after time.Duration, want ...string) {
			t.Helper()
			f.time.Set(taken.Add(after))
			other.beat()
			var got []string
			for _, d := range other.claim() {
				got = append(got, d.ID)
				if _, err := f.finish(d, outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock(), StatusCode: 204}); err != nil {
					t.Fatal(err)
				}
			}
			same(t, fmt.Sprint(after, " after the last beat and the claim"), want, got, nil)
		}
		claims(0)
		claims(5*time.Second - time.Millisecond)
		claims(5*time.Second, ids[2], ids[3])
		claims(5*time.Second, ids[4])
		claims(20*time.Second - time.Millisecond)
		claims(20*time.Second, ids[0], ids[1])
		for _, d := range held {
			got, attempts, err := f.Outbox.ReadDelivery(t.Context(), d.ID)
			if err != nil || got.Status != outbox.DeliveryDelivered || got.Crashes != 1 || got.Attempt != 1 || len(attempts) != 2 {
				t.Errorf("deliveries of the dead process = %+v, %+v, %v", got, attempts, err)
			}
			if crash := attempts[0]; crash.N != 0 || !crash.StartedAt.Equal(taken) || !crash.FinishedAt.Equal(f.clock()) {
				t.Errorf("the crash is recorded as %+v", crash)
			}
			if lost, err := f.finish(d, outbox.Result{StartedAt: taken, FinishedAt: f.clock(), StatusCode: 204}); !lost || err != nil {
				t.Errorf("the result of the dead one is taken: %v, %v", lost, err)
			}
		}
		same(t, "what waits", 0, f.waiting(), nil)
	})
}

func TestLeaseOfPossiblyLiveOwnerIsNotTakenBeforeExpiry(t *testing.T) {
	for name, tt := range map[string]struct {
		owner func(process) string
		beats bool
	}{
		"a process that is seen":        {process.ID, true},
		"a program without a heartbeat": {func(process) string { return "" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				ids := f.lane(3)
				living, other := f.start(t), f.start(t)
				by := outboxdb.Claimer{Process: tt.owner(living), PerTarget: 2, Jitter: func() float64 { return 0 }}
				if held, err := f.Outbox.ClaimDeliveries(t.Context(), by, 10); err != nil || len(held.Held) != 2 {
					t.Fatalf("claimed %d, %v", len(held.Held), err)
				}
				taken := f.clock()
				for second := range 45 {
					f.time.Set(taken.Add(time.Duration(second+1)*time.Second - time.Millisecond))
					other.beat()
					if tt.beats {
						living.beat()
					}
					same(t, fmt.Sprint("in second ", second), 0, len(other.claim()), nil)
				}
				f.advance(time.Millisecond)
				again := other.claim()
				same(t, "when the lease has run out", []string{ids[0], ids[1]}, []string{again[0].ID, again[1].ID}, nil)
				same(t, "crashes", 1, again[0].Crashes, nil)
			})
		})
	}
}

func TestAProcessDoesNotTakeItsOwnLeasesForAbandoned(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.lane(3)
		mute := f.start(t) // its beats do not come through
		same(t, "claimed", 2, len(mute.claim()), nil)
		f.advance(45*time.Second - time.Millisecond)
		same(t, "before the leases end", 0, len(mute.claim()), nil)
		f.advance(time.Millisecond)
		same(t, "when they have ended", 2, len(mute.claim()), nil)
	})
}

func TestAProcessThatIsSeenAgainHasItsLeasesBack(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ids := f.lane(4)
		slow, other := f.start(t), f.start(t)
		held := slow.claim()
		f.advance(10 * time.Second)
		other.beat()
		slow.beat()
		same(t, "claimed by the other", 0, len(other.claim()), nil)
		if lost, err := f.finish(held[0], outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock(), StatusCode: 204}); lost || err != nil {
			t.Errorf("its result: lost = %v, %v", lost, err)
		}
		if got := other.claim(); len(got) != 1 || got[0].ID != ids[2] {
			t.Errorf("then the other claims %v", got)
		}
	})
}

func TestManyLeasesOfTheDeadHideNothingThatLives(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.lane(12)
		for range 4 { // one after the other takes two and dies
			same(t, "claimed", 2, len(f.start(t).claim()), nil)
			f.advance(5 * time.Second)
		}
		// The first two are 20 s old. They count against the limit like any.
		living, other := f.start(t), f.start(t)
		again := living.claim()
		same(t, "claimed by one that lives", 2, len(again), nil)
		same(t, "crashes of the first delivery", 1, again[0].Crashes, nil)
		same(t, "claimed by another", 0, len(other.claim()), nil)
	})
}

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
		f.do(func(tx *store.Tx) error {
			before, _, err := tx.Outbox.Delivery(d.ID)
			if err != nil {
				return err
			}
			after, err := before.Retry(tx.Now())
			if err != nil {
				return err
			}
			return tx.Outbox.PutDelivery(after)
		})
		now := other.claim()[0]
		if late.Lease.Token != now.Lease.Token {
			t.Fatalf("tokens %d and %d: the test shows nothing", late.Lease.Token, now.Lease.Token)
		}
		if lost, err := f.finish(late, outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock(), StatusCode: 204}); !lost || err != nil {
			t.Errorf("the result of the first cycle: lost = %v, %v", lost, err)
		}
		if err := f.Outbox.ReleaseDelivery(t.Context(), late); err != nil {
			t.Fatal(err)
		}
		if got := f.stored(d.ID); got.Status != outbox.DeliverySending || got.Cycle != 2 {
			t.Errorf("the delivery = %+v", got)
		}
	})
}

func TestATargetHasRoomAgainBeforeAnOutcomeIsWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		a := f.addEndpoint("a")
		for range 9 {
			f.outbox(a.Target())
			f.advance(time.Millisecond)
		}
		over := 0
		by := claimer(3)
		by.Over = func(lane string) int {
			if lane != a.ID {
				t.Errorf("lane %q, want %s", lane, a.ID)
			}
			return over
		}
		claim := func(what string, held int, more bool) {
			t.Helper()
			claims, err := f.Outbox.ClaimDeliveries(t.Context(), by, 10)
			same(t, what, held, len(claims.Held), err)
			same(t, what+", more", more, claims.More, nil)
		}
		claim("at first", 3, true)
		claim("while the exchanges run", 0, true)
		over = 2
		claim("when two are over", 2, true)
		over = 0
		claim("when their outcomes are being written", 0, true)
		// A failing endpoint is sent one at a time, whatever is over.
		a.Health = outbox.Health{Failures: 5, FailingSince: start, PausedUntil: start}
		f.do(func(tx *store.Tx) error { return tx.Outbox.PutEndpoint(a) })
		over = 5
		claim("when it fails", 0, true)
		f.advance(time.Minute)
		f.do(func(tx *store.Tx) error { return tx.Outbox.PutEndpoint(a.RecordSuccess()) })
		by.PerTarget, over = 20, 0
		claim("when the leases have run out and there is room for all", 9, false)
		claim("when all are held", 0, false)
	})
}

func TestAClaimedDeliveryIsTheWholeOfIt(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.outbox(f.target("a"))
		d := f.claim(t, 1, 1)[0]
		at := f.clock()
		_, err := f.finish(d, outbox.Result{StartedAt: at, FinishedAt: at.Add(1234 * time.Millisecond), StatusCode: 503, Error: "status 503", Excerpt: "busy"})
		if err != nil {
			t.Fatal(err)
		}
		f.advance(time.Hour)
		p := f.start(t)
		got := p.claim()[0]
		want := f.stored(d.ID)
		same(t, "claimed", want, got, nil)
		if got.LastError == "" || got.LastDuration == 0 || got.ResponseExcerpt == "" || got.Attempt != 1 || got.LastStatusCode != 503 || got.Lease.Owner != p.ID() {
			t.Errorf("too few members are set for a finding: %+v", got)
		}
	})
}

// A change of an endpoint is effective at the next claim, although endpoints are cached.
func TestAClaimComesWithTheEndpointAsItIsNow(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		a := f.addEndpoint("a")
		endpoint := func() outbox.Endpoint {
			t.Helper()
			f.outbox(a.Target())
			claims, err := f.Outbox.ClaimDeliveries(t.Context(), claimer(10), 10)
			if err != nil || len(claims.Held) != 1 {
				t.Fatalf("claimed %d, %v", len(claims.Held), err)
			}
			return *claims.Held[0].Endpoint
		}
		same(t, "at first", a, endpoint(), nil)
		a = a.Move("https://elsewhere.example/", f.clock())
		f.do(func(tx *store.Tx) error { return tx.Outbox.PutEndpoint(a) })
		same(t, "when it has moved", a, endpoint(), nil)
		a.Health = outbox.Health{Failures: 2, FailingSince: f.clock()} // without a new revision
		f.do(func(tx *store.Tx) error { return tx.Outbox.PutEndpoint(a) })
		same(t, "when it has failed", a, endpoint(), nil)
		f.do(func(tx *store.Tx) error { return tx.Outbox.DeleteEndpoint(a.ID) })
		f.outbox(a.Target())
		claims, err := f.Outbox.ClaimDeliveries(t.Context(), claimer(10), 10)
		same(t, "claimed when it is deleted", 0, len(claims.Held), err)
	})
}

func TestCountsReportInFlightDeliveries(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.lane(5)
		inFlight := func() int64 {
			t.Helper()
			counts, err := f.Counts(t.Context())
			if err != nil || len(counts.Outbox.Deliveries) != 1 {
				t.Fatalf("%+v, %v", counts, err)
			}
			return counts.Outbox.Deliveries[0].InFlight
		}
		if n := inFlight(); n != 0 {
			t.Errorf("before a claim %d are in flight", n)
		}
		f.advance(10 * time.Second)
		if n := len(f.start(t).claim()); n != 2 || inFlight() != 2 {
			t.Errorf("%d were claimed, %d are in flight", n, inFlight())
		}
		f.advance(outbox.LeaseTime + time.Second)
		if n := inFlight(); n != 0 {
			t.Errorf("after the end of their leases %d are in flight", n)
		}
	})
}
