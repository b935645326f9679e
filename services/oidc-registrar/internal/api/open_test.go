package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// openService is a service with open registration and, if its clients need approvals, the approval service.
type openService struct {
	approved
	clock *timetest.Clock
}

func newOpen(t *testing.T, isApproved bool, config func(*server.Config)) openService {
	w := openService{approved{t: t, wf: newWF(t)}, timetest.At(time.Now())}
	w.Service = registrartest.Boot(t, registrartest.Options{Now: w.clock.Now, Config: func(c *server.Config) {
		if isApproved {
			w.wf.Configure(c)
		}
		c.OpenRegistration = "demo-partner/demo-policy"
		if config != nil {
			config(c)
		}
	}})
	w.wf.SetStanding(w.clock.Now, 0)
	return w
}

// policy sets members of the policy.
func (w openService) policy(changes ...any) registrartest.Reply {
	w.t.Helper()
	request := with("name", "Demo", "type", "Auth", "status", "ACTIVE", "userClaims", []any{"name"},
		"authContextRefs", []any{"mosip:idp:acr:generated-code"}, "clientTypes", []any{"confidential", "public"})
	for i := 0; i < len(changes); i += 2 {
		request[changes[i].(string)] = changes[i+1]
	}
	return w.Call("PUT", "/v1/partnermanager/policies/demo-policy", w.Admin(), map[string]any{"request": request})
}

func (w openService) register(changes ...any) registrartest.Reply {
	w.t.Helper()
	return w.Call("POST", standardPath, "", metadata(registrartest.Key(w.t), with(changes...)))
}

func (w openService) end() {
	w.t.Helper()
	if _, err := w.Core.Clients.EndClients(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// status is the status of a client, or the code of the refusal.
func (w openService) status(id string) string {
	r := w.Call("GET", clientsPath+id, w.Admin(), nil)
	if status, ok := r.Member("status").(string); ok {
		return status
	}
	return r.Code()
}

func TestOpenRegistrationNeedsAnApprovalOrAnEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		isApproved bool
		lifetime   string
		open       string
		status     int
	}{
		"an approval":           {true, "", "demo-partner/demo-policy", 201},
		"an end within 90 days": {false, "P90D", "demo-partner/demo-policy", 201},
		"a later end":           {false, "P91D", "demo-partner/demo-policy", 401},
		"neither":               {false, "", "demo-partner/demo-policy", 401},
		"no open registration":  {true, "P90D", "", 401},
		"an unknown policy":     {true, "", "demo-partner/none", 401},
		"an unknown partner":    {false, "P1D", "none/demo-policy", 400},
	} {
		t.Run(name, func(t *testing.T) {
			w := newOpen(t, tt.isApproved, func(c *server.Config) { c.OpenRegistration = tt.open })
			expect(t, "the policy", w.policy("expiresAfter", tt.lifetime), 200, "")
			r := w.register()
			if r.Status != tt.status || tt.status == 401 &&
				(r.Header.Get("WWW-Authenticate") != "Bearer" || !strings.Contains(r.Body, "initial access token")) {
				t.Errorf("%d %v %s, want %d", r.Status, r.Header, r.Body, tt.status)
			}
			if r := w.Call("POST", standardPath, "wrong", metadata(registrartest.Key(t), nil)); r.Status != 401 {
				t.Errorf("with a wrong token: %d %s", r.Status, r.Body)
			}
			if r := w.Call("POST", standardPath, "", metadata(registrartest.Key(t), nil), "Authorization", "Basic YTpi"); r.Status != 401 {
				t.Errorf("with other credentials: %d %s", r.Status, r.Body)
			}
		})
	}
}

// An initial access token and open registration × the approval: what the client and the approvers see.
func TestAClientOfTheStandardAPIWaitsForItsApproval(t *testing.T) {
	for name, open := range map[string]bool{"an initial access token": false, "open registration": true} {
		t.Run(name, func(t *testing.T) {
			provider, token := func(*server.Config) {}, ""
			if !open {
				provider = registrartest.NewESignet(t).Configure
			}
			w := newOpen(t, true, provider)
			expect(t, "the policy", w.policy("clientTypes", []any{"confidential"}), 200, "")
			if !open {
				token = initialToken(t, w.Service, 3)
			}
			post := func(key map[string]any) map[string]any {
				t.Helper()
				return members(t, w.Call("POST", standardPath, token, metadata(key, nil)), 201)
			}
			key := registrartest.Key(t)
			made := post(key)
			id, access := made["client_id"].(string), made["registration_access_token"].(string)
			asked := func(what string, client map[string]any, status, state string) {
				t.Helper()
				approval, _ := client["approval"].(map[string]any)
				if client["status"] != status || approval["state"] != state || state != "" && approval["since"] == nil {
					t.Errorf("%s: %v", what, client)
				}
			}
			get := func() map[string]any {
				t.Helper()
				return members(t, w.Call("GET", standardPath+"/"+id, access, nil), 200)
			}
			asked("registered", made, "PENDING", "asking")
			w.ask()
			asked("read", get(), "PENDING", "waiting")
			first := w.wf.Requests()[0]
			hosts := fmt.Sprint(first.Context["redirectHosts"])
			if first.Context["address"] != "127.0.0.1" || hosts != "[rp.example]" {
				t.Errorf("the approvers see %v", first.Context)
			}
			wantRequester, wantBy := "admin", any("admin")
			if open {
				wantRequester, wantBy = "", "open registration:127.0.0.1" // the service account asks
			}
			if first.Requester != wantRequester || first.Context["requestedBy"] != wantBy {
				t.Errorf("requested by %q, %v", first.Requester, first.Context["requestedBy"])
			}
			change := metadata(key, with("client_id", id, "redirect_uris", []any{"https://other.example/cb"}))
			asked("replaced", members(t, w.Call("PUT", standardPath+"/"+id, access, change), 200), "PENDING", "asking")
			w.ask()
			requests := w.wf.Requests()
			if len(requests) != 2 || requests[0].Status != "cancelled" ||
				fmt.Sprint(requests[1].Context["redirectHosts"]) != "[other.example]" ||
				requests[1].Requester != wantRequester || requests[1].Context["address"] != "127.0.0.1" {
				t.Errorf("the requests are %+v", requests)
			}
			w.decide("approved", "")
			if got := get(); got["status"] != "ACTIVE" || fmt.Sprint(got["redirect_uris"]) != "[https://other.example/cb]" {
				t.Errorf("approved: %v", got)
			}
			other := post(registrartest.Key(t))
			w.ask()
			w.decide("rejected", "Unknown to us")
			id, access = other["client_id"].(string), other["registration_access_token"].(string)
			rejected := get()
			if rejected["status"] != "FAILED" || !strings.Contains(fmt.Sprint(rejected["approval"]), "Unknown to us") {
				t.Errorf("rejected: %v", rejected)
			}
			members(t, w.Call("PUT", standardPath+"/"+id, access, rejected), 200)
			w.ask()
			w.decide("approved", "")
			if got := get(); got["status"] != "ACTIVE" || got["approval"] != nil {
				t.Errorf("approved after a rejection: %v", got)
			}
			body := metadata(registrartest.Key(t), nil)
			third := members(t, w.Call("POST", standardPath, token, body), 201)
			if !open {
				another := initialToken(t, w.Service, 1)
				members(t, w.Call("POST", standardPath, token, metadata(registrartest.Key(t), nil)), 401) // each use is taken
				members(t, w.Call("POST", standardPath, another, body), 400)                              // a repeat
			}
			w.ask()
			id, access = third["client_id"].(string), third["registration_access_token"].(string)
			if r := w.Call("DELETE", standardPath+"/"+id, access, nil); r.Status != 204 {
				t.Errorf("withdrawn: %d %s", r.Status, r.Body)
			}
			w.ask()
			requests = w.wf.Requests()
			if last := requests[len(requests)-1]; last.Status != "cancelled" {
				t.Errorf("the request of a withdrawn registration is %s", last.Status)
			}
			if r := w.Call("GET", standardPath+"/"+id, access, nil); r.Status != 401 || w.status(id) != "invalid_client_id" {
				t.Errorf("after the withdrawal: %d %s", r.Status, w.status(id))
			}
		})
	}
}

func TestOpenRegistrationIsLimited(t *testing.T) {
	limits := func(unapproved, live int64) func(*server.Config) {
		return func(c *server.Config) { c.OpenUnapproved, c.OpenClients = unapproved, live }
	}
	t.Run("unapproved clients", func(t *testing.T) {
		w := newOpen(t, true, limits(2, 100))
		expect(t, "the policy", w.policy(), 200, "")
		first := members(t, w.register(), 201)
		members(t, w.register(), 201)
		if got := members(t, w.register(), 429); got["error"] != "temporarily_unavailable" {
			t.Errorf("%v", got)
		}
		if token := initialToken(t, w.Service, 1); w.Call("POST", standardPath, token, metadata(registrartest.Key(t), nil)).Status != 201 {
			t.Error("a token is refused")
		}
		w.Call("DELETE", standardPath+"/"+first["client_id"].(string), first["registration_access_token"].(string), nil)
		members(t, w.register(), 201)
		members(t, w.register(), 429)
	})
	t.Run("live clients", func(t *testing.T) {
		w := newOpen(t, false, limits(100, 2))
		expect(t, "the policy", w.policy("expiresAfter", "P1D"), 200, "")
		members(t, w.register(), 201)
		members(t, w.register(), 201)
		members(t, w.register(), 429)
		w.clock.Advance(24 * time.Hour)
		w.end()
		members(t, w.register(), 201)
	})
	t.Run("calls of an address", func(t *testing.T) {
		w := newOpen(t, false, func(c *server.Config) { c.Unlimited = false })
		expect(t, "the policy", w.policy("expiresAfter", "P1D"), 200, "")
		for range 10 {
			members(t, w.register(), 201)
		}
		members(t, w.register("redirect_uris", "none"), 429)
		w.clock.Advance(6 * time.Minute)
		members(t, w.register(), 201)
		members(t, w.register(), 429)
	})
	t.Run("a repetition", func(t *testing.T) {
		w := newOpen(t, false, nil)
		expect(t, "the policy", w.policy("expiresAfter", "P1D"), 200, "")
		body := metadata(registrartest.Key(t), nil)
		members(t, w.Call("POST", standardPath, "", body), 201)
		if r := w.Call("POST", standardPath, "", body); r.Status != 400 || strings.Contains(r.Body, "client_id") {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	})
}

func TestUnapprovedClientsOfOpenRegistrationAreDeleted(t *testing.T) {
	w := newOpen(t, true, nil)
	expect(t, "the policy", w.policy(), 200, "")
	token := initialToken(t, w.Service, 1)
	ids := map[string]string{}
	for _, name := range []string{"waits", "rejected", "approved"} {
		ids[name] = members(t, w.register(), 201)["client_id"].(string)
		w.ask()
		if name != "waits" {
			w.decide(name, "")
		}
	}
	ids["token"] = members(t, w.Call("POST", standardPath, token, metadata(registrartest.Key(t), nil)),
		201)["client_id"].(string)
	w.ask()
	w.clock.Advance(7*24*time.Hour - time.Minute)
	w.end()
	for name, want := range map[string]string{"waits": "PENDING", "rejected": "FAILED", "approved": "ACTIVE", "token": "PENDING"} {
		if got := w.status(ids[name]); got != want {
			t.Errorf("%s before: %s", name, got)
		}
	}
	w.clock.Advance(2 * time.Minute)
	w.end()
	for name, want := range map[string]string{"waits": "invalid_client_id", "rejected": "invalid_client_id", "approved": "ACTIVE", "token": "PENDING"} {
		if got := w.status(ids[name]); got != want {
			t.Errorf("%s after 7 days: %s, want %s", name, got, want)
		}
	}
	w.ask()
	if got := w.wf.Requests()[0].Status; got != "cancelled" {
		t.Errorf("the request of a deleted client is %s", got)
	}
}

// A client ends at the time that its policy had at its registration, here and at the provider.
func TestAClientExpires(t *testing.T) {
	provider, clock := registrartest.NewESignet2(t), timetest.At(time.Now())
	w := openService{approved{t: t,
		Service: registrartest.Boot(t, registrartest.Options{Now: clock.Now, Config: provider.Configure})}, clock}
	for _, wrong := range []string{"P0D", "P367D", "P90", "90", "P01D", "P1M", "PT24H", "P-1D", "P+1D"} {
		expect(t, wrong, w.policy("clientTypes", nil, "expiresAfter", wrong), 200, "PMS_COR_001")
	}
	register := func() string {
		t.Helper()
		return clientID(t, w.Call("POST", partnerPath, w.Admin(), registrartest.PartnerRequest(registrartest.Key(t), nil)))
	}
	expect(t, "the policy", w.policy("clientTypes", []any{"confidential"}, "expiresAfter", "P30D"), 200, "")
	active, inactive := register(), register()
	expect(t, "the policy", w.policy("clientTypes", []any{"confidential"}), 200, "")
	forever := register()
	ana := w.Partner("ana", "demo-partner")
	expect(t, "disabled", w.Call("PUT", partnerPath+"/"+inactive, ana,
		registrartest.UpdateRequest(with("status", "INACTIVE", "userClaims", nil, "authContextRefs", nil))), 200, "")
	clock.Advance(30*24*time.Hour - time.Second)
	if w.end(); w.status(active) != "ACTIVE" {
		t.Errorf("before its end: %s", w.status(active))
	}
	clock.Advance(time.Second)
	// By the database clock, before the pass that makes the client INACTIVE.
	change := w.Call("PUT", partnerPath+"/"+active, w.Admin(),
		registrartest.UpdateRequest(with("clientName", "Later", "userClaims", nil, "authContextRefs", nil)))
	expect(t, "changed at its end", change, 403, "KER-ATH-403")
	w.end()
	if w.status(active) != "INACTIVE" || w.status(inactive) != "INACTIVE" || w.status(forever) != "ACTIVE" {
		t.Errorf("at the end: %s, %s, %s", w.status(active), w.status(inactive), w.status(forever))
	}
	if _, err := w.Core.Calls.RunOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := provider.Client(active).Status; got != "INACTIVE" {
		t.Errorf("at the provider: %s", got)
	}
	for name, call := range map[string]registrartest.Reply{
		"enabled":          w.Call("POST", clientsPath+active+"/enable", w.Admin(), nil),
		"enabled, another": w.Call("POST", clientsPath+inactive+"/enable", w.Admin(), nil),
		"updated": w.Call("PUT", partnerPath+"/"+active, w.Admin(),
			registrartest.UpdateRequest(with("userClaims", nil, "authContextRefs", nil))),
	} {
		expect(t, name, call, 403, call.Code())
	}
	for _, id := range []string{active, inactive} {
		if r := w.Call("GET", clientsPath+id+"/events", w.Admin(), nil); strings.Count(r.Body, `"kind":"expired"`) != 1 {
			t.Errorf("the events of %s: %s", id, r.Body)
		}
	}
	if n, err := w.Core.Clients.EndClients(t.Context()); n != 0 || err != nil {
		t.Errorf("%d ended again, %v", n, err)
	}
}
