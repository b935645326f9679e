package people

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// SearchUsers returns the search results for the script of the pickers.
func SearchUsers(req *page.Request) error {
	var out strings.Builder
	for _, u := range findUsers(req, req.R.URL.Query().Get("q")) {
		fmt.Fprintf(&out, `<option value="%s">%s</option>`, template.HTMLEscapeString(u.ID), template.HTMLEscapeString(req.Person(u)))
	}
	req.Send(http.StatusOK, []byte(out.String()))
	return nil
}

// findUsers returns the users found by a search. Without the permission it returns none; an id can
// still be entered.
func findUsers(req *page.Request, search string) []identity.User {
	search = frame.Truncate(strings.TrimSpace(search), 100)
	if search == "" || web.LimitAs(req.R.Context(), "findPeople") != nil {
		return nil
	}
	found, _ := req.Engine.People.FindPeople(req.R.Context(), req.By, search, 20) // empty on error
	return slices.DeleteFunc(found, req.IsReader)
}

// picker is a field for a user: by id, or by a search for a part of the name. Scripts search during
// input; without scripts a button does.
type picker struct {
	Name, Label string
	Value       string
	Error       string
	Required    bool
	Searched    bool // the search button was pressed
	Found       []identity.User
}

// pickerOf returns a picker with the submitted values.
func pickerOf(req *page.Request, name, label string, sent url.Values) picker {
	p := picker{Name: name, Label: req.T(label), Value: sent.Get(name), Searched: sent.Get("find") == name, Error: req.ErrorOf(name)}
	if p.Searched {
		p.Found = findUsers(req, p.Value)
	}
	return p
}

// pickedUser returns the user id of a picker: the selected search result, or the entered text.
func pickedUser(sent url.Values, name string) string {
	return cmp.Or(strings.TrimSpace(sent.Get(name+"-found")), strings.TrimSpace(sent.Get(name)))
}
