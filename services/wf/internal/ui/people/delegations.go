package people

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/reason"
)

// delegationsPage lists the reader's delegates and delegators.
type delegationsPage struct {
	Given, Received []delegationItem
	Sent            url.Values
	From, Until     string
	To              page.Picker
}

type delegationItem struct {
	approver.Delegation
	Status approver.DelegationStatus
	Ends   bool // the reader can end it
}

// ShowDelegations shows the delegations.
func ShowDelegations(req *page.Request) error {
	sent := req.Submitted.Values
	p := delegationsPage{Sent: sent, From: sent.Get("from"), Until: sent.Get("until"), To: req.Picker("to", req.T("delegations.to"), sent)}
	p.To.Required = true
	if sent == nil {
		p.From = req.Begun.In(req.Zone).Format(time.DateOnly)
	}
	for _, list := range []struct {
		into   *[]delegationItem
		filter wf.DelegationFilter
	}{{&p.Given, wf.DelegationFilter{User: req.By.ID}}, {&p.Received, wf.DelegationFilter{DelegateTo: req.By.ID}}} {
		found, _, err := req.Engine.Delegations.ListDelegations(req.R.Context(), req.By, list.filter, wf.Page{Limit: 50})
		if err != nil {
			return err
		}
		for _, d := range found {
			at := d.Status(req.Begun)
			open := at == approver.DelegationActive || at == approver.DelegationScheduled
			*list.into = append(*list.into, delegationItem{d, at, open && d.User.ID == req.By.ID})
		}
	}
	return req.Show(req.FormStatus(), "delegations", req.T("nav.delegations"), p)
}

// CreateDelegation creates a delegation for the days of the form, in the reader's time zone.
func CreateDelegation(req *page.Request) error {
	const to = page.Root + "/delegations"
	f := req.Fields()
	d := readDelegation(f)
	if len(f.Errors) > 0 {
		return f.Invalid(to)
	}
	var made approver.Delegation
	err := req.Attempt("createDelegation", wf.Resource{Type: "delegation"}, func() (err error) {
		made, err = req.Engine.Delegations.CreateDelegation(req.R.Context(), req.By, d)
		return err
	})
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
		DelegateTo: identity.User{ID: f.PickedUser(f.Values, "to")}, EndsAt: until.AddDate(0, 0, 1), Reason: f.Text("reason", "reassign.reason", maxReason),
	}
	if from.After(f.Begun) {
		d.StartsAt = from
	}
	d.Scope = approver.Scope{
		PolicyKeys: splitList(f.Values.Get("policies")), StageKeys: splitList(f.Values.Get("stages")), ArtifactTypes: splitList(f.Values.Get("types")),
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
	err := req.Attempt("deleteDelegation", wf.Resource{Type: "delegation", ID: id}, func() error {
		_, err := req.Engine.Delegations.DeleteDelegation(req.R.Context(), req.By, id)
		return err
	})
	if err != nil {
		return err
	}
	return req.Complete(nil, page.Root+"/delegations", "delegation_ended")
}
