package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/seal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// listen adds an endpoint for all events, without a receiver.
func listen(t *testing.T, w *registrartest.Service) outbox.Endpoint {
	t.Helper()
	made, err := w.Core.Webhooks.CreateEndpoint(t.Context(), admin, outbox.Endpoint{
		Name: "portal", URL: "http://127.0.0.1:1/", Events: []string{"*"}, PolicyKeys: []string{"*"}, Signature: outbox.SignHMAC, Enabled: true,
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	return made.Endpoint
}

// result is what others are result of a client: type, status and reason of each message, oldest
// first.
func result(t *testing.T, w *registrartest.Service, id string) (lines []string) {
	t.Helper()
	list, _, err := w.Core.Webhooks.Deliveries(t.Context(), outbox.DeliveryFilter{Subject: id}, registrar.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		d, _, err := w.Core.Webhooks.Delivery(t.Context(), d.ID)
		if err != nil {
			t.Fatal(err)
		}
		var m registrar.WebhookPayload
		if err := json.Unmarshal(d.Payload, &m); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprint(m.Data.Sequence, " ", m.Type, " ", m.Data.Client.Status, " ", m.Data.Reason)))
	}
	slices.Sort(lines)
	return lines
}

func wantTold(t *testing.T, w *registrartest.Service, id string, want ...string) {
	t.Helper()
	if got := result(t, w, id); !slices.Equal(got, want) {
		t.Errorf("result\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRegistrationEventsAreDelivered(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(*registrartest.ESignet)
		then   func(*testing.T, *registrartest.Service, *registrartest.ESignet, func(time.Duration))
		want   []string
	}{
		"taken by the provider": {
			func(*registrartest.ESignet) {}, func(*testing.T, *registrartest.Service, *registrartest.ESignet, func(time.Duration)) {},
			[]string{"1 client.registered PENDING", "2 client.activated ACTIVE"},
		},
		"refused by the provider": {
			func(p *registrartest.ESignet) { p.Refuse("invalid_redirect_uri") },
			func(*testing.T, *registrartest.Service, *registrartest.ESignet, func(time.Duration)) {},
			[]string{"1 client.registered PENDING", "2 client.failed FAILED provider_refused"},
		},
		"abandoned by its owner": {
			func(p *registrartest.ESignet) { p.SetDown(true) },
			func(t *testing.T, w *registrartest.Service, p *registrartest.ESignet, pass func(time.Duration)) {
				if err := w.Core.Clients.Abandon(t.Context(), admin, "c1"); !errors.Is(err, registrar.ProviderUnreachable) {
					t.Fatal(err)
				}
				p.SetDown(false)
				pass(time.Minute)
			},
			[]string{"1 client.registered PENDING", "2 client.failed FAILED"},
		},
		"never answered": {
			func(p *registrartest.ESignet) { p.SetDown(true) },
			func(_ *testing.T, _ *registrartest.Service, _ *registrartest.ESignet, pass func(time.Duration)) {
				for range 7 {
					pass(10 * time.Hour)
				}
			},
			[]string{"1 client.registered PENDING", "2 client.failed FAILED provider_unreachable"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, provider, clock := remote(t)
			listen(t, w)
			tt.before(provider)
			_, _ = w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1"))
			tt.then(t, w, provider, func(d time.Duration) {
				clock.Advance(d)
				run(t, w)
			})
			wantTold(t, w, "c1", tt.want...)
		})
	}
}

func TestUnstoredEventIsNotDelivered(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	listen(t, w)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	err := w.Store.Do(t.Context(), func(tx *store.Tx) error {
		before, err := tx.Client("c1")
		if err != nil {
			return err
		}
		after, err := before.Update(registrar.Update{Name: "Another", Status: registrar.ClientActive}, tx.Now())
		event := registrar.Event{ClientID: "c1", Type: registrar.EventClientUpdated, Actor: "ana", At: tx.Now(), Changed: []string{"clientName"}}
		return errors.Join(err, tx.PutClient(before, after), tx.AddEvent(event), full)
	})
	if !errors.Is(err, full) {
		t.Fatal(err)
	}
	wantTold(t, w, "c1", "1 client.registered ACTIVE", "2 client.activated ACTIVE")
}

func TestEndpointsThatAreAddedAndDisabledAreNoticedAtOnce(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	register := func(id string) {
		t.Helper()
		if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, id)); err != nil {
			t.Fatal(err)
		}
	}
	register("c1")
	e := listen(t, w)
	register("c2")
	err := w.Store.Do(t.Context(), func(tx *store.Tx) error { return tx.Outbox.PutEndpoint(e.Disable(outbox.DisabledByAdmin, tx.Now())) })
	if err != nil {
		t.Fatal(err)
	}
	register("c3")
	for id, want := range map[string]int{"c1": 0, "c2": 2, "c3": 0} {
		if got := result(t, w, id); len(got) != want {
			t.Errorf("of %s they are result %q, want %d", id, got, want)
		}
	}
}

func TestRekeyMovesSecretsToTheFirstKey(t *testing.T) {
	first, second := "a:"+seal.NewKey(), "b:"+seal.NewKey()
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.EncKeys = daemon.Secret(first) }})
	listen(t, w)
	for _, tt := range []struct {
		keys    string
		changed int
		fails   bool
	}{{second, 0, true}, {second + "," + first, 1, false}, {second + "," + first, 0, false}, {second, 0, false}, {first, 0, true}} {
		keys, err := seal.Parse(tt.keys)
		if err != nil {
			t.Fatal(err)
		}
		done, err := server.Rekey(t.Context(), w.DB, keys)
		if want := fmt.Sprint(" and ", tt.changed, " webhook endpoints"); !strings.Contains(done, want) || (err != nil) != tt.fails {
			t.Errorf("rekey = %q, %v; want%q, fails %t", done, err, want, tt.fails)
		}
		if err != nil && strings.Contains(err.Error(), first[2:]) {
			t.Errorf("the error is %v", err)
		}
	}
	if names, err := w.Core.Webhooks.CheckKeys(t.Context()); err != nil || !slices.Equal(names, []string{"portal"}) {
		t.Errorf("without the new key the service cannot sign for %q, %v", names, err)
	}
}

func TestWithoutKeysThereAreNoEndpoints(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{Config: func(c *server.Config) { c.EncKeys, c.ConsoleClientID = "", "" }})
	_, err := w.Core.Webhooks.CreateEndpoint(t.Context(), admin, outbox.Endpoint{Name: "a", URL: "http://127.0.0.1:1/", Signature: outbox.SignHMAC}, "")
	if !errors.Is(err, outbox.WrongState) || !strings.Contains(err.Error(), "REGISTRAR_ENC_KEYS is not set") {
		t.Errorf("error = %v", err)
	}
}

func TestOldDeliveriesArePurged(t *testing.T) {
	w, _, clock := remote(t)
	e := listen(t, w)
	if _, err := w.Core.Clients.RegisterClient(t.Context(), admin, registrar.ProviderInterface, "", providerRequest(t, "c1")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Core.Webhooks.DeleteEndpoint(t.Context(), admin, e.ID, ""); err != nil { // cancels pending deliveries
		t.Fatal(err)
	}
	purge := func(dry bool) string {
		t.Helper()
		done, err := server.Purge(t.Context(), w.DB, dry)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	if got := purge(false); got != "deleted 0 events, 0 deliveries" {
		t.Error(got)
	}
	clock.Advance(91 * 24 * time.Hour)
	if got := purge(true); !strings.Contains(got, "0 events and 2 deliveries are old enough") {
		t.Error(got)
	}
	if got := purge(false); got != "deleted 0 events, 2 deliveries" || result(t, w, "c1") != nil {
		t.Error(got)
	}
}
