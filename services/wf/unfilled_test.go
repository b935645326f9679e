package wf

import (
	"testing"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

func TestARequiredRuleWithoutApproversNeedsOneRequiredRescue(t *testing.T) {
	stage := policy.Stage{Approvers: []policy.Rule{{Required: true}, {}}}
	rescue := Task{Kind: RescueTask, Rescue: true, Required: true, Added: true, Status: TaskOpen}
	with := func(change func(*Task)) []Task {
		one := rescue
		change(&one)
		return []Task{one}
	}
	covered := StageRun{People: []approver.Approver{{User: identity.User{ID: "ana"}, Rules: []int{0}}}}
	other := StageRun{People: []approver.Approver{{User: identity.User{ID: "bo"}, Rules: []int{1}}}}
	for name, tt := range map[string]struct {
		run   StageRun
		tasks []Task
		want  int
	}{
		"no approver":                         {StageRun{}, nil, 1},
		"an approver of the other rule":       {other, nil, 1},
		"an approver of the rule":             {covered, nil, 0},
		"a required rescue":                   {StageRun{}, []Task{rescue}, 0},
		"two of them":                         {StageRun{}, []Task{rescue, rescue}, 0},
		"an approver and a rescue":            {covered, []Task{rescue}, 0},
		"a rescue that was closed":            {StageRun{}, with(func(t *Task) { t.CloseReason = ClosedApproverLost }), 1},
		"a rescue that is not required":       {StageRun{}, with(func(t *Task) { t.Required = false }), 1},
		"a rescue of a seat of the start":     {StageRun{}, with(func(t *Task) { t.Added = false }), 1},
		"a rescue that replaces another seat": {StageRun{}, with(func(t *Task) { t.Replaces = 1 }), 1},
		"a required task of another kind":     {StageRun{}, with(func(t *Task) { t.Rescue = false }), 1},
	} {
		if got := tt.run.countUnfilled(stage, tt.tasks); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
