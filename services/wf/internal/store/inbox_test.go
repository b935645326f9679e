package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

func TestTaskCountStopsAtALimitAndReportsMore(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const mine = "INSERT INTO inbox (user_id, role, status, urgency, created_ms, task_id, request_id, kind, stage_key, policy_key, artifact_type, delegable) "
		id := newID()
		kind := "?"
		if f.db.Postgres() {
			kind = "CAST(? AS uuid)"
		}
		f.exec(mine+`WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 9998)
			SELECT 'ana', 'holder', 'open', 2, n, `+kind+", "+kind+", 'approver', 's', 'p', '', false FROM number", id, id)
		add := func(status wf.TaskStatus) {
			f.exec(mine+"VALUES ('ana', 'candidate', ?, 0, 1, ?, ?, 'approver', 's', 'q', '', false)", status, newID(), id)
		}
		for _, tt := range []struct {
			add  wf.TaskStatus
			n    int64
			more bool
		}{{wf.TaskOpen, 9_999, false}, {wf.TaskOpen, 10_000, false}, {wf.TaskOpen, 10_000, true}} {
			add(tt.add)
			counts, more, err := f.TaskStats(t.Context(), wf.TaskFilter{Inbox: "ana"})
			if n := wf.TotalOf(counts); err != nil || n != tt.n || more != tt.more {
				t.Errorf("TaskStats() counts %d, %t, %v, want %d, %t", n, more, err, tt.n, tt.more)
			}
		}
		figures, err := f.InboxFigures(t.Context(), wf.TaskFilter{Inbox: "ana", AsOf: start})
		same(t, "figures", wf.InboxFigures{Tasks: 10_001}, figures, err)
		counts, more, err := f.TaskStats(t.Context(), wf.TaskFilter{Candidate: "ana"})
		if more {
			t.Error("3 tasks are reported as more")
		}
		same(t, "of which they could claim", []wf.TaskCount{{Status: wf.TaskOpen, PolicyKey: "q", Count: 3}}, counts, err)
	})
}

func TestRequestsAreSearchedByAPartOfTheirTitleOrArtifact(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		names := map[string]string{}
		for name, text := range map[string][2]string{
			"school": {"School grants, 2026", "B-12345"}, "percent": {`100 % of "it"`, `a_b\c`}, "other": {"Zebra", "B-99999"}, "split": {"over the", "line"},
			"state": {"État civil", "STRASSE-É"}, "decomposed": {"E\u0301te\u0301 2026", "№ ﬁ-1"},
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
				"état": {"state"}, "ÉTAT CIVIL": {"state"}, "straße": {"state"}, "-é": {"state"}, "é": {"decomposed", "state"}, "e\u0301tat": {"state"},
				"Été": {"decomposed"}, "fi-1": {"decomposed"}, "no fi": {"decomposed"}, "etat": nil, "the\nline": nil,
				"nothing like it": nil, "z": {"other"}, "  ": nil,
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

// walked reads a list of tasks page by page.
func walked(t *testing.T, f *fixture, filter wf.TaskFilter, limit int) (ids []string, short int) {
	t.Helper()
	for page := (wf.Page{Limit: limit}); ; {
		items, next, err := f.Tasks(t.Context(), filter, page)
		if err != nil {
			t.Fatalf("%+v: %v", filter, err)
		}
		for _, item := range items {
			ids = append(ids, item.Task.ID)
		}
		if next != "" && len(items) < limit {
			short++
		}
		if page.Cursor = next; next == "" {
			return ids, short
		}
	}
}

// The filters are repeated here for one task at a time.
func TestTasksAreListedByAnyFiltersTogether(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.addPolicy("q")
		r := rand.New(rand.NewPCG(1, 2))
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		var requests []wf.Request
		for range 80 {
			one := withTask(f.newRequest(), pick("s", "z"), pick("ana", "ana", "bo"))
			one.PolicyKey, one.ArtifactType, one.Title = pick("p", "p", "q"), pick("", "invoice"), pick("Pay ACME", "School grants", "Zebra")
			one.Priority = wf.Priority(pick("urgent", "high", "normal", "low"))
			one.Tasks[0].Status = wf.TaskStatus(pick("open", "open", "claimed", "completed", "skipped", "cancelled"))
			one.Tasks[0].Kind = wf.TaskKind(pick("approver", "approver", "rescue"))
			if r.IntN(6) == 0 {
				over := f.clock().Add(-time.Second)
				one.ExpiresAt = &over
			}
			if r.IntN(2) == 0 {
				one.Stages[0].Clock = wf.Clock{DueAt: start.Add(time.Duration(r.IntN(8)) * time.Minute), OnDue: "notify", DueRecorded: true}
			}
			if r.IntN(2) == 0 {
				f.advance(time.Millisecond)
			}
			requests = append(requests, f.addRequest(one))
		}
		now := start.Add(3 * time.Minute)
		some := func(of ...string) []string { return of[:max(0, r.IntN(2*len(of)+1)-len(of))] }
		for n := range 200 {
			filter := wf.TaskFilter{AsOf: now, Sort: pick("", "priority", "due_at"), PolicyKey: some("q", "p"),
				StageKey: some("z", "s"), ArtifactType: some("invoice"),
				Assignee: pick("", "", "ana", "bo"), Inbox: pick("", "", "ana", "cy"), Kind: wf.TaskKind(pick("", "", "rescue")),
				Q: pick("", "", "acme", "sc", "zebra")}
			for _, s := range some("cancelled", "open", "completed", "claimed", "skipped") {
				filter.Status = append(filter.Status, wf.TaskStatus(s))
			}
			switch r.IntN(6) {
			case 0:
				filter.Due.Overdue = new(true)
			case 1:
				filter.Due.Overdue = new(false)
			case 2:
				filter.Due.Before = start.Add(5 * time.Minute)
			}
			var want []wf.Request
			for _, one := range requests {
				if passes(one, filter) {
					want = append(want, one)
				}
			}
			slices.SortFunc(want, func(a, b wf.Request) int {
				byAge := cmp.Or(a.Tasks[0].CreatedAt.Compare(b.Tasks[0].CreatedAt), strings.Compare(a.Tasks[0].ID, b.Tasks[0].ID))
				switch due := func(r wf.Request) time.Time { return r.Stages[0].DueAt }; {
				case filter.Sort == "":
					return -byAge
				case filter.Sort == "due_at" && due(a).IsZero() != due(b).IsZero():
					return due(b).Compare(due(a)) // the zero time is the first, and no date the last
				case filter.Sort == "due_at":
					return cmp.Or(due(a).Compare(due(b)), byAge)
				}
				order := []wf.Priority{wf.PriorityUrgent, wf.PriorityHigh, wf.PriorityNormal, wf.PriorityLow}
				return cmp.Or(slices.Index(order, a.Priority)-slices.Index(order, b.Priority), byAge)
			})
			var ids []string
			for _, one := range want {
				ids = append(ids, one.Tasks[0].ID)
			}
			rowLimit, idLimit := store.LimitReads([]int{1000, 3, 9}[n%3], []int{1000, 1, 0}[n/3%3])
			got, _ := walked(t, f, filter, 4)
			store.LimitReads(rowLimit, idLimit)
			if diff := gocmp.Diff(ids, got); diff != "" {
				t.Fatalf("%+v (-want +got):\n%s", filter, diff)
			}
			counts, _, err := f.TaskStats(t.Context(), wf.TaskFilter{AsOf: now, Assignee: filter.Assignee, Inbox: filter.Inbox, Status: filter.Status})
			must(t, err)
			for _, one := range requests {
				if passes(one, wf.TaskFilter{AsOf: now, Assignee: filter.Assignee, Inbox: filter.Inbox, Status: filter.Status}) {
					i := slices.IndexFunc(counts, func(c wf.TaskCount) bool {
						return c.PolicyKey == one.PolicyKey && c.Status == statusOf(one, now) && c.Count > 0
					})
					if i < 0 {
						t.Fatalf("%+v: task %s is not counted", filter, one.Tasks[0].ID)
					}
					counts[i].Count--
				}
			}
			if slices.ContainsFunc(counts, func(c wf.TaskCount) bool { return c.Count != 0 }) {
				t.Fatalf("%+v: counted and not there: %v", filter, counts)
			}
		}
	})
}

// statusOf is the status of a request's only task.
func statusOf(r wf.Request, now time.Time) wf.TaskStatus {
	if s := r.Tasks[0].Status; s != wf.TaskOpen && s != wf.TaskClaimed || !r.Overdue(now) {
		return s
	}
	return wf.TaskCancelled
}

// passes reports whether the only task of a request passes a filter.
func passes(r wf.Request, f wf.TaskFilter) bool {
	task, among := r.Tasks[0], func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
	due := r.Stages[0].DueAt
	late := !due.IsZero() && !due.After(f.AsOf) && slices.Contains([]wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}, statusOf(r, f.AsOf))
	if f.Due.Overdue != nil && *f.Due.Overdue != late || !f.Due.Before.IsZero() && (due.IsZero() || !due.Before(f.Due.Before)) {
		return false
	}
	inbox := f.Inbox == "" || !r.Overdue(f.AsOf) && slices.ContainsFunc(r.Inbox(), func(e wf.InboxEntry) bool { return e.UserID == f.Inbox })
	return among(f.PolicyKey, r.PolicyKey) && among(f.StageKey, task.StageKey) && among(f.ArtifactType, r.ArtifactType) &&
		(f.Assignee == "" || f.Assignee == task.Assignee.ID) && (f.Kind == "" || f.Kind == task.Kind) && inbox &&
		(len(f.Status) == 0 || slices.Contains(f.Status, statusOf(r, f.AsOf))) && strings.Contains(strings.ToLower(r.Title), f.Q)
}

// A date that moves takes the task to its new place, from and to no date, on any page.
func TestTasksAreSortedByDueDateAfterAMove(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		dated := func(r wf.Request, after time.Duration) wf.Request {
			r.Stages = slices.Clone(r.Stages)
			r.Stages[0].Clock = wf.Clock{}
			if after > 0 {
				r.Stages[0].Clock = wf.Clock{DueAt: start.Add(after), OnDue: "notify", TimerAt: start.Add(after), RemindedAt: start}
			}
			return r
		}
		var requests []wf.Request
		for _, after := range []time.Duration{3, 0, 1, 2, 0} {
			f.advance(time.Millisecond)
			requests = append(requests, f.addRequest(dated(withTask(f.newRequest(), "s", "ana"), after*time.Hour)))
		}
		for _, tt := range []struct {
			request int
			to      time.Duration
			want    []int
		}{
			{0, 3, []int{2, 3, 0, 1, 4}}, {3, 4, []int{2, 0, 3, 1, 4}}, {0, 1, []int{0, 2, 3, 1, 4}},
			{2, 0, []int{0, 3, 1, 2, 4}}, {4, 1, []int{0, 4, 3, 1, 2}},
		} {
			before := requests[tt.request]
			after := dated(before, tt.to*time.Hour)
			after.Rev++
			f.do(func(tx *store.Tx) error { return tx.PutRequest(before, after, nil, nil, nil) })
			requests[tt.request] = after
			var want []string
			for _, i := range tt.want {
				want = append(want, requests[i].Tasks[0].ID)
			}
			for limit := range 6 {
				for _, filter := range []wf.TaskFilter{{}, {Inbox: "ana"}, {Assignee: "ana"}} {
					filter.Sort = "due_at"
					if got, short := walked(t, f, filter, limit+1); !slices.Equal(got, want) || short > 0 {
						t.Errorf("request %d to %d h, %d a page: %v, %d short, want %v", tt.request, tt.to, limit+1, got, short, want)
					}
				}
			}
		}
	})
}

// A text of two characters is in no index. The page ends at the bound on rows read, and the next
// page continues there.
func TestASearchThatFindsLittleReturnsAShortPage(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		defer store.LimitReads(store.LimitReads(10, 1000))
		var want []string
		for i := range 35 {
			r := withTask(f.newRequest(), "s", "ana")
			r.Title = "Grants"
			if i == 1 || i == 30 {
				r.Title = "Zebra"
			}
			f.advance(time.Millisecond)
			if id := f.addRequest(r).Tasks[0].ID; r.Title == "Zebra" {
				want = append([]string{id}, want...)
			}
		}
		for text, pages := range map[string]int{"ze": 3, "zebra": 0} {
			for _, filter := range []wf.TaskFilter{{Q: text}, {Q: text, Inbox: "ana"}} {
				if got, short := walked(t, f, filter, 4); !slices.Equal(got, want) || short != pages {
					t.Errorf("%+v: %v on %d short pages, want %v on %d", filter, got, short, want, pages)
				}
			}
			items, next, err := f.Requests(t.Context(), wf.RequestFilter{Q: text}, wf.Page{Limit: 4})
			if err != nil || len(items) != 2-min(pages, 1) || (next == "") != (pages == 0) {
				t.Errorf("Requests(%q) = %d, %q, %v", text, len(items), next, err)
			}
		}
	})
}
