package wf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

func TestPolicyVersionDifferences(t *testing.T) {
	old := policyOf(each("a", "ana"), each("b", "bo"), each("c", "cy"))
	for name, row := range map[string]struct {
		change func(*policy.Definition)
		want   string
	}{
		"nothing": {func(*policy.Definition) {}, ""},
		"words":   {func(d *policy.Definition) { d.Name, d.ChangeNote = "Other", "because" }, "members [name]"},
		"settings": {func(d *policy.Definition) {
			d.Settings.RequesterMayApprove, d.Settings.ExpiresIn = true,
				"P1D"
		}, "settings [expires_in requester_may_approve]"},
		"another approver": {func(d *policy.Definition) { d.Stages[1].Approvers = []policy.Rule{names("bo"), officers()} }, "b +1-0 []"},
		"one for another":  {func(d *policy.Definition) { d.Stages[1].Approvers = []policy.Rule{names("zoe")} }, "b +1-1 []"},
		"a quorum":         {func(d *policy.Definition) { d.Stages[2].Quorum.Mode, d.Stages[2].When = quorum.QuorumAny, "true" }, "c +0-0 [quorum when]"},
		"the order":        {func(d *policy.Definition) { d.Stages[0], d.Stages[1] = d.Stages[1], d.Stages[0] }, "b +0-0 [] moved; a +0-0 [] moved"},
		"new and gone": {func(d *policy.Definition) {
			d.Stages = append([]policy.Stage{each("n", "nat")},
				d.Stages[1:]...)
		}, "new n +1-0; gone a +0-1"},
	} {
		t.Run(name, func(t *testing.T) {
			d := old
			d.Stages = append([]policy.Stage{}, old.Stages...)
			row.change(&d)
			r := d.CompareWith(old)
			var said []string
			for _, c := range r.Stages {
				switch {
				case c.Before == nil:
					said = append(said, fmt.Sprintf("new %s +%d-%d", c.After.Key, len(c.Added), len(c.Gone)))
				case c.After == nil:
					said = append(said, fmt.Sprintf("gone %s +%d-%d", c.Before.Key, len(c.Added), len(c.Gone)))
				case c.Moved:
					said = append(said, fmt.Sprintf("%s +%d-%d %v moved", c.After.Key, len(c.Added), len(c.Gone), c.Members))
				default:
					said = append(said, fmt.Sprintf("%s +%d-%d %v", c.After.Key, len(c.Added), len(c.Gone), c.Members))
				}
			}
			if r.Settings != nil {
				said = append(said, fmt.Sprint("settings ", r.Settings))
			}
			if r.Members != nil {
				said = append(said, fmt.Sprint("members ", r.Members))
			}
			if got := strings.Join(said, "; "); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
