package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/libs/keycloaktest"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/resolve"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// directed is a service with a directory: ana and bo are officers, bo through a
// group, cy leads rita, and dee is disabled. It also has a resolver, which names eli.
type directed struct {
	*service
	realm *keycloaktest.Keycloak
	asked atomic.Pointer[approver.ResolverInput] // last question to the resolver
}

func direct(s *service) *directed {
	d := &directed{service: s, realm: keycloaktest.New()}
	s.t.Cleanup(d.realm.Close)
	for _, name := range []string{"ana", "bo", "cy", "eli", "fay", "zoe"} {
		d.realm.AddUser(keycloaktest.User{ID: name, Username: name + ".name"})
	}
	d.realm.AddUser(keycloaktest.User{ID: "rita", Username: "rita.name", Attributes: map[string][]string{"manager": {"cy.name"}}})
	d.realm.SetEnabled(d.realm.AddUser(keycloaktest.User{ID: "dee", Username: "dee.name"}), false)
	d.realm.AddGroup("/officers", "bo")
	d.realm.AddRole("officer", keycloaktest.Holders{Users: []string{"ana", "dee"}, Groups: []string{"/officers"}})

	resolver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var about approver.ResolverInput
		if err := json.NewDecoder(r.Body).Decode(&about); err != nil {
			s.t.Errorf("read the question: %v", err)
		}
		d.asked.Store(&about)
		_, _ = io.WriteString(w, `{"user_ids":["eli"]}`)
	}))
	s.t.Cleanup(resolver.Close)
	answers := resolve.New(resolve.Options{
		Keycloak:  &resolve.Keycloak{URL: d.realm.URL, Realm: d.realm.Realm, ClientID: d.realm.ClientID, ClientSecret: d.realm.ClientSecret},
		Endpoints: map[string]string{"oncall": resolver.URL},
		Sign:      func(outbox.Target, string, time.Time, []byte) (string, error) { return "v1,signature", nil },
		Outbound:  *wftest.Local,
		Now:       s.now, Logger: slog.New(slog.DiscardHandler),
	})
	d.service = s.with(func(o *engine.Options) {
		o.Resolve, o.Directory, o.HTTPRule = answers.Resolve, true, answers.CheckRule
	})
	return d
}

// down makes the directory refuse every call until up. Earlier answers are too old for
// reuse.
func (d *directed) down() {
	d.advance(time.Hour)
	d.realm.SetHook(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusForbidden); return true })
}

func (d *directed) up() { d.realm.SetHook(nil) }

// same fails the test unless got equals the wanted value.
func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func officers() policy.Rule { return policy.Rule{Type: policy.RuleRole, Role: "officer"} }

func ruled(key string, rules ...policy.Rule) policy.Stage {
	return policy.Stage{Key: key, Name: key, Approvers: rules}
}

func TestEveryKindOfRuleFindsItsApprovers(t *testing.T) {
	d := direct(connect(t, wftest.Schema.SQLite(t)))
	for name, tt := range map[string]struct {
		rule policy.Rule
		want []string
	}{
		"role":                     {officers(), []string{"ana", "bo"}},
		"group":                    {policy.Rule{Type: policy.RuleGroup, Path: "/officers"}, []string{"bo"}},
		"manager":                  {policy.Rule{Type: policy.RuleManager}, []string{"cy"}},
		"manager of the submitter": {policy.Rule{Type: policy.RuleManager, Of: policy.OfSubmitter}, []string{"cy"}},
		"manager of somebody":      {policy.Rule{Type: policy.RuleManager, Of: "context.lead"}, []string{"cy"}},
		"users by name": {policy.Rule{Type: policy.RuleUser, IDs: []string{"zoe"},
			Usernames: []string{"ana.name", "dee.name", "nobody"}}, []string{"zoe", "ana"}},
		"http": {policy.Rule{Type: policy.RuleHTTP, Resolver: "oncall"}, []string{"eli"}},
		"expression of usernames": {policy.Rule{Type: policy.RuleExpression, As: policy.AsUsernames,
			CEL: "['ana.name', 'fay.name']"}, []string{"ana", "fay"}},
		"expression of roles":          {policy.Rule{Type: policy.RuleExpression, As: policy.AsRoles, CEL: "context.role"}, []string{"ana", "bo"}},
		"expression of group paths":    {policy.Rule{Type: policy.RuleExpression, As: policy.AsGroupPaths, CEL: "'/officers'"}, []string{"bo"}},
		"expression of ids, unchecked": {policy.Rule{Type: policy.RuleExpression, CEL: "['stan']"}, []string{"stan"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &directed{service: d.under(t), realm: d.realm}
			key := d.publish(policyOf(ruled("check", tt.rule)))
			document := withContext(`{"lead":"rita","role":"officer"}`)
			equal(t, "holders", holders(d.create(key, document)), tt.want)
			in := engine.DryRunInput{
				RequestInput: engine.RequestInput{Context: []byte(`{"lead":"rita","role":"officer"}`), Requester: "rita"},
			}
			sim, err := d.Policies.SimulateVersion(t.Context(), root, key, 1, in)
			must(t, err)
			equal(t, "foretold", holders(sim.Request), tt.want)
		})
	}
}

func TestResolverReceivesTheCreatedRequest(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		rule := policy.Rule{Type: policy.RuleHTTP, Resolver: "oncall", Params: json.RawMessage(`{"team":"blue"}`)}
		key := d.publish(policyOf(ruled("check", rule)))
		r := d.create(key, withContext(`{"amount":7}`), func(in *engine.RequestInput) { in.ArtifactType, in.ArtifactID = "batch", "B-17" })
		same(t, "the question", *d.asked.Load(), approver.ResolverInput{
			PolicyKey: key, PolicyVersion: 1, StageKey: "check", Params: rule.Params, Context: json.RawMessage(`{"amount":7}`),
			Request: approver.ResolverRequest{ID: r.ID, Requester: rita.User, ArtifactType: "batch", ArtifactID: "B-17"},
		})
	})
}

func TestNothingIsStoredWhenDirectoryIsDownAtStart(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		key := d.publish(policyOf(ruled("check", officers())))
		d.down()
		before := d.rows("SELECT id FROM event ORDER BY id")
		_, err := d.Requests.CreateRequest(t.Context(), rita, input(key), keyOf(rita, "k", "f"))
		refused(t, "a request", err, reason.ResolverFailed)
		if text := err.Error(); !strings.Contains(text, "stage check: approver rule 0: role officer") {
			t.Errorf("the refusal %q names no rule", text)
		}
		_, err = d.Policies.SimulateVersion(t.Context(), root, key, 1, engine.DryRunInput{
			RequestInput: engine.RequestInput{Context: []byte(`{}`)},
		})
		refused(t, "a simulation", err, reason.ResolverFailed)
		equal(t, "requests", d.rows("SELECT id FROM request"), nil)
		equal(t, "keys", d.rows("SELECT value FROM idempotency_key"), nil)
		equal(t, "events", d.rows("SELECT id FROM event ORDER BY id"), before)

		d.up() // the key can be used again
		reply, err := d.Requests.CreateRequest(t.Context(), rita, input(key), keyOf(rita, "k", "f"))
		must(t, err)
		same(t, "replayed", reply.Replayed, false)
	})
}

func TestDecisionIsKeptWhileNextStageIsUnresolved(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		r := d.begin(stage("first", "zoe"), ruled("check", officers()))
		d.down()
		must(t, d.approve(taskOf(t, r, "zoe"), "zoe"))
		run := func() wf.StageRun { return d.read(r.ID).Stages[1] }
		same(t, "stage", run().Status, wf.StageResolving)
		d.status(r.ID, wf.RequestInReview)
		retry := func(want int) {
			t.Helper()
			n, err := d.Timers.RetryStages(t.Context(), d.now(), 100)
			must(t, err)
			same(t, "requests tried again", n, want)
		}
		retry(0)
		d.advance(5 * time.Second)
		retry(1)
		retry(0)
		same(t, "stage", run().Status, wf.StageResolving)
		same(t, "the next try", run().RetryAt, d.now().Add(5*time.Second))
		d.up()
		d.advance(5 * time.Second)
		retry(1)
		equal(t, "holders", holders(d.read(r.ID)), []string{"ana", "bo"})
		retry(0)

		events, _, err := d.Requests.ListEvents(t.Context(), root, r.ID, wf.Page{Limit: 100})
		must(t, err)
		told := 0
		for _, e := range events {
			if e.Type == audit.EventStageResolutionFailed {
				told++
			}
		}
		same(t, "number of events", told, 1)
	})
}

func TestAnAnswerThatIsNeverEnoughEndsInARefusal(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		role := func(n int) policy.Definition {
			return policyOf(ruled("check", policy.Rule{Type: policy.RuleRole, Role: fmt.Sprint("role-", n)}))
		}
		asked := 0
		key := d.publish(role(0))
		// During every query another version becomes active, so that each round opens another
		// question.
		restless := d.with(func(o *engine.Options) {
			o.Resolve = func(ctx context.Context, q approver.Question) ([]identity.User, error) {
				asked++
				v, _, err := d.Policies.AddVersion(ctx, root, key, given(role(asked)))
				must(t, err)
				_, err = d.Policies.ActivateVersion(ctx, eve, key, v.Number, "", "")
				must(t, err)
				return nil, nil
			}
		})
		_, err := restless.Requests.CreateRequest(t.Context(), rita, input(key), nil)
		refused(t, "a request", err, reason.ResolverFailed)
		if asked == 0 || asked > 121 {
			t.Errorf("%d questions were put", asked)
		}
		equal(t, "requests", d.rows("SELECT id FROM request"), nil)
	})
}

func TestApproverWithLostRoleIsRefused(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		key := d.publish(policyOf(but(ruled("check", officers()), func(s *policy.Stage) { s.Quorum.Mode = quorum.QuorumAny })))
		strict := d.publish(but(policyOf(ruled("check", officers())), func(p *policy.Definition) { p.Settings.MembershipRecheck = policy.RecheckStrict }))
		cached, fresh := d.create(key), d.create(strict)
		d.realm.TakeRole("officer", "ana")
		refused(t, "at once, strict", d.claim(taskOf(t, fresh, "ana"), "ana"), reason.Forbidden)
		d.advance(5 * time.Minute)
		refused(t, "after five minutes", d.approve(taskOf(t, cached, "ana"), "ana"), reason.Forbidden)

		d.down()
		refused(t, "nobody answers, strict", d.approve(taskOf(t, fresh, "bo"), "bo"), reason.ResolverFailed)
		must(t, d.approve(taskOf(t, cached, "bo"), "bo"))
		events, _, err := d.Requests.ListEvents(t.Context(), root, cached.ID, wf.Page{Limit: 100})
		must(t, err)
		same(t, "a decision on trust", slices.ContainsFunc(events,
			func(e wf.Event) bool { return e.Type == audit.EventTaskDecided && e.MembershipStale }), true)
	})
}

func TestReassignRequiresAnActiveDirectoryUser(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		r := d.begin(stage("check", "ana"))
		task := taskOf(t, r, "ana")
		refused(t, "to a stranger", d.reassign(task, "stan", root), reason.WrongState)
		refused(t, "to a disabled user", d.reassign(task, "dee", root), reason.WrongState)
		d.down()
		refused(t, "by nobody in particular", d.reassign(task, "zoe", person("eli")), reason.Forbidden) // without a query
		refused(t, "while the directory is down", d.reassign(task, "zoe", root), reason.ResolverFailed)
		d.up()
		must(t, d.reassign(task, "zoe", root))
		same(t, "assignee", *d.read(r.ID).Tasks[0].Assignee, identity.User{ID: "zoe", Username: "zoe.name"})
	})
}

func TestDirectoryWithoutAnyApproverIsNotTrusted(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		held := d.begin(stage("check", "ana", "bo", "cy"))
		for _, id := range []string{"ana", "bo", "cy"} {
			d.realm.Remove(id)
		}
		if err := d.Timers.Sweep(t.Context()); err == nil || !strings.Contains(err.Error(), "none of 3 users") {
			t.Errorf("error = %v", err)
		}
		equal(t, "holders", holders(d.read(held.ID)), []string{"ana", "bo", "cy"})
	})
}

// Users are queried in batches. A last batch without a user of the directory is not a failure of
// the directory if earlier batches have some.
func TestSweepFindsDepartedApproversAcrossBatches(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		many := []string{"x", "y", "z"} // the last by their ids
		for n := range 20 {
			many = append(many, d.realm.AddUser(keycloaktest.User{ID: fmt.Sprint("a", n), Username: fmt.Sprint("a.name", n)}))
		}
		d.begin(stage("others", many[3:]...))
		left := d.begin(stage("check", many[:3]...))
		must(t, d.Timers.Sweep(t.Context()))
		equal(t, "holders", holders(d.read(left.ID)), []string{"-", "-", "-"})
	})
}

// The tasks of the first absent users are reassigned, and the next sweep processes the others.
func TestSweepBatchesAbsentApproversByQueryLimit(t *testing.T) {
	defer engine.GoneAtOnce(engine.GoneAtOnce(2))
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		r := d.begin(stage("check", "ana"))
		var held []wf.Request
		for _, id := range []string{"cy", "eli", "fay"} {
			held = append(held, d.begin(stage("check", id)))
			d.realm.Remove(id)
		}
		for _, want := range []string{"fay", "-"} {
			must(t, d.Timers.Sweep(t.Context()))
			equal(t, "holder of the first", holders(d.read(held[0].ID)), []string{"-"})
			equal(t, "holder of the second", holders(d.read(held[1].ID)), []string{"-"})
			equal(t, "holder of the third", holders(d.read(held[2].ID)), []string{want})
		}
		equal(t, "holder who stays", holders(d.read(r.ID)), []string{"ana"})
	})
}

func TestDepartedApproverIsReplaced(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		replaced := d.begin(ruled("check", officers()))
		orphaned := d.begin(stage("check", "fay"))
		fallback := d.create(d.publish(but(policyOf(stage("check", "fay")),
			func(p *policy.Definition) { p.Settings.FallbackApprovers = []policy.Rule{names("eli")} })))
		must(t, d.Timers.Sweep(t.Context()))
		equal(t, "holders", holders(d.read(replaced.ID)), []string{"ana", "bo"})

		d.realm.SetEnabled("ana", false)
		d.realm.AddRole("officer", keycloaktest.Holders{Users: []string{"cy"}})
		d.realm.Remove("fay")
		d.down()
		if err := d.Timers.Sweep(t.Context()); err == nil {
			t.Error("no error without an answer")
		}
		equal(t, "holders without an answer", holders(d.read(replaced.ID)), []string{"ana", "bo"})
		d.up()
		must(t, d.Timers.Sweep(t.Context()))
		equal(t, "a replacement", holders(d.read(replaced.ID)), []string{"cy", "bo"})
		equal(t, "a rescue", holders(d.read(orphaned.ID)), []string{"-"})
		same(t, "its kind", d.read(orphaned.ID).Tasks[0].Kind, wf.RescueTask)
		equal(t, "a fallback approver", holders(d.read(fallback.ID)), []string{"eli"})
		must(t, d.Timers.Sweep(t.Context()))
		must(t, d.reassign(orphaned.Tasks[0].ID, "zoe", root), d.approve(orphaned.Tasks[0].ID, "zoe"))
		d.status(orphaned.ID, wf.RequestApproved)
	})
}

func TestSubmitterRulesAreResolved(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		key := d.publish(but(policyOf(stage("check", "zoe")), func(p *policy.Definition) { p.Settings.Submitters = []policy.Rule{officers()} }))
		ask := func(by string) error {
			_, err := d.Requests.CreateRequest(t.Context(), person(by), input(key), nil)
			return err
		}
		must(t, ask("ana"))
		refused(t, "rita asks", ask("rita"), reason.Forbidden)
		d.down()
		refused(t, "a call by ana without an answer", ask("ana"), reason.ResolverFailed)
	})
}

func TestRulesRequireAConfiguredDirectory(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		for name, rule := range map[string]policy.Rule{
			"role": officers(), "group": {Type: policy.RuleGroup, Path: "/officers"}, "manager": {Type: policy.RuleManager},
			"usernames": {Type: policy.RuleUser, Usernames: []string{"ana.name"}}, "http": {Type: policy.RuleHTTP, Resolver: "oncall"},
			"roles": {Type: policy.RuleExpression, As: policy.AsRoles, CEL: "'officer'"},
		} {
			_, err := s.Policies.CreatePolicy(t.Context(), root, "without-"+name, policyOf(ruled("check", rule)))
			if !errors.Is(err, reason.BadPolicy) {
				t.Errorf("%s without a directory: %v", name, err)
			}
			_, err = d.Policies.CreatePolicy(t.Context(), root, "with-"+name, policyOf(ruled("check", rule)))
			must(t, err)
		}
		// The directory was taken out of the configuration meanwhile.
		_, err := s.Requests.CreateRequest(t.Context(), rita, input(d.publish(policyOf(ruled("check", officers())))), nil)
		refused(t, "a request", err, reason.EngineRefused)
	})
}
