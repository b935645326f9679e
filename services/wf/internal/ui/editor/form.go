// Package editor translates between the JSON document of a policy and the fields of a form.
//
// A form states the parts of a document that it can express. Write changes the parts of a document that differ
// from its form, and no other byte: the rest of the document, its order and its white space stay.
package editor

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
)

// Form holds the fields of a policy. Texts are as entered.
type Form struct {
	Key, Name, Description, ArtifactType, Note string
	Fields                                     []Field
	Stages                                     []Stage
	Settings                                   map[string]string // by name of Settings; empty for the default
	Rest                                       []Part            // other members, by pointer
	FixedFields                                bool              // the context schema has no form
	Cases                                      []Case
	At                                         string // the part that an operation has placed
}

// Case is an example of a request. It is no part of the document. Content holds the submitted fields of the content by
// the rest of their names.
type Case struct {
	Name, Requester string
	Content         url.Values
}

// Part is a part of the document that the form does not express.
type Part struct{ Name, JSON string }

// Field is a field of the content of requests: a property of the context schema.
type Field struct {
	From     int    // index of the property in the document; -1 for a new field
	Was      string // the name when the form was shown
	Name     string
	Label    string
	Kind     string // of Kinds; "other" for one that the form does not express
	Help     string
	Choices  string // one a line: a value, or value = label
	Required bool
	Rest     []Part
}

// Stage is a stage with its condition as a sentence or as CEL.
type Stage struct {
	From        int // index in the document; -1 for a new stage
	Key         string
	Name        string
	Description string
	People      []Rule
	Pool        bool   // one person takes the task
	Need        string // all, any, count, percentage, or "other"
	Count       string // of count and percentage
	If          string // "" without a condition, "field" for a sentence, "cel"
	Field       string // of the sentence
	Op          string // of Ops
	Value       string // of the sentence
	CEL         string
	Due         string // number of units; empty without a due date
	Unit        string // D or H; "other" for a due date that the form does not express
	Rest        []Part
}

// Rule is an approver rule.
type Rule struct {
	From int    // index in the document; -1 for a new rule
	Kind string // user, role, group, manager, or "other"
	IDs  []string
	Name string // of the role, or the path of the group
	Rest []Part
}

// The choices of the form.
var (
	Kinds     = []string{"text", "long", "number", "integer", "yes", "choice", "date", "time", "email", "url"}
	RuleKinds = []string{"user", "role", "group", "manager"}
	Needs     = []string{"all", "any", "count", "percentage"}
	Ops       = []string{">", ">=", "<", "<=", "==", "!="}
	Units     = []string{"D", "H"}
)

// Other marks a value that the form shows and does not express.
const Other = "other"

// Setting is a setting with a choice of values. Values are JSON texts; the default is that of an absent member.
type Setting struct {
	Name    string // path of members below settings
	Default string
	Values  []string // other values
}

// Settings are the settings of the form, in the order of the page.
var Settings = []Setting{
	{"requester_may_approve", "false", []string{"true"}},
	{"repeat_approver", `"allow"`, []string{`"exclude"`, `"auto_approve"`}},
	{"on_behalf", `"admin"`, []string{`"none"`, `"submitters"`}},
	{"on_no_stages", `"refuse"`, []string{`"approve"`, `"reject"`}},
	{"expires_in", `"P30D"`, []string{`"P7D"`, `"P14D"`, `"P90D"`, `"P365D"`, "null"}},
	{"one_open_per_artifact", "true", []string{"false"}},
	{"max_revisions", "5", []string{"0", "1", "2", "3", "10", "20"}},
	{"on_resubmit", `"restart"`, []string{`"resume"`}},
	{"require_comment/approve", "false", []string{"true"}},
	{"require_comment/reject", "false", []string{"true"}},
	{"require_comment/request_changes", "false", []string{"true"}},
	{"require_comment/reassign", "false", []string{"true"}},
	{"delegation/allowed", "true", []string{"false"}},
	{"admin_override", "false", []string{"true"}},
	{"single_use", "false", []string{"true"}},
}

// FormOf reads a submitted form.
func FormOf(sent url.Values) Form {
	text := func(name string) string {
		return strings.TrimSpace(strings.ReplaceAll(sent.Get(name), "\r\n", "\n"))
	}
	number := func(name string) int {
		n, err := strconv.Atoi(sent.Get(name))
		if err != nil || n < -1 {
			return -1
		}
		return n
	}
	count := func(name string, most int) int { return max(0, min(number(name+"#"), most)) }
	f := Form{
		Key: text("key"), Name: text("name"), Description: text("description"), ArtifactType: text("artifact_type"),
		Note: text("change_note"), Settings: map[string]string{}, At: text("at"),
	}
	for i := range count("fields", maxFields) {
		at := "fields/" + strconv.Itoa(i) + "/"
		f.Fields = append(f.Fields, Field{
			From: number(at + "from"), Was: text(at + "was"), Name: text(at + "name"), Label: text(at + "label"),
			Kind: text(at + "kind"),
			Help: text(at + "help"), Choices: text(at + "choices"), Required: sent.Has(at + "required"),
		})
	}
	for i := range count("stages", maxStages) {
		at := "stages/" + strconv.Itoa(i) + "/"
		s := Stage{
			From: number(at + "from"), Key: text(at + "key"), Name: text(at + "name"), Description: text(at + "description"),
			Pool: text(at+"pool") == "yes", Need: text(at + "need"), Count: text(at + "count"),
			If: text(at + "if"), Field: text(at + "field"), Op: text(at + "op"), Value: text(at + "value"),
			CEL: text(at + "cel"),
			Due: text(at + "due"), Unit: text(at + "unit"),
		}
		for j := range count(at+"people", maxRules) {
			at := at + "people/" + strconv.Itoa(j) + "/"
			r := Rule{From: number(at + "from"), Kind: text(at + "kind"), Name: text(at + "name")}
			for k := range count(at+"ids", maxPeople) {
				field := at + "ids/" + strconv.Itoa(k)
				id := text(field)
				if found := text(field + "-found"); found != "" { // a result of the search
					id = found
				}
				r.IDs = append(r.IDs, id)
			}
			s.People = append(s.People, r)
		}
		f.Stages = append(f.Stages, s)
	}
	for _, s := range Settings {
		f.Settings[s.Name] = text("settings/" + s.Name)
	}
	for i := range count("cases", maxCases) {
		at := "cases/" + strconv.Itoa(i) + "/"
		c := Case{Name: text(at + "name"), Requester: cmp.Or(text(at+"requester-found"), text(at+"requester")),
			Content: url.Values{}}
		for name, values := range sent {
			if rest, ok := strings.CutPrefix(name, at); ok && (strings.HasPrefix(rest, "c/") || rest == "json") {
				c.Content[rest] = values
			}
		}
		f.Cases = append(f.Cases, c)
	}
	return f
}

// Limits of a form: those of policies, and one for the size of the page.
const (
	maxFields = 100
	maxStages = 20
	maxRules  = 50
	maxPeople = 100
	maxCases  = 20
)

// Values returns the form as it is submitted.
func (f Form) Values() url.Values {
	sent := url.Values{}
	set := func(name, value string) {
		if value != "" {
			sent.Set(name, value)
		}
	}
	for name, value := range map[string]string{
		"key": f.Key, "name": f.Name, "description": f.Description, "artifact_type": f.ArtifactType, "change_note": f.Note,
		"at":      f.At,
		"fields#": strconv.Itoa(len(f.Fields)), "stages#": strconv.Itoa(len(f.Stages)),
		"cases#": strconv.Itoa(len(f.Cases)),
	} {
		set(name, value)
	}
	for i, c := range f.Cases {
		at := "cases/" + strconv.Itoa(i) + "/"
		set(at+"name", c.Name)
		set(at+"requester", c.Requester)
		for name, values := range c.Content {
			sent[at+name] = values
		}
	}
	for i, x := range f.Fields {
		at := "fields/" + strconv.Itoa(i) + "/"
		for name, value := range map[string]string{
			"from": strconv.Itoa(x.From), "was": x.Was, "name": x.Name, "label": x.Label, "kind": x.Kind, "help": x.Help,
			"choices": x.Choices,
		} {
			set(at+name, value)
		}
		if x.Required {
			set(at+"required", "on")
		}
	}
	for i, s := range f.Stages {
		at := "stages/" + strconv.Itoa(i) + "/"
		for name, value := range map[string]string{
			"from": strconv.Itoa(s.From), "key": s.Key, "name": s.Name, "description": s.Description, "need": s.Need,
			"count": s.Count, "if": s.If, "field": s.Field,
			"op": s.Op, "value": s.Value, "cel": s.CEL, "due": s.Due, "unit": s.Unit, "people#": strconv.Itoa(len(s.People)),
		} {
			set(at+name, value)
		}
		if s.Pool {
			set(at+"pool", "yes")
		}
		for j, r := range s.People {
			at := at + "people/" + strconv.Itoa(j) + "/"
			for name, value := range map[string]string{
				"from": strconv.Itoa(r.From), "kind": r.Kind, "name": r.Name, "ids#": strconv.Itoa(len(r.IDs)),
			} {
				set(at+name, value)
			}
			for k, id := range r.IDs {
				set(at+"ids/"+strconv.Itoa(k), id)
			}
		}
	}
	for name, value := range f.Settings {
		set("settings/"+name, value)
	}
	return sent
}
