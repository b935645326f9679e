package work

import (
	"testing"
	"time"
)

func TestDelayFollowsTheScheduleWithAJitterOfATenth(t *testing.T) {
	for attempts, want := range map[int]time.Duration{
		0: time.Minute, 1: time.Minute, 2: 5 * time.Minute, 3: 15 * time.Minute, 4: time.Hour, 5: 6 * time.Hour, 6: 6 * time.Hour,
	} {
		for _, jitter := range []float64{0, 0.5, 0.99} {
			if got := Delay(attempts, jitter); got != want+time.Duration(jitter*float64(want)/10) {
				t.Errorf("after %d attempts with jitter %g: %s", attempts, jitter, got)
			}
		}
	}
	if MaxAttempts != 6 {
		t.Errorf("%d attempts", MaxAttempts)
	}
}

func TestEachLeaseHasAnotherToken(t *testing.T) {
	one, other := NewLease("p", time.Now()), NewLease("p", time.Now())
	if one.Token == other.Token || !one.IsHeld() || (Lease{}).IsHeld() {
		t.Errorf("leases %+v and %+v", one, other)
	}
}
