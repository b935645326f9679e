package webhooks

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/seal/sealtest"
	"github.com/countersign/countersign/libs/timetest"
)

// changing is an answer whose status a test sets as it goes.
func changing(status int) (*atomic.Int64, http.HandlerFunc) {
	now := new(atomic.Int64)
	now.Store(int64(status))
	return now, func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(int(now.Load())) }
}

// attempts counts those made of each delivery, crashes left out.
func (w *fixture) attempts(t *testing.T, ids []string) (made []int, finished []time.Time) {
	t.Helper()
	for _, id := range ids {
		d, list := w.delivery(t, id)
		made = append(made, d.Attempt)
		for _, a := range list {
			finished = append(finished, a.FinishedAt)
		}
	}
	slices.SortFunc(finished, time.Time.Compare)
	return made, finished
}

func sum(list []int) (n int) {
	for _, i := range list {
		n += i
	}
	return n
}

func TestAFailingEndpointIsPausedAndTriedOnceAfterEachPause(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		status, answer := changing(500)
		erp := w.receive(t, "erp", answer)
		ids := w.add(t, to(10, erp)...)
		worker := w.worker(t, func(o *Options) { o.PerTarget = 4 })

		// Four at a time: the fifth failure comes with the second four, and the three
		// with it do not make the pause longer.
		run(t, worker, 4)
		if e := w.now(t, erp); e.Health.Failures != 4 || !e.Health.PausedUntil.IsZero() {
			t.Fatalf("health after 4 failures = %+v", e.Health)
		}
		w.clock.Advance(time.Second)
		run(t, worker, 4)
		made, finished := w.attempts(t, ids)
		began := finished[4]
		for i, want := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute, 5 * time.Minute} {
			e := w.now(t, erp)
			if pause := e.Health.PausedUntil.Sub(began); e.Health.Failures != 5+i || pause != want {
				t.Fatalf("after %d failures the pause is %s, want %s after %d", e.Health.Failures, pause, want, 5+i)
			}
			w.clock.Set(e.Health.PausedUntil.Add(-time.Millisecond))
			run(t, worker, 0)
			if now, _ := w.attempts(t, ids); !slices.Equal(now, made) {
				t.Fatalf("attempts during a pause: %v, before it %v", now, made)
			}
			w.clock.Set(e.Health.PausedUntil)
			run(t, worker, 1)
			run(t, worker, 0)
			now, finished := w.attempts(t, ids)
			if sum(now) != sum(made)+1 || len(erp.got()) != sum(now) {
				t.Fatalf("attempts after a pause: %v, before it %v; %d requests", now, made, len(erp.got()))
			}
			made, began = now, finished[len(finished)-1]
		}

		status.Store(200)
		w.clock.Set(w.now(t, erp).Health.PausedUntil)
		run(t, worker, 1)
		if e := w.now(t, erp); e.Health != (outbox.Health{}) {
			t.Errorf("health after a success = %+v", e.Health)
		}
		w.clock.Advance(time.Hour) // by now every wait is over
		run(t, worker, 4)
		run(t, worker, 4)
		run(t, worker, 1)
		for _, id := range ids {
			if d, _ := w.delivery(t, id); d.Status != outbox.DeliveryDelivered {
				t.Errorf("delivery %s is %s after %d attempts", id, d.Status, d.Attempt)
			}
		}
	})
}

func TestASuccessInBetweenStartsTheCountAgain(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		status, answer := changing(500)
		erp := w.receive(t, "erp", answer)
		one := w.worker(t, func(o *Options) { o.PerTarget = 1 })
		for i, s := range []int64{500, 500, 500, 500, 200, 500, 500, 500, 500} {
			status.Store(s)
			w.add(t, to(1, erp)...)
			run(t, one, 1)
			want := i%5 + 1
			if s == 200 {
				want = 0
			}
			if e := w.now(t, erp); e.Health.Failures != want || !e.Health.PausedUntil.IsZero() {
				t.Fatalf("health after exchange %d = %+v, want %d failures", i+1, e.Health, want)
			}
		}
	})
}

func TestAnEndpointThatNeverAcceptsIsDisabled(t *testing.T) {
	const day = 24 * time.Hour
	tests := map[string]struct {
		before int                                            // failures in a row
		next   func(now time.Time, h outbox.Health) time.Time // when the next attempt is made
		want   outbox.DisabledReason
		failed int // failures in a row then
	}{
		"after a hundred failures": {90, func(now time.Time, h outbox.Health) time.Time {
			return now.Add(max(0, h.PausedUntil.Sub(now)))
		}, outbox.DisabledFailures, 100},
		"after five days": {0, func(_ time.Time, h outbox.Health) time.Time {
			return h.FailingSince.Add([]time.Duration{day, 3 * day, 5*day - time.Minute, 5 * day}[h.Failures-1])
		}, outbox.DisabledFailing, 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *fixture) {
				erp := w.receive(t, "erp", answer(500))
				ids := w.add(t, to(12, erp)...)
				w.change(t, erp, func(e outbox.Endpoint) outbox.Endpoint {
					for range tt.before {
						e = e.RecordFailure(false, w.clock.Now())
					}
					return e
				})
				one := w.worker(t, func(o *Options) { o.PerTarget = 1 })
				for n := tt.before + 1; n <= tt.failed; n++ {
					if n > 1 {
						w.clock.Set(tt.next(w.clock.Now(), w.now(t, erp).Health))
					}
					run(t, one, 1)
					if e := w.now(t, erp); e.Enabled == (n == tt.failed) || e.Health.Failures != n {
						t.Fatalf("after %d failures: enabled %t, %q, %+v", n, e.Enabled, e.DisabledReason, e.Health)
					}
				}
				e := w.now(t, erp)
				if e.DisabledReason != tt.want || e.DisabledAt.IsZero() {
					t.Errorf("disabled at %s because %q, want %q", e.DisabledAt, e.DisabledReason, tt.want)
				}
				for _, id := range ids {
					if d, _ := w.delivery(t, id); d.Status != outbox.DeliveryCancelled && d.Status != outbox.DeliveryFailed {
						t.Errorf("delivery %s is %s", id, d.Status)
					}
				}
			})
		})
	}
}

func TestGoneEndpointIsDisabledAndServiceNotified(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		status, answer := changing(410)
		erp := w.receive(t, "erp", answer)
		ids := w.add(t, to(3, erp)...)
		var told []string
		worker := w.worker(t, func(o *Options) {
			o.PerTarget = 1
			o.Settle = func(ctx context.Context, fn func(*outboxdb.Tx) ([]outbox.Endpoint, error)) error {
				return w.store.Do(ctx, func(tx *outboxdb.Tx) error {
					disabled, err := fn(tx)
					for _, e := range disabled {
						told = append(told, e.Name)
					}
					return err
				})
			}
		})
		run(t, worker, 1)

		e := w.now(t, erp)
		if e.Enabled || e.DisabledReason != outbox.DisabledGone || e.DisabledAt.IsZero() || e.Rev != erp.endpoint.Rev+1 {
			t.Errorf("endpoint = %+v", e)
		}
		var got []string
		for _, id := range ids {
			d, attempts := w.delivery(t, id)
			got = append(got, fmt.Sprintf("%s after %d", d.Status, len(attempts)))
		}
		slices.Sort(got)
		if want := []string{"cancelled after 0", "cancelled after 0", "failed after 1"}; !slices.Equal(got, want) {
			t.Errorf("deliveries are %q, want %q", got, want)
		}

		if want := []string{"erp"}; !slices.Equal(told, want) {
			t.Errorf("the notices are %q, want %q", told, want)
		}

		// Enabled again it has a clean state, and cancelled deliveries stay cancelled.
		status.Store(500)
		w.change(t, erp, func(e outbox.Endpoint) outbox.Endpoint { return e.Enable(w.clock.Now()) })
		if e := w.now(t, erp); !e.Enabled || e.DisabledReason != "" || e.Health != (outbox.Health{}) {
			t.Errorf("enabled again: %+v", e)
		}
		run(t, worker, 0)
		for range 4 {
			w.add(t, to(1, erp)...)
			run(t, worker, 1)
		}
		if e := w.now(t, erp); !e.Enabled || e.Health.Failures != 4 || !e.Health.PausedUntil.IsZero() {
			t.Errorf("after four failures: %+v", e)
		}
		if n := len(erp.got()); n != 5 {
			t.Errorf("the endpoint got %d messages, want 5", n)
		}
	})
}

func TestWithoutItsKeyAnEndpointWaitsAndLosesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		erp, crm := w.receive(t, "erp", nil), w.receive(t, "crm", nil)
		id := w.add(t, to(1, erp)...)[0]
		without := w.worker(t, func(o *Options) { o.Keys = sealtest.Keys(t, "k2") })
		run(t, without, 0)
		d, attempts := w.delivery(t, id)
		if d.Status != outbox.DeliveryPending || d.LastError != "" || len(attempts) != 0 {
			t.Errorf("delivery = %s, %q with %d attempts", d.Status, d.LastError, len(attempts))
		}
		if e := w.now(t, erp); e.Health != (outbox.Health{}) || len(erp.got()) != 0 {
			t.Errorf("health = %+v after %d requests", e.Health, len(erp.got()))
		}
		w.add(t, to(1, crm)...)
		run(t, w.worker(t, func(o *Options) { o.Keys = sealtest.Keys(t, "k2", "k1") }), 2)
		if d, _ := w.delivery(t, id); d.Status != outbox.DeliveryDelivered {
			t.Errorf("delivery = %s, %q", d.Status, d.LastError)
		}
	})
}

func TestAHungEndpointHoldsItsShareAndNoMore(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		const endpoints, per, slots, share = 20, 10, 64, defaultPerTarget
		waiting := 10_000
		if strings.HasPrefix(w.url, "sqlite:") {
			waiting = 1000 // under the race detector the rest takes a minute
		}
		hung := w.receive(t, "hung", nil)
		w.add(t, to(waiting, hung)...) // before the others: longest due
		var healthy []*receiver
		for i := range endpoints {
			r := w.receive(t, fmt.Sprintf("healthy-%d", i), nil)
			healthy = append(healthy, r)
			w.add(t, to(per, r)...)
		}
		worker := w.worker(t)

		// The hung ones stay out while the others come back at once.
		var held []claim
		claims := func(free int) (hanging []claim, others []claim) {
			t.Helper()
			claimed, _, err := worker.claim(t.Context(), free)
			if err != nil || len(claimed) > free {
				t.Fatalf("claimed %d of %d, %v", len(claimed), free, err)
			}
			for _, c := range claimed {
				if c.Endpoint.ID == hung.endpoint.ID {
					hanging = append(hanging, c)
				} else {
					others = append(others, c)
				}
			}
			return hanging, others
		}
		passes := 0
		for done := 0; done < endpoints*per; passes++ {
			hanging, others := claims(slots - len(held))
			if held = append(held, hanging...); len(held) > share {
				t.Fatalf("pass %d: the hung endpoint holds %d slots", passes+1, len(held))
			}
			reached := map[string]bool{}
			var batch []*outcome
			for _, c := range others {
				reached[c.Endpoint.ID] = true
				batch = append(batch, worker.deliver(t.Context(), c))
			}
			if passes == 0 && len(reached) != endpoints {
				t.Errorf("the first pass reaches %d of %d healthy endpoints", len(reached), endpoints)
			}
			if err := worker.settle(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			if done += len(others); len(others) == 0 {
				t.Fatalf("pass %d takes no healthy delivery, and %d are left", passes+1, endpoints*per-done)
			}
		}
		if want := (endpoints*per + slots - share - 1) / (slots - share); passes > want+1 {
			t.Errorf("%d passes for %d deliveries in %d slots, want %d", passes, endpoints*per, slots-share, want)
		}
		for i, r := range healthy {
			if n := len(r.got()); n != per {
				t.Errorf("healthy-%d got %d messages, want %d", i, n, per)
			}
		}

		// More than five failures, then one at a time.
		fail := func(list []claim) {
			t.Helper()
			var batch []*outcome
			for _, c := range list {
				now := c.clock.now()
				batch = append(batch, worker.newOutcome(c, outbox.Result{StartedAt: now, FinishedAt: now, Error: "timeout"}))
			}
			if err := worker.settle(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		}
		if len(held) != share {
			t.Fatalf("%d are taken, want %d", len(held), share)
		}
		fail(held)
		for range 3 {
			if none, _ := claims(slots); len(none) != 0 {
				t.Fatalf("%d are taken during a pause", len(none))
			}
			w.clock.Set(w.now(t, hung).Health.PausedUntil)
			probe, _ := claims(slots)
			if more, _ := claims(slots); len(probe) != 1 || len(more) != 0 {
				t.Fatalf("%d and %d more are taken after a pause, want 1", len(probe), len(more))
			}
			fail(probe)
		}
		if n := len(hung.got()); n != 0 {
			t.Errorf("%d messages", n)
		}
	})
}

func TestTheOldKeyAndTheNewSignUntilTheOverlapIsOver(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		erp := w.receive(t, "erp", nil, func(e *outbox.Endpoint) { e.Signature = outbox.SignBoth })
		there := w.listen(t, "erp", nil) // verified below
		w.add(t, to(1, erp)...)          // before the rotation, and signed after it
		next := w.seal(t, erp.endpoint.ID, secret("next"))
		w.change(t, erp, func(e outbox.Endpoint) outbox.Endpoint {
			return e.Move(there.url, w.clock.Now()).Rotate(next, 24*time.Hour, w.clock.Now())
		})
		verifiers := map[string]verifier{
			"old v1": verifyV1(t, secret("erp")), "old v1a": verifyV1A(t, erp.endpoint.Key.PublicKey),
			"new v1": verifyV1(t, secret("next")), "new v1a": verifyV1A(t, next.PublicKey),
		}
		worker := w.worker(t)
		until := w.now(t, erp).PreviousUntil
		for i, step := range []struct {
			at  time.Time
			old bool
		}{
			{w.clock.Now(), true},
			{until.Add(-time.Minute), true},
			{until, false},
			{until.Add(time.Hour), false},
		} {
			w.clock.Set(step.at)
			if i > 0 {
				w.add(t, to(1, erp)...)
			}
			run(t, worker, 1)
			message := there.got()[i]
			for name, verify := range verifiers {
				want := step.old || strings.HasPrefix(name, "new")
				if err := verify(message); (err == nil) != want {
					t.Errorf("at %s %s: %v, want verified: %t", step.at, name, err, want)
				}
			}
		}
	})
}

func TestARotationFailsNoVerification(t *testing.T) {
	const endpoints, rotations, half = 8, 3, 5
	each(t, func(t *testing.T, w *fixture) {
		// One at a time to an endpoint: a message that the new key has signed proves that
		// none is on its way that it has not. A receiver may change its secret from there on.
		worker := w.worker(t, func(o *Options) { o.PerTarget = 1 })
		list := make([]*rotating, endpoints)
		var ids []string
		for i := range list {
			name := fmt.Sprintf("erp-%d", i)
			list[i] = &rotating{knows: verifyV1(t, secret(name)), arrived: make(chan struct{}, 1000), changed: make(chan struct{}, 1)}
			list[i].receiver = w.receive(t, name, nil)
			there := w.listen(t, name, nil, list[i].verify)
			w.change(t, list[i].receiver, func(e outbox.Endpoint) outbox.Endpoint { return e.Move(there.url, w.clock.Now()) })
		}
		send := func(r *rotating) {
			ids = append(ids, w.add(t, to(half, r.receiver)...)...)
			worker.Wake()
		}
		stop := start(t, worker)
		for k := range rotations {
			for _, r := range list {
				send(r)
			}
			for i, r := range list {
				for range (k + i) % 4 {
					timetest.Await(t, r.arrived, "a message before the rotation")
				}
				text := secret(fmt.Sprintf("erp-%d-%d", i, k))
				r.change(verifyV1(t, text), (k*i)%half)
				next := w.seal(t, r.endpoint.ID, text)
				w.change(t, r.receiver, func(e outbox.Endpoint) outbox.Endpoint { return e.Rotate(next, 24*time.Hour, w.clock.Now()) })
				send(r)
			}
			for _, r := range list {
				timetest.Await(t, r.changed, "a receiver that changes its secret")
			}
		}
		for i, r := range list {
			got := 0
			for k := range rotations {
				got += (k + i) % 4
			}
			for ; got < 2*half*rotations; got++ {
				timetest.Await(t, r.arrived, "the rest")
			}
		}
		stop()
		for _, id := range ids {
			if d, _ := w.delivery(t, id); d.Status != outbox.DeliveryDelivered || d.Attempt != 1 {
				t.Errorf("delivery %s is %s after %d attempts", id, d.Status, d.Attempt)
			}
		}
		if len(ids) < 200 {
			t.Errorf("%d deliveries show little", len(ids))
		}
	})
}

// rotating is a receiver with one secret at a time.
type rotating struct {
	*receiver
	arrived, changed chan struct{}

	mu    sync.Mutex
	knows verifier
	next  verifier // nil when no change is to come
	after int      // that the next verifies are left to the one before
}

// change makes the receiver use only next, after the given number of further messages that next
// verifies.
func (r *rotating) change(next verifier, after int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next, r.after = next, after
}

func (r *rotating) verify(m received) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrived <- struct{}{}
	if r.next != nil && r.next(m) == nil {
		if r.after--; r.after < 0 {
			r.knows, r.next = r.next, nil
			r.changed <- struct{}{}
		}
	}
	return r.knows(m)
}
