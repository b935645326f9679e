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
	Context        Object          `json:"context" doc:"As created, numbers with all their digits."`
	Comment        string          `json:"comment,omitempty" doc:"Comment of the submitter."`
	Attachments    []wf.Attachment `json:"attachments" doc:"References to documents that belong to the request."`
	CallbackURL    *string         `json:"callback_url" nullable:"true" doc:"URL that request.* events are sent to; null when there is none."`
	CurrentStages  []string        `json:"current_stages" doc:"Keys of the stages that run now."`
	Stages         []Stage         `json:"stages" doc:"Every run of every stage, in order."`
	Tasks          []TaskSummary   `json:"tasks" doc:"Tasks of the current stages."`
	AllowedActions []string        `json:"allowed_actions" doc:"Actions that the caller may take now."`
}

// RequestHead is a request in a list.
type RequestHead struct {
	ID            string            `json:"id" format:"uuid" doc:"Identifier of the request."`
	PolicyKey     string            `json:"policy_key" doc:"Policy of the request."`
	PolicyVersion int               `json:"policy_version" doc:"Version of the policy that the request is judged by."`
	Status        wf.RequestStatus  `json:"status" doc:"Status of the request."`
	StatusReason  *wf.StatusReason  `json:"status_reason,omitempty" doc:"Why the request has this status."`
	ArtifactType  string            `json:"artifact_type,omitempty" doc:"Type of the artifact to approve."`
	ArtifactID    string            `json:"artifact_id,omitempty" doc:"Identifier of the artifact to approve, in its system."`
	Title         string            `json:"title,omitempty" doc:"Title for people."`
	Link          string            `json:"link,omitempty" doc:"Address of the artifact for users."`
	Priority      wf.Priority       `json:"priority" doc:"Priority of the request."`
	Labels        map[string]string `json:"labels" doc:"Labels to filter by."`
	ContextHash   string            `json:"context_hash" doc:"Hash of the content."`
	Revision      int               `json:"revision" doc:"Revision of the content, from 1."`
	Requester     identity.User     `json:"requester" doc:"The requester."`
	SubmittedBy   identity.User     `json:"submitted_by" doc:"Caller of the creation."`
	ExpiresAt     *identity.Stamp   `json:"expires_at" nullable:"true" doc:"When the request expires; null for never."`
	CreatedAt     identity.Stamp    `json:"created_at" doc:"When the request was created."`
	UpdatedAt     identity.Stamp    `json:"updated_at" doc:"When it last changed."`
	CompletedAt   *identity.Stamp   `json:"completed_at" nullable:"true" doc:"When it was completed; null before."`
	ETag          string            `json:"etag" doc:"Entity tag, for If-Match."`
}

// Stage is one run of a stage.
type Stage struct {
	Key           string               `json:"key" doc:"Key of the stage."`
	Name          string               `json:"name" doc:"Name for people."`
	Run           int                  `json:"run" doc:"Which run of the stage, from 1; another one starts after changes."`
	Status        wf.StageStatus       `json:"status" doc:"Status of the run."`
	ParallelGroup string               `json:"parallel_group,omitempty" doc:"Adjacent stages with the same value run together."`
	Quorum        Quorum               `json:"quorum" doc:"Approvals that the stage needs and has."`
	StartedAt     *identity.Stamp      `json:"started_at" nullable:"true" doc:"When it started; null before."`
	CompletedAt   *identity.Stamp      `json:"completed_at" nullable:"true" doc:"When it was completed; null before."`
	Skip          *wf.Skip             `json:"skip,omitempty" doc:"Why the stage was skipped."`
	Approvers     []Approver           `json:"approvers" doc:"Approvers with their decisions."`
	Excluded      []approver.Exclusion `json:"excluded" doc:"Users that a rule yields and that may not approve."`
	Observers     []identity.User      `json:"observers" doc:"Observers: they may read and comment, and are not counted."`
	LastError     string               `json:"last_error,omitempty" doc:"Why a rule yields no user or failed."`
	RetryAt       *identity.Stamp      `json:"retry_at,omitempty" doc:"While the stage is resolving: when its rules are asked again."`
}

type Quorum struct {
	Mode  quorum.QuorumMode `json:"mode" doc:"How approvals are counted."`
	Value int               `json:"value,omitempty" doc:"The number of mode count, or the percentage of mode percentage."`
	quorum.Count
}

// Approver is an approver of a stage, with their decision if any.
type Approver struct {
	User        identity.User   `json:"user" doc:"The person."`
	Via         []string        `json:"via" doc:"Rules that yield the user; empty for an assigned user."`
	PlacedBy    *identity.User  `json:"placed_by,omitempty" doc:"Admin who assigned the user to a rescue task."`
	Status      wf.TaskStatus   `json:"status,omitempty" doc:"Of the person's task, if there is one."`
	OnBehalfOf  *identity.User  `json:"on_behalf_of,omitempty" doc:"The delegator."`
	Ineligible  bool            `json:"lost,omitempty" doc:"They are no approver any more."`
	Action      wf.Action       `json:"action,omitempty" doc:"The decision."`
	Comment     string          `json:"comment,omitempty" doc:"Comment on their decision."`
	DecidedAt   *identity.Stamp `json:"decided_at,omitempty" doc:"When they decided."`
	Data        json.RawMessage `json:"data,omitempty" doc:"Visible to the requester, to users with a decision in the stage, and to viewers."`
	Attachments []wf.Attachment `json:"attachments,omitempty" doc:"Shown to the same people as data."`
	Auth        *identity.Auth  `json:"auth,omitempty" doc:"Shown to the same people as data."`
}

// NewRequestHead returns a request as an item of a list.
func NewRequestHead(r wf.Request) RequestHead {
	labels := map[string]string{}
	maps.Copy(labels, r.Labels)
	return RequestHead{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Status: r.Status, StatusReason: r.StatusReason,
		ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, Title: r.Title, Link: r.Link, Priority: r.Priority, Labels: labels,
		ContextHash: r.ContextHash, Revision: r.Revision, Requester: r.Requester, SubmittedBy: r.SubmittedBy,
		ExpiresAt: Stamp(r.ExpiresAt), CreatedAt: identity.Stamp{Time: r.CreatedAt}, UpdatedAt: identity.Stamp{Time: r.UpdatedAt}, CompletedAt: identity.StampOf(r.CompletedAt),
		ETag: ETag(r.Rev),
	}
}

// NewRequest returns the view of a request for a caller.
func NewRequest(by identity.Actor, c wf.Case) Request {
	r := c.Request
	shown := Request{
		RequestHead: NewRequestHead(r), Context: Object{r.Context}, Comment: r.Comment,
		Attachments: append([]wf.Attachment{}, r.Attachments...), CurrentStages: r.Current(), Stages: newStages(c),
		Tasks: []TaskSummary{}, AllowedActions: r.Actions(by), CallbackURL: OrNull(r.CallbackURL),
	}
	for _, t := range r.Tasks {
		if run := r.Run(t); run.Status == wf.StageActive || run.Status == wf.StageBlocked {
			shown.Tasks = append(shown.Tasks, newTaskSummary(t, run, r.Tasks))
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
			Approvers: NewApprovers(stage, run, c.Request.Tasks), Excluded: append([]approver.Exclusion{}, run.Excluded...), Observers: append([]identity.User{}, run.Observers...), LastError: run.LastError,
			RetryAt: identity.StampOf(run.RetryAt),
		}
	})
}

// NewQuorum returns the quorum of a stage run.
func NewQuorum(s policy.Stage, run wf.StageRun) Quorum {
	return Quorum{Mode: cmp.Or(s.Quorum.Mode, quorum.QuorumAll), Value: s.Quorum.Value, Count: run.Count}
}

// NewApprovers returns the eligible approvers with their delegates, and the assignees of other
// tasks. Decisions are visible to every reader of the request.
func NewApprovers(s policy.Stage, run wf.StageRun, tasks []wf.Task) []Approver {
	views, shown := []Approver{}, map[[2]string]bool{} // ids of approvers and delegators
	part := func(u identity.User, behalf *identity.User) [2]string {
		return [2]string{u.ID, cmp.Or(behalf, &identity.User{}).ID}
	}
	add := func(u identity.User, a approver.Approver, behalf *identity.User) {
		if shown[part(u, behalf)] {
			return
		}
		view := Approver{User: u, OnBehalfOf: behalf, Via: []string{}, PlacedBy: a.PlacedBy, Ineligible: a.Ineligible}
		if a.Fallback {
			view.Via = append(view.Via, "fallback")
		}
		for _, rule := range a.Rules {
			if !a.Fallback && rule < len(s.Approvers) {
				view.Via = append(view.Via, fmt.Sprintf("rules[%d] %s", rule, s.Approvers[rule]))
			}
		}
		for _, t := range tasks {
			d := t.Decision
			holds := t.Assignee != nil && part(*t.Assignee, t.OnBehalfOf) == part(u, behalf)
			if run.Owns(t) && (holds || d != nil && part(d.Actor.User(), d.OnBehalfOf) == part(u, behalf)) {
				view.Status, view.PlacedBy = t.Status, cmp.Or(t.PlacedBy, view.PlacedBy)
				view = view.decided(d, u)
			}
		}
		if a.Reassigned || view.PlacedBy != nil {
			view.Via = []string{}
		}
		shown[part(u, behalf)] = true
		views = append(views, view)
	}
	for _, a := range run.People {
		if a.Delegate == nil || a.Shared || run.Pool {
			add(a.User, a, nil)
		}
		if a.Delegate != nil {
			add(*a.Delegate, a, &a.User)
		}
	}
	for _, t := range tasks {
		if run.Owns(t) && t.Assignee != nil {
			add(*t.Assignee, approver.Approver{}, t.OnBehalfOf)
		}
		if d := t.Decision; run.Owns(t) && d != nil && d.Actor.Kind != identity.ActorSystem {
			add(d.Actor.User(), approver.Approver{}, d.OnBehalfOf)
		}
	}
	return views
}

// decided adds the decision of an approver, or of the service in their place.
func (v Approver) decided(d *wf.Decision, u identity.User) Approver {
	if d == nil || d.Actor.ID != u.ID && d.Actor.Kind != identity.ActorSystem {
		return v
	}
	v.Action, v.Comment, v.DecidedAt, v.OnBehalfOf = d.Action, d.Comment, &d.DecidedAt, d.OnBehalfOf
	v.Data, v.Attachments = d.Data, d.Attachments
	if d.Actor.Kind != identity.ActorSystem && (d.Auth.ACR != "" || d.Auth.AMR != nil || !d.Auth.AuthTime.IsZero()) {
		v.Auth = &d.Auth
	}
	return v
}
