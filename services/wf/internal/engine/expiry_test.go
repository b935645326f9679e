package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/reason"
)

// A call at the end is refused, and expires the request in the same transaction.
func TestARefusedCallAtTheEndExpiresTheRequest(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(policyOf(pool("check", 1, "ana", "bo")))
		for what, call := range map[string]func(r wf.Request) error{
			"decide": func(r wf.Request) error { return s.approve(r.Tasks[0].ID, "ana") },
			"claim":  func(r wf.Request) error { return s.claim(r.Tasks[0].ID, "ana") },
			"unclaim": func(r wf.Request) error {
				_, err := s.Tasks.UnclaimTask(t.Context(), root, r.Tasks[0].ID, "")
				return err
			},
			"reassign":   func(r wf.Request) error { return s.reassign(r.Tasks[0].ID, "bo", root) },
			"cancel":     func(r wf.Request) error { return s.cancel(r.ID, rita) },
			"resubmit":   func(r wf.Request) error { return resubmits(s, r) },
			"reevaluate": func(r wf.Request) error { _, err := s.Requests.ReevaluateRequest(t.Context(), root, r.ID); return err },
		} {
			r := s.create(key)
			s.setClock(*r.ExpiresAt)
			s.status(r.ID, wf.RequestInReview)
			refused(t, what, call(r), reason.WrongState)
			s.status(r.ID, wf.RequestExpired)
			types := s.types(r.ID)
			same(t, what+": the last event", types[len(types)-1], audit.EventRequestExpired)
		}
	})
}

// The time ends while people decide: each request is approved before its end, or expires,
// and never both.
func TestADecisionAndTheEndOfItsTimeNeverBothHappen(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *service) {
		other := s.replica()
		key := s.publish(policyOf(anyOf("check", "ana", "bo")))
		ended := map[wf.RequestStatus]int{}
		for range 50 {
			r := s.create(key)
			s.setClock(r.ExpiresAt.Add(-time.Millisecond))
			errs := together(
				func() error { return s.approve(r.Tasks[0].ID, "ana") },
				func() error { return other.approve(r.Tasks[1].ID, "bo") },
				func() error { s.advance(time.Millisecond); return nil },
				func() error { return expires(other, r) },
			)
			after := s.read(r.ID)
			approved := 0
			for _, task := range after.Tasks {
				if task.Decision != nil {
					approved++
					if !task.Decision.DecidedAt.Before(*r.ExpiresAt) {
						t.Fatalf("decided at %s, and its time was over at %s", task.Decision.DecidedAt, r.ExpiresAt)
					}
				}
			}
			must(t, errs[3])
			if won := tally(errs[:2])["ok"]; won != approved || won > 1 {
				t.Fatalf("outcomes %v: %s", tally(errs[:2]), describe(after))
			}
			if want := map[bool]wf.RequestStatus{true: wf.RequestApproved, false: wf.RequestExpired}[approved == 1]; after.Status != want {
				t.Fatalf("outcomes %v: %s", tally(errs[:2]), describe(after))
			}
			ended[after.Status]++
		}
		t.Logf("ended: %v", ended)
	})
}

func TestARequestWhoseTimeIsOverMakesWayForAnother(t *testing.T) {
	artifact := func(in *engine.RequestInput) { in.ArtifactType, in.ArtifactID = "batch", "B-1" }
	each(t, func(t *testing.T, s *service) {
		key := s.publish(policyOf(stage("check", "ana")))
		first := s.create(key, artifact)
		s.setClock(first.ExpiresAt.Add(-time.Millisecond))
		_, err := s.Requests.CreateRequest(t.Context(), rita, input(key, artifact), nil)
		refused(t, "before the end", err, reason.WrongState)
		s.advance(time.Millisecond)
		second := s.create(key, artifact)
		s.status(first.ID, wf.RequestExpired)
		s.status(second.ID, wf.RequestInReview)
		_, err = s.Requests.CreateRequest(t.Context(), rita, input(key, artifact), nil)
		refused(t, "a third", err, reason.WrongState)
	})
	onPostgres(t, func(t *testing.T, s *service) {
		replicas := []*service{s, s.replica()}
		key := s.publish(policyOf(stage("check", "ana")))
		for round := range 10 {
			here := func(in *engine.RequestInput) { in.ArtifactType, in.ArtifactID = "batch", fmt.Sprint(round) }
			old := s.create(key, here)
			s.setClock(*old.ExpiresAt)
			calls := append(times(6, func(i int) error {
				_, err := replicas[i%2].Requests.CreateRequest(t.Context(), rita, input(key, here), nil)
				return err
			}), func() error { return expires(replicas[1], old) }, func() error {
				if err := s.approve(old.Tasks[0].ID, "ana"); outcome(err) != string(reason.WrongState) {
					return fmt.Errorf("a decision at the end: %w", err)
				}
				return nil
			})
			errs := together(calls...)
			must(t, errs[6:]...)
			if got := tally(errs[:6]); got["ok"] != 1 || got["wrong_state"] != 5 {
				t.Fatalf("outcomes %v, want one winner", got)
			}
			s.status(old.ID, wf.RequestExpired)
		}
	})
}
