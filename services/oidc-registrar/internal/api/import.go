package api

import (
	"context"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

const (
	// ndjson is the media type of imports and exports.
	ndjson = "application/x-ndjson"

	maxImport = 1 << 30 // bytes

	// maxRefused is the maximum number of refused lines in a reply. Further lines are only counted.
	maxRefused = 1000
)

// mountTransfer registers the operations of the import and the export.
func (a *API) mountTransfer() {
	const imports, exports = "/v1/registrar/admin/import", "/v1/registrar/admin/export"
	handle(a, operation{"importClients", post, imports, admins, 200,
		[]error{web.TooLarge, web.TooSlow, web.WrongMediaType, web.BadRequest}, "Import clients"},
		a.importClients,
		web.TakesStream(ndjson, "One client per line, in the format of an export.", exampleRecord, maxImport))
	exporting := web.Operation{ID: "exportClients", Method: get, Path: exports, Access: admins, Status: 200, Summary: "Export all clients"}
	web.Register(a.Server, exporting, nil, a.exportClients, func(documented *huma.Operation) {
		documented.Responses["200"].Content = map[string]*huma.MediaType{ndjson: {
			Schema: &huma.Schema{
				Type:        huma.TypeString,
				Description: "One client per line.",
			},
			Example: exampleRecord,
		}}
	})
}

type importInput struct {
	DryRun bool `query:"dryRun" default:"true" doc:"Report the changes without making them; false imports the clients."`
}

// importView is the result of an import.
type importView struct {
	DryRun bool `json:"dryRun" doc:"Nothing was changed: the numbers are those of a real import."`
	engine.Imported
	Lines []engine.RefusedLine `json:"refusedLines" doc:"Reasons of the first 1,000 refused lines."`
}

func (a *API) importClients(ctx context.Context, in *importInput) (view importView, err error) {
	view = importView{DryRun: in.DryRun, Lines: []engine.RefusedLine{}}
	if err := web.BeginLong(ctx); err != nil {
		return view, err
	}
	long, end := web.ExtendDeadline(ctx)
	defer end()
	o := engine.Importing{DryRun: in.DryRun, Refused: func(l engine.RefusedLine) error {
		if len(view.Lines) < maxRefused {
			view.Lines = append(view.Lines, l)
		}
		return nil
	}}
	view.Imported, err = a.registrar.Transfer.Import(long, callerOf(ctx), o, web.RequestBody(ctx))
	return view, err
}

// streamed is a reply that is written while it is generated.
type streamed struct{ Body func(huma.Context) }

func (a *API) exportClients(ctx context.Context, _ *struct{}) (*streamed, error) {
	if err := web.BeginLong(ctx); err != nil {
		return nil, err
	}
	by := callerOf(ctx)
	return &streamed{func(ctx huma.Context) {
		web.Stream(ctx, ndjson, func(ctx context.Context, w io.Writer) error {
			_, err := a.registrar.Transfer.Export(ctx, by, false, w)
			return err
		})
	}}, nil
}
