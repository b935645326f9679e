package editor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf/policy"
)

// Other is the kind of a field of the content that the form does not express.
const Other = "other"

// Block is a part of the page: a field, or blocks under a title.
type Block struct {
	form.Input
	Look        string   // field, sentence, people, list, item, section or fold
	Only        []string // values of the choice before it with which it applies
	Blocks      []Block
	First, Last bool   // of an item
	Here        bool   // it has the focus
	Open        bool   // of a fold
	Item        string // of a list or of people with additions: the name of an entry
	Shown       string // of a condition by a field: the expression
}

// inputs are the kinds of inputs that differ from those of rows.
var inputs = map[string]string{
	"": "text", "options": "choice", "duration": "text", "zone": "text",
	"durations": "line", "lines": "line", "pairs": "line",
}

// Blocks returns the blocks of the page, with the errors of their values.
func (f Form) Blocks() []Block { return f.blocks(layout.Rows["page"], "", "editor.") }

// blocks returns the blocks of rows at a path. Their texts have keys with a prefix.
func (f Form) blocks(rows []row, at, prefix string) (all []Block) {
	hasFields := f.Node("fields").Kind != form.None
	for _, r := range rows {
		if r.Name == "policy_key" && !f.New || r.Name == "context_schema" && hasFields || r.Name == "fields" && !hasFields ||
			!strings.Contains(at, r.Within) {
			continue
		}
		name, key := at+r.Name, prefix+strings.ReplaceAll(r.Name, "/", ".")
		value := f.Node(name)
		b := Block{Look: "field", Only: strings.Fields(r.Only), Here: f.At == name, Input: form.Input{
			Name: name, Title: f.T(key), Kind: cmp.Or(inputs[r.Kind], r.Kind), Required: r.Must,
			Filter: !r.Must,
		}}
		if f.Texts.Has(key + ".help") {
			b.Help = f.T(key + ".help")
		}
		switch r.Kind {
		case "section", "fold":
			b.Look, b.Name, b.Blocks = r.Kind, at+r.Name+"-part", f.blocks(r.Rows, at, prefix)
		case "list":
			for i, item := range value.Items {
				path, word := name+"/"+strconv.Itoa(i), "editor."+r.Item
				title := cmp.Or(item.At("schema", "title").Text, item.Get("name").Text, f.T(word, i+1))
				b.Blocks = append(b.Blocks, Block{
					Look: "item", Input: form.Input{Name: path, Title: title}, Here: f.At == path,
					First: i == 0, Last: i == len(value.Items)-1, Blocks: f.blocks(layout.Rows[r.Item], path+"/", word+"."),
				})
			}
			if b.Look = "list"; len(value.Items) < r.Most {
				b.Item = r.Item
			}
		case "people":
			for i := range min(len(value.Items)+1, r.Most) {
				b.Blocks = append(b.Blocks, Block{Look: "field", Input: form.Input{
					Kind: "person", Name: name + "/" + strconv.Itoa(i), Title: f.T("editor.person", i+1),
					Value: f.NameOf(value.At(strconv.Itoa(i)).Text),
				}})
			}
			b.Look, b.Item = "people", "person"
		default:
			if b.Value, b.Options = f.show(r, value), f.options(r, key, value); f.applies(rows, r, at) {
				b.Error = f.fault(r, name, value)
			}
			if r.Name == "if_value" {
				b.Look, b.Shown = "sentence", f.CELOf(f.Node(strings.TrimSuffix(at, "/")))
			}
		}
		all = append(all, b)
	}
	return all
}

// options returns the options of a choice. A value that is none of them is an option too.
func (f Form) options(r row, key string, value form.Node) (all []form.Choice) {
	add := func(value, title string) { all = append(all, form.Choice{Value: value, Title: title}) }
	switch {
	case r.Kind == "zone":
		add(f.Zone.String(), "")
	case r.Name == "if_field":
		for _, x := range f.Node("fields").Items {
			add(x.Get("name").Text, cmp.Or(x.At("schema", "title").Text, x.Get("name").Text))
		}
	case r.Kind == "options":
		for _, s := range f.Node("stages").Items {
			add(s.Get("key").Text, s.Get("name").Text)
		}
	case r.Kind == "boxes":
		for _, day := range strings.Fields(r.Values) {
			all = append(all, form.Choice{Value: day, Title: f.T("weekday." + day), Chosen: value.Contains(day)})
		}
		return all
	case r.Kind == "choice":
		for i, one := range strings.Fields(r.Values) {
			switch said := f.word(key, one); {
			case one == "_":
				add("", said)
			case i == 0 && !r.Must:
				add("", f.T("editor.default", said))
			default:
				add(one, said)
			}
		}
	default:
		return nil
	}
	chosen := f.show(r, value)
	if chosen != "" && !slices.ContainsFunc(all, func(c form.Choice) bool { return c.Value == chosen }) {
		add(chosen, f.word(key, chosen))
	}
	return form.Input{Value: chosen}.WithOptions(all...).Options
}

// valueNames are values in the keys of texts.
var valueNames = map[string]string{
	">": "more", ">=": "least", "<": "less", "<=": "most", "==": "is", "!=": "not", "_": "none", "null": "never",
	"true": "yes", "false": "no",
}

// word returns a value of a choice in words.
func (f Form) word(key, value string) string {
	name := cmp.Or(valueNames[value], value)
	for _, key := range []string{key + "." + name, "editor." + name} {
		if f.Texts.Has(key) {
			return f.T(key)
		}
	}
	return f.Duration(policy.Duration(value), false)
}

// Each calls do for the fields, items, lists and people of blocks, with their labels. It opens the folds with an error
// and that with the focus.
func Each(blocks []Block, do func(b *Block, label string)) { each(blocks, "", do) }

func each(blocks []Block, within string, do func(b *Block, label string)) {
	for i := range blocks {
		b, inner := &blocks[i], within
		if b.Look != "section" && b.Look != "fold" {
			do(b, within+b.Title)
		}
		if b.Look == "item" || b.Look == "list" && strings.Contains(b.Name, "/") {
			inner += b.Title + ": "
		}
		each(b.Blocks, inner, do)
		b.Open = slices.ContainsFunc(b.Blocks, func(b Block) bool { return b.Open || b.Here || b.Error != "" })
	}
}

// FieldOf returns the field that shows the member at a JSON pointer of the document; "json" for a member without one.
func (f Form) FieldOf(blocks []Block, pointer string) string {
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, step := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	}
	switch {
	case len(steps) > 2 && steps[0] == "context_schema" && steps[1] == "properties":
		for i, x := range f.Node("fields").Items {
			if x.Get("name").Text == steps[2] {
				steps = []string{"fields", strconv.Itoa(i), "schema", "title"}
			}
		}
	case len(steps) == 3 && steps[2] == "when" && f.Node(strings.Join(steps[:2], "/")+"/if").Text == "field":
		steps[2] = "if_value"
	}
	found := ""
	for n := len(steps); n > 0 && found == ""; n-- {
		name := strings.Join(steps[:n], "/")
		Each(blocks, func(b *Block, _ string) {
			if b.Name == name && b.Look != "people" || found == "" && n == len(steps) && strings.HasPrefix(b.Name, name+"/") {
				found = b.Name
			}
		})
	}
	return cmp.Or(found, "json")
}
