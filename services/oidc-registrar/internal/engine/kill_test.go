package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// killed is a process that dies in the middle of a call. It leaves its committed state, which is
// the row with its lease, and its sent requests.
const killed = "killed"

// begin stores a call as begun by the killed process.
func begin(t *testing.T, w *registrartest.Service, call registrar.Call, wanted registrar.Update, add *registrar.Client) {
	t.Helper()
	err := w.Store.Do(t.Context(), func(tx *store.Tx) error {
		l := store.NewCall(call, wanted, "admin", tx.Now()).Begin(killed, tx.Now())
		if add != nil {
			return tx.AddClient(*add, &l)
		}
		return tx.Enqueue(l, killed)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// settle lets the time pass after which a dead process's calls are free, and the worker work.
func settle(t *testing.T, w *registrartest.Service, clock *timetest.Clock) {
	t.Helper()
	clock.Advance(20 * time.Second)
	if n := run(t, w); n != 1 {
		t.Errorf("%d calls were taken over", n)
	}
}

func TestARegistrationThatIsKilledIsNeitherLostNorMadeTwice(t *testing.T) {
	for name, tt := range map[string]struct {
		config func(*server.Config)
		sent   bool
		want   string // the status, and whether it is doubtful
	}{
		"esignet, before it is sent":            {func(*server.Config) {}, false, "ACTIVE"},
		"esignet, after it is sent":             {func(*server.Config) {}, true, "PENDING doubtful"},
		"esignet as the only writer, before it": {soleWriter, false, "ACTIVE"},
		"esignet as the only writer, after it":  {soleWriter, true, "ACTIVE"},
		"esignet, with the id of another owner": {func(*server.Config) {}, false, "PENDING doubtful"},
	} {
		t.Run(name, func(t *testing.T) {
			w, provider, clock := remote(t, tt.config)
			reg, err := registrar.DefaultRules().Register(registrar.ProviderInterface, providerRequest(t, "c1"))
			if err != nil {
				t.Fatal(err)
			}
			client := reg.NewClient("admin", clock.Now())
			begin(t, w, registrar.Call{ClientID: "c1", Kind: registrar.CallRegister}, registrar.Update{}, &client)
			if tt.sent {
				if _, err := w.Options.Provider.Register(t.Context(), client, registrar.PriorNone); err != nil {
					t.Fatal(err)
				}
			} else if tt.want == "PENDING doubtful" {
				provider.AddForeignClient("c1")
			}
			settle(t, w, clock)
			got := status(t, w, "c1")
			if outcomeUnknown(t, w, "c1") {
				got += " doubtful"
			}
			if got != tt.want || len(provider.Clients()) != 1 {
				t.Errorf("the client is %s, and the provider has %v", got, provider.Clients())
			}
			provider.Check(t)
		})
	}
}

func TestAChangeAtESignetThatIsKilledIsMade(t *testing.T) {
	w, provider, clock := remote(t)
	in := providerRequest(t, "c1")
	c, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", in)
	if err != nil {
		t.Fatal(err)
	}
	change := c.Repetition()
	change.Name = "B"
	begin(t, w, registrar.Call{ClientID: "c1", Kind: registrar.CallUpdate}, change, nil)
	settle(t, w, clock)
	if c, err := w.Store.Client(t.Context(), "c1"); err != nil || c.Name != "B" || provider.Client("c1").Name != "B" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestAGivenUpClientWhoseRemovalIsKilledIsRemoved(t *testing.T) {
	w, provider, clock := remote(t, soleWriter)
	provider.LoseReplies(true)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "",
		providerRequest(t, "c1")); !errors.Is(err, registrar.ProviderUnreachable) {
		t.Fatal(err)
	}
	provider.LoseReplies(false)
	begin(t, w, registrar.Call{ClientID: "c1", Kind: registrar.CallRemove, Sent: true}, registrar.Update{}, nil)
	settle(t, w, clock)
	if got := status(t, w, "c1"); got != "none" || provider.Clients()["c1"] != "INACTIVE" {
		t.Errorf("the client is %s here and %s there", got, provider.Clients()["c1"])
	}
}
