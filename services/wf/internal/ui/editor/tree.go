package editor

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/strictjson"
)

// node is a JSON value that keeps its text, so that an edit changes no other byte of the document.
type node struct {
	text  string // of a scalar, as written; of an empty list or object the white space inside
	open  byte   // '{' or '['; 0 for a scalar
	items []item
}

// item is a member of an object or an element of a list, with the white space around it.
type item struct {
	before, name, colon string // name and colon as written; empty in a list
	value               *node
	after               string // before the comma or the closing bracket
}

// document is a value with the white space around it.
type document struct {
	before string
	root   *node
	after  string
}

// parse parses a document. It fails for invalid JSON and for names that are given twice.
func parse(text []byte) (document, error) {
	if err := strictjson.Check(text, strictjson.Default); err != nil {
		return document{}, err
	}
	p := parser{text: string(text)}
	d := document{before: p.space()}
	d.root = p.value()
	d.after = p.space()
	return d, nil
}

// parser reads a valid document.
type parser struct {
	text string
	at   int
}

func (p *parser) space() string {
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[from:p.at]
}

func (p *parser) value() *node {
	from := p.at
	switch p.text[p.at] {
	case '{', '[':
		return p.container()
	case '"':
		p.skipString()
	default:
		for p.at < len(p.text) && strings.IndexByte(",]} \t\r\n", p.text[p.at]) < 0 {
			p.at++
		}
	}
	return &node{text: p.text[from:p.at]}
}

func (p *parser) skipString() {
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
}

func (p *parser) container() *node {
	n := &node{open: p.text[p.at]}
	p.at++
	for {
		it := item{before: p.space()}
		if p.text[p.at] == n.open+2 { // ASCII: the closing bracket
			n.text = it.before
			p.at++
			return n
		}
		if n.open == '{' {
			from := p.at
			p.skipString()
			it.name = p.text[from:p.at]
			from = p.at
			p.space()
			p.at++
			p.space()
			it.colon = p.text[from:p.at]
		}
		it.value = p.value()
		it.after = p.space()
		n.items = append(n.items, it)
		p.at++
		if p.text[p.at-1] != ',' {
			return n
		}
	}
}

func (d document) String() string {
	var out strings.Builder
	out.WriteString(d.before)
	d.root.write(&out)
	out.WriteString(d.after)
	return out.String()
}

func (n *node) write(out *strings.Builder) {
	if n.open == 0 {
		out.WriteString(n.text)
		return
	}
	out.WriteByte(n.open)
	if len(n.items) == 0 {
		out.WriteString(n.text)
	}
	for i, it := range n.items {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(it.before + it.name + it.colon)
		it.value.write(out)
		out.WriteString(it.after)
	}
	out.WriteByte(n.open + 2)
}

// raw returns the text of a value; empty for nil.
func (n *node) raw() string {
	if n == nil {
		return ""
	}
	var out strings.Builder
	n.write(&out)
	return out.String()
}

// compact returns the text of a value without white space.
func (n *node) compact() string {
	var out bytes.Buffer
	if json.Compact(&out, []byte(n.raw())) != nil {
		return ""
	}
	return out.String()
}

func (n *node) isObject() bool { return n != nil && n.open == '{' }
func (n *node) isList() bool   { return n != nil && n.open == '[' }
func (n *node) isString() bool { return n != nil && n.open == 0 && strings.HasPrefix(n.text, `"`) }

// str returns the text of a string; empty for other values.
func (n *node) str() (s string) {
	if n.isString() {
		_ = json.Unmarshal([]byte(n.text), &s) // checked by parse
	}
	return s
}

// strs returns the strings of a list. It reports false for any other value.
func (n *node) strs() (all []string, ok bool) {
	if !n.isList() {
		return nil, false
	}
	for _, it := range n.items {
		if !it.value.isString() {
			return nil, false
		}
		all = append(all, it.value.str())
	}
	return all, true
}

func (it item) key() string { return (&node{text: it.name}).str() }

func (n *node) index(name string) int {
	if !n.isObject() {
		return -1
	}
	return slices.IndexFunc(n.items, func(it item) bool { return it.key() == name })
}

// get returns the value at a path of member names, or nil.
func (n *node) get(path ...string) *node {
	for _, name := range path {
		i := n.index(name)
		if i < 0 {
			return nil
		}
		n = n.items[i].value
	}
	return n
}

// set replaces or adds the value at a path of member names, which begins with name, and adds the objects of the path.
func (n *node) set(value, name string, path ...string) {
	i := n.index(name)
	if len(path) > 0 {
		if i < 0 || !n.items[i].value.isObject() {
			value = nested(path, value)
		} else {
			n.items[i].value.set(value, path[0], path[1:]...)
			return
		}
	}
	if i >= 0 {
		n.items[i].value = n.styled(value)
		return
	}
	n.items = n.with(item{name: quote(name), colon: n.colon(), value: n.styled(value)})
}

// nested returns a value inside new objects.
func nested(path []string, value string) string {
	for _, name := range slices.Backward(path) {
		value = "{" + quote(name) + ":" + value + "}"
	}
	return value
}

// colon returns the colon of new members, as the object writes it.
func (n *node) colon() string {
	if len(n.items) > 0 {
		return n.items[0].colon
	}
	return ": "
}

// with returns the items and a further one, in their style.
func (n *node) with(it item) []item {
	if last := len(n.items) - 1; last >= 0 {
		it.before, it.after = n.items[last].before, n.items[last].after
		if last > 0 {
			n.items[last].after = n.items[0].after
		} else {
			n.items[last].after = ""
		}
		if last == 0 && it.before == "" { // the style of a list or object in one line
			it.before = " "
		}
	}
	return append(n.items, it)
}

// styled returns a new value for the object or list: in lines, if that has lines.
func (n *node) styled(value string) *node {
	if len(n.items) > 0 {
		before := n.items[0].before
		if at := strings.LastIndexByte(before, '\n'); at >= 0 {
			var out bytes.Buffer
			if json.Indent(&out, []byte(value), before[at+1:], "  ") == nil {
				value = out.String()
			}
		}
	}
	d, err := parse([]byte(value))
	if err != nil {
		return &node{text: "null"} // not reached: values are encoded by this package
	}
	return d.root
}

// remove removes a member of an object.
func (n *node) remove(name string) {
	if i := n.index(name); i >= 0 {
		n.items = without(n.items, i)
	}
}

// without returns the items without one. The last one keeps the white space before the closing bracket.
func without(items []item, i int) []item {
	if last := len(items) - 1; i == last && i > 0 {
		items[i-1].after = items[i].after
	}
	return slices.Delete(items, i, i+1)
}

// arrange replaces the items by others in a new order: each takes the white space of its place.
func (n *node) arrange(items []item) {
	if len(n.items) == 0 && len(items) > 0 {
		n.items = []item{{}}
	}
	old, placed := n.items, make([]item, len(items))
	for i, it := range items {
		place := old[min(i, len(old)-1)]
		if it.before == "" {
			it.before = place.before
		}
		it.after = old[0].after
		if len(old) == 1 {
			it.after = ""
		}
		if i == len(items)-1 {
			it.after = old[len(old)-1].after
		}
		placed[i] = it
	}
	if len(items) == 0 {
		n.text = ""
	}
	n.items = placed
}

// quote returns a string as JSON, with its characters as they are.
func quote(s string) string {
	var out strings.Builder
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	_ = to.Encode(s) // strings always encode
	return strings.TrimSuffix(out.String(), "\n")
}

// quotes returns a list of strings as JSON.
func quotes(all []string) string {
	quoted := make([]string, len(all))
	for i, s := range all {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
