package wf

import (
	"slices"
	"time"
	"unicode/utf8"
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
	c := &change{Request: draft, def: def, w: w, by: by, starting: true}
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

// DecisionInput is what a caller decides.
type DecisionInput struct {
	ID                  string
	Action              Action
	Comment             string
	Attachments         []Attachment
	Data                []byte
	ExpectedContextHash string
	ExpectedRevision    int
}

// minOverrideComment is the shortest explanation of an override, in characters.
const minOverrideComment = 10

// Decide records a decision and draws what follows from it: the stage's outcome,
// the next stage, the end of the request.
func (r Request) Decide(def Definition, taskID string, in DecisionInput, by Actor, w World) (Request, []Event, error) {
	c, task, run, err := r.onTask(def, taskID, by, w)
	if err != nil {
		return r, nil, err
	}
	stage, _ := def.Stage(run.Key)
	override, err := c.mayDecide(task, run, stage)
	if err != nil {
		return r, nil, err
	}
	if err := c.wellFormed(in, stage, override); err != nil {
		return r, nil, err
	}
	if err := c.live(task, run); err != nil {
		return r, nil, err
	}
	switch {
	case task.Kind == RescueTask && !override:
		return r, nil, Refuse(WrongState, "task %s has to be reassigned to an approver first", task.ID)
	case in.ExpectedContextHash != "" && in.ExpectedContextHash != r.ContextHash:
		return r, nil, Refuse(WrongState, "the context of request %s has changed", r.ID)
	case in.ExpectedRevision != 0 && in.ExpectedRevision != r.Revision:
		return r, nil, Refuse(WrongState, "request %s is at revision %d", r.ID, r.Revision)
	case in.Action == Abstain && !stage.Allow.Abstain:
		return r, nil, Refuse(WrongState, "stage %s does not allow abstaining", run.Key)
	case in.Action == RequestChanges && stage.Allow.RequestChanges != nil && !*stage.Allow.RequestChanges:
		return r, nil, Refuse(WrongState, "stage %s does not allow requesting changes", run.Key)
	case in.Action == RequestChanges && r.Revision > def.Settings.maxRevisions():
		return r, nil, Refuse(WrongState, "changes were requested %d times, the most that policy %s allows", r.Revision-1, r.PolicyKey)
	}
	candidate, _ := run.person(by.ID)
	if !override && task.Assignee == nil && c.spent(candidate, run) {
		return r, nil, Refuse(WrongState, "already holds a task of stage %s", run.Key)
	}
	if !override {
		if err := c.recheck(task, run); err != nil {
			return r, nil, err
		}
	}
	if !override && task.Assignee == nil {
		*task = task.claimedBy(candidate, w.At)
		c.note(TaskWasClaimed, run, task)
	}
	*task = task.decided(c.decision(*task, in, override))
	c.note(TaskDecided, run, task)
	switch {
	case in.Action == RequestChanges:
		c.sendBack(run)
	case override:
		c.force(run, in.Action)
		err = c.advance()
	default:
		err = c.advance()
	}
	if err != nil {
		return r, nil, err
	}
	return c.done()
}

// mayDecide reports whether the actor may decide the task at all, and whether as an
// admin who overrides.
func (c *change) mayDecide(task *Task, run *StageRun, stage Stage) (override bool, err error) {
	_, candidate := run.candidate(c.by.ID, *task)
	switch {
	case task.HeldBy(c.by.ID), task.Assignee == nil && candidate:
	case c.by.Has(Admin) && c.def.Settings.AdminOverride:
		override = true
	case c.by.Has(Admin) && task.Kind == RescueTask:
		return false, nil // he is told what to do with it
	default:
		return false, Refuse(Forbidden, "not the assignee of task %s", task.ID)
	}
	if !task.Status.live() {
		return override, nil // the state speaks next
	}
	if reason := c.unfit(c.by.User, run); reason != "" {
		return false, Refuse(Forbidden, "excluded from task %s: %s", task.ID, reason)
	}
	if reason := c.parties(c.by.User); reason != "" && override {
		return false, Refuse(Forbidden, "the %s may not override", reason)
	}
	if !stage.Reauth.permits(c.by, c.w) {
		return false, &Error{Reason: Forbidden, Message: "this decision needs a fresh or stronger authentication", StepUp: stage.Reauth}
	}
	return override, nil
}

// wellFormed checks the parts of a decision that depend on the policy.
func (c *change) wellFormed(in DecisionInput, stage Stage, override bool) error {
	need := c.def.Settings.RequireComment
	required := map[Action]bool{Approve: need.Approve, Reject: need.Reject, Abstain: need.Abstain, RequestChanges: need.RequestChanges}[in.Action]
	comment := []any{"body", "comment"}
	switch {
	case override && utf8.RuneCountInString(in.Comment) < minOverrideComment:
		return RefuseInput("string_too_short", comment, "An override needs a comment of at least %d characters", minOverrideComment)
	case override && in.Action != Approve && in.Action != Reject:
		return RefuseInput("enum", []any{"body", "action"}, "An override approves or rejects")
	case required && in.Comment == "":
		return RefuseInput("missing", comment, "Policy %s needs a comment to %s", c.PolicyKey, in.Action)
	default:
		return nil
	}
}

func (c *change) decision(task Task, in DecisionInput, override bool) Decision {
	d := Decision{
		ID: in.ID, TaskID: task.ID, RequestID: c.ID, StageKey: task.StageKey, Revision: c.Revision,
		Action: in.Action, Comment: in.Comment, Attachments: in.Attachments, Data: in.Data,
		Actor: c.by.Ref(), Auth: c.by.Auth, ContextHash: c.ContextHash,
		Override: override, Source: "api", DecidedAt: Stamp{c.w.At},
	}
	switch {
	case override:
	case task.SharedWith != nil && task.SharedWith.ID == c.by.ID:
		d.OnBehalfOf = task.Assignee
	default:
		d.OnBehalfOf = task.OnBehalfOf
	}
	return d
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
	if def.Settings.RequireComment.Reassign && reason == "" {
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

// Substitute gives the open tasks of the delegator to the delegate, as far as the
// delegation covers them. They stay when the directory does not know the delegate.
func (r Request) Substitute(def Definition, d Delegation, w World) (Request, []Event, error) {
	if r.Status.Final() {
		return r, nil, nil
	}
	if w.Person != nil {
		if _, found, err := w.Person(d.DelegateTo.ID); err == nil && !found {
			return r, nil, nil
		}
	}
	c := r.begin(def, Actor{User: d.CreatedBy, Kind: ByUser}, w)
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if task.Status != TaskOpen || task.Assignee == nil || task.Assignee.ID != d.User.ID || task.OnBehalfOf != nil || task.SharedWith != nil {
			continue
		}
		run := c.run(task)
		stage, _ := def.Stage(run.Key)
		if !run.Status.running() || def.Settings.Hops(stage) == 0 || !d.covers(w.At, r.PolicyKey, run.Key, r.ArtifactType) {
			continue
		}
		if c.unfit(d.DelegateTo, run) != "" || c.seated(d.DelegateTo.ID, run) {
			c.note(DelegationNotApplied, run, task)
			continue
		}
		*task = d.takes(*task, w.At)
		c.note(DelegationApplied, run, task)
	}
	return c.done()
}

// takes puts the delegate on the seat of the person whom he stands in for.
func (d Delegation) takes(t Task, at time.Time) Task {
	delegator := *t.Assignee
	t.DelegationID = d.ID
	if d.Mode == Share {
		t.SharedWith = &d.DelegateTo
	} else {
		t.Assignee, t.OnBehalfOf = &d.DelegateTo, &delegator
	}
	return t.touched(at)
}

// Return takes the tasks that a delegate has not claimed back to the delegator, and
// the delegate out of the pools in which he could claim for him.
func (r Request) Return(def Definition, d Delegation, w World) (Request, []Event, error) {
	if r.Status.Final() {
		return r, nil, nil
	}
	c := r.begin(def, SystemExpiry, w)
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if task.Status != TaskOpen || task.DelegationID != d.ID || task.Assignee == nil {
			continue
		}
		if task.OnBehalfOf != nil {
			if c.unfit(*task.OnBehalfOf, c.run(task)) != "" {
				continue // he is taken by a parallel stage meanwhile
			}
			task.Assignee = task.OnBehalfOf
		}
		task.OnBehalfOf, task.SharedWith, task.DelegationID = nil, nil, ""
		*task = task.touched(w.At)
		c.note(TaskReassigned, c.run(task), task)
	}
	for i := range c.Stages {
		run := &c.Stages[i]
		if people, was := d.leave(run.People); was && run.Need > 0 && run.Status.running() {
			run.People = people
			c.note(DelegationHasEnded, run, nil)
		}
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
