package form

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Schema is a JSON Schema as far as the pages support it: titles, descriptions and kinds of input.
// The engine validates values.
type Schema struct {
	root Node // for references
	Node
}

func ParseSchema(raw []byte) Schema {
	n := Parse(raw)
	return Schema{n, n}.resolve()
}

// resolve follows references within the document, at most eight.
func (s Schema) resolve() Schema {
	for range 8 {
		pointer, refers := strings.CutPrefix(s.Get("$ref").Text, "#")
		if !refers {
			return s
		}
		target := s.root
		for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
			if step == "" {
				continue
			}
			step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
			if i, err := strconv.Atoi(step); err == nil && target.Kind == List && i >= 0 && i < len(target.Items) {
				target = target.Items[i]
				continue
			}
			target = target.Get(step)
		}
		title, help := s.Get("title"), s.Get("description") // annotations beside a reference take precedence
		s.Node = target
		s.Node.Members = slices.Clone(s.Node.Members)
		for _, said := range []member{{"title", title}, {"description", help}} {
			if said.Value.Kind != None {
				s.Node.Members = append([]member{said}, s.Node.Members...)
			}
		}
	}
	return Schema{root: s.root}
}

func (s Schema) resolveNode(n Node) Schema { return Schema{s.root, n}.resolve() }

// Property returns the schema of a member of an object.
func (s Schema) Property(name string) Schema { return s.resolveNode(s.Get("properties").Get(name)) }

// Item returns the schema of the items of a list.
func (s Schema) Item() Schema { return s.resolveNode(s.Get("items")) }

// Title returns the title of the value. The default is derived from the name of the member.
func (s Schema) Title(name string) string {
	return cmp.Or(s.Get("title").Text, Title(name))
}

func (s Schema) Help() string { return s.Get("description").Text }

// valueType returns the type of the values; of several types the one other than null.
func (s Schema) valueType() string {
	t := s.Get("type")
	if t.Kind == String {
		return t.Text
	}
	for _, item := range t.Items {
		if !item.equals("null") {
			return item.Text
		}
	}
	switch {
	case s.Get("properties").Kind == Object:
		return "object"
	case len(s.Options()) > 0:
		return "string"
	}
	return ""
}

func (s Schema) Format() string { return s.Get("format").Text }

// option is one of the permitted values.
type option struct {
	Value Node
	Title string
}

// JSON returns the value of the option in forms.
func (o option) JSON() string { return o.Value.JSON() }

// Options returns the values of an enum, or of a oneOf of constants with titles.
func (s Schema) Options() []option {
	var out []option
	for _, value := range s.Get("enum").Items {
		title := value.Text
		if value.Kind != String {
			title = value.JSON()
		}
		out = append(out, option{value, title})
	}
	if out != nil {
		return out
	}
	for _, choice := range s.Get("oneOf").Items {
		value := choice.Get("const")
		if value.Kind == None {
			return nil
		}
		out = append(out, option{value, cmp.Or(choice.Get("title").Text, value.Text)})
	}
	return out
}

// Title derives a title from the name of a member: startDate and start_date become Start date.
func Title(name string) string {
	text := humps.ReplaceAllStringFunc(name, func(hump string) string { return hump[:1] + " " + strings.ToLower(hump[1:]) })
	text = strings.NewReplacer("_", " ", "-", " ").Replace(text)
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

var humps = regexp.MustCompile(`[a-z][A-Z]`)
