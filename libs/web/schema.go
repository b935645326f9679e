package web

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const schemaPrefix = "#/components/schemas/"

// registry is a huma.Registry with enumerations: a string type with a method Values() []T has its values. A
// struct tag enum is only for a subset. huma's registry resolves nested types without a hook.
type registry struct {
	open    bool // objects may have members that are not declared
	schemas map[string]*huma.Schema
	types   map[string]reflect.Type
	aliases map[reflect.Type]reflect.Type
}

func newRegistry(open bool) *registry {
	return &registry{open, map[string]*huma.Schema{}, map[string]reflect.Type{}, map[reflect.Type]reflect.Type{}}
}

var (
	provider    = reflect.TypeFor[huma.SchemaProvider]()
	unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// Schema returns the schema of a type. Structs are registered under their name, or under the hint if they
// have none, and are referenced if allowRef is set.
func (r *registry) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	base := t
	for base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	if alias, ok := r.aliases[base]; ok {
		return r.Schema(alias, allowRef, hint)
	}
	pointer := reflect.PointerTo(base)
	if base.Kind() != reflect.Struct || pointer.Implements(provider) || pointer.Implements(unmarshaler) {
		s := huma.SchemaFromType(r, t)
		if s != nil && base.Kind() == reflect.String {
			s.Enum = enum(base)
			s.PrecomputeMessages()
		}
		return s
	}
	name := schemaName(base, hint)
	for i := 1; r.types[name] != nil && r.types[name] != base; i++ {
		if base.Name() != "" {
			panic(fmt.Errorf("two types have the schema name %s: %s and %s", name, r.types[name], base))
		}
		name = schemaName(base, hint) + strconv.Itoa(i)
	}
	if r.types[name] == nil {
		r.types[name], r.schemas[name] = base, &huma.Schema{} // for types that contain themselves
		s := huma.SchemaFromType(r, base)
		r.addEmbedded(s, base)
		s.AdditionalProperties = r.open
		r.schemas[name] = s
	}
	if allowRef {
		return &huma.Schema{Ref: schemaPrefix + name}
	}
	return r.schemas[name]
}

// addEmbedded adds the members of embedded types without an exported name, which encoding/json reads and huma omits.
func (r *registry) addEmbedded(s *huma.Schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.Anonymous || f.IsExported() || f.Type.Kind() != reflect.Struct || f.Tag.Get("json") != "" {
			continue
		}
		part := huma.SchemaFromType(r, f.Type)
		r.addEmbedded(part, f.Type)
		maps.Copy(part.Properties, s.Properties) // an outer member hides one of the same name
		s.Properties, s.Required = part.Properties, append(part.Required, s.Required...)
		s.PrecomputeMessages()
	}
}

// schemaName returns the name of a type in the document. Types of a package view get the suffix View, so that they
// differ from the domain types that they show.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if strings.HasSuffix(t.PkgPath(), "/view") || strings.Contains(t.Name(), "/view.") {
		name += "View"
	}
	return name
}

// enum returns the values of a type, or nil.
func enum(t reflect.Type) (values []any) {
	method, ok := t.MethodByName("Values")
	if !ok || method.Type.NumIn() != 1 || method.Type.NumOut() != 1 || method.Type.Out(0) != reflect.SliceOf(t) {
		return nil
	}
	list := method.Func.Call([]reflect.Value{reflect.Zero(t)})[0]
	for i := range list.Len() {
		values = append(values, list.Index(i).String())
	}
	return values
}

// SchemaFromRef returns a registered schema, or nil.
func (r *registry) SchemaFromRef(ref string) *huma.Schema {
	if len(ref) < len(schemaPrefix) {
		return nil
	}
	return r.schemas[ref[len(schemaPrefix):]]
}

// TypeFromRef returns the type of a registered schema.
func (r *registry) TypeFromRef(ref string) reflect.Type { return r.types[ref[len(schemaPrefix):]] }

// Map returns the registered schemas by name.
func (r *registry) Map() map[string]*huma.Schema { return r.schemas }

// RegisterTypeAlias gives a type the schema of another one.
func (r *registry) RegisterTypeAlias(t, alias reflect.Type) { r.aliases[t] = alias }

// MarshalJSON encodes the registered schemas.
func (r *registry) MarshalJSON() ([]byte, error) { return json.Marshal(r.schemas) }
