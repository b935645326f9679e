package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
)

// The types of this file decode a body leniently, so that the rules of the domain check every field
// and return every code. The document shows their intended types.

// notText is the prefix of the placeholder for a value that is not a string; the kind of the value
// follows. The rules refuse it. A caller cannot send it, since strict JSON has no NUL.
const notText = "\x00"

// placeholder returns the placeholder for a JSON value that is not a string.
func placeholder(data []byte) text {
	switch data = bytes.TrimSpace(data); {
	case bytes.HasPrefix(data, []byte("{")):
		return notText + "an object"
	case bytes.HasPrefix(data, []byte("[")):
		return notText + "a list"
	case string(data) == "true" || string(data) == "false":
		return notText + "a boolean"
	}
	return notText + "a number"
}

// wrongKind returns the problem of a placeholder, or an empty text for a string.
func wrongKind(value string) string {
	kind, other := strings.CutPrefix(value, notText)
	if !other {
		return ""
	}
	return "must be a string, not " + kind
}

// text is a string member. Null becomes an empty text.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var s *string
	if json.Unmarshal(data, &s) != nil {
		*t = placeholder(data)
	} else if s != nil {
		*t = text(*s)
	}
	return nil
}

func (text) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeString} }

// texts is a member with a list of strings. Null counts as missing.
type texts struct {
	list  []string
	other bool // the value had another type
}

func (t *texts) UnmarshalJSON(data []byte) error {
	var list []text
	if json.Unmarshal(data, &list) != nil {
		t.other = true
		return nil
	}
	for _, s := range list {
		t.list = append(t.list, string(s))
	}
	if list != nil && t.list == nil {
		t.list = []string{}
	}
	return nil
}

func (texts) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}
}

// object is a member that is kept as raw JSON.
type object json.RawMessage

func (o *object) UnmarshalJSON(data []byte) error {
	*o = slices.Clone(data)
	return nil
}

func (object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// partnerBody is the envelope of requests in the partner API. Only request is checked.
type partnerBody[T any] struct {
	ID          text   `json:"id,omitempty" doc:"Ignored"`
	Version     text   `json:"version,omitempty" doc:"Ignored"`
	RequestTime text   `json:"requesttime,omitempty" doc:"Ignored"`
	Metadata    object `json:"metadata,omitempty" doc:"Ignored"`
	Request     *T     `json:"request" doc:"Content of the request."`
}

// providerBody is the envelope of requests in the client-management API.
type providerBody[T any] struct {
	RequestTime text `json:"requestTime,omitempty" doc:"RFC 3339, close to the server's time; see REGISTRAR_REQUEST_TIME_LEEWAY"`
	Request     *T   `json:"request" doc:"Content of the request."`
}

// bodyInput is the input of an operation with a body, and clientBodyInput that of one on a client.
type bodyInput[B any] struct{ Body B }

type clientBodyInput[B any] struct {
	ClientPath
	Body B
}

// time returns the requestTime, or absent if it is missing.
func (b providerBody[T]) time(absent string) string { return cmp.Or(string(b.RequestTime), absent) }

// ignoredMembers returns the members of the request that its interface does not define.
func ignoredMembers(ctx context.Context) (names []string) {
	for _, path := range web.UnknownMembers(ctx) {
		if name, inside := strings.CutPrefix(path, "request."); inside {
			names = append(names, name)
		}
	}
	return names
}

// withTypeErrors replaces the messages for fields of another JSON type by the type error. request is a
// pointer to the decoded request.
func withTypeErrors(err error, request any) error {
	refused, ok := errors.AsType[*refusal.Error](err)
	v := reflect.Indirect(reflect.ValueOf(request))
	if !ok || !v.IsValid() || refused.Where == "" && len(refused.Problems) == 0 {
		return err
	}
	problems := slices.Clone(refused.List())
	for i := range problems {
		name, index, _ := strings.Cut(strings.TrimPrefix(problems[i].Where, "/"), "/")
		for _, field := range reflect.VisibleFields(v.Type()) {
			member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous || member != name {
				continue
			}
			if message := otherType(v.FieldByIndex(field.Index).Interface(), index); message != "" {
				problems[i].Message = message
			}
		}
	}
	return refusal.Invalid(problems)
}

// otherType returns the type error of a member, or an empty text. index is the step of the
// element.
func otherType(member any, index string) string {
	switch value := member.(type) {
	case text:
		return wrongKind(string(value))
	case *text:
		if value != nil {
			return wrongKind(string(*value))
		}
	case texts:
		if value.other {
			return "must be a list of strings"
		}
		for n, element := range value.list {
			if index == strconv.Itoa(n) {
				return wrongKind(element)
			}
		}
	}
	return ""
}
