package people

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/reason"
)

// delegationsPage lists the reader's delegates and delegators.
type delegationsPage struct {
	Given, Received []delegationItem
	Sent            url.Values
	Problem         string
	From, Until     string
	To              picker
	Previewed       bool // a preview was requested
	Routes          []engine.Routed
	More            bool // the preview is incomplete
	Later           bool // starts in the future
}

type delegationItem struct {
	approver.Delegation
	Status approver.DelegationStatus
	Ends   bool // the reader can end it
}

// IsTicked reports whether a box of the form is ticked: as submitted, or by default.
func (p delegationsPage) IsTicked(name string, begins bool) bool {
	return p.Sent == nil && begins || p.Sent.Has(name)
}

// ShowDelegations shows the delegations.
func ShowDelegations(req *page.Request) error {
	return showDelegations(req, http.StatusOK, delegationsPage{})
}

func showDelegations(req *page.Request, status int, p delegationsPage) error {
	ctx, sent := req.R.Context(), p.Sent
	p.From, p.Until, p.To = sent.Get("from"), sent.Get("until"), pickerOf(req, "to", "delegations.to", sent)
	p.To.Required = true
	if sent == nil {
		p.From = req.Begun.In(req.Zone).Format(time.DateOnly)
	}
	for _, list := range []struct {
		into   *[]delegationItem
		filter wf.DelegationFilter
	}{{&p.Given, wf.DelegationFilter{User: req.By.ID}}, {&p.Received, wf.DelegationFilter{DelegateTo: req.By.ID}}} {
		found, _, err := req.Engine.Delegations.ListDelegations(ctx, req.By, list.filter, wf.Page{Limit: 50})
		if err != nil {
			return err
		}
		for _, d := range found {
			at := d.Status(req.Begun)
			open := at == approver.DelegationActive || at == approver.DelegationScheduled
			*list.into = append(*list.into, delegationItem{d, at, open && d.User.ID == req.By.ID})
		}
	}
	return req.Show(status, "delegations", req.T("nav.delegations"), p)
}

// CreateDelegation creates a delegation for the days of the form, in the reader's time zone.
func CreateDelegation(req *page.Request) error {
	f := req.R.PostForm
	if f.Get("find") != "" {
		return showDelegations(req, http.StatusOK, delegationsPage{Sent: f})
	}
	from, fromErr := time.ParseInLocation(time.DateOnly, f.Get("from"), req.Zone)
	until, untilErr := time.ParseInLocation(time.DateOnly, f.Get("until"), req.Zone)
	if key := cmp.Or(wrongDay("from", f.Get("from"), fromErr), wrongDay("until", f.Get("until"), untilErr)); key != "" {
		return showDelegations(req, http.StatusUnprocessableEntity, delegationsPage{Sent: f, Problem: req.T(key)})
	}
	d := approver.Delegation{
		DelegateTo: identity.User{ID: pickedUser(f, "to")}, EndsAt: until.AddDate(0, 0, 1), Reason: page.Trim(f.Get("reason"), 1000),
		Mode: approver.DelegationReplace, ApplyToOpen: f.Has("open"), ReturnOnEnd: f.Has("back"),
	}
	if from.After(req.Begun) {
		d.StartsAt = from
	}
	if f.Has("share") {
		d.Mode = approver.DelegationShare
	}
	d.Scope = approver.Scope{
		PolicyKeys: splitList(f.Get("policies")), StageKeys: splitList(f.Get("stages")), ArtifactTypes: splitList(f.Get("types")),
	}
	if f.Has("preview") {
		routes, more, err := req.Engine.Delegations.PreviewDelegation(req.R.Context(), req.By, d)
		if err != nil {
			return delegationRefused(req, f, err)
		}
		p := delegationsPage{Sent: f, Previewed: true, Routes: routes, More: more, Later: !d.StartsAt.IsZero()}
		return showDelegations(req, http.StatusOK, p)
	}
	made, err := req.Engine.Delegations.CreateDelegation(req.R.Context(), req.By, d)
	if err != nil {
		return delegationRefused(req, f, err)
	}
	if len(made.Warnings) > 0 {
		return showDelegations(req, http.StatusOK, delegationsPage{Problem: req.T("delegations.warning", req.Person(made.DelegateTo))})
	}
	return req.Complete(nil, page.Root+"/delegations", "delegated")
}

// splitList splits a list at commas and spaces.
func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// delegationRefused shows the form again with the refusal.
func delegationRefused(req *page.Request, sent url.Values, err error) error {
	refused, ok := page.IsRefused(err)
	if !ok || !errors.Is(err, reason.BadInput) {
		return err
	}
	p := delegationsPage{Sent: sent, Problem: delegationError(req, refused)}
	return showDelegations(req, http.StatusUnprocessableEntity, p)
}

// wrongDay returns the text key for an invalid day of a field; empty for a valid day.
func wrongDay(field, day string, err error) string {
	switch {
	case err == nil:
		return ""
	case day == "":
		return "delegations." + field + ".missing"
	}
	return "form.date"
}

// delegationError returns the text for a refused delegation.
func delegationError(req *page.Request, refused *refusal.Error) string {
	switch refused.Where {
	case "/delegate_to":
		return req.T("delegations.self")
	case "/ends_at":
		return req.T("delegations.window.bad")
	}
	return req.T("refused.bad_input")
}

// EndDelegation ends a delegation.
func EndDelegation(req *page.Request, id string) error {
	_, err := req.Engine.Delegations.DeleteDelegation(req.R.Context(), req.By, id)
	return req.Complete(err, page.Root+"/delegations", "delegation_ended")
}
