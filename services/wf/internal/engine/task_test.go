package engine_test

import (
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestATaskIsChangedOnlyAsItWasRead(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		r := s.begin(stage("check", "ana", "bo"))
		task := r.Tasks[0]
		stale, fresh := view.ETag(task.Rev), view.ETag(task.Rev+1)
		claim := func(tag string) error { _, err := s.Tasks.ClaimTask(ctx, person("ana"), task.ID, "", tag); return err }
		unclaim := func(tag string) error { _, err := s.Tasks.UnclaimTask(ctx, person("ana"), task.ID, tag); return err }
		reassign := func(tag string) error {
			_, err := s.Tasks.ReassignTask(ctx, root, task.ID, "cy", "", tag, nil)
			return err
		}
		decide := func(tag string) error {
			_, err := s.Tasks.DecideTask(ctx, person("cy"), task.ID, wf.DecisionInput{Action: wf.ActionApprove}, tag, nil)
			return err
		}
		refused(t, "claim of another revision", claim(fresh), reason.WrongState)
		refused(t, "claim", claim(stale), "")
		refused(t, "unclaim of another revision", unclaim(stale), reason.WrongState)
		refused(t, "unclaim", unclaim(fresh), "")
		refused(t, "reassign of another revision", reassign(stale), reason.WrongState)
		refused(t, "reassign of any", reassign("*"), "")
		refused(t, "decision on another revision", decide(stale), reason.WrongState)
		refused(t, "a word that is no tag", decide("W/x"), reason.WrongState)
		refused(t, "decision", decide(""), "")
		if got := s.read(r.ID).Tasks[0].Rev; got != task.Rev+4 {
			t.Errorf("revision %d after four changes of %d", got, task.Rev)
		}
	})
}
