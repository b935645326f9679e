package webhooks

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/paging"
	"github.com/countersign/countersign/libs/timetest"
)

func TestDeliverySignatureFollowsTheStandard(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		both := func(e *outbox.Endpoint) { e.Signature = outbox.SignBoth }
		asymmetric := func(e *outbox.Endpoint) { e.Signature = outbox.SignEd25519 }
		tests := []struct {
			*receiver
			signatures []string
		}{
			{w.receive(t, "hmac", nil), []string{"v1"}},
			{w.receive(t, "ed25519", nil, asymmetric), []string{"v1a"}},
			{w.receive(t, "both", nil, both), []string{"v1", "v1a"}},
			{w.callback(t, nil), []string{"v1", "v1"}},
		}
		var targets []outbox.Target
		for _, tt := range tests {
			targets = append(targets, to(1, tt.receiver)...)
		}
		ids := w.add(t, targets...)
		run(t, w.worker(t), len(tests))

		for i, tt := range tests {
			d, attempts := w.delivery(t, ids[i])
			if d.Status != outbox.DeliveryDelivered || len(attempts) != 1 || attempts[0].Outcome != outbox.AttemptDelivered || attempts[0].N != 1 {
				t.Errorf("delivery = %+v, attempts %+v", d, attempts)
			}
			got := tt.got()
			if len(got) != 1 {
				t.Fatalf("%d requests, want 1", len(got))
			}
			for header, want := range map[string]string{
				"webhook-id":        d.EventID,
				"webhook-timestamp": strconv.FormatInt(w.clock.Now().Unix(), 10),
				"content-type":      "application/json",
				"user-agent":        "note-webhooks/1",
				"note-delivery-id":  d.ID,
				"note-attempt":      "1",
			} {
				if value := got[0].header.Get(header); value != want {
					t.Errorf("%s = %q, want %q", header, value, want)
				}
			}
			var schemes []string
			for _, signature := range strings.Fields(got[0].header.Get("webhook-signature")) {
				scheme, _, _ := strings.Cut(signature, ",")
				schemes = append(schemes, scheme)
			}
			if !slices.Equal(schemes, tt.signatures) {
				t.Errorf("signatures by %q, want %q", schemes, tt.signatures)
			}
			if string(got[0].body) != string(d.Payload) {
				t.Errorf("body = %s, want %s", got[0].body, d.Payload)
			}
		}
	})
}

func TestAFailedDeliveryIsSentAgainWhenItIsDue(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		erp := w.receive(t, "erp", func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "out of order", 500) })
		id := w.add(t, to(1, erp)...)[0]
		worker := w.worker(t)
		for n := 1; n <= 3; n++ {
			run(t, worker, 1)
			d, attempts := w.delivery(t, id)
			last := attempts[len(attempts)-1]
			if d.Status != outbox.DeliveryPending || last.N != n || last.StatusCode != 500 || last.Excerpt != "out of order " {
				t.Errorf("attempt %d = %+v", n, last)
			}
			if early := last.StartedAt.Before(w.clock.Now()); early || last.FinishedAt.Before(last.StartedAt) {
				t.Errorf("attempt %d ran from %s to %s by a clock at %s", n, last.StartedAt, last.FinishedAt, w.clock.Now())
			}
			w.clock.Set(d.NextAttemptAt.Add(-time.Millisecond))
			run(t, worker, 0)
			w.clock.Set(d.NextAttemptAt)
		}
		for i, r := range erp.got() {
			if r.header.Get("note-attempt") != strconv.Itoa(i+1) || r.header.Get("webhook-id") != erp.got()[0].header.Get("webhook-id") {
				t.Errorf("headers of attempt %d: %v", i+1, r.header)
			}
		}
	})
}

func TestResponseDeterminesDeliveryStatusAndRetry(t *testing.T) {
	base := time.Now().Truncate(time.Second)
	date := func(d time.Duration) string { return base.Add(d).UTC().Format(http.TimeFormat) }
	tests := map[string]struct {
		status     int
		retryAfter string
		want       outbox.DeliveryStatus
		after      time.Duration // from the end of the attempt, or of the date
		reason     string
	}{
		"gone":                           {410, "5", outbox.DeliveryFailed, 0, "status 410"},
		"any 2xx":                        {299, "7200", outbox.DeliveryDelivered, 0, ""},
		"not found":                      {404, "7200", outbox.DeliveryPending, time.Minute, "status 404"},
		"a redirect":                     {307, "7200", outbox.DeliveryPending, time.Minute, "redirect"},
		"server error":                   {500, "7200", outbox.DeliveryPending, time.Minute, "status 500"},
		"busy":                           {503, "", outbox.DeliveryPending, time.Minute, "status 503"},
		"busy for less than the wait":    {503, "5", outbox.DeliveryPending, time.Minute, "status 503"},
		"busy for longer":                {503, "7200", outbox.DeliveryPending, 2 * time.Hour, "status 503"},
		"too many":                       {429, "7200", outbox.DeliveryPending, 2 * time.Hour, "status 429"},
		"busy for years":                 {503, "999999999", outbox.DeliveryPending, 6 * time.Hour, "status 503"},
		"busy for longer than any clock": {503, "99999999999999999999999", outbox.DeliveryPending, 6 * time.Hour, "status 503"},
		"a negative number":              {503, "-1", outbox.DeliveryPending, time.Minute, "status 503"},
		"a word":                         {503, "abc", outbox.DeliveryPending, time.Minute, "status 503"},
		"a fraction":                     {503, "7200.5", outbox.DeliveryPending, time.Minute, "status 503"},
		"a date":                         {503, date(2 * time.Hour), outbox.DeliveryPending, -2 * time.Hour, "status 503"},
		"a date in the past":             {503, date(-2 * time.Hour), outbox.DeliveryPending, time.Minute, "status 503"},
		"a date far off":                 {503, date(1e5 * time.Hour), outbox.DeliveryPending, 6 * time.Hour, "status 503"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, schema.SQLite(t))
			w.clock.Set(base)
			erp := w.receive(t, "erp", func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Retry-After", tt.retryAfter)
				rw.Header().Set("Location", "/")
				rw.WriteHeader(tt.status)
			})
			id := w.add(t, to(1, erp)...)[0]
			run(t, w.worker(t), 1)
			d, attempts := w.delivery(t, id)
			if d.Status != tt.want || d.LastError != tt.reason || d.LastStatusCode != tt.status {
				t.Errorf("delivery = %s, %q, %d", d.Status, d.LastError, d.LastStatusCode)
			}
			want := attempts[0].FinishedAt.Add(tt.after)
			if tt.after < 0 {
				want = base.Add(-tt.after)
			}
			if n := len(erp.got()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
			if tt.want == outbox.DeliveryPending && !d.NextAttemptAt.Equal(want) {
				t.Errorf("next attempt at %s, want %s", d.NextAttemptAt, want)
			}
		})
	}
}

func TestADeliveryThatIsBegunTooLateIsGivenBack(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		erp := w.receive(t, "erp", nil)
		id := w.add(t, to(1, erp)...)[0]
		worker := w.worker(t)
		claimed, _, err := worker.claim(t.Context(), 1)
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %d, %v", len(claimed), err)
		}
		claimed[0].clock.local = time.Now().Add(-5*time.Second - time.Millisecond)
		if err := worker.settle(t.Context(), []*outcome{worker.deliver(t.Context(), claimed[0])}); err != nil {
			t.Fatal(err)
		}
		if d, attempts := w.delivery(t, id); d.Status != outbox.DeliveryPending || d.Attempt != 0 || len(attempts) != 0 {
			t.Errorf("delivery = %+v, attempts %+v", d, attempts)
		}
		if n := len(erp.got()); n != 0 {
			t.Errorf("%d requests, want 0", n)
		}
		run(t, worker, 1)
	})
}

func TestAnExchangeThatIsCutOffIsNeitherLostNorCounted(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		erp := w.receive(t, "erp", func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		ids := w.add(t, to(2, erp)...)
		worker := w.worker(t)
		claimed, _, err := worker.claim(ctx, 2)
		if err != nil || len(claimed) != 2 {
			t.Fatalf("claimed %d, %v", len(claimed), err)
		}
		for i, want := range []outbox.DeliveryStatus{outbox.DeliverySending, outbox.DeliveryPending} {
			// The first reaches the receiver; the second comes after the end.
			if err := worker.settle(ctx, []*outcome{worker.deliver(ctx, claimed[i])}); err != nil {
				t.Fatal(err)
			}
			d, attempts := w.delivery(t, claimed[i].ID)
			if d.Status != want || d.Attempt != 0 || len(attempts) != 0 {
				t.Errorf("delivery %d = %s with %d attempts, want %s", i, d.Status, len(attempts), want)
			}
		}
		if !slices.Contains(ids, claimed[0].ID) {
			t.Errorf("claimed %s, want one of %v", claimed[0].ID, ids)
		}
	})
}

func TestNothingIsSentToATargetThatMayNotBeSentTo(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		deleted, disabled, host := w.receive(t, "deleted", nil), w.receive(t, "disabled", nil), w.callback(t, nil)
		targets := append(to(1, deleted), to(1, disabled)...)
		targets = append(targets, outbox.Target{URL: strings.Replace(host.url, "127.0.0.1", "127.0.0.2", 1)})
		w.do(t, func(tx *outboxdb.Tx) error { return tx.DeleteEndpoint(deleted.endpoint.ID) })
		w.change(t, disabled, func(e outbox.Endpoint) outbox.Endpoint { return e.Disable(outbox.DisabledByAdmin, w.clock.Now()) })
		ids := w.add(t, targets...)
		run(t, w.worker(t), 1) // the others are cancelled before they are taken
		for i, id := range ids {
			d, attempts := w.delivery(t, id)
			if d.Status != outbox.DeliveryCancelled || d.Attempt != 0 || len(attempts) != 0 {
				t.Errorf("delivery to %v = %s after %d attempts", targets[i], d.Status, len(attempts))
			}
			if i == 2 && d.LastError != "target_removed" {
				t.Errorf("reason = %q", d.LastError)
			}
		}
		if n := len(deleted.got()) + len(disabled.got()) + len(host.got()); n != 0 {
			t.Errorf("%d requests, want 0", n)
		}
	})
}

func TestAnEndpointIsSentToWhereItIsNow(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		old, moved := w.receive(t, "erp", nil), w.listen(t, "erp", nil, verifyV1(t, secret("erp")))
		id := w.add(t, to(1, old)...)[0]
		w.change(t, old, func(e outbox.Endpoint) outbox.Endpoint { return e.Move(moved.url, w.clock.Now()) })
		run(t, w.worker(t), 1)
		if a, b := len(old.got()), len(moved.got()); a != 0 || b != 1 {
			t.Errorf("the old address got %d, the new one %d", a, b)
		}
		if d, _ := w.delivery(t, id); d.Target.URL != moved.url {
			t.Errorf("the delivery records the URL %s", d.Target.URL)
		}
	})
}

func TestABlockedDestinationIsNotReached(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		w.policy.Allow = nil
		erp := w.receive(t, "erp", nil)
		id := w.add(t, to(1, erp)...)[0]
		run(t, w.worker(t), 1)
		if d, _ := w.delivery(t, id); d.Status != outbox.DeliveryPending || d.LastError != "blocked_destination" || d.LastStatusCode != 0 {
			t.Errorf("delivery = %s, %q, %d", d.Status, d.LastError, d.LastStatusCode)
		}
		if n := len(erp.got()); n != 0 {
			t.Errorf("%d requests, want 0", n)
		}
	})
}

// start runs the worker and returns a function that stops it and returns at its end.
func start(t *testing.T, w *Sender) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := timetest.Await(t, ended, "Run returns"); err != nil {
			t.Errorf("Run = %v, want nil", err)
		}
	}
}

func TestAHungTargetDoesNotDelayOthers(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		var hanging, most atomic.Int64
		release := make(chan struct{})
		hung := w.receive(t, "hung", func(_ http.ResponseWriter, r *http.Request) {
			most.Store(max(most.Load(), hanging.Add(1)))
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		const many = 40
		arrived := make(chan struct{}, many)
		quick := w.receive(t, "quick", func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} })
		ids := w.add(t, append(to(10, hung), to(many, quick)...)...)

		worker := w.worker(t, func(o *Options) { o.Concurrency, o.PerTarget = 8, 4 })
		worker.loop.Every = time.Hour // each finished delivery frees a slot for the next
		stop := start(t, worker)
		for range many {
			timetest.Await(t, arrived, "a delivery to the quick target")
		}
		if n := most.Load(); n > 4 {
			t.Errorf("%d requests at a time at the hung target, want 4", n)
		}
		close(release)
		stop()
		for _, id := range ids[10:] {
			if d, _ := w.delivery(t, id); d.Status != outbox.DeliveryDelivered {
				t.Errorf("delivery %s is %s", id, d.Status)
			}
		}
	})
}

// The tick is an hour: only a finished exchange makes the worker claim the next.
func TestASlotThatIsFreeIsUsedAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *fixture) {
		for _, limits := range [][2]int{{1, 1}, {1, 8}, {2, 1}, {2, 2}, {3, 8}, {8, 1}, {8, 8}} {
			t.Run(fmt.Sprint(limits), func(t *testing.T) {
				atOnce := min(limits[0], limits[1])
				const many = 40
				arrived, release := make(chan struct{}, many), make(chan struct{})
				var open atomic.Int64
				erp := w.receive(t, fmt.Sprint("erp ", limits), func(_ http.ResponseWriter, r *http.Request) {
					if n := open.Add(1); n > int64(atOnce) {
						t.Errorf("%d exchanges at a time, want %d", n, atOnce)
					}
					defer open.Add(-1)
					arrived <- struct{}{}
					select {
					case <-release:
					case <-r.Context().Done():
					}
				})
				ids := w.add(t, to(many, erp)...)
				registry := metrics.New("x", "1")
				worker := w.worker(t, func(o *Options) { o.Concurrency, o.PerTarget, o.Metrics = limits[0], limits[1], registry })
				worker.loop.Every = time.Hour
				stop := start(t, worker)
				for range atOnce {
					timetest.Await(t, arrived, "a message")
				}
				passes := func() float64 { return metricstest.Values(t, registry)[`x_loop_passes_total{loop="webhooks"}`] }
				for range 3 { // there is no room for more
					before := passes()
					worker.Wake()
					timetest.Eventually(t, "a pass", func() bool { return passes() > before })
				}
				for range 2 * atOnce { // one ends, the others continue
					release <- struct{}{}
					timetest.Await(t, arrived, "the next message")
				}
				close(release)
				for range many - 3*atOnce {
					timetest.Await(t, arrived, "one of the rest")
				}
				stop()
				for _, id := range ids {
					if d, _ := w.delivery(t, id); d.Status != outbox.DeliveryDelivered {
						t.Errorf("delivery %s is %s", id, d.Status)
					}
				}
			})
		}
	})
}

func TestTwoWorkersShareTheDeliveries(t *testing.T) {
	w := newFixture(t, schema.Postgres(t))
	const many = 500
	arrived := make(chan string, 2*many)
	var targets []outbox.Target
	for i := range 10 {
		r := w.receive(t, fmt.Sprintf("endpoint-%d", i), func(_ http.ResponseWriter, r *http.Request) { arrived <- r.Header.Get("webhook-id") })
		targets = append(targets, to(many/10, r)...)
	}
	w.add(t, targets...)
	stop := start(t, w.worker(t))
	stopOther := start(t, w.worker(t, func(o *Options) { other := w.open(t); o.Store, o.Settle = other.Store, other.Settle }))
	events := map[string]bool{}
	for range many {
		events[timetest.Await(t, arrived, "a delivery")] = true
	}
	stop()
	stopOther()
	if len(events) != many || len(arrived) != 0 {
		t.Errorf("%d of %d events arrived, and %d more requests", len(events), many, len(arrived))
	}
	unfinished := outbox.DeliveryFilter{Status: []outbox.DeliveryStatus{outbox.DeliveryPending, outbox.DeliverySending}}
	if left, _, err := w.store.Deliveries(t.Context(), unfinished, paging.Page{}); err != nil || len(left) != 0 {
		t.Errorf("%d deliveries are not finished, %v", len(left), err)
	}
}
