package api

import (
	"context"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// taskView is the API representation of a task.
type taskView struct {
	TaskSummaryView
	RequestID      string          `json:"request_id" format:"uuid" doc:"Request that the task belongs to."`
	Owner          maybeUser       `json:"owner" doc:"Who held the task first."`
	DelegationID   string          `json:"delegation_id,omitempty" doc:"Delegation by which the assignee stands in."`
	SharedWith     *identity.User  `json:"shared_with,omitempty" doc:"A delegate who may act as well."`
	ReassignedFrom *identity.User  `json:"reassigned_from,omitempty" doc:"Who had the task before."`
	PlacedBy       *identity.User  `json:"placed_by,omitempty" doc:"The admin who put the assignee on a rescue task; the rules do not select them."`
	ReassignCount  int             `json:"reassign_count" doc:"How often the task was handed on."`
	Rules          []int           `json:"rules" doc:"Indexes of the rules that yielded the holder; of a person placed by an admin, every rule, because their approval counts for each; of an unassigned task, the rules whose people may take it now."`
	RuleLabels     []string        `json:"rule_labels" doc:"Names of these rules."`
	Required       bool            `json:"required" doc:"The holder must approve: a rule with required names them, or the task is the rescue of such a rule without people."`
	ClaimedAt      *identity.Stamp `json:"claimed_at" nullable:"true" doc:"When it was claimed; null while it is not."`
	CompletedAt    *identity.Stamp `json:"completed_at" nullable:"true" doc:"When it was decided or closed; null before."`
	UpdatedAt      identity.Stamp  `json:"updated_at" doc:"When it last changed."`
	Decision       *wf.Decision    `json:"decision,omitempty" doc:"The decision, once there is one."`
	Request        taskRequest     `json:"request" doc:"Summary of the request that the task belongs to."`
	AllowedActions []string        `json:"allowed_actions" doc:"What this caller may do now."`
}

// TaskSummaryView is a task inside a request.
type TaskSummaryView struct {
	ID             string          `json:"id" format:"uuid" doc:"Identifier of the task."`
	StageKey       string          `json:"stage_key" doc:"Stage that the task belongs to."`
	StageRun       int             `json:"stage_run" doc:"Run of the stage that the task belongs to."`
	Seat           int             `json:"seat" doc:"Which place in the stage the task fills, from 1."`
	Kind           wf.TaskKind     `json:"kind" doc:"approver: a person decides. rescue: an admin finds an approver for a blocked stage."`
	Status         wf.TaskStatus   `json:"status" doc:"Status of the task."`
	Assignee       maybeUser       `json:"assignee" doc:"Whom the task is assigned to; null for a task of a pool that nobody has taken."`
	OnBehalfOf     *identity.User  `json:"on_behalf_of,omitempty" doc:"For whom the assignee stands in."`
	Candidates     []identity.User `json:"candidates" doc:"Who may claim it now; the first 50."`
	CandidateCount int             `json:"candidate_count" doc:"How many people may claim it now."`
	CloseReason    wf.CloseReason  `json:"close_reason,omitempty" doc:"Why the task was closed undecided."`
	CreatedAt      identity.Stamp  `json:"created_at" doc:"When it was created."`
	ETag           string          `json:"etag" doc:"Entity tag, for If-Match."`
}

// taskRequest is the part of the request that a task includes.
type taskRequest struct {
	Title        string           `json:"title,omitempty" doc:"Title for people."`
	Status       wf.RequestStatus `json:"status" doc:"Status of the request."`
	PolicyKey    string           `json:"policy_key" doc:"Policy of the request."`
	ArtifactType string           `json:"artifact_type,omitempty" doc:"Type of what is to be approved."`
	ArtifactID   string           `json:"artifact_id,omitempty" doc:"Identifier of what is to be approved, in the system that holds it."`
	Requester    identity.User    `json:"requester" doc:"Who asks for approval."`
	Revision     int              `json:"revision" doc:"Revision of the content, from 1."`
	Priority     wf.Priority      `json:"priority" doc:"Priority of the request."`
	Link         string           `json:"link,omitempty" doc:"Where people can look at what is to be approved."`
}

const shownCandidates = 50

// viewTaskSummary returns the summary of a task. siblings must contain the tasks of its pool.
func viewTaskSummary(t wf.Task, run wf.StageRun, siblings []wf.Task) TaskSummaryView {
	takers := run.Offered(t, siblings)
	return TaskSummaryView{
		ID: t.ID, StageKey: t.StageKey, StageRun: t.StageRun, Seat: t.Seat, Kind: t.Kind, Status: t.Status,
		Assignee: maybeUser{t.Assignee}, OnBehalfOf: t.OnBehalfOf, CandidateCount: len(takers),
		Candidates:  views(takers[:min(len(takers), shownCandidates)], func(t wf.Taker) identity.User { return t.User }),
		CloseReason: t.CloseReason, CreatedAt: identity.Stamp{Time: t.CreatedAt}, ETag: engine.ETag(t.Rev),
	}
}

// taskRules returns the rules of a task with their labels.
func taskRules(t wf.Task, run wf.StageRun, stage policy.Stage) (rules []int, labels []string) {
	rules, labels = append([]int{}, t.Rules...), []string{}
	if t.Assignee == nil && t.Kind == wf.ApproverTask && t.Status == wf.TaskOpen {
		rules = append([]int{}, run.WantedRules(len(stage.Approvers))...)
	}
	for _, rule := range rules {
		if rule < len(stage.Approvers) {
			labels = append(labels, stage.Approvers[rule].String())
		}
	}
	return rules, labels
}

// viewTask returns the view of a task. r must contain the tasks of its pool.
func viewTask(by identity.Actor, t wf.Task, run wf.StageRun, def policy.Definition, r wf.Request) taskView {
	stage, _ := def.Stage(t.StageKey)
	rules, labels := taskRules(t, run, stage)
	return taskView{
		TaskSummaryView: viewTaskSummary(t, run, r.Tasks), RequestID: t.RequestID, Owner: maybeUser{t.Owner}, DelegationID: t.DelegationID, SharedWith: t.SharedWith,
		ReassignedFrom: t.ReassignedFrom, PlacedBy: t.PlacedBy, ReassignCount: t.ReassignCount, Rules: rules, RuleLabels: labels, Required: t.Required,
		ClaimedAt: identity.StampOf(t.ClaimedAt), CompletedAt: identity.StampOf(t.CompletedAt), UpdatedAt: identity.Stamp{Time: t.UpdatedAt},
		Decision: t.Decision,
		Request: taskRequest{
			Title: r.Title, Status: r.Status, PolicyKey: r.PolicyKey, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID,
			Requester: r.Requester, Revision: r.Revision, Priority: r.Priority, Link: r.Link,
		},
		AllowedActions: r.TaskActions(def, t, run, by),
	}
}

// showTask returns the view of one task of a case.
func showTask(id string) func(context.Context, engine.Case) (view taskView, etag string) {
	return func(ctx context.Context, c engine.Case) (taskView, string) {
		t, _ := c.Request.Task(id)
		view := viewTask(actorOf(ctx), t, c.Request.Run(t), c.Definition, c.Request)
		return view, view.ETag
	}
}

func (a *API) claimTask(ctx context.Context, in *objectInput) (result[taskView], error) {
	return a.onTask(ctx, in, a.engine.ClaimTask)
}

func (a *API) unclaimTask(ctx context.Context, in *objectInput) (result[taskView], error) {
	return a.onTask(ctx, in, a.engine.UnclaimTask)
}

type taskStep func(context.Context, identity.Actor, string, string, engine.Repeatable) (engine.Reply, error)

// onTask handles an operation on a task without a body.
func (a *API) onTask(ctx context.Context, in *objectInput, step taskStep) (result[taskView], error) {
	return repeatable(ctx, a, web.Idempotent{}, in.ID, showTask(in.ID), func(rep engine.Repeatable) (engine.Reply, error) {
		return step(ctx, actorOf(ctx), in.ID, in.IfMatch, rep)
	})
}

type decideTaskInput struct {
	Identified
	Guarded
	web.Idempotent
	Body struct {
		Action              wf.Action       `json:"action" doc:"What the person decides."`
		Comment             string          `json:"comment,omitempty" maxLength:"4096" doc:"Comment; the policy may require one."`
		Attachments         []wf.Attachment `json:"attachments,omitempty" maxItems:"20" doc:"References to documents that belong to the decision."`
		Data                object          `json:"data,omitempty" doc:"What the stage's decision_schema asks for."`
		ExpectedContextHash string          `json:"expected_context_hash,omitempty" minLength:"1" maxLength:"80" doc:"The content that the person saw; other content is a conflict."`
		ExpectedRevision    int             `json:"expected_revision,omitempty" minimum:"1" maximum:"1000" doc:"Revision that the person saw; another one is a conflict."`
	}
}

// decisionView is the result of a decision.
type decisionView struct {
	Task     taskView        `json:"task" doc:"The task after the decision."`
	Decision wf.Decision     `json:"decision" doc:"The decision."`
	Request  decisionRequest `json:"request" doc:"Summary of the request after the decision."`
}

type decisionRequest struct {
	ID            string           `json:"id" format:"uuid" doc:"Identifier of the request."`
	Status        wf.RequestStatus `json:"status" doc:"Status of the request."`
	StatusReason  *wf.StatusReason `json:"status_reason,omitempty" doc:"Why the request has this status."`
	CurrentStages []string         `json:"current_stages" doc:"Keys of the stages that run now."`
	Stages        []stageView      `json:"stages" doc:"Every run of every stage, in order."`
}

func (a *API) decideTask(ctx context.Context, in *decideTaskInput) (result[decisionView], error) {
	var none result[decisionView]
	if err := checkAttachments(in.Body.Attachments); err != nil {
		return none, err
	}
	if err := known(in.ID, reason.TaskNotFound); err != nil {
		return none, err
	}
	b := in.Body
	show := func(ctx context.Context, c engine.Case) (decisionView, string) {
		task, etag := showTask(in.ID)(ctx, c)
		return decisionView{Task: task, Decision: *task.Decision, Request: decisionRequest{
			ID: c.Request.ID, Status: c.Request.Status, StatusReason: c.Request.StatusReason, CurrentStages: c.Request.Current(), Stages: viewStages(c),
		}}, etag
	}
	return repeatable(ctx, a, in.Idempotent, in.ID, show, func(rep engine.Repeatable) (engine.Reply, error) {
		return a.engine.DecideTask(ctx, actorOf(ctx), in.ID, wf.DecisionInput{
			Action: b.Action, Comment: b.Comment, Attachments: b.Attachments, Data: b.Data.RawMessage,
			ExpectedContextHash: b.ExpectedContextHash, ExpectedRevision: b.ExpectedRevision,
		}, in.IfMatch, rep)
	})
}

type reassignTaskInput struct {
	Identified
	Guarded
	web.Idempotent
	Body struct {
		NewAssignee string `json:"new_assignee" minLength:"1" maxLength:"255" doc:"User id."`
		Reason      string `json:"reason,omitempty" maxLength:"4096" doc:"Reason, for people; the policy may require one."`
	}
}

func (a *API) reassignTask(ctx context.Context, in *reassignTaskInput) (result[taskView], error) {
	var none result[taskView]
	if err := identity.CheckUserID(in.Body.NewAssignee); err != nil {
		return none, refusal.At(reason.BadInput, "/new_assignee", "%s", err)
	}
	if err := known(in.ID, reason.TaskNotFound); err != nil {
		return none, err
	}
	return repeatable(ctx, a, in.Idempotent, in.ID, showTask(in.ID), func(rep engine.Repeatable) (engine.Reply, error) {
		return a.engine.ReassignTask(ctx, actorOf(ctx), in.ID, in.Body.NewAssignee, in.Body.Reason, in.IfMatch, rep)
	})
}

func (a *API) getTask(ctx context.Context, in *Identified) (result[taskView], error) {
	c, err := a.engine.Task(ctx, actorOf(ctx), in.ID)
	if err != nil {
		return result[taskView]{}, err
	}
	view, etag := showTask(in.ID)(ctx, c)
	return result[taskView]{Value: view, ETag: etag}, nil
}

type listTasksInput struct {
	Paged
	Assignee     string          `query:"assignee" maxLength:"255" doc:"User id, or me."`
	Candidate    string          `query:"candidate" maxLength:"255" doc:"User id, or me: tasks that the person could claim."`
	Inbox        string          `query:"inbox" maxLength:"255" doc:"User id, or me: assigned tasks and those that the person could claim."`
	Status       []wf.TaskStatus `query:"status" doc:"Tasks in one of these states."`
	StageKey     []string        `query:"stage_key" maxItems:"50" doc:"Tasks of one of these stages."`
	PolicyKey    []string        `query:"policy_key" maxItems:"50" doc:"Tasks of one of these policies."`
	ArtifactType []string        `query:"artifact_type" maxItems:"50" doc:"Tasks about one of these types. One with a comma in it cannot be named here."`
	Kind         wf.TaskKind     `query:"kind" doc:"Tasks of approvers, or of admins who help a blocked stage."`
	RequestID    string          `query:"request_id" format:"uuid" doc:"Tasks of this request."`
	Q            string          `query:"q" maxLength:"200" doc:"Part of the request's title or artifact id. A page may then have fewer items than there is room for, or none, and a next_cursor: what is left is looked through from there on."`
	Sort         string          `query:"sort" enum:"created_at,priority" doc:"created_at, newest first, when absent. priority is the most urgent first, and of those the oldest."`
}

func (in listTasksInput) filter(by identity.Actor) wf.TaskFilter {
	return wf.TaskFilter{
		Assignee: me(in.Assignee, by), Candidate: me(in.Candidate, by), Inbox: me(in.Inbox, by), Status: in.Status,
		StageKey: in.StageKey, PolicyKey: in.PolicyKey, ArtifactType: in.ArtifactType, Kind: in.Kind, RequestID: plainID(in.RequestID), Q: in.Q, Sort: in.Sort,
	}
}

func (a *API) listTasks(ctx context.Context, in *listTasksInput) (result[Page[taskView]], error) {
	by := actorOf(ctx)
	items, next, err := a.engine.Tasks(ctx, by, in.filter(by), in.page())
	return listed(items, next, err, func(i wf.TaskItem) taskView {
		i.Request.Tasks = append(i.Siblings, i.Task)
		return viewTask(by, i.Task, i.Run, i.Policy, i.Request)
	})
}

type taskStatsInput struct {
	Assignee string `query:"assignee" maxLength:"255" doc:"User id, or me."`
	Inbox    string `query:"inbox" maxLength:"255" doc:"User id, or me."`
}

// taskStatsView counts tasks.
type taskStatsView struct {
	Total  int64          `json:"total" doc:"How many tasks there are; at most 10,000."`
	More   bool           `json:"more,omitempty" doc:"true when there are more than 10,000 tasks: counts are of 10,000 of them."`
	Counts []taskCountRow `json:"counts" doc:"How many by policy and status."`
}

type taskCountRow struct {
	PolicyKey string        `json:"policy_key" doc:"Key of the policy."`
	Status    wf.TaskStatus `json:"status" doc:"Status of the tasks."`
	Count     int64         `json:"count" doc:"How many tasks."`
}

func (a *API) getTaskStats(ctx context.Context, in *taskStatsInput) (result[taskStatsView], error) {
	by := actorOf(ctx)
	counts, more, err := a.engine.TaskStats(ctx, by, wf.TaskFilter{Assignee: me(in.Assignee, by), Inbox: me(in.Inbox, by)})
	view := taskStatsView{More: more, Counts: []taskCountRow{}}
	for _, c := range counts {
		view.Total += c.Count
		view.Counts = append(view.Counts, taskCountRow{c.PolicyKey, c.Status, c.Count})
	}
	return result[taskStatsView]{Value: view}, err
}
