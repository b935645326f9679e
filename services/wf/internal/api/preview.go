package api

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
)

type previewInput struct {
	PolicyPath
	Body struct {
		Draft
		Priority wf.Priority       `json:"priority,omitempty" doc:"Priority of the request; normal when absent."`
		Labels   map[string]string `json:"labels,omitempty" maxProperties:"20" doc:"Labels of the request."`
	}
}

func (in *previewInput) checkInput() error { return in.Body.check("", in.Body.Labels) }

// previewView is the expected course of a request, limited to the requester's rights.
type previewView struct {
	PolicyKey     string           `json:"policy_key" doc:"Key of the policy."`
	PolicyVersion int              `json:"policy_version" doc:"The active version, which would judge the request."`
	Status        wf.RequestStatus `json:"status" doc:"Status that the request would begin with."`
	StatusReason  *wf.StatusReason `json:"status_reason,omitempty" doc:"Why it would have this status."`
	ExpiresAt     *identity.Stamp  `json:"expires_at" nullable:"true" doc:"When it would expire."`
	view.Validity
	Stages []previewStageView `json:"stages" doc:"The stages in their order; none when the policy decides by itself."`
}

// ForecastStage is the part of a stage that a preview and a simulation have in common.
type ForecastStage struct {
	Key           string            `json:"key" doc:"Key of the stage."`
	Name          string            `json:"name" doc:"Name for people."`
	ParallelGroup string            `json:"parallel_group,omitempty" doc:"Adjacent stages with the same value run together."`
	Assignment    policy.Assignment `json:"assignment" doc:"each: a task for each approver. pool: approvers share their tasks."`
	view.StageDates
}

func forecast(run wf.StageRun, stage policy.Stage, d policy.Definition) ForecastStage {
	return ForecastStage{
		run.Key, run.Name, run.ParallelGroup, cmp.Or(stage.Assignment, policy.AssignmentEach), view.NewStageDates(run, d),
	}
}

type previewStageView struct {
	ForecastStage
	Status        wf.StageStatus       `json:"status" doc:"active: asked at once. pending: asked later. skipped: not asked, for a pending stage as far as is known now."`
	Rules         []string             `json:"rules" doc:"Description of the approvers in the policy."`
	Approvers     []identity.User      `json:"approvers" doc:"Users who would get a task immediately; empty for a pool and a pending stage."`
	Excluded      []approver.Exclusion `json:"excluded" doc:"Users that a rule yields and that may not approve, of a stage that starts at once."`
	ApproverCount *int                 `json:"approver_count" nullable:"true" doc:"How many people could approve; null for a stage that does not start at once."`
	Need          *int                 `json:"need" nullable:"true" doc:"How many approvals it would need; null for a stage that does not start at once."`
}

func (h requestHandlers) previewRequest(ctx context.Context, in *previewInput) (result[previewView], error) {
	b := in.Body
	preview, err := h.engine.Requests.PreviewRequest(ctx, actorOf(ctx), engine.RequestInput{
		PolicyKey: in.Key, Context: b.canonical, ContextHash: b.hash, ArtifactType: b.ArtifactType, ArtifactID: b.ArtifactID,
		Requester: b.Requester, Priority: cmp.Or(b.Priority, wf.PriorityNormal), Labels: b.Labels,
	})
	return result[previewView]{Value: viewPreview(preview)}, err
}

func viewPreview(p wf.Case) previewView {
	r := p.Request
	whole := previewView{
		PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Status: r.Status, StatusReason: r.StatusReason,
		ExpiresAt: view.Stamp(r.ExpiresAt), Validity: view.NewValidity(r, p.Definition.Settings), Stages: []previewStageView{},
	}
	for _, run := range r.Stages {
		stage, _ := p.Definition.Stage(run.Key)
		if engine.Skips(p, run) {
			run.Status = wf.StageSkipped
		}
		shown := previewStageView{
			ForecastStage: forecast(run, stage, p.Definition), Status: run.Status,
			Rules: view.List(run.Computed.Applying(stage.Approvers), policy.Rule.Name), Approvers: []identity.User{},
			Excluded: []approver.Exclusion{},
		}
		if run.Status == wf.StageActive || run.Status == wf.StageBlocked {
			approvers := view.NewApprovers(stage, run, r.Tasks)
			shown.Excluded = append(shown.Excluded, run.Excluded...)
			count := len(approvers)
			shown.ApproverCount, shown.Need = &count, &run.Count.Need
			if !run.Pool {
				shown.Approvers = view.List(approvers, func(a view.Approver) identity.User { return a.User })
			}
		}
		whole.Stages = append(whole.Stages, shown)
	}
	return whole
}

type usablePoliciesInput struct {
	Paged
	Q string `query:"q" maxLength:"200" doc:"Part of the key or the name."`
}

// usablePolicyView holds the policy data for the creation of a request.
type usablePolicyView struct {
	PolicyKey     string          `json:"policy_key" doc:"Key of the policy."`
	PolicyVersion int             `json:"policy_version" doc:"The active version."`
	Name          string          `json:"name" doc:"Name for people."`
	Description   string          `json:"description,omitempty" doc:"Purpose of the policy."`
	ArtifactType  string          `json:"artifact_type,omitempty" doc:"The type that requests must have, if there is one."`
	ContextSchema json.RawMessage `json:"context_schema,omitempty" doc:"JSON Schema that the context must fit, if there is one."`
}

type usablePoliciesView struct {
	Page[usablePolicyView]
	Incomplete bool `json:"incomplete,omitempty" doc:"true when a directory does not answer, so that policies may be missing."`
}

func (h policyHandlers) listUsablePolicies(ctx context.Context, in *usablePoliciesInput) (result[usablePoliciesView], error) {
	usable, next, err := h.engine.Policies.ListUsablePolicies(ctx, actorOf(ctx), in.Q, in.page())
	return result[usablePoliciesView]{Value: usablePoliciesView{
		Incomplete: usable.Unknown > 0,
		Page: pageOf(usable.Versions, next, func(v policy.Version) usablePolicyView {
			d := v.Definition
			return usablePolicyView{
				PolicyKey: v.Key, PolicyVersion: v.Number, Name: d.Name, Description: d.Description,
				ArtifactType: d.ArtifactType, ContextSchema: d.ContextSchema,
			}
		}),
	}}, err
}
