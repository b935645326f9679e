package wf_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
)

func TestWorklistsHaveTheirOrder(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	in := func(d time.Duration) time.Time { return now.Add(d) }
	rows := map[string]wf.WorklistRow{
		"a": {Urgency: 2, CreatedAt: in(-3)},
		"b": {Urgency: 0, CreatedAt: in(-1), DueAt: in(48 * time.Hour)},
		"c": {Urgency: 3, CreatedAt: in(-2), DueAt: in(48*time.Hour - 1)},
		"d": {Urgency: 3, CreatedAt: in(-5), EndsAt: in(time.Hour), DueAt: in(200 * time.Hour)},
		"e": {Urgency: 2, CreatedAt: in(-4), EndsAt: in(90 * time.Hour)},
		"f": {Urgency: 2, CreatedAt: in(-4), DueAt: in(-time.Hour), EndsAt: in(time.Hour)},
	}
	for name, row := range rows {
		row.TaskID = name
		rows[name] = row
	}
	order := func(sort string) (names string) {
		f := wf.WorklistFilter{Sort: sort}
		all := slices.SortedFunc(func(yield func(wf.WorklistRow) bool) {
			for _, row := range rows {
				if !yield(row) {
					return
				}
			}
		}, func(a, b wf.WorklistRow) int { return f.Compare(a, b, now) })
		for _, row := range all {
			names += row.TaskID
		}
		return names
	}
	for sort, want := range map[string]string{
		wf.ByUrgency: "fdcbea", "": "fdcbea", wf.ByDueDate: "fcbdea", wf.ByAge: "defacb", "/x": "fdcbea",
	} {
		if got := order(sort); got != want {
			t.Errorf("%q orders %s, want %s", sort, got, want)
		}
	}
	for due, want := range map[wf.WorklistDue]string{wf.DueOverdue: "f", wf.DueWeek: "bcf", "": "abcdef"} {
		got := ""
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			if rows[name].IsDue(due, now) {
				got += name
			}
		}
		if got != want {
			t.Errorf("%q selects %s, want %s", due, got, want)
		}
	}
}
