package engine_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	webhookadmin "github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestEventIsDeliveredToSubscribedEndpoints(t *testing.T) {
	all := []string{"request.created", "request.approved", "stage.started", "stage.approved", "task.created", "task.decided"}
	tests := map[string]struct {
		events   map[string][]string // patterns by endpoint
		callback bool
		want     map[string][]string // by endpoint, or callback
	}{
		"no endpoint":    {nil, false, map[string][]string{}},
		"for everything": {map[string][]string{"ledger": {"*"}}, false, map[string][]string{"ledger": all}},
		"for two kinds": {map[string][]string{"ledger": {"task.decided", "stage.*"}}, false,
			map[string][]string{"ledger": {"stage.started", "stage.approved", "task.decided"}}},
		"by two patterns": {map[string][]string{"ledger": {"request.*", "*.approved"}}, false,
			map[string][]string{"ledger": {"request.created", "request.approved", "stage.approved"}}},
		"two endpoints": {map[string][]string{"ledger": {"stage.*"}, "chat": {"request.approved"}}, false,
			map[string][]string{"ledger": {"stage.started", "stage.approved"}, "chat": {"request.approved"}}},
		"the caller": {nil, true, map[string][]string{callback: {"request.created", "request.approved"}}},
		"the caller and an endpoint": {map[string][]string{"chat": {"task.decided"}}, true,
			map[string][]string{callback: {"request.created", "request.approved"}, "chat": {"task.decided"}}},
	}
	each(t, func(t *testing.T, s *service) {
		for name, tt := range tests {
			key, urls, suffix := s.publish(policyOf(stage("check", "ana"))), map[string]string{}, "-"+strings.ReplaceAll(name, " ", "")
			for endpoint, events := range tt.events {
				urls[endpoint+suffix] = s.endpoint(endpoint+suffix, subscribed(key, events...)).URL
			}
			r := s.create(key, func(in *engine.RequestInput) {
				if tt.callback {
					in.CallbackURL = callback
				}
			})
			must(t, s.approve(r.Tasks[0].ID, "ana"))
			list, _, err := s.Webhooks.Deliveries(t.Context(), outbox.DeliveryFilter{Subject: r.ID}, wf.Page{})
			must(t, err)
			got := map[string][]string{}
			for _, d := range list {
				target := d.Target.URL
				if d.Target.Endpoint != "" {
					if target = strings.TrimSuffix(d.Target.Endpoint, suffix); d.Target.URL != urls[d.Target.Endpoint] {
						t.Errorf("%s: %s goes to %s", name, target, d.Target.URL)
					}
				}
				got[target] = append(got[target], string(d.EventType))
			}
			if !maps.EqualFunc(got, tt.want, func(a, b []string) bool {
				return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
			}) {
				t.Errorf("%s: %v, want %v", name, got, tt.want)
			}
		}
	})
}

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

func TestADeliveryIsSentAgainByHand(t *testing.T) {
	tests := map[string]struct {
		before func(s *service)
		want   refusal.Reason
		cycle  int
	}{
		"that failed":                {func(s *service) { s.attempt(&outbox.Result{StatusCode: 410, Gone: true}) }, "", 2},
		"before a retry":             {func(s *service) { s.attempt(&outbox.Result{StatusCode: 500}) }, "", 2},
		"that is due, and not tried": {func(*service) {}, "", 1}, // there is nothing to begin anew
		"that was cancelled":         {func(s *service) { s.exec("UPDATE delivery SET status = 'cancelled'") }, "", 2},
		"that was delivered":         {func(s *service) { s.attempt(&outbox.Result{StatusCode: 204}) }, reason.WrongState, 1},
		"that is being sent":         {func(s *service) { s.attempt(nil) }, reason.WrongState, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *service) {
				ctx := t.Context()
				id, ledger := s.deliver()
				tt.before(s)
				s.advance(time.Second)
				_, err := s.Webhooks.RetryDelivery(ctx, root, id, `"0"`)
				refused(t, "as another revision", err, reason.WrongState)
				before, _, err := s.Webhooks.Delivery(ctx, id)
				must(t, err)
				moved := "https://moved.example/"
				_, err = s.Webhooks.UpdateEndpoint(ctx, root, ledger.ID, "", webhookadmin.Change{URL: &moved})
				must(t, err)
				woken := s.woken.Load()
				_, err = s.Webhooks.RetryDelivery(ctx, root, id, view.ETag(before.Rev()))
				refused(t, "retry", err, tt.want)
				if told := s.woken.Load() > woken; told != (tt.cycle > 1) {
					t.Errorf("the worker was woken: %t", told)
				}
				after, attempts, err := s.Webhooks.Delivery(ctx, id)
				must(t, err)
				if after.Cycle != tt.cycle {
					t.Errorf("in cycle %d, want %d", after.Cycle, tt.cycle)
				}
				if tt.cycle == 1 {
					return
				}
				if after.Status != outbox.DeliveryPending || after.NextAttemptAt.After(s.now()) || after.Attempt != 0 || after.Target.URL != moved {
					t.Errorf("after the retry: %+v", after)
				}
				if len(attempts) != before.Attempt {
					t.Errorf("%d attempts are stored, want %d", len(attempts), before.Attempt)
				}
				if types := s.types(""); types[len(types)-1] != audit.EventDeliveryRetried {
					t.Errorf("the service's chain is %v, want the retry at its end", types)
				}
				s.attempt(&outbox.Result{StatusCode: 200})
			})
		})
	}
}
