// Package view holds the JSON representations of requests, tasks and decisions. Package engine stores them as the
// replies of idempotent operations, package api returns them.
package view

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// ServiceID is the id of every envelope.
const ServiceID = "wf"

// Encode returns a value in the envelope of the service.
func Encode(at time.Time, value any) ([]byte, error) {
	body, err := json.Marshal(envelope.Succeed(ServiceID, at, value))
	if err != nil {
		return nil, fmt.Errorf("encode reply: %w", err)
	}
	return body, nil
}

// ETag returns the entity tag of a revision.
func ETag(rev int64) string { return `"` + strconv.FormatInt(rev, 10) + `"` }

// List returns the views of a list. The result is empty rather than null.
func List[S, T any](items []S, show func(S) T) []T {
	list := make([]T, len(items))
	for i, item := range items {
		list[i] = show(item)
	}
	return list
}

// OrNull returns a pointer to a value, or nil for its zero value.
func OrNull[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}

// Stamp returns the wire form of an optional time.
func Stamp(t *time.Time) *identity.Stamp {
	if t == nil {
		return nil
	}
	return identity.StampOf(*t)
}

// Object is a free-form JSON object that keeps its bytes, so that numbers keep their digits.
type Object struct{ json.RawMessage }

// Schema returns the schema of any JSON object.
func (Object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// UnmarshalJSON treats null as absent.
func (o *Object) UnmarshalJSON(data []byte) error {
	if o.RawMessage = nil; string(data) != "null" {
		o.RawMessage = slices.Clone(data)
	}
	return nil
}

// Standing is the standing of an approval, or null before the approval.
type Standing struct{ wf.Standing }

// Schema returns the schema of a nullable standing.
func (Standing) Schema(r huma.Registry) *huma.Schema {
	return web.OrNull(r.Schema(reflect.TypeFor[wf.Standing](), true, ""))
}

// MarshalJSON writes the standing or null.
func (s Standing) MarshalJSON() ([]byte, error) { return json.Marshal(OrNull(s.Standing)) }

// MaybeUser is a user, or null.
type MaybeUser struct{ *identity.User }

// Schema returns the schema of a nullable user.
func (MaybeUser) Schema(r huma.Registry) *huma.Schema {
	return web.OrNull(r.Schema(reflect.TypeFor[identity.User](), true, ""))
}

// MarshalJSON writes the user or null.
func (u MaybeUser) MarshalJSON() ([]byte, error) { return json.Marshal(u.User) }
