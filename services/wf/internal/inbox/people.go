package inbox

import (
	"html/template"
	"strings"

	"github.com/countersign/countersign/services/wf"
)

// people answers the script that fills the lists of people with those whom a search finds.
func (v *visit) people() error {
	found := v.somePeople(v.r.URL.Query().Get("q"))
	var out strings.Builder
	for _, u := range found {
		out.WriteString(`<option value="` + template.HTMLEscapeString(u.ID) + `">` + template.HTMLEscapeString(v.Person(u)) + "</option>")
	}
	v.send(200, []byte(out.String()), nil)
	return nil
}

// somePeople are those whom a search finds. Who may not search finds nobody, and can still
// write an id.
func (v *visit) somePeople(search string) []wf.User {
	search = cut(strings.TrimSpace(search), 100)
	if search == "" {
		return nil
	}
	found, err := v.engine.People(v.r.Context(), v.By, search, 20)
	if err != nil {
		return nil
	}
	var others []wf.User
	for _, u := range found {
		if u.ID != v.By.ID {
			others = append(others, u)
		}
	}
	return others
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
func (v *visit) picked(name, label string, sent map[string][]string) picker {
	p := picker{Name: name, Label: v.T(label)}
	if values := sent[name]; len(values) > 0 {
		p.Value = values[0]
	}
	if finds := sent["find"]; len(finds) > 0 && finds[0] == name {
		p.Looked = true
		p.Found = v.somePeople(p.Value)
	}
	return p
}

// named is who a form names: who was picked of those that were found, or else whom it writes.
func named(sent map[string][]string, name string) string {
	for _, member := range []string{name + "-found", name} {
		if values := sent[member]; len(values) > 0 && strings.TrimSpace(values[0]) != "" {
			return strings.TrimSpace(values[0])
		}
	}
	return ""
}
