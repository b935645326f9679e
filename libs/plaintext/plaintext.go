// Package plaintext checks short texts that people read, such as names and titles.
package plaintext

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Check refuses a text with a control character, a separator of lines or paragraphs, an embedding or override of the
// text direction (U+202A to U+202E), or an isolate without its end (UAX #9). Directional marks and balanced isolates
// are accepted. The message names the first refused character and its position.
func Check(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("must be valid UTF-8")
	}
	var open []int // positions of the isolates without an end so far
	position := 0
	for _, c := range s {
		position++
		switch {
		case unicode.IsControl(c), c == '\u2028', c == '\u2029':
			return fmt.Errorf("must not contain control characters: %U at position %d", c, position)
		case '\u202a' <= c && c <= '\u202e':
			return fmt.Errorf("must not contain embeddings or overrides of the text direction: %U at position %d", c, position)
		case '\u2066' <= c && c <= '\u2068':
			open = append(open, position)
		case c == '\u2069' && len(open) == 0:
			return fmt.Errorf("must not contain the end of an isolate without its begin: %U at position %d", c, position)
		case c == '\u2069':
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("must not contain an isolate without its end, U+2069: at position %d", open[0])
	}
	return nil
}
