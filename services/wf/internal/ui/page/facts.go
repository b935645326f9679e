package page

import (
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
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

// factTitle returns the title of a request without one: its facts. It is empty without facts.
func (req *Request) factTitle(r wf.Request) string {
	def, err := req.Engine.Requests.Definition(req.R.Context(), r)
	if err != nil {
		return "" // the page shows the key of the policy
	}
	var parts []string
	for _, e := range req.Facts(r, def) {
		parts = append(parts, e.Title+" "+e.Text)
	}
	return strings.Join(parts, ", ")
}
