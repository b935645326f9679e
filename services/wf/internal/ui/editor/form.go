// Package editor translates between the document of a policy and the fields of a form.
//
// The names of the fields are paths in a draft: the document with some members in the shape of the form. The fields of
// the content are a list, and a condition has parts. A field changes its member if its text differs from the shown one,
// so that members without a field, and unchanged ones, stay as they are.
package editor

import (
	"cmp"
	"errors"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// Form is a draft in the form.
type Form struct {
	page.Terms        // of the reader
	New        bool   // no policy has the key yet
	At         string // the part that an operation has placed

	draft form.Node
	names map[string]string // of people, by id
}

// Open returns the form of a document. It fails for a document that is no JSON object.
func Open(terms page.Terms, document []byte) (Form, error) {
	f := Form{Terms: terms, draft: form.Parse(document)}
	if _, err := strictjson.Scan(document, strictjson.Default); err != nil {
		return f, err
	}
	if f.draft.Kind != form.Object {
		return f, errors.New("a policy must be a JSON object")
	}
	f.Set("fields", form.Node{}) // a member of the draft alone
	f.openFields()
	for i := range f.Node("stages").Items {
		f.openCondition("stages/" + strconv.Itoa(i))
	}
	return f.withBlanks(), nil
}

// withBlanks returns a form with parts to fill in: for escalations and for the working time.
func (f Form) withBlanks() Form {
	for i, stage := range f.Node("stages").Items {
		if len(stage.At("deadline", "escalate_to").Items) == 0 && stage.Kind == form.Object {
			f.Set("stages/"+strconv.Itoa(i)+"/deadline/escalate_to", list(form.Parse(layout.Made["rule"])))
		}
	}
	if f.Node("settings/calendar").Kind == form.None {
		f.Set("settings/calendar", form.Parse(layout.Made["calendar"]))
	}
	return f
}

// State returns the draft with the shown names of people, for Sent.
func (f Form) State() string {
	state := form.Node{}.With(f.draft, "draft")
	for id, name := range f.names {
		state = state.With(str(name), "names", id)
	}
	return state.JSON()
}

// Sent returns a submitted form; false without one.
func Sent(terms page.Terms, sent url.Values) (Form, bool) {
	state := form.Parse([]byte(sent.Get("draft")))
	f := Form{Terms: terms, draft: state.Get("draft"), names: map[string]string{}}
	for _, id := range state.Get("names").Names() {
		f.names[id] = state.At("names", id).Text
	}
	if f.draft.Kind != form.Object {
		return f, false
	}
	f.read(layout.Rows["page"], "", sent)
	return f, true
}

func str(text string) form.Node { return form.Node{Kind: form.String, Text: text} }

func list(items ...form.Node) form.Node { return form.Node{Kind: form.List, Items: items} }

// Node returns the value at the path of a field.
func (f Form) Node(path string) form.Node { return f.draft.At(strings.Split(path, "/")...) }

// Set sets the value at a path; an absent value removes it.
func (f *Form) Set(path string, value form.Node) {
	f.draft = f.draft.With(value, strings.Split(path, "/")...)
}

// read applies the submitted fields of rows at a path.
func (f *Form) read(all []row, at string, sent url.Values) {
	for _, r := range all {
		name := at + r.Name
		value := f.Node(name)
		switch r.Kind {
		case "section", "fold":
			f.read(r.Rows, at, sent)
		case "list":
			for i := range value.Items {
				f.read(layout.Rows[r.Item], name+"/"+strconv.Itoa(i)+"/", sent)
			}
		case "people": // the field after the last person is for another one
			var ids []string
			for i := range len(value.Items) + 1 {
				ids = append(ids, f.picked(name+"/"+strconv.Itoa(i), value.At(strconv.Itoa(i)).Text, sent))
			}
			if now := texts(ids); now.JSON() != value.JSON() && (value.Kind != form.None || len(now.Items) > 0) {
				f.Set(name, now)
			}
		case "boxes":
			if sent.Has(at + all[0].Name) { // browsers send no unchecked box
				f.Set(name, texts(sent[name]))
			}
		default:
			text := signin.Text(sent.Get(name))
			if sent.Has(name) && text != signin.Text(f.show(r, value)) {
				f.Set(name, parse(r, text))
			}
		}
	}
}

// picked returns the id of a field for a person that shows the name of an id: a result of the search, the same id, or
// the entered text.
func (f Form) picked(name, id string, sent url.Values) string {
	text, found := signin.Text(sent.Get(name)), signin.Text(sent.Get(name+"-found"))
	if !sent.Has(name) || text == f.NameOf(id) && found == "" {
		return id
	}
	return cmp.Or(found, text)
}

// NameOf returns the name of a person; the id without one, and if several people have the name.
func (f Form) NameOf(id string) string {
	for other, name := range f.names {
		if name == f.names[id] && other != id {
			return id
		}
	}
	return cmp.Or(f.names[id], id)
}

// SetNames sets the names of people by id, which the fields show.
func (f *Form) SetNames(names map[string]string) { f.names = names }

// Do applies an operation of the form that has a button: add with the path of a list or of people, or remove, up or
// down with that of an item, such as "up stages/1" or "add stages/0/approvers". Others change nothing.
func (f Form) Do(operation string) Form {
	do, at, _ := strings.Cut(operation, " ")
	var b Block
	Each(f.Blocks(), func(one *Block, _ string) {
		if one.Name == at {
			b = *one
		}
	})
	if do == "add" && b.Item != "" {
		if f.At = at; b.Look == "list" {
			all := slices.Clone(f.Node(at).Items)
			f.At += "/" + strconv.Itoa(len(all))
			f.Set(at, list(append(all, form.Parse(layout.Made[b.Item]))...))
		}
		return f.withBlanks()
	}
	if b.Look != "item" || do == "up" && b.First || do == "down" && b.Last {
		return f
	}
	in, number := path.Split(at)
	in = strings.TrimSuffix(in, "/")
	all := slices.Clone(f.Node(in).Items)
	i, _ := strconv.Atoi(number) // an item has one
	to := i + map[string]int{"up": -1, "down": 1}[do]
	switch do {
	case "up", "down":
		all[i], all[to] = all[to], all[i]
	case "remove":
		all = slices.Delete(all, i, i+1)
		to = min(i, len(all)-1)
	default:
		return f
	}
	if f.At = in; to >= 0 {
		f.At += "/" + strconv.Itoa(to)
	}
	changed := list(all...)
	if len(all) == 0 && !slices.Contains([]string{"fields", "stages", "approvers"}, path.Base(in)) { // an optional list
		changed = form.Node{}
	}
	f.Set(in, changed)
	return f.withBlanks()
}
