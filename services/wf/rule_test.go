package wf_test

import (
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
			if problems, bad := d.Validate(strict).(wf.Problems); bad {
				for _, p := range problems {
					pointers = append(pointers, p.Pointer)
				}
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
		"another request": {func(q *wf.Question) { q.About = &wf.Matter{Request: wf.MatterRequest{ID: "r2"}} }, false},
	} {
		if got := ask(tt.change) == key; got != tt.same {
			t.Errorf("%s: the same key is %v, want %v", name, got, tt.same)
		}
	}
}
