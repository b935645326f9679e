package inbox

import (
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/strictjson"
)

// input is a form field for a value of a schema.
type input struct {
	Name     string // name of the form value and id of the element
	Title    string
	Help     string
	Kind     string // text, long, number, date, time, email, url, choice, yes, group, list, json
	Value    string
	Required bool
	Error    string
	Options  []choice
	Inputs   []input // of a group; of a list its items
	Currency string
	Item     bool // of a list: it can be removed
	Full     bool // the list has reached its limit
}

type choice struct {
	Value, Title string
	Chosen       bool
}

const (
	formDepth = 6  // deeper values are entered as JSON
	formItems = 50 // per list
)

// form converts between a document with a schema and form fields. The engine validates the
// document; the form reports errors that belong to a field.
type form struct {
	reader
	values url.Values // as submitted; nil to show the document
	bad    int        // fields with an error
}

// formOf returns the fields of a document and the document that was read. values are the submitted
// values, or nil.
func (v *visit) formOf(schemaText []byte, document node, values url.Values, prefix string) ([]input, node, bool) {
	f := &form{reader: v.reader, values: values}
	s := parseSchema(schemaText)
	inputs, read := f.members(s, document, prefix, 0)
	return inputs, read, f.bad == 0
}

// members returns the fields of an object and their values.
func (f *form) members(s schema, document node, name string, depth int) ([]input, node) {
	read := node{kind: nodeObject}
	var inputs []input
	for _, p := range s.get("properties").members {
		own := s.property(p.name)
		in, value := f.field(own, document.get(p.name), name+"/"+url.PathEscape(p.name), s.get("required").has(p.name), depth+1)
		in.Title, in.Help = own.title(p.name), own.help()
		inputs = append(inputs, in)
		if value.kind != nodeNone {
			read.members = append(read.members, member{p.name, value})
		}
	}
	return inputs, read
}

// field returns one field and its value.
func (f *form) field(s schema, shown node, name string, required bool, depth int) (input, node) {
	if shown.kind == nodeNone && f.values == nil {
		shown = s.get("default")
	}
	in := input{Name: name, Required: required, Value: shown.text}
	sent := strings.TrimSpace(f.values.Get(name))
	if f.values != nil {
		in.Value = f.values.Get(name)
	}
	if options := s.options(); len(options) > 0 {
		return f.choose(in, options, shown, sent)
	}
	var value node
	switch typ := s.typ(); {
	case typ == "object" && s.get("properties").kind == nodeObject && depth < formDepth:
		in.Kind = "group"
		in.Inputs, value = f.members(s, shown, name, depth)
		if !required && len(value.members) == 0 {
			value = node{}
		}
		return in, value
	case typ == "array" && depth < formDepth:
		return f.list(in, s, shown, depth)
	case typ == "boolean":
		in.Kind = "yes"
		if f.values == nil && shown.truth || f.values.Has(name) {
			in.Value = "on"
		}
		return in, node{kind: nodeBool, truth: f.values.Has(name)}
	case typ == "number" || typ == "integer":
		in.Kind, in.Currency = "number", s.get("x-currency").text
		value = f.number(&in, s, sent, typ == "integer")
	case typ == "string":
		value = f.text(&in, s, shown, sent)
	default:
		value = f.raw(&in, shown, sent)
	}
	if f.values != nil && sent == "" && required {
		f.wrong(&in, "form.required")
	}
	return in, value
}

func (f *form) wrong(in *input, key string, about ...any) {
	if in.Error == "" {
		in.Error = f.T(key, about...)
		f.bad++
	}
}

func (f *form) choose(in input, options []option, shown node, sent string) (input, node) {
	in.Kind = "choice"
	current := sent
	if f.values == nil && shown.kind != nodeNone {
		current = shown.json()
	}
	var value node
	for _, o := range options {
		c := choice{o.JSON(), o.Title, o.JSON() == current}
		if c.Chosen {
			value = o.Value
		}
		in.Options = append(in.Options, c)
	}
	if f.values != nil && value.kind == nodeNone {
		switch {
		case sent != "":
			f.wrong(&in, "form.choice")
		case in.Required:
			f.wrong(&in, "form.required")
		}
	}
	return in, value
}

// list returns the fields of the items of a list, and their number.
func (f *form) list(in input, s schema, shown node, depth int) (input, node) {
	in.Kind = "list"
	read := node{kind: nodeList}
	count := len(shown.items)
	if f.values != nil {
		count, _ = strconv.Atoi(f.values.Get(in.Name + "#")) // 0 if absent
	} else if count == 0 && in.Required {
		count = 1
	}
	most := formItems
	if n, err := strconv.Atoi(s.get("maxItems").text); err == nil {
		most = min(most, n)
	}
	count = max(0, min(count, most))
	item := s.item()
	for i := range count {
		name := in.Name + "/" + strconv.Itoa(i)
		if f.values.Get("remove") == name {
			continue
		}
		var old node
		if i < len(shown.items) {
			old = shown.items[i]
		}
		one, value := f.field(item, old, name, true, depth+1)
		one.Item, one.Title = true, item.get("title").text
		in.Inputs = append(in.Inputs, one.renamed(name, in.Name+"/"+strconv.Itoa(len(in.Inputs))))
		if value.kind != nodeNone {
			read.items = append(read.items, value)
		}
	}
	if f.values.Get("add") == in.Name && len(in.Inputs) < most {
		one, _ := (&form{reader: f.reader}).field(item, node{}, in.Name+"/"+strconv.Itoa(len(in.Inputs)), true, depth+1)
		one.Item, one.Title = true, item.get("title").text
		in.Inputs = append(in.Inputs, one)
	}
	in.Full = len(in.Inputs) >= most
	if len(read.items) == 0 && !in.Required {
		return in, node{}
	}
	return in, read
}

// renamed returns a field and its children at another index of their list.
func (in input) renamed(from, to string) input {
	if rest, ok := strings.CutPrefix(in.Name, from); ok {
		in.Name = to + rest
	}
	in.Inputs = slices.Clone(in.Inputs)
	for i := range in.Inputs {
		in.Inputs[i] = in.Inputs[i].renamed(from, to)
	}
	return in
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// number parses a number in the reader's notation.
func (f *form) number(in *input, s schema, sent string, whole bool) node {
	digits := strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "−", "-").Replace(sent)
	if strings.Count(digits, ",") == 1 && !strings.Contains(digits, ".") {
		digits = strings.Replace(digits, ",", ".", 1)
	}
	digits = strings.TrimPrefix(digits, "+")
	if digits == "" {
		return node{}
	}
	if !decimal.MatchString(digits) || len(digits) > 60 {
		f.wrong(in, "form.number")
		return node{}
	}
	if whole && strings.Contains(digits, ".") {
		f.wrong(in, "form.integer")
		return node{}
	}
	value, _ := new(big.Rat).SetString(digits)
	bound := func(keyword, words string, fits func(int) bool) {
		limit, ok := new(big.Rat).SetString(s.get(keyword).text)
		if ok && !fits(value.Cmp(limit)) {
			f.wrong(in, words, f.Number(s.get(keyword).text))
		}
	}
	bound("minimum", "form.minimum", func(c int) bool { return c >= 0 })
	bound("maximum", "form.maximum", func(c int) bool { return c <= 0 })
	bound("exclusiveMinimum", "form.above", func(c int) bool { return c > 0 })
	bound("exclusiveMaximum", "form.below", func(c int) bool { return c < 0 })
	return node{kind: nodeNumber, text: digits}
}

// longText is the maximum length from which a text field has several lines.
const longText = 200

// text parses a string: a date, a time, an address, or any text.
func (f *form) text(in *input, s schema, shown node, sent string) node {
	in.Kind = "text"
	limit := func(keyword string) int {
		n, err := strconv.Atoi(s.get(keyword).text)
		if err != nil {
			return -1
		}
		return n
	}
	switch s.format() {
	case "date":
		in.Kind = "date"
		if _, err := time.Parse(time.DateOnly, sent); sent != "" && err != nil {
			f.wrong(in, "form.date")
		}
	case "date-time":
		return f.moment(in, shown, sent)
	case "email":
		in.Kind = "email"
		if sent != "" && (strings.Count(sent, "@") != 1 || strings.ContainsAny(sent, " ,;")) {
			f.wrong(in, "form.email")
		}
	case "uri":
		in.Kind = "url"
		if u, err := url.Parse(sent); sent != "" && (err != nil || u.Scheme == "") {
			f.wrong(in, "form.url")
		}
	default:
		if limit("maxLength") >= longText {
			in.Kind = "long"
		}
	}
	if sent == "" {
		return node{}
	}
	if n := limit("maxLength"); n >= 0 && utf8.RuneCountInString(sent) > n {
		f.wrong(in, "form.longer", n)
	}
	if n := limit("minLength"); n >= 0 && utf8.RuneCountInString(sent) < n {
		f.wrong(in, "form.shorter", n)
	}
	if pattern := s.get("pattern").text; pattern != "" {
		if expression, err := regexp.Compile(pattern); err == nil && !expression.MatchString(sent) {
			f.wrong(in, "form.pattern")
		}
	}
	return node{kind: nodeString, text: strings.ReplaceAll(sent, "\r\n", "\n")}
}

// minutes is the format of browsers for a time without a zone.
const minutes = "2006-01-02T15:04"

// moment parses a time in the reader's time zone.
func (f *form) moment(in *input, shown node, sent string) node {
	in.Kind = "time"
	if f.values == nil {
		if at, err := time.Parse(time.RFC3339, shown.text); err == nil {
			in.Value = at.In(f.Zone).Format(minutes)
		}
	}
	if sent == "" {
		return node{}
	}
	at, err := time.ParseInLocation(minutes, sent, f.Zone)
	if err != nil {
		f.wrong(in, "form.time")
		return node{}
	}
	return node{kind: nodeString, text: at.UTC().Format(time.RFC3339)}
}

// raw parses JSON for values without a supported schema.
func (f *form) raw(in *input, shown node, sent string) node {
	in.Kind = "json"
	if f.values == nil && shown.kind != nodeNone {
		in.Value = indented([]byte(shown.json()))
	}
	if sent == "" {
		return node{}
	}
	if _, err := strictjson.Canonical([]byte(sent)); err != nil {
		f.wrong(in, "form.json")
	}
	return parseNode([]byte(sent))
}

// edits reports whether a form was submitted only to add or remove a list item.
func edits(values url.Values) bool { return values.Has("add") || values.Has("remove") }

// blame attaches a refusal to its field, if there is one. pointer is a JSON Pointer into the
// document.
func blame(inputs []input, prefix, pointer, message string) bool {
	steps := strings.Split(pointer, "/")[1:]
	for n := len(steps); n > 0; n-- {
		name := prefix
		for _, step := range steps[:n] {
			name += "/" + url.PathEscape(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		}
		if in := find(inputs, name); in != nil {
			in.Error = message
			return true
		}
	}
	return false
}

func find(inputs []input, name string) *input {
	for i := range inputs {
		if inputs[i].Name == name {
			return &inputs[i]
		}
		if in := find(inputs[i].Inputs, name); in != nil {
			return in
		}
	}
	return nil
}
