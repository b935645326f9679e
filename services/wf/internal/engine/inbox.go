package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// Inbox is a page of the open tasks on which the caller may act.
type Inbox struct {
	Items    []wf.TaskItem
	Next     string // cursor of the next page
	Matches  Count  // tasks of the list; of a search those of the page
	Policies []PolicyCount
}

// Count is a number of tasks, or a lower bound of it.
type Count struct {
	N       int64
	AtLeast bool
}

// PolicyCount is the number of the caller's tasks of a policy, whatever the filter.
type PolicyCount struct {
	Key, Name string
	Count
}

// ListInbox lists the caller's open tasks that meet a filter.
func (e *Tasks) ListInbox(ctx context.Context, by identity.Actor, f wf.TaskFilter, p wf.Page) (Inbox, error) {
	f.Inbox = by.ID
	var in Inbox
	var err error
	if in.Items, in.Next, err = e.ListTasks(ctx, by, f, p); err != nil {
		return in, err
	}
	if f, err = e.inboxOf(ctx, by, f); err != nil {
		return in, err
	}
	if in.Matches = (Count{int64(len(in.Items)), in.Next != ""}); f.Q == "" {
		if in.Matches, err = e.count(ctx, f); err != nil {
			return in, err
		}
	}
	all := wf.TaskFilter{Inbox: f.Inbox, Own: f.Own, Delegations: f.Delegations, AsOf: f.AsOf}
	stats, more, err := e.store.TaskStats(ctx, all)
	if err != nil {
		return in, err
	}
	counts := map[string]int64{}
	for _, c := range stats {
		counts[c.PolicyKey] += c.Count
	}
	for key, n := range counts {
		v, err := e.store.Policies.Policy(ctx, key)
		if err != nil {
			return in, err
		}
		in.Policies = append(in.Policies, PolicyCount{key, v.Definition.Name, Count{n, more}})
	}
	slices.SortFunc(in.Policies, func(a, b PolicyCount) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key))
	})
	return in, nil
}

// InboxFigures counts the caller's open tasks by age.
func (e *Tasks) InboxFigures(ctx context.Context, by identity.Actor) (wf.InboxFigures, error) {
	f, err := e.inboxOf(ctx, by, wf.TaskFilter{})
	if err != nil {
		return wf.InboxFigures{}, err
	}
	return e.store.InboxFigures(ctx, f)
}

// inboxOf returns the filter of the caller's open tasks, as ListTasks uses it, at the present time.
func (e *Tasks) inboxOf(ctx context.Context, by identity.Actor, f wf.TaskFilter) (wf.TaskFilter, error) {
	f.Inbox = by.ID
	if !by.Has(identity.RoleViewer) {
		f.Own = by.ID
	}
	var err error
	if f.Delegations, err = e.store.Delegations.To(ctx, by.ID); err == nil {
		f.AsOf, err = e.store.Now(ctx)
	}
	return f, err
}

// count counts the tasks of a filter of inboxOf, whatever its text.
func (e *Tasks) count(ctx context.Context, f wf.TaskFilter) (Count, error) {
	counts, more, err := e.store.TaskStats(ctx, f)
	return Count{wf.TotalOf(counts), more}, err
}

// NextTask is the task of a list after one request, and the number of tasks of other requests.
type NextTask struct {
	Item *wf.TaskItem // nil if there is none
	Left Count
}

// nextPage is the number of tasks that NextTask reads, to skip those of the same request.
const nextPage = 20

// NextTask returns the task after a request in a list: also if the request has left it, by a decision of the caller.
// After the last task it returns the first one.
func (e *Tasks) NextTask(
	ctx context.Context, by identity.Actor, f wf.TaskFilter, r wf.Request,
) (next NextTask, err error) {
	if f, err = e.inboxOf(ctx, by, f); err != nil {
		return next, err
	}
	after, err := e.store.PageAfter(ctx, f, r, placeOf(r, by), nextPage)
	if err != nil {
		return next, err
	}
	for _, page := range []wf.Page{after, {Limit: nextPage}} {
		items, _, err := e.ListTasks(ctx, by, f, page)
		if err != nil {
			return next, err
		}
		i := slices.IndexFunc(items, func(item wf.TaskItem) bool { return item.Request.ID != r.ID })
		if i >= 0 {
			next.Item = &items[i]
			break
		}
	}
	if next.Left, err = e.count(ctx, f); err != nil {
		return next, err
	}
	f.RequestID = r.ID
	own, err := e.count(ctx, f)
	next.Left.N -= own.N
	return next, err
}

// placeOf returns the task whose place a request has in a list of a user: the one that they decided last, else one that
// they hold, else its last task.
func placeOf(r wf.Request, by identity.Actor) (place wf.Task) {
	for _, t := range r.Tasks {
		own, last := t.Decision != nil && t.Decision.Actor.ID == by.ID, place.Decision
		decided := last != nil && last.Actor.ID == by.ID
		held := place.Assignee != nil && place.Assignee.ID == by.ID
		if own && (!decided || !t.Decision.DecidedAt.Before(last.DecidedAt.Time)) || !own && !decided && !held {
			place = t
		}
	}
	return place
}

// ListSentBack lists the caller's requests that wait for their changes, the latest first.
func (e *Requests) ListSentBack(ctx context.Context, by identity.Actor, limit int) ([]wf.Request, error) {
	f := wf.RequestFilter{Requester: by.ID, Status: []wf.RequestStatus{wf.RequestChangesRequested}}
	list, _, err := e.store.Requests(ctx, f, wf.Page{Limit: limit})
	return list, err
}
