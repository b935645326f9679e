package inbox

import (
	"cmp"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
)

// people answers the script that fills the lists of people with those whom a search finds.
func (v *visit) people() error {
	var out strings.Builder
	for _, u := range v.somePeople(v.r.URL.Query().Get("q")) {
		out.WriteString(`<option value="` + template.HTMLEscapeString(u.ID) + `">` + template.HTMLEscapeString(v.Person(u)) + "</option>")
	}
	v.send(200, []byte(out.String()), nil)
	return nil
}

// somePeople are those whom a search finds. Who may not search finds nobody, and can still
// write an id.
func (v *visit) somePeople(search string) []wf.User {
	search = cut(strings.TrimSpace(search), 100)
	if search == "" || web.LimitAs(v.r.Context(), "findPeople") != nil {
		return nil
	}
	found, _ := v.engine.People(v.r.Context(), v.By, search, 20) // an error comes with nobody
	return slices.DeleteFunc(found, v.Me)
}

// picker is a field in which somebody is named: by their id, or found by a part of their
// name. Scripts find while one writes; without them a button does.
type picker struct {
	Name, Label string
	Value       string
	Required    bool
	Looked      bool // the button was pressed
	Found       []wf.User
}

// picked is a picker as its form was sent.
func (v *visit) picked(name, label string, sent url.Values) picker {
	p := picker{Name: name, Label: v.T(label), Value: sent.Get(name), Looked: sent.Get("find") == name}
	if p.Looked {
		p.Found = v.somePeople(p.Value)
	}
	return p
}

// named is who a form names: who was picked of those that were found, or else whom it writes.
func named(sent url.Values, name string) string {
	return cmp.Or(strings.TrimSpace(sent.Get(name+"-found")), strings.TrimSpace(sent.Get(name)))
}
