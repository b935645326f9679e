package inbox

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// schema is a JSON Schema as far as the pages support it: titles, descriptions and kinds of input.
// The engine validates values.
type schema struct {
	root node // for references
	node
}

func parseSchema(raw []byte) schema {
	n := parseNode(raw)
	return schema{n, n}.resolve()
}

// resolve follows references within the document, at most eight.
func (s schema) resolve() schema {
	for range 8 {
		pointer, refers := strings.CutPrefix(s.get("$ref").text, "#")
		if !refers {
			return s
		}
		target := s.root
		for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
			if step == "" {
				continue
			}
			step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
			if i, err := strconv.Atoi(step); err == nil && target.kind == nodeList && i >= 0 && i < len(target.items) {
				target = target.items[i]
				continue
			}
			target = target.get(step)
		}
		title, help := s.get("title"), s.get("description") // annotations beside a reference take precedence
		s.node = target
		s.node.members = slices.Clone(s.node.members)
		for _, said := range []member{{"title", title}, {"description", help}} {
			if said.value.kind != nodeNone {
				s.node.members = append([]member{said}, s.node.members...)
			}
		}
	}
	return schema{root: s.root}
}

func (s schema) of(n node) schema { return schema{s.root, n}.resolve() }

// property returns the schema of a member of an object.
func (s schema) property(name string) schema { return s.of(s.get("properties").get(name)) }

// item returns the schema of the items of a list.
func (s schema) item() schema { return s.of(s.get("items")) }

// title returns the title of the value. The default is derived from the name of the member.
func (s schema) title(name string) string {
	return cmp.Or(s.get("title").text, spoken(name))
}

func (s schema) help() string { return s.get("description").text }

// typ returns the type of the values; of several types the one other than null.
func (s schema) typ() string {
	t := s.get("type")
	if t.kind == nodeString {
		return t.text
	}
	for _, item := range t.items {
		if !item.is("null") {
			return item.text
		}
	}
	switch {
	case s.get("properties").kind == nodeObject:
		return "object"
	case len(s.options()) > 0:
		return "string"
	}
	return ""
}

func (s schema) format() string { return s.get("format").text }

// option is one of the permitted values.
type option struct {
	Value node
	Title string
}

// JSON returns the value of the option in forms.
func (o option) JSON() string { return o.Value.json() }

// options returns the values of an enum, or of a oneOf of constants with titles.
func (s schema) options() []option {
	var out []option
	for _, value := range s.get("enum").items {
		title := value.text
		if value.kind != nodeString {
			title = value.json()
		}
		out = append(out, option{value, title})
	}
	if out != nil {
		return out
	}
	for _, choice := range s.get("oneOf").items {
		value := choice.get("const")
		if value.kind == nodeNone {
			return nil
		}
		out = append(out, option{value, cmp.Or(choice.get("title").text, value.text)})
	}
	return out
}

// spoken derives a title from the name of a member: startDate and start_date become Start date.
func spoken(name string) string {
	text := humps.ReplaceAllStringFunc(name, func(hump string) string { return hump[:1] + " " + strings.ToLower(hump[1:]) })
	text = strings.NewReplacer("_", " ", "-", " ").Replace(text)
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

var humps = regexp.MustCompile(`[a-z][A-Z]`)
