// Package admin has the pages of admins: the catalogue, initial access tokens, the audit trail of all clients, the
// import and the comparison with the identity provider.
package admin

import (
	"embed"
	"errors"
	"net/url"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

const root = page.Root + "/admin"

// listPage is a page of a list with a form.
type listPage[T any] struct {
	Tabs   []frame.Link
	Query  url.Values
	Items  []T
	Next   string
	Inputs []form.Input
}

func newList[T any](req *page.Request, items []T, next string, inputs ...form.Input) listPage[T] {
	req.SetErrors(inputs)
	return listPage[T]{tabs(req), req.R.URL.Query(), items, req.NextPage(req.R.URL.Path, next), inputs}
}

// tabs returns the navigation of these pages.
func tabs(req *page.Request) []frame.Link {
	links := req.Mark([]frame.Link{
		{Path: root, Text: "admin.partners"}, {Path: root + "/policies", Text: "admin.policies"},
		{Path: root + "/tokens", Text: "admin.tokens"},
		{Path: root + "/audit", Text: "admin.audit"}, {Path: root + "/import", Text: "admin.import"},
	})
	links[0].Here = links[0].Here || strings.HasPrefix(req.R.URL.Path, root+"/partners/")
	return links
}

func pageOf(req *page.Request) registrar.Page {
	return registrar.Page{Limit: 50, Cursor: req.R.URL.Query().Get("cursor")}
}

// lines returns the lines of a text that are not blank.
func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// choice returns a field with the values of a closed list.
func choice[S ~string](req *page.Request, name, label, family string, options []S, chosen string) form.Input {
	in := req.Input("choice", name, label, chosen, 0).Must()
	for _, option := range options {
		in.Options = append(in.Options, form.Choice{Value: string(option), Title: req.Label(family, option),
			Chosen: string(option) == chosen})
	}
	return in
}

// labels maps fields of the forms to the keys of their labels.
type labels map[string]string

// complete redirects to a page with a note, or answers the form with another page and the errors of a refusal. names
// maps the fields of the engine to those of the form.
func complete(req *page.Request, f *signin.Fields, err error, at, to, note string, names, of labels) error {
	refused, isRefused := errors.AsType[*refusal.Error](err)
	switch {
	case isRefused:
		shown := signin.Form{Status: req.StatusOf(refused)}
		for _, problem := range refused.List() {
			name, _, _ := strings.Cut(strings.TrimPrefix(problem.Where, "/"), "/")
			if mapped, ok := names[name]; ok {
				name = mapped
			}
			if label := of[name]; label != "" && problem.Where != "" {
				f.Fail(name, label, req.ProblemText(problem))
			} else {
				shown.Problem = req.ProblemText(problem)
			}
		}
		shown.Errors = f.Errors
		return req.ShowForm(at, shown)
	case err != nil:
		return err
	case len(f.Errors) > 0:
		return f.Invalid(at)
	}
	return req.Complete(nil, to, note)
}
