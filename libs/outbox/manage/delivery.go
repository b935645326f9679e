package manage

import (
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
)

// retry starts another cycle of attempts of a delivery. match refuses another revision than
// the caller knows.
func retry(tx *outboxdb.Tx, id string, match func(rev int64) error) (d outbox.Delivery, began bool, err error) {
	before, found, err := tx.Delivery(id)
	if err != nil {
		return d, false, err
	}
	if !found {
		return d, false, outbox.Refuse(outbox.WrongState, "no delivery %s", id)
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

// targetOf is the endpoint of a delivery as it is now.
func targetOf(tx *outboxdb.Tx, d outbox.Delivery) (outbox.Target, error) {
	endpoints, err := tx.Endpoints()
	if err != nil {
		return d.Target, err
	}
	for _, endpoint := range endpoints {
		if endpoint.ID == d.Target.EndpointID {
			if !endpoint.Enabled {
				return d.Target, outbox.Refuse(outbox.WrongState, "endpoint %s of delivery %s is disabled", endpoint.Name, d.ID)
			}
			return endpoint.Target(), nil
		}
	}
	return d.Target, outbox.Refuse(outbox.WrongState, "endpoint %s of delivery %s is deleted", d.Target.Endpoint, d.ID)
}

// maxRecovered is the most deliveries that one recovery retries.
const maxRecovered = 10_000

// Recovered is the outcome of a recovery.
type Recovered struct {
	Retried int
	More    bool // there are more
}

// again starts another cycle of the deliveries of a recovery.
func again(tx *outboxdb.Tx, r outbox.Recovery) (Recovered, error) {
	if r.Limit <= 0 || r.Limit > maxRecovered {
		r.Limit = maxRecovered
	}
	list, more, err := tx.Recoverable(r)
	if err != nil {
		return Recovered{}, err
	}
	for i, d := range list {
		if list[i], err = d.Retry(tx.Now()); err != nil {
			return Recovered{}, err
		}
	}
	out := Recovered{len(list), more}
	if out.Retried == 0 {
		return out, nil
	}
	return out, tx.PutRecovered(list)
}
