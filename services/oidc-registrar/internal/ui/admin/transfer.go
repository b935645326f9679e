package admin

import (
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

const importPath = root + "/import"

// maxRefused is the number of refused lines on the page.
const maxRefused = 100

// importResult is the result of an import or a dry run.
type importResult struct {
	DryRun bool
	engine.Imported
	Lines []engine.RefusedLine
}

type importPage struct {
	Tabs       frame.Views
	Input      form.Input
	Result     *importResult
	Unreadable string // reason that the provider cannot be compared
	Differ     []registrar.Client
	More       bool   // more clients differ
	Lists      bool   // the provider lists its clients
	Unreturned string // members that are not compared
}

// maxDiffering is the number of clients that differ on the page.
const maxDiffering = 25

// ShowImport shows the forms of the import and of the comparison with the identity provider, with their results.
func ShowImport(req *page.Request) error {
	p := importPage{Tabs: tabs(req), Input: req.Input("json", "clients", "import.clients",
		req.Submitted.Values.Get("clients"), 0).WithHelp(req.T("import.clients.help")).Must()}
	inputs := []form.Input{p.Input}
	req.SetErrors(inputs)
	p.Input = inputs[0]
	if result, ok := req.Submitted.Result.(importResult); ok {
		p.Result = &result
	}
	if req.Engine.Reconciliation.CheckComparable() != nil {
		p.Unreadable = req.T("compare.unreadable")
		return req.Show(req.FormStatus(), "import", req.T("admin.import"), p)
	}
	var unreturned []string
	p.Lists, unreturned = req.Engine.Reconciliation.Limits()
	for i, member := range unreturned {
		unreturned[i] = req.Label("field", member)
	}
	p.Unreturned = strings.Join(unreturned, ", ")
	var next string
	var err error
	p.Differ, next, err = req.Engine.Clients.ListClients(req.R.Context(), req.By, registrar.ClientFilter{Differs: true},
		registrar.Page{Limit: maxDiffering})
	if err != nil {
		return err
	}
	p.More = next != ""
	return req.Show(req.FormStatus(), "import", req.T("admin.import"), p)
}

// Import imports clients, or shows what an import would do.
func Import(req *page.Request) error {
	f := req.Fields()
	text := req.Sent.Get("clients")
	if strings.TrimSpace(text) == "" {
		f.Fail("clients", "import.clients", req.T("form.required"))
		return f.Invalid(importPath)
	}
	result := importResult{DryRun: f.Values.Get("do") != "import"}
	var err error
	result.Imported, err = req.Engine.Transfer.Import(req.R.Context(), req.By,
		engine.Importing{DryRun: result.DryRun, Refused: func(l engine.RefusedLine) error {
			if len(result.Lines) < maxRefused {
				result.Lines = append(result.Lines, l)
			}
			return nil
		}}, strings.NewReader(text))
	if err != nil {
		return err
	}
	return req.ShowForm(importPath, signin.Form{Result: result})
}
