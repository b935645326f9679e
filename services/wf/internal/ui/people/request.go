package people

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/chart"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/content"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// requestPage shows one request.
type requestPage struct {
	wf.Request
	Policy policy.Definition
	page.DueDate
	Link       string // a safe link, or empty
	Content    []content.Entry
	Changes    *changes // nil without an earlier revision
	JSON       string
	Columns    []page.StageColumn
	Chart      page.Chart
	Earlier    []page.StageBox // runs before the last changes
	Events     []page.EventLine
	Comments   []wf.Event
	CanComment bool
	Mentions   []identity.User // users to mention
	Decision   *decisionForm   // the reader's task; nil without one
	Others     []otherTask
	May        map[string]bool
	Problem    string // error of the last form
	Text       string // of a rejected comment

	RevokeReason string // of a rejected revocation
}

// changes lists the changes since an earlier revision of a request.
type changes struct {
	Revision int
	Lines    []content.Change
	More     bool  // the page limit is exceeded
	Others   []int // revisions to compare with
}

// ShowRequest shows one request. The query can have the number of a revision to compare with.
func ShowRequest(req *page.Request, id string) error {
	return reloadRequest(req, id, http.StatusOK, "", nil)
}

func reloadRequest(req *page.Request, id string, status int, problem string, sent url.Values) error {
	h, err := req.Engine.Requests.RequestHistory(req.R.Context(), req.By, id, sinceOf(req))
	if err != nil {
		return err
	}
	return showRequest(req, status, h, problem, sent)
}

// sinceOf returns the revision in the query; 0 if there is none.
func sinceOf(req *page.Request) int {
	since, _ := strconv.Atoi(req.R.URL.Query().Get("since")) // 0 on error
	return since
}

// showRequest shows a request. problem is the error of a form and sent its values.
func showRequest(req *page.Request, status int, h engine.History, problem string, sent url.Values) error {
	r := h.Request
	p := requestPage{
		Request: r, Policy: h.Definition, Link: form.SafeLink(r.Link),
		Content: content.Entries(req.Request, r.Context, h.Definition.ContextSchema), JSON: form.Indent(r.Context),
		Chart: page.ChartOf(chart.OfRequest(r, h.Definition, req.ChartTexts())), Changes: changesOf(req, h), Comments: h.Comments,
		CanComment: r.Participates(req.By.ID), Mentions: otherParticipants(req, r),
		DueDate: req.DueOf(r), May: page.Set(h.Actions(req.By)), Problem: problem, Text: sent.Get("text"), RevokeReason: sent.Get("revocation"),
	}
	p.Columns, p.Earlier = req.Stages(h.Case)
	for _, e := range h.Events {
		if line, shown := req.EventLine(r, e); shown {
			p.Events = append(p.Events, line)
		}
	}
	slices.Reverse(p.Events)
	for _, t := range r.Tasks {
		may := h.TaskActions(t, r.Run(t), req.By)
		isSent := sent.Get("task") == t.ID
		switch {
		case slices.Contains(may, "decide") && p.Decision == nil && (isSent || !sent.Has("task")):
			p.Decision = decisionFormOf(req, h.Case, t, may, sent)
		case len(may) > 0 && isSent:
			p.Others = append(p.Others, otherTask{t, pickerOf(req, "other", "reassign.other", sent), sent.Get("reason")})
		case len(may) > 0:
			p.Others = append(p.Others, otherTask{t, pickerOf(req, "other", "reassign.other", nil), ""})
		}
	}
	return req.Show(status, "request", req.TitleOf(r), p)
}

// changesOf compares a request with its earlier revision.
func changesOf(req *page.Request, h engine.History) *changes {
	if h.Earlier == nil {
		return nil
	}
	c := &changes{Revision: h.Earlier.Number}
	c.Lines, c.More = content.Changes(req.Request, h.Earlier.Context, h.Request.Context, h.Definition.ContextSchema)
	for n := 1; n < h.Request.Revision; n++ {
		if n != c.Revision {
			c.Others = append(c.Others, n)
		}
	}
	return c
}

// otherParticipants returns other participants of a request, as far as the page names them.
func otherParticipants(req *page.Request, r wf.Request) (others []identity.User) {
	add := func(u identity.User) {
		if !req.IsReader(u) && !slices.ContainsFunc(others, func(o identity.User) bool { return o.ID == u.ID }) {
			others = append(others, u)
		}
	}
	add(r.Requester)
	add(r.SubmittedBy)
	for _, t := range r.Tasks {
		if t.Assignee != nil {
			add(*t.Assignee)
		}
	}
	for _, run := range r.Stages {
		for _, u := range run.Observers {
			add(u)
		}
	}
	return others
}

// AddComment adds a comment to a request.
func AddComment(req *page.Request, id string) error {
	f := req.R.PostForm
	in := wf.CommentInput{Text: page.Trim(f.Get("text"), page.MaxComment)}
	for _, userID := range f["mention"] {
		if userID != "" {
			in.Mentions = append(in.Mentions, userID)
		}
	}
	_, err := req.Engine.Requests.AddComment(req.R.Context(), req.By, id, in, nil)
	if refused, ok := page.IsRefused(err); ok && errors.Is(err, reason.BadInput) {
		return reloadRequest(req, id, http.StatusUnprocessableEntity, req.RefusalText(refused), f)
	}
	return req.Complete(err, page.Root+"/requests/"+id, "commented")
}

// CancelRequest cancels a request.
func CancelRequest(req *page.Request, id string) error {
	why := page.Trim(req.R.PostForm.Get("reason"), page.MaxComment)
	_, err := req.Engine.Requests.CancelRequest(req.R.Context(), req.By, id, why, "", nil)
	if refused, ok := page.IsRefused(err); ok && refused.Reason == reason.WrongState {
		h, err := req.Engine.Requests.RequestHistory(req.R.Context(), req.By, id, 0)
		if err != nil {
			return err
		}
		return showRequest(req, req.StatusOf(refused), h, req.WhyOfRequest(refused, h.Request), nil)
	}
	return req.Complete(err, page.Root+"/requests/"+id, "cancelled")
}

// RevokeApproval revokes the approval of a request.
func RevokeApproval(req *page.Request, id string) error {
	why := page.Trim(req.R.PostForm.Get("reason"), page.MaxComment)
	_, err := req.Engine.Requests.RevokeRequest(req.R.Context(), req.By, id, why, "", nil)
	if refused, ok := page.IsRefused(err); ok && (errors.Is(err, reason.BadInput) || refused.Reason == reason.WrongState) {
		return reloadRequest(req, id, req.StatusOf(refused), req.RefusalText(refused), url.Values{"revocation": {why}})
	}
	return req.Complete(err, page.Root+"/requests/"+id, "revoked")
}
