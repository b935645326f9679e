package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
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
		refused(t, "another claims what is claimed", s.claim(first, "bo"), reason.WrongState)
		refused(t, "the holder claims a second task", s.claim(second, "ana"), reason.WrongState)
		refused(t, "another decides what is claimed", s.approve(first, "bo"), reason.WrongState)

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
		_, err := s.Tasks.ClaimTask(ctx, robot, task, "")
		refused(t, "a claim", err, reason.Forbidden)
		refused(t, "a decision", s.decide(task, robot, wf.DecisionInput{Action: wf.ActionApprove}), reason.Forbidden)

		// A service account may create requests and cancel its own.
		reply, err := s.Requests.CreateRequest(ctx, robot, input(s.publish(policyOf(stage("check", "ana")))), nil)
		must(t, err)
		must(t, s.cancel(reply.Case.Request.ID, robot))

		trusting := s.with(func(o *engine.Options) { o.ServiceApprovers = true })
		_, err = trusting.Tasks.ClaimTask(ctx, robot, task, "")
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
		claim := func(tag string) error { _, err := s.Tasks.ClaimTask(ctx, person("ana"), task.ID, tag); return err }
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

func TestADecisionMeetsWhatItsStageAsksFor(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		def := but(policyOf(but(stage("check", "ana"), func(s *policy.Stage) {
			s.Reauth = &policy.Reauth{MaxAge: "PT5M"}
			s.DecisionSchema = []byte(`{"type":"object","required":["meaning"],"properties":{"meaning":{"type":"string"}}}`)
		})), func(d *policy.Definition) { d.Settings.RequireComment.Reject = true })
		r := s.create(s.publish(def))
		task := r.Tasks[0].ID
		fresh, old := person("ana"), person("ana")
		fresh.Auth.AuthTime = identity.Stamp{Time: noon.Add(-5 * time.Minute)}
		old.Auth.AuthTime = identity.Stamp{Time: noon.Add(-5*time.Minute - time.Second)}
		data := []byte(`{"meaning":"I have checked it"}`)

		err := s.decide(task, old, wf.DecisionInput{Action: wf.ActionApprove, Data: data})
		refused(t, "signed in too long ago", err, reason.Forbidden)
		if refusal, ok := errors.AsType[*refusal.Error](err); !ok || refusal.StepUp == nil {
			t.Errorf("%v does not ask to sign in again", err)
		}
		for what, in := range map[string]wf.DecisionInput{
			"without data":              {Action: wf.ActionApprove},
			"with data of another kind": {Action: wf.ActionApprove, Data: []byte(`{"meaning":1}`)},
			"without a comment":         {Action: wf.ActionReject, Data: data},
		} {
			refused(t, what, s.decide(task, fresh, in), reason.BadInput)
		}
		for what, in := range map[string]wf.DecisionInput{
			"on another context":   {Action: wf.ActionApprove, Data: data, ExpectedContextHash: "sha256:other"},
			"on another revision":  {Action: wf.ActionApprove, Data: data, ExpectedRevision: 2},
			"which is not allowed": {Action: wf.ActionAbstain, Data: data},
		} {
			refused(t, what, s.decide(task, fresh, in), reason.WrongState)
		}
		must(t, s.decide(task, fresh, wf.DecisionInput{Action: wf.ActionApprove, Data: data, ExpectedContextHash: r.ContextHash, ExpectedRevision: 1}))
		if d := s.read(r.ID).Tasks[0].Decision; string(d.Data) != string(data) || d.Actor.ID != "ana" || d.ContextHash != r.ContextHash {
			t.Errorf("decision = %+v", d)
		}
	})
}

func TestATaskGoesToAnother(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		r := s.begin(but(stage("check", "ana", "bo"), func(s *policy.Stage) { s.Allow.Reassign = policy.ReassignAny }))
		task := taskOf(t, r, "ana")
		for to, want := range map[string]refusal.Reason{
			"ana": reason.WrongState, "bo": reason.WrongState, "rita": reason.WrongState, "system:policy": reason.BadInput, "": reason.BadInput,
		} {
			refused(t, "to "+to, s.reassign(task, to, person("ana")), want)
		}
		refused(t, "by another approver", s.reassign(task, "cy", person("bo")), reason.Forbidden)
		must(t, s.reassign(task, "cy", person("ana")))
		refused(t, "the one before decides", s.approve(task, "ana"), reason.Forbidden)
		must(t, s.reassign(task, "dan", root))
		must(t, s.approve(task, "dan"), s.approve(taskOf(t, r, "bo"), "bo"))
		s.status(r.ID, wf.RequestApproved)
	})
}

func TestAnAdminRescuesABlockedRequest(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		r := s.begin(stage("check", "rita")) // only the requester
		s.status(r.ID, wf.RequestBlocked)
		task := r.Tasks[0].ID
		refused(t, "an admin claims it", s.claim(task, "root"), reason.Forbidden)
		refused(t, "an admin decides it", s.decide(task, root, wf.DecisionInput{Action: wf.ActionApprove}), reason.WrongState)
		refused(t, "to the requester", s.reassign(task, "rita", root), reason.WrongState)
		must(t, s.reassign(task, "ana", root))
		s.status(r.ID, wf.RequestInReview)
		must(t, s.approve(task, "ana"))
		s.status(r.ID, wf.RequestApproved)
	})
}

func TestAnAdminOverridesWhereThePolicySaysSo(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		def := policyOf(stage("check", "ana", "bo"))
		in := wf.DecisionInput{Action: wf.ActionApprove, Comment: "both are on leave until May"}
		r := s.create(s.publish(def))
		refused(t, "where it does not", s.decide(r.Tasks[0].ID, root, in), reason.Forbidden)
		def.Settings.AdminOverride = true
		r = s.create(s.publish(def))
		refused(t, "without an explanation", s.decide(r.Tasks[0].ID, root, wf.DecisionInput{Action: wf.ActionApprove}), reason.BadInput)
		must(t, s.decide(r.Tasks[0].ID, root, in))
		s.status(r.ID, wf.RequestApproved)
	})
}

func TestTasksAreShownToThoseWhomTheyConcern(t *testing.T) {
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
