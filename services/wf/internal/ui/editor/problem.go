package editor

import (
	"slices"
	"strconv"
	"strings"
)

// FieldOf returns the name of the field of the form that shows the member at a JSON pointer of its document;
// "json" for a member without a field.
func (f Form) FieldOf(pointer string) string {
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, step := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	}
	step := func(i int) string {
		if i < len(steps) {
			return steps[i]
		}
		return ""
	}
	switch steps[0] {
	case "policy_key":
		return "key"
	case "name", "description", "artifact_type", "change_note":
		return steps[0]
	case "context_schema":
		if i := slices.IndexFunc(f.Fields, func(x Field) bool {
			return step(1) == "properties" &&
				x.Name == step(2)
		}); i >= 0 {
			return "fields/" + strconv.Itoa(i) + "/label"
		}
	case "settings":
		for _, s := range Settings {
			if rest, ok := strings.CutPrefix(strings.Join(steps[1:], "/")+"/", s.Name+"/"); ok &&
				!strings.Contains(strings.TrimSuffix(rest, "/"), "/") {
				return "settings/" + s.Name
			}
		}
	case "stages":
		if s := f.stage(step(1)); s != nil {
			return "stages/" + step(1) + s.fieldOf(steps[2:])
		}
		return "stages"
	}
	return "json"
}

// fieldOf returns the end of the name of a stage's field.
func (s Stage) fieldOf(steps []string) string {
	if len(steps) == 0 {
		return ""
	}
	switch steps[0] {
	case "key", "name":
		return "/name"
	case "description":
		return "/description"
	case "when":
		return map[string]string{"field": "/value", "cel": "/cel"}[s.If]
	case "quorum":
		if s.Need == "count" || s.Need == "percentage" {
			return "/count"
		}
		return "/need"
	case "assignment":
		return "/pool"
	case "deadline":
		if len(steps) > 1 && steps[1] == "due_in" {
			return "/due"
		}
	case "approvers":
		if len(steps) == 1 {
			return "/people"
		}
		j, err := strconv.Atoi(steps[1])
		if err != nil || j < 0 || j >= len(s.People) {
			return "/people"
		}
		at := "/people/" + steps[1]
		r := s.People[j]
		switch {
		case len(steps) > 2 && steps[2] == "ids" && r.Kind == "user":
			at += "/ids/" + strconv.Itoa(r.idField(steps[3:]))
		case len(steps) > 2 && steps[2] == ruleNames[r.Kind]:
			at += "/name"
		default:
			at += "/kind"
		}
		return at
	}
	return ""
}

// idField returns the index of the field of a user id; empty fields are not in the document.
func (r Rule) idField(steps []string) int {
	n, err := -1, error(nil)
	if len(steps) > 0 {
		n, err = strconv.Atoi(steps[0])
	}
	for i, id := range r.IDs {
		if id != "" {
			n--
		}
		if n < 0 && err == nil {
			return i
		}
	}
	return 0
}
