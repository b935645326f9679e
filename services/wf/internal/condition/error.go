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

// The reasons of refusals. A message is for the policy's author: it quotes the expression, never a
// value of the input. If the expression does not compile, it shows the line with a caret.
const (
	Invalid   refusal.Reason = "invalid"    // does not compile, or cannot yield the required type
	TooCostly refusal.Reason = "too_costly" // exceeds a limit of cost
	Failed    refusal.Reason = "failed"     // has no value: missing member, wrong type, …
	OutOfTime refusal.Reason = "late"       // was not evaluated in time; another evaluation may have a value
)

// compileError is the first finding of the compiler and where it is.
func (s *Scope) compileError(expr string, issues *cel.Issues) error {
	found := issues.Errors()
	first := found[0]
	kind := Invalid
	for _, limit := range []string{"expression recursion limit", "max recursion depth", "expression node count", "expression count"} {
		if strings.HasPrefix(first.Message, limit) {
			kind = TooCostly
		}
	}
	message := first.Message + s.hint(expr, first.Message)
	if others := len(found) - 1; others > 0 {
		message += fmt.Sprintf("; %d more", others)
	}
	return refusal.New(kind, "%s", pointAt(expr, first.Location.Line(), max(first.Location.Column(), 0), message))
}

// maxShown is the maximum length of the quoted line in a message.
const maxShown = 120

// pointAt returns a message with its place in expr: the line, and a caret under the column. Lines count from 1,
// columns from 0; line 0 is no place.
func pointAt(expr string, line, column int, message string) string {
	lines := strings.Split(expr, "\n")
	if line < 1 || line > len(lines) {
		return message
	}
	text := fmt.Sprintf("line %d, column %d: %s", line, column+1, message)
	shown := []rune(strings.ReplaceAll(lines[line-1], "\t", " "))
	column = min(column, len(shown))
	if from := column - maxShown/2; len(shown) > maxShown && from > 0 {
		shown, column = shown[from:], maxShown/2
	}
	shown = shown[:min(len(shown), maxShown)]
	return fmt.Sprintf("%s\n | %s\n | %s^", text, string(shown), strings.Repeat(" ", column))
}

// slips are common mistakes in a line with a syntax error or an unknown word, with hints.
var slips = []struct {
	written *regexp.Regexp
	hint    string
}{
	{regexp.MustCompile(`[‘’“”]`), `write texts in straight quotes, " or '`},
	{regexp.MustCompile(`<>`), "write != for not equal"},
	{regexp.MustCompile(`(^|[^=!<>])=([^=]|$)`), "write == to compare"},
	{regexp.MustCompile(`(^|[^&])&([^&]|$)|(?i)\band\b`), "write && for and"},
	{regexp.MustCompile(`(^|[^|])\|([^|]|$)|(?i)\bor\b`), "write || for or"},
	{regexp.MustCompile(`(?i)\bnot\b`), "write ! for not"},
	{regexp.MustCompile(`^[^"]*"[^"]*$|^[^']*'[^']*$`), "a text must end with the quote that it begins with"},
}

var unknownName = regexp.MustCompile(`^(undeclared reference to|undefined field) '([^']*)'`)

// hint returns a suffix with a remedy for a message of the compiler, or an empty string.
func (s *Scope) hint(expr, message string) string {
	unknown := unknownName.FindStringSubmatch(message)
	if unknown != nil {
		name, fields := unknown[2], []string(nil)
		switch {
		case strings.HasPrefix(message, "undefined field"):
			fields = s.provider.fields()
			return didYouMean(name, fields) + "; the fields are " + strings.Join(fields, ", ")
		case s.context.members[name] != nil:
			return "; did you mean context." + name + "?"
		case didYouMean(name, variables) != "":
			return didYouMean(name, variables)
		}
	}
	if unknown == nil && !strings.HasPrefix(message, "Syntax error") {
		return ""
	}
	for _, slip := range slips {
		if slip.written.MatchString(expr) {
			return "; " + slip.hint
		}
	}
	return ""
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
