package engine

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// RetryDelivery starts another cycle of attempts at once. A delivery that is due and
// untried stays as it is, so a retry that is sent twice starts one cycle. An unknown id
// is a state conflict: the operation has no code for what does not exist.
func (e *Engine) RetryDelivery(ctx context.Context, by wf.Actor, id, ifMatch string) (wf.Delivery, error) {
	var d wf.Delivery
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		before, found, err := tx.Delivery(id)
		if err != nil {
			return err
		}
		if !found {
			return wf.Refuse(wf.WrongState, "no delivery %s", id)
		}
		if d, err = before.Retry(tx.Now); err != nil {
			return err
		}
		if err := match(ifMatch, before.Rev()); err != nil {
			return err
		}
		if before.Status == wf.DeliveryPending && before.Attempt == 0 && !before.NextAttemptAt.After(tx.Now) {
			d = before
			return nil
		}
		if d.Target.Endpoint != "" {
			if d.Target, err = targetOf(tx, d); err != nil {
				return err
			}
		}
		if err := tx.PutDelivery(d); err != nil {
			return err
		}
		return audit(tx, wf.EventDeliveryRetried, by, wf.Resource{Type: "delivery", ID: id}, "")
	})
	if err == nil {
		e.Wake()
	}
	return d, err
}

// targetOf is the endpoint of a delivery as it is now.
func targetOf(tx *store.Tx, d wf.Delivery) (wf.Target, error) {
	endpoints, err := tx.Endpoints()
	if err != nil {
		return d.Target, err
	}
	for _, endpoint := range endpoints {
		if endpoint.ID == d.Target.EndpointID {
			if !endpoint.Enabled {
				return d.Target, wf.Refuse(wf.WrongState, "endpoint %s of delivery %s is disabled", endpoint.Name, d.ID)
			}
			return endpoint.Target(), nil
		}
	}
	return d.Target, wf.Refuse(wf.WrongState, "endpoint %s of delivery %s is deleted", d.Target.Endpoint, d.ID)
}

// maxRecovered is the most deliveries that one recovery retries.
const maxRecovered = 10_000

// Recovered is the outcome of a recovery.
type Recovered struct {
	Retried int
	More    bool // there are more
}

// RecoverDeliveries starts another cycle of every delivery that was given up or
// cancelled in a time, to one endpoint or to all, at most 10,000 at once. Those whose
// endpoint is disabled or deleted stay as they are.
func (e *Engine) RecoverDeliveries(ctx context.Context, by wf.Actor, r wf.Recovery) (Recovered, error) {
	var out Recovered
	if r.Limit <= 0 || r.Limit > maxRecovered {
		r.Limit = maxRecovered
	}
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		list, more, err := tx.Recoverable(r)
		if err != nil {
			return err
		}
		for i, d := range list {
			if list[i], err = d.Retry(tx.Now); err != nil {
				return err
			}
		}
		if out = (Recovered{len(list), more}); out.Retried == 0 {
			return nil
		}
		if err := tx.PutRecovered(list); err != nil {
			return err
		}
		return audit(tx, wf.EventDeliveriesRecovered, by, wf.Resource{Type: "delivery", Name: r.Endpoint}, fmt.Sprintf("%d retried", out.Retried))
	})
	if err == nil {
		e.Wake()
	}
	return out, err
}

// Delivery returns a delivery with its attempts.
func (e *Engine) Delivery(ctx context.Context, id string) (wf.Delivery, []wf.Attempt, error) {
	d, attempts, found, err := e.store.ReadDelivery(ctx, id)
	if err == nil && !found {
		err = wf.Refuse(wf.WrongState, "no delivery %s", id)
	}
	return d, attempts, err
}

// Deliveries lists deliveries, newest first.
func (e *Engine) Deliveries(ctx context.Context, f wf.DeliveryFilter, p wf.Page) ([]wf.Delivery, string, error) {
	return e.store.Deliveries(ctx, f, p)
}
