package engine_test

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// deliver makes a delivery of one event to a new endpoint.
func (s *service) deliver() (id string, endpoint outbox.Endpoint) {
	s.t.Helper()
	key := s.publish(policyOf(stage("check", "ana")))
	endpoint = s.endpoint("ledger", subscribed(key, "request.created"))
	r := s.create(key)
	return s.rows("SELECT id FROM delivery WHERE subject = ?", r.ID)[0], endpoint
}

func TestTheWorkersAreWokenForDeliveries(t *testing.T) {
	s := connect(t, wftest.Schema.SQLite(t))
	woken := 0
	s = s.with(func(o *engine.Options) { o.Wake = func() { woken++ } })
	key := s.publish(policyOf(stage("check", "ana")))
	woken = 0
	s.create(key)
	same(t, "for no endpoint", woken, 0)
	s.endpoint("ledger", subscribed(key, "request.created", "request.cancelled"))
	woken = 0
	r := s.create(key)
	same(t, "for a creation", woken, 1)
	_, err := s.Requests.CancelRequest(t.Context(), rita, r.ID, "", "", nil)
	must(t, err)
	same(t, "for a cancellation", woken, 2)
}

// claimer is a worker that takes as much as there is.
var claimer = outboxdb.Claimer{PerTarget: 100, Jitter: func() float64 { return 0 }}

// finish claims at most so many due deliveries, and ends each with the result. It returns their number.
func (s *service) finish(limit int, result outbox.Result) (int, error) {
	claimed, err := s.store.Outbox.ClaimDeliveries(s.t.Context(), claimer, limit)
	if err != nil {
		return 0, err
	}
	result.StartedAt, result.FinishedAt = s.now(), s.now()
	var finished []outboxdb.Finished
	for _, c := range claimed.Held {
		d, a := c.Finish(result, 0)
		finished = append(finished, outboxdb.Finished{Delivery: d, Attempt: a})
	}
	return len(finished), s.store.Do(s.t.Context(), func(tx *store.Tx) error {
		lost, err := tx.Outbox.FinishDeliveries(finished)
		if err == nil && len(lost) > 0 {
			err = fmt.Errorf("%d outcomes were not written: their leases were lost", len(lost))
		}
		return err
	})
}
