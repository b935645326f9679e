package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Worklist is a page of the open tasks on which the caller may act.
type Worklist struct {
	Items       []wf.TaskItem
	Page, Pages int // from 1

	Matches Count // tasks of the list
	Total   Count // tasks of the caller, whatever the filter

	// Stopped reports that the list has more tasks than the wf.MaxWorklist that were read. The others have no page, and
	// a search does not find them.
	Stopped bool

	Policies []PolicyCount          // of all tasks, by name
	Roles    map[wf.InboxRole]Count // of all tasks; nil if they are too many to be read
	Rows     []wf.WorklistRow       // of all pages, in order
	given    []approver.Delegation  // in force to the caller
	now      time.Time
}

// Count is a number of tasks, or a lower bound of it.
type Count struct {
	N       int64
	AtLeast bool
}

// PolicyCount is the number of the caller's tasks of a policy.
type PolicyCount struct {
	Key, Name string // Name is the key if no task of the policy was read
	Count
}

// Worklist returns a page of the caller's open tasks. A page beyond the last one is the last one.
func (e *Tasks) Worklist(ctx context.Context, by identity.Actor, f wf.WorklistFilter, page, size int) (Worklist, error) {
	w, err := e.readWorklist(ctx, by, f)
	if err != nil {
		return w, err
	}
	w.Pages = max(1, (len(w.Rows)+size-1)/size)
	w.Page = max(1, min(page, w.Pages))
	first := (w.Page - 1) * size
	var ids []string
	for _, row := range w.Rows[first:min(first+size, len(w.Rows))] {
		ids = append(ids, row.TaskID)
	}
	w.Items, err = e.worklistItems(ctx, by, ids, w)
	return w, err
}

// worklistItems loads tasks of a worklist. Tasks that were purged since are left out.
func (e *Tasks) worklistItems(ctx context.Context, by identity.Actor, ids []string, w Worklist) ([]wf.TaskItem, error) {
	items, err := e.store.TaskItems(ctx, ids, w.now)
	if err != nil {
		return nil, err
	}
	if err := e.setDefinitions(ctx, items, w.given); err != nil {
		return nil, err
	}
	redactItems(by, items)
	return items, nil
}

// readWorklist reads the rows of a list and its counts. If the caller has more than wf.MaxWorklist tasks, the filter by
// role and policy selects those that are read.
func (e *Tasks) readWorklist(ctx context.Context, by identity.Actor, f wf.WorklistFilter) (Worklist, error) {
	f.User = by.ID
	var err error
	if f.Delegations, err = e.store.Delegations.To(ctx, by.ID); err != nil {
		return Worklist{}, err
	}
	all := f
	all.Role, all.PolicyKey = "", ""
	rows, more, now, err := e.store.Worklist(ctx, all)
	if err != nil {
		return Worklist{}, err
	}
	w := Worklist{given: f.Delegations, now: now}
	if err := e.countWorklist(ctx, by, &w, rows, more); err != nil {
		return w, err
	}
	narrow := f.Role != "" || f.PolicyKey != ""
	if more && narrow {
		if rows, more, now, err = e.store.Worklist(ctx, f); err != nil {
			return w, err
		}
	}
	for _, row := range rows {
		if f.Role != "" && row.Role != f.Role || f.PolicyKey != "" && row.PolicyKey != f.PolicyKey ||
			!row.IsDue(f.Due, now) || f.Q != "" && !row.Matches(f.Q) {
			continue
		}
		w.Rows = append(w.Rows, row.WorklistRow)
	}
	f.SortRows(w.Rows, now)
	if w.Matches, w.Stopped = (Count{N: int64(len(w.Rows))}), more; more && f.Q == "" && f.Due == "" {
		n, atLeast, err := e.store.CountTasks(ctx, wf.TaskFilter{
			Inbox: by.ID, Role: f.Role, Delegations: w.given, PolicyKey: slices.DeleteFunc([]string{f.PolicyKey}, func(key string) bool { return key == "" }), AsOf: now,
		})
		if err != nil {
			return w, err
		}
		w.Matches = Count{n, atLeast}
	}
	return w, err
}

// countWorklist counts all tasks of the caller. If not all were read, the database counts them.
func (e *Tasks) countWorklist(ctx context.Context, by identity.Actor, w *Worklist, rows []store.WorklistRow, more bool) error {
	counts, newest := map[string]int64{}, map[string]int{}
	if !more {
		w.Total, w.Roles = Count{N: int64(len(rows))}, map[wf.InboxRole]Count{}
	}
	for _, row := range rows {
		newest[row.PolicyKey] = max(newest[row.PolicyKey], row.PolicyVersion)
		if !more {
			counts[row.PolicyKey]++
			w.Roles[row.Role] = Count{N: w.Roles[row.Role].N + 1}
		}
	}
	if more {
		stats, atLeast, err := e.store.TaskStats(ctx, wf.TaskFilter{Inbox: by.ID, Delegations: w.given, AsOf: w.now})
		if err != nil {
			return err
		}
		for _, c := range stats {
			counts[c.PolicyKey] += c.Count
			w.Total = Count{w.Total.N + c.Count, atLeast}
		}
	}
	for key, n := range counts {
		name := key
		if version, known := newest[key]; known {
			def, _, err := e.store.Policies.Definition(ctx, key, version)
			if err != nil {
				return err
			}
			name = def.Name
		}
		w.Policies = append(w.Policies, PolicyCount{key, name, Count{n, w.Total.AtLeast}})
	}
	slices.SortFunc(w.Policies, func(a, b PolicyCount) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key))
	})
	return nil
}

// NextTask is the task of a list after one request, and the number of tasks of other requests.
type NextTask struct {
	Item *wf.TaskItem // nil if there is none
	Left Count
}

// NextTask returns the task after a request in a list: also if the request has left it, by a decision of the caller.
// After the last task it returns the first one.
func (e *Tasks) NextTask(ctx context.Context, by identity.Actor, f wf.WorklistFilter, r wf.Request) (NextTask, error) {
	w, err := e.readWorklist(ctx, by, f)
	if err != nil {
		return NextTask{}, err
	}
	ofRequest := func(row wf.WorklistRow) bool { return row.RequestID == r.ID }
	at, listed := slices.IndexFunc(w.Rows, ofRequest), int64(0)
	if at < 0 {
		left := wf.RowOf(r, lastDecided(r, by))
		at = slices.IndexFunc(w.Rows, func(row wf.WorklistRow) bool { return f.Compare(row, left, w.now) > 0 })
	}
	for _, row := range w.Rows {
		if ofRequest(row) {
			listed++
		}
	}
	next := NextTask{Left: Count{w.Matches.N - listed, w.Matches.AtLeast}}
	at = max(at, 0)
	ahead := append(slices.Clone(w.Rows[at:]), w.Rows[:at]...)
	if i := slices.IndexFunc(ahead, func(row wf.WorklistRow) bool { return !ofRequest(row) }); i >= 0 {
		items, err := e.worklistItems(ctx, by, []string{ahead[i].TaskID}, w)
		if err != nil || len(items) == 0 {
			return next, err
		}
		next.Item = &items[0]
	}
	return next, nil
}

// lastDecided returns the task of a request that a user decided last; without one, its last task.
func lastDecided(r wf.Request, by identity.Actor) (last wf.Task) {
	var at time.Time
	for _, t := range r.Tasks {
		switch own := t.Decision != nil && t.Decision.Actor.ID == by.ID; {
		case own && !t.Decision.DecidedAt.Before(at):
			last, at = t, t.Decision.DecidedAt.Time
		case at.IsZero():
			last = t
		}
	}
	return last
}

// ListSentBack lists the caller's requests that wait for their changes, the latest first.
func (e *Requests) ListSentBack(ctx context.Context, by identity.Actor, limit int) ([]wf.Request, error) {
	return e.store.SentBack(ctx, by.ID, limit)
}
