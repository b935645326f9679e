package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// bootManaging starts dynamic registration with credentials that may read and change every client, or without.
func bootManaging(t *testing.T, manage bool) (*registrartest.Service, *registrartest.RFC7591, *timetest.Clock) {
	t.Helper()
	provider, clock := registrartest.NewRFC7591(t), timetest.At(time.Now().UTC().Truncate(time.Millisecond))
	return registrartest.Boot(t, registrartest.Options{Now: clock.Now, Config: func(c *server.Config) {
		provider.Configure(c)
		if manage {
			provider.Manager(c)
		}
	}}), provider, clock
}

// compareAll compares all clients and returns the findings and the sums.
func compareAll(t *testing.T, w *registrartest.Service) (string, engine.Reconciled) {
	t.Helper()
	var found []string
	n, err := w.Core.Reconciliation.Reconcile(t.Context(), admin, func(f engine.Finding) {
		if f.Kind != registrar.DifferenceNone {
			found = append(found, strings.TrimSpace(fmt.Sprint(f.ClientID, " ", f.Kind, " ", strings.Join(f.Fields(), ","))))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return strings.Join(found, "; "), n
}

func TestADifferenceIsReportedAndSentAgainOnRequest(t *testing.T) {
	for name, manage := range map[string]bool{"with the tokens of the clients": false, "with credentials for all": true} {
		t.Run(name, func(t *testing.T) {
			w, provider, clock := bootManaging(t, manage)
			for i := range 5 {
				if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
					providerRequest(t, fmt.Sprint("c", i))); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c4", "",
				update("Health portal", registrar.ClientInactive)); err != nil {
				t.Fatal(err)
			}
			if found, n := compareAll(t, w); found != "" || n["same"] != 5 {
				t.Fatalf("%s, %+v", found, n)
			}
			provider.Change("assigned-1", map[string]any{"redirect_uris": []any{"https://evil.example/cb"},
				"client_name": "Evil", "grant_types": []any{"authorization_code", "refresh_token"}})
			provider.Change("assigned-2", map[string]any{"jwks": map[string]any{"keys": []any{registrartest.Key(t)}}, "token_endpoint_auth_method": "none"})
			provider.Change("assigned-3", nil)
			c4, err := w.Store.Client(t.Context(), "c4")
			if err != nil {
				t.Fatal(err)
			}
			provider.Change("assigned-5", map[string]any{"jwks": map[string]any{"keys": []any{map[string]any{"kty": "EC",
				"crv": "P-256", "x": member(t, c4.Key.JWK, "x"), "y": member(t, c4.Key.JWK, "y")}}}})
			gone, different := "missing", 3
			if !manage { // its token is not accepted any more
				gone, different = "different registration_access_token", 4
			}
			want := "c0 different clientName,redirectUris; c1 different clientAuthMethods,publicKey; c2 " + gone + "; c4 different publicKey"
			for range 2 { // the second time it is no news
				found, n := compareAll(t, w)
				if found != want || n["same"] != 1 || n["different"] != different || n["missing"] != 4-different {
					t.Errorf("%s, %+v, want %s", found, n, want)
				}
			}
			wantTrail(t, w, "c0", "registered by admin", "activated by admin", "differs by admin")
			if n := run(t, w); n != 0 {
				t.Errorf("%d calls are pending after a comparison", n)
			}
			for id, want := range map[string]error{"c0": nil, "c1": nil, "c2": nil, "c3": registrar.InvalidStatus, "c4": nil} {
				if err := w.Core.Reconciliation.SendAgain(t.Context(), admin, id); !errors.Is(err, want) {
					t.Errorf("%s is sent again: %v, want %v", id, err, want)
				}
			}
			clock.Advance(time.Second)
			run(t, w)
			found, n := compareAll(t, w)
			if manage && (found != "" || n["same"] != 5) || !manage && found != "c2 "+gone {
				t.Errorf("after they were sent: %s, %+v", found, n)
			}
			c, err := w.Store.Client(t.Context(), "c2")
			if err != nil || c.Status != registrar.ClientActive || manage && c.ProviderClientID != "assigned-6" || !manage &&
				c.ProviderClientID != "assigned-3" {
				t.Errorf("%+v, %v", c, err)
			}
			if got := trail(t, w, "c0"); !slices.Contains(got, "repaired by admin") {
				t.Errorf("%v", got)
			}
			counts, err := w.Store.Counts(t.Context())
			if err != nil || len(counts.Differences) != map[bool]int{true: 0, false: 1}[manage] {
				t.Errorf("%v, %v", counts.Differences, err)
			}
		})
	}
}

// member is one of a key.
func member(t *testing.T, jwk, name string) string {
	t.Helper()
	_, rest, _ := strings.Cut(jwk, `"`+name+`":"`)
	value, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatal(jwk)
	}
	return value
}

func TestUnreadableProviderIsReported(t *testing.T) {
	local := registrartest.Boot(t, registrartest.Options{})
	eSignet, _, _ := remote(t)
	for w, want := range map[*registrartest.Service]string{local: "reads its clients from this service",
		eSignet: "eSignet before 2.0 has no interface to read a client"} {
		if _, err := w.Core.Reconciliation.Reconcile(t.Context(), admin, func(engine.Finding) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A provider replaces the token of a client at a read. A concurrent change is refused with StaleClient: the provider
// would refuse the previous token.
func TestAComparisonByTheTokenOfAClientExcludesItsChanges(t *testing.T) {
	w, provider, clock := bootManaging(t, false)
	_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
	if err != nil {
		t.Fatal(err)
	}
	change := func() error {
		_, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
			update("New name", registrar.ClientActive))
		return err
	}
	var meanwhile error
	provider.SetHook(registrartest.Done, func() {
		provider.SetHook(registrartest.Done, nil)
		meanwhile = change()
	})
	if found, n := compareAll(t, w); found != "" || n["same"] != 1 || !errors.Is(meanwhile, registrar.StaleClient) {
		t.Errorf("%s, %v, a change meanwhile: %v", found, n, meanwhile)
	}
	if err := change(); err != nil {
		t.Errorf("a change after the comparison: %v", err)
	}
	ended := func(tx *store.Tx) error { // the read of a process that has ended
		read := registrar.Call{ClientID: "c1", Kind: registrar.CallRead}
		return tx.Enqueue(store.NewCall(read, registrar.Update{}, "ana", tx.Now()), "another")
	}
	if err := w.Store.Do(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	if _, n := compareAll(t, w); n[engine.NotCompared] != 1 {
		t.Errorf("beside another read: %v", n)
	}
	clock.Advance(time.Minute)
	if n := run(t, w); n != 1 {
		t.Errorf("%d calls", n)
	}
	if _, n := compareAll(t, w); n["same"] != 1 {
		t.Errorf("after the read of an ended process: %v", n)
	}
}

// A client with a pending call is skipped, and its call is not delayed.
func TestReconcileSkipsClientsWithPendingCalls(t *testing.T) {
	w, provider, clock := bootManaging(t, true)
	for _, id := range []string{"c1", "c2"} {
		if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	provider.LoseReplies(true)
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("B", registrar.ClientActive)); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	provider.LoseReplies(false)
	if found, n := compareAll(t, w); found != "" || n["same"] != 1 {
		t.Errorf("%s, %+v", found, n)
	}
	if err := w.Core.Reconciliation.SendAgain(t.Context(), admin, "c1"); !errors.Is(err, registrar.StaleClient) {
		t.Errorf("sent again while its call waits: %v", err)
	}
	clock.Advance(2 * time.Minute)
	run(t, w)
	if found, n := compareAll(t, w); found != "" || n["same"] != 2 {
		t.Errorf("%s, %+v", found, n)
	}
}

// The provider replaces the token of a client with each answer. The comparison stores it, so that the client can still
// be changed.
func TestAComparisonStoresTheTokenOfItsAnswer(t *testing.T) {
	w, _, _ := bootManaging(t, false)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"C", "D"} {
		if found, n := compareAll(t, w); found != "" || n["same"] != 1 {
			t.Errorf("%s, %+v", found, n)
		}
		if c, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
			update(name, registrar.ClientActive)); err != nil || c.Name != name {
			t.Errorf("%+v, %v", c, err)
		}
	}
}

func TestTheWorkerComparesAllClients(t *testing.T) {
	w, provider, _ := bootManaging(t, true)
	for i := range 70 { // more than are loaded at once
		if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
			providerRequest(t, fmt.Sprintf("c%02d", i))); err != nil {
			t.Fatal(err)
		}
	}
	provider.Change("assigned-1", map[string]any{"client_name": "x"})
	provider.Change("assigned-70", map[string]any{"client_name": "x"})
	if err := w.Core.Reconciliation.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"c00", "c69"} {
		if !slices.Contains(trail(t, w, id), "differs by oidc-registrar") {
			t.Errorf("%s: %v", id, trail(t, w, id))
		}
	}
	provider.Close()
	if err := w.Core.Reconciliation.Pass(t.Context()); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Errorf("without a provider: %v", err)
	}
}
