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

// maxCompared bounds the lengths of lists whose common items are found. Longer lists are paired in order.
const maxCompared = 3000

// items compares lists by their longest common subsequence. Between common items, removed and new
// items are paired in order.
func (c *comparing) items(before, after form.Node, s form.Schema, titles []string) {
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
	old, now := itemTexts(before), itemTexts(after)
	common := commonLengths(old, now)
	for i, j := 0, 0; i < len(old) || j < len(now); {
		switch {
		case common != nil && i < len(old) && j < len(now) && old[i] == now[j]:
			flush()
			i, j = i+1, j+1
		case j == len(now) || i < len(old) && (common == nil || common[i+1][j] >= common[i][j+1]):
			gone, i = append(gone, i), i+1
		default:
			added, j = append(added, j), j+1
		}
	}
	flush()
}

func itemTexts(n form.Node) (texts []string) {
	for _, item := range n.Items {
		texts = append(texts, item.JSON())
	}
	return texts
}

// commonLengths returns the lengths of the longest common subsequences of the rests of two lists, by the indexes where
// these begin; nil for lists longer than maxCompared.
func commonLengths(a, b []string) [][]int {
	if max(len(a), len(b)) > maxCompared {
		return nil
	}
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	return common
}
