package refusal_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
)

const (
	badInput refusal.Reason = "bad_input"
	missing                 = badInput + "/missing"
	tooLong                 = badInput + "/too_long"
	state    refusal.Reason = "wrong_state"
)

func TestErrorsIsFindsReasonsAndCases(t *testing.T) {
	several := refusal.Invalid([]refusal.Problem{{Reason: missing, Where: "/a", Message: "Field required"},
		{Reason: state, Where: "/b/0", Message: "is closed"}})
	tests := map[string]struct {
		err  error
		want []error
		not  error
	}{
		"a reason":             {refusal.New(state, "x"), []error{state}, badInput},
		"a case":               {refusal.At(missing, "/a", "x"), []error{missing, badInput}, tooLong},
		"the general reason":   {refusal.New(badInput, "x"), []error{badInput}, missing},
		"every problem":        {several, []error{missing, badInput, state}, tooLong},
		"a wrapped refusal":    {fmt.Errorf("load: %w", several), []error{missing, state}, tooLong},
		"no refusal, no error": {refusal.Invalid(nil), nil, state},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, want := range tt.want {
				if !errors.Is(tt.err, want) {
					t.Errorf("%v is not %v", tt.err, want)
				}
			}
			if errors.Is(tt.err, tt.not) {
				t.Errorf("%v is %v", tt.err, tt.not)
			}
		})
	}
	if name := missing.Case(); name != "missing" || state.Case() != "" || missing.General() != badInput {
		t.Errorf("case %q of %q", name, missing.General())
	}
}

func TestList(t *testing.T) {
	many := make([]refusal.Problem, 25)
	for i := range many {
		many[i] = refusal.Problem{Reason: missing, Where: fmt.Sprintf("/%d", i), Message: "Field required"}
	}
	err := refusal.Invalid(many)
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok || len(refused.List()) != 25 || refused.Where != "/0" || refusal.MessageOf(err) != "Field required" {
		t.Fatalf("error = %#v", err)
	}
	if text := err.Error(); strings.Count(text, "\n") != 20 || !strings.HasSuffix(text, "/19: Field required\nand 5 more") {
		t.Errorf("text = %q", text)
	}
	one, _ := errors.AsType[*refusal.Error](refusal.At(missing, "/a", "Field %s", "required"))
	if list := one.List(); len(list) != 1 || list[0] != (refusal.Problem{Reason: missing, Where: "/a", Message: "Field required"}) {
		t.Errorf("list = %+v", list)
	}
	if text := refusal.MessageOf(errors.New("connection reset")); text != "connection reset" {
		t.Errorf("message of another error = %q", text)
	}
}
