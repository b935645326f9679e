package webtest

import (
	"slices"
	"testing"
)

func TestADocumentThatLeavesSomethingOutIsSeen(t *testing.T) {
	got := findings([]byte(`{
		"tags": [{"name": "things", "description": "Things"}, {"name": "bare"}],
		"paths": {"/things/{id}": {
			"get": {"operationId": "get", "summary": "Read", "description": "Reads it.", "security": [], "tags": ["things"], "parameters": [
				{"name": "id", "in": "path", "description": "Id", "schema": {"type": "string"}}, {"name": "q", "in": "query"}]},
			"put": {"operationId": "put", "summary": "Write", "tags": ["unknown"], "requestBody": {"content": {"application/json": {}}}}
		}},
		"components": {"schemas": {"Thing": {"properties": {
			"name": {"type": "string"},
			"list": {"description": "List", "items": {"properties": {"inner": {"$ref": "#/x"}}}},
			"told": {"$ref": "#/x", "description": "Told"}
		}}}}
	}`))
	want := []string{
		"GET /things/{id} id has no format",
		"GET /things/{id} q has no description",
		"PUT /things/{id} application/json has no example",
		"PUT /things/{id} has no description",
		"PUT /things/{id} has no security",
		"Thing.list[].inner has no description",
		"Thing.name has no description",
		"tag bare has no description",
		"tag unknown has no description",
		"the document has no servers",
	}
	if !slices.Equal(got, want) {
		t.Errorf("findings() = %q\nwant %q", got, want)
	}
}
