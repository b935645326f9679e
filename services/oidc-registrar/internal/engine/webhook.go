package engine

import (
	"context"
	"log/slog"
	"strings"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// Webhooks has the use cases of endpoints and deliveries: those of both services, and the test message.
type Webhooks struct {
	*core
	*admin.Service[Caller]
}

func newWebhooks(c *core) *Webhooks {
	g := &Webhooks{core: c}
	g.Service = admin.New(admin.Options[Caller]{
		Rules: admin.Rules{
			Keys: g.Keys, KeysSetting: "REGISTRAR_ENC_KEYS", Events: registrar.DefaultWebhooks, CheckURL: g.checkURL,
			Check: registrar.CheckEndpoint,
		},
		Store: g.store.Outbox, Do: g.manage, Metrics: g.Metrics,
		Person: func(by Caller) outbox.Person { return outbox.Person{ID: by.Subject} },
		Match:  func(string, int64) error { return nil }, // no operation requires If-Match
	})
	return g
}

func (g *Webhooks) checkURL(url string) error {
	if err := g.EndpointURL(url); err != nil {
		return refusal.At(registrar.InvalidRequest, "/url", "%s", err.Error())
	}
	return nil
}

// manage runs fn in a transaction and logs the operation with its actor.
func (g *Webhooks) manage(ctx context.Context, by Caller, fn func(*admin.Tx) (admin.Done, error)) error {
	var done admin.Done
	err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
		done, err = fn(tx.Outbox)
		return err
	})
	if err != nil || done.Kind == "" {
		return err
	}
	about, more := slog.String("endpoint", done.Endpoint.Name), []slog.Attr(nil)
	switch done.Kind {
	case admin.EndpointUpdated:
		more = append(more, slog.String("changed", strings.Join(done.Changed, ", ")))
	case admin.DeliveryRetried:
		about = slog.String("delivery", done.Delivery)
	case admin.DeliveriesRecovered:
		more = append(more, slog.Int("retried", done.Retried))
	}
	g.note(ctx, by, string(done.Kind), about, more...)
	return nil
}

// note logs a change of an endpoint or a delivery with its actor, and wakes the sender.
func (g *Webhooks) note(ctx context.Context, by Caller, event string, about slog.Attr, more ...slog.Attr) {
	oplog.LogEvents(ctx, g.log, about, []string{event}, append(more, slog.String("actor", oplog.Subject(by.Subject)))...)
	if g.store.Wake != nil {
		g.store.Wake()
	}
}

// TestEndpoint sends a test message to one endpoint.
func (g *Webhooks) TestEndpoint(ctx context.Context, by Caller, id string) (outbox.Delivery, error) {
	var d outbox.Delivery
	err := g.store.Do(ctx, func(tx *store.Tx) error {
		e, err := admin.LoadForTest(tx.Outbox, id)
		if err == nil {
			d, err = tx.AddTest(e, by.Subject)
		}
		return err
	})
	if err == nil {
		g.note(ctx, by, "endpoint.tested", slog.String("endpoint", d.Target.Endpoint))
	}
	return d, err
}
