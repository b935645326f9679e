// Package pattern compiles the regular expressions of policies.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Compile compiles an expression of RE2 and returns the number of its instructions, at most the given one.
func Compile(expr string, most int) (re *regexp.Regexp, size int, err error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, 0, explain(expr, err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, 0, err
	}
	if size = len(program.Inst); size > most {
		return nil, size, fmt.Errorf("compiles to %d instructions, more than %d", size, most)
	}
	re, err = regexp.Compile(expr)
	return re, size, err
}

// unsupported are constructs that RE2 lacks, by what introduces them.
var unsupported = []struct{ start, name string }{
	{"(?=", "lookahead"}, {"(?!", "lookahead"}, {"(?<=", "lookbehind"}, {"(?<!", "lookbehind"}, {"(?>", "an atomic group"},
}

var backreference = regexp.MustCompile(`\\([1-9]|k<)`)

// explain returns the error of an expression that does not compile. It names the first
// construct in the expression that RE2 does not support, if there is one.
func explain(expr string, err error) error {
	first, name := len(expr), ""
	for _, u := range unsupported {
		if i := strings.Index(expr, u.start); i >= 0 && i < first {
			first, name = i, u.name
		}
	}
	if i := backreference.FindStringIndex(expr); i != nil && i[0] < first {
		name = "a backreference"
	}
	if name == "" {
		return err
	}
	return fmt.Errorf("uses %s, which RE2 does not support", name)
}
