package wf

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
)

// WorklistFilter filters and orders the open tasks on which a user may act. Zero members have no effect.
type WorklistFilter struct {
	User string
	Role InboxRole

	Delegations []approver.Delegation // in force to the user

	PolicyKey string
	Q         string // part of the title, the requester, an id, the artifact id or a summary value, in any case
	Due       WorklistDue
	Until     time.Time // tasks created later are left out
	Sort      string    // ByUrgency (when empty), ByDueDate or ByAge
}

// WorklistDue selects tasks by the time to their due date.
type WorklistDue string

const (
	DueOverdue WorklistDue = "overdue"
	DueWeek    WorklistDue = "week" // within seven days, or overdue
)

// The sorts of a worklist. Urgency has the tasks that end within UrgentTime first, then the priorities, the oldest task
// first. Due date has tasks without a date last. Age has the oldest task first.
const (
	ByUrgency = "urgency"
	ByDueDate = "due"
	ByAge     = "age"
)

// MaxWorklist is the maximum number of tasks that a worklist reads.
const MaxWorklist = 5_000

// UrgentTime is the time to the end of a task from which it is urgent.
const UrgentTime = 48 * time.Hour

// WorklistRow is the place of a task in a worklist.
type WorklistRow struct {
	TaskID, RequestID string
	Role              InboxRole
	PolicyKey         string
	PolicyVersion     int
	ContextHash       string
	Urgency           int64
	CreatedAt, DueAt  time.Time         // DueAt is zero without a due date
	EndsAt            time.Time         // expiry of the request; zero for never
	SummaryValues     []json.RawMessage // see Request
}

// RowOf returns the place of a task of a request.
func RowOf(r Request, t Task) WorklistRow {
	row := WorklistRow{
		TaskID: t.ID, RequestID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, ContextHash: r.ContextHash,
		Urgency: r.Priority.Urgency(), CreatedAt: t.CreatedAt, DueAt: r.Run(t).DueAt, SummaryValues: r.SummaryValues,
	}
	if r.ExpiresAt != nil {
		row.EndsAt = *r.ExpiresAt
	}
	return row
}

// end returns the earlier of the due date and the expiry if it is near, otherwise the zero time.
func (row WorklistRow) end(now time.Time) time.Time {
	end := row.DueAt
	if end.IsZero() || !row.EndsAt.IsZero() && row.EndsAt.Before(end) {
		end = row.EndsAt
	}
	if end.IsZero() || end.Sub(now) >= UrgentTime {
		return time.Time{}
	}
	return end
}

// IsDue reports whether the task meets a filter of due dates.
func (row WorklistRow) IsDue(due WorklistDue, now time.Time) bool {
	switch due {
	case DueOverdue:
		return !row.DueAt.IsZero() && !row.DueAt.After(now)
	case DueWeek:
		return !row.DueAt.IsZero() && row.DueAt.Before(now.AddDate(0, 0, 7))
	default:
		return true
	}
}

// Compare returns the order of two rows in a list of the filter at a time.
func (f WorklistFilter) Compare(a, b WorklistRow, now time.Time) int {
	order := 0
	switch f.Sort {
	case ByDueDate:
		order = cmp.Or(compareTimes(a.DueAt, b.DueAt), cmp.Compare(a.Urgency, b.Urgency))
	case ByAge:
	default:
		order = cmp.Or(compareTimes(a.end(now), b.end(now)), cmp.Compare(a.Urgency, b.Urgency))
	}
	return cmp.Or(order, a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.TaskID, b.TaskID))
}

// SortRows orders the rows of a list.
func (f WorklistFilter) SortRows(rows []WorklistRow, now time.Time) {
	slices.SortFunc(rows, func(a, b WorklistRow) int { return f.Compare(a, b, now) })
}

// compareTimes orders times, the zero time last.
func compareTimes(a, b time.Time) int {
	switch {
	case a.IsZero() == b.IsZero():
		return a.Compare(b)
	case a.IsZero():
		return 1
	default:
		return -1
	}
}
