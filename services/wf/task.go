package wf

import (
	"slices"
	"time"
)

// TaskKind tells what a task asks for.
type TaskKind string

// An approver task is a seat that the quorum counts. A rescue task asks an admin
// to find an approver: reassigned to a person, it becomes his approver task. It adds
// a seat, or is the seat of somebody who has left.
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
	ClosedRescued          CloseReason = "rescued" // an approver was found another way
)

// freeSlot is the Slot of a seat that any candidate may take.
const freeSlot = -1

// Task asks one person for a decision. It is a seat: reassigning and delegating
// change who holds it and never its id or number, so links to it stay valid and
// the quorum counts the same seats.
type Task struct {
	ID        string
	RequestID string
	StageKey  string
	StageRun  int
	Seat      int // from 1, unique in the stage run
	Kind      TaskKind
	Status    TaskStatus

	Assignee *User // nil for an unclaimed task of a pool, and for a rescue task
	Owner    *User // who held the seat first

	// A pool seat is kept for one rule's people when the rule has min_approvals;
	// Slot is that rule's index, or freeSlot.
	Slot     int
	Rules    []int // the rules that the holder came from
	Required bool  // the stage cannot be approved without this seat
	Added    bool  // joined after the stage started

	OnBehalfOf   *User // whose seat a delegate holds
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

// counted reports whether the task is a seat of the quorum. A seat whose holder has
// left still is one while it waits for an admin.
func (t Task) counted() bool { return t.Kind == ApproverTask || t.Owner != nil }

// orphaned takes the seat from a person who has left, until an admin finds another.
func (t Task) orphaned(at time.Time) Task {
	t.ReassignedFrom, t.Assignee, t.Status, t.ClaimedAt = t.Assignee, nil, TaskOpen, time.Time{}
	t.OnBehalfOf, t.DelegationID, t.SharedWith = nil, "", nil
	t.Kind = RescueTask
	return t.touched(at)
}

// HeldBy reports whether id holds the seat, or shares it as a delegate.
func (t Task) HeldBy(id string) bool {
	return t.Assignee != nil && (t.Assignee.ID == id || t.SharedWith != nil && t.SharedWith.ID == id)
}

// seats reports whether the seat takes up the person's one voice in the stage: he
// holds it, or decided it, or somebody holds it for him, or he may still decide it
// as a delegate.
func (t Task) seats(id string) bool {
	if !t.counted() || !t.Status.live() && t.Status != TaskCompleted || t.Assignee == nil {
		return false
	}
	return t.Assignee.ID == id || mandate(*t.Assignee, t.OnBehalfOf) == id ||
		t.Status.live() && t.HeldBy(id) || t.Decision != nil && t.Decision.Actor.ID == id
}

// seat is the task as the quorum sees it. possible holds the rules of those who
// may still take an unassigned seat.
func (t Task) seat(possible []int) Seat {
	seat := Seat{Rules: t.Rules, Required: t.Required, Added: t.Added, State: SeatLost}
	switch {
	case t.Status.live():
		seat.State = SeatOpen
		if t.Assignee == nil && t.Kind == ApproverTask {
			seat.Rules = possible
			if t.Slot != freeSlot {
				seat.Rules = []int{t.Slot}
			}
		}
	case t.Decision != nil:
		seat.State = map[Action]SeatState{Approve: SeatApproved, Reject: SeatRejected, Abstain: SeatAbstained}[t.Decision.Action]
		seat.Person = t.person()
	}
	return seat
}

// person is who decided: the actor, or the person whose seat the service filled
// because he approved before.
func (t Task) person() string {
	if t.Decision.Actor.Kind == BySystem && t.Assignee != nil {
		return t.Assignee.ID
	}
	return t.Decision.Actor.ID
}

// claimedBy gives the task to a person who may hold it.
func (t Task) claimedBy(a Approver, at time.Time) Task {
	t.Status, t.ClaimedAt = TaskClaimed, at
	if t.Assignee == nil {
		t.Assignee, t.Rules = &a.User, a.Rules
		t.OnBehalfOf, t.DelegationID = a.OnBehalfOf, a.DelegationID
		if t.Owner == nil {
			t.Owner = &a.User
		}
	}
	return t.touched(at)
}

// released puts a claimed task back: to its assignee, or to the pool.
func (t Task) released(pool bool, at time.Time) Task {
	t.Status, t.ClaimedAt = TaskOpen, time.Time{}
	if pool {
		t.Assignee, t.Rules = nil, nil
		t.OnBehalfOf, t.DelegationID = nil, ""
	}
	return t.touched(at)
}

// given hands the seat to somebody else, who has to take it up again.
func (t Task) given(to User, at time.Time) Task {
	t.ReassignedFrom, t.ReassignCount = t.Assignee, t.ReassignCount+1
	t.Assignee, t.Status, t.ClaimedAt = &to, TaskOpen, time.Time{}
	t.OnBehalfOf, t.DelegationID, t.SharedWith = nil, "", nil
	if t.Owner == nil {
		t.Owner = &to
	}
	return t.touched(at)
}

// decided completes the task.
func (t Task) decided(d Decision) Task {
	t.Status, t.CompletedAt, t.Decision = TaskCompleted, d.DecidedAt.Time, &d
	return t.touched(d.DecidedAt.Time)
}

// closed ends a task that nobody decided.
func (t Task) closed(status TaskStatus, reason CloseReason, at time.Time) Task {
	t.Status, t.CloseReason, t.CompletedAt = status, reason, at
	return t.touched(at)
}

func (t Task) touched(at time.Time) Task {
	t.UpdatedAt = at
	t.Rev++
	return t
}

// Candidates returns who may claim the task, in the order of the rules; nobody
// when it has an assignee.
func (s StageRun) Candidates(t Task) []Approver {
	if t.Assignee != nil || t.Kind == RescueTask || !t.Status.live() {
		return nil
	}
	var people []Approver
	for _, a := range s.People {
		if a.fills(t.Slot) {
			people = append(people, a)
		}
	}
	return people
}

// Concerns reports whether the person holds, held, shares or may claim the task.
func (t Task) Concerns(id string, run StageRun) bool {
	if t.HeldBy(id) || t.Owner != nil && t.Owner.ID == id || t.OnBehalfOf != nil && t.OnBehalfOf.ID == id {
		return true
	}
	return slices.ContainsFunc(run.Candidates(t), func(a Approver) bool { return a.ID == id })
}
