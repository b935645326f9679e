package wf_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf"
)

func TestRulesThatAskTheDirectoryAreChecked(t *testing.T) {
	for name, tt := range map[string]struct {
		rule wf.Rule
		want string // where the problem is
	}{
		"a role":                      {wf.Rule{Type: wf.RuleRole, Role: "officer", Client: "payments"}, ""},
		"a role without a name":       {wf.Rule{Type: wf.RuleRole}, "/role"},
		"a role with a long name":     {wf.Rule{Type: wf.RuleRole, Role: strings.Repeat("r", 256)}, "/role"},
		"a role with a strange name":  {wf.Rule{Type: wf.RuleRole, Role: "o\nfficer"}, "/role"},
		"a client with a long name":   {wf.Rule{Type: wf.RuleRole, Role: "r", Client: strings.Repeat("c", 256)}, "/client"},
		"a group":                     {wf.Rule{Type: wf.RuleGroup, Path: "/finance/officers"}, ""},
		"a group without a path":      {wf.Rule{Type: wf.RuleGroup}, "/path"},
		"the group of all groups":     {wf.Rule{Type: wf.RuleGroup, Path: "/"}, "/path"},
		"a manager":                   {wf.Rule{Type: wf.RuleManager, Of: wf.OfSubmitter, Level: 5, Attribute: "boss"}, ""},
		"a manager of an expression":  {wf.Rule{Type: wf.RuleManager, Of: "names"}, ""},
		"a manager of nonsense":       {wf.Rule{Type: wf.RuleManager, Of: "assignee"}, "/of"},
		"a manager six levels up":     {wf.Rule{Type: wf.RuleManager, Level: 6}, "/level"},
		"a manager one level down":    {wf.Rule{Type: wf.RuleManager, Level: -1}, "/level"},
		"a manager by a long name":    {wf.Rule{Type: wf.RuleManager, Attribute: strings.Repeat("a", 256)}, "/attribute"},
		"usernames":                   {wf.Rule{Type: wf.RuleUser, Usernames: []string{"ana", "bo"}}, ""},
		"a username that is empty":    {wf.Rule{Type: wf.RuleUser, Usernames: []string{"ana", ""}}, "/usernames/1"},
		"a resolver that is unknown":  {wf.Rule{Type: wf.RuleHTTP, Resolver: "other"}, "-"},
		"an expression of usernames":  {wf.Rule{Type: wf.RuleExpression, As: wf.AsUsernames, CEL: "names"}, ""},
		"an expression of what is no": {wf.Rule{Type: wf.RuleExpression, As: wf.AsGroupPaths, CEL: "1"}, "/cel"},
	} {
		t.Run(name, func(t *testing.T) {
			d := policy(wf.Stage{Key: "s", Name: "s", Approvers: []wf.Rule{tt.rule}})
			var pointers, want []string
			for _, p := range problems(d, everything) {
				pointers = append(pointers, p.Pointer)
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
func full() wf.Rule {
	return wf.Rule{
		IDs: []string{"ana"}, Usernames: []string{"ana.k"}, CEL: "names", As: wf.AsRoles, Stage: "before",
		Role: "officer", Client: "payments", IncludeGroups: ptr(false), IncludeComposites: true,
		Path: "/officers", IncludeSubgroups: true, Of: wf.OfSubmitter, Level: 2, Attribute: "boss",
		Resolver: "hr", URL: "https://hr.test", Params: []byte(`{}`), Required: true, MinApprovals: 1, Label: "Officers",
	}
}

func TestARuleHasTheMembersOfItsTypeAndNoOthers(t *testing.T) {
	members := reflect.TypeFor[wf.Rule]()
	common := []string{"type", "required", "min_approvals", "label"}
	for _, kind := range wf.RuleType("").Values() {
		t.Run(string(kind), func(t *testing.T) {
			rule := full()
			rule.Type = kind
			before, stage := each("before", "bo"), each("s")
			stage.Approvers = []wf.Rule{rule}
			refused := map[string]string{}
			for _, p := range problems(policy(before, stage), everything) {
				refused[strings.TrimPrefix(p.Pointer, "/stages/1/approvers/0/")] = p.Message
			}
			for i := range members.NumField() {
				name, _, _ := strings.Cut(members.Field(i).Tag.Get("json"), ",")
				if own := slices.Contains(slices.Concat(common, wf.RuleTypes[kind].Members), name); own != (refused[name] == "") {
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
	ask := func(change func(*wf.Question)) string {
		q := wf.Question{Rule: wf.Rule{Type: wf.RuleManager, Level: 2}, From: "rita"}
		change(&q)
		return q.Key()
	}
	key := ask(func(*wf.Question) {})
	for name, tt := range map[string]struct {
		change func(*wf.Question)
		same   bool
	}{
		"another label":   {func(q *wf.Question) { q.Rule.Label = "the boss" }, true},
		"another minimum": {func(q *wf.Question) { q.Rule.MinApprovals, q.Rule.Required = 1, true }, true},
		"another age":     {func(q *wf.Question) { q.MaxAge = -1 }, true},
		"another level":   {func(q *wf.Question) { q.Rule.Level = 3 }, false},
		"another person":  {func(q *wf.Question) { q.From = "ana" }, false},
		"another request": {func(q *wf.Question) { q.About = &wf.ResolverInput{Request: wf.ResolverRequest{ID: "r2"}} }, false},
	} {
		if got := ask(tt.change) == key; got != tt.same {
			t.Errorf("%s: the same key is %v, want %v", name, got, tt.same)
		}
	}
}
