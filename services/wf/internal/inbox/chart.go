package inbox

import (
	"html/template"

	"github.com/countersign/countersign/services/wf/internal/chart"
	"github.com/countersign/countersign/services/wf/policy"
)

// drawn is a chart for wide screens and paper, and for narrow screens. The stylesheet selects one
// of them and applies the colours of the page.
type drawn struct{ Wide, Narrow template.HTML }

func draw(c chart.Chart) drawn {
	return drawn{template.HTML(c.SVG()), template.HTML(c.Narrow())} // #nosec G203 -- package chart escapes what people have written
}

// chartWords returns the texts of a chart in the reader's language.
func (v *visit) chartWords() chart.Words { return chart.Words{Reader: v.Reader, Person: v.Person} }

// RuleName returns the display name of a rule.
func (v *visit) RuleName(r policy.Rule) string { return v.chartWords().RuleName(r) }
