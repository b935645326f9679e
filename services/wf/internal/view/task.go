package view

import (
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// Task is the API representation of a task.
type Task struct {
	TaskSummary
	RequestID      string          `json:"request_id" format:"uuid" doc:"Request of the task."`
	Owner          MaybeUser       `json:"owner" doc:"First assignee of the task."`
	OnBehalfOf     *identity.User  `json:"on_behalf_of,omitempty" doc:"User for whom the caller may act on the task, as their delegate."`
	ReassignedFrom *identity.User  `json:"reassigned_from,omitempty" doc:"Previous assignee."`
	PlacedBy       *identity.User  `json:"placed_by,omitempty" doc:"Admin of the assignment of a rescue task; the rules do not yield the assignee."`
	ReassignCount  int             `json:"reassign_count" doc:"Number of reassignments."`
	Rules          []int           `json:"rules" doc:"Indexes of the rules that yield the holder. All rules for a holder assigned by an admin, whose approval counts for each. For an unassigned task, the rules of the eligible claimants."`
	RuleLabels     []string        `json:"rule_labels" doc:"Labels of these rules."`
	Required       bool            `json:"required" doc:"The approval of the holder is mandatory: a rule with required yields them, or the task is the rescue of such a rule without approvers."`
	ClaimedAt      *identity.Stamp `json:"claimed_at" nullable:"true" doc:"Time of the claim; null for an unclaimed task."`
	CompletedAt    *identity.Stamp `json:"completed_at" nullable:"true" doc:"Time of the decision or closing; null before."`
	UpdatedAt      identity.Stamp  `json:"updated_at" doc:"Time of the last change."`
	Decision       *wf.Decision    `json:"decision,omitempty" doc:"Decision on the task, if any."`
	Request        TaskRequest     `json:"request" doc:"Summary of the task's request."`
	AllowedActions []string        `json:"allowed_actions" doc:"Actions available to the caller."`
	Warnings       []string        `json:"warnings,omitempty" doc:"Possible mistakes of the call or of a decision, such as an approval that ends before it can be used."`
}

// TaskSummary is a task inside a request.
type TaskSummary struct {
	ID             string          `json:"id" format:"uuid" doc:"Identifier of the task."`
	StageKey       string          `json:"stage_key" doc:"Stage of the task."`
	StageRun       int             `json:"stage_run" doc:"Run of the task's stage."`
	Seat           int             `json:"seat" doc:"Seat number in the stage, from 1."`
	Kind           wf.TaskKind     `json:"kind" doc:"approver: a task of an approver. rescue: a task of an admin for a blocked stage."`
	Status         wf.TaskStatus   `json:"status" doc:"Status of the task."`
	Assignee       MaybeUser       `json:"assignee" doc:"Assignee; null for an unclaimed task of a pool."`
	ClaimedBy      *identity.User  `json:"claimed_by,omitempty" doc:"The assignee or a delegate of theirs, for a claimed task."`
	Candidates     []identity.User `json:"candidates" doc:"Users with the right to claim the task now; the first 50."`
	CandidateCount int             `json:"candidate_count" doc:"Number of users with the right to claim the task now."`
	CloseReason    wf.CloseReason  `json:"close_reason,omitempty" doc:"Reason for closing the task without a decision."`
	DueAt          *identity.Stamp `json:"due_at,omitempty" doc:"Due date of the stage."`
	Overdue        bool            `json:"overdue" doc:"The due date is reached and the task is open."`
	Added          string          `json:"added,omitempty" enum:"escalation" doc:"The assignee was added after the start, by the escalation of the stage."`
	CreatedAt      identity.Stamp  `json:"created_at" doc:"Time of creation."`
	ETag           string          `json:"etag" doc:"Entity tag for If-Match."`
}

// TaskRequest is the part of the request that a task includes.
type TaskRequest struct {
	Title        string           `json:"title,omitempty" doc:"Title."`
	Status       wf.RequestStatus `json:"status" doc:"Status of the request."`
	PolicyKey    string           `json:"policy_key" doc:"Policy of the request."`
	ArtifactType string           `json:"artifact_type,omitempty" doc:"Type of the artifact."`
	ArtifactID   string           `json:"artifact_id,omitempty" doc:"Identifier of the artifact in its own system."`
	Requester    identity.User    `json:"requester" doc:"Requester of the approval."`
	Revision     int              `json:"revision" doc:"Revision of the content, from 1."`
	Priority     wf.Priority      `json:"priority" doc:"Priority of the request."`
	Link         string           `json:"link,omitempty" doc:"URL of the artifact."`
}

const shownCandidates = 50

// newTaskSummary returns the summary of a task. siblings must contain the tasks of its pool.
func newTaskSummary(t wf.Task, run wf.StageRun, siblings []wf.Task, now time.Time) TaskSummary {
	claimants := run.EligibleClaimants(t, siblings)
	return TaskSummary{
		ID: t.ID, StageKey: t.StageKey, StageRun: t.StageRun, Seat: t.Seat, Kind: t.Kind, Status: t.Status,
		Assignee: MaybeUser{t.Assignee}, ClaimedBy: t.ClaimedBy, CandidateCount: len(claimants),
		Candidates:  append([]identity.User{}, claimants[:min(len(claimants), shownCandidates)]...),
		CloseReason: t.CloseReason, DueAt: identity.StampOf(run.DueAt), Overdue: t.Overdue(run, now), Added: addedBy(t.Escalated(run)),
		CreatedAt: identity.Stamp{Time: t.CreatedAt}, ETag: ETag(t.Rev),
	}
}

// taskRules returns the rules of a task with their labels.
func taskRules(t wf.Task, run wf.StageRun, stage policy.Stage) (rules []int, labels []string) {
	rules, labels = append([]int{}, t.Rules...), []string{}
	if t.Assignee == nil && t.Kind == wf.ApproverTask && t.Status == wf.TaskOpen {
		rules = append([]int{}, run.UnmetRules(len(stage.Approvers))...)
	}
	for _, rule := range rules {
		if rule < len(stage.Approvers) {
			labels = append(labels, stage.Approvers[rule].String())
		}
	}
	return rules, labels
}

// NewTask returns the view of a task. The request of c must contain the tasks of its pool.
func NewTask(by identity.Actor, c wf.Case, t wf.Task, run wf.StageRun) Task {
	r := c.Request
	stage, _ := c.Definition.Stage(t.StageKey)
	rules, labels := taskRules(t, run, stage)
	return Task{
		TaskSummary: newTaskSummary(t, run, r.Tasks, c.Now), RequestID: t.RequestID, Owner: MaybeUser{t.Owner},
		OnBehalfOf:     c.OnBehalfOf(t, run, by),
		ReassignedFrom: t.ReassignedFrom, PlacedBy: t.PlacedBy, ReassignCount: t.ReassignCount,
		Rules: rules, RuleLabels: labels, Required: t.Required,
		ClaimedAt: identity.StampOf(t.ClaimedAt), CompletedAt: identity.StampOf(t.CompletedAt), UpdatedAt: identity.Stamp{Time: t.UpdatedAt},
		Decision: t.Decision,
		Request: TaskRequest{
			Title: r.Title, Status: r.Status, PolicyKey: r.PolicyKey, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID,
			Requester: r.Requester, Revision: r.Revision, Priority: r.Priority, Link: r.Link,
		},
		AllowedActions: c.TaskActions(t, run, by), Warnings: warningsOf(c),
	}
}

// NewTaskOf returns the view of one task of a request.
func NewTaskOf(by identity.Actor, c wf.Case, id string) Task {
	t, _ := c.Request.Task(id)
	return NewTask(by, c, t, c.Request.Run(t))
}

// Decision is the result of a decision or of its withdrawal.
type Decision struct {
	Task     Task            `json:"task" doc:"Task after the call."`
	Decision wf.Decision     `json:"decision" doc:"Decision."`
	Request  DecisionRequest `json:"request" doc:"Summary of the request after the call."`
}

type DecisionRequest struct {
	ID            string           `json:"id" format:"uuid" doc:"Identifier of the request."`
	Status        wf.RequestStatus `json:"status" doc:"Status of the request."`
	StatusReason  *wf.StatusReason `json:"status_reason,omitempty" doc:"Reason for the status."`
	CurrentStages []string         `json:"current_stages" doc:"Keys of the current stages."`
	Stages        []Stage          `json:"stages" doc:"Runs of all stages, in order."`
}

// NewDecision returns the view of the decision on a task of a request.
func NewDecision(by identity.Actor, c wf.Case, task string) Decision {
	shown, r := NewTaskOf(by, c, task), c.Request
	made := slices.IndexFunc(c.Events, func(e wf.Event) bool { return e.Decision != nil && e.Decision.TaskID == task })
	return Decision{Task: shown, Decision: *c.Events[made].Decision, Request: DecisionRequest{
		ID: r.ID, Status: r.Status, StatusReason: r.StatusReason, CurrentStages: r.Current(), Stages: newStages(c),
	}}
}
