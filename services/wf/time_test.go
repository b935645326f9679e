package wf_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// TestFromItsEndOnNothingButExpiryHappensToARequest tries everything that people do,
// just before expires_at, at it, and later, before a worker has expired the request.
func TestFromItsEndOnNothingButExpiryHappensToARequest(t *testing.T) {
	for name, tt := range map[string]struct {
		act     func(s *story, task string) error
		prepare func(s *story, task string)
	}{
		"approve":   {act: func(s *story, task string) error { return s.approve(task, "ana") }},
		"reject":    {act: func(s *story, task string) error { return s.reject(task, "ana") }},
		"send back": {act: func(s *story, task string) error { return s.sendBack(task, "ana") }},
		"claim":     {act: func(s *story, task string) error { return s.claim(task, person("ana")) }},
		"unclaim": {act: func(s *story, task string) error { return s.unclaim(task, person("ana")) }, prepare: func(s *story, task string) {
			s.must(s.claim(task, person("ana")))
		}},
		"reassign": {act: func(s *story, task string) error { return s.reassign(task, "dee", root) }},
		"cancel":   {act: func(s *story, _ string) error { return s.cancel(person("rita")) }},
		"resubmit": {act: func(s *story, _ string) error { return s.resubmit(person("rita"), "") }, prepare: func(s *story, task string) {
			s.must(s.sendBack(task, "ana"))
		}},
		"reevaluate": {act: func(s *story, _ string) error { return s.reevaluate(root) }, prepare: func(s *story, _ string) {
			s.must(s.sweep("ana"))
		}},
		"override": {act: func(s *story, task string) error {
			return s.decide(task, root, wf.DecisionInput{Action: wf.ActionApprove, Comment: "the director is ill"})
		}, prepare: func(s *story, _ string) { s.def.Settings.AdminOverride = true }},
	} {
		for when, late := range map[string]time.Duration{"just before": -1, "at the end": 0, "later": 150 * time.Millisecond} {
			t.Run(name+" "+when, func(t *testing.T) {
				s := begin(t, each("s", "ana", "bo"), each("next", "cy"))
				task := s.of("s", "ana")
				if tt.prepare != nil {
					tt.prepare(s, task)
				}
				s.at = s.now.ExpiresAt.Add(late)
				n := len(s.events)
				err := tt.act(s, task)
				if late < 0 {
					s.must(err)
					return
				}
				s.refused(err, reason.WrongState)
				s.status(wf.RequestExpired)
				s.because(wf.BecauseExpired)
				if name != "resubmit" { // sending back has ended the stages
					s.stageIs("next", wf.StageExpired)
				}
				if last := s.events[len(s.events)-1]; len(s.events) == n || last.Type != audit.EventRequestExpired || last.Actor.ID != identity.SystemExpiry.ID {
					t.Errorf("events = %v", s.types(n))
				}
				for _, task := range s.now.Tasks {
					if live(task) {
						t.Errorf("task %s is still %s", task.ID, task.Status)
					}
				}
				n = len(s.events)
				s.refused(tt.act(s, task), reason.WrongState)
				if len(s.events) != n {
					t.Errorf("it expires again: %v", s.types(n))
				}
			})
		}
	}
}

func TestExpiryIsHiddenFromUnauthorizedCaller(t *testing.T) {
	s := begin(t, each("s", "ana"))
	s.at = *s.now.ExpiresAt
	task := s.of("s", "ana")
	s.refused(s.approve(task, "eve"), reason.Forbidden)
	s.refused(s.claim(task, person("eve")), reason.Forbidden)
	s.refused(s.cancel(person("eve")), reason.Forbidden)
	s.refused(s.reassign(task, "dee", person("eve")), reason.Forbidden)
	s.status(wf.RequestInReview)
}

func TestExpiredRequestSkipsAutomaticSteps(t *testing.T) {
	for name, act := range map[string]func(s *story) error{
		"resolve": func(s *story) error { return s.resolve() },
		"sweep":   func(s *story) error { return s.sweep("ana") },
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, but(each("s", "ana"), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} }))
			s.at = *s.now.ExpiresAt
			before := encode(s.now)
			s.must(act(s))
			if encode(s.now) != before {
				t.Errorf("the request changed to %s", encode(s.now))
			}
		})
	}
}

func TestRequestReadsAsExpiredBeforeExpiryIsProcessed(t *testing.T) {
	s := begin(t, each("s", "ana"), pool("next", 1, "bo"))
	end := *s.now.ExpiresAt
	if got := s.now.AsOf(end.Add(-1)); encode(got) != encode(s.now) {
		t.Errorf("before the end it is read as %s", encode(got))
	}
	before := encode(s.now)
	read := s.now.AsOf(end)
	if read.Status != wf.RequestExpired || read.StatusReason.Code != wf.BecauseExpired || !read.CompletedAt.Equal(end) {
		t.Errorf("at the end it is read as %+v", read)
	}
	for _, task := range read.Tasks {
		if task.Status != wf.TaskCancelled || task.CloseReason != wf.ClosedRequestExpired {
			t.Errorf("task = %+v", task)
		}
	}
	for _, run := range read.Stages {
		if run.Status != wf.StageExpired {
			t.Errorf("stage %s is read as %s", run.Key, run.Status)
		}
	}
	if encode(s.now) != before {
		t.Error("reading has changed the request")
	}
	s.must(s.cancel(root))
	if got := s.now.AsOf(end); got.Status != wf.RequestCancelled {
		t.Errorf("an ended delegation is read as %s", got.Status)
	}
	forever := tell(t, policyOf(each("s", "ana")))
	forever.def.Settings.ExpiresIn = policy.Never
	forever.must(forever.start())
	if got := forever.now.AsOf(end.AddDate(100, 0, 0)); got.Status != wf.RequestInReview {
		t.Errorf("what never ends is read as %s", got.Status)
	}
}
