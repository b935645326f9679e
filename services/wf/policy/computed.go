package policy

import (
	"cmp"
	"slices"
	"time"
)

// Computed holds the values of the expressions of a stage that are evaluated when the content of the request
// is fixed: at creation and at each resubmission. They are stored with the run of the stage.
type Computed struct {
	Off    []int `json:"off,omitempty"`    // indexes of the approver rules whose when is false
	Quorum int   `json:"quorum,omitempty"` // value of quorum.value_cel
	Due    Due   `json:"due,omitzero"`     // value of deadline.due_cel
}

// Due is the value of deadline.due_cel: a duration from the start of the stage, or an instant.
type Due struct {
	In Duration  `json:"in,omitempty"`
	At time.Time `json:"at,omitzero"`
}

// Check rejects a duration outside the bounds of due_in. It permits every instant.
func (d Due) Check(s Settings) error {
	if !d.At.IsZero() {
		return nil
	}
	return d.In.checkDeadline(s.Calendar != nil, minLength)
}

// DueAt returns the due date of a stage with a deadline, in milliseconds. An instant of due_cel before the
// start is due at the start.
func (s Settings) DueAt(d Deadline, values Computed, start time.Time) time.Time {
	due := values.Due.At
	if due.IsZero() {
		due = s.Timetable().After(start, cmp.Or(values.Due.In, d.DueIn))
	}
	if due.Before(start) {
		due = start
	}
	return due.Truncate(time.Millisecond)
}

// IsOff reports whether the approver rule at the index yields no people and requires nothing.
func (c Computed) IsOff(rule int) bool { return slices.Contains(c.Off, rule) }

// Applying returns the approver rules that are not off.
func (c Computed) Applying(approvers []Rule) []Rule {
	var rules []Rule
	for i, rule := range approvers {
		if !c.IsOff(i) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// With returns the stage as the values determine it. Rules that are off keep their indexes.
func (s Stage) With(values Computed) Stage {
	if s.Quorum.ValueCEL != "" {
		s.Quorum.Value = values.Quorum
	}
	if len(values.Off) == 0 {
		return s
	}
	s.Approvers = slices.Clone(s.Approvers)
	for _, i := range values.Off {
		s.Approvers[i].Required, s.Approvers[i].MinApprovals, s.Approvers[i].Veto = false, 0, false
	}
	return s
}

// Computes reports whether the stage has expressions that are evaluated when the content is fixed.
func (s Stage) Computes() bool {
	return s.Quorum.ValueCEL != "" || s.Deadline.computes() || slices.ContainsFunc(s.Approvers, conditional)
}

// conditional reports whether a rule applies to some requests only.
func conditional(r Rule) bool { return r.When != "" }
