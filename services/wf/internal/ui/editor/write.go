package editor

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var errNotObject = errors.New("a policy must be a JSON object")

// Fault is the error of a field: a text of the catalogue.
type Fault struct{ Field, Text string }

// writer changes a document to a form.
type writer struct {
	base, form Form
	faults     []Fault
}

func (w *writer) fail(field, text string) { w.faults = append(w.faults, Fault{field, text}) }

// Write returns the document with the form's changes. A part with a fault stays as it is.
func Write(text []byte, f Form) ([]byte, Form, []Fault, error) {
	d, err := parse(text)
	if err != nil {
		return nil, f, nil, err
	}
	if !d.root.isObject() {
		return nil, f, nil, errNotObject
	}
	read := readForm(d.root)
	w := writer{base: FormOf(read.Values())} // in the notation of a submitted form
	w.form = w.named(f).withRest(read)
	for _, m := range []struct{ name, before, after string }{
		{"policy_key", w.base.Key, w.form.Key}, {"name", w.base.Name, w.form.Name},
		{"description", w.base.Description, w.form.Description},
		{"artifact_type", w.base.ArtifactType, w.form.ArtifactType}, {"change_note", w.base.Note, w.form.Note},
	} {
		setText(d.root, m.name, m.before, m.after)
	}
	if !read.FixedFields {
		w.writeFields(d.root)
	}
	w.writeStages(d.root)
	for _, s := range Settings {
		before, after := w.base.Settings[s.Name], w.form.Settings[s.Name]
		path := strings.Split(s.Name, "/")
		switch {
		case before == after:
		case after == "":
			d.root.get(append([]string{"settings"}, path[:len(path)-1]...)...).remove(path[len(path)-1])
		case slices.Contains(s.Values, after) || after == s.Default:
			d.root.set(after, "settings", path...)
		default:
			w.fail("settings/"+s.Name, "form.choice")
		}
	}
	return []byte(d.String()), w.form, w.faults, nil
}

// setText writes a changed text; an empty one removes its member.
func setText(n *node, name, before, after string) {
	switch {
	case before == after:
	case after == "":
		n.remove(name)
	default:
		n.set(quote(after), name)
	}
}

var (
	fieldName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	notWord   = regexp.MustCompile(`[^a-z0-9]+`)
)

// Slug returns a name in ASCII that is made of a text.
func Slug(text, otherwise string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
	slug := strings.Trim(notWord.ReplaceAllString(plain, "_"), "_")
	if slug = slug[:min(len(slug), 40)]; slug == "" || slug[0] >= '0' && slug[0] <= '9' {
		slug = strings.TrimSuffix(otherwise+"_"+slug, "_")
	}
	return slug
}

// named returns the form with names for its new fields and stages, and with conditions about the new names.
func (w *writer) named(f Form) Form {
	f.Fields, f.Stages = slices.Clone(f.Fields), slices.Clone(f.Stages)
	renamed, taken := map[string]string{}, map[string]bool{}
	for i, x := range f.Fields {
		at := "fields/" + strconv.Itoa(i) + "/"
		if x.Name == "" && x.Label != "" {
			x.Name = Slug(x.Label, "field")
		}
		kept := x.From >= 0 && x.From < len(w.base.Fields) && w.base.Fields[x.From].Name == x.Name
		switch {
		case x.Name == "":
			w.fail(at+"label", "form.required")
		case !kept && !fieldName.MatchString(x.Name):
			w.fail(at+"name", "editor.name.bad")
		case taken[x.Name]:
			w.fail(at+"name", "editor.name.twice")
		}
		taken[x.Name] = true
		if x.Was != "" && x.Was != x.Name {
			renamed[x.Was] = x.Name
		}
		x.Was = x.Name
		f.Fields[i] = x
	}
	keys := map[string]bool{}
	for _, s := range f.Stages {
		keys[s.Key] = true
	}
	for i, s := range f.Stages {
		if name := renamed[s.Field]; name != "" {
			s.Field = name
		}
		if s.Key == "" && s.Name != "" {
			key := Slug(s.Name, "stage")
			for n := 2; keys[key]; n++ {
				key = Slug(s.Name, "stage") + "_" + strconv.Itoa(n)
			}
			s.Key, keys[key] = key, true
		}
		f.Stages[i] = s
	}
	return f
}

// withRest returns a submitted form with the parts that have no fields, from the form of its document.
func (f Form) withRest(read Form) Form {
	f.Rest, f.FixedFields = read.Rest, read.FixedFields
	for i := range f.Fields {
		if from := f.Fields[i].From; from >= 0 && from < len(read.Fields) {
			f.Fields[i].Rest = read.Fields[from].Rest
		}
	}
	for i := range f.Stages {
		from := f.Stages[i].From
		if from < 0 || from >= len(read.Stages) {
			continue
		}
		f.Stages[i].Rest = read.Stages[from].Rest
		people, before := slices.Clone(f.Stages[i].People), read.Stages[from].People
		for j, r := range people {
			if r.From >= 0 && r.From < len(before) && before[r.From].Kind == r.Kind {
				people[j].Rest = before[r.From].Rest
			}
		}
		f.Stages[i].People = people
	}
	return f
}

// place returns the node of an item of the form: that of the document, or a new one.
func place(list *node, from int, made string) *node {
	if from >= 0 && list != nil && from < len(list.items) {
		return list.items[from].value
	}
	d, _ := parse([]byte(made)) // a constant
	return d.root
}

// inOrder reports whether the items of a form are those of the document, in its order.
func inOrder(from []int, count int) bool {
	for i, n := range from {
		if n != i {
			return false
		}
	}
	return len(from) == count
}

func (w *writer) writeFields(root *node) {
	if root.get("context_schema") == nil {
		if len(w.form.Fields) == 0 {
			return
		}
		root.set(`{"type":"object","properties":{}}`, "context_schema")
	}
	schema := root.get("context_schema")
	if schema.get("properties") == nil {
		if len(w.form.Fields) == 0 {
			return
		}
		schema.set("{}", "properties")
	}
	properties := schema.get("properties")
	var items []item
	var from []int
	for i, x := range w.form.Fields {
		it := item{name: quote(x.Name), colon: properties.colon(), value: place(properties, x.From, "{}")}
		before := Field{}
		if x.From >= 0 && x.From < len(w.base.Fields) {
			before = w.base.Fields[x.From]
			it = properties.items[x.From]
			if before.Name != x.Name {
				it.name = quote(x.Name)
			}
		} else {
			it.value = properties.styled("{}")
		}
		if x.Name == "" {
			it.name = quote("field_" + strconv.Itoa(i+1)) // with a fault
		}
		w.writeField(i, it.value, before, x)
		items, from = append(items, it), append(from, x.From)
	}
	if inOrder(from, len(properties.items)) {
		for i := range items {
			properties.items[i].name = items[i].name
		}
	} else {
		properties.arrange(items)
	}
	w.writeRequired(schema)
}

func (w *writer) writeField(i int, p *node, before, x Field) {
	if !p.isObject() {
		return
	}
	setText(p, "title", before.Label, x.Label)
	setText(p, "description", before.Help, x.Help)
	if x.Kind == before.Kind && (x.Kind != "choice" || x.Choices == before.Choices) {
		return
	}
	switch members := kinds[x.Kind]; {
	case x.Kind == "choice":
		values, labels := readChoices(x.Choices)
		if len(values) == 0 {
			w.fail("fields/"+strconv.Itoa(i)+"/choices", "editor.choices.none")
			return
		}
		for _, member := range kindMembers {
			p.remove(member)
		}
		p.set(`"string"`, "type")
		if strings.Join(labels, "") == "" {
			p.set(quotes(values), "enum")
			return
		}
		var options []string
		for i, value := range values {
			option := `{"const": ` + quote(value)
			if labels[i] != "" {
				option += `, "title": ` + quote(labels[i])
			}
			options = append(options, option+"}")
		}
		p.set("["+strings.Join(options, ", ")+"]", "oneOf")
	case members == nil:
		if x.Kind != Other {
			w.fail("fields/"+strconv.Itoa(i)+"/kind", "form.choice")
		}
	default:
		for _, member := range kindMembers {
			switch value := members[member]; {
			case value != "":
				p.set(value, member)
			case member != "maxLength" || before.Kind == "long":
				p.remove(member)
			}
		}
	}
}

// writeRequired writes the names of the required fields if they changed.
func (w *writer) writeRequired(schema *node) {
	before, _ := schema.get("required").strs()
	now := map[string]bool{} // of the fields of the document, by old name
	var after []string
	for _, x := range w.form.Fields {
		if x.From >= 0 && x.From < len(w.base.Fields) {
			now[w.base.Fields[x.From].Name] = x.Required
		}
	}
	for _, name := range before {
		was := slices.IndexFunc(w.base.Fields, func(x Field) bool { return x.Name == name })
		if was < 0 {
			after = append(after, name)
		} else if i := slices.IndexFunc(w.form.Fields, func(x Field) bool { return x.From == was }); i >= 0 && now[name] {
			after = append(after, w.form.Fields[i].Name)
		}
	}
	for _, x := range w.form.Fields {
		if x.Required && x.Name != "" && !slices.Contains(after, x.Name) {
			after = append(after, x.Name)
		}
	}
	switch {
	case slices.Equal(before, after):
	case len(after) == 0:
		schema.remove("required")
	default:
		schema.set(quotes(after), "required")
	}
}

func (w *writer) writeStages(root *node) {
	list := root.get("stages")
	if !list.isList() {
		if len(w.form.Stages) == 0 {
			return
		}
		root.set("[]", "stages")
		list = root.get("stages")
	}
	var items []item
	var from []int
	for i, s := range w.form.Stages {
		before := Stage{Need: "all", Unit: "D"}
		n := place(list, s.From, `{"key": "", "name": "", "approvers": []}`)
		if s.From >= 0 && s.From < len(w.base.Stages) {
			before = w.base.Stages[s.From]
		}
		w.writeStage(i, n, before, s)
		items, from = append(items, item{value: n}), append(from, s.From)
	}
	arrange(list, items, from, maxStages)
}

// arrange orders a list as items, which have the indexes from in it. The items beyond the limit of a form stay at its
// end.
func arrange(list *node, items []item, from []int, limit int) {
	for i, kept := range list.items[min(len(list.items), limit):] {
		items, from = append(items, kept), append(from, limit+i)
	}
	if !inOrder(from, len(list.items)) {
		list.arrange(items)
	}
}

func (w *writer) writeStage(i int, n *node, before, s Stage) {
	if !n.isObject() {
		return
	}
	at := "stages/" + strconv.Itoa(i) + "/"
	for _, m := range []struct{ name, before, after string }{
		{"key", before.Key, s.Key}, {"name", before.Name, s.Name}, {"description", before.Description, s.Description},
	} {
		if m.before != m.after {
			if m.after == "" && m.name != "description" {
				n.set(`""`, m.name)
				continue
			}
			setText(n, m.name, m.before, m.after)
		}
	}
	w.writeCondition(at, n, before, s)
	if before.Pool != s.Pool {
		if s.Pool {
			n.set(`"pool"`, "assignment")
		} else {
			n.remove("assignment")
		}
	}
	w.writePeople(at, n, before, s)
	w.writeNeed(at, n, before, s)
	w.writeDue(at, n, before, s)
}

func (w *writer) writeCondition(at string, n *node, before, s Stage) {
	cel, fault := "", ""
	switch s.If {
	case "":
	case "cel":
		if cel = s.CEL; cel == "" {
			fault = "form.required"
		}
	case "field":
		same := before.If == "field" && before.Field == s.Field && before.Op == s.Op && before.Value == s.Value
		kind := func(f Form) string {
			if i := slices.IndexFunc(f.Fields, func(x Field) bool { return x.Name == s.Field }); i >= 0 {
				return f.Fields[i].Kind
			}
			return ""
		}
		if same && kind(w.base) == kind(w.form) {
			return
		}
		cel, fault = s.condition(w.form.Fields)
	default:
		fault = "form.choice"
	}
	switch {
	case fault != "" && s.If == "field" && !slices.ContainsFunc(w.form.Fields,
		func(x Field) bool { return x.Name == s.Field }):
		w.fail(at+"field", fault)
	case fault != "" && s.If == "field":
		w.fail(at+"value", fault)
	case fault != "":
		w.fail(at+s.If, fault)
	case cel == before.CEL:
	case cel == "":
		n.remove("when")
	default:
		n.set(quote(cel), "when")
	}
}

var (
	wholeNumber   = regexp.MustCompile(`^-?[0-9]{1,15}$`)
	decimalNumber = regexp.MustCompile(`^-?[0-9]{1,15}(\.[0-9]{1,9})?$`)
	digitGaps     = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "−", "-")
)

// truths are the words for the values of a field with yes and no.
var truths = map[string]string{
	"true": "true", "yes": "true", "oui": "true", "false": "false", "no": "false", "non": "false",
}

// plainNumber returns a number in the notation of CEL.
func plainNumber(text string) string {
	digits := digitGaps.Replace(text)
	if strings.Count(digits, ",") == 1 && !strings.Contains(digits, ".") {
		digits = strings.Replace(digits, ",", ".", 1)
	}
	return digits
}

// condition returns the sentence as CEL, or the text of its fault.
func (s Stage) condition(fields []Field) (cel, fault string) {
	i := slices.IndexFunc(fields, func(x Field) bool { return x.Name == s.Field })
	switch {
	case i < 0 || !slices.Contains(Ops, s.Op):
		return "", "editor.if.field.none"
	case s.Value == "":
		return "", "form.required"
	}
	value := s.Value
	number := plainNumber(value)
	switch kind := fields[i].Kind; {
	case kind == "integer":
		if value = number; !wholeNumber.MatchString(value) {
			return "", "form.integer"
		}
	case kind == "number" || kind == Other && decimalNumber.MatchString(number):
		if value = number; !decimalNumber.MatchString(value) {
			return "", "form.number"
		}
		if kind == "number" && !strings.Contains(value, ".") {
			value += ".0"
		}
	case kind == "yes":
		if value = truths[strings.ToLower(value)]; value == "" {
			return "", "editor.yes.no"
		}
	default:
		if strings.ContainsFunc(value, unicode.IsControl) {
			return "", "form.choice"
		}
		value = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	}
	return "context." + s.Field + " " + s.Op + " " + value, ""
}

// CELOf returns the condition of a stage as CEL; empty without a valid one.
func (f Form) CELOf(s Stage) string {
	switch s.If {
	case "cel":
		return s.CEL
	case "field":
		cel, _ := s.condition(f.Fields)
		return cel
	}
	return ""
}

func (w *writer) writePeople(at string, n *node, before, s Stage) {
	list := n.get("approvers")
	if !list.isList() {
		if len(s.People) == 0 {
			return
		}
		n.set("[]", "approvers")
		list = n.get("approvers")
	}
	var items []item
	var from []int
	for j, r := range s.People {
		old := Rule{}
		rule := place(list, r.From, "{}")
		if r.From >= 0 && r.From < len(before.People) {
			old = before.People[r.From]
		}
		w.writeRule(at+"people/"+strconv.Itoa(j)+"/", rule, old, r)
		items, from = append(items, item{value: rule}), append(from, r.From)
	}
	arrange(list, items, from, maxRules)
}

func (w *writer) writeRule(at string, n *node, before, r Rule) {
	if !n.isObject() {
		return
	}
	if r.Kind != before.Kind {
		if !slices.Contains(RuleKinds, r.Kind) {
			w.fail(at+"kind", "form.choice")
			return
		}
		for _, member := range ruleMembers {
			n.remove(member)
		}
		n.set(quote(r.Kind), "type")
		before = Rule{}
	}
	switch r.Kind {
	case "user":
		if ids := filled(r.IDs); !slices.Equal(ids, filled(before.IDs)) || before.Kind == "" && len(ids) == 0 {
			n.set(quotes(ids), "ids")
		}
	case "role", "group":
		if before.Kind == "" || r.Name != before.Name {
			n.set(quote(r.Name), ruleNames[r.Kind])
		}
	}
}

// filled returns the ids of the fields that are filled in.
func filled(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
}

func (w *writer) writeNeed(at string, n *node, before, s Stage) {
	counts := s.Need == "count" || s.Need == "percentage"
	if s.Need == before.Need && (!counts || s.Count == before.Count) {
		return
	}
	count, err := strconv.Atoi(s.Count)
	switch {
	case !slices.Contains(Needs, s.Need):
		w.fail(at+"need", "form.choice")
	case counts && s.Count == "":
		w.fail(at+"count", "form.required")
	case counts && err != nil:
		w.fail(at+"count", "form.integer")
	case counts:
		n.set(quote(s.Need), "quorum", "mode")
		n.set(strconv.Itoa(count), "quorum", "value")
		n.get("quorum").remove("value_cel")
	default:
		quorum := n.get("quorum")
		quorum.remove("value")
		quorum.remove("value_cel")
		if rest := rest(quorum, "", "mode"); len(rest) == 0 && s.Need == "all" {
			n.remove("quorum")
			return
		}
		n.set(quote(s.Need), "quorum", "mode")
	}
}

func (w *writer) writeDue(at string, n *node, before, s Stage) {
	if s.Due == before.Due && (s.Due == "" || s.Unit == before.Unit) {
		return
	}
	deadline := n.get("deadline")
	due := ""
	switch s.Unit {
	case "D":
		due = "P" + s.Due + "D"
	case "H":
		due = "PT" + s.Due + "H"
	default:
		w.fail(at+"unit", "form.choice")
		return
	}
	switch {
	case s.Due == "" && len(rest(deadline, "", "due_in")) == 0:
		n.remove("deadline")
	case s.Due == "":
		deadline.remove("due_in")
	case !dueIn.MatchString(due):
		w.fail(at+"due", "form.integer")
	default:
		deadline.remove("due_cel")
		n.set(quote(due), "deadline", "due_in")
	}
}
