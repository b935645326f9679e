package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/strictjson"
)

// unfit marks a body with findings. decode then fails, and huma adds its findings of parameters. No JSON
// document begins with it.
const unfit = 0

var errUnfit = errors.New("the body does not fit")

// shape validates the bodies of an operation and stops at the number of findings that are sent. huma
// reports every invalid value: without this validation and the bounds of lists, 256 of the worst bodies
// used 280 MiB.
type shape struct {
	server    *Server
	schema    *huma.Schema // may be nil
	validated bool

	bounds  func() *strictjson.Bounds
	shallow sync.Map // of *huma.Schema to *huma.Schema, see part
}

func (s *Server) newShape(op *huma.Operation, validated bool) *shape {
	sh := &shape{server: s, validated: validated}
	if op.RequestBody != nil {
		if m := op.RequestBody.Content["application/json"]; m != nil {
			sh.schema = m.Schema
		}
	}
	// Computed at the first call: a schema may refer to one that is registered later.
	sh.bounds = sync.OnceValue(func() *strictjson.Bounds {
		if sh.schema == nil || !validated {
			return nil
		}
		return boundsOf(sh.registry(), sh.schema, map[*huma.Schema]*strictjson.Bounds{})
	})
	return sh
}

func (sh *shape) registry() huma.Registry { return sh.server.API.OpenAPI().Components.Schemas }

// boundsOf returns the bounds of the lists of a schema. known contains the enclosing schemas, because a
// schema may contain itself.
func boundsOf(r huma.Registry, s *huma.Schema, known map[*huma.Schema]*strictjson.Bounds) *strictjson.Bounds {
	s = resolve(r, s)
	if s == nil {
		return nil
	}
	if b, ok := known[s]; ok {
		return b
	}
	b := &strictjson.Bounds{Members: map[string]*strictjson.Bounds{}}
	known[s] = b
	unbounded := false
	for _, v := range variants(r, s) {
		if v.Type == huma.TypeArray {
			unbounded = unbounded || v.MaxItems == nil
			if v.MaxItems != nil && (b.Items == nil || *b.Items < *v.MaxItems) {
				b.Items = v.MaxItems
			}
			b.Item = boundsOf(r, v.Items, known)
		}
		for name, member := range v.Properties {
			b.Members[name] = boundsOf(r, member, known)
		}
		if other, ok := v.AdditionalProperties.(*huma.Schema); ok {
			b.Others = boundsOf(r, other, known)
		}
	}
	if unbounded {
		b.Items = nil
	}
	return b
}

// validate validates the body of a call.
func (sh *shape) validate(c *call) error {
	open := sh.server.options.OpenUnknownMembers
	if sh.schema == nil || !sh.validated && !open {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return err
	}
	if open {
		c.unknown = unknownMembers(sh.registry(), sh.schema, tree, "", nil)
		if dropCaseVariants(sh.registry(), sh.schema, tree) {
			body, err := json.Marshal(tree)
			if err != nil {
				return err
			}
			c.body = body
		}
	}
	if sh.validated {
		v := validator{sh, huma.NewPathBuffer(nil, 0), &huma.ValidateResult{}}
		v.path.Push("body")
		v.value(sh.schema, shield(tree))
		c.findings = v.result.Errors
		for _, err := range c.findings {
			found := err.(*huma.ErrorDetail)
			switch found.Value.(type) {
			case string, json.Number: // its type is needed; see translate
			default:
				found.Value = nil // releases the tree
			}
		}
	}
	return nil
}

// validator is one validation.
type validator struct {
	*shape
	path   *huma.PathBuffer
	result *huma.ValidateResult
}

// value validates a value, then its members and items.
func (v validator) value(s *huma.Schema, value any) {
	if len(v.result.Errors) >= maxDetails {
		return
	}
	s = resolve(v.registry(), s)
	huma.Validate(v.registry(), v.part(s), v.path, huma.ModeWriteToServer, value, v.result)
	if s.Nullable && value == nil || isComposed(s) {
		return
	}
	switch value := value.(type) {
	case []any:
		if s.Type == huma.TypeArray && s.Items != nil {
			for i, item := range value {
				v.path.PushIndex(i)
				v.value(s.Items, item)
				v.path.Pop()
			}
		}
	case map[string]any:
		if s.Type == huma.TypeObject {
			v.members(s, value)
		}
	}
}

func (v validator) members(s *huma.Schema, object map[string]any) {
	others, _ := s.AdditionalProperties.(*huma.Schema)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value, member := object[name], others
		if named := s.Properties[name]; named != nil {
			member = resolve(v.registry(), named)
			if value == nil && (!slices.Contains(s.Required, name) || member.Nullable) {
				continue // null equals the absence of an optional member
			}
		}
		if member != nil {
			v.path.Push(name)
			v.value(member, value)
			v.path.Pop()
		}
	}
}

// isComposed reports whether several schemas apply to a value, which huma validates as a whole.
func isComposed(s *huma.Schema) bool {
	return len(s.OneOf)+len(s.AnyOf)+len(s.AllOf) > 0 || s.Not != nil
}

// part returns a schema without those of items and members, which value validates.
func (sh *shape) part(s *huma.Schema) *huma.Schema {
	if s.Items == nil && s.Properties == nil && s.AdditionalProperties == nil || isComposed(s) {
		return s
	}
	if known, ok := sh.shallow.Load(s); ok {
		return known.(*huma.Schema)
	}
	var part huma.Schema
	from, to := reflect.ValueOf(s).Elem(), reflect.ValueOf(&part).Elem()
	for i := range from.NumField() {
		if from.Type().Field(i).IsExported() { // PrecomputeMessages sets the others
			to.Field(i).Set(from.Field(i))
		}
	}
	if s.Items != nil {
		part.Items = &huma.Schema{}
	}
	part.Properties = make(map[string]*huma.Schema, len(s.Properties))
	for name, member := range s.Properties {
		part.Properties[name] = &huma.Schema{ReadOnly: member.ReadOnly, WriteOnly: member.WriteOnly}
	}
	if _, ok := s.AdditionalProperties.(*huma.Schema); ok {
		part.AdditionalProperties = true
	}
	part.PrecomputeMessages()
	known, _ := sh.shallow.LoadOrStore(s, &part)
	return known.(*huma.Schema)
}
