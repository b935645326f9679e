package outboxdb_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
)

// SQLite has one writer at a time, so there is nothing to see there.
func TestDisablingClaimingAndRetryingDoNotCrossEachOther(t *testing.T) {
	f := open(t, schema.Postgres(t))
	endpoint := f.addEndpoint("a")
	for range 150 {
		f.outbox(endpoint.Target())
	}

	const rounds = 120
	lock := func(tx *outboxdb.Tx) (outbox.Endpoint, error) { return tx.Endpoint(endpoint.ID) }
	disable := func() error {
		return f.Do(t.Context(), func(tx *outboxdb.Tx) error {
			before, err := lock(tx)
			if err != nil || !before.Enabled {
				return err
			}
			return errors.Join(tx.PutEndpoint(before.Disable(outbox.DisabledByAdmin, tx.Now())), tx.CancelDeliveries(endpoint.ID))
		})
	}
	enable := func() error {
		return f.Do(t.Context(), func(tx *outboxdb.Tx) error {
			before, err := lock(tx)
			if err != nil {
				return err
			}
			return tx.PutEndpoint(before.Enable(tx.Now()))
		})
	}
	send := func() error {
		claims, err := f.ClaimDeliveries(t.Context(), claimer(100), 8)
		if err != nil {
			return err
		}
		var list []outboxdb.Finished
		for i, c := range claims.Held {
			r := outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock(), StatusCode: 500}
			if i == 0 && rand.IntN(4) == 0 {
				r.StatusCode = 204
			}
			d, a := c.Finish(r, 0)
			if d.Status == outbox.DeliveryPending {
				d.NextAttemptAt = f.clock() // due at once: there is more to do
			}
			list = append(list, outboxdb.Finished{Delivery: d, Attempt: a})
		}
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return f.Do(t.Context(), func(tx *outboxdb.Tx) error {
			lost, err := tx.FinishDeliveries(list)
			if len(lost) > 0 {
				t.Errorf("%d leases were lost", len(lost))
			}
			return err
		})
	}
	retry := func(limit int) func() error {
		return func() error {
			return f.Do(t.Context(), func(tx *outboxdb.Tx) error {
				status := []outbox.DeliveryStatus{outbox.DeliveryCancelled, outbox.DeliveryFailed}[rand.IntN(2)]
				before, _, err := tx.LoadRecoverable(outbox.Recovery{Status: outbox.RecoverableStatus(status), CreatedBefore: start.Add(time.Hour), Limit: limit})
				if err != nil {
					return err
				}
				after := make([]outbox.Delivery, len(before))
				for i, d := range before {
					if after[i], err = d.Retry(tx.Now()); err != nil {
						return err
					}
				}
				return tx.PutRecovered(after)
			})
		}
	}
	var working, others sync.WaitGroup
	var done atomic.Bool
	repeat := func(step func() error, more func(round int) bool) func() {
		return func() {
			for round := 0; more(round); round++ {
				if err := step(); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}
	for range 3 {
		working.Go(repeat(send, func(round int) bool { return round < rounds }))
	}
	for _, step := range []func() error{disable, enable, retry(1000), retry(1), retry(20)} {
		others.Go(repeat(step, func(int) bool { return !done.Load() }))
	}
	working.Wait()
	done.Store(true)
	others.Wait()
	if err := disable(); err != nil {
		t.Fatal(err)
	}
	same(t, "claimed of a disabled endpoint", 0, len(f.claim(t, 1000, 1000)), nil)

	queries := map[string]string{
		"waiting": "SELECT count(*) FROM outbox",
		"cancelled and delivered": `SELECT count(*) FROM delivery d WHERE status <> 'delivered'
			AND EXISTS (SELECT FROM delivery_attempt a WHERE a.delivery_id = d.id AND a.outcome = 'delivered')`,
		"delivered twice": `SELECT count(*) FROM (SELECT FROM delivery_attempt WHERE outcome = 'delivered' GROUP BY delivery_id HAVING count(*) > 1) x`,
	}
	for what, query := range queries {
		same(t, what, 0, f.count(query), nil)
	}
	for what, query := range map[string]string{
		"delivered": "SELECT count(*) FROM delivery WHERE status = 'delivered'", "cancelled": "SELECT count(*) FROM delivery WHERE status = 'cancelled'",
		"retried": "SELECT count(*) FROM delivery WHERE cycle > 1",
	} {
		if f.count(query) == 0 {
			t.Errorf("no deliveries were %s: the test shows nothing", what)
		}
	}
}

// Two concurrent purges leave no message without a delivery.
func TestTwoPurgesAtOnceLeaveNoMessage(t *testing.T) {
	f := open(t, schema.Postgres(t))
	f.outbox(f.target("a"), f.target("b"))
	for _, d := range f.claim(t, 2, 2) {
		if _, err := f.finish(d, outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock(), StatusCode: 204}); err != nil {
			t.Fatal(err)
		}
	}
	purge := func(limit int, meanwhile func() int) (n int) {
		t.Helper()
		err := f.Do(t.Context(), func(tx *outboxdb.Tx) (err error) {
			n, err = tx.Purge(f.clock().Add(time.Hour), limit)
			n += meanwhile()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	nothing := func() int { return 0 }
	n := purge(1, func() int { return purge(9, nothing) })
	same(t, "deliveries", 2, n+purge(9, nothing), nil)
	same(t, "messages", 0, f.count("SELECT count(*) FROM message"), nil)
}
