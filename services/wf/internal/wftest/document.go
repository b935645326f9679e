package wftest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Operation is an operation in the service's document.
type Operation struct {
	ID     string `json:"operationId"`
	Method string `json:"-"`
	Path   string `json:"-"`

	// Security is empty for an operation that anyone may call, and has no scope
	// for one that needs no role.
	Security   []map[string][]string `json:"security"`
	Parameters []struct {
		Name   string `json:"name"`
		In     string `json:"in"`
		Prefix string `json:"x-prefix"` // of the names of a web.Family
	} `json:"parameters"`
	RequestBody *struct {
		Required bool `json:"required"`
	} `json:"requestBody"`
	Responses map[string]Response `json:"responses"`
}

// Response is a status of an operation in the document.
type Response struct {
	Codes   []string                   `json:"x-error-codes"`
	Content map[string]json.RawMessage `json:"content"`

	schema *jsonschema.Schema
}

// document is the service's OpenAPI document, with the schema of every reply
// compiled.
type document struct {
	operations []Operation
	routes     *http.ServeMux                // by their methods and paths
	webhooks   map[string]*jsonschema.Schema // of the payloads, by their type
}

// theDocument is made from the first service of a process that answers: TestOpenAPI holds
// every service to the same one.
var theDocument struct {
	sync.Mutex
	*document
}

func documentOf(t testing.TB, service http.Handler) *document {
	t.Helper()
	theDocument.Lock()
	defer theDocument.Unlock()
	if theDocument.document != nil {
		return theDocument.document
	}
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	var err error
	if theDocument.document, err = compile(recorder.Body.Bytes()); err != nil {
		t.Fatalf("OpenAPI document: %v", err)
	}
	return theDocument.document
}

const documentURL = "https://wf.test/openapi.json"

func compile(raw []byte) (*document, error) {
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler() // of JSON Schema 2020-12, which OpenAPI 3.1 uses
	compiler.AssertFormat()
	if err := compiler.AddResource(documentURL, tree); err != nil {
		return nil, err
	}
	var content struct {
		Paths    map[string]map[string]Operation `json:"paths"`
		Webhooks map[string]json.RawMessage      `json:"webhooks"`
	}
	if err := json.Unmarshal(raw, &content); err != nil {
		return nil, err
	}
	d := &document{routes: http.NewServeMux(), webhooks: map[string]*jsonschema.Schema{}}
	schemaAt := func(steps ...string) (*jsonschema.Schema, error) { // of the JSON at a JSON pointer (RFC 6901, 3 and 6)
		pointer, escape := documentURL+"#", strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
		for _, step := range append(steps, "content", "application/json", "schema") {
			pointer += "/" + escape.Replace(step)
		}
		return compiler.Compile(pointer)
	}
	for kind := range content.Webhooks {
		if d.webhooks[kind], err = schemaAt("webhooks", kind, "post", "requestBody"); err != nil {
			return nil, err
		}
	}
	for path, methods := range content.Paths {
		for method, op := range methods {
			op.Method, op.Path = strings.ToUpper(method), path
			for status, response := range op.Responses {
				if response.schema, err = schemaAt("paths", path, method, "responses", status); err != nil {
					return nil, err
				}
				op.Responses[status] = response
			}
			d.operations = append(d.operations, op)
			d.routes.Handle(op.Method+" "+path, http.NotFoundHandler())
		}
	}
	slices.SortFunc(d.operations, func(a, b Operation) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	return d, nil
}

// Operations returns every operation of the document, in the order of the paths.
func (w *Service) Operations() []Operation { return w.document.operations }

// match finds the operation that serves a path.
func (d *document) match(method, to string) (Operation, bool) {
	_, pattern := d.routes.Handler(&http.Request{Method: method, URL: &url.URL{Path: to}})
	i := slices.IndexFunc(d.operations, func(op Operation) bool { return op.Method+" "+op.Path == pattern })
	// Unlike a pattern of Go, an operation serves no other method and no other path.
	if i < 0 || d.operations[i].Method != method || path.Clean(to) != to {
		return Operation{}, false
	}
	return d.operations[i], true
}

// Webhooks returns the types of messages that the document describes, in order.
func (w *Service) Webhooks() []string { return slices.Sorted(maps.Keys(w.document.webhooks)) }

// CheckWebhook returns the differences of a message body from the document's schema of its type.
func (w *Service) CheckWebhook(body []byte) error { return w.document.checkWebhook(body) }

func (d *document) checkWebhook(body []byte) error {
	var payload struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(body, &payload); err != nil {
		return err
	}
	schema := d.webhooks[payload.Type]
	if schema == nil {
		return fmt.Errorf("messages of type %q are not documented", payload.Type)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// check returns the differences of a reply from the document.
func (d *document) check(method, path string, r Reply) error {
	if strings.HasPrefix(path, "/openapi.") || path == "/docs" || path == "/" {
		return nil
	}
	op, known := d.match(method, path)
	media := r.Header.Get("Content-Type")
	if _, other := op.Responses[strconv.Itoa(r.Status)].Content[media]; other && media != "application/json" {
		return nil // it has no schema
	}
	if media != "application/json" {
		return fmt.Errorf("the content type is %q", media)
	}
	if !known {
		// Not an operation: only the router may have answered.
		if code := map[int]string{404: "WF-090", 405: "WF-091", 503: "WF-005"}[r.Status]; code == "" || r.Code() != code {
			return errors.New("a route that is not in the document answered")
		}
		return nil
	}
	response, documented := op.Responses[strconv.Itoa(r.Status)]
	if !documented {
		return fmt.Errorf("status %d of %s is not documented", r.Status, op.ID)
	}
	if code := r.Code(); code != "" && !slices.Contains(response.Codes, code) {
		return fmt.Errorf("%s of status %d of %s is not documented", code, r.Status, op.ID)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.Body))
	if err != nil {
		return err
	}
	return response.schema.Validate(value)
}
