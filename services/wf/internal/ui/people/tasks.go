// Package people has the pages of users: tasks, requests, delegations and settings.
package people

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/content"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

var openTasks = []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}

// soon is the time before expiry or a due date at which a task moves to the top.
const soon = 48 * time.Hour

// tasksPage lists the reader's tasks.
type tasksPage struct {
	Q, Policy string
	Policies  []policyChoice
	Mine      []workItem // assigned to the reader
	Pool      []workItem // claimable
	Delegated []workItem // as a delegate
	Count     int64      // number of the reader's tasks
	Next      string     // address of the next page; empty on the last
	Bulk      bulkResult
	Comment   string // submitted
}

// IsEmpty reports whether there are no tasks.
func (p tasksPage) IsEmpty() bool { return len(p.Mine)+len(p.Pool)+len(p.Delegated) == 0 }

type policyChoice struct {
	Key    string
	Count  int64
	Chosen bool
}

// workItem is a task in the list.
type workItem struct {
	wf.TaskItem
	Facts  []content.Entry
	Soon   bool      // the request expires soon
	ends   time.Time // of the request or the due date of the stage, whichever is first; zero if neither is soon
	Due    frame.Moment
	Late   bool
	Picked bool           // in the submitted selection
	Added  bool           // the reader was added by the escalation of the stage
	For    *identity.User // the delegator; nil if the reader is not a delegate
}

// ShowTasks lists the reader's tasks.
func ShowTasks(req *page.Request) error {
	ctx, query, sent := req.R.Context(), req.R.URL.Query(), req.Kept.Values
	p := tasksPage{Q: query.Get("q"), Policy: query.Get("policy"), Comment: sent.Get("comment")}
	if len(req.Kept.Result) > 0 {
		if err := json.Unmarshal(req.Kept.Result, &p.Bulk); err != nil {
			return fmt.Errorf("decode a result: %w", err)
		}
	}
	filter := wf.TaskFilter{Inbox: req.By.ID, Status: openTasks, Q: frame.Truncate(p.Q, 200), Sort: "priority"}
	if p.Policy != "" {
		filter.PolicyKey = []string{frame.Truncate(p.Policy, 128)}
	}
	items, next, err := req.Engine.Tasks.ListTasks(ctx, req.By, filter, wf.Page{Limit: 100, Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	if err = countTasks(req, &p, items, next != "" || query.Get("cursor") != ""); err != nil {
		return err
	}
	p.Next = req.NextPage(page.Root, next)
	for _, item := range items {
		w := workItemOf(req, item)
		w.Picked = slices.Contains(sent["task"], w.Value())
		switch {
		case item.Task.Assignee == nil:
			p.Pool = append(p.Pool, w)
		case w.For != nil:
			p.Delegated = append(p.Delegated, w)
		default:
			p.Mine = append(p.Mine, w)
		}
	}
	for _, list := range [][]workItem{p.Mine, p.Pool, p.Delegated} {
		slices.SortStableFunc(list, moreUrgent)
	}
	title := req.T("work.title")
	if n := p.Count; n > 0 {
		title = req.T("work.title.count", n)
	}
	return req.Show(req.KeptStatus(), "tasks", title, p)
}

// Value returns the value of the task in a selection: its id and the hash of the content shown.
func (w workItem) Value() string { return w.Task.ID + " " + w.Request.ContextHash }

func workItemOf(req *page.Request, item wf.TaskItem) workItem {
	w := workItem{
		TaskItem: item, Facts: req.Facts(item.Request, item.Policy), Due: req.MomentOrZero(item.Run.DueAt), Late: item.Task.Overdue(item.Run, req.Begun), For: delegatorOf(item.Task, req.By),
		Added: item.Task.Escalated(item.Run),
	}
	for _, claimant := range item.Run.EligibleClaimants(item.Task, item.Siblings) {
		w.Added = w.Added || claimant.ID == req.By.ID && item.Run.IsEscalated(claimant)
	}
	if ends := item.Request.ExpiresAt; ends != nil && ends.Sub(req.Begun) < soon {
		w.Soon, w.ends = true, *ends
	}
	if due := item.Run.DueAt; !due.IsZero() && due.Sub(req.Begun) < soon && (w.ends.IsZero() || due.Before(w.ends)) {
		w.ends = due
	}
	return w
}

// moreUrgent orders tasks near their due date or the expiry of their request first, the earliest at the top.
func moreUrgent(a, b workItem) int {
	switch {
	case !a.ends.IsZero() && !b.ends.IsZero():
		return a.ends.Compare(b.ends)
	case !a.ends.IsZero():
		return -1
	case !b.ends.IsZero():
		return 1
	}
	return 0
}

// countTasks counts the reader's tasks by policy. If the page shows all of them, they are counted
// there.
func countTasks(req *page.Request, p *tasksPage, items []wf.TaskItem, part bool) error {
	by := map[string]int64{}
	if !part && p.Q == "" && p.Policy == "" {
		for _, item := range items {
			by[item.Request.PolicyKey]++
			if item.Task.Assignee != nil && item.Task.Assignee.ID == req.By.ID {
				p.Count++
			}
		}
	} else {
		for _, filter := range []wf.TaskFilter{{Inbox: req.By.ID, Status: openTasks}, {Assignee: req.By.ID, Status: openTasks}} {
			counts, _, err := req.Engine.Tasks.GetTaskStats(req.R.Context(), req.By, filter)
			if err != nil {
				return err
			}
			for _, c := range counts {
				if filter.Inbox != "" {
					by[c.PolicyKey] += c.Count
				} else {
					p.Count += c.Count
				}
			}
		}
	}
	for key, n := range by {
		p.Policies = append(p.Policies, policyChoice{key, n, key == p.Policy})
	}
	slices.SortFunc(p.Policies, func(a, b policyChoice) int { return cmp.Compare(a.Key, b.Key) })
	return nil
}
