package policy

import "slices"

// Computed holds the values of the expressions of a stage that are evaluated when the content of the request
// is fixed: at creation and at each resubmission. They are stored with the run of the stage.
type Computed struct {
	Off    []int `json:"off,omitempty"`    // indexes of the approver rules whose when is false
	Quorum int   `json:"quorum,omitempty"` // value of quorum.value_cel
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
	return s.Quorum.ValueCEL != "" || slices.ContainsFunc(s.Approvers, conditional)
}

// conditional reports whether a rule applies to some requests only.
func conditional(r Rule) bool { return r.When != "" }
