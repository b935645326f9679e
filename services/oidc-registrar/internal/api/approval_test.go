package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// approved is a service with an approval of every client, and its provider.
type approved struct {
	*registrartest.Service
	t        *testing.T
	wf       *fakeWF
	provider *registrartest.ESignet
	ana      string
	key      map[string]any
}

func withApproval(t *testing.T) approved {
	a := approved{t: t, wf: newWF(t), provider: registrartest.NewESignet(t), key: registrartest.Key(t)}
	a.Service = registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		a.wf.Configure(c)
		a.provider.Configure(c)
	}})
	a.ana = a.Partner("ana", "demo-partner")
	return a
}

// withApprovalAlone is withApproval without a provider behind it, which would not let keys roll.
func withApprovalAlone(t *testing.T) approved {
	a := approved{t: t, wf: newWF(t), key: registrartest.Key(t)}
	a.Service = registrartest.Boot(t, registrartest.Options{Config: a.wf.Configure})
	a.ana, a.key["kid"] = a.Partner("ana", "demo-partner"), "one"
	return a
}

// ask runs the pass of due approvals.
func (a approved) ask() {
	a.t.Helper()
	if _, err := a.Core.Approvals.RunOnce(a.t.Context(), ""); err != nil {
		a.t.Fatal(err)
	}
}

// sendWebhook sends the webhook about a request.
func (a approved) sendWebhook(requestID string) {
	a.t.Helper()
	body, headers := a.wf.Webhook(a.t, requestID, time.Now())
	expect(a.t, "a webhook", a.Call("POST", "/v1/registrar/approvals", "", body, headers...), 200, "")
}

// last is the id of the request that was made last.
func (a approved) last() string {
	requests := a.wf.Requests()
	return requests[len(requests)-1].ID
}

// decide completes the last request and sends its webhook.
func (a approved) decide(status, words string) {
	a.t.Helper()
	a.wf.Decide(status, words)
	a.sendWebhook(a.last())
}

// register registers the client with an approval request.
func (a approved) register() (path, id string) {
	a.t.Helper()
	r := a.Call("POST", partnerPath, a.ana, registrartest.PartnerRequest(a.key, nil))
	if r.Member("status") != "PENDING" {
		a.t.Fatalf("a registration that needs an approval: %s", r.Body)
	}
	id = clientID(a.t, r)
	a.ask()
	return partnerPath + "/" + id, id
}

// changing registers an approved client with a change under approval.
func (a approved) changing() (path, id, change string) {
	a.t.Helper()
	path, id = a.register()
	a.decide("approved", "")
	expect(a.t, "a change", a.Call("PUT", path, a.ana,
		registrartest.UpdateRequest(with("redirectUris", []any{"https://elsewhere.example/cb"}))), 200, "")
	a.ask()
	return path, id, a.last()
}

// is holds a client to its status, here and at the provider; there may be none there.
func (a approved) is(id, status, there string) {
	a.t.Helper()
	if r := a.Call("GET", partnerPath+"/"+id, a.ana, nil); r.Member("status") != status {
		a.t.Errorf("want the client %s: %s", status, r.Body)
	}
	if got := a.provider.Clients()[id]; got != there {
		a.t.Errorf("the provider has it as %q, want %q", got, there)
	}
}

func TestClientIsRegisteredAfterApproval(t *testing.T) {
	a := withApproval(t)
	path, id := a.register()
	a.is(id, "PENDING", "")
	asked := a.wf.Requests()[0]
	if asked.Requester != "ana" || asked.Policy != "clients" || asked.Context["clientId"] != id || asked.Context["redirectUris"] == nil {
		t.Errorf("asked %+v", asked)
	}
	expect(t, "the same registration again", a.Call("POST", partnerPath, a.ana, registrartest.PartnerRequest(a.key, nil)), 200, "")
	a.sendWebhook(asked.ID) // a webhook that is early or false
	a.is(id, "PENDING", "")
	a.decide("approved", "")
	a.is(id, "ACTIVE", "ACTIVE")
	calls := a.provider.Calls()
	a.sendWebhook(asked.ID) // again
	if a.ask(); a.provider.Calls() != calls {
		t.Error("a webhook that comes again is obeyed again")
	}
	var kinds []string
	for _, item := range a.Call("GET", neutral(path)+"/events", a.Admin(), nil).Member("items").([]any) {
		kinds = append(kinds, item.(map[string]any)["kind"].(string))
	}
	if want := []string{"registered", "held", "approved", "activated"}; !slices.Equal(kinds, want) {
		t.Errorf("events %q, want %q", kinds, want)
	}
}

func TestAForgedWebhookIsRefused(t *testing.T) {
	a := withApproval(t)
	_, id := a.register()
	a.wf.Decide("approved", "")
	body, headers := a.wf.Webhook(t, a.last(), time.Now())
	send := func(body []byte, headers ...string) registrartest.Reply {
		return a.Call("POST", "/v1/registrar/approvals", "", body, headers...)
	}
	expect(t, "without a signature", send(body), 401, "KER-ATH-401")
	expect(t, "of another body", send([]byte(strings.Replace(string(body), "approved", "aproved", 1)), headers...), 401, "KER-ATH-401")
	other, otherHeaders := newWF(t).Webhook(t, a.last(), time.Now())
	expect(t, "of another secret", send(other, otherHeaders...), 401, "KER-ATH-401")
	old, oldHeaders := a.wf.Webhook(t, a.last(), time.Now().Add(-time.Hour))
	expect(t, "an old one", send(old, oldHeaders...), 401, "KER-ATH-401")
	a.is(id, "PENDING", "")
	a.sendWebhook("a request that is not ours")
	a.is(id, "PENDING", "")
	expect(t, "the real one", send(body, headers...), 200, "")
	a.is(id, "ACTIVE", "ACTIVE")
}

func TestRejectedRegistrationFailsWithTheComment(t *testing.T) {
	for _, status := range []string{"rejected", "cancelled", "expired"} {
		t.Run(status, func(t *testing.T) {
			a := withApproval(t)
			path, id := a.register()
			a.decide(status, "the logo is not yours")
			a.is(id, "FAILED", "")
			r := a.Call("GET", path, a.ana, nil)
			if words := r.Member("approval").(map[string]any)["comment"]; words != "the logo is not yours" {
				t.Errorf("their words are lost: %s", r.Body)
			}
			repeat := a.Call("POST", partnerPath, a.ana, registrartest.PartnerRequest(a.key, nil))
			if expect(t, "the same registration again", repeat, 200, "not_approved"); !strings.Contains(repeat.Body, "the logo is not yours") {
				t.Errorf("the reason is missing: %s", repeat.Body)
			}

			expect(t, "switched on", a.Call("PUT", path, a.ana, registrartest.UpdateRequest(nil)), 200, "")
			a.is(id, "PENDING", "")
			a.ask()
			if n := len(a.wf.Requests()); n != 2 {
				t.Fatalf("%d requests, want a new request", n)
			}
			a.sendWebhook("request-1")
			a.is(id, "PENDING", "")
			a.decide("approved", "")
			a.is(id, "ACTIVE", "ACTIVE")
		})
	}
}

func TestAnApprovalIsForOneRevision(t *testing.T) {
	a := withApproval(t)
	path, id := a.register()
	moved := registrartest.UpdateRequest(with("redirectUris", []any{"https://elsewhere.example/cb"}))
	r := a.Call("PUT", path, a.ana, moved)
	if r.Member("status") != "PENDING" {
		t.Errorf("a correction while it is pending: %s", r.Body)
	}
	a.wf.Decide("approved", "") // the first one, late
	a.sendWebhook(a.last())
	a.is(id, "PENDING", "")
	a.ask()
	requests := a.wf.Requests()
	if len(requests) != 2 {
		t.Fatalf("%d requests, want a new request for a correction", len(requests))
	}
	expect(t, "the same correction again", a.Call("PUT", path, a.ana, moved), 200, "")
	if a.ask(); len(a.wf.Requests()) != 2 {
		t.Error("the same correction has two requests")
	}
	a.sendWebhook(requests[0].ID)
	a.is(id, "PENDING", "")
	a.decide("approved", "")
	a.is(id, "ACTIVE", "ACTIVE")
}

func TestCorrectionCancelsThePendingApprovalRequest(t *testing.T) {
	a := withApproval(t)
	path, _ := a.register()
	expect(t, "a correction", a.Call("PUT", path, a.ana,
		registrartest.UpdateRequest(with("redirectUris", []any{"https://elsewhere.example/cb"}))), 200, "")
	a.ask()
	if first := a.wf.Requests()[0]; first.Status != "cancelled" {
		t.Errorf("the first request is %s", first.Status)
	}
	expect(t, "deleted", a.Call("DELETE", neutral(path), a.ana, nil), 200, "")
	a.ask()
	if second := a.wf.Requests()[1]; second.Status != "cancelled" {
		t.Errorf("the second request is %s", second.Status)
	}
}

func TestApprovalOfAlteredContentFails(t *testing.T) {
	a := withApproval(t)
	_, id := a.register()
	a.wf.Tamper()
	a.decide("approved", "")
	a.is(id, "FAILED", "")
}

func TestAChangeIsHeldAtEveryPath(t *testing.T) {
	a := withApproval(t)
	path, id := a.register()
	a.decide("approved", "")
	claims := a.Call("GET", path, a.ana, nil)
	admin := with("userClaims", claims.Member("userClaims"), "authContextRefs", claims.Member("authContextRefs"),
		"redirectUris", []any{"https://elsewhere.example/cb"})

	for name, change := range map[string]func() registrartest.Reply{
		"redirect URIs": func() registrartest.Reply {
			return a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("redirectUris", []any{"https://elsewhere.example/cb"})))
		},
		"at the provider's door": func() registrartest.Reply {
			return a.Call("PUT", providerPath+"/"+id, a.Admin(), registrartest.UpdateRequest(admin))
		},
		"under the cover of a new name": func() registrartest.Reply {
			return a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("clientName", "New", "redirectUris", []any{"https://elsewhere.example/cb"})))
		},
	} {
		calls := a.provider.Calls()
		r := change()
		if r.Status != 200 || r.Member("status") != "PENDING" {
			t.Errorf("%s: %s", name, r.Body)
		}
		a.ask()
		if a.is(id, "ACTIVE", "ACTIVE"); a.provider.Calls() != calls {
			t.Errorf("%s went out without an approval", name)
		}
		a.decide("rejected", "no")
		if r := a.Call("GET", path, a.ana, nil); strings.Contains(r.Body, "elsewhere") || a.provider.Calls() != calls {
			t.Errorf("%s was made although it was rejected: %s", name, r.Body)
		}
	}

	n := len(a.wf.Requests())
	expect(t, "a name", a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("clientName", "New name"))), 200, "")
	expect(t, "off", a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("clientName", "New name", "status", "INACTIVE"))), 200, "")
	a.is(id, "INACTIVE", "INACTIVE")
	if a.ask(); len(a.wf.Requests()) != n {
		t.Error("a name or a deactivation has a request")
	}
	r := a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("clientName", "New name")))
	if a.ask(); r.Member("status") != "PENDING" || len(a.wf.Requests()) != n+1 {
		t.Errorf("an activation has no request: %s", r.Body)
	}
	a.is(id, "INACTIVE", "INACTIVE")
	a.decide("approved", "")
	a.is(id, "ACTIVE", "ACTIVE")
}

// A later change replaces a pending one: an approval of the earlier one must
// not undo it.
func TestALaterChangeTakesThePlaceOfOneThatWaits(t *testing.T) {
	a := withApproval(t)
	path, id, _ := a.changing()
	expect(t, "off, while that is pending", a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("status", "INACTIVE"))), 200, "")
	a.wf.Decide("approved", "")
	a.sendWebhook(a.last())
	a.ask()
	a.is(id, "INACTIVE", "INACTIVE")
	if r := a.Call("GET", path, a.ana, nil); strings.Contains(r.Body, "elsewhere") {
		t.Errorf("the earlier change was made: %s", r.Body)
	}
}

func TestApprovalRechecksTheCatalogue(t *testing.T) {
	a := withApproval(t)
	path, active, change := a.changing()
	a.key = registrartest.Key(t)
	registering, failed := a.register()
	registration := a.last()
	expect(t, "the mapping is withdrawn", a.Call("DELETE", "/v1/partnermanager/partners/demo-partner/policies/demo-policy", a.Admin(), nil), 200, "")
	for client, request := range map[string]string{path: change, registering: registration} {
		a.wf.DecideRequest(request, "approved", "")
		a.sendWebhook(request)
		approval := a.Call("GET", client, a.ana, nil).Member("approval").(map[string]any)
		if words, _ := approval["comment"].(string); approval["state"] != "denied" || !strings.Contains(words, "mapping") {
			t.Errorf("the approved content is %v", approval)
		}
		events := a.Call("GET", neutral(client)+"/events", a.Admin(), nil).Member("items").([]any)
		if last := events[len(events)-1].(map[string]any); last["errorCode"] != "PMS_IDP_002" {
			t.Errorf("the last event is %v", last)
		}
	}
	a.is(failed, "FAILED", "")
	repeat := a.Call("POST", partnerPath, a.ana, registrartest.PartnerRequest(a.key, nil))
	expect(t, "the same registration again", repeat, 200, "PMS_IDP_002")
	if a.is(active, "ACTIVE", "ACTIVE"); strings.Contains(a.Call("GET", path, a.ana, nil).Body, "elsewhere") {
		t.Error("the change was made")
	}
}

// A change approved during an earlier call is sent after it, and is not lost.
func TestApprovedChangeWaitsForEarlierCall(t *testing.T) {
	a := withApproval(t)
	path, id := a.register()
	a.decide("approved", "")
	early := make(chan registrartest.Reply, 1)
	a.provider.SetHook(registrartest.Before, func() {
		a.provider.SetHook(registrartest.Before, nil)
		moved := registrartest.UpdateRequest(with("clientName", "New", "redirectUris", []any{"https://elsewhere.example/cb"}))
		expect(t, "a change meanwhile", a.Call("PUT", path, a.ana, moved), 200, "")
		if _, err := a.Core.Approvals.RunOnce(t.Context(), ""); err != nil {
			t.Error(err)
		}
		a.wf.Decide("approved", "")
		body, headers := a.wf.Webhook(t, a.last(), time.Now())
		early <- a.Call("POST", "/v1/registrar/approvals", "", body, headers...)
	})
	expect(t, "a name", a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("clientName", "New"))), 200, "")
	expect(t, "an approval during a call for another change", <-early, 200, "")
	if uris := a.provider.Client(id).RedirectURIs; slices.Contains(uris, "https://elsewhere.example/cb") {
		t.Errorf("the provider has %q too early", uris)
	}
	a.sendWebhook(a.last())
	if uris := a.provider.Client(id).RedirectURIs; !slices.Equal(uris, []string{"https://elsewhere.example/cb"}) {
		t.Errorf("the provider has %q", uris)
	}
}

// A client may be deleted during a call to the approval service.
func TestClientAbandonedDuringApprovalCall(t *testing.T) {
	a := withApproval(t)
	path := partnerPath + "/" + clientID(t, a.Call("POST", partnerPath, a.ana, registrartest.PartnerRequest(a.key, nil)))
	a.wf.SetHook(registrartest.Before, func() {
		a.wf.SetHook(registrartest.Before, nil)
		expect(t, "deleted", a.Call("DELETE", neutral(path), a.ana, nil), 200, "")
	})
	a.ask()
	if asked := a.wf.Requests()[0]; asked.Status != "in_review" {
		t.Fatalf("asked %+v", asked)
	}
	a.ask()
	if asked := a.wf.Requests()[0]; asked.Status != "cancelled" {
		t.Errorf("nobody needs %+v", asked)
	}
}

func TestAnApprovalServiceThatIsDownLosesNothing(t *testing.T) {
	a := withApproval(t)
	a.wf.SetDown(true)
	r := a.Call("POST", partnerPath, a.ana, registrartest.PartnerRequest(a.key, nil))
	id := clientID(t, r)
	if _, err := a.Core.Approvals.RunOnce(t.Context(), ""); err == nil {
		t.Error("the failure is not logged")
	}
	a.is(id, "PENDING", "")
	if a.wf.Calls() != 1 {
		t.Errorf("%d calls", a.wf.Calls())
	}
}

// A webhook triggers a status query. If the query fails, the webhook is still accepted, and the
// query is retried in a minute.
func TestWebhookIsAcceptedWhileApprovalServiceIsDown(t *testing.T) {
	clock := timetest.At(time.Now())
	wf := newWF(t)
	w := registrartest.Boot(t, registrartest.Options{Config: wf.Configure, Now: clock.Now})
	a := approved{t: t, Service: w, wf: wf, ana: w.Partner("ana", "demo-partner"), key: registrartest.Key(t)}
	path, _ := a.register()
	wf.SetDown(true)
	a.decide("approved", "")
	if r := w.Call("GET", path, a.ana, nil); r.Member("status") != "PENDING" {
		t.Errorf("the status is outdated: %s", r.Body)
	}
	wf.SetDown(false)
	clock.Advance(time.Minute)
	a.ask()
	if r := w.Call("GET", path, a.ana, nil); r.Member("status") != "ACTIVE" {
		t.Errorf("approved: %s", r.Body)
	}
}

// An approval service restored from a backup lacks the later requests.
func TestApprovalIsRequestedAgainAfterServiceRestore(t *testing.T) {
	a := withApproval(t)
	path, id := a.register()
	forgotten := a.last()
	a.wf.Restore()
	a.sendWebhook(forgotten)
	r := a.Call("GET", path, a.ana, nil)
	if asked := r.Member("approval").(map[string]any); r.Member("status") != "PENDING" || asked["state"] != "asking" || asked["requestId"] != nil {
		t.Errorf("a request that is forgotten: %s", r.Body)
	}
	a.ask()
	if a.last() == forgotten {
		t.Fatal("no new request")
	}
	a.decide("approved", "")
	a.is(id, "ACTIVE", "ACTIVE")
}

// heldAtAProvider returns an ACTIVE client at an RFC 7591 provider, and a function that requests
// a change with approval.
func heldAtAProvider(t *testing.T, provider *registrartest.RFC7591, configure ...func(*server.Config)) (a approved,
	clock *timetest.Clock, path, id string, move func()) {
	t.Helper()
	a, clock = approved{t: t, wf: newWF(t), key: registrartest.Key(t)}, timetest.At(time.Now())
	a.Service = registrartest.Boot(t, registrartest.Options{Now: clock.Now, Config: func(c *server.Config) {
		a.wf.Configure(c)
		provider.Configure(c)
		for _, edit := range configure {
			edit(c)
		}
	}})
	a.ana = a.Partner("ana", "demo-partner")
	path, id = a.register()
	a.decide("approved", "")
	return a, clock, path, id, func() {
		moved := registrartest.UpdateRequest(with("clientName", "New", "redirectUris", []any{"https://elsewhere.example/cb"}))
		expect(t, "a change that needs an approval", a.Call("PUT", path, a.ana, moved), 200, "")
		a.ask()
	}
}

// move applies an approved change of a client after a minute.
func (a approved) move(clock *timetest.Clock, id string) {
	a.t.Helper()
	clock.Advance(time.Minute)
	a.ask()
	c, err := a.Store.Client(a.t.Context(), id)
	if err != nil || c.Status != registrar.ClientActive || !slices.Equal(c.RedirectURIs, []string{"https://elsewhere.example/cb"}) {
		a.t.Errorf("the approved change is lost: %+v, %v", c, err)
	}
}

// An approved change survives an unknown outcome.
func TestApprovedChangeWaitsForUnknownOutcome(t *testing.T) {
	provider := registrartest.NewRFC7591(t)
	provider.KeepTokens()
	a, clock, path, id, move := heldAtAProvider(t, provider)
	provider.SetHook(registrartest.Before, func() {
		provider.SetHook(registrartest.Before, nil)
		move()
	})
	provider.LoseReplies(true)
	expect(t, "a name", a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("clientName", "New"))), 503, "PMS_PRT_500")
	provider.LoseReplies(false)
	a.decide("approved", "")
	if c, err := a.Store.Client(t.Context(), id); err != nil || !c.OutcomeUnknown {
		t.Fatalf("%+v, %v", c, err)
	}
	expect(t, "somebody has looked", a.Call("POST", "/v1/registrar/admin/clients/"+id+"/drop", a.Admin(), nil), 200, "")
	a.move(clock, id)
}

// It does not replace a registration that must be repeated.
func TestApprovedChangeWaitsForAMissingClient(t *testing.T) {
	provider := registrartest.NewRFC7591(t)
	a, clock, _, id, move := heldAtAProvider(t, provider, provider.Manager)
	move()
	provider.Change("assigned-1", nil)
	by := engine.Caller{Subject: "ops", Admin: true}
	if err := a.Core.Reconciliation.SendAgain(t.Context(), by, id); err != nil {
		t.Fatal(err)
	}
	a.decide("approved", "")
	if n := a.run(); n != 1 {
		t.Errorf("%d calls, want the registration", n)
	}
	a.move(clock, id)
	if there := provider.Clients()["assigned-2"]; len(provider.Clients()) != 1 ||
		!slices.Equal(there["redirect_uris"].([]any), []any{"https://elsewhere.example/cb"}) {
		t.Errorf("the provider has %v", provider.Clients())
	}
}

func TestCataloguePolicyRequiresApproval(t *testing.T) {
	wf := newWF(t)
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		wf.Configure(c)
		c.ApprovalPolicy = ""
	}})
	ana, admin := w.Partner("ana", "demo-partner"), w.Admin()
	r := w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil))
	if r.Member("status") != "ACTIVE" {
		t.Errorf("an approval is not required: %s", r.Body)
	}
	policy := map[string]any{"request": with("name", "P", "type", "Auth", "status", "ACTIVE", "userClaims", []any{"name"},
		"authContextRefs", []any{"mosip:idp:acr:password"}, "approvalPolicy", "partner.clients")}
	expect(t, "a policy with approval", w.Call("PUT", "/v1/partnermanager/policies/demo-policy", admin, policy), 200, "")
	r = w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil))
	if r.Member("status") != "PENDING" {
		t.Errorf("an approval is required: %s", r.Body)
	}
	if _, err := w.Core.Approvals.RunOnce(t.Context(), ""); err != nil || wf.Requests()[0].Policy != "partner.clients" {
		t.Errorf("%v, %+v", err, wf.Requests())
	}
	wf.Decide("approved", "")
	body, headers := wf.Webhook(t, "request-1", time.Now())
	expect(t, "the webhook", w.Call("POST", "/v1/registrar/approvals", "", body, headers...), 200, "")
	if r := w.Call("GET", partnerPath+"/"+clientID(t, r), ana, nil); r.Member("status") != "ACTIVE" {
		t.Errorf("approved: %s", r.Body)
	}

	without := registrartest.Boot(t, registrartest.Options{})
	expect(t, "a policy with approval, without an approval service",
		without.Call("PUT", "/v1/partnermanager/policies/demo-policy", without.Admin(), policy), 200, "PMS_COR_001")
	expect(t, "a webhook, without an approval service", without.Call("POST", "/v1/registrar/approvals", "", body, headers...), 401, "KER-ATH-401")
}

func TestALostWebhookOnlyDelays(t *testing.T) {
	clock := timetest.At(time.Now())
	wf := newWF(t)
	w := registrartest.Boot(t, registrartest.Options{Config: wf.Configure, Now: clock.Now})
	ana := w.Partner("ana", "demo-partner")
	path := partnerPath + "/" + clientID(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(registrartest.Key(t), nil)))
	run := func(want string) {
		t.Helper()
		if _, err := w.Core.Approvals.RunOnce(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		if r := w.Call("GET", path, ana, nil); r.Member("status") != want {
			t.Errorf("want %s: %s", want, r.Body)
		}
	}
	run("PENDING")
	wf.Decide("approved", "")
	clock.Advance(4 * time.Minute)
	run("PENDING")
	clock.Advance(time.Minute)
	run("ACTIVE")
}

// A deactivation requires no approval, even during the approval of a key.
func TestSwitchingOffWhileAKeyWaitsFreesTheKey(t *testing.T) {
	for name, off := range map[string]func(a approved, path string) registrartest.Reply{
		"by its owner": func(a approved, path string) registrartest.Reply {
			return a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("status", "INACTIVE")))
		},
		"with its partner": func(a approved, _ string) registrartest.Reply {
			return a.Call("PUT", "/v1/partnermanager/partners/demo-partner?cascade=true", a.Admin(),
				map[string]any{"request": with("name", "Demo partner", "type", "Auth_Partner", "status", "INACTIVE")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := withApprovalAlone(t)
			path, id := a.register()
			a.decide("approved", "")
			second := bodyWithKey(t, "two")
			expect(t, "a second key", a.Call("POST", neutral(path)+"/keys", a.ana, second), 200, "")
			a.ask()
			expect(t, "off", off(a, path), 200, "")
			if r := a.Call("GET", path, a.Admin(), nil); r.Member("status") != "INACTIVE" {
				t.Errorf("it is still pending: %s", r.Body)
			}
			a.wf.Decide("approved", "")
			a.sendWebhook(a.last())
			a.ask()
			if got := kids(t, a.Call("GET", providerPath+"/"+id+"/jwks", "", nil).Body); len(got) != 1 {
				t.Errorf("keys %q: an obsolete approval was applied", got)
			}
			key := second["request"].(map[string]any)["publicKey"].(map[string]any)
			r := a.Call("POST", providerPath, a.Provider(), registrartest.ProviderRequest("other", key, nil))
			expect(t, "the key is free", r, 200, "")
		})
	}
}

// A pending change of the keys stays requested when another change replaces its request. A
// rejected one is not requested again.
func TestKeyUnderApprovalSurvivesAnotherChange(t *testing.T) {
	a := withApprovalAlone(t)
	path, id := a.register()
	a.decide("approved", "")
	change := func(name, status, want string) {
		t.Helper()
		r := a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("clientName", name, "status", status)))
		if expect(t, name, r, 200, ""); r.Member("status") != want {
			t.Errorf("%s: want it %s: %s", name, want, r.Body)
		}
		a.ask()
	}
	has := func(name string, want ...string) {
		t.Helper()
		r := a.Call("GET", path, a.ana, nil)
		if got := kids(t, a.Call("GET", providerPath+"/"+id+"/jwks", "", nil).Body); !slices.Equal(got, want) || r.Member("name") != name {
			t.Errorf("keys %q, want %q with the name %s: %s", got, want, name, r.Body)
		}
	}
	expect(t, "a second key", a.Call("POST", neutral(path)+"/keys", a.ana, bodyWithKey(t, "two")), 200, "")
	a.ask()
	change("First", "ACTIVE", "PENDING")
	a.decide("approved", "")
	has("First", "two", "one")

	remove := func() {
		t.Helper()
		expect(t, "the old key goes", a.Call("DELETE", neutral(path)+"/keys?kid=one", a.ana, nil), 200, "")
		a.ask()
	}
	remove()
	a.decide("rejected", "no")
	change("Second", "ACTIVE", "ACTIVE")
	has("Second", "two", "one")

	change("Second", "INACTIVE", "INACTIVE")
	remove()
	change("Third", "INACTIVE", "PENDING") // it is off already
	has("Second", "two", "one")
	a.decide("approved", "")
	has("Third", "two")
}

// A key under approval stays reserved, whatever the outcome of the earlier one.
func TestKeyUnderApprovalStaysReserved(t *testing.T) {
	lost := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for name, tt := range map[string]struct {
		provider http.HandlerFunc
		fate     error
		admin    string // does this about a doubt
		two      string // the reply to another client with that key
	}{
		"refused": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_client_metadata"}`)
		}, registrar.ProviderRefused, "", ""},
		"taken":     {nil, nil, "", "duplicate_public_key"},
		"confirmed": {lost, registrar.ProviderOutcomeUnknown, "confirm", "duplicate_public_key"},
		"dropped":   {lost, registrar.ProviderOutcomeUnknown, "drop", ""},
	} {
		t.Run(name, func(t *testing.T) {
			clock, provider := timetest.At(time.Now()), &rfc7591{}
			listening := httptest.NewServer(provider)
			defer listening.Close()
			a := approved{t: t, wf: newWF(t), key: registrartest.Key(t)}
			a.Service = registrartest.Boot(t, registrartest.Options{Now: clock.Now, Config: func(c *server.Config) {
				a.wf.Configure(c)
				c.IDP, c.IDPURL = "rfc7591", listening.URL
			}})
			a.ana, a.key["kid"] = a.Partner("ana", "demo-partner"), "one"
			path, id := a.register()
			a.decide("approved", "")
			keys := map[string]map[string]any{}
			for _, kid := range []string{"two", "three"} {
				body := bodyWithKey(t, kid)
				keys[kid] = body["request"].(map[string]any)["publicKey"].(map[string]any)
				expect(t, "key "+kid, a.Call("POST", neutral(path)+"/keys", a.ana, body), 200, "")
				a.ask()
				if kid == "two" {
					provider.set(true)
					a.decide("approved", "")
				}
			}
			provider.up(tt.provider)
			clock.Advance(time.Minute)
			if n, err := a.Core.Calls.RunOnce(t.Context()); n != 1 || !errors.Is(err, tt.fate) {
				t.Fatalf("%d calls, %v", n, err)
			}
			if tt.admin != "" {
				provider.up(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }) // the token is void
				expect(t, tt.admin, a.Call("POST", "/v1/registrar/admin/clients/"+id+"/"+tt.admin, a.Admin(), nil), 200, "")
			}
			for kid, code := range map[string]string{"two": tt.two, "three": "duplicate_public_key"} {
				expect(t, kid+" for another owner", a.Call("POST", providerPath, a.Provider(),
					registrartest.ProviderRequest("other-"+kid, keys[kid], nil)), 200, code)
			}
		})
	}
}

// Cascade and approvals: a pending request ends with its partner.
func TestPendingRequestEndsWithItsPartner(t *testing.T) {
	a := withApproval(t)
	path, active, change := a.changing()
	a.key = registrartest.Key(t)
	_, pending := a.register()
	registration := a.last()
	expect(t, "the partner ends", a.Call("PUT", "/v1/partnermanager/partners/demo-partner?cascade=true", a.Admin(),
		map[string]any{"request": with("name", "Demo partner", "type", "Auth_Partner", "status", "INACTIVE")}), 200, "")
	for a.run() > 0 {
	}
	a.is(active, "INACTIVE", "INACTIVE")
	for _, id := range []string{change, registration} {
		a.wf.DecideRequest(id, "approved", "")
		a.sendWebhook(id)
	}
	a.ask()
	for a.run() > 0 {
	}
	a.is(active, "INACTIVE", "INACTIVE")
	a.is(pending, "FAILED", "")
	if r := a.Call("GET", path, a.ana, nil); strings.Contains(r.Body, "elsewhere") {
		t.Errorf("the change was made: %s", r.Body)
	}
	a.provider.Check(t)
}

// run makes the calls to the provider that are due.
func (a approved) run() int {
	a.t.Helper()
	n, err := a.Core.Calls.RunOnce(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	return n
}

// Several processes receive one decision concurrently, by webhooks and by polls.
func TestOneApprovalAtManyProcessesIsObeyedOnce(t *testing.T) {
	a := withApproval(t)
	_, id := a.register()
	others := make([]*engine.Engine, 4)
	for i := range others {
		o := a.Options
		o.Process = fmt.Sprint("process-", i)
		others[i] = engine.New(o)
	}
	a.wf.Decide("approved", "")
	body, headers := a.wf.Webhook(t, a.last(), time.Now())
	header := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	var group sync.WaitGroup
	for _, g := range others {
		for range 4 {
			group.Go(func() {
				if err := g.Approvals.ReceiveApprovalWebhook(t.Context(), header, body); err != nil {
					t.Error(err)
				}
			})
			group.Go(func() {
				if _, err := g.Approvals.RunOnce(t.Context(), ""); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	a.is(id, "ACTIVE", "ACTIVE")
	if got := a.provider.Methods(); got != "POST" {
		t.Errorf("calls %s, want one registration", got)
	}
	approvals := 0
	for _, item := range a.Call("GET", clientsPath+id+"/events", a.Admin(), nil).Member("items").([]any) {
		if item.(map[string]any)["kind"] == "approved" {
			approvals++
		}
	}
	if approvals != 1 {
		t.Errorf("approved %d times", approvals)
	}
}

// The key change of a pending call is neither lost nor freed for another client by a second change.
func TestKeyOfPendingProviderCallSurvivesAnotherChange(t *testing.T) {
	provider := &rfc7591{}
	listening := httptest.NewServer(provider)
	defer listening.Close()
	a := approved{t: t, wf: newWF(t), key: registrartest.Key(t)}
	a.Service = registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) {
		a.wf.Configure(c)
		c.IDP, c.IDPURL = "rfc7591", listening.URL
	}})
	a.ana, a.key["kid"] = a.Partner("ana", "demo-partner"), "one"
	path, id := a.register()
	a.decide("approved", "")
	second := bodyWithKey(t, "two")
	expect(t, "a second key", a.Call("POST", neutral(path)+"/keys", a.ana, second), 200, "")
	a.ask()
	provider.set(true)
	a.decide("approved", "") // and the provider does not learn it
	taken := func(when string) {
		t.Helper()
		key := second["request"].(map[string]any)["publicKey"].(map[string]any)
		expect(t, when, a.Call("POST", providerPath, a.Provider(), registrartest.ProviderRequest("thief", key, nil)), 200, "duplicate_public_key")
	}
	move := func(uri string) {
		t.Helper()
		expect(t, "another change", a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with("redirectUris", []any{uri}))), 200, "")
		a.ask()
	}
	taken("while the provider is down")
	move("https://rp.example/first")
	taken("while another change is under approval")
	a.decide("rejected", "no")
	taken("after that was rejected")
	move("https://rp.example/second")
	provider.set(false)
	a.decide("approved", "")
	if got := kids(t, provider.set(false)); !slices.Equal(got, []string{"two", "one"}) {
		t.Errorf("the provider has %q, want both keys", got)
	}
	if r := a.Call("GET", path, a.ana, nil); !strings.Contains(r.Body, "https://rp.example/second") || r.Member("clientId") != id {
		t.Errorf("the client is %s", r.Body)
	}
}

// The catalogue policy of the other tests exempts the name and the logo. By default both need an approval.
func TestANameAndALogoNeedAnApprovalByDefault(t *testing.T) {
	a := withApproval(t)
	path, _ := a.register()
	a.decide("approved", "")
	policy := with("name", "P", "type", "Auth", "status", "ACTIVE", "userClaims", []any{"name"},
		"authContextRefs", []any{"mosip:idp:acr:generated-code"})
	for member, value := range map[string]string{"clientName": "A Bank", "logoUri": "https://bank.example/logo.png"} {
		policy["approvalExempt"] = []any{}
		expect(t, "policy", a.Call("PUT", "/v1/partnermanager/policies/demo-policy", a.Admin(), map[string]any{"request": policy}), 200, "")
		if r := a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with(member, value))); r.Member("status") != "PENDING" {
			t.Errorf("%s without an approval: %s", member, r.Body)
		}
		policy["approvalExempt"] = []any{"clientName", "logoUri"}
		expect(t, "policy", a.Call("PUT", "/v1/partnermanager/policies/demo-policy", a.Admin(), map[string]any{"request": policy}), 200, "")
		if r := a.Call("PUT", path, a.ana, registrartest.UpdateRequest(with(member, value))); r.Member("status") != "ACTIVE" {
			t.Errorf("%s, which is exempt: %s", member, r.Body)
		}
	}
}
