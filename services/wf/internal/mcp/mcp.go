// Package mcp serves tools by the Model Context Protocol (MCP): streamable HTTP without sessions, with replies in
// JSON. The tools are functions of its user.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tool is a tool of a Server.
type Tool struct {
	description *mcp.Tool
	call        func(ctx context.Context, arguments json.RawMessage) (any, error)
}

// InvalidArguments is the error of a call whose arguments violate the schema of the tool.
type InvalidArguments struct{ error }

// NewTool returns a tool. The schemas of its arguments and its result follow from the types: tag jsonschema
// describes a member, and tags minimum, maximum and maxLength limit one. A json.RawMessage is any object.
func NewTool[In, Out any](name, description string, call func(context.Context, In) (Out, error)) Tool {
	input := schemaOf[In]()
	resolved, err := input.Resolve(nil)
	if err != nil {
		panic(fmt.Errorf("tool %s: %w", name, err))
	}
	return Tool{
		&mcp.Tool{Name: name, Description: description, InputSchema: input, OutputSchema: schemaOf[Out]()},
		func(ctx context.Context, arguments json.RawMessage) (any, error) {
			in, err := decode[In](resolved, arguments)
			if err != nil {
				return nil, InvalidArguments{err}
			}
			return call(ctx, in)
		},
	}
}

// schemaOf returns the JSON Schema of a struct.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Type: "object"},
	}})
	if err != nil {
		panic(fmt.Errorf("schema of %T: %w", *new(T), err))
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if field.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		p := schema.Properties[name]
		for tag, limit := range map[string]**float64{"minimum": &p.Minimum, "maximum": &p.Maximum} {
			if n, err := strconv.ParseFloat(field.Tag.Get(tag), 64); err == nil {
				*limit = &n
			}
		}
		if n, err := strconv.Atoi(field.Tag.Get("maxLength")); err == nil {
			p.MaxLength = &n
		}
	}
	return schema
}

// decode validates arguments and decodes them. Members of type json.RawMessage keep their bytes, so that numbers
// keep their digits.
func decode[In any](schema *jsonschema.Resolved, arguments json.RawMessage) (in In, err error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	var value any
	if err := json.Unmarshal(arguments, &value); err != nil {
		return in, err
	}
	if err := schema.Validate(value); err != nil {
		return in, err
	}
	return in, json.Unmarshal(arguments, &in)
}

// Outcome observes the end of a call. If err is not nil, it returns the code and the message for the caller. err is
// the error of the tool, an InvalidArguments, or a panic of the tool.
type Outcome func(ctx context.Context, tool string, err error) (code, message string)

// Server serves tools.
type Server struct {
	outcome Outcome
	http    http.Handler
}

// methods lists the methods that clients may call. All others, such as those with a reply in many parts, have no use
// without sessions, prompts and resources.
var methods = []string{"initialize", "ping", "server/discover", "tools/list", "tools/call"}

// New returns a server of the tools under a name and a version. The instructions are for the agents.
func New(name, version, instructions string, outcome Outcome, tools ...Tool) *Server {
	s := &Server{outcome: outcome}
	server := mcp.NewServer(&mcp.Implementation{Name: name, Version: version}, &mcp.ServerOptions{
		Instructions: instructions, Logger: slog.New(slog.DiscardHandler),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for _, tool := range tools {
		server.AddTool(tool.description, s.handler(tool))
	}
	s.http = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: slog.New(slog.DiscardHandler),
		DisableLocalhostProtection: true, // a proxy on this host passes the name of the service
	})
	return s
}

// callKey is the key of the context of the HTTP call. The context of a tool has its values, but not its end.
type callKey struct{}

// handler returns the handler of a tool. Every failure is a result of the tool, never an error of the protocol.
func (s *Server) handler(tool Tool) mcp.ToolHandler {
	return func(ctx context.Context, request *mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
		ctx = ctx.Value(callKey{}).(context.Context)
		defer func() {
			if v := recover(); v != nil { // this goroutine is not that of the HTTP call
				result = s.failure(ctx, tool, fmt.Errorf("panic in tool %s: %v", tool.description.Name, v))
			}
		}()
		value, err := tool.call(ctx, request.Params.Arguments)
		if err != nil {
			return s.failure(ctx, tool, err), nil
		}
		text, err := json.Marshal(value)
		if err != nil {
			return s.failure(ctx, tool, err), nil
		}
		s.outcome(ctx, tool.description.Name, nil)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text)}, nil
	}
}

// failure returns the result of a failed call. It has no structured content, which clients validate as a result.
func (s *Server) failure(ctx context.Context, tool Tool, err error) *mcp.CallToolResult {
	code, message := s.outcome(ctx, tool.description.Name, err)
	text, _ := json.Marshal(map[string]string{"errorCode": code, "message": message}) // two texts
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

// Reply is the reply to a message. Body is JSON, or a text if Status is an error of HTTP.
type Reply struct {
	Status int
	Body   []byte
}

// Serve handles a message, a JSON object with these headers. It ends with the tool, which observes ctx.
func (s *Server) Serve(ctx context.Context, header http.Header, body []byte) Reply {
	var message map[string]json.RawMessage // a struct would also read names in other letter case
	var method string
	if json.Unmarshal(body, &message) != nil || message["method"] != nil && json.Unmarshal(message["method"], &method) != nil {
		return Reply{http.StatusBadRequest, []byte("not a message of JSON-RPC 2.0")}
	}
	if id := message["id"]; id != nil && method != "" && !slices.Contains(methods, method) {
		refused := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, id)
		return Reply{http.StatusOK, refused}
	}
	r, err := http.NewRequestWithContext(context.WithoutCancel(context.WithValue(ctx, callKey{}, ctx)), http.MethodPost, "/", bytes.NewReader(body))
	if err != nil {
		return Reply{http.StatusBadRequest, []byte(err.Error())}
	}
	r.Header = header.Clone()
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	s.http.ServeHTTP(w, r)
	return Reply{w.status, w.body.Bytes()}
}

// recorder is the reply of the handler.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }
