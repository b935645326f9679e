package admin

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// value returns a function with the submitted values of the kept form, or the values of an entry.
func value(req *page.Request) func(name, other string) string {
	return func(name, other string) string {
		if req.Submitted.Values != nil {
			return req.Submitted.Values.Get(name)
		}
		return other
	}
}

func partnerInputs(req *page.Request, p registrar.Partner) []form.Input {
	sent := value(req)
	inputs := []form.Input{
		req.Input("text", "name", "catalog.name", sent("name", p.Name), 0).Must(),
		req.Input("text", "type", "catalog.type", sent("type", p.Type), 0).WithHelp(req.T("partner.type.help")).Must(),
		choice(req, "status", "catalog.status", "entry", registrar.EntryActive.Values(), sent("status", string(p.Status))),
		req.Input("url", "logo", "catalog.logo", sent("logo", p.LogoURI), 0).WithHelp(req.T("partner.logo.help")),
	}
	if p.ID != "" {
		cascade := req.Input("yes", "cascade", "partner.cascade", sent("cascade", ""), 0)
		return append(inputs, cascade.WithHelp(req.T("partner.cascade.help")))
	}
	id := req.Input("text", "id", "catalog.id", sent("id", ""), 0).WithHelp(req.T("catalog.id.help")).Must()
	return append([]form.Input{id}, inputs...)
}

// ShowPartners lists partners, with the form of a new one.
func ShowPartners(req *page.Request) error {
	list, next, err := req.Engine.Catalog.ListPartners(req.R.Context(), req.By, pageOf(req))
	if err != nil {
		return err
	}
	p := frame.List{
		New: frame.NewEntry{
			Title: req.T("partner.new"), Do: req.T("partner.create"), Action: root + "/partners",
			Inputs: partnerInputs(req, registrar.Partner{Type: registrar.AuthPartner, Status: registrar.EntryActive}),
		},
		Table: frame.Table{Empty: req.T("catalog.none"),
			Columns: req.Columns("main catalog.name", "catalog.id", "extra catalog.type", "catalog.status")},
	}
	for _, one := range list {
		p.Table.Rows = append(p.Table.Rows, frame.Row{Cells: []frame.Cell{
			{frame.LinkTo(partnerPath(one.ID), one.Name)}, {frame.Plain(one.ID)}, {frame.Soft(one.Type)},
			{statusMark(req, "entry", string(one.Status), "ACTIVE")},
		}})
	}
	return showList(req, "admin.partners", next, p)
}

// entryPage is a partner or a policy with its form and its trail.
type entryPage struct {
	Tabs     frame.Views
	Name, ID string
	Action   string // target of the form
	Status   frame.Part
	Lead     string
	Inputs   []form.Input
	Mappings frame.Table  // of a partner
	Policy   []form.Input // to map
	Trail    frame.Table
}

// show shows the page of an entry with its trail.
func (p entryPage) show(req *page.Request, trail []registrar.CatalogEvent) error {
	req.SetErrors(p.Inputs, p.Policy)
	p.Tabs = tabs(req)
	p.Trail = frame.Table{Label: req.T("catalog.trail"), Empty: req.T("catalog.trail.none"), Tall: true,
		Columns: req.Columns("stamp audit.when", "audit.actor", "main audit.kind")}
	for _, e := range slices.Backward(trail) {
		what := frame.Cell{frame.Plain(req.Label("catalog.event", e.Type))}.When(e.PolicyID != "", frame.Soft(e.PolicyID))
		var changed []string
		for _, field := range e.Changed {
			changed = append(changed, req.Label("catalog.field", field))
		}
		what = what.When(changed != nil, frame.Soft(strings.Join(changed, ", "))).When(e.TokenID != "", frame.ID(e.TokenID))
		p.Trail.Rows = append(p.Trail.Rows, frame.Row{Skip: true, Cells: []frame.Cell{
			{frame.TimeOf(req.Moment(e.At))}, {frame.Plain(req.ActorName(e.Actor))}, what,
		}})
	}
	return req.Show(req.FormStatus(), "admin-entry", p.Name, p)
}

// trailLength is the number of entries of the trail on a page.
const trailLength = 200

// ShowPartner shows a partner with its policies.
func ShowPartner(req *page.Request) error {
	id := req.R.PathValue("id")
	p, mappings, err := req.Engine.Catalog.GetPartner(req.R.Context(), req.By, id)
	if err != nil {
		return err
	}
	trail, _, err := req.Engine.Catalog.ListPartnerEvents(req.R.Context(), req.By, id, registrar.Page{Limit: trailLength})
	if err != nil {
		return err
	}
	policies, err := policyChoices(req)
	if err != nil {
		return err
	}
	of := entryPage{
		Name: p.Name, ID: p.ID, Action: partnerPath(id), Status: statusMark(req, "entry", string(p.Status), "ACTIVE"),
		Inputs: partnerInputs(req, p),
		Policy: []form.Input{req.Input("text", "policy", "partner.map.policy", value(req)("policy", ""), 0).Must().
			WithOptions(policies...)},
		Mappings: frame.Table{Label: req.T("partner.policies"), Empty: req.T("partner.policies.none"),
			Columns: req.Columns("main admin.policies", "catalog.status", "list.operations")},
	}
	for _, m := range mappings {
		withdraw := frame.Do(partnerPath(id)+"/policies/"+url.PathEscape(m.PolicyID)+"/withdraw", "", "",
			req.T("partner.unmap"), m.PolicyID)
		of.Mappings.Rows = append(of.Mappings.Rows, frame.Row{Cells: []frame.Cell{
			{frame.LinkTo(policyPath(m.PolicyID), m.PolicyID)}, {statusMark(req, "mapping", string(m.Status), "APPROVED")},
			frame.Cell{}.When(m.Status == registrar.MappingApproved, withdraw),
		}})
	}
	return of.show(req, trail)
}

// policyChoices returns the first policies of the catalogue, as proposals.
func policyChoices(req *page.Request) (all []form.Choice, err error) {
	list, _, err := req.Engine.Catalog.ListPolicies(req.R.Context(), registrar.Page{Limit: 100})
	for _, p := range list {
		all = append(all, form.Choice{Value: p.ID, Title: p.Name})
	}
	return all, err
}

// partnerChoices returns the first partners of the catalogue, as proposals.
func partnerChoices(req *page.Request) (all []form.Choice, err error) {
	list, _, err := req.Engine.Catalog.ListPartners(req.R.Context(), req.By, registrar.Page{Limit: 100})
	for _, p := range list {
		all = append(all, form.Choice{Value: p.ID, Title: p.Name})
	}
	return all, err
}

// catalogFields has the fields of both forms by the members of the catalogue.
var catalogFields = map[string]page.Field{
	"partnerId": {Name: "id", Label: "catalog.id"}, "policyId": {Name: "id", Label: "catalog.id"},
	"name": {Name: "name", Label: "catalog.name"}, "type": {Name: "type", Label: "catalog.type"},
	"status": {Name: "status", Label: "catalog.status"}, "logoUri": {Name: "logo", Label: "catalog.logo"},
	"userClaims":         {Name: "claims", Label: "register.claims"},
	"authContextRefs":    {Name: "acrs", Label: "register.acrs"},
	"mandatoryAuthTypes": {Name: "mandatory", Label: "policy.mandatory"},
	"approvalPolicy":     {Name: "approval", Label: "policy.approval"},
	"approvalExempt":     {Name: "exempt", Label: "policy.exempt"},
	"clientTypes":        {Name: "types", Label: "policy.types"},
	"expiresAfter":       {Name: "expires", Label: "policy.expires"},
}

// PutPartner creates or changes a partner. A new one may not have the id of another.
func PutPartner(req *page.Request) error {
	f, id := req.Fields(), req.R.PathValue("id")
	at, note, isNew := partnerPath(id), "entry-changed", id == ""
	if isNew {
		id, at, note = signin.Text(f.Values.Get("id")), root, "entry-created"
		if _, _, err := req.Engine.Catalog.GetPartner(req.R.Context(), req.By, id); err == nil {
			f.Fail("id", "catalog.id", req.T("catalog.id.used"))
			return f.Invalid(at)
		}
	}
	p := registrar.Partner{
		ID: id, Name: signin.Text(f.Values.Get("name")), Type: signin.Text(f.Values.Get("type")), Status: registrar.EntryStatus(f.Values.Get("status")),
		LogoURI: signin.Text(f.Values.Get("logo")),
	}
	err := req.Engine.Catalog.PutPartner(req.R.Context(), req.By, p, f.Values.Has("cascade"))
	return req.CompleteForm(f, err, at, partnerPath(id), note, catalogFields)
}

func partnerPath(id string) string { return root + "/partners/" + url.PathEscape(id) }

func policyPath(id string) string { return root + "/policies/" + url.PathEscape(id) }

// MapPolicy maps an existing policy to a partner.
func MapPolicy(req *page.Request) error {
	f, id := req.Fields(), req.R.PathValue("id")
	policy := signin.Text(f.Values.Get("policy"))
	if _, err := req.Engine.Catalog.GetPolicy(req.R.Context(), policy); errors.Is(err, registrar.PolicyNotFound) {
		f.Fail("policy", "partner.map.policy", req.T("refused.policy_not_found"))
		return f.Invalid(partnerPath(id))
	}
	_, err := req.Engine.Catalog.ApproveMapping(req.R.Context(), req.By, id, policy)
	return req.CompleteForm(f, err, partnerPath(id), partnerPath(id), "mapped",
		map[string]page.Field{"policyId": {Name: "policy", Label: "partner.map.policy"}})
}

// UnmapPolicy withdraws a policy from a partner.
func UnmapPolicy(req *page.Request) error {
	id, policy := req.R.PathValue("id"), req.R.PathValue("policy")
	if !req.Confirmed() {
		p, _, err := req.Engine.Catalog.GetPartner(req.R.Context(), req.By, id)
		if err != nil {
			return err
		}
		return req.Ask(signin.Question{
			Title: req.T("partner.unmap.title", policy, p.Name), Consequence: req.T("partner.unmap.effect"),
			Do: req.T("partner.unmap"), Back: partnerPath(id),
		})
	}
	_, err := req.Engine.Catalog.RevokeMapping(req.R.Context(), req.By, id, policy)
	return req.Complete(err, partnerPath(id), "unmapped")
}

// policyInputs returns the fields of a policy. Claims and ACRs are free: a provider may have its own.
func policyInputs(req *page.Request, p registrar.Policy) []form.Input {
	sent, supported := value(req), req.Engine.Clients.SupportedValues()
	text := func(list []string) string { return strings.Join(list, "\n") }
	inputs := []form.Input{
		req.Input("text", "name", "catalog.name", sent("name", p.Name), 0).Must(),
		choice(req, "type", "catalog.type", "policy.type", registrar.AuthPolicy.Values(), sent("type", string(p.Type))),
		choice(req, "status", "catalog.status", "entry", registrar.EntryActive.Values(), sent("status", string(p.Status))),
		req.Input("json", "claims", "register.claims", sent("claims", text(p.UserClaims)), 0).
			WithHelp(req.T("policy.list.help") + " " + strings.Join(supported.Claims, ", ")),
		req.Input("json", "acrs", "register.acrs", sent("acrs", text(p.ACRs)), 0).
			WithHelp(req.T("policy.list.help") + " " + strings.Join(supported.ACRs, ", ")),
		req.Input("json", "mandatory", "policy.mandatory", sent("mandatory", text(p.MandatoryAuthTypes)), 0).WithHelp(req.T("policy.mandatory.help")),
		req.Input("json", "types", "policy.types", sent("types", text(p.ClientTypes)), 0).WithHelp(req.T("policy.types.help")),
		req.Input("text", "approval", "policy.approval", sent("approval", p.ApprovalPolicy), 0).WithHelp(req.T("policy.approval.help")),
		req.Input("json", "exempt", "policy.exempt", sent("exempt", text(p.ApprovalExempt)), 0).WithHelp(req.T("policy.exempt.help")),
		req.Input("text", "expires", "policy.expires", sent("expires", p.ExpiresAfter),
			0).WithHelp(req.T("policy.expires.help")),
	}
	if p.ID != "" {
		return inputs
	}
	id := req.Input("text", "id", "catalog.id", sent("id", ""), 0).WithHelp(req.T("policy.id.help")).Must()
	return append([]form.Input{id}, inputs...)
}

// ShowPolicies lists policies, with the form of a new one.
func ShowPolicies(req *page.Request) error {
	list, next, err := req.Engine.Catalog.ListPolicies(req.R.Context(), pageOf(req))
	if err != nil {
		return err
	}
	p := frame.List{
		New: frame.NewEntry{
			Title: req.T("policy.new"), Do: req.T("policy.create"), Action: root + "/policies",
			Inputs: policyInputs(req, registrar.Policy{Type: registrar.AuthPolicy, Status: registrar.EntryActive}),
		},
		Table: frame.Table{Empty: req.T("catalog.none"), Columns: req.Columns("main catalog.name", "catalog.id",
			"extra catalog.type", "number register.claims", "catalog.status")},
	}
	for _, one := range list {
		p.Table.Rows = append(p.Table.Rows, frame.Row{Cells: []frame.Cell{
			{frame.LinkTo(policyPath(one.ID), one.Name)}, {frame.Plain(one.ID)},
			{frame.Soft(req.Label("policy.type", one.Type))},
			{frame.Plain(req.N("policy.claims", len(one.UserClaims)))}, {statusMark(req, "entry", string(one.Status), "ACTIVE")},
		}})
	}
	return showList(req, "admin.policies", next, p)
}

// ShowPolicy shows a policy.
func ShowPolicy(req *page.Request) error {
	id := req.R.PathValue("id")
	p, err := req.Engine.Catalog.GetPolicy(req.R.Context(), id)
	if err != nil {
		return err
	}
	trail, _, err := req.Engine.Catalog.ListPolicyEvents(req.R.Context(), req.By, id, registrar.Page{Limit: trailLength})
	if err != nil {
		return err
	}
	return entryPage{
		Name: p.Name, ID: p.ID, Action: policyPath(id), Status: statusMark(req, "entry", string(p.Status), "ACTIVE"),
		Lead: req.T("policy.change.lead"), Inputs: policyInputs(req, p),
	}.show(req, trail)
}

// PutPolicy creates or changes a policy. A new one may not have the id of another.
func PutPolicy(req *page.Request) error {
	f, id := req.Fields(), req.R.PathValue("id")
	at, note, isNew := policyPath(id), "entry-changed", id == ""
	if isNew {
		id, at, note = signin.Text(f.Values.Get("id")), root+"/policies", "entry-created"
		if _, err := req.Engine.Catalog.GetPolicy(req.R.Context(), id); err == nil {
			f.Fail("id", "catalog.id", req.T("catalog.id.used"))
			return f.Invalid(at)
		}
	}
	p := registrar.Policy{
		ID: id, Name: signin.Text(f.Values.Get("name")), Type: registrar.PolicyType(f.Values.Get("type")),
		Status:     registrar.EntryStatus(f.Values.Get("status")),
		UserClaims: page.Lines(f.Values.Get("claims")), ACRs: page.Lines(f.Values.Get("acrs")),
		MandatoryAuthTypes: page.Lines(f.Values.Get("mandatory")),
		ApprovalPolicy:     signin.Text(f.Values.Get("approval")), ApprovalExempt: page.Lines(f.Values.Get("exempt")),
		ClientTypes: page.Lines(f.Values.Get("types")), ExpiresAfter: signin.Text(f.Values.Get("expires")),
	}
	err := req.Engine.Catalog.PutPolicy(req.R.Context(), req.By, p)
	return req.CompleteForm(f, err, at, policyPath(id), note, catalogFields)
}
