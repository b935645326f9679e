package engine_test

import (
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
)

// renamed is an edit that changes the name alone.
func renamed(name string) engine.Edit {
	return func(d policy.Definition) (policy.Definition, []refusal.Problem, error) {
		d.Name = name
		return d, nil, nil
	}
}

// given is the body of a new version.
func given(d policy.Definition) engine.NewVersion { return engine.NewVersion{Definition: d} }

func TestEditIsReappliedAfterConcurrentEdit(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		_, err := s.Policies.CreatePolicy(ctx, root, "spend", policyOf(stage("check", "ana")))
		must(t, err)
		calls := 0
		after, err := s.Policies.UpdateVersion(ctx, root, "spend", 1, "", func(d policy.Definition) (policy.Definition, []refusal.Problem, error) {
			if calls++; calls == 1 {
				_, err := s.Policies.UpdateVersion(ctx, eve, "spend", 1, "", renamed("Spending"))
				must(t, err)
			}
			d.Description = "What we spend"
			return d, nil, nil
		})
		must(t, err)
		if after.Definition.Name != "Spending" || after.Definition.Description != "What we spend" || calls != 2 {
			t.Errorf("%d calls made %+v", calls, after.Definition)
		}
	})
}
