package console

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/editor"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
)

// editorPage is the form of a draft.
type editorPage struct {
	policy.Version // the edited one; zero for a new policy
	Path           string
	Hidden         map[string]string
	Texts          []form.Input
	Fields         []fieldCard
	FixedFields    bool
	Stages         []stageCard
	Settings       []choice
	Cases          []caseCard
	Tried          bool // the examples were simulated
	Rest           []restPart
	JSON           form.Input
	Columns        []page.StageColumn
	Todo, Warnings []form.FieldError
	Checked        bool // the draft was checked and has no problem
}

// startPage offers templates, copies and a field for a document.
type startPage struct {
	Path      string
	Templates []string
	Copies    choice
	JSON      form.Input
}

// choice is a field with options.
type choice struct {
	Name, Title, Help, Error string
	Options                  []form.Choice
}

// fieldCard is a field of the content.
type fieldCard struct {
	Path, Title, From, Was string
	Here                   bool // has the focus
	First, Last            bool
	Label, Help            form.Input
	Name, Choices          form.Input
	Kind                   choice
	Required               bool
	Rest                   []editor.Part
}

// stageCard is a stage.
type stageCard struct {
	Path, Title, From, Key         string
	Here, First, Last              bool
	Name, Description              form.Input
	People                         []ruleCard
	PeopleError                    string
	Need, Pool, If, Field, Op, Due choice // Due is the unit
	Count, Value, CEL, DueIn       form.Input
	Shown                          string // the condition as CEL
	Rest                           []editor.Part
}

// ruleCard is an approver rule of a stage.
type ruleCard struct {
	Path, Title, From string
	Here              bool
	Kind              choice
	IDs               []form.Input
	Name              form.Input
	Fixed             bool // the rule has no form
	Rest              []editor.Part
}

// caseCard is an example of a request, with the result of its simulation.
type caseCard struct {
	Path, Title string
	Here        bool
	Name        form.Input
	Requester   form.Input
	Inputs      []form.Input // JSON, if the policy has no form
	Sim         *engine.DryRun
	Run         []page.StageColumn
}

// restPart is a part of the document without a form: in words if there are words for it.
type restPart struct {
	Name, JSON string
	Words      []string
}

// ShowEditor shows the form of a draft, or the start of a new policy.
func ShowEditor(req *page.Request) error {
	version, err := editedVersion(req)
	if err != nil {
		return err
	}
	sent := req.Submitted.Values
	d, begun := sentDraft(version, sent)
	if !begun {
		if version.Key == "" {
			return showStart(req)
		}
		document, err := definitionText(version)
		if err != nil {
			return err
		}
		if d, err = newDraft(version, document); err != nil {
			return err
		}
		if err := d.loadExamples(req); err != nil {
			return err
		}
		sent = d.values(version.ContentHash)
	}
	at := d.form.At
	if err := d.check(req); err != nil {
		return err
	}
	title := req.T("editor.new")
	if version.Key != "" {
		title = req.T("editor.edit", version.Definition.Name)
	}
	p := newEditorPage(req, version, d, at, sent)
	if p.Tried = req.Submitted.Status == http.StatusOK && p.Checked; p.Tried {
		if err := p.simulate(req, d); err != nil {
			return err
		}
	}
	return req.Show(req.FormStatus(), "console-editor", title, p)
}

// simulate simulates the examples.
func (p *editorPage) simulate(req *page.Request, d draft) error {
	for i, c := range d.form.Cases {
		_, content, valid := d.example(req, i)
		text, hash, err := page.Canonical(content)
		if err != nil || !valid || c.Requester != "" && identity.CheckUserID(c.Requester) != nil {
			continue // with an error at its field
		}
		in := engine.DryRunInput{
			Context: text, ContextHash: hash, Requester: c.Requester, ArtifactType: d.definition.ArtifactType, TolerateUpstream: true,
		}
		sim, err := req.Engine.Policies.SimulateDraft(req.R.Context(), req.By, engine.Draft{Key: d.key, Definition: d.definition}, in)
		if err != nil {
			return err
		}
		p.Cases[i].Sim, p.Cases[i].Run = &sim, simulatedStages(req, sim)
	}
	return nil
}

// showStart shows the start of a new policy.
func showStart(req *page.Request) error {
	list, _, err := req.Engine.Policies.ListPolicies(req.R.Context(), req.By, wf.PolicyFilter{}, wf.Page{Limit: 100})
	if err != nil {
		return err
	}
	sent := req.Submitted.Values
	p := startPage{Path: editorPath(policy.Version{}), Templates: []string{"one", "group", "amount", "empty"}}
	p.Copies = choice{Name: "copy", Title: req.T("editor.copy"), Error: req.ErrorOf("copy")}
	for _, one := range list {
		name := one.Latest.Definition.Name + " (" + one.Key + ")"
		p.Copies.Options = append(p.Copies.Options, form.Choice{Value: one.Key, Title: name, Chosen: one.Key == sent.Get("copy")})
	}
	p.JSON = req.Input("json", "json", "editor.json", sent.Get("json"), 0)
	return req.Show(req.FormStatus(), "console-new", req.T("editor.new"), p)
}

func newEditorPage(req *page.Request, version policy.Version, d draft, at string, sent url.Values) editorPage {
	f := d.form
	texts := req.Terms()
	names := texts.Person
	texts.Person = func(u identity.User) string {
		if known, ok := d.people[u.ID]; ok {
			u = known
		}
		return names(u)
	}
	p := editorPage{
		Version: version, Path: editorPath(version), Todo: d.problems, Warnings: d.warnings, FixedFields: f.FixedFields,
		Columns: page.PolicyStages(d.definition, texts), Checked: len(d.problems) == 0,
		Hidden: map[string]string{
			"document": sent.Get("document"), "seen": sent.Get("seen"), "fields#": strconv.Itoa(len(f.Fields)), "stages#": strconv.Itoa(len(f.Stages)),
			"cases#": strconv.Itoa(len(f.Cases)),
		},
	}
	for i, c := range f.Cases {
		p.Cases = append(p.Cases, newCaseCard(req, d, i, c, at, sent))
	}
	p.Texts = append(p.Texts, req.Input("text", "name", "editor.name", f.Name, 200).Must())
	if version.Key == "" {
		p.Texts = append(p.Texts, req.Input("text", "key", "editor.key", f.Key, 128).WithHelp(req.T("editor.key.help")))
	}
	p.Texts = append(p.Texts, req.Input("long", "description", "editor.description", f.Description, 4000),
		req.Input("text", "artifact_type", "editor.artifact_type", f.ArtifactType, 128).WithHelp(req.T("editor.artifact_type.help")),
		req.Input("text", "change_note", "editor.change_note", f.Note, 1000))
	for i, x := range f.Fields {
		p.Fields = append(p.Fields, newFieldCard(req, i, len(f.Fields), x, at))
	}
	for i := range f.Stages {
		p.Stages = append(p.Stages, newStageCard(req, f, i, at, sent, d.people))
	}
	for _, s := range editor.Settings {
		p.Settings = append(p.Settings, newSetting(req, s, f.Settings[s.Name]))
	}
	for _, part := range f.Rest {
		shown := restPart{Name: part.Name, JSON: part.JSON}
		if name, ok := strings.CutPrefix(part.Name, "settings/"); ok {
			shown.Words = texts.Setting(name, d.definition.Settings)
		}
		p.Rest = append(p.Rest, shown)
	}
	shown := string(d.json)
	if !strings.Contains(shown, "\n") {
		shown = form.Indent(json.RawMessage(shown))
	}
	p.JSON = req.Input("json", "json", "editor.json", shown, 0)
	return p
}

// options returns the options of a field with labels of a family of the catalogue. Other values have an option if they
// are chosen.
func options(req *page.Request, family string, values []string, chosen string) (all []form.Choice) {
	for _, value := range values {
		all = append(all, form.Choice{Value: value, Title: req.T(family + cmp.Or(optionNames[value], value, "none")), Chosen: value == chosen})
	}
	if chosen == editor.Other {
		all = append(all, form.Choice{Value: chosen, Title: req.T("editor.other"), Chosen: true})
	}
	return all
}

// optionNames are the operators in the keys of the catalogue.
var optionNames = map[string]string{">": "more", ">=": "least", "<": "less", "<=": "most", "==": "is", "!=": "not"}

func (c choice) of(req *page.Request, name, label string) choice {
	c.Name, c.Title, c.Error = name, req.T(label), req.ErrorOf(name)
	return c
}

func newFieldCard(req *page.Request, i, count int, x editor.Field, at string) fieldCard {
	path := "fields/" + strconv.Itoa(i)
	input := func(kind, name, value string) form.Input {
		return req.Input(kind, path+"/"+name, "editor.field."+name, value, 0)
	}
	return fieldCard{
		Path: path, Title: cmp.Or(x.Label, req.T("editor.field", i+1)), From: strconv.Itoa(x.From), Was: x.Was, Here: at == path, First: i == 0, Last: i == count-1,
		Label: input("text", "label", x.Label).Must(), Help: input("text", "help", x.Help),
		Name:     input("text", "name", x.Name).WithHelp(req.T("editor.field.name.help")),
		Choices:  input("long", "choices", x.Choices).WithHelp(req.T("editor.field.choices.help")),
		Kind:     choice{Options: options(req, "editor.kind.", editor.Kinds, x.Kind)}.of(req, path+"/kind", "editor.field.kind"),
		Required: x.Required, Rest: x.Rest,
	}
}

func newStageCard(req *page.Request, f editor.Form, i int, at string, sent url.Values, people map[string]identity.User) stageCard {
	s, path := f.Stages[i], "stages/"+strconv.Itoa(i)
	input := func(kind, name, value string) form.Input {
		return req.Input(kind, path+"/"+name, "editor.stage."+name, value, 0)
	}
	pick := func(name, family string, values []string, chosen string) choice {
		return choice{Options: options(req, family, values, chosen)}.of(req, path+"/"+name, "editor.stage."+name)
	}
	card := stageCard{
		Path: path, Title: cmp.Or(s.Name, req.T("editor.stage", i+1)), From: strconv.Itoa(s.From), Key: s.Key, Here: at == path, First: i == 0, Last: i == len(f.Stages)-1,
		Name: input("text", "name", s.Name).Must(), Description: input("text", "description", s.Description),
		Need: pick("need", "editor.need.", editor.Needs, s.Need), Count: input("number", "count", s.Count),
		Pool: pick("pool", "editor.pool.", []string{"", "yes"}, map[bool]string{true: "yes"}[s.Pool]),
		If:   pick("if", "editor.if.", []string{"", "field", "cel"}, s.If), Op: pick("op", "editor.op.", editor.Ops, s.Op),
		Value: input("text", "value", s.Value), CEL: input("long", "cel", s.CEL).WithHelp(req.T("editor.stage.cel.help")), Shown: f.CELOf(s),
		DueIn: input("number", "due", s.Due), Due: pick("unit", "editor.unit.", editor.Units, s.Unit), Rest: s.Rest,
		PeopleError: req.ErrorOf(path + "/people"),
	}
	card.CEL.Value = cmp.Or(s.CEL, card.Shown)
	card.Field = choice{}.of(req, path+"/field", "editor.stage.field")
	for _, x := range f.Fields {
		card.Field.Options = append(card.Field.Options, form.Choice{Value: x.Name, Title: cmp.Or(x.Label, x.Name), Chosen: x.Name == s.Field})
		if x.Name == s.Field && x.Kind == "yes" && (s.Value == "true" || s.Value == "false") {
			card.Value.Value = req.T("editor." + map[string]string{"true": "yes", "false": "no"}[s.Value])
		}
	}
	for j, r := range s.People {
		card.People = append(card.People, newRuleCard(req, path+"/people/"+strconv.Itoa(j), r, j, at, sent, people))
	}
	return card
}

func newRuleCard(req *page.Request, path string, r editor.Rule, j int, at string, sent url.Values, people map[string]identity.User) ruleCard {
	card := ruleCard{
		Path: path, Title: req.T("editor.rule", j+1), From: strconv.Itoa(r.From), Here: at == path,
		Kind:  choice{Options: options(req, "editor.rule.", editor.RuleKinds, r.Kind)}.of(req, path+"/kind", "editor.rule.kind"),
		Name:  req.Input("text", path+"/name", "editor.rule.name", r.Name, 0).WithHelp(req.T("editor.rule.name.help")),
		Fixed: r.Kind == editor.Other, Rest: r.Rest,
	}
	ids := r.IDs
	if len(ids) == 0 {
		ids = []string{""} // shown if the kind becomes that of people
	}
	for k, id := range ids {
		p := req.Picker(path+"/ids/"+strconv.Itoa(k), req.T("editor.person", k+1), sent)
		p.Value = id
		if name := req.Person(people[id]); people[id].ID != "" && name != id {
			p.Hint = name
		}
		card.IDs = append(card.IDs, p)
	}
	return card
}

func newCaseCard(req *page.Request, d draft, i int, c editor.Case, at string, sent url.Values) caseCard {
	path := "cases/" + strconv.Itoa(i)
	card := caseCard{
		Path: path, Title: cmp.Or(c.Name, req.T("editor.case", i+1)), Here: at == path,
		Name: req.Input("text", path+"/name", "editor.case.name", c.Name, 200), Requester: req.Picker(path+"/requester", req.T("editor.case.requester"), sent),
	}
	card.Requester.Value = c.Requester
	if c.Requester != "" && identity.CheckUserID(c.Requester) != nil {
		card.Requester.Error = req.T("form.person")
	}
	if card.Inputs, _, _ = d.example(req, i); len(card.Inputs) == 0 {
		card.Inputs = []form.Input{req.Input("json", path+"/json", "sim.json", c.Content.Get("json"), 0)}
	}
	if req.Submitted.Status == 0 { // not tried
		form.SetErrors(card.Inputs, func(string) string { return "" })
	}
	return card
}

// newSetting returns the field of a setting. Its default is the option without a value.
func newSetting(req *page.Request, s editor.Setting, chosen string) choice {
	key := "editor.set." + strings.ReplaceAll(s.Name, "/", ".")
	c := choice{}.of(req, "settings/"+s.Name, key)
	found := chosen == ""
	c.Options = append(c.Options, form.Choice{Title: req.T("editor.default", settingWords(req, key, s.Default)), Chosen: found})
	for _, value := range s.Values {
		found = found || value == chosen
		c.Options = append(c.Options, form.Choice{Value: value, Title: settingWords(req, key, value), Chosen: value == chosen})
	}
	if !found {
		c.Options = append(c.Options, form.Choice{Value: chosen, Title: settingWords(req, key, chosen), Chosen: true})
	}
	return c
}

// settingWords returns a value of a setting in words.
func settingWords(req *page.Request, key, value string) string {
	switch value {
	case "true":
		return req.T("editor.yes")
	case "false":
		return req.T("editor.no")
	case "null":
		return req.T("editor.never")
	}
	var text string
	if json.Unmarshal([]byte(value), &text) != nil { // a number, or a value that the form does not express
		return value
	}
	if strings.HasPrefix(text, "P") {
		return req.Terms().Duration(policy.Duration(text), false)
	}
	if req.Texts.Has(key + "." + text) {
		return req.T(key + "." + text)
	}
	return text
}
