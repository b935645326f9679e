package outbox

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/work"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func sending() Delivery {
	return Delivery{ID: "w1", EventID: "e1", Status: DeliverySending, Cycle: 1, Lease: work.Lease{Token: "3", Owner: "p1", Since: noon}}
}

func failure(at time.Time) Result {
	return Result{StartedAt: at, FinishedAt: at, StatusCode: 500, Error: "answered 500", Excerpt: "oops"}
}

func TestAFailingDeliveryIsTriedSixTimesOnSchedule(t *testing.T) {
	d, at := sending(), noon
	var waits []time.Duration
	for n := 1; ; n++ {
		var attempt Attempt
		d, attempt = d.Finish(failure(at), 0)
		if attempt.N != n || attempt.Seq != n || attempt.Outcome != AttemptFailed || attempt.Cycle != 1 || attempt.DeliveryID != "w1" {
			t.Fatalf("attempt %d = %+v", n, attempt)
		}
		if d.Lease != (work.Lease{Token: "3"}) {
			t.Fatalf("lease = %+v after attempt %d", d.Lease, n)
		}
		if d.Status != DeliveryPending {
			break
		}
		waits = append(waits, d.NextAttemptAt.Sub(at))
		at, d.Status = d.NextAttemptAt, DeliverySending
	}
	want := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour}
	if d.Status != DeliveryFailed || d.Attempt != 6 || !slices.Equal(waits, want) {
		t.Errorf("%s after %d attempts with waits %v, want failed after 6 with %v", d.Status, d.Attempt, waits, want)
	}
	if d.LastStatusCode != 500 || d.LastError != "answered 500" || d.ResponseExcerpt != "oops" {
		t.Errorf("delivery = %+v", d)
	}
}

func TestHowAnAttemptEnds(t *testing.T) {
	ok := Result{StartedAt: noon, FinishedAt: noon.Add(time.Second)}
	tests := map[string]struct {
		change func(*Result)
		want   DeliveryStatus
	}{
		"200":                   {func(r *Result) { r.StatusCode = 200 }, DeliveryDelivered},
		"299":                   {func(r *Result) { r.StatusCode = 299 }, DeliveryDelivered},
		"200 and then an error": {func(r *Result) { r.StatusCode, r.Error = 200, "the body broke off" }, DeliveryPending},
		"199":                   {func(r *Result) { r.StatusCode = 199 }, DeliveryPending},
		"301":                   {func(r *Result) { r.StatusCode = 301 }, DeliveryPending},
		"404":                   {func(r *Result) { r.StatusCode = 404 }, DeliveryPending},
		"500":                   {func(r *Result) { r.StatusCode = 500 }, DeliveryPending},
		"no answer":             {func(r *Result) { r.Error = "connection refused" }, DeliveryPending},
		"410, gone for good":    {func(r *Result) { r.StatusCode, r.Gone = 410, true }, DeliveryFailed},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			result := ok
			tt.change(&result)
			d, attempt := sending().Finish(result, 0)
			if d.Status != tt.want {
				t.Fatalf("status = %s, want %s", d.Status, tt.want)
			}
			if delivered := tt.want == DeliveryDelivered; delivered != (attempt.Outcome == AttemptDelivered) || delivered == d.DeliveredAt.IsZero() {
				t.Errorf("attempt = %+v, delivered at %v", attempt, d.DeliveredAt)
			}
			if d.LastDuration != time.Second || d.UpdatedAt != result.FinishedAt || d.LastAttemptAt != noon {
				t.Errorf("delivery = %+v", d)
			}
		})
	}
}

func TestWhenTheNextAttemptIsDue(t *testing.T) {
	for name, tt := range map[string]struct {
		made       int // attempts before
		retryAfter time.Duration
		jitter     float64
		want       time.Duration
	}{
		"on schedule":                     {0, 0, 0, time.Minute},
		"spread by up to a tenth":         {0, 0, 0.5, 63 * time.Second},
		"later, by Retry-After":           {0, time.Hour, 0, time.Hour},
		"never earlier than the schedule": {1, time.Second, 0, 5 * time.Minute},
		"at most six hours later":         {0, 24 * time.Hour, 0, 6 * time.Hour},
		"a negative wish is none":         {0, -time.Hour, 0, time.Minute},
		"the last wait is spread too":     {4, 24 * time.Hour, 0.5, 6*time.Hour + 18*time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			d := sending()
			d.Attempt = tt.made
			r := failure(noon)
			r.RetryAfter = tt.retryAfter
			d, _ = d.Finish(r, tt.jitter)
			if got := d.NextAttemptAt.Sub(noon); got != tt.want {
				t.Errorf("due after %v, want %v", got, tt.want)
			}
		})
	}
}

func TestACrashConsumesNoAttempt(t *testing.T) {
	d, _ := sending().Finish(failure(noon), 0)
	d.Status, d.Lease.Since = DeliverySending, noon
	d, crash := d.RecordCrash(noon.Add(2*time.Minute), 0)
	if d.Attempt != 1 || d.Crashes != 1 || d.Status != DeliverySending {
		t.Errorf("delivery = %+v", d)
	}
	if crash.N != 0 || crash.Seq != 2 || crash.Outcome != AttemptUnknown || crash.Error == "" {
		t.Errorf("attempt = %+v", crash)
	}
	d, attempt := d.Finish(failure(noon), 0)
	if attempt.N != 2 || attempt.Seq != 3 {
		t.Errorf("the attempt after the crash = %+v", attempt)
	}
	for d.Attempt < work.MaxAttempts {
		d, _ = d.Finish(failure(noon), 0)
	}
	if d.Status != DeliveryFailed || d.Attempt != 6 {
		t.Errorf("%s after %d attempts", d.Status, d.Attempt)
	}
}

func TestFromTheFifthCrashOnACrashIsAFailure(t *testing.T) {
	d := sending()
	at := noon
	var crashes []Attempt
	for n := 1; n <= 10; n++ {
		if d.Status == DeliveryFailed {
			t.Fatalf("given up after %d crashes", n-1)
		}
		d.Status, d.Lease.Owner, d.Lease.Since = DeliverySending, "p1", at
		at = at.Add(time.Minute)
		var crash Attempt
		d, crash = d.RecordCrash(at, 0.5)
		crashes = append(crashes, crash)
		if d.Crashes != n || d.Attempt != max(0, n-4) {
			t.Errorf("after crash %d: %d crashes, attempt %d", n, d.Crashes, d.Attempt)
		}
		switch {
		case n <= 4:
			if d.Status != DeliverySending || !d.NextAttemptAt.IsZero() || d.LastError != "" {
				t.Errorf("after crash %d: %+v", n, d)
			}
			continue
		case n < 10:
			wait := work.Schedule[n-5]
			if want := at.Add(wait + wait/20); d.Status != DeliveryPending || !d.NextAttemptAt.Equal(want) {
				t.Errorf("after crash %d: %s, due at %s, want %s", n, d.Status, d.NextAttemptAt, want)
			}
		}
		if d.Lease != (work.Lease{Token: "3"}) || d.LastError != "crash_loop" || !d.LastAttemptAt.Equal(crash.StartedAt) ||
			!d.UpdatedAt.Equal(at) || d.LastDuration != time.Minute {
			t.Errorf("after crash %d: %+v", n, d)
		}
	}
	if d.Status != DeliveryFailed || d.Attempt != work.MaxAttempts {
		t.Errorf("in the end: %s after %d attempts", d.Status, d.Attempt)
	}
	for i, crash := range crashes {
		if crash.Seq != i+1 || crash.N != max(0, i-3) || crash.Outcome != AttemptUnknown || crash.Error == "" {
			t.Errorf("crash %d is recorded as %+v", i+1, crash)
		}
	}
}

func TestAFailureBetweenCrashesCountsWithThem(t *testing.T) {
	d := sending()
	var numbers, places []int
	step := func(a Attempt) { numbers, places = append(numbers, a.N), append(places, a.Seq) }
	for _, crash := range []bool{true, true, false, true, true, true, false, true} {
		var a Attempt
		if crash {
			d, a = d.RecordCrash(noon, 0)
		} else {
			d, a = d.Finish(failure(noon), 0)
		}
		step(a)
	}
	if want := []int{0, 0, 1, 0, 0, 2, 3, 4}; !slices.Equal(numbers, want) {
		t.Errorf("attempts %v, want %v", numbers, want)
	}
	if want := []int{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(places, want) {
		t.Errorf("places %v, want %v", places, want)
	}
}

func TestCancelFromEveryState(t *testing.T) {
	for from, want := range map[DeliveryStatus]DeliveryStatus{
		DeliveryPending: DeliveryCancelled, DeliverySending: DeliveryCancelled,
		DeliveryFailed: DeliveryFailed, DeliveryCancelled: DeliveryCancelled, DeliveryDelivered: DeliveryDelivered,
	} {
		before := sending()
		before.Status, before.Attempt = from, 3
		d := before.Cancel(noon)
		if d.Status != want || d.Attempt != 3 || d.Cycle != 1 {
			t.Errorf("%s became %+v", from, d)
		}
		if changed := from != want; changed != d.UpdatedAt.Equal(noon) || changed && !d.Lease.Since.IsZero() {
			t.Errorf("%s: updated at %s, lease %+v", from, d.UpdatedAt, d.Lease)
		}
	}
}

func TestRetryByHandFromEveryState(t *testing.T) {
	for from, want := range map[DeliveryStatus]error{
		DeliveryPending: nil, DeliveryFailed: nil, DeliveryCancelled: nil,
		DeliverySending: WrongState, DeliveryDelivered: WrongState,
	} {
		t.Run(string(from), func(t *testing.T) {
			before := Delivery{ID: "w1", EventID: "e1", Payload: []byte("{}"), Status: from, Cycle: 1, Attempt: 6, Crashes: 2,
				NextAttemptAt: noon.Add(time.Hour)}
			d, err := before.Retry(noon)
			if !errors.Is(err, want) {
				t.Fatalf("error = %v, want %v", err, want)
			}
			if err != nil {
				if !reflect.DeepEqual(d, before) {
					t.Errorf("refused, and changed to %+v", d)
				}
				return
			}
			if d.Status != DeliveryPending || d.Cycle != 2 || d.Attempt != 0 || d.Crashes != 0 || !d.NextAttemptAt.Equal(noon) {
				t.Errorf("delivery = %+v", d)
			}
			if d.EventID != "e1" || string(d.Payload) != "{}" {
				t.Error("a retry sends another event")
			}
		})
	}
}
