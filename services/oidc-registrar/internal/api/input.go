package api

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
)

// The bodies of the interfaces that register clients are kept as JSON and read by rows: the rules of the domain check
// every field and return every code. huma validates the other bodies.

// object is a member that is kept as JSON.
type object json.RawMessage

func (o *object) UnmarshalJSON(data []byte) error {
	*o = slices.Clone(data)
	return nil
}

// MarshalJSON writes the object unchanged.
func (o object) MarshalJSON() ([]byte, error) { return json.RawMessage(o).MarshalJSON() }

func (object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// requestBody is the envelope of requests. Other members of the envelope are ignored.
type requestBody[T any] struct {
	Request T `json:"request" doc:"Content of the request."`
}

// timedBody is the envelope of requests in the client-management API.
type timedBody[T any] struct {
	RequestTime string `json:"requestTime,omitempty" doc:"RFC 3339, close to the server's time; see REGISTRAR_REQUEST_TIME_LEEWAY"`
	Request     T      `json:"request" doc:"Content of the request."`
}

// bodyInput is the input of an operation with a body, and clientBodyInput that of one on a client.
type bodyInput[B any] struct{ Body B }

type clientBodyInput[B any] struct {
	ClientPath
	Body B
}

// unchecked leaves the body of an operation to the rules of the domain.
func unchecked(documented *huma.Operation) { documented.SkipValidateBody = true }

// ignoredMembers returns the members of the request that its interface does not define.
func ignoredMembers(ctx context.Context) (names []string) {
	for _, path := range web.UnknownMembers(ctx) {
		if name, inside := strings.CutPrefix(path, "request."); inside {
			names = append(names, name)
		}
	}
	return names
}

// kindOf returns the type of a JSON value that is not a string.
func kindOf(value []byte) string {
	switch value = bytes.TrimSpace(value); {
	case bytes.HasPrefix(value, []byte("{")):
		return "an object"
	case bytes.HasPrefix(value, []byte("[")):
		return "a list"
	case string(value) == "true" || string(value) == "false":
		return "a boolean"
	}
	return "a number"
}
