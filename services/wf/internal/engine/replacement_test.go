package engine_test

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestReplacementReportsAffectedRequestsAndApprovers(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(policyOf(stage("check", "ana"), but(stage("director", "dora"), func(st *policy.Stage) { st.When = "context.amount > 10" })))
		small := s.create(key, withContext(`{"amount":1}`))
		large := s.create(key, withContext(`{"amount":100}`))
		_, _, err := s.Policies.AddVersion(t.Context(), root, key, given(but(policyOf(stage("check", "ana", "bo"), stage("audit", "olga")), func(d *policy.Definition) {
			d.Settings.AutoRejectWhen = "context.amount > 50"
		})))
		must(t, err)
		was := s.types("")
		r, err := s.Policies.Replacement(t.Context(), root, key, 2)
		must(t, err)
		if r.Active == nil || r.Active.Number != 1 || r.Active.InFlight != 2 || len(r.Stages) != 3 || fmt.Sprint(r.Settings) != "[auto_reject_when]" {
			t.Errorf("%+v", r)
		}
		if len(r.Tried) != 2 || r.Tried[0].Request.ID != large.ID || r.Tried[1].Request.ID != small.ID {
			t.Fatalf("tried %+v", r.Tried)
		}
		equal(t, "a large one", []string{fmt.Sprintln(r.Tried[0].Before, r.Tried[0].After, r.Tried[0].Added, len(r.Tried[0].Gone))}, []string{"would_start would_auto_reject [] 2\n"})
		equal(t, "a small one", []string{fmt.Sprintln(r.Tried[1].After, asked(r.Tried[1].Added), asked(r.Tried[1].Gone))}, []string{"would_start [bo:check olga:audit] []\n"})
		equal(t, "events", s.types(""), was)

		// The active version changes nothing of itself, and the first changes all.
		r, err = s.Policies.Replacement(t.Context(), root, key, 1)
		if err != nil || r.Active != nil || len(r.Stages) != 2 || asked(r.Tried[1].Added) != "[ana:check]" {
			t.Errorf("%+v, %v", r, err)
		}
		_, err = s.Policies.Replacement(t.Context(), rita, key, 2)
		refused(t, "no admin", err, reason.Forbidden)
		_, err = s.Policies.Replacement(t.Context(), root, key, 7)
		refused(t, "no version", err, reason.PolicyNotFound)
	})
}

func asked(people []engine.Asked) string {
	var all []string
	for _, a := range people {
		all = append(all, a.ID+":"+a.Stage)
	}
	return fmt.Sprint(all)
}
