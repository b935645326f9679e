// Package i18ntest checks the catalogue of a service against its languages and its pages.
package i18ntest

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/ui/i18n"
)

var placeholder = regexp.MustCompile(`\{[0-9]\}`)

// CheckLanguages fails the test for a text that lacks a language, or whose arguments differ between
// languages.
func CheckLanguages(t *testing.T, texts i18n.Catalogue, languages []string) {
	t.Helper()
	for key, text := range texts {
		var about []string
		for _, language := range languages {
			if strings.TrimSpace(text[language]) == "" {
				t.Errorf("%s has no text in %s", key, language)
			}
			named := placeholder.FindAllString(text[language], -1)
			slices.Sort(named)
			if named = slices.Compact(named); language == languages[0] {
				about = named
			} else if !slices.Equal(about, named) {
				t.Errorf("%s is about %v in %s and about %v in %s", key, about, languages[0], named, language)
			}
		}
		if len(text) != len(languages) {
			t.Errorf("%s has %d texts for %d languages", key, len(text), len(languages))
		}
	}
}

// A key that is made of two parts ends in a dot, and some key begins with it.
var (
	inGo   = regexp.MustCompile(`\b(?:T|N|Word|[sS]tatus|wrong|Keep)\((?:http\.\w+, |\w+, )?"([a-zA-Z._ ]+)"`)
	inHTML = regexp.MustCompile(`\$?\.(?:T|N|Word) (?:\(print )?"([a-zA-Z._ ]+)"`)
)

// CheckPages fails the test for a text that the Go files and templates of patterns name and the
// catalogue lacks. It returns the number of texts.
func CheckPages(t *testing.T, texts i18n.Catalogue, patterns ...string) (found int) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		keys := inGo
		if strings.HasSuffix(pattern, ".html") {
			keys = inHTML
		}
		for _, file := range files {
			text, err := os.ReadFile(file) // #nosec G304 -- the source of a page
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range keys.FindAllStringSubmatch(string(text), -1) {
				if found++; !has(texts, match[1]) {
					t.Errorf("%s: the catalogue lacks %s", file, match[1])
				}
			}
		}
	}
	return found
}

// has reports whether the catalogue contains a key, its forms for numbers, or a key that begins with it.
func has(texts i18n.Catalogue, key string) bool {
	if texts.Has(key) || texts.Has(key+".one") || texts.Has("keep.why."+key) {
		return true
	}
	return slices.ContainsFunc(texts.Keys(), func(other string) bool {
		return strings.HasPrefix(other, strings.TrimSuffix(key, ".")+".")
	})
}
