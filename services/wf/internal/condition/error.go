package condition

import (
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/interpreter"
)

// Kind is the reason of an Error; errors.Is(err, TooCostly) tests for it.
type Kind string

// The kinds of Error.
const (
	Invalid   Kind = "invalid"    // does not compile, or cannot yield what is wanted
	TooCostly Kind = "too_costly" // crosses a limit of cost
	Failed    Kind = "failed"     // has no value: a member is missing, a type is wrong, …
)

// Error makes a Kind a target for errors.Is.
func (k Kind) Error() string { return string(k) }

// Error says why an expression was refused or has no value. Its text is for the
// policy's author: it quotes the expression, never a value of the input. If the
// expression does not compile, it shows the line with a caret under the place.
type Error struct {
	Kind    Kind
	Message string
}

func (e *Error) Error() string { return e.Message }

// Unwrap makes errors.Is(err, kind) work.
func (e *Error) Unwrap() error { return e.Kind }

func (k Kind) because(format string, args ...any) error {
	return &Error{k, fmt.Sprintf(format, args...)}
}

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
	message := pointed(expr, line, column, first.Message, mistake(expr, line, column, first.Message))
	return &Error{kind, counted(message, len(found)-1)}
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
		return TooCostly.because("%s", cancelled.Message)
	}
	message := err.Error()
	for _, cause := range causes {
		if strings.HasPrefix(message, cause) {
			return Failed.because("%s", cause)
		}
	}
	if name, ok := strings.CutPrefix(message, "no such key: "); ok {
		if strings.Contains(expr, name) {
			return Failed.because("no such member: %s", name)
		}
		return Failed.because("no such member")
	}
	if strings.HasPrefix(message, "index out of bounds") {
		return Failed.because("index out of bounds")
	}
	return Failed.because("a function refused its argument")
}
