package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/policy"
)

func TestARequestPassesItsStagesUntilItIsApproved(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		key := s.publish(policyOf(
			stage("check", "ana", "bo"),
			but(stage("director", "dora"), func(s *policy.Stage) { s.When = "context.amount > 50000" }),
			pool("payment", 2, "pia", "paul", "petra"),
		))
		r := s.create(key, withContext(`{"amount":9007199254740993}`))
		if want := `{"amount":9007199254740993}`; string(s.read(r.ID).Context) != want {
			t.Errorf("context is %s, want %s", s.read(r.ID).Context, want)
		}
		must(t, s.approve(taskOf(t, r, "ana"), "ana"), s.approve(taskOf(t, r, "bo"), "bo"))
		r = s.read(r.ID)
		equal(t, "after the check", r.Current(), []string{"director"})
		must(t, s.approve(taskOf(t, r, "dora"), "dora"))
		r = s.read(r.ID)
		equal(t, "after the director", holders(r), []string{"-", "-"})
		tasks := r.Tasks[3:]
		must(t, s.claim(tasks[0].ID, "pia"), s.approve(tasks[0].ID, "pia"), s.approve(tasks[1].ID, "petra"))
		s.status(r.ID, wf.RequestApproved)

		// A smaller amount needs no director.
		r = s.create(key, withContext(`{"amount":50000}`))
		must(t, s.approve(taskOf(t, r, "ana"), "ana"), s.approve(taskOf(t, r, "bo"), "bo"))
		r = s.read(r.ID)
		equal(t, "after the check of a small amount", r.Current(), []string{"payment"})
		equal(t, "events", s.types(r.ID), []audit.EventType{
			audit.EventRequestCreated, audit.EventStageStarted, audit.EventTaskCreated, audit.EventTaskCreated,
			audit.EventTaskDecided, audit.EventTaskDecided, audit.EventStageApproved, audit.EventStageSkipped,
			audit.EventStageStarted, audit.EventTaskCreated, audit.EventTaskCreated,
		})
	})
}

func TestOneRequestThatFailsDoesNotHoldUpTheOthers(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		first := s.begin(stage("check", "ana"))
		s.advance(time.Minute)
		second := s.begin(stage("check", "ana"))
		s.exec("UPDATE request SET retries = '{' WHERE id = ?", first.ID) // it cannot be read any more
		s.advance(31 * 24 * time.Hour)
		if _, err := s.Timers.ExpireRequests(t.Context(), s.now(), 10); err == nil || !strings.Contains(err.Error(), first.ID) {
			t.Errorf("error = %v, want one that names request %s", err, first.ID)
		}
		s.status(second.ID, wf.RequestExpired)
		s.exec("UPDATE request SET retries = '' WHERE id = ?", first.ID)
	})
}
