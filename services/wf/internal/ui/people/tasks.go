// Package people has the pages of users: tasks, requests, delegations and settings.
package people

import (
	"embed"
	"slices"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
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
	List     worklist
	Count    string // of the tasks of the list
	Search   frame.Search
	SentBack frame.Table
	MoreBack bool
	Tasks    frame.Table
	Bulk     bulkResult
	Comment  form.Input
}

// ShowTasks lists the reader's tasks, after the requests that were sent back to them.
func ShowTasks(req *page.Request) error {
	ctx, query, sent := req.R.Context(), req.R.URL.Query(), req.Submitted.Values
	list, cursor := worklistOf(query, req.Begun), query.Get("cursor")
	found, err := req.Engine.Tasks.ListInbox(ctx, req.By, list.TaskFilter, wf.Page{Limit: pageSize, Cursor: cursor})
	if err != nil {
		return err
	}
	p := tasksPage{
		List: list, Count: countText(req, found.Matches),
		Comment: req.Input("line", "comment", "decide.comment", sent.Get("comment"), page.MaxComment),
	}
	p.Bulk, _ = req.Submitted.Result.(bulkResult)
	if cursor == "" && !list.IsFiltered() {
		if err := p.findSentBack(req); err != nil {
			return err
		}
	}
	p.Search = req.Search("work.search", len(found.Items) > 0 || cursor != "", list.filters(req, found.Policies)...)
	p.Tasks = frame.Table{
		Label:   req.T("work.title"),
		Columns: req.Columns("main work.task", "console.requester", "extra work.policy", "number work.fact", "work.due"),
		Pager:   req.Pager(page.Root, found.Next),
	}
	for _, item := range page.Named(req, found.Items) {
		p.Tasks.Rows = append(p.Tasks.Rows, taskRow(req, list, item))
	}
	title := req.T("work.title")
	if found.Matches.N > 0 {
		title = req.T("work.title.count", p.Count)
	}
	return req.Show(req.FormStatus(), "tasks", title, p)
}

// findSentBack adds the requests of the reader that wait for changes.
func (p *tasksPage) findSentBack(req *page.Request) error {
	list, err := req.Engine.Requests.ListSentBack(req.R.Context(), req.By, maxSentBack+1)
	if err != nil {
		return err
	}
	p.MoreBack = len(list) > maxSentBack
	p.SentBack = frame.Table{Label: req.T("work.back"),
		Columns: req.Columns("main work.request", "work.reason", "work.ends")}
	for _, r := range list[:min(len(list), maxSentBack)] {
		var why frame.Cell
		if r.StatusReason != nil && r.StatusReason.Message != "" {
			why = frame.Cell{frame.Quote(r.StatusReason.Message)}
		}
		var ends frame.Cell
		if r.ExpiresAt != nil {
			ends = frame.Cell{frame.TimeOf(req.Moment(*r.ExpiresAt))}
		}
		cells := []frame.Cell{req.RequestCell(r, changePath(r.ID)), why, ends}
		p.SentBack.Rows = append(p.SentBack.Rows, frame.Row{Cells: cells})
	}
	return nil
}

// taskRow returns the row of a task.
func taskRow(req *page.Request, list worklist, item wf.TaskItem) frame.Row {
	r, t, sent := item.Request, item.Task, req.Submitted.Values
	added := t.Escalated(item.Run) || t.Assignee == nil && item.Run.IsEscalated(req.By.ID)
	title := req.RequestCell(r, list.requestLink(r.ID)).
		When(t.Assignee == nil, frame.Mark("tag", req.T("work.role.candidate"))).
		When(t.Status == wf.TaskClaimed, frame.Mark("tag", req.T("work.claimed"))).
		When(added, frame.Mark("tag", req.T("due.added")))
	if u := item.Case().OnBehalfOf(t, item.Run, req.By); u != nil {
		title = append(title, frame.Mark("tag", req.T("person.for", req.Person(*u))))
	}
	due := page.DueDate{Due: req.MomentOrZero(item.Run.DueAt), Late: t.Overdue(item.Run, req.Begun)}
	name, stage := req.PolicyName(item.Policy), req.StageName(item.Policy, item.Stage().Key, item.Stage().Name)
	about := frame.Said(name)
	about.Title = name.Text + ", " + stage.Text
	value := t.ID + " " + r.ContextHash // of the content shown; see DecideTasks
	pick := &frame.Pick{
		Value: value, Label: req.T("work.pick", req.TitleOf(r)), Note: commentNeeds(req, item.Policy, nil),
		Checked: slices.Contains(sent["task"], value) || sent.Get("select") == "page",
	}
	return frame.Row{Pick: pick, Cells: []frame.Cell{
		title, req.UserCell(r.Requester), {about}, page.FactCell(req.Facts(r, item.Policy)), due.Cell(req, r.ExpiresAt),
	}}
}
