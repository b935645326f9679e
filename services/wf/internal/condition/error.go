package condition

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/interpreter"

	"github.com/countersign/countersign/libs/nearest"
	"github.com/countersign/countersign/libs/refusal"
)

// The reasons of refusals. A message is for the policy's author: it has names of the expression, never a
// value of the input.
const (
	Invalid   refusal.Reason = "invalid"    // does not compile, or cannot yield the required type
	TooCostly refusal.Reason = "too_costly" // exceeds a limit of cost
	Failed    refusal.Reason = "failed"     // has no value: missing member, wrong type, …
	OutOfTime refusal.Reason = "late"       // was not evaluated in time; another evaluation may have a value
)

// compileError is the first finding of the compiler and where it is.
func (s *Scope) compileError(issues *cel.Issues) error {
	found := issues.Errors()
	first := found[0]
	kind := Invalid
	for _, limit := range []string{"expression recursion limit", "max recursion depth", "expression node count", "expression count"} {
		if strings.HasPrefix(first.Message, limit) {
			kind = TooCostly
		}
	}
	message := first.Message + s.hint(first.Message)
	if others := len(found) - 1; others > 0 {
		message += fmt.Sprintf("; %d more", others)
	}
	return refusal.New(kind, "%s", at(first.Location.Line(), first.Location.Column(), message))
}

// at returns a message with its place: the line from 1, and the column from 0. Line 0 is no place.
func at(line, column int, message string) string {
	if line < 1 {
		return message
	}
	return fmt.Sprintf("line %d, column %d: %s", line, max(column, 0)+1, message)
}

var unknownName = regexp.MustCompile(`^(undeclared reference to|undefined field) '([^']*)'`)

// hint returns a suffix with a remedy for a message of the compiler about a name, or an empty string.
func (s *Scope) hint(message string) string {
	unknown := unknownName.FindStringSubmatch(message)
	switch {
	case unknown == nil:
		return ""
	case strings.HasPrefix(message, "undefined field"):
		fields := s.provider.fields()
		return didYouMean(unknown[2], fields) + "; the fields are " + strings.Join(fields, ", ")
	case s.context.members[unknown[2]] != nil:
		return "; did you mean context." + unknown[2] + "?"
	default:
		return didYouMean(unknown[2], variables)
	}
}

// variables are the names of the variables.
var variables = []string{"context", "now", "request", "requester", "stages"}

// didYouMean returns a suffix with the most similar known word, or an empty string.
func didYouMean(written string, known []string) string {
	if meant := nearest.Match(written, slices.Sorted(slices.Values(known))); meant != "" {
		return "; did you mean " + meant + "?"
	}
	return ""
}

// causes are the errors of an evaluation that quote nothing of the input.
var causes = []string{
	"no such overload", "division by zero", "modulus by zero", "integer overflow", "unsigned integer overflow",
	"timestamp overflow", "duration overflow", outOfRange, "sum of a list with something other than numbers",
	fmt.Sprintf("a number has more than %d digits", maxDigits), fmt.Sprintf("round has 0 to %d decimals", maxPlaces),
}

// evaluationError describes an error of an evaluation. CEL quotes values in some of its messages; those are cut.
func (p *program) evaluationError(err error) error {
	if argument, ok := errors.AsType[*argumentError](err); ok {
		return argument
	}
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
		if p.names[name] {
			return refusal.New(Failed, "no such member: %s", name)
		}
		return refusal.New(Failed, "no such member")
	}
	if strings.HasPrefix(message, "index out of bounds") {
		return refusal.New(Failed, "index out of bounds")
	}
	return refusal.New(Failed, "a function refused its argument")
}
