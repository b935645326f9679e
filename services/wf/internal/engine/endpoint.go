package engine

import (
	"context"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/manage"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// endpoints manages the endpoints by the service's rules.
func (e *Engine) endpoints() manage.Endpoints {
	return manage.Endpoints{Keys: e.Keys, CheckURL: e.checkURL, Check: wf.CheckEndpoint}
}

func (e *Engine) checkURL(url string) error {
	if err := e.EndpointURL(url); err != nil {
		return wf.RefuseInput("url_parsing", []any{"body", "url"}, "Value error, %s", err)
	}
	return nil
}

// CreateEndpoint adds a webhook endpoint. Its secret is the given one, or a new one.
func (e *Engine) CreateEndpoint(ctx context.Context, by wf.Actor, draft outbox.Endpoint, secret string) (manage.Shown, error) {
	var made manage.Shown
	err := e.store.Do(ctx, func(tx *store.Tx) (err error) {
		if made, err = e.endpoints().Create(tx.Outbox, draft, secret, outbox.Person(by.User)); err != nil {
			return err
		}
		return audit(tx, wf.EventEndpointCreated, by, wf.EndpointResource(made.Endpoint), "")
	})
	return made, err
}

// UpdateEndpoint changes an endpoint. Disabling it cancels what waits for it; enabling
// it forgets its failures. If nothing changes there is no event.
func (e *Engine) UpdateEndpoint(ctx context.Context, by wf.Actor, id, ifMatch string, change manage.Change) (outbox.Endpoint, error) {
	var after outbox.Endpoint
	err := e.withEndpoint(ctx, id, ifMatch, func(tx *store.Tx, before outbox.Endpoint) (err error) {
		var changed []string
		if after, changed, err = e.endpoints().Update(tx.Outbox, before, change); err != nil || changed == nil {
			return err
		}
		return audit(tx, wf.EventEndpointUpdated, by, wf.EndpointResource(after), strings.Join(changed, ", "))
	})
	return after, err
}

// RotateSecret gives an endpoint another key, with the given secret or a new one. The
// key before signs as well during the overlap.
func (e *Engine) RotateSecret(ctx context.Context, by wf.Actor, id, secret string, overlap time.Duration) (manage.Shown, error) {
	var shown manage.Shown
	err := e.withEndpoint(ctx, id, "", func(tx *store.Tx, before outbox.Endpoint) (err error) {
		if shown, err = e.endpoints().Rotate(tx.Outbox, before, secret, overlap); err != nil {
			return err
		}
		return audit(tx, wf.EventEndpointRotated, by, wf.EndpointResource(shown.Endpoint), "")
	})
	return shown, err
}

// DeleteEndpoint deletes an endpoint and cancels what waits for it. Policies that name
// it stay as they are.
func (e *Engine) DeleteEndpoint(ctx context.Context, by wf.Actor, id, ifMatch string) (outbox.Endpoint, error) {
	var gone outbox.Endpoint
	err := e.withEndpoint(ctx, id, ifMatch, func(tx *store.Tx, before outbox.Endpoint) error {
		gone = before
		if err := manage.Delete(tx.Outbox, gone); err != nil {
			return err
		}
		return audit(tx, wf.EventEndpointDeleted, by, wf.EndpointResource(gone), "")
	})
	return gone, err
}

// withEndpoint runs fn with an endpoint that is locked. What fn refuses comes before what
// If-Match does: it is wrong with the call whatever the endpoint is.
func (e *Engine) withEndpoint(ctx context.Context, id, ifMatch string, fn func(*store.Tx, outbox.Endpoint) error) error {
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		before, err := tx.Outbox.Endpoint(id)
		if err != nil {
			return err
		}
		if err := fn(tx, before); err != nil {
			return err
		}
		return match(ifMatch, before.Rev)
	})
	if err == nil {
		e.Wake()
	}
	return err
}

// TestEndpoint sends a test event to an endpoint and to nobody else.
func (e *Engine) TestEndpoint(ctx context.Context, by wf.Actor, id string) (outbox.Delivery, error) {
	var d outbox.Delivery
	err := e.withEndpoint(ctx, id, "", func(tx *store.Tx, endpoint outbox.Endpoint) error {
		if !endpoint.Enabled {
			return wf.Refuse(wf.WrongState, "endpoint %s is disabled", endpoint.Name)
		}
		sent, err := tx.Append(event(tx, wf.EventWebhookTest, by, wf.EndpointResource(endpoint), ""), newID,
			wf.WebhookTarget{Endpoint: endpoint.Name, Events: []string{string(wf.EventWebhookTest)}})
		if err == nil {
			d = sent[0]
		}
		return err
	})
	return d, err
}

// Endpoint returns a webhook endpoint.
func (e *Engine) Endpoint(ctx context.Context, id string) (outbox.Endpoint, error) {
	return e.store.ReadEndpoint(ctx, id)
}

// Endpoints lists webhook endpoints, newest first.
func (e *Engine) Endpoints(ctx context.Context, f outbox.EndpointFilter, p wf.Page) ([]outbox.Endpoint, string, error) {
	return e.store.Endpoints(ctx, f, p)
}
