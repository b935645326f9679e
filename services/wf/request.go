package wf

import (
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
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
	BecauseWithdrawn         ReasonCode = "withdrawn"
	BecauseCancelledByAdmin  ReasonCode = "cancelled_by_admin"
	BecauseOverride          ReasonCode = "override"
	BecauseChangesRequested  ReasonCode = "changes_requested"
)

// Values returns every value.
func (ReasonCode) Values() []ReasonCode {
	return []ReasonCode{
		BecauseQuorumMet, BecausePolicy, BecauseVeto, BecauseRejectThreshold, BecauseQuorumUnreachable,
		BecauseNoStageApplies, BecauseStageEmpty, BecauseNoApprovers, BecauseExpired, BecauseWithdrawn,
		BecauseCancelledByAdmin, BecauseOverride, BecauseChangesRequested,
	}
}

// StatusReason is the reason for the status of a request.
type StatusReason struct {
	Code     ReasonCode `json:"code" doc:"Stable word for the reason."`
	Message  string     `json:"message,omitempty" doc:"Text for people; may change."`
	StageKey string     `json:"stage_key,omitempty" doc:"Stage that led to the status."`
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

	Requester   identity.User
	SubmittedBy identity.User

	Stages []StageRun // every run, oldest first
	Tasks  []Task     // of every run, oldest first

	// OneOpen is set when the policy allows only one open request for this artifact.
	OneOpen bool

	ExpiresAt   *time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time
	CompletedAt time.Time

	Chain audit.Chain // the end of the request's events

	// Rev changes with every write; it is the entity tag.
	Rev int64

	// Warned is set after the notification of the upcoming expiry.
	Warned bool
}

// Revision is the content of a request between two resubmissions.
type Revision struct {
	Number      int // from 1
	Context     []byte
	ContextHash string
	EndedAt     time.Time // when the next one began; zero for the present one
}

// Attachment refers to a file; the service stores none.
type Attachment struct {
	Name      string `json:"name" minLength:"1" maxLength:"255" doc:"File name, as people see it."`
	URL       string `json:"url" format:"uri" maxLength:"2048" doc:"Where the document is, with its scheme; the service does not read it."`
	MediaType string `json:"media_type" minLength:"1" maxLength:"127" doc:"Media type of the document."`
	Size      *int64 `json:"size,omitempty" minimum:"0" doc:"Size in bytes."`
	SHA256    string `json:"sha256,omitempty" pattern:"^[0-9a-f]{64}$" doc:"SHA-256 of the document, in hexadecimal digits."`
}

// NewRequest starts a request. draft holds the caller's input and the id. On a refusal nothing
// starts.
func NewRequest(draft Request, def policy.Definition, by identity.Actor, f Facts) (Request, []Event, error) {
	return draft.transition(def, by, f, (*change).create)
}

func (c *change) create() error {
	c.starting = true
	if err := c.maySubmit(); err != nil {
		return err
	}
	if c.def.ArtifactType != "" && c.ArtifactType != c.def.ArtifactType {
		return refusal.New(reason.EngineRefused, "policy %s approves artifacts of type %s", c.PolicyKey, c.def.ArtifactType)
	}
	if failure := c.Fits(c.document(c.Context, c.ContextHash)); failure != nil {
		return refusal.New(reason.EngineRefused, "context: %s", failure.Message)
	}
	c.Status, c.Revision = RequestInReview, 1
	c.CreatedAt, c.UpdatedAt = c.facts.At, c.facts.At
	c.OneOpen = c.def.OneOpen(c.ArtifactID)
	if c.ExpiresAt == nil {
		ends, err := c.def.Settings.ExpiresAt(c.facts.At)
		if err != nil {
			return refusal.New(reason.EngineRefused, "settings.expires_in of policy %s %s", c.PolicyKey, err)
		}
		c.ExpiresAt = ends
	}
	outcome, failure := c.automatic()
	if failure != nil {
		return failure
	}
	c.note(audit.EventRequestCreated, nil, nil)
	if outcome != "" {
		c.by = identity.SystemPolicy
		c.finish(outcome, StatusReason{Code: BecausePolicy})
		return nil
	}
	c.enter(func(StageRun) bool { return false })
	return c.advance()
}

// document is a context that has to fit the policy's schema.
func (c *change) document(context []byte, hash string) policy.Document {
	return policy.Document{Schema: c.def.ContextSchema, Value: context, Hash: hash}
}

// maySubmit applies settings.submitters and settings.on_behalf.
func (c *change) maySubmit() error {
	s := c.def.Settings
	var unanswered *refusal.Error
	permitted := s.Submitters == nil || c.Any(len(s.Submitters), func(i int) bool {
		people, failure := c.people(s.Submitters[i], nil, 0)
		if failure != nil && failure.Reason == reason.ResolverFailed {
			unanswered = failure
		}
		// A failed rule permits no caller.
		return failure == nil && slices.ContainsFunc(people, func(u identity.User) bool { return u.ID == c.by.ID })
	})
	switch {
	case permitted:
	case unanswered != nil:
		return reason.NoAnswer("submitters of policy %s: %s", c.PolicyKey, unanswered.Message)
	default:
		return refusal.New(reason.Forbidden, "policy %s does not let this caller create requests", c.PolicyKey)
	}
	if c.Requester.ID == c.by.ID || s.OnBehalf == policy.OnBehalfSubmitters || s.OnBehalf != policy.OnBehalfNone && c.by.Has(identity.RoleAdmin) {
		return nil
	}
	return refusal.New(reason.Forbidden, "policy %s does not let this caller create requests for others", c.PolicyKey)
}

// MaySubmit rejects a caller without permission to create requests under the policy. It runs before
// creation with an empty context.
func MaySubmit(d policy.Definition, key string, version int, by identity.Actor, f Facts) error {
	draft := Request{
		PolicyKey: key, PolicyVersion: version, Requester: by.User, SubmittedBy: by.User,
		Context: []byte("{}"), Priority: PriorityNormal, Revision: 1, CreatedAt: f.At,
	}
	c := draft.begin(d, by, f)
	return c.Attempt(c.maySubmit)
}

// automatic returns the decision of the policy itself; empty when people decide. The
// rejecting condition goes first. A condition that fails decides nothing, and if the
// rejecting one fails, nothing is approved automatically either. One that was not
// evaluated in time refuses the request, because its value is unknown.
func (c *change) automatic() (RequestStatus, error) {
	var rejects, approves bool
	var rejectFailure, approveFailure *refusal.Error
	c.Together(
		func() { rejects, rejectFailure = c.condition(c.def.Settings.AutoRejectWhen) },
		func() { approves, approveFailure = c.condition(c.def.Settings.AutoApproveWhen) },
	)
	switch {
	case rejects:
		return RequestRejected, nil
	case approver.IsUnanswered(rejectFailure):
		return "", reason.NoAnswer("auto_reject_when: %s", rejectFailure.Message)
	case rejectFailure != nil:
		return "", nil
	case approver.IsUnanswered(approveFailure):
		return "", reason.NoAnswer("auto_approve_when: %s", approveFailure.Message)
	case approves:
		return RequestApproved, nil
	default:
		return "", nil
	}
}

// Cancel withdraws the request.
func (r Request) Cancel(def policy.Definition, reason string, by identity.Actor, f Facts) (Request, []Event, error) {
	return r.transition(def, by, f, func(c *change) error { return c.cancel(reason) })
}

func (c *change) cancel(cause string) error {
	why := StatusReason{Code: BecauseWithdrawn, Message: cause}
	if c.parties(c.by.User) == "" {
		if !c.by.Has(identity.RoleAdmin) {
			return refusal.New(reason.Forbidden, "the caller is not the requester of request %s", c.ID)
		}
		why.Code = BecauseCancelledByAdmin
	}
	if err := c.unexpired(); err != nil {
		return err
	}
	if c.Status.Final() {
		return refusal.New(reason.WrongState, "request %s is %s", c.ID, c.Status)
	}
	c.reason = cause
	c.finish(RequestCancelled, why)
	return nil
}

// Overdue reports whether the time of the request is over.
func (r Request) Overdue(now time.Time) bool { return r.ExpiresAt != nil && !now.Before(*r.ExpiresAt) }

// AsOf is the request as callers read it: one whose time is over reads as expired, also
// before the service has stored that.
func (r Request) AsOf(now time.Time) Request {
	if r.Status.Final() || !r.Overdue(now) {
		return r
	}
	c := r.begin(policy.Definition{}, identity.SystemExpiry, Facts{At: now})
	c.finish(RequestExpired, StatusReason{Code: BecauseExpired})
	return c.Request
}

// Expire ends a request whose time is over. It leaves any other as it is, so a late or
// repeated call is harmless.
func (r Request) Expire(def policy.Definition, f Facts) (Request, []Event, error) {
	return r.transition(def, identity.SystemExpiry, f, func(c *change) error {
		_ = c.unexpired() // there is no caller to refuse
		return nil
	})
}

// WarnOfExpiry records, once, that an open request expires soon. It skips requests that started
// with less time than the warning period.
func (r Request) WarnOfExpiry(def policy.Definition, within time.Duration, f Facts) (Request, []Event, error) {
	return r.transition(def, identity.SystemExpiry, f, func(c *change) error {
		due := !c.Status.Final() && !c.Warned && c.ExpiresAt != nil && !c.Overdue(f.At) &&
			!f.At.Before(c.ExpiresAt.Add(-within)) && c.CreatedAt.Before(c.ExpiresAt.Add(-within))
		if due {
			c.Warned = true
			c.note(audit.EventRequestExpiring, nil, nil)
		}
		return nil
	})
}

// Resubmit answers a request for changes: context, when not nil, is the new
// content in canonical form.
func (r Request) Resubmit(def policy.Definition, context []byte, hash, comment string, by identity.Actor, f Facts) (Request, []Event, error) {
	return r.transition(def, by, f, func(c *change) error { return c.resubmit(context, hash, comment) })
}

func (c *change) resubmit(context []byte, hash, comment string) error {
	if c.parties(c.by.User) == "" {
		return refusal.New(reason.Forbidden, "the caller is not the requester of request %s", c.ID)
	}
	same := context == nil || hash == c.ContextHash
	if !same {
		if failure := c.Fits(c.document(context, hash)); failure != nil {
			return refusal.New(reason.EngineRefused, "context: %s", failure.Message)
		}
	}
	if err := c.unexpired(); err != nil {
		return err
	}
	if c.Status != RequestChangesRequested {
		return refusal.New(reason.WrongState, "request %s is %s, not changes_requested", c.ID, c.Status)
	}
	if !same {
		c.Context, c.ContextHash = context, hash
	}
	c.Status, c.StatusReason, c.Revision = RequestInReview, nil, c.Revision+1
	c.reason, c.starting = comment, true
	c.note(audit.EventRequestResubmitted, nil, nil)
	c.reason = ""
	resume := same && c.def.Settings.OnResubmit == policy.OnResubmitResume
	c.enter(func(last StageRun) bool {
		return resume && (last.Status == StageApproved || last.Status == StageSkipped)
	})
	return c.advance()
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
		if run.Owns(t) {
			return run
		}
	}
	return StageRun{}
}

// Actions returns the actions available to the person on the request.
func (r Request) Actions(by identity.Actor) []string {
	actions := []string{}
	party := by.ID == r.Requester.ID || by.ID == r.SubmittedBy.ID
	if !r.Status.Final() && (party || by.Has(identity.RoleAdmin)) {
		actions = append(actions, "cancel")
	}
	if r.Status == RequestChangesRequested && party {
		actions = append(actions, "resubmit")
	}
	return actions
}

// Current returns the keys of the stages in which people can decide now, and of those
// that are being resolved.
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
	run, ok := r.Latest(stage)
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

// Latest returns the last run of a stage.
func (r Request) Latest(stage string) (StageRun, bool) {
	for i := len(r.Stages) - 1; i >= 0; i-- {
		if r.Stages[i].Key == stage {
			return r.Stages[i], true
		}
	}
	return StageRun{}, false
}

// Summary returns the request as events show it.
func (r Request) Summary() *RequestSummary {
	return &RequestSummary{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Status: r.Status, StatusReason: r.StatusReason,
		Title: r.Title, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, Requester: r.Requester,
		Revision: r.Revision, ContextHash: r.ContextHash, CompletedAt: identity.StampOf(r.CompletedAt), Link: r.Link,
		Priority: r.Priority, Labels: r.Labels,
	}
}

// Participates reports whether id has or had a part in the request, as far as the request still names them.
func (r Request) Participates(id string) bool {
	_, ok := r.People()[id]
	return ok
}

// People are the people with a part in the request now or earlier, by id: requester, submitter, assignees,
// candidates, delegates, delegators and observers. The request forgets an assignee when a second one follows, and a
// delegate when the task returns.
func (r Request) People() map[string]identity.User {
	people := r.Present()
	for _, run := range r.Stages {
		for _, a := range run.People {
			people.add(&a.User, a.StandIn)
		}
	}
	for _, t := range r.Tasks {
		people.add(t.Assignee, t.Owner, t.ReassignedFrom)
	}
	return people
}

// people are users by id.
type people map[string]identity.User

// add keeps of each user the entry that has more than the id.
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

// Part is the part of a person in a request.
type Part struct {
	Present bool // they have it now
	Asked   bool // as assignee, candidate, delegate or delegator, now or earlier
}

// Parts are the parts of all People, by id.
func (r Request) Parts() map[string]Part {
	if r.ID == "" {
		return map[string]Part{}
	}
	all, present, asked := r.People(), r.Present(), people{}
	for _, run := range r.Stages {
		for _, a := range run.People {
			asked.add(&a.User, a.StandIn)
		}
	}
	for _, t := range r.Tasks {
		asked.add(t.Assignee, t.Owner, t.ReassignedFrom, t.SharedWith, t.OnBehalfOf)
	}
	parts := make(map[string]Part, len(all))
	for id := range all {
		_, now := present[id]
		_, was := asked[id]
		parts[id] = Part{now, was}
	}
	return parts
}

// Present are the people with a part in the request now, by id. Former assignees, delegates whose task returned, and
// approvers who lost their membership have none.
func (r Request) Present() people {
	present := people{r.SubmittedBy.ID: r.SubmittedBy, r.Requester.ID: r.Requester}
	for _, run := range r.Stages {
		for _, a := range run.People {
			if run.Pool && !a.Lost { // with each, only a task is a part
				present.add(&a.User, a.StandIn)
			}
		}
		for _, u := range run.Observers {
			present.add(&u)
		}
	}
	for _, t := range r.Tasks {
		if t.CloseReason != ClosedApproverLost {
			present.add(t.Assignee)
		}
		present.add(t.SharedWith, t.OnBehalfOf)
		if t.Decision != nil && t.Decision.Actor.Kind != identity.ActorSystem {
			present.add(new(t.Decision.Actor.User()))
		}
	}
	return present
}

// Preview returns the run of a stage that the request has not reached, as it would start
// now, and what would keep it from starting. Nothing happens to the request.
func (r Request) Preview(def policy.Definition, stage policy.Stage, f Facts) (run StageRun, problems []string, err error) {
	c := r.begin(def, identity.Actor{}, f)
	c.Stages = append(c.Stages, StageRun{Key: stage.Key, Name: stage.Name, Run: 1, Status: StagePending, ParallelGroup: stage.ParallelGroup, Pool: stage.Assignment == policy.AssignmentPool})
	last := &c.Stages[len(c.Stages)-1]
	err = c.Attempt(func() error {
		problems, err = c.onRun(last).preview()
		return err
	})
	return *last, problems, err
}
