package i18n

import (
	"maps"
	"slices"
	"strings"
)

// Text is a text of a user with its language, for the lang attribute of HTML. An empty Lang is the language of the
// page, or unknown.
type Text struct{ Text, Lang string }

// Translate returns a text in a preferred language or in the reader's language: the translation with this language tag
// (BCP 47), one with its primary language, or the text itself, whose language is Content.
func (r Reader) Translate(translations map[string]string, text string) Text {
	for _, wanted := range r.Preferred {
		if tag := closestTag(translations, wanted); tag != "" {
			return Text{translations[tag], tag}
		}
		if primaryTag(r.Content) == primaryTag(wanted) {
			return Text{text, r.Content}
		}
	}
	primary := primaryTag(r.Language)
	if strings.EqualFold(r.Language, r.Content) || len(translations) == 0 {
		return r.untranslated(text)
	}
	tags := slices.Sorted(maps.Keys(translations))
	for _, same := range []func(tag string) bool{
		func(tag string) bool { return strings.EqualFold(tag, r.Language) },
		func(tag string) bool { return primary != primaryTag(r.Content) && strings.EqualFold(tag, primary) },
		func(tag string) bool { return primary != primaryTag(r.Content) && primaryTag(tag) == primary },
	} {
		if i := slices.IndexFunc(tags, func(tag string) bool { return translations[tag] != "" && same(tag) }); i >= 0 {
			return Text{Text: translations[tags[i]]}
		}
	}
	return r.untranslated(text)
}

// untranslated returns a text in the language Content.
func (r Reader) untranslated(text string) Text {
	if primaryTag(r.Content) == primaryTag(r.Language) {
		return Text{Text: text}
	}
	return Text{text, r.Content}
}

// closestTag returns the tag of the translation in a language, or else in one with its primary language; "" for none.
func closestTag(translations map[string]string, language string) string {
	tags := slices.Sorted(maps.Keys(translations))
	for _, of := range []func(string) string{strings.ToLower, primaryTag} {
		fits := func(t string) bool { return translations[t] != "" && of(t) == of(language) }
		if i := slices.IndexFunc(tags, fits); i >= 0 {
			return tags[i]
		}
	}
	return ""
}

// primaryTag returns the primary language of a tag, in lower case.
func primaryTag(tag string) string {
	primary, _, _ := strings.Cut(tag, "-")
	return strings.ToLower(primary)
}
