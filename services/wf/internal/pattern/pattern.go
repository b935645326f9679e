// Package pattern explains why RE2 refuses a regular expression that other engines accept.
package pattern

import (
	"fmt"
	"regexp"
	"strings"
)

// unsupported are constructs that RE2 lacks, by what introduces them.
var unsupported = []struct{ start, name string }{
	{"(?=", "lookahead"}, {"(?!", "lookahead"}, {"(?<=", "lookbehind"}, {"(?<!", "lookbehind"}, {"(?>", "an atomic group"},
}

var backreference = regexp.MustCompile(`\\([1-9]|k<)`)

// Explain returns the error of an expression that does not compile. It names the first
// construct in the expression that RE2 does not support, if there is one.
func Explain(expr string, err error) error {
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
