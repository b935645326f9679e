package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// crowd lists the users that a rule of the model may select. Rita is the requester, root and eve
// are admins, and an admin assigns helpers at the end.
var (
	crowd   = []string{"ana", "bo", "cy", "dee", "eli", "rita"}
	anybody = append(slices.Clone(crowd), "fay", "gus")
	helpers = []string{"h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", "h10", "h11", "h12"}
)

// model plays requests of one random policy.
type model struct {
	*service
	t           *rapid.T
	dir         *register
	def         policy.Definition
	key         string
	requests    map[string]wf.Request // as they were last seen
	contents    map[string]string     // by the id of a run, the context for which its expressions are evaluated
	barred      map[string][]string   // by the id of a run, the people whom the exclude rules yielded at its start
	order       []string
	delegations []string
	failed      *bool
	foretold    int // how many requests were compared with their simulation
}

var modelTime = flag.Duration("model-time", 3*time.Second, "the model test begins no other story after this time, on each database")

// modelSeed makes runs reproducible; -rapid.seed overrides it.
const modelSeed = "1"

// TestNothingThatHappensBreaksARequest runs random operations and verifies the state after every
// step.
func TestNothingThatHappensBreaksARequest(t *testing.T) {
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		must(t, seed.Value.Set(modelSeed))
	}
	each(t, func(t *testing.T, s *service) {
		dir := &register{}
		s = s.answered(dir.resolve)
		began, failed := time.Now(), false
		var played, foretold int
		ended := map[wf.RequestStatus]int{}
		rapid.Check(t, func(rt *rapid.T) {
			if over := time.Since(began) > *modelTime || s.now().Year() > 9900; over && !failed { // JSON has no year 10000
				return
			}
			m := &model{service: s, t: rt, dir: dir, requests: map[string]wf.Request{}, contents: map[string]string{},
				barred: map[string][]string{}, failed: &failed}
			m.play()
			played++
			foretold += m.foretold
			for _, r := range m.requests {
				ended[r.Status]++
			}
		})
		t.Logf("%d stories, %d requests foretold, ended %v", played, foretold, ended)
		if played > 20 && (ended[wf.RequestApproved] == 0 || ended[wf.RequestRejected] == 0 || foretold == 0) {
			t.Error("the stories do not end in all ways")
		}
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
	most := map[string]int{"red": 4, "blue": 4, "author": 2}
	for _, role := range []string{"red", "blue", "author"} {
		m.dir.roles[role] = rapid.SliceOfNDistinct(rapid.SampledFrom(crowd), 0, most[role], rapid.ID[string]).Draw(m.t, role)
	}
	m.dir.mu.Unlock()
	m.def = anyDefinition(m.t)
	m.key = "m-" + newKey()
	if _, err := m.Policies.CreatePolicy(ctx, root, m.key, m.def); err != nil {
		m.fatalf("the model made a bad definition: %v", err)
	}
	_, err := m.Policies.ActivateVersion(ctx, eve, m.key, 1, "", "")
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
		{3, "withdraw", m.withdraw},
		{3, "reassign", m.reassignAnything}, {3, "rescue", m.rescue}, {2, "delegate", m.delegateSomething},
		{2, "revoke", m.revoke}, {4, "a delegate acts", m.delegate},
		{2, "join or leave a role", m.member}, {1, "a role comes or goes", m.role}, {2, "leave or come back", m.leave},
		{1, "the directory", func() { m.dir.down = !m.dir.down }},
		{3, "time passes", m.time}, {3, "the workers", m.workers}, {2, "resubmit", m.resubmit},
		{2, "reevaluate", m.reevaluate}, {1, "cancel", m.cancelSometimes},
		{2, "move a date", m.moveDate}, {2, "end an approval", m.endApproval},
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

// clean cancels the open requests of an earlier failed run and ends its delegations.
func (m *model) clean() {
	m.dir.down = false
	for _, id := range m.rows("SELECT id FROM request WHERE status IN ('in_review', 'blocked', 'changes_requested')") {
		_ = m.service.cancel(id, root)
	}
	m.advance(400 * 24 * time.Hour) // and every delegation is over
	_, err := m.Delegations.RecordDelegations(m.service.t.Context(), m.now(), 1000)
	m.must(err)
}

func (m *model) pick(what string, from []string) string {
	return rapid.SampledFrom(from).Draw(m.t, what)
}

func (m *model) chance(n int, what string) bool { return rapid.IntRange(1, n).Draw(m.t, what) == n }

// did verifies the outcome of a call, and then the state of every request.
func (m *model) did(what string, err error) bool {
	m.t.Helper()
	if denied, ok := errors.AsType[*refusal.Error](err); err != nil && (!ok || !slices.Contains([]refusal.Reason{
		reason.Forbidden, reason.WrongState, reason.BadInput, reason.EngineRefused, reason.ResolverFailed, reason.DelegationNotFound,
	}, denied.Reason.General())) {
		m.fatalf("%s: %v", what, err)
	}
	if _, known := m.dir.roles["red"]; errors.Is(err, reason.ResolverFailed) && !m.dir.down && known {
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
	document := m.pick("context", contexts)
	in := engine.DryRunInput{
		RequestInput: engine.RequestInput{Context: []byte(document), ContextHash: sum([]byte(document)), Requester: "rita"},
	}
	for range rapid.IntRange(0, 4).Draw(m.t, "decisions") {
		action := rapid.SampledFrom([]wf.Action{wf.ActionApprove, wf.ActionApprove, wf.ActionApprove, wf.ActionReject,
			wf.ActionAbstain, wf.ActionRequestChanges}).Draw(m.t, "action")
		in.Play = append(in.Play, engine.PlayEntry{
			Stage: m.pick("stage", []string{"s0", "s1"}), User: m.pick("who", anybody), Action: action,
		})
	}
	sim, hint := m.Policies.SimulateVersion(ctx, root, m.key, 1, in)
	preview, foreseen := m.Requests.PreviewRequest(ctx, rita, input(m.key, withContext(document)))
	reply, err := m.Requests.CreateRequest(ctx, rita, input(m.key, withContext(document)), nil)
	switch {
	case hint != nil && m.dir.down: // it shows all stages; creation resolves the first
		in.Play = nil
	case hint != nil:
		m.fatalf("simulate: %v", hint)
	case fmt.Sprint(foreseen) != fmt.Sprint(err):
		m.fatalf("preview returns %v, and create %v", foreseen, err)
	case err == nil && describe(preview.Request) != describe(reply.Case.Request):
		m.fatalf("preview returns %s, and create %s", describe(preview.Request), describe(reply.Case.Request))
	case (sim.Outcome == engine.WouldRefuse) != (err != nil):
		m.fatalf("simulate returns %s %v, and create %v", sim.Outcome, sim.Problems, err)
	}
	if !m.did("create", err) {
		return
	}
	id := reply.Case.Request.ID
	m.order, m.requests[id] = append(m.order, id), wf.Request{}
	m.did("created "+id, nil)
	for i, d := range in.Play {
		r, played := m.requests[id], sim.Play[i]
		problem := "no task"
		if task := takes(r, d.Stage, d.User); task != "" {
			err := m.decide(task, person(d.User), wf.DecisionInput{Action: d.Action, Comment: "simulated decision"})
			if problem = ""; !m.did(fmt.Sprintf("%s: %s as foretold", d.User, d.Action), err) {
				problem = err.Error()
			}
		}
		if r = m.requests[id]; (problem != "") != (played.Refusal != nil) || r.Status != played.RequestStatus {
			m.fatalf("decision %d: foretold %+v, and it was %q and is %s", i, played, problem, describe(r))
		}
	}
	if hint != nil {
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
		if (stage == "" || t.StageKey == stage) && isLive(t) &&
			(t.HeldBy(who) || t.Assignee == nil && t.Kind == wf.ApproverTask &&
				slices.ContainsFunc(r.Run(t).Claimants(r.Tasks), func(claimant identity.User) bool { return claimant.ID == who })) {
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
		wf.ActionApprove, wf.ActionApprove, wf.ActionApprove, wf.ActionReject, wf.ActionAbstain, wf.ActionRequestChanges,
	}).Draw(m.t, "action")}
}

// goOn makes an entitled user decide, so that requests advance.
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
		_, err := m.Tasks.UnclaimTask(m.service.t.Context(), by, task, "")
		m.did(by.ID+": unclaim", err)
	}
}

// withdraw has a person, mostly its actor, withdraw a decision.
func (m *model) withdraw() {
	r, ok := m.someRequest()
	decided := slices.DeleteFunc(slices.Clone(r.Tasks), func(t wf.Task) bool { return t.Decision == nil })
	if !ok || len(decided) == 0 {
		return
	}
	task := rapid.SampledFrom(decided).Draw(m.t, "decided task")
	who := task.Decision.Actor.ID
	if m.chance(4, "another") {
		who = m.pick("who", anybody)
	}
	may := m.mayWithdraw(r, task, who)
	err := m.service.withdraw(task.ID, who)
	if m.did(who+": withdraw", err) != may {
		m.fatalf("%s may withdraw %s: %t, and it returns %v", who, task.Decision.Action, may, err)
	}
	if may {
		m.withdrawn(m.requests[r.ID], task)
	}
}

func (m *model) actor() identity.Actor {
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
	made, err := m.Delegations.CreateDelegation(m.service.t.Context(), person(from), d)
	if m.did(fmt.Sprintf("%s delegates to %s", from, to), err) {
		m.delegations = append(m.delegations, made.ID)
	}
}

func (m *model) leaveOf(from, to string) approver.Delegation {
	d := m.service.leave(from, to)
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
		_, err := m.Delegations.DeleteDelegation(m.service.t.Context(), root, id)
		m.did("revoke", err)
	}
}

// delegate acts as a present or former delegate.
func (m *model) delegate() {
	r, ok := m.someRequest()
	if !ok || len(m.delegations) == 0 {
		return
	}
	d, err := m.store.Delegations.Delegation(m.service.t.Context(), m.pick("delegation", m.delegations))
	m.must(err)
	var tasks []string
	for _, t := range r.Tasks {
		if isLive(t) && t.Kind == wf.ApproverTask && (t.HeldBy(d.User.ID) || t.Assignee == nil && r.Run(t).Concerns(d.User.ID)) {
			tasks = append(tasks, t.ID)
		}
	}
	if len(tasks) == 0 {
		return
	}
	task, who := m.pick("task of the delegator", tasks), d.DelegateTo.ID
	if m.chance(3, "claim") {
		m.did(who+": claim as a delegate", m.claim(task, who))
		return
	}
	in := m.decision()
	if m.chance(3, "named") {
		in.OnBehalfOf = d.User.ID
	}
	m.did(fmt.Sprintf("%s: %s as a delegate", who, in.Action), m.decide(task, person(who), in))
}

func (m *model) member() {
	role, who := m.pick("role", []string{"red", "blue", "author"}), m.pick("who", crowd)
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
	d := rapid.SampledFrom([]time.Duration{time.Millisecond, 5 * time.Second, time.Minute, 20 * time.Minute, time.Hour,
		12 * time.Hour, 49 * time.Hour}).Draw(m.t, "time")
	if r, ok := m.someRequest(); ok && m.chance(8, "to the end") && r.ExpiresAt != nil && r.ExpiresAt.After(m.now()) {
		d = r.ExpiresAt.Sub(m.now())
	}
	if r, ok := m.someRequest(); ok && m.chance(3, "to a timer") {
		timers := []time.Time{r.EndsAt()}
		for _, run := range r.Stages {
			timers = append(timers, run.TimerAt)
		}
		if at := rapid.SampledFrom(timers).Draw(m.t, "timer"); at.After(m.now()) {
			d = at.Sub(m.now())
		}
	}
	if len(m.delegations) > 0 && m.chance(3, "to the end of a delegation") {
		ends, err := m.store.Delegations.Delegation(m.service.t.Context(), m.pick("delegation", m.delegations))
		if m.must(err); ends.EndsAt.After(m.now()) {
			d = ends.EndsAt.Sub(m.now())
		}
	}
	m.advance(d)
	m.t.Logf("it is %s", m.now().Format(time.DateTime))
}

func (m *model) workers() {
	ctx := m.service.t.Context()
	switch rapid.IntRange(1, 7).Draw(m.t, "worker") {
	case 1:
		_, err := m.Timers.ExpireRequests(ctx, m.now(), 1000)
		m.did("expire", err)
	case 2:
		_, err := m.Timers.RetryStages(ctx, m.now(), 1000)
		m.did("look again", err)
	case 3:
		_, err := m.Delegations.RecordDelegations(ctx, m.now(), 1000)
		m.did("settle delegations", err)
	case 4:
		_, err := m.Timers.LapseApprovals(ctx, m.now(), 1000)
		m.did("lapse", err)
	case 5, 6:
		_, err := m.Timers.ProcessDeadlines(ctx, m.now(), 1000)
		m.did("deadlines", err)
	default:
		m.swept()
	}
}

func (m *model) swept() {
	err := m.Timers.Sweep(m.service.t.Context())
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
		document = []byte(m.pick("context", contexts))
		hash = sum(document)
	}
	_, err := m.Requests.ResubmitRequest(m.service.t.Context(), rita, r.ID, document, hash, "", "", nil)
	m.did("resubmit", err)
}

func (m *model) reevaluate() {
	if r, ok := m.someRequest(); ok {
		_, err := m.Requests.ReevaluateRequest(m.service.t.Context(), root, r.ID)
		m.did("reevaluate "+r.ID, err)
	}
}

func (m *model) moveDate() {
	if r, ok := m.someRequest(); ok {
		by, to := m.actor(), m.now().Add(rapid.SampledFrom([]time.Duration{0, time.Minute, time.Hour, 50 * time.Hour}).Draw(m.t, "later"))
		_, err := m.Requests.MoveDueDate(m.service.t.Context(), by, r.ID, m.pick("stage", []string{"s0", "s1"}), to, "more time", "")
		m.did(fmt.Sprintf("%s: move a date to %s", by.ID, to.Format(time.DateTime)), err)
	}
}

// endApproval revokes or consumes an approval.
func (m *model) endApproval() {
	r, ok := m.someRequest()
	if !ok {
		return
	}
	ctx, by := m.service.t.Context(), rapid.SampledFrom([]identity.Actor{rita, rita, root, person("ana")}).Draw(m.t, "by")
	if rapid.Bool().Draw(m.t, "revoke") {
		_, err := m.Requests.RevokeRequest(ctx, by, r.ID, "suspended", "", nil)
		m.did(by.ID+": revoke an approval", err)
		return
	}
	_, err := m.Requests.ConsumeRequest(ctx, by, r.ID, wf.Consumption{ContextHash: r.ContextHash}, nil)
	m.did(by.ID+": consume an approval", err)
}

func (m *model) cancelSometimes() {
	if r, ok := m.someRequest(); ok && m.chance(3, "really") {
		m.did("cancel", m.service.cancel(r.ID, m.actor()))
	}
}

// finish makes all users and assigned helpers approve, so that every request ends.
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
		_, err := m.Delegations.RecordDelegations(ctx, m.now(), 1000)
		m.did("settle delegations", err)
		_, err = m.Timers.RetryStages(ctx, m.now(), 1000)
		m.did("look again", err)
		_, err = m.Timers.ProcessDeadlines(ctx, m.now(), 1000)
		m.did("deadlines", err)
		_, err = m.Timers.ExpireRequests(ctx, m.now(), 1000)
		m.did("expire", err)
		_, err = m.Timers.LapseApprovals(ctx, m.now(), 1000)
		m.did("lapse", err)
		m.swept()
	}
	for _, id := range m.order {
		if r := m.requests[id]; !r.Status.Final() {
			m.fatalf("all approvers approve, and request %s is %s", id, describe(r))
		}
	}
}

// help performs the pending action of one request.
func (m *model) help(r wf.Request) {
	if r.Status == wf.RequestChangesRequested {
		_, err := m.Requests.ResubmitRequest(m.service.t.Context(), rita, r.ID, nil, "", "", "", nil)
		m.did("resubmit", err)
		if errors.Is(err, reason.EngineRefused) { // its answer makes a rule fail permanently
			_, err = m.Requests.CancelRequest(m.service.t.Context(), rita, r.ID, "", "", nil)
			m.did("withdraw", err)
		}
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
