package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// switching is the path that disables or enables a client.
func switching(id, what string) string { return clientsPath + id + "/" + what }

// clientsPath is the path of the resource that both interfaces share.
const clientsPath = "/v1/registrar/clients/"

// neutral returns the path of that resource for a client with a path of its interface.
func neutral(path string) string { return clientsPath + path[strings.LastIndex(path, "/")+1:] }

// because is the body of a call that disables a client.
func because(reason any) map[string]any { return map[string]any{"request": with("reason", reason)} }

func TestACallerOfTheClientsSideDisablesAndEnablesIt(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana, eve, provider := w.Partner("ana", "demo-partner"), w.Partner("eve", "other"), w.Provider()
	reader := w.Token(bearer.DevToken{Subject: "reader", Scopes: []string{"get_oidc_client", "add_oidc_client"}})
	both := w.Token(bearer.DevToken{Subject: "both", Roles: []string{"AUTH_PARTNER"},
		Scopes: []string{"get_oidc_client", "update_oidc_client"}, Claims: map[string]any{"partner_id": "demo-partner"}})
	foreign := w.Token(bearer.DevToken{Subject: "foreign", Roles: []string{"AUTH_PARTNER"},
		Scopes: []string{"get_oidc_client", "update_oidc_client"}, Claims: map[string]any{"partner_id": "other"}})
	ofPartner := clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil)))
	ofProvider := clientID(t, w.Call("POST", providerPath, provider, registrartest.ProviderRequest("c1", registrartest.Key(t), nil)))
	status := func(id string) any {
		t.Helper()
		return w.Call("GET", providerPath+"/"+id, w.Admin(), nil).Member("status")
	}
	for _, tt := range []struct {
		caller, token, id string
		status            int
		code              string
	}{
		{"no token", "", ofPartner, 401, "UNAUTHORIZED"},
		{"another partner", eve, ofPartner, 403, "FORBIDDEN"},
		{"another partner, of none", eve, "none", 403, "FORBIDDEN"},
		{"a partner, of the other side", ana, ofProvider, 403, "FORBIDDEN"},
		{"a scope, of the other side", provider, ofPartner, 200, "invalid_client_id"},
		{"a scope, of none", provider, "none", 200, "invalid_client_id"},
		{"both, of none", foreign, "none", 200, "invalid_client_id"},
		{"both, of another partner", foreign, ofPartner, 200, "invalid_client_id"},
		{"another scope", reader, ofProvider, 403, "FORBIDDEN"},
		{"an admin, of none", w.Admin(), "none", 200, "invalid_client_id"},
	} {
		for _, call := range []struct {
			method, path string
			body         any
		}{
			{"GET", "", nil}, {"GET", "/events", nil}, {"DELETE", "", nil}, {"POST", "/disable", because("x")}, {"POST", "/enable", nil},
			{"POST", "/keys", bodyWithKey(t, "k")}, {"DELETE", "/keys?kid=k", nil},
		} {
			if call.method == "GET" && tt.caller == "another scope" {
				continue // it has the scope of reading
			}
			if call.path == "/events" && tt.caller == "an admin, of none" {
				continue // an admin reads the refusals of an id without a client
			}
			if r := w.Call(call.method, clientsPath+tt.id+call.path, tt.token, call.body); r.Status != tt.status || r.Code() != tt.code {
				t.Errorf("%s: %s %s: %d %s, want %d %s", tt.caller, call.method, call.path, r.Status, r.Body, tt.status, tt.code)
			}
		}
		if status(ofPartner) != "ACTIVE" || status(ofProvider) != "ACTIVE" {
			t.Fatalf("%s has disabled a client", tt.caller)
		}
	}
	for i, tt := range []struct{ token, id string }{{ana, ofPartner}, {w.Admin(), ofPartner}, {both, ofPartner},
		{provider, ofProvider}, {w.Admin(), ofProvider}, {both, ofProvider}} {
		for range 2 { // idempotent
			expect(t, fmt.Sprint(i, " off"), w.Call("POST", switching(tt.id, "disable"), tt.token, because("key stolen")), 200, "")
		}
		if status(tt.id) != "INACTIVE" {
			t.Errorf("%d: it is %v", i, status(tt.id))
		}
		for range 2 {
			expect(t, fmt.Sprint(i, " on"), w.Call("POST", switching(tt.id, "enable"), tt.token, nil), 200, "")
		}
		if status(tt.id) != "ACTIVE" {
			t.Errorf("%d: it is %v", i, status(tt.id))
		}
	}
	events := w.Call("GET", clientsPath+ofPartner+"/events", w.Admin(), nil).Body
	if strings.Count(events, `"comment":"key stolen"`) != 3 || strings.Count(events, `"kind":"updated"`) != 6 {
		t.Errorf("the events are %s", events)
	}
}

func TestAReasonToDisableAClientHasRules(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	id := clientID(t, w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil)))
	for _, body := range []any{
		map[string]any{}, map[string]any{"request": nil}, map[string]any{"request": map[string]any{}}, because(nil),
		because(""), because(" \u3164"), because(strings.Repeat("x", 501)),
		because("a\u202eb"), because(5), map[string]any{"reason": " "},
	} {
		if r := w.Call("POST", switching(id, "disable"), w.Provider(), body); r.Status != 200 ||
			r.Code() != "invalid_request" || !strings.Contains(r.Body, "request.reason: ") {
			t.Errorf("%v: %d %s", body, r.Status, r.Body)
		}
	}
	if got := w.Call("GET", providerPath+"/"+id, w.Provider(), nil).Member("status"); got != "ACTIVE" {
		t.Errorf("the client is %v", got)
	}
	expect(t, "the longest", w.Call("POST", switching(id, "disable"), w.Provider(), because(strings.Repeat("ä", 500))), 200, "")
	expect(t, "without an envelope", w.Call("POST", switching(id, "disable"), w.Provider(), with("reason", "x")), 200, "")
}

func TestADisabledClientIsInactiveHereWhileTheProviderIsUnreachable(t *testing.T) {
	e := registrartest.NewESignet(t)
	clock := timetest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { e.Configure(c) }, Now: clock.Now})
	id := clientID(t, w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil)))
	e.SetDown(true)
	for range 2 {
		r := w.Call("POST", switching(id, "disable"), w.Provider(), because("x"))
		if r.Status != 503 || r.Code() != "unknown_error" || r.Header.Get("Retry-After") == "" {
			t.Errorf("the provider is away: %d %s %v", r.Status, r.Body, r.Header)
		}
		if got := w.Call("GET", providerPath+"/"+id, w.Provider(), nil).Member("status"); got != "INACTIVE" {
			t.Errorf("the client is %v", got)
		}
	}
	e.SetDown(false)
	clock.Advance(2 * time.Minute)
	if _, err := w.Core.Calls.RunOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := e.Clients()[id]; got != "INACTIVE" {
		t.Errorf("the provider has %v", got)
	}
	events := w.Call("GET", clientsPath+id+"/events", w.Admin(), nil).Body
	if strings.Count(events, `"kind":"updated"`) != 1 {
		t.Errorf("the events are %s", events)
	}
}

// The retry schedule ends after six attempts. An active client at the provider would sign users in
// until the next call.
func TestADisableIsRepeatedUntilTheProviderAnswers(t *testing.T) {
	e := registrartest.NewESignet(t)
	clock := timetest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { e.Configure(c) }, Now: clock.Now})
	id := clientID(t, w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil)))
	e.SetDown(true)
	w.Call("POST", switching(id, "disable"), w.Provider(), because("x"))
	for range 10 { // the schedule has six attempts
		clock.Advance(7 * time.Hour)
		if _, err := w.Core.Calls.RunOnce(t.Context()); err == nil {
			t.Fatal("no attempt was made")
		}
	}
	if got := w.Call("GET", providerPath+"/"+id, w.Provider(), nil).Member("status"); got != "INACTIVE" {
		t.Errorf("the client is %v", got)
	}
	e.SetDown(false)
	clock.Advance(7 * time.Hour)
	if _, err := w.Core.Calls.RunOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := e.Clients()[id]; got != "INACTIVE" {
		t.Errorf("the provider has %v", got)
	}
}

func TestADoubtfulOrPendingClientIsNeitherDisabledNorEnabled(t *testing.T) {
	p := registrartest.NewRFC7591(t)
	w := registrartest.Boot(t, registrartest.Options{Config: p.Configure})
	id := clientID(t, w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil)))
	p.LoseReplies(true)
	w.Call("PUT", providerPath+"/"+id, w.Provider(), registrartest.UpdateRequest(with("clientName", "New")))
	w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c2", registrartest.Key(t), nil))
	p.LoseReplies(false)
	if r := w.Call("GET", providerPath+"/"+id, w.Provider(), nil); r.Member("doubtful") != true {
		t.Fatalf("the client is %s", r.Body)
	}
	if r := w.Call("GET", providerPath+"/c2", w.Provider(), nil); r.Member("status") != "PENDING" {
		t.Fatalf("the client is %s", r.Body)
	}
	for client, word := range map[string]string{id: "doubtful", "c2": "PENDING"} {
		for what, body := range map[string]any{"disable": because("x"), "enable": nil} {
			if r := w.Call("POST", switching(client, what), w.Admin(), body); r.Status != 200 || r.Code() != "invalid_status" ||
				!strings.Contains(r.Body, word) {
				t.Errorf("%s a client that is %s: %d %s", what, word, r.Status, r.Body)
			}
		}
	}
}
