package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// A worklist reads the first tasks of its order by indexes, up to the limit.
func TestAWorklistReadsTheFirstTasksByIndexes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.addPolicy("q")
		start, priorities := f.clock(), []wf.Priority{wf.PriorityLow, wf.PriorityUrgent, wf.PriorityNormal}
		var all []wf.WorklistRow
		for i := range 300 {
			holder := []string{"bo", "ana", "bo", "cy", "dee"}[i%5]
			r := withTask(f.newRequest(), "s", holder)
			r.Priority, r.ContextHash = priorities[i%3], "hash"
			if i%4 == 0 {
				r.PolicyKey = "q"
			}
			if i%2 == 0 {
				at := start.Add(time.Duration(i*37%400) * time.Hour)
				r.Stages[0].Clock = wf.Clock{DueAt: at, OnDue: "notify", TimerAt: at}
			}
			if f.advance(time.Second); holder == "ana" {
				row := wf.RowOf(r, r.Tasks[0])
				row.Role = wf.InboxHolder
				all = append(all, row)
			}
			f.addRequest(r)
		}
		pooled := withPool(f.newRequest(), []approver.Approver{{User: identity.User{ID: "ana"}, Rules: []int{0}}}, 1, 0)
		f.addRequest(pooled)
		const limit = 20
		defer store.LimitWorklist(store.LimitWorklist(limit))
		for _, filter := range []wf.WorklistFilter{
			{Role: wf.InboxHolder}, {Role: wf.InboxHolder, Sort: wf.ByDueDate}, {Role: wf.InboxHolder, Sort: wf.ByAge},
			{Role: wf.InboxHolder, PolicyKey: "q"}, {Role: wf.InboxHolder, Until: all[4].CreatedAt},
		} {
			filter.User = "ana"
			want := slices.DeleteFunc(slices.Clone(all), func(row wf.WorklistRow) bool {
				return filter.PolicyKey != "" && row.PolicyKey != filter.PolicyKey || !filter.Until.IsZero() && row.CreatedAt.After(filter.Until)
			})
			early := start.AddDate(-1, 0, 0) // no end is near
			filter.SortRows(want, early)
			more := len(want) > limit
			want = want[:min(len(want), limit)]
			found, gotMore, _, err := f.Worklist(t.Context(), filter)
			var rows []wf.WorklistRow
			for _, row := range found {
				rows = append(rows, row.WorklistRow)
			}
			filter.SortRows(rows, early)
			same(t, "the worklist", want, rows, err)
			if gotMore != more {
				t.Errorf("%+v: more is %t, want %t", filter, gotMore, more)
			}
		}
		if rows, _, _, err := f.Worklist(t.Context(), wf.WorklistFilter{User: "ana", Role: wf.InboxCandidate}); err != nil || len(rows) != 1 || rows[0].RequestID != pooled.ID {
			t.Errorf("%v, %v of the pool", rows, err)
		}
		f.advance(time.Hour)
		expired := withTask(f.newRequest(), "s", "eve")
		expired.ExpiresAt = new(f.clock().Add(-time.Minute))
		f.addRequest(expired)
		if rows, _, _, err := f.Worklist(t.Context(), wf.WorklistFilter{User: "eve"}); err != nil || len(rows) != 0 {
			t.Errorf("%v, %v of an expired request", rows, err)
		}
	})
}

func TestRequestsThatWereSentBackAreListed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		for i := range 100 {
			r := f.newRequest()
			if i%2 == 1 {
				r.Status, r.Requester = wf.RequestChangesRequested, identity.User{ID: fmt.Sprint("requester", i)}
			}
			if i == 3 {
				r.Requester = identity.User{ID: "rita"}
			}
			f.addRequest(r)
		}
		list, err := f.SentBack(t.Context(), "rita", 5)
		if err != nil || len(list) != 1 || list[0].Status != wf.RequestChangesRequested {
			t.Fatalf("%d requests, %v", len(list), err)
		}
	})
}

func TestASearchReadsTitlePersonIdsAndFacts(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		r := withTask(f.newRequest(), "s", "ana")
		r.Title, r.ArtifactID, r.Requester = "Straße 5", "INV-77", identity.User{ID: "rita", Name: "Rita Öz", Username: "roez", Email: "r@example.org"}
		r.SummaryValues = []json.RawMessage{[]byte("12500.5"), []byte(`"Nordlicht"`), []byte("null"), []byte(`{"amount":7,"currency":"EUR"}`)}
		f.addRequest(r)
		rows, _, _, err := f.Worklist(t.Context(), wf.WorklistFilter{User: "ana", Q: "any"})
		if err != nil || len(rows) != 1 {
			t.Fatal(len(rows), err)
		}
		for text, want := range map[string]bool{
			"STRASSE": true, "inv-7": true, "rita ö": true, "ROEZ": true, "example.org": true, "rita": true, r.ID[:9]: true, r.Tasks[0].ID: true,
			"12,500": true, "12\u202f500": true, "nordl": true, " Nordlicht ": true, "eur": true,
			"null": false, "bo": false, r.ID[1:]: false, ",": false, "99": false,
		} {
			if got := rows[0].Matches(text); got != want {
				t.Errorf("%q matches: %t, want %t", text, got, want)
			}
		}
	})
}
