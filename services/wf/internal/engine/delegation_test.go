package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// settle records the starts and ends of delegations, which must be so many.
func (s *service) settle(want int) {
	s.t.Helper()
	if n, err := s.Delegations.RecordDelegations(s.t.Context(), s.now(), 10); err != nil || n != want {
		s.t.Errorf("RecordDelegations = %d, %v, want %d", n, err, want)
	}
}

// revoke ends a delegation early.
func (s *service) revoke(id string, by identity.Actor) error {
	_, err := s.Delegations.DeleteDelegation(s.t.Context(), by, id)
	return err
}

// inboxOf returns the tasks of a person's inbox, each with the delegator.
func (s *service) inboxOf(id string) []string {
	s.t.Helper()
	items, _, err := s.Tasks.ListTasks(s.t.Context(), person(id), wf.TaskFilter{Inbox: id}, wf.Page{})
	must(s.t, err)
	list := []string{}
	for _, item := range items {
		text := item.Task.ID
		if owner := item.Case().OnBehalfOf(item.Task, item.Run, person(id)); owner != nil {
			text += " for " + owner.ID
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// TestADelegateActsFromTheStartUntilTheEnd, by the clock alone: examples 44, 48 and 50 of the design.
func TestADelegateActsFromTheStartUntilTheEnd(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		open, other := s.begin(stage("check", "ana", "bo")), s.begin(stage("check", "cy"))
		s.delegate("ana", "dora", func(d *approver.Delegation) {
			d.StartsAt, d.EndsAt = noon.Add(time.Hour), noon.Add(2*time.Hour)
		})
		task := open.Tasks[0].ID
		equal(t, "the inbox before the start", s.inboxOf("dora"), []string{})
		refused(t, "a claim before the start", s.claim(task, "dora"), reason.Forbidden)
		s.advance(time.Hour)
		later := s.begin(pool("check", 1, "ana", "bo"))
		want := []string{task + " for ana", later.Tasks[0].ID + " for ana"}
		slices.Sort(want)
		equal(t, "the inbox", s.inboxOf("dora"), want)
		if c, err := s.Requests.GetRequest(t.Context(), person("dora"), open.ID); err != nil ||
			c.OnBehalfOf(c.Request.Tasks[0], c.Request.Stages[0], person("dora")).ID != "ana" {
			t.Errorf("the delegate reads %+v, %v", c, err)
		}
		_, err := s.Requests.GetRequest(t.Context(), person("dora"), other.ID)
		refused(t, "a request of others", err, reason.Forbidden)
		must(t, s.claim(later.Tasks[0].ID, "dora"))
		must(t, s.approve(task, "dora"))
		refused(t, "the decision of ana", s.approve(task, "ana"), reason.WrongState)
		equal(t, "holders", holders(s.read(open.ID)), []string{"bo"})
		if done := s.read(open.ID).Tasks[0]; !done.HeldBy("ana") {
			t.Errorf("the task is %+v", done)
		}
		if d := s.read(open.ID).Tasks[0].Decision; d.Actor.ID != "dora" || d.OnBehalfOf == nil || d.OnBehalfOf.ID != "ana" {
			t.Errorf("decision = %+v", d)
		}
		s.advance(time.Hour)
		equal(t, "the inbox after the end", s.inboxOf("dora"), []string{})
		refused(t, "a decision after the end", s.approve(later.Tasks[0].ID, "dora"), reason.Forbidden)
		_, err = s.Requests.GetRequest(t.Context(), person("dora"), later.ID)
		refused(t, "a read after the end", err, reason.Forbidden)
		_, err = s.Requests.GetRequest(t.Context(), person("dora"), open.ID) // decided there
		must(t, err)
		c, err := s.Requests.GetRequest(t.Context(), person("ana"), later.ID)
		if must(t, err); c.Request.Tasks[0].ClaimedBy.ID != "ana" {
			t.Errorf("after the end, %s has the claim", c.Request.Tasks[0].ClaimedBy.ID)
		}
		must(t, s.approve(later.Tasks[0].ID, "ana"))
	})
}

func TestTheStartAndTheEndOfADelegationAreRecordedOnce(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		s.delegate("ana", "dora", func(d *approver.Delegation) {
			d.StartsAt, d.EndsAt = noon.Add(time.Hour), noon.Add(2*time.Hour)
		})
		revoked := s.delegate("bo", "dora", func(d *approver.Delegation) { d.StartsAt, d.EndsAt = noon.Add(time.Hour), noon.Add(2*time.Hour) })
		must(t, s.revoke(revoked.ID, person("bo")))
		for _, want := range []int{0, 1, 1} {
			s.settle(want)
			s.settle(0)
			s.advance(time.Hour)
		}
		s.settle(0)
		types := slices.DeleteFunc(s.types(""), func(kind audit.EventType) bool { return !strings.HasPrefix(string(kind), "delegation.") })
		equal(t, "the service's chain", types, []audit.EventType{
			audit.EventDelegationCreated, audit.EventDelegationCreated, audit.EventDelegationRevoked, audit.EventDelegationStarted, audit.EventDelegationEnded,
		})
	})
}

func TestOneDelegationThatFailsDoesNotHoldUpTheOthers(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		first := s.delegate("ana", "dora")
		second := s.delegate("bo", "dora")
		s.exec("UPDATE delegation SET scope = '{' WHERE id = ?", first.ID) // it cannot be read any more
		s.advance(time.Hour)
		if _, err := s.Delegations.RecordDelegations(t.Context(), s.now(), 10); err == nil || !strings.Contains(err.Error(), first.ID) {
			t.Errorf("error = %v, want one that names delegation %s", err, first.ID)
		}
		if d, err := s.store.Delegations.Delegation(t.Context(), second.ID); err != nil || !d.Ended {
			t.Errorf("the other delegation is %+v, %v", d, err)
		}
		s.exec("UPDATE delegation SET scope = '' WHERE id = ?", first.ID)
	})
}
