package engine_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// doubtful reports whether the outcome of a client's last call is unknown.
func outcomeUnknown(t *testing.T, w *registrartest.Service, id string) bool {
	t.Helper()
	c, err := w.Store.Client(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c.OutcomeUnknown
}

func TestClientOfAnotherOwnerIsNotChanged(t *testing.T) {
	for _, fault := range registrartest.Faults {
		t.Run(string(fault), func(t *testing.T) {
			w, provider, clock := remote(t)
			provider.AddForeignClient("c1")
			provider.SetNextFaults(fault)
			in := providerRequest(t, "c1")
			_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in)
			clock.Advance(time.Minute)
			run(t, w) // a truncated answer is requested again
			if errors.Is(err, registrar.ProviderRefused) {
				// The provider replied "duplicate" to a possible first attempt.
				if got := status(t, w, "c1"); got != "none" {
					t.Fatalf("refused, and %s", got)
				}
				provider.Check(t)
				return
			}
			if !errors.Is(err, registrar.ProviderOutcomeUnknown) && !errors.Is(err, registrar.ProviderUnreachable) {
				t.Fatalf("%v", err)
			}
			if got := status(t, w, "c1"); got != "PENDING" || !outcomeUnknown(t, w, "c1") {
				t.Fatalf("the client is %s", got)
			}
			provider.Methods()
			if c, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); err != nil ||
				c.Status != registrar.ClientPending || !c.OutcomeUnknown {
				t.Errorf("a repeat: %+v, %v", c, err)
			}
			if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
				update("Mine", registrar.ClientActive)); !errors.Is(err, registrar.InvalidStatus) {
				t.Errorf("corrected: %v", err)
			}
			if err := w.Core.Clients.Abandon(t.Context(), admin, "c1"); !errors.Is(err, registrar.InvalidStatus) {
				t.Errorf("abandoned: %v", err)
			}
			clock.Advance(1000 * time.Hour)
			if n := run(t, w); n != 0 || provider.Methods() != "" {
				t.Errorf("%d calls for a doubtful client", n)
			}
			if _, gone, err := w.Core.Outcomes.DropClient(t.Context(), admin, "c1"); err != nil || !gone ||
				status(t, w, "c1") != "none" || provider.Methods() != "" {
				t.Errorf("dropped: %t, %v", gone, err)
			}
			provider.Check(t)
			in.ClientID = "c2" // the key is free
			if c, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); err != nil ||
				c.Status != registrar.ClientActive {
				t.Errorf("the key after the drop: %+v, %v", c, err)
			}
		})
	}
}

func TestConfirmedClientIsActive(t *testing.T) {
	w, provider, clock := remote(t)
	provider.SetNextFaults(registrartest.DropsAfter)
	_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
	if !errors.Is(err, registrar.ProviderOutcomeUnknown) || status(t, w, "c1") != "PENDING" {
		t.Fatalf("%v; the client is %s", err, status(t, w, "c1"))
	}
	provider.Methods()
	provider.SetDown(true)
	if _, _, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, "c1"); !errors.Is(err,
		registrar.ProviderUnreachable) || status(t, w, "c1") != "PENDING" {
		t.Fatalf("without an answer: %v; the client is %s", err, status(t, w, "c1"))
	}
	provider.SetDown(false)
	if _, _, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, "c1"); !errors.Is(err, registrar.InvalidStatus) {
		t.Errorf("confirmed twice: %v", err)
	}
	clock.Advance(time.Minute)
	run(t, w)
	if got := status(t, w, "c1"); got != "ACTIVE" || provider.Clients()["c1"] != "ACTIVE" {
		t.Errorf("the client is %s", got)
	}
	wantTrail(t, w, "c1", "registered by admin", "doubtful by admin provider_doubtful", "confirmed by admin",
		"refused by admin invalid_status", "activated by oidc-registrar")
}

func TestOnlyDoubtfulClientsAreConfirmedOrDropped(t *testing.T) {
	w, provider, _ := remote(t)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "active")); err != nil {
		t.Fatal(err)
	}
	provider.SetDown(true)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "pending")); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	for id, want := range map[string]registrar.Reason{"active": registrar.InvalidStatus,
		"pending": registrar.InvalidStatus, "none": registrar.ClientNotFound} {
		if _, _, err := w.Core.Outcomes.ConfirmClient(t.Context(), admin, id); !errors.Is(err, want) {
			t.Errorf("%s confirmed: %v", id, err)
		}
		if _, _, err := w.Core.Outcomes.DropClient(t.Context(), admin, id); !errors.Is(err, want) {
			t.Errorf("%s dropped: %v", id, err)
		}
	}
	if got := status(t, w, "active") + " " + status(t, w, "pending"); got != "ACTIVE PENDING" {
		t.Error(got)
	}
}

// With a sole writer, the provider's client after a lost answer is ours. It is
// brought up to date, since it may have an earlier form of the client.
func TestSoleWriterUpdatesExistingProviderClient(t *testing.T) {
	w, provider, _ := remote(t, soleWriter)
	provider.SetNextFaults(registrartest.DropsAfter, registrartest.FailsFirst, registrartest.FailsFirst)
	in := providerRequest(t, "c1")
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	correction := update("B", registrar.ClientActive)
	correction.RedirectURIs = []string{"https://rp.example/new"}
	c, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", correction)
	if err != nil || c.Status != registrar.ClientActive || c.Name != "B" {
		t.Fatalf("%+v, %v", c, err)
	}
	if there := provider.Client("c1"); there.Name != "B" || !slices.Equal(there.RedirectURIs, correction.RedirectURIs) || there.Status != "ACTIVE" {
		t.Errorf("the provider has %+v", there)
	}
}
