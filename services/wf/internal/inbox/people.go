package inbox

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/identity"
)

// people returns the search results for the script of the pickers.
func (v *visit) people() error {
	var out strings.Builder
	for _, u := range v.somePeople(v.R.URL.Query().Get("q")) {
		out.WriteString(`<option value="` + template.HTMLEscapeString(u.ID) + `">` + template.HTMLEscapeString(v.Person(u)) + "</option>")
	}
	v.Send(http.StatusOK, []byte(out.String()))
	return nil
}

// somePeople returns the users found by a search. Without the permission it returns none; an id can
// still be entered.
func (v *visit) somePeople(search string) []identity.User {
	search = cut(strings.TrimSpace(search), 100)
	if search == "" || web.LimitAs(v.R.Context(), "findPeople") != nil {
		return nil
	}
	found, _ := v.engine.People(v.R.Context(), v.By, search, 20) // empty on error
	return slices.DeleteFunc(found, v.Me)
}

// picker is a field for a user: by id, or by a search for a part of the name. Scripts search during
// input; without scripts a button does.
type picker struct {
	Name, Label string
	Value       string
	Required    bool
	Looked      bool // the search button was pressed
	Found       []identity.User
}

// picked returns a picker with the submitted values.
func (v *visit) picked(name, label string, sent url.Values) picker {
	p := picker{Name: name, Label: v.T(label), Value: sent.Get(name), Looked: sent.Get("find") == name}
	if p.Looked {
		p.Found = v.somePeople(p.Value)
	}
	return p
}

// named returns the user id of a picker: the selected search result, or the entered text.
func named(sent url.Values, name string) string {
	return cmp.Or(strings.TrimSpace(sent.Get(name+"-found")), strings.TrimSpace(sent.Get(name)))
}
