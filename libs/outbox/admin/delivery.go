package admin

import (
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/refusal"
)

// retry starts another cycle of attempts of a delivery. match refuses a revision other than the caller's.
func retry(tx *outboxdb.Tx, id string, match func(rev int64) error) (d outbox.Delivery, began bool, err error) {
	before, found, err := tx.Delivery(id)
	if err != nil {
		return d, false, err
	}
	if !found {
		return d, false, refusal.New(outbox.WrongState, "no delivery %s", id)
	}
	if d, err = before.Retry(tx.Now()); err != nil {
		return d, false, err
	}
	if err := match(before.Rev()); err != nil {
		return d, false, err
	}
	if before.Status == outbox.DeliveryPending && before.Attempt == 0 && !before.NextAttemptAt.After(tx.Now()) {
		return before, false, nil
	}
	if d.Target.Endpoint != "" && !d.Target.ToPeople() {
		if d.Target, err = targetOf(tx, d); err != nil {
			return d, false, err
		}
	}
	return d, true, tx.PutDelivery(d)
}

// targetOf returns the current endpoint of a delivery.
func targetOf(tx *outboxdb.Tx, d outbox.Delivery) (outbox.Target, error) {
	endpoints, err := tx.Endpoints()
	if err != nil {
		return d.Target, err
	}
	for _, endpoint := range endpoints {
		if endpoint.ID == d.Target.EndpointID {
			if !endpoint.Enabled {
				return d.Target, refusal.New(outbox.WrongState, "endpoint %s of delivery %s is disabled", endpoint.Name, d.ID)
			}
			return endpoint.Target(), nil
		}
	}
	return d.Target, refusal.New(outbox.WrongState, "endpoint %s of delivery %s is deleted", d.Target.Endpoint, d.ID)
}

// Recovered is the outcome of a recovery.
type Recovered struct {
	Retried int  `json:"retried" doc:"Number of deliveries that are sent again."`
	More    bool `json:"more" doc:"Whether further deliveries match; repeat the call."`
}
