package console

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/editor"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// A draft is edited in the form of its page: the document that was there first, and the fields. Each button sends
// both; the page shows the document with the changes of the fields.

// draft is a policy in the editor.
type draft struct {
	key      string // of the policy; empty for a new one
	document string // before the changes of the form
	form     editor.Form

	definition policy.Definition // as far as it can be read
	json       []byte
	problems   []form.FieldError
	warnings   []form.FieldError
	people     map[string]identity.User
}

// editorPath returns the path of the editor of a version, or of a new policy.
func editorPath(version policy.Version) string {
	if version.Key == "" {
		return page.Root + "/console/policies/new"
	}
	return policyPath(version) + "/edit"
}

// editedVersion returns the version in the path; the zero Version for a new policy.
func editedVersion(req *page.Request) (policy.Version, error) {
	if req.R.PathValue("key") == "" {
		return policy.Version{}, nil
	}
	return versionOf(req)
}

// sentDraft returns the draft of a submitted form; false without one.
func sentDraft(version policy.Version, sent url.Values) (draft, bool) {
	d := draft{key: version.Key}
	if json.Unmarshal([]byte(sent.Get("document")), &d.document) != nil {
		return d, false
	}
	if _, err := editor.Read([]byte(d.document)); err != nil {
		return d, false
	}
	d.form = editor.FormOf(sent)
	return d, true
}

// newDraft returns the draft of a document.
func newDraft(version policy.Version, document string) (draft, error) {
	f, err := editor.Read([]byte(document))
	return draft{key: version.Key, document: document, form: editor.FormOf(f.Values())}, err
}

// loadExamples adds the stored examples of the policy.
func (d *draft) loadExamples(req *page.Request) error {
	if d.key == "" {
		return nil
	}
	list, err := req.Engine.Policies.Examples(req.R.Context(), req.By, d.key)
	for _, e := range list {
		c := editor.Case{Name: e.Name, Requester: e.Requester, Content: url.Values{}}
		inputs, _, _ := req.Form(schemaOf([]byte(d.document)), form.Parse(e.Context), nil, "c")
		if fillIn(c.Content, inputs); len(inputs) == 0 {
			c.Content.Set("json", form.Indent(e.Context))
		}
		d.form.Cases = append(d.form.Cases, c)
	}
	return err
}

// schemaOf returns the context schema of a document.
func schemaOf(document []byte) []byte {
	var d struct {
		Schema json.RawMessage `json:"context_schema"`
	}
	_ = json.Unmarshal(document, &d) // no schema
	return d.Schema
}

// fillIn sets the values of form fields as a browser sends them.
func fillIn(sent url.Values, inputs []form.Input) {
	for _, in := range inputs {
		switch in.Kind {
		case "list":
			sent.Set(in.Name+"#", strconv.Itoa(len(in.Inputs)))
		case "choice":
			for _, o := range in.Options {
				if o.Chosen {
					sent.Set(in.Name, o.Value)
				}
			}
		default:
			if in.Value != "" {
				sent.Set(in.Name, in.Value)
			}
		}
		fillIn(sent, in.Inputs)
	}
}

// example returns the fields of an example, and its content; false for an invalid one.
func (d draft) example(req *page.Request, i int) (inputs []form.Input, content form.Node, valid bool) {
	at := "cases/" + strconv.Itoa(i) + "/"
	sent := d.form.Values()
	for _, name := range []string{"add", "remove"} { // the buttons of its lists
		if req.Submitted.Values.Has(name) {
			sent.Set(name, req.Submitted.Values.Get(name))
		}
	}
	inputs, content, valid = req.Form(d.definition.ContextSchema, form.Node{}, sent, at+"c")
	if len(inputs) == 0 {
		content = form.Node{Kind: form.Object}
		if text := strings.TrimSpace(sent.Get(at + "json")); text != "" {
			content = form.Parse([]byte(text))
		}
		valid = content.Kind == form.Object
	}
	return inputs, content, valid
}

// examples returns the examples to be stored; those with an invalid content as far as it can be read.
func (d draft) examples(req *page.Request) (list []engine.Example) {
	for i, c := range d.form.Cases {
		if _, content, _ := d.example(req, i); content.Kind == form.Object {
			list = append(list, engine.Example{Name: c.Name, Requester: c.Requester, Context: json.RawMessage(content.JSON())})
		}
	}
	return list
}

// values returns the draft as a submitted form.
func (d draft) values(seen string) url.Values {
	sent := d.form.Values()
	raw, _ := json.Marshal(d.document) // strings always encode
	sent.Set("document", string(raw))
	sent.Set("seen", seen)
	return sent
}

// check fills in the definition and its problems.
func (d *draft) check(req *page.Request) error {
	if d.key == "" && d.form.Key == "" && d.form.Name != "" {
		d.form.Key = editor.Slug(d.form.Name, "policy")
	}
	text, named, faults, err := editor.Write([]byte(d.document), d.form)
	if err != nil {
		return refusal.At(reason.BadInput, "/document", "%s", err)
	}
	d.form, d.json = named, text
	for _, fault := range faults {
		d.problem(req, fault.Field, req.T(fault.Text))
	}
	body := editor.Body(text, d.key)
	_, definition, details := req.ReadPolicy(body)
	for _, detail := range details {
		where := pointerTo(detail.Loc)
		if where == "/policy_key" && d.form.Key == "" { // made from the name
			continue
		}
		d.problemAt(req, refusal.Problem{Where: where, Message: strings.TrimPrefix(detail.Msg, "Value error, ")})
	}
	if len(details) > 0 && json.Unmarshal(body, &definition) != nil {
		return nil // members of a wrong type
	}
	d.definition = definition
	about := engine.Draft{Key: d.key, Definition: definition}
	found, err := req.Engine.Policies.CheckDraft(req.R.Context(), req.By, about)
	if err != nil {
		return err
	}
	for _, p := range found.Problems {
		d.problemAt(req, p)
	}
	for _, w := range found.Warnings {
		field := d.form.FieldOf(w.Where)
		d.warnings = append(d.warnings, form.FieldError{Field: field, Label: d.label(req, field), Text: w.Message})
	}
	return d.findPeople(req, about)
}

// findPeople finds the names of the users, and adds a warning or a problem for each unknown one.
func (d *draft) findPeople(req *page.Request, about engine.Draft) error {
	known, unknown, err := req.Engine.Policies.NamedUsers(req.R.Context(), req.By, about)
	if err != nil {
		return err
	}
	d.people = known
	for _, id := range unknown {
		field := "json"
		for i, s := range d.form.Stages {
			for j, r := range s.People {
				if k := slices.Index(r.IDs, id); k >= 0 {
					field = "stages/" + strconv.Itoa(i) + "/people/" + strconv.Itoa(j) + "/ids/" + strconv.Itoa(k)
				}
			}
		}
		text := req.T("editor.unknown", id)
		if field != "json" && !req.By.Has(identity.RoleAdmin) { // refused when saved
			d.problem(req, field, text)
			continue
		}
		d.warnings = append(d.warnings, form.FieldError{Field: field, Label: d.label(req, field), Text: text})
	}
	return nil
}

// pointerTo returns the JSON pointer of the place of a detail, which begins with the body.
func pointerTo(loc []any) string {
	var pointer strings.Builder
	for _, step := range loc[min(1, len(loc)):] {
		text, ok := step.(string)
		if n, is := step.(int); is && !ok {
			text = strconv.Itoa(n)
		}
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(text))
	}
	return pointer.String()
}

// problemAt adds a problem at the field of its member.
func (d *draft) problemAt(req *page.Request, p refusal.Problem) {
	text := req.T("editor.problem", p.Message)
	for _, missing := range []string{"Field required", "must not be empty", "must list at least one",
		"at least 1 character"} {
		if strings.Contains(p.Message, missing) {
			text = req.T("form.required")
		}
	}
	d.problem(req, d.form.FieldOf(p.Where), text)
}

// problem adds a problem, unless its field has one.
func (d *draft) problem(req *page.Request, field, text string) {
	if !slices.ContainsFunc(d.problems, func(e form.FieldError) bool { return e.Field == field && field != "json" }) {
		d.problems = append(d.problems, form.FieldError{Field: field, Label: d.label(req, field), Text: text})
	}
}

// label returns the label of a field with that of its part.
func (d draft) label(req *page.Request, field string) string {
	steps := strings.Split(field, "/")
	last := steps[len(steps)-1]
	switch {
	case len(steps) > 1 && steps[0] == "settings":
		return req.T("editor.set." + strings.Join(steps[1:], "."))
	case len(steps) > 1 && steps[0] == "fields":
		i, _ := strconv.Atoi(steps[1])
		return req.T("editor.field", i+1) + ": " + req.T("editor.field."+last)
	case len(steps) > 1 && steps[0] == "stages":
		i, _ := strconv.Atoi(steps[1])
		stage := req.T("editor.stage", i+1)
		if i < len(d.form.Stages) && d.form.Stages[i].Name != "" {
			stage = d.form.Stages[i].Name
		}
		switch {
		case len(steps) == 2:
			return stage
		case steps[2] == "people":
			return stage + ": " + req.T("editor.people")
		}
		return stage + ": " + req.T("editor.stage."+last)
	}
	return req.T("editor." + field)
}

// EditPolicy applies a button of the editor.
func EditPolicy(req *page.Request) error {
	version, err := editedVersion(req)
	if err != nil {
		return err
	}
	path, sent := editorPath(version), req.R.PostForm
	do := sent.Get("do")
	show := func(d draft, shown signin.Form) error {
		shown.Values = d.values(sent.Get("seen"))
		return req.ShowForm(path, shown)
	}
	if start, ok := strings.CutPrefix(do, "start "); ok {
		return startDraft(req, version, path, start)
	}
	if do == "paste" {
		return startDraft(req, version, path, "")
	}
	d, ok := sentDraft(version, sent)
	if !ok {
		req.Redirect(path)
		return nil
	}
	if do != "save" && do != "check" && do != "try" && do != "download" {
		d.form, _ = d.form.Apply(do)
		return show(d, signin.Form{})
	}
	if err := d.check(req); err != nil {
		return err
	}
	switch {
	case do == "download":
		return d.download(req)
	case len(d.problems) > 0:
		return show(d, signin.Form{Status: http.StatusUnprocessableEntity, Errors: d.problems})
	case do != "save":
		return show(d, signin.Form{Status: http.StatusOK})
	}
	saved, err := saveDraft(req, version, d, sent.Get("seen"))
	if err == nil {
		err = req.Engine.Policies.SetExamples(req.R.Context(), req.By, saved.Key, d.examples(req))
	}
	if refused, ok := page.IsRefused(err); ok {
		shown := signin.Form{Status: req.StatusOf(refused), Problem: req.RefusalText(refused)}
		switch {
		case errors.Is(err, reason.PolicyExists):
			shown.Errors = []form.FieldError{{Field: "key", Label: req.T("editor.key"), Text: shown.Problem}}
			shown.Problem = ""
		case errors.Is(err, reason.WrongState):
			shown.Problem = req.T("editor.changed")
		}
		return show(d, shown)
	}
	return req.Complete(err, policyPath(saved), "draft.saved")
}

// download sends the document as a file.
func (d draft) download(req *page.Request) error {
	name := cmp.Or(d.key, d.form.Key, "policy")
	req.W.Header().Set("Content-Type", "application/json")
	req.W.Header().Set("Content-Disposition", `attachment; filename="`+url.PathEscape(name)+`.policy.json"`)
	req.Send(http.StatusOK, editor.Body(d.json, name))
	return nil
}

// startDraft begins a draft: with a template, a copy of a policy, or a submitted document.
func startDraft(req *page.Request, version policy.Version, path, start string) error {
	sent := req.R.PostForm
	word := func(part string) string { return req.T("editor.word." + part) }
	document, field := editor.Template(start, word), "json"
	switch {
	case start == "":
		document = strings.ReplaceAll(sent.Get("json"), "\r\n", "\n")
	case start == "copy":
		field = "copy"
		if !req.Viewer() { // an owner reads their own policies only
			break
		}
		of, err := req.Engine.Policies.GetPolicy(req.R.Context(), sent.Get("copy"))
		if err != nil {
			break
		}
		text, err := definitionText(of)
		if err != nil {
			return err
		}
		document = editor.Copy([]byte(text), req.T("editor.copy.of", of.Definition.Name))
	}
	d, err := newDraft(version, document)
	if err != nil {
		text := req.T("editor.json.bad")
		if field == "copy" {
			text = req.T("form.choice")
		}
		bad := form.FieldError{Field: field, Label: req.T("editor." + field), Text: text}
		return req.ShowForm(path, signin.Form{Status: http.StatusUnprocessableEntity, Errors: []form.FieldError{bad}})
	}
	return req.ShowForm(path, signin.Form{Values: d.values(sent.Get("seen"))})
}

// saveDraft stores a draft: as a new policy, in the version if that is a draft, else as a new version.
func saveDraft(req *page.Request, version policy.Version, d draft, seen string) (policy.Version, error) {
	ctx, policies := req.R.Context(), req.Engine.Policies
	about := wf.Resource{Type: "policy", ID: cmp.Or(version.Key, d.form.Key), Version: version.Number}
	var saved policy.Version
	err := req.Attempt("editPolicy", about, func() (err error) {
		switch {
		case version.Key == "":
			saved, err = policies.CreatePolicy(ctx, req.By, d.form.Key, d.definition)
		case version.Status == policy.VersionDraft:
			if seen != version.ContentHash {
				return refusal.New(reason.WrongState, "version %d was edited meanwhile", version.Number)
			}
			replace := func(policy.Definition) (policy.Definition, []refusal.Problem, error) { return d.definition, nil, nil }
			saved, err = policies.UpdateVersion(ctx, req.By, version.Key, version.Number, "", replace)
		default:
			saved, _, err = policies.AddVersion(ctx, req.By, version.Key, engine.NewVersion{Definition: d.definition})
		}
		return err
	})
	return saved, err
}

// DeleteDraft deletes a draft.
func DeleteDraft(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	if !req.Confirmed() {
		return req.Ask(page.Question{
			Title: req.T("confirm.draft.delete", version.Number, version.Definition.Name), Do: req.T("draft.delete"),
			Consequence: req.T("confirm.draft.delete.then"), Back: policyPath(version),
		})
	}
	err = req.Attempt("deleteVersion", wf.Resource{Type: "policy", ID: version.Key, Version: version.Number},
		func() error {
			_, err := req.Engine.Policies.DeleteVersion(req.R.Context(), req.By, version.Key, version.Number, "")
			return err
		})
	return req.Complete(err, page.Root+"/console/policies", "draft.deleted")
}
