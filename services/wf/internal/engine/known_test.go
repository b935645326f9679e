package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// directoryOf is a directory with these users, or one that does not answer.
func directoryOf(answers bool, ids ...string) func(context.Context, approver.Question) ([]identity.User, error) {
	return func(_ context.Context, q approver.Question) (found []identity.User, err error) {
		if !answers {
			return nil, reason.NoAnswer("down")
		}
		for _, id := range q.Rule.IDs {
			if slices.Contains(ids, id) {
				found = append(found, identity.User{ID: id})
			}
		}
		return found, nil
	}
}

// A delegate and a new assignee must be known: to the directory, or without one from a token. WF_ADMIN may name others.
func TestUsersThatACallNamesAreKnown(t *testing.T) {
	const fine, warned = refusal.Reason(""), refusal.Reason("warned")
	type outcomes struct{ delegation, reassignment refusal.Reason }
	refusedBoth := outcomes{reason.BadInput, reason.BadInput}
	for name, tt := range map[string]struct {
		directory     func(context.Context, approver.Question) ([]identity.User, error) // nil for none
		to            string
		person, admin outcomes
	}{
		"signed in":               {nil, "bo", outcomes{fine, fine}, outcomes{fine, fine}},
		"unknown":                 {nil, "Inès", refusedBoth, outcomes{warned, warned}},
		"in the directory":        {directoryOf(true, "ana", "newcomer"), "newcomer", outcomes{fine, fine}, outcomes{fine, fine}},
		"not in the directory":    {directoryOf(true, "ana"), "Inès", refusedBoth, outcomes{warned, warned}},
		"disabled":                {directoryOf(true, "ana"), "bo", outcomes{warned, reason.WrongState}, outcomes{warned, reason.WrongState}},
		"directory without reply": {directoryOf(false), "Inès", outcomes{warned, reason.ResolverFailed}, outcomes{warned, reason.ResolverFailed}},
	} {
		t.Run(name, func(t *testing.T) {
			on(t, wftest.Schema.SQLite(t), func(t *testing.T, s *service) {
				if tt.directory != nil {
					s = s.answered(tt.directory)
				}
				key := s.publish(policyOf(but(stage("check", "ana"), func(s *policy.Stage) { s.Allow.Reassign = policy.ReassignAny })))
				for _, by := range []identity.Actor{person("ana"), root} {
					want := tt.person
					if by.Has(identity.RoleAdmin) {
						want = tt.admin
					}
					d, err := s.Delegations.CreateDelegation(t.Context(), by, s.leave("ana", tt.to))
					checkUse(t, by.ID+" delegates", err, len(d.Warnings) > 0, want.delegation)
					if err == nil {
						_, err = s.Delegations.DeleteDelegation(t.Context(), by, d.ID)
						must(t, err)
					}
					task := taskOf(t, s.create(key), "ana")
					reply, err := s.Tasks.ReassignTask(t.Context(), by, task, tt.to, "", "", nil)
					checkUse(t, by.ID+" reassigns", err, strings.Contains(string(reply.Body), `"warnings":["`+tt.to+" is unknown"), want.reassignment)
				}
			})
		})
	}
}

func checkUse(t *testing.T, what string, err error, warned bool, want refusal.Reason) {
	t.Helper()
	got := refusal.Reason("")
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		got = refused.Reason
	} else if warned {
		got = "warned"
	}
	if got != want {
		t.Errorf("%s: %q, %v, want %q", what, got, err, want)
	}
}

// The users of a policy are known. WF_ADMIN may name others, an owner may not.
func TestUsersOfAPolicyAreKnown(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx, stranger := t.Context(), []policy.Rule{names("ana", "Inès")}
		def := policyOf(stage("check", "ana"))
		def.Settings.Owners = &policy.Callers{Users: []string{"dee"}}
		v, err := s.Policies.CreatePolicy(ctx, root, "p", def)
		if must(t, err); len(v.Warnings) > 0 {
			t.Errorf("warnings about known users: %q", v.Warnings)
		}
		for pointer, change := range map[string]func(*policy.Definition){
			"/stages/0/approvers/0/ids/1":          func(d *policy.Definition) { d.Stages[0].Approvers = stranger },
			"/stages/0/observers/0/ids/1":          func(d *policy.Definition) { d.Stages[0].Observers = stranger },
			"/stages/0/exclude/0/ids/1":            func(d *policy.Definition) { d.Stages[0].Exclude = stranger },
			"/settings/exclude/0/ids/1":            func(d *policy.Definition) { d.Settings.Exclude = stranger },
			"/settings/fallback_approvers/0/ids/1": func(d *policy.Definition) { d.Settings.FallbackApprovers = stranger },
			"/stages/0/deadline/escalate_to/0/ids/1": func(d *policy.Definition) {
				d.Stages[0].Deadline = &policy.Deadline{DueIn: "P1D", OnDue: policy.OnDueEscalate, EscalateTo: stranger}
			},
		} {
			changed := def
			changed.Stages = slices.Clone(def.Stages)
			change(&changed)
			edit := func(policy.Definition) (policy.Definition, []refusal.Problem, error) { return changed, nil, nil }
			draft, _, err := s.Policies.AddVersion(ctx, root, "p", given(changed))
			must(t, err)
			updated, err := s.Policies.UpdateVersion(ctx, root, "p", draft.Number, "", edit)
			must(t, err)
			for _, warnings := range [][]string{draft.Warnings, updated.Warnings} {
				if len(warnings) != 1 || !strings.HasPrefix(warnings[0], pointer+": Inès is unknown") {
					t.Errorf("%s: warnings %q", pointer, warnings)
				}
			}
			_, _, err = s.Policies.AddVersion(ctx, person("dee"), "p", given(changed))
			refused(t, pointer+" by an owner", err, reason.BadInput)
			_, err = s.Policies.UpdateVersion(ctx, person("dee"), "p", draft.Number, "", edit)
			refused(t, pointer+" in an edit by an owner", err, reason.BadInput)
		}
		_, _, err = s.Policies.AddVersion(ctx, person("dee"), "p", given(def))
		must(t, err)
		down := s.answered(directoryOf(false))
		v, _, err = down.Policies.AddVersion(ctx, person("dee"), "p", given(but(def, func(d *policy.Definition) { d.Settings.Exclude = stranger })))
		if must(t, err); len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], "does not answer") {
			t.Errorf("without an answer: %q", v.Warnings)
		}
	})
}
