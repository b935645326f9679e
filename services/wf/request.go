package wf

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// RequestStatus is the state of a Request.
type RequestStatus string

// The states of a request. The last four are final.
const (
	RequestInReview         RequestStatus = "in_review"         // decisions are pending
	RequestBlocked          RequestStatus = "blocked"           // a stage is understaffed
	RequestChangesRequested RequestStatus = "changes_requested" // sent back to the requester
	RequestApproved         RequestStatus = "approved"
	RequestRejected         RequestStatus = "rejected"
	RequestCancelled        RequestStatus = "cancelled"
	RequestExpired          RequestStatus = "expired"
)

// Values returns every value.
func (RequestStatus) Values() []RequestStatus {
	return []RequestStatus{
		RequestInReview, RequestBlocked, RequestChangesRequested, RequestApproved, RequestRejected, RequestCancelled,
		RequestExpired,
	}
}

// Final reports whether the status is final.
func (s RequestStatus) Final() bool {
	return s == RequestApproved || s == RequestRejected || s == RequestCancelled || s == RequestExpired
}

// ReasonCode is the reason for the status of a request.
type ReasonCode string

// The reason codes.
const (
	BecauseQuorumMet         ReasonCode = "quorum_met"
	BecausePolicy            ReasonCode = "auto_policy"
	BecauseVeto              ReasonCode = "veto"
	BecauseRejectThreshold   ReasonCode = "reject_threshold"
	BecauseQuorumUnreachable ReasonCode = "quorum_unreachable"
	BecauseNoStageApplies    ReasonCode = "no_stage_applies"
	BecauseStageEmpty        ReasonCode = "stage_rejected_empty"
	BecauseNoApprovers       ReasonCode = "no_approvers"
	BecauseExpired           ReasonCode = "request_expired"
	BecauseDeadline          ReasonCode = "deadline"
	BecauseWithdrawn         ReasonCode = "withdrawn"
	BecauseCancelledByAdmin  ReasonCode = "cancelled_by_admin"
	BecauseOverride          ReasonCode = "override"
	BecauseChangesRequested  ReasonCode = "changes_requested"
)

// Values returns every value.
func (ReasonCode) Values() []ReasonCode {
	return []ReasonCode{
		BecauseQuorumMet, BecausePolicy, BecauseVeto, BecauseRejectThreshold, BecauseQuorumUnreachable,
		BecauseNoStageApplies, BecauseStageEmpty, BecauseNoApprovers, BecauseExpired, BecauseDeadline, BecauseWithdrawn,
		BecauseCancelledByAdmin, BecauseOverride, BecauseChangesRequested,
	}
}

// StatusReason is the reason for the status of a request.
type StatusReason struct {
	Code     ReasonCode `json:"code" doc:"Reason code."`
	Message  string     `json:"message,omitempty" doc:"Message for display; may change."`
	StageKey string     `json:"stage_key,omitempty" doc:"Stage that caused the status."`
}

// Standing is the state of an approval. A request has one from its approval on; its status stays approved.
type Standing string

// The states of an approval. The last three are final. A pending approval comes into force by the clock, without a
// write.
const (
	StandingPending  Standing = "pending" // before valid_from
	StandingInForce  Standing = "in_force"
	StandingLapsed   Standing = "lapsed"   // valid_until is reached
	StandingRevoked  Standing = "revoked"  // by a person
	StandingConsumed Standing = "consumed" // used, with settings.single_use
)

// Values returns every value.
func (Standing) Values() []Standing {
	return []Standing{StandingPending, StandingInForce, StandingLapsed, StandingRevoked, StandingConsumed}
}

// Priority orders inboxes.
type Priority string

// The priorities.
const (
	PriorityLow    Priority = "low"
	PriorityNormal Priority = "normal"
	PriorityHigh   Priority = "high"
	PriorityUrgent Priority = "urgent"
)

// Values returns every value.
func (Priority) Values() []Priority {
	return []Priority{PriorityLow, PriorityNormal, PriorityHigh, PriorityUrgent}
}

// Urgency returns the sort value of a priority, 0 for the most urgent.
func (p Priority) Urgency() int64 {
	switch p {
	case PriorityUrgent:
		return 0
	case PriorityHigh:
		return 1
	case PriorityLow:
		return 3
	default:
		return 2
	}
}

// Request is an approval request for one artifact. Its policy version never changes.
//
// It is the aggregate: its stages and tasks change only through its transitions. A transition returns a
// changed copy and the events to store with it.
type Request struct {
	ID            string `json:"id"`
	PolicyKey     string `json:"policy_key"`
	PolicyVersion int    `json:"policy_version"`

	Status       RequestStatus `json:"status"`
	StatusReason *StatusReason `json:"status_reason,omitempty"`

	ArtifactType string            `json:"artifact_type,omitempty"`
	ArtifactID   string            `json:"artifact_id,omitempty"`
	Title        string            `json:"title,omitempty"`
	Link         string            `json:"link,omitempty"`
	Priority     Priority          `json:"priority"`
	Labels       map[string]string `json:"labels,omitempty"`
	Comment      string            `json:"comment,omitempty"`
	Attachments  []Attachment      `json:"attachments,omitempty"`
	CallbackURL  string            `json:"callback_url,omitempty"`

	Context       json.RawMessage   `json:"context,omitempty"` // canonical JSON object
	ContextHash   string            `json:"context_hash"`
	SummaryValues []json.RawMessage `json:"summary_values,omitempty"` // values of Context that settings.summary selects
	Revision      int               `json:"revision"`                 // from 1; a resubmission adds one

	Requester   identity.User    `json:"requester"`
	SubmittedBy identity.User    `json:"submitted_by"`
	Acting      []identity.Party `json:"acting,omitempty"` // acted for SubmittedBy

	Stages []StageRun `json:"stages,omitempty"` // every run, oldest first
	Tasks  []Task     `json:"tasks,omitempty"`  // of every run, oldest first

	// OneOpen is set when the policy allows only one open request for this artifact.
	OneOpen bool `json:"one_open,omitempty"`

	ExpiresAt   *time.Time `json:"expires_at,omitempty"`
	DueEnd      time.Time  `json:"due_end,omitzero"` // earliest due date of a running stage with expire, if before ExpiresAt
	ListedDue   time.Time  `json:"due_at,omitzero"`  // DueAt in a summary, which has no stages; see Document
	CreatedAt   time.Time  `json:"created_at,omitzero"`
	UpdatedAt   time.Time  `json:"updated_at,omitzero"`
	CompletedAt time.Time  `json:"completed_at,omitzero"`

	Chain audit.Chain `json:"-"` // end of the event chain

	// Encoded is the Document after the last transition; nil if it recorded no event, and of a stored request.
	Encoded *Document `json:"-"`

	// Rev changes with every write; it is the entity tag.
	Rev int64 `json:"rev"`

	// Warned is set after the notification of the upcoming expiry.
	Warned bool `json:"warned,omitempty"`

	// Standing is the state of the approval; empty before it. ValidFrom is its start, zero for the approval, and
	// ValidUntil its end, zero for never. Before the approval, both are the values of settings.validity for the
	// present content, as is ValidFor, the value of valid_for_cel.
	Standing   Standing        `json:"standing,omitempty"`
	ValidFrom  time.Time       `json:"valid_from,omitzero"`
	ValidUntil time.Time       `json:"valid_until,omitzero"`
	ValidFor   policy.Duration `json:"valid_for,omitempty"`

	// The end of the approval: lapse, revocation or consumption. EndReason is the reason of a revocation or
	// the name of a consumption.
	EndedAt   time.Time      `json:"ended_at,omitzero"`
	EndedBy   *identity.User `json:"ended_by,omitempty"`
	EndReason string         `json:"end_reason,omitempty"`

	// LapseWarned is set after the notification of the upcoming lapse.
	LapseWarned bool `json:"lapse_warned,omitempty"`
}

// Revision is the content of a request between two submissions.
type Revision struct {
	Number      int // from 1
	Context     []byte
	ContextHash string
	EndedAt     time.Time // start of the next revision; zero for the current one
}

// Overdue reports whether the request is past its end: its expiry, or a due date with expire.
func (r Request) Overdue(now time.Time) bool {
	end := r.End()
	return !end.IsZero() && !now.Before(end)
}

// End returns the expiry, or the due date that ends the request earlier; zero for neither.
func (r Request) End() time.Time {
	if r.DueEnd.IsZero() && r.ExpiresAt != nil {
		return *r.ExpiresAt
	}
	return r.DueEnd
}

// DueAt returns the earliest due date of the running stages; zero for none.
func (r Request) DueAt() time.Time {
	if r.Status.Final() {
		return time.Time{}
	}
	due := r.ListedDue
	for _, run := range r.Stages {
		if run.Status.running() {
			due = earliest(due, run.DueAt)
		}
	}
	return due
}

// earliest returns the earlier of two times; a zero time is none.
func earliest(t, u time.Time) time.Time {
	if t.IsZero() || !u.IsZero() && u.Before(t) {
		return u
	}
	return t
}

// Task returns the task with this id.
func (r Request) Task(id string) (Task, bool) {
	i := slices.IndexFunc(r.Tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return Task{}, false
	}
	return r.Tasks[i], true
}

// Run returns the run of a task.
func (r Request) Run(t Task) StageRun {
	for _, run := range r.Stages {
		if run.Owns(t) {
			return run
		}
	}
	return StageRun{}
}

// Current returns the keys of the stages that accept decisions or are being resolved.
func (r Request) Current() []string {
	keys := []string{}
	for _, run := range r.Stages {
		if run.Status.running() || run.Status == StageResolving {
			keys = append(keys, run.Key)
		}
	}
	return keys
}

// ApproversOf returns the approvers of the last run of a stage.
func (r Request) ApproversOf(stage string) []identity.User {
	var people []identity.User
	run, ok := r.LatestRun(stage)
	if !ok {
		return nil
	}
	for _, t := range r.Tasks {
		if run.Owns(t) && t.Decision != nil && t.Decision.Action == ActionApprove {
			actor := t.Decision.Actor.User()
			if t.Assignee != nil && t.Assignee.ID == t.person() {
				actor = *t.Assignee
			}
			if !slices.ContainsFunc(people, func(u identity.User) bool { return u.ID == actor.ID }) {
				people = append(people, actor)
			}
		}
	}
	return people
}

// LatestRun returns the last run of a stage.
func (r Request) LatestRun(stage string) (StageRun, bool) {
	if i := r.indexOfLatest(stage); i >= 0 {
		return r.Stages[i], true
	}
	return StageRun{}, false
}

// indexOfLatest returns the index of the last run of a stage, or -1.
func (r Request) indexOfLatest(stage string) int {
	for i := len(r.Stages) - 1; i >= 0; i-- {
		if r.Stages[i].Key == stage {
			return i
		}
	}
	return -1
}

// People returns the present and former participants by id: requester, submitter, assignees, candidates,
// claimants and observers. The request drops an assignee at the second reassignment, and a delegate at the release of
// their claim.
func (r Request) People() map[string]identity.User {
	people := r.Participants()
	for _, run := range r.Stages {
		for _, a := range run.People {
			people.add(&a.User)
		}
	}
	for _, t := range r.Tasks {
		people.add(t.Assignee, t.Owner, t.ReassignedFrom, t.ClaimedBy)
	}
	return people
}

// people are users by id.
type people map[string]identity.User

// add keeps the most complete entry of each user.
func (p people) add(all ...*identity.User) {
	for _, u := range all {
		if u == nil {
			continue
		}
		if known := p[u.ID]; known == (identity.User{ID: known.ID}) { // by the id at most
			p[u.ID] = *u
		}
	}
}

// Part is the part of a user in a request.
type Part struct {
	Reader bool // participant
	Asked  bool // present or former assignee or candidate
	Live   bool // holds an open task, or is a member of a running pool
}

// Parts returns the parts of all present and former participants, by id.
func (r Request) Parts() map[string]Part {
	parts := map[string]Part{}
	if r.ID == "" {
		return parts
	}
	ask := func(live bool, all ...*identity.User) {
		for _, u := range all {
			if u != nil {
				part := parts[u.ID]
				part.Asked, part.Live = true, part.Live || live
				parts[u.ID] = part
			}
		}
	}
	for _, run := range r.Stages {
		for _, a := range run.People {
			ask(run.Pool && run.Status.running() && !a.Ineligible, &a.User)
		}
		for _, id := range run.Former {
			ask(false, &identity.User{ID: id})
		}
	}
	for _, t := range r.Tasks {
		ask(false, t.Owner, t.ReassignedFrom)
		ask(t.Status.live(), t.Assignee)
	}
	for id := range r.Participants() {
		part := parts[id]
		part.Reader = true
		parts[id] = part
	}
	return parts
}
