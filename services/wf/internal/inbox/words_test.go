package inbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/words"
)

// A key that is made of two parts ends in a dot, and some key begins with it.
var (
	inGo   = regexp.MustCompile(`\b(?:T|N|Word|status|wrong|keep)\((?:http\.\w+, |&?in, )?"([a-zA-Z. ]+)"`)
	inHTML = regexp.MustCompile(`\$?\.(T|N|Word) (?:\(print )?"([a-zA-Z. ]+)"`)
)

func TestEveryTextThatPagesAskForIsInTheCatalogue(t *testing.T) {
	check := func(file, key string) {
		if words.Catalogue.Known(key) || words.Catalogue.Known(key+".one") || words.Catalogue.Known("keep.why."+key) {
			return
		}
		for _, other := range words.Catalogue.Keys() {
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
