package console

import (
	"strings"
	"sync"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/ui/editor"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// editorPage is the form of a draft.
type editorPage struct {
	draft
	JSON     form.Input
	Readable []condition.Name // by expressions
	Columns  []page.StageColumn
}

// startPage offers templates, copies and a field for a document.
type startPage struct {
	Path         string
	Templates    []string
	Copies, JSON form.Input
}

var readable = sync.OnceValues(condition.Declared)

// ShowEditor shows the form of a draft, or the start of a new policy.
func ShowEditor(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	title := req.T("editor.new")
	d, begun := sentDraft(req, version, req.Submitted.Values)
	if !begun {
		if version.Key == "" {
			return showStart(req)
		}
		if d, err = newDraft(req, version, version.ContentHash, documentOf(version.Definition)); err != nil {
			return err
		}
	}
	if err := d.check(req); err != nil {
		return err
	}
	if version.Key != "" {
		title = req.T("editor.edit", version.Definition.Name)
	}
	names, err := readable()
	if err != nil {
		return err
	}
	d.Blocks = d.Form.Blocks() // with the names of people
	editor.Each(d.Blocks, func(b *editor.Block, _ string) { d.fillIn(req, b) })
	terms := req.Terms()
	terms.Person = func(u identity.User) string { return d.Form.NameOf(u.ID) }
	p := editorPage{
		draft: d, JSON: req.Input("json", "json", "editor.json", form.Indent(d.json), 0), Readable: names,
		Columns: page.PolicyStages(d.definition, terms),
	}
	return req.Show(req.FormStatus(), "console-editor", title, p)
}

// fillIn adds what a block shows of the submitted form: its error, and the people found by a search.
func (d draft) fillIn(req *page.Request, b *editor.Block) {
	b.Error = req.ErrorOf(b.Name)
	if b.Kind == "person" {
		p := req.Picker(b.Name, b.Title, req.Submitted.Values)
		b.Options, b.Searched = p.Options, p.Searched
		if id := d.Form.Node(b.Name).Text; id != "" && identity.CheckUserID(id) != nil && req.Submitted.Status != 0 {
			b.Error = req.T("form.person")
		}
	}
}

// showStart shows the start of a new policy.
func showStart(req *page.Request) error {
	brief := wf.PolicyFilter{Brief: true}
	list, _, err := req.Engine.Policies.ListPolicies(req.R.Context(), req.By, brief, wf.Page{Limit: 100})
	if err != nil {
		return err
	}
	sent := req.Submitted.Values
	var copies []form.Choice
	for _, one := range list {
		name := one.Latest.Definition.Name + " (" + one.Key + ")"
		copies = append(copies, form.Choice{Value: one.Key, Title: name})
	}
	p := startPage{
		Path: draft{}.Path(), Templates: strings.Fields("one group amount empty"),
		Copies: req.Input("choice", "copy", "editor.copy", sent.Get("copy"), 0).Must().WithOptions(copies...),
		JSON:   req.Input("json", "json", "editor.json", sent.Get("json"), 0),
	}
	return req.Show(req.FormStatus(), "console-new", req.T("editor.new"), p)
}
