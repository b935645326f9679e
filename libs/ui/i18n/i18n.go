// Package i18n formats the texts, times and numbers of pages and messages for a reader.
package i18n

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones by name, if the system has none
)

// Catalogue holds texts by key and language. {0} is the first argument. A text with a number has
// the forms one and other.
type Catalogue map[string]map[string]string

//go:embed texts.json
var file []byte

// Shared holds the texts of dates, forms, layout and sign-in.
var Shared = Parse(file)

// Merge returns the texts of both catalogues.
func (c Catalogue) Merge(more Catalogue) Catalogue {
	both := maps.Clone(c)
	maps.Copy(both, more)
	return both
}

// Parse returns the catalogue of an embedded JSON file. It panics on invalid JSON.
func Parse(raw []byte) Catalogue {
	var c Catalogue
	if err := json.Unmarshal(raw, &c); err != nil {
		panic(fmt.Errorf("catalogue of texts: %w", err))
	}
	return c
}

// Has reports whether the catalogue contains a key.
func (c Catalogue) Has(key string) bool { return c[key] != nil }

// Keys returns the keys in order.
func (c Catalogue) Keys() []string { return slices.Sorted(maps.Keys(c)) }

// Reader holds the language and the time zone of a reader.
type Reader struct {
	Texts    Catalogue
	Language string
	Zone     *time.Location
	Content  string // language of texts of users that are not translated; empty if unknown

	// Preferred are languages that the reader prefers to Language, and in which the pages have no texts.
	Preferred []string
}

// T returns a text in the reader's language, or the key if it has none.
func (r Reader) T(key string, about ...any) string {
	text, ok := r.Texts[key][r.Language]
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

// N returns a text with a number, which is {0}.
func (r Reader) N(key string, n int, about ...any) string {
	form := ".other"
	if n == 1 || n == 0 && r.Language == "fr" {
		form = ".one"
	}
	return r.T(key+form, append([]any{r.Number(strconv.Itoa(n))}, about...)...)
}

// Label returns the text of an identifier, such as a status, in a family of keys. The default is the
// identifier.
func (r Reader) Label(family string, word any) string {
	key := family + "." + fmt.Sprint(word)
	if !r.Texts.Has(key) {
		return fmt.Sprint(word)
	}
	return r.T(key)
}

// Number formats a number with all its digits, grouped for the reader. Numbers of four digits,
// which may be years, are not grouped.
func (r Reader) Number(digits string) string { return r.GroupDigits(digits, 5) }

// GroupDigits formats a number and groups it from the given number of digits.
func (r Reader) GroupDigits(digits string, from int) string {
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

// Date returns the day of a time in the reader's zone.
func (r Reader) Date(t time.Time) string {
	return r.Day(t.In(r.Zone))
}

// Day returns a day as text.
func (r Reader) Day(t time.Time) string {
	return r.T("date", t.Day(), r.T("month."+strconv.Itoa(int(t.Month()))), t.Year())
}

// Clock returns a day and time as text.
func (r Reader) Clock(t time.Time) string { return r.clock(t, "15:04") }

// ClockSeconds is Clock with seconds.
func (r Reader) ClockSeconds(t time.Time) string { return r.clock(t, "15:04:05") }

func (r Reader) clock(t time.Time, layout string) string {
	t = t.In(r.Zone)
	zone, _ := t.Zone()
	return r.T("date.time", r.Day(t), t.Format(layout), zone)
}
