package store_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// SQLite has one writer at a time, so there is nothing to see there.
func TestDisablingClaimingAndRetryingDoNotCrossEachOther(t *testing.T) {
	url := schema.Postgres(t)
	f := &fixture{t: t, time: timetest.At(start)}
	f.open(url, f.clock)
	f.addPolicy("p")
	endpoint := f.addEndpoint("a")
	f.enqueue(150)

	const rounds = 120
	lock := func(tx *store.Tx) (outbox.Endpoint, error) { return tx.Outbox.Endpoint(endpoint.ID) }
	disable := func() error {
		return f.Do(t.Context(), func(tx *store.Tx) error {
			before, err := lock(tx)
			if err != nil || !before.Enabled {
				return err
			}
			return errors.Join(tx.Outbox.PutEndpoint(before.Disable(outbox.DisabledByAdmin, tx.Now())), tx.Outbox.CancelDeliveries(endpoint.ID))
		})
	}
	enable := func() error {
		return f.Do(t.Context(), func(tx *store.Tx) error {
			before, err := lock(tx)
			if err != nil {
				return err
			}
			return tx.Outbox.PutEndpoint(before.Enable(tx.Now()))
		})
	}
	work := func() error {
		claims, err := f.Outbox.ClaimDeliveries(t.Context(), claimer(100), 8)
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
		return f.Do(t.Context(), func(tx *store.Tx) error {
			lost, err := tx.Outbox.FinishDeliveries(list)
			if len(lost) > 0 {
				t.Errorf("%d leases were lost", len(lost))
			}
			return err
		})
	}
	retry := func(limit int) func() error {
		return func() error {
			return f.Do(t.Context(), func(tx *store.Tx) error {
				status := []outbox.DeliveryStatus{outbox.DeliveryCancelled, outbox.DeliveryFailed}[rand.IntN(2)]
				before, _, err := tx.Outbox.LoadRecoverable(outbox.Recovery{Status: outbox.RecoverableStatus(status), CreatedBefore: start.Add(time.Hour), Limit: limit})
				if err != nil {
					return err
				}
				after := make([]outbox.Delivery, len(before))
				for i, d := range before {
					if after[i], err = d.Retry(tx.Now()); err != nil {
						return err
					}
				}
				return tx.Outbox.PutRecovered(after)
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
		working.Go(repeat(work, func(round int) bool { return round < rounds }))
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
		var n int
		err := f.db.Read(t.Context()).Raw(query).Scan(&n).Error
		same(t, what, 0, n, err)
	}
	for what, query := range map[string]string{
		"delivered": "SELECT count(*) FROM delivery WHERE status = 'delivered'", "cancelled": "SELECT count(*) FROM delivery WHERE status = 'cancelled'",
		"retried": "SELECT count(*) FROM delivery WHERE cycle > 1",
	} {
		var n int
		if err := f.db.Read(t.Context()).Raw(query).Scan(&n).Error; err != nil || n == 0 {
			t.Errorf("%d deliveries were %s (%v): the test shows nothing", n, what, err)
		}
	}
	same(t, "deadlocks", 0, f.deadlocks(url), nil)
}

// Two concurrent purges leave no message without a delivery.
func TestTwoPurgesAtOnceLeaveNoMessage(t *testing.T) {
	f := &fixture{t: t, time: timetest.At(start)}
	f.open(schema.Postgres(t), f.clock)
	f.addPolicy("p")
	f.outbox(f.target("a"), f.target("b"))
	for _, d := range f.claim(t, 2, 2) {
		if _, err := f.finish(d, outbox.Result{StartedAt: f.clock(), FinishedAt: f.clock(), StatusCode: 204}); err != nil {
			t.Fatal(err)
		}
	}
	purge := func(limit int, meanwhile func() int) (n int) {
		t.Helper()
		err := f.Do(t.Context(), func(tx *store.Tx) (err error) {
			n, err = tx.PurgeDeliveries(f.clock().Add(time.Hour), limit)
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
	var left int64
	err := f.db.Read(t.Context()).Table("message").Count(&left).Error
	same(t, "messages", int64(0), left, err)
}

// deadlocks is how many there were in the database.
func (f *fixture) deadlocks(url string) (n int) {
	f.t.Helper()
	f.reportStatistics(url)
	err := f.db.Read(f.t.Context()).Raw("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&n).Error
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// reportStatistics makes the database count all that was done. Connections report it when
// they end, so all are ended, and others opened.
func (f *fixture) reportStatistics(url string) {
	f.t.Helper()
	if err := f.db.Close(); err != nil {
		f.t.Fatal(err)
	}
	f.open(url, f.clock)
	for {
		var others int
		err := f.db.Read(f.t.Context()).Raw(`SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&others).Error
		if err != nil {
			f.t.Fatal(err)
		}
		if others == 0 {
			return
		}
	}
}
