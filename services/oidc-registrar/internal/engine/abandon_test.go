package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// bo is another caller.
var bo = engine.Caller{Subject: "bo", Admin: true}

func TestUnsentRegistrationIsAbandonedAtOnce(t *testing.T) {
	w, provider, _ := remote(t)
	in := providerRequest(t, "c1")
	provider.Close() // no listener, so no request can have arrived
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	if err := w.Core.Clients.Abandon(t.Context(), admin, "c1"); err != nil || status(t, w, "c1") != "none" {
		t.Fatalf("%v; the client is %s", err, status(t, w, "c1"))
	}
	wantTrail(t, w, "c1", "registered by admin", "removed by admin")
	in.ClientID = "c2" // the key is free
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Error(err)
	}
}

func TestPossiblySentRegistrationIsAbandonedAtTheProviderFirst(t *testing.T) {
	w, provider, clock := remote(t, soleWriter)
	provider.LoseReplies(true)
	in := providerRequest(t, "c1")
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	if err := w.Core.Clients.Abandon(t.Context(), admin, "c1"); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	for _, by := range []engine.Caller{bo, admin} {
		if c, err := w.Core.Clients.RegisterClient(t.Context(), by, registrar.ProviderInterface, "", in); !errors.Is(err, registrar.DuplicateClientID) {
			t.Errorf("%s gets id and key before the provider has confirmed it: %+v, %v", by.Subject, c, err)
		}
	}
	provider.LoseReplies(false)
	clock.Advance(time.Minute)
	if n := run(t, w); n != 1 || status(t, w, "c1") != "none" || provider.Clients()["c1"] != "INACTIVE" {
		t.Errorf("%d calls; the client is %s here, and %s there", n, status(t, w, "c1"), provider.Clients()["c1"])
	}
	wantTrail(t, w, "c1", "registered by admin", "abandoned by admin", "refused by bo duplicate_client_id",
		"refused by admin duplicate_client_id", "removed by oidc-registrar")
	if c, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); err == nil { // eSignet keeps the id, INACTIVE
		t.Errorf("registered again: %+v", c)
	}
}

func TestAbandonKeepsAClientOfAnotherOwner(t *testing.T) {
	w, provider, _ := remote(t)
	provider.AddForeignClient("c1")
	provider.SetDown(true)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "c1")); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	provider.SetDown(false)
	if err := w.Core.Clients.Abandon(t.Context(), admin, "c1"); !errors.Is(err, registrar.ProviderOutcomeUnknown) || status(t, w, "c1") != "PENDING" {
		t.Fatalf("%v; the client is %s", err, status(t, w, "c1"))
	}
	provider.Check(t)
	if _, gone, err := w.Core.Outcomes.DropClient(t.Context(), admin, "c1"); err != nil || !gone {
		t.Errorf("%t, %v", gone, err)
	}
	provider.Check(t)
}

func TestAbandonRegistersAFreeIDFirst(t *testing.T) {
	w, provider, clock := remote(t)
	provider.SetDown(true)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "c1")); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	provider.SetDown(false)
	provider.SetNextFaults(registrartest.Works, registrartest.FailsFirst, registrartest.FailsFirst,
		registrartest.FailsFirst) // made, and not switched off
	if err := w.Core.Clients.Abandon(t.Context(), admin, "c1"); !errors.Is(err, registrar.ProviderUnreachable) || provider.Clients()["c1"] != "ACTIVE" {
		t.Fatalf("%v, %v", err, provider.Clients())
	}
	clock.Advance(time.Minute)
	provider.Methods()
	run(t, w)
	if got := provider.Methods(); got != "PUT" || provider.Clients()["c1"] != "INACTIVE" || status(t, w, "c1") != "none" {
		t.Errorf("%s; %v", got, provider.Clients())
	}
}

func TestAClientThatWasEverActiveIsNotGivenUp(t *testing.T) {
	w, provider, _ := remote(t)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	for _, status := range []registrar.ClientStatus{registrar.ClientActive, registrar.ClientInactive} {
		if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update("B", status)); err != nil {
			t.Fatal(err)
		}
		if err := w.Core.Clients.Abandon(t.Context(), admin, "c1"); !errors.Is(err, registrar.InvalidStatus) || provider.Clients()["c1"] != string(status) {
			t.Errorf("%s: %v", status, err)
		}
	}
	if err := w.Core.Clients.Abandon(t.Context(), admin, "none"); !errors.Is(err, registrar.ClientNotFound) {
		t.Error(err)
	}
	if err := w.Core.Clients.Abandon(t.Context(), eve, "c1"); !errors.Is(err, registrar.ForeignUpdate) {
		t.Error(err)
	}
}

func TestACallUnderWayIsNotReplaced(t *testing.T) {
	w, provider, _ := remote(t)
	var corrected, givenUp error
	provider.SetHook(registrartest.Before, func() {
		_, corrected = w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update("B", registrar.ClientActive))
		givenUp = w.Core.Clients.Abandon(t.Context(), admin, "c1")
	})
	if c, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "c1")); err != nil || c.Name != "Health portal" {
		t.Fatalf("%+v, %v", c, err)
	}
	if !errors.Is(corrected, registrar.StaleClient) || !errors.Is(givenUp, registrar.StaleClient) {
		t.Errorf("corrected: %v; abandoned: %v", corrected, givenUp)
	}
}

func TestRefusalWithoutAWaitingCallerIsKept(t *testing.T) {
	w, provider, clock := remote(t)
	provider.SetDown(true)
	in := providerRequest(t, "c1")
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	provider.SetDown(false)
	provider.Refuse("invalid_claim")
	clock.Advance(time.Minute)
	run(t, w)
	if got := status(t, w, "c1"); got != "FAILED" {
		t.Fatalf("the client is %s", got)
	}
	_, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in)
	if refused, ok := errors.AsType[*refusal.Error](err); !ok || refused.Reason.General() != registrar.ProviderRefused ||
		registrar.ProviderCode(refused.Reason) != "invalid_claim" {
		t.Errorf("a repeat: %v", err)
	}
	provider.Refuse("")
	if c, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("B", registrar.ClientActive)); err != nil || c.Status != registrar.ClientActive || c.Failure.Reason != "" {
		t.Errorf("corrected: %+v, %v", c, err)
	}
}

// A process that was killed in the middle of an update does not keep others from it for the
// length of its lease.
func TestAKilledUpdateLocksItsClientForAsLongAsACallCanLast(t *testing.T) {
	w, _, clock := remote(t)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	const dead = "dead"
	err := w.Store.Do(t.Context(), func(tx *store.Tx) error {
		l := store.NewCall(registrar.Call{ClientID: "c1", Kind: registrar.CallUpdate}, registrar.Update{}, "admin", tx.Now()).Begin(dead, tx.Now())
		return tx.Enqueue(l, dead)
	})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(20*time.Second - time.Millisecond) // its call may still be under way
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("B", registrar.ClientActive)); !errors.Is(err, registrar.StaleClient) {
		t.Errorf("%v", err)
	}
	clock.Advance(time.Millisecond)
	if c, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("B", registrar.ClientActive)); err != nil || c.Name != "B" {
		t.Errorf("%+v, %v", c, err)
	}
}

// A living process keeps its lease to the end.
func TestALivingProcessIsNotRobbed(t *testing.T) {
	w, _, clock := remote(t)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	const living = "living"
	err := w.Store.Do(t.Context(), func(tx *store.Tx) error {
		l := store.NewCall(registrar.Call{ClientID: "c1", Kind: registrar.CallUpdate}, registrar.Update{}, "admin", tx.Now()).Begin(living, tx.Now())
		return errors.Join(tx.Enqueue(l, living), tx.Exec("INSERT INTO process (id, host, version, works, started_ms, seen_ms) "+
			"VALUES ('living', '', '', true, 0, ?)", tx.Now().Add(30*time.Second).UnixMilli()).Error)
	})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(30 * time.Second)
	if n := run(t, w); n != 0 {
		t.Errorf("%d calls were taken from a living process", n)
	}
	if _, err := w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "",
		update("B", registrar.ClientActive)); !errors.Is(err, registrar.StaleClient) {
		t.Errorf("%v", err)
	}
}
