package form

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Node is a value of a JSON document. Members keep their order, which is the display order of the
// schema's author. Numbers keep their digits.
type Node struct {
	Kind    Kind
	Text    string // of a string, or the digits of a number
	Truth   bool
	Items   []Node
	Members []member
}

type member struct {
	Name  string
	Value Node
}

type Kind int

const (
	None Kind = iota // absent
	Null
	Bool
	Number
	String
	List
	Object
)

// Parse parses a document. An invalid document yields an absent value.
func Parse(raw []byte) Node {
	if !json.Valid(raw) {
		return Node{}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return readNode(d)
}

// readNode reads a value of a valid document, so that no token fails.
func readNode(d *json.Decoder) Node {
	token, _ := d.Token()
	switch t := token.(type) {
	case bool:
		return Node{Kind: Bool, Truth: t}
	case json.Number:
		return Node{Kind: Number, Text: t.String()}
	case string:
		return Node{Kind: String, Text: t}
	case json.Delim:
		n := Node{Kind: List}
		if t == '{' {
			n.Kind = Object
		}
		for d.More() {
			if n.Kind == List {
				n.Items = append(n.Items, readNode(d))
				continue
			}
			name, _ := d.Token()
			n.Members = append(n.Members, member{name.(string), readNode(d)})
		}
		_, _ = d.Token() // closing bracket
		return n
	}
	return Node{Kind: Null}
}

// Get returns a member of an object, or an absent value.
func (n Node) Get(name string) Node {
	for _, m := range n.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return Node{}
}

// At returns the value at a path of members and indexes, or an absent value.
func (n Node) At(path ...string) Node {
	for _, step := range path {
		if n.Kind != List {
			n = n.Get(step)
			continue
		}
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(n.Items) {
			return Node{}
		}
		n = n.Items[i]
	}
	return n
}

// With returns the value with another one at a path of members and indexes, and with the objects that this needs. An
// absent value removes its member, and the objects that become empty.
func (n Node) With(value Node, path ...string) Node {
	if len(path) == 0 {
		return value
	}
	old := n.At(path[0])
	changed := old.With(value, path[1:]...)
	switch i := slices.IndexFunc(n.Members, func(m member) bool { return m.Name == path[0] }); {
	case n.Kind == List:
		if old.Kind != None {
			at, _ := strconv.Atoi(path[0]) // the index of old
			n.Items = slices.Clone(n.Items)
			n.Items[at] = changed
		}
	case value.Kind == None && (i < 0 || changed.Kind != None && len(changed.Members)+len(changed.Items) > 0):
		if i >= 0 {
			n.Members = slices.Clone(n.Members)
			n.Members[i].Value = changed
		}
	case value.Kind == None:
		n.Members = slices.Delete(slices.Clone(n.Members), i, i+1)
	case i < 0:
		n.Kind, n.Members = Object, append(slices.Clip(n.Members), member{path[0], changed})
	default:
		n.Members = slices.Clone(n.Members)
		n.Members[i].Value = changed
	}
	return n
}

// Names returns the names of the members of an object.
func (n Node) Names() (names []string) {
	for _, m := range n.Members {
		names = append(names, m.Name)
	}
	return names
}

// equals reports whether the value is the string.
func (n Node) equals(text string) bool { return n.Kind == String && n.Text == text }

// Contains reports whether a list contains the string.
func (n Node) Contains(text string) bool {
	return slices.ContainsFunc(n.Items, func(item Node) bool { return item.equals(text) })
}

// JSON encodes the value as it was read.
func (n Node) JSON() string {
	switch n.Kind {
	case Bool:
		return strconv.FormatBool(n.Truth)
	case Number:
		return n.Text
	case String:
		return quote(n.Text)
	case List:
		var items []string
		for _, item := range n.Items {
			items = append(items, item.JSON())
		}
		return "[" + strings.Join(items, ",") + "]"
	case Object:
		var members []string
		for _, m := range n.Members {
			members = append(members, quote(m.Name)+":"+m.Value.JSON())
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return "null"
}

func quote(text string) string {
	raw, _ := json.Marshal(text) // strings always encode
	return string(raw)
}
