package store_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
)

func TestTheRequestsWithAStageToResolveNowAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		resolving := func(after ...time.Duration) string {
			r := f.newRequest()
			for i, d := range after {
				r.Stages = append(r.Stages, wf.StageRun{ID: newID(), Key: string(rune('a' + i)), Run: 1, Status: wf.StageResolving, RetryAt: start.Add(d)})
			}
			return f.addRequest(r).ID
		}
		second := resolving(time.Second)
		first := resolving(2*time.Second, 0)
		later := resolving(3 * time.Second)
		f.addRequest(withTask(f.newRequest(), "s", "ana"))
		for _, tt := range []struct {
			at    time.Duration
			limit int
			want  []string
		}{
			{-time.Millisecond, 9, nil}, {0, 9, []string{first}}, {2 * time.Second, 9, []string{first, second}},
			{2 * time.Second, 1, []string{first}}, {time.Hour, 9, []string{first, second, later}},
		} {
			got, err := f.DueResolutions(t.Context(), start.Add(tt.at), tt.limit)
			same(t, tt.at.String(), tt.want, got, err)
		}
	})
}

func TestThoseWhoHoldTasksAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		one := f.addRequest(withTask(withTask(f.newRequest(), "s", "bo"), "s2", "ana"))
		two := withTask(f.newRequest(), "s", "bo")
		two.Tasks[0].Status = wf.TaskClaimed
		f.addRequest(two)
		over := withTask(f.newRequest(), "s", "cy")
		over.Tasks[0].Status = wf.TaskCompleted
		f.addRequest(over)
		f.addRequest(withPool(f.newRequest(), nil, -1))

		for _, tt := range []struct {
			after string
			limit int
			want  []string
		}{{"", 9, []string{"ana", "bo"}}, {"", 1, []string{"ana"}}, {"ana", 9, []string{"bo"}}, {"bo", 9, []string{}}} {
			got, err := f.LiveAssignees(t.Context(), tt.after, tt.limit)
			same(t, "LiveAssignees after "+tt.after, tt.want, got, err)
		}
		got, err := f.HeldBy(t.Context(), "bo")
		same(t, "HeldBy bo", []string{one.ID, two.ID}, got, err)
		got, err = f.HeldBy(t.Context(), "")
		same(t, "HeldBy nobody", []string{}, got, err)
	})
}
