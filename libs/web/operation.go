package web

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Operation is a row of a service's table of operations.
type Operation struct {
	ID, Method, Path string
	Access           Access
	Status           int     // of success
	Refusals         []error // reasons besides those of every operation
	Summary          string
}

// operationMember of an operation's metadata holds its Operation.
const operationMember = "operation"

// operationOf returns the called operation.
func operationOf(ctx huma.Context) Operation {
	called := ctx.Operation()
	if op, ok := called.Metadata[operationMember].(Operation); ok {
		return op
	}
	return Operation{ID: called.OperationID, Method: called.Method, Path: called.Path}
}

// OperationOf returns the operation of the call of ctx.
func OperationOf(ctx context.Context) Operation { return callOf(ctx).operation }

// Register registers the handler of an operation and documents every reply: that of success by its schema,
// and each refusal by its reason. changes can add to the document.
func Register[I, O any](
	s *Server,
	op Operation,
	success *huma.Schema,
	handle func(context.Context, *I) (*O, error),
	changes ...func(*huma.Operation),
) {
	op.Status = cmp.Or(op.Status, http.StatusOK)
	_, takesBody := reflect.TypeFor[I]().FieldByName("Body")
	documented := s.describe(op, takesBody, success)
	for _, change := range changes {
		change(&documented)
	}
	huma.Register(s.API, documented, func(ctx context.Context, in *I) (*O, error) {
		callOf(ctx).releaseDecoding()
		out, err := handle(ctx, in)
		if err != nil {
			return nil, s.answer(ctx, op, err)
		}
		return out, nil
	})
}

// describe returns the huma operation.
func (s *Server) describe(op Operation, takesBody bool, success *huma.Schema) huma.Operation {
	o := s.options
	out := huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path, Summary: op.Summary, Description: o.Descriptions[op.ID], Tags: []string{o.Tag(op.Path)},
		DefaultStatus: op.Status, Metadata: map[string]any{operationMember: op}, Security: op.Access.security(), Responses: s.failures(op, takesBody),
	}
	if takesBody {
		media := &huma.MediaType{Example: o.Examples[op.ID]}
		out.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": media}}
		if op.Method == http.MethodPatch { // accepted by all of them (RFC 7396)
			out.RequestBody.Content["application/merge-patch+json"] = media
		}
	}
	out.Responses[strconv.Itoa(op.Status)] = &huma.Response{Description: http.StatusText(op.Status), Content: JSON(success)}
	if op.Access.Token && o.Unfit == nil { // at least an unknown parameter
		out.Responses["422"] = unfitResponse()
	}
	return out
}

// failures documents the refusals of an operation, by status.
func (s *Server) failures(op Operation, takesBody bool) map[string]*huma.Response {
	reasons := append([]error{Internal}, op.Refusals...)
	if op.Access.Token {
		reasons = append(reasons, Unauthenticated, Forbidden, TooMany)
	}
	if !slices.Contains(probes, op.Path) {
		reasons = append(reasons, Starting, DatabaseDown)
	}
	if strings.Contains(op.Path, "{") { // an empty parameter, or one with a slash
		reasons = append(reasons, NoRoute)
	}
	if op.Method != http.MethodGet {
		reasons = append(reasons, ReadOnly)
	}
	if takesBody {
		reasons = append(reasons, BadRequest, TooLarge, TooSlow, TooMany, WrongMediaType)
	}
	codes := map[int][]string{}
	for _, reason := range reasons {
		status, code := s.options.Code(reason)
		list := codes[status]
		if code != "" && !slices.Contains(list, code) {
			list = append(list, code)
		}
		codes[status] = list
	}
	schema := s.options.FailureSchema(op.Path)
	out := map[string]*huma.Response{}
	for status, list := range codes {
		reply := &huma.Response{Description: http.StatusText(status), Content: JSON(schema), Headers: s.options.FailureHeaders[status]}
		if status == http.StatusTooManyRequests {
			reply.Headers = rateHeaders
		}
		if len(list) > 0 {
			slices.Sort(list)
			reply.Description += ": " + strings.Join(list, ", ")
			reply.Extensions = map[string]any{"x-error-codes": list}
		}
		out[strconv.Itoa(status)] = reply
	}
	return out
}

// rateHeaders document the headers of a reply to a call above the rate.
var rateHeaders = map[string]*huma.Header{
	"Retry-After": {Description: "Seconds until one more call is allowed", Schema: &huma.Schema{Type: huma.TypeInteger}},
	"RateLimit-Policy": {
		Description: "The rate that was exceeded: calls at once (q) and the seconds in which as many are allowed again (w). Absent if it was not a rate.",
		Schema:      &huma.Schema{Type: huma.TypeString},
	},
	"RateLimit": {
		Description: "Calls left now (r) and seconds until one more is allowed (t). Absent if it was not a rate.",
		Schema:      &huma.Schema{Type: huma.TypeString},
	},
}

// JSON returns the documented body of a schema.
func JSON(schema *huma.Schema) map[string]*huma.MediaType {
	return map[string]*huma.MediaType{"application/json": {Schema: schema}}
}

func unfitResponse() *huma.Response {
	return &huma.Response{
		Description: "The request does not fit the schema", Content: JSON(&huma.Schema{Ref: "#/components/schemas/HTTPValidationError"}),
	}
}

// OrNull returns the schema of a nullable value, where a struct tag cannot express that.
func OrNull(s *huma.Schema) *huma.Schema {
	value := *s
	value.Description = ""
	return &huma.Schema{OneOf: []*huma.Schema{&value, {Type: "null"}}, Description: s.Description}
}

// FailureSchema describes the envelope of a failure, whose response is always null, which reflection cannot
// express. members are further members. most is the maximum number of errors, each with a code of the
// pattern and a message member of the given name.
func FailureSchema(members map[string]*huma.Schema, most int, pattern, message string) *huma.Schema {
	one := 1
	members["response"] = &huma.Schema{Type: "null", Description: "Always null on failure"}
	members["errors"] = &huma.Schema{
		Type:        huma.TypeArray,
		Description: "Why the call was not done",
		MinItems:    &one,
		MaxItems:    &most,
		Items: &huma.Schema{
			Type:     huma.TypeObject,
			Required: []string{"errorCode", message},
			Properties: map[string]*huma.Schema{
				"errorCode": {Type: huma.TypeString, Pattern: pattern, Description: "Stable code; branch on it"},
				message:     {Type: huma.TypeString, Description: "Text for people; may change"},
			},
		},
	}
	s := &huma.Schema{Type: huma.TypeObject, Properties: members}
	for name := range members {
		s.Required = append(s.Required, name)
	}
	slices.Sort(s.Required)
	s.PrecomputeMessages() // required before validation
	return s
}
