package store

import (
	"context"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// What is read of endpoints and deliveries is read by package outboxdb. What it refuses is
// refused in the words of the service.

// ReadEndpoint returns an endpoint.
func (s *Store) ReadEndpoint(ctx context.Context, id string) (outbox.Endpoint, error) {
	e, err := s.Outbox.ReadEndpoint(ctx, id)
	return e, refusal(err)
}

// Endpoints lists endpoints, newest first.
func (s *Store) Endpoints(ctx context.Context, f outbox.EndpointFilter, p wf.Page) ([]outbox.Endpoint, string, error) {
	list, nextPage, err := s.Outbox.Endpoints(ctx, f, sqldb.Page(p))
	return list, nextPage, refusal(err)
}

// ReadDelivery returns a delivery with its payload and its attempts, oldest first. It
// reports false when there is none.
func (s *Store) ReadDelivery(ctx context.Context, id string) (outbox.Delivery, []outbox.Attempt, bool, error) {
	d, attempts, found, err := s.Outbox.ReadDelivery(ctx, id)
	return d, attempts, found, refusal(err)
}

// Deliveries lists deliveries without their payload, newest first.
func (s *Store) Deliveries(ctx context.Context, f outbox.DeliveryFilter, p wf.Page) ([]outbox.Delivery, string, error) {
	if f.Subject != "" && !isID(f.Subject) {
		f.Subject = firstID // the column takes nothing else, and this is the id of nothing
	}
	list, nextPage, err := s.Outbox.Deliveries(ctx, f, sqldb.Page(p))
	return list, nextPage, refusal(err)
}

// AddDeliveries adds deliveries of events that are there already.
func (tx *Tx) AddDeliveries(list []outbox.Delivery) error {
	return failed(tx.Batch(tx.Outbox.Add(list)...), "add %d deliveries", len(list))
}

// Settle runs fn, which stores outcomes of deliveries, in a transaction, and tells the
// other endpoints of those that it has disabled.
func (s *Store) Settle(ctx context.Context, fn func(*outboxdb.Tx) (disabled []outbox.Endpoint, err error)) error {
	return s.Do(ctx, func(tx *Tx) error {
		disabled, err := fn(tx.Outbox)
		if err != nil {
			return err
		}
		for _, e := range disabled {
			_, err := tx.Append(wf.Event{
				Type: wf.EventEndpointDisabled, At: wf.Stamp{Time: tx.Now}, Actor: wf.SystemDelivery.Ref(),
				Resource: wf.EndpointResource(e), Reason: string(e.DisabledReason),
			}, newID)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }
