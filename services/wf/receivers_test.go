package wf_test

import "testing"

func TestReceiversAreEligibleApproversWithoutATask(t *testing.T) {
	s := begin(t, each("s", "ana", "bo", "cy"))
	s.must(s.reassign(s.of("s", "bo"), "fay", root))
	s.must(s.reassign(s.of("s", "cy"), "gil", root))
	task, run := s.task(s.of("s", "ana")), s.run("s")
	if got := s.asCase().Receivers(task, run); len(got) != 2 {
		t.Errorf("receivers = %+v, want bo and cy", got)
	}
	for i := range run.People {
		run.People[i].Ineligible = run.People[i].ID == "cy"
	}
	if got := s.asCase().Receivers(task, run); len(got) != 1 || got[0].ID != "bo" {
		t.Errorf("receivers = %+v, want bo: ana holds the task, and cy is no approver any more", got)
	}
}
