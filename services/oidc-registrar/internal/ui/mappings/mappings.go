// Package mappings has the pages of mapping requests: a partner asks for a policy, and an admin decides.
package mappings

import (
	"embed"
	"net/url"
	"strconv"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

// pageLength is the number of requests on a page.
const pageLength = 50

func pathOf(key string) string { return page.MappingsPath + "/" + url.PathEscape(key) }

// List shows the requests that the reader can read, the newest first.
func List(req *page.Request) error {
	var states []form.Choice
	for _, state := range registrar.MappingInProgress.Values() {
		states = append(states, form.Choice{Value: string(state), Title: req.Label("mapping.state", state)})
	}
	filter := req.Filter("choice", "status", "clients.status", states...)
	number, _ := strconv.Atoi(req.R.URL.Query().Get("cursor")) // 0 for the first page
	number = min(max(0, number), 1_000_000)
	list, total, err := req.Engine.Catalog.ListMappingRequests(req.R.Context(), req.By, registrar.MappingList{
		State: registrar.MappingState(filter.Value), Numbered: registrar.Numbered{
			Sort: registrar.SortCreated, Descending: true, Page: number, Size: pageLength,
		},
	})
	if err != nil {
		return err
	}
	var next string
	if int64(number+1)*pageLength < total {
		next = strconv.Itoa(number + 1)
	}
	p := frame.List{Search: req.Search("", len(list) > 0, filter), Table: frame.Table{Empty: req.T("mapping.none"),
		Columns: req.Columns("main clients.policy", "clients.partner", "clients.status", "clients.changed")}}
	for _, r := range list {
		p.Table.Rows = append(p.Table.Rows, frame.Row{Cells: []frame.Cell{
			{frame.LinkTo(pathOf(r.Key), r.PolicyName)}, {frame.Plain(r.PartnerName)}, {stateMark(req, r.State)},
			{frame.TimeOf(req.Moment(r.UpdatedAt))},
		}})
	}
	if !req.By.Admin {
		p.New = frame.NewEntry{Title: req.T("mapping.new"), Action: page.MappingsPath, Do: req.T("mapping.ask")}
		if p.New.Inputs, err = inputs(req); err != nil {
			return err
		}
	}
	return req.ShowList(p, "nav.mappings", next)
}

func stateMark(req *page.Request, state registrar.MappingState) frame.Part {
	class := map[registrar.MappingState]string{
		registrar.MappingInProgress: "pending", registrar.MappingRequestApproved: "active",
		registrar.MappingRequestRejected: "failed",
	}
	return frame.Mark("status "+class[state], req.Label("mapping.state", state))
}

// inputs returns the fields of a new request.
func inputs(req *page.Request) ([]form.Input, error) {
	policies, _, err := req.Engine.Catalog.ListPolicies(req.R.Context(), registrar.Page{Limit: 100})
	var proposed, partners []form.Choice
	for _, p := range policies {
		proposed = append(proposed, form.Choice{Value: p.ID, Title: p.Name})
	}
	for _, id := range req.By.Partners {
		partners = append(partners, form.Choice{Value: id, Title: id})
	}
	v := req.Submitted.Values
	return []form.Input{
		req.Input("choice", "partner", "clients.partner", v.Get("partner"), 0).Must().WithOptions(partners...),
		req.Input("text", "policy", "token.policy", v.Get("policy"), 0).Must().WithOptions(proposed...),
		req.Input("long", "use", "mapping.use", v.Get("use"), registrar.MaxUseCase).
			WithHelp(req.T("mapping.use.help")).Must(),
	}, err
}

// Ask stores the request of a partner.
func Ask(req *page.Request) error {
	f := req.Fields()
	r, err := req.Engine.Catalog.RequestMapping(req.R.Context(), req.By, registrar.MappingRequest{
		PartnerID: f.Values.Get("partner"), PolicyID: signin.Text(f.Values.Get("policy")),
		UseCase: signin.Text(f.Values.Get("use")),
	}, "")
	return req.CompleteForm(f, err, page.MappingsPath, pathOf(r.Key), "mapping-requested", map[string]page.Field{
		"useCaseDescription": {Name: "use", Label: "mapping.use"},
	})
}

// requestPage is a request with the form of its decision.
type requestPage struct {
	registrar.MappingRequest
	Status   frame.Part
	Approval string       // state of its approval; empty without one
	Link     string       // to the request in the inbox of wf; empty if not configured
	Inputs   []form.Input // of the decision; nil if the reader cannot decide
}

// Show shows a request.
func Show(req *page.Request) error {
	r, asked, err := req.Engine.Catalog.GetMappingRequest(req.R.Context(), req.By, req.R.PathValue("key"))
	if err != nil {
		return err
	}
	p := requestPage{MappingRequest: r, Status: stateMark(req, r.State)}
	if asked != nil {
		p.Approval, p.Link = string(asked.State), req.InboxLink(*asked)
	}
	if req.By.Admin && r.State == registrar.MappingInProgress && req.Engine.Catalog.AdminDecides(asked) {
		comment := req.Submitted.Values.Get("comment")
		p.Inputs = []form.Input{req.Input("long", "comment", "mapping.comment", comment, registrar.MaxMappingComment).
			WithHelp(req.T("mapping.comment.help"))}
		req.SetErrors(p.Inputs)
	}
	return req.Show(req.FormStatus(), "mapping", req.T("mapping.title", r.PolicyID, r.PartnerID), p)
}

// Decide approves or rejects a request. A rejection needs a reason.
func Decide(req *page.Request) error {
	f, key, note := req.Fields(), req.R.PathValue("key"), "mapping-rejected"
	status, comment := f.Values.Get("status"), signin.Text(f.Values.Get("comment"))
	if status == string(registrar.MappingRequestRejected) && comment == "" {
		f.Fail("comment", "mapping.comment", req.T("form.required"))
		return f.Invalid(pathOf(key))
	}
	r, err := req.Engine.Catalog.DecideMapping(req.R.Context(), req.By, key, status, comment)
	if r.State == registrar.MappingRequestApproved {
		note = "mapped"
	}
	return req.CompleteForm(f, err, pathOf(key), pathOf(key), note, map[string]page.Field{
		"comment": {Name: "comment", Label: "mapping.comment"},
	})
}
