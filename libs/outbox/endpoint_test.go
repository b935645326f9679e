package outbox

import (
	"slices"
	"testing"
	"time"
)

// subscriber is an endpoint that is subscribed to events of all policies.
func subscriber(name string, events ...string) Endpoint {
	return Endpoint{
		ID: "e-" + name, Name: name, URL: "https://" + name + ".example/", Events: events, PolicyKeys: []string{"*"},
		Signature: SignHMAC, Enabled: true, Key: SealedKey{Sealed: "k1"}, Rev: 1,
	}
}

func TestFailuresInARowPauseAnEndpoint(t *testing.T) {
	e, at := subscriber("mail", "*"), noon
	var pauses []time.Duration
	for n := 1; n <= 12; n++ {
		if e = e.RecordFailure(false, at); e.Health.Failures != n || !e.Health.FailingSince.Equal(noon) {
			t.Fatalf("after %d failures: %+v", n, e.Health)
		}
		if n < 5 {
			if room := e.FreeSlots(at, 4); room != 4 {
				t.Fatalf("room for %d after %d failures", room, n)
			}
			continue
		}
		pauses = append(pauses, e.Health.PausedUntil.Sub(at))
		if before, after := e.FreeSlots(e.Health.PausedUntil.Add(-1), 4), e.FreeSlots(e.Health.PausedUntil, 4); before != 0 || after != 1 {
			t.Fatalf("room for %d in the pause and %d after it", before, after)
		}
		at = e.Health.PausedUntil
	}
	m := time.Minute
	if want := []time.Duration{m / 2, m, 2 * m, 4 * m, 5 * m, 5 * m, 5 * m, 5 * m}; !slices.Equal(pauses, want) {
		t.Errorf("pauses = %v, want %v", pauses, want)
	}
	rev := e.Rev
	if e = e.RecordSuccess(); e.Health != (Health{}) || e.FreeSlots(at, 4) != 4 || e.Rev != rev {
		t.Errorf("after a success: %+v", e)
	}
}

func TestAnEndpointThatOnlyFailsIsDisabled(t *testing.T) {
	tests := map[string]struct {
		fail func(e Endpoint) Endpoint
		want DisabledReason
	}{
		"gone": {func(e Endpoint) Endpoint { return e.RecordFailure(true, noon) }, DisabledGone},
		"99 in a row": {func(e Endpoint) Endpoint {
			for range 99 {
				e = e.RecordFailure(false, noon)
			}
			return e
		}, ""},
		"100 in a row": {func(e Endpoint) Endpoint {
			for range 100 {
				e = e.RecordFailure(false, noon)
			}
			return e
		}, DisabledFailures},
		"100, with a success between": {func(e Endpoint) Endpoint {
			for n := range 100 {
				if e = e.RecordFailure(false, noon); n == 50 {
					e = e.RecordSuccess()
				}
			}
			return e
		}, ""},
		"almost five days": {func(e Endpoint) Endpoint {
			return e.RecordFailure(false, noon).RecordFailure(false, noon.Add(120*time.Hour-1))
		}, ""},
		"five days": {func(e Endpoint) Endpoint {
			return e.RecordFailure(false, noon).RecordFailure(false, noon.Add(120*time.Hour))
		}, DisabledFailing},
		"five days, with a success between": {func(e Endpoint) Endpoint {
			return e.RecordFailure(false, noon).RecordSuccess().RecordFailure(false, noon.Add(120*time.Hour))
		}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := subscriber("mail", "*")
			e := tt.fail(before)
			if e.DisabledReason != tt.want || e.Enabled != (tt.want == "") {
				t.Fatalf("enabled %t, %q; want %q", e.Enabled, e.DisabledReason, tt.want)
			}
			if tt.want == "" {
				return
			}
			if e.FreeSlots(noon.Add(1000*time.Hour), 4) != 0 || e.DisabledAt.IsZero() || e.Rev != before.Rev+1 {
				t.Errorf("disabled: %+v", e)
			}
			if again := e.RecordFailure(true, noon); again.DisabledReason != tt.want || again.Rev != e.Rev {
				t.Error("a late result changes why it is disabled")
			}
			if e = e.Enable(noon); !e.Enabled || e.DisabledReason != "" || !e.DisabledAt.IsZero() || e.Health != (Health{}) {
				t.Errorf("enabled again: %+v", e)
			}
		})
	}
}

func TestTheKeyBeforeSignsForTheOverlap(t *testing.T) {
	sealed := func(keys []SealedKey) (names []string) {
		for _, k := range keys {
			names = append(names, k.Sealed)
		}
		return names
	}
	e := subscriber("mail", "*").Rotate(SealedKey{Sealed: "k2"}, 24*time.Hour, noon)
	for at, want := range map[time.Time][]string{
		noon:                           {"k2", "k1"},
		noon.Add(24*time.Hour - 1):     {"k2", "k1"},
		noon.Add(24 * time.Hour):       {"k2"},
		noon.Add(24 * 365 * time.Hour): {"k2"},
	} {
		if got := sealed(e.Keys(at)); !slices.Equal(got, want) {
			t.Errorf("at %s: %v, want %v", at, got, want)
		}
	}
	if twice := e.Rotate(SealedKey{Sealed: "k3"}, time.Hour, noon); !slices.Equal(sealed(twice.Keys(noon)), []string{"k3", "k2"}) {
		t.Errorf("after two rotations: %v", sealed(twice.Keys(noon)))
	}
	at := noon
	if hard := e.Rotate(SealedKey{Sealed: "k3"}, 0, at); !slices.Equal(sealed(hard.Keys(at)), []string{"k3"}) || hard.Previous != (SealedKey{}) {
		t.Errorf("without an overlap: %v", sealed(hard.Keys(at)))
	}
}

func TestAnEndpointThatMovesStartsClean(t *testing.T) {
	e := subscriber("mail", "*")
	for range 7 {
		e = e.RecordFailure(false, noon)
	}
	if e = e.Move("https://new.example/", noon); e.Health != (Health{}) || e.URL != "https://new.example/" || e.FreeSlots(noon, 4) != 4 {
		t.Errorf("moved: %+v", e)
	}
}
