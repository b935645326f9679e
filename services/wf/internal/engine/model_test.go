package engine_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// crowd is everybody whom a rule of the model may yield. Rita asks, root and eve are
// admins, and helpers are whom an admin finds in the end.
var (
	crowd   = []string{"ana", "bo", "cy", "dee", "eli", "rita"}
	anybody = append(slices.Clone(crowd), "fay", "gus")
	helpers = []string{"h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "h10", "h11", "h12"}
)

// register is a directory that can fail, lose people and take them back.
type register struct {
	mu    sync.Mutex
	down  bool
	gone  map[string]bool
	roles map[string][]string // a role that is not there is unknown
}

func (d *register) resolve(_ context.Context, q wf.Question) ([]wf.User, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		return nil, wf.NoAnswer("the directory is away")
	}
	ids := q.Rule.IDs
	if q.Rule.Type == wf.RuleRole {
		var known bool
		if ids, known = d.roles[q.Rule.Role]; !known {
			return nil, wf.Refuse(wf.EngineRefused, "role %s: there is none", q.Rule.Role)
		}
	}
	var people []wf.User
	for _, id := range ids {
		if !d.gone[id] {
			people = append(people, wf.User{ID: id})
		}
	}
	return people, nil
}

// truth is whom a rule yields now, and whether it fails.
func (d *register) truth(rule wf.Rule) (ids []string, fails bool) {
	if rule.Type == wf.RuleUser {
		return rule.IDs, false
	}
	members, known := d.roles[rule.Role]
	return slices.DeleteFunc(slices.Clone(members), func(id string) bool { return d.gone[id] }), !known
}

// model plays requests of one random policy.
type model struct {
	*service
	t           *rapid.T
	dir         *register
	def         wf.Definition
	key         string
	requests    map[string]wf.Request // as they were last seen
	order       []string
	delegations []string
	failed      *bool
	foretold    int // how many requests were compared with their simulation
}

var modelTime = flag.Duration("model-time", 15*time.Second, "the model test begins no other story after this time, on each database")

// TestNothingThatHappensBreaksARequest drives the service at random, and looks after every
// step whether it did what it may.
func TestNothingThatHappensBreaksARequest(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		on(t, url, func(t *testing.T, s *service) {
			dir := &register{}
			s = s.with(func(o *engine.Options) { o.Resolve, o.Directory = dir.resolve, true })
			began, failed := time.Now(), false
			var played, foretold int
			ended := map[wf.RequestStatus]int{}
			rapid.Check(t, func(rt *rapid.T) {
				if time.Since(began) > *modelTime && !failed {
					return
				}
				m := &model{service: s, t: rt, dir: dir, requests: map[string]wf.Request{}, failed: &failed}
				m.play()
				played++
				foretold += m.foretold
				for _, r := range m.requests {
					ended[r.Status]++
				}
			})
			t.Logf("%d stories, %d requests foretold, ended %v", played, foretold, ended)
			if played > 20 && (ended[wf.WasApproved] == 0 || ended[wf.WasRejected] == 0 || foretold == 0) {
				t.Error("the stories do not end in all ways")
			}
		})
	})
}

func (m *model) fatalf(format string, args ...any) {
	m.t.Helper()
	*m.failed = true
	m.t.Fatalf(format, args...)
}

func (m *model) must(err error) {
	m.t.Helper()
	if err != nil {
		m.fatalf("%v", err)
	}
}

func (m *model) play() {
	ctx := m.service.t.Context()
	m.clean()
	m.dir.mu.Lock()
	m.dir.down, m.dir.gone, m.dir.roles = false, map[string]bool{}, map[string][]string{"spare": {"fay"}}
	for _, role := range []string{"red", "blue"} {
		m.dir.roles[role] = rapid.SliceOfNDistinct(rapid.SampledFrom(crowd), 0, 4, rapid.ID[string]).Draw(m.t, role)
	}
	m.dir.mu.Unlock()
	m.def = anyDefinition(m.t)
	m.key = "m-" + newKey()
	if _, err := m.CreatePolicy(ctx, root, m.key, m.def); err != nil {
		m.fatalf("the model made a bad definition: %v", err)
	}
	_, err := m.ActivateVersion(ctx, eve, m.key, 1)
	m.must(err)
	m.create()
	actions := []struct {
		weight int
		name   string
		run    func()
	}{
		{1, "create", func() {
			if len(m.order) < 3 {
				m.create()
			}
		}},
		{6, "go on", m.goOn}, {3, "decide", m.decideAnything}, {3, "claim", m.claimAnything}, {2, "unclaim", m.unclaim},
		{3, "reassign", m.reassignAnything}, {3, "rescue", m.rescue}, {2, "delegate", m.delegateSomething}, {2, "revoke", m.revoke}, {4, "a stand-in acts", m.standIn},
		{2, "join or leave a role", m.member}, {1, "a role comes or goes", m.role}, {2, "leave or come back", m.leave},
		{1, "the directory", func() { m.dir.down = !m.dir.down }},
		{3, "time passes", m.time}, {3, "the workers", m.workers}, {2, "resubmit", m.resubmit}, {2, "reevaluate", m.reevaluate}, {1, "cancel", m.cancelSometimes},
	}
	var names []string
	by := map[string]func(){}
	for _, a := range actions {
		by[a.name] = a.run
		for range a.weight {
			names = append(names, a.name)
		}
	}
	for range rapid.IntRange(3, 40).Draw(m.t, "steps") {
		by[rapid.SampledFrom(names).Draw(m.t, "action")]()
	}
	m.finish()
}

// clean ends what another story has left: one that failed did not come to its end.
func (m *model) clean() {
	m.dir.down = false
	for _, id := range m.rows("SELECT id FROM request WHERE status IN ('in_review', 'blocked', 'changes_requested')") {
		_ = m.service.cancel(id, root)
	}
	m.advance(400 * 24 * time.Hour) // and every delegation is over
	_, err := m.SettleDelegations(m.service.t.Context(), m.now(), 1000)
	m.must(err)
}

func (m *model) pick(what string, from []string) string {
	return rapid.SampledFrom(from).Draw(m.t, what)
}

func (m *model) chance(n int, what string) bool { return rapid.IntRange(1, n).Draw(m.t, what) == n }

// did looks at the outcome of a call, and then at what has become of every request.
func (m *model) did(what string, err error) bool {
	m.t.Helper()
	if refusal, ok := errors.AsType[*wf.Error](err); err != nil && (!ok || !slices.Contains([]wf.Reason{
		wf.Forbidden, wf.WrongState, wf.BadInput, wf.EngineRefused, wf.ResolverFailed, wf.DelegationNotFound,
	}, refusal.Reason)) {
		m.fatalf("%s: %v", what, err)
	}
	if _, known := m.dir.roles["red"]; errors.Is(err, wf.ResolverFailed) && !m.dir.down && known {
		m.fatalf("%s: %v, and the directory answers", what, err)
	}
	m.t.Logf("%s: %s", what, outcome(err))
	for _, id := range m.order {
		before, after := m.requests[id], m.read(id)
		m.check(what, before, after, err)
		m.requests[id] = after
	}
	return err == nil
}

// create starts a request as its simulation foretells, decisions included.
func (m *model) create() {
	ctx := m.service.t.Context()
	document := m.pick("context", []string{`{}`, `{"n":1}`, `{"n":20}`})
	in := engine.SimulationInput{Context: []byte(document), ContextHash: sum([]byte(document)), Requester: "rita"}
	for range rapid.IntRange(0, 4).Draw(m.t, "decisions") {
		action := rapid.SampledFrom([]wf.Action{wf.Approve, wf.Approve, wf.Approve, wf.Reject, wf.Abstain, wf.RequestChanges}).Draw(m.t, "action")
		in.Decisions = append(in.Decisions, engine.SimulatedDecision{StageKey: m.pick("stage", []string{"s0", "s1"}), UserID: m.pick("who", anybody), Action: action})
	}
	sim, foreseen := m.Simulate(ctx, root, m.key, 1, in)
	reply, err := m.CreateRequest(ctx, rita, input(m.key, withContext(document)), once())
	switch {
	case foreseen != nil && m.dir.down: // it shows all stages, and creation asks for the first
		in.Decisions = nil
	case foreseen != nil:
		m.fatalf("simulate: %v", foreseen)
	case (sim.Outcome == engine.WouldRefuse) != (err != nil):
		m.fatalf("simulate says %s %v, and create %v", sim.Outcome, sim.Problems, err)
	}
	if !m.did("create", err) {
		return
	}
	id := reply.Case.Request.ID
	m.order, m.requests[id] = append(m.order, id), wf.Request{}
	m.did("created "+id, nil)
	for i, d := range in.Decisions {
		r, played := m.requests[id], sim.Play[i]
		problem := "no task"
		if task := takes(r, d.StageKey, d.UserID); task != "" {
			err := m.decide(task, person(d.UserID), wf.DecisionInput{Action: d.Action, Comment: "simulated decision"})
			if problem = ""; !m.did(fmt.Sprintf("%s: %s as foretold", d.UserID, d.Action), err) {
				problem = err.Error()
			}
		}
		if r = m.requests[id]; (problem != "") != (played.Problem != "") || r.Status != played.RequestStatus {
			m.fatalf("decision %d: foretold %+v, and it was %q and is %s", i, played, problem, describe(r))
		}
	}
	if foreseen != nil {
		return
	}
	if got, want := describe(m.requests[id]), describe(sim.Request); got != want {
		m.fatalf("became %s\nforetold was %s", got, want)
	}
	m.foretold++
}

// takes is a live task of a stage that a person holds, or may take; the first.
func takes(r wf.Request, stage, who string) string {
	for _, t := range r.Tasks {
		if (stage == "" || t.StageKey == stage) && isLive(t) && (t.HeldBy(who) || t.Assignee == nil && t.Kind == wf.ApproverTask && slices.ContainsFunc(r.Run(t).Takers(r.Tasks), func(taker wf.Taker) bool { return taker.ID == who })) {
			return t.ID
		}
	}
	return ""
}

func (m *model) someRequest() (wf.Request, bool) {
	if len(m.order) == 0 {
		return wf.Request{}, false
	}
	return m.requests[m.pick("request", m.order)], true
}

func (m *model) someTask() (string, bool) {
	r, ok := m.someRequest()
	if !ok || len(r.Tasks) == 0 {
		return "", false
	}
	return rapid.SampledFrom(r.Tasks).Draw(m.t, "task").ID, true
}

func (m *model) decision() wf.DecisionInput {
	return wf.DecisionInput{Comment: "a comment", Action: rapid.SampledFrom([]wf.Action{
		wf.Approve, wf.Approve, wf.Approve, wf.Reject, wf.Abstain, wf.RequestChanges,
	}).Draw(m.t, "action")}
}

// goOn lets somebody decide who may, so that requests get on.
func (m *model) goOn() {
	r, ok := m.someRequest()
	if !ok {
		return
	}
	for _, who := range rapid.Permutation(append(slices.Clone(anybody), helpers...)).Draw(m.t, "who comes first") {
		if task := takes(r, "", who); task != "" {
			in := m.decision()
			m.did(fmt.Sprintf("%s: %s", who, in.Action), m.decide(task, person(who), in))
			return
		}
	}
}

func (m *model) decideAnything() {
	if task, ok := m.someTask(); ok {
		who, in := m.pick("who", anybody), m.decision()
		m.did(fmt.Sprintf("%s: %s anything", who, in.Action), m.decide(task, person(who), in))
	}
}

func (m *model) claimAnything() {
	if task, ok := m.someTask(); ok {
		who := m.pick("who", anybody)
		m.did(who+": claim", m.claim(task, who))
	}
}

func (m *model) unclaim() {
	if task, ok := m.someTask(); ok {
		by := m.actor()
		_, err := m.UnclaimTask(m.service.t.Context(), by, task, "", once())
		m.did(by.ID+": unclaim", err)
	}
}

func (m *model) actor() wf.Actor {
	if m.chance(3, "admin") {
		return root
	}
	return person(m.pick("who", anybody))
}

func (m *model) reassignAnything() {
	if task, ok := m.someTask(); ok {
		by, to := m.actor(), m.pick("to", append([]string{"root", "h1"}, anybody...))
		m.did(fmt.Sprintf("%s: move to %s", by.ID, to), m.reassign(task, to, by))
	}
}

func (m *model) rescue() {
	r, ok := m.someRequest()
	if !ok {
		return
	}
	for _, t := range r.Tasks {
		if t.Kind == wf.RescueTask && isLive(t) && t.Assignee == nil {
			to := m.pick("to", append([]string{"h1", "h2"}, anybody...))
			m.did("rescue by "+to, m.reassign(t.ID, to, root))
			return
		}
	}
}

func (m *model) delegateSomething() {
	from, to := m.pick("from", crowd), m.pick("to", anybody)
	if from == to {
		return
	}
	d := m.leaveOf(from, to)
	made, err := m.CreateDelegation(m.service.t.Context(), person(from), d)
	if m.did(fmt.Sprintf("%s delegates to %s, %s", from, to, d.Mode), err) {
		m.delegations = append(m.delegations, made.ID)
	}
}

func (m *model) leaveOf(from, to string) wf.Delegation {
	d := m.service.leave(from, to)
	d.Mode = rapid.SampledFrom([]wf.DelegationMode{wf.Replace, wf.Share}).Draw(m.t, "mode")
	d.ApplyToOpen, d.ReturnOnEnd = !m.chance(4, "new work alone"), !m.chance(4, "for good")
	if m.chance(3, "scheduled") {
		d.StartsAt = m.now().Add(30 * time.Minute)
	}
	d.EndsAt = m.now().Add(time.Duration(rapid.IntRange(1, 48).Draw(m.t, "hours")) * time.Hour)
	if m.chance(4, "scoped") {
		d.Scope.StageKeys = []string{"s0"}
	}
	return d
}

func (m *model) revoke() {
	if len(m.delegations) > 0 {
		id := m.pick("delegation", m.delegations)
		_, err := m.DeleteDelegation(m.service.t.Context(), root, id)
		m.did("revoke", err)
	}
}

// standIn lets somebody act who stands in for another, or did so until now.
func (m *model) standIn() {
	r, ok := m.someRequest()
	if !ok {
		return
	}
	type right struct{ task, who string }
	var rights []right
	for _, t := range r.Tasks {
		switch {
		case !isLive(t) || t.Kind != wf.ApproverTask:
		case t.OnBehalfOf != nil:
			rights = append(rights, right{t.ID, t.Assignee.ID})
		case t.SharedWith != nil:
			rights = append(rights, right{t.ID, t.SharedWith.ID})
		case t.Assignee == nil:
			for _, a := range r.Run(t).People {
				if a.StandIn != nil {
					rights = append(rights, right{t.ID, a.StandIn.ID})
				}
			}
		}
	}
	if len(rights) == 0 {
		return
	}
	act := rapid.SampledFrom(rights).Draw(m.t, "stand-in")
	if m.chance(3, "claim") {
		m.did(act.who+": claim as a stand-in", m.claim(act.task, act.who))
		return
	}
	in := m.decision()
	m.did(fmt.Sprintf("%s: %s as a stand-in", act.who, in.Action), m.decide(act.task, person(act.who), in))
}

func (m *model) member() {
	role, who := m.pick("role", []string{"red", "blue"}), m.pick("who", crowd)
	members, known := m.dir.roles[role]
	if !known {
		return
	}
	if i := slices.Index(members, who); i >= 0 {
		m.dir.roles[role] = slices.Delete(slices.Clone(members), i, i+1)
	} else {
		m.dir.roles[role] = append(slices.Clone(members), who)
	}
	m.t.Logf("role %s: %v", role, m.dir.roles[role])
}

func (m *model) role() {
	if _, known := m.dir.roles["red"]; known {
		delete(m.dir.roles, "red")
	} else {
		m.dir.roles["red"] = []string{"ana", "cy"}
	}
	m.t.Logf("role red: %v", m.dir.roles["red"])
}

func (m *model) leave() {
	who := m.pick("who", crowd)
	m.dir.gone[who] = !m.dir.gone[who]
	m.t.Logf("%s is gone: %t", who, m.dir.gone[who])
}

func (m *model) time() {
	d := rapid.SampledFrom([]time.Duration{time.Millisecond, 5 * time.Second, time.Minute, 20 * time.Minute, time.Hour, 12 * time.Hour, 49 * time.Hour}).Draw(m.t, "time")
	if r, ok := m.someRequest(); ok && m.chance(8, "to the end") && r.ExpiresAt != nil && r.ExpiresAt.After(m.now()) {
		d = r.ExpiresAt.Sub(m.now())
	}
	if len(m.delegations) > 0 && m.chance(3, "to the end of a delegation") {
		ends, err := m.store.ReadDelegation(m.service.t.Context(), m.pick("delegation", m.delegations))
		if m.must(err); ends.EndsAt.After(m.now()) {
			d = ends.EndsAt.Sub(m.now())
		}
	}
	m.advance(d)
	m.t.Logf("it is %s", m.now().Format(time.DateTime))
}

func (m *model) workers() {
	ctx := m.service.t.Context()
	switch rapid.IntRange(1, 5).Draw(m.t, "worker") {
	case 1:
		_, err := m.ExpireRequests(ctx, m.now(), 1000)
		m.did("expire", err)
	case 2:
		_, err := m.RetryStages(ctx, m.now(), 1000)
		m.did("look again", err)
	case 3:
		_, err := m.SettleDelegations(ctx, m.now(), 1000)
		m.did("settle delegations", err)
	case 4:
		m.swept()
	default:
		_, err := m.TurnPools(ctx, 1000)
		m.did("turn pools", err)
	}
}

func (m *model) swept() {
	err := m.Sweep(m.service.t.Context())
	if err != nil && !m.dir.down && !strings.Contains(err.Error(), "knows none") {
		m.fatalf("sweep: %v", err)
	}
	m.did("sweep", nil)
}

func (m *model) resubmit() {
	r, ok := m.someRequest()
	if !ok {
		return
	}
	var document []byte
	var hash string
	if m.chance(2, "other context") {
		document = []byte(m.pick("context", []string{`{}`, `{"n":1}`, `{"n":20}`}))
		hash = sum(document)
	}
	_, err := m.ResubmitRequest(m.service.t.Context(), rita, r.ID, document, hash, "", "", once())
	m.did("resubmit", err)
}

func (m *model) reevaluate() {
	if r, ok := m.someRequest(); ok {
		_, err := m.ReevaluateRequest(m.service.t.Context(), root, r.ID, once())
		m.did("reevaluate "+r.ID, err)
	}
}

func (m *model) cancelSometimes() {
	if r, ok := m.someRequest(); ok && m.chance(3, "really") {
		m.did("cancel", m.service.cancel(r.ID, m.actor()))
	}
}

// finish lets everybody come back and approve, and whom an admin finds as well: every
// request comes to an end.
func (m *model) finish() {
	ctx := m.service.t.Context()
	m.dir.down, m.dir.gone = false, map[string]bool{}
	if _, known := m.dir.roles["red"]; !known {
		m.dir.roles["red"] = []string{"ana", "cy"}
	}
	for range 40 {
		open := false
		for _, id := range m.order {
			if r := m.requests[id]; !r.Status.Final() {
				open = true
				m.help(r)
			}
		}
		if !open {
			return
		}
		m.advance(20 * time.Minute)
		_, err := m.SettleDelegations(ctx, m.now(), 1000)
		m.did("settle delegations", err)
		_, err = m.RetryStages(ctx, m.now(), 1000)
		m.did("look again", err)
		_, err = m.ExpireRequests(ctx, m.now(), 1000)
		m.did("expire", err)
		m.swept()
	}
	for _, id := range m.order {
		if r := m.requests[id]; !r.Status.Final() {
			m.fatalf("everybody approves, and request %s is %s", id, describe(r))
		}
	}
}

// help does what one request waits for.
func (m *model) help(r wf.Request) {
	if r.Status == wf.ChangesRequested {
		_, err := m.ResubmitRequest(m.service.t.Context(), rita, r.ID, nil, "", "", "", once())
		m.did("resubmit", err)
	}
	for _, t := range m.requests[r.ID].Tasks {
		if now, _ := m.requests[r.ID].Task(t.ID); isLive(now) && now.Kind == wf.RescueTask && now.Assignee == nil {
			for _, to := range helpers {
				if m.did("rescue by "+to, m.reassign(t.ID, to, root)) {
					break
				}
			}
		}
	}
	for _, who := range append(append([]string{"root"}, anybody...), helpers...) {
		for range 2 { // a stage may lead to another
			if task := takes(m.requests[r.ID], "", who); task != "" {
				m.did(who+": approve", m.approve(task, who))
			}
		}
	}
}

func newKey() string { return strings.ReplaceAll(fmt.Sprint(time.Now().UnixNano()), "-", "") }

// check holds a request against the invariants, after a call with this outcome.
func (m *model) check(what string, before, after wf.Request, err error) {
	m.t.Helper()
	wrong := func(format string, args ...any) {
		m.t.Helper()
		m.fatalf("%s: %s: request %s was %s\nand is %s", what, fmt.Sprintf(format, args...), after.ID, describe(before), describe(after))
	}
	if problem := stuck(after); problem != "" {
		wrong("%s", problem)
	}
	for _, run := range after.Stages {
		if problem := accuse(m.def, after, run); problem != "" {
			wrong("stage %s/%d: %s (minimums %v, people %+v)", run.Key, run.Run, problem, run.Minimums, run.People)
		}
		m.staffed(before, after, run, wrong)
		m.lookedAt(what, err, before, run, wrong)
	}
	for _, t := range after.Tasks {
		if was, _ := before.Task(t.ID); t.Decision != nil && was.Decision == nil {
			m.mayHave(before, after, t, wrong)
		}
	}
	switch {
	case before.ID == "":
	case before.Status.Final() && before.Rev != after.Rev:
		wrong("something happened to a request that is over")
	case before.Overdue(m.now()) && before.Rev != after.Rev && after.Status != wf.HasExpired:
		wrong("something but expiry happened to a request whose time is over")
	case err != nil && before.Rev != after.Rev && after.Status != wf.HasExpired && !m.orphaned(before, after):
		wrong("a refused call has changed it")
	}
	m.shown(after, wrong)
}

// orphaned reports whether the events between two states are about somebody who has lost
// their place.
func (m *model) orphaned(before, after wf.Request) bool {
	types := m.types(after.ID)[before.Chain.Seq:]
	return slices.Contains(types, wf.TaskOrphaned) || slices.Contains(types, wf.TaskReassigned)
}

// staffed compares the people of a stage that has just started with whom its rules yield.
func (m *model) staffed(before, after wf.Request, run wf.StageRun, wrong func(string, ...any)) {
	if !slices.Contains([]wf.StageStatus{wf.StageActive, wf.StageBlocked, wf.StageApproved, wf.StageRejected}, run.Status) || !run.StartedAt.Equal(m.now()) {
		return
	}
	if i := slices.IndexFunc(before.Stages, func(old wf.StageRun) bool { return old.ID == run.ID }); i >= 0 &&
		before.Stages[i].Status != wf.StagePending && before.Stages[i].Status != wf.StageResolving {
		return
	}
	stage, _ := m.def.Stage(run.Key)
	for i, rule := range stage.Approvers {
		ids, fails := m.dir.truth(rule)
		able := 0
		for _, id := range ids {
			p := slices.IndexFunc(run.People, func(a wf.Approver) bool { return a.ID == id })
			out := slices.ContainsFunc(run.Excluded, func(x wf.Exclusion) bool { return x.User.ID == id })
			switch {
			case p < 0 && !out:
				wrong("stage %s does not ask %s", run.Key, id)
			case p >= 0 && !slices.Contains(run.People[p].Rules, i):
				wrong("%s is not known to be of rule %d of stage %s", id, i, run.Key)
			case p >= 0 && id == "rita" && !m.def.Settings.RequesterMayApprove:
				wrong("the requester may approve stage %s", run.Key)
			case p < 0 && m.def.Settings.RepeatApprover != wf.RepeatExclude && id != "rita":
				wrong("%s is excluded from stage %s", id, run.Key)
			case p >= 0:
				able++
			}
		}
		if (fails || able < rule.MinApprovals || able == 0 && rule.Required) && run.Minimums[i] == 0 {
			wrong("nobody of rule %d has to approve stage %s, and it is short", i, run.Key)
		}
		if fails && run.Status != wf.StageBlocked {
			wrong("stage %s is %s, and its rule %d fails", run.Key, run.Status, i)
		}
	}
	for _, a := range run.People {
		if a.Added || a.Fallback {
			continue
		}
		for _, i := range a.Rules {
			if ids, _ := m.dir.truth(stage.Approvers[i]); !run.Fallback && !slices.Contains(ids, a.ID) {
				wrong("rule %d of stage %s does not yield %s", i, run.Key, a.ID)
			}
		}
	}
}

// lookedAt wants a stage that has just been looked at again to start if it can.
func (m *model) lookedAt(what string, err error, before wf.Request, run wf.StageRun, wrong func(string, ...any)) {
	i := slices.IndexFunc(before.Stages, func(old wf.StageRun) bool { return old.ID == run.ID })
	looked := i >= 0 && (what == "look again" && !before.Stages[i].RetryAt.IsZero() && !before.Stages[i].RetryAt.After(m.now()) || what == "reevaluate "+before.ID)
	if !looked || err != nil || m.dir.down || before.Overdue(m.now()) || run.Status != wf.StageBlocked || before.Stages[i].Status != wf.StageBlocked ||
		run.RetryAt.IsZero() || m.def.Settings.RepeatApprover == wf.RepeatExclude {
		return
	}
	o := &oracle{run: run}
	o.stage, _ = m.def.Stage(run.Key)
	people := map[string]int{}
	for rule, r := range o.stage.Approvers {
		ids, fails := m.dir.truth(r)
		able := 0
		for _, id := range ids {
			if id == "rita" && !m.def.Settings.RequesterMayApprove || m.dir.gone[id] {
				continue
			}
			able++
			at, known := people[id]
			if !known {
				at = len(o.voters)
				people[id] = at
				o.voters = append(o.voters, ballotist{who: id, open: true, fits: make([]bool, len(o.stage.Approvers))})
			}
			o.voters[at].fits[rule] = true
		}
		if fails || r.Required && able == 0 {
			return
		}
		o.minimums = append(o.minimums, r.MinApprovals)
	}
	if o.starting = len(o.voters); o.enough(ballotist.yetYes) {
		wrong("stage %s has people enough, %v, and is blocked", run.Key, people)
	}
}

// mayHave looks whether the actor of a new decision had the right to it.
func (m *model) mayHave(before, after wf.Request, t wf.Task, wrong func(string, ...any)) {
	d, actor, run := t.Decision, decider(t), after.Run(t)
	if !m.def.Settings.RequesterMayApprove && actor == "rita" {
		wrong("rita has decided on their own request")
	}
	if m.def.Settings.RepeatApprover == wf.RepeatExclude && slices.ContainsFunc(before.Tasks, func(other wf.Task) bool {
		return other.StageKey != t.StageKey && other.Decision != nil && other.Decision.Action == wf.Approve && decider(other) == actor && latest(before, other)
	}) {
		wrong("%s has approved another stage", actor)
	}
	if after.Overdue(d.DecidedAt.Time) {
		wrong("decided when the time was over")
	}
	if stage, _ := m.def.Stage(t.StageKey); t.Rescue && d.Action == wf.Reject && stage.Rejection.Mode == wf.RejectUnreachable &&
		slices.ContainsFunc(after.Tasks, func(other wf.Task) bool {
			_, known := before.Task(other.ID)
			return !known && other.Kind == wf.RescueTask && other.StageKey == t.StageKey
		}) {
		wrong("%s came to the rescue and said no, and somebody else is asked", actor)
	}
	if d.Actor.Kind == wf.BySystem {
		return // for who has approved another stage
	}
	for _, other := range before.Tasks {
		if other.ID != t.ID && other.StageKey == t.StageKey && other.StageRun == t.StageRun && other.Assignee != nil && (isLive(other) || other.Decision != nil) &&
			(other.Assignee.ID == actor || other.OnBehalfOf != nil && other.OnBehalfOf.ID == actor) {
			wrong("%s holds or has decided another task of stage %s", actor, t.StageKey)
		}
	}
	owner := actor
	if d.OnBehalfOf != nil {
		owner = d.OnBehalfOf.ID
		was, _ := before.Task(t.ID)
		if !m.leads(owner, actor) && !m.goesOn(was, actor) {
			wrong("nothing lets %s act for %s", actor, owner)
		}
	}
	i := slices.IndexFunc(run.People, func(a wf.Approver) bool { return a.ID == owner })
	if i < 0 {
		return // an admin has put them there
	}
	if run.People[i].Lost {
		wrong("%s has lost their place", owner)
	}
	if !m.isMember(run.People[i], run) {
		wrong("%s is no approver of stage %s any more", owner, run.Key)
	}
}

// isMember reports whether the rules yield a person still, as far as the policy asks.
func (m *model) isMember(a wf.Approver, run wf.StageRun) bool {
	if m.def.Settings.MembershipRecheck == wf.RecheckNone || a.Vouched || m.dir.down {
		return true
	}
	stage, _ := m.def.Stage(run.Key)
	rules := m.def.Settings.FallbackApprovers
	if !a.Fallback {
		rules = nil
		for _, i := range a.Rules {
			rules = append(rules, stage.Approvers[i])
		}
	}
	return slices.ContainsFunc(rules, func(rule wf.Rule) bool {
		ids, fails := m.dir.truth(rule)
		return fails || slices.Contains(ids, a.ID)
	})
}

// leads reports whether delegations in force lead from one person to another.
func (m *model) leads(from, to string) bool {
	at := []string{from}
	for range cmp.Or(m.def.Settings.Delegation.MaxHops, 1) {
		var next []string
		for _, id := range m.delegations {
			d, err := m.store.ReadDelegation(m.service.t.Context(), id)
			m.must(err)
			if d.Status(m.now()) == wf.DelegationActive && slices.Contains(at, d.User.ID) {
				next = append(next, d.DelegateTo.ID)
			}
		}
		if slices.Contains(next, to) {
			return true
		}
		at = next
	}
	return false
}

// goesOn reports whether a person may decide a task that they have claimed before their
// delegation ended.
func (m *model) goesOn(t wf.Task, who string) bool {
	if t.Status != wf.TaskClaimed || t.Assignee == nil || t.Assignee.ID != who || t.DelegationID == "" {
		return false
	}
	d, err := m.store.ReadDelegation(m.service.t.Context(), t.DelegationID)
	m.must(err)
	return d.Status(m.now()) == wf.DelegationEnded
}

// shown compares the inboxes with the tasks that people may take.
func (m *model) shown(r wf.Request, wrong func(string, ...any)) {
	for _, t := range r.Tasks {
		if !isLive(t) || t.Assignee != nil || t.Kind != wf.ApproverTask {
			continue
		}
		var may []string
		for _, taker := range r.Run(t).Takers(r.Tasks) {
			may = append(may, taker.ID)
		}
		who := m.pick("whose inbox", anybody)
		items, _, err := m.store.Tasks(m.service.t.Context(), store.TaskFilter{Candidate: who, RequestID: r.ID}, store.Page{})
		m.must(err)
		listed := slices.ContainsFunc(items, func(i store.TaskItem) bool { return i.Task.ID == t.ID })
		if listed != slices.Contains(may, who) {
			wrong("%s is shown the task: %t, and %v may take it", who, listed, may)
		}
		return
	}
}

// anyDefinition is a policy of one or two stages.
func anyDefinition(t *rapid.T) wf.Definition {
	d := policy()
	d.Settings = wf.Settings{
		RequesterMayApprove: rapid.IntRange(1, 5).Draw(t, "requester may approve") == 5,
		RepeatApprover:      rapid.SampledFrom([]wf.RepeatApprover{"", wf.RepeatExclude, wf.RepeatAutoApprove}).Draw(t, "repeat"),
		MembershipRecheck:   rapid.SampledFrom([]wf.MembershipRecheck{"", wf.RecheckStrict, wf.RecheckNone}).Draw(t, "recheck"),
		OnNoStages:          rapid.SampledFrom([]wf.OnNoStages{wf.NoStagesRefuse, wf.NoStagesApprove, wf.NoStagesReject}).Draw(t, "no stages"),
		OnResubmit:          rapid.SampledFrom([]wf.OnResubmit{wf.ResubmitRestart, wf.ResubmitResume}).Draw(t, "on resubmit"),
		Delegation:          wf.DelegationSettings{MaxHops: rapid.IntRange(1, 3).Draw(t, "hops")},
		FallbackApprovers:   []wf.Rule{{Type: wf.RuleRole, Role: "spare"}},
		ExpiresIn:           wf.Lifetime(rapid.SampledFrom([]string{"PT30H", "P30D"}).Draw(t, "expires in")),
	}
	for i := range rapid.IntRange(1, 2).Draw(t, "stages") {
		s := anyStage(t, fmt.Sprint("s", i))
		if i > 0 && rapid.Bool().Draw(t, "parallel") {
			s.ParallelGroup, d.Stages[0].ParallelGroup = "g", "g"
		}
		d.Stages = append(d.Stages, s)
	}
	return d
}

func anyRule(t *rapid.T) wf.Rule {
	switch rapid.IntRange(1, 5).Draw(t, "rule") {
	case 1, 2:
		return wf.Rule{Type: wf.RuleRole, Role: "red"}
	case 3, 4:
		return wf.Rule{Type: wf.RuleRole, Role: "blue"}
	default:
		return names(rapid.SliceOfNDistinct(rapid.SampledFrom(crowd), 2, 3, rapid.ID[string]).Draw(t, "people")...)
	}
}

func anyStage(t *rapid.T, key string) wf.Stage {
	s := wf.Stage{Key: key, Name: key, Approvers: []wf.Rule{anyRule(t)}}
	if rapid.Bool().Draw(t, "two rules") {
		s.Approvers = append(s.Approvers, anyRule(t))
	}
	if rapid.IntRange(1, 6).Draw(t, "conditional") == 6 {
		s.When = "context.n > 10"
	}
	s.Quorum.Mode = rapid.SampledFrom([]wf.QuorumMode{wf.QuorumAll, wf.QuorumAny, wf.QuorumCount, wf.QuorumPercentage}).Draw(t, "quorum")
	s.Quorum.WaitForAll = rapid.IntRange(1, 5).Draw(t, "wait for all") == 5
	if rapid.Bool().Draw(t, "pool") {
		s.Assignment, s.Quorum.WaitForAll = wf.Pool, false
		if s.Quorum.Mode == wf.QuorumAll {
			s.Quorum.Mode = wf.QuorumCount
		}
	}
	switch s.Quorum.Mode {
	case wf.QuorumCount:
		s.Quorum.Value = rapid.IntRange(1, 2).Draw(t, "count")
	case wf.QuorumPercentage:
		s.Quorum.Value = rapid.SampledFrom([]int{34, 50, 100}).Draw(t, "percentage")
	}
	rule := &s.Approvers[rapid.IntRange(0, len(s.Approvers)-1).Draw(t, "which rule")]
	rule.MinApprovals = rapid.IntRange(0, 1).Draw(t, "minimum")
	rule.Required = s.Assignment != wf.Pool && rapid.IntRange(1, 3).Draw(t, "required") == 3
	s.Rejection = wf.Rejection{
		Mode:          rapid.SampledFrom([]wf.RejectionMode{wf.RejectVeto, wf.RejectCount, wf.RejectUnreachable}).Draw(t, "rejection"),
		OnUnreachable: rapid.SampledFrom([]wf.OnUnreachable{wf.UnreachableReject, wf.UnreachableBlock}).Draw(t, "on unreachable"),
	}
	if s.Rejection.Mode == wf.RejectCount {
		s.Rejection.Value = 2
	}
	s.OnEmpty = rapid.SampledFrom([]wf.OnEmpty{wf.EmptyBlock, wf.EmptyBlock, wf.EmptySkip, wf.EmptyReject, wf.EmptyFallback}).Draw(t, "on empty")
	s.Allow = wf.Allow{Abstain: rapid.Bool().Draw(t, "abstain"), Reassign: rapid.SampledFrom([]wf.AllowReassign{wf.ReassignEligible, wf.ReassignAny}).Draw(t, "reassign")}
	return s
}
