package wf

import (
	"slices"
	"time"
)

// RequestStatus is where a Request stands.
type RequestStatus string

// The states of a request. The last four are final.
const (
	InReview         RequestStatus = "in_review"         // people are asked
	Blocked          RequestStatus = "blocked"           // a stage has too few people
	ChangesRequested RequestStatus = "changes_requested" // sent back to the requester
	WasApproved      RequestStatus = "approved"
	WasRejected      RequestStatus = "rejected"
	WasCancelled     RequestStatus = "cancelled"
	HasExpired       RequestStatus = "expired"
)

// Final reports whether nothing follows.
func (s RequestStatus) Final() bool {
	return s == WasApproved || s == WasRejected || s == WasCancelled || s == HasExpired
}

// ReasonCode says why a request has the status that it has.
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
	BecauseWithdrawn         ReasonCode = "withdrawn"
	BecauseCancelledByAdmin  ReasonCode = "cancelled_by_admin"
	BecauseOverride          ReasonCode = "override"
)

// StatusReason says why a request has the status that it has.
type StatusReason struct {
	Code     ReasonCode `json:"code" enum:"quorum_met,auto_policy,veto,reject_threshold,quorum_unreachable,no_stage_applies,stage_rejected_empty,no_approvers,request_expired,withdrawn,cancelled_by_admin,override"`
	Message  string     `json:"message,omitempty"`
	StageKey string     `json:"stage_key,omitempty"`
}

// Priority orders inboxes.
type Priority string

// The priorities.
const (
	Low    Priority = "low"
	Normal Priority = "normal"
	High   Priority = "high"
	Urgent Priority = "urgent"
)

// Request is one thing to be approved, under one version of one policy for life.
//
// It is the aggregate: its stages and tasks change only through its transitions,
// which return a changed copy and the events to store with it.
type Request struct {
	ID            string
	PolicyKey     string
	PolicyVersion int

	Status       RequestStatus
	StatusReason *StatusReason

	ArtifactType string
	ArtifactID   string
	Title        string
	Link         string
	Priority     Priority
	Labels       map[string]string
	Comment      string
	Attachments  []Attachment
	CallbackURL  string

	Context     []byte // canonical JSON object
	ContextHash string
	Revision    int // from 1; a resubmission adds one

	Requester   User
	SubmittedBy User

	Stages []StageRun // every run, oldest first
	Tasks  []Task     // of every run, oldest first

	// OneOpen is set when the policy allows only one open request for this artifact.
	OneOpen bool

	ExpiresAt   *time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time
	CompletedAt time.Time

	Chain Chain // the end of the request's events

	// Rev changes with every write; it is the entity tag.
	Rev int64
}

// Attachment refers to a file; the service stores none.
type Attachment struct {
	Name      string `json:"name" minLength:"1" maxLength:"255"`
	URL       string `json:"url" format:"uri" maxLength:"2048"`
	MediaType string `json:"media_type" minLength:"1" maxLength:"127"`
	Size      *int64 `json:"size,omitempty" minimum:"0"`
	SHA256    string `json:"sha256,omitempty" pattern:"^[0-9a-f]{64}$"`
}

// World is what a transition may know of the outside.
type World struct {
	At    time.Time
	NewID func() string

	// Plan says, for a stage that is reached, whether it applies and whom its rules
	// yield. The same plans serve creation, decisions and simulation.
	Plan func(Request, Stage) (StagePlan, error)

	// Yield says whom one approver rule of a stage yields now, by an answer that is
	// not older than maxAge, or by a new one when that is negative. It fails with
	// ResolverFailed when nobody answers. Nil leaves memberships as they were when
	// the stage started.
	Yield func(r Request, stage Stage, rule Rule, maxAge time.Duration) ([]User, error)

	// Person says whether there is a person with the id whose account is enabled, and
	// how he is called. It fails with ResolverFailed when the directory does not
	// answer. Nil, without a directory, takes everybody's word.
	Person func(id string) (User, bool, error)
}

// StagePlan is what the outside says of a stage that is about to start.
type StagePlan struct {
	Skip        *Skip    // when is false
	Rules       [][]User // whom each approver rule yields, in the order of the rules
	Fallback    []User   // whom settings.fallback_approvers yields
	Problem     string   // why a rule yields nobody although it should
	Unavailable string   // what has no answer now: the stage cannot start yet
	Delegations []Delegation
}

// Automatic is what a policy decides about a new request by itself.
type Automatic string

// The automatic outcomes; empty means that people decide.
const (
	AutoApprove Automatic = "approve"
	AutoReject  Automatic = "reject"
)

// NewRequest starts a request: draft holds what the caller said and the id. auto is
// what the policy's conditions decided. A refusal means that nothing starts.
func NewRequest(draft Request, def Definition, auto Automatic, by Actor, w World) (Request, []Event, error) {
	if def.ArtifactType != "" && draft.ArtifactType != def.ArtifactType {
		return draft, nil, Refuse(EngineRefused, "policy %s approves artifacts of type %s", draft.PolicyKey, def.ArtifactType)
	}
	c := &change{Request: draft, def: def, w: w, by: by, callID: by.CallID, starting: true}
	c.Status, c.Revision = InReview, 1
	c.CreatedAt, c.UpdatedAt = w.At, w.At
	c.OneOpen = draft.ArtifactID != "" && def.Settings.oneOpenPerArtifact()
	if c.ExpiresAt == nil {
		ends, err := def.Settings.ExpiresAt(w.At)
		if err != nil {
			return draft, nil, Refuse(EngineRefused, "settings.expires_in of policy %s %s", draft.PolicyKey, err)
		}
		c.ExpiresAt = ends
	}
	c.note(RequestCreated, nil, nil)
	switch auto {
	case AutoApprove, AutoReject:
		outcome := map[Automatic]RequestStatus{AutoApprove: WasApproved, AutoReject: WasRejected}[auto]
		c.by = SystemPolicy
		c.finish(outcome, StatusReason{Code: BecausePolicy})
		return c.done()
	}
	c.enter(func(StageRun) bool { return false })
	if err := c.advance(); err != nil {
		return draft, nil, err
	}
	return c.done()
}

// Claim takes a task up. Claiming a task that one holds already changes nothing, so
// a retried call is harmless.
func (r Request) Claim(def Definition, taskID string, by Actor, w World) (Request, []Event, error) {
	c, task, run, err := r.onTask(def, taskID, by, w)
	if err != nil {
		return r, nil, err
	}
	holder := Approver{User: by.User}
	switch {
	case task.HeldBy(by.ID):
	case task.Kind == RescueTask:
		return r, nil, Refuse(Forbidden, "task %s waits for an admin to reassign it", task.ID)
	default:
		candidate, ok := run.candidate(by.ID, *task)
		if !ok {
			return r, nil, Refuse(Forbidden, "not a candidate for task %s", task.ID)
		}
		if reason := c.unfit(by.User, run); reason != "" && task.Status.live() {
			return r, nil, Refuse(Forbidden, "excluded from task %s: %s", task.ID, reason)
		}
		holder = candidate
	}
	if err := c.live(task, run); err != nil {
		return r, nil, err
	}
	if task.Status == TaskClaimed {
		if task.HeldBy(by.ID) {
			return r, nil, nil
		}
		return r, nil, Refuse(WrongState, "task %s is already claimed", task.ID)
	}
	if task.Assignee == nil && c.spent(holder, run) {
		return r, nil, Refuse(WrongState, "already holds a task of stage %s", run.Key)
	}
	if err := c.recheck(task, run); err != nil {
		return r, nil, err
	}
	*task = task.claimedBy(holder, w.At)
	c.note(TaskWasClaimed, run, task)
	return c.done()
}

// Unclaim puts a claimed task back.
func (r Request) Unclaim(def Definition, taskID string, by Actor, w World) (Request, []Event, error) {
	c, task, run, err := r.onTask(def, taskID, by, w)
	if err != nil {
		return r, nil, err
	}
	if !task.HeldBy(by.ID) && !by.Has(Admin) {
		return r, nil, Refuse(Forbidden, "not the assignee of task %s", task.ID)
	}
	if task.Status != TaskClaimed {
		return r, nil, Refuse(WrongState, "task %s is %s, not claimed", task.ID, task.Status)
	}
	*task = task.released(run.pooled(*task), w.At)
	c.note(TaskUnclaimed, run, task)
	return c.done()
}

// Reassign hands a seat to somebody else. A rescue task that is handed to a person
// becomes his approver task.
func (r Request) Reassign(def Definition, taskID string, to User, reason string, by Actor, w World) (Request, []Event, error) {
	c, task, run, err := r.onTask(def, taskID, by, w)
	if err != nil {
		return r, nil, err
	}
	stage, _ := def.Stage(run.Key)
	if allow := stage.Allow.Reassign; !by.Has(Admin) && (task.Assignee == nil || task.Assignee.ID != by.ID || allow == ReassignNone) {
		return r, nil, Refuse(Forbidden, "may not reassign task %s", task.ID)
	}
	if def.Settings.RequireComment.Reassign && blank(reason) {
		return r, nil, RefuseInput("missing", []any{"body", "reason"}, "Policy %s needs a reason to reassign", r.PolicyKey)
	}
	if err := c.live(task, run); err != nil {
		return r, nil, err
	}
	entry, known := run.person(to.ID)
	switch {
	case task.Assignee != nil && task.Assignee.ID == to.ID:
		return r, nil, Refuse(WrongState, "task %s is assigned to this person already", task.ID)
	case by.Has(Admin), stage.Allow.Reassign == ReassignAny, known && entry.fills(task.Slot):
	default:
		return r, nil, Refuse(WrongState, "the new assignee is not an approver of stage %s for task %s", run.Key, task.ID)
	}
	if why := c.unfit(to, run); why != "" {
		return r, nil, Refuse(WrongState, "the new assignee is excluded from stage %s: %s", run.Key, why)
	}
	if !task.seats(to.ID) && c.seated(to.ID, run) {
		return r, nil, Refuse(WrongState, "the new assignee holds a task of stage %s already", run.Key)
	}
	if w.Person != nil {
		known, found, err := w.Person(to.ID)
		switch {
		case err != nil:
			return r, nil, err
		case !found:
			return r, nil, Refuse(WrongState, "the new assignee is unknown to the directory, or disabled")
		}
		to = known
	}
	switch {
	case task.counted() && task.Kind == RescueTask: // a seat whose holder has left
		task.Kind = ApproverTask
	case task.Kind == RescueTask: // an admin vouches for him under every rule
		task.Kind, task.Added, task.Rules = ApproverTask, true, nil
		for rule := range stage.Approvers {
			task.Rules = append(task.Rules, rule)
		}
	case task.Assignee == nil && task.Slot != freeSlot:
		task.Rules = []int{task.Slot}
	case task.Assignee == nil:
		task.Rules = entry.Rules
	}
	*task = task.given(to, w.At)
	c.reason = reason
	c.note(TaskReassigned, run, task)
	c.reason = ""
	if err := c.advance(); err != nil {
		return r, nil, err
	}
	return c.done()
}

// Cancel withdraws the request.
func (r Request) Cancel(def Definition, reason string, by Actor, w World) (Request, []Event, error) {
	c := r.begin(def, by, w)
	why := StatusReason{Code: BecauseWithdrawn, Message: reason}
	if c.parties(by.User) == "" {
		if !by.Has(Admin) {
			return r, nil, Refuse(Forbidden, "not the requester of request %s", r.ID)
		}
		why.Code = BecauseCancelledByAdmin
	}
	if r.Status.Final() {
		return r, nil, Refuse(WrongState, "request %s is %s", r.ID, r.Status)
	}
	c.reason = reason
	c.finish(WasCancelled, why)
	return c.done()
}

// Expire ends a request whose time is over. Anything else is left as it is, so a
// late or repeated call is harmless.
func (r Request) Expire(def Definition, w World) (Request, []Event, error) {
	if r.Status.Final() || r.ExpiresAt == nil || w.At.Before(*r.ExpiresAt) {
		return r, nil, nil
	}
	c := r.begin(def, SystemExpiry, w)
	c.finish(HasExpired, StatusReason{Code: BecauseExpired})
	return c.done()
}

// Resolve tries to start the stages that wait for those who know whom to ask, as far
// as it is time. One that has to wait on changes without an event: it is told once.
func (r Request) Resolve(def Definition, w World) (Request, []Event, error) {
	c := r.begin(def, SystemDirectory, w)
	due := false
	for i := range c.Stages {
		run := &c.Stages[i]
		if run.Status != StageResolving || w.At.Before(run.RetryAt) {
			continue
		}
		due = true
		if err := c.start(run); err != nil {
			return r, nil, err
		}
	}
	if !due {
		return r, nil, nil
	}
	if err := c.advance(); err != nil {
		return r, nil, err
	}
	return c.done()
}

// Resubmit answers a request for changes: context, when not nil, is the new
// content in canonical form.
func (r Request) Resubmit(def Definition, context []byte, hash, comment string, by Actor, w World) (Request, []Event, error) {
	c := r.begin(def, by, w)
	if c.parties(by.User) == "" {
		return r, nil, Refuse(Forbidden, "not the requester of request %s", r.ID)
	}
	if r.Status != ChangesRequested {
		return r, nil, Refuse(WrongState, "request %s is %s; nobody asked for changes", r.ID, r.Status)
	}
	same := context == nil || hash == r.ContextHash
	if !same {
		c.Context, c.ContextHash = context, hash
	}
	c.Status, c.StatusReason, c.Revision = InReview, nil, r.Revision+1
	c.reason, c.starting = comment, true
	c.note(RequestResubmitted, nil, nil)
	c.reason = ""
	resume := same && def.Settings.OnResubmit == ResubmitResume
	c.enter(func(last StageRun) bool {
		return resume && (last.Status == StageApproved || last.Status == StageSkipped)
	})
	if err := c.advance(); err != nil {
		return r, nil, err
	}
	return c.done()
}

// Task returns the task with the id.
func (r Request) Task(id string) (Task, bool) {
	i := slices.IndexFunc(r.Tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return Task{}, false
	}
	return r.Tasks[i], true
}

// Run returns the run that a task belongs to.
func (r Request) Run(t Task) StageRun {
	for _, run := range r.Stages {
		if run.Key == t.StageKey && run.Run == t.StageRun {
			return run
		}
	}
	return StageRun{}
}

// Current returns the keys of the stages in which people can decide now, or soon:
// those that are being resolved are among them.
func (r Request) Current() []string {
	keys := []string{}
	for _, run := range r.Stages {
		if run.Status.running() || run.Status == StageResolving {
			keys = append(keys, run.Key)
		}
	}
	return keys
}

// ApproversOf returns who approved the last run of a stage.
func (r Request) ApproversOf(stage string) []User {
	var people []User
	run, ok := r.latest(stage)
	if !ok {
		return nil
	}
	for _, t := range r.Tasks {
		if t.StageKey == stage && t.StageRun == run.Run && t.Decision != nil && t.Decision.Action == Approve {
			actor := User{ID: t.Decision.Actor.ID, Username: t.Decision.Actor.Username}
			if t.Assignee != nil && t.Assignee.ID == t.person() {
				actor = *t.Assignee
			}
			if !slices.ContainsFunc(people, func(u User) bool { return u.ID == actor.ID }) {
				people = append(people, actor)
			}
		}
	}
	return people
}

func (r Request) latest(stage string) (StageRun, bool) {
	for i := len(r.Stages) - 1; i >= 0; i-- {
		if r.Stages[i].Key == stage {
			return r.Stages[i], true
		}
	}
	return StageRun{}, false
}

// Brief returns the request as events show it.
func (r Request) Brief() *Brief {
	return &Brief{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Status: r.Status, StatusReason: r.StatusReason,
		Title: r.Title, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, Requester: r.Requester,
		Revision: r.Revision, ContextHash: r.ContextHash, CompletedAt: stamp(r.CompletedAt), Link: r.Link,
	}
}

// Participates reports whether id has or had a part in the request: as requester,
// submitter, assignee, candidate or delegate.
func (r Request) Participates(id string) bool {
	if r.Requester.ID == id || r.SubmittedBy.ID == id {
		return true
	}
	for _, t := range r.Tasks {
		if t.HeldBy(id) || t.Owner != nil && t.Owner.ID == id || t.ReassignedFrom != nil && t.ReassignedFrom.ID == id ||
			t.Decision != nil && t.Decision.Actor.ID == id || t.OnBehalfOf != nil && t.OnBehalfOf.ID == id {
			return true
		}
	}
	return slices.ContainsFunc(r.Stages, func(run StageRun) bool {
		_, ok := run.person(id)
		return ok
	})
}

// Preview returns the run of a stage that the request has not reached, as it would
// start now. Nothing happens to the request.
func (r Request) Preview(def Definition, stage Stage, plan StagePlan, w World) StageRun {
	c := r.begin(def, Actor{}, w)
	run := StageRun{Key: stage.Key, Name: stage.Name, Run: 1, Status: StagePending, ParallelGroup: stage.ParallelGroup, Skip: plan.Skip}
	if plan.Skip != nil {
		run.Status = StageSkipped
		return run
	}
	tasks, _ := c.seats(&run, stage, plan.Rules, plan.Delegations)
	run.Count = c.ballot(&run, stage, tasks).Count()
	return run
}
