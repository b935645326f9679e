package identity

import (
	"errors"
	"strings"
	"unicode"
)

// CheckLabel rejects a name or label with control characters or overrides of text direction, or without a
// visible character.
func CheckLabel(s string) error {
	hidden := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
	if strings.ContainsFunc(s, hidden) {
		return errors.New("must not contain control or bidirectional characters")
	}
	if s != "" && IsBlank(s) {
		return errors.New("must contain a visible character")
	}
	return nil
}

// IsBlank reports whether a text contains only white space and combining marks.
func IsBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsMark(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}

// CheckUserID rejects invalid user ids.
func CheckUserID(id string) error {
	switch {
	case id == "" || len(id) > 255:
		return errors.New("a user id must have 1 to 255 bytes")
	case IsSystemID(id):
		return errors.New("user ids with the prefix system: are reserved for the service")
	default:
		return CheckLabel(id)
	}
}
