package condition

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	lru "github.com/hashicorp/golang-lru/v2"
)

// Scope compiles and evaluates the expressions of policy versions with one context_schema and time zone. It is
// safe for concurrent use.
type Scope struct {
	cel      *cel.Env
	err      error // of the types
	provider *provider
	context  *shape
	zone     *time.Location
	programs *lru.Cache[string, *program] // by expression
}

// scopes is the cache of In. lru.New fails only for a size below one.
var scopes, _ = lru.New[string, *Scope](maxScopes)

// In returns the scope of a context_schema, a JSON Schema or empty, in the time zone of a calendar; an empty zone is
// UTC. The most recent scopes are cached.
func In(contextSchema []byte, zone string) *Scope {
	hash := sha256.Sum256(contextSchema)
	key := string(hash[:]) + zone
	if s, ok := scopes.Get(key); ok {
		return s
	}
	s := newScope(contextSchema, zone)
	scopes.Add(key, s)
	return s
}

// newScope extends the environment by the types of a context_schema. A part of the schema that has no type in CEL,
// such as anyOf, is dynamic.
func newScope(contextSchema []byte, name string) *Scope {
	base, err := environment()
	if err != nil {
		return &Scope{err: err}
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = time.UTC // refused by the policy
	}
	p := &provider{Provider: base.CELTypeProvider(), objects: map[string]*shape{}}
	var document any
	d := json.NewDecoder(bytes.NewReader(contextSchema))
	d.UseNumber()
	_ = d.Decode(&document) // an invalid schema is refused by package schema
	context := p.shape("context", document)
	if k := context.cel.Kind(); k != types.StructKind && k != types.MapKind {
		context = &shape{cel: cel.MapType(cel.StringType, cel.DynType)}
	}
	s := &Scope{provider: p, context: context, zone: zone}
	s.programs, _ = lru.New[string, *program](maxPrograms)
	s.cel, s.err = base.Extend(
		cel.CustomTypeProvider(p),
		cel.Variable("context", context.cel),
		cel.Function("date", cel.Overload("date_string", []*cel.Type{cel.StringType}, cel.TimestampType, cel.UnaryBinding(s.timestamp))),
	)
	return s
}

// Declares returns whether context_schema declares a single value at a place of the content, or the members of an
// object. ok is false for a member that a declared object does not have. A place of any type is a single value.
func (s *Scope) Declares(place []string) (single bool, members []string, ok bool) {
	found := s.context
	for _, name := range place {
		if found.members != nil && found.members[name] == nil {
			return false, nil, false
		}
		found = found.member(name)
	}
	kind := found.cel.Kind()
	single = kind != types.ListKind && kind != types.MapKind && kind != types.StructKind
	return single, slices.Sorted(maps.Keys(found.members)), true
}

// date reads a date, which begins at 00:00 in the zone. RFC 3339 cannot express a time after the year 9999 in UTC.
func (s *Scope) date(text string) (time.Time, bool) {
	at, err := time.ParseInLocation(time.DateOnly, text, s.zone)
	return at, err == nil && at.UTC().Year() <= 9999
}

// timestamp is timestamp(text) and date(text): a timestamp of RFC 3339, or a date.
func (s *Scope) timestamp(v ref.Val) ref.Val {
	if text, ok := v.(types.String); ok {
		if at, ok := s.date(string(text)); ok {
			return types.Timestamp{Time: at}
		}
	}
	return v.ConvertToType(types.TimestampType)
}

const timeForm = "a time such as 2027-01-04T09:00:00Z, nor a date such as 2027-01-04"

// conversions are the functions that convert a text, with the form that it must have.
var conversions = map[string]struct {
	form    string
	convert func(*Scope, ref.Val) ref.Val
}{
	"date":                         {timeForm, (*Scope).timestamp},
	overloads.TypeConvertTimestamp: {timeForm, (*Scope).timestamp},
	overloads.TypeConvertDuration:  {"a duration such as 90m or 1h30m", to(types.DurationType)},
	overloads.TypeConvertDouble:    {"a number such as 12.5", func(_ *Scope, v ref.Val) ref.Val { return double(v) }},
	overloads.TypeConvertInt:       {"a whole number of 64 bits", to(types.IntType)},
	overloads.TypeConvertUint:      {"a whole number of 64 bits, at least 0", to(types.UintType)},
}

func to(t ref.Type) func(*Scope, ref.Val) ref.Val {
	return func(_ *Scope, v ref.Val) ref.Val { return v.ConvertToType(t) }
}

// convert calls a conversion of a member; the path of a computed value is empty.
func (s *Scope) convert(function, member string, v ref.Val) ref.Val {
	c := conversions[function]
	converted := c.convert(s, v)
	if types.IsError(converted) && !types.IsError(v) {
		return types.WrapErr(&argumentError{cmp.Or(member, "the argument of "+function), c.form, quote(v)})
	}
	return converted
}

// argumentError is the failure of a conversion.
type argumentError struct{ member, form, value string }

func (e *argumentError) Error() string { return e.member + " is not " + e.form }

// quote returns at most 64 characters of a text, or a number; another value has no form.
func quote(v ref.Val) string {
	if text, ok := v.(types.String); ok {
		return fmt.Sprintf("%.64q", string(text))
	}
	if n, ok := number(v); ok {
		return n.String()
	}
	return v.Type().TypeName()
}

// shape is the type that a schema gives to a value.
type shape struct {
	cel      *cel.Type
	format   string
	elements *shape            // of a list or a map; nil is dynamic
	members  map[string]*shape // of an object
	required []string
}

// dynamic is the shape of a value without a declared type.
var dynamic = &shape{cel: cel.DynType}

// provider adds the objects of a context_schema to the types of CEL.
type provider struct {
	types.Provider
	objects map[string]*shape // by type name
	missed  atomic.Value      // the type of the last unknown field
}

// shape returns the type of the value at a path.
func (p *provider) shape(path string, schema any) *shape {
	s, ok := schema.(map[string]any)
	if !ok || slices.ContainsFunc([]string{"$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas"},
		func(keyword string) bool { return s[keyword] != nil }) {
		return dynamic
	}
	format, _ := s["format"].(string)
	properties, _ := s["properties"].(map[string]any)
	switch kind := s["type"]; {
	case kind == "string":
		return &shape{cel: cel.StringType, format: format}
	case kind == "boolean":
		return &shape{cel: cel.BoolType}
	case kind == "integer":
		return &shape{cel: cel.IntType}
	case kind == "number":
		return &shape{cel: cel.DoubleType}
	case kind == "array" && s["prefixItems"] == nil:
		elements := p.shape(path+"[]", s["items"])
		return &shape{cel: cel.ListType(elements.cel), elements: elements}
	case (kind == "object" || kind == nil) && len(properties) > 0:
		object := &shape{cel: cel.ObjectType("object(" + path + ")"), members: map[string]*shape{}}
		for name, member := range properties {
			object.members[name] = p.shape(path+"."+name, member)
		}
		required, _ := s["required"].([]any)
		for _, name := range required {
			if name, ok := name.(string); ok {
				object.required = append(object.required, name)
			}
		}
		p.objects[object.cel.TypeName()] = object
		return object
	case kind == "object":
		elements := p.shape(path+".*", s["additionalProperties"])
		if s["patternProperties"] != nil {
			elements = dynamic
		}
		return &shape{cel: cel.MapType(cel.StringType, elements.cel), elements: elements}
	}
	return dynamic
}

// FindStructType implements types.Provider.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if object, ok := p.objects[name]; ok {
		return types.NewTypeTypeWithParam(object.cel), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	object, ok := p.objects[name]
	if !ok {
		return p.Provider.FindStructFieldNames(name)
	}
	var names []string
	for member := range object.members {
		names = append(names, member)
	}
	return names, true
}

// FindStructFieldType implements types.Provider.
func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if object, ok := p.objects[name]; ok {
		if member, ok := object.members[field]; ok {
			return &types.FieldType{Type: member.cel}, true
		}
	} else if found, ok := p.Provider.FindStructFieldType(name, field); ok {
		return found, true
	}
	p.missed.Store(name)
	return nil, false
}

// fields returns the fields of the type in which the last lookup failed.
func (p *provider) fields() []string {
	name, _ := p.missed.Load().(string)
	names, _ := p.FindStructFieldNames(name)
	return slices.Sorted(slices.Values(names))
}

// value converts a decoded JSON value completely, so that an iteration converts nothing. An integer outside 64 bits
// has no value.
func (s *shape) value(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = s.member(name).value(member)
		}
		return types.NewStringInterfaceMap(types.DefaultTypeAdapter, v)
	case []any:
		elements := make([]ref.Val, len(v))
		for i, element := range v {
			elements[i] = s.member("").value(element)
		}
		return types.NewRefValList(types.DefaultTypeAdapter, elements)
	case json.Number:
		d, ok := parseDecimal(v.String())
		switch {
		case !ok:
			return types.NewErr(outOfRange)
		case s.cel != cel.IntType:
			return d
		case !d.IsInt() || !d.Num().IsInt64():
			return types.NewErr(outOfRange)
		}
		return types.Int(d.Num().Int64())
	case string:
		return types.String(v)
	case bool:
		return types.Bool(v)
	default:
		return types.NullValue
	}
}

// member returns the shape of a member or an element.
func (s *shape) member(name string) *shape {
	if member, ok := s.members[name]; ok {
		return member
	}
	if s.elements != nil {
		return s.elements
	}
	return dynamic
}
