package inbox

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/reason"
)

// changeLine is a changed value of a request's content, or a value of one of the two revisions
// only.
type changeLine struct {
	Title         string // of the value, after those of its parents
	Before, After *entry // nil if absent
}

// changesSince lists the changes since an earlier revision of a request.
type changesSince struct {
	Revision int
	Lines    []changeLine
	More     bool  // the page limit is exceeded
	Others   []int // revisions to compare with
}

const mostChanges = 200

// changesOf compares a request with one of its earlier revisions: the one in the address, or the
// previous one. It returns nil for a request with a single revision and for a revision that is not
// stored.
func (v *visit) changesOf(r wf.Request, schemaText []byte) (*changesSince, error) {
	if r.Revision < 2 {
		return nil, nil
	}
	since := r.Revision - 1
	if n, err := strconv.Atoi(v.R.URL.Query().Get("since")); err == nil && n > 0 && n < r.Revision {
		since = n
	}
	old, err := v.engine.Revision(v.R.Context(), v.By, r.ID, since)
	if errors.Is(err, reason.RequestNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &comparing{reading: reading{v, mostEntries}}
	c.values(form.Parse(old.Context), form.Parse(r.Context), form.ParseSchema(schemaText), nil, place{})
	out := &changesSince{Revision: since, Lines: c.lines}
	if len(c.lines) > mostChanges {
		out.Lines, out.More = c.lines[:mostChanges], true
	}
	for n := 1; n < r.Revision; n++ {
		if n != since {
			out.Others = append(out.Others, n)
		}
	}
	return out, nil
}

// comparing collects the differences of two documents, with the titles of their schema.
type comparing struct {
	reading
	lines []changeLine
}

// place holds the parents of two values: objects or lists before and after.
type place struct{ before, after form.Node }

func (c *comparing) values(before, after form.Node, s form.Schema, titles []string, in place) {
	if before.Kind == after.Kind && before.JSON() == after.JSON() || len(c.lines) > mostChanges {
		return
	}
	switch {
	case before.Kind == form.Object && after.Kind == form.Object && len(titles) < mostDepth && !money(before) && !money(after):
		for _, name := range inOrder(slices.Concat(before.Names(), after.Names()), s) {
			own := s.Property(name)
			c.values(before.Get(name), after.Get(name), own, append(titles[:len(titles):len(titles)], own.Title(name)), place{before, after})
		}
	case before.Kind == form.List && after.Kind == form.List && len(titles) < mostDepth:
		c.items(before, after, s.Item(), titles)
	default:
		line := changeLine{Title: strings.Join(titles, " › ")}
		line.Before = c.value(before, s, len(titles), in.before)
		line.After = c.value(after, s, len(titles), in.after)
		c.lines = append(c.lines, line)
	}
}

func (c *comparing) value(n form.Node, s form.Schema, depth int, around form.Node) *entry {
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
