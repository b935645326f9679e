package wf

import (
	"cmp"
	"slices"
	"time"
)

// TaskKind tells what a task asks for.
type TaskKind string

// The kinds. An approver task asks a person to decide. A rescue task asks an admin to
// find an approver: reassigned to a person, it becomes their approver task. It fills a
// new seat, or that of somebody who has left.
const (
	ApproverTask TaskKind = "approver"
	RescueTask   TaskKind = "rescue"
)

// TaskStatus is where a Task stands.
type TaskStatus string

// The states of a task. All but open and claimed are final.
const (
	TaskOpen      TaskStatus = "open"      // waits for its assignee, or for a candidate to claim it
	TaskClaimed   TaskStatus = "claimed"   // its assignee works on it
	TaskCompleted TaskStatus = "completed" // decided
	TaskSkipped   TaskStatus = "skipped"   // the stage ended without it
	TaskCancelled TaskStatus = "cancelled" // the request was cancelled, expired or sent back
)

func (s TaskStatus) live() bool { return s == TaskOpen || s == TaskClaimed }

// CloseReason says why a task ended without a decision.
type CloseReason string

// The reasons why a task ends without a decision.
const (
	ClosedQuorumMet        CloseReason = "quorum_met"
	ClosedStageRejected    CloseReason = "stage_rejected"
	ClosedRequestCancelled CloseReason = "request_cancelled"
	ClosedRequestExpired   CloseReason = "request_expired"
	ClosedChangesRequested CloseReason = "changes_requested"
	ClosedOverride         CloseReason = "override"
	ClosedRescued          CloseReason = "rescued"       // an approver was found another way
	ClosedNotNeeded        CloseReason = "not_needed"    // the stage needs no more of its kind
	ClosedApproverLost     CloseReason = "approver_lost" // the holder is no approver any more
)

// Task asks one person for a decision. It fills one seat of its stage: reassigning and
// delegating change who holds the task and never its id or seat, so links to it stay
// valid and the quorum counts the same seats.
type Task struct {
	ID        string
	RequestID string
	StageKey  string
	StageRun  int
	Seat      int // its number, from 1, unique in the stage run
	Kind      TaskKind
	Status    TaskStatus

	Assignee *User // nil for an unclaimed task of a pool, and for a rescue task
	Owner    *User // who held the task first

	Rules    []int // the rules that the holder came from
	Required bool  // the stage cannot be approved without it
	Added    bool  // joined after the stage started
	Rescue   bool  // an admin finds, or has found, the holder
	Replaces int   // the seat that this task stands in for; 0 for none
	PlacedBy *User // the admin who put the holder on a rescue task

	OnBehalfOf   *User // for whom a delegate holds the task
	DelegationID string
	SharedWith   *User // a delegate who may act as well as the assignee

	ReassignedFrom *User
	ReassignCount  int

	Decision    *Decision
	CloseReason CloseReason

	CreatedAt, UpdatedAt, ClaimedAt, CompletedAt time.Time

	// Rev changes with every write; it is the entity tag.
	Rev int64
}

// counted reports whether the task is a voter of its stage. A task that was closed
// because it was not needed is not.
func (t Task) counted() bool {
	return t.CloseReason != ClosedNotNeeded && t.CloseReason != ClosedApproverLost
}

// vacant reports whether the task is a rescue that waits for an admin.
func (t Task) vacant() bool { return t.Kind == RescueTask && t.Status.live() && t.Assignee == nil }

// orphaned takes the task from a person who has left, and leaves it to an admin.
func (t Task) orphaned(at time.Time) Task {
	t.ReassignedFrom, t.Assignee, t.Status, t.ClaimedAt = t.Assignee, nil, TaskOpen, time.Time{}
	t.OnBehalfOf, t.DelegationID, t.SharedWith = nil, "", nil
	t.Kind, t.Rescue, t.PlacedBy = RescueTask, true, nil
	return t.touched(at)
}

// HeldBy reports whether the person holds the task, or shares it as a stand-in.
func (t Task) HeldBy(id string) bool {
	return t.Assignee != nil && (t.Assignee.ID == id || t.SharedWith != nil && t.SharedWith.ID == id)
}

// holder is the person who is asked: the assignee, or for whom they stand in.
func (t Task) holder() string {
	switch {
	case t.OnBehalfOf != nil:
		return t.OnBehalfOf.ID
	case t.Assignee != nil:
		return t.Assignee.ID
	default:
		return ""
	}
}

// TaskActions returns the actions that the person may take on a task now, as far as the
// request says. The request holds at least the tasks of the task's run.
func (r Request) TaskActions(def Definition, t Task, run StageRun, by Actor) []string {
	actions := []string{}
	if !t.Status.live() {
		return actions
	}
	holds := t.HeldBy(by.ID)
	claimable := slices.ContainsFunc(run.Offered(t, r.Tasks), func(c Taker) bool { return c.ID == by.ID })
	if t.Status == TaskOpen && (holds || claimable) {
		actions = append(actions, "claim")
	}
	if holds || claimable {
		actions = append(actions, "decide")
	}
	if t.Status == TaskClaimed && (holds || by.Has(RoleAdmin)) {
		actions = append(actions, "unclaim")
	}
	c := &change{Request: r, def: def, by: by}
	if c.mayReassign(t, c.stage(&run)) == nil && (c.reassignsToAnyone(run) || len(c.receivers(t, &run)) > 0) {
		actions = append(actions, "reassign")
	}
	return actions
}

// state is where the task stands in the count.
func (t Task) state() VoterState {
	switch {
	case t.Status.live():
		return VoterPending
	case t.Decision != nil:
		if state, ok := map[Action]VoterState{ActionApprove: VoterApproved, ActionReject: VoterRejected, ActionAbstain: VoterAbstained}[t.Decision.Action]; ok {
			return state
		}
	}
	return VoterLost
}

// person is who decided: the actor, or the person for whom the service decided
// because they approved before.
func (t Task) person() string {
	if t.Decision.Actor.Kind == ActorSystem && t.Assignee != nil {
		return t.Assignee.ID
	}
	return t.Decision.Actor.ID
}

// claimed marks the task as one that its assignee works on.
func (t Task) claimed(at time.Time) Task {
	t.Status, t.ClaimedAt = TaskClaimed, at
	return t.touched(at)
}

// taken gives a task of a pool to one of its people, or to somebody who stands in for
// them.
func (t Task) taken(by User, a Approver, at time.Time) Task {
	t.Assignee, t.Rules, t.Rescue, t.PlacedBy = &by, a.Rules, a.PlacedBy != nil, a.PlacedBy
	if by.ID != a.ID {
		t.OnBehalfOf, t.DelegationID = new(a.User), a.DelegationID
	}
	t.Owner = cmp.Or(t.Owner, &by)
	return t.claimed(at)
}

// released puts a task back: into the queue of its pool, or to its assignee.
func (t Task) released(pool bool, at time.Time) Task {
	t.Status, t.ClaimedAt = TaskOpen, time.Time{}
	if pool {
		t.Assignee, t.Rules, t.Rescue, t.PlacedBy = nil, nil, false, nil
		t.OnBehalfOf, t.DelegationID = nil, ""
	}
	return t.touched(at)
}

// returned gives the task back to the person for whom a stand-in held or shared it.
func (t Task) returned(at time.Time) Task {
	if t.OnBehalfOf != nil {
		t.Assignee = t.OnBehalfOf
	}
	t.Status, t.ClaimedAt = TaskOpen, time.Time{}
	t.OnBehalfOf, t.SharedWith, t.DelegationID = nil, nil, ""
	return t.touched(at)
}

// given hands the task to somebody else, who has to take it up again.
func (t Task) given(to User, at time.Time) Task {
	t.ReassignedFrom, t.ReassignCount = t.Assignee, t.ReassignCount+1
	t.Assignee, t.Status, t.ClaimedAt = &to, TaskOpen, time.Time{}
	t.OnBehalfOf, t.DelegationID, t.SharedWith = nil, "", nil
	t.Kind = ApproverTask
	t.Owner = cmp.Or(t.Owner, &to)
	return t.touched(at)
}

// kept leaves the task to the stand-in for good.
func (t Task) kept(at time.Time) Task {
	t.ReassignedFrom, t.ReassignCount = t.OnBehalfOf, t.ReassignCount+1
	t.OnBehalfOf, t.DelegationID = nil, ""
	return t.touched(at)
}

// decided completes the task.
func (t Task) decided(d Decision) Task {
	t.Status, t.CompletedAt, t.Decision = TaskCompleted, d.DecidedAt.Time, &d
	return t.touched(d.DecidedAt.Time)
}

// closed ends a task without a decision.
func (t Task) closed(status TaskStatus, reason CloseReason, at time.Time) Task {
	t.Status, t.CloseReason, t.CompletedAt = status, reason, at
	return t.touched(at)
}

func (t Task) touched(at time.Time) Task {
	t.UpdatedAt = at
	t.Rev++
	return t
}

// Concerns reports whether the person holds, held or shares the task, or may take it.
func (t Task) Concerns(id string, run StageRun) bool {
	if t.HeldBy(id) || t.Owner != nil && t.Owner.ID == id || t.OnBehalfOf != nil && t.OnBehalfOf.ID == id ||
		t.ReassignedFrom != nil && t.ReassignedFrom.ID == id || t.Decision != nil && t.Decision.Actor.ID == id {
		return true
	}
	return run.Pool && t.Kind == ApproverTask && run.Concerns(id)
}
