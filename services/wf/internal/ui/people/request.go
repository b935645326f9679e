package people

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
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
	HasReceipt bool   // see ShowReceipt
	Link       string // a safe link, or empty
	Content    []content.Entry
	Changes    *changes // nil without an earlier revision
	JSON       string
	Columns    []page.StageColumn
	Earlier    []page.StageBox // runs before the last changes
	Events     []page.EventLine
	Comments   []wf.Event
	CanComment bool
	Say        []form.Input  // of a comment
	Decision   *decisionForm // the reader's task; nil without one
	Rescues    []*reassignForm
	Ends       []endForm
	May        map[string]bool
	Reevaluate bool      // the reader may do so
	Next       *nextTask // nil if the reader did not come from a list
}

// endForm ends a request or its approval, or withdraws a decision, with a reason.
type endForm struct {
	Name, Path string
	Field      form.Input
}

// Open reports whether the form was submitted.
func (f endForm) Open() bool { return f.Field.Value+f.Field.Error != "" }

// changes lists the changes since an earlier revision of a request.
type changes struct {
	content.Differences
	Revision int
	Others   []int // revisions to compare with
}

// requestPath returns the path of the page of a request.
func requestPath(id string) string { return page.Root + "/requests/" + id }

// ShowRequest shows one request. The query can have the number of a revision to compare with.
func ShowRequest(req *page.Request, id string) error {
	since, _ := strconv.Atoi(req.R.URL.Query().Get("since")) // 0 on error
	h, err := req.Engine.Requests.RequestHistory(req.R.Context(), req.By, id, since)
	if err != nil {
		return err
	}
	req.UsePolicy(h.Definition)
	sent, r, named := req.Submitted.Values, h.Request, page.Named(req, h.Case)
	p := requestPage{
		Request: r, Policy: h.Definition, Link: form.SafeLink(r.Link), DueDate: req.DueOf(r), JSON: form.Indent(r.Context),
		Changes: changesOf(req, h), Comments: h.Comments,
		Content:    content.Entries(req.Request.Request, r.Context, h.Definition.ContextSchema),
		CanComment: r.Participates(req.By.ID), May: page.Set(h.Actions(req.By)), Reevaluate: req.Admin() || h.Owner,
	}
	p.HasReceipt = !req.Engine.Requests.Receipts.Empty() &&
		(r.Standing == wf.StandingInForce || r.Standing == wf.StandingConsumed)
	p.Say = []form.Input{req.Input("line", "text", "comment.say", sent.Get("text"), page.MaxComment).Must()}
	if others := otherParticipants(req, named.Request); len(others) > 0 {
		mention := req.Input("boxes", "mention", "comment.mention", "", 0)
		for _, u := range others {
			chosen := slices.Contains(sent["mention"], u.ID)
			mention.Options = append(mention.Options, form.Choice{Value: u.ID, Title: req.Person(u), Chosen: chosen})
		}
		p.Say = append(p.Say, mention)
	}
	for _, end := range []struct{ name, field string }{{"revoke", "revocation"}, {"cancel", "cancellation"}} {
		if p.May[end.name] {
			in := req.Input("text", end.field, end.name+".reason", sent.Get(end.field), page.MaxComment)
			in.Required = end.name == "revoke"
			p.Ends = append(p.Ends, endForm{end.name, requestPath(r.ID) + "/" + end.name, in})
		}
	}
	if p.Next, err = nextOf(req, r); err != nil {
		return err
	}
	p.Columns, p.Earlier = req.Stages(h.Case)
	for _, e := range h.Events {
		if line, shown := req.EventLine(h.Case, e); shown {
			p.Events = append(p.Events, line)
		}
	}
	slices.Reverse(p.Events)
	for _, t := range named.Request.Tasks {
		may := h.TaskActions(t, r.Run(t), req.By)
		switch {
		case slices.Contains(may, "withdraw"):
			in := req.Input("text", "withdrawal-"+t.ID, "withdraw.reason", sent.Get("withdrawal-"+t.ID), page.MaxComment)
			p.Ends = append(p.Ends, endForm{"withdraw", page.Root + "/tasks/" + t.ID + "/withdraw", in})
		case slices.Contains(may, "decide") && p.Decision == nil && (sent.Get("task") == t.ID || !sent.Has("task")):
			p.Decision = decisionFormOf(req, named, t, may)
		case len(may) > 0 && t.Kind == wf.RescueTask:
			p.Rescues = append(p.Rescues, reassignFormOf(req, t, nil, true, false))
		}
	}
	return req.Show(req.FormStatus(), "request", req.TitleOf(r), p)
}

// ShowReceipt sends the receipt of an approval as a file, in compact form.
func ShowReceipt(req *page.Request, id string) error {
	r, err := req.Engine.Requests.GetReceipt(req.R.Context(), req.By, id)
	if err != nil {
		return err
	}
	token, err := req.Engine.Requests.Receipts.Sign(r.Claims)
	if err != nil {
		return err
	}
	req.W.Header().Set("Content-Type", "application/jose")
	req.W.Header().Set("Content-Disposition", `attachment; filename="receipt-`+id+`.jws"`)
	req.Send(http.StatusOK, []byte(token))
	return nil
}

// changesOf compares a request with its earlier revision.
func changesOf(req *page.Request, h engine.History) *changes {
	if h.Earlier == nil {
		return nil
	}
	c := &changes{Revision: h.Earlier.Number}
	c.Differences = content.Changes(req.Request.Request, h.Earlier.Context, h.Request.Context,
		h.Definition.ContextSchema)
	for n := 1; n < h.Request.Revision; n++ {
		if n != c.Revision {
			c.Others = append(c.Others, n)
		}
	}
	return c
}

// maxMentions is the number of participants that a comment can mention on the page.
const maxMentions = 50

// otherParticipants returns the other participants of a request, by name.
func otherParticipants(req *page.Request, r wf.Request) []identity.User {
	byName := func(a, b identity.User) int { return cmp.Compare(req.Person(a), req.Person(b)) }
	others := slices.DeleteFunc(slices.SortedFunc(maps.Values(r.Participants()), byName), req.IsReader)
	return others[:min(len(others), maxMentions)]
}

// AddComment adds a comment to a request.
func AddComment(req *page.Request, id string) error {
	f := req.Fields()
	in := wf.CommentInput{Text: f.Text("text", "comment.say", page.MaxComment)}
	for _, userID := range f.Values["mention"] {
		if userID != "" {
			in.Mentions = append(in.Mentions, userID)
		}
	}
	if in.Text == "" {
		f.Fail("text", "comment.say", req.T("form.required"))
	}
	if len(f.Errors) > 0 {
		return f.Invalid(returnPath(req, id))
	}
	_, err := req.Engine.Requests.AddComment(req.R.Context(), req.By, id, in, nil)
	return completeChange(req, id, err, "commented")
}

// completeChange redirects to a request with a note of its change. A refusal is answered with the page of the form.
func completeChange(req *page.Request, id string, err error, note string) error {
	refused, ok := page.IsRefused(err)
	if !ok || refused.Reason != reason.WrongState && !errors.Is(err, reason.BadInput) {
		return req.Complete(err, returnPath(req, id), note)
	}
	shown := signin.Form{Status: req.StatusOf(refused), Problem: req.RefusalText(refused)}
	return req.ShowForm(returnPath(req, id), shown)
}

// CancelRequest cancels a request.
func CancelRequest(req *page.Request, id string) error {
	return endRequest(req, id, "cancel", "cancellation", "cancelled", req.Engine.Requests.CancelRequest)
}

// RevokeApproval revokes the approval of a request.
func RevokeApproval(req *page.Request, id string) error {
	return endRequest(req, id, "revoke", "revocation", "revoked", req.Engine.Requests.RevokeRequest)
}

// endRequest ends a request or its approval with the reason in a field. A revocation needs one.
func endRequest(
	req *page.Request, id, name, field, note string,
	end func(context.Context, identity.Actor, string, string, string, *engine.IdempotencyKey) (engine.Reply, error),
) error {
	f := req.Fields()
	why := f.Text(field, name+".reason", page.MaxComment)
	if why == "" && name == "revoke" {
		f.Fail(field, name+".reason", req.T("form.required"))
	}
	if len(f.Errors) > 0 {
		return f.Invalid(returnPath(req, id))
	}
	_, err := end(req.R.Context(), req.By, id, why, "", nil)
	return completeChange(req, id, err, note)
}
