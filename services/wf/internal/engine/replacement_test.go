package engine_test

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestReplacementReportsChangesAndTheNumberOfOpenRequests(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(policyOf(stage("check", "ana"), but(stage("director", "dora"), func(st *policy.Stage) { st.When = "context.amount > 10" })))
		s.create(key, withContext(`{"amount":1}`))
		s.create(key, withContext(`{"amount":100}`))
		_, _, err := s.Policies.AddVersion(t.Context(), root, key,
			given(but(policyOf(stage("check", "ana", "bo"), stage("audit", "olga")), func(d *policy.Definition) {
				d.Settings.AutoRejectWhen = "context.amount > 50"
			})))
		must(t, err)
		was := s.types("")
		r, err := s.Policies.Replacement(t.Context(), root, key, 2)
		must(t, err)
		if r.Active == nil || r.Active.Number != 1 || r.Active.InFlight != 2 || len(r.Stages) != 3 || fmt.Sprint(r.Settings) != "[auto_reject_when]" {
			t.Errorf("%+v", r)
		}
		equal(t, "events", s.types(""), was)

		// The active version changes nothing of itself, and the first changes all.
		r, err = s.Policies.Replacement(t.Context(), root, key, 1)
		if err != nil || r.Active != nil || len(r.Stages) != 2 {
			t.Errorf("%+v, %v", r, err)
		}
		_, err = s.Policies.Replacement(t.Context(), rita, key, 2)
		refused(t, "no admin", err, reason.Forbidden)
		_, err = s.Policies.Replacement(t.Context(), root, key, 7)
		refused(t, "no version", err, reason.PolicyNotFound)
	})
}
