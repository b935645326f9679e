package engine_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// second is a service before an eSignet 2.0.
func second(t *testing.T, config ...func(*server.Config)) (*registrartest.Service, *registrartest.ESignet, *timetest.Clock) {
	t.Helper()
	provider, clock := registrartest.NewESignet2(t), timetest.At(time.Now().UTC().Truncate(time.Millisecond))
	return registrartest.Boot(t, registrartest.Options{Now: clock.Now, Config: func(c *server.Config) {
		provider.Configure(c)
		for _, edit := range config {
			edit(c)
		}
	}}), provider, clock
}

// After a restored backup the provider has clients unknown to this service. A duplicate is never a permanent refusal, and
// never taken over: a PARTNER_ADMIN confirms it, with one writer too, since no eSignet shows a key.
func TestADuplicateOnAFirstAttemptIsDoubtful(t *testing.T) {
	for name, boot := range map[string]func(*testing.T, ...func(*server.Config)) (*registrartest.Service,
		*registrartest.ESignet, *timetest.Clock){"esignet-1.8": remote, "esignet-2.0": second} {
		for writer, config := range map[string]func(*server.Config){"one of several": func(*server.Config) {}, "the sole writer": soleWriter} {
			t.Run(name+" "+writer, func(t *testing.T) {
				w, provider, clock := boot(t, config)
				provider.AddForeignClient("c1")
				in := providerRequest(t, "c1")
				if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); !errors.Is(err,
					registrar.ProviderOutcomeUnknown) || status(t, w, "c1") != "PENDING" || !outcomeUnknown(t, w, "c1") {
					t.Fatalf("%v; the client is %s", err, status(t, w, "c1"))
				}
				for range 3 { // reads that settle nothing
					clock.Advance(registrar.RecheckDelay + time.Minute)
					run(t, w)
				}
				provider.Check(t)
				if trail := trail(t, w, "c1"); len(trail) != 2 || !outcomeUnknown(t, w, "c1") {
					t.Errorf("after the reads: %v", trail)
				}
				if c, gone, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, "c1"); err != nil || gone ||
					c.Status != registrar.ClientActive || provider.Client("c1").Name != in.Name {
					t.Errorf("confirmed: %+v, %v", c, err)
				}
			})
		}
	}
}

// A read without the other owner's client resolves the unknown outcome.
func TestADoubtEndsByARead(t *testing.T) {
	w, provider, clock := second(t)
	provider.AddForeignClient("c1")
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "c1")); !errors.Is(err, registrar.ProviderOutcomeUnknown) {
		t.Fatal(err)
	}
	provider.DeleteClient("c1")
	if n := run(t, w); n != 0 {
		t.Errorf("%d calls at once", n)
	}
	provider.SetDown(true)
	clock.Advance(registrar.RecheckDelay)
	run(t, w)
	if !outcomeUnknown(t, w, "c1") {
		t.Error("an hour without an answer settles the doubt")
	}
	provider.SetDown(false)
	clock.Advance(registrar.RecheckDelay)
	run(t, w)
	if status(t, w, "c1") != "ACTIVE" || outcomeUnknown(t, w, "c1") || provider.Client("c1").Name != "Health portal" {
		t.Errorf("the client is %s here and %+v there", status(t, w, "c1"), provider.Client("c1"))
	}
	wantTrail(t, w, "c1", "registered by admin", "doubtful by admin provider_doubtful", "confirmed by oidc-registrar", "activated by oidc-registrar")
}

// bootInterrupted leaves a service with a change of c1 that the provider made, and whose answer with another token was lost.
func bootInterrupted(t *testing.T) (*registrartest.Service, *registrartest.RFC7591, *timetest.Clock) {
	t.Helper()
	w, provider, clock := bootManaging(t, false)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	provider.LoseReplies(true)
	err := rename(t, w, "B")
	provider.LoseReplies(false)
	if !errors.Is(err, registrar.ProviderOutcomeUnknown) || !strings.Contains(err.Error(), "REGISTRAR_IDP_MANAGE_CLIENT_ID") {
		t.Fatal(err)
	}
	return w, provider, clock
}

func rename(t *testing.T, w *registrartest.Service, name string) error {
	_, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update(name, registrar.ClientActive))
	return err
}

// dropAll has the provider drop calls before it does anything.
func dropAll() { panic(http.ErrAbortHandler) }

// managerOf is the connector with credentials for all clients of a provider.
func managerOf(t *testing.T, provider *registrartest.RFC7591) idp.Connector {
	t.Helper()
	var c server.Config
	provider.Configure(&c)
	provider.Manager(&c)
	connector, err := idp.New(c.IDP, idp.Options{
		URL: c.IDPURL, TokenURL: c.IDPTokenURL, ManageClientID: c.IDPManageClientID, ManageClientSecret: registrar.Secret(c.IDPManageClientSecret),
		Egress: egress.Policy{AllowHTTP: true, AnyPort: true, Total: time.Minute, RetryWait: time.Nanosecond,
			Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return connector
}

// A crash during a change leaves a client that refuses every later one, and the refusal names the setting that ends it. With
// that setting the change is made again.
func TestCredentialsForAllClientsEndTheDoubt(t *testing.T) {
	w, provider, clock := bootInterrupted(t)
	if err := rename(t, w, "C"); !errors.Is(err, registrar.InvalidStatus) || !strings.Contains(err.Error(), "REGISTRAR_IDP_MANAGE_CLIENT_ID") {
		t.Errorf("a later change: %v", err)
	}
	clock.Advance(registrar.RecheckDelay)
	run(t, w)
	if !outcomeUnknown(t, w, "c1") || len(trail(t, w, "c1")) != 3+1 {
		t.Errorf("by the void token: %v", trail(t, w, "c1"))
	}
	w.Options.Provider = managerOf(t, provider)
	w.Core = engine.New(w.Options)
	clock.Advance(registrar.RecheckDelay)
	run(t, w)
	if client, err := w.Store.Client(t.Context(), "c1"); err != nil || client.OutcomeUnknown || client.Name != "B" ||
		provider.Clients()["assigned-1"]["client_name"] != "B" {
		t.Errorf("%+v, %v", client, err)
	}
}

// Where the change has not reached the provider, the token of the client still works.
func TestAReadByTheTokenOfTheClientEndsTheDoubt(t *testing.T) {
	w, provider, clock := bootManaging(t, false)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	provider.SetHook(registrartest.Before, dropAll)
	if err := rename(t, w, "B"); !errors.Is(err, registrar.ProviderOutcomeUnknown) {
		t.Fatal(err)
	}
	provider.SetHook(registrartest.Before, nil)
	clock.Advance(registrar.RecheckDelay)
	run(t, w)
	if client, err := w.Store.Client(t.Context(), "c1"); err != nil || client.OutcomeUnknown || client.Name != "B" ||
		provider.Clients()["assigned-1"]["client_name"] != "B" {
		t.Errorf("%+v, %v", client, err)
	}
}

// A removed key stayed active at the provider after a confirmation.
func TestAConfirmationReadsTheProviderFirst(t *testing.T) {
	w, provider, _ := bootManaging(t, false)
	in := providerRequest(t, "c1")
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Core.Clients.AddKey(t.Context(), admin, "c1", "", key(t)); err != nil {
		t.Fatal(err)
	}
	before, err := w.Store.Client(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	old := before.OtherKeys[0].Thumbprint
	provider.SetHook(registrartest.Before, dropAll) // it has not got the change
	if _, err := w.Core.Clients.RemoveKey(t.Context(), admin, "c1", old, ""); !errors.Is(err, registrar.ProviderOutcomeUnknown) {
		t.Fatal(err)
	}
	if _, _, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, "c1"); err == nil || !outcomeUnknown(t, w, "c1") {
		t.Fatalf("without an answer: %v", err)
	}
	provider.SetHook(registrartest.Before, nil)
	c, _, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, "c1")
	keys := provider.Clients()["assigned-1"]["jwks"].(map[string]any)["keys"].([]any)
	if err != nil || c.OutcomeUnknown || len(c.Keys()) != 1 || len(keys) != 1 {
		t.Errorf("%+v, %v; the provider has %d keys", c, err, len(keys))
	}
}

// Where the token is void the provider cannot be read, and the word of the PARTNER_ADMIN decides.
func TestAdminConfirmsUnreadableClient(t *testing.T) {
	w, _, _ := bootInterrupted(t)
	if c, _, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, "c1"); err != nil || c.OutcomeUnknown || c.Name != "B" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := rename(t, w, "C"); !errors.Is(err, registrar.ProviderRefused) || !strings.Contains(err.Error(), "REGISTRAR_IDP_MANAGE_CLIENT_ID") {
		t.Errorf("a later change: %v", err)
	}
}

// A provider that answers 500 to the change of a client that it does not have: the change ends, and the client is missing.
func TestAChangeOfAClientThatIsGoneFindsItMissing(t *testing.T) {
	w, provider, _ := bootManaging(t, true)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	provider.Change("assigned-1", nil)
	provider.Fail(true)
	if err := rename(t, w, "B"); !errors.Is(err, registrar.ProviderRefused) || !strings.Contains(err.Error(), "does not have the client") {
		t.Errorf("%v", err)
	}
	wantTrail(t, w, "c1", "registered by admin", "activated by admin", "missing by admin", "refused by admin provider_refused")
	counts, err := w.Store.Counts(t.Context())
	if err != nil || counts.Differences[registrar.DifferenceMissing] != 1 {
		t.Errorf("%v, %v", counts.Differences, err)
	}
	provider.Fail(false)
	if err := w.Core.Reconciliation.SendAgain(t.Context(), admin, "c1"); err != nil {
		t.Errorf("sent again: %v", err)
	}
}

// Skipped clients are counted and named.
func TestComparisonReportsSkippedClients(t *testing.T) {
	w, provider, clock := bootManaging(t, false)
	for _, id := range []string{"same", "waits", "doubt", "failed", "called"} {
		if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	provider.LoseReplies(true)
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "doubt", "",
		update("B", registrar.ClientActive)); !errors.Is(err, registrar.ProviderOutcomeUnknown) {
		t.Fatal(err)
	}
	provider.LoseReplies(false)
	put := func(id string, edit func(tx *store.Tx, c registrar.Client) error) {
		t.Helper()
		if err := w.Store.Do(t.Context(), func(tx *store.Tx) error {
			c, err := tx.Client(id)
			if err != nil {
				return err
			}
			return edit(tx, c)
		}); err != nil {
			t.Fatal(err)
		}
	}
	lost := func(tx *store.Tx, c registrar.Client) error {
		after, err := c.RecordMissing(tx.Now())
		if err != nil {
			return err
		}
		return tx.PutClient(c, after)
	}
	put("waits", lost)
	put("failed", func(tx *store.Tx, c registrar.Client) error {
		after, err := c.RecordMissing(tx.Now())
		if err == nil {
			after, err = after.Fail(registrar.Failure{Reason: registrar.ProviderUnreachable}, tx.Now())
		}
		if err != nil {
			return err
		}
		return tx.PutClient(c, after)
	})
	put("called", func(tx *store.Tx, c registrar.Client) error {
		return tx.Enqueue(store.NewCall(registrar.Call{ClientID: c.ID, Kind: registrar.CallUpdate}, c.Repetition(), "admin", clock.Now()), holder)
	})
	skipped := map[string]string{}
	n, err := w.Core.Reconciliation.Reconcile(t.Context(), admin, func(f engine.Finding) { skipped[f.ClientID] = f.Note })
	if err != nil || !maps.Equal(n, engine.Reconciled{"same": 1, engine.NotCompared: 4}) || n.Complete() {
		t.Errorf("%+v, %v", n, err)
	}
	if len(skipped) != 4 || !strings.Contains(skipped["doubt"], "confirm") || !strings.Contains(skipped["called"], "a call for it waits") {
		t.Errorf("%v", skipped)
	}
	if !(engine.Reconciled{"same": 3}).Complete() {
		t.Error("the same of all is not complete")
	}
}

// A null removes the key to encrypt with where the provider can remove it; else it is refused.
func TestANullThatCannotBeForwardedIsRefused(t *testing.T) {
	patched := func(c *server.Config) { c.IDP = "esignet-1.8" }
	enc := registrartest.Key(t)
	enc["use"] = "enc"
	for name, tt := range map[string]struct {
		boot    func(*testing.T, ...func(*server.Config)) (*registrartest.Service, *registrartest.ESignet, *timetest.Clock)
		config  func(*server.Config)
		refused bool
	}{"esignet-1.8": {remote, patched, true}, "esignet-2.0": {second, func(*server.Config) {}, false}} {
		t.Run(name, func(t *testing.T) {
			w, provider, _ := tt.boot(t, tt.config)
			in := providerRequest(t, "c1")
			raw, err := json.Marshal(enc)
			if err != nil {
				t.Fatal(err)
			}
			in.Extensions.EncKey = raw
			if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); err != nil ||
				provider.Client("c1").EncKey == nil {
				t.Fatal(err)
			}
			null := &registrar.Request{Extensions: registrar.ExtensionRequest{EncKey: []byte("null")}, Given: []string{"encPublicKey"}}
			_, err = w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", null)
			if refused := errors.Is(err, registrar.InvalidEncKey); refused != tt.refused || !refused && err != nil ||
				(provider.Client("c1").EncKey == nil) == tt.refused {
				t.Errorf("%v; the provider has the key %s", err, provider.Client("c1").EncKey)
			}
		})
	}
}

// A confirmation is about the state before the change that follows it: if the answer to that change is lost as well,
// the client stays doubtful.
func TestAConfirmationDoesNotOutliveTheChangeThatFollowsIt(t *testing.T) {
	w, provider, clock := bootManaging(t, false)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	provider.SetHook(registrartest.Before, dropAll)
	if err := rename(t, w, "B"); !errors.Is(err, registrar.ProviderOutcomeUnknown) {
		t.Fatal(err)
	}
	provider.SetHook(registrartest.Before, nil)
	var calls atomic.Int32
	provider.SetHook(registrartest.Done, func() {
		if calls.Add(1) == 2 { // after the read, the change
			dropAll()
		}
	})
	if _, _, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, "c1"); !errors.Is(err, registrar.ProviderOutcomeUnknown) || calls.Load() != 2 {
		t.Fatalf("%v after %d calls", err, calls.Load())
	}
	provider.SetHook(registrartest.Done, nil)
	clock.Advance(registrar.RecheckDelay)
	run(t, w)
	if !outcomeUnknown(t, w, "c1") {
		t.Errorf("the doubt has ended: %v", trail(t, w, "c1"))
	}
	if c, _, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, "c1"); err != nil || c.OutcomeUnknown || c.Name != "B" {
		t.Errorf("the next confirmation: %+v, %v", c, err)
	}
}
