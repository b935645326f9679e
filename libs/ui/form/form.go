// Package form converts between a JSON document with a schema and the fields of an HTML form.
package form

import (
	"cmp"
	"encoding/json"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/ui/i18n"
)

// Input is a form field for a value of a schema.
type Input struct {
	Name     string // name of the form value and id of the element
	Title    string
	Lang     string // of the title, if it differs from that of the page
	Help     string
	Kind     string // see the template input
	Value    string
	Required bool
	Error    string
	Options  []Choice // of a choice or boxes; proposals for a text or a person
	Searched bool     // the options are the result of a search
	Filter   bool     // of a list
	Hint     string   // after the field: the name of a user
	Inputs   []Input  // of a group; of a list its items
	Currency string
	Item     bool // of a list: it can be removed
	Full     bool // the list has reached its limit
	Limit    int  // maximum number of characters; 0 if unlimited
}

// Position returns the position of an item in its list, from 1.
func (in Input) Position() string {
	n, _ := strconv.Atoi(in.Name[strings.LastIndexByte(in.Name, '/')+1:]) // 0 for other inputs
	return strconv.Itoa(n + 1)
}

// Rows returns the number of lines of the element of a long text; 0 for other kinds. That of a line grows.
func (in Input) Rows() int { return map[string]int{"line": 1, "long": 4, "json": 6}[in.Kind] }

// Type returns the type of the element of a short text.
func (in Input) Type() string {
	types := map[string]string{"date": "date", "time": "datetime-local", "email": "email", "url": "url"}
	return cmp.Or(types[in.Kind], "text")
}

// HasEmpty reports whether a choice offers none of its options.
func (in Input) HasEmpty() bool {
	return !slices.ContainsFunc(in.Options, func(c Choice) bool { return c.Value == "" || in.Required && c.Chosen })
}

// HasFind reports whether a button finds a user. In a search, the script of the page proposes users.
func (in Input) HasFind() bool { return in.Kind == "person" && !in.Filter }

// HasList reports whether a short text has proposals. Those of a person are found during input.
func (in Input) HasList() bool {
	return in.Kind == "person" || in.Kind == "text" && len(in.Options) > 0
}

// Must returns a required field.
func (in Input) Must() Input {
	in.Required = true
	return in
}

// WithHelp returns a field with a help text.
func (in Input) WithHelp(text string) Input {
	in.Help = text
	return in
}

// WithOptions returns a field with options, of which that of its value is chosen.
func (in Input) WithOptions(options ...Choice) Input {
	in.Options = slices.Clone(options)
	for i := range in.Options {
		in.Options[i].Chosen = in.Options[i].Value == in.Value
	}
	return in
}

type Choice struct {
	Value, Title string
	Chosen       bool
}

const (
	formDepth = 6  // deeper values are entered as JSON
	formItems = 50 // per list
)

// builder converts between a document with a schema and form fields. The engine validates the
// document; the form reports errors that belong to a field.
type builder struct {
	i18n.Reader
	values url.Values // as submitted; nil to show the document
	bad    int        // fields with an error
}

// Fields returns the fields of a document and the document that was read. values are the submitted
// values, or nil. prefix begins the names of the fields. It reports whether no field has an error.
func Fields(r i18n.Reader, schemaText []byte, document Node, values url.Values, prefix string) ([]Input, Node, bool) {
	f := &builder{Reader: r, values: values}
	s := ParseSchema(schemaText).For(r)
	inputs, read := f.members(s, document, prefix, 0)
	return inputs, read, f.bad == 0
}

// members returns the fields of an object and their values.
func (f *builder) members(s Schema, document Node, name string, depth int) ([]Input, Node) {
	read := Node{Kind: Object}
	var inputs []Input
	for _, p := range s.Get("properties").Members {
		own := s.Property(p.Name)
		in, value := f.field(own, document.Get(p.Name), name+"/"+url.PathEscape(p.Name), s.Get("required").Contains(p.Name),
			depth+1)
		title := own.TitleText(p.Name)
		in.Title, in.Lang, in.Help = title.Text, title.Lang, own.Help()
		inputs = append(inputs, in)
		if value.Kind != None {
			read.Members = append(read.Members, member{p.Name, value})
		}
	}
	return inputs, read
}

// field returns one field and its value.
func (f *builder) field(s Schema, shown Node, name string, required bool, depth int) (Input, Node) {
	if shown.Kind == None && f.values == nil {
		shown = s.Get("default")
	}
	in := Input{Name: name, Required: required, Value: shown.Text}
	sent := strings.TrimSpace(f.values.Get(name))
	if f.values != nil {
		in.Value = f.values.Get(name)
	}
	if options := s.Options(); len(options) > 0 {
		return f.choose(in, options, shown, sent)
	}
	var value Node
	switch typ := s.valueType(); {
	case typ == "object" && s.Get("properties").Kind == Object && depth < formDepth:
		in.Kind = "group"
		in.Inputs, value = f.members(s, shown, name, depth)
		if !required && len(value.Members) == 0 {
			value = Node{}
		}
		return in, value
	case typ == "array" && depth < formDepth:
		return f.list(in, s, shown, depth)
	case typ == "boolean":
		in.Kind = "yes"
		if f.values == nil && shown.Truth || f.values.Has(name) {
			in.Value = "on"
		}
		return in, Node{Kind: Bool, Truth: f.values.Has(name)}
	case typ == "number" || typ == "integer":
		in.Kind, in.Currency = "number", s.Get("x-currency").Text
		value = f.number(&in, s, sent, typ == "integer")
	case typ == "string":
		value = f.text(&in, s, shown, sent)
	default:
		value = f.parseRaw(&in, shown, sent)
	}
	if f.values != nil && sent == "" && required {
		f.addError(&in, "form.required")
	}
	return in, value
}

func (f *builder) addError(in *Input, key string, about ...any) {
	if in.Error == "" {
		in.Error = f.T(key, about...)
		f.bad++
	}
}

func (f *builder) choose(in Input, options []option, shown Node, sent string) (Input, Node) {
	in.Kind = "choice"
	current := sent
	if f.values == nil && shown.Kind != None {
		current = shown.JSON()
	}
	var value Node
	for _, o := range options {
		c := Choice{o.JSON(), o.Title, o.JSON() == current}
		if c.Chosen {
			value = o.Value
		}
		in.Options = append(in.Options, c)
	}
	if f.values != nil && value.Kind == None {
		switch {
		case sent != "":
			f.addError(&in, "form.choice")
		case in.Required:
			f.addError(&in, "form.required")
		}
	}
	return in, value
}

// list returns the fields of the items of a list, and their number.
func (f *builder) list(in Input, s Schema, shown Node, depth int) (Input, Node) {
	in.Kind = "list"
	read := Node{Kind: List}
	count := len(shown.Items)
	if f.values != nil {
		count, _ = strconv.Atoi(f.values.Get(in.Name + "#")) // 0 if absent
	} else if count == 0 && in.Required {
		count = 1
	}
	most := formItems
	if n, err := strconv.Atoi(s.Get("maxItems").Text); err == nil {
		most = min(most, n)
	}
	count = max(0, min(count, most))
	item := s.Item()
	for i := range count {
		name := in.Name + "/" + strconv.Itoa(i)
		if f.values.Get("remove") == name {
			continue
		}
		var old Node
		if i < len(shown.Items) {
			old = shown.Items[i]
		}
		one, value := f.field(item, old, name, true, depth+1)
		one.Item, one.Title = true, translated(f.Reader, item.Node, "title").Text
		in.Inputs = append(in.Inputs, one.rename(name, in.Name+"/"+strconv.Itoa(len(in.Inputs))))
		if value.Kind != None {
			read.Items = append(read.Items, value)
		}
	}
	if f.values.Get("add") == in.Name && len(in.Inputs) < most {
		one, _ := (&builder{Reader: f.Reader}).field(item, Node{}, in.Name+"/"+strconv.Itoa(len(in.Inputs)), true, depth+1)
		one.Item, one.Title = true, translated(f.Reader, item.Node, "title").Text
		in.Inputs = append(in.Inputs, one)
	}
	in.Full = len(in.Inputs) >= most
	if len(read.Items) == 0 && !in.Required {
		return in, Node{}
	}
	return in, read
}

// rename returns a field and its children at another index of their list.
func (in Input) rename(from, to string) Input {
	if rest, ok := strings.CutPrefix(in.Name, from); ok {
		in.Name = to + rest
	}
	in.Inputs = slices.Clone(in.Inputs)
	for i := range in.Inputs {
		in.Inputs[i] = in.Inputs[i].rename(from, to)
	}
	return in
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// plainDigit returns the ASCII form of a digit or a separator of any script, and -1 for a separator of groups.
func plainDigit(r rune) rune {
	switch {
	case r == '٫':
		return '.'
	case r == '−':
		return '-'
	case unicode.IsSpace(r) || r == '٬':
		return -1
	case r <= unicode.MaxASCII || !unicode.IsDigit(r):
		return r
	}
	for _, block := range unicode.Nd.R16 {
		if low := rune(block.Lo); r >= low && r <= rune(block.Hi) {
			return '0' + (r-low)%10
		}
	}
	for _, block := range unicode.Nd.R32 {
		low, high := rune(block.Lo), rune(block.Hi) // #nosec G115 -- code points
		if r >= low && r <= high {
			return '0' + (r-low)%10
		}
	}
	return r
}

// number parses a number in the reader's notation, with the digits of any script.
func (f *builder) number(in *Input, s Schema, sent string, whole bool) Node {
	digits := strings.Map(plainDigit, sent)
	if strings.Count(digits, ",") == 1 && !strings.Contains(digits, ".") {
		digits = strings.Replace(digits, ",", ".", 1)
	}
	digits = strings.TrimPrefix(digits, "+")
	if digits == "" {
		return Node{}
	}
	if !decimal.MatchString(digits) || len(digits) > 60 {
		f.addError(in, "form.number")
		return Node{}
	}
	if whole && strings.Contains(digits, ".") {
		f.addError(in, "form.integer")
		return Node{}
	}
	value, _ := new(big.Rat).SetString(digits)
	bound := func(keyword, words string, fits func(int) bool) {
		limit, ok := new(big.Rat).SetString(s.Get(keyword).Text)
		if ok && !fits(value.Cmp(limit)) {
			f.addError(in, words, f.Number(s.Get(keyword).Text))
		}
	}
	bound("minimum", "form.minimum", func(c int) bool { return c >= 0 })
	bound("maximum", "form.maximum", func(c int) bool { return c <= 0 })
	bound("exclusiveMinimum", "form.above", func(c int) bool { return c > 0 })
	bound("exclusiveMaximum", "form.below", func(c int) bool { return c < 0 })
	return Node{Kind: Number, Text: digits}
}

// longText is the maximum length from which a text field has several lines.
const longText = 200

// text parses a string: a date, a time, an address, or any text.
func (f *builder) text(in *Input, s Schema, shown Node, sent string) Node {
	in.Kind = "text"
	limit := func(keyword string) int {
		n, err := strconv.Atoi(s.Get(keyword).Text)
		if err != nil {
			return -1
		}
		return n
	}
	switch s.Format() {
	case "date":
		in.Kind = "date"
		if _, err := time.Parse(time.DateOnly, sent); sent != "" && err != nil {
			f.addError(in, "form.date")
		}
	case "date-time":
		return f.parseMoment(in, shown, sent)
	case "email":
		in.Kind = "email"
		if sent != "" && (strings.Count(sent, "@") != 1 || strings.ContainsAny(sent, " ,;")) {
			f.addError(in, "form.email")
		}
	case "uri":
		in.Kind = "url"
		if u, err := url.Parse(sent); sent != "" && (err != nil || u.Scheme == "") {
			f.addError(in, "form.url")
		}
	default:
		if limit("maxLength") >= longText {
			in.Kind = "long"
		}
	}
	in.Limit = max(limit("maxLength"), 0)
	if sent == "" {
		return Node{}
	}
	if n := limit("maxLength"); n >= 0 && utf8.RuneCountInString(sent) > n {
		f.addError(in, "form.longer", n)
	}
	if n := limit("minLength"); n >= 0 && utf8.RuneCountInString(sent) < n {
		f.addError(in, "form.shorter", n)
	}
	if pattern := s.Get("pattern").Text; pattern != "" {
		if expression, err := regexp.Compile(pattern); err == nil && !expression.MatchString(sent) {
			f.addError(in, "form.pattern")
		}
	}
	return Node{Kind: String, Text: strings.ReplaceAll(sent, "\r\n", "\n")}
}

// minutes is the format of browsers for a time without a zone.
const minutes = "2006-01-02T15:04"

// parseMoment parses a time in the reader's time zone.
func (f *builder) parseMoment(in *Input, shown Node, sent string) Node {
	in.Kind = "time"
	if f.values == nil {
		if at, err := time.Parse(time.RFC3339, shown.Text); err == nil {
			in.Value = at.In(f.Zone).Format(minutes)
		}
	}
	if sent == "" {
		return Node{}
	}
	at, err := time.ParseInLocation(minutes, sent, f.Zone)
	if err != nil {
		f.addError(in, "form.time")
		return Node{}
	}
	return Node{Kind: String, Text: at.UTC().Format(time.RFC3339)}
}

// parseRaw parses JSON for values without a supported schema.
func (f *builder) parseRaw(in *Input, shown Node, sent string) Node {
	in.Kind = "json"
	if f.values == nil && shown.Kind != None {
		in.Value = Indent([]byte(shown.JSON()))
	}
	if sent == "" {
		return Node{}
	}
	if _, err := strictjson.Canonical([]byte(sent)); err != nil {
		f.addError(in, "form.json")
	}
	return Parse([]byte(sent))
}

// edits are the names of the buttons that change only the fields of a form: a list item is added or removed, a user is
// searched, rows are selected, or a later page leads back to the form.
var edits = []string{"add", "remove", "find", "select", "edit"}

// Edits reports whether a form was submitted only to change its fields.
func Edits(values url.Values) bool { return slices.ContainsFunc(edits, values.Has) }

// RefusedField returns the field of a refusal; nil if it has none. pointer is a JSON Pointer into the
// document.
func RefusedField(inputs []Input, prefix, pointer string) *Input {
	steps := strings.Split(pointer, "/")[1:]
	for n := len(steps); n > 0; n-- {
		name := prefix
		for _, step := range steps[:n] {
			name += "/" + url.PathEscape(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		}
		if in := find(inputs, name); in != nil {
			return in
		}
	}
	return nil
}

// SetErrors replaces the errors of the fields, by name.
func SetErrors(inputs []Input, errorOf func(name string) string) {
	for i := range inputs {
		inputs[i].Error = errorOf(inputs[i].Name)
		SetErrors(inputs[i].Inputs, errorOf)
	}
}

// FieldError is the error of a field.
type FieldError struct {
	Field string `json:"field"` // name and id
	Label string `json:"label"`
	Text  string `json:"text"`
	Lang  string `json:"lang,omitempty"` // of the text, if it differs from that of the page
}

// Errors returns the errors of the fields, in the order of the page.
func Errors(inputs []Input) (errs []FieldError) {
	for _, in := range inputs {
		if in.Error != "" {
			errs = append(errs, FieldError{Field: in.Name, Label: in.Title, Text: in.Error})
		}
		errs = append(errs, Errors(in.Inputs)...)
	}
	return errs
}

func find(inputs []Input, name string) *Input {
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

// SafeLink returns an address that a page may link to, or "". Only absolute http and https URLs
// without user information are safe.
func SafeLink(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return u.String()
}

// Indent returns indented JSON.
func Indent(raw []byte) string {
	text, err := json.MarshalIndent(json.RawMessage(raw), "", "  ")
	if err != nil {
		return string(raw)
	}
	return string(text)
}
