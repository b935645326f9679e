// Package strictjson accepts JSON documents that every reader reads alike, and returns their canonical
// form.
//
// RFC 8259 permits different results for duplicate members, lone surrogates, a byte order mark, and
// numbers outside the range of a double; encoding/json resolves each silently. Check refuses them, so
// the validated, stored, hashed and signed documents are the same.
package strictjson

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// MaxDigits bounds the digits of a number in Check, exponent included. 64 digits exceed any amount and keep
// the conversion cheap.
const MaxDigits = 64

// Limits bound the depth and the object size of a document.
type Limits struct {
	Depth   int // nested arrays and objects
	Members int // members of one object
}

// Default are the limits of request bodies.
var Default = Limits{Depth: 64, Members: 1000}

// Bounds are the maximum lengths of the lists of a document, by its schema. Nil permits any length, also of
// nested lists.
type Bounds struct {
	Items   *int               // of a list; nil is any number
	Item    *Bounds            // of each item
	Members map[string]*Bounds // of an object, by name
	Others  *Bounds            // of members with another name
}

// item and member return nil without a bound.
func (b *Bounds) item() *Bounds {
	if b == nil {
		return nil
	}
	return b.Item
}

func (b *Bounds) member(name []byte) *Bounds {
	if b == nil {
		return nil
	}
	if known, ok := b.Members[string(name)]; ok {
		return known
	}
	return b.Others
}

// Kind is the kind of an Error. Its text is the `type` of a 422 detail.
type Kind string

const (
	Invalid   Kind = "json_invalid"       // not a JSON document under the rules
	Duplicate Kind = "json_duplicate_key" // an object names a member twice
	TooLong   Kind = "too_long"           // a list has more items than its Bounds allow
)

// Error is the first finding in a document. It contains member names but no value.
type Error struct {
	Kind   Kind
	Offset int   // in bytes, from 0
	Path   []any // member names (string) and indexes (int) leading to the finding
	Reason string
	Most   int // items of the list, if it is TooLong
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s at byte %d: %s", e.Kind, e.Offset, e.Reason)
}

// Check reports whether data is exactly one JSON document: valid UTF-8 without a byte order mark, no lone
// surrogate, no U+0000 in a string, no duplicate member of an object once unescaped, within the limits, and
// every number finite as a double, of at most 64 digits and of a bounded decimal expansion. The error is an
// *Error.
//
// Canonical accepts every document that Check accepts with the limits Default.
func Check(data []byte, l Limits) error {
	_, err := Scan(data, l, nil)
	return err
}

// Scan is Check with Bounds, which may be nil. It returns the number of values in the document: scalars,
// lists and objects, nested ones included. It decodes nothing, so the number estimates the cost of decoding
// in advance.
func Scan(data []byte, l Limits, b *Bounds) (values int, err error) {
	w := walker{data: data, limits: l, bounds: b}
	_, err = w.document(nil)
	return w.values, err
}

// walker reads a document once, from front to back. If canonical is set, its methods append the canonical
// form to dst; otherwise they return dst unchanged.
type walker struct {
	data      []byte
	pos       int
	depth     int
	values    int
	limits    Limits
	bounds    *Bounds // of the value that comes next
	canonical bool

	// Buffers of the canonical form, reused because the events of a call are many small objects.
	members []member // of the objects that are open
	unsort  []byte   // the members of an object as they were read
}

func (w *walker) document(dst []byte) ([]byte, error) {
	if bytes.HasPrefix(w.data, []byte("\ufeff")) {
		return nil, w.invalidError("byte order mark")
	}
	// Checked once for the whole document, so that strings need not be.
	if !utf8.Valid(w.data) {
		for {
			r, size := utf8.DecodeRune(w.data[w.pos:])
			if r == utf8.RuneError && size == 1 {
				return nil, w.invalidError("invalid UTF-8")
			}
			w.pos += size
		}
	}
	dst, err := w.value(dst)
	if err != nil {
		return nil, err
	}
	if w.space(); w.pos < len(w.data) {
		return nil, w.invalidError("data after the document")
	}
	return dst, nil
}

func (w *walker) value(dst []byte) ([]byte, error) {
	w.space()
	w.values++
	switch c := w.peek(); {
	case c == '{':
		return w.readNested(dst, w.object)
	case c == '[':
		return w.readNested(dst, w.array)
	case c == '"':
		s, err := w.str()
		if err != nil || !w.canonical {
			return dst, err
		}
		return appendString(dst, s), nil
	case c == '-' || '0' <= c && c <= '9':
		return w.number(dst)
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(w.data[w.pos:], []byte(word)) {
			w.pos += len(word)
			return w.put(dst, word), nil
		}
	}
	return nil, w.unexpectedToken("a value")
}

// put appends form if the walker is canonical.
func (w *walker) put(dst []byte, form string) []byte {
	if !w.canonical {
		return dst
	}
	return append(dst, form...)
}

// readNested reads an array or object, one level deeper.
func (w *walker) readNested(dst []byte, read func([]byte) ([]byte, error)) ([]byte, error) {
	if w.depth == w.limits.Depth {
		return nil, w.invalidError("nested deeper than " + strconv.Itoa(w.limits.Depth) + " levels")
	}
	w.depth++
	w.pos++ // the bracket
	dst, err := read(dst)
	w.depth--
	return dst, err
}

func (w *walker) array(dst []byte) ([]byte, error) {
	dst = w.put(dst, "[")
	bounds, start := w.bounds, w.pos-1
	for i := 0; !w.end(']'); i++ {
		var err error
		if dst, err = w.comma(dst, i); err != nil {
			return nil, err
		}
		if bounds != nil && bounds.Items != nil && i == *bounds.Items {
			return nil, &Error{Kind: TooLong, Offset: start, Most: i, Reason: "list of more than " + strconv.Itoa(i) + " items"}
		}
		w.bounds = bounds.item()
		if dst, err = w.value(dst); err != nil {
			return nil, prependStep(err, i)
		}
	}
	return w.put(dst, "]"), nil
}

// member is where an object member's canonical form lies in dst, from the start of the object.
type member struct {
	name     []byte
	from, to int
}

// names are the member names of one object. For few names comparison is cheaper than a map.
type names struct {
	few  [16][]byte
	n    int // of few
	many map[string]struct{}
}

// add reports whether the name is new.
func (n *names) add(name []byte) bool {
	if n.n < len(n.few) {
		for _, known := range n.few[:n.n] {
			if bytes.Equal(known, name) {
				return false
			}
		}
		n.few[n.n] = name
		n.n++
		return true
	}
	if n.many == nil {
		n.many = make(map[string]struct{}, 2*len(n.few))
		for _, known := range n.few {
			n.many[string(known)] = struct{}{}
		}
	}
	_, known := n.many[string(name)]
	n.many[string(name)] = struct{}{}
	return !known
}

func (w *walker) object(dst []byte) ([]byte, error) {
	var seen names
	bounds, start, first := w.bounds, len(dst), len(w.members)
	dst = w.put(dst, "{")
	for i := 0; !w.end('}'); i++ {
		var err error
		if dst, err = w.comma(dst, i); err != nil {
			return nil, err
		}
		if i == w.limits.Members {
			return nil, w.invalidError("object of more than " + strconv.Itoa(w.limits.Members) + " members")
		}
		if w.space(); w.peek() != '"' {
			return nil, w.unexpectedToken("a member name")
		}
		at := w.pos
		s, err := w.str()
		if err != nil {
			return nil, err
		}
		if !seen.add(s) {
			return nil, &Error{Kind: Duplicate, Offset: at, Path: []any{string(s)}, Reason: "member named twice"}
		}
		if w.space(); w.peek() != ':' {
			return nil, prependStep(w.unexpectedToken("a colon"), string(s))
		}
		w.pos++
		from := len(dst)
		if w.canonical {
			dst = append(appendString(dst, s), ':')
		}
		w.bounds = bounds.member(s)
		if dst, err = w.value(dst); err != nil {
			return nil, prependStep(err, string(s))
		}
		if w.canonical {
			w.members = append(w.members, member{s, from - start, len(dst) - start})
		}
	}
	if w.canonical {
		w.sort(dst[start:], w.members[first:])
		w.members = w.members[:first]
		dst = append(dst, '}')
	}
	return dst, nil
}

// end reports whether the container ends here, and skips its bracket.
func (w *walker) end(bracket byte) bool {
	if w.space(); w.peek() != bracket {
		return false
	}
	w.pos++
	return true
}

// comma skips the comma before an item except the first. An item must follow: the walker does not check for
// the end again.
func (w *walker) comma(dst []byte, item int) ([]byte, error) {
	if item == 0 {
		return dst, nil
	}
	if w.peek() != ',' {
		return nil, w.unexpectedToken("a comma")
	}
	w.pos++
	w.space()
	return w.put(dst, ","), nil
}

// str reads a string and returns it unescaped. The result may share memory with the document.
func (w *walker) str() ([]byte, error) {
	w.pos++ // the quotation mark
	start := w.pos
	var out []byte // set at the first escape
	for {
		c := w.peek()
		switch {
		case w.pos == len(w.data):
			return nil, w.invalidError("string without an end")
		case c == '"':
			s := w.data[start:w.pos]
			if w.pos++; out != nil {
				s = out
			}
			return s, nil
		case c < 0x20:
			return nil, w.invalidError("control character in a string")
		case c == '\\':
			if out == nil {
				out = append([]byte{}, w.data[start:w.pos]...)
			}
			r, err := w.escape()
			if err != nil {
				return nil, err
			}
			out = utf8.AppendRune(out, r)
		default:
			if out != nil {
				out = append(out, c)
			}
			w.pos++
		}
	}
}

// escapes maps the letter of a short escape to its character.
var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads one escaped character; a surrogate pair is one.
func (w *walker) escape() (rune, error) {
	rest := w.data[w.pos+1:]
	if len(rest) > 0 {
		if r, ok := escapes[rest[0]]; ok {
			w.pos += 2
			return r, nil
		}
	}
	r, ok := hex4(w.data[w.pos:])
	switch {
	case !ok:
		return 0, w.invalidError("malformed escape")
	case r == 0:
		return 0, w.invalidError("U+0000 in a string")
	case 0xD800 <= r && r < 0xDC00:
		low, ok := hex4(w.data[w.pos+6:])
		if !ok || low < 0xDC00 || low > 0xDFFF {
			return 0, w.invalidError("lone surrogate")
		}
		w.pos += 12
		return (r-0xD800)<<10 + (low - 0xDC00) + 0x10000, nil
	case 0xDC00 <= r && r <= 0xDFFF:
		return 0, w.invalidError("lone surrogate")
	}
	w.pos += 6
	return r, nil
}

// hex4 reads the \uXXXX at the start of b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}

// number reads a number of RFC 8259 section 6.
func (w *walker) number(dst []byte) ([]byte, error) {
	start := w.pos
	if w.peek() == '-' {
		w.pos++
	}
	digits := w.digits()
	if digits == 0 || digits > 1 && w.data[w.pos-digits] == '0' {
		return nil, w.invalidError("malformed number")
	}
	if w.peek() == '.' {
		w.pos++
		n := w.digits()
		if n == 0 {
			return nil, w.unexpectedToken("a digit")
		}
		digits += n
	}
	exponent := false
	if c := w.peek(); c == 'e' || c == 'E' {
		exponent = true
		w.pos++
		if c := w.peek(); c == '+' || c == '-' {
			w.pos++
		}
		n := w.digits()
		if n == 0 {
			return nil, w.unexpectedToken("a digit")
		}
		digits += n
	}
	if digits > MaxDigits && !w.canonical { // 1e70 has a longer canonical form, which must be readable again
		return nil, w.invalidAt(start, "number of more than 64 digits")
	}
	if !exponent && !w.canonical {
		return dst, nil // 64 digits alone are finite and short
	}
	literal := string(w.data[start:w.pos])
	if _, err := strconv.ParseFloat(literal, 64); err != nil {
		return nil, w.invalidAt(start, "number out of range")
	}
	form, ok := decimal(literal)
	if !ok {
		return nil, w.invalidAt(start, "number out of range")
	}
	return w.put(dst, form), nil
}

// digits skips decimal digits and returns their number.
func (w *walker) digits() int {
	start := w.pos
	for c := w.peek(); '0' <= c && c <= '9'; c = w.peek() {
		w.pos++
	}
	return w.pos - start
}

// space skips white space.
func (w *walker) space() {
	for w.pos < len(w.data) {
		switch w.data[w.pos] {
		case ' ', '\t', '\r', '\n':
			w.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, or 0 at the end: no rule accepts a NUL.
func (w *walker) peek() byte {
	if w.pos < len(w.data) {
		return w.data[w.pos]
	}
	return 0
}

func (w *walker) invalidError(reason string) error { return w.invalidAt(w.pos, reason) }

func (w *walker) invalidAt(offset int, reason string) error {
	return &Error{Kind: Invalid, Offset: offset, Reason: reason}
}

func (w *walker) unexpectedToken(wanted string) error {
	if w.pos >= len(w.data) {
		return w.invalidError("the document ends where " + wanted + " should be")
	}
	return w.invalidError("expected " + wanted)
}

// prependStep prepends a step to the path of a finding, so that paths are built only for invalid documents.
func prependStep(err error, step any) error {
	e := err.(*Error)
	e.Path = slices.Insert(e.Path, 0, step)
	return e
}
