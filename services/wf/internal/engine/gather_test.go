package engine_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
)

// gate is a directory that counts its questions. While it is shut, they wait.
type gate struct {
	asked   atomic.Int64
	waiting chan approver.Question // each question of a shut gate
	open    chan struct{}          // nil while the gate is open
}

// gated returns a service with a gate. The role NAME has the user NAME; the roles in empty have none.
func gated(s *service, empty ...string) (*service, *gate) {
	g := &gate{waiting: make(chan approver.Question)}
	return s.with(func(o *engine.Options) {
		o.Directory = true
		o.Resolve = func(_ context.Context, q approver.Question) ([]identity.User, error) {
			g.asked.Add(1)
			if g.open != nil {
				g.waiting <- q
				<-g.open
			}
			if q.Rule.Type != policy.RuleRole {
				return users(q.Rule.IDs...), nil
			}
			for _, role := range empty {
				if role == q.Rule.Role {
					return nil, nil
				}
			}
			return users(q.Rule.Role), nil
		}
	}), g
}

func users(ids ...string) (users []identity.User) {
	for _, id := range ids {
		users = append(users, identity.User{ID: id})
	}
	return users
}

func byRole(name string) policy.Rule { return policy.Rule{Type: policy.RuleRole, Role: name} }

// While 50 callers wait for the directory, more than the pool has connections, others read and change the same
// requests.
func TestAWaitingDirectoryHoldsNoLockAndNoConnection(t *testing.T) {
	const half = 25
	each(t, func(t *testing.T, s *service) {
		s, gate := gated(s)
		key := s.publish(but(policyOf(ruled("check", byRole("ana"))), func(d *policy.Definition) {
			d.Settings.MembershipRecheck = policy.RecheckStrict
		}))
		requests := make([]wf.Request, half)
		for i := range requests {
			requests[i] = s.create(key)
		}
		gate.open = make(chan struct{})
		var callers sync.WaitGroup
		results := make(chan error, 2*half)
		for _, r := range requests {
			callers.Go(func() { results <- s.approve(r.Tasks[0].ID, "ana") })
			callers.Go(func() {
				_, err := s.Requests.CreateRequest(t.Context(), rita, input(key), nil)
				results <- err
			})
		}
		for range 2 * half {
			<-gate.waiting
		}
		for _, r := range requests {
			_, err := s.Requests.AddComment(t.Context(), rita, r.ID, wf.CommentInput{Text: "meanwhile"}, nil)
			must(t, err)
			s.status(r.ID, wf.RequestInReview)
		}
		close(gate.open)
		callers.Wait()
		for range 2 * half {
			must(t, <-results)
		}
		for _, r := range requests {
			s.status(r.ID, wf.RequestApproved)
		}
	})
}
