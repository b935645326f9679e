package registrar

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
)

func TestWebhookTypeOfEvent(t *testing.T) {
	status := []string{"name", "status"}
	tests := map[string]struct {
		event Event
		after ClientStatus
		gone  bool
		want  WebhookType // empty if no webhook is sent
	}{
		"registered":                            {Event{Type: EventClientRegistered}, ClientPending, false, WebhookRegistered},
		"activated":                             {Event{Type: EventClientActivated}, ClientActive, false, WebhookActivated},
		"changed":                               {Event{Type: EventClientUpdated, Changed: []string{"name"}}, ClientActive, false, WebhookUpdated},
		"changed while it is off":               {Event{Type: EventClientUpdated, Changed: []string{"name"}}, ClientInactive, false, WebhookUpdated},
		"switched off":                          {Event{Type: EventClientUpdated, Changed: status}, ClientInactive, false, WebhookDeactivated},
		"switched on again":                     {Event{Type: EventClientUpdated, Changed: status}, ClientActive, false, WebhookActivated},
		"failed":                                {Event{Type: EventClientFailed}, ClientFailed, false, WebhookFailed},
		"refused by the provider":               {Event{Type: EventClientRefused}, ClientPending, true, WebhookFailed},
		"removed before it was active":          {Event{Type: EventClientRemoved}, ClientPending, true, WebhookFailed},
		"dropped by an admin":                   {Event{Type: EventClientDropped}, ClientPending, true, WebhookFailed},
		"a change that an admin drops":          {Event{Type: EventClientDropped}, ClientActive, false, ""},
		"a change that an admin confirms":       {Event{Type: EventClientConfirmed, Changed: []string{"name"}}, ClientActive, false, WebhookUpdated},
		"a registration that an admin confirms": {Event{Type: EventClientConfirmed}, ClientPending, false, ""},
		"a change that was refused":             {Event{Type: EventClientRefused}, ClientActive, false, ""},
		"a registration tried again":            {Event{Type: EventClientRetried}, ClientPending, false, ""},
		"an event of a later version":           {Event{Type: "x"}, ClientActive, false, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, told := tt.event.Webhook(Client{Status: tt.after}, tt.gone)
			if got != tt.want || told != (tt.want != "") {
				t.Errorf("the event is %q, %t; want %q", got, told, tt.want)
			}
			if told && !slices.Contains(WebhookTypes, got) {
				t.Errorf("no endpoint can select %s", got)
			}
		})
	}
}

func TestAWebhookHoldsNoKey(t *testing.T) {
	c := Client{ID: "c1", Key: Key{JWK: `{"kty":"EC","x":"KEYMATERIAL"}`, ID: "KEYID", Thumbprint: "THUMB"}}
	body, err := json.Marshal(WebhookRegistered.Payload(Event{At: time.Unix(0, 0), Actor: "ana"}, "e1", 1, c))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"KEYMATERIAL", "KEYID", "THUMB", "null"} {
		if strings.Contains(string(body), secret) {
			t.Errorf("the message has %s: %s", secret, body)
		}
	}
}

func TestAnEndpointHasItsForm(t *testing.T) {
	good := outbox.Endpoint{Name: "portal", Events: DefaultWebhooks, PolicyKeys: []string{"*"}}
	tests := map[string]struct {
		change func(*outbox.Endpoint)
		field  string // empty when nothing is wrong
	}{
		"as it should be":        {func(*outbox.Endpoint) {}, ""},
		"every event":            {func(e *outbox.Endpoint) { e.Events = []string{"*"} }, ""},
		"some policies":          {func(e *outbox.Endpoint) { e.PolicyKeys = []string{"health-*"} }, ""},
		"a name in capitals":     {func(e *outbox.Endpoint) { e.Name = "Portal" }, "name"},
		"no name":                {func(e *outbox.Endpoint) { e.Name = "" }, "name"},
		"a pattern of no event":  {func(e *outbox.Endpoint) { e.Events = []string{"client.*", "client.gone"} }, "events"},
		"a pattern of tests":     {func(e *outbox.Endpoint) { e.Events = []string{"webhook.*"} }, "events"},
		"a pattern that is none": {func(e *outbox.Endpoint) { e.Events = []string{"["} }, "events"},
		"a policy that is none":  {func(e *outbox.Endpoint) { e.PolicyKeys = []string{"[a"} }, "policyIds"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := good
			tt.change(&e)
			err := CheckEndpoint(e)
			refused, _ := errors.AsType[*refusal.Error](err)
			if tt.field == "" && err != nil || tt.field != "" && (refused == nil || len(refused.List()) != 1 || refused.Where != "/"+tt.field) {
				t.Errorf("CheckEndpoint = %v, want %q", err, tt.field)
			}
		})
	}
}
