package web

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/strictjson"
)

// Idempotent is the input of an operation with an idempotency key.
type Idempotent struct {
	IdempotencyKey string `header:"Idempotency-Key" doc:"1 to 255 visible ASCII characters, optionally in double quotes. A repeat with the same key and body gets the first reply again."`
}

const maxKey = 255

// Resolve refuses a malformed key, which a header schema cannot express. An empty header is refused
// earlier.
func (i *Idempotent) Resolve(huma.Context) []error {
	if _, ok := parseKey(i.IdempotencyKey); i.IdempotencyKey != "" && !ok {
		return []error{Detail{
			Type: "value_error", Loc: []any{"header", "Idempotency-Key"},
			Msg: "Value error, must be 1 to 255 visible ASCII characters, optionally in double quotes",
		}}
	}
	return nil
}

// parseKey removes one pair of surrounding quotes: the draft standard writes a
// structured-field string, and many callers a bare word.
func parseKey(s string) (string, bool) {
	if strings.HasPrefix(s, `"`) || strings.HasSuffix(s, `"`) {
		if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
			return "", false
		}
		s = s[1 : len(s)-1]
	}
	visible := !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
	return s, visible && s != "" && len(s) <= maxKey
}

// Scope is the scope of a key: one call of one caller. Another body has another Fingerprint.
type Scope struct {
	Principal, Method, Route, Key, Fingerprint string
}

// Scope returns the scope of the call of ctx for a principal; nil without a key. A key identifies one
// effect on one object, whose id is in the path. An optional member of the body that is null equals its
// absence. Free-form values are compared as sent.
func (i Idempotent) Scope(ctx context.Context, principal, object string) (*Scope, error) {
	key, ok := parseKey(i.IdempotencyKey)
	if !ok {
		return nil, nil
	}
	body, err := callOf(ctx).withoutNulls()
	if err != nil {
		return nil, err
	}
	sum, err := strictjson.Sum(body)
	if err != nil {
		return nil, err
	}
	op := OperationOf(ctx)
	return &Scope{Principal: principal, Method: op.Method, Route: op.Path, Key: key, Fingerprint: object + sum}, nil
}

// withoutNulls returns the body without optional members that are null; an empty object without a body.
func (c *call) withoutNulls() ([]byte, error) {
	if len(c.body) == 0 {
		return []byte("{}"), nil
	}
	if c.schema == nil {
		return c.body, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber() // which keeps the digits
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	dropNulls(c.server.API.OpenAPI().Components.Schemas, c.schema, tree)
	return json.Marshal(tree)
}

// dropNulls removes null from the optional members of a schema.
func dropNulls(r huma.Registry, s *huma.Schema, value any) {
	if s = resolve(r, s); s == nil {
		return
	}
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			dropNulls(r, s.Items, item)
		}
	case map[string]any:
		for name, member := range s.Properties {
			switch v, given := value[name]; {
			case given && v == nil && !slices.Contains(s.Required, name):
				delete(value, name)
			default:
				dropNulls(r, member, v)
			}
		}
	}
}
