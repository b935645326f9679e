package engine

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/schema"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Findings holds the results of a static check of a definition, in document order.
type Findings struct {
	Problems []refusal.Problem // errors; the definition is rejected
	Warnings []refusal.Problem // possible failures or mistakes
}

func (f *Findings) add(one policy.Finding) {
	if one.Problem != "" {
		f.Problems = append(f.Problems, refusal.Problem{Reason: reason.BadPolicy, Where: one.Pointer, Message: one.Problem})
	}
	if one.Warning != "" {
		f.Warnings = append(f.Warnings, refusal.Problem{Where: one.Pointer, Message: one.Warning})
	}
}

// CheckDefinition compiles the expressions, schemas and rules of a definition. It may take some milliseconds, so it
// runs before a transaction.
func (e *Policies) CheckDefinition(d policy.Definition) Findings {
	keys := make([]string, len(d.Stages))
	for i, stage := range d.Stages {
		keys[i] = stage.Key
	}
	conditions := condition.NewChecker(d.ContextSchema, d.Settings.Zone(), keys...)
	var found Findings
	add := func(pointer string, warnings []string, err error) {
		if err != nil {
			found.add(policy.Finding{Pointer: pointer, Problem: refusal.MessageOf(err)})
		}
		for _, warning := range warnings {
			found.add(policy.Finding{Pointer: pointer, Warning: warning})
		}
	}
	for _, f := range d.Validate(policy.Capabilities{Directory: e.Directory, Resolvers: e.HTTPRule != nil}) {
		switch {
		case f.Expression != nil:
			warnings, err := conditions.Check(f.Expression.CEL, f.Expression.Yields, f.Expression.Absent...)
			add(f.Pointer, warnings, err)
		case f.Schema != nil:
			add(f.Pointer, nil, schema.Check(f.Schema))
		case f.HTTPRule != nil:
			add(f.Pointer, nil, e.HTTPRule(*f.HTTPRule))
		default:
			found.add(f)
		}
	}
	return found
}
