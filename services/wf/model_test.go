package wf_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/services/wf"
)

// cast is everybody who plays a part in the model. Rita asks, and sam submits.
var cast = []string{"ana", "bo", "cy", "dee", "eve", "rita", "sam"}

// TestNothingThatPeopleDoBreaksARequest starts requests of random policies, lets
// random people try random things, and checks the invariants after every step.
func TestNothingThatPeopleDoBreaksARequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{story: tell(t, someDefinition(t))}
		m.surprise(t)
		for range rapid.IntRange(0, 2).Draw(t, "delegations") {
			if d := someDelegation(t, 0); d.User.ID != d.DelegateTo.ID {
				m.delegations = append(m.delegations, d)
			}
		}
		if m.start() != nil {
			return // refused to start; the table tests say when
		}
		t.Repeat(map[string]func(*rapid.T){
			"":           m.check,
			"claim":      func(t *rapid.T) { _ = m.claim(m.anyTask(t), anyActor(t)) },
			"unclaim":    func(t *rapid.T) { _ = m.unclaim(m.anyTask(t), anyActor(t)) },
			"decide":     m.decideSomething,
			"decide own": m.decideOwn,
			"reassign":   func(t *rapid.T) { _ = m.reassign(m.anyTask(t), anyone(t), anyActor(t)) },
			"rescue":     m.rescueSomebody,
			"delegate":   m.delegate,
			"end delegation": func(t *rapid.T) {
				if len(m.delegations) > 0 {
					i := rapid.IntRange(0, len(m.delegations)-1).Draw(t, "which")
					d := m.delegations[i]
					m.delegations = slices.Delete(slices.Clone(m.delegations), i, i+1)
					m.must(m.giveBack(d))
				}
			},
			"resubmit": func(t *rapid.T) {
				by := person("rita")
				if rapid.Bool().Draw(t, "another") {
					by = anyActor(t)
				}
				_ = m.resubmit(by, rapid.SampledFrom([]string{"", "sha256:one", "sha256:two"}).Draw(t, "context"))
			},
			"cancel": func(t *rapid.T) {
				if rarely(t, 5) {
					_ = m.cancel(anyActor(t))
				}
			},
			"expire": func(t *rapid.T) {
				if rarely(t, 5) && m.now.ExpiresAt != nil {
					m.at = *m.now.ExpiresAt
				}
				m.must(m.expire())
			},
		})
		if bad := verify(m.events, m.stored); bad != 0 {
			t.Fatalf("event %d does not fit the chain", bad)
		}
	})
}

type model struct {
	*story
	ended int // events when the request ended; 0 before
}

// rarely is true once in 2ⁿ times. Ranges of integers are not drawn evenly.
func rarely(t *rapid.T, n int) bool {
	all := true
	for range n {
		all = rapid.Bool().Draw(t, "rarely") && all
	}
	return all
}

func anyone(t *rapid.T) string { return rapid.SampledFrom(cast).Draw(t, "who") }

func anyActor(t *rapid.T) wf.Actor {
	if rarely(t, 2) {
		return root
	}
	return person(anyone(t))
}

func (m *model) anyTask(t *rapid.T) string {
	if len(m.now.Tasks) == 0 {
		return "none"
	}
	return rapid.SampledFrom(m.now.Tasks).Draw(t, "task").ID
}

func (m *model) decision(t *rapid.T) wf.DecisionInput {
	return wf.DecisionInput{
		Action: rapid.SampledFrom([]wf.Action{
			wf.Approve, wf.Approve, wf.Approve, wf.Approve, wf.Approve, wf.Reject, wf.Abstain, wf.RequestChanges,
		}).Draw(t, "action"),
		Comment: "long enough for an override",
	}
}

func (m *model) decideSomething(t *rapid.T) {
	_ = m.decide(m.anyTask(t), anyActor(t), m.decision(t))
}

// decideOwn lets somebody decide who may, so that requests get on.
func (m *model) decideOwn(t *rapid.T) {
	var open []wf.Task
	for _, task := range m.now.Tasks {
		if live(task) && task.Kind == wf.ApproverTask {
			open = append(open, task)
		}
	}
	if len(open) == 0 {
		return
	}
	task := rapid.SampledFrom(open).Draw(t, "open task")
	by := anyone(t)
	if task.Assignee != nil {
		by = task.Assignee.ID
	}
	_ = m.decide(task.ID, person(by), m.decision(t))
}

func (m *model) rescueSomebody(t *rapid.T) {
	for _, task := range m.now.Tasks {
		if live(task) && task.Kind == wf.RescueTask {
			_ = m.reassign(task.ID, anyone(t), root)
			return
		}
	}
}

func (m *model) delegate(t *rapid.T) {
	d := someDelegation(t, len(m.events))
	if d.User.ID == d.DelegateTo.ID {
		return
	}
	m.delegations = append(slices.Clone(m.delegations), d)
	if d.ApplyToOpen {
		m.must(m.substitute(d))
	}
}

// surprise makes some stages be skipped, or find other people than their rules say.
func (m *model) surprise(t *rapid.T) {
	for _, s := range m.def.Stages {
		skip, nobody := rarely(t, 4), rarely(t, 4)
		fallback := someone(t, 0)
		m.plans[s.Key] = func(p *wf.StagePlan) error {
			p.Fallback = users(fallback...)
			if skip {
				p.Skip = &wf.Skip{Reason: "when_false"}
			}
			if nobody {
				p.Rules = make([][]wf.User, len(p.Rules))
			}
			return nil
		}
	}
}

func someone(t *rapid.T, least int) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(cast), least, 4, rapid.ID).Draw(t, "people")
}

func someDelegation(t *rapid.T, n int) wf.Delegation {
	d := delegation(anyone(t), anyone(t))
	d.ID = fmt.Sprintf("%s %d", d.ID, n)
	d.Mode = rapid.SampledFrom([]wf.DelegationMode{wf.Replace, wf.Share}).Draw(t, "mode")
	d.ApplyToOpen = rapid.Bool().Draw(t, "apply to open")
	if rapid.Bool().Draw(t, "scoped") {
		d.Scope.StageKeys = []string{rapid.SampledFrom([]string{"s0", "s1"}).Draw(t, "stage")}
	}
	return d
}

// someDefinition returns a valid definition of one to three stages.
func someDefinition(t *rapid.T) wf.Definition {
	d := policy()
	d.Settings = wf.Settings{
		RequesterMayApprove: rarely(t, 2),
		RepeatApprover:      rapid.SampledFrom([]wf.RepeatApprover{"", wf.RepeatExclude, wf.RepeatExclude, wf.RepeatAutoApprove}).Draw(t, "repeat"),
		OnNoStages:          rapid.SampledFrom([]wf.OnNoStages{wf.NoStagesRefuse, wf.NoStagesApprove, wf.NoStagesReject}).Draw(t, "no stages"),
		OnResubmit:          rapid.SampledFrom([]wf.OnResubmit{wf.ResubmitRestart, wf.ResubmitResume}).Draw(t, "resubmit"),
		AdminOverride:       rarely(t, 2),
		Delegation:          wf.DelegationSettings{MaxHops: rapid.IntRange(1, 3).Draw(t, "hops")},
		FallbackApprovers:   []wf.Rule{names("dee")},
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "stages") {
		s := someStage(t, i)
		if i > 0 && rapid.Bool().Draw(t, "parallel") {
			s.ParallelGroup = "g"
			d.Stages[i-1].ParallelGroup = "g"
		}
		d.Stages = append(d.Stages, s)
	}
	if found := problems(d, everything); found != nil {
		t.Fatalf("the model made a bad definition: %v", found)
	}
	return d
}

func someStage(t *rapid.T, i int) wf.Stage {
	people := someone(t, 1)
	s := each(fmt.Sprint("s", i), people...)
	if rapid.Bool().Draw(t, "two rules") {
		more := someone(t, 1)
		s.Approvers = append(s.Approvers, names(more...))
		people = slices.Compact(slices.Sorted(slices.Values(slices.Concat(people, more))))
	}
	s.Quorum = wf.Quorum{
		Mode:       rapid.SampledFrom([]wf.QuorumMode{wf.QuorumAll, wf.QuorumAny, wf.QuorumCount, wf.QuorumPercentage}).Draw(t, "quorum"),
		WaitForAll: rarely(t, 2),
	}
	if rapid.Bool().Draw(t, "pool") {
		s.Assignment, s.Quorum.WaitForAll = wf.Pool, false
		if s.Quorum.Mode == wf.QuorumAll {
			s.Quorum.Mode = wf.QuorumCount
		}
	}
	switch s.Quorum.Mode {
	case wf.QuorumCount:
		s.Quorum.Value = rapid.IntRange(1, len(people)).Draw(t, "count")
	case wf.QuorumPercentage:
		s.Quorum.Value = rapid.SampledFrom([]int{1, 34, 50, 67, 100}).Draw(t, "percentage")
	}
	s.Rejection = wf.Rejection{
		Mode:          rapid.SampledFrom([]wf.RejectionMode{wf.RejectVeto, wf.RejectCount, wf.RejectUnreachable}).Draw(t, "rejection"),
		OnUnreachable: rapid.SampledFrom([]wf.OnUnreachable{wf.UnreachableReject, wf.UnreachableBlock}).Draw(t, "on unreachable"),
	}
	if s.Rejection.Mode == wf.RejectCount {
		s.Rejection.Value = 2
	}
	s.OnEmpty = rapid.SampledFrom([]wf.OnEmpty{wf.EmptyBlock, wf.EmptyBlock, wf.EmptySkip, wf.EmptyReject, wf.EmptyFallback}).Draw(t, "on empty")
	s.Allow = wf.Allow{
		Abstain:  rapid.Bool().Draw(t, "abstain"),
		Reassign: rapid.SampledFrom([]wf.AllowReassign{wf.ReassignEligible, wf.ReassignAny}).Draw(t, "allow reassign"),
	}
	rule := &s.Approvers[rapid.IntRange(0, len(s.Approvers)-1).Draw(t, "rule")]
	rule.MinApprovals = rapid.IntRange(0, 1).Draw(t, "rule minimum")
	rule.Required = s.Assignment != wf.Pool && rarely(t, 2)
	return s
}

// check holds the request against the invariants.
func (m *model) check(t *rapid.T) {
	r := m.now
	seen := map[string]bool{}
	for _, task := range r.Tasks {
		seat := fmt.Sprint(task.StageKey, task.StageRun, task.Seat)
		if seen[task.ID] || seen[seat] {
			t.Fatalf("task %s, seat %s is there twice", task.ID, seat)
		}
		seen[task.ID], seen[seat] = true, true
		if live(task) != (task.CompletedAt.IsZero()) || (task.Status == wf.TaskCompleted) != (task.Decision != nil) || task.Status == wf.TaskClaimed && task.Assignee == nil {
			t.Fatalf("task is inconsistent: %+v", task)
		}
	}
	m.checkLife(t)
	approved := map[string]string{} // person → the stage that he approved, in the run that counts
	for _, run := range r.Stages {
		m.checkSeats(t, run)
		m.checkOutcome(t, run)
		if m.run(run.Key).Run != run.Run {
			continue
		}
		for _, task := range m.tasks(run.Key) {
			if task.Decision == nil || task.Decision.Action != wf.Approve {
				continue
			}
			by := decider(task)
			if (by == "rita" || by == "sam") && !m.def.Settings.RequesterMayApprove {
				t.Fatalf("%s approved his own request", by)
			}
			if other := approved[by]; other != "" && other != run.Key && m.def.Settings.RepeatApprover == wf.RepeatExclude {
				t.Fatalf("%s approved both %s and %s", by, other, run.Key)
			}
			approved[by] = run.Key
		}
	}
}

// checkLife checks that a request that is not over waits for somebody who can act,
// and that nothing follows the end.
func (m *model) checkLife(t fataler) {
	var open int
	for _, task := range m.now.Tasks {
		if live(task) {
			open++
		}
	}
	blocked := 0
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
		if want := map[bool]int{true: 1}[run.Status == wf.StageBlocked]; rescues != want {
			t.Fatalf("stage %s is %s and has %d rescue tasks", run.Key, run.Status, rescues)
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
		if len(m.events) > m.ended {
			t.Fatalf("%s, and then came %v", m.now.Status, m.types(m.ended))
		}
	case m.now.Status == wf.ChangesRequested:
		if open > 0 {
			t.Fatalf("sent back, and yet %d tasks are open", open)
		}
	case (m.now.Status == wf.Blocked) != (blocked > 0):
		t.Fatalf("%s with %d blocked stages", m.now.Status, blocked)
	case !m.somebodyCanAct():
		t.Fatalf("%s, and nobody can act", m.now.Status)
	}
}

// somebodyCanAct reports whether there is a rescue task, or a task that its
// assignee or a candidate could approve now.
func (m *model) somebodyCanAct() bool {
	for _, task := range m.now.Tasks {
		if !live(task) {
			continue
		}
		if task.Kind == wf.RescueTask {
			return true
		}
		people := m.now.Run(task).Candidates(task)
		if task.Assignee != nil {
			people = []wf.Approver{{User: *task.Assignee}}
		}
		stage, _ := m.def.Stage(task.StageKey)
		for _, a := range people {
			by := wf.Actor{User: a.User, Kind: wf.ByUser, Auth: wf.Auth{AuthTime: wf.Stamp{Time: m.at}}}
			if stage.Reauth != nil && len(stage.Reauth.ACRValues) > 0 {
				by.Auth.ACR = stage.Reauth.ACRValues[0]
			}
			dry := world{at: m.at, plans: m.plans}
			if _, _, err := m.now.Decide(m.def, task.ID, wf.DecisionInput{Action: wf.Approve, Comment: "fine"}, by, dry.World()); err == nil {
				return true
			}
		}
	}
	return false
}

// checkSeats checks that everybody has at most one voice in a stage.
func (m *model) checkSeats(t *rapid.T, run wf.StageRun) {
	voices, approvals := map[string]string{}, map[string]bool{}
	for _, task := range m.now.Tasks {
		if task.StageKey != run.Key || task.StageRun != run.Run || task.Kind != wf.ApproverTask || task.Assignee == nil || !live(task) && task.Status != wf.TaskCompleted {
			continue
		}
		people := []string{task.Assignee.ID}
		if task.OnBehalfOf != nil {
			people = append(people, task.OnBehalfOf.ID)
		}
		if task.SharedWith != nil && live(task) {
			people = append(people, task.SharedWith.ID)
		}
		for _, id := range people {
			if other := voices[id]; other != "" {
				t.Fatalf("%s has two voices in stage %s: tasks %s and %s", id, run.Key, other, task.ID)
			}
			voices[id] = task.ID
		}
		if task.Decision != nil && task.Decision.Action == wf.Approve && !task.Decision.Override {
			if by := decider(task); approvals[by] {
				t.Fatalf("%s approved stage %s twice", by, run.Key)
			} else {
				approvals[by] = true
			}
		}
	}
}

// checkOutcome counts the decisions of a stage again.
func (m *model) checkOutcome(t *rapid.T, run wf.StageRun) {
	stage, _ := m.def.Stage(run.Key)
	b := wf.Ballot{Quorum: stage.Quorum, Rejection: stage.Rejection}
	if stage.Assignment == wf.Pool {
		b.Quorum.Mode, b.Quorum.Value = wf.QuorumCount, run.Need
	}
	if !run.Fallback {
		for _, rule := range stage.Approvers {
			b.Minimums = append(b.Minimums, rule.MinApprovals)
		}
	}
	overridden, tasks := false, 0
	for _, task := range m.now.Tasks {
		if task.StageKey != run.Key || task.StageRun != run.Run {
			continue
		}
		tasks++
		overridden = overridden || task.Decision != nil && task.Decision.Override
		if task.Kind != wf.ApproverTask {
			continue
		}
		seat := wf.Seat{Rules: task.Rules, Required: task.Required, Added: task.Added, State: wf.SeatLost}
		switch {
		case live(task):
			seat.State = wf.SeatOpen
			if task.Assignee == nil && task.Slot >= 0 {
				seat.Rules = []int{task.Slot}
			} else if task.Assignee == nil {
				seat.Rules = []int{0, 1}
			}
		case task.Decision != nil:
			seat.Person = decider(task)
			seat.State = map[wf.Action]wf.SeatState{wf.Approve: wf.SeatApproved, wf.Reject: wf.SeatRejected, wf.Abstain: wf.SeatAbstained}[task.Decision.Action]
		}
		b.Seats = append(b.Seats, seat)
	}
	if overridden {
		return
	}
	verdict, fits := b.Judge(), true
	switch run.Status {
	case wf.StageActive:
		fits = verdict == wf.Undecided
	case wf.StageBlocked:
		fits = verdict != wf.Approved && verdict != wf.Rejected
	case wf.StageApproved:
		fits = verdict == wf.Approved
	case wf.StageRejected:
		fits = verdict == wf.Rejected || verdict == wf.Unreachable || tasks == 0 && stage.OnEmpty == wf.EmptyReject
	}
	if !fits {
		t.Fatalf("stage %s is %s, and its seats are %s: %+v", run.Key, run.Status, verdict, b)
	}
}

// decider is who decided a task, or whose earlier approval the service repeated.
func decider(t wf.Task) string {
	if t.Decision.Actor.Kind == wf.BySystem {
		return t.Assignee.ID
	}
	return t.Decision.Actor.ID
}
