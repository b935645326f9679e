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

// showList shows a list. title is the key of its title, next the cursor of the next page.
func showList(req *page.Request, title, next string, l frame.List) error {
	l.Tabs = tabs(req)
	return req.ShowList(l, title, next)
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
