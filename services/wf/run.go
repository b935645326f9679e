package wf

import (
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// StageStatus is the state of a StageRun.
type StageStatus string

// The states of a stage run. All but pending, resolving, active and blocked are
// final.
const (
	StagePending   StageStatus = "pending"   // not reached yet
	StageResolving StageStatus = "resolving" // started; approver resolution is pending and retried
	StageActive    StageStatus = "active"    // approvers may decide
	StageBlocked   StageStatus = "blocked"   // understaffed; a rescue task is open for an admin
	StageApproved  StageStatus = "approved"  //
	StageRejected  StageStatus = "rejected"  //
	StageSkipped   StageStatus = "skipped"   // when is false, or no approvers with on_empty skip
	StageExpired   StageStatus = "expired"   // the request expired
	StageCancelled StageStatus = "cancelled" // the request was cancelled or sent back
)

// Values returns every value.
func (StageStatus) Values() []StageStatus {
	return []StageStatus{
		StagePending, StageResolving, StageActive, StageBlocked, StageApproved, StageRejected, StageSkipped,
		StageExpired, StageCancelled,
	}
}

// running reports whether the stage accepts decisions.
func (s StageStatus) running() bool { return s == StageActive || s == StageBlocked }

// Bounds of the retry interval of approver resolution. Each interval equals the time since the
// start, within these bounds. An understaffed stage uses staffRetry after maxRetry.
const (
	minRetry   = 5 * time.Second
	maxRetry   = 5 * time.Minute
	staffRetry = 15 * time.Minute
)

// wait postpones a stage with unresolved approvers.
func (s StageRun) wait(why string, now time.Time) StageRun {
	if s.Status != StageResolving {
		s.Status, s.StartedAt = StageResolving, now
	}
	s.LastError, s.RetryAt = why, now.Add(min(max(now.Sub(s.StartedAt), minRetry), maxRetry))
	return s
}

// scheduleRetry sets the next retry of a stage that has been understaffed since the given time.
func (s StageRun) scheduleRetry(since, now time.Time) StageRun {
	wait := max(now.Sub(since), minRetry)
	if wait > maxRetry {
		wait = staffRetry
	}
	s.RetryAt = now.Add(wait)
	return s
}

// StageRun is one run of a stage. A resubmitted request may run a stage again.
type StageRun struct {
	ID            string      `json:"id"`
	Key           string      `json:"key"`
	Name          string      `json:"name"`
	Run           int         `json:"run"` // from 1
	Status        StageStatus `json:"status"`
	ParallelGroup string      `json:"parallel_group,omitempty"`

	// People may hold a task or claim one of a pool. They are resolved at the start of the stage, without
	// Excluded.
	People   []approver.Approver  `json:"people,omitempty"`
	Excluded []approver.Exclusion `json:"excluded,omitempty"`

	// Barred holds the ids of the people whom the exclude rules yielded when the stage started.
	Barred []string `json:"barred,omitempty"`

	// Former holds the ids of the people that lost or handed over a place in the run. Only a reassignment gives
	// one of them another place.
	Former []string `json:"former,omitempty"`

	// Observers may read and comment on the request. They have no task and no effect on the outcome.
	Observers []identity.User `json:"observers,omitempty"`

	// Names holds the values of the user expressions, by source. Each is evaluated once per run.
	Names map[string][]string `json:"names,omitempty"`

	// Computed holds the values of the stage's expressions over the content.
	Computed policy.Computed `json:"computed,omitzero"`

	// Minimums holds the minimum approvals per rule in this run. It is at least one for a failed
	// rule and for a required rule without approvers.
	Minimums []int `json:"minimums,omitempty"`

	// Unmet holds, for a pool, the set of unmet rules; zero without an unassigned task.
	Unmet int64 `json:"unmet,omitempty"`

	// Pool is set for assignment pool.
	Pool bool `json:"pool,omitempty"`

	// Delegable is set if delegations give rights in the run.
	Delegable bool `json:"delegable,omitempty"`

	// Fallback is set if settings.fallback_approvers were resolved as well.
	Fallback bool `json:"fallback,omitempty"`

	Count       quorum.Count `json:"count,omitzero"` // of the voters, at the last evaluation
	Skip        *Skip        `json:"skip,omitempty"`
	LastError   string       `json:"-"` // error of the approver rules or of when
	RetryAt     time.Time    `json:"-"` // next retry; zero if none is scheduled
	Clock                    // of the deadline
	StartedAt   time.Time    `json:"started_at,omitzero"` // of a resolving run: when the stage was reached
	CompletedAt time.Time    `json:"completed_at,omitzero"`
}

// Clock is the deadline of a stage run. It begins with the first approvers and belongs to the run: changes of
// its people do not move it, and it does not stop while the stage is blocked. It is empty without a deadline.
type Clock struct {
	DueAt       time.Time    `json:"due_at,omitzero"`
	OnDue       policy.OnDue `json:"on_due,omitempty"`
	TimerAt     time.Time    `json:"-"`                      // earliest time with work for ProcessDeadlines, besides the end of the request; zero for none
	RemindedAt  time.Time    `json:"reminded_at,omitzero"`   // newest reminder or later: the start, or the latest move of the date
	DueRecorded bool         `json:"due_recorded,omitempty"` // the date is recorded
	EscalatedAt time.Time    `json:"escalated_at,omitzero"`  // of the only escalation of the run, also without an added approver
}

// escalating reports whether the addition of approvers is being retried.
func (c Clock) escalating() bool {
	return c.OnDue == policy.OnDueEscalate && c.DueRecorded && c.EscalatedAt.IsZero()
}

// Overdue reports whether the due date of a running stage is reached.
func (s StageRun) Overdue(now time.Time) bool {
	return s.Status.running() && !s.DueAt.IsZero() && !now.Before(s.DueAt)
}

// Stage returns the definition of the run's stage, with the values computed for the run.
func (s StageRun) Stage(def policy.Definition) policy.Stage {
	stage, _ := def.Stage(s.Key)
	return stage.With(s.Computed)
}

// SkipReason is the reason for skipping a stage.
type SkipReason string

// The reasons: the stage's condition is false, or it has no approvers.
const (
	SkippedByCondition SkipReason = "when_false"
	SkippedEmpty       SkipReason = "empty"
)

// Values returns every value.
func (SkipReason) Values() []SkipReason { return []SkipReason{SkippedByCondition, SkippedEmpty} }

// Skip is the reason for skipping a stage and its details.
type Skip struct {
	Reason SkipReason `json:"reason" doc:"Reason: the condition is false, or the stage has no approvers."`
	Detail string     `json:"detail,omitempty" doc:"Details for display."`
}

// Owns reports whether a task belongs to the run.
func (s StageRun) Owns(t Task) bool { return t.StageKey == s.Key && t.StageRun == s.Run }

// tasksOf returns the tasks of the run.
func (s StageRun) tasksOf(tasks []Task) []Task {
	var own []Task
	for _, t := range tasks {
		if s.Owns(t) {
			own = append(own, t)
		}
	}
	return own
}

// understaffed reports whether the stage is blocked without any decision. A stage blocked by
// decisions stays blocked until an admin assigns its rescue task.
func (s StageRun) understaffed(tasks []Task) bool {
	return s.Status == StageBlocked &&
		!slices.ContainsFunc(s.tasksOf(tasks), func(t Task) bool { return t.Decision != nil })
}

// block returns the run as blocked if it has an unassigned rescue, and as active otherwise. An understaffed
// stage without a decision is retried automatically.
func (s StageRun) block(tasks []Task, now time.Time) StageRun {
	switch {
	case slices.ContainsFunc(s.tasksOf(tasks), Task.vacant):
		s.Status = StageBlocked
		switch {
		case !s.understaffed(tasks):
			s.RetryAt = time.Time{}
		case s.RetryAt.IsZero():
			return s.scheduleRetry(now, now)
		}
	case s.Status == StageBlocked:
		s.Status, s.RetryAt, s.LastError = StageActive, time.Time{}, ""
	}
	return s
}

// leave records that a person lost or handed over a place.
func (s *StageRun) leave(id string) {
	if !slices.Contains(s.Former, id) {
		s.Former = append(slices.Clip(s.Former), id)
	}
}

// handOver records that a person received a place, from a giver or without one.
func (s *StageRun) handOver(giver, to string) {
	s.Former = slices.DeleteFunc(slices.Clone(s.Former), func(id string) bool { return id == to })
	if giver != "" && giver != to {
		s.leave(giver)
	}
}

// reassigned returns the holders of reassigned places. With assignment each, such a holder may have no entry.
func (s StageRun) reassigned(tasks []Task) (people []approver.Approver) {
	for _, a := range s.People {
		if s.Pool && a.Reassigned && a.PlacedBy == nil && !a.Ineligible {
			people = append(people, a)
		}
	}
	for _, t := range s.tasksOf(tasks) {
		if s.Pool || t.Assignee == nil || !t.Status.live() || t.Rescue || t.Added {
			continue
		}
		if i := s.entry(t.holder()); i < 0 || s.People[i].Reassigned {
			people = append(people, approver.Approver{User: *t.Assignee, Rules: t.Rules, Required: t.Required, Reassigned: true})
		}
	}
	return people
}

// add adds a place of a person to the run.
func (s *StageRun) add(who approver.Fit, a approver.Approver) { s.People = append(s.People, who.As(a)) }

// entry returns the index of an approver in the run, or -1.
func (s StageRun) entry(id string) int {
	return slices.IndexFunc(s.People, func(a approver.Approver) bool { return a.ID == id })
}

// Concerns reports whether the person is or was an approver of the stage.
func (s StageRun) Concerns(id string) bool { return s.entry(id) >= 0 }

// Claimants returns the eligible claimants of an unassigned pool task, in rule order. tasks contains
// at least the tasks of the run.
func (s StageRun) Claimants(tasks []Task) []identity.User {
	if !s.Pool || !s.Status.running() || s.Unmet == 0 {
		return nil
	}
	used := s.occupants(tasks)
	claimants := make([]identity.User, 0, len(s.People))
	for _, a := range s.People {
		if a.Ineligible || used[a.ID] || a.Counts()&quorum.RuleSet(s.Unmet) == 0 { // #nosec G115 -- a set of bits
			continue
		}
		claimants = append(claimants, a.User)
	}
	return claimants
}

// EligibleClaimants returns the eligible claimants of one task of the run. It is empty unless the task is
// open and unassigned. tasks contains at least the tasks of the run.
func (s StageRun) EligibleClaimants(t Task, tasks []Task) []identity.User {
	if t.Assignee != nil || t.Kind != ApproverTask || t.Status != TaskOpen {
		return nil
	}
	return s.Claimants(tasks)
}

// isClaimant reports whether a person may claim the unassigned task of the run now.
func (s StageRun) isClaimant(id string, t Task, tasks []Task) bool {
	return slices.ContainsFunc(s.EligibleClaimants(t, tasks), func(u identity.User) bool { return u.ID == id })
}

// UnmetRules returns the indexes of the unmet rules of a pool. rules is the number of rules of the
// stage.
func (s StageRun) UnmetRules(rules int) []int {
	return quorum.RuleSet(s.Unmet).Indexes(rules) // #nosec G115 -- a set of bits
}

// IsEscalated reports whether escalation added the approver.
func (s StageRun) IsEscalated(id string) bool {
	i := s.entry(id)
	return i >= 0 && s.People[i].Escalated
}

// occupants returns the people that hold, have claimed or have decided a task of the run. Each person acts at most
// once.
func (s StageRun) occupants(tasks []Task) map[string]bool {
	used := map[string]bool{}
	for _, t := range tasks {
		if !s.Owns(t) || !t.Status.live() && t.Status != TaskCompleted || t.Assignee == nil {
			continue
		}
		used[t.Assignee.ID] = true
		if t.Status == TaskClaimed && t.ClaimedBy != nil {
			used[t.ClaimedBy.ID] = true
		}
		if t.Decision != nil && t.Decision.Actor.Kind != identity.ActorSystem {
			used[t.Decision.Actor.ID] = true
		}
	}
	return used
}

// rulesBehind returns the rules that yielded an approver of the run.
func (s StageRun) rulesBehind(a approver.Approver, def policy.Definition) []policy.Rule {
	stage := s.Stage(def)
	if a.Escalated {
		return stage.Deadline.EscalateTo
	}
	if a.Fallback {
		return def.Settings.FallbackApprovers
	}
	var rules []policy.Rule
	for _, i := range a.Rules {
		rules = append(rules, stage.Approvers[i])
	}
	return rules
}

// undecidedApprovers returns the approvers of a run without a decision: task holders and members of the pool.
func (s StageRun) undecidedApprovers(tasks []Task) []string {
	var ids []string
	used := map[string]bool{}
	for _, t := range s.tasksOf(tasks) {
		if !t.Status.live() {
			used[t.holder()] = true
		} else if t.Assignee != nil {
			ids = append(ids, t.holder())
		}
	}
	if s.Pool {
		for _, a := range s.People {
			if !a.Ineligible && !used[a.ID] && !slices.Contains(ids, a.ID) {
				ids = append(ids, a.ID)
			}
		}
	}
	return ids
}

// assignees returns the people with a pending seat of the run, for the managers of
// escalate_to. For the recheck of an added approver, seats that are decided by now count too.
func (s StageRun) assignees(tasks []Task) []string {
	var ids []string
	for _, t := range s.tasksOf(tasks) {
		if t.Assignee == nil || t.escalated() || !t.Status.live() && s.EscalatedAt.IsZero() {
			continue
		}
		if id := t.Assignee.ID; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Concerns reports whether the person is a present or former holder, the claimant, the actor of the decision or an
// approver of the pool of the task.
func (t Task) Concerns(id string, run StageRun) bool {
	if t.HeldBy(id) || t.Owner != nil && t.Owner.ID == id || t.ClaimedBy != nil && t.ClaimedBy.ID == id ||
		t.ReassignedFrom != nil && t.ReassignedFrom.ID == id || t.Decision != nil && t.Decision.Actor.ID == id {
		return true
	}
	return run.Pool && t.Kind == ApproverTask && run.Concerns(id)
}

// Basis is the ground on which an approval counts.
type Basis string

// The grounds.
const (
	BasisRule       Basis = "rule"       // an approver of the policy
	BasisEscalation Basis = "escalation" // an approver added by the deadline of the stage
	BasisRescue     Basis = "rescue"     // an approver assigned by an admin
	BasisOverride   Basis = "override"   // an admin in place of the approver
	BasisRepeat     Basis = "repeat"     // the approver of an earlier stage, without another decision
)

// Values returns every value.
func (Basis) Values() []Basis {
	return []Basis{BasisRule, BasisEscalation, BasisRescue, BasisOverride, BasisRepeat}
}

// Approval is a counted approval of a stage run.
type Approval struct {
	Actor      string // user id
	OnBehalfOf string // user id; empty for none
	Basis      Basis
	At         time.Time
	ACR        string // authentication context class of the decision; may be empty
}

// Approvals returns the counted approvals of the run, in the order of its tasks. tasks are those of the request.
func (s StageRun) Approvals(tasks []Task) []Approval {
	var all []Approval
	for _, t := range s.tasksOf(tasks) {
		d := t.Decision
		if d == nil || d.Action != ActionApprove || !t.counted() {
			continue
		}
		a := Approval{Actor: t.person(), Basis: t.basis(s), At: d.DecidedAt.Time, ACR: d.Auth.ACR}
		if d.OnBehalfOf != nil {
			a.OnBehalfOf = d.OnBehalfOf.ID
		}
		all = append(all, a)
	}
	return all
}

// basis returns the ground of the decision of a task.
func (t Task) basis(run StageRun) Basis {
	switch {
	case t.Decision.Override:
		return BasisOverride
	case t.Decision.Actor.Kind == identity.ActorSystem:
		return BasisRepeat
	case t.Rescue || t.PlacedBy != nil:
		return BasisRescue
	case t.Escalated(run):
		return BasisEscalation
	default:
		return BasisRule
	}
}
