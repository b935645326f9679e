package editor

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Read returns the form of a document. It fails for a document that is no JSON object.
func Read(text []byte) (Form, error) {
	d, err := parse(text)
	if err != nil {
		return Form{}, err
	}
	if !d.root.isObject() {
		return Form{}, errNotObject
	}
	return readForm(d.root), nil
}

// shown are the members of a document that the form expresses.
var shown = map[string]bool{
	"policy_key": true, "name": true, "description": true, "artifact_type": true, "change_note": true,
	"context_schema": true,
	"settings":       true, "stages": true,
}

func readForm(root *node) Form {
	f := Form{
		Key: root.get("policy_key").str(), Name: root.get("name").str(), Description: root.get("description").str(),
		ArtifactType: root.get("artifact_type").str(), Note: root.get("change_note").str(), Settings: map[string]string{},
	}
	schema := root.get("context_schema")
	if f.FixedFields = !hasForm(schema); f.FixedFields {
		f.Rest = append(f.Rest, Part{"context_schema", schema.raw()})
	} else if schema != nil {
		f.Fields = readFields(schema)
		f.Rest = append(f.Rest, rest(schema, "context_schema/", "type", "properties", "required")...)
	}
	if stages := root.get("stages"); stages.isList() {
		for i, it := range stages.items {
			f.Stages = append(f.Stages, readStage(i, it.value, f.Fields))
		}
	}
	settings := root.get("settings")
	known := map[string]bool{}
	for _, s := range Settings {
		path := strings.Split(s.Name, "/")
		known[path[0]] = true
		if value := settings.get(path...).compact(); value != s.Default {
			f.Settings[s.Name] = value
		}
	}
	if settings.isObject() {
		for _, it := range settings.items {
			name := it.key()
			if !known[name] {
				f.Rest = append(f.Rest, Part{"settings/" + name, it.value.raw()})
				continue
			}
			for _, part := range rest(it.value, "settings/"+name+"/") {
				if !slices.ContainsFunc(Settings, func(s Setting) bool { return "settings/"+s.Name == part.Name }) {
					f.Rest = append(f.Rest, part)
				}
			}
		}
	}
	for _, it := range root.items {
		if name := it.key(); !shown[name] {
			f.Rest = append(f.Rest, Part{name, it.value.raw()})
		}
	}
	return f
}

// rest returns the members of an object other than the given ones.
func rest(n *node, prefix string, except ...string) (parts []Part) {
	if n.isObject() {
		for _, it := range n.items {
			if name := it.key(); !slices.Contains(except, name) {
				parts = append(parts, Part{prefix + name, it.value.raw()})
			}
		}
	}
	return parts
}

// hasForm reports whether a context schema is absent or the schema of an object with properties.
func hasForm(schema *node) bool {
	if schema == nil {
		return true
	}
	typ, properties, required := schema.get("type"), schema.get("properties"), schema.get("required")
	_, names := required.strs()
	return schema.isObject() && (typ == nil || typ.str() == "object") && (properties == nil || properties.isObject()) &&
		(required == nil || names) && schema.get("$ref") == nil
}

func readFields(schema *node) (fields []Field) {
	required, _ := schema.get("required").strs()
	properties := schema.get("properties")
	if properties == nil {
		return nil
	}
	for i, it := range properties.items {
		p, name := it.value, it.key()
		x := Field{
			From: i, Was: name, Name: name, Label: p.get("title").str(), Help: p.get("description").str(),
			Required: slices.Contains(required, name),
		}
		x.Kind, x.Choices = kindOf(p)
		own := []string{"title", "description"}
		if x.Kind != Other {
			own = append(own, kindMembers...)
		}
		if x.Kind != "long" {
			own = slices.DeleteFunc(own, func(s string) bool { return s == "maxLength" })
		}
		x.Rest = rest(p, "", own...)
		fields = append(fields, x)
	}
	return fields
}

// kindMembers are the members of a property that state its kind.
var kindMembers = []string{"type", "format", "enum", "oneOf", "maxLength"}

// kinds are the members of the kinds, as JSON.
var kinds = map[string]map[string]string{
	"text": {"type": `"string"`}, "long": {"type": `"string"`, "maxLength": longText}, "number": {"type": `"number"`},
	"integer": {"type": `"integer"`}, "yes": {"type": `"boolean"`}, "date": {"type": `"string"`, "format": `"date"`},
	"time": {"type": `"string"`, "format": `"date-time"`}, "email": {"type": `"string"`, "format": `"email"`},
	"url": {"type": `"string"`, "format": `"uri"`},
}

const longText = "2000" // maxLength of a text of several lines

// kindOf returns the kind of a property, with its choices.
func kindOf(p *node) (kind, choices string) {
	typ := p.get("type").str()
	if enum, ok := p.get("enum").strs(); ok && (typ == "string" || p.get("type") == nil) && p.get("oneOf") == nil &&
		p.get("format") == nil {
		return asChoices(enum, nil)
	}
	if oneOf := p.get("oneOf"); oneOf.isList() && (typ == "string" || p.get("type") == nil) && p.get("enum") == nil &&
		p.get("format") == nil {
		var values, titles []string
		for _, it := range oneOf.items {
			if !it.value.get("const").isString() || len(rest(it.value, "", "const", "title")) > 0 {
				return Other, ""
			}
			values, titles = append(values, it.value.get("const").str()), append(titles, it.value.get("title").str())
		}
		return asChoices(values, titles)
	}
	for name, members := range kinds {
		fits := true
		for _, member := range kindMembers {
			value := p.get(member).compact()
			if member == "maxLength" && name != "long" && value != longText {
				continue // a limit of a text
			}
			fits = fits && value == members[member]
		}
		if fits {
			return name, ""
		}
	}
	return Other, ""
}

// asChoices returns the values of a choice as lines. Values that lines do not express have no form.
func asChoices(values, titles []string) (kind, choices string) {
	lines := slices.Clone(values)
	for i, title := range titles {
		if title != "" {
			lines[i] += " = " + title
		}
	}
	text := strings.Join(lines, "\n")
	again, labels := readChoices(text)
	if len(values) == 0 || !slices.Equal(again, values) || titles != nil && !slices.Equal(labels, titles) {
		return Other, ""
	}
	return "choice", text
}

// readChoices returns the values and the labels of lines.
func readChoices(text string) (values, labels []string) {
	for line := range strings.Lines(text) {
		value, label, _ := strings.Cut(strings.TrimSpace(line), " = ")
		if value = strings.TrimSpace(value); value != "" {
			values, labels = append(values, value), append(labels, strings.TrimSpace(label))
		}
	}
	return values, labels
}

func readStage(from int, n *node, fields []Field) Stage {
	s := Stage{
		From: from, Key: n.get("key").str(), Name: n.get("name").str(), Description: n.get("description").str(),
		Pool: n.get("assignment").str() == "pool", Op: ">",
	}
	if list := n.get("approvers"); list.isList() {
		for j, it := range list.items {
			s.People = append(s.People, readRule(j, it.value))
		}
	}
	s.Need, s.Count = needOf(n.get("quorum"))
	s.readCondition(n.get("when").str(), fields)
	s.Due, s.Unit = dueOf(n.get("deadline"))
	s.Rest = rest(n, "", "key", "name", "description", "assignment", "approvers", "quorum", "when", "deadline")
	own := []string{"mode", "value"}
	if s.Need == Other {
		own = nil
	}
	s.Rest = append(s.Rest, rest(n.get("quorum"), "quorum/", own...)...)
	own = []string{"due_in"}
	if s.Unit == Other {
		own = nil
	}
	s.Rest = append(s.Rest, rest(n.get("deadline"), "deadline/", own...)...)
	return s
}

// ruleNames are the members with the name of the kinds of rules.
var ruleNames = map[string]string{"role": "role", "group": "path"}

// ruleMembers are the members of rules that their kinds own.
var ruleMembers = []string{
	"ids", "usernames", "cel", "as", "stage", "role", "client", "include_groups", "include_composites", "path",
	"include_subgroups",
	"of", "level", "attribute", "resolver", "url", "params",
}

func readRule(from int, n *node) Rule {
	r := Rule{From: from, Kind: n.get("type").str()}
	own := []string{"type"}
	ids, listed := n.get("ids").strs()
	switch {
	case r.Kind == "user" && (listed || n.get("ids") == nil):
		if r.IDs, own = ids, append(own, "ids"); len(ids) == 0 {
			r.IDs = []string{""} // a field to fill in
		}
	case ruleNames[r.Kind] != "":
		r.Name, own = n.get(ruleNames[r.Kind]).str(), append(own, ruleNames[r.Kind])
	case r.Kind == "manager":
	default:
		r.Kind, own = Other, nil
	}
	r.Rest = rest(n, "", own...)
	return r
}

func needOf(quorum *node) (need, count string) {
	need = cmp.Or(quorum.get("mode").str(), "all")
	if quorum != nil && !quorum.isObject() || quorum.get("value_cel") != nil || !slices.Contains(Needs, need) {
		return Other, ""
	}
	return need, quorum.get("value").compact()
}

var dueIn = regexp.MustCompile(`^P(?:([1-9][0-9]{0,4})D|T([1-9][0-9]{0,4})H)$`)

func dueOf(deadline *node) (due, unit string) {
	if deadline == nil {
		return "", "D"
	}
	match := dueIn.FindStringSubmatch(deadline.get("due_in").str())
	switch {
	case match == nil:
		return "", Other
	case match[1] != "":
		return match[1], "D"
	default:
		return match[2], "H"
	}
}

var sentence = regexp.MustCompile(`^context\.([A-Za-z_][A-Za-z0-9_]*) (==|!=|<=|>=|<|>) ("(?:[^"\\]|\\["\\])*"|-?[0-9]+(?:\.[0-9]+)?|true|false)$`)

// readCondition states a condition as a sentence, if it compares one field with one value.
func (s *Stage) readCondition(cel string, fields []Field) {
	s.CEL = cel
	if cel == "" {
		return
	}
	s.If = "cel"
	match := sentence.FindStringSubmatch(cel)
	if match == nil || !slices.ContainsFunc(fields, func(x Field) bool { return x.Name == match[1] }) {
		return
	}
	s.If, s.Field, s.Op, s.Value = "field", match[1], match[2], match[3]
	if strings.HasPrefix(s.Value, `"`) {
		s.Value = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(s.Value[1 : len(s.Value)-1])
	} else if whole, ok := strings.CutSuffix(s.Value, ".0"); ok {
		s.Value = whole
	}
	if again, fault := s.condition(fields); fault != "" || !sameCondition(again, cel) {
		s.If = "cel"
	}
}

// sameCondition reports whether two conditions are equal, but for the form of their number.
func sameCondition(a, b string) bool {
	return strings.TrimSuffix(a, ".0") == strings.TrimSuffix(b, ".0")
}
