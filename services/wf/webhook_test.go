package wf_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// subscriber is an endpoint that is subscribed to events of all policies.
func subscriber(name string, events ...string) outbox.Endpoint {
	return outbox.Endpoint{
		ID: "e-" + name, Name: name, URL: "https://" + name + ".example/", Events: events, PolicyKeys: []string{"*"},
		Signature: outbox.SignHMAC, Enabled: true, Key: outbox.SealedKey{Sealed: "k1"}, Rev: 1,
	}
}

func TestEndpointReceivesEventsMatchingItsPatterns(t *testing.T) {
	of := func(kind audit.EventType, policyKey string) wf.Event {
		return wf.Event{ID: "e1", Type: kind, Request: &wf.RequestSummary{PolicyKey: policyKey}}
	}
	activated := wf.Event{Type: audit.EventPolicyActivated, Resource: wf.Resource{Type: "policy", ID: "spend.small"}}
	revoked := wf.Event{Type: audit.EventDelegationRevoked, Resource: wf.Resource{Type: "delegation", ID: "d1"}}
	tests := map[string]struct {
		events, keys []string
		event        wf.Event
		want         bool
	}{
		"every event":                     {[]string{"*"}, []string{"*"}, of(audit.EventTaskCreated, "spend"), true},
		"a kind":                          {[]string{"request.*"}, []string{"*"}, of(audit.EventRequestApproved, "spend"), true},
		"another kind":                    {[]string{"request.*"}, []string{"*"}, of(audit.EventTaskCreated, "spend"), false},
		"one of two kinds":                {[]string{"stage.*", "task.decided"}, []string{"*"}, of(audit.EventTaskDecided, "spend"), true},
		"no kind":                         {nil, []string{"*"}, of(audit.EventRequestApproved, "spend"), false},
		"its policy":                      {[]string{"*"}, []string{"pay.*", "spend.*"}, of(audit.EventRequestApproved, "spend.small"), true},
		"another policy":                  {[]string{"*"}, []string{"spend.*"}, of(audit.EventRequestApproved, "pay"), false},
		"no policy":                       {[]string{"*"}, nil, of(audit.EventRequestApproved, "spend"), false},
		"a version of its policy":         {[]string{"policy.*"}, []string{"spend.*"}, activated, true},
		"a version of another policy":     {[]string{"policy.*"}, []string{"pay.*"}, activated, false},
		"a delegation":                    {[]string{"delegation.*"}, []string{"spend.*"}, revoked, true},
		"a delegation, named by policies": {[]string{"delegation.*"}, nil, revoked, true},
		"somebody's test":                 {[]string{"*"}, []string{"*"}, wf.Event{Type: audit.EventWebhookTest}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := subscriber("mail", tt.events...)
			e.PolicyKeys = tt.keys
			hears := func(e outbox.Endpoint) bool {
				list, err := tt.event.Deliveries([]outbox.Endpoint{e}, wf.Audience{}, func() string { return "w1" })
				if err != nil {
					t.Fatal(err)
				}
				return len(list) > 0
			}
			if got := hears(e); got != tt.want {
				t.Errorf("subscribed: %t, want %t", got, tt.want)
			}
			if hears(e.Disable(outbox.DisabledByAdmin, noon)) {
				t.Error("a disabled endpoint is subscribed")
			}
		})
	}
}

func TestAnEventGoesToEachTargetOnce(t *testing.T) {
	event := wf.Event{ID: "e1", Type: audit.EventRequestApproved, At: identity.Stamp{Time: noon}, RequestID: "r1",
		Request: &wf.RequestSummary{PolicyKey: "spend"}}
	subscribed, named, both, off := subscriber("subscribed", "request.*"), subscriber("named"),
		subscriber("both", "*", "request.*"), subscriber("off", "*")
	off.Enabled = false
	n := 0
	list, err := event.Deliveries([]outbox.Endpoint{subscribed, named, both, off, subscriber("deaf", "task.*")}, wf.Audience{
		Named: "named", Callback: "https://caller.example/",
	}, func() string { n++; return fmt.Sprint("w", n) })
	if err != nil {
		t.Fatal(err)
	}
	var targets []outbox.Target
	for i, d := range list {
		targets = append(targets, d.Target)
		if d.ID != fmt.Sprint("w", i+1) || d.EventID != "e1" {
			t.Errorf("delivery %d = %+v", i, d)
		}
	}
	want := []outbox.Target{subscribed.Target(), both.Target(), {URL: "https://caller.example/"}}
	if diff := cmp.Diff(want, targets); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	event.Type = audit.EventTaskDecided
	list, err = event.Deliveries([]outbox.Endpoint{subscribed}, wf.Audience{Callback: "https://caller.example/"}, nil)
	if err != nil || list != nil {
		t.Errorf("an event without subscribers goes to %v, %v", list, err)
	}
}

func TestMessagesHaveALinkToThePageWhereThereAreSome(t *testing.T) {
	for pages, want := range map[string]string{"": "", "https://wf.example/inbox": "https://wf.example/inbox/requests/r1"} {
		event := wf.Event{ID: "e1", Type: audit.EventRequestApproved, RequestID: "r1", Request: &wf.RequestSummary{ID: "r1"}}
		list, err := event.Deliveries([]outbox.Endpoint{subscriber("all", "*")}, wf.Audience{Pages: pages}, func() string { return "w1" })
		if err != nil {
			t.Fatal(err)
		}
		var said wf.Payload
		if err := json.Unmarshal(list[0].Payload, &said); err != nil {
			t.Fatal(err)
		}
		if said.Data.Request.Page != want || event.Request.Page != "" {
			t.Errorf("the page is %q in the message and %q in the event, want %q and none", said.Data.Request.Page, event.Request.Page, want)
		}
	}
}

func TestEventsForTheAuditAloneGoNowhere(t *testing.T) {
	for kind, want := range map[audit.EventType]int{audit.EventEndpointCreated: 0, audit.EventDeliveryRetried: 0,
		audit.EventPolicySimulated: 0, audit.EventPolicyActivated: 1} {
		list, err := wf.Event{ID: "e1", Type: kind}.Deliveries([]outbox.Endpoint{subscriber("all", "*", string(kind))},
			wf.Audience{}, func() string { return "w1" })
		if err != nil || len(list) != want {
			t.Errorf("%s goes to %d endpoints, %v; want %d", kind, len(list), err, want)
		}
	}
}

func TestAnEndpointHasItsForm(t *testing.T) {
	tests := map[string]struct {
		change func(*outbox.Endpoint)
		want   refusal.Reason
		where  string
	}{
		"as it should be":               {func(*outbox.Endpoint) {}, "", ""},
		"every event":                   {func(e *outbox.Endpoint) { e.Events = []string{"*"} }, "", ""},
		"events of the service":         {func(e *outbox.Endpoint) { e.Events = []string{"policy.*", "endpoint.disabled"} }, "", ""},
		"for policies that name it":     {func(e *outbox.Endpoint) { e.PolicyKeys = nil }, "", ""},
		"a name in capitals":            {func(e *outbox.Endpoint) { e.Name = "Mail" }, reason.BadName, "/name"},
		"no name":                       {func(e *outbox.Endpoint) { e.Name = "" }, reason.BadName, "/name"},
		"a pattern of no event":         {func(e *outbox.Endpoint) { e.Events = []string{"request.*", "request.done"} }, reason.BadInput, "/events/1"},
		"a pattern of tests":            {func(e *outbox.Endpoint) { e.Events = []string{"webhook.*"} }, reason.BadInput, "/events/0"},
		"a pattern that is none":        {func(e *outbox.Endpoint) { e.Events = []string{"["} }, reason.BadInput, "/events/0"},
		"a policy pattern that is none": {func(e *outbox.Endpoint) { e.PolicyKeys = []string{"a", "[a"} }, reason.BadInput, "/policy_keys/1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := subscriber("mail-2", "request.*")
			tt.change(&e)
			err := wf.CheckEndpoint(e)
			found, _ := errors.AsType[*refusal.Error](err)
			if tt.want == "" && err != nil || tt.want != "" && (found == nil || found.Reason != tt.want || found.Where != tt.where) {
				t.Errorf("CheckEndpoint = %v, want %s at %s", err, tt.want, tt.where)
			}
		})
	}
}

func TestADeliveryCarriesTheEventAsItHappened(t *testing.T) {
	s := begin(t, each("s", "ana"))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	i := slices.Index(s.types(0), audit.EventTaskDecided)
	e := s.events[i]
	mail := subscriber("mail", "task.*")
	list, err := e.Deliveries([]outbox.Endpoint{mail}, wf.Audience{}, func() string { return "w1" })
	if err != nil || len(list) != 1 {
		t.Fatalf("%d deliveries, %v", len(list), err)
	}
	d := list[0]
	if d.ID != "w1" || d.Target != mail.Target() || d.Status != outbox.DeliveryPending || d.Cycle != 1 ||
		!d.NextAttemptAt.Equal(noon) || d.EventID != e.ID || d.Sequence != e.Seq || d.Subject != "r1" {
		t.Errorf("delivery = %+v", d)
	}
	var payload map[string]any
	if err := json.Unmarshal(d.Payload, &payload); err != nil {
		t.Fatal(err)
	}
	data := payload["data"].(map[string]any)
	if payload["type"] != "task.decided" || payload["timestamp"] != "2026-03-02T12:00:00.000Z" || data["sequence"] != float64(e.Seq) ||
		data["decision"].(map[string]any)["action"] != "approve" || data["request"].(map[string]any)["context"] != nil {
		t.Errorf("payload = %s", d.Payload)
	}
	for _, member := range []string{"event_id", "sequence", "resource", "request", "stage", "task", "decision", "actor"} {
		if _, ok := data[member]; !ok {
			t.Errorf("payload lacks data.%s: %s", member, d.Payload)
		}
	}
}
