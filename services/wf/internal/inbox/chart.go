package inbox

import (
	"html/template"
	"strconv"
	"strings"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/chart"
)

// drawn is a chart for wide screens and paper, and for narrow screens. The stylesheet selects one
// of them and applies the colours of the page.
type drawn struct{ Wide, Narrow template.HTML }

func draw(c chart.Chart) drawn {
	return drawn{template.HTML(c.SVG()), template.HTML(c.Narrow())} // #nosec G203 -- package chart escapes what people have written
}

// chartWords returns the texts of a chart in the reader's language.
func (v *visit) chartWords() chart.Words {
	w := chart.Words{
		Version: v.format("chart.version"), Request: v.T("chart.request"), AskedBy: v.format("chart.asked"), Requests: map[wf.RequestStatus]string{},
		Stages: map[wf.StageStatus]string{}, Actions: map[wf.Action]string{},
		OnlyWhen: v.format("chart.when"), Conditional: v.T("chart.conditional"), All: v.T("chart.all"), One: v.T("chart.one"), Count: v.format("chart.count"),
		Percentage: v.format("chart.percentage"), Required: v.format("chart.required"), AtLeast: v.format("chart.least"), Progress: v.format("chart.progress"),
		MayTake: v.format("chart.take"), Waits: v.T("person.open"), For: v.format("person.for"), Nobody: v.T("person.rescue"), More: v.format("chart.more"), Pool: v.T("chart.pool"), Observed: v.format("chart.observed"),
		Person: v.Person, Rule: v.RuleName,
	}
	for _, s := range []wf.RequestStatus{wf.RequestChangesRequested, wf.RequestApproved, wf.RequestRejected, wf.RequestCancelled, wf.RequestExpired} {
		w.Requests[s] = v.Word("request.status", s)
	}
	for s := range looks {
		w.Stages[s] = v.Word("stage", s)
	}
	for _, a := range actions {
		w.Actions[a] = v.Word("person", a)
	}
	return w
}

// format converts a text to a format of package fmt.
func (v *visit) format(key string) string {
	text := strings.ReplaceAll(v.T(key), "%", "%%")
	for i := range 3 {
		text = strings.ReplaceAll(text, "{"+strconv.Itoa(i)+"}", "%["+strconv.Itoa(i+1)+"]v")
	}
	return text
}

// RuleName returns the display name of a rule.
func (v *visit) RuleName(r wf.Rule) string {
	if r.Label != "" {
		return r.Label
	}
	switch r.Type {
	case wf.RuleUser:
		var people []string
		for _, id := range r.IDs {
			people = append(people, v.Person(identity.User{ID: id}))
		}
		if people = append(people, r.Usernames...); len(people) > 0 {
			return strings.Join(people, ", ")
		}
	case wf.RuleRole:
		return v.T("rule.role.named", r.Role)
	case wf.RuleGroup:
		return v.T("rule.group.named", r.Path)
	case wf.RuleStageActor:
		return v.T("rule.stage_actor.named", r.Stage)
	case wf.RuleHTTP:
		return v.T("rule.http.named", r.Resolver+r.URL)
	}
	return v.Word("rule", r.Type)
}
