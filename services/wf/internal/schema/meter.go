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

// One validation takes at most minSteps, and one more for each byte of the document. A
// step takes some 300 ns to 1 µs. A schema that looks once or twice at each value needs
// a third of a step for a byte.
const minSteps = 20_000

// maxPattern bounds the instructions of a compiled pattern.
const maxPattern = 1000

// formats are the asserted formats. Any other describes a value and does not restrict it.
var formats = []string{"date", "date-time", "time", "email", "uuid"}

// errTooManySteps also serves as the value of the panic that ends a validation.
var errTooManySteps = &Error{Message: "takes too many steps to validate"}

// meter counts the steps of the validation that is running.
type meter struct{ left int }

func (m *meter) spend(steps int) {
	if m.left -= steps; m.left < 0 {
		panic(errTooManySteps)
	}
}

// attach makes root and the schemas that it leads to count their steps, and returns the
// steps of an attempt at root. document is the text of root.
//
// When a value has passed type, const and enum, the library calls the function of the
// keyword format first. The meter takes its place, and calls that of an asserted format. It charges there for the attempts at all direct subschemas, since those may
// fail before they get to their own format.
func (m *meter) attach(root *jsonschema.Schema, document any) (int, error) {
	for _, s := range reachable(root) {
		if !strings.HasPrefix(s.Location, base) {
			return 0, remote(document, s.Location) // the library knows the metaschemas
		}
		if s.DraftVersion != 2020 {
			return 0, &Error{Pointer: location(s.Location), Message: "is not of JSON Schema 2020-12"}
		}
		if s.DynamicRef != nil {
			return 0, &Error{Pointer: location(s.Location), Message: "uses $dynamicRef"}
		}
		if s.Bool != nil {
			continue
		}
		whole, each := subschemas(s)
		once := 1 + attempts(whole...) + (len(s.Required)+len(s.DependentRequired))/16
		perElement := attempts(each...)
		properties := map[string]int{}
		for name, sub := range s.Properties {
			properties[name] = attempts(sub)
		}
		prefix := attempts(s.PrefixItems...)
		format := s.Format
		s.Format = &jsonschema.Format{Validate: func(v any) error {
			switch v := v.(type) {
			case map[string]any:
				m.spend(once + len(v)*perElement + len(v)/4)
				for name := range v {
					m.spend(properties[name])
				}
			case []any:
				m.spend(once + len(v)*perElement + len(v)/4 + prefix)
				if s.UniqueItems {
					m.spend(uniqueSteps(v))
				}
			case string:
				m.spend(once + len(v)/200)
			default:
				m.spend(once)
			}
			if format == nil || !slices.Contains(formats, format.Name) {
				return nil
			}
			return format.Validate(v)
		}}
		if format != nil {
			s.Format.Name = format.Name
		}
	}
	return attempts(root), nil
}

// reachable returns root and the schemas that it leads to, the nearer ones first.
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

// attempts is the number of steps until each of the schemas has either failed or
// called its meter: one, and what comparing with const and enum takes.
func attempts(schemas ...*jsonschema.Schema) int {
	steps := 0
	for _, s := range schemas {
		steps++
		if s.Const != nil {
			steps += comparison(*s.Const)
		}
		if s.Enum != nil {
			steps += comparison(s.Enum.Values)
		}
	}
	return steps
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

// pattern compiles an expression whose matches are counted as well.
func (m *meter) pattern(expr string) (jsonschema.Regexp, error) {
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
	return &pattern{Regexp: re, size: len(program.Inst), meter: m}, nil
}

type pattern struct {
	*regexp.Regexp
	size  int
	meter *meter
}

// MatchString implements jsonschema.Regexp.
func (p *pattern) MatchString(s string) bool {
	p.meter.spend(1 + len(s)*p.size/25)
	return p.Regexp.MatchString(s)
}

// noLoader refuses references to other documents.
type noLoader struct{}

var errRemote = errors.New("only references within the schema are allowed")

// Load implements jsonschema.URLLoader.
func (noLoader) Load(string) (any, error) { return nil, errRemote }
