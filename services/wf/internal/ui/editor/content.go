package editor

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/countersign/countersign/libs/ui/form"
)

// kinds are the members of a property for the kinds of fields, besides those of a choice.
var kinds = map[string]string{
	"text": `{"type":"string"}`, "long": `{"type":"string","maxLength":2000}`, "number": `{"type":"number"}`,
	"integer": `{"type":"integer"}`, "yes": `{"type":"boolean"}`, "date": `{"type":"string","format":"date"}`,
	"time": `{"type":"string","format":"date-time"}`, "email": `{"type":"string","format":"email"}`,
	"url": `{"type":"string","format":"uri"}`,
}

// kindMembers are the members that state the kind of a property, besides the maxLength of a long text.
var kindMembers = []string{"type", "format", "enum", "oneOf"}

// property returns the members of a kind. choices has one a line: a value, or value = label.
func property(kind, choices string) form.Node {
	if kind != "choice" {
		return form.Parse([]byte(kinds[kind]))
	}
	var enum, oneOf []form.Node
	labelled := false
	for _, one := range texts(strings.Split(choices, "\n")).Items {
		value, label, _ := strings.Cut(one.Text, " = ")
		labelled = labelled || label != ""
		enum = append(enum, str(value))
		oneOf = append(oneOf, form.Node{}.With(str(value), "const").With(some(label), "title"))
	}
	p := form.Node{}.With(str("string"), "type")
	if labelled {
		return p.With(list(oneOf...), "oneOf")
	}
	return p.With(list(enum...), "enum")
}

// kindOf returns the kind of a property, with its choices.
func kindOf(p form.Node) (kind, choices string) {
	var all []string
	for _, one := range p.Get("enum").Items {
		all = append(all, one.Text)
	}
	for _, one := range p.Get("oneOf").Items {
		all = append(all, strings.TrimSuffix(one.Get("const").Text+" = "+one.Get("title").Text, " = "))
	}
	choices = strings.Join(all, "\n")
	for kind := range kinds {
		long := p.Get("maxLength").Text == "2000"
		if same(p, property(kind, "")) && (kind != "long" && kind != "text" || long == (kind == "long")) {
			return kind, ""
		}
	}
	if stated := property("choice", choices); all != nil && same(p.With(str("string"), "type"), stated) &&
		slices.Contains([]string{"", "string"}, plain(p.Get("type"))) {
		return "choice", choices
	}
	return Other, ""
}

// same reports whether two properties state their kind alike.
func same(a, b form.Node) bool {
	return !slices.ContainsFunc(kindMembers, func(m string) bool { return a.Get(m).JSON() != b.Get(m).JSON() })
}

// openFields makes a list of fields of the properties of the context schema, if it is the schema of an object.
func (f *Form) openFields() {
	schema := f.Node("context_schema")
	properties, required := schema.Get("properties"), schema.Get("required")
	fits := func(n form.Node, kind form.Kind) bool { return n.Kind == form.None || n.Kind == kind }
	if !fits(schema, form.Object) || !fits(properties, form.Object) || !fits(required, form.List) ||
		!slices.Contains([]string{"", "object"}, plain(schema.Get("type"))) || schema.Get("$ref").Kind != form.None {
		return
	}
	fields := list()
	for _, name := range properties.Names() {
		p := properties.Get(name)
		kind, choices := kindOf(p)
		x := form.Node{}.With(str(name), "name").With(str(name), "was").With(p, "schema")
		if x = x.With(str(kind), "kind").With(some(choices), "choices"); required.Contains(name) {
			x = x.With(form.Node{Kind: form.Bool, Truth: true}, "required")
		}
		fields.Items = append(fields.Items, x)
	}
	f.Set("fields", fields)
}

// closeFields returns the document with the context schema of the fields.
func closeFields(doc form.Node) form.Node {
	fields, schema := doc.Get("fields"), doc.Get("context_schema")
	doc = doc.With(form.Node{}, "fields")
	if len(fields.Items) == 0 && schema.Get("properties").Kind == form.None {
		return doc
	}
	properties, required := form.Node{Kind: form.Object}, list()
	optional := map[string]bool{} // and removed
	for _, name := range schema.Get("properties").Names() {
		optional[name] = true
	}
	for i, x := range fields.Items {
		name := cmp.Or(x.Get("name").Text, "field_"+strconv.Itoa(i+1)) // a fault without a label
		p, kind, choices := x.Get("schema"), x.Get("kind").Text, x.Get("choices").Text
		if was, before := kindOf(p); was != kind || before != choices {
			for _, member := range append(kindMembers, "maxLength") {
				if member != "maxLength" || was == "long" {
					p = p.With(form.Node{}, member)
				}
			}
			stated := property(kind, choices)
			for _, member := range stated.Names() {
				p = p.With(stated.Get(member), member)
			}
		}
		if p.Kind == form.None {
			p.Kind = form.Object
		}
		properties = properties.With(p, name)
		if optional[name] = !x.Get("required").Truth; !optional[name] && !schema.Get("required").Contains(name) {
			required.Items = append(required.Items, str(name))
		}
	}
	dropped := func(n form.Node) bool { return optional[n.Text] }
	kept := slices.DeleteFunc(slices.Clone(schema.Get("required").Items), dropped)
	if required.Items = append(kept, required.Items...); len(required.Items) == 0 {
		required = form.Node{}
	}
	if schema.Kind == form.None {
		schema = form.Node{}.With(str("object"), "type")
	}
	return doc.With(schema.With(properties, "properties").With(required, "required"), "context_schema")
}

var (
	fieldName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	notWord   = regexp.MustCompile(`[^a-z0-9]+`)
)

// faultOfName returns the fault of the name of a field; empty without one.
func (f Form) faultOfName(x form.Node) string {
	name := x.Get("name").Text
	named := func(other form.Node) bool { return other.Get("name").Text == name }
	all := f.Node("fields").Items
	switch {
	case name == "":
		return f.T("form.required")
	case name != x.Get("was").Text && !fieldName.MatchString(name):
		return f.T("editor.name.bad")
	case slices.ContainsFunc(all[1+slices.IndexFunc(all, named):], named):
		return f.T("editor.name.twice")
	}
	return ""
}

// Slug returns a name in ASCII that is made of a text.
func Slug(text, otherwise string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
	slug := strings.Trim(notWord.ReplaceAllString(letters, "_"), "_")
	if slug = slug[:min(len(slug), 40)]; slug == "" || slug[0] >= '0' && slug[0] <= '9' {
		slug = strings.TrimSuffix(otherwise+"_"+slug, "_")
	}
	return slug
}

// Named returns the form with names for a new policy, for fields and for stages, and with conditions about new names.
func (f Form) Named() Form {
	if name := f.Node("name").Text; f.New && f.Node("policy_key").Text == "" && name != "" {
		f.Set("policy_key", str(Slug(name, "policy")))
	}
	renamed := map[string]string{}
	for i, x := range f.Node("fields").Items {
		at := "fields/" + strconv.Itoa(i) + "/"
		name, label, was := x.Get("name").Text, x.At("schema", "title").Text, x.Get("was").Text
		if name == "" && label != "" {
			name = Slug(label, "field")
			f.Set(at+"name", str(name))
		}
		if was != name && fieldName.MatchString(name) {
			renamed[was] = name
			f.Set(at+"was", str(name))
		}
	}
	for i, one := range f.Node("context_schema/required").Items {
		if name := renamed[one.Text]; name != "" {
			f.Set("context_schema/required/"+strconv.Itoa(i), str(name))
		}
	}
	keys := map[string]bool{}
	for _, s := range f.Node("stages").Items {
		keys[s.Get("key").Text] = true
	}
	for i, s := range f.Node("stages").Items {
		at := "stages/" + strconv.Itoa(i) + "/"
		if name := renamed[s.Get("if_field").Text]; name != "" {
			f.Set(at+"if_field", str(name))
		}
		if name := s.Get("name").Text; s.Get("key").Text == "" && name != "" {
			key := Slug(name, "stage")
			for n := 2; keys[key]; n++ {
				key = Slug(name, "stage") + "_" + strconv.Itoa(n)
			}
			keys[key] = true
			f.Set(at+"key", str(key))
		}
	}
	return f
}
