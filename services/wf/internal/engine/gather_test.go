package engine_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// While 50 callers wait for the directory, more than the pool has connections, others read and change the same
// requests.
func TestAWaitingDirectoryHoldsNoLockAndNoConnection(t *testing.T) {
	const half = 25
	each(t, func(t *testing.T, s *service) {
		var shut atomic.Bool
		waiting, open := make(chan struct{}), make(chan struct{})
		s = s.answered(func(context.Context, approver.Question) ([]identity.User, error) {
			if shut.Load() {
				waiting <- struct{}{}
				<-open
			}
			return []identity.User{{ID: "ana"}}, nil
		})
		key := s.publish(but(policyOf(ruled("check", officers())), func(d *policy.Definition) {
			d.Settings.MembershipRecheck = policy.RecheckStrict
		}))
		requests := make([]wf.Request, half)
		for i := range requests {
			requests[i] = s.create(key)
		}
		shut.Store(true)
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
			<-waiting
		}
		for _, r := range requests {
			_, err := s.Requests.AddComment(t.Context(), rita, r.ID, wf.CommentInput{Text: "meanwhile"}, nil)
			must(t, err)
			s.status(r.ID, wf.RequestInReview)
		}
		close(open)
		callers.Wait()
		for range 2 * half {
			must(t, <-results)
		}
		for _, r := range requests {
			s.status(r.ID, wf.RequestApproved)
		}
	})
}
