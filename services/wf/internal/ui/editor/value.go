package editor

import (
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf/policy"
)

// show returns the text of a value in its field.
func (f Form) show(r row, value form.Node) string {
	switch r.Kind {
	case "duration":
		return f.Duration(policy.Duration(value.Text), false)
	case "durations", "lines":
		var all []string
		for _, one := range value.Items {
			if r.Kind == "durations" {
				one.Text = f.Duration(policy.Duration(one.Text), false)
			}
			all = append(all, plain(one))
		}
		return strings.Join(all, "\n")
	case "pairs":
		var all []string
		for _, name := range value.Names() {
			all = append(all, name+" = "+plain(value.Get(name)))
		}
		return strings.Join(all, "\n")
	case "choice":
		if text := plain(value); r.Must || text != strings.Fields(r.Values)[0] {
			return text
		}
		return "" // the default
	case "json":
		if value.Kind != form.String && value.Kind != form.None {
			return form.Indent([]byte(value.JSON()))
		}
	}
	return plain(value)
}

// plain returns the text of a value; JSON for other types than texts.
func plain(value form.Node) string {
	if value.Kind == form.String || value.Kind == form.None {
		return value.Text
	}
	return value.JSON()
}

// parse returns the value of the text of a field. A text that is no such value stays a text, with a fault.
func parse(r row, text string) form.Node {
	literal := form.Parse([]byte(text))
	switch {
	case r.Kind == "duration":
		return some(isoDuration(text))
	case r.Kind == "durations":
		all := strings.Split(text, "\n")
		for i, one := range all {
			all[i] = isoDuration(strings.TrimSpace(one))
		}
		return texts(all)
	case r.Kind == "lines":
		return texts(strings.Split(text, "\n"))
	case r.Kind == "pairs":
		return pairs(text)
	case r.Kind == "json" && literal.Kind != form.None, r.Kind == "number" && wholeNumber.MatchString(text),
		r.Kind == "choice" && literal.Kind != form.None && literal.Kind != form.String:
		return literal
	}
	return some(text)
}

// pairs returns an object of texts: one a line, a name and a text. Other lines continue the text before them.
func pairs(text string) (value form.Node) {
	last := ""
	for line := range strings.SplitSeq(text, "\n") {
		name, said, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); ok && !strings.Contains(name, " ") || last == "" && name != "" {
			last = name
			value = value.With(str(strings.TrimSpace(said)), name)
		} else if last != "" {
			value = value.With(str(value.Get(last).Text+"\n"+line), last)
		}
	}
	return value
}

// some returns a text, or an absent value for an empty one.
func some(text string) form.Node {
	if text == "" {
		return form.Node{}
	}
	return str(text)
}

// texts returns a list of texts without the empty ones, or an absent value.
func texts(all []string) (value form.Node) {
	for _, text := range all {
		if text = strings.TrimSpace(text); text != "" {
			value = list(append(value.Items, str(text))...)
		}
	}
	return value
}

var (
	wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,8})$`)
	length      = `(\d{1,6})\s*(d|days?|j|jours?|h|hours?|heures?|min|minutes?|w|weeks?|sem|semaines?|s|secondes?|seconds?)` +
		`\b[\s,]*`
	lengths   = regexp.MustCompile(`^(` + length + `)+$`)
	oneLength = regexp.MustCompile(length)
	units     = strings.NewReplacer("j", "D", "d", "D", "w", "W", "h", "H", "m", "M", "s", "S")
)

// isoDuration returns a duration in words, such as "2 days" or "1 jour 4 heures", in the notation of ISO 8601; any
// other text as it is.
func isoDuration(text string) string {
	said := strings.ToLower(text)
	if !lengths.MatchString(said) {
		return text
	}
	date, clock := "P", "T"
	for _, part := range oneLength.FindAllStringSubmatch(said, -1) {
		unit := units.Replace(part[2][:1])
		if strings.HasPrefix(part[2], "sem") {
			unit = "W"
		}
		if unit == "W" || unit == "D" {
			date += part[1] + unit
		} else {
			clock += part[1] + unit
		}
	}
	return date + strings.TrimSuffix(clock, "T")
}

// isBad reports whether a text is no duration.
func isBad(n form.Node) bool {
	_, err := policy.Duration(n.Text).Parse()
	return err != nil
}

// fault returns the fault of a field; empty without one.
func (f Form) fault(r row, name string, value form.Node) string {
	item := f.Node(name[:max(strings.LastIndexByte(name, '/'), 0)])
	switch shown := f.show(r, value); {
	case r.Must && shown == "":
		return f.T("form.required")
	case r.Kind == "number" && value.Kind == form.String:
		return f.T("form.integer")
	case r.Kind == "json" && value.Kind == form.String && form.Parse([]byte(value.Text)).Kind == form.None:
		return f.T("form.json")
	case r.Kind == "duration" && shown != "" && isBad(value),
		r.Kind == "durations" && slices.ContainsFunc(value.Items, isBad):
		return f.T("editor.duration.bad")
	case r.Name == "if_value" || r.Name == "if_field":
		if _, part, fault := f.condition(item); part == r.Name {
			return fault
		}
	case r.Name == "schema/title":
		return f.faultOfName(f.Node(strings.TrimSuffix(name, "/schema/title")))
	}
	return ""
}
