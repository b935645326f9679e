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

// shortKey matches a word of 43 characters, alone: a private value of P-256, but also an id or a thumbprint.
var shortKey = regexp.MustCompile(`(?:^|\s)[A-Za-z0-9_-]{43}(?:\s|$)`)

// WithholdShort removes further values that may be a private one, from a form whose key was refused.
func WithholdShort(form url.Values) {
	maps.DeleteFunc(form, func(_ string, values []string) bool { return shortKey.MatchString(strings.Join(values, "\n")) })
}
