package wf_test

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// surroundings is the world outside a test: a fixed clock, the delegations, and the
// answers of directories, resolvers, expressions and schemas.
type surroundings struct {
	at          time.Time
	delegations []approver.Delegation
	yields      yields                  // the people of external rules; nil for their ids
	managers    map[string]string       // of people with a manager rule
	values      map[string]policy.Value // of expressions, by their source
	misfits     map[string]string       // of documents, by their value: why they do not fit
	directory   bool                    // a directory exists: the people in yields
	trust       bool                    // see wf.Facts
	asked       int                     // how often a transition came back with questions
	seeds       uint64
	evaluated   []string // the sources of the expressions, in order
}

type yields = func(rule policy.Rule, maxAge time.Duration) ([]identity.User, error)

// facts holds the inputs of a transition, with the answers so far.
func (w *surroundings) facts(known approver.Answers) wf.Facts {
	w.seeds++
	var seed wf.Seed
	binary.BigEndian.PutUint64(seed[:], w.seeds)
	return wf.Facts{At: w.at, Seed: seed, Directory: w.directory, Answers: known, Delegations: w.delegations, TrustMembership: w.trust}
}

// inForce returns the delegations in force.
func (w *surroundings) inForce() []approver.Delegation {
	return slices.DeleteFunc(slices.Clone(w.delegations), func(d approver.Delegation) bool {
		return d.Status(w.at) != approver.DelegationActive
	})
}

// settle runs a transition until it has no more questions.
func (w *surroundings) settle(transition func(wf.Facts) (wf.Request, []wf.Event, error)) (wf.Request, []wf.Event, error) {
	known := approver.Answers{}
	for range 30 {
		after, events, err := transition(w.facts(known))
		open, unanswered := errors.AsType[*approver.Unasked](err)
		if !unanswered {
			return after, events, err
		}
		w.asked++
		w.answer(known, open)
	}
	return wf.Request{}, nil, errors.New("the transition has unlimited questions")
}

func (w *surroundings) answer(known approver.Answers, open *approver.Unasked) {
	for _, q := range open.Questions {
		answer := approver.People{Users: users(q.Rule.IDs...)}
		if w.yields != nil {
			var err error
			if answer.Users, err = w.yields(q.Rule, q.MaxAge); err != nil {
				answer.Failure, _ = errors.AsType[*refusal.Error](err)
			}
		}
		if w.managers != nil && q.From != "" {
			answer.Users = users(w.managers[q.From])
		}
		known[q.AnswerKey()] = answer
	}
}

// programs returns the values and misfits of the surroundings.
func (w *surroundings) programs() *policy.Programs {
	return &policy.Programs{
		Evaluate: func(source string, _ policy.Yield, _ policy.Input) policy.Value {
			w.evaluated = append(w.evaluated, source)
			return w.values[source]
		},
		Fits: func(_, document []byte) *refusal.Error {
			if why := w.misfits[string(document)]; why != "" {
				return &refusal.Error{Reason: reason.EngineRefused, Message: why}
			}
			return nil
		},
	}
}

// value is the result of an expression.
func value(b bool) policy.Value { return policy.Value{Bool: b} }

// lasts is an expression that yields a duration.
func lasts(length policy.Duration) policy.Value { return policy.Value{Due: policy.Due{In: length}} }

// fails is an expression that cannot be evaluated.
func fails(why string) policy.Value {
	return policy.Value{Failure: &refusal.Error{Reason: reason.EngineRefused, Message: why}}
}

func user(id string) identity.User { return identity.User{ID: id} }

func users(ids ...string) []identity.User {
	people := make([]identity.User, len(ids))
	for i, id := range ids {
		people[i] = user(id)
	}
	return people
}

func person(id string) identity.Actor {
	return identity.Actor{User: user(id), Kind: identity.ActorUser}
}

var sam = person("sam")

// root is an admin without a task.
var root = identity.Actor{User: user("root"), Kind: identity.ActorUser, Roles: []identity.Role{identity.RoleAdmin}}

func names(ids ...string) policy.Rule { return policy.Rule{Type: policy.RuleUser, IDs: ids} }

// each is a stage in which all these people must approve.
func each(key string, ids ...string) policy.Stage {
	return policy.Stage{Key: key, Name: key, Approvers: []policy.Rule{names(ids...)}}
}

// pool is a stage in which n of these people must approve.
func pool(key string, n int, ids ...string) policy.Stage {
	s := each(key, ids...)
	s.Assignment, s.Quorum = policy.AssignmentPool, quorum.Quorum{Mode: quorum.QuorumCount, Value: n}
	return s
}

// but returns the stage with a change.
func but(s policy.Stage, change func(*policy.Stage)) policy.Stage {
	change(&s)
	return s
}

func policyOf(stages ...policy.Stage) policy.Definition {
	return policy.Definition{Name: "Test", Stages: stages}
}

// draft is the request of every test: rita is the requester, sam the submitter.
func draft() wf.Request {
	return wf.Request{
		ID: "r1", PolicyKey: "test", PolicyVersion: 1, Requester: user("rita"), SubmittedBy: user("sam"),
		Context: []byte(`{}`), ContextHash: "sha256:one",
	}
}

// story drives one request through its transitions. Every step checks what holds
// for every transition: the receiver stays as it was, a refusal has no events, and
// the events continue the chain.
type story struct {
	surroundings
	t      fataler
	def    policy.Definition
	now    wf.Request
	events []wf.Event
	stored [][]byte
	watch  func(before, after wf.Request, events []wf.Event) // sees each step; may be nil
}

// fataler is a test or a property.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// tell prepares a request. By default its policy lets sam submit for
// rita.
func tell(t fataler, def policy.Definition) *story {
	def.Settings.OnBehalf = cmp.Or(def.Settings.OnBehalf, policy.OnBehalfSubmitters)
	s := &story{t: t, def: def, surroundings: surroundings{at: noon, values: map[string]policy.Value{
		"from": {Time: noon.Add(time.Hour)}, "until": {Time: noon.Add(2 * time.Hour)}, "length": lasts("PT2H"),
	}, misfits: map[string]string{}}}
	s.def.Programs = s.programs()
	return s
}

// begin starts a request, which has to succeed.
func begin(t *testing.T, stages ...policy.Stage) *story {
	t.Helper()
	s := tell(t, policyOf(stages...))
	s.must(s.start())
	return s
}

func (s *story) start() error {
	s.t.Helper()
	return s.step(func(f wf.Facts) (wf.Request, []wf.Event, error) {
		return wf.NewRequest(draft(), s.def, sam, f)
	})
}

func (s *story) step(transition func(wf.Facts) (wf.Request, []wf.Event, error)) error {
	s.t.Helper()
	before := encode(s.now)
	next, events, err := s.settle(transition)
	if after := encode(s.now); before != after {
		s.t.Fatalf("the transition changed its receiver\nfrom %s\nto   %s", before, after)
	}
	if err != nil && len(events) == 0 {
		if encode(next) != before && s.now.ID != "" {
			s.t.Fatalf("refused with %v, and yet changed", err)
		}
		return err
	}
	if len(events) == 0 && s.now.ID != "" && encode(settled(next)) != encode(settled(s.now)) {
		s.t.Fatalf("changed without an event\nfrom %s\nto   %s", before, encode(next))
	}
	if len(events) > 0 && next.Rev != s.now.Rev+1 {
		s.t.Fatalf("rev went from %d to %d", s.now.Rev, next.Rev)
	}
	s.drawn(next)
	if s.watch != nil {
		s.watch(s.now, next, events)
	}
	s.now = next
	for _, e := range events {
		s.events, s.stored = append(s.events, e), append(s.stored, e.Body)
		if e.Seq != int64(len(s.events)) {
			s.t.Fatalf("event %s has number %d, want %d", e.Type, e.Seq, len(s.events))
		}
	}
	if n := len(s.events); n > 0 && s.now.Chain != (audit.Chain{Seq: int64(n), Hash: s.events[n-1].Hash}) {
		s.t.Fatalf("the chain ends at %+v, the events at %d %s", s.now.Chain, n, s.events[n-1].Hash)
	}
	return err
}

// settled is the request without what changes silently when a stage is tried again.
func settled(r wf.Request) wf.Request {
	r.Stages = slices.Clone(r.Stages)
	for i := range r.Stages {
		if run := &r.Stages[i]; run.Status == wf.StageResolving || run.Status == wf.StageBlocked {
			run.RetryAt, run.LastError = time.Time{}, ""
		}
		if run := &r.Stages[i]; run.DueRecorded && run.EscalatedAt.IsZero() { // the escalation is retried
			run.TimerAt, run.LastError = time.Time{}, ""
		}
	}
	return r
}

// apply takes a step of a caller, or of the service for an empty one.
func (s *story) apply(by identity.Actor, step wf.Step) error {
	s.t.Helper()
	return s.step(func(f wf.Facts) (wf.Request, []wf.Event, error) { return s.now.Apply(s.def, by, f, step) })
}

func (s *story) withdraw(task string, by identity.Actor) error {
	s.t.Helper()
	return s.apply(by, wf.Withdraw(task, "by mistake"))
}

func (s *story) resolve() error {
	s.t.Helper()
	return s.apply(identity.Actor{}, wf.Resolve)
}

func (s *story) reevaluate(by identity.Actor) error {
	s.t.Helper()
	return s.apply(by, wf.Reevaluate)
}

// sweep removes these people and all former approvers from their
// places.
func (s *story) sweep(gone ...string) error {
	s.t.Helper()
	return s.apply(identity.Actor{}, wf.Sweep(gone))
}

func (s *story) claim(task string, by identity.Actor) error {
	s.t.Helper()
	return s.claimFor("", task, by)
}

// claimFor claims a task for a delegator; empty for any, or for the person.
func (s *story) claimFor(behalf, task string, by identity.Actor) error {
	s.t.Helper()
	return s.apply(by, wf.Claim(task, behalf))
}

func (s *story) unclaim(task string, by identity.Actor) error {
	s.t.Helper()
	return s.apply(by, wf.Unclaim(task))
}

func (s *story) decide(task string, by identity.Actor, in wf.DecisionInput) error {
	s.t.Helper()
	in.ID = "d-" + task
	return s.apply(by, wf.Decide(task, in))
}

func (s *story) act(task, by string, a wf.Action) error {
	s.t.Helper()
	return s.decide(task, person(by), wf.DecisionInput{Action: a})
}

func (s *story) approve(task, by string) error {
	s.t.Helper()
	return s.act(task, by, wf.ActionApprove)
}

func (s *story) reject(task, by string) error { s.t.Helper(); return s.act(task, by, wf.ActionReject) }

func (s *story) sendBack(task, by string) error {
	s.t.Helper()
	return s.act(task, by, wf.ActionRequestChanges)
}

func (s *story) reassign(task, to string, by identity.Actor) error {
	s.t.Helper()
	return s.apply(by, wf.Reassign(task, user(to), false, ""))
}

func (s *story) cancel(by identity.Actor) error {
	s.t.Helper()
	return s.apply(by, wf.Cancel("no longer needed"))
}

func (s *story) expire() error {
	s.t.Helper()
	return s.apply(identity.Actor{}, wf.EndByTime)
}

// deadlines does the work of the deadlines that is due.
func (s *story) deadlines() error {
	s.t.Helper()
	return s.apply(identity.Actor{}, wf.ProcessDeadlines)
}

// moveDue moves the due date of a stage.
func (s *story) moveDue(stage string, to time.Time, reason string, by identity.Actor) error {
	s.t.Helper()
	return s.apply(by, wf.MoveDueDate(stage, to, reason))
}

// resubmit sends the request in again; an empty hash leaves the context as it is.
func (s *story) resubmit(by identity.Actor, hash string) error {
	s.t.Helper()
	var context []byte
	if hash != "" {
		context = []byte(`{"changed":true}`)
	}
	return s.apply(by, wf.Resubmit(context, hash, ""))
}

// delegate makes delegations.
func (s *story) delegate(made ...approver.Delegation) {
	s.delegations = append(slices.Clone(s.delegations), made...)
}

// revoke ends a delegation early.
func (s *story) revoke(id string) {
	s.t.Helper()
	s.delegations = slices.Clone(s.delegations)
	i := slices.IndexFunc(s.delegations, func(d approver.Delegation) bool { return d.ID == id })
	if i < 0 {
		s.t.Fatalf("no delegation %s", id)
	}
	s.delegations[i].RevokedAt, s.delegations[i].RevokedBy = s.at, s.delegations[i].User
}

// must fails the test when a step was refused.
func (s *story) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("unexpected refusal: %v", err)
	}
}

// refused fails the test unless err is a refusal for this reason.
func (s *story) refused(err error, want refusal.Reason) {
	s.t.Helper()
	if !errors.Is(err, want) {
		s.t.Fatalf("error = %v, want %s", err, want)
	}
}

func (s *story) status(want wf.RequestStatus) {
	s.t.Helper()
	if s.now.Status != want {
		s.t.Fatalf("request is %s, want %s", s.now.Status, want)
	}
}

func (s *story) because(want wf.ReasonCode) {
	s.t.Helper()
	if s.now.StatusReason == nil || s.now.StatusReason.Code != want {
		s.t.Fatalf("status reason = %+v, want %s", s.now.StatusReason, want)
	}
}

func (s *story) stageIs(key string, want wf.StageStatus) {
	s.t.Helper()
	if got := s.run(key).Status; got != want {
		s.t.Fatalf("stage %s is %s, want %s", key, got, want)
	}
}

func (s *story) asCase() wf.Case {
	return wf.Case{Request: s.now.WithClaims(s.delegations, s.at), Definition: s.def, Now: s.at, Delegations: s.delegations}
}

// run returns the last run of a stage.
func (s *story) run(key string) wf.StageRun {
	s.t.Helper()
	for _, run := range slices.Backward(s.now.Stages) {
		if run.Key == key {
			return run
		}
	}
	s.t.Fatalf("stage %s has no run", key)
	return wf.StageRun{}
}

// tasks returns the tasks of the last run of a stage.
func (s *story) tasks(key string) []wf.Task {
	s.t.Helper()
	run := s.run(key)
	var tasks []wf.Task
	for _, t := range s.now.Tasks {
		if t.StageKey == key && t.StageRun == run.Run {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// of returns the id of the task that a person holds in a stage.
func (s *story) of(key, id string) string {
	s.t.Helper()
	for _, t := range s.tasks(key) {
		if t.Assignee != nil && t.Assignee.ID == id {
			return t.ID
		}
	}
	s.t.Fatalf("%s holds no task of stage %s", id, key)
	return ""
}

// nth returns the id of a task by its number in the stage.
func (s *story) nth(key string, n int) string {
	s.t.Helper()
	for _, t := range s.tasks(key) {
		if t.Seat == n {
			return t.ID
		}
	}
	s.t.Fatalf("stage %s has no task %d", key, n)
	return ""
}

// rescue returns the id of the live rescue task of a stage.
func (s *story) rescue(key string) string {
	s.t.Helper()
	for _, t := range s.tasks(key) {
		if t.Kind == wf.RescueTask && live(t) {
			return t.ID
		}
	}
	s.t.Fatalf("stage %s has no rescue task", key)
	return ""
}

// holders returns the assignees of the live approver tasks of a stage, in the order of
// the tasks; "-" for none.
func (s *story) holders(key string) []string {
	s.t.Helper()
	held := []string{}
	for _, t := range s.tasks(key) {
		switch {
		case !live(t) || t.Kind == wf.RescueTask:
		case t.Assignee == nil:
			held = append(held, "-")
		default:
			held = append(held, t.Assignee.ID)
		}
	}
	return held
}

func (s *story) holdersAre(key string, want ...string) {
	s.t.Helper()
	if got := s.holders(key); !slices.Equal(got, want) {
		s.t.Fatalf("stage %s is with %v, want %v", key, got, want)
	}
}

// task returns a task as it stands now.
func (s *story) task(id string) wf.Task {
	s.t.Helper()
	t, ok := s.now.Task(id)
	if !ok {
		s.t.Fatalf("no task %s", id)
	}
	return t
}

// types returns the types of the events since the first n.
func (s *story) types(n int) []audit.EventType {
	types := []audit.EventType{}
	for _, e := range s.events[n:] {
		types = append(types, e.Type)
	}
	return types
}

func live(t wf.Task) bool { return t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed }

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func ptr[T any](v T) *T { return &v }

// verify returns the number of the first event that does not fit its chain, or 0.
func verify(events []wf.Event, stored [][]byte) int64 {
	var chain audit.Chain
	for i, e := range events {
		next, fits := audit.Chain{}, false
		if i < len(stored) {
			next, fits = chain.Next(e.Seq, e.PrevHash, e.Hash, stored[i])
		}
		if !fits {
			return chain.Seq + 1
		}
		chain = next
	}
	return 0
}
