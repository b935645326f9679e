package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestARequestPassesItsStagesUntilItIsApproved(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(policyOf(
			stage("check", "ana", "bo"),
			but(stage("director", "dora"), func(s *policy.Stage) { s.When = "context.amount > 50000" }),
			pool("payment", 2, "pia", "paul", "petra"),
		))
		r := s.create(key, withContext(`{"amount":9007199254740993}`))
		if want := `{"amount":9007199254740993}`; string(s.read(r.ID).Context) != want {
			t.Errorf("context is %s, want %s", s.read(r.ID).Context, want)
		}
		must(t, s.approve(taskOf(t, r, "ana"), "ana"), s.approve(taskOf(t, r, "bo"), "bo"))
		r = s.read(r.ID)
		equal(t, "after the check", r.Current(), []string{"director"})
		must(t, s.approve(taskOf(t, r, "dora"), "dora"))
		r = s.read(r.ID)
		equal(t, "after the director", holders(r), []string{"-", "-"})
		tasks := r.Tasks[3:]
		must(t, s.claim(tasks[0].ID, "pia"), s.approve(tasks[0].ID, "pia"), s.approve(tasks[1].ID, "petra"))
		s.status(r.ID, wf.RequestApproved)

		// A smaller amount needs no director.
		r = s.create(key, withContext(`{"amount":50000}`))
		must(t, s.approve(taskOf(t, r, "ana"), "ana"), s.approve(taskOf(t, r, "bo"), "bo"))
		r = s.read(r.ID)
		equal(t, "after the check of a small amount", r.Current(), []string{"payment"})
		equal(t, "events", s.types(r.ID), []audit.EventType{
			audit.EventRequestCreated, audit.EventStageStarted, audit.EventTaskCreated, audit.EventTaskCreated,
			audit.EventTaskDecided, audit.EventTaskDecided, audit.EventStageApproved, audit.EventStageSkipped, audit.EventStageStarted, audit.EventTaskCreated, audit.EventTaskCreated,
		})
	})
}

func TestARequestThatCannotStartIsRefusedAndLeavesNothing(t *testing.T) {
	retired := policyOf(stage("check", "ana"))
	typed := but(policyOf(stage("check", "ana")), func(d *policy.Definition) {
		d.ArtifactType = "invoice"
		d.ContextSchema = []byte(`{"type":"object","required":["amount"],"properties":{"amount":{"type":"number"}}}`)
	})
	closed := but(policyOf(stage("check", "ana")), func(d *policy.Definition) {
		d.Settings.Submitters, d.Settings.OnBehalf = []policy.Rule{names("sam")}, policy.OnBehalfNone
	})
	nowhere := policyOf(but(stage("check", "ana"), func(s *policy.Stage) { s.When = "false" }))
	broken := policyOf(policy.Stage{Key: "check", Name: "check", Approvers: []policy.Rule{{Type: policy.RuleExpression, CEL: "context.owner"}}})
	crowd := policyOf(policy.Stage{Key: "check", Name: "check", Approvers: []policy.Rule{{Type: policy.RuleExpression, CEL: "context.owners"}}})
	var owners []string
	for i := range 101 {
		owners = append(owners, fmt.Sprintf("%q", fmt.Sprint("owner-", i)))
	}
	invoice := func(in *engine.RequestInput) { in.ArtifactType = "invoice" }
	order := func(in *engine.RequestInput) { in.ArtifactType = "order" }
	checked := policyOf(stage("check", "ana"))
	checked.Settings.Checks = []policy.Check{{CEL: "has(context.amount)", Message: "An amount is required"}}
	forSam := func(in *engine.RequestInput) { in.Requester = "sam" }

	tests := map[string]struct {
		def    policy.Definition
		by     identity.Actor
		change []func(*engine.RequestInput)
		want   refusal.Reason
	}{
		"of another artifact type":                {typed, rita, []func(*engine.RequestInput){order, withContext(`{"amount":1}`)}, reason.EngineRefused},
		"that violates a check":                   {checked, rita, nil, reason.EngineRefused},
		"without the required members":            {typed, rita, []func(*engine.RequestInput){invoice}, reason.EngineRefused},
		"with a wrong type in the context":        {typed, rita, []func(*engine.RequestInput){invoice, withContext(`{"amount":"1"}`)}, reason.EngineRefused},
		"by a user without the right to submit":   {closed, rita, nil, reason.Forbidden},
		"for another user, without submitters":    {closed, admin("sam"), []func(*engine.RequestInput){func(in *engine.RequestInput) { in.Requester = "rita" }}, reason.Forbidden},
		"for another user, by an ordinary caller": {retired, rita, []func(*engine.RequestInput){forSam}, reason.Forbidden},
		"to which no stage applies":               {nowhere, rita, nil, reason.EngineRefused},
		"whose approvers cannot be found":         {broken, rita, nil, reason.EngineRefused},
		"whose approver is no person":             {broken, rita, []func(*engine.RequestInput){withContext(`{"owner":"system:policy"}`)}, reason.EngineRefused},
		"with more approvers than a stage takes":  {crowd, rita, []func(*engine.RequestInput){withContext(`{"owners":[` + strings.Join(owners, ",") + `]}`)}, reason.EngineRefused},
		"with a callback that is not allowed":     {retired, rita, []func(*engine.RequestInput){func(in *engine.RequestInput) { in.CallbackURL = "https://evil.example/" }}, reason.EngineRefused},
		"with a lifetime that is none":            {retired, rita, []func(*engine.RequestInput){func(in *engine.RequestInput) { in.ExpiresIn = "soon" }}, reason.BadInput},
	}
	each(t, func(t *testing.T, s *service) {
		for name, tt := range tests {
			key := s.publish(tt.def)
			woken := s.woken.Load()
			_, err := s.Requests.CreateRequest(t.Context(), tt.by, input(key, tt.change...), keyOf(tt.by, "k", "f"))
			refused(t, name, err, tt.want)
			if s.woken.Load() != woken {
				t.Errorf("%s: woke the workers", name)
			}
		}
		for _, table := range []string{"request", "task", "participant", "idempotency_key", "delivery"} {
			if n := s.rows("SELECT count(*) FROM " + table); n[0] != "0" {
				t.Errorf("%s rows in %s", n[0], table)
			}
		}
	})
}

func TestOneRequestIsOpenForAnArtifact(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(policyOf(stage("check", "ana")))
		artifact := func(id string) func(*engine.RequestInput) {
			return func(in *engine.RequestInput) { in.ArtifactType, in.ArtifactID = "batch", id }
		}
		again := func(key string) error {
			_, err := s.Requests.CreateRequest(t.Context(), rita, input(key, artifact("B-1")), nil)
			return err
		}
		first := s.create(key, artifact("B-1"))
		err := again(key)
		refused(t, "a second request", err, reason.WrongState)
		if err != nil && !strings.Contains(err.Error(), first.ID) {
			t.Errorf("%v does not name request %s", err, first.ID)
		}
		s.create(key, artifact("B-2"))
		s.create(key)
		s.create(key) // without an artifact there is nothing to compare
		must(t, again(s.publish(policyOf(stage("check", "ana")))))
		must(t, s.cancel(first.ID, rita))
		must(t, again(key))

		many := false
		shared := s.publish(but(policyOf(stage("check", "ana")), func(d *policy.Definition) { d.Settings.OneOpenPerArtifact = &many }))
		must(t, again(shared), again(shared))
	})
}

func TestARepeatedCallGetsTheFirstReply(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		key := s.publish(policyOf(stage("check", "ana", "bo")))
		create := func(by identity.Actor, value, fingerprint string) (engine.Reply, error) {
			return s.Requests.CreateRequest(ctx, by, input(key), keyOf(by, value, fingerprint))
		}
		first, err := create(rita, "k1", "body")
		must(t, err)
		if first.Replayed {
			t.Error("the first reply is a replay")
		}
		woken := s.woken.Load()
		second, err := create(rita, "k1", "body")
		must(t, err)
		if !second.Replayed || string(second.Body) != string(first.Body) || second.Status != first.Status {
			t.Errorf("the repeat got %+v, want %+v", second, first)
		}
		if s.woken.Load() != woken {
			t.Error("a repeat woke the workers")
		}
		_, err = create(rita, "k1", "another body")
		refused(t, "the key with another body", err, reason.KeyReused)
		other, err := create(root, "k1", "another body")
		if must(t, err); other.Replayed {
			t.Error("another caller's key gave a replay")
		}

		task := taskOf(t, first.Case.Request, "ana")
		approve := func() (engine.Reply, error) {
			return s.Tasks.DecideTask(ctx, person("ana"), task, wf.DecisionInput{Action: wf.ActionApprove}, "", keyOf(person("ana"), "k2", "f"))
		}
		decided, err := approve()
		must(t, err)
		repeated, err := approve()
		if must(t, err); !repeated.Replayed || string(repeated.Body) != string(decided.Body) {
			t.Errorf("the repeated decision got %+v, want %+v", repeated, decided)
		}

		// A refusal frees its key, and so does its end.
		reject := func() error {
			_, err := s.Requests.CancelRequest(ctx, person("bo"), first.Case.Request.ID, "", "", keyOf(person("bo"), "k3", "f"))
			return err
		}
		refused(t, "a cancellation", reject(), reason.Forbidden)
		refused(t, "the cancellation again", reject(), reason.Forbidden)
		s.advance(time.Hour)
		later, err := create(rita, "k1", "another body")
		if must(t, err); later.Replayed {
			t.Error("a key that has expired gave a replay")
		}
	})
}

func TestARequestExpiresAtItsTime(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		key := s.publish(but(policyOf(stage("check", "ana")), func(d *policy.Definition) { d.Settings.ExpiresIn = "PT2H" }))
		lives := func(d policy.Duration) func(*engine.RequestInput) {
			return func(in *engine.RequestInput) { in.ExpiresIn = d }
		}
		expire := func(limit, want int) {
			t.Helper()
			if n, err := s.Timers.ExpireRequests(ctx, s.now(), limit); err != nil || n != want {
				t.Errorf("ExpireRequests = %d, %v, want %d", n, err, want)
			}
		}
		short := s.create(key, lives("PT1H"))
		long := s.create(key)
		same := s.create(key, lives("PT2H")) // as long as the policy permits
		done := s.create(key)
		must(t, s.approve(taskOf(t, done, "ana"), "ana"))

		s.setClock(noon.Add(time.Hour - time.Millisecond))
		expire(10, 0)
		s.advance(time.Millisecond)
		expire(10, 1)
		s.status(short.ID, wf.RequestExpired)
		s.status(long.ID, wf.RequestInReview)
		expire(10, 0)

		s.setClock(noon.Add(2 * time.Hour))
		expire(1, 1)
		expire(10, 1)
		expire(10, 0)
		s.status(long.ID, wf.RequestExpired)
		s.status(same.ID, wf.RequestExpired)
		s.status(done.ID, wf.RequestApproved)
		refused(t, "a decision afterwards", s.approve(long.Tasks[0].ID, "ana"), reason.WrongState)
	})
}

func TestOneRequestThatFailsDoesNotHoldUpTheOthers(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		first := s.begin(stage("check", "ana"))
		s.advance(time.Minute)
		second := s.begin(stage("check", "ana"))
		s.exec("UPDATE request SET retries = '{' WHERE id = ?", first.ID) // it cannot be read any more
		s.advance(31 * 24 * time.Hour)
		if _, err := s.Timers.ExpireRequests(t.Context(), s.now(), 10); err == nil || !strings.Contains(err.Error(), first.ID) {
			t.Errorf("error = %v, want one that names request %s", err, first.ID)
		}
		s.status(second.ID, wf.RequestExpired)
		s.exec("UPDATE request SET retries = '' WHERE id = ?", first.ID)
	})
}
