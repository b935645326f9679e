package engine_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/keycloaktest"
	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// bootKeycloak starts the service with a realm.
func bootKeycloak(t *testing.T) (*registrartest.Service, *keycloaktest.Keycloak, *timetest.Clock) {
	t.Helper()
	realm, clock := keycloaktest.New(), timetest.At(time.Now().UTC().Truncate(time.Millisecond))
	t.Cleanup(realm.Close)
	return registrartest.Boot(t, registrartest.Options{Now: clock.Now, Config: func(c *server.Config) {
		c.IDP, c.IDPURL, c.IDPClientID, c.IDPClientSecret = "keycloak", realm.URL+"/realms/"+realm.Realm, realm.ClientID, daemon.Secret(realm.ClientSecret)
	}}), realm, clock
}

// Each call is lost from the n-th on. The worker repeats it: the realm has one client, and none is doubtful.
func TestALostAnswerOfKeycloakIsNeverDoubtful(t *testing.T) {
	for name, change := range map[string]func(w *registrartest.Service) error{
		"a registration": nil,
		"a change": func(w *registrartest.Service) error {
			_, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
				update("New name", registrar.ClientActive))
			return err
		},
		"a disable": func(w *registrartest.Service) error {
			_, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
				update("Health portal", registrar.ClientInactive))
			return err
		},
	} {
		for _, method := range []string{"GET", "POST", "PUT"} {
			if (method == "POST") == (change != nil) && method != "GET" {
				continue // not called
			}
			w, realm, clock := bootKeycloak(t)
			register := func(w *registrartest.Service) error {
				_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
					providerRequest(t, "c1"))
				return err
			}
			call := change
			if call == nil {
				call = register
			} else if err := register(w); err != nil {
				t.Fatal(err)
			}
			clock.Advance(time.Hour) // the realm is read again
			realm.SetAfter(func(r *http.Request) bool { return r.Method == method && strings.HasPrefix(r.URL.Path, "/admin/") })
			if err := call(w); !errors.Is(err, registrar.ProviderUnreachable) {
				t.Fatalf("%s, %s is lost: %v", name, method, err)
			}
			realm.SetAfter(nil)
			clock.Advance(time.Hour)
			if n := run(t, w); n != 1 || outcomeUnknown(t, w, "c1") {
				t.Errorf("%s, %s was lost: %d calls, doubtful %v", name, method, n, outcomeUnknown(t, w, "c1"))
			}
			if found, n := compareAll(t, w); found != "" || n["same"] != 1 || !slices.Equal(realm.ClientIDs(), []string{"c1"}) {
				t.Errorf("%s, %s was lost: %s %+v, the realm has %v", name, method, found, n, realm.ClientIDs())
			}
		}
	}
}

func TestAClientThatKeycloakNoLongerHasIsSentAgain(t *testing.T) {
	w, realm, clock := bootKeycloak(t)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	realm.ChangeClient("c1", nil)
	_, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("New name", registrar.ClientActive))
	if !errors.Is(err, idp.ErrMissing) || !slices.Contains(trail(t, w, "c1"), "missing by admin") {
		t.Errorf("a change: %v, %v", err, trail(t, w, "c1"))
	}
	if err := w.Core.Reconciliation.SendAgain(t.Context(), admin, "c1"); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Second)
	run(t, w)
	if found, n := compareAll(t, w); found != "" || n["same"] != 1 || status(t, w, "c1") != "ACTIVE" {
		t.Errorf("%s %+v, %s", found, n, status(t, w, "c1"))
	}
}

// A client that another service or an administrator made there has another mark.
func TestAClientOfKeycloakThatIsNotOursNeedsAConfirmation(t *testing.T) {
	w, realm, _ := bootKeycloak(t)
	realm.AddClient("c1", map[string]any{"name": "Theirs"})
	_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
	if !errors.Is(err, registrar.ProviderRefused) || !strings.Contains(err.Error(), "duplicate_client_id") ||
		status(t, w, "c1") != "none" {
		t.Errorf("a registration: %v, %s", err, status(t, w, "c1"))
	}
	if got := realm.Client("c1")["name"]; got != "Theirs" {
		t.Errorf("its name there is %v", got)
	}
	for _, id := range []string{"confirmed", "dropped"} {
		if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, id)); err != nil {
			t.Fatal(err)
		}
		realm.ChangeClient(id, map[string]any{"name": "Theirs", "attributes": map[string]any{"registrar.registration": ""}})
		_, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, id, "",
			update("New name", registrar.ClientActive))
		if !errors.Is(err, registrar.ProviderOutcomeUnknown) || !outcomeUnknown(t, w, id) ||
			realm.Client(id)["name"] != "Theirs" {
			t.Errorf("a change: %v, its name there is %v", err, realm.Client(id)["name"])
		}
	}
	if c, _, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, "confirmed"); err != nil || c.OutcomeUnknown ||
		realm.Client("confirmed")["name"] != "New name" {
		t.Errorf("confirmed: %+v, %v", c, err)
	}
	if c, _, err := w.Core.Outcomes.DropClient(t.Context(), admin, "dropped"); err != nil || c.OutcomeUnknown ||
		realm.Client("dropped")["name"] != "Theirs" {
		t.Errorf("dropped: %+v, %v", c, err)
	}
}

func TestTheHealthCheckNamesTheMissingRole(t *testing.T) {
	w, realm, clock := bootKeycloak(t)
	realm.Configure(keycloaktest.Settings{Roles: []string{"view-clients"}})
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "c1")); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	if text := w.Core.Calls.ProviderFault(); !strings.Contains(text, "manage-clients") ||
		!strings.Contains(text, "REGISTRAR_IDP_CLIENT_ID") {
		t.Errorf("the fault is %q", text)
	}
	realm.Configure(keycloaktest.Settings{})
	clock.Advance(time.Hour)
	run(t, w)
	if text := w.Core.Calls.ProviderFault(); text != "" || status(t, w, "c1") != "ACTIVE" {
		t.Errorf("after the repair: %q, %s", text, status(t, w, "c1"))
	}
}

func TestAComparisonNamesClientsThatOnlyKeycloakHas(t *testing.T) {
	w, realm, clock := bootKeycloak(t)
	for _, id := range []string{"c1", "waits"} {
		realm.SetHook(func(http.ResponseWriter, *http.Request) bool {
			if id == "waits" {
				panic(http.ErrAbortHandler)
			}
			return false
		})
		_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, id))
		if (err != nil) != (id == "waits") {
			t.Fatal(err)
		}
	}
	realm.SetHook(nil)
	for _, id := range []string{"orphan", "waits", "account"} {
		realm.AddClient(id, nil)
	}
	var unknown []string
	n, err := w.Core.Reconciliation.Reconcile(t.Context(), admin, func(f engine.Finding) {
		if f.Result == engine.Unknown {
			unknown = append(unknown, f.ClientID)
		}
	})
	if err != nil || n["same"] != 1 || n[engine.NotCompared] != 1 || n["unknown"] != 1 ||
		!slices.Equal(unknown, []string{"orphan"}) {
		t.Errorf("%+v, %v, %v", n, unknown, err)
	}
	clock.Advance(time.Hour)
	if err := w.Core.Reconciliation.Pass(t.Context()); err != nil ||
		!strings.Contains(w.Log.String(), "client only at the identity provider") {
		t.Errorf("the worker: %v", err)
	}
}

// A registration that is given up after a lost answer leaves nothing there.
func TestAGivenUpRegistrationIsDeletedAtKeycloak(t *testing.T) {
	w, realm, clock := bootKeycloak(t)
	realm.SetAfter(func(r *http.Request) bool { return r.Method == "POST" && strings.HasPrefix(r.URL.Path, "/admin/") })
	_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
	if !errors.Is(err, registrar.ProviderUnreachable) || len(realm.ClientIDs()) != 1 {
		t.Fatalf("%v, %v", err, realm.ClientIDs())
	}
	if err := w.Core.Clients.Abandon(t.Context(), admin, "c1"); err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Second)
	if len(realm.ClientIDs()) != 0 || status(t, w, "c1") != "none" {
		t.Errorf("%s here, %v there", status(t, w, "c1"), realm.ClientIDs())
	}
}
