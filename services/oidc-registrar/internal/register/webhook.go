package register

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/manage"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// endpoints manages the webhook endpoints by the service's rules.
func (g *Engine) endpoints() manage.Endpoints {
	return manage.Endpoints{Keys: g.Keys, CheckURL: g.checkURL, Check: registrar.CheckEndpoint}
}

func (g *Engine) checkURL(url string) error {
	if err := g.EndpointURL(url); err != nil {
		return registrar.Invalid{{Field: "url", Reason: registrar.InvalidRequest, Message: err.Error()}}
	}
	return nil
}

// note puts into the log what was done to an endpoint or a delivery, and by whom.
func (g *Engine) note(ctx context.Context, by Caller, event string, about slog.Attr, more ...slog.Attr) {
	oplog.Happened(ctx, g.log, about, []string{event}, append(more, slog.String("actor", oplog.Subject(by.Subject)))...)
}

// CreateEndpoint adds a webhook endpoint. Its secret is the given one, or a new one.
func (g *Engine) CreateEndpoint(ctx context.Context, by Caller, draft outbox.Endpoint, secret string) (manage.Shown, error) {
	var made manage.Shown
	err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
		made, err = g.endpoints().Create(tx.Outbox, draft, secret, outbox.Person{ID: by.Subject})
		return err
	})
	if err == nil {
		g.note(ctx, by, "endpoint.created", slog.String("endpoint", made.Name))
	}
	return made, err
}

// UpdateEndpoint changes an endpoint. Disabling it cancels what waits for it; enabling
// it forgets its failures.
func (g *Engine) UpdateEndpoint(ctx context.Context, by Caller, id string, change manage.Change) (outbox.Endpoint, error) {
	var after outbox.Endpoint
	var changed []string
	err := g.withEndpoint(ctx, id, func(tx *store.Tx, before outbox.Endpoint) (err error) {
		after, changed, err = g.endpoints().Update(tx.Outbox, before, change)
		return err
	})
	if err == nil && changed != nil {
		g.note(ctx, by, "endpoint.updated", slog.String("endpoint", after.Name), slog.String("changed", strings.Join(changed, ", ")))
	}
	return after, err
}

// RotateSecret gives an endpoint another key, with the given secret or a new one. The
// key before signs as well during the overlap.
func (g *Engine) RotateSecret(ctx context.Context, by Caller, id, secret string, overlap time.Duration) (manage.Shown, error) {
	var shown manage.Shown
	err := g.withEndpoint(ctx, id, func(tx *store.Tx, before outbox.Endpoint) (err error) {
		shown, err = g.endpoints().Rotate(tx.Outbox, before, secret, overlap)
		return err
	})
	if err == nil {
		g.note(ctx, by, "endpoint.rotated", slog.String("endpoint", shown.Name))
	}
	return shown, err
}

// DeleteEndpoint deletes an endpoint and cancels what waits for it.
func (g *Engine) DeleteEndpoint(ctx context.Context, by Caller, id string) (outbox.Endpoint, error) {
	var gone outbox.Endpoint
	err := g.withEndpoint(ctx, id, func(tx *store.Tx, before outbox.Endpoint) error {
		gone = before
		return manage.Delete(tx.Outbox, before)
	})
	if err == nil {
		g.note(ctx, by, "endpoint.deleted", slog.String("endpoint", gone.Name))
	}
	return gone, err
}

// TestEndpoint sends a test message to an endpoint and to nobody else.
func (g *Engine) TestEndpoint(ctx context.Context, by Caller, id string) (outbox.Delivery, error) {
	var d outbox.Delivery
	err := g.withEndpoint(ctx, id, func(tx *store.Tx, e outbox.Endpoint) (err error) {
		if !e.Enabled {
			return registrar.Refuse(registrar.WebhookState, "endpoint %s is disabled", e.Name)
		}
		d, err = tx.AddTest(e, by.Subject)
		return err
	})
	if err == nil {
		g.note(ctx, by, "endpoint.tested", slog.String("endpoint", d.Target.Endpoint))
	}
	return d, err
}

// withEndpoint runs fn with an endpoint that is locked.
func (g *Engine) withEndpoint(ctx context.Context, id string, fn func(*store.Tx, outbox.Endpoint) error) error {
	err := g.store.Do(ctx, func(tx *store.Tx) error {
		e, err := tx.Outbox.Endpoint(id)
		if err != nil {
			return err
		}
		return fn(tx, e)
	})
	if err == nil {
		g.wake()
	}
	return err
}

// wake tells the sender that a webhook may be due.
func (g *Engine) wake() {
	if g.store.Wake != nil {
		g.store.Wake()
	}
}

// Endpoint returns a webhook endpoint.
func (g *Engine) Endpoint(ctx context.Context, id string) (outbox.Endpoint, error) {
	return g.store.ReadEndpoint(ctx, id)
}

// Endpoints lists webhook endpoints, newest first.
func (g *Engine) Endpoints(ctx context.Context, f outbox.EndpointFilter, p registrar.Page) ([]outbox.Endpoint, string, error) {
	return g.store.Endpoints(ctx, f, p)
}

// RetryDelivery starts another cycle of attempts at once. A delivery that is due and
// untried stays as it is, so a retry that is sent twice starts one cycle.
func (g *Engine) RetryDelivery(ctx context.Context, by Caller, id string) (outbox.Delivery, error) {
	var d outbox.Delivery
	var began bool
	err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
		d, began, err = manage.Retry(tx.Outbox, id, nil)
		return err
	})
	if err == nil && began {
		g.note(ctx, by, "delivery.retried", slog.String("delivery", d.ID))
		g.wake()
	}
	return d, err
}

// RecoverDeliveries starts another cycle of every delivery that was given up or
// cancelled in a time, to one endpoint or to all, at most 10,000 at once. Those whose
// endpoint is disabled or deleted stay as they are.
func (g *Engine) RecoverDeliveries(ctx context.Context, by Caller, r outbox.Recovery) (manage.Recovered, error) {
	var out manage.Recovered
	err := g.store.Do(ctx, func(tx *store.Tx) (err error) {
		out, err = manage.Recover(tx.Outbox, r)
		return err
	})
	if err == nil && out.Retried > 0 {
		g.note(ctx, by, "deliveries.recovered", slog.String("endpoint", r.Endpoint), slog.Int("retried", out.Retried))
		g.wake()
	}
	return out, err
}

// Delivery returns a delivery with its attempts.
func (g *Engine) Delivery(ctx context.Context, id string) (outbox.Delivery, []outbox.Attempt, error) {
	d, attempts, found, err := g.store.ReadDelivery(ctx, id)
	if err == nil && !found {
		err = registrar.Refuse(registrar.WebhookState, "no delivery %s", id)
	}
	return d, attempts, err
}

// Deliveries lists deliveries, newest first.
func (g *Engine) Deliveries(ctx context.Context, f outbox.DeliveryFilter, p registrar.Page) ([]outbox.Delivery, string, error) {
	return g.store.Deliveries(ctx, f, p)
}

// RekeyEndpoints encrypts the keys of every endpoint with the first of the service's keys, and
// returns how many endpoints it changed. The service's other keys can go after that.
func (g *Engine) RekeyEndpoints(ctx context.Context) (changed int, err error) {
	err = g.store.Do(ctx, func(tx *store.Tx) (err error) {
		changed, err = g.endpoints().Rekey(tx.Outbox)
		return err
	})
	return changed, err
}

// Signs reports whether the service can sign for an endpoint at a time. If not, what waits
// for the endpoint stays as it is.
func (g *Engine) Signs(e outbox.Endpoint, at time.Time) bool { return g.endpoints().Signs(e, at) }

// CheckKeys returns the names of the enabled endpoints that the service cannot sign for,
// and remembers how many they are.
func (g *Engine) CheckKeys(ctx context.Context) (names []string, err error) {
	err = g.store.Do(ctx, func(tx *store.Tx) (err error) {
		names, err = g.endpoints().Unsigned(tx.Outbox)
		return err
	})
	if err == nil {
		g.unsigned.Store(int64(len(names)))
	}
	return names, err
}
