package admin

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/session"
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

// repaired is the result of a repair.
type repaired struct{ Sent, Left int }

type importPage struct {
	Tabs       []frame.Link
	Input      form.Input
	Result     *importResult
	Repaired   *repaired
	Comparison engine.ComparisonState
	Begun      frame.Moment
	Ended      frame.Moment
	Unreadable string // reason that the provider cannot be compared
	Differ     []registrar.Client
	More       bool // more clients differ
}

// kept is the result of a form of the page.
type kept struct {
	Import *importResult `json:"import,omitempty"`
	Repair *repaired     `json:"repair,omitempty"`
}

// maxRepaired is the number of clients that one form repairs.
const maxRepaired = 25

// ShowImport shows the forms of the import and of the comparison with the identity provider, with their results.
func ShowImport(req *page.Request) error {
	p := importPage{Tabs: tabs(req), Input: req.Input("json", "clients", "import.clients", req.Kept.Values.Get("clients"), 0).WithHelp(req.T("import.clients.help")).Must()}
	inputs := []form.Input{p.Input}
	req.SetErrors(inputs)
	p.Input = inputs[0]
	if len(req.Kept.Result) > 0 {
		var result kept
		if err := json.Unmarshal(req.Kept.Result, &result); err != nil {
			return fmt.Errorf("decode a result: %w", err)
		}
		p.Result, p.Repaired = result.Import, result.Repair
	}
	var err error
	if p.Comparison, err = req.Engine.Reconciliation.State(req.R.Context(), req.By); err != nil {
		return err
	}
	p.Begun, p.Ended = req.MomentOrZero(p.Comparison.BegunAt), req.MomentOrZero(p.Comparison.Ended)
	if req.Engine.Reconciliation.CheckComparable() != nil {
		p.Unreadable = req.T("compare.unreadable")
		return req.Show(req.KeptStatus(), "import", req.T("admin.import"), p)
	}
	var next string
	if p.Differ, next, err = differing(req); err != nil {
		return err
	}
	p.More = next != ""
	return req.Show(req.KeptStatus(), "import", req.T("admin.import"), p)
}

func differing(req *page.Request) ([]registrar.Client, string, error) {
	return req.Engine.Clients.ListClients(req.R.Context(), req.By, registrar.ClientFilter{Differs: true}, registrar.Page{Limit: maxRepaired})
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
	result.Imported, err = req.Engine.Transfer.Import(req.R.Context(), req.By, engine.Importing{DryRun: result.DryRun, Refused: func(l engine.RefusedLine) error {
		if len(result.Lines) < maxRefused {
			result.Lines = append(result.Lines, l)
		}
		return nil
	}}, strings.NewReader(text))
	if err != nil {
		return err
	}
	return keep(req, kept{Import: &result})
}

// keep shows the page again with a result.
func keep(req *page.Request, result kept) error {
	raw, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode a result: %w", err)
	}
	return req.KeepForm(importPath, session.Form{Result: raw})
}

// Compare requests a comparison of all clients with the identity provider. The worker makes it.
func Compare(req *page.Request) error {
	return req.Complete(req.Engine.Reconciliation.Request(req.R.Context(), req.By), importPath, "comparison")
}

// Repair sends the clients that differ to the identity provider again, at most maxRepaired of them.
func Repair(req *page.Request) error {
	clients, _, err := differing(req)
	if err != nil {
		return err
	}
	ids := make([]string, len(clients))
	for i, c := range clients {
		ids[i] = c.ID
	}
	sum, err := req.Engine.Reconciliation.Repair(req.R.Context(), req.By, ids)
	if err != nil {
		return err
	}
	return keep(req, kept{Repair: &repaired{sum.Repaired, len(ids) - sum.Repaired - sum.Same}})
}
