package engine_test

import (
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
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

func TestAPolicyLivesFromItsDraftToItsRollback(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		statuses := func(want ...policy.VersionStatus) {
			t.Helper()
			versions, _, err := s.Policies.ListVersions(ctx, "spend", wf.Page{})
			must(t, err)
			var got []policy.VersionStatus
			for _, v := range versions {
				got = append(got, v.Status)
			}
			equal(t, "versions, newest first", got, want)
		}
		start := func() (wf.Request, error) {
			reply, err := s.Requests.CreateRequest(ctx, rita, input("spend"), nil)
			return reply.Case.Request, err
		}
		_, err := start()
		refused(t, "a request of an unknown policy", err, reason.PolicyNotFound)

		v1, err := s.Policies.CreatePolicy(ctx, root, "spend", policyOf(stage("check", "ana")))
		must(t, err)
		if v1.Number != 1 || v1.Status != policy.VersionDraft || v1.CreatedBy.ID != "root" || !v1.CreatedAt.Equal(noon) {
			t.Errorf("the first version is %+v", v1)
		}
		_, err = start()
		refused(t, "a request of a draft", err, reason.PolicyNotFound)

		_, err = s.Policies.ActivateVersion(ctx, eve, "spend", 1, "", "")
		must(t, err)
		first, err := start()
		must(t, err)

		v2, _, err := s.Policies.AddVersion(ctx, root, "spend", given(policyOf(stage("check", "bo"))))
		must(t, err)
		if v2.Number != 2 || v2.Status != policy.VersionDraft || v2.ContentHash == v1.ContentHash {
			t.Errorf("the second version is %+v", v2)
		}
		_, err = s.Policies.ActivateVersion(ctx, eve, "spend", 2, "", "")
		must(t, err)
		statuses(policy.VersionActive, policy.VersionRetired)
		second, err := start()
		must(t, err)
		if first.PolicyVersion != 1 || second.PolicyVersion != 2 {
			t.Errorf("requests follow the versions %d and %d, want 1 and 2", first.PolicyVersion, second.PolicyVersion)
		}
		v, err := s.Policies.GetVersion(ctx, "spend", 1)
		if must(t, err); v.InFlight != 1 {
			t.Errorf("%d requests follow the retired version, want 1", v.InFlight)
		}

		_, err = s.Policies.ActivateVersion(ctx, eve, "spend", 1, "", "") // the rollback
		must(t, err)
		statuses(policy.VersionRetired, policy.VersionActive)
		_, err = s.Policies.DeactivateVersion(ctx, root, "spend", 1, "")
		must(t, err)
		statuses(policy.VersionRetired, policy.VersionRetired)
		_, err = s.Policies.DeactivateVersion(ctx, root, "spend", 1, "")
		refused(t, "a second deactivation", err, reason.WrongState)
		_, err = start()
		refused(t, "a request without an active version", err, reason.PolicyNotFound)

		// Requests continue under their own version.
		must(t, s.approve(taskOf(t, first, "ana"), "ana"), s.approve(taskOf(t, second, "bo"), "bo"))
		s.status(first.ID, wf.RequestApproved)
		s.status(second.ID, wf.RequestApproved)
		equal(t, "the service's chain", s.types(""), []audit.EventType{
			audit.EventPolicyCreated, audit.EventPolicyActivated, audit.EventPolicyVersionAdded, audit.EventPolicyActivated, audit.EventPolicyActivated, audit.EventPolicyDeactivated,
		})
	})
}

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

func TestIdenticalVersionIsSkippedWithUnlessUnchanged(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		first := policyOf(stage("check", "ana"))
		_, err := s.Policies.CreatePolicy(ctx, root, "spend", first)
		must(t, err)
		noted := but(first, func(d *policy.Definition) { d.ChangeNote = "from the repository" })
		other := but(first, func(d *policy.Definition) { d.Name = "Another" })
		for i, step := range []struct {
			d       policy.Definition
			unless  bool
			added   bool
			version int
		}{
			{first, true, false, 1},
			{noted, true, false, 1},
			{noted, false, true, 2},
			{first, true, false, 2},
			{other, true, true, 3},
			{first, true, true, 4}, // an older version is equal, the newest is not
		} {
			v, added, err := s.Policies.AddVersion(ctx, root, "spend", engine.NewVersion{Definition: step.d, UnlessUnchanged: step.unless})
			if must(t, err); added != step.added || v.Number != step.version {
				t.Errorf("step %d: version %d, added %v, want %d, %v", i, v.Number, added, step.version, step.added)
			}
		}
		equal(t, "the service's chain", s.types(""), []audit.EventType{audit.EventPolicyCreated, audit.EventPolicyVersionAdded, audit.EventPolicyVersionAdded, audit.EventPolicyVersionAdded})
		empty := but(first, func(d *policy.Definition) { d.Settings.FallbackApprovers = []policy.Rule{} })
		key := s.publish(empty) // each verifies the trail with the activation
		v, added, err := s.Policies.AddVersion(ctx, root, key, engine.NewVersion{Definition: empty, UnlessUnchanged: true})
		if must(t, err); added || v.Number != 1 {
			t.Errorf("a policy with an empty list gets version %d", v.Number)
		}
		_, _, err = s.Policies.AddVersion(ctx, root, "spend", engine.NewVersion{
			Definition: first, UnlessUnchanged: true, Problems: []refusal.Problem{{Where: "/policy_key", Message: "differs"}},
		})
		refused(t, "a body of another policy", err, reason.BadDefinition)
		_, _, err = s.Policies.AddVersion(ctx, root, "other", engine.NewVersion{Definition: first, UnlessUnchanged: true})
		refused(t, "an unknown policy", err, reason.PolicyNotFound)
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
