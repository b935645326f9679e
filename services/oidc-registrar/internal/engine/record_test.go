package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// dynamic is a service before a provider of RFC 7591, with a clock of its own.
func dynamic(t *testing.T) (*registrartest.Service, *registrartest.RFC7591, *timetest.Clock) {
	t.Helper()
	provider, clock := registrartest.NewRFC7591(t), timetest.At(time.Now().UTC().Truncate(time.Millisecond))
	return registrartest.Boot(t, registrartest.Options{Config: provider.Configure, Now: clock.Now}), provider, clock
}

func TestTheIDThatTheProviderGaveIsShown(t *testing.T) {
	w, _, _ := dynamic(t)
	made, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
	if err != nil || made.ProviderClientID != "assigned-1" {
		t.Fatalf("%+v, %v", made, err)
	}
	changed, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update("B", registrar.ClientActive))
	if err != nil || changed.ProviderClientID != "assigned-1" {
		t.Errorf("%+v, %v", changed, err)
	}
	list, _, err := w.Core.Clients.ListClients(t.Context(), admin, registrar.ClientFilter{}, registrar.Page{})
	if err != nil || len(list) != 1 || list[0].ProviderClientID != "assigned-1" {
		t.Errorf("%+v, %v", list, err)
	}
	events, _, err := w.Core.Clients.ListEvents(t.Context(), admin, "c1", registrar.Page{})
	if err != nil || events[1].Type != registrar.EventClientActivated || events[1].ProviderClientID != "assigned-1" {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestARegistrationAccessTokenIsKeptSealed(t *testing.T) {
	w, _, _ := dynamic(t)
	for _, name := range []string{"A", "B", "C"} { // each change has a new token
		var err error
		if name == "A" {
			_, err = w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
		} else {
			_, err = w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update(name, registrar.ClientActive))
		}
		if err != nil {
			t.Fatal(err)
		}
		kept, err := w.Store.Record(t.Context(), "c1")
		if err != nil || !strings.HasPrefix(string(kept.AccessToken), "k1:") || strings.Contains(string(kept.AccessToken), "token-") {
			t.Errorf("kept %q, %v", string(kept.AccessToken), err)
		}
	}
}

func TestRekeySealsTokensWithTheFirstKey(t *testing.T) {
	w, _, _ := dynamic(t)
	for _, id := range []string{"c1", "c2", "c3"} {
		if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	parse := func(text string) seal.Keys {
		keys, err := seal.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	old, renewed := "k1:"+seal.NewKey(), "k2:"+seal.NewKey()
	text, err := parse(old).Seal([]byte("token"), "provider_record|c2|access_token")
	if err != nil {
		t.Fatal(err)
	}
	sealed := store.Record{ClientID: "c2", ProviderClientID: "assigned-2", URI: "https://idp.example/c/2", AccessToken: registrar.Secret(text)}
	none := store.Record{ClientID: "c1", ProviderClientID: "assigned-1"}
	err = w.Store.Do(t.Context(), func(tx *store.Tx) error {
		return errors.Join(tx.PutRecord(none), tx.PutRecord(sealed), tx.Exec("DELETE FROM provider_record WHERE client_id = 'c3'").Error)
	})
	if err != nil {
		t.Fatal(err)
	}
	keys := parse(renewed + "," + old)
	core := engine.New(engine.Options{Store: w.Store, Keys: keys})
	for _, want := range []int{1, 0} {
		if n, err := core.Calls.RekeyRecords(t.Context(), 1); err != nil || n != want {
			t.Errorf("%d tokens, %v; want %d", n, err, want)
		}
	}
	kept, err := w.Store.Record(t.Context(), "c2")
	if err != nil || !strings.HasPrefix(string(kept.AccessToken), "k2:") {
		t.Fatalf("%+v, %v", kept, err)
	}
	if text, err := keys.Open(string(kept.AccessToken), "provider_record|c2|access_token"); err != nil || string(text) != "token" {
		t.Errorf("%q, %v", text, err)
	}
	wrong := engine.New(engine.Options{Store: w.Store, Keys: parse("k3:" + seal.NewKey())})
	if n, err := wrong.Calls.RekeyRecords(t.Context(), 2); err == nil || n != 0 {
		t.Errorf("with other keys: %d, %v", n, err)
	}
}

// A lost answer may have had the new token in it: the old one is not used again.
func TestAChangeWithoutAnAnswerIsDoubtful(t *testing.T) {
	for _, done := range []bool{true, false} {
		w, provider, clock := dynamic(t)
		if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
			t.Fatal(err)
		}
		provider.LoseReplies(true)
		if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
			update("B", registrar.ClientActive)); !errors.Is(err, registrar.ProviderOutcomeUnknown) {
			t.Fatal(err)
		}
		provider.LoseReplies(false)
		clock.Advance(24 * time.Hour)
		if n := run(t, w); n != 1 || status(t, w, "c1") != "ACTIVE" || !outcomeUnknown(t, w, "c1") { // a read with the void token
			t.Errorf("%d calls; the client is %s", n, status(t, w, "c1"))
		}
		if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
			update("C", registrar.ClientActive)); !errors.Is(err, registrar.InvalidStatus) {
			t.Errorf("%v", err)
		}
		want := "Health portal"
		var gone bool
		var err error
		if done {
			_, gone, err = w.Core.Outcomes.ConfirmClient(t.Context(), admin, "c1")
			want = "B"
		} else {
			_, gone, err = w.Core.Outcomes.DropClient(t.Context(), admin, "c1")
		}
		c, err2 := w.Store.Client(t.Context(), "c1")
		if err := errors.Join(err, err2); err != nil || gone || c.Name != want || c.OutcomeUnknown || c.Status != registrar.ClientActive {
			t.Errorf("done %t: %+v, %t, %v", done, c, gone, err)
		}
	}
}

func TestProviderWithoutUpdatesIsLoggedOnce(t *testing.T) {
	w, provider, _ := dynamic(t)
	provider.OmitManagement()
	for _, id := range []string{"c1", "c2"} {
		if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(w.Log.String(), "returned no registration_client_uri"); n != 1 {
		t.Errorf("said %d times", n)
	}
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("B", registrar.ClientActive)); !errors.Is(err, registrar.ProviderRefused) {
		t.Error(err)
	}
}

// A registration that could not be stored is deleted at the provider.
func TestUnstoredRegistrationIsDeletedAtTheProvider(t *testing.T) {
	w, provider, _ := dynamic(t)
	provider.SetHook(registrartest.Done, func() { // another worker has taken the call over
		provider.SetHook(registrartest.Done, nil)
		err := w.Store.Do(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE idp_call SET lease_token = 'another'").Error
		})
		if err != nil {
			t.Error(err)
		}
	})
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "c1")); !errors.Is(err, store.ErrLeaseLost) {
		t.Fatal(err)
	}
	if len(provider.Clients()) != 0 || provider.RegistrationCount() != 1 {
		t.Errorf("the provider has %v", provider.Clients())
	}
}
