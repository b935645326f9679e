package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/ui/content"
	"github.com/countersign/countersign/services/wf/policy"
)

// Facts returns the values of a request that settings.summary of its policy selects, without absent ones.
func (req *Request) Facts(r wf.Request, def policy.Definition) (facts []content.Entry) {
	if len(r.SummaryValues) != len(def.Settings.Summary) {
		return nil
	}
	version := r.PolicyKey + "/" + strconv.Itoa(r.PolicyVersion)
	schema, parsed := req.schemas[version]
	if !parsed {
		if schema = form.ParseSchema(def.ContextSchema).For(req.policyReader(def)); req.schemas == nil {
			req.schemas = map[string]form.Schema{}
		}
		req.schemas[version] = schema
	}
	for i, pointer := range def.Settings.Summary {
		if e := content.Fact(req.Request.Request, schema, pointer, r.SummaryValues[i]); e.Kind != "none" {
			facts = append(facts, e)
		}
	}
	return facts
}

// FactCell returns one fact for a list, the first amount or else the first one. Its title has all.
func FactCell(facts []content.Entry) frame.Cell {
	if len(facts) == 0 {
		return nil
	}
	at := slices.IndexFunc(facts, func(e content.Entry) bool { return e.Kind == "money" || e.Kind == "number" })
	part := frame.Plain(facts[max(at, 0)].Text)
	part.Title = factsText(facts)
	return frame.Cell{part}
}

func factsText(facts []content.Entry) string {
	var parts []string
	for _, e := range facts {
		parts = append(parts, e.Title+" "+e.Text)
	}
	return strings.Join(parts, ", ")
}

// factTitle returns the title of a request without one: its facts. It is empty for another request, and without facts.
func (req *Request) factTitle(r wf.Request) string {
	if r.Title != "" || len(r.SummaryValues) == 0 {
		return ""
	}
	def, err := req.Engine.Requests.Definition(req.R.Context(), r)
	if err != nil {
		return "" // the page shows the key of the policy
	}
	return factsText(req.Facts(r, def))
}
