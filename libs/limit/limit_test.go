package limit_test

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/timetest"
)

func TestARateIsReadAsItIsWritten(t *testing.T) {
	for text, want := range map[string]limit.Rate{
		"0":       {},
		"50/s:1":  {Calls: 50, Per: time.Second, Burst: 1},
		"10/m:50": {Calls: 10, Per: time.Minute, Burst: 50},
		"1/h:20":  {Calls: 1, Per: time.Hour, Burst: 20},
	} {
		var got limit.Rate
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != text {
			t.Errorf("%s is %+v, written %s, %v", text, got, got, err)
		}
	}
	for _, text := range []string{"", "50", "50/s", "50/s:", "50:100", "/s:1", "0/s:1", "1/s:0", "-1/s:1", "1/d:1",
		"1/s:x", "1.5/s:2", " 1/s:2", "1/s:2:3", "00/s:1"} {
		got := limit.Rate{Burst: 7}
		if err := got.UnmarshalText([]byte(text)); err == nil || got.Burst != 7 {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

// at returns a limiter of a rate, and its clock.
func at(t *testing.T, text string) (*limit.Limiter, *timetest.Clock) {
	t.Helper()
	var rate limit.Rate
	if err := rate.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	clock := timetest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	return limit.NewLimiter("person", rate, clock.Now), clock
}

func TestASubjectGetsItsBurstAndThenItsRate(t *testing.T) {
	l, clock := at(t, "2/s:3")
	take := func(subject string, most, want time.Duration, refused bool) {
		t.Helper()
		wait, err := l.Take(subject, most)
		if exceeded, ok := errors.AsType[*limit.Exceeded](err); ok != refused || refused && exceeded.After != want || !refused && wait != want {
			t.Fatalf("%s waits %s, %v; want %s, refused %v", subject, wait, err, want, refused)
		}
	}
	for range 3 {
		take("ana", 0, 0, false)
	}
	take("ana", 499*time.Millisecond, 500*time.Millisecond, true)
	take("ana", time.Second, 500*time.Millisecond, false)  // the refused call has taken nothing
	take("ana", time.Second, 1000*time.Millisecond, false) // behind the one before
	take("ana", time.Second, 1500*time.Millisecond, true)
	take("bo", 0, 0, false) // has a burst of their own
	clock.Advance(1500 * time.Millisecond)
	take("ana", 0, 0, false)
	take("ana", 0, 500*time.Millisecond, true)
	clock.Advance(time.Hour)
	for range 3 {
		take("ana", 0, 0, false)
	}
	take("ana", 0, 500*time.Millisecond, true)
}

func TestExceededRateReportsLimitAndReset(t *testing.T) {
	l, _ := at(t, "1/m:20")
	for range 20 {
		if _, err := l.Take("ana", 0); err != nil {
			t.Fatal(err)
		}
	}
	_, err := l.Take("ana", time.Second)
	exceeded, ok := errors.AsType[*limit.Exceeded](err)
	if !ok || exceeded.Policy() != `"person";q=20;w=1200` || exceeded.RateLimitHeader() != `"person";r=0;t=60` ||
		exceeded.Error() != "too many calls: 20 at once and then 1/m are allowed; try again in 60 s" {
		t.Errorf("%v: %+v", err, exceeded)
	}
}

func TestNoRateIsNoLimit(t *testing.T) {
	l := limit.NewLimiter("person", limit.Rate{}, nil)
	for range 1000 {
		if wait, err := l.Take("ana", 0); wait != 0 || err != nil {
			t.Fatal(wait, err)
		}
	}
}

func TestABudgetIsSharedAndBoundedForEach(t *testing.T) {
	b := limit.NewBudget(10, 4)
	for _, step := range []struct {
		subject string
		n       int64
		want    error
		taken   int64
	}{
		{"ana", 4, nil, 4}, {"ana", 1, limit.ErrEach, 4}, {"ana", -4, nil, 0}, {"ana", 5, limit.ErrEach, 0},
		{"ana", 4, nil, 4}, {"bo", 4, nil, 8}, {"cy", 3, limit.ErrAll, 8}, {"cy", 2, nil, 10}, {"di", 1, limit.ErrAll, 10},
		{"bo", -1, nil, 9}, {"di", 1, nil, 10}, {"bo", 1, limit.ErrAll, 10}, {"ana", 1, limit.ErrEach, 10},
	} {
		var err error
		if step.n < 0 {
			b.Release(step.subject, -step.n)
		} else {
			err = b.Take(step.subject, step.n)
		}
		if !errors.Is(err, step.want) || b.InUse() != step.taken {
			t.Fatalf("%+v: %v, %d taken", step, err, b.InUse())
		}
	}
}

// Whatever many take and give back at once, nothing is lost and no bound is broken.
func TestABudgetNeverGivesMoreThanItHas(t *testing.T) {
	b := limit.NewBudget(1000, 300)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			chance := rand.New(rand.NewPCG(1, uint64(worker)))
			subject, held := strconv.Itoa(worker%4), int64(0)
			for range 5000 {
				if n := chance.Int64N(100); chance.IntN(2) == 0 && held >= n {
					b.Release(subject, n)
					held -= n
				} else if b.Take(subject, n) == nil {
					held += n
				}
				if taken := b.InUse(); held > 300 || taken < held || taken > 1000 {
					t.Errorf("holds %d of %d", held, taken)
				}
			}
			b.Release(subject, held)
		})
	}
	wg.Wait()
	if b.InUse() != 0 {
		t.Errorf("%d are left", b.InUse())
	}
}
