package api

import (
	"context"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// diffView is the difference between two versions of a policy.
type diffView struct {
	Stages   []stageDiffView `json:"stages" doc:"Changed stages: those of the version in order, then the removed ones."`
	Settings []string        `json:"settings" doc:"Names of the changed members of settings."`
	Members  []string        `json:"members" doc:"Names of the other changed members, except change_note."`
}

type stageDiffView struct {
	Key              string            `json:"key" doc:"Key of the stage."`
	Change           policy.ChangeKind `json:"change" doc:"Kind of the difference. A stage that has changed and moved is changed."`
	Members          []string          `json:"members" doc:"Names of the changed members, except approvers."`
	ApproversAdded   []policy.Rule     `json:"approvers_added" doc:"Approver rules of the version only."`
	ApproversRemoved []policy.Rule     `json:"approvers_removed" doc:"Approver rules of the other version only."`
}

func viewDiff(r policy.Replacement) diffView {
	return diffView{
		Stages: view.List(r.Stages, viewStageDiff), Settings: append([]string{}, r.Settings...), Members: append([]string{}, r.Members...),
	}
}

func viewStageDiff(c policy.StageChange) stageDiffView {
	return stageDiffView{
		Key: c.Key(), Change: c.Kind(), Members: append([]string{}, c.Members...),
		ApproversAdded: append([]policy.Rule{}, c.Added...), ApproversRemoved: append([]policy.Rule{}, c.Gone...),
	}
}

type compareVersionsInput struct {
	Versioned
	Against int `query:"against" required:"true" doc:"Number of the other version, from 1."`
}

func (h policyHandlers) compareVersions(ctx context.Context, in *compareVersionsInput) (result[diffView], error) {
	var none result[diffView]
	if in.Against < 1 || in.Against > 1<<30 {
		return none, refusal.New(reason.PolicyNotFound, "no version %d of policy %.64q", in.Against, in.Key)
	}
	version, err := h.engine.Policies.GetVersion(ctx, in.Key, in.number)
	if err != nil {
		return none, err
	}
	other, err := h.engine.Policies.GetVersion(ctx, in.Key, in.Against)
	return result[diffView]{Value: viewDiff(version.Definition.CompareWith(other.Definition))}, err
}
