package web

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// One wrong body could have findings for every value in it, each of which takes more
// memory than the value.
func TestValidationStopsWhenItHasFoundEnough(t *testing.T) {
	s := New(Options{Failure: func(_ context.Context, _ Operation, err error) error { return err }})
	type item struct {
		Key string `json:"key"`
	}
	schema := huma.SchemaFromType(s.API.OpenAPI().Components.Schemas, reflect.TypeFor[[]item]())
	sh := s.newShape(&huma.Operation{RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}}, true)
	c := &call{server: s, body: []byte("[{}" + strings.Repeat(",{}", 1000) + "]")}
	if err := sh.validate(c); err != nil || len(c.findings) != maxDetails {
		t.Errorf("%d findings, %v", len(c.findings), err)
	}
}
