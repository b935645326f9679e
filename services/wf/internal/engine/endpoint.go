package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

// Webhooks has the use cases of endpoints and deliveries: those of both services, and the test event.
type Webhooks struct {
	*core
	*admin.Service[identity.Actor]
}

func newWebhooks(c *core) *Webhooks {
	e := &Webhooks{core: c}
	e.Service = admin.New(admin.Options[identity.Actor]{
		Rules: admin.Rules{
			Keys: c.Keys, KeysSetting: "WF_ENC_KEYS", Events: audit.DefaultPatterns, CheckURL: e.checkURL, Check: wf.CheckEndpoint,
		},
		Store: c.store.Outbox, Match: match, Do: e.manage, Metrics: c.Metrics,
		Person: func(by identity.Actor) outbox.Person { return outbox.Person{ID: by.ID} },
	})
	return e
}

func (e *Webhooks) checkURL(url string) error {
	if err := e.EndpointURL(url); err != nil {
		return refusal.At(reason.BadURL, "/url", "%s", err)
	}
	return nil
}

// manage runs fn in a transaction and appends the audit event of its change.
func (e *Webhooks) manage(ctx context.Context, by identity.Actor, fn func(*admin.Tx) (admin.Done, error)) error {
	if err := wf.RequirePerson(by); err != nil {
		return err
	}
	var done admin.Done
	err := e.store.Do(ctx, func(tx *store.Tx) (err error) {
		if done, err = fn(tx.Outbox); err != nil {
			return err
		}
		switch done.Kind {
		case "":
			return nil
		case admin.DeliveryRetried:
			return appendServiceEvent(tx, audit.EventDeliveryRetried, by, wf.Resource{Type: "delivery", ID: done.Delivery}, "")
		case admin.DeliveriesRecovered:
			return appendServiceEvent(
				tx,
				audit.EventDeliveriesRecovered,
				by,
				wf.Resource{Type: "delivery", Name: done.Endpoint.Name},
				fmt.Sprintf("%d retried", done.Retried),
			)
		default:
			return appendServiceEvent(tx, audit.EventType(done.Kind), by, wf.EndpointResource(done.Endpoint), strings.Join(done.Changed, ", "))
		}
	})
	if err == nil && done.Kind != "" {
		e.Wake()
	}
	return err
}

// TestEndpoint sends a test event to one endpoint only.
func (e *Webhooks) TestEndpoint(ctx context.Context, by identity.Actor, id string) (outbox.Delivery, error) {
	if err := wf.RequirePerson(by); err != nil {
		return outbox.Delivery{}, err
	}
	var sent []outbox.Delivery
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		endpoint, err := admin.LoadForTest(tx.Outbox, id)
		if err != nil {
			return err
		}
		sent, err = tx.AppendFor(event(tx, audit.EventWebhookTest, by, wf.EndpointResource(endpoint), ""),
			wf.Audience{Named: endpoint.Name})
		return err
	})
	if err != nil {
		return outbox.Delivery{}, err
	}
	e.Wake()
	return sent[0], nil
}
