package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// Terms returns the members of a policy as sentences.
type Terms struct {
	i18n.Reader
	Person func(identity.User) string // display name
}

// Terms returns the terms in the reader's language.
func (req *Request) Terms() Terms {
	return Terms{req.Reader, func(u identity.User) string { return req.Person(Named(req, u)) }}
}

// RuleNote returns the display name of a rule with its requirement, veto and condition.
func (req *Request) RuleNote(r policy.Rule) string { return req.Terms().ruleNote(r) }

// PolicyStages returns the stages of a definition in columns.
func PolicyStages(d policy.Definition, w Terms) (columns []StageColumn) {
	w.Content = d.Settings.Language
	for _, group := range d.Groups() {
		var column StageColumn
		for _, s := range group {
			var notes []string
			if s.When != "" {
				notes = []string{w.T("terms.when", s.When)}
			}
			notes = append(append(notes, w.rules(s.Approvers)...), w.quorumNote(s))
			if s.Assignment == policy.AssignmentPool {
				notes = append(notes, w.T("terms.pool"))
			}
			notes = append(notes, w.exclusions(slices.Concat(d.Settings.Exclude, s.Exclude))...)
			notes = append(notes, w.deadline(d.Settings, s)...)
			if watch := w.rules(s.Observers); watch != nil {
				notes = append(notes, w.T("terms.observed", strings.Join(watch, ", ")))
			}
			name := w.Translate(s.NameI18n, s.Name)
			column.Boxes = append(column.Boxes, StageBox{Name: name.Text, Lang: name.Lang, Look: "next", Notes: notes})
		}
		columns = append(columns, column)
	}
	return columns
}

// pending returns the notes on a stage run that has not started. Rules are named without people and
// expressions: readers of a request may lack access to its policy.
func (w Terms) pending(s policy.Stage, values policy.Computed) (notes []string) {
	if s.When != "" {
		notes = append(notes, w.T("terms.conditional"))
	}
	for _, rule := range values.Applying(s.Approvers) {
		rule.IDs, rule.Usernames, rule.URL, rule.When = nil, nil, "", ""
		notes = append(notes, w.ruleNote(rule))
	}
	if s = s.With(values); s.Quorum.ValueCEL == "" || s.Quorum.Value > 0 {
		notes = append(notes, w.quorumNote(s))
	}
	return notes
}

// ruleName returns the display name of a rule.
func (w Terms) ruleName(r policy.Rule) string {
	if r.Label != "" {
		return r.Label
	}
	var people []string
	for _, id := range r.IDs {
		people = append(people, w.Person(identity.User{ID: id}))
	}
	people = append(people, r.Usernames...)
	switch subject := r.Subject(); {
	case subject != "":
		return w.T("rule."+string(r.Type)+".named", subject)
	case len(people) > 0:
		return strings.Join(people, ", ")
	default:
		return w.Label("rule", r.Type)
	}
}

// ruleNote returns the display name of a rule with its requirement, veto and condition.
func (w Terms) ruleNote(rule policy.Rule) string {
	note := w.ruleName(rule)
	switch {
	case rule.Required:
		note = w.T("terms.required", note)
	case rule.MinApprovals > 0:
		note = w.T("terms.least", note, rule.MinApprovals)
	}
	if rule.Veto {
		note = w.T("terms.veto", note)
	}
	if rule.When != "" {
		note = w.T("terms.rule.when", note, rule.When)
	}
	return note
}

// rules returns one note per approver rule.
func (w Terms) rules(rules []policy.Rule) []string {
	var notes []string
	for _, rule := range rules {
		notes = append(notes, w.ruleNote(rule))
	}
	return notes
}

// quorumNote returns the note on the quorum.
func (w Terms) quorumNote(s policy.Stage) string {
	value := any(s.Quorum.Value)
	if s.Quorum.Value == 0 && s.Quorum.ValueCEL != "" {
		value = s.Quorum.ValueCEL
	}
	switch s.Quorum.Mode {
	case quorum.QuorumAny:
		return w.T("terms.one")
	case quorum.QuorumCount:
		return w.T("terms.count", value)
	case quorum.QuorumPercentage:
		return w.T("terms.percentage", value)
	default:
		return w.T("terms.all")
	}
}

// Duration returns a duration in words. working selects working days and working hours.
func (w Terms) Duration(d policy.Duration, working bool) string {
	var parts []string
	for _, part := range d.Parts() {
		unit := part.Unit
		if working && (unit == "day" || unit == "hour") {
			unit = "work" + unit
		}
		if part.N != float64(int(part.N)) {
			return string(d)
		}
		parts = append(parts, w.N("duration."+unit, int(part.N)))
	}
	if parts == nil {
		return string(d)
	}
	return strings.Join(parts, " ")
}

// DueIn returns the time from the start of a stage to its due date in words; empty without such a time.
func (w Terms) DueIn(s policy.Settings, stage policy.Stage, values policy.Computed) string {
	if stage.Deadline == nil || !values.Due.At.IsZero() {
		return ""
	}
	return w.Duration(cmp.Or(values.Due.In, stage.Deadline.DueIn), s.Calendar != nil)
}

// deadline returns the sentences on the deadline of a stage.
func (w Terms) deadline(s policy.Settings, stage policy.Stage) []string {
	d := stage.Deadline
	if d == nil {
		return nil
	}
	working := s.Calendar != nil
	notes := []string{w.T("terms.due.cel", d.DueCEL)}
	if d.DueIn != "" {
		notes = []string{w.T("terms.due", w.Duration(d.DueIn, working))}
	}
	for _, before := range d.RemindBefore {
		notes = append(notes, w.T("terms.remind.before", w.Duration(before, working)))
	}
	if d.RemindEvery != "" {
		notes = append(notes, w.T("terms.remind.every", w.Duration(d.RemindEvery, working)))
	}
	switch d.Effect() {
	case policy.OnDueEscalate:
		notes = append(notes, w.T("terms.on_due.escalate", strings.Join(w.rules(d.EscalateTo), ", ")))
	case policy.OnDueExpire:
		notes = append(notes, w.T("terms.on_due.expire"))
	}
	return notes
}

func (w Terms) exclusions(rules []policy.Rule) []string {
	if len(rules) == 0 {
		return nil
	}
	return []string{w.T("terms.excluded", strings.Join(w.rules(rules), ", "))}
}
