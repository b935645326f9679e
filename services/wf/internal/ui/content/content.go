// Package content displays JSON documents by their schema, and the differences of two documents.
package content

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
)

// Entry is a value of a request's content for display, under its title in the policy's schema.
type Entry struct {
	Name        string // of the member of an object
	Title, Help string
	Lang        string       // of the title, if it differs from that of the page
	Kind        string       // text, number, money, date, time, yes, no, link, none, group, list or table
	Text        string       // as written; the text of a link
	Moment      frame.Moment // of a time
	Link        string       // of a link that is safe to follow
	Entries     []Entry
	Head        []frame.Column // of a table, with the kinds of its cells
	Rows        [][]Entry      // of a table
}

// Limits of one page. The JSON shows the rest.
const (
	maxEntries = 1000
	maxDepth   = 12
)

// reading converts a JSON document to entries.
type reading struct {
	*frame.Request
	left int // entries up to the limit of the page
}

// Entries returns the entries of a document by its schema.
func Entries(r *frame.Request, document, schema []byte) []Entry {
	c := &reading{r, maxEntries}
	return c.members(form.Parse(document), form.ParseSchema(schema).For(r.Reader), 0)
}

// Fact returns the entry of one value of a document. pointer is its place in the document, value its JSON.
func Fact(r *frame.Request, schema form.Schema, pointer string, value []byte) Entry {
	name := ""
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		schema = schema.Property(name)
	}
	e := (&reading{r, maxEntries}).entry(form.Parse(value), schema, 0, form.Node{})
	title := schema.TitleText(name)
	e.Title, e.Lang = title.Text, title.Lang
	return e
}

// members returns the entries of an object: first the properties of the schema, in its order.
func (c *reading) members(n form.Node, s form.Schema, depth int) []Entry {
	var out []Entry
	for _, name := range inOrder(n.Names(), s) {
		if c.left--; c.left < 0 {
			break
		}
		own := s.Property(name)
		e := c.entry(n.Get(name), own, depth+1, n)
		title := own.TitleText(name)
		e.Name, e.Title, e.Lang, e.Help = name, title.Text, title.Lang, own.Help()
		out = append(out, e)
	}
	return out
}

// entry returns the Entry of one value. around is the object that contains it.
func (c *reading) entry(n form.Node, s form.Schema, depth int, around form.Node) Entry {
	e := Entry{Kind: "text", Text: n.Text}
	if depth > maxDepth {
		e.Text = n.JSON()
		return e
	}
	for _, o := range s.Options() {
		if o.Value.JSON() == n.JSON() {
			e.Text = o.Title
			return e
		}
	}
	switch n.Kind {
	case form.Bool:
		e.Kind = map[bool]string{true: "yes", false: "no"}[n.Truth]
		e.Text = c.T(e.Kind)
	case form.Number:
		e.Kind, e.Text = "number", c.Number(n.Text)
		if currency := currencyOf(s, around); currency != "" {
			e.Kind, e.Text = "money", c.money(n.Text, currency)
		}
	case form.String:
		c.string(&e, n.Text, s)
	case form.Object:
		if money(n) {
			e.Kind, e.Text = "money", c.money(n.Get("amount").Text, n.Get("currency").Text)
			return e
		}
		e.Kind, e.Entries = "group", c.members(n, s, depth)
	case form.List:
		c.list(&e, n, s.Item(), depth)
	default:
		e.Kind, e.Text = "none", ""
	}
	if e.Kind == "text" && strings.TrimSpace(e.Text) == "" {
		e.Kind = "none"
	}
	return e
}

func (c *reading) string(e *Entry, text string, s form.Schema) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		e.Kind, e.Text = "date", c.Day(day)
		return
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		e.Kind, e.Moment = "time", c.Moment(at)
		e.Text = e.Moment.Full
		return
	}
	if s.Format() == "uri" || strings.HasPrefix(text, "https://") {
		if link := form.SafeLink(text); link != "" {
			e.Kind, e.Link = "link", link
		}
	}
}

// list returns flat objects as a table and other items as a list.
func (c *reading) list(e *Entry, n form.Node, s form.Schema, depth int) {
	e.Kind = "list"
	if len(n.Items) == 0 {
		e.Kind = "none"
		return
	}
	var names []string
	flat := true
	for _, item := range n.Items {
		flat = flat && item.Kind == form.Object
		for _, m := range item.Members {
			flat = flat && m.Value.Kind != form.Object && m.Value.Kind != form.List
		}
		names = append(names, item.Names()...)
	}
	if names = inOrder(names, s); !flat || len(names) > 8 {
		for _, item := range n.Items {
			if c.left--; c.left < 0 {
				return
			}
			e.Entries = append(e.Entries, c.entry(item, s, depth+1, n))
		}
		return
	}
	e.Kind = "table"
	for _, name := range names {
		e.Head = append(e.Head, frame.Column{Title: s.Property(name).Title(name)})
	}
	for _, item := range n.Items {
		row := make([]Entry, len(names))
		for j, name := range names {
			if c.left--; c.left < 0 {
				return
			}
			row[j] = c.entry(item.Get(name), s.Property(name), depth+1, item)
			if row[j].Kind != "none" {
				e.Head[j].Kind = row[j].Kind
			}
		}
		e.Rows = append(e.Rows, row)
	}
}

// inOrder returns distinct names: first the properties of the schema, in its order.
func inOrder(names []string, s form.Schema) []string {
	left := map[string]bool{}
	for _, name := range names {
		left[name] = true
	}
	var out []string
	for _, name := range slices.Concat(s.Get("properties").Names(), names) {
		if left[name] {
			out = append(out, name)
			delete(left, name)
		}
	}
	return out
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// currencyOf returns the currency of a number: from x-currency of the schema, or from a member
// currency beside an amount with the format money.
func currencyOf(s form.Schema, around form.Node) string {
	code := s.Get("x-currency").Text
	if !currencyCode.MatchString(code) && s.Format() == "money" {
		code = around.Get("currency").Text
	}
	return currencyCode.FindString(code)
}

// money reports whether an object consists of an amount and its currency.
func money(n form.Node) bool {
	return len(n.Members) == 2 && n.Get("amount").Kind == form.Number && currencyCode.MatchString(n.Get("currency").Text)
}

// money formats an amount with all its digits. A fraction has at least two digits.
func (c *reading) money(digits, currency string) string {
	if whole, fraction, found := strings.Cut(digits, "."); found && len(fraction) == 1 {
		digits = whole + "." + fraction + "0"
	}
	return c.T("money", c.GroupDigits(digits, 4), currency)
}
