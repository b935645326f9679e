package api

import (
	"context"
	"mime"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/internal/chart"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// Media types of a graph.
const (
	mediaJSON    = "application/json"
	mediaSVG     = "image/svg+xml"
	mediaMermaid = "text/vnd.mermaid"
)

// Drawn is the input of a graph.
type Drawn struct {
	Format string `query:"format" enum:"json,svg,mermaid" doc:"Format of the reply; when absent, the first accepted one of Accept, and json for */*."`
}

// Resolve reads Accept, unless format is set.
func (d *Drawn) Resolve(ctx huma.Context) []error {
	formats := map[string]string{mediaSVG: "svg", mediaMermaid: "mermaid", mediaJSON: "json"}
	if d.Format == "" {
		d.Format = formats[firstAccepted(ctx, mediaSVG, mediaMermaid, mediaJSON)]
	}
	return nil
}

// firstAccepted returns the first media type of Accept that is offered; empty if none is.
func firstAccepted(ctx huma.Context, offered ...string) string {
	for accepted := range strings.SplitSeq(ctx.Header("Accept"), ",") {
		if media, _, _ := mime.ParseMediaType(accepted); slices.Contains(offered, media) {
			return media
		}
	}
	return ""
}

// graphView is a graph in every format.
type graphView struct {
	Title       string `json:"title" doc:"Graph as data."`
	Description string `json:"description" doc:"The graph in words."`
	SVG         string `json:"svg" doc:"As a picture that stands alone."`
	Mermaid     string `json:"mermaid" doc:"As a flowchart of Mermaid."`
}

// registerGraph is register for operations that return an image.
func registerGraph[I any](a *API, op operation, draw func(context.Context, *I) (c chart.Chart, format string, err error)) {
	web.Register(a.Server, web.Operation(op), success[graphView](a), func(ctx context.Context, in *I) (*streamed, error) {
		c, format, err := draw(ctx, in)
		if err != nil {
			return nil, err
		}
		switch format {
		case "svg":
			return newReply(mediaSVG, []byte(c.SVG())), nil
		case "mermaid":
			return newReply(mediaMermaid, []byte(c.Mermaid())), nil
		}
		body, err := view.Encode(a.ServiceID, a.Now(), graphView{c.Title, c.Describe(), c.SVG(), c.Mermaid()})
		return newReply(mediaJSON, body), err
	}, func(documented *huma.Operation) {
		text := &huma.Schema{Type: huma.TypeString}
		documented.Responses["200"].Content[mediaSVG] = &huma.MediaType{Schema: text}
		documented.Responses["200"].Content[mediaMermaid] = &huma.MediaType{Schema: text}
		describe[I](documented)
	})
}

type versionGraphInput struct {
	Versioned
	Drawn
}

func (h policyHandlers) getVersionGraph(ctx context.Context, in *versionGraphInput) (c chart.Chart, format string, err error) {
	number, err := in.number()
	if err != nil {
		return c, "", err
	}
	v, err := h.engine.Policies.GetVersion(ctx, in.Key, number)
	return chart.OfPolicy(v.Number, v.Definition, chart.English()), in.Format, err
}

type requestGraphInput struct {
	Identified
	Drawn
}

func (h requestHandlers) getRequestGraph(ctx context.Context, in *requestGraphInput) (c chart.Chart, format string, err error) {
	if err := checkReadableID(ctx, in.ID, reason.RequestNotFound); err != nil {
		return c, "", err
	}
	shown, err := h.engine.Requests.GetRequest(ctx, actorOf(ctx), in.ID)
	return chart.OfRequest(shown.Request, shown.Definition, chart.English()), in.Format, err
}
