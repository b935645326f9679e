package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/strictjson"
)

// ReadDocument decodes a JSON document as a body of type T, outside a call. It returns the details of the 422 to
// such a body, and no value with them. It registers the schema of T, so a server that answers calls must not use it.
func ReadDocument[T any](s *Server, document []byte) (value T, details []Detail) {
	schema := s.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "Document")
	op := &huma.Operation{RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}}
	if _, err := strictjson.Scan(document, strictjson.Default); err != nil {
		return value, []Detail{scanDetail(err.(*strictjson.Error))}
	}
	found := s.findings(schema, document)
	if len(found) == 0 {
		err := decode(document, &value)
		if err == nil {
			return value, nil
		}
		found = []error{&huma.ErrorDetail{Message: err.Error(), Location: "body"}}
	}
	var none T
	return none, (&call{server: s, body: document}).newUnprocessable(op, found).Detail
}

// JSONSchema returns the documented schema of the body of an operation as a JSON Schema 2020-12 document with an $id.
// change may complete it and its definitions, by name; the schema itself has none.
func (s *Server) JSONSchema(op *huma.Operation, id string, change func(name string, s huma.Schema) *huma.Schema) ([]byte, error) {
	registry := s.document().Components.Schemas
	all := registry.Map()
	root := *resolve(registry, op.RequestBody.Content["application/json"].Schema)
	definitions := map[string]json.RawMessage{}
	var add func(raw []byte) error
	add = func(raw []byte) error {
		for _, name := range references(raw) {
			if _, known := definitions[name]; known {
				continue
			}
			definition, err := json.Marshal(change(name, *all[name]))
			if err != nil {
				return err
			}
			definitions[name] = localReferences(definition)
			if err := add(definition); err != nil {
				return err
			}
		}
		return nil
	}
	raw, err := json.Marshal(change("", root))
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := errors.Join(add(raw), json.Unmarshal(localReferences(raw), &members)); err != nil {
		return nil, err
	}
	maps.Copy(members, map[string]json.RawMessage{
		"$schema": json.RawMessage(`"https://json-schema.org/draft/2020-12/schema"`),
	})
	if members["$id"], err = json.Marshal(id); err != nil {
		return nil, err
	}
	if members["$defs"], err = json.Marshal(definitions); err != nil {
		return nil, err
	}
	return json.MarshalIndent(members, "", "  ")
}

// references returns the names of the schemas to which a schema refers.
func references(raw []byte) (names []string) {
	for _, part := range strings.Split(string(raw), `"`+schemaPrefix)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// localReferences replaces references to components by references to $defs.
func localReferences(raw []byte) json.RawMessage {
	return bytes.ReplaceAll(raw, []byte(`"`+schemaPrefix), []byte(`"#/$defs/`))
}
