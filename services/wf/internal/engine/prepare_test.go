package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// heavy is a policy with slow creation: a schema, conditions, and a directory rule.
func heavy() policy.Definition {
	return but(policyOf(but(ruled("check", policy.Rule{Type: policy.RuleExpression, As: policy.AsUsernames, CEL: "context.owners"}), func(s *policy.Stage) {
		s.When = "context.items.size() > 10"
		s.DecisionSchema = []byte(`{"type":"object","required":["meaning"]}`)
	})), func(d *policy.Definition) {
		d.ContextSchema = []byte(`{"properties":{"items":{"type":"array","items":{"type":"string","minLength":10}},"owners":{"type":"array"}}}`)
	})
}

// wide is a context of 160 KB for it.
func wide() func(*engine.RequestInput) {
	items := make([]string, 10000)
	for i := range items {
		items[i] = fmt.Sprintf("%q", fmt.Sprintf("item %08d", i))
	}
	return withContext(`{"items":[` + strings.Join(items, ",") + `],"owners":["ana"]}`)
}

// asking is a service whose directory signals each query and blocks until released.
func asking(s *service) (other *service, asked chan approver.Question, answer chan bool) {
	asked, answer = make(chan approver.Question), make(chan bool)
	return s.with(func(o *engine.Options) {
		o.Directory = true
		o.Resolve = func(ctx context.Context, q approver.Question) ([]identity.User, error) {
			select {
			case asked <- q:
			case <-ctx.Done():
				return nil, reason.NoAnswer("too late")
			}
			<-answer
			var people []identity.User
			for _, id := range append(q.Rule.IDs, q.Rule.Usernames...) {
				people = append(people, identity.User{ID: id})
			}
			return people, nil
		}
	}), asked, answer
}

// The schema, the conditions and the directory are evaluated before the transaction, in this order.
// A creation completes all of them while another transaction holds the writer lock of SQLite.
func TestAHeavyRequestHoldsNothingWhileItIsPrepared(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		s, asked, answer := asking(s)
		key := s.publish(heavy())
		create := func() error {
			_, err := s.Requests.CreateRequest(t.Context(), rita, input(key, wide()), nil)
			return err
		}
		first := make(chan error)
		go func() { first <- create() }() // so that its version is cached
		<-asked
		s.begin(stage("check", "ana")) // other requests are not blocked by it
		answer <- true
		must(t, <-first)

		done := make(chan error)
		must(t, s.store.Do(t.Context(), func(*store.Tx) error {
			go func() { done <- create() }()
			<-asked // past schema and conditions
			answer <- true
			return nil
		}))
		must(t, <-done)
	})
}

// A prefetched answer is not requested again: the request takes one transaction.
func TestPrefetchedAnswersNeedOneTransaction(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(but(heavy(), func(d *policy.Definition) {
			d.Stages[0].Approvers = []policy.Rule{{Type: policy.RuleExpression, CEL: "context.owners"}}
		}))
		transactions := func(call func()) int64 {
			before := s.asked.Load()
			call()
			return s.asked.Load() - before
		}
		s.create(key, wide())
		var r wf.Request
		if n := transactions(func() { r = s.create(key, wide()) }); n != 1 {
			t.Errorf("a create took %d transactions, want 1", n)
		}
		decide := func() {
			must(t, s.decide(r.Tasks[0].ID, person("ana"), wf.DecisionInput{Action: wf.ActionApprove, Data: []byte(`{"meaning":"checked"}`)}))
		}
		if n := transactions(decide); n > 2 {
			t.Errorf("a decision took %d transactions, want one with the question and one with the answer", n)
		}
		s.status(r.ID, wf.RequestApproved)
	})
}
