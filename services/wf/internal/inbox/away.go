package inbox

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/services/wf"
)

// awayPage is who stands in for the reader, and for whom they do.
type awayPage struct {
	Given, Received []awayItem
	Policies        []wf.Version // that the delegation can be narrowed to
	Sent            url.Values
	Problem         string
	From, Until     string
	People          []wf.User
	PeopleQ         string
}

type awayItem struct {
	wf.Delegation
	Status wf.DelegationStatus
	Ends   bool // the reader can end it
}

// away shows the delegations.
func (v *visit) away() error { return v.showAway(http.StatusOK, nil, "") }

func (v *visit) showAway(status int, sent url.Values, problem string) error {
	ctx := v.r.Context()
	p := awayPage{Sent: sent, Problem: problem, From: sent.Get("from"), Until: sent.Get("until")}
	if sent == nil {
		p.From = v.now.In(v.Zone).Format(time.DateOnly)
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
			at := d.Status(v.now)
			open := at == wf.DelegationActive || at == wf.DelegationScheduled
			*list.into = append(*list.into, awayItem{d, at, open && d.User.ID == v.By.ID})
		}
	}
	p.People, p.PeopleQ = v.somePeople(v.r.URL.Query().Get("who"))
	return v.show(status, "away", v.T("nav.away"), p)
}

// somePeople are those whom a search finds. Who may not search finds nobody, and can still
// write an id.
func (v *visit) somePeople(search string) ([]wf.User, string) {
	found, err := v.engine.People(v.r.Context(), v.By, cut(strings.TrimSpace(search), 100), 20)
	if err != nil {
		return nil, search
	}
	var others []wf.User
	for _, u := range found {
		if u.ID != v.By.ID {
			others = append(others, u)
		}
	}
	return others, search
}

// leave makes a delegation from the first day to the last one, by the reader's clock.
func (v *visit) leave() error {
	f := v.r.PostForm
	from, bad := time.ParseInLocation(time.DateOnly, f.Get("from"), v.Zone)
	until, worse := time.ParseInLocation(time.DateOnly, f.Get("until"), v.Zone)
	if bad != nil || worse != nil {
		return v.showAway(http.StatusUnprocessableEntity, f, v.T("form.date"))
	}
	d := wf.Delegation{
		DelegateTo: wf.User{ID: strings.TrimSpace(f.Get("to"))}, EndsAt: until.AddDate(0, 0, 1), Reason: cut(strings.TrimSpace(f.Get("reason")), 1000),
		Mode: wf.DelegationReplace, ApplyToOpen: f.Has("open"), ReturnOnEnd: f.Has("back"),
	}
	if from.After(v.now) {
		d.StartsAt = from
	}
	if f.Has("share") {
		d.Mode = wf.DelegationShare
	}
	d.Scope.PolicyKeys = strings.FieldsFunc(f.Get("policies"), func(r rune) bool { return r == ',' || r == ' ' })
	made, err := v.engine.CreateDelegation(v.r.Context(), v.By, d)
	if refusal, refused := errors.AsType[*wf.Error](err); refused && refusal.Reason == wf.BadInput {
		return v.showAway(http.StatusUnprocessableEntity, f, v.T("refused.detail", v.T("refused.bad_input"), strings.TrimPrefix(refusal.Message, "Value error, ")))
	}
	if err != nil {
		return err
	}
	if len(made.Warnings) > 0 {
		return v.showAway(http.StatusOK, nil, v.T("away.warning", strings.Join(made.Warnings, "; ")))
	}
	return v.done(Root+"/away", "away")
}

// comeBack ends a delegation early.
func (v *visit) comeBack() error {
	id, err := v.id("id", wf.DelegationNotFound)
	if err != nil {
		return err
	}
	if _, err := v.engine.DeleteDelegation(v.r.Context(), v.By, id); err != nil {
		return err
	}
	return v.done(Root+"/away", "back")
}
