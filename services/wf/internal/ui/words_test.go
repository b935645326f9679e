package ui_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/words"
)

// A key that is made of two parts ends in a dot, and some key begins with it.
var (
	inGo   = regexp.MustCompile(`\b(?:T|N|Word|[sS]tatus|wrong|Keep)\((?:http\.\w+, |\w+, )?"([a-zA-Z. ]+)"`)
	inHTML = regexp.MustCompile(`\$?\.(T|N|Word) (?:\(print )?"([a-zA-Z. ]+)"`)
)

// libs holds the layout, the forms and the sign-in of every service.
const libs = "../../../../libs/ui/"

func TestTheCatalogueHasEveryTextOfPages(t *testing.T) {
	check := func(file, key string) {
		if words.Catalogue.Has(key) || words.Catalogue.Has(key+".one") || words.Catalogue.Has("keep.why."+key) {
			return
		}
		for _, other := range words.Catalogue.Keys() {
			if strings.HasPrefix(other, strings.TrimSuffix(key, ".")+".") {
				return
			}
		}
		t.Errorf("%s: the catalogue lacks %s", file, key)
	}
	found := 0
	for pattern, texts := range map[string]*regexp.Regexp{
		"*.go": inGo, "*/*.go": inGo, "../chart/*.go": inGo, libs + "*/*.go": inGo,
		"pages/*.html": inHTML, "*/pages/*.html": inHTML, libs + "*/pages/*.html": inHTML,
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range texts.FindAllStringSubmatch(string(text), -1) {
				check(file, match[len(match)-1])
				found++
			}
		}
	}
	if found < 100 {
		t.Errorf("found only %d texts", found)
	}
}
