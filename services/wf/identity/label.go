package identity

import (
	"errors"
	"strings"
	"unicode"
)

// CheckLabel refuses a name or label with control characters, overrides of text direction, or without a
// visible character.
func CheckLabel(s string) error {
	hidden := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
	if strings.ContainsFunc(s, hidden) {
		return errors.New("may not hold control or bidirectional characters")
	}
	if s != "" && Blank(s) {
		return errors.New("must hold a visible character")
	}
	return nil
}

// Blank reports whether a text is empty or consists of white space and marks.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsMark(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}

// CheckUserID refuses ids that a person cannot have.
func CheckUserID(id string) error {
	switch {
	case id == "" || len(id) > 255:
		return errors.New("a user id has 1 to 255 bytes")
	case IsSystemID(id):
		return errors.New("user ids that begin with system: belong to the service")
	default:
		return CheckLabel(id)
	}
}
