package webhooks

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/work"
)

// exchanges makes the attempts of claimed deliveries, and stores nothing.
func exchanges(t *testing.T, w *Sender, want int) []*outcome {
	t.Helper()
	claimed, _, err := w.claim(t.Context(), w.Concurrency)
	if err != nil || len(claimed) != want {
		t.Fatalf("claimed %d, %v; want %d", len(claimed), err, want)
	}
	batch := make([]*outcome, len(claimed))
	for i, c := range claimed {
		batch[i] = w.deliver(t.Context(), c)
	}
	return batch
}

func TestAResultThatIsDroppedLosesNoOther(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		status, answer := changing(500)
		erp := w.receive(t, "erp", answer)
		w.add(t, to(3, erp)...)
		var logs bytes.Buffer
		late := w.worker(t, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&logs, nil)) })
		batch := exchanges(t, late, 3)
		// The leases expire, and another worker claims one.
		w.clock.Advance(work.LeaseTime)
		taken, err := w.store.ClaimDeliveries(t.Context(), claimer(4), 1)
		if err != nil || len(taken.Held) != 1 {
			t.Fatalf("claimed %d, %v", len(taken.Held), err)
		}
		if err := late.settle(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		for _, o := range batch {
			d, attempts := w.delivery(t, o.ID)
			if o.ID == taken.Held[0].ID {
				if d.Status != outbox.DeliverySending || d.Attempt != 0 || d.Lease.Token != taken.Held[0].Lease.Token {
					t.Errorf("the one that was taken = %+v", d)
				}
				continue
			}
			if d.Status != outbox.DeliveryPending || d.Attempt != 1 || len(attempts) != 1 {
				t.Errorf("another = %s after %d attempts", d.Status, d.Attempt)
			}
		}
		if e := w.now(t, erp); e.Health.Failures != 2 {
			t.Errorf("%d failures are counted, want those 2 that were stored", e.Health.Failures)
		}
		if n := strings.Count(logs.String(), "its lease was lost"); n != 1 {
			t.Errorf("%d dropped results are logged, want 1:\n%s", n, &logs)
		}

		// Nor is a success that comes too late.
		status.Store(200)
		w.clock.Advance(work.LeaseTime)
		batch = exchanges(t, late, 3)
		w.clock.Advance(work.LeaseTime)
		if taken, err = w.store.ClaimDeliveries(t.Context(), claimer(4), 3); err != nil || len(taken.Held) != 3 {
			t.Fatalf("claimed %d, %v", len(taken.Held), err)
		}
		if err := late.settle(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		if e := w.now(t, erp); e.Health.Failures != 2 {
			t.Errorf("%d failures are counted, want 2", e.Health.Failures)
		}
	})
}

func TestOutcomesThatCannotBeStoredAreSentAgain(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		erp := w.receive(t, "erp", nil)
		ids := w.add(t, to(3, erp)...)
		away := w.open(t)
		unlucky := w.worker(t, func(o *Options) { o.Store, o.Settle = away.Store, away.Settle })
		batch := exchanges(t, unlucky, 3)
		away.db.Close()
		if err := unlucky.settle(t.Context(), batch); err == nil {
			t.Fatal("outcomes were stored in a database that is away")
		}
		lucky := w.worker(t)
		run(t, lucky, 0)
		w.clock.Advance(work.LeaseTime)
		run(t, lucky, 3)
		sent := map[string]int{}
		for _, message := range erp.got() {
			sent[message.header.Get("webhook-id")]++
		}
		for _, id := range ids {
			d, attempts := w.delivery(t, id)
			if d.Status != outbox.DeliveryDelivered || d.Attempt != 1 || d.Crashes != 1 || len(attempts) != 2 {
				t.Errorf("delivery = %s after %d attempts and %d crashes", d.Status, d.Attempt, d.Crashes)
			}
			if sent[d.EventID] != 2 {
				t.Errorf("event %s was sent %d times, want 2", d.EventID, sent[d.EventID])
			}
		}
		if e := w.now(t, erp); e.Health != (outbox.Health{}) {
			t.Errorf("health = %+v", e.Health)
		}
	})
}

func TestAnOutcomeOfAnEndpointThatIsDeletedMeanwhileIsStored(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		erp, gone := w.receive(t, "erp", answer(500)), w.receive(t, "gone", answer(410))
		w.add(t, append(to(1, erp), to(1, gone)...)...)
		worker := w.worker(t)
		batch := exchanges(t, worker, 2)
		w.do(t, func(tx *outboxdb.Tx) error { return tx.DeleteEndpoint(erp.endpoint.ID) })
		w.change(t, gone, func(e outbox.Endpoint) outbox.Endpoint { return e.Disable(outbox.DisabledByAdmin, w.clock.Now()) })
		if err := worker.settle(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		for _, o := range batch {
			want := outbox.DeliveryPending // to be cancelled when it is due
			if o.Endpoint.ID == gone.endpoint.ID {
				want = outbox.DeliveryFailed
			}
			if d, attempts := w.delivery(t, o.ID); d.Status != want || len(attempts) != 1 {
				t.Errorf("delivery to %s = %s after %d attempts, want %s", o.Endpoint.Name, d.Status, len(attempts), want)
			}
		}
		if e := w.now(t, gone); e.DisabledReason != outbox.DisabledByAdmin {
			t.Errorf("disabled because %q, want the admin's reason", e.DisabledReason)
		}
	})
}

func TestWorkerStopStoresInFlightDeliveries(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		arrived, release := make(chan struct{}), make(chan struct{})
		held := func(_ http.ResponseWriter, r *http.Request) {
			select {
			case arrived <- struct{}{}:
			case <-r.Context().Done():
			}
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		a, b := w.receive(t, "a", held), w.receive(t, "b", held)
		ids := w.add(t, append(to(10, a), to(10, b)...)...)
		worker := w.worker(t)
		worker.loop.Every = time.Hour
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- worker.Run(ctx) }()
		for range 16 { // eight to each
			timetest.Await(t, arrived, "a message")
		}
		cancel()
		close(release)
		if err := timetest.Await(t, ended, "Run returns"); err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
		count := map[outbox.DeliveryStatus]int{}
		for _, id := range ids {
			d, _ := w.delivery(t, id)
			count[d.Status]++
		}
		if count[outbox.DeliveryDelivered] != 16 || count[outbox.DeliveryPending] != 4 {
			t.Errorf("deliveries = %v, want 16 delivered and 4 pending", count)
		}
		if n := len(a.got()) + len(b.got()); n != 16 {
			t.Errorf("%d messages, want 16", n)
		}
	})
}
