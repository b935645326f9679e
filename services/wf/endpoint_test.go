package wf_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/services/wf"
)

// subscriber is an endpoint that is told of events of any policy.
func subscriber(name string, events ...string) wf.Endpoint {
	return wf.Endpoint{
		ID: "e-" + name, Name: name, URL: "https://" + name + ".example/", Events: events, PolicyKeys: []string{"*"},
		Signature: wf.SignHMAC, Enabled: true, Key: wf.SealedKey{Sealed: "k1"}, Rev: 1,
	}
}

func TestAnEndpointHearsOfWhatItsPatternsSelect(t *testing.T) {
	of := func(kind wf.EventType, policyKey string) wf.Event {
		return wf.Event{ID: "e1", Type: kind, Request: &wf.RequestSummary{PolicyKey: policyKey}}
	}
	activated := wf.Event{Type: wf.EventPolicyActivated, Resource: wf.Resource{Type: "policy", ID: "spend.small"}}
	revoked := wf.Event{Type: wf.EventDelegationRevoked, Resource: wf.Resource{Type: "delegation", ID: "d1"}}
	tests := map[string]struct {
		events, keys []string
		event        wf.Event
		want         bool
	}{
		"every event":                     {[]string{"*"}, []string{"*"}, of(wf.EventTaskCreated, "spend"), true},
		"a kind":                          {[]string{"request.*"}, []string{"*"}, of(wf.EventRequestApproved, "spend"), true},
		"another kind":                    {[]string{"request.*"}, []string{"*"}, of(wf.EventTaskCreated, "spend"), false},
		"one of two kinds":                {[]string{"stage.*", "task.decided"}, []string{"*"}, of(wf.EventTaskDecided, "spend"), true},
		"no kind":                         {nil, []string{"*"}, of(wf.EventRequestApproved, "spend"), false},
		"its policy":                      {[]string{"*"}, []string{"pay.*", "spend.*"}, of(wf.EventRequestApproved, "spend.small"), true},
		"another policy":                  {[]string{"*"}, []string{"spend.*"}, of(wf.EventRequestApproved, "pay"), false},
		"no policy":                       {[]string{"*"}, nil, of(wf.EventRequestApproved, "spend"), false},
		"a version of its policy":         {[]string{"policy.*"}, []string{"spend.*"}, activated, true},
		"a version of another policy":     {[]string{"policy.*"}, []string{"pay.*"}, activated, false},
		"a delegation":                    {[]string{"delegation.*"}, []string{"spend.*"}, revoked, true},
		"a delegation, named by policies": {[]string{"delegation.*"}, nil, revoked, true},
		"somebody's test":                 {[]string{"*"}, []string{"*"}, wf.Event{Type: wf.EventWebhookTest}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := subscriber("mail", tt.events...)
			e.PolicyKeys = tt.keys
			if got := e.Selects(tt.event); got != tt.want {
				t.Errorf("Selects = %t, want %t", got, tt.want)
			}
			if e.Disable(wf.DisabledByAdmin, noon).Selects(tt.event) {
				t.Error("a disabled endpoint hears of it")
			}
		})
	}
}

func TestAnEventGoesToEachTargetOnce(t *testing.T) {
	event := wf.Event{ID: "e1", Type: wf.EventRequestApproved, At: wf.Stamp{Time: noon}, RequestID: "r1", Request: &wf.RequestSummary{PolicyKey: "spend"}}
	subscribed, named, both, off := subscriber("subscribed", "request.*"), subscriber("named"), subscriber("both", "*"), subscriber("off", "*")
	off.Enabled = false
	n := 0
	list, err := event.Deliveries([]wf.Endpoint{subscribed, named, both, off, subscriber("deaf", "task.*")}, wf.Audience{
		Named: []wf.WebhookTarget{{Endpoint: "named"}, {Endpoint: "both", Events: []string{"*"}}, {Endpoint: "both"},
			{Endpoint: "off"}, {Endpoint: "nowhere"}, {Endpoint: "deaf", Events: []string{"stage.*"}}},
		Callback: "https://caller.example/",
	}, func() string { n++; return fmt.Sprint("w", n) })
	if err != nil {
		t.Fatal(err)
	}
	var targets []wf.Target
	for i, d := range list {
		targets = append(targets, d.Target)
		if d.ID != fmt.Sprint("w", i+1) || d.EventID != "e1" {
			t.Errorf("delivery %d = %+v", i, d)
		}
	}
	want := []wf.Target{subscribed.Target(), named.Target(), both.Target(), {URL: "https://caller.example/"}}
	if diff := cmp.Diff(want, targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	event.Type = wf.EventTaskDecided
	list, err = event.Deliveries([]wf.Endpoint{subscribed}, wf.Audience{Callback: "https://caller.example/"}, nil)
	if err != nil || list != nil {
		t.Errorf("an event that nobody selects goes to %v, %v", list, err)
	}
}

func TestEventsForTheAuditAloneGoNowhere(t *testing.T) {
	for kind, want := range map[wf.EventType]int{wf.EventEndpointCreated: 0, wf.EventDeliveryRetried: 0, wf.EventPolicySimulated: 0, wf.EventPolicyActivated: 1} {
		list, err := wf.Event{ID: "e1", Type: kind}.Deliveries([]wf.Endpoint{subscriber("all", "*", string(kind))}, wf.Audience{}, func() string { return "w1" })
		if err != nil || len(list) != want {
			t.Errorf("%s goes to %d endpoints, %v; want %d", kind, len(list), err, want)
		}
	}
}

func TestAnEndpointHasItsForm(t *testing.T) {
	tests := map[string]struct {
		change func(*wf.Endpoint)
		loc    []any // nil when nothing is wrong
	}{
		"as it should be":               {func(*wf.Endpoint) {}, nil},
		"every event":                   {func(e *wf.Endpoint) { e.Events = []string{"*"} }, nil},
		"events of the service":         {func(e *wf.Endpoint) { e.Events = []string{"policy.*", "endpoint.disabled"} }, nil},
		"for policies that name it":     {func(e *wf.Endpoint) { e.PolicyKeys = nil }, nil},
		"a name in capitals":            {func(e *wf.Endpoint) { e.Name = "Mail" }, []any{"body", "name"}},
		"no name":                       {func(e *wf.Endpoint) { e.Name = "" }, []any{"body", "name"}},
		"a pattern of no event":         {func(e *wf.Endpoint) { e.Events = []string{"request.*", "request.done"} }, []any{"body", "events", 1}},
		"a pattern of tests":            {func(e *wf.Endpoint) { e.Events = []string{"webhook.*"} }, []any{"body", "events", 0}},
		"a pattern that is none":        {func(e *wf.Endpoint) { e.Events = []string{"["} }, []any{"body", "events", 0}},
		"a policy pattern that is none": {func(e *wf.Endpoint) { e.PolicyKeys = []string{"a", "[a"} }, []any{"body", "policy_keys", 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := subscriber("mail-2", "request.*")
			tt.change(&e)
			err := e.Check()
			refusal, _ := errors.AsType[*wf.Error](err)
			if tt.loc == nil && err != nil || tt.loc != nil && (refusal == nil || refusal.Reason != wf.BadInput || !slices.Equal(refusal.Loc, tt.loc)) {
				t.Errorf("Check = %v, want %v", err, tt.loc)
			}
		})
	}
}

func TestFailuresInARowPauseAnEndpoint(t *testing.T) {
	e, at := subscriber("mail", "*"), noon
	var pauses []time.Duration
	for n := 1; n <= 12; n++ {
		if e = e.Failed(false, at); e.Health.Failures != n || !e.Health.FailingSince.Equal(noon) {
			t.Fatalf("after %d failures: %+v", n, e.Health)
		}
		if n < 5 {
			if room := e.Room(at, 4); room != 4 {
				t.Fatalf("room for %d after %d failures", room, n)
			}
			continue
		}
		pauses = append(pauses, e.Health.PausedUntil.Sub(at))
		if before, after := e.Room(e.Health.PausedUntil.Add(-1), 4), e.Room(e.Health.PausedUntil, 4); before != 0 || after != 1 {
			t.Fatalf("room for %d in the pause and %d after it", before, after)
		}
		at = e.Health.PausedUntil
	}
	m := time.Minute
	if want := []time.Duration{m / 2, m, 2 * m, 4 * m, 5 * m, 5 * m, 5 * m, 5 * m}; !slices.Equal(pauses, want) {
		t.Errorf("pauses = %v, want %v", pauses, want)
	}
	rev := e.Rev
	if e = e.Succeeded(); e.Health != (wf.Health{}) || e.Room(at, 4) != 4 || e.Rev != rev {
		t.Errorf("after a success: %+v", e)
	}
}

func TestAnEndpointThatOnlyFailsIsDisabled(t *testing.T) {
	tests := map[string]struct {
		fail func(e wf.Endpoint) wf.Endpoint
		want wf.DisabledReason
	}{
		"gone": {func(e wf.Endpoint) wf.Endpoint { return e.Failed(true, noon) }, wf.DisabledGone},
		"99 in a row": {func(e wf.Endpoint) wf.Endpoint {
			for range 99 {
				e = e.Failed(false, noon)
			}
			return e
		}, ""},
		"100 in a row": {func(e wf.Endpoint) wf.Endpoint {
			for range 100 {
				e = e.Failed(false, noon)
			}
			return e
		}, wf.DisabledFailures},
		"100, with a success between": {func(e wf.Endpoint) wf.Endpoint {
			for n := range 100 {
				if e = e.Failed(false, noon); n == 50 {
					e = e.Succeeded()
				}
			}
			return e
		}, ""},
		"almost five days": {func(e wf.Endpoint) wf.Endpoint {
			return e.Failed(false, noon).Failed(false, noon.Add(120*time.Hour-1))
		}, ""},
		"five days": {func(e wf.Endpoint) wf.Endpoint {
			return e.Failed(false, noon).Failed(false, noon.Add(120*time.Hour))
		}, wf.DisabledFailing},
		"five days, with a success between": {func(e wf.Endpoint) wf.Endpoint {
			return e.Failed(false, noon).Succeeded().Failed(false, noon.Add(120*time.Hour))
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
			if e.Room(noon.Add(1000*time.Hour), 4) != 0 || e.DisabledAt.IsZero() || e.Rev != before.Rev+1 {
				t.Errorf("disabled: %+v", e)
			}
			if again := e.Failed(true, noon); again.DisabledReason != tt.want || again.Rev != e.Rev {
				t.Error("a late result changes why it is disabled")
			}
			if e = e.Enable(noon); !e.Enabled || e.DisabledReason != "" || !e.DisabledAt.IsZero() || e.Health != (wf.Health{}) {
				t.Errorf("enabled again: %+v", e)
			}
		})
	}
}

func TestTheKeyBeforeSignsForTheOverlap(t *testing.T) {
	sealed := func(keys []wf.SealedKey) (names []string) {
		for _, k := range keys {
			names = append(names, k.Sealed)
		}
		return names
	}
	e := subscriber("mail", "*").Rotate(wf.SealedKey{Sealed: "k2"}, 24*time.Hour, noon)
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
	if twice := e.Rotate(wf.SealedKey{Sealed: "k3"}, time.Hour, noon); !slices.Equal(sealed(twice.Keys(noon)), []string{"k3", "k2"}) {
		t.Errorf("after two rotations: %v", sealed(twice.Keys(noon)))
	}
	at := noon
	if hard := e.Rotate(wf.SealedKey{Sealed: "k3"}, 0, at); !slices.Equal(sealed(hard.Keys(at)), []string{"k3"}) || hard.Previous != (wf.SealedKey{}) {
		t.Errorf("without an overlap: %v", sealed(hard.Keys(at)))
	}
}

func TestAnEndpointThatMovesStartsClean(t *testing.T) {
	e := subscriber("mail", "*")
	for range 7 {
		e = e.Failed(false, noon)
	}
	if e = e.Move("https://new.example/", noon); e.Health != (wf.Health{}) || e.URL != "https://new.example/" || e.Room(noon, 4) != 4 {
		t.Errorf("moved: %+v", e)
	}
}
