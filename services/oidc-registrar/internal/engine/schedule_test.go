package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// With random faults of eSignet and other writers: a client is ACTIVE only if the provider has it with its
// key, no key has two clients, and clients of other owners are unchanged.
func TestRandomFaultsKeepOwnership(t *testing.T) {
	for name, sole := range map[string]bool{"several writers": false, "sole writer": true} {
		t.Run(name, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 1))
			w, provider, clock := remote(t, func(c *server.Config) { c.IDPSoleWriter = sole })
			keys := make([][]byte, 4)
			for i := range keys {
				keys[i] = key(t)
			}
			done := map[string]int{}
			for range 150 {
				id, what := fmt.Sprint("c", random.IntN(4)), ""
				var err error
				switch n := random.IntN(12); {
				case n < 4:
					in := providerRequest(t, id)
					in.PublicKey = keys[random.IntN(len(keys))]
					_, err = w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in)
					what = "register"
				case n == 4:
					_, err = w.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, id, "", update("B", registrar.ClientActive))
					what = "update"
				case n == 5:
					err = w.Core.Clients.Abandon(t.Context(), admin, id)
					what = "abandon"
				case n == 6 && !sole:
					if provider.Client(id).Status == "" {
						provider.AddForeignClient(id)
						what = "another owner registers"
					}
				case n == 7:
					provider.SetDown(random.IntN(3) == 0)
				case n == 8:
					what, err = comparison(t, w, provider, id)
				case n == 9:
					clock.Advance(time.Duration(random.IntN(int(8 * time.Hour))))
					run(t, w)
					what = "let the worker work, and"
				default:
					fault := registrartest.Faults[random.IntN(len(registrartest.Faults))]
					if fault != registrartest.Slow { // which takes its time
						provider.SetNextFaults(fault)
					}
				}
				done[fmt.Sprint(what, err == nil)]++
				if holds(t, w, provider, fmt.Sprint(what, " ", id, ": ", err)); t.Failed() {
					return
				}
			}
			if done["registertrue"] == 0 {
				t.Errorf("nothing was registered: %v", done)
			}
		})
	}
}

// comparison compares a client of unknown outcome with the provider and resolves it, as an admin.
func comparison(t *testing.T, w *registrartest.Service, provider *registrartest.ESignet, id string) (what string, err error) {
	t.Helper()
	c, err := w.Store.Client(t.Context(), id)
	switch {
	case errors.Is(err, registrar.ClientNotFound) || err == nil && !c.OutcomeUnknown:
		return "", nil
	case err != nil:
		t.Fatal(err)
	case ours(c, provider):
		_, _, err = w.Core.Outcomes.ConfirmClient(t.Context(), admin, id)
		return "confirm", err
	}
	_, _, err = w.Core.Outcomes.DropClient(t.Context(), admin, id)
	return "drop", err
}

// ours reports whether the provider has a client with its key.
func ours(c registrar.Client, provider *registrartest.ESignet) bool {
	_, x, found := strings.Cut(c.Key.JWK, `"x":"`)
	x, _, _ = strings.Cut(x, `"`)
	return found && strings.Contains(string(provider.Client(c.ID).Key), x)
}

// holds checks the invariants.
func holds(t *testing.T, w *registrartest.Service, provider *registrartest.ESignet, after string) {
	t.Helper()
	provider.Check(t)
	clients, _, err := w.Store.Clients(t.Context(), registrar.ClientFilter{}, registrar.Page{})
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{}
	for _, c := range clients {
		if other := keys[c.Key.Thumbprint]; other != "" {
			t.Errorf("after %s: %s and %s have one key", after, c.ID, other)
		}
		keys[c.Key.Thumbprint] = c.ID
		if (c.Status == registrar.ClientActive || c.Status == registrar.ClientInactive) && !ours(c, provider) {
			t.Errorf("after %s: %s is %s, and the provider has %+v", after, c.ID, c.Status, provider.Client(c.ID))
		}
	}
}
