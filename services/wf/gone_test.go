package wf_test

import (
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// without is the directory's answer after these people have left it.
func (s *story) without(gone ...string) {
	s.directory, s.yields = true, present(gone)
}

func TestDepartedApproverDoesNotReturnToPoolOnLaterDeparture(t *testing.T) {
	s := begin(t, but(pool("s", 2, "ana", "bo", "cy"), func(s *policy.Stage) { s.Rejection.OnUnreachable = quorum.OnUnreachableBlock }))
	s.without("ana")
	s.must(s.sweep("ana"))
	s.without("ana", "bo")
	s.must(s.sweep("ana", "bo"))
	for _, claimant := range s.run("s").Claimants(s.now.Tasks) {
		if claimant.ID != "cy" {
			t.Errorf("%s has left, and may take a task", claimant.ID)
		}
	}
	s.rescue("s") // cy alone is too few
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

func TestSeatIsNotAssignedToRemovedApprover(t *testing.T) {
	s := begin(t, each("s", "ana", "bo"))
	s.without()
	s.must(s.reassign(s.of("s", "ana"), "cy", root))
	s.without("ana", "bo")
	s.must(s.sweep("ana", "bo"))
	s.holdersAre("s", "cy")
	s.rescue("s")
}
