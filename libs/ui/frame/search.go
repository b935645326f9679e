package frame

import (
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
)

// Search is the search of a list, for the template search: a text, and filters in a fold.
type Search struct {
	Path, Label, Q string // Label is the text of Q
	Filters        []form.Input
	Chips          []Chip
	Shown          bool // an empty list without a filter needs no search
}

// Chip is a filter in use. Its link removes it.
type Chip struct{ Text, Link string }

// Filter returns a filter of a search with its value in the address. label is the key of its label.
func (r *Request) Filter(kind, name, label string, options ...form.Choice) form.Input {
	value := Truncate(strings.TrimSpace(r.R.URL.Query().Get(name)), 255)
	if kind == "choice" && !slices.ContainsFunc(options, func(o form.Choice) bool { return o.Value == "" }) {
		options = append([]form.Choice{{Title: r.T("search.any")}}, options...)
	}
	return form.Input{Kind: kind, Name: name, Title: r.T(label), Value: value, Filter: true}.WithOptions(options...)
}

// Search returns the search of the list at this address, which has rows or not. label is the key of its label; empty
// for a list without a search by text.
func (r *Request) Search(label string, rows bool, filters ...form.Input) Search {
	query := r.R.URL.Query()
	s := Search{Path: r.R.URL.Path, Filters: filters}
	if label != "" {
		s.Label, s.Q = r.T(label), Truncate(query.Get("q"), 200)
	}
	without := func(name string) string {
		rest := url.Values{}
		for other, values := range query {
			if !slices.Contains([]string{name, "cursor", "page", trailParam, "note"}, other) && values[0] != "" {
				rest[other] = values
			}
		}
		if len(rest) == 0 {
			return s.Path
		}
		return s.Path + "?" + rest.Encode()
	}
	if s.Q != "" {
		s.Chips = append(s.Chips, Chip{s.Q, without("q")})
	}
	for _, in := range filters {
		if in.Value == "" {
			continue
		}
		text := in.Value
		for _, o := range in.Options {
			if o.Chosen {
				text = o.Title
			}
		}
		s.Chips = append(s.Chips, Chip{in.Title + ": " + text, without(in.Name)})
	}
	s.Shown = rows || len(s.Chips) > 0
	return s
}

// IsFiltered reports whether a filter is in use.
func (s Search) IsFiltered() bool { return len(s.Chips) > 0 }
