package wf_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
)

// silent is the plan of a stage whose approvers nobody can name now.
func silent(p *wf.StagePlan) error {
	p.Rules, p.Unavailable = make([][]wf.User, len(p.Rules)), "role officer: no answer"
	return nil
}

// waiting tells of a request whose second stage nobody can start now.
func waiting(t *testing.T, stages ...wf.Stage) *story {
	t.Helper()
	s := begin(t, append([]wf.Stage{each("one", "ana")}, stages...)...)
	s.plans["two"] = silent
	s.must(s.approve(s.of("one", "ana"), "ana"))
	s.stageIs("two", wf.StageResolving)
	return s
}

func (s *story) count(kind wf.EventType) (n int) {
	for _, e := range s.events {
		if e.Type == kind {
			n++
		}
	}
	return n
}

func TestADecisionStandsWhenNobodyAnswersWhoIsNext(t *testing.T) {
	s := waiting(t, each("two", "bo"))
	s.status(wf.InReview)
	s.stageIs("one", wf.StageApproved)
	if run := s.run("two"); run.LastError != "role officer: no answer" || !run.RetryAt.Equal(noon.Add(5*time.Second)) {
		t.Errorf("stage two = %+v, want its error and another try after 5 s", run)
	}
	if got := s.now.Current(); !slices.Equal(got, []string{"two"}) {
		t.Errorf("current stages %v, want the one that is resolved", got)
	}

	delete(s.plans, "two")
	s.at = noon.Add(5 * time.Second)
	s.must(s.resolve())
	s.stageIs("two", wf.StageActive)
	run := s.run("two")
	if run.LastError != "" || !run.RetryAt.IsZero() || !run.StartedAt.Equal(s.at) {
		t.Errorf("stage two = %+v, want it as if nothing had been", run)
	}
	if last := s.events[len(s.events)-1]; last.Actor.ID != "system:directory" {
		t.Errorf("the stage was started by %s", last.Actor.ID)
	}
	s.must(s.approve(s.of("two", "bo"), "bo"))
	s.status(wf.WasApproved)
}

func TestAStageIsTriedAgainAfterLongerAndLongerWaits(t *testing.T) {
	s := waiting(t, each("two", "bo"))
	var waits []time.Duration
	for range 10 {
		run := s.run("two")
		waits = append(waits, run.RetryAt.Sub(s.at))
		s.at = run.RetryAt.Add(-time.Millisecond)
		rev := s.now.Rev
		s.must(s.resolve())
		if again := s.run("two"); !again.RetryAt.Equal(run.RetryAt) {
			t.Fatalf("tried before its time: %s", again.RetryAt)
		}
		s.at = run.RetryAt
		s.must(s.resolve())
		if s.now.Rev != rev {
			t.Fatal("a try in vain should not change the entity tag")
		}
	}
	want := []time.Duration{5, 5, 10, 20, 40, 80, 160, 300, 300, 300}
	for i := range want {
		want[i] *= time.Second
	}
	if !slices.Equal(waits, want) {
		t.Errorf("waits %v, want %v", waits, want)
	}
	if n := s.count(wf.StageResolutionFailed); n != 1 {
		t.Errorf("it was told %d times, want once", n)
	}
}

func TestAStageThatIsResolvedMayTakeEveryWay(t *testing.T) {
	nobody := func(p *wf.StagePlan) error { p.Rules = [][]wf.User{nil}; return nil }
	for name, tt := range map[string]struct {
		onEmpty wf.OnEmpty
		plan    func(*wf.StagePlan) error
		stage   wf.StageStatus
		request wf.RequestStatus
	}{
		"blocked":               {wf.EmptyBlock, nobody, wf.StageBlocked, wf.Blocked},
		"skipped, nobody there": {wf.EmptySkip, nobody, wf.StageSkipped, wf.WasApproved},
		"rejected":              {wf.EmptyReject, nobody, wf.StageRejected, wf.WasRejected},
		"skipped": {wf.EmptyBlock, func(p *wf.StagePlan) error {
			p.Skip = &wf.Skip{Reason: "when_false"}
			return nil
		}, wf.StageSkipped, wf.WasApproved},
		"a bad rule": {wf.EmptyBlock, func(p *wf.StagePlan) error {
			p.Rules, p.Problem = [][]wf.User{nil}, "role officer: there is none"
			return nil
		}, wf.StageBlocked, wf.Blocked},
	} {
		t.Run(name, func(t *testing.T) {
			s := waiting(t, but(each("two", "bo"), func(s *wf.Stage) { s.OnEmpty = tt.onEmpty }))
			s.plans["two"], s.at = tt.plan, noon.Add(time.Minute)
			s.must(s.resolve())
			s.stageIs("two", tt.stage)
			s.status(tt.request)
		})
	}
}

func TestARequestThatWaitsCanEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		end     func(*story) error
		stage   wf.StageStatus
		request wf.RequestStatus
	}{
		"cancelled": {func(s *story) error { return s.cancel(person("rita")) }, wf.StageCancelled, wf.WasCancelled},
		"expired":   {func(s *story) error { s.at = noon.AddDate(0, 2, 0); return s.expire() }, wf.StageExpired, wf.HasExpired},
	} {
		t.Run(name, func(t *testing.T) {
			s := waiting(t, each("two", "bo"))
			s.must(tt.end(s))
			s.status(tt.request)
			s.stageIs("two", tt.stage)
			events := len(s.events)
			delete(s.plans, "two")
			s.at = s.at.Add(time.Hour)
			s.must(s.resolve())
			if len(s.events) != events {
				t.Error("something followed the end")
			}
		})
	}
}

func TestAParallelStageGoesOnWhileAnotherIsResolved(t *testing.T) {
	grouped := func(s *wf.Stage) { s.ParallelGroup = "g" }
	s := waiting(t, but(each("two", "bo"), grouped), but(each("three", "cy"), grouped), each("last", "dee"))
	s.stageIs("three", wf.StageActive)
	s.must(s.approve(s.of("three", "cy"), "cy"))
	s.stageIs("last", wf.StagePending)
	delete(s.plans, "two")
	s.at = noon.Add(time.Hour)
	s.must(s.resolve())
	s.must(s.approve(s.of("two", "bo"), "bo"))
	s.stageIs("last", wf.StageActive)
}

func TestAResubmittedRequestNeedsAnAnswer(t *testing.T) {
	s := begin(t, each("one", "ana"))
	s.must(s.sendBack(s.of("one", "ana"), "ana"))
	s.plans["one"] = silent
	s.refused(s.resubmit(person("rita"), "sha256:two"), wf.ResolverFailed)
	s.status(wf.ChangesRequested)
}
