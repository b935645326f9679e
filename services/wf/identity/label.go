package identity

import (
	"errors"
	"strings"
	"unicode"

	"github.com/countersign/countersign/libs/plaintext"
)

// CheckLabel rejects a name or label that is not plain text, or without a visible character.
func CheckLabel(s string) error {
	if err := plaintext.Check(s); err != nil {
		return err
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
	case strings.ContainsFunc(id, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }):
		return errors.New("a user id must not contain directional characters") // two ids would look alike
	default:
		return CheckLabel(id)
	}
}
