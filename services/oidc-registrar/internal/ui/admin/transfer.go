package admin

import (
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
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
	Tabs   frame.Views
	Inputs []form.Input
	Result *importResult
}

// ShowImport shows the form of the import, with its result.
func ShowImport(req *page.Request) error {
	p := importPage{Tabs: tabs(req), Inputs: []form.Input{req.Input("json", "clients", "import.clients",
		req.Submitted.Values.Get("clients"), 0).WithHelp(req.T("import.clients.help")).Must()}}
	if result, ok := req.Submitted.Result.(importResult); ok {
		p.Result = &result
	}
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
