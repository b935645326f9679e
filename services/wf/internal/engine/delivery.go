package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// RetryDelivery starts another cycle of attempts at once. One that is due and has
// not been tried stays as it is, so a retry that is sent twice starts one cycle. An
// unknown id is a state conflict: the contract gives this operation no code for not
// found.
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
			url, known := e.Endpoints[d.Target.Endpoint]
			if !known {
				return wf.Refuse(wf.WrongState, "endpoint %s of delivery %s is no longer configured", d.Target.Endpoint, id)
			}
			d.Target.URL = url
		}
		if err := tx.PutDelivery(d); err != nil {
			return err
		}
		return audit(tx, wf.DeliveryRetried, by, wf.Resource{Type: "delivery", ID: id}, "")
	})
	if err == nil {
		e.Wake()
	}
	return d, err
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
func (e *Engine) Deliveries(ctx context.Context, f store.DeliveryFilter, p store.Page) ([]wf.Delivery, string, error) {
	return e.store.Deliveries(ctx, f, p)
}
