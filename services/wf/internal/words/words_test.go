package words

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var placeholder = regexp.MustCompile(`\{[0-9]\}`)

func TestEveryTextIsThereInEveryLanguage(t *testing.T) {
	for key, texts := range Catalogue {
		var about []string
		for _, language := range Languages {
			text := texts[language]
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has no text in %s", key, language)
			}
			named := placeholder.FindAllString(text, -1)
			slices.Sort(named)
			if named = slices.Compact(named); language == Languages[0] {
				about = named
			} else if !slices.Equal(about, named) {
				t.Errorf("%s is about %v in %s and about %v in %s", key, about, Languages[0], named, language)
			}
		}
		if len(texts) != len(Languages) {
			t.Errorf("%s has %d texts for %d languages", key, len(texts), len(Languages))
		}
	}
}
