package page

import (
	"html/template"

	"github.com/countersign/countersign/services/wf/internal/chart"
	"github.com/countersign/countersign/services/wf/policy"
)

// Chart is a chart for wide screens and paper, and for narrow screens. The stylesheet selects one of
// them and applies the colours of the page.
type Chart struct{ Wide, Narrow template.HTML }

// ChartOf draws a chart.
func ChartOf(c chart.Chart) Chart {
	return Chart{template.HTML(c.SVG()), template.HTML(c.NarrowSVG())} // #nosec G203 -- package chart escapes texts
}

// ChartTexts returns the texts of a chart in the reader's language.
func (req *Request) ChartTexts() chart.Texts {
	return chart.Texts{Reader: req.Reader, Person: req.Person}
}

// RuleNote returns the display name of a rule with its requirement, veto and condition.
func (req *Request) RuleNote(r policy.Rule) string { return req.ChartTexts().RuleNote(r) }
