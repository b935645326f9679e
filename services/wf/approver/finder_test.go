package approver_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// finder answers the questions for these roles, each with the user of the same name.
func finder(users ...string) *approver.Finder {
	f := &approver.Finder{Directory: true, Answers: approver.Answers{}}
	for _, id := range users {
		f.Answers[role(id).AnswerKey()] = approver.People{Users: []identity.User{{ID: id}}}
	}
	return f
}

func role(name string) approver.Question {
	return approver.Question{Rule: policy.Rule{Type: policy.RuleRole, Role: name}}
}

// unasked returns the roles of the open questions.
func unasked(f *approver.Finder) (roles []string) {
	if open, ok := errors.AsType[*approver.Unasked](f.Unasked()); ok {
		for _, q := range open.Questions {
			roles = append(roles, q.Rule.Role)
		}
	}
	return roles
}

func TestAQuestionWithoutAnAnswerIsKeptOnce(t *testing.T) {
	f := finder("second")
	for _, name := range []string{"first", "second", "third", "first"} {
		_, failure := f.Ask(role(name))
		if missing := failure != nil && failure.Reason == reason.ResolverFailed; missing != (name != "second") {
			t.Errorf("%s: %v", name, failure)
		}
	}
	if got := unasked(f); !slices.Equal(got, []string{"first", "third"}) {
		t.Errorf("open are the questions for %q", got)
	}
	if err := finder().Unasked(); err != nil {
		t.Errorf("without a question: %v", err)
	}
}

func TestOneRuleThatYieldsTheUserNeedsNoOtherAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		answered, roles []string
		found           bool
		asks            []string
	}{
		"the first":                      {[]string{"a"}, []string{"a", "b"}, true, nil},
		"a later one, the first missing": {[]string{"a"}, []string{"b", "a"}, true, nil},
		"none, an answer missing":        {[]string{"x"}, []string{"x", "a"}, false, []string{"a"}},
		"none, all answered":             {[]string{"x", "y"}, []string{"x", "y"}, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := finder(tt.answered...)
			found, failure := f.YieldsAny("a", len(tt.roles), func(i int) ([]identity.User, *refusal.Error) { return f.Ask(role(tt.roles[i])) })
			if found != tt.found || (failure != nil) != (tt.asks != nil) || !slices.Equal(unasked(f), tt.asks) {
				t.Errorf("found %t, %v, asks %q", found, failure, unasked(f))
			}
		})
	}
}
