package people

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/reason"
)

// delegationsPage lists the reader's delegates and delegators.
type delegationsPage struct {
	Given, Received frame.Table
	Inputs, Scope   []form.Input
}

// HasScope reports whether the fields of the scope have values.
func (p delegationsPage) HasScope() bool {
	return slices.ContainsFunc(p.Scope, func(in form.Input) bool { return in.Value+in.Error != "" })
}

// ShowDelegations shows the delegations.
func ShowDelegations(req *page.Request) error {
	sent := req.Submitted.Values
	from := sent.Get("from")
	if sent == nil {
		from = req.Begun.In(req.Zone).Format(time.DateOnly)
	}
	text := func(name, label string, limit int) form.Input {
		return req.Input("text", name, label, sent.Get(name), limit)
	}
	policies, err := usableChoices(req)
	if err != nil {
		return err
	}
	p := delegationsPage{
		Inputs: []form.Input{
			req.Picker("to", req.T("delegations.to"), sent).Must(),
			req.Input("date", "from", "delegations.from", from, 0).Must(),
			req.Input("date", "until", "delegations.until", sent.Get("until"), 0).Must(),
			text("reason", "reassign.reason", maxReason),
		},
		Scope: []form.Input{
			text("policies", "delegations.policies", 0).WithHelp(req.T("delegations.policies.help")).WithOptions(policies...),
			text("stages", "delegations.stages", 0), text("types", "delegations.types", 0),
		},
	}
	if p.Given, err = delegationTable(req, "delegations.given", wf.DelegationFilter{User: req.By.ID}); err != nil {
		return err
	}
	if p.Received, err = delegationTable(req, "delegations.received",
		wf.DelegationFilter{DelegateTo: req.By.ID}); err != nil {
		return err
	}
	return req.Show(req.FormStatus(), "delegations", req.T("nav.delegations"), p)
}

// usableChoices returns the policies that the reader may use.
func usableChoices(req *page.Request) (choices []form.Choice, err error) {
	usable, _, err := req.Engine.Policies.ListUsablePolicies(req.R.Context(), req.By, "", wf.Page{Limit: 100})
	for _, v := range usable.Versions {
		choices = append(choices, form.Choice{Value: v.Key, Title: req.PolicyName(v.Definition).Text})
	}
	return choices, err
}

// delegationTable returns the delegations of a filter. The reader can end the open ones of their own.
func delegationTable(req *page.Request, label string, filter wf.DelegationFilter) (frame.Table, error) {
	found, _, err := req.Engine.Delegations.ListDelegations(req.R.Context(), req.By, filter, wf.Page{Limit: 50})
	t := frame.Table{Label: req.T(label), Empty: req.T("delegations.none"), Tall: true,
		Columns: req.Columns("delegations.person", "delegations.time", "main delegations.scope", "console.status",
			"list.operations")}
	for _, d := range page.Named(req, found) {
		at, other := d.Status(req.Begun), d.DelegateTo
		ends := d.User.ID == req.By.ID && (at == approver.DelegationActive || at == approver.DelegationScheduled)
		if d.User.ID != req.By.ID {
			other = d.User
		}
		scope := strings.Join(slices.Concat(d.Scope.PolicyKeys, d.Scope.StageKeys, d.Scope.ArtifactTypes), ", ")
		of := req.T("delegations.end.of", req.Person(d.DelegateTo), req.Clock(d.StartsAt))
		end := frame.Do(page.Root+"/delegations/"+d.ID+"/end", "", "", req.T("delegations.end"), of)
		t.Rows = append(t.Rows, frame.Row{Skip: true, Cells: []frame.Cell{
			req.UserCell(other), {frame.Plain(req.T("delegations.window", req.Clock(d.StartsAt), req.Clock(d.EndsAt)))},
			frame.Cell{}.When(scope != "", frame.Plain(scope)).When(d.Reason != "", frame.Quote(d.Reason)),
			{req.StatusMark("delegation", at)}, frame.Cell{}.When(ends, end),
		}})
	}
	return t, err
}

// CreateDelegation creates a delegation for the days of the form, in the reader's time zone.
func CreateDelegation(req *page.Request) error {
	const to = page.Root + "/delegations"
	f := req.Fields()
	d := readDelegation(f)
	if len(f.Errors) > 0 {
		return f.Invalid(to)
	}
	made, err := req.Engine.Delegations.CreateDelegation(req.R.Context(), req.By, d)
	err = req.Audited("createDelegation", wf.Resource{Type: "delegation"}, err)
	if refused, ok := page.IsRefused(err); ok && errors.Is(err, reason.BadInput) {
		f.Errors = append(f.Errors, delegationError(req, d, refused))
		return f.Invalid(to)
	}
	if err == nil && len(made.Warnings) > 0 {
		return req.Complete(nil, to, "delegated.unconfirmed")
	}
	return req.Complete(err, to, "delegated")
}

// readDelegation returns the delegation of a form and adds the errors of its fields.
func readDelegation(f *page.Fields) approver.Delegation {
	from, until := readDay(f, "from"), readDay(f, "until")
	d := approver.Delegation{
		DelegateTo: identity.User{ID: f.PickedUser(f.Values, "to")}, EndsAt: until.AddDate(0, 0, 1),
		Reason: f.Text("reason", "reassign.reason", maxReason),
	}
	if from.After(f.Begun) {
		d.StartsAt = from
	}
	d.Scope = approver.Scope{
		PolicyKeys: splitList(f.Values.Get("policies")), StageKeys: splitList(f.Values.Get("stages")),
		ArtifactTypes: splitList(f.Values.Get("types")),
	}
	return d
}

const maxReason = 1000 // characters of the reason of a delegation

// readDay returns the day of a field in the reader's time zone.
func readDay(f *page.Fields, field string) time.Time {
	text := f.Values.Get(field)
	day, err := time.ParseInLocation(time.DateOnly, text, f.Zone)
	switch {
	case text == "":
		f.Fail(field, "delegations."+field, f.T("delegations."+field+".missing"))
	case err != nil:
		f.Fail(field, "delegations."+field, f.T("form.date"))
	}
	return day
}

// splitList splits a list at commas and spaces.
func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// delegationError returns the error of the field of a refused delegation.
func delegationError(req *page.Request, d approver.Delegation, refused *refusal.Error) form.FieldError {
	switch refused.Where {
	case "/delegate_to":
		text := req.T("form.unknown")
		if d.DelegateTo.ID == req.By.ID {
			text = req.T("delegations.self")
		}
		return form.FieldError{Field: "to", Label: req.T("delegations.to"), Text: text}
	case "/ends_at":
		return form.FieldError{Field: "until", Label: req.T("delegations.until"), Text: req.T("delegations.window.bad")}
	}
	return form.FieldError{Field: "policies", Label: req.T("delegations.policies"), Text: req.T("refused.bad_input")}
}

// EndDelegation ends a delegation.
func EndDelegation(req *page.Request, id string) error {
	_, err := req.Engine.Delegations.DeleteDelegation(req.R.Context(), req.By, id)
	err = req.Audited("deleteDelegation", wf.Resource{Type: "delegation", ID: id}, err)
	return req.Complete(err, page.Root+"/delegations", "delegation_ended")
}
