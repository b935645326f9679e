package inbox

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// catalogue is every text that people read, by key and language. {0} stands for the first
// thing that a text is about. A text about a number has a key for one and for other.
//
//go:embed words.json
var catalogueText []byte

var catalogue = func() map[string]map[string]string {
	var words map[string]map[string]string
	if err := json.Unmarshal(catalogueText, &words); err != nil {
		panic(fmt.Errorf("words.json: %w", err))
	}
	return words
}()

// Languages are those that the catalogue has, the one first that everybody gets who reads
// none of them.
var Languages = []string{"en", "fr"}

// known reports whether the catalogue has a key.
func known(key string) bool { return catalogue[key] != nil }

// T is a text in the reader's language.
func (r reader) T(key string, about ...any) string {
	text, ok := catalogue[key][r.Language]
	if !ok {
		return key
	}
	if len(about) == 0 {
		return text
	}
	pairs := make([]string, 0, 2*len(about))
	for i, thing := range about {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", fmt.Sprint(thing))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// N is a text about a number, which is {0}.
func (r reader) N(key string, n int, about ...any) string {
	one := n == 1 || n == 0 && r.Language == "fr"
	form := ".other"
	if one {
		form = ".one"
	}
	return r.T(key+form, append([]any{r.Number(strconv.Itoa(n))}, about...)...)
}

// Word is the text of a word of the service, such as a status, under a family of keys; the
// word itself when there is none.
func (r reader) Word(family string, word any) string {
	key := family + "." + fmt.Sprint(word)
	if !known(key) {
		return fmt.Sprint(word)
	}
	return r.T(key)
}
