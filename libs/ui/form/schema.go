package form

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/ui/i18n"
)

// Schema is a JSON Schema as far as the pages support it: titles, descriptions and kinds of input.
// The engine validates values.
//
// Titles and descriptions may be translated: title_i18n and description_i18n are objects of texts by language tag.
type Schema struct {
	root   Node // for references
	reader i18n.Reader
	Node
}

func ParseSchema(raw []byte) Schema {
	n := Parse(raw)
	return Schema{root: n, Node: n}.resolve()
}

// For returns the schema with its titles and descriptions for a reader.
func (s Schema) For(r i18n.Reader) Schema {
	s.reader = r
	return s
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
		beside := s.Node // its annotations take precedence
		s.Node = target
		s.Node.Members = slices.Clone(s.Node.Members)
		for _, name := range []string{"title", "title_i18n", "description", "description_i18n"} {
			if said := beside.Get(name); said.Kind != None {
				s.Node.Members = append([]member{{name, said}}, s.Node.Members...)
			}
		}
	}
	return Schema{root: s.root, reader: s.reader}
}

func (s Schema) resolveNode(n Node) Schema { return Schema{s.root, s.reader, n}.resolve() }

// Property returns the schema of a member of an object.
func (s Schema) Property(name string) Schema { return s.resolveNode(s.Get("properties").Get(name)) }

// Item returns the schema of the items of a list.
func (s Schema) Item() Schema { return s.resolveNode(s.Get("items")) }

// Title returns the title of the value. The default is derived from the name of the member.
func (s Schema) Title(name string) string { return s.TitleText(name).Text }

// TitleText is Title with its language.
func (s Schema) TitleText(name string) i18n.Text {
	t := translated(s.reader, s.Node, "title")
	return i18n.Text{Text: cmp.Or(t.Text, Title(name)), Lang: t.Lang}
}

func (s Schema) Help() string { return translated(s.reader, s.Node, "description").Text }

// translated returns a text member of a schema, for a reader.
func translated(r i18n.Reader, n Node, member string) i18n.Text {
	text := n.Get(member).Text
	if text == "" {
		return i18n.Text{}
	}
	translations := map[string]string{}
	for _, m := range n.Get(member + "_i18n").Members {
		translations[m.Name] = m.Value.Text
	}
	return r.Translate(translations, text)
}

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
		out = append(out, option{value, cmp.Or(translated(s.reader, choice, "title").Text, value.Text)})
	}
	return out
}

// Title derives a title from the name of a member: startDate and start_date become Start date.
func Title(name string) string {
	text := humps.ReplaceAllStringFunc(name,
		func(hump string) string { return hump[:1] + " " + strings.ToLower(hump[1:]) })
	text = strings.NewReplacer("_", " ", "-", " ").Replace(text)
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

var humps = regexp.MustCompile(`[a-z][A-Z]`)
