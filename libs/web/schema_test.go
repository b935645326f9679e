package web

import (
	"reflect"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

type colour string

func (colour) Values() []colour { return []colour{"red", "green", "blue"} }

type paint struct {
	Colour  colour            `json:"colour"`
	Primer  *colour           `json:"primer"`
	Mixed   []colour          `json:"mixed"`
	Named   map[string]colour `json:"named"`
	Warm    colour            `json:"warm" enum:"red,green"`
	Over    *paint            `json:"over,omitempty"`
	Comment string            `json:"comment"`
}

func TestAnEnumerationIsDocumentedWithTheValuesOfItsType(t *testing.T) {
	r := newRegistry(false)
	ref := r.Schema(reflect.TypeFor[[]paint](), true, "").Items.Ref
	members := r.SchemaFromRef(ref).Properties
	all := []any{"red", "green", "blue"}
	for name, c := range map[string]struct {
		schema *huma.Schema
		want   []any
	}{
		"value":              {members["colour"], all},
		"pointer":            {members["primer"], all},
		"item":               {members["mixed"].Items, all},
		"value of an object": {members["named"].AdditionalProperties.(*huma.Schema), all},
		"part by a tag":      {members["warm"], []any{"red", "green"}},
		"other string":       {members["comment"], nil},
	} {
		if !slices.Equal(c.schema.Enum, c.want) {
			t.Errorf("%s: %v, want %v", name, c.schema.Enum, c.want)
		}
	}
	if !members["primer"].Nullable || members["colour"].Nullable {
		t.Error("only the pointer may be null")
	}
	if members["over"].Ref != ref {
		t.Errorf("the type contains itself by %q, want %q", members["over"].Ref, ref)
	}
	var found huma.ValidateResult
	huma.Validate(r, members["colour"], huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, "pink", &found)
	if len(found.Errors) != 1 {
		t.Errorf("findings for another value: %v", found.Errors)
	}
}

func TestUnnamedTypesGetNamesOfTheirOwn(t *testing.T) {
	r := newRegistry(true)
	one := r.Schema(reflect.TypeFor[struct{ A int }](), true, "Body")
	two := r.Schema(reflect.TypeFor[struct{ B int }](), true, "Body")
	again := r.Schema(reflect.TypeFor[struct{ B int }](), true, "Body")
	if one.Ref != schemaPrefix+"Body" || two.Ref != schemaPrefix+"Body1" || again.Ref != two.Ref {
		t.Errorf("names %q, %q and %q", one.Ref, two.Ref, again.Ref)
	}
	if r.SchemaFromRef(two.Ref).AdditionalProperties != true {
		t.Error("objects of an open registry refuse other members")
	}
}
