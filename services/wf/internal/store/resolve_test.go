package store_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
)

func TestTheRequestsWithAStageToLookAtNowAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		waiting := func(status wf.StageStatus, after ...time.Duration) string {
			r := f.newRequest()
			for i, d := range after {
				r.Stages = append(r.Stages, wf.StageRun{ID: newID(), Key: string(rune('a' + i)), Run: 1, Status: status, RetryAt: start.Add(d)})
			}
			return f.addRequest(r).ID
		}
		second := waiting(wf.StageResolving, time.Second)
		first := waiting(wf.StageBlocked, 2*time.Second, 0)
		later := waiting(wf.StageBlocked, 3*time.Second)
		waiting(wf.StageActive, 0)
		waiting(wf.StageCancelled, 0)
		decided := f.newRequest()
		decided.Stages = []wf.StageRun{{ID: newID(), Key: "a", Run: 1, Status: wf.StageBlocked}} // it waits for its rescue alone
		f.addRequest(decided)
		f.addRequest(withTask(f.newRequest(), "s", "ana"))
		for _, tt := range []struct {
			at    time.Duration
			limit int
			want  []string
		}{
			{-time.Millisecond, 9, nil}, {0, 9, []string{first}}, {2 * time.Second, 9, []string{first, second}},
			{2 * time.Second, 1, []string{first}}, {time.Hour, 9, []string{first, second, later}},
		} {
			got, err := f.DueStages(t.Context(), start.Add(tt.at), tt.limit)
			same(t, tt.at.String(), tt.want, got, err)
		}
	})
}

func TestThePoolsOfAnOlderVersionAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		older := func(status wf.StageStatus) string {
			r := withPool(f.newRequest(), nil, 1)
			r.Stages[0].Status, r.Stages[0].WantedUnknown = status, true
			return f.addRequest(r).ID
		}
		active, blocked := older(wf.StageActive), older(wf.StageBlocked)
		older(wf.StageApproved)
		f.addRequest(withPool(f.newRequest(), nil, 1))
		each := withTask(f.newRequest(), "s", "ana")
		each.Stages[0].WantedUnknown = true
		f.addRequest(each)
		got, err := f.OldPools(t.Context(), 9)
		same(t, "OldPools", []string{active, blocked}, got, err)
		got, err = f.OldPools(t.Context(), 1)
		same(t, "the first", []string{active}, got, err)
	})
}

func TestTheRequestsThatAreNotOverAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		add := func(status wf.RequestStatus) string {
			r := f.newRequest()
			r.Status = status
			return f.addRequest(r).ID
		}
		one, two := add(wf.RequestInReview), add(wf.RequestBlocked)
		for _, status := range []wf.RequestStatus{wf.RequestChangesRequested, wf.RequestApproved, wf.RequestRejected, wf.RequestCancelled, wf.RequestExpired} {
			add(status)
		}
		three := add(wf.RequestInReview)
		for _, tt := range []struct {
			after string
			limit int
			want  []string
		}{{"", 9, []string{one, two, three}}, {"", 2, []string{one, two}}, {two, 9, []string{three}}, {three, 9, nil}} {
			open, err := f.OpenRequests(t.Context(), tt.after, tt.limit)
			var got []string
			for _, r := range open {
				if r.PolicyKey != "p" || r.PolicyVersion != 1 || (r.Status == wf.RequestBlocked) != (r.ID == two) {
					t.Errorf("open request %+v", r)
				}
				got = append(got, r.ID)
			}
			same(t, "after "+tt.after, tt.want, got, err)
		}
	})
}

func TestThoseWithSomethingToDoAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.addRequest(withTask(withTask(f.newRequest(), "s", "bo"), "s2", "ana"))
		claimed := withTask(f.newRequest(), "s", "bo")
		claimed.Tasks[0].Status = wf.TaskClaimed
		f.addRequest(claimed)
		over := withTask(f.newRequest(), "s", "cy")
		over.Tasks[0].Status = wf.TaskCompleted
		f.addRequest(over)
		gone := standing("fay", "gus", "")
		gone.Lost = true
		f.addRequest(withPool(f.newRequest(), []wf.Approver{standing("dee", "eli", ""), gone}, 1, 0))
		ended := withPool(f.newRequest(), []wf.Approver{{User: wf.User{ID: "hal"}, Rules: []int{0}}}, 0)
		ended.Stages[0].Status = wf.StageApproved
		f.addRequest(ended)

		for _, tt := range []struct {
			after string
			limit int
			want  []string
		}{{"", 9, []string{"ana", "bo", "dee", "eli"}}, {"", 1, []string{"ana"}}, {"ana", 2, []string{"bo", "dee"}}, {"eli", 9, nil}} {
			got, err := f.LivePeople(t.Context(), tt.after, tt.limit)
			same(t, "LivePeople after "+tt.after, tt.want, got, err)
		}
	})
}
