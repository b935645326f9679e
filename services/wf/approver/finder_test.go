package approver_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

func finder(users ...string) *approver.Finder {
	f := &approver.Finder{Directory: true, Open: &approver.Unanswered{}, Answers: approver.Answers{People: map[string]approver.People{}}}
	for _, id := range users {
		f.Answers.People[role(id).AnswerKey()] = approver.People{Users: []identity.User{{ID: id}}}
	}
	return f
}

func role(name string) approver.Question {
	return approver.Question{Rule: policy.Rule{Type: policy.RuleRole, Role: name}}
}

func TestAMissingAnswerStopsTheStep(t *testing.T) {
	f := finder()
	err := f.Attempt(func() error {
		_, _ = f.Ask(role("officer"))
		t.Error("the step continued without the answer")
		return nil
	})
	if open, asks := errors.AsType[*approver.Unanswered](err); !asks || len(open.Questions) != 1 {
		t.Errorf("Attempt returned %v", err)
	}
}

func TestWantCollectsQuestionsOfAllSteps(t *testing.T) {
	f, roles, steps := finder("second"), []string{"first", "second", "third"}, 0
	err := f.Attempt(func() error {
		f.Want(len(roles), func(i int) {
			steps++
			_, _ = f.Ask(role(roles[i]))
		})
		t.Error("Want continued without answers")
		return nil
	})
	if open, asks := errors.AsType[*approver.Unanswered](err); !asks || len(open.Questions) != 2 || steps != 3 {
		t.Errorf("Attempt returned %v after %d steps with %d questions", err, steps, len(f.Open.Questions))
	}
}

func TestAnyNeedsOneStep(t *testing.T) {
	for name, tt := range map[string]struct {
		answered, roles []string
		found, asks     bool
	}{
		"the first":                      {[]string{"a"}, []string{"a", "b"}, true, false},
		"a later one, the first missing": {[]string{"b"}, []string{"a", "b"}, true, false},
		"none, an answer missing":        {[]string{"x"}, []string{"x", "b"}, false, true},
		"none, all answered":             {[]string{"x", "y"}, []string{"x", "y"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			f, found := finder(tt.answered...), false
			err := f.Attempt(func() error {
				found = f.Any(len(tt.roles), func(i int) bool {
					users, _ := f.Ask(role(tt.roles[i]))
					return slices.ContainsFunc(users, func(u identity.User) bool { return u.ID == "a" || u.ID == "b" })
				})
				return nil
			})
			if found != tt.found || (err != nil) != tt.asks {
				t.Errorf("Any reports %v, %v", found, err)
			}
		})
	}
}

func TestAttemptPassesOtherPanics(t *testing.T) {
	f := finder()
	defer func() {
		if recover() != "bug" {
			t.Error("Attempt recovered a panic that is not its own")
		}
	}()
	_ = f.Attempt(func() error { panic("bug") })
}
