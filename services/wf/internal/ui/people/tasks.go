// Package people has the pages of users: tasks, requests, delegations and settings.
package people

import (
	"embed"
	"slices"
	"strconv"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/content"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

// pageSize is the number of tasks of a page.
const pageSize = 50

// maxSentBack is the number of requests that the page shows before the tasks.
const maxSentBack = 5

// tasksPage lists the reader's tasks.
type tasksPage struct {
	engine.Worklist
	List     worklist
	Count    string // of the tasks of the list
	Tasks    []workItem
	SentBack []wf.Request // requests of the reader that wait for changes
	MoreBack bool

	Policies, Roles, Dues, Sorts []form.Choice // of the filter

	Pager     frame.Pager
	Bulk      bulkResult
	Comment   string // submitted
	All       string // time of the list, for an action on all tasks of it; empty if the page has all
	AllPicked bool
}

// workItem is a task in the list.
type workItem struct {
	wf.TaskItem
	Link   string
	Facts  []content.Entry
	Soon   bool // the request expires soon
	Due    frame.Moment
	Late   bool
	Picked bool           // in the submitted selection
	Added  bool           // the reader was added by the escalation of the stage
	For    *identity.User // the delegator; nil if the reader is not a delegate
}

// ShowTasks lists the reader's tasks, after the requests that were sent back to them.
func ShowTasks(req *page.Request) error {
	ctx, query, sent := req.R.Context(), req.R.URL.Query(), req.Submitted.Values
	list := worklistOf(query)
	p := tasksPage{List: list, Comment: sent.Get("comment")}
	p.Bulk, _ = req.Submitted.Result.(bulkResult)
	number, _ := strconv.Atoi(query.Get("page")) // 0 on error
	var err error
	if p.Worklist, err = req.Engine.Tasks.Worklist(ctx, req.By, list.WorklistFilter, number, pageSize); err != nil {
		return err
	}
	if p.Page == 1 && !list.IsFiltered() {
		if p.SentBack, err = req.Engine.Requests.ListSentBack(ctx, req.By, maxSentBack+1); err != nil {
			return err
		}
		p.MoreBack = len(p.SentBack) > maxSentBack
		p.SentBack = p.SentBack[:min(len(p.SentBack), maxSentBack)]
	}
	p.setFilters(req)
	if p.Page > 1 {
		p.Pager.Previous = list.path(p.Page - 1)
	}
	if p.Page < p.Pages {
		p.Pager.Next = list.path(p.Page + 1)
	}
	if p.Pages > 1 || p.Stopped {
		p.All = strconv.FormatInt(req.Begun.UnixMilli(), 10)
		p.AllPicked = sent.Has("all")
	}
	for _, item := range p.Items {
		w := workItemOf(req, item)
		w.Link = list.requestLink(item.Request.ID)
		w.Picked = slices.Contains(sent["task"], w.Value()) || sent.Get("select") == "page"
		p.Tasks = append(p.Tasks, w)
	}
	p.Count = countText(req, p.Matches)
	title := req.T("work.title")
	if p.Matches.N > 0 {
		title = req.T("work.title.count", p.Count)
	}
	return req.Show(req.FormStatus(), "tasks", title, p)
}

// setFilters sets the fields of the filter.
func (p *tasksPage) setFilters(req *page.Request) {
	p.Policies, p.Roles = policyChoices(req, p.List, p.Worklist), roleChoices(req, p.List, p.Worklist)
	p.Dues, p.Sorts = dueChoices(req, p.List), sortChoices(req, p.List)
}

// Value returns the value of the task in a selection: its id and the hash of the content shown.
func (w workItem) Value() string { return w.Task.ID + " " + w.Request.ContextHash }

func workItemOf(req *page.Request, item wf.TaskItem) workItem {
	w := workItem{
		TaskItem: item, Facts: req.Facts(item.Request, item.Policy), Due: req.MomentOrZero(item.Run.DueAt),
		Late: item.Task.Overdue(item.Run, req.Begun), For: item.Case().OnBehalfOf(item.Task, item.Run, req.By), Added: item.Task.Escalated(item.Run),
	}
	for _, claimant := range item.Run.EligibleClaimants(item.Task, item.Request.Tasks) {
		w.Added = w.Added || claimant.ID == req.By.ID && item.Run.IsEscalated(claimant.ID)
	}
	w.Soon = item.Request.ExpiresAt != nil && item.Request.ExpiresAt.Sub(req.Begun) < wf.UrgentTime
	return w
}
