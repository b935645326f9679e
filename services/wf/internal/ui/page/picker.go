package page

import (
	"cmp"
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
	p := Picker{Name: name, Label: label, Value: sent.Get(name), Searched: sent.Get("find") == name, Error: req.ErrorOf(name)}
	if p.Searched {
		p.Found = req.FindUsers(p.Value)
	}
	return p
}

// PickedUser returns the user id of a picker: the selected search result, or the entered text.
func PickedUser(sent url.Values, name string) string {
	return cmp.Or(strings.TrimSpace(sent.Get(name+"-found")), strings.TrimSpace(sent.Get(name)))
}

// FindUsers returns the users found by a search. Without the permission it returns none; an id can
// still be entered.
func (req *Request) FindUsers(search string) []identity.User {
	search = frame.Truncate(strings.TrimSpace(search), 100)
	if search == "" || web.LimitAs(req.R.Context(), "findPeople") != nil {
		return nil
	}
	found, _ := req.Engine.People.FindPeople(req.R.Context(), req.By, search, 20) // empty on error
	return slices.DeleteFunc(found, req.IsReader)
}
