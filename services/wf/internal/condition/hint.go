package condition

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/countersign/countersign/libs/nearest"
	"github.com/countersign/countersign/libs/refusal"
)

// maxShown is the maximum length of the quoted line in a message.
const maxShown = 120

// pointAt returns a message with its place in expr: the line, a caret under the column, and a hint. Lines
// count from 1, columns from 0; line 0 is no place.
func pointAt(expr string, line, column int, message, hint string) string {
	lines := strings.Split(expr, "\n")
	if line < 1 || line > len(lines) {
		return message
	}
	text := fmt.Sprintf("line %d, column %d: %s", line, column+1, message)
	if hint != "" {
		text += "; " + hint
	}
	shown := []rune(strings.ReplaceAll(lines[line-1], "\t", " "))
	column = min(column, len(shown))
	if from := column - maxShown/2; len(shown) > maxShown && from > 0 {
		shown, column = shown[from:], maxShown/2
	}
	shown = shown[:min(len(shown), maxShown)]
	return fmt.Sprintf("%s\n | %s\n | %s^", text, string(shown), strings.Repeat(" ", column))
}

// addCount adds the number of further findings to a message, before the quoted line.
func addCount(message string, others int) string {
	if others == 0 {
		return message
	}
	first, shown, found := strings.Cut(message, "\n")
	first += fmt.Sprintf("; %d more", others)
	if found {
		first += "\n" + shown
	}
	return first
}

// slips are common mistakes at the place of a syntax error, with hints.
var slips = []struct {
	written *regexp.Regexp
	hint    string
}{
	{regexp.MustCompile(`^=([^=]|$)`), "write == to compare"},
	{regexp.MustCompile(`^&([^&]|$)`), "write && for and"},
	{regexp.MustCompile(`^\|([^|]|$)`), "write || for or"},
	{regexp.MustCompile(`(?i)^and\b`), "write && for and"},
	{regexp.MustCompile(`(?i)^or\b`), "write || for or"},
	{regexp.MustCompile(`(?i)^not\b`), "write ! for not"},
	{regexp.MustCompile(`^<>`), "write != for not equal"},
	{regexp.MustCompile(`^[‘’“”]`), `write texts in straight quotes, " or '`},
	{regexp.MustCompile(`^['"]`), "a text must end with the quote that it begins with"},
}

// undeclaredName matches the compiler's messages about unknown names.
var undeclaredName = regexp.MustCompile(`^undeclared reference to '([^']*)'|^undefined field '([^']*)'`)

// variables are the names of the variables, and fields the members of the typed ones.
var (
	variables = []string{"context", "now", "request", "requester", "stages"}
	fields    = slices.Concat(fieldsOf[Request](), fieldsOf[Requester](), fieldsOf[Stage]())
)

func fieldsOf[T any]() []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		names = append(names, field.Tag.Get("cel"))
	}
	return names
}

// mistakeHint returns a hint for a common mistake, or an empty string.
func mistakeHint(expr string, line, column int, message string) string {
	if name := undeclaredName.FindStringSubmatch(message); name != nil {
		switch strings.ToLower(name[1]) {
		case "not", "and", "or":
		case "":
			return strings.TrimPrefix(didYouMean(name[2], fields), "; ")
		default:
			return strings.TrimPrefix(didYouMean(name[1], variables), "; ")
		}
	}
	if strings.Contains(message, "'(int, double)'") || strings.Contains(message, "'(double, int)'") {
		return "int and double do not mix: write 2.0 for 2, or double(…) around an int"
	}
	lines := strings.Split(expr, "\n")
	if line < 1 || line > len(lines) || !strings.HasPrefix(message, "Syntax error") && !strings.HasPrefix(message, "undeclared") {
		return ""
	}
	shown := []rune(lines[line-1])
	column = min(column, len(shown))
	// The compiler may report it one character or word late.
	before := strings.TrimRightFunc(string(shown[:column]), unicode.IsSpace)
	word := before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]
	for _, place := range []string{string(shown[column:]), string(shown[max(column-1, 0):]), word} {
		for _, slip := range slips {
			if slip.written.MatchString(place) {
				return slip.hint
			}
		}
	}
	return ""
}

// hint adds the context member of the same name to the refusal of an unknown variable.
func (c Checker) hint(err error) error {
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok {
		return err
	}
	for name := range c.context.members {
		if unknown := fmt.Sprintf("undeclared reference to '%s'", name); strings.Contains(refused.Message, unknown) {
			text := strings.Replace(refused.Message, unknown, unknown+"; did you mean context."+name+"?", 1)
			return refusal.New(refused.Reason, "%s", text)
		}
	}
	return err
}

// didYouMean returns a suffix with the most similar known word, or an empty string.
func didYouMean(written string, known []string) string {
	if meant := nearest.Match(written, slices.Sorted(slices.Values(known))); meant != "" {
		return "; did you mean " + meant + "?"
	}
	return ""
}
