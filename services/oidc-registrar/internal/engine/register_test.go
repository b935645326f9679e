package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/work"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Every test runs on both databases.
func TestMain(m *testing.M) { os.Exit(registrartest.RunBoth(m)) }

var (
	ana   = engine.Caller{Subject: "ana", Partners: []string{"demo-partner"}}
	eve   = engine.Caller{Subject: "eve", Partners: []string{"other"}}
	admin = engine.Caller{Subject: "admin", Admin: true}
)

func key(t testing.TB) []byte {
	t.Helper()
	raw, err := json.Marshal(registrartest.Key(t))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func partnerRequest(t testing.TB) *registrar.Request {
	return &registrar.Request{
		Name: "Health portal", PolicyID: "demo-policy", PublicKey: key(t), PartnerID: "demo-partner", LogoURI: "https://rp.example/l.png",
		RedirectURIs: []string{"https://rp.example/cb"}, GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"},
	}
}

func providerRequest(t testing.TB, id string) *registrar.Request {
	return &registrar.Request{
		ClientID: id, Name: "Health portal", PublicKey: key(t), PartnerID: "rp-1",
		UserClaims: []string{"name"}, ACRs: []string{"mosip:idp:acr:password"}, LogoURI: "https://rp.example/l.png",
		RedirectURIs: []string{"https://rp.example/cb"}, GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"},
	}
}

func update(name string, status registrar.ClientStatus) *registrar.Request {
	return &registrar.Request{
		Name: name, UserClaims: []string{"name"}, ACRs: []string{"mosip:idp:acr:password"}, LogoURI: "https://rp.example/l.png",
		RedirectURIs: []string{"https://rp.example/cb"}, GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"},
		Status: string(status),
	}
}

// holder is a process that dies in the middle of a call, under the name of this one.
const holder = ""

// remote is a service before an eSignet, with a clock of its own.
func remote(t *testing.T, config ...func(*server.Config)) (*registrartest.Service, *registrartest.ESignet, *timetest.Clock) {
	t.Helper()
	provider, clock := registrartest.NewESignet(t), timetest.At(time.Now().UTC().Truncate(time.Millisecond))
	return registrartest.Boot(t, registrartest.Options{Now: clock.Now, Config: func(c *server.Config) {
		provider.Configure(c)
		for _, edit := range config {
			edit(c)
		}
	}}), provider, clock
}

// soleWriter declares this service the only writer.
func soleWriter(c *server.Config) { c.IDPSoleWriter = true }

// status returns where a client stands, or "none".
func status(t *testing.T, w *registrartest.Service, id string) string {
	t.Helper()
	c, err := w.Store.Client(t.Context(), id)
	if errors.Is(err, registrar.ClientNotFound) {
		return "none"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(c.Status)
}

// trail returns the audit trail of a client as "kind by actor reason".
func trail(t *testing.T, w *registrartest.Service, id string) (lines []string) {
	t.Helper()
	events, _, err := w.Store.Events(t.Context(), registrar.EventFilter{ClientID: id}, registrar.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		lines = append(lines, strings.TrimSpace(string(e.Type)+" by "+e.Actor+" "+string(e.Reason)+e.ProviderCode))
	}
	return lines
}

func wantTrail(t *testing.T, w *registrartest.Service, id string, want ...string) {
	t.Helper()
	if got := trail(t, w, id); !slices.Equal(got, want) {
		t.Errorf("trail\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// run makes the worker send the due calls.
func run(t *testing.T, w *registrartest.Service) int {
	t.Helper()
	n, _ := w.Core.Calls.RunOnce(t.Context()) // its error names the calls without a response
	return n
}

func TestBothInterfacesRegisterAnActiveClient(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	in := partnerRequest(t)
	client, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", in)
	if err != nil || client.Status != registrar.ClientActive || client.ID != client.Key.Thumbprint {
		t.Fatalf("%+v, %v", client, err)
	}
	stored, err := w.Core.Clients.GetPartnerClient(t.Context(), ana, client.ID)
	if err != nil || !slices.Equal(stored.UserClaims, []string{"name", "email"}) ||
		!slices.Equal(stored.ACRs, []string{"mosip:idp:acr:generated-code"}) {
		t.Errorf("%+v, %v; want the policy's claims and ACRs", stored, err)
	}
	wantTrail(t, w, client.ID, "registered by ana", "activated by ana")

	client, err = w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
	if err != nil || client.Status != registrar.ClientActive || client.ID != "c1" {
		t.Fatalf("%+v, %v", client, err)
	}
	wantTrail(t, w, "c1", "registered by admin", "activated by admin")
}

func TestARepeatedRegistrationHasTheSameAnswer(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	in := partnerRequest(t)
	first, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", in)
	if err != nil {
		t.Fatal(err)
	}
	second, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", in)
	if err != nil || second.ID != first.ID || second.Status != first.Status || second.Rev != first.Rev {
		t.Errorf("%+v, %v; want %+v", second, err, first)
	}
	other := *in
	other.Name = "Another name"
	if _, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", &other); !errors.Is(err, registrar.DuplicateKey) {
		t.Errorf("same key, other name: %v", err)
	}
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.PartnerInterface, "", in); !errors.Is(err, registrar.DuplicateKey) {
		t.Errorf("same registration by another caller: %v", err)
	}
	wantTrail(t, w, first.ID, "registered by ana", "activated by ana", "refused by ana duplicate_key", "refused by admin duplicate_key")

	provider := providerRequest(t, "c1")
	for range 2 {
		if c, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", provider); err != nil || c.ID != "c1" {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	sameKey, sameID := *provider, *providerRequest(t, "c1")
	sameKey.ClientID = "c2"
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", &sameKey); !errors.Is(err, registrar.DuplicateKey) {
		t.Errorf("same key: %v", err)
	}
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		&sameID); !errors.Is(err, registrar.DuplicateClientID) {
		t.Errorf("same id: %v", err)
	}
}

func TestAPartnerRegistersUnderItsOwnNameOnly(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	for _, partner := range []string{"demo-partner", "nobody"} {
		in := partnerRequest(t)
		in.PartnerID = partner
		_, err := w.Core.Clients.RegisterClient(t.Context(), eve, registrar.PartnerInterface, "", in)
		if !errors.Is(err, registrar.ForeignCreate) || strings.Contains(err.Error(), partner) {
			t.Errorf("for %s: %v", partner, err)
		}
	}
	if _, err := w.Core.Clients.RegisterClient(t.Context(), engine.Caller{Subject: "x"}, registrar.PartnerInterface, "",
		partnerRequest(t)); !errors.Is(err, registrar.ForeignCreate) {
		t.Errorf("a caller of no partner: %v", err)
	}
}

func TestProviderIsCalledOutsideTransactions(t *testing.T) {
	w, provider, _ := remote(t)
	in := providerRequest(t, "c1")
	var seen string
	provider.SetHook(registrartest.Before, func() { seen = status(t, w, "c1") }) // on SQLite this would block until the end of an open transaction
	client, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in)
	if err != nil || client.Status != registrar.ClientActive || seen != "PENDING" {
		t.Fatalf("%+v, %v; PENDING during the provider's call, got %s", client, err, seen)
	}
	wantTrail(t, w, "c1", "registered by admin", "activated by admin")
	if n := run(t, w); n != 0 {
		t.Errorf("%d calls are left in the outbox", n)
	}
}

func TestARefusalOfTheProviderUndoesTheRegistration(t *testing.T) {
	w, provider, _ := remote(t)
	provider.Refuse("invalid_claim")
	in := providerRequest(t, "c1")
	_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in)
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok || refused.Reason.General() != registrar.ProviderRefused || registrar.ProviderCode(refused.Reason) != "invalid_claim" {
		t.Fatalf("%v", err)
	}
	if got := status(t, w, "c1"); got != "none" {
		t.Errorf("the client is %s", got)
	}
	wantTrail(t, w, "c1", "registered by admin", "refused by admin provider_refusedinvalid_claim")
	provider.Refuse("")
	if c, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); err != nil ||
		c.Status != registrar.ClientActive {
		t.Errorf("id and key are not free again: %+v, %v", c, err)
	}
}

func TestAProviderThatIsDownForAWhileLosesNothing(t *testing.T) {
	w, provider, clock := remote(t)
	provider.SetDown(true)
	in := partnerRequest(t)
	_, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", in)
	if !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatalf("%v", err)
	}
	repeat, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", in)
	if err != nil || repeat.Status != registrar.ClientPending {
		t.Fatalf("a repeat meanwhile: %+v, %v", repeat, err)
	}
	id := repeat.ID
	if n := run(t, w); n != 0 {
		t.Errorf("tried again at once")
	}
	for _, wait := range []time.Duration{time.Minute, 5 * time.Minute} {
		clock.Advance(wait - time.Millisecond)
		if n := run(t, w); n != 0 {
			t.Errorf("tried again before %s", wait)
		}
		clock.Advance(time.Millisecond)
		if n := run(t, w); n != 1 || status(t, w, id) != "PENDING" {
			t.Fatalf("%d calls after %s; the client is %s", n, wait, status(t, w, id))
		}
	}
	provider.SetDown(false)
	clock.Advance(15 * time.Minute)
	if n := run(t, w); n != 1 || status(t, w, id) != "ACTIVE" {
		t.Errorf("%d calls; the client is %s", n, status(t, w, id))
	}
	wantTrail(t, w, id, "registered by ana", "activated by oidc-registrar")
}

func TestPassReportsMoreCalls(t *testing.T) {
	w, provider, clock := remote(t)
	provider.SetDown(true)
	for i := range 9 {
		if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
			providerRequest(t, fmt.Sprint("c", i))); !errors.Is(err, registrar.ProviderUnreachable) {
			t.Fatal(err)
		}
	}
	for _, wait := range work.Schedule[:2] { // while it is down, and when it is up again
		clock.Advance(wait)
		for _, want := range []bool{true, false} {
			if more, err := w.Core.Calls.Pass(t.Context()); err != nil || more != want {
				t.Errorf("more calls: %t, %v; want %t", more, err, want)
			}
		}
		if !strings.Contains(w.Log.String(), "attempt 2") {
			t.Error("calls that fail are not logged")
		}
		provider.SetDown(false)
	}
	for i := range 9 {
		if got := status(t, w, fmt.Sprint("c", i)); got != "ACTIVE" {
			t.Errorf("client %d is %s", i, got)
		}
	}
}

func TestAProviderThatStaysDownFailsTheClientUntilItIsRetried(t *testing.T) {
	w, provider, clock := remote(t)
	provider.SetDown(true)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "c1")); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	for _, wait := range work.Schedule {
		if got := status(t, w, "c1"); got != "PENDING" {
			t.Fatalf("the client is %s", got)
		}
		clock.Advance(wait)
		run(t, w)
	}
	if got := status(t, w, "c1"); got != "FAILED" {
		t.Fatalf("the client is %s", got)
	}
	clock.Advance(24 * time.Hour)
	if n := run(t, w); n != 0 {
		t.Error("a FAILED client is tried again unasked")
	}
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("New name", registrar.ClientInactive)); !errors.Is(err, registrar.InvalidStatus) {
		t.Errorf("a FAILED client is switched off: %v", err)
	}
	provider.SetDown(false)
	c, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update("New name", registrar.ClientActive))
	if err != nil || c.Status != registrar.ClientActive || c.Name != "New name" {
		t.Errorf("%+v, %v", c, err)
	}
	wantTrail(t, w, "c1", "registered by admin", "failed by oidc-registrar provider_unreachable", "refused by admin invalid_status",
		"retried by admin", "activated by admin")
}

func TestRetryHasAnUnknownPriorState(t *testing.T) {
	w, provider, clock := remote(t, soleWriter)
	provider.LoseReplies(true)
	_, _ = w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
	provider.LoseReplies(false)
	provider.SetDown(true)
	for _, wait := range work.Schedule {
		clock.Advance(wait)
		run(t, w)
	}
	provider.SetDown(false)
	c, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update("B", registrar.ClientActive))
	if err != nil || c.Status != registrar.ClientActive {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestCallerDisconnectDoesNotStopTheRegistration(t *testing.T) {
	w, provider, _ := remote(t)
	ctx, hangUp := context.WithCancel(t.Context())
	provider.SetHook(registrartest.Before, hangUp)
	if _, err := w.Core.Clients.RegisterClient(ctx, admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Error(err)
	}
	if got := status(t, w, "c1"); got != "ACTIVE" {
		t.Errorf("the client is %s", got)
	}
}

func TestACallThatKillsTheProcessIsGivenUp(t *testing.T) {
	w, provider, clock := remote(t)
	reg, err := registrar.DefaultRules().Register(registrar.ProviderInterface, providerRequest(t, "c1"))
	if err != nil {
		t.Fatal(err)
	}
	err = w.Store.Do(t.Context(), func(tx *store.Tx) error {
		l := store.NewCall(registrar.Call{ClientID: "c1", Kind: registrar.CallRegister}, registrar.Update{}, "admin", tx.Now()).Begin(holder, tx.Now())
		return tx.AddClient(reg.NewClient("admin", tx.Now()), &l)
	})
	if err != nil {
		t.Fatal(err)
	}
	for range work.Schedule { // each attempt dies with its process
		clock.Advance(time.Minute)
		err := w.Store.Do(t.Context(), func(tx *store.Tx) error { _, err := tx.TakeDue(1, holder); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	clock.Advance(time.Minute)
	run(t, w)
	if got := status(t, w, "c1"); got != "FAILED" || provider.Calls() != 0 {
		t.Errorf("the client is %s after %d calls", got, provider.Calls())
	}
}

func TestLostLeaseRecordsNoOutcome(t *testing.T) {
	w, provider, clock := remote(t)
	var first atomic.Bool
	provider.SetHook(registrartest.Before, func() {
		if first.CompareAndSwap(false, true) {
			clock.Advance(2 * time.Minute) // the lease ends while the provider thinks
			run(t, w)                      // and the worker takes over
		}
	})
	_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
	if !errors.Is(err, registrar.ProviderUnreachable) || !errors.Is(err, store.ErrLeaseLost) {
		t.Errorf("%v", err)
	}
	if got := status(t, w, "c1"); got != "ACTIVE" {
		t.Errorf("the client is %s", got)
	}
	wantTrail(t, w, "c1", "registered by admin", "activated by oidc-registrar")
}

func TestAClientKeepsItsFieldsUntilTheProviderHasConfirmedNewOnes(t *testing.T) {
	w, provider, clock := remote(t)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	name := func() string {
		c, err := w.Core.Clients.GetProviderClient(t.Context(), "c1")
		if err != nil {
			t.Fatal(err)
		}
		return c.Name + " " + string(c.Status)
	}
	c, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update("B", registrar.ClientInactive))
	if err != nil || c.Status != registrar.ClientInactive || name() != "B INACTIVE" || provider.Clients()["c1"] != "INACTIVE" {
		t.Fatalf("%+v, %v; %s", c, err, name())
	}
	provider.Refuse("invalid_client_name")
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("C", registrar.ClientActive)); !errors.Is(err, registrar.ProviderRefused) || name() != "B INACTIVE" {
		t.Errorf("refused: %v; %s", err, name())
	}
	provider.Refuse("")
	provider.SetDown(true)
	for _, next := range []string{"D", "E"} { // the later one takes the place of the earlier
		if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
			update(next, registrar.ClientActive)); !errors.Is(err, registrar.ProviderUnreachable) || name() != "B INACTIVE" {
			t.Errorf("unreachable: %v; %s", err, name())
		}
	}
	provider.SetDown(false)
	clock.Advance(time.Minute)
	run(t, w)
	if name() != "E ACTIVE" || provider.Clients()["c1"] != "ACTIVE" {
		t.Errorf("after the worker: %s", name())
	}
	wantTrail(t, w, "c1", "registered by admin", "activated by admin", "updated by admin",
		"refused by admin provider_refusedinvalid_client_name", "updated by admin")
}

func TestTwoUpdatesAreNotUnderWayAtOnce(t *testing.T) {
	w, provider, _ := remote(t)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	var second error
	provider.SetHook(registrartest.Before, sync.OnceFunc(func() {
		_, second = w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update("C", registrar.ClientActive))
	}))
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("B", registrar.ClientActive)); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(second, registrar.StaleClient) {
		t.Errorf("the second: %v", second)
	}
}

func TestUnconfirmedUpdateIsDropped(t *testing.T) {
	w, provider, clock := remote(t)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	provider.SetDown(true)
	_, _ = w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update("B", registrar.ClientActive))
	for _, wait := range work.Schedule {
		clock.Advance(wait)
		run(t, w)
	}
	c, err := w.Core.Clients.GetProviderClient(t.Context(), "c1")
	if err != nil || c.Status != registrar.ClientActive || c.Name != "Health portal" {
		t.Errorf("%+v, %v", c, err)
	}
	wantTrail(t, w, "c1", "registered by admin", "activated by admin", "failed by oidc-registrar provider_unreachable")
}

func TestTheSameRegistrationSentManyTimesAtOnceHasOneAnswer(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	in := partnerRequest(t)
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			if c, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", in); err != nil ||
				c.Status != registrar.ClientActive {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
	group.Wait()
}

func TestAPartnerSeesItsOwnClientsOnly(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	c, err := w.Core.Clients.RegisterClient(t.Context(), ana, registrar.PartnerInterface, "", partnerRequest(t))
	if err != nil {
		t.Fatal(err)
	}
	_, foreign := w.Core.Clients.GetPartnerClient(t.Context(), eve, c.ID)
	_, missing := w.Core.Clients.GetPartnerClient(t.Context(), eve, "none")
	if !errors.Is(foreign, registrar.ForeignRead) || strings.ReplaceAll(foreign.Error(), c.ID, "none") != missing.Error() {
		t.Errorf("a foreign client is result from none: %v, %v", foreign, missing)
	}
	in := &registrar.Request{
		Name: "x", LogoURI: "https://rp.example/l.png", RedirectURIs: []string{"https://rp.example/cb"},
		GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"}, Status: "active",
	}
	_, foreign = w.Core.Clients.UpdateClient(t.Context(), eve, registrar.PartnerInterface, c.ID, "", in)
	_, missing = w.Core.Clients.UpdateClient(t.Context(), eve, registrar.PartnerInterface, "none", "", in)
	if !errors.Is(foreign, registrar.ForeignUpdate) || strings.ReplaceAll(foreign.Error(), c.ID, "none") != missing.Error() {
		t.Errorf("a foreign client is result from none: %v, %v", foreign, missing)
	}
	if _, err := w.Core.Clients.UpdateClient(t.Context(), ana, registrar.PartnerInterface, c.ID, "", in); err != nil {
		t.Errorf("its own: %v", err)
	}
	for _, tt := range []struct {
		by   engine.Caller
		want int
	}{{ana, 1}, {eve, 0}, {admin, 1}} {
		if list, _, err := w.Core.Clients.ListClients(t.Context(), tt.by, registrar.ClientFilter{}, registrar.Page{}); err != nil || len(list) != tt.want {
			t.Errorf("%s sees %d clients, %v", tt.by.Subject, len(list), err)
		}
	}
	if _, _, err := w.Core.Clients.ListClients(t.Context(), eve, registrar.ClientFilter{PartnerID: "demo-partner"},
		registrar.Page{}); !errors.Is(err, registrar.ForeignRead) {
		t.Errorf("a list of another partner: %v", err)
	}
	if _, _, err := w.Core.Clients.ListClients(t.Context(), engine.Caller{Subject: "x"}, registrar.ClientFilter{},
		registrar.Page{}); !errors.Is(err, registrar.ForeignRead) {
		t.Errorf("a list without an owner: %v", err)
	}
	mine, _, err := w.Core.Clients.ListEvents(t.Context(), ana, c.ID, registrar.Page{})
	all, _, err2 := w.Core.Clients.ListEvents(t.Context(), admin, c.ID, registrar.Page{})
	if err := errors.Join(err, err2); err != nil || len(mine) != 3 || len(all) != 4 {
		t.Errorf("ana sees %d events and the admin %d, %v; want 3 and 4, which include that of eve's change", len(mine), len(all), err)
	}
	if _, _, err := w.Core.Clients.ListEvents(t.Context(), eve, c.ID, registrar.Page{}); !errors.Is(err, registrar.ForeignRead) {
		t.Errorf("eve reads the trail: %v", err)
	}
}

func TestARefusedPrivateKeyIsInTheAuditTrail(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	in := providerRequest(t, "c1")
	in.Name = ""
	in.PublicKey = []byte(strings.Replace(string(in.PublicKey), "{", `{"d":"AAAA",`, 1))
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); !errors.Is(err, registrar.PrivateKey) {
		t.Fatal(err)
	}
	wantTrail(t, w, "c1", "refused by admin private_key")
}
