package content

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
)

// Change is a changed value, or a value of one of two documents only.
type Change struct {
	Title         string // of the value, after those of its parents
	Before, After *Entry // nil if absent
}

const maxChanges = 200

// Differences are the differences of two documents.
type Differences struct {
	Lines []Change
	More  bool // the limit of a page is exceeded
}

// Changes returns the differences of two documents, with the titles of a schema.
func Changes(r *frame.Request, before, after, schema []byte) Differences {
	c := &comparing{reading: reading{r, maxEntries}}
	c.values(form.Parse(before), form.Parse(after), form.ParseSchema(schema).For(r.Reader), nil, place{})
	return Differences{c.changes[:min(len(c.changes), maxChanges)], len(c.changes) > maxChanges}
}

// comparing collects the differences of two documents, with the titles of their schema.
type comparing struct {
	reading
	changes []Change
}

// place holds the parents of two values: objects or lists before and after.
type place struct{ before, after form.Node }

func (c *comparing) values(before, after form.Node, s form.Schema, titles []string, in place) {
	if before.Kind == after.Kind && before.JSON() == after.JSON() || len(c.changes) > maxChanges {
		return
	}
	switch {
	case before.Kind == form.Object && after.Kind == form.Object && len(titles) < maxDepth && !money(before) &&
		!money(after):
		for _, name := range inOrder(slices.Concat(before.Names(), after.Names()), s) {
			own := s.Property(name)
			c.values(before.Get(name), after.Get(name), own, append(titles[:len(titles):len(titles)], own.Title(name)),
				place{before, after})
		}
	case before.Kind == form.List && after.Kind == form.List && len(titles) < maxDepth:
		c.items(before, after, s.Item(), titles)
	default:
		change := Change{Title: strings.Join(titles, " › ")}
		change.Before = c.value(before, s, len(titles), in.before)
		change.After = c.value(after, s, len(titles), in.after)
		c.changes = append(c.changes, change)
	}
}

func (c *comparing) value(n form.Node, s form.Schema, depth int, around form.Node) *Entry {
	if n.Kind == form.None {
		return nil
	}
	e := c.entry(n, s, depth, around)
	return &e
}

// maxCompared bounds the lengths of lists whose common items are found. Longer lists are paired in order.
const maxCompared = 3000

// items compares lists. Each item is common that occurs after the previous common one. Between common items, removed
// and new ones are paired in order.
func (c *comparing) items(before, after form.Node, s form.Schema, titles []string) {
	i, j := 0, 0 // the items before these are compared
	pairUpTo := func(toI, toJ int) {
		for n := range max(toI-i, toJ-j) {
			var b, a form.Node
			at := i + n
			if at < toI {
				b = before.Items[at]
			}
			if j+n < toJ {
				at = j + n
				a = after.Items[at]
			}
			c.values(b, a, s, append(titles[:len(titles):len(titles)], strconv.Itoa(at+1)), place{before, after})
		}
		i, j = toI, toJ
	}
	if old, now := itemTexts(before), itemTexts(after); max(len(old), len(now)) <= maxCompared {
		for n, text := range old {
			if found := slices.Index(now[j:], text); found >= 0 {
				pairUpTo(n, j+found)
				i, j = i+1, j+1
			}
		}
	}
	pairUpTo(len(before.Items), len(after.Items))
}

func itemTexts(n form.Node) (texts []string) {
	for _, item := range n.Items {
		texts = append(texts, item.JSON())
	}
	return texts
}
