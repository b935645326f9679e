package page

import (
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/identity"
)

// Picker is a field for a user: by id, or by a search for a part of the name. Scripts search during
// input; without scripts a button does.
type Picker struct {
	Name, Label string
	Value       string
	Hint        string // name of the user
	Error       string
	Required    bool
	Searched    bool // the search button was pressed
	Found       []identity.User
}

// Picker returns a picker with the submitted values. label is its text.
func (req *Request) Picker(name, label string, sent url.Values) Picker {
	p := Picker{Name: name, Label: label, Value: sent.Get(name), Searched: sent.Get("find") == name,
		Error: req.ErrorOf(name)}
	if p.Searched {
		p.Found = req.FindUsers(p.Value)
	}
	return p
}

// PickedUser returns the user id of a picker: the selected search result, the only user that a search for the entered
// text finds, or the entered text.
func (req *Request) PickedUser(sent url.Values, name string) string {
	text := strings.TrimSpace(sent.Get(name))
	if chosen := strings.TrimSpace(sent.Get(name + "-found")); chosen != "" {
		return chosen
	}
	if found := req.search(text); len(found) == 1 {
		return found[0].ID
	}
	return text
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
