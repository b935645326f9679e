package wf

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/quorum"
)

// TaskKind is the kind of a task.
type TaskKind string

// The kinds. An approver task requires a decision. A rescue task requires an admin to assign an
// approver; once assigned, it is an approver task. It fills a new seat, or that of a former
// approver.
const (
	ApproverTask TaskKind = "approver"
	RescueTask   TaskKind = "rescue"
)

// Values returns every value.
func (TaskKind) Values() []TaskKind {
	return []TaskKind{ApproverTask, RescueTask}
}

// TaskStatus is the state of a Task.
type TaskStatus string

// The states of a task. All but open and claimed are final.
const (
	TaskOpen      TaskStatus = "open"      // not claimed yet, or assigned and not started
	TaskClaimed   TaskStatus = "claimed"   // claimed by its assignee or a delegate
	TaskCompleted TaskStatus = "completed" // decided
	TaskSkipped   TaskStatus = "skipped"   // the stage ended without it
	TaskCancelled TaskStatus = "cancelled" // the request was cancelled, expired or sent back
)

// Values returns every value.
func (TaskStatus) Values() []TaskStatus {
	return []TaskStatus{TaskOpen, TaskClaimed, TaskCompleted, TaskSkipped, TaskCancelled}
}

func (s TaskStatus) live() bool { return s == TaskOpen || s == TaskClaimed }

// CloseReason is the reason for closing a task without a decision.
type CloseReason string

// The reasons for closing a task without a decision.
const (
	ClosedQuorumMet        CloseReason = "quorum_met"
	ClosedStageRejected    CloseReason = "stage_rejected"
	ClosedRequestCancelled CloseReason = "request_cancelled"
	ClosedRequestExpired   CloseReason = "request_expired"
	ClosedChangesRequested CloseReason = "changes_requested"
	ClosedOverride         CloseReason = "override"
	ClosedRescued          CloseReason = "rescued"       // the stage no longer needs the rescue
	ClosedNotNeeded        CloseReason = "not_needed"    // the stage needs no more of its kind
	ClosedApproverLost     CloseReason = "approver_lost" // the holder is no longer an approver
)

// Values returns every value.
func (CloseReason) Values() []CloseReason {
	return []CloseReason{
		ClosedQuorumMet, ClosedStageRejected, ClosedRequestCancelled, ClosedRequestExpired, ClosedChangesRequested,
		ClosedOverride, ClosedRescued, ClosedNotNeeded, ClosedApproverLost,
	}
}

// Task is a request for one decision. It fills one seat of its stage. A reassignment
// changes the holder but not the id or the seat. Links to it stay valid and the quorum counts the
// same seats.
type Task struct {
	ID        string     `json:"id"`
	RequestID string     `json:"-"`
	StageKey  string     `json:"stage_key"`
	StageRun  int        `json:"stage_run"`
	Seat      int        `json:"seat"` // its number, from 1, unique in the stage run
	Kind      TaskKind   `json:"kind"`
	Status    TaskStatus `json:"status"`

	Assignee *identity.User `json:"assignee,omitempty"` // nil for an unclaimed task of a pool, and for a rescue task
	Owner    *identity.User `json:"owner,omitempty"`    // first holder

	Rules    []int          `json:"rules,omitempty"`     // indexes of the rules that yield the holder
	Required bool           `json:"required,omitempty"`  // mandatory for the approval of the stage
	Added    bool           `json:"added,omitempty"`     // joined after the stage started
	Rescue   bool           `json:"rescue,omitempty"`    // assigned by an admin, or not assigned yet
	Replaces int            `json:"replaces,omitempty"`  // the seat that this task replaces; 0 for none
	PlacedBy *identity.User `json:"placed_by,omitempty"` // admin who assigned the rescue task

	ClaimedBy *identity.User `json:"claimed_by,omitempty"` // of a claimed task: the assignee or their delegate

	ReassignedFrom *identity.User `json:"reassigned_from,omitempty"`
	ReassignCount  int            `json:"reassign_count,omitempty"`

	Decision    *Decision   `json:"decision,omitempty"`
	CloseReason CloseReason `json:"close_reason,omitempty"`

	CreatedAt   time.Time `json:"created_at,omitzero"`
	UpdatedAt   time.Time `json:"updated_at,omitzero"`
	ClaimedAt   time.Time `json:"claimed_at,omitzero"`
	CompletedAt time.Time `json:"completed_at,omitzero"`

	// Rev changes with every write; it is the entity tag.
	Rev int64 `json:"rev"`
}

// counted reports whether the task is a voter of its stage. A task closed as not needed is not.
func (t Task) counted() bool {
	return t.CloseReason != ClosedNotNeeded && t.CloseReason != ClosedApproverLost
}

// vacant reports whether the task is an unassigned rescue.
func (t Task) vacant() bool { return t.Kind == RescueTask && t.Status.live() && t.Assignee == nil }

// orphan turns the task of a former approver into an unassigned rescue task.
func (t Task) orphan(at time.Time) Task {
	t.ReassignedFrom, t.Assignee, t.Status, t.ClaimedAt = t.Assignee, nil, TaskOpen, time.Time{}
	t.ClaimedBy = nil
	t.Kind, t.Rescue, t.PlacedBy = RescueTask, true, nil
	return t.touch(at)
}

// escalated reports whether the task is the seat of an approver added by escalation, in a stage with assignment
// each.
func (t Task) escalated() bool { return t.Added && !t.Rescue }

// Escalated reports whether escalation added the holder to the run.
func (t Task) Escalated(run StageRun) bool {
	if i := run.entry(t.holder()); i >= 0 {
		return run.People[i].Escalated
	}
	return !run.Pool && t.escalated()
}

// Overdue reports whether the task is open and the due date of its run is reached.
func (t Task) Overdue(run StageRun, now time.Time) bool { return t.Status.live() && run.Overdue(now) }

// HeldBy reports whether the person holds the task.
func (t Task) HeldBy(id string) bool { return t.Assignee != nil && t.Assignee.ID == id }

// hasClaim reports whether the person has claimed the task.
func (t Task) hasClaim(id string) bool {
	return t.Status == TaskClaimed && t.ClaimedBy != nil && t.ClaimedBy.ID == id
}

// holder returns the id of the assignee, or "".
func (t Task) holder() string {
	if t.Assignee == nil {
		return ""
	}
	return t.Assignee.ID
}

// state returns the voter state of the task.
func (t Task) state() quorum.VoterState {
	switch {
	case t.Status.live():
		return quorum.VoterPending
	case t.Decision != nil:
		if state, ok := map[Action]quorum.VoterState{ActionApprove: quorum.VoterApproved, ActionReject: quorum.VoterRejected,
			ActionAbstain: quorum.VoterAbstained}[t.Decision.Action]; ok {
			return state
		}
	}
	return quorum.VoterIneligible
}

// person returns the id of the decider. For an automatic repeat approval it is the assignee.
func (t Task) person() string {
	if t.Decision.Actor.Kind == identity.ActorSystem && t.Assignee != nil {
		return t.Assignee.ID
	}
	return t.Decision.Actor.ID
}

// claim returns the task as claimed by its assignee or by their delegate.
func (t Task) claim(who approver.Fit, at time.Time) Task {
	t.Status, t.ClaimedBy, t.ClaimedAt = TaskClaimed, new(who.User()), at
	return t.touch(at)
}

// assign assigns a pool task to a member of the pool.
func (t Task) assign(who approver.Fit, a approver.Approver) Task {
	to := who.User()
	t.Assignee, t.Rules, t.Rescue, t.PlacedBy = &to, a.Rules, a.PlacedBy != nil, a.PlacedBy
	t.Owner = cmp.Or(t.Owner, &to)
	return t
}

// unclaim returns the task to the queue of its pool, or to its assignee.
func (t Task) unclaim(pool bool, at time.Time) Task {
	t.Status, t.ClaimedBy, t.ClaimedAt = TaskOpen, nil, time.Time{}
	if pool {
		t.Assignee, t.Rules, t.Rescue, t.PlacedBy = nil, nil, false, nil
	}
	return t.touch(at)
}

// reassign assigns the task to another person, as open.
func (t Task) reassign(who approver.Fit, at time.Time) Task {
	to := who.User()
	t.ReassignedFrom, t.ReassignCount = t.Assignee, t.ReassignCount+1
	t.Assignee, t.Status, t.ClaimedBy, t.ClaimedAt = &to, TaskOpen, nil, time.Time{}
	t.Kind = ApproverTask
	t.Owner = cmp.Or(t.Owner, &to)
	return t.touch(at)
}

// decide completes the task.
func (t Task) decide(d Decision) Task {
	t.Status, t.CompletedAt, t.Decision = TaskCompleted, d.DecidedAt.Time, &d
	return t.touch(d.DecidedAt.Time)
}

// reopen returns the task without its decision. A claim by another person than the decider is then that of the
// assignee: a delegate may have another task of the stage by now.
func (t Task) reopen(at time.Time) Task {
	if t.ClaimedBy != nil && t.ClaimedBy.ID != t.Decision.Actor.ID {
		t.ClaimedBy = t.Assignee
	}
	t.Decision, t.CompletedAt, t.Status = nil, time.Time{}, TaskOpen
	if t.ClaimedBy != nil {
		t.Status = TaskClaimed
	}
	return t.touch(at)
}

// close ends a task without a decision.
func (t Task) close(status TaskStatus, reason CloseReason, at time.Time) Task {
	t.Status, t.CloseReason, t.CompletedAt = status, reason, at
	return t.touch(at)
}

func (t Task) touch(at time.Time) Task {
	t.UpdatedAt = at
	t.Rev++
	return t
}

// Values returns every value.
func (Action) Values() []Action {
	return []Action{ActionApprove, ActionReject, ActionAbstain, ActionRequestChanges}
}

// Values returns every value.
func (DecisionSource) Values() []DecisionSource {
	return []DecisionSource{SourceAPI, SourcePage, SourceSystem}
}

// Action is the action of a decision.
type Action string

// The actions.
const (
	ActionApprove        Action = "approve"
	ActionReject         Action = "reject"
	ActionAbstain        Action = "abstain"
	ActionRequestChanges Action = "request_changes"
)

// DecisionSource is the origin of a decision: the API, the pages, or the service itself.
type DecisionSource string

// The sources.
const (
	SourceAPI    DecisionSource = "api"
	SourcePage   DecisionSource = "page"
	SourceSystem DecisionSource = "system"
)

// Decision is an immutable decision of one user on one task.
type Decision struct {
	ID          string            `json:"id" doc:"Identifier of the decision."`
	TaskID      string            `json:"task_id" doc:"Task of the decision."`
	RequestID   string            `json:"request_id" doc:"Request of the task."`
	StageKey    string            `json:"stage_key" doc:"Stage of the task."`
	Revision    int               `json:"revision" doc:"Revision of the request at the decision."`
	Action      Action            `json:"action" doc:"Action of the decision."`
	Comment     string            `json:"comment,omitempty" doc:"Comment of the actor."`
	Attachments []Attachment      `json:"attachments,omitempty" doc:"References to documents attached to the decision."`
	Data        json.RawMessage   `json:"data,omitempty" doc:"Data required by the stage's decision_schema."`
	Actor       identity.ActorRef `json:"actor" doc:"Actor of the decision."`
	OnBehalfOf  *identity.User    `json:"on_behalf_of,omitempty" doc:"User represented by the actor."`
	Auth        identity.Auth     `json:"auth,omitzero" doc:"Authentication of the actor."`
	ContextHash string            `json:"context_hash" doc:"Hash of the context at the decision."`
	Override    bool              `json:"override" doc:"An admin decided in place of the assignee."`
	Source      DecisionSource    `json:"source" doc:"api: a call. page: the inbox. system: the service itself."`
	DecidedAt   identity.Stamp    `json:"decided_at" doc:"Time of the decision."`
	WithdrawnAt *identity.Stamp   `json:"withdrawn_at,omitempty" doc:"Time of the withdrawal; only in task.withdrawn and its reply."`
}

// DecisionInput is the caller's input for a decision.
type DecisionInput struct {
	ID                  string
	Action              Action
	OnBehalfOf          string // user id of a delegator; empty for any, or for the caller
	Comment             string
	Attachments         []Attachment
	Data                []byte
	ExpectedContextHash string
	ExpectedRevision    int
	Page                bool // made on a page
}

// Attachment refers to a file; the service stores none.
type Attachment struct {
	Name      string `json:"name" minLength:"1" maxLength:"255" doc:"File name for display."`
	URL       string `json:"url" format:"uri" maxLength:"2048" doc:"Absolute URL of the document; the service does not read it."`
	MediaType string `json:"media_type" minLength:"1" maxLength:"127" doc:"Media type of the document."`
	Size      *int64 `json:"size,omitempty" minimum:"0" doc:"Size in bytes."`
	SHA256    string `json:"sha256,omitempty" pattern:"^[0-9a-f]{64}$" doc:"SHA-256 of the document, in hexadecimal digits."`
}

// voter returns the task as a voter.
func (t Task) voter() quorum.Voter {
	v := quorum.Voter{State: t.state(), Rules: quorum.Rules(t.Rules), Required: t.Required, Added: t.Added, Rescue: t.Rescue}
	if t.Rescue {
		v.Rules = quorum.EveryRule
	}
	if t.Decision != nil {
		v.Actor = t.person()
	}
	return v
}

// formerly reports whether the user had the task before it ended.
func (t Task) formerly(id string) bool {
	return !t.Status.live() && (t.Owner != nil && t.Owner.ID == id || t.ReassignedFrom != nil && t.ReassignedFrom.ID == id)
}
