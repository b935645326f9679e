package inbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// node is a value of a JSON document. Members stay in their order, which is that in which
// the author of a schema wants them to be read, and numbers keep their digits.
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
	nodeNone nodeKind = iota // there is no value
	nodeNull
	nodeBool
	nodeNumber
	nodeString
	nodeList
	nodeObject
)

// parseNode reads a document. One that cannot be read is none.
func parseNode(raw []byte) node {
	if len(bytes.TrimSpace(raw)) == 0 {
		return node{}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	n, err := readNode(d)
	if err != nil {
		return node{}
	}
	return n
}

var errUnexpected = errors.New("unexpected token")

func readNode(d *json.Decoder) (node, error) {
	token, err := d.Token()
	if err != nil {
		return node{}, err
	}
	switch t := token.(type) {
	case nil:
		return node{kind: nodeNull}, nil
	case bool:
		return node{kind: nodeBool, truth: t}, nil
	case json.Number:
		return node{kind: nodeNumber, text: t.String()}, nil
	case string:
		return node{kind: nodeString, text: t}, nil
	case json.Delim:
		if t == '[' {
			return readList(d)
		}
		if t == '{' {
			return readObject(d)
		}
	}
	return node{}, errUnexpected
}

func readList(d *json.Decoder) (node, error) {
	n := node{kind: nodeList}
	for d.More() {
		item, err := readNode(d)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
	}
	_, err := d.Token()
	return n, err
}

func readObject(d *json.Decoder) (node, error) {
	n := node{kind: nodeObject}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return n, err
		}
		value, err := readNode(d)
		if err != nil {
			return n, err
		}
		text, _ := name.(string)
		n.members = append(n.members, member{text, value})
	}
	_, err := d.Token()
	return n, err
}

// get is a member of an object; none when there is no such member.
func (n node) get(name string) node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return node{}
}

// is reports whether the value is the string.
func (n node) is(text string) bool { return n.kind == nodeString && n.text == text }

// has reports whether a list has the string.
func (n node) has(text string) bool {
	for _, item := range n.items {
		if item.is(text) {
			return true
		}
	}
	return false
}

// json writes the value as it was read.
func (n node) json() string {
	var out strings.Builder
	n.write(&out)
	return out.String()
}

func (n node) write(out *strings.Builder) {
	quoted := func(s string) {
		raw, _ := json.Marshal(s) // a string can be written
		out.Write(raw)
	}
	switch n.kind {
	case nodeBool:
		out.WriteString(map[bool]string{true: "true", false: "false"}[n.truth])
	case nodeNumber:
		out.WriteString(n.text)
	case nodeString:
		quoted(n.text)
	case nodeList:
		out.WriteByte('[')
		for i, item := range n.items {
			if i > 0 {
				out.WriteByte(',')
			}
			item.write(out)
		}
		out.WriteByte(']')
	case nodeObject:
		out.WriteByte('{')
		for i, m := range n.members {
			if i > 0 {
				out.WriteByte(',')
			}
			quoted(m.name)
			out.WriteByte(':')
			m.value.write(out)
		}
		out.WriteByte('}')
	default:
		out.WriteString("null")
	}
}
