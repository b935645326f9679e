package webhooks

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/seal/sealtest"
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
