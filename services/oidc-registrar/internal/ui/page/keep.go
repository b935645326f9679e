package page

import (
	"maps"
	"net/url"
	"regexp"
	"strings"
)

// keyMember matches a private member of a JSON Web Key, also with a missing quote.
var keyMember = regexp.MustCompile(`(?i)(?:^|[^a-z0-9_])(?:d|p|q|dp|dq|qi|oth|k)["']?\s*:\s*["'\[]`)

// keyText matches a word of the body of a PEM block, or a private value, alone. Ids and thumbprints have 43 characters.
var keyText = regexp.MustCompile(`(?:^|\s)[A-Za-z0-9+=_-][A-Za-z0-9+/=_-]{43,}(?:\s|$)`)

// Withhold removes from a submitted form the values that no page keeps or shows again: the field key, and every value
// that may hold a private key, also a mistyped one.
func Withhold(form url.Values) {
	maps.DeleteFunc(form, func(name string, values []string) bool {
		text := strings.Join(values, "\n")
		return name == "key" || strings.Contains(text, "-----") || strings.Contains(strings.ToUpper(text), "PRIVATE KEY") ||
			keyMember.MatchString(text) || keyText.MatchString(text)
	})
}
