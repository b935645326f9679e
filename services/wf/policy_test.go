package wf_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestEveryVersionTransitionFromEveryState(t *testing.T) {
	by := user("pat")
	transitions := map[string]func(policy.Version) (policy.Version, error){
		"edit": func(v policy.Version) (policy.Version, error) {
			return v.Edit(policyOf(each("s", "ana")), "sha256:new", by, noon)
		},
		"activate": func(v policy.Version) (policy.Version, error) { return v.Activate(by, noon), nil },
		"retire":   func(v policy.Version) (policy.Version, error) { return v.Retire(by, noon) },
	}
	for name, want := range map[string]map[policy.VersionStatus]policy.VersionStatus{ // empty: 409
		"edit":     {policy.VersionDraft: policy.VersionDraft, policy.VersionActive: "", policy.VersionRetired: ""},
		"activate": {policy.VersionDraft: policy.VersionActive, policy.VersionActive: policy.VersionActive, policy.VersionRetired: policy.VersionActive},
		"retire":   {policy.VersionDraft: "", policy.VersionActive: policy.VersionRetired, policy.VersionRetired: ""},
	} {
		for from, to := range want {
			t.Run(name+"/"+string(from), func(t *testing.T) {
				before := policy.Version{Key: "test", Number: 3, Status: from, ContentHash: "sha256:old", Rev: 7}
				got, err := transitions[name](before)
				if to == "" {
					if !errors.Is(err, reason.WrongState) || encode(got) != encode(before) {
						t.Fatalf("got %+v, %v, want %s", got, err, reason.WrongState)
					}
					return
				}
				if err != nil || got.Status != to {
					t.Fatalf("got %s, %v, want %s", got.Status, err, to)
				}
				if same := name == "activate" && from == policy.VersionActive; same != (encode(got) == encode(before)) {
					t.Errorf("changed to %+v", got)
				} else if !same && got.Rev != 8 {
					t.Errorf("version = %+v", got)
				}
				// The last editor stays recorded: another user must activate it.
				if edited := got.UpdatedBy == by && got.UpdatedAt == noon; edited != (name == "edit") {
					t.Errorf("version = %+v", got)
				}
				switch name {
				case "edit":
					if got.ContentHash != "sha256:new" || len(got.Definition.Stages) != 1 {
						t.Errorf("version = %+v", got)
					}
				case "retire":
					if got.RetiredBy != by || got.RetiredAt != noon {
						t.Errorf("version = %+v", got)
					}
				}
			})
		}
	}
}

func TestADraftAloneMayBeDeleted(t *testing.T) {
	for status, want := range map[policy.VersionStatus]bool{policy.VersionDraft: true, policy.VersionActive: false, policy.VersionRetired: false} {
		err := policy.Version{Key: "test", Number: 3, Status: status}.CheckDelete()
		if (err == nil) != want || err != nil && !errors.Is(err, reason.WrongState) {
			t.Errorf("%s: %v", status, err)
		}
	}
}

// everything holds all dependencies of a definition.
var everything = policy.Capabilities{Directory: true, Resolvers: true}

// problems returns the problems of a definition. The words true, names, two, {} and hr are
// the only valid expressions, schema and resolver.
func problems(d policy.Definition, has policy.Capabilities) []refusal.Problem {
	var found []refusal.Problem
	for _, f := range d.Validate(has) {
		known := map[policy.Yield]string{policy.YieldsBool: "true", policy.YieldsNames: "names", policy.YieldsInt: "two"}
		refused := f.Expression != nil && f.Expression.CEL != known[f.Expression.Yields] ||
			f.Schema != nil && string(f.Schema) != "{}" ||
			f.HTTPRule != nil && f.HTTPRule.Resolver != "hr"
		switch {
		case f.Problem != "":
			found = append(found, refusal.Problem{Where: f.Pointer, Message: f.Problem})
		case refused:
			found = append(found, refusal.Problem{Where: f.Pointer, Message: "is not known"})
		}
	}
	return found
}

// sound is a definition with something in every place.
func sound() policy.Definition {
	return policy.Definition{
		Name: "Disbursement", ContextSchema: []byte(`{}`), Labels: map[string]string{"team": "finance"},
		Settings: policy.Settings{
			Submitters: []policy.Rule{names("rita")}, FallbackApprovers: []policy.Rule{names("fay")},
			AutoApproveWhen: "true", AutoRejectWhen: "true", ExpiresIn: "P30D", MaxRevisions: ptr(20),
			Delegation: policy.DelegationSettings{Allowed: new(false)},
		},
		Stages: []policy.Stage{
			together(each("one", "ana", "bo", "cy")),
			together(pool("two", 2, "ana", "bo", "cy")),
			{
				Key: "three", Name: "Three", When: "true", OnEmpty: policy.OnEmptyFallback, DecisionSchema: []byte(`{}`),
				Reauth:    &policy.Reauth{MaxAge: "PT5M"},
				Rejection: quorum.Rejection{Mode: quorum.RejectionCount, Value: 2},
				Quorum:    quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 100},
				Approvers: []policy.Rule{
					{Type: policy.RuleUser, Usernames: []string{"ana.k"}, MinApprovals: 1},
					{Type: policy.RuleExpression, CEL: "names", As: "roles"},
					{Type: policy.RuleStageActor, Stage: "two"},
					{Type: policy.RuleRole, Role: "officer"},
					{Type: policy.RuleGroup, Path: "/officers"},
					{Type: policy.RuleManager},
					{Type: policy.RuleHTTP, Resolver: "hr"},
				},
			},
		},
	}
}

func TestASoundDefinitionIsAccepted(t *testing.T) {
	if found := problems(sound(), everything); found != nil {
		t.Errorf("refused: %v", found)
	}
	if found := problems(policyOf(), everything); found != nil {
		t.Errorf("a policy without stages is refused: %v", found)
	}
	large := pool("s", 1)
	large.Approvers = []policy.Rule{crowd(101)}
	if found := problems(policyOf(large), everything); found != nil {
		t.Errorf("a pool of more people than each takes is refused: %v", found)
	}
}

func TestDefinitionProblems(t *testing.T) {
	many := func(prefix string, n int) []string {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprint(prefix, i)
		}
		return ids
	}
	tests := map[string]struct {
		change  func(*policy.Definition)
		pointer string
	}{
		"name with a control character": {func(d *policy.Definition) { d.Name = "a\x00b" }, "/name"},
		"name that turns the text":      {func(d *policy.Definition) { d.Name = "a\u202eb" }, "/name"},
		"name with nothing to see":      {func(d *policy.Definition) { d.Name = "\u0301\u0302 " }, "/name"},
		"context schema":                {func(d *policy.Definition) { d.ContextSchema = []byte(`[]`) }, "/context_schema"},
		"context schema too long":       {func(d *policy.Definition) { d.ContextSchema = make([]byte, 64<<10+1) }, "/context_schema"},
		"label too long":                {func(d *policy.Definition) { d.Labels["x"] = strings.Repeat("x", 257) }, "/labels"},
		"submitter":                     {func(d *policy.Definition) { d.Settings.Submitters[0].IDs = nil }, "/settings/submitters/0/ids"},
		"submitter of a stage": {func(d *policy.Definition) {
			d.Settings.Submitters[0] = policy.Rule{Type: policy.RuleStageActor, Stage: "one"}
		}, "/settings/submitters/0/stage"},
		"auto approval":           {func(d *policy.Definition) { d.Settings.AutoApproveWhen = "tru" }, "/settings/auto_approve_when"},
		"auto rejection":          {func(d *policy.Definition) { d.Settings.AutoRejectWhen = " " }, "/settings/auto_reject_when"},
		"lifetime":                {func(d *policy.Definition) { d.Settings.ExpiresIn = "P1M" }, "/settings/expires_in"},
		"too many revisions":      {func(d *policy.Definition) { d.Settings.MaxRevisions = ptr(21) }, "/settings/max_revisions"},
		"fewer than no revisions": {func(d *policy.Definition) { d.Settings.MaxRevisions = ptr(-1) }, "/settings/max_revisions"},
		"fallback approver": {func(d *policy.Definition) { d.Settings.FallbackApprovers[0].IDs[0] = "system:repeat" },
			"/settings/fallback_approvers/0/ids/0"},

		"more than 20 stages": {func(d *policy.Definition) { d.Stages = stages(21) }, "/stages"},
		"stage key":           {func(d *policy.Definition) { d.Stages[0].Key = "One" }, "/stages/0/key"},
		"stage key twice":     {func(d *policy.Definition) { d.Stages[1].Key = "one" }, "/stages/1/key"},
		"stage name":          {func(d *policy.Definition) { d.Stages[1].Name = "\u2066" }, "/stages/1/name"},
		"group in two places": {func(d *policy.Definition) { d.Stages = append(d.Stages, together(each("four", "ana"))) }, "/stages/3/parallel_group"},
		"condition":           {func(d *policy.Definition) { d.Stages[2].When = "tru" }, "/stages/2/when"},
		"condition too long":  {func(d *policy.Definition) { d.Stages[2].When = strings.Repeat(" ", 4096) + "x" }, "/stages/2/when"},
		"no approvers":        {func(d *policy.Definition) { d.Stages[0].Approvers = nil }, "/stages/0/approvers"},
		"more than 50 rules": {func(d *policy.Definition) {
			d.Stages[0].Approvers = slices.Repeat([]policy.Rule{names("ana", "bo")}, 51)
		}, "/stages/0/approvers"},
		"nothing without fallback": {func(d *policy.Definition) { d.Settings.FallbackApprovers = nil }, "/stages/2/on_empty"},
		"no submitters":            {func(d *policy.Definition) { d.Settings.Submitters = []policy.Rule{} }, "/settings/submitters"},
		"step-up for nothing":      {func(d *policy.Definition) { d.Stages[2].Reauth = &policy.Reauth{} }, "/stages/2/reauth"},
		"acr of a token without one": {func(
			d *policy.Definition) {
			d.Stages[2].Reauth = &policy.Reauth{ACRValues: []string{"gold", ""}}
		}, "/stages/2/reauth/acr_values/1"},
		"two acr in one": {func(d *policy.Definition) { d.Stages[2].Reauth.ACRValues = []string{"gold silver"} },
			"/stages/2/reauth/acr_values/0"},
		"step-up age":     {func(d *policy.Definition) { d.Stages[2].Reauth.MaxAge = "PT0S" }, "/stages/2/reauth/max_age"},
		"decision schema": {func(d *policy.Definition) { d.Stages[2].DecisionSchema = []byte(`[]`) }, "/stages/2/decision_schema"},

		"count missing": {func(d *policy.Definition) { d.Stages[0].Quorum.Mode = quorum.QuorumCount }, "/stages/0/quorum/value"},
		"count over 100": {func(
			d *policy.Definition) {
			d.Stages[2].Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 101}
		}, "/stages/2/quorum/value"},
		"count over the people":    {func(d *policy.Definition) { d.Stages[1].Quorum.Value = 4 }, "/stages/1/quorum/value"},
		"count under the minimums": {func(d *policy.Definition) { d.Stages[1].Approvers[0].MinApprovals = 3 }, "/stages/1/quorum/value"},
		"percentage 0":             {func(d *policy.Definition) { d.Stages[2].Quorum.Value = 0 }, "/stages/2/quorum/value"},
		"percentage 101":           {func(d *policy.Definition) { d.Stages[2].Quorum.Value = 101 }, "/stages/2/quorum/value"},
		"value of all":             {func(d *policy.Definition) { d.Stages[0].Quorum.Value = 1 }, "/stages/0/quorum/value"},
		"value of any": {func(
			d *policy.Definition) {
			d.Stages[0].Quorum = quorum.Quorum{Mode: quorum.QuorumAny, Value: 1}
		}, "/stages/0/quorum/value"},
		"minimum below zero":        {func(d *policy.Definition) { d.Stages[2].Quorum.MinApprovals = -1 }, "/stages/2/quorum/min_approvals"},
		"minimum over 100":          {func(d *policy.Definition) { d.Stages[2].Quorum.MinApprovals = 101 }, "/stages/2/quorum/min_approvals"},
		"minimum over the people":   {func(d *policy.Definition) { d.Stages[0].Quorum.MinApprovals = 4 }, "/stages/0/quorum/min_approvals"},
		"a pool of all":             {func(d *policy.Definition) { d.Stages[1].Quorum = quorum.Quorum{} }, "/stages/1/quorum/mode"},
		"required in a pool":        {func(d *policy.Definition) { d.Stages[1].Approvers[0].Required = true }, "/stages/1/approvers/0/required"},
		"a pool that waits for all": {func(d *policy.Definition) { d.Stages[1].Quorum.WaitForAll = true }, "/stages/1/quorum/wait_for_all"},
		"101 each":                  {func(d *policy.Definition) { d.Stages[0].Approvers[0].IDs = many("p", 101) }, "/stages/0/quorum"},
		"1001 in a pool":            {func(d *policy.Definition) { d.Stages[1].Approvers[0].IDs = many("p", 1001) }, "/stages/1/quorum"},
		"rejections missing":        {func(d *policy.Definition) { d.Stages[2].Rejection.Value = 0 }, "/stages/2/rejection/value"},
		"value of a veto":           {func(d *policy.Definition) { d.Stages[0].Rejection.Value = 1 }, "/stages/0/rejection/value"},
		"rule minimum below zero":   {func(d *policy.Definition) { d.Stages[2].Approvers[0].MinApprovals = -1 }, "/stages/2/approvers/0/min_approvals"},
		"rule minimum over 100":     {func(d *policy.Definition) { d.Stages[2].Approvers[0].MinApprovals = 101 }, "/stages/2/approvers/0/min_approvals"},
		"rule minimum beyond counting": {func(d *policy.Definition) { d.Stages[2].Approvers[0].MinApprovals = 1 << 62 },
			"/stages/2/approvers/0/min_approvals"},
		"rule minimums over 100": {func(d *policy.Definition) {
			d.Stages[2].Approvers[0].MinApprovals, d.Stages[2].Approvers[1].MinApprovals = 60, 60
		}, "/stages/2/quorum"},
		"rule minimum over its people": {func(d *policy.Definition) {
			d.Stages[0].Approvers = []policy.Rule{names("ana", "bo"), {Type: policy.RuleUser, IDs: []string{"cy"}, MinApprovals: 2}}
		}, "/stages/0/quorum"},
		"one person for two minimums": {func(d *policy.Definition) {
			one := policy.Rule{Type: policy.RuleUser, IDs: []string{"ana"}, MinApprovals: 1}
			d.Stages[0].Approvers = []policy.Rule{one, one, names("bo")}
		}, "/stages/0/quorum"},

		"value and value_cel":      {func(d *policy.Definition) { d.Stages[2].Quorum.ValueCEL = "two" }, "/stages/2/quorum/value_cel"},
		"value_cel of all":         {func(d *policy.Definition) { d.Stages[0].Quorum.ValueCEL = "two" }, "/stages/0/quorum/value_cel"},
		"value_cel that is a bool": {computedQuorum("true"), "/stages/2/quorum/value_cel"},
		"value_cel too long":       {computedQuorum(strings.Repeat(" ", 4096) + "x"), "/stages/2/quorum/value_cel"},
		"blank value_cel":          {computedQuorum(" "), "/stages/2/quorum/value_cel"},
		"when of a rule":           {func(d *policy.Definition) { d.Stages[2].Approvers[0].When = "tru" }, "/stages/2/approvers/0/when"},
		"when of a submitter":      {func(d *policy.Definition) { d.Settings.Submitters[0].When = "true" }, "/settings/submitters/0/when"},
		"veto of a submitter":      {func(d *policy.Definition) { d.Settings.Submitters[0].Veto = true }, "/settings/submitters/0/veto"},
		"when of a fallback":       {func(d *policy.Definition) { d.Settings.FallbackApprovers[0].When = "true" }, "/settings/fallback_approvers/0/when"},
		"veto of a fallback":       {func(d *policy.Definition) { d.Settings.FallbackApprovers[0].Veto = true }, "/settings/fallback_approvers/0/veto"},
		"exclude rule": {func(d *policy.Definition) {
			d.Settings.Exclude = []policy.Rule{{Type: policy.RuleUser}}
		}, "/settings/exclude/0/ids"},
		"exclude rule of the actors of a stage": {func(d *policy.Definition) {
			d.Settings.Exclude = []policy.Rule{{Type: policy.RuleStageActor, Stage: "one"}}
		}, "/settings/exclude/0/stage"},
		"exclude rule of a later stage": {func(d *policy.Definition) {
			d.Stages[0].Exclude = []policy.Rule{{Type: policy.RuleStageActor, Stage: "three"}}
		}, "/stages/0/exclude/0/stage"},
		"required of an exclude rule": {excluded(func(r *policy.Rule) { r.Required = true }), "/stages/1/exclude/0"},
		"minimum of an exclude rule":  {excluded(func(r *policy.Rule) { r.MinApprovals = 1 }), "/stages/1/exclude/0"},
		"veto of an exclude rule":     {excluded(func(r *policy.Rule) { r.Veto = true }), "/stages/1/exclude/0/veto"},
		"when of an exclude rule":     {excluded(func(r *policy.Rule) { r.When = "true" }), "/stages/1/exclude/0/when"},
		"when of an observer":         {observer(func(r *policy.Rule) { r.When = "true" }), "/stages/0/observers/0/when"},
		"veto of an observer":         {observer(func(r *policy.Rule) { r.Veto = true }), "/stages/0/observers/0/veto"},
		"minimums of constant rules": {func(d *policy.Definition) {
			one, two := names("ana", "bo"), names("cy", "dee")
			one.MinApprovals, two.MinApprovals, two.When = 2, 2, "true"
			d.Stages[1].Approvers, d.Stages[1].Quorum.Value = []policy.Rule{one, two}, 1
		}, "/stages/1/quorum/value"},
		"conditional people for a minimum": {func(d *policy.Definition) {
			one, two := names("ana"), names("bo")
			one.MinApprovals, two.When = 2, "true"
			d.Stages[0].Approvers = []policy.Rule{one, two}
		}, "/stages/0/quorum"},

		"rule of no user": {func(d *policy.Definition) { d.Stages[0].Approvers[0].IDs = nil }, "/stages/0/approvers/0/ids"},
		"user id empty":   {func(d *policy.Definition) { d.Stages[0].Approvers[0].IDs[1] = "" }, "/stages/0/approvers/0/ids/1"},
		"user id too long": {func(d *policy.Definition) { d.Stages[0].Approvers[0].IDs[1] = strings.Repeat("x", 256) },
			"/stages/0/approvers/0/ids/1"},
		"expression":             {func(d *policy.Definition) { d.Stages[2].Approvers[1].CEL = "true" }, "/stages/2/approvers/1/cel"},
		"expression missing":     {func(d *policy.Definition) { d.Stages[2].Approvers[1].CEL = "" }, "/stages/2/approvers/1/cel"},
		"member of another type": {func(d *policy.Definition) { d.Stages[0].Approvers[0].Role = "officer" }, "/stages/0/approvers/0/role"},
		"actors of a later stage": {func(d *policy.Definition) {
			d.Stages[0].Approvers[0] = policy.Rule{Type: policy.RuleStageActor, Stage: "three"}
		}, "/stages/0/approvers/0/stage"},
		"actors of its own stage": {func(d *policy.Definition) { d.Stages[2].Approvers[2].Stage = "three" }, "/stages/2/approvers/2/stage"},
		"actors of a parallel stage": {func(d *policy.Definition) {
			d.Stages[1].Approvers[0] = policy.Rule{Type: policy.RuleStageActor, Stage: "one"}
		}, "/stages/1/approvers/0/stage"},
		"actors of no stage":           {func(d *policy.Definition) { d.Stages[2].Approvers[2].Stage = "" }, "/stages/2/approvers/2/stage"},
		"resolver that is not allowed": {func(d *policy.Definition) { d.Stages[2].Approvers[6].Resolver = "evil" }, "/stages/2/approvers/6"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := sound()
			tt.change(&d)
			found := problems(d, everything)
			if found == nil {
				t.Fatal("accepted")
			}
			if found[0].Where != tt.pointer || found[0].Message == "" {
				t.Errorf("problems = %q, want one at %s", found, tt.pointer)
			}
		})
	}
}

func computedQuorum(cel string) func(*policy.Definition) {
	return func(d *policy.Definition) { d.Stages[2].Quorum.Value, d.Stages[2].Quorum.ValueCEL = 0, cel }
}

func excluded(change func(*policy.Rule)) func(*policy.Definition) {
	return func(d *policy.Definition) {
		rule := names("olga")
		change(&rule)
		d.Stages[1].Exclude = []policy.Rule{rule}
	}
}

func TestPeopleRulesWithoutEffectAreWorthAWarning(t *testing.T) {
	context := policy.Rule{Type: policy.RuleExpression, CEL: "context.authors"}
	for name, tt := range map[string]struct {
		change  func(*policy.Definition)
		pointer string // of the warning; empty for none
	}{
		"a veto with every rejection": {func(d *policy.Definition) { d.Stages[0].Approvers[0].Veto = true }, "/stages/0/approvers/0/veto"},
		"a veto with the mode veto": {func(d *policy.Definition) {
			d.Stages[0].Approvers[0].Veto, d.Stages[0].Rejection.Mode = true, quorum.RejectionVeto
		}, "/stages/0/approvers/0/veto"},
		"a veto with a count": {func(d *policy.Definition) {
			d.Stages[0].Approvers[0].Veto, d.Stages[0].Rejection = true, quorum.Rejection{Mode: quorum.RejectionCount, Value: 2}
		}, ""},
		"a veto with the mode unreachable": {func(d *policy.Definition) {
			d.Stages[0].Approvers[0].Veto, d.Stages[0].Rejection.Mode = true, quorum.RejectionUnreachable
		}, ""},
		"an exclusion by the requester": {func(d *policy.Definition) { d.Stages[0].Exclude = []policy.Rule{context} }, "/stages/0/exclude/0/cel"},
		"one of the settings":           {func(d *policy.Definition) { d.Settings.Exclude = []policy.Rule{context} }, "/settings/exclude/0/cel"},
		"one by its submitters": {func(d *policy.Definition) {
			d.Settings.Exclude, d.Settings.Submitters = []policy.Rule{context}, []policy.Rule{names("rita")}
		}, ""},
		"one without the context": {func(d *policy.Definition) {
			d.Settings.Exclude = []policy.Rule{{Type: policy.RuleExpression, CEL: "requester.id"}}
		}, ""},
	} {
		d := policyOf(each("one", "ana", "bo", "cy"))
		tt.change(&d)
		warned := ""
		for _, f := range d.Validate(everything) {
			if f.Warning != "" {
				warned += f.Pointer
			}
			if f.Problem != "" {
				t.Errorf("%s: %s %s", name, f.Pointer, f.Problem)
			}
		}
		if warned != tt.pointer {
			t.Errorf("%s: warned of %q", name, warned)
		}
	}
}

func observer(change func(*policy.Rule)) func(*policy.Definition) {
	return func(d *policy.Definition) {
		rule := names("olga")
		change(&rule)
		d.Stages[0].Observers = []policy.Rule{rule}
	}
}

// The static checks of minimums and people concern what holds for every content.
func TestAConditionalRuleAndAComputedQuorumAreNotCountedInAdvance(t *testing.T) {
	for name, change := range map[string]func(*policy.Definition){
		"a computed count": func(d *policy.Definition) {
			d.Stages[1].Quorum.Value, d.Stages[1].Quorum.ValueCEL = 0, "two"
			d.Stages[1].Approvers[0].MinApprovals = 3
		},
		"a computed percentage": computedQuorum("two"),
		"a conditional minimum": func(d *policy.Definition) {
			rule := names("dee", "eve")
			rule.MinApprovals, rule.When = 2, "true"
			d.Stages[1].Approvers, d.Stages[1].Quorum.Value = append(d.Stages[1].Approvers, rule), 1
		},
		"a conditional minimum over its people": func(d *policy.Definition) {
			rule := names("dee")
			rule.MinApprovals, rule.When = 2, "true"
			d.Stages[0].Approvers = append(d.Stages[0].Approvers, rule)
		},
		"a count that conditional people reach": func(d *policy.Definition) {
			rule := names("dee")
			rule.When = "true"
			d.Stages[1].Approvers, d.Stages[1].Quorum.Value = append(d.Stages[1].Approvers, rule), 4
		},
		"a minimum of the stage that conditional people reach": func(d *policy.Definition) {
			rule := names("dee")
			rule.When = "true"
			d.Stages[0].Approvers, d.Stages[0].Quorum.MinApprovals = append(d.Stages[0].Approvers, rule), 4
		},
		"conditional people of one rule too many for each": func(d *policy.Definition) {
			rule := crowd(101)
			rule.When = "true"
			d.Stages[0].Approvers = append(d.Stages[0].Approvers, rule)
		},
	} {
		d := sound()
		change(&d)
		if found := problems(d, everything); found != nil {
			t.Errorf("%s is refused: %v", name, found)
		}
	}
}

func stages(n int) []policy.Stage {
	all := make([]policy.Stage, n)
	for i := range all {
		all[i] = each(fmt.Sprint("s", i), "ana")
	}
	return all
}

func TestWithoutADirectoryOnlyUserIDsAndExpressionsWork(t *testing.T) {
	var pointers []string
	for _, p := range problems(sound(), policy.Capabilities{}) {
		pointers = append(pointers, strings.TrimPrefix(p.Where, "/stages/2/approvers"))
	}
	want := []string{"/0/usernames", "/1/as", "/3/type", "/4/type", "/5/type", "/6/type"}
	if !slices.Equal(pointers, want) {
		t.Errorf("problems at %v, want %v", pointers, want)
	}
}

func TestEveryProblemIsNamedInTheOrderOfTheDocument(t *testing.T) {
	d := sound()
	d.Stages[0].Quorum, d.Stages[1].Name = quorum.Quorum{Mode: quorum.QuorumCount}, "\x00"
	d.Stages[2].When = "tru"
	want := strings.Join([]string{
		"/stages/0/quorum/value: must be between 1 and 100 with mode count",
		"/stages/1/name: must not contain control characters: U+0000 at position 1",
		"/stages/2/when: is not known",
	}, "\n")
	if got := refusal.Invalid(problems(d, everything)).Error(); got != want {
		t.Errorf("error = %q, want %q", got, want)
	}
}

func TestAnErrorNamesTwentyProblemsAndCountsTheOthers(t *testing.T) {
	d := policyOf(stages(20)...)
	for i := range d.Stages {
		d.Stages[i].Key, d.Stages[i].Name = "A", "\x00"
	}
	lines := strings.Split(refusal.Invalid(problems(d, everything)).Error(), "\n")
	if len(lines) != 21 || !strings.HasPrefix(lines[19], "/stages/") || lines[20] != "and 39 more" {
		t.Errorf("%d lines, the last ones %q", len(lines), lines[len(lines)-2:])
	}
}

func TestMoreRejectionsThanAPoolHasPeopleAreWorthAWarning(t *testing.T) {
	three := pool("s", 1, "ana", "bo", "cy")
	for name, tt := range map[string]struct {
		stage      policy.Stage
		rejections int
		want       bool
	}{
		"as many as the pool has": {three, 3, false},
		"more":                    {three, 4, true},
		"more than of each":       {each("s", "ana", "bo", "cy"), 4, false}, // rescuers reject, too
	} {
		tt.stage.Rejection = quorum.Rejection{Mode: quorum.RejectionCount, Value: tt.rejections}
		found := policyOf(tt.stage).Validate(everything)
		warned := len(found) == 1 && found[0].Pointer == "/stages/0/rejection/value" && found[0].Warning != ""
		if warned != tt.want || !tt.want && len(found) > 0 {
			t.Errorf("%s: found %+v", name, found)
		}
	}
}

func TestPolicyKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"disbursement.batch": true, "A": true, "0_x-y.z": true, strings.Repeat("k", 128): true,
		"": false, ".a": false, "-a": false, "a b": false, "a/b": false, "ä": false, strings.Repeat("k", 129): false, "a\n": false,
	} {
		if got := policy.ValidPolicyKey(key); got != want {
			t.Errorf("ValidPolicyKey(%q) = %v", key, got)
		}
	}
}

func TestRulesNameThemselves(t *testing.T) {
	for want, rule := range map[string]policy.Rule{
		"user":                   names("ana"),
		"Finance":                {Type: policy.RuleRole, Role: "officer", Label: "Finance"},
		"role officer":           {Type: policy.RuleRole, Role: "officer"},
		"group /officers":        {Type: policy.RuleGroup, Path: "/officers"},
		"approvers of stage one": {Type: policy.RuleStageActor, Stage: "one"},
		"resolver hr":            {Type: policy.RuleHTTP, Resolver: "hr"},
		"expression":             {Type: policy.RuleExpression, CEL: "names"},
	} {
		if got := rule.String(); got != want {
			t.Errorf("%+v is called %q, want %q", rule, got, want)
		}
	}
}
