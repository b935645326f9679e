// Package policyfile reads policies and their tests from files, checks them and runs the tests, without the service
// and its database.
package policyfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/libs/strictjson"
)

// Limits of a document. An alias counts as its value, so that small files cannot be large documents.
const (
	maxBytes  = 256 << 10 // of the document as JSON: the body that the service accepts
	maxValues = 20_000
	maxDepth  = 64
)

// Problem is one finding in a file.
type Problem struct {
	Line    int
	Pointer string // JSON pointer (RFC 6901)
	Message string
}

// String returns the problem without its file: LINE: POINTER: message.
func (p Problem) String() string {
	return fmt.Sprintf("%d: %s: %s", p.Line, cmp.Or(p.Pointer, "/"), p.Message)
}

// Document is the content of a file as JSON.
type Document struct {
	JSON  []byte
	lines map[string]int // by JSON pointer
}

// Line returns the line of a value, or of the next enclosing value of the document.
func (d Document) Line(pointer string) int {
	for pointer != "" && d.lines[pointer] == 0 {
		pointer = pointer[:strings.LastIndexByte(pointer, '/')]
	}
	return max(d.lines[pointer], 1)
}

func (d Document) problem(pointer, format string, args ...any) Problem {
	return Problem{Line: d.Line(pointer), Pointer: pointer, Message: fmt.Sprintf(format, args...)}
}

// Parse reads a file: JSON if its name ends in .json, else YAML 1.2 with the core schema, without tags and duplicate
// keys.
func Parse(name string, content []byte) (Document, []Problem) {
	doc := Document{lines: map[string]int{}}
	if filepath.Ext(name) == ".json" {
		return parseJSON(content)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var root, second yaml.Node
	if err := decoder.Decode(&root); err != nil {
		return doc, []Problem{yamlProblem(err)}
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return doc, []Problem{{Line: max(second.Line, 1), Message: "must contain one document"}}
	}
	w := writer{Document: doc}
	if len(root.Content) == 1 {
		w.value(root.Content[0], "", 0)
	}
	w.JSON = w.out.Bytes()
	if err := strictjson.Check(w.JSON, strictjson.Default); err != nil && len(w.problems) == 0 {
		found := err.(*strictjson.Error)
		w.refuse(0, strictjson.Pointer(found.Path), "%s", found.Reason)
	}
	return w.Document, w.problems
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlProblem returns a syntax error.
func yamlProblem(err error) Problem {
	if errors.Is(err, io.EOF) {
		return Problem{Line: 1, Message: "the file is empty"}
	}
	text := err.Error()
	line := 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(cmp.Or(m[1], "1"))
		text = text[len(m[0]):]
	}
	return Problem{Line: max(line, 1), Message: "is not YAML: " + text}
}

// writer converts YAML nodes to JSON.
type writer struct {
	Document
	out      bytes.Buffer
	values   int
	problems []Problem
	stopped  bool // above a limit
}

// refuse adds a problem. Line 0 is that of the pointer.
func (w *writer) refuse(line int, pointer, format string, args ...any) {
	p := w.problem(pointer, format, args...)
	p.Line = cmp.Or(line, p.Line)
	w.problems = append(w.problems, p)
}

func (w *writer) value(n *yaml.Node, pointer string, depth int) {
	w.values++
	limit := ""
	switch {
	case w.values > maxValues:
		limit = fmt.Sprintf("the document has more than %d values", maxValues)
	case w.out.Len() > maxBytes:
		limit = fmt.Sprintf("the document is larger than %d KiB", maxBytes>>10)
	case depth > maxDepth:
		limit = fmt.Sprintf("values are nested deeper than %d levels", maxDepth)
	}
	if limit != "" && !w.stopped {
		w.refuse(n.Line, pointer, "%s", limit)
		w.stopped = true
	}
	if w.stopped {
		return
	}
	w.lines[pointer] = cmp.Or(w.lines[pointer], n.Line)
	if n.Style&yaml.TaggedStyle != 0 {
		w.refuse(n.Line, pointer, "tags are not permitted")
	}
	switch n.Kind {
	case yaml.AliasNode:
		w.value(n.Alias, pointer, depth+1)
	case yaml.MappingNode:
		w.object(n, pointer, depth)
	case yaml.SequenceNode:
		w.out.WriteByte('[')
		for i, item := range n.Content {
			if i > 0 {
				w.out.WriteByte(',')
			}
			w.value(item, pointer+"/"+strconv.Itoa(i), depth+1)
		}
		w.out.WriteByte(']')
	default:
		text, err := scalar(n)
		if err != nil {
			w.refuse(n.Line, pointer, "%s", err)
		}
		w.out.WriteString(text)
	}
}

func (w *writer) object(n *yaml.Node, pointer string, depth int) {
	w.out.WriteByte('{')
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		name, err := scalar(key)
		if key.Kind != yaml.ScalarNode || err != nil || !strings.HasPrefix(name, `"`) || key.Style&yaml.TaggedStyle != 0 {
			w.refuse(n.Content[i].Line, pointer, "a key must be a string")
			name = `""`
		}
		at := string(jsontext.Pointer(pointer).AppendToken(key.Value))
		if seen[key.Value] {
			w.refuse(n.Content[i].Line, at, "the key is given twice")
		}
		seen[key.Value] = true
		w.lines[at] = n.Content[i].Line
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.out.WriteString(name + ":")
		w.value(n.Content[i+1], at, depth+1)
	}
	w.out.WriteByte('}')
}

// The plain scalars of the core schema (YAML 1.2.2, section 10.3.2) that are not strings.
var (
	nullScalar  = regexp.MustCompile(`^(null|Null|NULL|~|)$`)
	boolScalar  = regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)
	octalScalar = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`) // or hexadecimal
	floatScalar = regexp.MustCompile(`^([-+]?)([0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?$`)
	wildScalar  = regexp.MustCompile(`^([-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN)$`)
)

// scalar returns a scalar as JSON. Numbers keep their digits.
func scalar(n *yaml.Node) (string, error) {
	text := n.Value
	decimal, isNumber := number(text)
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	switch {
	case quoted:
	case nullScalar.MatchString(text):
		return "null", nil
	case boolScalar.MatchString(text):
		return strings.ToLower(text), nil
	case octalScalar.MatchString(text):
		whole, err := strconv.ParseUint(text, 0, 64)
		if err != nil {
			return "0", errors.New("the number is too large")
		}
		return strconv.FormatUint(whole, 10), nil
	case isNumber:
		return decimal, nil
	case wildScalar.MatchString(text):
		return "0", errors.New("a number must be finite")
	}
	out, err := jsontext.AppendQuote(nil, text)
	return string(out), err
}

// number returns a decimal number of YAML in the form of JSON.
func number(text string) (decimal string, ok bool) {
	parts := floatScalar.FindStringSubmatch(text)
	if parts == nil || strings.Trim(parts[2]+parts[3], ".") == "" { // no digit
		return "", false
	}
	whole, fraction := strings.TrimLeft(parts[2], "0"), parts[3]
	if fraction == "." {
		fraction = ".0"
	}
	return strings.TrimPrefix(parts[1], "+") + cmp.Or(whole, "0") + fraction + parts[4], true
}

func parseJSON(content []byte) (Document, []Problem) {
	doc := Document{JSON: content, lines: map[string]int{}}
	if len(content) > maxBytes {
		return doc, []Problem{doc.problem("", "the document is larger than %d KiB", maxBytes>>10)}
	}
	if err := strictjson.Check(content, strictjson.Default); err != nil {
		found := err.(*strictjson.Error)
		line := 1 + bytes.Count(content[:min(found.Offset, len(content))], []byte("\n"))
		message := "is not JSON: " + found.Reason
		if found.Kind == strictjson.Duplicate {
			message = "the key is given twice"
		}
		return doc, []Problem{{Line: line, Pointer: strictjson.Pointer(found.Path), Message: message}}
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(content))
	line, offset := 1, 0
	for {
		if _, err := decoder.ReadToken(); err != nil { // the end: checked above
			return doc, nil
		}
		now, at := int(decoder.InputOffset()), string(decoder.StackPointer())
		line, offset = line+bytes.Count(content[offset:now], []byte("\n")), now
		doc.lines[at] = cmp.Or(doc.lines[at], line)
	}
}

// sortByLine orders problems as their file does.
func sortByLine(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return problems
}

// parseObject is Parse for an object, without its member $schema, which is for editors. members names the others.
func parseObject(name string, content []byte, members string) (Document, []Problem) {
	doc, problems := Parse(name, content)
	if len(problems) > 0 {
		return doc, sortByLine(problems)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(doc.JSON, &object); err != nil || object == nil {
		return doc, []Problem{doc.problem("", "must be an object with %s", members)}
	}
	if _, ok := object["$schema"]; ok {
		delete(object, "$schema")
		doc.JSON, _ = json.Marshal(object) // decoded JSON always encodes
	}
	return doc, nil
}
