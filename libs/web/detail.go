package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/libs/nearest"
	"github.com/countersign/countersign/libs/strictjson"
)

// A finding of the validator is a message of the form "type\tmsg". setMessages gives the texts of huma,
// which are variables, this form.
const (
	findNotInteger = "int_parsing\tInput should be a valid integer"
	findNotValid   = "value_error\tInput is not valid"
	findMissing    = "missing\tField required"
	findNotTime    = "datetime_parsing\tInput should be a valid RFC 3339 date and time"
)

// setMessages replaces huma's texts. Texts with the caller's value as argument use %.0v or %.0s, which
// prints nothing.
func setMessages() {
	validation.MsgUnexpectedProperty = "extra_forbidden\t"
	validation.MsgExpectedRequiredProperty = "missing\t%s" // the name; details moves it to loc
	validation.MsgExpectedDependentRequiredProperty = "value_error\tField %s is required when %s is given"

	validation.MsgExpectedBoolean = "bool_type\tInput should be a valid boolean"
	validation.MsgExpectedNumber = "float_type\tInput should be a valid number"
	validation.MsgExpectedInteger = "int_type\tInput should be a valid integer"
	validation.MsgExpectedString = "string_type\tInput should be a valid string"
	validation.MsgExpectedArray = "list_type\tInput should be a valid list"
	validation.MsgExpectedObject = "dict_type\tInput should be a valid object"

	validation.MsgExpectedOneOf = "enum\tInput should be one of %s"
	validation.MsgExpectedConst = "enum\tInput should be %v"
	validation.MsgExpectedMinimumNumber = "greater_than_equal\tInput should be greater than or equal to %v"
	validation.MsgExpectedMaximumNumber = "less_than_equal\tInput should be less than or equal to %v"
	validation.MsgExpectedExclusiveMinimumNumber = "value_error\tInput should be greater than %v"
	validation.MsgExpectedExclusiveMaximumNumber = "value_error\tInput should be less than %v"
	validation.MsgExpectedNumberBeMultipleOf = "value_error\tInput should be a multiple of %v"
	validation.MsgExpectedMinLength = "string_too_short\tString should have at least %d characters"
	validation.MsgExpectedMaxLength = "string_too_long\tString should have at most %d characters"
	validation.MsgExpectedBePattern = "string_pattern_mismatch\tString should be %s"
	validation.MsgExpectedMatchPattern = "string_pattern_mismatch\tString should match pattern %s"
	validation.MsgExpectedMinItems = "too_short\tList should have at least %d items"
	validation.MsgExpectedMaxItems = "too_long\tList should have at most %d items"
	validation.MsgExpectedMinProperties = "too_short\tObject should have at least %d members"
	validation.MsgExpectedMaxProperties = "too_long\tObject should have at most %d members"
	validation.MsgExpectedArrayItemsUnique = "value_error\tList should have no item twice"

	validation.MsgExpectedRFC3339DateTime = findNotTime
	validation.MsgExpectedRFC1123DateTime = "datetime_parsing\tInput should be a valid HTTP date"
	validation.MsgExpectedRFC3339Date = "datetime_parsing\tInput should be a valid date"
	validation.MsgExpectedRFC3339Time = "datetime_parsing\tInput should be a valid time"
	validation.MsgExpectedDuration = "duration_parsing\tInput should be a valid duration%.0v"
	validation.MsgExpectedRFC4122UUID = "uuid_parsing\tInput should be a valid UUID%.0v"
	validation.MsgExpectedRFC3986URI = "url_parsing\tInput should be a valid URL%.0v"
	validation.MsgExpectedRFC6570URITemplate = "url_parsing\tInput should be a valid URI template"
	validation.MsgExpectedRFC5322Email = "value_error\tInput should be a valid e-mail address%.0v"
	validation.MsgExpectedRFC5890Hostname = "value_error\tInput should be a valid host name"
	validation.MsgExpectedRFC2673IPv4 = "value_error\tInput should be a valid IPv4 address"
	validation.MsgExpectedRFC2373IPv6 = "value_error\tInput should be a valid IPv6 address"
	validation.MsgExpectedRFCIPAddr = "value_error\tInput should be a valid IP address"
	validation.MsgExpectedRFC6901JSONPointer = "value_error\tInput should be a valid JSON Pointer"
	validation.MsgExpectedRFC6901RelativeJSONPointer = "value_error\tInput should be a valid relative JSON Pointer"
	validation.MsgExpectedRegexp = "value_error\tInput should be a valid regular expression%.0v"
	validation.MsgExpectedBase64String = "value_error\tInput should be valid base64"

	validation.MsgExpectedMatchAtLeastOneSchema = "value_error\tInput fits none of the allowed forms"
	validation.MsgExpectedMatchExactlyOneSchema = "value_error\tInput fits none of the allowed forms"
	validation.MsgExpectedNotMatchSchema = "value_error\tInput has a form that is not allowed"
	validation.MsgExpectedPropertyNameInObject = findMissing
}

// paramMessages are the beginnings of huma's constant texts about parameters.
var paramMessages = []struct{ prefix, finding string }{
	{"required ", findMissing},
	{"invalid integer", findNotInteger},
	{"invalid float", "float_type\tInput should be a valid number"},
	{"invalid boolean", "bool_type\tInput should be a valid boolean"},
	{"invalid date/time", findNotTime},
	{"invalid url", "url_parsing\tInput should be a valid URL"},
}

// Member names are shielded before huma builds locations such as
// "body.stages[0].key" from them: a name with a dot or bracket would make the
// location ambiguous, and every later one wrong. No name holds U+0000, which
// strict JSON refuses.
var (
	shielding = strings.NewReplacer(".", "\x00d", "[", "\x00b")
	restoring = strings.NewReplacer("\x00d", ".", "\x00b", "[")
)

// shield returns v with the member names of all its objects shielded.
func shield(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			member = shield(member)
			if shielded := shielding.Replace(name); shielded != name {
				delete(v, name)
				name = shielded
			}
			v[name] = member
		}
	case []any:
		for i := range v {
			v[i] = shield(v[i])
		}
	}
	return v
}

// maxSorted bounds the findings that are sorted: a long list of invalid items has thousands.
const maxSorted = 1000

// newUnprocessable converts huma's errors to a 422: parameters first, then the body in document order.
func (c *call) newUnprocessable(op *huma.Operation, errs []error) *unprocessable {
	var found []Detail
	for _, err := range errs[:min(len(errs), maxSorted)] {
		switch e := err.(type) {
		case Detail:
			found = append(found, e)
		case *unprocessable:
			found = append(found, e.Detail...)
		case *huma.ErrorDetail:
			found = append(found, c.translate(op, e))
		default: // a resolver's own error, whose text may hold the value
			found = append(found, Detail{"value_error", []any{"body"}, "Input is not valid"})
		}
	}
	c.sort(found)
	return &unprocessable{append([]Detail{}, found[:min(len(found), maxDetails)]...)}
}

// sort sorts findings by their place in the body, or that of the nearest value around it.
func (c *call) sort(found []Detail) {
	places := map[jsontext.Pointer]int64{"": 0}
	for _, d := range found {
		for p := pointerOf(d.Loc); p != ""; p = p.Parent() {
			places[p] = 0
		}
	}
	in := jsontext.NewDecoder(bytes.NewBuffer(c.body))
	for _, err := in.ReadToken(); err == nil; _, err = in.ReadToken() {
		p := in.StackPointer()
		if place, wanted := places[p]; wanted && place == 0 {
			places[p] = in.InputOffset()
		}
	}
	place := func(d Detail) int64 {
		if d.Loc[0] != "body" {
			return 0
		}
		p := pointerOf(d.Loc)
		for p != "" && places[p] == 0 {
			p = p.Parent()
		}
		return max(places[p], 1)
	}
	slices.SortStableFunc(found, func(a, b Detail) int { return cmp.Compare(place(a), place(b)) })
}

// pointerOf returns the pointer of a location.
func pointerOf(loc []any) jsontext.Pointer { return jsontext.Pointer(strictjson.Pointer(loc[1:])) }

// translate converts a finding of huma.
func (c *call) translate(op *huma.Operation, e *huma.ErrorDetail) Detail {
	message, loc := e.Message, locOf(e.Location)
	for _, m := range paramMessages {
		if strings.HasPrefix(message, m.prefix) {
			message = m.finding
		}
	}
	word, text, ok := strings.Cut(message, "\t")
	text, pointer, decoding := strings.Cut(text, "\t")
	switch {
	case !ok:
		word, text, _ = strings.Cut(findNotValid, "\t") // huma's own text may hold the value
	case decoding: // see decode
		loc = append(loc, strictjson.Steps(pointer)...)
	case word == "missing" && message != findMissing:
		loc, text = append(loc, text), "Field required"
	case word == "extra_forbidden" && op.RequestBody != nil:
		s := bodySchema(op)
		registry := c.server.API.OpenAPI().Components.Schemas
		for _, step := range loc[1 : len(loc)-1] {
			s = descend(registry, s, step)
		}
		return unknownName(loc, memberNames(registry, s))
	case word == "extra_forbidden":
		return unknownName(loc, nil)
	}
	return Detail{word, loc, text}
}

// bodySchema returns the schema of the body of an operation, or nil.
func bodySchema(op *huma.Operation) *huma.Schema {
	if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	return op.RequestBody.Content["application/json"].Schema
}

// findings returns those of huma's validator in a document.
func (s *Server) findings(schema *huma.Schema, document []byte) []error {
	var tree any
	if err := decode(document, &tree); err != nil {
		return []error{err}
	}
	var result huma.ValidateResult
	huma.Validate(s.API.OpenAPI().Components.Schemas, schema, huma.NewPathBuffer([]byte("body"), 4), huma.ModeWriteToServer, tree, &result)
	return result.Errors
}

// unknownName returns the finding of an unknown name, with the most similar known one.
func unknownName(loc []any, known []string) Detail {
	msg := "Extra inputs are not permitted"
	if meant := nearest.Match(loc[len(loc)-1].(string), known); meant != "" {
		msg += "; did you mean '" + meant + "'?"
	}
	return Detail{"extra_forbidden", loc, msg}
}

// resolve follows references.
func resolve(r huma.Registry, s *huma.Schema) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	return s
}

// variants yields the schema and those it is composed of.
func variants(r huma.Registry, s *huma.Schema) []*huma.Schema {
	s = resolve(r, s)
	if s == nil {
		return nil
	}
	all := []*huma.Schema{s}
	for _, sub := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		all = append(all, variants(r, sub)...)
	}
	return all
}

// descend returns the schema of a member or item, or nil.
func descend(r huma.Registry, s *huma.Schema, step any) *huma.Schema {
	for _, s := range variants(r, s) {
		name, isName := step.(string)
		if !isName {
			if s.Items != nil {
				return s.Items
			}
		} else if member := s.Properties[name]; member != nil {
			return member
		} else if other, ok := s.AdditionalProperties.(*huma.Schema); ok {
			return other
		}
	}
	return nil
}

// memberNames returns the sorted names of the members of an object.
func memberNames(r huma.Registry, s *huma.Schema) (names []string) {
	for _, s := range variants(r, s) {
		names = slices.AppendSeq(names, maps.Keys(s.Properties))
	}
	slices.Sort(names)
	return names
}

// UnknownMembers returns the undeclared members of the body in a handler: paths such as request.logoHash,
// sorted within each object, at most maxUnknown of maxUnknownName printable characters.
func UnknownMembers(ctx context.Context) []string {
	c := callOf(ctx)
	var tree any
	if c.schema == nil || json.Unmarshal(c.body, &tree) != nil {
		return nil
	}
	return unknownMembers(c.server.API.OpenAPI().Components.Schemas, c.schema, tree, "", nil)
}

const maxUnknown, maxUnknownName = 20, 64

// unknownMembers appends the undeclared members of v, which is at path, to list. An object without declared
// members may have any.
func unknownMembers(r huma.Registry, s *huma.Schema, v any, path string, list []string) []string {
	object, ok := v.(map[string]any)
	known := memberNames(r, s)
	if !ok || len(known) == 0 {
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if slices.Contains(known, name) {
			list = unknownMembers(r, descend(r, s, name), object[name], path+name+".", list)
			continue
		}
		text := []rune(path + strings.Map(func(c rune) rune {
			if !unicode.IsPrint(c) {
				return -1
			}
			return c
		}, name))
		if len(list) < maxUnknown {
			list = append(list, string(text[:min(len(text), maxUnknownName)]))
		}
	}
	return list
}

// locOf parses a location of huma.
func locOf(location string) []any {
	loc := []any{}
	for i, part := range strings.FieldsFunc(location, func(r rune) bool { return r == '[' }) {
		if i > 0 {
			index, rest, _ := strings.Cut(part, "]")
			n, _ := strconv.Atoi(index)
			loc = append(loc, n)
			if part = strings.TrimPrefix(rest, "."); rest == "" {
				continue
			}
		}
		for name := range strings.SplitSeq(part, ".") {
			loc = append(loc, restoring.Replace(name))
		}
	}
	return loc
}
