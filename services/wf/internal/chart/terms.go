package chart

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/services/wf/policy"
)

// Duration returns a duration in words. working selects working days and working hours.
func (w Texts) Duration(d policy.Duration, working bool) string {
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
func (w Texts) DueIn(s policy.Settings, stage policy.Stage, values policy.Computed) string {
	switch {
	case stage.Deadline == nil || !values.Due.At.IsZero():
		return ""
	case values.Due.In != "":
		return w.Duration(values.Due.In, s.Calendar != nil)
	case stage.Deadline.DueIn != "":
		return w.Duration(stage.Deadline.DueIn, s.Calendar != nil)
	default:
		return ""
	}
}

// deadline returns the sentences on the deadline of a stage.
func (w Texts) deadline(s policy.Settings, stage policy.Stage) []string {
	d := stage.Deadline
	if d == nil {
		return nil
	}
	working := s.Calendar != nil
	notes := []string{w.T("chart.due.cel", d.DueCEL)}
	if d.DueIn != "" {
		notes = []string{w.T("chart.due", w.Duration(d.DueIn, working))}
	}
	for _, before := range d.RemindBefore {
		notes = append(notes, w.T("chart.remind.before", w.Duration(before, working)))
	}
	if d.RemindEvery != "" {
		notes = append(notes, w.T("chart.remind.every", w.Duration(d.RemindEvery, working)))
	}
	switch d.Effect() {
	case policy.OnDueEscalate:
		notes = append(notes, w.T("chart.on_due.escalate", strings.Join(w.rules(d.EscalateTo), ", ")))
	case policy.OnDueExpire:
		notes = append(notes, w.T("chart.on_due.expire"))
	}
	return notes
}

// StageMember returns a member of a stage in sentences; none for a member without words.
func (w Texts) StageMember(name string, s policy.Settings, stage policy.Stage) []string {
	switch name {
	case "deadline":
		return w.deadline(s, stage)
	case "exclude":
		return w.exclusions(stage.Exclude)
	case "quorum":
		return []string{w.quorumNote(stage)}
	case "when":
		return w.conditions(stage)
	}
	return nil
}

func (w Texts) exclusions(rules []policy.Rule) []string {
	if len(rules) == 0 {
		return nil
	}
	return []string{w.T("chart.excluded", strings.Join(w.rules(rules), ", "))}
}

// Setting returns a member of the settings in sentences; none for a member without words.
func (w Texts) Setting(name string, s policy.Settings) []string {
	switch {
	case name == "exclude":
		return w.exclusions(s.Exclude)
	case name == "validity" && s.Validity != nil:
		var notes []string
		if s.Validity.ValidFor != "" {
			notes = append(notes, w.T("terms.valid_for", w.Duration(s.Validity.ValidFor, false)))
		}
		if s.Validity.UntilCEL != "" {
			notes = append(notes, w.T("terms.until", s.Validity.UntilCEL))
		}
		return notes
	case name == "single_use":
		if s.SingleUse {
			return []string{w.T("terms.single_use")}
		}
		return []string{w.T("terms.many_uses")}
	case name == "consumers" && s.Consumers != nil:
		return []string{w.T("terms.consumers", strings.Join(slices.Concat(s.Consumers.Users, s.Consumers.Roles), ", "))}
	case name == "summary" && len(s.Summary) > 0:
		return []string{w.T("terms.summary", strings.Join(s.Summary, ", "))}
	case name == "owners" && s.Owners != nil:
		return []string{w.T("terms.owners", strings.Join(slices.Concat(s.Owners.Users, s.Owners.Roles), ", "))}
	case name == "calendar" && s.Calendar != nil:
		c := s.Calendar
		var days, holidays []string
		for _, day := range c.Days {
			days = append(days, w.T("weekday."+string(day)))
		}
		notes := []string{w.T("terms.calendar", strings.Join(days, ", "), c.From, c.To, c.Zone)}
		for _, date := range c.Holidays {
			text := string(date)
			if day, err := time.Parse(time.DateOnly, text); err == nil {
				text = w.Day(day)
			}
			holidays = append(holidays, text)
		}
		if holidays != nil {
			notes = append(notes, w.T("terms.holidays", strings.Join(holidays, ", ")))
		}
		return notes
	}
	return nil
}
