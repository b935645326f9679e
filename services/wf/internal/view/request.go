package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// Request is the API representation of a request.
type Request struct {
	RequestHead
	Context        Object          `json:"context" doc:"Context as created; numbers keep all digits."`
	Comment        string          `json:"comment,omitempty" doc:"Comment of the submitter."`
	Attachments    []wf.Attachment `json:"attachments" doc:"References to documents of the request."`
	CallbackURL    *string         `json:"callback_url" nullable:"true" doc:"Receiver of the request.* events; null if not set."`
	CurrentStages  []string        `json:"current_stages" doc:"Keys of the current stages."`
	Stages         []Stage         `json:"stages" doc:"Runs of all stages, in order."`
	Tasks          []TaskSummary   `json:"tasks" doc:"Tasks of the current stages."`
	AllowedActions []string        `json:"allowed_actions" doc:"Actions available to the caller."`
	Warnings       []string        `json:"warnings,omitempty" doc:"Possible mistakes of a decision, such as an approval that ends before it can be used."`
}

// ConsumedRequest is a request after the consumption of its approval.
type ConsumedRequest struct {
	Request
	Receipt string `json:"receipt,omitempty" doc:"Signed receipt of the approval, if the service has a key: a JWS in compact form."`
}

// RequestHead is a request in a list.
type RequestHead struct {
	ID            string             `json:"id" format:"uuid" doc:"Identifier of the request."`
	PolicyKey     string             `json:"policy_key" doc:"Policy of the request."`
	PolicyVersion int                `json:"policy_version" doc:"Version of the policy that governs the request."`
	Status        wf.RequestStatus   `json:"status" doc:"Status of the request."`
	StatusReason  *wf.StatusReason   `json:"status_reason,omitempty" doc:"Reason for the status."`
	ArtifactType  string             `json:"artifact_type,omitempty" doc:"Type of the artifact."`
	ArtifactID    string             `json:"artifact_id,omitempty" doc:"Identifier of the artifact in its own system."`
	Title         string             `json:"title,omitempty" doc:"Title."`
	Link          string             `json:"link,omitempty" doc:"URL of the artifact."`
	Priority      wf.Priority        `json:"priority" doc:"Priority of the request."`
	Labels        map[string]string  `json:"labels" doc:"Labels for filters."`
	ContextHash   string             `json:"context_hash" doc:"Hash of the content."`
	Revision      int                `json:"revision" doc:"Revision of the content, from 1."`
	Requester     identity.User      `json:"requester" doc:"Requester of the approval."`
	SubmittedBy   identity.Submitter `json:"submitted_by" doc:"Caller that created the request."`
	ExpiresAt     *identity.Stamp    `json:"expires_at" nullable:"true" doc:"Time of expiry; null for never."`
	DueAt         *identity.Stamp    `json:"due_at,omitempty" doc:"Earliest due date of the running stages."`
	CreatedAt     identity.Stamp     `json:"created_at" doc:"Time of creation."`
	UpdatedAt     identity.Stamp     `json:"updated_at" doc:"Time of the last change."`
	CompletedAt   *identity.Stamp    `json:"completed_at" nullable:"true" doc:"Time of completion; null before."`
	Standing      Standing           `json:"standing" doc:"State of the approval; null unless the request is approved."`
	ValidFrom     *identity.Stamp    `json:"valid_from,omitempty" doc:"Start of the approval's validity; absent for the time of the approval. Set by the content while the request is open."`
	ValidUntil    *identity.Stamp    `json:"valid_until,omitempty" doc:"End of the approval's validity; absent for none. Set by the content while the request is open."`
	EndedAt       *identity.Stamp    `json:"ended_at,omitempty" doc:"Time at which the approval lapsed or was revoked or consumed."`
	EndedBy       *identity.User     `json:"ended_by,omitempty" doc:"User that revoked or consumed the approval; system:expiry for a lapse."`
	EndReason     string             `json:"end_reason,omitempty" doc:"Reason of the revocation, or consumer named at the consumption."`
	ETag          string             `json:"etag" doc:"Entity tag for If-Match."`
}

// Stage is one run of a stage.
type Stage struct {
	Key           string               `json:"key" doc:"Key of the stage."`
	Name          string               `json:"name" doc:"Display name."`
	Run           int                  `json:"run" doc:"Number of the run, from 1. A resubmission starts another run."`
	Status        wf.StageStatus       `json:"status" doc:"Status of the run."`
	ParallelGroup string               `json:"parallel_group,omitempty" doc:"Adjacent stages with the same value run in parallel."`
	Quorum        Quorum               `json:"quorum" doc:"Required and present approvals."`
	StartedAt     *identity.Stamp      `json:"started_at" nullable:"true" doc:"Start of the run; null before."`
	CompletedAt   *identity.Stamp      `json:"completed_at" nullable:"true" doc:"End of the run; null before."`
	Skip          *wf.Skip             `json:"skip,omitempty" doc:"Reason for skipping the stage."`
	Approvers     []Approver           `json:"approvers" doc:"Approvers and their decisions."`
	Excluded      []approver.Exclusion `json:"excluded" doc:"Users excluded from approval despite a rule."`
	Observers     []identity.User      `json:"observers" doc:"Users with read access and the right to comment, without a vote."`
	LastError     string               `json:"last_error,omitempty" doc:"Error of a rule without a result."`
	RetryAt       *identity.Stamp      `json:"retry_at,omitempty" doc:"Next retry of the approver resolution."`
	DueAt         *identity.Stamp      `json:"due_at,omitempty" doc:"Due date of the run."`
	Overdue       bool                 `json:"overdue" doc:"The due date is reached and the stage is not over."`
	Deadline      *StageDeadline       `json:"deadline,omitempty" doc:"Deadline of the run, if the stage has one."`
}

// StageDeadline is the deadline of a stage run.
type StageDeadline struct {
	OnDue          policy.OnDue    `json:"on_due" doc:"Effect of the due date."`
	NextReminderAt *identity.Stamp `json:"next_reminder_at,omitempty" doc:"Next reminder; absent for none."`
	EscalatedAt    *identity.Stamp `json:"escalated_at,omitempty" doc:"Time of the escalation, also of one without an added approver."`
}

type Quorum struct {
	Mode  quorum.QuorumMode `json:"mode" doc:"Quorum mode."`
	Value int               `json:"value,omitempty" doc:"Number for mode count, percentage for mode percentage."`
	quorum.Count
}

// Approver is an approver of a stage, with their decision if any.
type Approver struct {
	User        identity.User   `json:"user" doc:"Approver."`
	Via         []string        `json:"via" doc:"Rules that yield the approver; empty for an approver assigned by reassignment."`
	PlacedBy    *identity.User  `json:"placed_by,omitempty" doc:"Admin who assigned the approver to a rescue task."`
	Status      wf.TaskStatus   `json:"status,omitempty" doc:"Status of the approver's task, if any."`
	Actor       *identity.User  `json:"actor,omitempty" doc:"Delegate who decided for the approver."`
	Added       string          `json:"added,omitempty" enum:"escalation" doc:"The approver was added after the start, by the escalation of the stage."`
	Ineligible  bool            `json:"ineligible,omitempty" doc:"The user is no longer an approver."`
	Action      wf.Action       `json:"action,omitempty" doc:"Action of the decision."`
	Comment     string          `json:"comment,omitempty" doc:"Comment of the decision."`
	DecidedAt   *identity.Stamp `json:"decided_at,omitempty" doc:"Time of the decision."`
	Data        json.RawMessage `json:"data,omitempty" doc:"Data of the decision. Visible to the requester, the submitter, users with a decision in the stage, and viewers."`
	Attachments []wf.Attachment `json:"attachments,omitempty" doc:"Attachments of the decision; visible as data."`
	Auth        *identity.Auth  `json:"auth,omitempty" doc:"Authentication at the decision; visible as data."`
}

// NewRequestHead returns the view of a request in a list.
func NewRequestHead(r wf.Request) RequestHead {
	labels := map[string]string{}
	maps.Copy(labels, r.Labels)
	head := RequestHead{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Status: r.Status, StatusReason: r.StatusReason,
		ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, Title: r.Title, Link: r.Link, Priority: r.Priority, Labels: labels,
		ContextHash: r.ContextHash, Revision: r.Revision, Requester: r.Requester, SubmittedBy: identity.Submitter{User: r.SubmittedBy, Acting: r.Acting},
		ExpiresAt: Stamp(r.ExpiresAt), DueAt: identity.StampOf(r.DueAt()), CreatedAt: identity.Stamp{Time: r.CreatedAt},
		UpdatedAt: identity.Stamp{Time: r.UpdatedAt}, CompletedAt: identity.StampOf(r.CompletedAt),
		ValidFrom: identity.StampOf(r.ValidFrom), ValidUntil: identity.StampOf(r.ValidUntil), ETag: ETag(r.Rev),
	}
	if r.Standing != "" {
		head.Standing = Standing{r.Standing}
		head.EndedAt, head.EndedBy, head.EndReason = identity.StampOf(r.EndedAt), r.EndedBy, r.EndReason
	}
	return head
}

// warningsOf returns the possible mistakes of a decision on the request.
func warningsOf(c wf.Case) []string {
	if !c.Request.EndsUnused(c.Now) {
		return nil
	}
	return []string{"the approval ends before it can be used: valid_until is " + identity.Stamp{Time: c.Request.ValidUntil}.String()}
}

// NewRequest returns the view of a request for a caller.
func NewRequest(by identity.Actor, c wf.Case) Request {
	r := c.Request
	shown := Request{
		RequestHead: NewRequestHead(r), Context: Object{r.Context}, Comment: r.Comment,
		Attachments: append([]wf.Attachment{}, r.Attachments...), CurrentStages: r.Current(), Stages: newStages(c),
		Tasks: []TaskSummary{}, AllowedActions: c.Actions(by), Warnings: warningsOf(c), CallbackURL: OrNull(r.CallbackURL),
	}
	for _, t := range r.Tasks {
		if run := r.Run(t); run.Status == wf.StageActive || run.Status == wf.StageBlocked {
			shown.Tasks = append(shown.Tasks, newTaskSummary(t, run, r.Tasks, c.Now))
		}
	}
	return shown
}

func newStages(c wf.Case) []Stage {
	return List(c.Request.Stages, func(run wf.StageRun) Stage {
		stage, _ := c.Definition.Stage(run.Key)
		return Stage{
			Key: run.Key, Name: run.Name, Run: run.Run, Status: run.Status, ParallelGroup: run.ParallelGroup, Quorum: NewQuorum(stage, run),
			StartedAt: identity.StampOf(run.StartedAt), CompletedAt: identity.StampOf(run.CompletedAt), Skip: run.Skip,
			Approvers: NewApprovers(stage, run, c.Request.Tasks), Excluded: append([]approver.Exclusion{}, run.Excluded...),
			Observers: append([]identity.User{}, run.Observers...), LastError: run.LastError,
			RetryAt: identity.StampOf(run.RetryAt), DueAt: identity.StampOf(run.DueAt), Overdue: run.Overdue(c.Now),
			Deadline: NewDeadline(run, c.Definition),
		}
	})
}

// NewDeadline returns the deadline of a stage run, or nil without one.
func NewDeadline(run wf.StageRun, def policy.Definition) *StageDeadline {
	if run.DueAt.IsZero() {
		return nil
	}
	return &StageDeadline{
		OnDue: run.OnDue, NextReminderAt: identity.StampOf(run.NextReminder(def)), EscalatedAt: identity.StampOf(run.EscalatedAt),
	}
}

// StageDates holds the dates of a stage in a preview or a simulation.
type StageDates struct {
	DueAt    *identity.Stamp `json:"due_at,omitempty" doc:"Due date. For a stage that starts later only if due_cel yields an instant."`
	DueIn    policy.Duration `json:"due_in,omitempty" doc:"Time from the start to the due date, for a stage that starts later."`
	Overdue  bool            `json:"overdue" doc:"The due date is reached at the start."`
	Deadline *StageDeadline  `json:"deadline,omitempty" doc:"Deadline of the stage, if it has one."`
}

// NewStageDates returns the dates of a run that starts immediately or later. A run that is over has none.
func NewStageDates(run wf.StageRun, def policy.Definition) StageDates {
	stage, _ := def.Stage(run.Key)
	switch run.Status {
	case wf.StageActive, wf.StageBlocked:
		return StageDates{DueAt: identity.StampOf(run.DueAt), Overdue: run.Overdue(run.StartedAt), Deadline: NewDeadline(run, def)}
	case wf.StagePending, wf.StageResolving:
		if stage.Deadline == nil {
			return StageDates{}
		}
		due := run.Computed.Due
		return StageDates{
			DueAt: identity.StampOf(due.At), DueIn: cmp.Or(due.In, stage.Deadline.DueIn),
			Deadline: &StageDeadline{OnDue: stage.Deadline.Effect()},
		}
	default:
		return StageDates{}
	}
}

// Validity is the validity of a request's approval, in a preview or a simulation.
type Validity struct {
	ValidFor   policy.Duration `json:"valid_for,omitempty" doc:"Duration of an approval's validity from its start on, if the policy or the content limits it."`
	ValidFrom  *identity.Stamp `json:"valid_from,omitempty" doc:"Start of an approval's validity that the content sets; absent for the time of the approval."`
	ValidUntil *identity.Stamp `json:"valid_until,omitempty" doc:"End of an approval's validity that the content or the time of an automatic approval sets; absent for none."`
	SingleUse  bool            `json:"single_use" doc:"An approval may be consumed once."`
}

// NewValidity returns the validity of a request's approval.
func NewValidity(r wf.Request, s policy.Settings) Validity {
	return Validity{
		ValidFor:  cmp.Or(r.ValidFor, s.ValidityOrZero().ValidFor),
		ValidFrom: identity.StampOf(r.ValidFrom), ValidUntil: identity.StampOf(r.ValidUntil), SingleUse: s.SingleUse,
	}
}

// NewQuorum returns the quorum of a stage run.
func NewQuorum(s policy.Stage, run wf.StageRun) Quorum {
	s = s.With(run.Computed)
	return Quorum{Mode: cmp.Or(s.Quorum.Mode, quorum.QuorumAll), Value: s.Quorum.Value, Count: run.Count}
}

// NewApprovers returns the approvers of a run, the assignees of other tasks, and the actors of overrides. Decisions are
// visible to every reader of the request.
func NewApprovers(s policy.Stage, run wf.StageRun, tasks []wf.Task) []Approver {
	views, shown := []Approver{}, map[string]bool{}
	add := func(u identity.User, a approver.Approver) {
		if shown[u.ID] {
			return
		}
		view := Approver{User: u, Via: []string{}, PlacedBy: a.PlacedBy, Ineligible: a.Ineligible, Added: addedBy(a.Escalated)}
		if a.Fallback {
			view.Via = append(view.Via, "fallback")
		}
		for _, rule := range a.Rules {
			if !a.Fallback && !a.Escalated && rule < len(s.Approvers) {
				view.Via = append(view.Via, fmt.Sprintf("rules[%d] %s", rule, s.Approvers[rule]))
			}
		}
		for _, t := range tasks {
			if d := t.Decision; run.Owns(t) && (t.HeldBy(u.ID) || d != nil && d.Override && d.Actor.ID == u.ID) {
				view.Status, view.PlacedBy = t.Status, cmp.Or(t.PlacedBy, view.PlacedBy)
				view = view.withDecision(d)
			}
		}
		if a.Reassigned || view.PlacedBy != nil {
			view.Via = []string{}
		}
		shown[u.ID] = true
		views = append(views, view)
	}
	for _, a := range run.People {
		add(a.User, a)
	}
	for _, t := range tasks {
		if run.Owns(t) && t.Assignee != nil {
			add(*t.Assignee, approver.Approver{})
		}
		if d := t.Decision; run.Owns(t) && d != nil && d.Override {
			add(d.Actor.User(), approver.Approver{})
		}
	}
	return views
}

// addedBy returns the cause of an approver's addition to a running stage, if they were not there at its start.
func addedBy(escalated bool) string {
	if escalated {
		return "escalation"
	}
	return ""
}

// withDecision adds the decision of an approver, or of a delegate or the service on their behalf.
func (v Approver) withDecision(d *wf.Decision) Approver {
	switch {
	case d == nil:
		return v
	case d.OnBehalfOf != nil && d.OnBehalfOf.ID == v.User.ID:
		v.Actor = new(d.Actor.User())
	case d.OnBehalfOf != nil || d.Actor.ID != v.User.ID && d.Actor.Kind != identity.ActorSystem:
		return v
	}
	v.Action, v.Comment, v.DecidedAt = d.Action, d.Comment, &d.DecidedAt
	v.Data, v.Attachments = d.Data, d.Attachments
	if d.Actor.Kind != identity.ActorSystem && (d.Auth.ACR != "" || d.Auth.AMR != nil || !d.Auth.AuthTime.IsZero()) {
		v.Auth = &d.Auth
	}
	return v
}

// Comment is the API representation of a comment.
type Comment struct {
	ID        string            `json:"id" format:"uuid" doc:"Identifier of the comment, which is the identifier of its event."`
	Text      string            `json:"text" doc:"Text of the comment."`
	Mentions  []identity.User   `json:"mentions" doc:"Mentioned users."`
	Author    identity.ActorRef `json:"author" doc:"Author of the comment."`
	Revision  int               `json:"revision" doc:"Revision of the request at the time of the comment."`
	CreatedAt identity.Stamp    `json:"created_at" doc:"Time of the comment."`
}

func NewComment(e wf.Event) Comment {
	return Comment{
		ID: e.ID, Text: e.Comment.Text, Mentions: append([]identity.User{}, e.Comment.Mentions...),
		Author: e.Actor, Revision: e.Request.Revision, CreatedAt: e.At,
	}
}
