package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	jsonv2 "github.com/go-json-experiment/json"
)

// huma has settings that are package variables. They are set here, once for
// the process, because every API of this repository shares them: one
// spelling of a member, no null where a list is required, and errors in our
// shapes. Nothing else may assign them.
func init() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
	huma.NewErrorWithContext = newError
	setMessages()
}

// api is huma's API plus the checks that huma leaves out. huma.Register calls
// DocumentOperation with the operation before it builds the handler.
type api struct {
	huma.API
	server *Server
}

func newAPI(s *Server) huma.API {
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: s.options.Title, Version: s.options.Version, Description: s.options.Description,
				Contact: &huma.Contact{Name: "Countersign", URL: "https://github.com/countersign/countersign"},
				License: &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "The service that this document is of"}},
			Components: &huma.Components{
				Schemas: newRegistry(s.options.OpenUnknownMembers),
				SecuritySchemes: map[string]*huma.SecurityScheme{"bearer": {
					Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "An access token. Operations name the roles or scopes of which it needs one.",
				}},
			},
		},
		// CreateHooks stay nil: huma's add $schema members and Link headers.
		// OpenAPIPath, DocsPath and SchemasPath stay empty: huma's handlers
		// fill a cache without a lock and load scripts from a third party.
		Formats: map[string]huma.Format{"application/json": {
			Marshal:   writeRaw,
			Unmarshal: decode,
		}},
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{encode},
	}
	if s.options.Local != "" {
		config.Servers = append(config.Servers, &huma.Server{URL: s.options.Local, Description: "As make run starts it"})
	}
	if s.options.Unfit == nil {
		config.Components.Schemas.Map()["HTTPValidationError"] = validationSchema()
	}
	return &api{humaecho.NewV4(s.Echo, config), s}
}

// DocumentOperation documents the operation and appends check to its middlewares.
func (a *api) DocumentOperation(op *huma.Operation) {
	// huma documents its own error model, which is never sent.
	if d := op.Responses["default"]; d != nil && d.Content["application/problem+json"] != nil {
		delete(op.Responses, "default")
	}
	delete(a.OpenAPI().Components.Schemas.Map(), "ErrorModel")
	delete(a.OpenAPI().Components.Schemas.Map(), "ErrorDetail")

	if a.server.options.Unfit == nil && (op.RequestBody != nil || len(op.Parameters) > 0) {
		op.Responses["422"] = unfitResponse()
	}
	if op.Security == nil {
		op.Security = []map[string][]string{} // explicit: no authentication
	}
	op.MaxBodyBytes = -1   // check reads the body; huma's limit refuses a body of exactly the limit
	op.BodyReadTimeout = 0 // readBody has its own
	op.Middlewares = append(slices.Clip(op.Middlewares), a.server.check(op))
	if !op.Hidden {
		a.OpenAPI().AddOperation(op)
	}
}

// validationSchema describes unprocessable.
func validationSchema() *huma.Schema {
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	limit := maxDetails
	detail := &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"type": text("Stable word"),
			"loc": {Type: huma.TypeArray, Description: "body, query, path or header, then names and indexes",
				Items: &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeInteger}}}},
			"msg": text("Text for people; may change"),
		},
		Required: []string{"type", "loc", "msg"},
	}
	return &huma.Schema{
		Type: huma.TypeObject,
		Properties: map[string]*huma.Schema{
			"detail": {Type: huma.TypeArray, Description: "What does not fit, the first 50 findings", Items: detail, MaxItems: &limit},
		},
		Required: []string{"detail"},
	}
}

// newError returns the reply to huma's own findings, and to handler errors without a status, whose text
// huma would send.
func newError(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
	c := callOf(ctx.Context())
	switch {
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		errs = []error{c.newUnprocessable(ctx.Operation(), errs)}
	case len(errs) == 0:
		errs = []error{errors.New(message)}
	}
	reply := c.server.answer(ctx.Context(), operationOf(ctx), errors.Join(errs...))
	if refused, ok := reply.(*StatusError); ok { // huma adds those of a handler's error alone
		for name := range refused.headers {
			ctx.SetHeader(name, refused.headers.Get(name))
		}
	}
	return reply
}

// encode is a huma.Transformer. It encodes a reply before the status line is sent, so that an encoding
// error is a 500.
func encode(_ huma.Context, _ string, v any) (any, error) {
	return mustEncode(v), nil
}

// mustEncode panics if v cannot be encoded, because huma would send the text of the error, and for an error
// with a status of another package, which would be outside the envelope.
func mustEncode(v any) json.RawMessage {
	switch e := v.(type) {
	case *StatusError:
		v = e.body
	case *unprocessable:
	case error:
		panic(fmt.Errorf("handler error %T has a status but no body of ours: %w", e, e))
	}
	if raw, ok := v.(json.RawMessage); ok {
		return raw // stored bytes, sent again unchanged
	}
	data, err := marshal(v)
	if err != nil {
		panic(fmt.Errorf("encode %T: %w", v, err))
	}
	return data
}

// marshal encodes as JSON without escaping HTML and without a final line feed.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// writeRaw is huma's Marshal: encode has made the bytes already.
func writeRaw(w io.Writer, v any) error {
	_, _ = w.Write(v.(json.RawMessage)) // a caller that hung up needs no answer
	return nil
}

// decode is huma's Unmarshal: into any for its validator, then into the input struct. check has run, so data is
// one strict document. Names of members must be equal, also in letter case.
func decode(data []byte, v any) error {
	if tree, ok := v.(*any); ok {
		in := json.NewDecoder(bytes.NewReader(data))
		in.UseNumber()
		err := in.Decode(tree)
		*tree = shield(*tree)
		return err
	}
	err := jsonv2.Unmarshal(data, v)
	if found, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		// The schema has no word for 1.0 or 2^70 as an integer; the struct does.
		finding := findNotValid
		if t := found.GoType; t != nil && reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr {
			finding = findNotInteger
		}
		return fmt.Errorf("%s\t%s", finding, found.JSONPointer)
	}
	if err != nil {
		return errors.New(findNotValid)
	}
	return nil
}
