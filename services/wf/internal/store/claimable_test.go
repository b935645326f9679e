package store_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// The right to claim a pool task is implemented twice: in SQL for lists, and in the domain for
// views. Both must agree.
func TestInboxMatchesTheRightToClaimATask(t *testing.T) {
	crowd := []string{"ana", "bo", "cy", "dee", "eve"}
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		rapid.Check(t, func(t *rapid.T) {
			pick := func(what string) string { return rapid.SampledFrom(crowd).Draw(t, what) }
			r := withPool(f.newRequest(), nil, rapid.IntRange(0, 2).Draw(t, "unassigned"))
			run := &r.Stages[0]
			run.Status = rapid.SampledFrom([]wf.StageStatus{wf.StageActive, wf.StageActive, wf.StageBlocked, wf.StageApproved}).Draw(t, "status")
			run.Unmet = rapid.Int64Range(0, 7).Draw(t, "wanted")
			for _, id := range rapid.SliceOfNDistinct(rapid.SampledFrom(crowd), 1, 4, rapid.ID[string]).Draw(t, "people") {
				a := approver.Approver{User: identity.User{ID: id}, Ineligible: rapid.IntRange(0, 5).Draw(t, "lost") == 5}
				a.Rules = rapid.SliceOfNDistinct(rapid.IntRange(0, 2), 1, 3, rapid.ID[int]).Draw(t, "rules")
				if rapid.IntRange(0, 5).Draw(t, "placed") == 5 {
					a.PlacedBy, a.Rules = user("root"), []int{0, 1, 2}
				}
				run.People = append(run.People, a)
			}
			held := map[string]bool{}
			for range rapid.IntRange(0, 2).Draw(t, "assigned") {
				who := pick("assignee")
				if held[who] {
					continue
				}
				held[who] = true
				task := wf.Task{
					ID: newID(), RequestID: r.ID, StageKey: "pool", StageRun: 1, Seat: len(r.Tasks) + 1, Kind: wf.ApproverTask, Assignee: user(who), Rev: 1,
					Status: rapid.SampledFrom([]wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed, wf.TaskCompleted, wf.TaskSkipped}).Draw(t, "state"),
				}
				if task.Status == wf.TaskClaimed {
					task.ClaimedBy = user(pick("claimant"))
				}
				r.Tasks = append(r.Tasks, task)
			}
			r.Tasks = append(r.Tasks, wf.Task{
				ID: newID(), RequestID: r.ID, StageKey: "pool", StageRun: 1, Seat: len(r.Tasks) + 1, Kind: wf.RescueTask, Status: wf.TaskOpen, Rev: 1,
			})
			if err := f.Do(t.Context(), func(tx *store.Tx) error { return tx.AddRequest(r, nil, nil, nil) }); err != nil {
				t.Fatal(err)
			}
			var open []string
			for _, task := range r.Tasks {
				if task.Status == wf.TaskOpen && task.Kind == wf.ApproverTask && task.Assignee == nil {
					open = append(open, task.ID)
				}
			}
			claimants := run.Claimants(r.Tasks)
			for _, id := range crowd {
				items, _, err := f.Tasks(t.Context(), wf.TaskFilter{Candidate: id, RequestID: r.ID}, wf.Page{})
				if err != nil {
					t.Fatal(err)
				}
				var got, want []string
				for _, item := range items {
					got = append(got, item.Task.ID)
					if shown := item.Run.EligibleClaimants(item.Task, item.Request.Tasks); !reflect.DeepEqual(shown, claimants) {
						t.Fatalf("the list shows that %v may take %s: %v may", shown, item.Task.ID, claimants)
					}
				}
				if slices.ContainsFunc(claimants, func(u identity.User) bool { return u.ID == id }) {
					want = open
				}
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Fatalf("%s is shown %v, and may take %v: %v may", id, got, want, claimants)
				}
			}
		})
	})
}

// Pools with the same people are read once, and yet each has its own.
func TestAListShowsThePeopleOfEachPool(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		want := map[string][]approver.Approver{}
		for i, second := range []string{"bo", "bo", "cy", "bo", "bo"} {
			people := []approver.Approver{{User: identity.User{ID: "ana"}, Rules: []int{0}}, {User: identity.User{ID: second}, Rules: []int{0}}}
			r := withPool(f.newRequest(), people, 1, 0)
			if i == 0 || i == 4 {
				people[0].Fallback, people[1].Fallback, r.Stages[0].Fallback = true, true, true
			}
			want[f.addRequest(r).ID] = people
		}
		got := map[string][]approver.Approver{}
		items, _, err := f.Tasks(t.Context(), wf.TaskFilter{Candidate: "ana"}, wf.Page{})
		for i, item := range items {
			got[item.Request.ID] = slices.Clone(item.Run.People)
			items[i].Run.People[0].Ineligible = true
		}
		same(t, "people", want, got, err)
	})
}
