package wf_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/calendar"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// cast holds the people of the model. Rita is the requester, sam the submitter.
var cast = []string{"ana", "bo", "cy", "dee", "eve", "rita", "sam"}

// TestNothingThatPeopleDoBreaksARequest starts requests of random policies, lets
// random people try random things, and checks the invariants after every step.
func TestNothingThatPeopleDoBreaksARequest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{story: tell(t, someDefinition(t)), dates: map[string]*dated{}}
		m.surprise(t)
		m.watch = func(before, after wf.Request, events []wf.Event) { m.checkClock(t, before, after, events) }
		for range rapid.IntRange(0, 2).Draw(t, "delegations") {
			if d := someDelegation(t, 0); d.User.ID != d.DelegateTo.ID {
				m.delegations = append(m.delegations, d)
			}
		}
		if m.start() != nil {
			return // refused to start; the table tests have the cases
		}
		m.evaluated = nil
		t.Repeat(map[string]func(*rapid.T){
			"":           m.check,
			"claim":      func(t *rapid.T) { _ = m.claimFor(m.anyBehalf(t), m.anyTask(t), anyActor(t)) },
			"act for":    m.actForDelegator,
			"unclaim":    func(t *rapid.T) { _ = m.unclaim(m.anyTask(t), anyActor(t)) },
			"decide":     m.decideSomething,
			"decide own": m.decideOwn,
			"withdraw":   m.withdrawSomething,
			"reassign":   func(t *rapid.T) { _ = m.reassign(m.anyTask(t), anyone(t), anyActor(t)) },
			"rescue":     m.rescueSomebody,
			"delegate":   m.delegate,
			"revoke":     m.revokeSomething,
			"wait":       m.wait,
			"resolve":    func(*rapid.T) { m.must(m.resolve()) },
			"reevaluate": func(*rapid.T) { _ = m.reevaluate(root) },
			"sweep":      m.sweepSomebody,
			"directory":  m.changeDirectory,
			"resubmit": func(t *rapid.T) {
				by := person("rita")
				if rapid.Bool().Draw(t, "another") {
					by = anyActor(t)
				}
				_ = m.resubmit(by, rapid.SampledFrom([]string{"", "sha256:one", "sha256:two"}).Draw(t, "context"))
				m.evaluated = nil
			},
			"cancel": func(t *rapid.T) {
				if rarely(t, 5) {
					_ = m.cancel(anyActor(t))
				}
			},
			"revoke approval": func(t *rapid.T) { _ = m.revokeApproval(anyActor(t)) },
			"consume":         func(t *rapid.T) { _ = m.consume(m.now.ContextHash, anyActor(t)) },
			"lapse":           func(*rapid.T) { m.must(m.lapse()) },
			"deadlines":       func(*rapid.T) { m.must(m.deadlines()) },
			"to a timer":      m.waitForTimer,
			"move a date":     m.moveSomeDate,
			"expire": func(t *rapid.T) {
				if rarely(t, 5) && m.now.ExpiresAt != nil {
					m.at = *m.now.ExpiresAt
				}
				if rapid.Bool().Draw(t, "noticed") {
					m.must(m.expire())
				}
			},
		})
		if bad := verify(m.events, m.stored); bad != 0 {
			t.Fatalf("event %d does not fit the chain", bad)
		}
	})
}

type model struct {
	*story
	ended   int             // events when the request ended; 0 before
	members map[string]bool // of the role; nil when the directory does not answer
	exists  bool            // the role does
	seen    int             // events that check has seen
	dates   map[string]*dated
}

// dated is the record of the deadline of a stage run, by its id.
type dated struct {
	told      bool      // the present date is recorded
	reminded  time.Time // newest reminder
	escalated int
}

// The expressions over the content: true, false, and a number of approvals.
const (
	contentOn  = "content: on"
	contentOff = "content: off"
	contentN   = "content: n"
)

// peopleRules gives a stage people rules: a veto, a rule that depends on the content, a quorum from the content, and
// an exclude rule over the role.
func (m *model) peopleRules(t *rapid.T, s *policy.Stage) {
	m.values[contentOn], m.values[contentOff] = constant(true), constant(false)
	m.values[contentN] = integer(int64(rapid.IntRange(1, 2).Draw(t, "n")))
	rule := &s.Approvers[rapid.IntRange(0, len(s.Approvers)-1).Draw(t, "rule with people rules")]
	rule.Veto = rapid.Bool().Draw(t, "veto")
	switch {
	case rarely(t, 2):
		rule.When = contentOff
	case rarely(t, 1):
		rule.When = contentOn
	}
	if s.Quorum.Mode == quorum.QuorumCount && rapid.Bool().Draw(t, "computed quorum") {
		s.Quorum.Value, s.Quorum.ValueCEL = 0, contentN
	}
	if rapid.Bool().Draw(t, "exclude") {
		s.Exclude = []policy.Rule{{Type: policy.RuleRole, Role: "author", IDs: someone(t, 1)}}
	}
}

// role answers a rule of type role with the members among its people.
func (m *model) role(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
	switch {
	case m.members == nil:
		return nil, refusal.New(reason.ResolverFailed, "role %s: no answer", rule.Role)
	case !m.exists:
		return nil, refusal.New(reason.EngineRefused, "role %s: there is none", rule.Role)
	}
	var people []identity.User
	for _, id := range rule.IDs {
		if m.members[id] {
			people = append(people, user(id))
		}
	}
	return people, nil
}

// changeDirectory adds or removes a member of the role, deletes or restores the role, or stops or
// restarts the directory.
func (m *model) changeDirectory(t *rapid.T) {
	if m.members == nil || rarely(t, 3) {
		m.appear(t)
		return
	}
	m.members = maps.Clone(m.members)
	id := anyone(t)
	m.members[id] = !m.members[id]
}

// appear draws the directory anew.
func (m *model) appear(t *rapid.T) {
	m.members, m.exists = map[string]bool{}, !rarely(t, 3)
	for _, id := range cast {
		m.members[id] = !rarely(t, 2)
	}
	if rarely(t, 3) {
		m.members = nil
	}
}

// sweepSomebody runs the sweep for former approvers, with or without one.
func (m *model) sweepSomebody(t *rapid.T) {
	if rapid.Bool().Draw(t, "nobody") {
		m.must(m.sweep())
		return
	}
	m.must(m.sweep(anyone(t)))
}

// waitForTimer lets time pass until a timer of the request, or just before.
func (m *model) waitForTimer(t *rapid.T) {
	timers := []time.Time{m.now.EndsAt()}
	for _, run := range m.now.Stages {
		timers = append(timers, run.TimerAt)
	}
	if at := rapid.SampledFrom(timers).Draw(t, "timer"); at.After(m.at) {
		m.at = at
		if rarely(t, 2) {
			m.at = at.Add(-time.Millisecond)
		}
	}
	if rapid.Bool().Draw(t, "noticed") {
		m.must(m.deadlines())
	}
}

func (m *model) moveSomeDate(t *rapid.T) {
	by := root
	if rarely(t, 3) {
		by = anyActor(t)
	}
	to := m.at.Add(rapid.SampledFrom([]time.Duration{0, time.Minute, time.Hour, 30 * time.Hour}).Draw(t, "later"))
	_ = m.moveDue(rapid.SampledFrom([]string{"s0", "s1", "s2"}).Draw(t, "stage"), to, "more time", by)
}

// wait advances the clock.
func (m *model) wait(t *rapid.T) {
	m.at = m.at.Add(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, time.Hour, 12 * time.Hour}).Draw(t, "time"))
}

func (m *model) revokeSomething(t *rapid.T) {
	if len(m.delegations) > 0 {
		m.revoke(rapid.SampledFrom(m.delegations).Draw(t, "which").ID)
	}
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

func anyActor(t *rapid.T) identity.Actor {
	by := person(anyone(t))
	if rarely(t, 2) {
		by = root
	}
	if rarely(t, 4) {
		by.Acting = agent
	}
	return by
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
			wf.ActionApprove, wf.ActionApprove, wf.ActionApprove, wf.ActionApprove, wf.ActionApprove, wf.ActionReject,
			wf.ActionAbstain, wf.ActionRequestChanges,
		}).Draw(t, "action"),
		Comment: "long enough for an override",
	}
}

func (m *model) decideSomething(t *rapid.T) {
	_ = m.decide(m.anyTask(t), anyActor(t), m.decision(t))
}

// decideOwn makes an entitled person decide, so that requests progress.
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

// withdrawSomething has a person, mostly its actor, withdraw a decision: they may before any of its effects.
func (m *model) withdrawSomething(t *rapid.T) {
	decided := slices.DeleteFunc(slices.Clone(m.now.Tasks), func(task wf.Task) bool { return task.Decision == nil })
	if len(decided) == 0 {
		return
	}
	task := rapid.SampledFrom(decided).Draw(t, "decided task")
	d, run, by := task.Decision, m.now.Run(task), person(task.Decision.Actor.ID)
	if rarely(t, 2) {
		by = anyActor(t)
	}
	used := slices.ContainsFunc(m.now.Tasks, func(other wf.Task) bool {
		repeat := other.Decision != nil && other.Decision.Actor.Kind == identity.ActorSystem && other.HeldBy(by.ID)
		return repeat && !other.Decision.DecidedAt.Before(d.DecidedAt.Time) || run.Owns(other) && other.Replaces == task.Seat
	})
	allow := run.Stage(m.def).Allow.Withdraw
	may := d.Actor.ID == by.ID && d.Actor.Kind == identity.ActorUser && by.Acting == nil &&
		running(run) && !m.now.Overdue(m.at) && !used && (allow == nil || *allow)
	if err := m.withdraw(task.ID, by); (err == nil) != may {
		t.Fatalf("%s may withdraw %s of stage %s: %t, and it returns %v", by.ID, d.Action, run.Key, may, err)
	}
	if after := m.task(task.ID); may && (after.Decision != nil || !after.HeldBy(task.Assignee.ID) ||
		(after.Status == wf.TaskClaimed) != (task.ClaimedBy != nil)) {
		t.Fatalf("the withdrawal leaves %s", encode(after))
	}
}

// anyBehalf returns a delegator to act for, mostly none.
func (m *model) anyBehalf(t *rapid.T) string {
	if rarely(t, 2) {
		return anyone(t)
	}
	return ""
}

// actForDelegator makes a delegate claim or decide a task of their delegator.
func (m *model) actForDelegator(t *rapid.T) {
	if len(m.inForce()) == 0 {
		return
	}
	d := rapid.SampledFrom(m.inForce()).Draw(t, "delegation")
	task := m.anyTask(t)
	for _, open := range m.now.Tasks {
		if live(open) && open.HeldBy(d.User.ID) && rapid.Bool().Draw(t, "this one") {
			task = open.ID
		}
	}
	if rapid.Bool().Draw(t, "claim") {
		_ = m.claimFor(d.User.ID, task, person(d.DelegateTo.ID))
		return
	}
	in := m.decision(t)
	in.OnBehalfOf = m.anyBehalf(t)
	_ = m.decide(task, person(d.DelegateTo.ID), in)
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
	m.story.delegate(d)
}

// surprise makes some conditions false or fail, and some rules query a directory.
func (m *model) surprise(t *rapid.T) {
	m.appear(t)
	m.yields = func(rule policy.Rule, maxAge time.Duration) ([]identity.User, error) { return m.role(rule, maxAge) }
	for i := range m.def.Stages {
		s := &m.def.Stages[i]
		switch {
		case rarely(t, 4):
			s.When, m.values[s.Key] = s.Key, value(false)
		case rarely(t, 4):
			s.When, m.values[s.Key] = s.Key, fails("no such key: amount")
		}
		if rapid.Bool().Draw(t, "people rules") {
			m.peopleRules(t, s)
		}
		if s.Deadline != nil && len(s.Deadline.EscalateTo) > 0 && rapid.Bool().Draw(t, "escalate to a role") {
			s.Deadline.EscalateTo[0].Type, s.Deadline.EscalateTo[0].Role = policy.RuleRole, "boss"
		}
		for j := range s.Approvers {
			if rarely(t, 1) {
				s.Approvers[j].Type, s.Approvers[j].Role = policy.RuleRole, "officer"
			}
		}
	}
}

func someone(t *rapid.T, least int) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(cast), least, 4, rapid.ID).Draw(t, "people")
}

func someDelegation(t *rapid.T, n int) approver.Delegation {
	d := delegation(anyone(t), anyone(t))
	d.ID = fmt.Sprintf("%s %d", d.ID, n)
	d.EndsAt = noon.Add(rapid.SampledFrom([]time.Duration{time.Hour, 23 * time.Hour}).Draw(t, "ends"))
	if rapid.Bool().Draw(t, "scoped") {
		d.Scope.StageKeys = []string{rapid.SampledFrom([]string{"s0", "s1"}).Draw(t, "stage")}
	}
	return d
}

// someDefinition returns a valid definition of one to three stages.
func someDefinition(t *rapid.T) policy.Definition {
	d := policyOf()
	d.Settings = policy.Settings{
		RequesterMayApprove: rarely(t, 2),
		RepeatApprover: rapid.SampledFrom([]policy.RepeatApprover{"", policy.RepeatExclude, policy.RepeatExclude,
			policy.RepeatAutoApprove}).Draw(t, "repeat"),
		OnNoStages: rapid.SampledFrom([]policy.OnNoStages{policy.OnNoStagesRefuse, policy.OnNoStagesApprove,
			policy.OnNoStagesReject}).Draw(t, "no stages"),
		OnResubmit:        rapid.SampledFrom([]policy.OnResubmit{policy.OnResubmitRestart, policy.OnResubmitResume}).Draw(t, "resubmit"),
		AdminOverride:     rarely(t, 2),
		Delegation:        policy.DelegationSettings{Allowed: rapid.SampledFrom([]*bool{nil, nil, nil, ptr(false)}).Draw(t, "delegation")},
		MembershipRecheck: rapid.SampledFrom([]policy.MembershipRecheck{"", policy.RecheckStrict, policy.RecheckNone}).Draw(t, "recheck"),
		SingleUse:         rapid.Bool().Draw(t, "single use"),
		Validity:          rapid.SampledFrom([]*policy.Validity{nil, {ValidFor: "PT1H"}}).Draw(t, "validity"),
		ExpiresIn:         rapid.SampledFrom([]policy.Lifetime{"", "PT20H"}).Draw(t, "expires"),
		FallbackApprovers: []policy.Rule{names("dee")},
		Calendar: rapid.SampledFrom([]*calendar.WorkingTime{nil, nil, {
			Zone: "Africa/Nairobi", Days: []calendar.Weekday{"mon", "tue"}, From: "08:00", To: "17:00",
		}}).Draw(t, "calendar"),
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

func someStage(t *rapid.T, i int) policy.Stage {
	people := someone(t, 1)
	s := each(fmt.Sprint("s", i), people...)
	if rapid.Bool().Draw(t, "two rules") {
		more := someone(t, 1)
		s.Approvers = append(s.Approvers, names(more...))
		people = slices.Compact(slices.Sorted(slices.Values(slices.Concat(people, more))))
	}
	s.Quorum = quorum.Quorum{
		Mode: rapid.SampledFrom([]quorum.QuorumMode{quorum.QuorumAll, quorum.QuorumAny, quorum.QuorumCount,
			quorum.QuorumPercentage}).Draw(t, "quorum"),
		WaitForAll: rarely(t, 2),
	}
	if rapid.Bool().Draw(t, "pool") {
		s.Assignment, s.Quorum.WaitForAll = policy.AssignmentPool, false
		if s.Quorum.Mode == quorum.QuorumAll {
			s.Quorum.Mode = quorum.QuorumCount
		}
	}
	switch s.Quorum.Mode {
	case quorum.QuorumCount:
		s.Quorum.Value = rapid.IntRange(1, len(people)).Draw(t, "count")
	case quorum.QuorumPercentage:
		s.Quorum.Value = rapid.SampledFrom([]int{1, 34, 50, 67, 100}).Draw(t, "percentage")
	}
	s.Rejection = quorum.Rejection{
		Mode: rapid.SampledFrom([]quorum.RejectionMode{quorum.RejectionVeto, quorum.RejectionCount,
			quorum.RejectionUnreachable}).Draw(t, "rejection"),
		OnUnreachable: rapid.SampledFrom([]quorum.OnUnreachable{quorum.OnUnreachableReject, quorum.OnUnreachableBlock}).Draw(t, "on unreachable"),
	}
	if s.Rejection.Mode == quorum.RejectionCount {
		s.Rejection.Value = 2
	}
	s.OnEmpty = rapid.SampledFrom([]policy.OnEmpty{policy.OnEmptyBlock, policy.OnEmptyBlock, policy.OnEmptySkip,
		policy.OnEmptyReject, policy.OnEmptyFallback}).Draw(t, "on empty")
	s.Allow = policy.Allow{
		Abstain:  rapid.Bool().Draw(t, "abstain"),
		Withdraw: rapid.SampledFrom([]*bool{nil, nil, ptr(false)}).Draw(t, "withdraw"),
		Reassign: rapid.SampledFrom([]policy.AllowReassign{policy.ReassignEligible, policy.ReassignAny}).Draw(t, "allow reassign"),
	}
	rule := &s.Approvers[rapid.IntRange(0, len(s.Approvers)-1).Draw(t, "rule")]
	rule.MinApprovals = rapid.IntRange(0, 1).Draw(t, "rule minimum")
	rule.Required = s.Assignment != policy.AssignmentPool && rarely(t, 2)
	if rapid.Bool().Draw(t, "deadline") {
		s.Deadline = someDeadline(t, s)
	}
	return s
}

func someDeadline(t *rapid.T, s policy.Stage) *policy.Deadline {
	d := &policy.Deadline{
		DueIn:        rapid.SampledFrom([]policy.Duration{"PT30M", "PT1H", "P1D"}).Draw(t, "due in"),
		RemindBefore: rapid.SampledFrom([][]policy.Duration{nil, {"PT10M"}, {"PT1H", "PT20M"}}).Draw(t, "remind before"),
		OnDue: rapid.SampledFrom([]policy.OnDue{policy.OnDueNotify, policy.OnDueEscalate, policy.OnDueEscalate,
			policy.OnDueExpire}).Draw(t, "on due"),
	}
	if s.Quorum.WaitForAll && d.OnDue == policy.OnDueEscalate {
		d.OnDue = policy.OnDueNotify
	}
	if d.OnDue != policy.OnDueExpire && rapid.Bool().Draw(t, "remind every") {
		d.RemindEvery = "PT1H"
	}
	if d.OnDue == policy.OnDueEscalate {
		d.EscalateTo = []policy.Rule{names(someone(t, 1)...)}
	}
	return d
}
