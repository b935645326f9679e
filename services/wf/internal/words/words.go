// Package words has every text that people read, on pages and in messages, by language,
// and writes times and numbers as their reader does.
package words

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones by name, where the system has none
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

// Known reports whether the catalogue has a key.
func Known(key string) bool { return catalogue[key] != nil }

// Keys are those of the catalogue, in order.
func Keys() []string { return slices.Sorted(maps.Keys(catalogue)) }

// Reader is how somebody reads: in which language, and by which clock.
type Reader struct {
	Language string
	Zone     *time.Location
}

// T is a text in the reader's language.
func (r Reader) T(key string, about ...any) string {
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
func (r Reader) N(key string, n int, about ...any) string {
	form := ".other"
	if n == 1 || n == 0 && r.Language == "fr" {
		form = ".one"
	}
	return r.T(key+form, append([]any{r.Number(strconv.Itoa(n))}, about...)...)
}

// Word is the text of a word of the service, such as a status, under a family of keys; the
// word itself when there is none.
func (r Reader) Word(family string, word any) string {
	key := family + "." + fmt.Sprint(word)
	if !Known(key) {
		return fmt.Sprint(word)
	}
	return r.T(key)
}

// Number writes a number with all its digits, grouped as the reader groups them. One of
// four digits, which may be a year, stays as it is.
func (r Reader) Number(digits string) string { return r.Grouped(digits, 5) }

// Grouped writes a number that is grouped from so many digits on.
func (r Reader) Grouped(digits string, from int) string {
	whole, fraction, _ := strings.Cut(digits, ".")
	if strings.ContainsAny(digits, "eE") {
		return digits
	}
	sign := ""
	if rest, negative := strings.CutPrefix(whole, "-"); negative {
		sign, whole = "−", rest
	}
	group, point := ",", "."
	if r.Language == "fr" {
		group, point = "\u202f", ","
	}
	var out strings.Builder
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 && len(whole) >= from {
			out.WriteString(group)
		}
		out.WriteRune(digit)
	}
	if fraction != "" {
		out.WriteString(point + fraction)
	}
	return sign + out.String()
}

// Date is a time as a day in words, by the reader's clock.
func (r Reader) Date(t time.Time) string {
	return r.Day(t.In(r.Zone))
}

// Day is a day in words.
func (r Reader) Day(t time.Time) string {
	return r.T("date", t.Day(), r.T("month."+strconv.Itoa(int(t.Month()))), t.Year())
}

// Clock is a day and an hour in words.
func (r Reader) Clock(t time.Time) string {
	t = t.In(r.Zone)
	zone, _ := t.Zone()
	return r.T("date.time", r.Day(t), t.Format("15:04"), zone)
}
