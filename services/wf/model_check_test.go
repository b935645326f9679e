package wf_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// check checks the invariants of the request.
func (m *model) check(t *rapid.T) {
	r := m.now
	seen := map[string]bool{}
	for _, task := range r.Tasks {
		place := fmt.Sprint(task.StageKey, task.StageRun, task.Seat)
		if seen[task.ID] || seen[place] {
			t.Fatalf("task %s, seat %s is there twice", task.ID, place)
		}
		seen[task.ID], seen[place] = true, true
		if live(task) != (task.CompletedAt.IsZero()) || (task.Status == wf.TaskClaimed) != (task.ClaimedBy != nil) &&
			live(task) || (task.Status == wf.TaskCompleted) != (task.Decision != nil) || task.Status == wf.TaskClaimed &&
			task.Assignee == nil {
			t.Fatalf("task is inconsistent: %+v", task)
		}
	}
	m.checkLife(t)
	m.checkTimers(t)
	m.checkFit(t)
	m.checkActions(t)
	approved := map[string]string{} // person → the stage that they approved, in the run that counts
	for _, run := range r.Stages {
		m.checkVoices(t, run)
		m.checkOutcome(t, run)
		if m.run(run.Key).Run != run.Run {
			continue
		}
		for _, task := range m.tasks(run.Key) {
			if task.Decision == nil || task.Decision.Action != wf.ActionApprove {
				continue
			}
			by := decider(task)
			if (by == "rita" || by == "sam") && !m.def.Settings.RequesterMayApprove {
				t.Fatalf("%s approved their own request", by)
			}
			if other := approved[by]; other != "" && other != run.Key && m.def.Settings.RepeatApprover == policy.RepeatExclude {
				t.Fatalf("%s approved both %s and %s", by, other, run.Key)
			}
			approved[by] = run.Key
		}
	}
}

// checkActions checks that a task offers a person exactly the actions that its transitions accept from them, apart from
// the answers of the directory, repeated claims and overrides.
func (m *model) checkActions(t *rapid.T) {
	if len(m.now.Tasks) == 0 {
		return
	}
	c, by := m.asCase(), anyActor(t)
	if rarely(t, 3) {
		by.Kind = identity.ActorService
	}
	task := rapid.SampledFrom(c.Request.Tasks).Draw(t, "task")
	offered := c.TaskActions(task, c.Request.Run(task), by)
	accepts := func(step wf.Step) bool {
		_, events, err := m.settle(func(f wf.Facts) (wf.Request, []wf.Event, error) {
			f.TrustMembership = true
			return m.now.Apply(m.def, by, f, step)
		})
		if err != nil {
			return !errors.Is(err, reason.Forbidden) && !errors.Is(err, reason.WrongState)
		}
		override := slices.ContainsFunc(events, func(e wf.Event) bool { return e.Type == audit.EventRequestOverridden })
		return len(events) > 0 && !override
	}
	receives := func(id string) bool { return accepts(wf.Reassign(task.ID, user(id), false, "")) }
	for action, accepted := range map[string]bool{
		"claim":    accepts(wf.Claim(task.ID, "")),
		"decide":   accepts(wf.Decide(task.ID, wf.DecisionInput{Action: wf.ActionApprove, Comment: "long enough"})),
		"unclaim":  accepts(wf.Unclaim(task.ID)),
		"withdraw": accepts(wf.Withdraw(task.ID, "")),
		"reassign": slices.ContainsFunc(append([]string{"zoe"}, cast...), receives),
	} {
		if slices.Contains(offered, action) != accepted {
			t.Fatalf("%s of %s by %s, a %s with %v: offered %v, accepted: %t", action, encode(task), by.ID, by.Kind, by.Acting, offered, accepted)
		}
	}
	m.evaluated = nil
}

// checkFit checks that each new decision is by a fit person itself, for a fit person, and that no step but a submission has
// evaluated an expression over the content.
func (m *model) checkFit(t *rapid.T) {
	for _, source := range m.evaluated {
		if slices.Contains([]string{contentOn, contentOff, contentN}, source) {
			t.Fatalf("%s is evaluated after the submission", source)
		}
	}
	m.evaluated = nil
	for _, e := range m.events[m.seen:] {
		if len(e.Acting) > 0 && slices.Contains(ofThePerson, e.Type) {
			t.Fatalf("%s by a party that acts for %s", e.Type, e.Actor.ID)
		}
		if e.Type != audit.EventTaskDecided {
			continue
		}
		task, _ := m.now.Task(e.Task.ID)
		run := m.now.Run(task)
		people := []string{decider(task)}
		if task.Decision.OnBehalfOf != nil {
			people = append(people, task.Decision.OnBehalfOf.ID)
			m.checkDelegate(t, task, run)
		}
		for _, id := range people {
			if slices.Contains(run.Barred, id) {
				t.Fatalf("%s is excluded since the start of stage %s, and decides", id, run.Key)
			}
			if m.def.Settings.MembershipRecheck == policy.RecheckNone || e.Actor.Kind == identity.ActorSystem {
				continue
			}
			for _, rule := range run.Stage(m.def).Exclude {
				yielded, err := m.role(rule, 0)
				if err == nil && slices.ContainsFunc(yielded, func(u identity.User) bool { return u.ID == id }) {
					t.Fatalf("%s is excluded from stage %s, and decides", id, run.Key)
				}
				if err != nil && m.def.Settings.MembershipRecheck == policy.RecheckStrict {
					t.Fatalf("%s decides stage %s without an answer about its exclude rules", id, run.Key)
				}
			}
		}
	}
	m.seen = len(m.events)
}

// checkDelegate checks a decision of a delegate: the right is in force, the task is the delegator's still, and the
// delegate has neither a place nor another act in the run.
func (m *model) checkDelegate(t *rapid.T, task wf.Task, run wf.StageRun) {
	d := task.Decision
	allowed := m.def.Settings.Delegation.Allowed
	if allowed != nil && !*allowed || !slices.ContainsFunc(m.inForce(), func(g approver.Delegation) bool {
		return g.User.ID == d.OnBehalfOf.ID && g.DelegateTo.ID == d.Actor.ID && g.Covers(m.at, m.now.PolicyKey, run.Key, m.now.ArtifactType)
	}) {
		t.Fatalf("%s decides for %s without a right", d.Actor.ID, d.OnBehalfOf.ID)
	}
	if !task.HeldBy(d.OnBehalfOf.ID) {
		t.Fatalf("%s decides for %s a task of %s", d.Actor.ID, d.OnBehalfOf.ID, held(task.Assignee))
	}
	place := slices.Contains(run.Former, d.Actor.ID)
	for _, a := range run.People {
		place = place || a.ID == d.Actor.ID && !a.Added // an escalation of the same step may have added them
	}
	if place {
		t.Fatalf("%s decides for %s, and has or had a place in stage %s", d.Actor.ID, d.OnBehalfOf.ID, run.Key)
	}
}

// effectiveEnd is the earliest of the expiry and the dates of running stages with expire.
func effectiveEnd(r wf.Request) time.Time {
	var ends []time.Time
	if r.ExpiresAt != nil {
		ends = append(ends, *r.ExpiresAt)
	}
	for _, run := range r.Stages {
		if running(run) && run.OnDue == policy.OnDueExpire {
			ends = append(ends, run.DueAt)
		}
	}
	if len(ends) == 0 {
		return noon.AddDate(1000, 0, 0)
	}
	return slices.MinFunc(ends, time.Time.Compare)
}

func running(run wf.StageRun) bool {
	return run.Status == wf.StageActive || run.Status == wf.StageBlocked
}

// checkClock checks the events of a step against the dates before it: nothing comes early or twice, nothing but the
// end happens at or after the effective end, and an escalation adds people and changes nothing else.
func (m *model) checkClock(t *rapid.T, before, after wf.Request, events []wf.Event) {
	for _, e := range events {
		open := before.ID != "" && !before.Status.Final()
		if open && !e.At.Before(effectiveEnd(before)) && e.Type != audit.EventRequestExpired && e.Type != audit.EventTaskClosed {
			t.Fatalf("%s at %s, after the end at %s", e.Type, e.At, effectiveEnd(before))
		}
		if open && e.Type == audit.EventRequestExpired && e.At.Before(effectiveEnd(before)) {
			t.Fatalf("expired at %s, before the end at %s", e.At, effectiveEnd(before))
		}
		if e.Stage == nil {
			continue
		}
		run := runByID(after, e.Resource.ID)
		d := m.dates[run.ID]
		if d == nil {
			d = &dated{}
			m.dates[run.ID] = d
		}
		switch e.Type {
		case audit.EventStageDue:
			if d.told || e.At.Before(run.DueAt) {
				t.Fatalf("stage %s due at %s has a notice at %s; again: %t", run.Key, run.DueAt, e.At, d.told)
			}
			d.told = true
		case audit.EventStageDueMoved:
			d.told = false
			d.reminded = latest(d.reminded, e.At.Time)
		case audit.EventStageReminded:
			at := e.Stage.Reminder.At.Time
			if e.At.Before(at) || !at.After(d.reminded) || !at.After(run.StartedAt) || at.Before(run.DueAt) != (e.Stage.Reminder.Phase == wf.ReminderBefore) ||
				!at.Before(run.DueAt) != d.told {
				t.Fatalf("reminder %+v of stage %s at %s, due at %s (notified: %t), after one at %s", e.Stage.Reminder, run.Key,
					e.At, run.DueAt, d.told, d.reminded)
			}
			d.reminded = at
		case audit.EventStageEscalated, audit.EventStageEscalationEmpty:
			if d.escalated++; d.escalated > 1 || !d.told || e.At.Before(run.DueAt) {
				t.Fatalf("stage %s due at %s is escalated %d times, at %s", run.Key, run.DueAt, d.escalated, e.At)
			}
			m.checkEscalation(t, before, after, run)
		}
	}
}

// checkEscalation checks that the requirements of a run and the tasks of its people stay.
func (m *model) checkEscalation(t *rapid.T, before, after wf.Request, run wf.StageRun) {
	was := runByID(before, run.ID)
	if !running(run) || run.Count.Need != was.Count.Need || after.Status.Final() {
		t.Fatalf("an escalation makes stage %s %s, need %d; it was %s, need %d", run.Key, run.Status, run.Count.Need, was.Status, was.Count.Need)
	}
	for _, task := range before.Tasks {
		now, _ := after.Task(task.ID)
		if run.Owns(task) && task.Assignee != nil && (now.Status != task.Status || held(now.Assignee) != held(task.Assignee)) {
			t.Fatalf("an escalation makes the task of %s %s, of %s", held(task.Assignee), now.Status, held(now.Assignee))
		}
	}
}

// checkTimers checks that the first timer of the runs is the first instant at which a pass changes something.
func (m *model) checkTimers(t *rapid.T) {
	first := time.Time{}
	for _, run := range m.now.Stages {
		if !run.TimerAt.IsZero() && (first.IsZero() || run.TimerAt.Before(first)) {
			first = run.TimerAt
		}
	}
	if m.now.Status.Final() {
		if !first.IsZero() {
			t.Fatalf("%s, with a timer at %s", m.now.Status, first)
		}
		return
	}
	pass := func(at time.Time) bool {
		dry := m.surroundings
		dry.at = at
		after, events, err := dry.settle(func(f wf.Facts) (wf.Request, []wf.Event, error) {
			return m.now.Apply(m.def, identity.Actor{}, f, wf.ProcessDeadlines)
		})
		if err != nil {
			t.Fatalf("a pass is refused: %v", err)
		}
		return len(events) > 0 || !reflect.DeepEqual(after.Stages, m.now.Stages) // JSON has no retries
	}
	end := effectiveEnd(m.now)
	quiet := end.Add(-time.Millisecond)
	if !first.IsZero() && first.Before(end) {
		quiet = first.Add(-time.Millisecond)
		if !pass(first) {
			t.Fatalf("a pass at the timer %s changes nothing", first)
		}
	}
	if end.Sub(noon) < 1000*time.Hour && pass(quiet) {
		t.Fatalf("a pass at %s, before the timer %s, changes something", quiet, first)
	}
}

func runByID(r wf.Request, id string) wf.StageRun {
	for _, run := range r.Stages {
		if run.ID == id {
			return run
		}
	}
	return wf.StageRun{}
}

func latest(t, u time.Time) time.Time {
	if t.Before(u) {
		return u
	}
	return t
}

// checkLife checks that an open request has a possible action or timer, and that no event
// follows the end.
func (m *model) checkLife(t fataler) {
	open, blocked := 0, 0
	for _, task := range m.now.Tasks {
		if live(task) {
			open++
		}
	}
	for _, run := range m.now.Stages {
		if run.Status == wf.StageBlocked {
			blocked++
		}
		rescues := 0
		for _, task := range m.now.Tasks {
			if task.StageKey == run.Key && task.StageRun == run.Run && task.Kind == wf.RescueTask && live(task) {
				rescues++
			}
		}
		if (run.Status == wf.StageBlocked) != (rescues > 0) {
			t.Fatalf("stage %s is %s and has %d rescue tasks", run.Key, run.Status, rescues)
		}
		if run.Status == wf.StageResolving && run.RetryAt.IsZero() {
			t.Fatalf("stage %s is resolving, and never tried again", run.Key)
		}
	}
	switch {
	case m.now.Status.Final():
		if open > 0 || len(m.now.Current()) > 0 {
			t.Fatalf("%s, and yet %d tasks are open in %v", m.now.Status, open, m.now.Current())
		}
		if m.ended == 0 {
			m.ended = len(m.events)
		}
		m.checkStanding(t)
	case m.now.Status == wf.RequestChangesRequested:
		if open > 0 {
			t.Fatalf("sent back, and yet %d tasks are open", open)
		}
	case (m.now.Status == wf.RequestBlocked) != (blocked > 0):
		t.Fatalf("%s with %d blocked stages", m.now.Status, blocked)
	case m.now.Overdue(m.at): // only the end can happen
	default:
		m.checkTakers(t)
		if !m.somebodyCanAct() {
			t.Fatalf("%s, and no person can act", m.now.Status)
		}
	}
}

// checkStanding checks that an approval ends at most once and in its time, and that nothing else follows the end
// of a request.
func (m *model) checkStanding(t fataler) {
	ends := map[audit.EventType]wf.Standing{
		audit.EventRequestLapsed: wf.StandingLapsed, audit.EventRequestRevoked: wf.StandingRevoked,
		audit.EventRequestConsumed: wf.StandingConsumed,
	}
	var found []wf.Event
	for _, e := range m.events {
		if _, ok := ends[e.Type]; ok {
			found = append(found, e)
		}
	}
	if len(found) > 1 || len(m.events)-m.ended > len(found) {
		t.Fatalf("%s, and then came %v", m.now.Status, m.types(m.ended))
	}
	if len(found) == 0 {
		if m.now.Standing != "" && m.now.Standing != wf.StandingInForce {
			t.Fatalf("the approval is %s without an event", m.now.Standing)
		}
		return
	}
	e, until := found[0], m.now.ValidUntil
	early := !until.IsZero() && e.At.Before(until)
	if m.now.Standing != ends[e.Type] || m.now.Status != wf.RequestApproved ||
		early == (e.Type == audit.EventRequestLapsed) && !until.IsZero() {
		t.Fatalf("the approval until %s is %s after %s at %s", until, m.now.Standing, e.Type, e.At)
	}
}

// checkTakers checks that every unassigned task of a pool has an eligible claimant in their
// own right, whatever delegations exist.
func (m *model) checkTakers(t fataler) {
	for _, run := range m.now.Stages {
		if !run.Pool || run.Status != wf.StageActive && run.Status != wf.StageBlocked {
			continue
		}
		own := len(run.Claimants(m.now.Tasks))
		waiting := 0
		for _, task := range m.now.Tasks {
			if task.StageKey == run.Key && task.StageRun == run.Run && live(task) && task.Kind == wf.ApproverTask && task.Assignee == nil {
				waiting++
			}
		}
		if waiting > 0 && own == 0 || waiting == 0 && own > 0 {
			t.Fatalf("%d tasks of pool %s are open, and %d people may take one", waiting, run.Key, own)
		}
	}
}

// somebodyCanAct reports whether a stage is tried again by itself, there is a rescue task,
// or a task that its assignee or a candidate could approve now.
func (m *model) somebodyCanAct() bool {
	if slices.ContainsFunc(m.now.Stages, func(run wf.StageRun) bool { return run.Status == wf.StageResolving }) {
		return true
	}
	for _, task := range m.now.Tasks {
		if !live(task) {
			continue
		}
		if task.Kind == wf.RescueTask {
			return true
		}
		var people []identity.User
		if task.Assignee != nil {
			people = append(people, *task.Assignee)
		} else {
			people = m.now.Run(task).Claimants(m.now.Tasks)
		}
		stage, _ := m.def.Stage(task.StageKey)
		for _, u := range people {
			by := identity.Actor{User: u, Kind: identity.ActorUser, Auth: identity.Auth{AuthTime: identity.Stamp{Time: m.at}}}
			if stage.Reauth != nil && len(stage.Reauth.ACRValues) > 0 {
				by.Auth.ACR = stage.Reauth.ACRValues[0]
			}
			dry := m.surroundings
			dry.trust = true // the sweep finds former approvers
			if _, _, err := dry.settle(func(f wf.Facts) (wf.Request, []wf.Event, error) {
				in := wf.DecisionInput{Action: wf.ActionApprove, Comment: "fine", Data: []byte(`{}`)}
				return m.now.Apply(m.def, by, f, wf.Decide(task.ID, in))
			}); err == nil {
				return true
			}
		}
	}
	return false
}

// checkVoices checks that each person has at most one vote in a stage.
func (m *model) checkVoices(t *rapid.T, run wf.StageRun) {
	voices, approvals := map[string]string{}, map[string]bool{}
	for _, task := range m.now.Tasks {
		if task.StageKey != run.Key || task.StageRun != run.Run || task.Assignee == nil || !live(task) && task.Status != wf.TaskCompleted {
			continue
		}
		people := []string{task.Assignee.ID}
		if d := task.Decision; d != nil && d.OnBehalfOf != nil {
			people = append(people, d.Actor.ID)
		}
		for _, id := range people {
			if other := voices[id]; other != "" {
				t.Fatalf("%s has two voices in stage %s: tasks %s and %s", id, run.Key, other, task.ID)
			}
			voices[id] = task.ID
		}
		if task.Decision != nil && task.Decision.Action == wf.ActionApprove && !task.Decision.Override {
			if by := decider(task); approvals[by] {
				t.Fatalf("%s approved stage %s twice", by, run.Key)
			} else {
				approvals[by] = true
			}
		}
	}
}

// checkOutcome counts the decisions of a stage again, in another way than the code.
func (m *model) checkOutcome(t *rapid.T, run wf.StageRun) {
	stage := run.Stage(m.def)
	var tasks []wf.Task
	for _, task := range m.now.Tasks {
		if task.StageKey == run.Key && task.StageRun == run.Run {
			tasks = append(tasks, task)
		}
	}
	if slices.ContainsFunc(tasks, func(t wf.Task) bool { return t.Decision != nil && t.Decision.Override }) {
		return
	}
	rejections, vetoed := 0, false
	for _, task := range tasks {
		if task.Decision != nil && task.Decision.Action == wf.ActionReject {
			rejections++
			rules := task.Rules
			if task.Rescue || task.Added { // each of them satisfies every rule
				rules = every
			}
			vetoed = vetoed || slices.ContainsFunc(rules, func(i int) bool { return i < len(stage.Approvers) && stage.Approvers[i].Veto })
		}
	}
	over := stage.Rejection.Mode == quorum.RejectionVeto && rejections > 0 ||
		stage.Rejection.Mode == quorum.RejectionCount && rejections >= stage.Rejection.Value
	over = over || vetoed
	met := quorumMet(stage, run, tasks)
	fits := true
	switch run.Status {
	case wf.StageActive, wf.StageBlocked:
		fits = !met && !over
	case wf.StageApproved:
		fits = met && !over
	case wf.StageRejected:
		fits = over || rejections > 0 || len(tasks) == 0 && stage.OnEmpty == policy.OnEmptyReject ||
			slices.ContainsFunc(tasks, func(t wf.Task) bool { return t.Decision != nil && t.Decision.Action == wf.ActionAbstain })
	}
	if !fits {
		t.Fatalf("stage %s is %s, its quorum is met: %v, and it has %d rejections: %+v", run.Key, run.Status, met, rejections, tasks)
	}
}

// every has the indexes of all rules of a stage of the model.
var every = []int{0, 1}

// quorumMet reports whether enough people have approved, and all required ones.
func quorumMet(stage policy.Stage, run wf.StageRun, tasks []wf.Task) bool {
	replaced := map[int]bool{}
	for _, task := range tasks {
		replaced[task.Replaces] = true
	}
	people, abstained, open := 0, 0, 0
	fills := map[string][]int{} // approver → the rules that they fit
	added := func(task wf.Task) bool { return task.Added }
	if run.Pool {
		joined := map[string]bool{}
		for _, a := range run.People {
			joined[a.ID] = a.Added
			if !a.Added {
				people++
			}
		}
		added = func(task wf.Task) bool { return joined[held(task.Assignee)] }
	}
	for _, task := range tasks {
		gone := task.CloseReason == wf.ClosedNotNeeded || task.CloseReason == wf.ClosedApproverLost
		if !run.Pool && !task.Added && !gone {
			people++
		}
		if live(task) {
			open++
		}
		if task.Required && !gone && !replaced[task.Seat] && (task.Decision == nil || task.Decision.Action != wf.ActionApprove) {
			return false
		}
		switch {
		case task.Decision == nil:
		case task.Decision.Action == wf.ActionAbstain && !added(task) && !replaced[task.Seat]:
			abstained++
		case task.Decision.Action == wf.ActionApprove && task.Rescue:
			fills[decider(task)] = every
		case task.Decision.Action == wf.ActionApprove:
			fills[decider(task)] = task.Rules
		}
	}
	need := max(stage.Quorum.MinApprovals, 1)
	switch stage.Quorum.Mode {
	case quorum.QuorumAll:
		need = max(need, people-abstained)
	case quorum.QuorumCount:
		need = max(need, stage.Quorum.Value)
	case quorum.QuorumPercentage:
		need = max(need, (stage.Quorum.Value*(people-abstained)+99)/100)
	}
	if stage.Quorum.WaitForAll && open > 0 {
		return false
	}
	return len(fills) >= need && fillable(run.Minimums, slices.Collect(maps.Values(fills)))
}

// fillable tries every way to give people to the rules that need some.
func fillable(minimums []int, people [][]int) bool {
	if len(people) == 0 {
		return !slices.ContainsFunc(minimums, func(n int) bool { return n > 0 })
	}
	if fillable(minimums, people[1:]) {
		return true
	}
	for _, rule := range people[0] {
		if rule < len(minimums) && minimums[rule] > 0 {
			fewer := slices.Clone(minimums)
			fewer[rule]--
			if fillable(fewer, people[1:]) {
				return true
			}
		}
	}
	return false
}

// decider is the actor of a task's decision, or of the earlier approval that the service
// repeated.
func decider(t wf.Task) string {
	if t.Decision.Actor.Kind == identity.ActorSystem {
		return t.Assignee.ID
	}
	return t.Decision.Actor.ID
}
