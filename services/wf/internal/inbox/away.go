package inbox

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
	"github.com/countersign/countersign/services/wf/reason"
)

// awayPage lists the reader's delegates and delegators.
type awayPage struct {
	Given, Received []awayItem
	Sent            url.Values
	Problem         string
	From, Until     string
	To              picker
	Previewed       bool // a preview was requested
	Routes          []engine.Routed
	More            bool // the preview is incomplete
	Later           bool // starts in the future
}

type awayItem struct {
	approver.Delegation
	Status approver.DelegationStatus
	Ends   bool // the reader can end it
}

// Ticked reports whether a box of the form is ticked: as submitted, or by default.
func (p awayPage) Ticked(name string, begins bool) bool {
	return p.Sent == nil && begins || p.Sent.Has(name)
}

// away shows the delegations.
func (v *visit) away() error { return v.showAway(http.StatusOK, awayPage{}) }

func (v *visit) showAway(status int, p awayPage) error {
	ctx, sent := v.R.Context(), p.Sent
	p.From, p.Until, p.To = sent.Get("from"), sent.Get("until"), v.picked("to", "away.to", sent)
	p.To.Required = true
	if sent == nil {
		p.From = v.Begun.In(v.Zone).Format(time.DateOnly)
	}
	for _, list := range []struct {
		into   *[]awayItem
		filter wf.DelegationFilter
	}{{&p.Given, wf.DelegationFilter{User: v.By.ID}}, {&p.Received, wf.DelegationFilter{DelegateTo: v.By.ID}}} {
		found, _, err := v.engine.Delegations(ctx, v.By, list.filter, wf.Page{Limit: 50})
		if err != nil {
			return err
		}
		for _, d := range found {
			at := d.Status(v.Begun)
			open := at == approver.DelegationActive || at == approver.DelegationScheduled
			*list.into = append(*list.into, awayItem{d, at, open && d.User.ID == v.By.ID})
		}
	}
	return v.show(status, "away", v.T("nav.away"), p)
}

// leave creates a delegation for the days of the form, in the reader's time zone.
func (v *visit) leave() error {
	f := v.R.PostForm
	if f.Get("find") != "" {
		return v.showAway(http.StatusOK, awayPage{Sent: f})
	}
	from, bad := time.ParseInLocation(time.DateOnly, f.Get("from"), v.Zone)
	until, worse := time.ParseInLocation(time.DateOnly, f.Get("until"), v.Zone)
	if key := cmp.Or(wrongDay("from", f.Get("from"), bad), wrongDay("until", f.Get("until"), worse)); key != "" {
		return v.showAway(http.StatusUnprocessableEntity, awayPage{Sent: f, Problem: v.T(key)})
	}
	d := approver.Delegation{
		DelegateTo: identity.User{ID: named(f, "to")}, EndsAt: until.AddDate(0, 0, 1), Reason: trimmed(f.Get("reason"), 1000),
		Mode: approver.DelegationReplace, ApplyToOpen: f.Has("open"), ReturnOnEnd: f.Has("back"),
	}
	if from.After(v.Begun) {
		d.StartsAt = from
	}
	if f.Has("share") {
		d.Mode = approver.DelegationShare
	}
	d.Scope = approver.Scope{PolicyKeys: parts(f.Get("policies")), StageKeys: parts(f.Get("stages")), ArtifactTypes: parts(f.Get("types"))}
	if f.Has("preview") {
		routes, more, err := v.engine.PreviewDelegation(v.R.Context(), v.By, d)
		if err != nil {
			return v.notAway(f, err)
		}
		return v.showAway(http.StatusOK, awayPage{Sent: f, Previewed: true, Routes: routes, More: more, Later: !d.StartsAt.IsZero()})
	}
	made, err := v.engine.CreateDelegation(v.R.Context(), v.By, d)
	if err != nil {
		return v.notAway(f, err)
	}
	if len(made.Warnings) > 0 {
		return v.showAway(http.StatusOK, awayPage{Problem: v.T("away.warning", v.Person(made.DelegateTo))})
	}
	return v.Done(nil, Root+"/away", "away")
}

// parts splits a list at commas and spaces.
func parts(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// notAway shows the form again with the refusal.
func (v *visit) notAway(sent url.Values, err error) error {
	if refusal, refused := errors.AsType[*refusal.Error](err); refused && errors.Is(err, reason.BadInput) {
		return v.showAway(http.StatusUnprocessableEntity, awayPage{Sent: sent, Problem: v.whyNotAway(refusal)})
	}
	return err
}

// wrongDay returns the text key for an invalid day of a field; empty for a valid day.
func wrongDay(field, day string, err error) string {
	switch {
	case err == nil:
		return ""
	case day == "":
		return "away." + field + ".missing"
	}
	return "form.date"
}

// whyNotAway returns the text for a refused delegation.
func (v *visit) whyNotAway(refusal *refusal.Error) string {
	switch refusal.Where {
	case "/delegate_to":
		return v.T("away.self")
	case "/ends_at":
		return v.T("away.window.bad")
	}
	return v.T("refused.bad_input")
}

// comeBack ends a delegation.
func (v *visit) comeBack(id string) error {
	_, err := v.engine.DeleteDelegation(v.R.Context(), v.By, id)
	return v.Done(err, Root+"/away", "back")
}
