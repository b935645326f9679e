package engine_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// noon is the time at which every test begins.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { wftest.Main(m) }

// service is an engine on an empty database, with a clock that the test sets.
type service struct {
	*engine.Engine
	options engine.Options // of the engine

	t     *testing.T
	url   string
	db    *sqldb.DB
	store *store.Store
	clock *timetest.Clock
	woken *atomic.Int64

	opened *[]*sqldb.DB // by it and its replicas
}

// each runs fn on both databases and verifies the resulting state.
func each(t *testing.T, fn func(t *testing.T, s *service)) {
	t.Helper()
	wftest.Schema.Each(t, func(t *testing.T, url string) { on(t, url, fn) })
}

func on(t *testing.T, url string, fn func(t *testing.T, s *service)) {
	s := connect(t, url)
	fn(t, s)
	s.sound()
}

// connect is a service on the database at url.
func connect(t *testing.T, url string) *service {
	s := &service{t: t, url: url, clock: timetest.At(noon), woken: new(atomic.Int64), opened: new([]*sqldb.DB)}
	keys, err := seal.Parse("test:" + seal.NewKey())
	must(t, err)
	s.open(engine.Options{Keys: keys})
	wftest.MeetPeople(t, s.db)
	return s
}

// open connects to the database and makes the engine.
func (s *service) open(o engine.Options) {
	s.t.Helper()
	db := wftest.Connect(s.t, s.url, s.now)
	*s.opened = append(*s.opened, db)
	o.Patience = wftest.Patience
	s.db, s.store = db, store.New(db)
	o.Store, o.Wake = s.store, func() { s.woken.Add(1) }
	o.EndpointURL = egress.Policy{}.CheckURL
	o.Callback = func(url string) error {
		if url != callback {
			return errors.New("not an allowed host")
		}
		return nil
	}
	s.Engine, s.options = engine.New(o), o
}

// replica is another process on the same database.
func (s *service) replica() *service {
	other := *s
	other.open(s.options)
	return &other
}

// under is the service for a sub-test.
func (s *service) under(t *testing.T) *service {
	other := *s
	other.t = t
	return &other
}

// with is the service as other settings make it.
func (s *service) with(change func(*engine.Options)) *service {
	other, o := *s, s.options
	change(&o)
	other.Engine, other.options = engine.New(o), o
	return &other
}

// answered is the service with a directory.
func (s *service) answered(resolve func(context.Context, approver.Question) ([]identity.User, error)) *service {
	return s.with(func(o *engine.Options) { o.Resolve, o.Directory = resolve, true })
}

func (s *service) now() time.Time          { return s.clock.Now() }
func (s *service) setClock(at time.Time)   { s.clock.Set(at) }
func (s *service) advance(d time.Duration) { s.clock.Advance(d) }

// endpoint creates a webhook endpoint, by default for no policy.
func (s *service) endpoint(name string, change ...func(*outbox.Endpoint)) outbox.Endpoint {
	s.t.Helper()
	draft := outbox.Endpoint{
		Name: name, URL: "https://" + name + ".example/hook", Events: audit.DefaultPatterns, Signature: outbox.SignHMAC, Enabled: true,
	}
	for _, c := range change {
		c(&draft)
	}
	if draft.PolicyKeys == nil { // not the default of every policy
		draft.PolicyKeys = []string{}
	}
	made, err := s.Webhooks.CreateEndpoint(s.t.Context(), root, draft, "")
	must(s.t, err)
	return made.Endpoint
}

// subscribed selects the events of a policy.
func subscribed(key string, events ...string) func(*outbox.Endpoint) {
	return func(e *outbox.Endpoint) { e.Events, e.PolicyKeys = events, []string{key} }
}

// callback is the one URL that requests may name.
const callback = "https://caller.example/done"

func person(id string) identity.Actor {
	return identity.Actor{User: identity.User{ID: id}, Kind: identity.ActorUser, Issuer: "test"}
}

func admin(id string) identity.Actor {
	by := person(id)
	by.Roles = []identity.Role{identity.RoleAdmin}
	return by
}

// The users of every test: rita is the requester, and root and eve are admins without approvals.
var (
	rita = person("rita")
	root = admin("root")
	eve  = admin("eve")
)

func names(ids ...string) policy.Rule { return policy.Rule{Type: policy.RuleUser, IDs: ids} }

// stage is one in which all these people must approve.
func stage(key string, ids ...string) policy.Stage {
	return policy.Stage{Key: key, Name: key, Approvers: []policy.Rule{names(ids...)}}
}

// anyOf is a stage in which one of these people must approve.
func anyOf(key string, ids ...string) policy.Stage {
	s := stage(key, ids...)
	s.Quorum.Mode = quorum.QuorumAny
	return s
}

// pool is a stage in which n of these people must approve.
func pool(key string, n int, ids ...string) policy.Stage {
	s := stage(key, ids...)
	s.Assignment, s.Quorum = policy.AssignmentPool, quorum.Quorum{Mode: quorum.QuorumCount, Value: n}
	return s
}

// but returns the stage or definition with a change.
func but[T any](v T, change func(*T)) T {
	change(&v)
	return v
}

func policyOf(stages ...policy.Stage) policy.Definition {
	return policy.Definition{Name: "Test", Stages: stages}
}

// publish makes the definition the active version of a new key.
func (s *service) publish(d policy.Definition) string {
	s.t.Helper()
	key := "p-" + rand.Text()
	if _, err := s.Policies.CreatePolicy(s.t.Context(), root, key, d); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.Policies.ActivateVersion(s.t.Context(), eve, key, 1, "", ""); err != nil {
		s.t.Fatal(err)
	}
	return key
}

// input is a request of rita's under the policy.
func input(key string, change ...func(*engine.RequestInput)) engine.RequestInput {
	in := engine.RequestInput{PolicyKey: key, Priority: wf.PriorityNormal, Context: []byte(`{}`)}
	for _, c := range change {
		c(&in)
	}
	in.ContextHash = sum(in.Context)
	return in
}

func sum(document []byte) string {
	hash, err := strictjson.Sum(document)
	if err != nil {
		panic(err)
	}
	return hash
}

func withContext(document string) func(*engine.RequestInput) {
	return func(in *engine.RequestInput) { in.Context = []byte(document) }
}

// create starts a request that must start, by default as rita.
func (s *service) create(key string, change ...func(*engine.RequestInput)) wf.Request {
	s.t.Helper()
	reply, err := s.Requests.CreateRequest(s.t.Context(), rita, input(key, change...), nil)
	must(s.t, err)
	return reply.Case.Request
}

// begin starts a request that passes these stages.
func (s *service) begin(stages ...policy.Stage) wf.Request {
	s.t.Helper()
	return s.create(s.publish(policyOf(stages...)))
}

// keyOf returns an idempotency key of a caller.
func keyOf(by identity.Actor, key, fingerprint string) *engine.IdempotencyKey {
	return &engine.IdempotencyKey{
		Principal: by.Issuer + "|" + by.ID, Method: "POST", Route: "/test", Value: key, Fingerprint: fingerprint, TTL: time.Hour,
	}
}

func (s *service) claim(task, by string) error {
	_, err := s.Tasks.ClaimTask(s.t.Context(), person(by), task, "", "")
	return err
}

func (s *service) decide(task string, by identity.Actor, in wf.DecisionInput) error {
	_, err := s.Tasks.DecideTask(s.t.Context(), by, task, in, "", nil)
	return err
}

func (s *service) withdraw(task, by string) error {
	_, err := s.Tasks.WithdrawTask(s.t.Context(), person(by), task, "", "", nil)
	return err
}

func (s *service) act(task, by string, action wf.Action) error {
	return s.decide(task, person(by), wf.DecisionInput{Action: action})
}

func (s *service) approve(task, by string) error { return s.act(task, by, wf.ActionApprove) }

func (s *service) reassign(task, to string, by identity.Actor) error {
	_, err := s.Tasks.ReassignTask(s.t.Context(), by, task, to, "", "", nil)
	return err
}

func (s *service) cancel(id string, by identity.Actor) error {
	_, err := s.Requests.CancelRequest(s.t.Context(), by, id, "", "", nil)
	return err
}

// delegate makes a delegation for an hour, which must be taken.
func (s *service) delegate(from, to string, change ...func(*approver.Delegation)) approver.Delegation {
	s.t.Helper()
	d, err := s.Delegations.CreateDelegation(s.t.Context(), person(from), s.leave(from, to, change...))
	must(s.t, err)
	return d
}

// leave is a delegation for an hour.
func (s *service) leave(from, to string, change ...func(*approver.Delegation)) approver.Delegation {
	d := approver.Delegation{
		User: identity.User{ID: from}, DelegateTo: identity.User{ID: to}, EndsAt: s.now().Add(time.Hour),
	}
	for _, c := range change {
		c(&d)
	}
	return d
}

// read returns a request as it is stored.
func (s *service) read(id string) wf.Request {
	s.t.Helper()
	r, _, err := s.store.ReadRequest(s.t.Context(), store.ByID(id))
	must(s.t, err)
	return r
}

// taskOf returns the id of the task that a person holds and can still decide.
func taskOf(t *testing.T, r wf.Request, holder string) string {
	t.Helper()
	for _, task := range r.Tasks {
		if task.HeldBy(holder) && (task.Status == wf.TaskOpen || task.Status == wf.TaskClaimed) {
			return task.ID
		}
	}
	t.Fatalf("%s holds no task of %s", holder, describe(r))
	return ""
}

// holders returns the holders of the live tasks, in order; - for none.
func holders(r wf.Request) []string {
	var ids []string
	for _, task := range r.Tasks {
		switch {
		case task.Status != wf.TaskOpen && task.Status != wf.TaskClaimed:
		case task.Assignee == nil:
			ids = append(ids, "-")
		default:
			ids = append(ids, task.Assignee.ID)
		}
	}
	return ids
}

// describe is all of a request that its transitions change, without ids and times.
func describe(r wf.Request) string {
	text := fmt.Sprintf("%s rev %d, %d events, revision %d", r.Status, r.Rev, r.Chain.Seq, r.Revision)
	if r.StatusReason != nil {
		text += " because " + string(r.StatusReason.Code)
	}
	for _, run := range r.Stages {
		text += fmt.Sprintf("\n  %s/%d %s %+v", run.Key, run.Run, run.Status, run.Count)
		for _, task := range r.Tasks {
			if task.StageKey != run.Key || task.StageRun != run.Run {
				continue
			}
			text += fmt.Sprintf("\n    %s %d: %s %s rev %d, moved %d times", task.Kind, task.Seat, task.Status, task.CloseReason, task.Rev, task.ReassignCount)
			if task.Assignee != nil {
				text += ", of " + task.Assignee.ID
			}
			if task.ClaimedBy != nil {
				text += ", claimed by " + task.ClaimedBy.ID
			}
			if task.Decision != nil {
				text += fmt.Sprintf(", %s by %s", task.Decision.Action, task.Decision.Actor.ID)
			}
		}
	}
	return text
}

// types are the types of a chain's events; an empty id is the service's own chain.
func (s *service) types(requestID string) []audit.EventType {
	s.t.Helper()
	var types []audit.EventType
	for page := (wf.Page{Limit: 200}); ; {
		events, next, err := s.store.Events(s.t.Context(), requestID, page)
		must(s.t, err)
		for _, e := range events {
			types = append(types, e.Type)
		}
		if page.Cursor = next; next == "" {
			return types
		}
	}
}

// rows returns the result of a query as text.
func (s *service) rows(query string, args ...any) []string {
	s.t.Helper()
	var found []string
	if err := s.db.Read(s.t.Context()).Raw(query, args...).Scan(&found).Error; err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return found
}

// exec changes the database behind the service's back.
func (s *service) exec(query string, args ...any) {
	s.t.Helper()
	if err := s.db.Read(s.t.Context()).Exec(query, args...).Error; err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
}

// refused fails the test unless err is a refusal for the reason. No reason means
// that err must be nil.
func refused(t *testing.T, what string, err error, want refusal.Reason) {
	t.Helper()
	if outcome(err) != string(want) && (want != "" || err != nil) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

var must = wftest.Must

// outcome is ok, the reason of a refusal, or the text of any other error.
func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	if refusal, ok := errors.AsType[*refusal.Error](err); ok {
		return string(refusal.Reason.General())
	}
	return "accident: " + err.Error()
}

// status fails the test unless the stored request has the status.
func (s *service) status(id string, want wf.RequestStatus) {
	s.t.Helper()
	if r := s.read(id); r.Status != want {
		s.t.Errorf("request is %s, want %s", describe(r), want)
	}
}

// equal fails the test unless two lists are the same.
func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
