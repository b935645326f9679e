package people

import (
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// ownStatuses are the statuses of the requests of a view.
var ownStatuses = map[string][]wf.RequestStatus{
	"open": {wf.RequestInReview, wf.RequestBlocked, wf.RequestChangesRequested}, "back": {wf.RequestChangesRequested},
	"over": {wf.RequestApproved, wf.RequestRejected, wf.RequestCancelled, wf.RequestExpired},
}

// ShowOwnRequests lists the reader's requests and their pending approvers.
func ShowOwnRequests(req *page.Request) error {
	query := req.R.URL.Query()
	status := query.Get("status")
	filter := wf.RequestFilter{Requester: req.By.ID, Status: ownStatuses[status]}
	if status == "part" {
		filter.Requester, filter.Participant = "", req.By.ID
	}
	list, next, err := req.Engine.Requests.ListOwnRequests(
		req.R.Context(), req.By, filter, wf.Page{Limit: 30, Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	p := frame.List{Views: frame.Views{Label: req.T("mine.which")}, Table: frame.Table{
		Empty: req.T("mine.nothing"), Columns: req.Columns("main work.request", "extra console.requester", "mine.waits",
			"number work.fact", "console.status", "extra console.changed"),
	}}
	switch {
	case next != "":
		p.Table.Empty = req.T("work.nothing.yet")
	case status != "":
		p.Table.Empty = req.T("work.nothing.found")
	}
	if len(list) == 0 {
		p.Top = []frame.Part{{Kind: "action", Link: page.Root + "/new", Text: req.T("nav.submit")}}
	}
	for _, view := range []string{"", "open", "back", "over", "part"} {
		path, text := page.Root+"/mine", "mine.all"
		if view != "" {
			path, text = path+"?status="+view, "mine."+view
		}
		p.Views.Links = append(p.Views.Links, frame.View{Path: path, Text: req.T(text), Here: view == status})
	}
	for _, own := range page.Named(req, list) {
		row, err := ownRow(req, own)
		if err != nil {
			return err
		}
		p.Table.Rows = append(p.Table.Rows, row)
	}
	return req.ShowList(p, "nav.mine", next)
}

// ownRow returns the row of a request, with its pending approvers or the reason of its status.
func ownRow(req *page.Request, r engine.OwnRequest) (frame.Row, error) {
	def, err := req.Engine.Requests.Definition(req.R.Context(), r.Request)
	if err != nil {
		return frame.Row{}, err
	}
	var step frame.Cell
	switch names := req.Names(r.Assignees); {
	case r.Status == wf.RequestChangesRequested:
		step = frame.Cell{frame.LinkTo(changePath(r.ID), req.T("mine.change"))}
	case r.Status == wf.RequestInReview && names != "":
		step = frame.Cell{frame.Plain(names)}
	case r.Status == wf.RequestInReview:
		step = frame.Cell{frame.Soft(req.T("mine.pool"))}
	case r.StatusReason != nil:
		step = frame.Cell{frame.Soft(req.Label("because", r.StatusReason.Code))}
	}
	ended := r.Standing != "" && r.Standing != wf.StandingInForce
	return frame.Row{Cells: []frame.Cell{
		req.RequestCell(r.Request, requestPath(r.ID)), req.UserCell(r.Requester), step,
		page.FactCell(req.Facts(r.Request, def)),
		frame.Cell{req.StatusMark("request.status", r.Status)}.
			When(ended, frame.Mark("tag", req.Label("request.standing", r.Standing))),
		{frame.TimeOf(req.Moment(r.UpdatedAt))},
	}}, nil
}
