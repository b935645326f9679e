// Package console has the pages of admins: requests, policies, endpoints, deliveries, audit and health.
package console

import (
	"cmp"
	"embed"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

// showList shows a list of the console. next is the cursor of the next page.
func showList(req *page.Request, title, next string, l frame.List) error {
	l.Tabs = req.ConsoleNav()
	if l.Table.Empty = cmp.Or(l.Table.Empty, req.T("work.nothing.found")); next != "" {
		l.Table.Empty = req.T("work.nothing.yet")
	}
	return req.ShowList(l, title, next)
}

// policyFilter returns a filter by policy, with the names of the first 200.
func policyFilter(req *page.Request) (form.Input, error) {
	brief := wf.PolicyFilter{Brief: true}
	list, _, err := req.Engine.Policies.ListPolicies(req.R.Context(), req.By, brief, wf.Page{Limit: 200})
	var all []form.Choice
	for _, p := range list {
		all = append(all, form.Choice{Value: p.Key, Title: req.PolicyName(p.Latest.Definition).Text})
	}
	return req.Filter("choice", "policy", "work.policy", all...), err
}

// optionalFilter returns a query parameter as a filter: empty, or one value.
func optionalFilter[S ~string](query url.Values, name string) []S {
	if value := strings.TrimSpace(frame.Truncate(query.Get(name), 255)); value != "" {
		return []S{S(value)}
	}
	return nil
}

// dayOf returns a date parameter in the reader's time zone; zero if invalid.
func dayOf(req *page.Request, name string) time.Time {
	day, _ := time.ParseInLocation(time.DateOnly, req.R.URL.Query().Get(name), req.Zone) // zero on error
	return day
}

func pageOf(req *page.Request) wf.Page {
	return wf.Page{Limit: 50, Cursor: req.R.URL.Query().Get("cursor")}
}

// ShowRequests lists requests by filter.
func ShowRequests(req *page.Request) error {
	ctx, query := req.R.Context(), req.R.URL.Query()
	requester, requesterID := req.UserFilter("requester", "console.requester")
	participant, participantID := req.UserFilter("participant", "console.participant")
	filter := wf.RequestFilter{
		Status: optionalFilter[wf.RequestStatus](query, "status"), PolicyKey: optionalFilter[string](query, "policy"),
		ArtifactType: optionalFilter[string](query, "type"), ArtifactID: optionalFilter[string](query, "artifact"),
		Requester: requesterID, Participant: participantID, Q: frame.Truncate(query.Get("q"), 200),
		CreatedAfter: dayOf(req, "after"), CreatedBefore: dayOf(req, "before"),
	}
	if overdue, err := strconv.ParseBool(query.Get("overdue")); err == nil {
		filter.Due.Overdue = &overdue
	}
	if name, value, ok := strings.Cut(query.Get("label"), "="); ok {
		filter.Labels = map[string]string{name: value}
	}
	list, next, err := req.Engine.Requests.ListRequests(ctx, req.By, filter, pageOf(req))
	if err != nil {
		return err
	}
	policies, err := policyFilter(req)
	if err != nil {
		return err
	}
	p := frame.List{
		Search: req.Search("work.search", len(list) > 0,
			req.Filter("choice", "status", "console.status",
				page.Choices(req, "request.status", wf.RequestStatus("").Values()...)...),
			req.Filter("choice", "overdue", "console.due", page.Choices(req, "console.due", "true", "false")...), policies,
			requester, participant, req.Filter("text", "type", "console.type"),
			req.Filter("text", "artifact", "submit.artifact"),
			req.Filter("text", "label", "console.label"), req.Filter("date", "after", "console.after"),
			req.Filter("date", "before", "console.before")),
		Table: frame.Table{Columns: req.Columns("main work.request", "console.requester", "extra work.policy",
			"number work.fact",
			"work.due", "console.status", "extra console.changed")},
	}
	for _, r := range page.Named(req, list) {
		def, err := req.Engine.Requests.Definition(ctx, r)
		if err != nil {
			return err
		}
		p.Table.Rows = append(p.Table.Rows, frame.Row{Cells: []frame.Cell{
			req.RequestCell(r, page.Root+"/requests/"+r.ID), req.UserCell(r.Requester), {frame.Said(req.PolicyName(def))},
			page.FactCell(req.Facts(r, def)), req.DueOf(r).Cell(req, nil), {req.StatusMark("request.status", r.Status)},
			{frame.TimeOf(req.Moment(r.UpdatedAt))},
		}})
	}
	return showList(req, "console.requests", next, p)
}

// ReevaluateRequest resolves the approvers of a blocked request again.
func ReevaluateRequest(req *page.Request, id string) error {
	_, err := req.Engine.Requests.ReevaluateRequest(req.R.Context(), req.By, id)
	err = req.Audited("reevaluateRequest", wf.Resource{Type: "request", ID: id}, err)
	return req.Complete(err, page.Root+"/requests/"+id, "reevaluated")
}
