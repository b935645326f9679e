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

func TestAFailingEndpointIsPausedAndTriedOnceAfterEachPause(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		status, answer := changing(500)
		erp := w.receive(t, "erp", answer)
		w.add(t, to(10, erp)...)
		worker := w.worker(t, func(o *Options) { o.PerTarget = 4 })
		// Four at a time: the fifth failure comes with the second four.
		run(t, worker, 4)
		run(t, worker, 4)
		for failures := 5; failures <= 7; failures++ {
			e := w.now(t, erp)
			if e.Health.Failures != failures || !e.Health.PausedUntil.After(w.clock.Now()) {
				t.Fatalf("health = %+v, want a pause after %d failures", e.Health, failures)
			}
			w.clock.Set(e.Health.PausedUntil.Add(-time.Millisecond))
			run(t, worker, 0)
			w.clock.Set(e.Health.PausedUntil)
			if failures == 7 {
				status.Store(200)
			}
			run(t, worker, 1)
		}
		if e := w.now(t, erp); e.Health != (outbox.Health{}) {
			t.Errorf("health after a success = %+v", e.Health)
		}
		w.clock.Advance(time.Hour) // by now every wait is over
		run(t, worker, 4)
		run(t, worker, 4)
		run(t, worker, 1)
		if n := len(erp.got()); n != 20 {
			t.Errorf("%d requests, want 20", n)
		}
	})
}

func TestGoneEndpointIsDisabledAndServiceNotified(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		_, answer := changing(410)
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
