package inbox

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// entry is a value of a request's content as people read it, under the name that the
// policy's schema gives it.
type entry struct {
	Title, Help string
	Kind        string // text, number, money, date, time, yes, no, link, none, group, list or table
	Text        string // as it is written; of a link its text
	Moment      moment // of a time
	Link        string // of a link that is safe to follow
	Entries     []entry
	Head        []column  // of a table
	Rows        [][]entry // of a table
}

// column is the head of a table's column, with the kind of what is below it.
type column struct{ Title, Kind string }

// most bounds what one page shows. The JSON has the rest.
const (
	mostEntries = 1000
	mostDepth   = 12
)

// reading makes of a JSON document what people read.
type reading struct {
	*visit
	left int
}

// content is a document by its schema.
func (v *visit) content(raw, by []byte) []entry {
	c := &reading{v, mostEntries}
	return c.members(parseNode(raw), parseSchema(by), 0)
}

// members are those of an object: first those that the schema names, in its order.
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

// entry is one value. around is the object that it is a member of.
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

// list shows objects as a table, if they are flat, and anything else one below the other.
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

// inOrder are names, each once: first those that the schema has, in its order.
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

// currencyOf is the currency of a number: what the schema says by x-currency, or a member
// beside it that is a currency, if the number is called an amount of money.
func currencyOf(s schema, around node) string {
	code := s.get("x-currency").text
	if !currencyCode.MatchString(code) && s.format() == "money" {
		code = around.get("currency").text
	}
	return currencyCode.FindString(code)
}

// money reports whether an object is an amount with its currency and nothing else.
func money(n node) bool {
	return len(n.members) == 2 && n.get("amount").kind == nodeNumber && currencyCode.MatchString(n.get("currency").text)
}

// money is an amount with all its digits, and at least two after the point unless there
// are none.
func (c *reading) money(digits, currency string) string {
	if whole, fraction, found := strings.Cut(digits, "."); found && len(fraction) == 1 {
		digits = whole + "." + fraction + "0"
	}
	return c.T("money", c.Grouped(digits, 4), currency)
}

// safeLink is an address that a page may link to: one that asks another host for a page,
// and not one that runs in this one.
func safeLink(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// indented is JSON as people read it.
func indented(raw []byte) string {
	text, err := json.MarshalIndent(json.RawMessage(raw), "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(text)
}
