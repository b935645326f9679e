package inbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var placeholder = regexp.MustCompile(`\{[0-9]\}`)

func TestEveryTextIsThereInEveryLanguage(t *testing.T) {
	for key, texts := range catalogue {
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

// A key that is made of two parts ends in a dot, and some key begins with it.
var (
	inGo   = regexp.MustCompile(`\b(?:T|N|Word|status|wrong|keep)\((?:http\.\w+, |&?in, )?"([a-zA-Z. ]+)"`)
	inHTML = regexp.MustCompile(`\$?\.(T|N|Word) (?:\(print )?"([a-zA-Z. ]+)"`)
)

func TestEveryTextThatPagesAskForIsInTheCatalogue(t *testing.T) {
	check := func(file, key string) {
		if known(key) || known(key+".one") || known("keep.why."+key) {
			return
		}
		for other := range catalogue {
			if strings.HasPrefix(other, strings.TrimSuffix(key, ".")+".") {
				return
			}
		}
		t.Errorf("%s asks for %s, which the catalogue does not have", file, key)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range sources {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range inGo.FindAllStringSubmatch(string(text), -1) {
			check(file, match[1])
			found++
		}
	}
	pages, err := fs.Glob(files, "pages/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range pages {
		text, err := files.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range inHTML.FindAllStringSubmatch(string(text), -1) {
			check(file, match[2])
			found++
		}
	}
	if found < 100 {
		t.Errorf("%d texts are asked for: the search for them finds too few", found)
	}
}
