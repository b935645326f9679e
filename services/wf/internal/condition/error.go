package condition

import (
	"errors"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/interpreter"

	"github.com/countersign/countersign/libs/refusal"
)

// The reasons of refusals. A message is for the policy's author: it quotes the expression, never a
// value of the input. If the expression does not compile, it shows the line with a caret.
const (
	Invalid   refusal.Reason = "invalid"    // does not compile, or cannot yield the required type
	TooCostly refusal.Reason = "too_costly" // exceeds a limit of cost
	Failed    refusal.Reason = "failed"     // has no value: missing member, wrong type, …
)

// compileError is the first finding of the compiler and where it is.
func compileError(expr string, issues *cel.Issues) error {
	found := issues.Errors()
	first := found[0]
	kind := Invalid
	for _, limit := range []string{"expression recursion limit", "max recursion depth", "expression node count", "expression count"} {
		if strings.HasPrefix(first.Message, limit) {
			kind = TooCostly
		}
	}
	line, column := first.Location.Line(), max(first.Location.Column(), 0)
	message := pointAt(expr, line, column, first.Message, mistakeHint(expr, line, column, first.Message))
	return refusal.New(kind, "%s", addCount(message, len(found)-1))
}

// causes are the errors of an evaluation that quote nothing of the input.
var causes = []string{
	"no such overload", "division by zero", "modulus by zero", "integer overflow", "unsigned integer overflow",
	"timestamp overflow", "duration overflow", outOfRange, tooExact,
}

// evaluationError describes an error of the evaluation of expr. CEL quotes
// values in some of its messages; those are cut.
func evaluationError(expr string, err error) error {
	var cancelled interpreter.EvalCancelledError
	if errors.As(err, &cancelled) {
		return refusal.New(TooCostly, "%s", cancelled.Message)
	}
	message := err.Error()
	for _, cause := range causes {
		if strings.HasPrefix(message, cause) {
			return refusal.New(Failed, "%s", cause)
		}
	}
	if name, ok := strings.CutPrefix(message, "no such key: "); ok {
		if strings.Contains(expr, name) {
			return refusal.New(Failed, "no such member: %s", name)
		}
		return refusal.New(Failed, "no such member")
	}
	if strings.HasPrefix(message, "index out of bounds") {
		return refusal.New(Failed, "index out of bounds")
	}
	return refusal.New(Failed, "a function refused its argument")
}
