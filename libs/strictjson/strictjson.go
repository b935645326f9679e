// Package strictjson accepts JSON documents that every reader reads alike, and returns their canonical
// form.
//
// RFC 8259 permits different results for duplicate members, lone surrogates, a byte order mark, and
// numbers outside the range of a double; encoding/json resolves each silently. Check refuses them, so
// the validated, stored, hashed and signed documents are the same.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDigits bounds the characters of a number in Check. 64 exceed any amount and keep the conversion cheap.
const MaxDigits = 64

// Limits bound the depth and the object size of a document.
type Limits struct {
	Depth   int // nested arrays and objects
	Members int // members of one object
}

// Default are the limits of request bodies.
var Default = Limits{Depth: 64, Members: 1000}

// Kind is the kind of an Error. Its text is the `type` of a 422 detail.
type Kind string

const (
	Invalid   Kind = "json_invalid"       // not a JSON document under the rules
	Duplicate Kind = "json_duplicate_key" // an object names a member twice
	Unfit     Kind = "value_error"        // not a value of the type; see Decode
)

// Error is the first finding in a document. It contains member names but no value.
type Error struct {
	Kind   Kind
	Offset int   // in bytes, from 0
	Path   []any // member names (string) and indexes (int) leading to the finding
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s at byte %d: %s", e.Kind, e.Offset, e.Reason)
}

// Check reports whether data is exactly one JSON document: valid UTF-8 without a byte order mark, no lone
// surrogate, no U+0000 in a string, no duplicate member of an object once unescaped, within the limits, and
// every number finite as a double, of at most 64 characters and of a bounded decimal expansion. The error is
// an *Error.
//
// Canonical accepts every document that Check accepts with the limits Default.
func Check(data []byte, l Limits) error {
	_, err := Scan(data, l)
	return err
}

// Scan is Check. It returns the number of values in the document: scalars, lists and objects, nested ones
// included. It decodes nothing, so the number estimates the cost of decoding in advance.
func Scan(data []byte, l Limits) (values int, err error) { return scan(data, l, nil) }

// scan reads a document once. With out it writes the document there, with the canonical form of numbers.
func scan(data []byte, l Limits, out *jsontext.Encoder) (values int, err error) {
	in := decoders.Get().(*jsontext.Decoder)
	defer decoders.Put(in)
	in.Reset(bytes.NewBuffer(data))
	mayHaveNUL := bytes.Contains(data, []byte(`\u0000`))
	for {
		atEnd := values > 0 && in.StackDepth() == 0
		token, err := in.ReadToken()
		switch {
		case atEnd && err == io.EOF:
			return values, nil
		case err != nil:
			return 0, convert(in, err, len(data))
		}
		refuse := func(size int, reason string) error { // size is that of the token
			return &Error{Invalid, int(in.InputOffset()) - size, path(in, in.StackPointer()), reason}
		}
		parent, size := in.StackIndex(in.StackDepth())
		name := parent == '{' && size%2 == 1
		switch kind := token.Kind(); {
		case atEnd:
			return 0, refuse(1, "data after the document")
		case (kind == '{' || kind == '[') && in.StackDepth() > l.Depth:
			return 0, refuse(1, "nested deeper than "+strconv.Itoa(l.Depth)+" levels")
		case name && size/2 >= int64(l.Members):
			return 0, refuse(0, "object of more than "+strconv.Itoa(l.Members)+" members")
		case kind == '"' && mayHaveNUL && strings.Contains(token.String(), "\x00"):
			return 0, refuse(0, "U+0000 in a string")
		case kind == '0':
			form, reason := number(token.String(), out != nil)
			if reason != "" {
				return 0, refuse(len(token.String()), reason)
			}
			if out != nil {
				_ = out.WriteValue(jsontext.Value(form)) // a buffer takes all of it
			}
		}
		if out != nil && token.Kind() != '0' {
			_ = out.WriteToken(token)
		}
		if kind := token.Kind(); !name && kind != '}' && kind != ']' {
			values++
		}
	}
}

// decoders and encoders keep their tables of names: the events of a call are many small documents.
var (
	decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}
	encoders = sync.Pool{New: func() any { return new(jsontext.Encoder) }}
)

// number returns the canonical form of a number, or the reason to refuse it.
func number(literal string, canonical bool) (form, reason string) {
	digits := 0
	for _, c := range literal {
		if '0' <= c && c <= '9' {
			digits++
		}
	}
	switch {
	case canonical: // 1e70 has a longer canonical form, which must be readable again
	case digits > MaxDigits:
		return "", "number of more than 64 digits"
	case !strings.ContainsAny(literal, "eE"):
		return "", "" // 64 digits alone are finite and short
	}
	form, ok := decimal(literal)
	if _, err := strconv.ParseFloat(literal, 64); err != nil || !ok {
		return "", "number out of range"
	}
	return form, ""
}

// convert returns the finding of an error of jsontext.
func convert(in *jsontext.Decoder, err error, size int) error {
	found, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok { // io.EOF
		return &Error{Kind: Invalid, Offset: size, Reason: "the document is empty"}
	}
	out := &Error{Invalid, int(found.ByteOffset), path(in, found.JSONPointer), found.Err.Error()}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		out.Kind, out.Reason = Duplicate, "member named twice"
	}
	return out
}

// Steps returns the names and indexes of a JSON pointer (RFC 6901). A step of digits is an index.
func Steps(pointer string) []any { return path(nil, jsontext.Pointer(pointer)) }

// Pointer returns the JSON pointer (RFC 6901) of names and indexes.
func Pointer(steps []any) string {
	var pointer jsontext.Pointer
	for _, step := range steps {
		pointer = pointer.AppendToken(fmt.Sprint(step))
	}
	return string(pointer)
}

// path converts a pointer to a value or member that the decoder reads. Without a decoder a step of digits is
// an index.
func path(in *jsontext.Decoder, pointer jsontext.Pointer) (steps []any) {
	for step := range pointer.Tokens() {
		kind := jsontext.Kind('[')
		if in != nil {
			kind, _ = in.StackIndex(min(len(steps)+1, in.StackDepth()))
		}
		if i, err := strconv.Atoi(step); err == nil && kind == '[' {
			steps = append(steps, i)
		} else {
			steps = append(steps, step)
		}
	}
	return steps
}

// Decode decodes a document into v. Member names must be equal to those of v, also in letter case; other
// members are ignored. null for a member equals its absence. An *Error is one of Check, or null as the document
// or as an element of a list of v, which would become a zero value, or a value of another type.
func Decode(data []byte, l Limits, v any) error {
	if err := Check(data, l); err != nil {
		return err
	}
	return decode(data, v)
}

// DecodeClosed is Decode that refuses other members.
func DecodeClosed(data []byte, l Limits, v any) error {
	if err := Check(data, l); err != nil {
		return err
	}
	return decode(data, v, json.RejectUnknownMembers(true))
}

func decode(data []byte, v any, options ...json.Options) error {
	options = append(options, json.WithUnmarshalers(json.UnmarshalFromFunc(func(in *jsontext.Decoder, _ any) error {
		if kind, _ := in.StackIndex(in.StackDepth()); kind != '{' && in.PeekKind() == 'n' {
			return errNull
		}
		return errors.ErrUnsupported // the next decoder of the type
	})))
	err := json.Unmarshal(data, v, options...)
	found, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return &Error{Kind: Unfit, Reason: "is not of the expected form"}
	case errors.Is(err, json.ErrUnknownName):
		return &Error{Unfit, int(found.ByteOffset), path(nil, found.JSONPointer), "is not a known member"}
	}
	return &Error{Unfit, int(found.ByteOffset), path(nil, found.JSONPointer), "is of the wrong type: " + found.JSONKind.String()}
}

var errNull = errors.New("null in the place of a value")
