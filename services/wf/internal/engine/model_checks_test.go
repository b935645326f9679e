package engine_test

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

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
		m.valued(before, after, run, wrong)
		m.staffed(before, after, run, wrong)
	}
	for _, t := range after.Tasks {
		was, known := before.Task(t.ID)
		if t.Decision != nil && was.Decision == nil {
			m.mayHave(before, after, t, wrong)
		}
		if known && was.Kind == wf.ApproverTask && was.Assignee == nil && (t.Status == wf.TaskClaimed || t.Status == wf.TaskCompleted) &&
			!slices.ContainsFunc(before.Run(was).Claimants(before.Tasks), func(claimant identity.User) bool { return claimant.ID == t.Assignee.ID }) {
			wrong("%s may not take task %d", t.Assignee.ID, t.Seat)
		}
	}
	switch {
	case before.ID == "":
	case before.Status.Final() && before.Rev != after.Rev && !m.endedApproval(before, after):
		wrong("something happened to a request that is over")
	case !before.Status.Final() && before.Overdue(m.now()) && before.Rev != after.Rev && after.Status != wf.RequestExpired:
		wrong("something but expiry happened to a request whose time is over")
	case err != nil && before.Rev != after.Rev && after.Status != wf.RequestExpired && after.Standing != wf.StandingLapsed && !m.orphaned(before, after):
		wrong("a refused call has changed it")
	}
	m.timed(before, after, wrong)
}

// endedApproval reports whether an approval in force has ended between two states of a request, in its time, with one
// event.
func (m *model) endedApproval(before, after wf.Request) bool {
	lapsed := !after.ValidUntil.IsZero() && !m.now().Before(after.ValidUntil)
	return before.Status == after.Status && before.Standing == wf.StandingInForce && after.Standing != wf.StandingInForce &&
		(after.Standing == wf.StandingLapsed) == lapsed && after.Chain.Seq == before.Chain.Seq+1
}

// timed compares the columns that the loops and the lists read with the request, and the events of the deadlines with
// the dates.
func (m *model) timed(before, after wf.Request, wrong func(string, ...any)) {
	end := int64(0)
	if at := effectiveEnd(m.def, after); !at.IsZero() {
		end = at.UnixMilli()
	}
	if got := m.rows("SELECT CAST(ends_ms AS text) FROM request WHERE id = ?", after.ID)[0]; !after.Status.Final() && got != fmt.Sprint(end) {
		wrong("ends_ms is %s, and the effective end %d", got, end)
	}
	for _, run := range after.Stages {
		timer, due := int64(0), int64(0)
		if !run.TimerAt.IsZero() {
			timer = run.TimerAt.UnixMilli()
		}
		if !run.DueAt.IsZero() {
			due = run.DueAt.UnixMilli()
		}
		running := run.Status == wf.StageActive || run.Status == wf.StageBlocked
		if timer != 0 && !running {
			wrong("stage %s is %s and has a timer", run.Key, run.Status)
		}
		if running && due != 0 && run.OnDue != policy.OnDueExpire && timer == 0 && !run.DueRecorded {
			wrong("stage %s has a date that no timer records", run.Key)
		}
	}
	if before.ID == "" {
		return
	}
	for _, kind := range m.types(after.ID)[before.Chain.Seq:] {
		switch kind {
		case audit.EventStageDue, audit.EventStageReminded, audit.EventStageEscalated, audit.EventStageEscalationEmpty:
			if !slices.ContainsFunc(before.Stages, func(run wf.StageRun) bool { return !run.TimerAt.IsZero() && !m.now().Before(run.TimerAt) }) {
				wrong("%s without a timer that is due", kind)
			}
		}
	}
}

// effectiveEnd is the expiry of a request, or an earlier date of a running stage with expire.
func effectiveEnd(def policy.Definition, r wf.Request) (end time.Time) {
	if r.ExpiresAt != nil {
		end = *r.ExpiresAt
	}
	for _, run := range r.Stages {
		stage, _ := def.Stage(run.Key)
		if (run.Status == wf.StageActive || run.Status == wf.StageBlocked) && stage.Deadline != nil &&
			stage.Deadline.OnDue == policy.OnDueExpire && run.DueAt.Before(end) {
			end = run.DueAt
		}
	}
	return end
}

// orphaned reports whether the events between two states include an orphaned or reassigned task.
func (m *model) orphaned(before, after wf.Request) bool {
	types := m.types(after.ID)[before.Chain.Seq:]
	return slices.Contains(types, audit.EventTaskOrphaned) || slices.Contains(types, audit.EventTaskReassigned)
}

// stage is the stage of a run, for the context of its revision.
func (m *model) stage(run wf.StageRun) policy.Stage {
	stage, _ := m.def.Stage(run.Key)
	return over(stage, m.contents[run.ID])
}

// valued records the context of a new run, and requires that the values of its expressions are those of this context.
func (m *model) valued(before, after wf.Request, run wf.StageRun, wrong func(string, ...any)) {
	i := slices.IndexFunc(before.Stages, func(old wf.StageRun) bool { return old.ID == run.ID })
	if i < 0 {
		m.contents[run.ID] = string(after.Context)
	} else if !reflect.DeepEqual(before.Stages[i].Computed, run.Computed) {
		wrong("the values of stage %s were %+v and are %+v", run.Key, before.Stages[i].Computed, run.Computed)
	}
	of, _ := m.def.Stage(run.Key)
	if got, want := run.Stage(m.def).Quorum.Value, m.stage(run).Quorum.Value; of.When == "" && got != want {
		wrong("the quorum of stage %s is %d, want %d", run.Key, got, want)
	}
	off := !slices.ContainsFunc(m.stage(run).Approvers, func(rule policy.Rule) bool { return rule.Role != "" || len(rule.IDs) > 0 })
	if off && of.When == "" && run.Status == wf.StageSkipped && run.Skip.Reason == wf.SkippedEmpty {
		wrong("stage %s is skipped, and all its rules are off", run.Key)
	}
}

// staffed compares the approvers of a newly started stage with the results of its rules.
func (m *model) staffed(before, after wf.Request, run wf.StageRun, wrong func(string, ...any)) {
	if !slices.Contains([]wf.StageStatus{wf.StageActive, wf.StageBlocked, wf.StageApproved, wf.StageRejected},
		run.Status) || !run.StartedAt.Equal(m.now()) {
		return
	}
	if i := slices.IndexFunc(before.Stages, func(old wf.StageRun) bool { return old.ID == run.ID }); i >= 0 &&
		before.Stages[i].Status != wf.StagePending && before.Stages[i].Status != wf.StageResolving {
		return
	}
	stage := m.stage(run)
	barred, uncertain := m.dir.excluded(slices.Concat(m.def.Settings.Exclude, stage.Exclude))
	m.barred[run.ID] = barred
	for _, id := range barred {
		if !m.dir.gone[id] && !slices.Contains(run.Barred, id) {
			wrong("%s is not recorded as excluded from stage %s", id, run.Key)
		}
	}
	if uncertain {
		if before.ID == "" || run.Status != wf.StageBlocked || len(run.People) > 0 && !run.Fallback {
			wrong("stage %s is %s with %d people, and its exclude rules fail", run.Key, run.Status, len(run.People))
		}
		return
	}
	for _, a := range run.People {
		if slices.Contains(barred, a.ID) {
			wrong("%s is excluded from stage %s, and its approver", a.ID, run.Key)
		}
	}
	for i, rule := range stage.Approvers {
		ids, fails := m.dir.truth(rule)
		able := 0
		for _, id := range ids {
			p := slices.IndexFunc(run.People, func(a approver.Approver) bool { return a.ID == id })
			out := slices.ContainsFunc(run.Excluded, func(x approver.Exclusion) bool { return x.User.ID == id })
			switch {
			case p < 0 && !out:
				wrong("stage %s has no task for %s", run.Key, id)
			case p >= 0 && !slices.Contains(run.People[p].Rules, i):
				wrong("%s is not recorded for rule %d of stage %s", id, i, run.Key)
			case p >= 0 && id == "rita" && !m.def.Settings.RequesterMayApprove:
				wrong("the requester may approve stage %s", run.Key)
			case p < 0 && m.def.Settings.RepeatApprover != policy.RepeatExclude && id != "rita" && !slices.Contains(barred, id):
				wrong("%s is excluded from stage %s", id, run.Key)
			case p >= 0:
				able++
			}
		}
		if (fails || able < rule.MinApprovals || able == 0 && rule.Required) && run.Minimums[i] == 0 {
			wrong("rule %d of stage %s has no minimum, and the stage is understaffed", i, run.Key)
		}
		if fails && before.ID == "" {
			wrong("rule %d of stage %s fails, and a request has started", i, run.Key)
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

// mayHave checks the right of the actor to a new decision.
func (m *model) mayHave(before, after wf.Request, t wf.Task, wrong func(string, ...any)) {
	d, actor, run := t.Decision, decider(t), after.Run(t)
	if !m.def.Settings.RequesterMayApprove && actor == "rita" {
		wrong("rita has decided on their own request")
	}
	if m.def.Settings.RepeatApprover == policy.RepeatExclude && slices.ContainsFunc(before.Tasks, func(other wf.Task) bool {
		return other.StageKey != t.StageKey && other.Decision != nil && other.Decision.Action == wf.ActionApprove &&
			decider(other) == actor && latest(before, other)
	}) {
		wrong("%s has approved another stage", actor)
	}
	if after.Overdue(d.DecidedAt.Time) {
		wrong("decided when the time was over")
	}
	if stage, _ := m.def.Stage(t.StageKey); t.Rescue && d.Action == wf.ActionReject && stage.Rejection.Mode == quorum.RejectionUnreachable &&
		slices.ContainsFunc(after.Tasks, func(other wf.Task) bool {
			_, known := before.Task(other.ID)
			return !known && other.Kind == wf.RescueTask && other.StageKey == t.StageKey
		}) {
		wrong("%s rejected a rescue task, and another task is open", actor)
	}
	m.mayBe(actor, run, d.Actor.Kind == identity.ActorSystem, wrong)
	if d.OnBehalfOf != nil {
		m.mayBe(d.OnBehalfOf.ID, run, true, wrong)
	}
	if d.Actor.Kind == identity.ActorSystem {
		return // for approvers of another stage
	}
	for _, other := range before.Tasks {
		if other.ID != t.ID && other.StageKey == t.StageKey && other.StageRun == t.StageRun && other.Assignee != nil &&
			(isLive(other) || other.Decision != nil) &&
			(other.Assignee.ID == actor || isLive(other) && other.Status == wf.TaskClaimed && other.ClaimedBy.ID == actor &&
				m.leads(other.Assignee.ID, actor) || other.Decision != nil && other.Decision.Actor.ID == actor) {
			wrong("%s holds or has decided another task of stage %s", actor, t.StageKey)
		}
	}
	owner := actor
	if d.OnBehalfOf != nil {
		owner = d.OnBehalfOf.ID
		if !m.leads(owner, actor) || !run.Delegable {
			wrong("nothing lets %s act for %s", actor, owner)
		}
		was := before.Run(t)
		if slices.Contains(was.Former, actor) || was.Concerns(actor) {
			wrong("%s acts for %s and has or had a place in stage %s", actor, owner, run.Key)
		}
	}
	i := slices.IndexFunc(run.People, func(a approver.Approver) bool { return a.ID == owner })
	if i < 0 {
		return // an admin has put them there
	}
	if run.People[i].Ineligible {
		wrong("%s has lost their place", owner)
	}
	if !m.isMember(run.People[i], run) {
		wrong("%s is no approver of stage %s any more", owner, run.Key)
	}
}

// mayWithdraw reports whether a person may withdraw the decision on a task: its actor, before any of its effects.
func (m *model) mayWithdraw(r wf.Request, task wf.Task, who string) bool {
	d, run := task.Decision, r.Run(task)
	open := run.Status == wf.StageActive || run.Status == wf.StageBlocked
	used := slices.ContainsFunc(r.Tasks, func(other wf.Task) bool {
		repeat := other.Decision != nil && other.Decision.Actor.Kind == identity.ActorSystem && other.Assignee.ID == who
		return repeat && !other.Decision.DecidedAt.Before(d.DecidedAt.Time) ||
			other.StageKey == task.StageKey && other.StageRun == task.StageRun && other.Replaces == task.Seat
	})
	allow := m.stage(run).Allow.Withdraw
	return d.Actor.ID == who && d.Actor.Kind == identity.ActorUser && open && !r.Overdue(m.now()) && !used &&
		(allow == nil || *allow)
}

// withdrawn requires that a withdrawal has restored the task.
func (m *model) withdrawn(r wf.Request, was wf.Task) {
	task, _ := r.Task(was.ID)
	if claimed := was.ClaimedBy != nil; task.Decision != nil || !task.HeldBy(was.Assignee.ID) ||
		(task.Status == wf.TaskClaimed) != claimed || !isLive(task) {
		m.fatalf("the withdrawal of %s leaves %+v", was.Assignee.ID, task)
	}
}

// mayBe requires that a person with a new decision, for themself or for another, is not excluded from the run: neither
// since its start nor now.
func (m *model) mayBe(id string, run wf.StageRun, indirect bool, wrong func(string, ...any)) {
	if slices.Contains(m.barred[run.ID], id) || slices.Contains(run.Barred, id) {
		wrong("%s is excluded from stage %s since its start, and decides", id, run.Key)
	}
	stage, mode := m.stage(run), m.def.Settings.MembershipRecheck
	rules := slices.Concat(m.def.Settings.Exclude, stage.Exclude)
	byRole := slices.ContainsFunc(rules, func(rule policy.Rule) bool { return rule.Type == policy.RuleRole })
	switch now, fails := m.dir.excluded(rules); {
	case mode == policy.RecheckNone:
	case mode == policy.RecheckStrict && byRole && (m.dir.down || fails) && !indirect:
		wrong("%s decides stage %s without an answer about its exclude rules", id, run.Key)
	case !m.dir.down && slices.Contains(now, id):
		wrong("%s is excluded from stage %s, and decides", id, run.Key)
	}
}

// isMember reports whether the rules still select the user, as far as the policy rechecks this.
func (m *model) isMember(a approver.Approver, run wf.StageRun) bool {
	if m.def.Settings.MembershipRecheck == policy.RecheckNone || a.PlacedBy != nil || a.Reassigned || m.dir.down {
		return true
	}
	stage := m.stage(run)
	rules := m.def.Settings.FallbackApprovers
	if a.Escalated {
		rules = stage.Deadline.EscalateTo
	} else if !a.Fallback {
		rules = nil
		for _, i := range a.Rules {
			rules = append(rules, stage.Approvers[i])
		}
	}
	return slices.ContainsFunc(rules, func(rule policy.Rule) bool {
		ids, fails := m.dir.truth(rule)
		return fails || slices.Contains(ids, a.ID)
	})
}

// leads reports whether a delegation in force leads from one person to another.
func (m *model) leads(from, to string) bool {
	return slices.ContainsFunc(m.delegations, func(id string) bool {
		d, err := m.store.Delegations.Delegation(m.service.t.Context(), id)
		m.must(err)
		return d.Status(m.now()) == approver.DelegationActive && d.User.ID == from && d.DelegateTo.ID == to
	})
}

func isLive(t wf.Task) bool { return t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed }

func decider(t wf.Task) string {
	if t.Decision.Actor.Kind == identity.ActorSystem {
		return t.Assignee.ID
	}
	return t.Decision.Actor.ID
}

// latest reports whether a task is of the last run of its stage.
func latest(r wf.Request, t wf.Task) bool {
	run := 0
	for _, s := range r.Stages {
		if s.Key == t.StageKey {
			run = max(run, s.Run)
		}
	}
	return run == t.StageRun
}

// stuck returns the reason why a request cannot advance, or "".
func stuck(r wf.Request) string {
	if r.Status.Final() || r.Status == wf.RequestChangesRequested {
		return ""
	}
	for _, run := range r.Stages {
		switch run.Status {
		case wf.StageResolving:
			if !run.RetryAt.IsZero() {
				return ""
			}
		case wf.StageActive, wf.StageBlocked:
			for _, t := range r.Tasks {
				if t.StageKey != run.Key || t.StageRun != run.Run || !isLive(t) {
					continue
				}
				if t.Assignee != nil || t.Kind == wf.RescueTask || len(run.Claimants(r.Tasks)) > 0 {
					return ""
				}
			}
		}
	}
	return "no claimable live task, and no timer"
}
