// Package admin has the pages of admins: the catalogue, initial access tokens, the audit trail of all clients, the
// import and the comparison with the identity provider.
package admin

import (
	"embed"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

const root = page.Root + "/admin"

// listPage is a page of a list with the form of a new entry.
type listPage struct {
	Tabs   frame.Views
	Lead   string
	Secret string // a new one, shown once
	Search frame.Search
	Top    []frame.Part // links beside the title
	Table  frame.Table
	Inputs []form.Input
	New    string // title of the form
	Do     string // its button
	Action string // its target
	Open   bool   // the form is shown
}

// show shows the page. title is the key of its title, next the cursor of the next page.
func (p listPage) show(req *page.Request, title, next string) error {
	req.SetErrors(p.Inputs)
	p.Open = len(p.Table.Rows) == 0 || req.Problem != "" || len(req.Errors) > 0
	p.Tabs, p.Table.Label, p.Table.Pager = tabs(req), req.T(title), req.Pager(req.R.URL.Path, next)
	return req.Show(req.FormStatus(), "admin-list", p.Table.Label, p)
}

// statusMark returns the status of an entry.
func statusMark(req *page.Request, family string, status, good string) frame.Part {
	class := "status"
	if status == good {
		class += " active"
	}
	return frame.Mark(class, req.Label(family, status))
}

// tabs returns the navigation of these pages.
func tabs(req *page.Request) frame.Views {
	v := frame.Views{Label: req.T("admin.nav")}
	for _, name := range []string{"partners", "policies", "tokens", "audit", "import"} {
		path := root + "/" + name
		here := req.R.URL.Path == path || strings.HasPrefix(req.R.URL.Path, path+"/")
		if name == "partners" {
			here, path = here || req.R.URL.Path == root, root
		}
		v.Links = append(v.Links, frame.View{Path: path, Text: req.T("admin." + name), Here: here})
	}
	return v
}

func pageOf(req *page.Request) registrar.Page {
	return registrar.Page{Limit: 50, Cursor: req.R.URL.Query().Get("cursor")}
}

// choice returns a field with the values of a closed list.
func choice[S ~string](req *page.Request, name, label, family string, options []S, chosen string) form.Input {
	var all []form.Choice
	for _, option := range options {
		all = append(all, form.Choice{Value: string(option), Title: req.Label(family, option)})
	}
	return req.Input("choice", name, label, chosen, 0).Must().WithOptions(all...)
}
