package inbox

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// entry is a value of a request's content for display, under its title in the policy's schema.
type entry struct {
	Title, Help string
	Kind        string // text, number, money, date, time, yes, no, link, none, group, list or table
	Text        string // as written; the text of a link
	Moment      moment // of a time
	Link        string // of a link that is safe to follow
	Entries     []entry
	Head        []column  // of a table
	Rows        [][]entry // of a table
}

// column is the head of a table's column, with the kind of its cells.
type column struct{ Title, Kind string }

// Limits of one page. The JSON shows the rest.
const (
	mostEntries = 1000
	mostDepth   = 12
)

// reading converts a JSON document to entries.
type reading struct {
	*visit
	left int
}

// content returns the entries of a document by its schema.
func (v *visit) content(raw, by []byte) []entry {
	c := &reading{v, mostEntries}
	return c.members(parseNode(raw), parseSchema(by), 0)
}

// members returns the entries of an object: first the properties of the schema, in its order.
func (c *reading) members(n node, s schema, depth int) []entry {
	var out []entry
	for _, name := range inOrder(n.names(), s) {
		if c.left--; c.left < 0 {
			break
		}
		own := s.property(name)
		e := c.entry(n.get(name), own, depth+1, n)
		e.Title, e.Help = own.title(name), own.help()
		out = append(out, e)
	}
	return out
}

// entry returns the entry of one value. around is the object that contains it.
func (c *reading) entry(n node, s schema, depth int, around node) entry {
	e := entry{Kind: "text", Text: n.text}
	if depth > mostDepth {
		e.Text = n.json()
		return e
	}
	for _, o := range s.options() {
		if o.Value.json() == n.json() {
			e.Text = o.Title
			return e
		}
	}
	switch n.kind {
	case nodeBool:
		e.Kind = map[bool]string{true: "yes", false: "no"}[n.truth]
		e.Text = c.T(e.Kind)
	case nodeNumber:
		e.Kind, e.Text = "number", c.Number(n.text)
		if currency := currencyOf(s, around); currency != "" {
			e.Kind, e.Text = "money", c.money(n.text, currency)
		}
	case nodeString:
		c.string(&e, n.text, s)
	case nodeObject:
		if money(n) {
			e.Kind, e.Text = "money", c.money(n.get("amount").text, n.get("currency").text)
			return e
		}
		e.Kind, e.Entries = "group", c.members(n, s, depth)
	case nodeList:
		c.list(&e, n, s.item(), depth)
	default:
		e.Kind, e.Text = "none", ""
	}
	if e.Kind == "text" && strings.TrimSpace(e.Text) == "" {
		e.Kind = "none"
	}
	return e
}

func (c *reading) string(e *entry, text string, s schema) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		e.Kind, e.Text = "date", c.Day(day)
		return
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		e.Kind, e.Moment = "time", c.When(at)
		e.Text = e.Moment.Full
		return
	}
	if s.format() == "uri" || strings.HasPrefix(text, "https://") {
		if link := safeLink(text); link != "" {
			e.Kind, e.Link = "link", link
		}
	}
}

// list returns flat objects as a table and other items as a list.
func (c *reading) list(e *entry, n node, s schema, depth int) {
	e.Kind = "list"
	if len(n.items) == 0 {
		e.Kind = "none"
		return
	}
	var names []string
	flat := true
	for _, item := range n.items {
		flat = flat && item.kind == nodeObject
		for _, m := range item.members {
			flat = flat && m.value.kind != nodeObject && m.value.kind != nodeList
		}
		names = append(names, item.names()...)
	}
	if names = inOrder(names, s); !flat || len(names) > 8 {
		for _, item := range n.items {
			if c.left--; c.left < 0 {
				return
			}
			e.Entries = append(e.Entries, c.entry(item, s, depth+1, n))
		}
		return
	}
	e.Kind = "table"
	for _, name := range names {
		e.Head = append(e.Head, column{Title: s.property(name).title(name)})
	}
	for _, item := range n.items {
		row := make([]entry, len(names))
		for j, name := range names {
			if c.left--; c.left < 0 {
				return
			}
			row[j] = c.entry(item.get(name), s.property(name), depth+1, item)
			if row[j].Kind != "none" {
				e.Head[j].Kind = row[j].Kind
			}
		}
		e.Rows = append(e.Rows, row)
	}
}

// inOrder returns distinct names: first the properties of the schema, in its order.
func inOrder(names []string, s schema) []string {
	left := set(names)
	var out []string
	for _, name := range slices.Concat(s.get("properties").names(), names) {
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
func currencyOf(s schema, around node) string {
	code := s.get("x-currency").text
	if !currencyCode.MatchString(code) && s.format() == "money" {
		code = around.get("currency").text
	}
	return currencyCode.FindString(code)
}

// money reports whether an object consists of an amount and its currency.
func money(n node) bool {
	return len(n.members) == 2 && n.get("amount").kind == nodeNumber && currencyCode.MatchString(n.get("currency").text)
}

// money formats an amount with all its digits. A fraction has at least two digits.
func (c *reading) money(digits, currency string) string {
	if whole, fraction, found := strings.Cut(digits, "."); found && len(fraction) == 1 {
		digits = whole + "." + fraction + "0"
	}
	return c.T("money", c.Grouped(digits, 4), currency)
}

// safeLink returns an address that a page may link to, or "". Only absolute http and https URLs
// without user information are safe.
func safeLink(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// indented returns indented JSON.
func indented(raw []byte) string {
	text, err := json.MarshalIndent(json.RawMessage(raw), "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(text)
}
