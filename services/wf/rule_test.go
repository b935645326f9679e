package wf_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/policy"
)

func TestDirectoryRulesAreValidated(t *testing.T) {
	for name, tt := range map[string]struct {
		rule policy.Rule
		want string // where the problem is
	}{
		"a role":                           {policy.Rule{Type: policy.RuleRole, Role: "officer", Client: "payments"}, ""},
		"a role without a name":            {policy.Rule{Type: policy.RuleRole}, "/role"},
		"a role with a long name":          {policy.Rule{Type: policy.RuleRole, Role: strings.Repeat("r", 256)}, "/role"},
		"a role with a strange name":       {policy.Rule{Type: policy.RuleRole, Role: "o\nfficer"}, "/role"},
		"a client with a long name":        {policy.Rule{Type: policy.RuleRole, Role: "r", Client: strings.Repeat("c", 256)}, "/client"},
		"a group":                          {policy.Rule{Type: policy.RuleGroup, Path: "/finance/officers"}, ""},
		"a group without a path":           {policy.Rule{Type: policy.RuleGroup}, "/path"},
		"the group of all groups":          {policy.Rule{Type: policy.RuleGroup, Path: "/"}, "/path"},
		"a manager":                        {policy.Rule{Type: policy.RuleManager, Of: policy.OfSubmitter, Level: 5, Attribute: "boss"}, ""},
		"a manager of an expression":       {policy.Rule{Type: policy.RuleManager, Of: "names"}, ""},
		"a manager of nonsense":            {policy.Rule{Type: policy.RuleManager, Of: "assignee"}, "/of"},
		"a manager six levels up":          {policy.Rule{Type: policy.RuleManager, Level: 6}, "/level"},
		"a manager one level down":         {policy.Rule{Type: policy.RuleManager, Level: -1}, "/level"},
		"a manager by a long name":         {policy.Rule{Type: policy.RuleManager, Attribute: strings.Repeat("a", 256)}, "/attribute"},
		"usernames":                        {policy.Rule{Type: policy.RuleUser, Usernames: []string{"ana", "bo"}}, ""},
		"a username that is empty":         {policy.Rule{Type: policy.RuleUser, Usernames: []string{"ana", ""}}, "/usernames/1"},
		"a resolver that is unknown":       {policy.Rule{Type: policy.RuleHTTP, Resolver: "other"}, "-"},
		"an expression of usernames":       {policy.Rule{Type: policy.RuleExpression, As: policy.AsUsernames, CEL: "names"}, ""},
		"an expression of an invalid type": {policy.Rule{Type: policy.RuleExpression, As: policy.AsGroupPaths, CEL: "1"}, "/cel"},
	} {
		t.Run(name, func(t *testing.T) {
			d := policyOf(policy.Stage{Key: "s", Name: "s", Approvers: []policy.Rule{tt.rule}})
			var pointers, want []string
			for _, p := range problems(d, everything) {
				pointers = append(pointers, p.Where)
			}
			if tt.want != "" {
				want = []string{"/stages/0/approvers/0" + strings.TrimPrefix(tt.want, "-")}
			}
			if !slices.Equal(pointers, want) {
				t.Errorf("problems at %v, want %v", pointers, want)
			}
		})
	}
}

// full is a rule with every member.
func full() policy.Rule {
	return policy.Rule{
		IDs: []string{"ana"}, Usernames: []string{"ana.k"}, CEL: "names", As: policy.AsRoles, Stage: "before",
		Role: "officer", Client: "payments", IncludeGroups: ptr(false), IncludeComposites: true,
		Path: "/officers", IncludeSubgroups: true, Of: policy.OfSubmitter, Level: 2, Attribute: "boss",
		Resolver: "hr", URL: "https://hr.test", Params: []byte(`{}`), Required: true, MinApprovals: 1, Veto: true, When: "true", Label: "Officers",
	}
}

func TestARuleHasTheMembersOfItsTypeAndNoOthers(t *testing.T) {
	members := reflect.TypeFor[policy.Rule]()
	common := append([]string{"type"}, policy.CommonMembers...)
	for _, kind := range policy.RuleType("").Values() {
		t.Run(string(kind), func(t *testing.T) {
			rule := full()
			rule.Type = kind
			before, stage := each("before", "bo"), each("s")
			stage.Approvers = []policy.Rule{rule}
			refused := map[string]string{}
			for _, p := range problems(policyOf(before, stage), everything) {
				refused[strings.TrimPrefix(p.Where, "/stages/1/approvers/0/")] = p.Message
			}
			for i := range members.NumField() {
				name, _, _ := strings.Cut(members.Field(i).Tag.Get("json"), ",")
				if own := slices.Contains(slices.Concat(common, policy.RuleTypes[kind].Members), name); own != (refused[name] == "") {
					t.Errorf("%s: %q", name, refused[name])
				}
				if said := refused[name]; said != "" && (!strings.Contains(said, name) || !strings.Contains(said, string(kind))) {
					t.Errorf("%q does not name %s and %s", said, name, kind)
				}
			}
		})
	}
}

func TestQuestionsWithTheSameAnswerHaveTheSameKey(t *testing.T) {
	ask := func(change func(*approver.Question)) string {
		q := approver.Question{Rule: policy.Rule{Type: policy.RuleManager, Level: 2}, From: "rita"}
		change(&q)
		return q.Key()
	}
	key := ask(func(*approver.Question) {})
	for name, tt := range map[string]struct {
		change func(*approver.Question)
		same   bool
	}{
		"another label":   {func(q *approver.Question) { q.Rule.Label = "the boss" }, true},
		"another minimum": {func(q *approver.Question) { q.Rule.MinApprovals, q.Rule.Required = 1, true }, true},
		"another age":     {func(q *approver.Question) { q.MaxAge = -1 }, true},
		"another level":   {func(q *approver.Question) { q.Rule.Level = 3 }, false},
		"another person":  {func(q *approver.Question) { q.From = "ana" }, false},
		"another request": {func(q *approver.Question) {
			q.About = &approver.ResolverInput{Request: approver.ResolverRequest{ID: "r2"}}
		}, false},
	} {
		if got := ask(tt.change) == key; got != tt.same {
			t.Errorf("%s: the same key is %v, want %v", name, got, tt.same)
		}
	}
}
