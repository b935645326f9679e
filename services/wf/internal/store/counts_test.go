package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func TestStuckRequestsHaveNoOpenTaskOrRetry(t *testing.T) {
	tests := map[string]struct {
		change func(r *wf.Request)
		stuck  int
	}{
		"an open task":                   {func(r *wf.Request) {}, 0},
		"the requester is to change it":  {func(r *wf.Request) { r.Status, r.Tasks[0].Status = wf.RequestChangesRequested, wf.TaskCancelled }, 0},
		"it is over":                     {func(r *wf.Request) { r.Status, r.Tasks[0].Status = wf.RequestApproved, wf.TaskCancelled }, 0},
		"a stage with a retry":           {func(r *wf.Request) { r.Tasks, r.Stages[0].Status, r.Stages[0].RetryAt = nil, wf.StageResolving, start }, 0},
		"no open task":                   {func(r *wf.Request) { r.Tasks[0].Status = wf.TaskCancelled }, 1},
		"it is blocked without any help": {func(r *wf.Request) { r.Status, r.Tasks, r.Stages[0].Status = wf.RequestBlocked, nil, wf.StageBlocked }, 1},
		"a stage without a retry":        {func(r *wf.Request) { r.Tasks, r.Stages[0].Status = nil, wf.StageResolving }, 1},
		"nothing was ever started":       {func(r *wf.Request) { r.Tasks, r.Stages = nil, nil }, 1},
		"an expiry only":                 {func(r *wf.Request) { end := start.Add(time.Hour); r.Tasks, r.ExpiresAt = nil, &end }, 1},
	}
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		want := 0
		for name, tt := range tests {
			r := withTask(f.newRequest(), "s", "ana")
			tt.change(&r)
			f.addRequest(r)
			want += tt.stuck
			counts, err := f.Counts(t.Context())
			if err != nil || len(counts.Stuck) != want || tt.stuck > 0 && !slices.Contains(counts.Stuck, r.ID) {
				t.Errorf("%s: %v stuck, %v, want %d", name, counts.Stuck, err, want)
				want = len(counts.Stuck)
			}
		}
		var listed []wf.Request
		for page := (wf.Page{Limit: 2}); ; {
			some, next, err := f.StuckRequests(t.Context(), page)
			if err != nil || len(some) > 2 {
				t.Fatalf("a page of stuck requests: %v, %v", some, err)
			}
			if listed, page.Cursor = append(listed, some...), next; next == "" {
				break
			}
		}
		byAge := func(a, b wf.Request) int { return a.CreatedAt.Compare(b.CreatedAt) }
		if len(listed) != want || !slices.IsSortedFunc(listed, byAge) {
			t.Errorf("the list has %+v, want %d", listed, want)
		}
	})
}

func TestCountsHaveTheTasksPastTheirDueDateAndTheLagOfEachLoop(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.addPolicy("q")
		begun := f.clock()
		due := func(policy string, after time.Duration) wf.Request {
			r := withTask(f.newRequest(), "s", "ana")
			r.PolicyKey = policy
			at := begun.Add(after)
			r.Stages[0].Clock = wf.Clock{DueAt: at, OnDue: "notify", TimerAt: at, RemindedAt: begun}
			return r
		}
		expired := due("p", 3*time.Minute)
		expired.ExpiresAt = new(begun.Add(5 * time.Minute))
		approved := withTask(f.newRequest(), "s", "ana")
		approved.Status, approved.Tasks[0].Status = wf.RequestApproved, wf.TaskCompleted
		approved.Standing, approved.ValidUntil, approved.CompletedAt = wf.StandingInForce, begun.Add(7*time.Minute), begun
		for _, r := range []wf.Request{
			due("p", time.Minute), due("p", 2*time.Minute), due("p", time.Hour), due("q", time.Hour), expired, approved, withTask(f.newRequest(), "s", "bo"),
		} {
			f.addRequest(r)
		}
		for _, tt := range []struct {
			after time.Duration
			late  int64
			lags  store.Lags
		}{
			{time.Minute - time.Millisecond, 0, store.Lags{}},
			{time.Minute, 1, store.Lags{}},
			{4 * time.Minute, 3, store.Lags{Deadlines: 3 * time.Minute}},
			{10 * time.Minute, 2, store.Lags{Deadlines: 9 * time.Minute, Expiry: 5 * time.Minute, Lapses: 3 * time.Minute}}, // expired tasks are over
		} {
			f.advance(begun.Add(tt.after).Sub(f.clock()))
			c, err := f.Counts(t.Context())
			if err != nil || c.Overdue["p"] != tt.late || c.Overdue["q"] != 0 || c.Tasks["p"] != 5 || c.Tasks["q"] != 1 ||
				c.Lags != tt.lags || c.Requests[wf.RequestInReview] != 6 || len(c.Requests) != 1 || !c.At.Equal(f.clock()) {
				t.Errorf("after %v: counts %+v, %v", tt.after, c, err)
			}
		}
	})
}
