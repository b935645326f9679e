package inbox

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
	inGo   = regexp.MustCompile(`\b(?:T|N|Word|[sS]tatus|wrong|keep)\((?:http\.\w+, |&?in, )?"([a-zA-Z. ]+)"`)
	inHTML = regexp.MustCompile(`\$?\.(T|N|Word) (?:\(print )?"([a-zA-Z. ]+)"`)
)

// shared holds the layout and the fields of forms of every service.
const shared = "../../../../libs/ui/frame/"

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
	found := 0
	for _, of := range []struct {
		pattern string
		texts   *regexp.Regexp
		key     int
	}{{"*.go", inGo, 1}, {"../chart/*.go", inGo, 1}, {shared + "*.go", inGo, 1}, {"pages/*.html", inHTML, 2}, {shared + "pages/*.html", inHTML, 2}} {
		files, err := filepath.Glob(of.pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", of.pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range of.texts.FindAllStringSubmatch(string(text), -1) {
				check(file, match[of.key])
				found++
			}
		}
	}
	if found < 100 {
		t.Errorf("%d texts are asked for: the search for them finds too few", found)
	}
}
