package engine_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Admins and the owners of a policy check its drafts; a draft of a new policy needs an admin.
func TestDraftsAreForTheirEditors(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		def := but(policyOf(stage("check", "ana")), func(d *policy.Definition) { d.Settings.Owners = &policy.Callers{Users: []string{"olga"}} })
		key := s.publish(def)
		viewer := person("vera")
		viewer.Roles = []identity.Role{identity.RoleViewer}
		for _, tt := range []struct {
			by      identity.Actor
			key     string
			refused bool
		}{
			{root, key, false}, {person("olga"), key, false}, {root, "", false},
			{person("olga"), "", true}, {person("rita"), key, true}, {viewer, key, true}, {viewer, "", true},
		} {
			d := engine.Draft{Key: tt.key, Definition: def}
			_, checked := s.Policies.CheckDraft(t.Context(), tt.by, d)
			_, _, named := s.Policies.NamedUsers(t.Context(), tt.by, d)
			for name, err := range map[string]error{"check": checked, "names": named} {
				if errors.Is(err, reason.Forbidden) != tt.refused || !tt.refused && err != nil {
					t.Errorf("%s of %q by %s: %v", name, tt.key, tt.by.ID, err)
				}
			}
		}
	})
}

// A draft names users as unknown that neither a token nor the directory has shown. A rule shows nobody.
func TestADraftNamesUnknownUsers(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		r := s.begin(stage("check", "yara"))
		d := engine.Draft{Definition: policyOf(stage("check", "yara", "rita", "yuri"))}
		d.Definition.Settings.Exclude = []policy.Rule{{Type: policy.RuleUser, IDs: []string{"yan"}}}
		expect := func(s *service, known, unknown string) {
			t.Helper()
			found, others, err := s.Policies.NamedUsers(t.Context(), root, d)
			must(t, err)
			if got := strings.Join(slices.Sorted(maps.Keys(found)), " "); got != known || strings.Join(others, " ") != unknown {
				t.Errorf("known %s, unknown %v; want %s and %s", got, others, known, unknown)
			}
		}
		expect(s, "rita", "yan yara yuri")
		must(t, s.approve(r.Tasks[0].ID, "yara"))
		expect(s, "rita yara", "yan yuri")
		answer := func(users []identity.User, err error) *service {
			return s.answered(func(context.Context, approver.Question) ([]identity.User, error) { return users, err })
		}
		expect(answer([]identity.User{{ID: "yuri", Name: "Yuri"}}, nil), "rita yara yuri", "yan")
		expect(answer(nil, errors.New("down")), "rita yara", "")
	})
}
