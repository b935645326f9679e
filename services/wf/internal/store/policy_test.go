package store_test

import (
	"errors"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// fullVersion returns a version of policy p with a value in every field.
func fullVersion(t *testing.T, fill *filler, number int, status policy.VersionStatus) policy.Version {
	t.Helper()
	var v policy.Version
	fill.fill(&v)
	v.Key, v.Number, v.Status, v.InFlight, v.Warnings = "p", number, status, 0, nil
	v.Definition.Settings.ExpiresIn = policy.Never
	for _, u := range []*identity.User{&v.CreatedBy, &v.UpdatedBy, &v.ActivatedBy, &v.RetiredBy} {
		*u = identity.User{ID: u.ID} // names are in person
	}
	return v
}

func TestAVersionComesBackAsItWasWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		fill := &filler{t: t}
		first := fullVersion(t, fill, 1, policy.VersionRetired)
		draft := fullVersion(t, fill, 2, policy.VersionDraft)
		f.do(func(tx *store.Tx) error {
			if err := tx.Policies.Add(first); err != nil {
				return err
			}
			return tx.Policies.AddVersion(draft)
		})
		active := fullVersion(t, fill, 2, policy.VersionActive)
		active.CreatedBy, active.CreatedAt = draft.CreatedBy, draft.CreatedAt // never change
		f.do(func(tx *store.Tx) error {
			last, err := tx.Policies.Lock("p")
			same(t, "Lock", 2, last, err)
			got, err := tx.Policies.Version("p", 2)
			same(t, "Version", draft, got, err)
			if _, found, err := tx.Policies.Active("p"); found || err != nil {
				t.Errorf("Active = %v, %v; none is active", found, err)
			}
			if err := tx.Policies.PutVersion(draft, active); err != nil {
				return err
			}
			got, _, err = tx.Policies.Active("p")
			same(t, "Active", active, got, err)
			return nil
		})

		f.addRequest(f.newRequest()) // follows version 1
		done := f.newRequest()
		done.Status = wf.RequestApproved
		f.addRequest(done)
		first.InFlight = 1
		got, err := f.Policies.Version(t.Context(), "p", 1)
		same(t, "Version", first, got, err)
		got, err = f.Policies.Policy(t.Context(), "p")
		same(t, "Policy", active, got, err)
		list, _, err := f.Policies.Versions(t.Context(), "p", wf.Page{})
		same(t, "Versions", []policy.Version{active, first}, list, err)
	})
}

func TestPoliciesShowTheActiveAndTheLatestVersion(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		version := func(key string, number int, status policy.VersionStatus, name string) policy.Version {
			return policy.Version{Key: key, Number: number, Status: status, Rev: 1,
				Definition: policy.Definition{Name: name, Labels: map[string]string{"team": key}, Stages: []policy.Stage{}}}
		}
		a1, a2, a3 := version("a", 1, policy.VersionRetired, "old"), version("a", 2, policy.VersionActive, "Payments"),
			version("a", 3, policy.VersionDraft, "new")
		b1 := version("b", 1, policy.VersionDraft, "100% new")
		c1 := version("c", 1, policy.VersionActive, "Éxpenses")
		f.do(func(tx *store.Tx) error {
			return errors.Join(tx.Policies.Add(c1), tx.Policies.Add(a1), tx.Policies.AddVersion(a2), tx.Policies.AddVersion(a3), tx.Policies.Add(b1))
		})
		a, b, c := wf.Policy{Key: "a", Active: &a2, Latest: a3}, wf.Policy{Key: "b", Latest: b1}, wf.Policy{Key: "c", Active: &c1, Latest: c1}
		tests := map[string]struct {
			filter wf.PolicyFilter
			want   []wf.Policy
		}{
			"all":                      {wf.PolicyFilter{}, []wf.Policy{a, b, c}},
			"with a draft":             {wf.PolicyFilter{Status: []policy.VersionStatus{policy.VersionDraft}}, []wf.Policy{a, b}},
			"retired ones are history": {wf.PolicyFilter{Status: []policy.VersionStatus{policy.VersionRetired}}, nil},
			"by name, in any case":     {wf.PolicyFilter{Q: "paym"}, []wf.Policy{a}},
			"by name, beyond ASCII":    {wf.PolicyFilter{Q: "éXP"}, []wf.Policy{c}},
			"no wildcards":             {wf.PolicyFilter{Q: "0% N"}, []wf.Policy{b}},
			"by label":                 {wf.PolicyFilter{Labels: map[string]string{"team": "c"}}, []wf.Policy{c}},
			"by label and status":      {wf.PolicyFilter{Labels: map[string]string{"team": "b"}, Status: []policy.VersionStatus{policy.VersionActive}}, nil},
		}
		for name, tt := range tests {
			got, _, err := f.Policies.List(t.Context(), tt.filter, wf.Page{})
			same(t, name, tt.want, got, err)
		}
		if v, err := f.Policies.Policy(t.Context(), "a"); err != nil || v.Number != 2 {
			t.Errorf("Policy of an active key = version %d (%v), want 2", v.Number, err)
		}
		if v, err := f.Policies.Policy(t.Context(), "b"); err != nil || v.Number != 1 {
			t.Errorf("Policy of a draft = version %d (%v), want 1", v.Number, err)
		}
	})
}

func TestOnlyTheCommittedDefinitionIsRead(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		v := policy.Version{Key: "p", Number: 1, Status: policy.VersionDraft, Definition: policy.Definition{Name: "draft"}, ContentHash: "h", Rev: 1}
		f.do(func(tx *store.Tx) error { return tx.Policies.Add(v) })
		name := func() string {
			d, err := f.Policies.Definition(t.Context(), "p", 1)
			if err != nil {
				t.Error(err)
			}
			return d.Name
		}
		if got := name(); got != "draft" {
			t.Errorf("name = %q", got)
		}
		after := v
		after.Definition.Name, after.Status, after.Rev = "rolled back", policy.VersionActive, 2
		f.refused(reason.WrongState, func(tx *store.Tx) error {
			if err := tx.Policies.PutVersion(v, after); err != nil {
				return err
			}
			if _, err := tx.Policies.Definition("p", 1); err != nil {
				return err
			}
			return refusal.New(reason.WrongState, "rolled back")
		})
		if got := name(); got != "draft" {
			t.Errorf("an uncommitted change was stored: name = %q", got)
		}
		after.Definition.Name = "active"
		f.do(func(tx *store.Tx) error { return tx.Policies.PutVersion(v, after) })
		if got := name(); got != "active" {
			t.Errorf("a draft was kept: name = %q", got)
		}
	})
}
