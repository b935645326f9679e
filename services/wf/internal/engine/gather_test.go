package engine_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
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

// A stage that is skipped leads to the question of the next one. Each is asked once.
func TestAQuestionThatLeadsToAnotherIsAskedOnce(t *testing.T) {
	const skipped = 6
	each(t, func(t *testing.T, s *service) {
		var stages []policy.Stage
		var empty []string
		for i := range skipped {
			empty = append(empty, fmt.Sprintf("none-%d", i))
			stages = append(stages, but(ruled(fmt.Sprintf("s%d", i), byRole(empty[i])), func(s *policy.Stage) { s.OnEmpty = policy.OnEmptySkip }))
		}
		s, gate := gated(s, empty...)
		key := s.publish(policyOf(append(stages, but(ruled("last", byRole("ana"), byRole("bo")), func(s *policy.Stage) {
			s.Quorum.Mode = quorum.QuorumAny
		}))...))
		before := gate.asked.Load()
		r := s.create(key)
		equal(t, "questions", []int64{gate.asked.Load() - before}, []int64{skipped + 2})
		must(t, s.approve(taskOf(t, r, "bo"), "bo"))
		s.status(r.ID, wf.RequestApproved)
	})
}

// A dry run asks for the people of the rules and of the escalation of each stage.
func TestADryRunAsksForEachStage(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		s, _ = gated(s)
		escalated := func(name, boss string) policy.Stage {
			return but(ruled(name, byRole("of-"+name)), func(s *policy.Stage) {
				s.Deadline = &policy.Deadline{DueIn: "PT1H", OnDue: policy.OnDueEscalate, EscalateTo: []policy.Rule{byRole(boss)}}
			})
		}
		key := s.publish(policyOf(escalated("one", "cy"), escalated("two", "di")))
		sim, err := s.Policies.SimulateVersion(t.Context(), root, key, 1, engine.DryRunInput{Context: []byte(`{}`)})
		must(t, err)
		var people []string
		for _, stage := range sim.Stages {
			people = append(people, stage.Run.People[0].ID, stage.EscalateTo[0].ID)
		}
		equal(t, "people", people, []string{"of-one", "cy", "of-two", "di"})
	})
}
