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

// Changes returns the differences of two documents. more reports that the page limit is exceeded.
func Changes(r *frame.Request, before, after, schema []byte) (changes []Change, more bool) {
	c := &comparing{reading: reading{r, maxEntries}}
	c.values(form.Parse(before), form.Parse(after), form.ParseSchema(schema).For(r.Reader), nil, place{})
	return c.changes[:min(len(c.changes), maxChanges)], len(c.changes) > maxChanges
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

// items compares lists by their longest common subsequence. Between common items, removed and new
// items are paired in order.
func (c *comparing) items(before, after form.Node, s form.Schema, titles []string) {
	texts := func(n form.Node) []string {
		var out []string
		for _, item := range n.Items {
			out = append(out, item.JSON())
		}
		return out
	}
	var gone, added []int
	flush := func() {
		for i := range max(len(gone), len(added)) {
			var b, a form.Node
			at := 0
			if i < len(gone) {
				b, at = before.Items[gone[i]], gone[i]
			}
			if i < len(added) {
				a, at = after.Items[added[i]], added[i]
			}
			c.values(b, a, s, append(titles[:len(titles):len(titles)], strconv.Itoa(at+1)), place{before, after})
		}
		gone, added = nil, nil
	}
	i, j := 0, 0
	for _, l := range diffLines(texts(before), texts(after)) {
		switch l.Kind {
		case "gone":
			gone, i = append(gone, i), i+1
		case "new":
			added, j = append(added, j), j+1
		default:
			flush()
			i, j = i+1, j+1
		}
	}
	flush()
}
