package engine_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// killedAt is a service whose process dies in a call to its provider: the outcome is not recorded, and the answer is lost.
type killedAt struct {
	*registrartest.Service
	at    func(step registrartest.Step, fn func())
	clock *timetest.Clock
	there func() (name, status string, clients int) // the state at the provider
}

// call makes a call in which the process dies at a step, lets the time of its lease pass, and the next process work.
func (k killedAt) call(t *testing.T, step registrartest.Step, reads bool, is func() bool, do func() error) {
	t.Helper()
	k.at(step, func() {
		if !is() {
			return
		}
		k.at(registrartest.Before, dropAll) // the dead process does not try again
		if err := k.Store.Do(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE idp_call SET lease_token = 'killed', lease_owner = 'killed'").Error
		}); err != nil {
			t.Error(err)
		}
		panic(http.ErrAbortHandler)
	})
	if err := do(); err == nil && !reads {
		t.Fatal("the call was answered")
	}
	k.at(step, nil)
	k.at(registrartest.Before, nil)
	k.clock.Advance(20 * time.Second)
	run(t, k.Service)
}

// After a kill in any call the comparison reports the client as equal, of unknown outcome, or with its difference. It never hides
// a difference.
func TestAComparisonAfterAKillHidesNothing(t *testing.T) {
	always := func() bool { return true }
	eSignet := func(config ...func(*server.Config)) func(*testing.T) (killedAt, func() bool) {
		return func(t *testing.T) (killedAt, func() bool) {
			w, provider, clock := second(t, config...)
			there := func() (string, string, int) {
				c := provider.Client("c1")
				return c.Name, c.Status, len(provider.Clients())
			}
			return killedAt{w, provider.SetHook, clock, there}, func() bool { return provider.LastMethod() != http.MethodGet }
		}
	}
	dcr := func(manage bool) func(*testing.T) (killedAt, func() bool) {
		return func(t *testing.T) (killedAt, func() bool) {
			w, provider, clock := bootManaging(t, manage)
			there := func() (name, status string, clients int) {
				for _, metadata := range provider.Clients() {
					name, _ = metadata["client_name"].(string)
				}
				return name, "", len(provider.Clients())
			}
			return killedAt{w, provider.SetHook, clock, there}, always
		}
	}
	same, doubt, denied := "same", engine.NotCompared, "different"
	type ends struct {
		before, done string // results
		clients      int    // at the provider, after a kill when it has done all
	}
	for name, row := range map[string]struct {
		boot func(*testing.T) (killedAt, func() bool)
		ends map[string]ends // by call
	}{
		"esignet-2.0": {eSignet(),
			map[string]ends{"register": {same, doubt, 1}, "change": {same, same, 1}, "disable": {same, same, 1}}},
		"esignet-2.0, the sole writer": {eSignet(soleWriter),
			map[string]ends{"register": {same, same, 1}, "change": {same, same, 1}, "disable": {same, same, 1}}},
		"rfc7591, by the token of each client": {dcr(false),
			map[string]ends{"register": {same, same, 2}, "change": {same, doubt, 1}, "disable": {same, doubt, 1},
				"read": {same, denied, 1}}},
		"rfc7591, by credentials for all": {dcr(true),
			map[string]ends{"register": {same, same, 2}, "change": {same, same, 1}, "disable": {same, same, 1},
				"read": {same, same, 1}}},
	} {
		for call, end := range row.ends {
			for step, want := range map[registrartest.Step]string{registrartest.Before: end.before, registrartest.Done: end.done} {
				t.Run(name+"/"+call+"/"+string(step), func(t *testing.T) {
					k, is := row.boot(t)
					in := providerRequest(t, "c1")
					add := func() error {
						_, err := k.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in)
						return err
					}
					change := func(name string, status registrar.ClientStatus) func() error {
						return func() error {
							_, err := k.Core.Clients.UpdateClient(t.Context(), admin, registrar.ProviderInterface, "c1", "", update(name, status))
							return err
						}
					}
					if call != "register" {
						if err := add(); err != nil {
							t.Fatal(err)
						}
					}
					do := map[string]func() error{
						"register": add, "change": change("B", registrar.ClientActive), "disable": change("Health portal", registrar.ClientInactive),
						"read": func() error {
							_, err := k.Core.Reconciliation.Reconcile(t.Context(), admin, func(engine.Finding) {})
							return err
						},
					}[call]
					k.call(t, step, call == "read", is, do)
					if _, n := compareAll(t, k.Service); len(n) != 1 || n[want] != 1 {
						t.Errorf("%v, want %s", n, want)
					}
					here, err := k.Store.Client(t.Context(), "c1")
					gotName, gotStatus, clients := k.there()
					if step == registrartest.Done && clients != end.clients {
						t.Errorf("the provider has %d clients", clients)
					}
					if want == same && (err != nil || here.OutcomeUnknown || here.Name != gotName || gotStatus != "" && gotStatus != string(here.Status)) {
						t.Errorf("here %s %s, there %s %s, %v", here.Name, here.Status, gotName, gotStatus, err)
					}
					if want == same && (call == "change") != (here.Name == "B") || want == same && (call == "disable") != (here.Status == registrar.ClientInactive) {
						t.Errorf("after %s: %s %s", call, here.Name, here.Status)
					}
				})
			}
		}
	}
}
