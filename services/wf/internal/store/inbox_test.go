package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/services/wf"
)

func TestTasksAreCountedToALimitAndThenSaidToBeMore(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const mine = "INSERT INTO inbox (user_id, role, status, urgency, created_ms, task_id, request_id, kind, stage_key, policy_key, artifact_type) "
		id := newID()
		kind := "?"
		if f.db.Postgres() {
			kind = "CAST(? AS uuid)"
		}
		f.exec(mine+`WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 9998)
			SELECT 'ana', 'holder', 'open', 2, n, `+kind+", "+kind+", 'approver', 's', 'p', '' FROM number", id, id)
		add := func(status wf.TaskStatus) {
			f.exec(mine+"VALUES ('ana', 'candidate', ?, 0, 1, ?, ?, 'approver', 's', 'q', '')", status, newID(), id)
		}
		for _, tt := range []struct {
			add  wf.TaskStatus
			n    int64
			more bool
		}{{wf.TaskOpen, 9_999, false}, {wf.TaskOpen, 10_000, false}, {wf.TaskOpen, 10_000, true}} {
			add(tt.add)
			n, more, err := f.CountTasks(t.Context(), wf.TaskFilter{Inbox: "ana"})
			if err != nil || n != tt.n || more != tt.more {
				t.Errorf("CountTasks() = %d, %t, %v, want %d, %t", n, more, err, tt.n, tt.more)
			}
		}
		counts, more, err := f.TaskStats(t.Context(), wf.TaskFilter{Candidate: "ana"})
		if more {
			t.Error("3 tasks are said to be more")
		}
		same(t, "of which they could claim", []wf.TaskCount{{Status: wf.TaskOpen, PolicyKey: "q", Count: 3}}, counts, err)
	})
}

func TestAnInboxIsSortedByPriorityAndPagedByCursor(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		var urgent, low []string
		for i := range 6 {
			r := withTask(f.newRequest(), "s", "ana")
			r.Priority = []wf.Priority{wf.PriorityLow, wf.PriorityUrgent}[i%2]
			if i == 3 {
				r.Tasks[0].Status = wf.TaskClaimed
			}
			f.advance(1_000_000)
			if id := f.addRequest(r).Tasks[0].ID; i%2 == 1 {
				urgent = append(urgent, id)
			} else {
				low = append(low, id)
			}
		}
		for _, limit := range []int{1, 2, 5} {
			for _, sort := range []string{"priority", ""} {
				var got []string
				page := wf.Page{Limit: limit}
				for {
					items, next, err := f.Tasks(t.Context(), wf.TaskFilter{Inbox: "ana", Sort: sort}, page)
					if err != nil {
						t.Fatal(err)
					}
					for _, item := range items {
						got = append(got, item.Task.ID)
					}
					if page.Cursor = next; next == "" {
						break
					}
				}
				want := append(append([]string{}, urgent...), low...)
				if sort == "" {
					want = []string{urgent[2], low[2], urgent[1], low[1], urgent[0], low[0]}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("sort %q, %d a page (-want +got):\n%s", sort, limit, diff)
				}
			}
		}
	})
}

func TestRequestsAreSearchedByAPartOfTheirTitleOrArtifact(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		names := map[string]string{}
		for name, text := range map[string][2]string{
			"school": {"School grants, 2026", "B-12345"}, "percent": {`100 % of "it"`, `a_b\c`}, "other": {"Zebra", "B-99999"}, "split": {"over the", "line"},
		} {
			r := withTask(f.newRequest(), "s", "ana")
			r.Title, r.ArtifactID = text[0], text[1]
			names[f.addRequest(r).ID] = name
		}
		check := func(when string) {
			t.Helper()
			for q, want := range map[string][]string{
				"school": {"school"}, "GRANTS": {"school"}, "b-1": {"school"}, "B-": {"other", "school"}, "2345": {"school"}, "ebr": {"other"},
				"%": {"percent"}, "100 % of": {"percent"}, `"it"`: {"percent"}, `b\c`: {"percent"}, "a_b": {"percent"}, "a-b": nil, "%%%": nil,
				"the\nline": nil, "nothing like it": nil, "z": {"other"}, "  ": nil,
			} {
				requests, _, err := f.Requests(t.Context(), wf.RequestFilter{Q: q}, wf.Page{})
				same(t, fmt.Sprintf("%s, requests with %q", when, q), want, sorted(requests, func(r wf.Request) string { return names[r.ID] }), err)
				for _, filter := range []wf.TaskFilter{{Q: q}, {Q: q, Inbox: "ana"}} {
					tasks, _, err := f.Tasks(t.Context(), filter, wf.Page{})
					same(t, fmt.Sprintf("%s, tasks with %q", when, q), want, sorted(tasks, func(i wf.TaskItem) string { return names[i.Request.ID] }), err)
				}
			}
		}
		indexed, err := f.SearchIndexed(t.Context())
		if err != nil || !indexed {
			t.Errorf("SearchIndexed() = %t, %v", indexed, err)
		}
		check("by an index")
		if !f.db.Postgres() {
			return
		}
		f.exec("DROP INDEX request_search")
		if indexed, err = f.SearchIndexed(t.Context()); err != nil || indexed {
			t.Errorf("SearchIndexed() = %t, %v", indexed, err)
		}
		check("where pg_trgm is not")
	})
}
