package engine_test

import (
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// unchanged is an edit that changes nothing.
func unchanged(d policy.Definition) (policy.Definition, []refusal.Problem, error) { return d, nil, nil }

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

func TestFourEyesSeeAVersionBeforeItIsActive(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		s = s.with(func(o *engine.Options) { o.FourEyes = true })
		activate := func(what string, by identity.Actor, number int, want refusal.Reason) {
			t.Helper()
			seen, err := s.Policies.GetVersion(ctx, "spend", number)
			must(t, err)
			_, err = s.Policies.ActivateVersion(ctx, by, "spend", number, "", seen.ContentHash)
			refused(t, what, err, want)
		}
		_, err := s.Policies.CreatePolicy(ctx, root, "spend", policyOf(stage("check", "ana")))
		must(t, err)
		for _, any := range []string{"", "*"} {
			_, err = s.Policies.ActivateVersion(ctx, eve, "spend", 1, any, "")
			refused(t, "content that the caller does not name", err, reason.BadInput)
		}
		activate("its author", root, 1, reason.Forbidden)
		same, err := s.Policies.UpdateVersion(ctx, eve, "spend", 1, "", unchanged)
		must(t, err)
		if same.Rev != 1 {
			t.Errorf("an edit of nothing has changed the entity tag to %d", same.Rev)
		}
		activate("its author after an edit of nothing", root, 1, reason.Forbidden)
		_, err = s.Policies.UpdateVersion(ctx, eve, "spend", 1, "", func(d policy.Definition) (policy.Definition, []refusal.Problem, error) {
			d.ChangeNote = "As agreed"
			return d, nil, nil
		})
		must(t, err)
		activate("its author after an edit of the note", root, 1, reason.Forbidden)
		_, err = s.Policies.UpdateVersion(ctx, eve, "spend", 1, "", renamed("Spending"))
		must(t, err)
		activate("by the last editor", eve, 1, reason.Forbidden)
		activate("another", root, 1, "")
		activate("by the last editor of the active version", eve, 1, "")

		// It is the same version when it comes back.
		_, err = s.Policies.DeactivateVersion(ctx, root, "spend", 1, "")
		must(t, err)
		activate("by the last editor, at the rollback", eve, 1, reason.Forbidden)
		activate("another, at the rollback", root, 1, "")

		second, err := s.Policies.GetVersion(ctx, "spend", 1)
		must(t, err)
		_, _, err = s.Policies.AddVersion(ctx, root, "spend", given(second.Definition))
		must(t, err)
		activate("the author of the same content of another version", eve, 2, reason.Forbidden)
	})
}
