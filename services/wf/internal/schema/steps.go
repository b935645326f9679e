package schema

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	patterns "github.com/countersign/countersign/services/wf/internal/pattern"
)

// A validation has minSteps, and one more for each byte of the document. A step takes 300 ns to 1 µs. A
// schema that applies once or twice to each value needs a third of a step per byte.
const minSteps = 20_000

// checkSteps bounds the steps of applying each part of a new schema to one value.
const checkSteps = 5 * minSteps

// maxPattern bounds the instructions of a compiled pattern.
const maxPattern = 1000

// formats are the asserted formats with examples. Any other describes a value and does not restrict it.
var formats = map[string]string{
	"date": "2027-01-04", "date-time": "2027-01-04T09:00:00Z", "time": "09:00:00Z", "email": "ana@example.org",
	"uuid": "0193b3c4-5d6e-7f80-9a1b-2c3d4e5f6071",
}

// errTooManySteps refuses a document whose validation would take more than the allowed steps.
var errTooManySteps = invalidPart("", "takes too many steps to validate")

// examine refuses a schema that leads to another document or uses keywords that the steps do not count. It
// removes the formats that are not asserted.
func examine(root *jsonschema.Schema) error {
	for _, s := range reachable(root) {
		switch {
		case !strings.HasPrefix(s.Location, base):
			return remote(s.Location) // the library knows the metaschemas
		case s.DraftVersion != 2020:
			return invalidPart(location(s.Location), "is not of JSON Schema 2020-12")
		case s.DynamicRef != nil:
			return invalidPart(location(s.Location), "uses $dynamicRef")
		case s.Format != nil && formats[s.Format.Name] == "":
			s.Format = nil
		}
	}
	return nil
}

// steps are the steps that are left for a validation. The count is an upper bound: the library stops at a value of
// another type, at one that fails, or at an alternative that fits.
type steps int

// apply takes the steps of applying schemas to v, and reports whether there were as many. A schema may be nil. depth
// counts the schemas that are being applied to v.
func (left *steps) apply(v any, depth int, schemas ...*jsonschema.Schema) bool {
	for _, s := range schemas {
		if s == nil {
			continue
		}
		inPlace, _ := subschemas(s)
		// A depth over maxSchemas: a schema applies itself to v without end.
		if *left -= steps(cost(s, v)); *left < 0 || depth > maxSchemas || !left.apply(v, depth+1, inPlace...) {
			return false
		}
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if !left.apply(member, 0, left.ofMember(s, name)...) || !left.apply(name, 0, s.PropertyNames) {
					return false
				}
			}
		case []any:
			for i, item := range v {
				subs := []*jsonschema.Schema{s.Items2020, s.UnevaluatedItems}
				if i < len(s.PrefixItems) {
					subs = s.PrefixItems[i : i+1]
				}
				if !left.apply(item, 0, subs...) || !left.apply(item, 0, s.Contains) {
					return false
				}
			}
		}
	}
	return true
}

// ofMember returns the subschemas of s for a member of an object. It takes the steps of matching the name.
func (left *steps) ofMember(s *jsonschema.Schema, name string) (subs []*jsonschema.Schema) {
	if sub, known := s.Properties[name]; known {
		subs = append(subs, sub)
	}
	for p, sub := range s.PatternProperties {
		*left -= steps(p.(*pattern).steps(name))
		if p.MatchString(name) {
			subs = append(subs, sub)
		}
	}
	if len(subs) == 0 {
		additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
		subs = append(subs, additional, s.UnevaluatedProperties)
	}
	return subs
}

// cost is the number of steps of the keywords of s for v, without its subschemas.
func cost(s *jsonschema.Schema, v any) int {
	n := 16 + len(s.Required) + len(s.DependentRequired)
	if s.Const != nil {
		n += weight(*s.Const)
	}
	if s.Enum != nil {
		n += weight(s.Enum.Values)
	}
	switch v := v.(type) {
	case map[string]any:
		n += 4 * len(v)
	case []any:
		if n += 4 * len(v); s.UniqueItems { // the library compares each pair of up to twenty items, and hashes more
			n += weight(v) * min(len(v), 20)
			if len(v) > 20 && slices.ContainsFunc(v, isContainer) {
				n += len(v) * len(v) / 6 // hashes of arrays and objects can be made to collide
			}
		}
	case string:
		if n += len(v) / 12; s.Pattern != nil {
			n += 16 * s.Pattern.(*pattern).steps(v)
		}
	}
	return n / 16
}

func isContainer(v any) bool {
	_, object := v.(map[string]any)
	_, list := v.([]any)
	return object || list
}

// weight is the cost of comparing with v in sixteenths of a step. Numbers are compared exactly, which takes a step.
func weight(v any) int {
	n := 1
	switch v := v.(type) {
	case json.Number:
		return 16
	case []any:
		for _, item := range v {
			n += weight(item)
		}
	case map[string]any:
		for _, member := range v {
			n += weight(member)
		}
	}
	return n
}

// reachable returns root and the schemas that it refers to, in breadth-first order.
func reachable(root *jsonschema.Schema) []*jsonschema.Schema {
	found, seen := []*jsonschema.Schema{root}, map[*jsonschema.Schema]bool{root: true, nil: true}
	for i := 0; i < len(found); i++ {
		inPlace, inside := subschemas(found[i])
		for _, sub := range slices.Concat(inPlace, inside) {
			if !seen[sub] {
				seen[sub] = true
				found = append(found, sub)
			}
		}
	}
	return found
}

// subschemas returns the subschemas that s applies to the value itself, and those for its members or items. A
// schema may be nil.
func subschemas(s *jsonschema.Schema) (inPlace, inside []*jsonschema.Schema) {
	inPlace = slices.Concat([]*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else}, s.AllOf, s.AnyOf, s.OneOf)
	inPlace = slices.AppendSeq(inPlace, maps.Values(s.DependentSchemas))
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	inside = append([]*jsonschema.Schema{additional, s.PropertyNames, s.UnevaluatedProperties, s.Items2020, s.Contains, s.UnevaluatedItems},
		s.PrefixItems...)
	inside = slices.AppendSeq(inside, maps.Values(s.Properties))
	return inPlace, slices.AppendSeq(inside, maps.Values(s.PatternProperties))
}

// compilePattern compiles an expression and stores its size.
func compilePattern(expr string) (jsonschema.Regexp, error) {
	re, size, err := patterns.Compile(expr, maxPattern)
	return &pattern{re, size}, err
}

// pattern is a compiled expression and the number of its instructions.
type pattern struct {
	*regexp.Regexp
	size int
}

// steps returns the steps of matching a text.
func (p *pattern) steps(text string) int { return 1 + len(text)*p.size/25 }

// noLoader refuses references to other documents.
type noLoader struct{}

var errRemote = errors.New("only references within the schema are allowed")

// Load implements jsonschema.URLLoader.
func (noLoader) Load(string) (any, error) { return nil, errRemote }
