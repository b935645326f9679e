package inbox

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// node is a value of a JSON document. Members keep their order, which is the display order of the
// schema's author. Numbers keep their digits.
type node struct {
	kind    nodeKind
	text    string // of a string, or the digits of a number
	truth   bool
	items   []node
	members []member
}

type member struct {
	name  string
	value node
}

type nodeKind int

const (
	nodeNone nodeKind = iota // absent
	nodeNull
	nodeBool
	nodeNumber
	nodeString
	nodeList
	nodeObject
)

// parseNode parses a document. An invalid document yields an absent value.
func parseNode(raw []byte) node {
	if !json.Valid(raw) {
		return node{}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return readNode(d)
}

// readNode reads a value of a valid document, so that no token fails.
func readNode(d *json.Decoder) node {
	token, _ := d.Token()
	switch t := token.(type) {
	case bool:
		return node{kind: nodeBool, truth: t}
	case json.Number:
		return node{kind: nodeNumber, text: t.String()}
	case string:
		return node{kind: nodeString, text: t}
	case json.Delim:
		n := node{kind: nodeList}
		if t == '{' {
			n.kind = nodeObject
		}
		for d.More() {
			if n.kind == nodeList {
				n.items = append(n.items, readNode(d))
				continue
			}
			name, _ := d.Token()
			n.members = append(n.members, member{name.(string), readNode(d)})
		}
		_, _ = d.Token() // closing bracket
		return n
	}
	return node{kind: nodeNull}
}

// get returns a member of an object, or an absent value.
func (n node) get(name string) node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return node{}
}

// names returns the names of the members of an object.
func (n node) names() (names []string) {
	for _, m := range n.members {
		names = append(names, m.name)
	}
	return names
}

// is reports whether the value is the string.
func (n node) is(text string) bool { return n.kind == nodeString && n.text == text }

// has reports whether a list contains the string.
func (n node) has(text string) bool {
	return slices.ContainsFunc(n.items, func(item node) bool { return item.is(text) })
}

// json encodes the value as it was read.
func (n node) json() string {
	switch n.kind {
	case nodeBool:
		return strconv.FormatBool(n.truth)
	case nodeNumber:
		return n.text
	case nodeString:
		return quoted(n.text)
	case nodeList:
		var items []string
		for _, item := range n.items {
			items = append(items, item.json())
		}
		return "[" + strings.Join(items, ",") + "]"
	case nodeObject:
		var members []string
		for _, m := range n.members {
			members = append(members, quoted(m.name)+":"+m.value.json())
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return "null"
}

func quoted(text string) string {
	raw, _ := json.Marshal(text) // strings always encode
	return string(raw)
}
