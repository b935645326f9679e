package wf_test

import (
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/policy"
)

// without is the directory's answer after these people have left it.
func (s *story) without(gone ...string) {
	s.directory, s.yields = true, present(gone)
}

func TestRescueOfDepartedApproverSurvivesReevaluation(t *testing.T) {
	for name, rule := range map[string]policy.Rule{
		"a role without them":    role("ab"),
		"a rule that names them": names("ana", "bo"),
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(policy.Stage{Key: "s", Approvers: []policy.Rule{rule}}))
			s.without()
			s.must(s.start())
			s.without("ana")
			s.must(s.sweep("ana"))
			rescue := s.rescue("s")
			s.must(s.reevaluate(root))
			if got := s.rescue("s"); got != rescue {
				t.Errorf("the rescue is %s, want %s", got, rescue)
			}
			s.holdersAre("s", "bo")
			s.must(s.approve(s.of("s", "bo"), "bo"))
			s.status(wf.RequestBlocked)
		})
	}
}
