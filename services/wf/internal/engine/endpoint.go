package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/signing"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Shown is an endpoint with its secret, if that was made by this call: it is shown
// once.
type Shown struct {
	wf.Endpoint
	Secret string
}

// CreateEndpoint adds a webhook endpoint. Its secret is the given one, or a new one.
func (e *Engine) CreateEndpoint(ctx context.Context, by wf.Actor, draft wf.Endpoint, secret string) (Shown, error) {
	if err := draft.Check(); err != nil {
		return Shown{}, err
	}
	if err := e.checkURL(draft.URL); err != nil {
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
		return audit(tx, wf.EventEndpointCreated, by, made.Resource(), "")
	})
	return made, err
}

// newKey makes the key of an endpoint and returns its secret with it.
func (e *Engine) newKey(endpointID, secret string) (string, wf.SealedKey, error) {
	if e.Keys.Empty() {
		return "", wf.SealedKey{}, wf.Refuse(wf.WrongState, "the service cannot encrypt secrets: WF_ENC_KEYS is not set")
	}
	key, err := signing.NewKey(secret)
	if err != nil {
		return "", wf.SealedKey{}, wf.RefuseInput("value_error", []any{"body", "secret"}, "Value error, %s", err)
	}
	sealed, err := signing.Seal(e.Keys, endpointID, key)
	return key.Secret(), sealed, err
}

func (e *Engine) checkURL(url string) error {
	if err := e.EndpointURL(url); err != nil {
		return wf.RefuseInput("url_parsing", []any{"body", "url"}, "Value error, %s", err)
	}
	return nil
}

// EndpointChange is what UpdateEndpoint changes. Nil leaves a member as it is.
type EndpointChange struct {
	URL                *string
	Events, PolicyKeys []string
	Signature          *wf.SignatureScheme
	Enabled            *bool
}

// apply makes the change, and names what it changed. It checks the URL only if that
// changes: an endpoint whose URL is not allowed any more can still be disabled.
func (c EndpointChange) apply(e wf.Endpoint, check func(url string) error, at time.Time) (wf.Endpoint, []string, error) {
	var changed []string
	if c.URL != nil && *c.URL != e.URL {
		if err := check(*c.URL); err != nil {
			return e, nil, err
		}
		e, changed = e.Move(*c.URL, at), append(changed, "url")
	}
	if c.Events != nil && !slices.Equal(c.Events, e.Events) {
		e.Events, changed = c.Events, append(changed, "events")
	}
	if c.PolicyKeys != nil && !slices.Equal(c.PolicyKeys, e.PolicyKeys) {
		e.PolicyKeys, changed = c.PolicyKeys, append(changed, "policy_keys")
	}
	if c.Signature != nil && *c.Signature != e.Signature {
		e.Signature, changed = *c.Signature, append(changed, "signature")
	}
	switch {
	case c.Enabled == nil || *c.Enabled == e.Enabled:
	case *c.Enabled:
		e, changed = e.Enable(at), append(changed, "enabled")
	default:
		e, changed = e.Disable(wf.DisabledByAdmin, at), append(changed, "disabled")
	}
	return e, changed, e.Check()
}

// UpdateEndpoint changes an endpoint. Disabling it cancels what waits for it; enabling
// it forgets its failures. If nothing changes there is no event.
func (e *Engine) UpdateEndpoint(ctx context.Context, by wf.Actor, id, ifMatch string, change EndpointChange) (wf.Endpoint, error) {
	return e.changeEndpoint(ctx, by, wf.EventEndpointUpdated, id, ifMatch, func(tx *store.Tx, before wf.Endpoint) (wf.Endpoint, string, error) {
		after, changed, err := change.apply(before, e.checkURL, tx.Now)
		if err != nil || changed == nil {
			return before, "", err
		}
		if before.Enabled && !after.Enabled {
			err = tx.CancelDeliveries(id)
		}
		if after.Rev == before.Rev {
			after = after.Touch(tx.Now)
		}
		return after, strings.Join(changed, ", "), err
	})
}

// RotateSecret gives an endpoint another key, with the given secret or a new one. The
// key before signs as well during the overlap.
func (e *Engine) RotateSecret(ctx context.Context, by wf.Actor, id, secret string, overlap time.Duration) (Shown, error) {
	var shown Shown
	var err error
	shown.Endpoint, err = e.changeEndpoint(ctx, by, wf.EventEndpointRotated, id, "", func(tx *store.Tx, before wf.Endpoint) (wf.Endpoint, string, error) {
		text, key, err := e.newKey(id, secret)
		shown.Secret = text
		return before.Rotate(key, overlap, tx.Now), "", err
	})
	return shown, err
}

// changeEndpoint applies a change to an endpoint under its lock. Without a new revision
// nothing is stored.
func (e *Engine) changeEndpoint(ctx context.Context, by wf.Actor, kind wf.EventType, id, ifMatch string, change func(*store.Tx, wf.Endpoint) (after wf.Endpoint, reason string, err error)) (wf.Endpoint, error) {
	var after wf.Endpoint
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		before, err := tx.Endpoint(id)
		if err != nil {
			return err
		}
		var reason string
		if after, reason, err = change(tx, before); err != nil {
			return err
		}
		if err := match(ifMatch, before.Rev); err != nil || after.Rev == before.Rev {
			return err
		}
		if err := tx.PutEndpoint(after); err != nil {
			return err
		}
		return audit(tx, kind, by, after.Resource(), reason)
	})
	if err == nil {
		e.Wake()
	}
	return after, err
}

// DeleteEndpoint deletes an endpoint and cancels what waits for it. Policies that name
// it stay as they are.
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
		return audit(tx, wf.EventEndpointDeleted, by, gone.Resource(), "")
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
		sent, err := tx.Append(event(tx, wf.EventWebhookTest, by, endpoint.Resource(), ""), newID,
			wf.WebhookTarget{Endpoint: endpoint.Name, Events: []string{string(wf.EventWebhookTest)}})
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
func (e *Engine) Endpoints(ctx context.Context, f wf.EndpointFilter, p wf.Page) ([]wf.Endpoint, string, error) {
	return e.store.Endpoints(ctx, f, p)
}
