package frame

import (
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/i18n"
)

// Table is a list of a page, for the template table. A wide screen shows each row on one line of at most 44 pixels.
type Table struct {
	Label   string // for screen readers
	Columns []Column
	Rows    []Row
	Empty   string // shown without rows
	Tall    bool   // rows have several lines
	Pager
}

// List is a page with a table; see signin.Request.ShowList.
type List struct {
	Tabs, Views Views
	Lead        string
	Search      Search
	Top         []Part // links and buttons beside the title
	Result      []Part // of an operation
	Bad         bool   // the result is a fault
	Secret      Secret
	Table       Table
	New         NewEntry
}

// Secret is a new secret, which a page shows once.
type Secret struct{ Text, Value string }

// NewEntry is the form of a new entry of a list; empty without fields.
type NewEntry struct {
	Title, Action, Do string // Do is the text of its button
	Inputs            []form.Input
	Open              bool
}

// Column is a column of a table. Kind is its class: main takes the free width, number aligns its figures.
type Column struct{ Title, Kind string }

// Views are the links between views of a list or parts of a console, for the template views.
type Views struct {
	Label string // for screen readers
	Links []View
}

// View is a link of Views.
type View struct {
	Path, Text, Count string
	Here              bool
}

// Row is a row of a table.
type Row struct {
	Cells []Cell
	Pick  *Pick // nil without a check box
	Skip  bool  // not for the keys that move between rows
}

// Pick is the check box of a row.
type Pick struct {
	Value, Label string
	Checked      bool
	Note         string // of the script of the page
}

// Cell is a cell of a table: parts beside each other.
type Cell []Part

// Part is a part of a cell.
type Part struct {
	Kind   string // cut, link, action, file, mark, soft, quote, id, time, button, bar
	Text   string
	Lang   string
	Title  string // the whole of a text that is cut
	Class  string // of a mark
	Link   string // of a link; the target of a button
	Name   string // of a button, with its value
	Value  string // also the length of a bar, in percent
	Hidden string // added for screen readers
}

// Plain returns a text, which is cut where the row has no space.
func Plain(text string) Part { return Part{Kind: "cut", Text: text, Title: text} }

// Said returns a text with its language.
func Said(text i18n.Text) Part {
	return Part{Kind: "cut", Text: text.Text, Lang: text.Lang, Title: text.Text}
}

// LinkTo returns a link.
func LinkTo(path, text string) Part { return Part{Kind: "link", Link: path, Text: text, Title: text} }

// Soft returns a text of less importance.
func Soft(text string) Part { return Part{Kind: "soft", Text: text, Title: text} }

// Quote returns a text of a user.
func Quote(text string) Part { return Part{Kind: "quote", Text: text, Title: text} }

// Mark returns a short text, such as a status, with the class of its colour.
func Mark(class, text string) Part { return Part{Kind: "mark", Class: class, Text: text} }

// ID returns an identifier. It is cut in the middle, with a button that copies it.
func ID(id string) Part { return Part{Kind: "id", Text: id} }

// TimeOf returns a time.
func TimeOf(m Moment) Part { return Part{Kind: "time", Text: m.Text, Title: m.Full, Value: m.ISO} }

// Bar returns a bar for the share that n is of most. It is hidden from screen readers, which read the number beside it.
func Bar(n, most int64) Part {
	return Part{Kind: "bar", Value: strconv.FormatInt(100*n/max(most, 1), 10)}
}

// Do returns a button that sends a form. hidden names its row for screen readers.
func Do(path, name, value, text, hidden string) Part {
	return Part{Kind: "button", Link: path, Name: name, Value: value, Text: text, Hidden: hidden}
}

// When returns the parts that are not empty.
func (c Cell) When(use bool, parts ...Part) Cell {
	if use {
		return append(c, parts...)
	}
	return c
}

// shortFrom is the number of characters from which an identifier is cut, and the numbers of those that stay.
const shortFrom, shortHead, shortTail = 20, 8, 6

// ShortID returns an identifier that is cut in the middle.
func ShortID(id string) string {
	text := []rune(id)
	if len(text) <= shortFrom {
		return id
	}
	return string(text[:shortHead]) + "…" + string(text[len(text)-shortTail:])
}

// Picks reports whether the rows have check boxes.
func (t Table) Picks() bool { return len(t.Rows) > 0 && t.Rows[0].Pick != nil }

// Columns returns columns with the texts of keys. Before a key may be the kind of its column, with a space.
func (r *Request) Columns(keys ...string) (columns []Column) {
	for _, key := range keys {
		kind, key, found := strings.Cut(key, " ")
		if !found {
			kind, key = "", kind
		}
		columns = append(columns, Column{Title: r.T(key), Kind: kind})
	}
	return columns
}
