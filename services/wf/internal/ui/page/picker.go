package page

import (
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/identity"
)

// Picker returns a field for a user with the submitted values: by id, or by a search for a part of the name. Scripts
// search during input; without scripts a button does. label is its text.
func (req *Request) Picker(name, label string, sent url.Values) form.Input {
	in := form.Input{
		Kind: "person", Name: name, Title: label, Value: sent.Get(name), Error: req.ErrorOf(name),
		Searched: sent.Get("find") == name,
	}
	if in.Searched {
		for _, u := range req.FindUsers(in.Value) {
			in.Options = append(in.Options, form.Choice{Value: u.ID, Title: req.Person(u)})
		}
	}
	return in
}

// PickedUser returns the user id of a picker: the selected search result, the only user that a search for the entered
// text finds, or the entered text.
func (req *Request) PickedUser(sent url.Values, name string) string {
	if chosen := strings.TrimSpace(sent.Get(name + "-found")); chosen != "" {
		return chosen
	}
	return req.UserOf(sent.Get(name))
}

// UserOf returns the id of the only user that a search for a text finds, or the text.
func (req *Request) UserOf(text string) string {
	text = strings.TrimSpace(text)
	if found := req.search(text); len(found) == 1 {
		return found[0].ID
	}
	return text
}

// UserFilter returns a filter of a list by a user, and the user's id. Its chip has the name.
func (req *Request) UserFilter(name, label string) (filter form.Input, id string) {
	filter = req.Filter("person", name, label)
	if filter.Value == "" {
		return filter, ""
	}
	id = req.UserOf(filter.Value)
	title := req.Person(Named(req, identity.User{ID: id}))
	return filter.WithOptions(form.Choice{Value: filter.Value, Title: title}), id
}

// FindUsers returns the users found by a search, without the reader.
func (req *Request) FindUsers(search string) []identity.User {
	return slices.DeleteFunc(req.search(search), req.IsReader)
}

// search returns the users found by a search. Without the permission it returns none; an id can still be entered.
func (req *Request) search(text string) []identity.User {
	text = frame.Truncate(strings.TrimSpace(text), 100)
	if text == "" || web.LimitAs(req.R.Context(), "findPeople") != nil {
		return nil
	}
	found, _ := req.Engine.People.FindPeople(req.R.Context(), req.By, text, 20) // empty on error
	return found
}
