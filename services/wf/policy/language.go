package policy

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Texts are translations of a text by language tag (BCP 47).
type Texts map[string]string

// maxTranslation is the maximum length of a translation, in characters.
const maxTranslation = 4000

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$`)

// PageLanguages are the languages of the pages and mails.
var PageLanguages = []string{"en", "fr"}

const mustBeTag = "must be a language tag (BCP 47), such as fr or pt-BR"

// texts checks translations. Those of a text of one line must not contain control characters.
func (v *validation) texts(pointer string, t Texts, oneLine bool) {
	for _, tag := range slices.Sorted(maps.Keys(t)) {
		at := string(jsontext.Pointer(pointer).AppendToken(tag))
		v.refuse(!languageTag.MatchString(tag), at, mustBeTag)
		v.refuse(t[tag] == "", at, "must not be empty")
		v.refuse(utf8.RuneCountInString(t[tag]) > maxTranslation, at, "must be at most %d characters", maxTranslation)
		if oneLine {
			v.label(at, t[tag])
		}
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if languageTag.MatchString(tag) && !slices.Contains(PageLanguages, primary) {
			v.warn(at, "is never shown: the pages and mails are in %s", strings.Join(PageLanguages, " and "))
		}
	}
}
