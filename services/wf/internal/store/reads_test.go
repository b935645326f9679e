package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func TestTasksAreListedByDueDate(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		now := f.clock()
		for i := range 400 {
			r := withTask(f.newRequest(), "s", "bo")
			if i%20 == 0 {
				r = withTask(f.newRequest(), "s", "ana")
			}
			if at := now.Add(time.Duration(i*37%400) * time.Minute); i%2 == 0 {
				r.Stages[0].Clock = wf.Clock{DueAt: at, OnDue: "notify", TimerAt: at, RemindedAt: now}
			}
			f.addRequest(r)
		}
		for _, filter := range []wf.TaskFilter{
			{Inbox: "ana"}, {Assignee: "ana", Status: []wf.TaskStatus{wf.TaskOpen}}, {}, {Assignee: "ana"},
		} {
			filter.Sort = "due_at"
			items, _, err := f.Tasks(t.Context(), filter, wf.Page{Limit: 10})
			if err != nil || len(items) != 10 || !slices.IsSortedFunc(items, func(a, b wf.TaskItem) int { return a.Run.DueAt.Compare(b.Run.DueAt) }) {
				t.Fatalf("%+v: %d tasks, %v", filter, len(items), err)
			}
		}
		defer store.LimitReads(store.LimitReads(20, 1000))
		f.advance(10 * time.Minute)
		for _, due := range []wf.DueFilter{{Before: f.clock()}, {Overdue: new(true)}} {
			if all, short := walked(t, f, wf.TaskFilter{Due: due, Sort: "due_at"}, 20); len(all) < 5 || len(all) > 6 || short > 0 {
				t.Errorf("%+v: %d tasks, and %d pages read later dates", due, len(all), short)
			}
		}
	})
}

func TestAnApprovalIsFoundByItsContent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		now := f.clock()
		add := func(change func(*wf.Request)) string {
			r := withTask(f.newRequest(), "s", "ana")
			r.PolicyKey, r.ContextHash, r.SubmittedBy = "p", "sha256:one", identity.User{ID: "sam"}
			change(&r)
			f.addRequest(r)
			return r.ID
		}
		approved := func(r *wf.Request) { r.Status, r.Standing, r.CompletedAt = wf.RequestApproved, wf.StandingInForce, now }
		expect := func(step, id string, count int) {
			t.Helper()
			if got, n, err := f.FindApproval(t.Context(), "sam", "p", "sha256:one"); got != id || n != count || err != nil {
				t.Errorf("%s: %q, %d, %v, want %q, %d", step, got, n, err, id, count)
			}
		}
		expect("none", "", 0)
		add(func(r *wf.Request) { r.SubmittedBy.ID = "tom" })
		add(func(r *wf.Request) { r.ContextHash = "sha256:two" })
		add(func(r *wf.Request) { r.Status, r.CompletedAt = wf.RequestRejected, now })
		add(func(r *wf.Request) { r.ExpiresAt = new(now) })
		add(func(r *wf.Request) { approved(r); r.ValidUntil = now })
		add(func(r *wf.Request) {
			approved(r)
			r.Standing, r.EndedAt, r.EndedBy = wf.StandingConsumed, now, &identity.User{ID: "sam"}
		})
		expect("ended", "", 4)
		force := add(func(r *wf.Request) { approved(r); r.ValidUntil = now.Add(time.Hour) })
		expect("in force", force, 5)
		open := add(func(r *wf.Request) { r.ExpiresAt = new(now.Add(time.Hour)) })
		expect("open", open, 6)
		expect("newest", add(func(r *wf.Request) { approved(r) }), 7)
		changes := add(func(r *wf.Request) { r.Status = wf.RequestChangesRequested })
		expect("changes requested", changes, 8)
	})
}

func TestOwnersListTheRequestsOfTheirPoliciesAndTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.addPolicy("q")
		for i := range 300 {
			r := withTask(f.newRequest(), "s", "bo")
			if i%20 == 0 {
				r.PolicyKey = "q"
			}
			if i%50 == 1 {
				r = withTask(f.newRequest(), "s", "olga")
			}
			f.addRequest(r)
		}
		all, _, err := f.Requests(t.Context(), wf.RequestFilter{Own: "olga", Owned: []string{"q"}}, wf.Page{Limit: 200})
		if err != nil || len(all) != 21 || !slices.IsSortedFunc(all, func(a, b wf.Request) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
			t.Errorf("%d requests, want 21 in order; %v", len(all), err)
		}
	})
}
