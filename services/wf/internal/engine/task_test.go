package engine_test

import (
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestATaskOfAPoolIsTakenPutBackAndDecided(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		r := s.begin(pool("check", 2, "ana", "bo", "cy"))
		first, second := r.Tasks[0].ID, r.Tasks[1].ID
		refused(t, "a stranger claims", s.claim(first, "stan"), reason.Forbidden)
		refused(t, "the requester claims", s.claim(first, "rita"), reason.Forbidden)
		must(t, s.claim(first, "ana"))
		must(t, s.claim(first, "ana")) // again, after a lost reply
		refused(t, "another claim of a claimed task", s.claim(first, "bo"), reason.WrongState)
		refused(t, "the holder claims a second task", s.claim(second, "ana"), reason.WrongState)
		refused(t, "another decision on a claimed task", s.approve(first, "bo"), reason.WrongState)

		unclaim := func(by identity.Actor) error {
			_, err := s.Tasks.UnclaimTask(ctx, by, first, "")
			return err
		}
		refused(t, "another puts it back", unclaim(person("bo")), reason.Forbidden)
		must(t, unclaim(person("ana")))
		refused(t, "it is put back twice", unclaim(root), reason.WrongState)
		equal(t, "holders", holders(s.read(r.ID)), []string{"-", "-"})

		must(t, s.approve(first, "bo"), s.approve(second, "ana")) // claims and decides
		s.status(r.ID, wf.RequestApproved)
		refused(t, "a decision afterwards", s.approve(second, "ana"), reason.WrongState)
		refused(t, "a claim afterwards", s.claim(first, "bo"), reason.WrongState)
		refused(t, "an unknown task", s.claim("0190d7a0-0000-7000-8000-000000000000", "bo"), reason.TaskNotFound)
		refused(t, "no id at all", s.claim("x", "bo"), reason.TaskNotFound)
	})
}

func TestAServiceAccountDecidesOnlyWhereItMay(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		key := s.publish(policyOf(anyOf("check", "robot", "ana")))
		r := s.create(key)
		task := taskOf(t, r, "robot")
		_, err := s.Tasks.ClaimTask(ctx, robot, task, "", "")
		refused(t, "a claim", err, reason.Forbidden)
		refused(t, "a decision", s.decide(task, robot, wf.DecisionInput{Action: wf.ActionApprove}), reason.Forbidden)

		// A service account may create requests and cancel its own.
		reply, err := s.Requests.CreateRequest(ctx, robot, input(s.publish(policyOf(stage("check", "ana")))), nil)
		must(t, err)
		must(t, s.cancel(reply.Case.Request.ID, robot))

		trusting := s.with(func(o *engine.Options) { o.ServiceApprovers = true })
		_, err = trusting.Tasks.ClaimTask(ctx, robot, task, "", "")
		must(t, err)
		must(t, trusting.decide(task, robot, wf.DecisionInput{Action: wf.ActionApprove}))
		s.status(r.ID, wf.RequestApproved)
	})
}

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

func TestTaskIsVisibleToItsParticipants(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		r := s.begin(pool("check", 1, "ana", "bo"))
		id := r.Tasks[0].ID
		must(t, s.claim(id, "ana"))
		for by, want := range map[string]refusal.Reason{"ana": "", "bo": "", "rita": "", "stan": reason.Forbidden} {
			_, err := s.Tasks.GetTask(ctx, person(by), id)
			refused(t, "task, by "+by, err, want)
		}
		_, err := s.Tasks.GetTask(ctx, root, id)
		must(t, err)
		_, _, err = s.Tasks.ListTasks(ctx, person("stan"), wf.TaskFilter{}, wf.Page{})
		refused(t, "all tasks, by a caller without a role", err, reason.Forbidden)
		_, _, err = s.Tasks.ListTasks(ctx, person("stan"), wf.TaskFilter{Inbox: "ana"}, wf.Page{})
		refused(t, "somebody else's inbox", err, reason.Forbidden)
		for by, want := range map[string]int{"ana": 1, "bo": 0} {
			mine, _, err := s.Tasks.ListTasks(ctx, person(by), wf.TaskFilter{Inbox: by}, wf.Page{})
			must(t, err)
			counts, _, err := s.Tasks.GetTaskStats(ctx, person(by), wf.TaskFilter{})
			must(t, err)
			if len(mine) != want || len(counts) != want {
				t.Errorf("%s sees %d tasks, and %+v, want %d", by, len(mine), counts, want)
			}
		}
	})
}
