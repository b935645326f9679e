package condition

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// kinds is a set of possible types of a value.
type kinds uint16

const (
	isNull kinds = 1 << iota
	isBool
	isInt
	isUint
	isDouble
	isString
	isBytes
	isTime
	isDuration
	isList
	isObject // a map, or a message of CEL
	isOther

	isAnything = isOther<<1 - 1
	isNumber   = isInt | isUint | isDouble
)

// shape is the schema's description of a value. Zero members, items and others permit any value.
type shape struct {
	may     kinds // every type that the value can have
	usually kinds // the types that it usually has; a part of may

	items *shape // of a list; nil: anything

	members  map[string]shape // the declared members of an object
	required []string         // the members that always exist
	closed   bool             // there are no other members
	others   []*regexp.Regexp // except those with such names; nil is a pattern that Go cannot read
}

var anything = shape{may: isAnything, usually: isAnything}

func kindShape(k kinds) shape { return shape{may: k, usually: k} }

// contextShape returns the shape of the context, an object, by its context_schema. An invalid schema
// permits any object.
func contextShape(schema []byte) shape {
	unknown := kindShape(isObject)
	if len(schema) == 0 {
		return unknown
	}
	var document map[string]any
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	if d.Decode(&document) != nil || isComposed(document) {
		return unknown
	}
	if kind, given := document["type"]; given && kind != "object" {
		return unknown
	}
	return objectShape(document)
}

// isComposed reports whether other schemas also apply to a value.
func isComposed(schema map[string]any) bool {
	return slices.ContainsFunc([]string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"},
		func(keyword string) bool { return schema[keyword] != nil })
}

// shapeOf returns the shape of a value by a JSON Schema. A composed schema permits any value.
func shapeOf(schema any) shape {
	s, ok := schema.(map[string]any)
	if !ok || isComposed(s) {
		return anything
	}
	switch s["type"] {
	case "string":
		return kindShape(isString)
	case "boolean":
		return kindShape(isBool)
	case "integer":
		if isBounded(s) {
			return kindShape(isInt)
		}
		return shape{may: isInt | isDouble, usually: isInt} // beyond 64 bits it is a double
	case "number":
		return shape{may: isAnything, usually: isInt | isDouble}
	case "array":
		list := kindShape(isList)
		if s["prefixItems"] == nil && s["items"] != nil {
			list.items = new(shapeOf(s["items"]))
		}
		return list
	case "object":
		return objectShape(s)
	case nil:
		return shapeOfValues(s)
	default: // several
		return anything
	}
}

// shapeOfValues returns the shape of a schema without a type whose enum has values of one type.
func shapeOfValues(schema map[string]any) shape {
	values, _ := schema["enum"].([]any)
	if value, ok := schema["const"]; ok {
		values = []any{value}
	}
	var found kinds
	for _, value := range values {
		switch value.(type) {
		case string:
			found |= isString
		case bool:
			found |= isBool
		default:
			return anything
		}
	}
	if found != isString && found != isBool {
		return anything
	}
	return kindShape(found)
}

// isBounded reports whether an integer fits 64 bits.
func isBounded(schema map[string]any) bool {
	within := func(inclusive, exclusive string) bool {
		for _, keyword := range []string{inclusive, exclusive} {
			number, ok := schema[keyword].(json.Number)
			if !ok || len(number) > 25 || strings.ContainsAny(string(number), "eE") {
				continue
			}
			if r, ok := new(big.Rat).SetString(string(number)); ok && new(big.Int).Quo(r.Num(), r.Denom()).IsInt64() {
				return true
			}
		}
		return false
	}
	return within("minimum", "exclusiveMinimum") && within("maximum", "exclusiveMaximum")
}

func objectShape(schema map[string]any) shape {
	object := kindShape(isObject)
	if properties, ok := schema["properties"].(map[string]any); ok && len(properties) > 0 {
		object.members = make(map[string]shape, len(properties))
		for name, member := range properties {
			object.members[name] = shapeOf(member)
		}
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok {
			object.required = append(object.required, name)
		}
	}
	object.closed = schema["additionalProperties"] == false || schema["unevaluatedProperties"] == false
	patterns, _ := schema["patternProperties"].(map[string]any)
	for pattern := range patterns {
		re, _ := regexp.Compile(pattern)
		object.others = append(object.others, re)
	}
	if other, ok := schema["additionalProperties"].(map[string]any); ok && len(other) > 0 {
		object.others = append(object.others, nil)
	}
	return object
}

// presence is the certainty of a member's existence.
type presence int

const (
	never      presence = iota // the object is closed and does not have it
	undeclared                 // the schema declares others, and not this one
	optional
	always
)

// member is the shape and the presence of a member.
func (s shape) member(name string) (shape, presence) {
	member, declared := s.members[name]
	if !declared {
		member = anything
	}
	matched := slices.ContainsFunc(s.others, func(re *regexp.Regexp) bool { return re == nil || re.MatchString(name) })
	switch {
	case slices.Contains(s.required, name):
		return member, always
	case declared || matched:
		return member, optional
	case s.closed:
		return member, never
	case len(s.members) > 0:
		return member, undeclared
	default: // the schema does not describe the members
		return member, always
	}
}

// kindsOfTypes maps the static types of CEL.
var kindsOfTypes = map[types.Kind]kinds{
	types.NullTypeKind: isNull, types.BoolKind: isBool, types.IntKind: isInt, types.UintKind: isUint, types.DoubleKind: isDouble,
	types.StringKind: isString, types.BytesKind: isBytes, types.TimestampKind: isTime, types.DurationKind: isDuration,
	types.ListKind: isList, types.MapKind: isObject, types.StructKind: isObject, types.TypeKind: isOther,
}

// shapeOfType returns the shape of a static type of CEL.
func shapeOfType(t *cel.Type) shape {
	kind, known := kindsOfTypes[t.Kind()]
	if !known {
		return anything
	}
	s := kindShape(kind)
	if kind == isList {
		s.items = new(shapeOfType(t.Parameters()[0]))
	}
	return s
}

// String returns the types for a message.
func (k kinds) String() string {
	var names []string
	for i, name := range []string{"null", "bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration", "list", "object"} {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if k == isAnything {
		return "anything"
	}
	return strings.Join(names, " or ")
}
