package engine_test

import (
	"errors"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// deliver makes a delivery of one event to a new endpoint.
func (s *service) deliver() (id string, endpoint outbox.Endpoint) {
	s.t.Helper()
	key := s.publish(policyOf(stage("check", "ana")))
	endpoint = s.endpoint("ledger", subscribed(key, "request.created"))
	r := s.create(key)
	return s.rows("SELECT id FROM delivery WHERE subject = ?", r.ID)[0], endpoint
}

// claimer is a worker that takes as much as there is.
var claimer = outboxdb.Claimer{PerTarget: 100, Jitter: func() float64 { return 0 }}

// attempt takes the one delivery that is due and ends it with the result; nil leaves
// it with the worker.
func (s *service) attempt(result *outbox.Result) {
	s.t.Helper()
	claimed, err := s.store.Outbox.ClaimDeliveries(s.t.Context(), claimer, 10)
	if err != nil || len(claimed.Held) != 1 {
		s.t.Fatalf("claimed %d deliveries, %v, want 1", len(claimed.Held), err)
	}
	if result == nil {
		return
	}
	result.StartedAt, result.FinishedAt = s.now(), s.now()
	d, a := claimed.Held[0].Finish(*result, 0)
	must(s.t, s.store.Do(s.t.Context(), func(tx *store.Tx) error {
		lost, err := tx.Outbox.FinishDeliveries([]outboxdb.Finished{{Delivery: d, Attempt: a}})
		if err == nil && len(lost) > 0 {
			err = errors.New("the outcome was not written: the lease was lost")
		}
		return err
	}))
}
