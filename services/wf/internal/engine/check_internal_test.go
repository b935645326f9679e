package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestADefinitionIsJudgedInTheOrderOfTheDocument(t *testing.T) {
	e := New(Options{Store: &store.Store{},
		HTTPRule: func(r policy.Rule) error { return refusal.New(reason.EngineRefused, "no resolver %s", r.Resolver) }})
	ana := []policy.Rule{{Type: policy.RuleUser, IDs: []string{"ana"}}}
	d := policy.Definition{
		Name: "a\x00b",
		ContextSchema: []byte(`{"type":"object","additionalProperties":false,"required":["kind"],
			"properties":{"kind":{"type":"string"},"count":{"type":"integer"}}}`),
		Settings: policy.Settings{AutoApproveWhen: "context.count > 5", AutoRejectWhen: "context.kind > 5"},
		Stages: []policy.Stage{
			{Key: "a", Name: "A", When: "context.nothing", Approvers: ana, DecisionSchema: []byte(`{"type":"none"}`)},
			{Key: "b", Name: "B", When: "context.count > 5",
				Approvers: append(ana, policy.Rule{Type: policy.RuleExpression, CEL: "context.count"},
					policy.Rule{Type: policy.RuleHTTP, Resolver: "hr"})},
		},
	}
	var got []string
	found := e.Policies.CheckDefinition(d)
	for _, p := range found.Problems {
		got = append(got, "problem "+p.Where)
	}
	for _, p := range found.Warnings {
		got = append(got, "warning "+p.Where)
	}
	want := []string{
		"problem /name", "problem /settings/auto_reject_when", "problem /stages/0/when", "problem /stages/0/decision_schema",
		"problem /stages/1/approvers/1/cel", "problem /stages/1/approvers/2",
		"warning /settings/auto_approve_when", "warning /stages/1/when",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
