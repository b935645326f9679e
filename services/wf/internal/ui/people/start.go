package people

import (
	"net/http"
	"net/url"
	"time"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// startPage has the figures of the reader's tasks, and of the policies that they may read.
type startPage struct {
	Tasks, Policies frame.Table
	At              frame.Moment // of the figures of policies; empty before their first count
}

// shownPolicies is the number of policies of a page.
const shownPolicies = 20

// ShowStart shows the figures.
func ShowStart(req *page.Request) error {
	ctx := req.R.Context()
	tasks, err := req.Engine.Tasks.InboxFigures(ctx, req.By)
	if err != nil {
		return err
	}
	p := startPage{Tasks: tasksTable(req, tasks)}
	if req.ReadsPolicies() {
		shown := wf.Page{Limit: shownPolicies, Cursor: req.R.URL.Query().Get("cursor")}
		list, figures, next, err := req.Engine.Policies.ListFigures(ctx, req.By, shown)
		if err != nil {
			return err
		}
		p.Policies = policiesTable(req, list, figures)
		p.Policies.Pager = req.Pager(req.R.URL.Path, next)
		for _, f := range figures {
			p.At = req.Moment(time.UnixMilli(f.AtMS))
		}
	}
	return req.Show(http.StatusOK, "start", req.T("nav.start"), p)
}

// tasksTable returns the numbers of the reader's tasks in a row, with a bar for the share of each.
func tasksTable(req *page.Request, n wf.InboxFigures) frame.Table {
	t := frame.Table{Label: req.T("start.tasks"), Empty: req.T("work.nothing"),
		Columns: req.Columns("measure start.all", "measure due.overdue", "measure start.day", "measure start.days",
			"measure start.week", "measure start.older")}
	if n.Tasks == 0 {
		return t
	}
	var row frame.Row
	numbers := []int64{n.Tasks, n.Overdue, n.Day, n.ThreeDays - n.Day, n.Week - n.ThreeDays, n.Tasks - n.Week}
	for i, number := range numbers {
		cell := numberCell(req, number, n.Tasks)
		if link := []string{page.Root, page.Root + "?due=" + dueOverdue}; i < len(link) {
			cell[0] = frame.LinkTo(link[i], cell[0].Text)
		}
		row.Cells = append(row.Cells, cell)
	}
	t.Rows = append(t.Rows, row)
	return t
}

// policiesTable returns the figures of policies. The bars compare them with each other.
func policiesTable(req *page.Request, list []wf.Policy, figures map[string]wf.PolicyFigures) frame.Table {
	t := frame.Table{Label: req.T("start.policies"), Empty: req.T("work.nothing.found"),
		Columns: req.Columns("main work.policy", "measure start.waiting", "measure due.overdue", "measure start.oldest",
			"measure start.requests", "measure start.median", "measure start.ninety")}
	var most wf.PolicyFigures
	for _, f := range figures {
		most.Tasks, most.Requests = max(most.Tasks, f.Tasks), max(most.Requests, f.Requests)
		most.NinetyMS = max(most.NinetyMS, f.NinetyMS)
	}
	for _, one := range list {
		f := figures[one.Key]
		var oldest, median, ninety frame.Cell
		if f.OldestMS > 0 {
			oldest = frame.Cell{frame.TimeOf(req.Moment(time.UnixMilli(f.OldestMS)))}
		}
		if f.Decided > 0 {
			median, ninety = timeCell(req, f.MedianMS, most.NinetyMS), timeCell(req, f.NinetyMS, most.NinetyMS)
		}
		link := page.Root + "/console/policies/" + url.PathEscape(one.Key)
		t.Rows = append(t.Rows, frame.Row{Cells: []frame.Cell{
			{frame.LinkTo(link, req.PolicyName(one.Latest.Definition).Text)}, numberCell(req, f.Tasks, most.Tasks),
			{frame.Plain(countText(req, engine.Count{N: f.Overdue}))}, oldest,
			numberCell(req, f.Requests, most.Requests), median, ninety,
		}})
	}
	return t
}

// numberCell returns a number with its bar. A number beyond wf.MaxCount tasks is a lower bound.
func numberCell(req *page.Request, n, most int64) frame.Cell {
	return frame.Cell{frame.Plain(countText(req, engine.Count{N: n})), frame.Bar(n, most)}
}

// timeCell returns a duration with its bar, in days, hours or minutes.
func timeCell(req *page.Request, took, most int64) frame.Cell {
	d, unit, in := time.Duration(took)*time.Millisecond, "minute", time.Minute
	switch {
	case d >= 48*time.Hour:
		unit, in = "day", 24*time.Hour
	case d >= 2*time.Hour:
		unit, in = "hour", time.Hour
	}
	return frame.Cell{frame.Plain(req.N("duration."+unit, int((d+in/2)/in))), frame.Bar(took, most)}
}
