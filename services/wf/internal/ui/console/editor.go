package console

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
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

// A draft is edited in the form of its page: its state, and the fields. Each button sends both; the page shows the
// state with the changes of the fields.

// draft is a policy in the editor.
type draft struct {
	policy.Version        // the edited one; zero for a new policy
	Seen           string // hash of the content that is edited
	Form           editor.Form

	Blocks         []editor.Block
	Todo, Warnings []form.FieldError // problems and warnings at their fields
	definition     policy.Definition // as far as it can be read
	json           []byte
}

// Path returns the path of the editor.
func (d draft) Path() string {
	if d.Key == "" {
		return page.Root + "/console/policies/new"
	}
	return policyPath(d.Version) + "/edit"
}

// sentDraft returns the draft of a submitted form; false without one.
func sentDraft(req *page.Request, version policy.Version, sent url.Values) (draft, bool) {
	f, ok := editor.Sent(req.Terms(), sent)
	f.New, f.At = version.Key == "", sent.Get("at")
	return draft{Version: version, Seen: sent.Get("seen"), Form: f}, ok
}

// newDraft returns the draft of a document.
func newDraft(req *page.Request, version policy.Version, seen, document string) (draft, error) {
	f, err := editor.Open(req.Terms(), []byte(document))
	f.New = version.Key == ""
	return draft{Version: version, Seen: seen, Form: f}, err
}

// show answers a form with its page, which shows the draft.
func (d draft) show(req *page.Request, shown signin.Form) error {
	shown.Values = url.Values{"draft": {d.Form.State()}, "seen": {d.Seen}, "at": {d.Form.At}}
	return req.ShowForm(d.Path(), shown)
}

// check fills in the definition and its problems.
func (d *draft) check(req *page.Request) error {
	d.Form = d.Form.Named()
	d.Blocks, d.json, d.Todo, d.Warnings = d.Form.Blocks(), d.Form.Document(), nil, nil
	editor.Each(d.Blocks, func(b *editor.Block, _ string) {
		if b.Error != "" {
			d.problem(req, b.Name, b.Error)
		}
	})
	body := editor.Body(d.json, d.Key)
	_, definition, details := req.ReadPolicy(body)
	for _, detail := range details {
		where := strictjson.Pointer(detail.Loc[min(1, len(detail.Loc)):]) // without the body
		if where == "/policy_key" && d.Form.New {                         // made from the name
			continue
		}
		d.problemAt(req, refusal.Problem{Where: where, Message: strings.TrimPrefix(detail.Msg, "Value error, ")})
	}
	if len(details) > 0 && json.Unmarshal(body, &definition) != nil {
		return nil // members of a wrong type
	}
	d.definition = definition
	about := engine.Draft{Key: d.Key, Definition: definition}
	found, err := req.Engine.Policies.CheckDraft(req.R.Context(), req.By, about)
	if err != nil {
		return err
	}
	for _, p := range found.Problems {
		d.problemAt(req, p)
	}
	for _, w := range found.Warnings {
		d.Warnings = append(d.Warnings, d.noted(req, d.Form.FieldOf(d.Blocks, w.Where), w.Message))
	}
	return d.findPeople(req, about)
}

// findPeople finds the names of people, and adds a warning or a problem for each unknown approver. A name that only one
// person has becomes their id.
func (d *draft) findPeople(req *page.Request, about engine.Draft) error {
	known, unknown, err := req.Engine.Policies.NamedUsers(req.R.Context(), req.By, about)
	if err != nil {
		return err
	}
	names, fields, resolved := map[string]string{}, map[string]string{}, false
	editor.Each(d.Blocks, func(b *editor.Block, _ string) {
		id := d.Form.Node(b.Name).Text
		if b.Kind != "person" || id == "" {
			return
		}
		u, ok := known[id]
		if !ok {
			u = page.Named(req, identity.User{ID: id})
		}
		if name := req.Person(u); name != id {
			names[id] = name
		} else if found := req.FindUsers(id); !ok && len(found) == 1 && strings.EqualFold(req.Person(found[0]), id) {
			d.Form.Set(b.Name, form.Node{Kind: form.String, Text: found[0].ID})
			resolved = found[0].ID != id || resolved
		}
		fields[id] = b.Name
	})
	if resolved {
		return d.check(req)
	}
	d.Form.SetNames(names)
	for _, id := range unknown {
		field, text := cmp.Or(fields[id], "json"), req.T("editor.unknown", id)
		if fields[id] != "" && !req.By.Has(identity.RoleAdmin) { // refused when saved
			d.problem(req, field, text)
			continue
		}
		d.Warnings = append(d.Warnings, d.noted(req, field, text))
	}
	return nil
}

var missing = regexp.MustCompile("Field required|must not be empty|must list at least one|at least 1 character")

// problemAt adds a problem at the field of its member.
func (d *draft) problemAt(req *page.Request, p refusal.Problem) {
	text := req.T("editor.problem", p.Message)
	if missing.MatchString(p.Message) {
		text = req.T("form.required")
	}
	d.problem(req, d.Form.FieldOf(d.Blocks, p.Where), text)
}

// problem adds a problem, unless its field has one.
func (d *draft) problem(req *page.Request, field, text string) {
	if !slices.ContainsFunc(d.Todo, func(e form.FieldError) bool { return e.Field == field && field != "json" }) {
		d.Todo = append(d.Todo, d.noted(req, field, text))
	}
}

// noted returns a text about a field, with its label and those of its parts.
func (d draft) noted(req *page.Request, field, text string) form.FieldError {
	note := form.FieldError{Field: field, Label: req.T("editor." + field), Text: text}
	editor.Each(d.Blocks, func(b *editor.Block, label string) {
		if b.Name == field {
			note.Label = label
		}
	})
	return note
}

// EditPolicy applies a button of the editor.
func EditPolicy(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	do := req.R.PostForm.Get("do")
	if start, ok := strings.CutPrefix(do, "start "); ok || do == "paste" {
		return startDraft(req, version, start)
	}
	d, ok := sentDraft(req, version, req.R.PostForm)
	if !ok {
		req.Redirect(d.Path())
		return nil
	}
	if !slices.Contains([]string{"save", "check"}, do) {
		d.Form = d.Form.Do(do)
		return d.show(req, signin.Form{})
	}
	if err := d.check(req); err != nil {
		return err
	}
	switch {
	case len(d.Todo) > 0:
		return d.show(req, signin.Form{Status: http.StatusUnprocessableEntity, Errors: d.Todo})
	case do != "save":
		return d.show(req, signin.Form{Status: http.StatusOK})
	}
	saved, err := d.save(req)
	if refused, ok := page.IsRefused(err); ok {
		shown := signin.Form{Status: req.StatusOf(refused), Problem: req.RefusalText(refused)}
		switch {
		case errors.Is(err, reason.PolicyExists):
			shown.Errors = []form.FieldError{{Field: "policy_key", Label: req.T("editor.policy_key"), Text: shown.Problem}}
			shown.Problem = ""
		case errors.Is(err, reason.WrongState):
			shown.Problem = req.T("editor.changed")
		}
		return d.show(req, shown)
	}
	return req.Complete(err, policyPath(saved), "draft.saved")
}

// startDraft begins a draft: with a template, a copy of a policy, or the submitted document.
func startDraft(req *page.Request, version policy.Version, start string) error {
	sent := req.R.PostForm
	word := func(part string) string { return req.T("editor.word." + part) }
	document, field := editor.Template(start, word), "json"
	switch {
	case start == "paste":
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
		document = editor.Copy(documentOf(of.Definition), req.T("editor.copy.of", of.Definition.Name))
	}
	d, err := newDraft(req, version, sent.Get("seen"), document)
	if err != nil {
		text := req.T("editor.json.bad")
		if field == "copy" {
			text = req.T("form.choice")
		}
		bad := form.FieldError{Field: field, Label: req.T("editor." + field), Text: text}
		shown := signin.Form{Status: http.StatusUnprocessableEntity, Errors: []form.FieldError{bad}}
		return req.ShowForm(d.Path(), shown)
	}
	return d.show(req, signin.Form{})
}

// save stores a draft: as a new policy, in the version if that is a draft, else as a new version.
func (d draft) save(req *page.Request) (saved policy.Version, err error) {
	ctx, policies, version := req.R.Context(), req.Engine.Policies, d.Version
	key := d.Form.Node("policy_key").Text
	about := wf.Resource{Type: "policy", ID: cmp.Or(version.Key, key), Version: version.Number}
	switch {
	case version.Key == "":
		saved, err = policies.CreatePolicy(ctx, req.By, key, d.definition)
	case version.Status == policy.VersionDraft && d.Seen != version.ContentHash:
		err = refusal.New(reason.WrongState, "version %d was edited meanwhile", version.Number)
	case version.Status == policy.VersionDraft:
		replace := func(policy.Definition) (policy.Definition, []refusal.Problem, error) { return d.definition, nil, nil }
		saved, err = policies.UpdateVersion(ctx, req.By, version.Key, version.Number, "", replace)
	default:
		saved, _, err = policies.AddVersion(ctx, req.By, version.Key, engine.NewVersion{Definition: d.definition})
	}
	return saved, req.Audited("editPolicy", about, err)
}

// DeleteDraft deletes a draft.
func DeleteDraft(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	if !req.Confirmed() {
		return req.Ask(signin.Question{
			Title: req.T("confirm.draft.delete", version.Number, version.Definition.Name), Do: req.T("draft.delete"),
			Consequence: req.T("confirm.draft.delete.then"), Back: policyPath(version),
		})
	}
	_, err = req.Engine.Policies.DeleteVersion(req.R.Context(), req.By, version.Key, version.Number, "")
	err = req.Audited("deleteVersion", wf.Resource{Type: "policy", ID: version.Key, Version: version.Number}, err)
	return req.Complete(err, page.Root+"/console/policies", "draft.deleted")
}
