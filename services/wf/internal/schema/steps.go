package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
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

// formats are the asserted formats. Any other describes a value and does not restrict it.
var formats = []string{"date", "date-time", "time", "email", "uuid"}

// errTooManySteps refuses a document whose validation would take more than the allowed steps.
var errTooManySteps = invalidPart("", "takes too many steps to validate")

// examine refuses a schema that leads to another document or uses keywords that the steps do not count. It
// removes the formats that are not asserted.
func examine(root *jsonschema.Schema, document any) error {
	for _, s := range reachable(root) {
		switch {
		case !strings.HasPrefix(s.Location, base):
			return remote(document, s.Location) // the library knows the metaschemas
		case s.DraftVersion != 2020:
			return invalidPart(location(s.Location), "is not of JSON Schema 2020-12")
		case s.DynamicRef != nil:
			return invalidPart(location(s.Location), "uses $dynamicRef")
		case s.Format != nil && !slices.Contains(formats, s.Format.Name):
			s.Format = nil
		}
	}
	return nil
}

// steps are the steps that are left for a validation. It is an upper bound: the library may stop
// earlier at a value that fails, or at an alternative that fits.
type steps int

// spend takes n steps and reports whether there were as many.
func (left *steps) spend(n int) bool {
	*left -= steps(n)
	return *left >= 0
}

// apply takes the steps of applying s to v, and reports whether there were as many. depth counts the
// schemas that are being applied to v.
func (left *steps) apply(s *jsonschema.Schema, v any, depth int) bool {
	if s.Bool != nil || s.Types != nil && *s.Types&typesOf(v) == 0 {
		return left.spend(1)
	}
	if depth > maxSchemas { // a schema applies itself to v without end
		return false
	}
	n := 1 + (len(s.Required)+len(s.DependentRequired))/16
	if s.Const != nil {
		n += comparison(*s.Const)
	}
	if s.Enum != nil {
		n += comparison(s.Enum.Values)
	}
	if !left.spend(n) {
		return false
	}
	whole, _ := subschemas(s)
	for _, sub := range whole {
		if !left.apply(sub, v, depth+1) {
			return false
		}
	}
	switch v := v.(type) {
	case map[string]any:
		return left.object(s, v)
	case []any:
		return left.array(s, v)
	case string:
		return left.spend(len(v)/200) && (s.Pattern == nil || left.spend(s.Pattern.(*pattern).steps(v)))
	}
	return true
}

func (left *steps) object(s *jsonschema.Schema, object map[string]any) bool {
	if !left.spend(len(object) / 4) {
		return false
	}
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, member := range object {
		sub, known := s.Properties[name]
		if known && !left.apply(sub, member, 0) {
			return false
		}
		for p, sub := range s.PatternProperties {
			if !left.spend(p.(*pattern).steps(name)) {
				return false
			}
			if p.MatchString(name) {
				if known = true; !left.apply(sub, member, 0) {
					return false
				}
			}
		}
		if !known && !left.applyAll(member, additional, s.UnevaluatedProperties) || !left.applyAll(name, s.PropertyNames) {
			return false
		}
	}
	return true
}

func (left *steps) array(s *jsonschema.Schema, list []any) bool {
	if !left.spend(len(list)/4) || s.UniqueItems && !left.spend(uniqueSteps(list)) {
		return false
	}
	for i, item := range list {
		fit := left.applyAll(item, s.Contains)
		if i < len(s.PrefixItems) {
			fit = fit && left.apply(s.PrefixItems[i], item, 0)
		} else {
			fit = fit && left.applyAll(item, s.Items2020, s.UnevaluatedItems)
		}
		if !fit {
			return false
		}
	}
	return true
}

// applyAll takes the steps of applying those of the schemas that are not nil.
func (left *steps) applyAll(v any, schemas ...*jsonschema.Schema) bool {
	for _, s := range schemas {
		if s != nil && !left.apply(s, v, 0) {
			return false
		}
	}
	return true
}

// typesOf returns the types that a value may have in a schema.
func typesOf(v any) (t jsonschema.Types) {
	switch v.(type) {
	case nil:
		t.Add("null")
	case bool:
		t.Add("boolean")
	case json.Number:
		t.Add("number")
		t.Add("integer")
	case string:
		t.Add("string")
	case []any:
		t.Add("array")
	case map[string]any:
		t.Add("object")
	}
	return t
}

// reachable returns root and the schemas that it refers to, in breadth-first order.
func reachable(root *jsonschema.Schema) []*jsonschema.Schema {
	found, seen := []*jsonschema.Schema{root}, map[*jsonschema.Schema]bool{root: true}
	for i := 0; i < len(found); i++ {
		s := found[i]
		whole, each := subschemas(s)
		for _, sub := range slices.Concat(whole, each, s.PrefixItems, slices.Collect(maps.Values(s.Properties))) {
			if !seen[sub] {
				seen[sub] = true
				found = append(found, sub)
			}
		}
	}
	return found
}

// subschemas returns the subschemas that s applies to the value itself, and
// those that it may apply to each member or item. Those of properties and
// prefixItems, which apply to one of them, are neither.
func subschemas(s *jsonschema.Schema) (whole, each []*jsonschema.Schema) {
	add := func(list *[]*jsonschema.Schema, schemas ...*jsonschema.Schema) {
		for _, sub := range schemas {
			if sub != nil {
				*list = append(*list, sub)
			}
		}
	}
	add(&whole, s.Ref, s.Not, s.If, s.Then, s.Else)
	add(&whole, s.AllOf...)
	add(&whole, s.AnyOf...)
	add(&whole, s.OneOf...)
	for _, sub := range s.DependentSchemas {
		add(&whole, sub)
	}
	for _, dependency := range s.Dependencies {
		if sub, ok := dependency.(*jsonschema.Schema); ok {
			add(&whole, sub)
		}
	}
	for _, sub := range s.PatternProperties {
		add(&each, sub)
	}
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		add(&each, sub)
	}
	add(&each, s.PropertyNames, s.UnevaluatedProperties, s.Items2020, s.Contains, s.UnevaluatedItems)
	return whole, each
}

// comparison is the number of steps that comparing with v takes. Numbers are
// compared exactly, which takes a step; sixteen of anything else do.
func comparison(v any) int {
	numbers, others := count(v)
	return numbers + others/16
}

// uniqueSteps is the number of steps of uniqueItems. The library compares each pair of
// up to twenty items, and hashes more. Hashes of arrays and objects can be made to
// collide.
func uniqueSteps(items []any) int {
	numbers, others := count(items)
	steps := (numbers + others) * min(len(items), 20) / 2
	if len(items) > 20 && others > len(items)+1 {
		steps += len(items) * len(items) / 100
	}
	return steps
}

// count counts the numbers in v and its other values, v included.
func count(v any) (numbers, others int) {
	add := func(v any) {
		n, o := count(v)
		numbers, others = numbers+n, others+o
	}
	switch v := v.(type) {
	case json.Number:
		return 1, 0
	case []any:
		for _, item := range v {
			add(item)
		}
	case map[string]any:
		for _, member := range v {
			add(member)
		}
	}
	return numbers, others + 1
}

// compilePattern compiles an expression and stores its size.
func compilePattern(expr string) (jsonschema.Regexp, error) {
	parsed, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, patterns.Explain(expr, err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxPattern {
		return nil, fmt.Errorf("compiles to %d instructions, more than %d", len(program.Inst), maxPattern)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	return &pattern{re, len(program.Inst)}, nil
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
