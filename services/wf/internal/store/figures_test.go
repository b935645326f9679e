package store_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// decided adds a request that was decided some time after its creation.
func (f *fixture) decided(policy string, status wf.RequestStatus, created time.Time, took time.Duration) {
	r := f.newRequest()
	r.PolicyKey, r.Status, r.CreatedAt = policy, status, created
	r.CompletedAt = created.Add(took)
	r.UpdatedAt = r.CompletedAt
	f.addRequest(r)
}

func TestTheFiguresOfPoliciesAreCountedFromTheirTasksAndLatestRequests(t *testing.T) {
	const day = 24 * time.Hour
	each(t, func(t *testing.T, f *fixture) {
		for _, key := range []string{"p", "q", "none"} {
			f.addPolicy(key)
		}
		now := f.clock()
		refresh := func() map[string]wf.PolicyFigures {
			t.Helper()
			must(t, f.RefreshFigures(t.Context()))
			found, err := f.Policies.Figures(t.Context(), []wf.Policy{{Key: "p"}, {Key: "q"}, {Key: "none"}})
			must(t, err)
			return found
		}
		same(t, "without requests", map[string]wf.PolicyFigures{}, refresh(), nil)
		for i := range 10 {
			status := []wf.RequestStatus{wf.RequestApproved, wf.RequestRejected}[i%2]
			f.decided("p", status, now.Add(-2*day), time.Duration(i+1)*time.Hour)
		}
		f.decided("p", wf.RequestCancelled, now.Add(-day), time.Minute)
		f.decided("p", wf.RequestExpired, now.Add(-day), time.Minute)
		f.decided("q", wf.RequestApproved, now.Add(-40*day), 39*day)    // decided in the span, not created
		f.decided("q", wf.RequestApproved, now.Add(-30*day), time.Hour) // created at its very begin
		f.decided("q", wf.RequestApproved, now.Add(-31*day), day)       // decided at its very begin
		f.decided("none", wf.RequestApproved, now.Add(-60*day), day)    // over
		late, open := withTask(f.newRequest(), "s", "ana"), withTask(f.newRequest(), "s", "bo")
		late.CreatedAt, late.Tasks[0].CreatedAt = now.Add(-35*day), now.Add(-35*day)
		late.Stages[0].Clock = wf.Clock{DueAt: now.Add(-time.Minute), OnDue: "notify", DueRecorded: true}
		f.addRequest(late)
		f.addRequest(open)
		at := now.UnixMilli()
		want := map[string]wf.PolicyFigures{
			"p": {PolicyKey: "p", Tasks: 2, Overdue: 1, OldestMS: at - (35 * day).Milliseconds(), Requests: 13, Decided: 10,
				MedianMS: (5 * time.Hour).Milliseconds(), NinetyMS: (9 * time.Hour).Milliseconds(), AtMS: at},
			"q": {PolicyKey: "q", Decided: 2, MedianMS: time.Hour.Milliseconds(), NinetyMS: (39 * day).Milliseconds(), AtMS: at},
		}
		same(t, "figures", want, refresh(), nil)

		limit := store.LimitCounts(3)
		t.Cleanup(func() { store.LimitCounts(limit) })
		f.advance(time.Minute)
		f.decided("q", wf.RequestRejected, f.clock(), time.Second)
		at = f.clock().UnixMilli()
		got := refresh() // of the latest three, and two open tasks
		latest := wf.PolicyFigures{PolicyKey: "q", Requests: 1, Decided: 1, MedianMS: 1000, NinetyMS: 1000, AtMS: at}
		same(t, "the latest", latest, got["q"], nil)
		same(t, "and no more", []int64{2, 1, 0}, []int64{got["p"].Tasks, got["p"].Requests, got["p"].Decided}, nil)
	})
}

func TestAnInboxIsCountedByTheAgeOfItsTasks(t *testing.T) {
	const day = 24 * time.Hour
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		now := f.clock()
		for i, age := range []time.Duration{0, day - 1e6, day, 3*day - 1e6, 3 * day, 7*day - 1e6, 7 * day, 70 * day} {
			r := withTask(f.newRequest(), "s", "ana")
			r.CreatedAt, r.Tasks[0].CreatedAt = now.Add(-age), now.Add(-age)
			if i%2 == 1 {
				r.Stages[0].Clock = wf.Clock{DueAt: now, OnDue: "notify", DueRecorded: true}
			}
			f.addRequest(r)
		}
		f.addRequest(withTask(f.newRequest(), "s", "bo"))
		for user, want := range map[string]wf.InboxFigures{
			"ana": {Tasks: 8, Overdue: 4, Day: 2, ThreeDays: 4, Week: 6},
			"bo":  {Tasks: 1, Day: 1, ThreeDays: 1, Week: 1},
			"cy":  {},
		} {
			got, err := f.InboxFigures(t.Context(), wf.TaskFilter{Inbox: user, AsOf: now})
			same(t, user, want, got, err)
		}
	})
}
