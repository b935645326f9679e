package engine

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/manage"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// RetryDelivery starts another cycle of attempts at once. A delivery that is due and
// untried stays as it is, so a retry that is sent twice starts one cycle. An unknown id
// is a state conflict: the operation has no code for what does not exist.
func (e *Engine) RetryDelivery(ctx context.Context, by wf.Actor, id, ifMatch string) (outbox.Delivery, error) {
	var d outbox.Delivery
	err := e.store.Do(ctx, func(tx *store.Tx) (err error) {
		var began bool
		d, began, err = manage.Retry(tx.Outbox, id, func(rev int64) error { return match(ifMatch, rev) })
		if err != nil || !began {
			return err
		}
		return audit(tx, wf.EventDeliveryRetried, by, wf.Resource{Type: "delivery", ID: id}, "")
	})
	if err == nil {
		e.Wake()
	}
	return d, err
}

// RecoverDeliveries starts another cycle of every delivery that was given up or
// cancelled in a time, to one endpoint or to all, at most 10,000 at once. Those whose
// endpoint is disabled or deleted stay as they are.
func (e *Engine) RecoverDeliveries(ctx context.Context, by wf.Actor, r outbox.Recovery) (manage.Recovered, error) {
	var out manage.Recovered
	err := e.store.Do(ctx, func(tx *store.Tx) (err error) {
		if out, err = manage.Recover(tx.Outbox, r); err != nil || out.Retried == 0 {
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
func (e *Engine) Delivery(ctx context.Context, id string) (outbox.Delivery, []outbox.Attempt, error) {
	d, attempts, found, err := e.store.ReadDelivery(ctx, id)
	if err == nil && !found {
		err = wf.Refuse(wf.WrongState, "no delivery %s", id)
	}
	return d, attempts, err
}

// Deliveries lists deliveries, newest first.
func (e *Engine) Deliveries(ctx context.Context, f outbox.DeliveryFilter, p wf.Page) ([]outbox.Delivery, string, error) {
	return e.store.Deliveries(ctx, f, p)
}
