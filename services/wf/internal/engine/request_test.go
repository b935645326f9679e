package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
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

func TestAPolicyDecidesAboutARequestByItself(t *testing.T) {
	auto := but(policyOf(stage("check", "ana")), func(d *policy.Definition) {
		d.Settings.AutoApproveWhen = "context.amount < 10"
		d.Settings.AutoRejectWhen = "context.amount < 0 || context.banned"
	})
	skipped := func(on policy.OnNoStages) policy.Definition {
		return but(policyOf(but(stage("check", "ana"), func(s *policy.Stage) { s.When = "false" })), func(d *policy.Definition) { d.Settings.OnNoStages = on })
	}
	empty := func(on policy.OnEmpty) policy.Definition {
		return but(policyOf(but(stage("check", "rita"), func(s *policy.Stage) { s.OnEmpty = on })), func(d *policy.Definition) {
			d.Settings.FallbackApprovers = []policy.Rule{names("fay")}
		})
	}
	tests := map[string]struct {
		def     policy.Definition
		context string
		want    wf.RequestStatus
		because wf.ReasonCode
	}{
		"approves":                   {auto, `{"amount":5,"banned":false}`, wf.RequestApproved, wf.BecausePolicy},
		"rejects":                    {auto, `{"amount":50,"banned":true}`, wf.RequestRejected, wf.BecausePolicy},
		"rejects before it approves": {auto, `{"amount":-5,"banned":false}`, wf.RequestRejected, wf.BecausePolicy},
		"leaves it to people":        {auto, `{"amount":50,"banned":false}`, wf.RequestInReview, ""},
		"requires decisions if the condition fails": {auto, `{}`, wf.RequestInReview, ""},
		"approves what no stage applies to":         {skipped(policy.OnNoStagesApprove), `{}`, wf.RequestApproved, wf.BecauseNoStageApplies},
		"rejects what no stage applies to":          {skipped(policy.OnNoStagesReject), `{}`, wf.RequestRejected, wf.BecauseNoStageApplies},
		"blocks without approvers":                  {empty(policy.OnEmptyBlock), `{}`, wf.RequestBlocked, wf.BecauseNoApprovers},
		"rejects without approvers":                 {empty(policy.OnEmptyReject), `{}`, wf.RequestRejected, wf.BecauseStageEmpty},
		"uses the fallback without approvers":       {empty(policy.OnEmptyFallback), `{}`, wf.RequestInReview, ""},
	}
	each(t, func(t *testing.T, s *service) {
		for name, tt := range tests {
			r := s.read(s.create(s.publish(tt.def), withContext(tt.context)).ID)
			var because wf.ReasonCode
			if r.StatusReason != nil {
				because = r.StatusReason.Code
			}
			if r.Status != tt.want || because != tt.because {
				t.Errorf("%s: %s because %q, want %s because %q", name, r.Status, because, tt.want, tt.because)
			}
		}
	})
}

func TestAConditionThatFailsSkipsNoStage(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		r := s.begin(but(stage("check", "ana"), func(s *policy.Stage) { s.When = "context.amount / 0 > 1" }))
		equal(t, "current stages", r.Current(), []string{"check"})
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

func TestARequestIsCancelledByItsPartiesAndAdmins(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(policyOf(stage("check", "ana")))
		forRita := func(in *engine.RequestInput) { in.Requester = "rita" }
		for name, tt := range map[string]struct {
			by      identity.Actor
			want    refusal.Reason
			because wf.ReasonCode
		}{
			"requester": {rita, "", wf.BecauseWithdrawn},
			"submitter": {root, "", wf.BecauseWithdrawn},
			"an admin":  {eve, "", wf.BecauseCancelledByAdmin},
			"approver":  {person("ana"), reason.Forbidden, ""},
		} {
			reply, err := s.Requests.CreateRequest(t.Context(), root, input(key, forRita), nil)
			must(t, err)
			id := reply.Case.Request.ID
			refused(t, name, s.cancel(id, tt.by), tt.want)
			if tt.want != "" {
				s.status(id, wf.RequestInReview)
				continue
			}
			s.status(id, wf.RequestCancelled)
			if got := s.read(id).StatusReason.Code; got != tt.because {
				t.Errorf("%s: because %s, want %s", name, got, tt.because)
			}
			refused(t, name+" again", s.cancel(id, tt.by), reason.WrongState)
		}
		r := s.create(key)
		_, err := s.Requests.CancelRequest(t.Context(), rita, r.ID, "", view.ETag(r.Rev+1), nil)
		refused(t, "another revision", err, reason.WrongState)
		_, err = s.Requests.CancelRequest(t.Context(), rita, r.ID, "", view.ETag(r.Rev), nil)
		refused(t, "this revision", err, "")
		refused(t, "an unknown request", s.cancel("0190d7a0-0000-7000-8000-000000000000", rita), reason.RequestNotFound)
		refused(t, "no id at all", s.cancel("x", rita), reason.RequestNotFound)
	})
}

func TestARequestGoesBackAndComesAgain(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		def := but(policyOf(stage("check", "ana"), stage("director", "dora")), func(d *policy.Definition) {
			d.Settings.OnResubmit = policy.OnResubmitResume
			d.ContextSchema = []byte(`{"properties":{"amount":{"type":"number"}}}`)
		})
		key := s.publish(def)
		resubmit := func(id, context string) error {
			var document []byte
			var hash string
			if context != "" {
				document, hash = []byte(context), sum([]byte(context))
			}
			_, err := s.Requests.ResubmitRequest(ctx, rita, id, document, hash, "", "", nil)
			return err
		}
		sentBack := func() wf.Request {
			t.Helper()
			r := s.create(key, withContext(`{"amount":1}`))
			refused(t, "no request for changes", resubmit(r.ID, ""), reason.WrongState)
			must(t, s.approve(taskOf(t, r, "ana"), "ana"))
			must(t, s.act(taskOf(t, s.read(r.ID), "dora"), "dora", wf.ActionRequestChanges))
			s.status(r.ID, wf.RequestChangesRequested)
			return r
		}
		r := sentBack()
		refused(t, "a context that the schema does not take", resubmit(r.ID, `{"amount":"1"}`), reason.EngineRefused)
		s.status(r.ID, wf.RequestChangesRequested)
		must(t, resubmit(r.ID, `{"amount":2}`))
		equal(t, "with another context it begins again", s.read(r.ID).Current(), []string{"check"})

		r = sentBack()
		must(t, resubmit(r.ID, ""))
		equal(t, "with the same context it continues", s.read(r.ID).Current(), []string{"director"})
		must(t, s.approve(taskOf(t, s.read(r.ID), "dora"), "dora"))
		s.status(r.ID, wf.RequestApproved)
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

func TestARequestIsShownToThoseWithAPartInIt(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		r := s.begin(stage("check", "ana"), stage("director", "dora"))
		viewer := identity.Actor{User: identity.User{ID: "vera"}, Kind: identity.ActorUser, Roles: []identity.Role{identity.RoleViewer}}
		for name, tt := range map[string]struct {
			by   identity.Actor
			want refusal.Reason
		}{
			"requester":                 {rita, ""},
			"approver":                  {person("ana"), ""},
			"approver of a later stage": {person("dora"), reason.Forbidden},
			"viewer":                    {viewer, ""},
			"admin":                     {root, ""},
			"stranger":                  {person("stan"), reason.Forbidden},
		} {
			_, err := s.Requests.GetRequest(ctx, tt.by, r.ID)
			refused(t, name, err, tt.want)
			_, _, err = s.Requests.ListEvents(ctx, tt.by, r.ID, wf.Page{})
			refused(t, name+", events", err, tt.want)
			list, _, err := s.Requests.ListRequests(ctx, tt.by, wf.RequestFilter{}, wf.Page{})
			must(t, err)
			if listed := slices.ContainsFunc(list, func(l wf.Request) bool { return l.ID == r.ID }); listed != (tt.want == "") {
				t.Errorf("%s: listed %t", name, listed)
			}
		}
		_, err := s.Requests.GetRequest(ctx, root, "0190d7a0-0000-7000-8000-000000000000")
		refused(t, "an unknown request", err, reason.RequestNotFound)
	})
}
