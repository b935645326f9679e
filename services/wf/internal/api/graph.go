package api

import (
	"context"
	"mime"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/chart"
)

// The media types of a graph besides JSON.
const (
	mediaSVG     = "image/svg+xml"
	mediaMermaid = "text/vnd.mermaid"
)

// Drawn is the input of a graph.
type Drawn struct {
	Format string `query:"format" enum:"json,svg,mermaid" doc:"What to answer with; when absent, what Accept asks for first, and json for anything."`
}

// Resolve reads Accept, unless format says it.
func (d *Drawn) Resolve(ctx huma.Context) []error {
	for accepted := range strings.SplitSeq(ctx.Header("Accept"), ",") {
		media, _, _ := mime.ParseMediaType(accepted)
		if format := map[string]string{mediaSVG: "svg", mediaMermaid: "mermaid", "application/json": "json"}[media]; d.Format == "" {
			d.Format = format
		}
	}
	return nil
}

func (d *Drawn) format() string { return d.Format }

// graphView is a graph in every form.
type graphView struct {
	Title       string `json:"title" doc:"What the graph shows."`
	Description string `json:"description" doc:"The graph in words."`
	SVG         string `json:"svg" doc:"As a picture that stands alone."`
	Mermaid     string `json:"mermaid" doc:"As a flowchart of Mermaid."`
}

// registerGraph is register for operations that answer with a picture.
func registerGraph[I any, P interface {
	*I
	format() string
}](a *API, op operation, draw func(context.Context, P) (chart.Chart, error)) {
	web.Register(a.Server, web.Operation(op), success[graphView](a), func(ctx context.Context, in *I) (*streamed, error) {
		c, err := draw(ctx, in)
		if err != nil {
			return nil, err
		}
		switch P(in).format() {
		case "svg":
			return picture(mediaSVG, c.SVG()), nil
		case "mermaid":
			return picture(mediaMermaid, c.Mermaid()), nil
		}
		body, err := a.encode(graphView{c.Title, c.Describe(), c.SVG(), c.Mermaid()})
		return picture("application/json", string(body)), err
	}, func(documented *huma.Operation) {
		text := &huma.Schema{Type: huma.TypeString}
		documented.Responses["200"].Content[mediaSVG] = &huma.MediaType{Schema: text}
		documented.Responses["200"].Content[mediaMermaid] = &huma.MediaType{Schema: text}
		if said, ok := any(new(I)).(interface{ parameters() []*huma.Param }); ok {
			documented.Parameters = said.parameters()
		}
	})
}

func picture(media, body string) *streamed {
	return &streamed{func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", media)
		ctx.SetStatus(http.StatusOK)
		_, _ = ctx.BodyWriter().Write([]byte(body)) // a caller that hung up needs no answer
	}}
}

type versionGraphInput struct {
	Versioned
	Drawn
}

func (a *API) getVersionGraph(ctx context.Context, in *versionGraphInput) (chart.Chart, error) {
	number, err := in.number()
	if err != nil {
		return chart.Chart{}, err
	}
	v, err := a.engine.Version(ctx, in.Key, number)
	if err != nil {
		return chart.Chart{}, err
	}
	return chart.OfPolicy(v.Number, v.Definition, chart.English), nil
}

type requestGraphInput struct {
	Identified
	Drawn
}

func (a *API) getRequestGraph(ctx context.Context, in *requestGraphInput) (chart.Chart, error) {
	if err := known(in.ID, wf.RequestNotFound); err != nil {
		return chart.Chart{}, err
	}
	c, err := a.engine.Request(ctx, actorOf(ctx), in.ID)
	if err != nil {
		return chart.Chart{}, err
	}
	return chart.OfRequest(c.Request, c.Definition, chart.English), nil
}
