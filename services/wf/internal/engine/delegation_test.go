package engine_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/reason"
)

// settle runs the timer of the delegations, which must find so many.
func (s *service) settle(want int) {
	s.t.Helper()
	if n, err := s.Delegations.AdvanceDelegations(s.t.Context(), s.now(), 10); err != nil || n != want {
		s.t.Errorf("AdvanceDelegations = %d, %v, want %d", n, err, want)
	}
}

// revoke ends a delegation early.
func (s *service) revoke(id string, by identity.Actor) error {
	_, err := s.Delegations.DeleteDelegation(s.t.Context(), by, id)
	return err
}

func TestADelegateStandsInFromTheStartUntilTheEnd(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		open := s.begin(stage("check", "ana", "bo"))
		claimed := s.begin(stage("check", "ana"))
		must(t, s.claim(claimed.Tasks[0].ID, "ana"))
		asked := s.begin(stage("check", "cy"))

		d := s.delegate("ana", "dora")
		if d.RoutedOpenTasks != 1 || !d.Started || d.Status(s.now()) != approver.DelegationActive || !d.StartsAt.Equal(noon) {
			t.Errorf("delegation = %+v", d)
		}
		equal(t, "what was open", holders(s.read(open.ID)), []string{"dora", "bo"})
		equal(t, "what was claimed", holders(s.read(claimed.ID)), []string{"ana"})
		equal(t, "tasks of others", holders(s.read(asked.ID)), []string{"cy"})
		later := s.begin(stage("check", "ana"))
		equal(t, "what came later", holders(later), []string{"dora"})
		refused(t, "ana decides meanwhile", s.approve(later.Tasks[0].ID, "ana"), reason.Forbidden)
		must(t, s.claim(later.Tasks[0].ID, "dora"))
		s.settle(0)

		s.advance(time.Hour)
		s.settle(1)
		s.settle(0)
		equal(t, "what she had not claimed", holders(s.read(open.ID)), []string{"ana", "bo"})
		equal(t, "what she had", holders(s.read(later.ID)), []string{"dora"})
		must(t, s.approve(later.Tasks[0].ID, "dora"))
		if decision := s.read(later.ID).Tasks[0].Decision; decision.OnBehalfOf == nil || decision.OnBehalfOf.ID != "ana" {
			t.Errorf("decision = %+v, want it on behalf of ana", decision)
		}
		equal(t, "what came after the end", holders(s.begin(stage("check", "ana"))), []string{"ana"})
		refused(t, "it is revoked when it is over", s.revoke(d.ID, person("ana")), reason.DelegationNotFound)
		if !slices.Contains(s.types(""), audit.EventDelegationEnded) {
			t.Errorf("the service's chain is %v, want the end in it", s.types(""))
		}
	})
}

func TestADelegationWaitsForItsTime(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		r := s.begin(stage("check", "ana"))
		d := s.delegate("ana", "dora", func(d *approver.Delegation) {
			d.StartsAt, d.EndsAt = noon.Add(time.Hour), noon.Add(2*time.Hour)
		})
		if d.Started || d.Status(s.now()) != approver.DelegationScheduled {
			t.Errorf("delegation = %+v", d)
		}
		s.settle(0)
		equal(t, "before", holders(s.read(r.ID)), []string{"ana"})
		s.advance(time.Hour)
		s.settle(1)
		s.settle(0)
		equal(t, "from the start", holders(s.read(r.ID)), []string{"dora"})
		types := s.types("")
		equal(t, "the service's chain", types[len(types)-2:], []audit.EventType{audit.EventDelegationCreated, audit.EventDelegationStarted})
	})
}

func TestARevokedDelegationGivesBackAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		r := s.begin(stage("check", "ana"))
		d := s.delegate("ana", "dora")
		refused(t, "by the delegate", s.revoke(d.ID, person("dora")), reason.Forbidden)
		must(t, s.revoke(d.ID, person("ana")))
		equal(t, "holders", holders(s.read(r.ID)), []string{"ana"})
		refused(t, "again", s.revoke(d.ID, person("ana")), reason.DelegationNotFound)
		refused(t, "by a stranger, without disclosure", s.revoke(d.ID, person("stan")), reason.DelegationNotFound)
		s.settle(0)
		d = s.delegate("ana", "dora")
		must(t, s.claim(r.Tasks[0].ID, "dora"))
		must(t, s.revoke(d.ID, root))
		equal(t, "holders of the claimed task", holders(s.read(r.ID)), []string{"ana"})
		refused(t, "a decision on a claimed task", s.approve(r.Tasks[0].ID, "dora"), reason.Forbidden)
		refused(t, "an unknown one", s.revoke("0190d7a0-0000-7000-8000-000000000000", root), reason.DelegationNotFound)
	})
}

func TestDelegationHonoursEachOfItsOptions(t *testing.T) {
	tests := map[string]struct {
		change func(*approver.Delegation)
		open   string // holder of the open task before the delegation
		later  string // holder of the later task
		back   string // holder of the open task after the end
	}{
		"as it is":                 {func(*approver.Delegation) {}, "dora", "dora", "ana"},
		"new tasks alone":          {func(d *approver.Delegation) { d.ApplyToOpen = false }, "ana", "dora", "ana"},
		"for good":                 {func(d *approver.Delegation) { d.ReturnOnEnd = false }, "dora", "dora", "dora"},
		"shared":                   {func(d *approver.Delegation) { d.Mode = approver.DelegationShare }, "ana", "ana", "ana"},
		"for other policies":       {func(d *approver.Delegation) { d.Scope.PolicyKeys = []string{"q-*"} }, "ana", "ana", "ana"},
		"for these policies":       {func(d *approver.Delegation) { d.Scope.PolicyKeys = []string{"q-*", "p-*"} }, "dora", "dora", "ana"},
		"for other stages":         {func(d *approver.Delegation) { d.Scope.StageKeys = []string{"payment"} }, "ana", "ana", "ana"},
		"for other artifacts":      {func(d *approver.Delegation) { d.Scope.ArtifactTypes = []string{"invoice"} }, "ana", "ana", "ana"},
		"to the requester herself": {func(d *approver.Delegation) { d.DelegateTo.ID = "rita" }, "ana", "ana", "ana"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *service) {
				r := s.begin(stage("check", "ana"))
				s.delegate("ana", "dora", tt.change)
				equal(t, "what was open", holders(s.read(r.ID)), []string{tt.open})
				equal(t, "what came later", holders(s.begin(stage("check", "ana"))), []string{tt.later})
				s.advance(time.Hour)
				s.settle(1)
				equal(t, "after the end", holders(s.read(r.ID)), []string{tt.back})
			})
		})
	}
}

func TestASharedTaskIsDecidedByEither(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		for _, by := range []string{"ana", "dora"} {
			r := s.begin(stage("check", "ana"))
			d := s.delegate("ana", "dora", func(d *approver.Delegation) { d.Mode = approver.DelegationShare })
			must(t, s.approve(r.Tasks[0].ID, by))
			s.status(r.ID, wf.RequestApproved)
			must(t, s.revoke(d.ID, person("ana")))
		}
	})
}

func TestOnlyAnAdminDelegatesForOthers(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		ctx := t.Context()
		_, err := s.Delegations.CreateDelegation(ctx, person("stan"), s.leave("ana", "dora"))
		refused(t, "a stranger", err, reason.Forbidden)
		d, err := s.Delegations.CreateDelegation(ctx, root, s.leave("ana", "dora"))
		if must(t, err); d.User.ID != "ana" || d.CreatedBy.ID != "root" {
			t.Errorf("delegation = %+v", d)
		}
		own, err := s.Delegations.CreateDelegation(ctx, person("ana"), s.leave("", "dora"))
		if must(t, err); own.User.ID != "ana" {
			t.Errorf("a delegation without a delegator is %s's", own.User.ID)
		}
		for what, bad := range map[string]approver.Delegation{
			"to oneself":         s.leave("ana", "ana"),
			"to the service":     s.leave("ana", "system:repeat"),
			"which is over":      s.leave("ana", "dora", func(d *approver.Delegation) { d.StartsAt, d.EndsAt = noon.Add(-time.Hour), noon }),
			"the wrong way":      s.leave("ana", "dora", func(d *approver.Delegation) { d.StartsAt = noon.Add(2 * time.Hour) }),
			"for over a year":    s.leave("ana", "dora", func(d *approver.Delegation) { d.EndsAt = noon.Add(367 * 24 * time.Hour) }),
			"with a bad pattern": s.leave("ana", "dora", func(d *approver.Delegation) { d.Scope.PolicyKeys = []string{"["} }),
		} {
			_, err := s.Delegations.CreateDelegation(ctx, person("ana"), bad)
			refused(t, what, err, reason.BadInput)
		}
		for by, want := range map[string]int{"ana": 2, "dora": 2, "stan": 0} {
			list, _, err := s.Delegations.ListDelegations(ctx, person(by), wf.DelegationFilter{}, wf.Page{})
			if must(t, err); len(list) != want {
				t.Errorf("%s sees %d delegations, want %d", by, len(list), want)
			}
		}
		_, err = s.Delegations.GetDelegation(ctx, person("stan"), d.ID)
		refused(t, "a stranger reads it", err, reason.Forbidden)
		_, err = s.Delegations.GetDelegation(ctx, person("dora"), d.ID)
		refused(t, "the delegate reads it", err, "")
	})
}

func TestDelegationsInACircleLeaveTheSeatsWhereTheyAre(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		r := s.begin(stage("check", "ana", "bo"))
		s.delegate("ana", "bo")
		d := s.delegate("bo", "ana")
		if !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "ana delegates back to bo") }) {
			t.Errorf("warnings = %q, want one of the circle", d.Warnings)
		}
		equal(t, "what was open", holders(s.read(r.ID)), []string{"ana", "bo"})
		equal(t, "what came later", holders(s.begin(stage("check", "ana", "bo"))), []string{"ana", "bo"})
	})
}

// A delegator may have more open requests than one call can reroute.
func TestADelegationOfManyRequestsIsGoneThroughAfterTheCall(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		const first, many = 100, 102
		key := s.publish(policyOf(stage("check", "ana")))
		var ids []string
		for range many {
			ids = append(ids, s.create(key).ID)
		}
		held := func(when string, dora, ana int) (left wf.Request) {
			t.Helper()
			got := map[string]int{}
			for _, id := range ids {
				r := s.read(id)
				if got[holders(r)[0]]++; holders(r)[0] == "dora" {
					left = r
				}
			}
			if got["dora"] != dora || got["ana"] != ana {
				t.Errorf("%s the tasks are held by %v, want dora %d, ana %d", when, got, dora, ana)
			}
			return left
		}
		of := func(d approver.Delegation) approver.Delegation {
			t.Helper()
			d, err := s.store.Delegations.Delegation(t.Context(), d.ID)
			must(t, err)
			return d
		}
		_, more, err := s.Delegations.PreviewDelegation(t.Context(), person("ana"), s.leave("ana", "dora"))
		if must(t, err); !more {
			t.Error("the preview lacks the mark of further requests")
		}

		d := s.delegate("ana", "dora")
		held("after the call", first, many-first)
		if d = of(d); d.Started || d.RoutedOpenTasks != first {
			t.Errorf("after the call: %+v", d)
		}
		s.settle(1)
		s.settle(0)
		held("then", many, 0)
		if d = of(d); !d.Started || d.RoutedOpenTasks != many {
			t.Errorf("then: %+v", d)
		}

		must(t, s.revoke(d.ID, person("ana")))
		late := held("after the end", many-first, first)
		refused(t, "a task before its return", s.approve(late.Tasks[0].ID, "dora"), reason.Forbidden)
		s.settle(1)
		s.settle(0)
		held("at last", 0, many)

		shared := s.delegate("ana", "dora", func(d *approver.Delegation) { d.StartsAt, d.Mode = s.now().Add(time.Minute), approver.DelegationShare })
		s.advance(time.Minute)
		s.settle(1)
		s.settle(0)
		if shared = of(shared); !shared.Started || shared.RoutedOpenTasks != many {
			t.Errorf("shared: %+v", shared)
		}
		s.advance(time.Hour)
		s.settle(1)
		s.settle(0)

		brief := s.delegate("ana", "dora", func(d *approver.Delegation) { d.StartsAt = s.now().Add(time.Minute) })
		s.advance(time.Minute)
		var once sync.Once
		s = s.with(func(o *engine.Options) {
			o.Wake = func() { once.Do(func() { s.advance(time.Hour) }) } // after the first requests
		})
		s.settle(1)
		s.settle(0)
		held("of one that ends while it starts", 0, many)
		if brief = of(brief); !brief.Closed || brief.RoutedOpenTasks != first {
			t.Errorf("one that ends while it starts: %+v", brief)
		}
		for event, want := range map[audit.EventType]int{audit.EventDelegationStarted: 2, audit.EventDelegationRevoked: 1, audit.EventDelegationEnded: 2} {
			if got := len(slices.DeleteFunc(s.types(""), func(e audit.EventType) bool { return e != event })); got != want {
				t.Errorf("%s has %d notices, want %d", event, got, want)
			}
		}
	})
}

func TestOneDelegationThatFailsDoesNotHoldUpTheOthers(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		first := s.delegate("ana", "dora")
		r := s.begin(stage("check", "bo"))
		s.delegate("bo", "dora")
		s.exec("UPDATE delegation SET scope = '{' WHERE id = ?", first.ID) // it cannot be read any more
		s.advance(time.Hour)
		if _, err := s.Delegations.AdvanceDelegations(t.Context(), s.now(), 10); err == nil || !strings.Contains(err.Error(), first.ID) {
			t.Errorf("error = %v, want one that names delegation %s", err, first.ID)
		}
		equal(t, "holders", holders(s.read(r.ID)), []string{"bo"})
		s.exec("UPDATE delegation SET scope = '' WHERE id = ?", first.ID)
	})
}

func TestDelegationPreviewListsTasksToRoute(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		first := s.begin(stage("check", "ana"))
		s.begin(stage("check", "bo"))
		second := s.begin(pool("desk", 1, "ana", "bo"))
		d := approver.Delegation{DelegateTo: identity.User{ID: "dee"}, EndsAt: s.now().Add(day), Mode: approver.DelegationReplace, ApplyToOpen: true}
		preview := func(d approver.Delegation) []string {
			t.Helper()
			list, _, err := s.Delegations.PreviewDelegation(t.Context(), person("ana"), d)
			must(t, err)
			var ids []string
			for _, r := range list {
				ids = append(ids, r.ID)
			}
			slices.Sort(ids)
			return ids
		}
		both := []string{first.ID, second.ID}
		slices.Sort(both)
		equal(t, "all", preview(d), both)
		later := d
		later.StartsAt, later.EndsAt = s.now().Add(day), s.now().Add(2*day)
		equal(t, "one that starts later, as things stand", preview(later), both)
		narrow := d
		narrow.Scope.PolicyKeys = []string{first.PolicyKey}
		equal(t, "of one policy", preview(narrow), []string{first.ID})
		d.ApplyToOpen = false
		equal(t, "for new tasks only", preview(d), nil)
		equal(t, "what is stored", s.rows("SELECT id FROM delegation"), nil)
		equal(t, "who is asked", []string{s.read(first.ID).Tasks[0].Assignee.ID}, []string{"ana"})
		_, _, err := s.Delegations.PreviewDelegation(t.Context(), person("ana"), approver.Delegation{DelegateTo: identity.User{ID: "ana"}, EndsAt: s.now().Add(day)})
		refused(t, "to oneself", err, reason.BadInput)
	})
}
