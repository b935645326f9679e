package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// AddDeliveries adds deliveries of stored events.
func (tx *Tx) AddDeliveries(list []outbox.Delivery) error {
	return wrapError(tx.Batch(tx.Outbox.Add(list)...), "add %d deliveries", len(list))
}

// Settle runs fn, which stores outcomes of deliveries, in a transaction. It notifies the other
// endpoints of the endpoints that fn disabled.
func (s *Store) Settle(ctx context.Context, fn func(*outboxdb.Tx) (disabled []outbox.Endpoint, err error)) error {
	return s.Do(ctx, func(tx *Tx) error {
		disabled, err := fn(tx.Outbox)
		if err != nil {
			return err
		}
		for _, e := range disabled {
			_, err := tx.Append(wf.Event{
				Type: audit.EventEndpointDisabled, At: identity.Stamp{Time: tx.Now()}, Actor: identity.SystemDelivery.Ref(),
				Resource: wf.EndpointResource(e), Reason: string(e.DisabledReason),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }
