package editor

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/countersign/countersign/libs/ui/form"
)

// Document returns the document of a form.
func (f Form) Document() []byte {
	shown := f
	f.dropHidden(layout.Rows["page"], "")
	for i, stage := range shown.Node("stages").Items {
		at := "stages/" + strconv.Itoa(i) + "/"
		f.Set(at+"when", some(shown.CELOf(stage)))
		for _, member := range []string{"if", "if_field", "if_op", "if_value"} {
			f.Set(at+member, form.Node{})
		}
	}
	if f.Node("settings/calendar/zone").Text == "" {
		f.Set("settings/calendar", form.Node{})
	}
	return []byte(closeFields(f.draft).JSON())
}

// dropHidden removes the members that do not apply with the choice before them.
func (f *Form) dropHidden(rows []row, at string) {
	for _, r := range rows {
		name := at + r.Name
		if !f.applies(rows, r, at) {
			f.Set(name, form.Node{})
			continue
		}
		f.dropHidden(r.Rows, at)
		for i := range f.Node(name).Items {
			f.dropHidden(layout.Rows[r.Item], name+"/"+strconv.Itoa(i)+"/")
		}
	}
}

// applies reports whether a row applies with the choice before it.
func (f Form) applies(rows []row, r row, at string) bool {
	chosen := ""
	for _, other := range rows {
		if other.Name == r.Name {
			break
		}
		if other.Kind == "choice" && other.Only == "" {
			chosen = cmp.Or(plain(f.Node(at+other.Name)), strings.Fields(other.Values)[0])
		}
	}
	return r.Only == "" || slices.Contains(strings.Fields(r.Only), chosen)
}

var sentence = regexp.MustCompile(
	`^context\.([A-Za-z_][A-Za-z0-9_]*) (==|!=|<=|>=|<|>) ("(?:[^"\\]|\\["\\])*"|-?[0-9]+(?:\.[0-9]+)?|true|false)$`)

// openCondition states the condition of a stage by a field, if it compares one field with one value.
func (f *Form) openCondition(at string) {
	cel := f.Node(at + "/when").Text
	if f.Set(at+"/if_op", str(">")); cel == "" {
		return
	}
	f.Set(at+"/if", str("cel"))
	match := sentence.FindStringSubmatch(cel)
	if match == nil {
		return
	}
	value := match[3]
	if strings.HasPrefix(value, `"`) {
		value = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(value[1 : len(value)-1])
	}
	stated := form.Node{}.With(str(match[1]), "if_field").With(str(match[2]), "if_op").With(str(value), "if_value")
	if again, _, fault := f.condition(stated); fault != "" || again != cel {
		return
	}
	for _, name := range stated.Names() {
		f.Set(at+"/"+name, stated.Get(name))
	}
	f.Set(at+"/if", str("field"))
}

// CELOf returns the condition of a stage as CEL; empty without a valid one.
func (f Form) CELOf(stage form.Node) (cel string) {
	switch stage.Get("if").Text {
	case "cel":
		cel = stage.Get("when").Text
	case "field":
		cel, _, _ = f.condition(stage)
	}
	return cel
}

// truths are the words for the values of a field with yes and no.
var truths = map[string]string{
	"true": "true", "yes": "true", "oui": "true", "false": "false", "no": "false", "non": "false",
}

// condition returns the condition of a stage by a field as CEL, or the part with a fault and its text.
func (f Form) condition(stage form.Node) (cel, part, fault string) {
	fields := f.Node("fields").Items
	name, value := stage.Get("if_field").Text, stage.Get("if_value").Text
	i := slices.IndexFunc(fields, func(x form.Node) bool { return x.Get("name").Text == name })
	switch {
	case i < 0:
		return "", "if_field", f.T("editor.if.field.none")
	case value == "":
		return "", "if_value", f.T("form.required")
	}
	switch kind := fields[i].Get("kind").Text; {
	case kind == "integer" || kind == "number" || kind == Other && form.Parse([]byte(value)).Kind == form.Number:
		schema := form.Node{}.With(form.Parse([]byte(cmp.Or(kinds[kind], kinds["number"]))), "properties", "v").JSON()
		inputs, read, valid := form.Fields(f.Reader, []byte(schema), form.Node{}, url.Values{"c/v": {value}}, "c")
		if !valid {
			return "", "if_value", inputs[0].Error
		}
		value = read.Get("v").Text
	case kind == "yes":
		if value = truths[strings.ToLower(value)]; value == "" {
			return "", "if_value", f.T("editor.yes.no")
		}
	case strings.ContainsFunc(value, unicode.IsControl):
		return "", "if_value", f.T("form.choice")
	default:
		value = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	}
	return "context." + name + " " + stage.Get("if_op").Text + " " + value, "", ""
}
