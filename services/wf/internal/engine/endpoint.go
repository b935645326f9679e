package engine

import (
	"context"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/signing"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Shown is an endpoint with what its caller may see of its key: the secret, when it has
// just been made, and never again.
type Shown struct {
	wf.Endpoint
	Secret string
}

// CreateEndpoint adds a webhook endpoint. Its secret is the given one, or a new one.
func (e *Engine) CreateEndpoint(ctx context.Context, by wf.Actor, draft wf.Endpoint, secret string) (Shown, error) {
	if err := e.checkEndpoint(draft); err != nil {
		return Shown{}, err
	}
	made := Shown{Endpoint: draft}
	made.ID, made.CreatedBy, made.Rev = newID(), by.User, 1
	var err error
	if made.Secret, made.Key, err = e.newKey(made.ID, secret); err != nil {
		return Shown{}, err
	}
	err = e.store.Do(ctx, func(tx *store.Tx) error {
		made.CreatedAt, made.UpdatedAt = tx.Now, tx.Now
		if !made.Enabled {
			made.DisabledReason, made.DisabledAt = wf.DisabledByAdmin, tx.Now
		}
		if err := tx.AddEndpoint(made.Endpoint); err != nil {
			return err
		}
		return auditEndpoint(tx, wf.EndpointCreated, by, made.Endpoint)
	})
	return made, err
}

// newKey makes the key of an endpoint and returns its secret with it.
func (e *Engine) newKey(endpointID, secret string) (string, wf.SealedKey, error) {
	if e.Keys.Empty() {
		return "", wf.SealedKey{}, wf.Refuse(wf.WrongState, "the service has no key to keep secrets with: set WF_ENC_KEYS")
	}
	key, err := signing.NewKey(secret)
	if err != nil {
		return "", wf.SealedKey{}, wf.RefuseInput("value_error", []any{"body", "secret"}, "Value error, %s", err)
	}
	sealed, err := signing.Seal(e.Keys, endpointID, key)
	return key.Secret(), sealed, err
}

func (e *Engine) checkEndpoint(draft wf.Endpoint) error {
	if err := draft.Check(); err != nil {
		return err
	}
	if err := e.EndpointURL(draft.URL); err != nil {
		return wf.RefuseInput("url_parsing", []any{"body", "url"}, "Value error, %s", err)
	}
	return nil
}

// EndpointChange is what EditEndpoint changes; what is nil stays.
type EndpointChange struct {
	URL        *string
	Events     *[]string
	PolicyKeys *[]string
	Signature  *wf.SignatureScheme
	Enabled    *bool
}

// EditEndpoint changes an endpoint. Disabling it cancels what waits for it; enabling it
// forgets its failures.
func (e *Engine) EditEndpoint(ctx context.Context, by wf.Actor, id, ifMatch string, change EndpointChange) (wf.Endpoint, error) {
	return e.changeEndpoint(ctx, by, wf.EndpointUpdated, id, ifMatch, func(tx *store.Tx, before wf.Endpoint) (wf.Endpoint, error) {
		after := before
		if change.URL != nil && *change.URL != before.URL {
			after = after.Move(*change.URL, tx.Now)
		}
		if change.Events != nil {
			after.Events = *change.Events
		}
		if change.PolicyKeys != nil {
			after.PolicyKeys = *change.PolicyKeys
		}
		if change.Signature != nil {
			after.Signature = *change.Signature
		}
		if err := e.checkEndpoint(after); err != nil {
			return before, err
		}
		switch enable := change.Enabled; {
		case enable == nil || *enable == before.Enabled:
			return after.Touch(tx.Now), nil
		case *enable:
			return after.Enable(tx.Now), nil
		default:
			return after.Disable(wf.DisabledByAdmin, tx.Now), tx.CancelDeliveries(id)
		}
	})
}

// RotateSecret gives an endpoint another key, the given secret or a new one. The key
// before signs too for the overlap.
func (e *Engine) RotateSecret(ctx context.Context, by wf.Actor, id, secret string, overlap time.Duration) (Shown, error) {
	var shown Shown
	var err error
	shown.Endpoint, err = e.changeEndpoint(ctx, by, wf.EndpointRotated, id, "", func(tx *store.Tx, before wf.Endpoint) (wf.Endpoint, error) {
		text, key, err := e.newKey(id, secret)
		shown.Secret = text
		return before.Rotate(key, overlap, tx.Now), err
	})
	return shown, err
}

// changeEndpoint applies a change to an endpoint under its lock.
func (e *Engine) changeEndpoint(ctx context.Context, by wf.Actor, kind wf.EventType, id, ifMatch string, change func(*store.Tx, wf.Endpoint) (wf.Endpoint, error)) (wf.Endpoint, error) {
	var after wf.Endpoint
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		before, err := tx.Endpoint(id)
		if err != nil {
			return err
		}
		if after, err = change(tx, before); err != nil {
			return err
		}
		if err := match(ifMatch, before.Rev); err != nil {
			return err
		}
		if err := tx.PutEndpoint(before, after); err != nil {
			return err
		}
		return auditEndpoint(tx, kind, by, after)
	})
	if err == nil {
		e.Wake()
	}
	return after, err
}

// DeleteEndpoint deletes an endpoint and cancels what waits for it. Policies that name
// it are left as they are, and tell nobody.
func (e *Engine) DeleteEndpoint(ctx context.Context, by wf.Actor, id, ifMatch string) (wf.Endpoint, error) {
	var gone wf.Endpoint
	err := e.store.Do(ctx, func(tx *store.Tx) (err error) {
		if gone, err = tx.Endpoint(id); err != nil {
			return err
		}
		if err := match(ifMatch, gone.Rev); err != nil {
			return err
		}
		if err := tx.CancelDeliveries(id); err != nil {
			return err
		}
		if err := tx.DeleteEndpoint(id); err != nil {
			return err
		}
		return auditEndpoint(tx, wf.EndpointDeleted, by, gone)
	})
	return gone, err
}

// TestEndpoint sends a test event to an endpoint and to nobody else.
func (e *Engine) TestEndpoint(ctx context.Context, by wf.Actor, id string) (wf.Delivery, error) {
	var d wf.Delivery
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		endpoint, err := tx.Endpoint(id)
		if err != nil {
			return err
		}
		if !endpoint.Enabled {
			return wf.Refuse(wf.WrongState, "endpoint %s is disabled", endpoint.Name)
		}
		sent, err := tx.Append(event(tx, wf.WebhookTest, by, endpoint.Resource(), ""), newID,
			wf.WebhookTarget{Endpoint: endpoint.Name, Events: []string{string(wf.WebhookTest)}})
		if err == nil {
			d = sent[0]
		}
		return err
	})
	if err == nil {
		e.Wake()
	}
	return d, err
}

// Endpoint returns a webhook endpoint.
func (e *Engine) Endpoint(ctx context.Context, id string) (wf.Endpoint, error) {
	return e.store.ReadEndpoint(ctx, id)
}

// Endpoints lists webhook endpoints, newest first.
func (e *Engine) Endpoints(ctx context.Context, f store.EndpointFilter, p store.Page) ([]wf.Endpoint, string, error) {
	return e.store.Endpoints(ctx, f, p)
}

func auditEndpoint(tx *store.Tx, kind wf.EventType, by wf.Actor, e wf.Endpoint) error {
	return audit(tx, kind, by, e.Resource(), string(e.DisabledReason))
}
