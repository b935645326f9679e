package policy_test

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

func TestTheCheckWarnsOfPartsWithoutEffect(t *testing.T) {
	rule := func(min int, when string) policy.Rule {
		return policy.Rule{Type: policy.RuleRole, Role: "r", MinApprovals: min, When: when}
	}
	pool := func(q quorum.Quorum, rules ...policy.Rule) policy.Definition {
		return policy.Definition{Name: "p", Stages: []policy.Stage{{
			Key: "s", Name: "s", Assignment: policy.AssignmentPool, Approvers: rules, Quorum: q,
		}}}
	}
	texts := func(tag string) policy.Definition {
		d := pool(quorum.Quorum{Mode: quorum.QuorumAny}, rule(0, ""))
		d.Stages[0].NameI18n = policy.Texts{tag: "x"}
		return d
	}
	any, two := quorum.Quorum{Mode: quorum.QuorumAny}, quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}
	twice := quorum.Quorum{Mode: quorum.QuorumAny, MinApprovals: 2}
	percent := quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 1}
	each := pool(two, rule(2, ""), rule(0, ""))
	each.Stages[0].Assignment = policy.AssignmentEach
	const second = "/stages/0/approvers/1 can never act: the min_approvals of the other rules take all "
	for name, tt := range map[string]struct {
		def  policy.Definition
		want string // empty: no warning
	}{
		"a minimum that takes all": {pool(two, rule(2, ""), rule(0, "")), second + "2 approvals of the pool"},
		"two minimums that take all": {pool(two, rule(1, ""), rule(0, ""), rule(1, "")),
			second + "2 approvals of the pool"},
		"a minimum over any":            {pool(any, rule(1, ""), rule(0, "")), second + "1 approvals of the pool"},
		"a minimum below the count":     {pool(two, rule(1, ""), rule(0, "")), ""},
		"a minimum below the minimum":   {pool(twice, rule(1, ""), rule(0, "")), ""},
		"no minimum":                    {pool(any, rule(0, ""), rule(0, "")), ""},
		"a minimum of some requests":    {pool(any, rule(1, "true"), rule(0, "")), ""},
		"a percentage":                  {pool(percent, rule(1, ""), rule(0, "")), ""},
		"seats":                         {each, ""},
		"a text in a language of pages": {texts("fr-CA"), ""},
		"a text in another language": {texts("ar"),
			"/stages/0/name_i18n/ar is never shown: the pages and mails are in en and fr"},
		"a text in no language is refused": {texts("x y"), ""},
	} {
		var found string
		for _, f := range tt.def.Validate(policy.Capabilities{Directory: true}) {
			if f.Warning != "" {
				found += f.Pointer + " " + f.Warning
			}
		}
		if found != tt.want {
			t.Errorf("%s: %q, want %q", name, found, tt.want)
		}
	}
	if !slices.Equal(policy.PageLanguages, words.Languages) {
		t.Errorf("the pages are in %v, not %v", words.Languages, policy.PageLanguages)
	}
}
