// Package people has the pages of users: tasks, requests, delegations and settings.
package people

import (
	"cmp"
	"embed"
	"net/http"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

var openTasks = []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}

// soon is the time before expiry at which a request moves to the top.
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
	Result    string     // counts of outcomes, as text
	Outcomes  []outcome
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
	Soon bool           // expires soon
	For  *identity.User // the delegator; nil if the reader is not a delegate
}

// ShowTasks lists the reader's tasks.
func ShowTasks(req *page.Request) error { return showTasks(req, http.StatusOK, "", nil) }

func showTasks(req *page.Request, status int, result string, outcomes []outcome) error {
	ctx, query := req.R.Context(), req.R.URL.Query()
	p := tasksPage{Q: query.Get("q"), Policy: query.Get("policy"), Result: result, Outcomes: outcomes}
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
	return req.Show(status, "tasks", title, p)
}

func workItemOf(req *page.Request, item wf.TaskItem) workItem {
	ends := item.Request.ExpiresAt
	return workItem{item, ends != nil && ends.Sub(req.Begun) < soon, delegatorOf(item.Task, req.By)}
}

// moreUrgent orders requests near their expiry first, the earliest at the top.
func moreUrgent(a, b workItem) int {
	switch {
	case a.Soon && b.Soon:
		return a.Request.ExpiresAt.Compare(*b.Request.ExpiresAt)
	case a.Soon:
		return -1
	case b.Soon:
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
