package api

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// taskHandlers serves the operations on tasks.
type taskHandlers struct{ *API }

func (h taskHandlers) mount() {
	register(h.API, operation{"listTasks", get, "/v1/wf/tasks", anyone, 200, nil,
		"List tasks; without a role, the caller's own"}, h.listTasks)
	register(h.API, operation{"getTaskStats", get, "/v1/wf/tasks/stats", anyone, 200, nil,
		"Count tasks by status and policy"}, h.getTaskStats)
	register(h.API, operation{"getTask", get, "/v1/wf/tasks/{id}", anyone, 200, nil, "Read a task"}, h.getTask)
	register(h.API, operation{"claimTask", post, "/v1/wf/tasks/{id}/claim", anyone, 200,
		[]error{reason.WrongState, reason.ResolverFailed}, "Claim a task"}, h.claimTask)
	register(h.API, operation{"unclaimTask", post, "/v1/wf/tasks/{id}/unclaim", anyone, 200,
		[]error{reason.WrongState}, "Release a task"}, h.unclaimTask)
	register(h.API, operation{"decideTask", post, "/v1/wf/tasks/{id}/decision", anyone, 200,
		[]error{reason.RequestNotFound, reason.WrongState, reason.ResolverFailed, reason.KeyReused},
		"Decide a task"}, h.decideTask)
	register(h.API, operation{"withdrawTask", post, "/v1/wf/tasks/{id}/withdraw", anyone, 200,
		[]error{reason.WrongState, reason.KeyReused}, "Withdraw a decision"}, h.withdrawTask)
	register(h.API, operation{"reassignTask", post, "/v1/wf/tasks/{id}/reassign", anyone, 200,
		[]error{reason.RequestNotFound, reason.WrongState, reason.ResolverFailed, reason.KeyReused},
		"Reassign a task"}, h.reassignTask)
}

type claimTaskInput struct {
	Identified
	Guarded
	Body *struct {
		OnBehalfOf string `json:"on_behalf_of,omitempty" minLength:"1" maxLength:"255" doc:"User id of the delegator; the newest delegation applies when absent."`
	}
}

func (h taskHandlers) claimTask(ctx context.Context, in *claimTaskInput) (result[view.Task], error) {
	return renderedReply[view.Task](h.engine.Tasks.ClaimTask(ctx, actorOf(ctx), in.ID, bodyOrZero(in.Body).OnBehalfOf, in.IfMatch))
}

func (h taskHandlers) unclaimTask(ctx context.Context, in *objectInput) (result[view.Task], error) {
	return renderedReply[view.Task](h.engine.Tasks.UnclaimTask(ctx, actorOf(ctx), in.ID, in.IfMatch))
}

type decideTaskInput struct {
	Identified
	Guarded
	Keyed
	Body struct {
		Action              wf.Action       `json:"action" doc:"The decision."`
		Comment             string          `json:"comment,omitempty" maxLength:"4096" doc:"Comment; the policy may require one."`
		Attachments         []wf.Attachment `json:"attachments,omitempty" maxItems:"20" doc:"References to documents that belong to the decision."`
		Data                view.Object     `json:"data,omitempty" doc:"Data by the stage's decision_schema."`
		OnBehalfOf          string          `json:"on_behalf_of,omitempty" minLength:"1" maxLength:"255" doc:"User id of the delegator; the newest delegation applies when absent."`
		ExpectedContextHash string          `json:"expected_context_hash,omitempty" minLength:"1" maxLength:"80" doc:"The content that the person saw; other content is a conflict."`
		ExpectedRevision    int             `json:"expected_revision,omitempty" minimum:"1" maximum:"1000" doc:"Revision that the person saw; another one is a conflict."`
	}
}

func (in *decideTaskInput) checkInput() error { return checkAttachments(in.Body.Attachments) }

func (h taskHandlers) decideTask(ctx context.Context, in *decideTaskInput) (result[view.Decision], error) {
	b := in.Body
	return renderedReply[view.Decision](h.engine.Tasks.DecideTask(ctx, actorOf(ctx), in.ID, wf.DecisionInput{
		Action: b.Action, Comment: b.Comment, Attachments: b.Attachments, Data: b.Data.RawMessage, OnBehalfOf: b.OnBehalfOf,
		ExpectedContextHash: b.ExpectedContextHash, ExpectedRevision: b.ExpectedRevision,
	}, in.IfMatch, in.key))
}

// withdrawTaskInput is a cancelRequestInput with its own name in the document.
type withdrawTaskInput cancelRequestInput

func (h taskHandlers) withdrawTask(ctx context.Context, in *withdrawTaskInput) (result[view.Decision], error) {
	return renderedReply[view.Decision](
		h.engine.Tasks.WithdrawTask(ctx, actorOf(ctx), in.ID, bodyOrZero(in.Body).Reason, in.IfMatch, in.key))
}

type reassignTaskInput struct {
	Identified
	Guarded
	Keyed
	Body struct {
		NewAssignee string `json:"new_assignee" minLength:"1" maxLength:"255" doc:"User id."`
		Reason      string `json:"reason,omitempty" maxLength:"4096" doc:"Reason, for people; the policy may require one."`
	}
}

func (in *reassignTaskInput) checkInput() error {
	if err := identity.CheckUserID(in.Body.NewAssignee); err != nil {
		return refusal.At(reason.BadInput, "/new_assignee", "%s", err)
	}
	return nil
}

func (h taskHandlers) reassignTask(ctx context.Context, in *reassignTaskInput) (result[view.Task], error) {
	by, b := actorOf(ctx), in.Body
	return renderedReply[view.Task](h.engine.Tasks.ReassignTask(ctx, by, in.ID, b.NewAssignee, b.Reason, in.IfMatch, in.key))
}

func (h taskHandlers) getTask(ctx context.Context, in *Identified) (result[view.Task], error) {
	by := actorOf(ctx)
	c, err := h.engine.Tasks.GetTask(ctx, by, in.ID)
	if err != nil {
		return result[view.Task]{}, err
	}
	shown := view.NewTaskOf(by, c, in.ID)
	return result[view.Task]{Value: shown, ETag: shown.ETag}, nil
}

// flag is an optional true or false in a query.
type flag string

// Values returns every value.
func (flag) Values() []flag { return []flag{"true", "false"} }

// value returns nil for an absent flag.
func (f flag) value() *bool {
	if f == "" {
		return nil
	}
	return new(f == "true")
}

type listTasksInput struct {
	Paged
	Assignee     string          `query:"assignee" maxLength:"255" doc:"User id, or me."`
	Candidate    string          `query:"candidate" maxLength:"255" doc:"User id, or me: tasks that the person could claim."`
	Inbox        string          `query:"inbox" maxLength:"255" doc:"User id, or me: assigned tasks and those that the person could claim; of the caller also those of their delegators."`
	Status       []wf.TaskStatus `query:"status" doc:"Tasks in one of these states."`
	StageKey     []string        `query:"stage_key,explode" maxItems:"50" doc:"Tasks of one of these stages."`
	PolicyKey    []string        `query:"policy_key,explode" maxItems:"50" doc:"Tasks of one of these policies."`
	ArtifactType []string        `query:"artifact_type,explode" maxItems:"50" doc:"Tasks about one of these types."`
	Kind         wf.TaskKind     `query:"kind" doc:"Tasks of approvers, or rescue tasks of blocked stages."`
	RequestID    string          `query:"request_id" format:"uuid" doc:"Tasks of this request."`
	Q            string          `query:"q" maxLength:"200" doc:"Part of the request's title or artifact id."`
	Overdue      flag            `query:"overdue" doc:"true: open tasks past their due date. false: all others."`
	DueBefore    time.Time       `query:"due_before" doc:"Tasks due before, exclusive."`
	Sort         string          `query:"sort" enum:"created_at,priority,due_at" doc:"created_at, newest first, when absent. priority is the most urgent first, and of those the oldest. due_at is the earliest first; tasks without a due date are last."`
}

func (in listTasksInput) filter(by identity.Actor) wf.TaskFilter {
	return wf.TaskFilter{
		Assignee: resolveMe(in.Assignee, by), Candidate: resolveMe(in.Candidate, by), Inbox: resolveMe(in.Inbox, by), Status: in.Status,
		StageKey: in.StageKey, PolicyKey: in.PolicyKey, ArtifactType: in.ArtifactType, Kind: in.Kind,
		RequestID: plainID(in.RequestID), Q: in.Q, Sort: in.Sort,
		Due: wf.DueFilter{Overdue: in.Overdue.value(), Before: in.DueBefore},
	}
}

func (h taskHandlers) listTasks(ctx context.Context, in *listTasksInput) (result[Page[view.Task]], error) {
	by := actorOf(ctx)
	items, next, err := h.engine.Tasks.ListTasks(ctx, by, in.filter(by), in.page())
	return listReply(items, next, err, func(i wf.TaskItem) view.Task {
		return view.NewTask(by, i.Case(), i.Task, i.Run)
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
	Overdue   int64         `json:"overdue" doc:"How many of these are past their due date."`
}

func (h taskHandlers) getTaskStats(ctx context.Context, in *taskStatsInput) (result[taskStatsView], error) {
	by := actorOf(ctx)
	counts, more, err := h.engine.Tasks.GetTaskStats(ctx, by, wf.TaskFilter{Assignee: resolveMe(in.Assignee, by), Inbox: resolveMe(in.Inbox, by)})
	view := taskStatsView{More: more, Counts: []taskCountRow{}}
	for _, c := range counts {
		view.Total += c.Count
		view.Counts = append(view.Counts, taskCountRow{c.PolicyKey, c.Status, c.Count, c.Overdue})
	}
	return result[taskStatsView]{Value: view}, err
}
