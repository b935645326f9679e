package policy

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Texts are translations of a text by language tag (BCP 47).
type Texts map[string]string

// maxTranslation is the maximum length of a translation, in characters.
const maxTranslation = 300

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}$`)

// In returns the text in a language and the language that it is in: the translation with this tag, one with
// its primary language, or the text itself, whose language is base. An empty language is unknown.
func (t Texts) In(language, text, base string) (found, foundIn string) {
	if len(t) == 0 || language == "" || strings.EqualFold(language, base) {
		return text, base
	}
	primary := primaryTag(language)
	for _, same := range []func(tag string) bool{
		func(tag string) bool { return strings.EqualFold(tag, language) },
		func(tag string) bool { return primary != primaryTag(base) && strings.EqualFold(tag, primary) },
		func(tag string) bool { return primary != primaryTag(base) && primaryTag(tag) == primary },
	} {
		for _, tag := range slices.Sorted(maps.Keys(t)) {
			if same(tag) && t[tag] != "" {
				return t[tag], tag
			}
		}
	}
	return text, base
}

// primaryTag returns the primary language of a tag, in lower case.
func primaryTag(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	return strings.ToLower(primary)
}

// texts checks translations.
func (v *validation) texts(pointer string, t Texts) {
	for _, tag := range slices.Sorted(maps.Keys(t)) {
		at := pointer + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(tag)
		v.refuse(!languageTag.MatchString(tag), at, "must be a language tag (BCP 47), such as fr or pt-BR")
		v.refuse(utf8.RuneCountInString(t[tag]) > maxTranslation, at, "must be at most %d characters", maxTranslation)
		v.name(at, t[tag], 4*maxTranslation)
	}
}
