package api

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

const maxContext = 200 << 10

// canonicalContext returns the canonical form of a context and its hash. An absent context is an
// empty object.
func canonicalContext(o view.Object) (body []byte, hash string, err error) {
	if len(o.RawMessage) == 0 {
		o.RawMessage = []byte("{}")
	}
	body, err = strictjson.Canonical(o.RawMessage)
	if err == nil {
		err = strictjson.Check(body, strictjson.Default) // a stored context must be accepted as input
	}
	if err != nil {
		loc := []any{"body", "context"}
		if where, ok := errors.AsType[*strictjson.Error](err); ok {
			loc = append(loc, where.Path...)
		}
		message := fmt.Sprintf("Value error, is a number of more than %d digits when it is written out", strictjson.MaxDigits)
		return nil, "", web.Unprocessable(web.Detail{Type: "value_error", Loc: loc, Msg: message})
	}
	if len(body) > maxContext {
		return nil, "", refusal.At(reason.TooLong, "/context", "The context is limited to %d KiB", maxContext>>10)
	}
	hash, err = strictjson.Sum(body)
	return body, hash, err
}

// Identified is the input of an operation on one object.
type Identified struct {
	ID string `path:"id" doc:"Identifier"`
}

// parameters documents the id as a UUID. The schema accepts any text, since known returns 404 for
// other values.
func (*Identified) parameters() []*huma.Param {
	return []*huma.Param{
		{Name: "id", In: "path", Required: true, Description: "Identifier", Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}},
	}
}

// Resolve converts the id to its stored form: UUIDs are case-insensitive (RFC 9562, section 4).
func (i *Identified) Resolve(huma.Context) []error {
	i.ID = strings.ToLower(i.ID)
	return nil
}

// plainID returns the stored form of an id in a filter or body. The schema has validated it.
func plainID(id string) string {
	if parsed, err := uuid.Parse(id); err == nil {
		return parsed.String()
	}
	return id
}

// nouns maps the reason for a missing object to its name in refusals.
var nouns = map[refusal.Reason]string{
	reason.RequestNotFound: "request", reason.TaskNotFound: "task", reason.DelegationNotFound: "delegation", reason.EndpointNotFound: "webhook endpoint",
	reason.WrongState: "delivery",
}

// checkID rejects an id in another form than the stored one, since it cannot exist.
func checkID(id string, reason refusal.Reason) error {
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id {
		return refusal.New(reason, "no %s %.64q", nouns[reason], id)
	}
	return nil
}

func (i *Identified) id() string { return i.ID }

// objectInput is the input of a change of one object without a body.
type objectInput struct {
	Identified
	Guarded
}

// withID wraps the handler of an operation on an object. It rejects invalid input first, then malformed ids.
func withID[T, I any, In interface {
	*I
	id() string
}](missing refusal.Reason, handle func(context.Context, *I) (result[T], error)) func(context.Context, *I) (result[T], error) {
	return func(ctx context.Context, in *I) (result[T], error) {
		if checked, ok := any(in).(interface{ checkInput() error }); ok {
			if err := checked.checkInput(); err != nil {
				return result[T]{}, err
			}
		}
		if err := checkID(In(in).id(), missing); err != nil {
			return result[T]{}, err
		}
		return handle(ctx, in)
	}
}

// reading is about for a GET that discloses existing ids only to WF_VIEWER.
func reading[T, I any, In interface {
	*I
	id() string
}](missing refusal.Reason, handle func(context.Context, *I) (result[T], error)) func(context.Context, *I) (result[T], error) {
	return func(ctx context.Context, in *I) (result[T], error) {
		if err := checkReadableID(ctx, In(in).id(), missing); err != nil {
			return result[T]{}, err
		}
		return handle(ctx, in)
	}
}

// checkReadableID rejects a malformed id: as missing for WF_VIEWER, otherwise like an object of other
// users.
func checkReadableID(ctx context.Context, id string, missing refusal.Reason) error {
	err := checkID(id, missing)
	if err != nil && !actorOf(ctx).Has(identity.RoleViewer) {
		return refusal.New(reason.Forbidden, "the caller has no part in %s %.64q", nouns[missing], id)
	}
	return err
}

// Versioned is the input of an operation on one policy version.
type Versioned struct {
	Key    string `path:"key" doc:"Policy key"`
	Number string `path:"v" doc:"Version number, from 1"`
}

// number returns the version number. It rejects other text than a positive decimal integer.
func (v Versioned) number() (int, error) {
	n, err := strconv.Atoi(v.Number)
	if err != nil || n < 1 || n > 1<<30 || strconv.Itoa(n) != v.Number || !policy.ValidPolicyKey(v.Key) {
		return 0, refusal.New(reason.PolicyNotFound, "no version %.20q of policy %.64q", v.Number, v.Key)
	}
	return n, nil
}

// withNumber wraps the handler of an operation on a policy version. It rejects invalid version
// numbers first.
func withNumber[T, I any, In interface {
	*I
	number() (int, error)
}](handle func(ctx context.Context, in *I, number int) (result[T], error)) func(context.Context, *I) (result[T], error) {
	return func(ctx context.Context, in *I) (result[T], error) {
		number, err := In(in).number()
		if err != nil {
			return result[T]{}, err
		}
		return handle(ctx, in, number)
	}
}

// versionInput is the input of a change of a policy version without a body.
type versionInput struct {
	Versioned
	Guarded
}

// Guarded is the input of an operation with If-Match.
type Guarded struct {
	IfMatch string `header:"If-Match" doc:"Entity tag that the object must still have; another one is a conflict (409)."`
}

// bodyOrZero returns an optional body, or its zero value if absent.
func bodyOrZero[T any](body *T) (b T) {
	if body != nil {
		b = *body
	}
	return b
}

// Paged is the input of a list.
type Paged struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Items on a page."`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the previous page, with the same filter and sort."`
}

func (p Paged) page() wf.Page { return wf.Page{Limit: p.Limit, Cursor: p.Cursor} }

// Page is a page of a list. NextCursor is null on the last one.
type Page[T any] struct {
	Items      []T     `json:"items" doc:"Items of this page. A page may be shorter than limit, or empty; continue while next_cursor is present."`
	NextCursor *string `json:"next_cursor" nullable:"true" doc:"Cursor of the next page; null on the last one."`
}

// listReply returns the reply of a list.
func listReply[S, T any](items []S, next string, err error, show func(S) T) (result[Page[T]], error) {
	return result[Page[T]]{Value: pageOf(items, next, show)}, err
}

func pageOf[S, T any](items []S, next string, show func(S) T) Page[T] {
	return Page[T]{view.List(items, show), view.OrNull(next)}
}

// checkYear rejects a time that RFC 3339 cannot express in UTC. Its event could not be read again.
func checkYear(member string, t time.Time) error {
	if t.UTC().Year() > 9999 {
		return refusal.At(reason.BadInput, "/"+member, "must be before the year 10000 in UTC")
	}
	return nil
}

// resolveMe resolves the value "me" of a filter.
func resolveMe(value string, by identity.Actor) string {
	if value == "me" {
		return by.ID
	}
	return value
}

// checkAttachments rejects names with invisible characters and addresses other than absolute http
// or https URLs. A browser opens them from the page of the request.
func checkAttachments(attachments []wf.Attachment) error {
	for i, a := range attachments {
		for _, text := range []struct{ member, value string }{{"name", a.Name}, {"media_type", a.MediaType}} {
			if err := identity.CheckLabel(text.value); err != nil {
				return refusal.At(reason.BadInput, fmt.Sprintf("/attachments/%d/%s", i, text.member), "%s", err)
			}
		}
		u, err := url.Parse(a.URL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return refusal.At(
				reason.BadURL,
				fmt.Sprintf("/attachments/%d/url", i),
				"Input should be an http or https URL, such as https://files.example.org/a.pdf",
			)
		}
	}
	return nil
}

// Labelled is the input of a list that filters by labels: label.team=finance.
type Labelled struct {
	labels map[string]string
}

const (
	labelPrefix = "label."
	maxLabels   = 20 // of an object and of a filter
)

// Resolve reads the parameters with the prefix label.
func (l *Labelled) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	for name, values := range u.Query() {
		if key, ok := strings.CutPrefix(name, labelPrefix); ok {
			if key == "" {
				return []error{web.Detail{Type: "string_too_short", Loc: []any{"query", name}, Msg: "Name the label"}}
			}
			if len(l.labels) == maxLabels {
				return []error{web.Detail{Type: "too_long", Loc: []any{"query", name}, Msg: fmt.Sprintf("At most %d labels", maxLabels)}}
			}
			if l.labels == nil {
				l.labels = map[string]string{}
			}
			l.labels[key] = values[0]
		}
	}
	return nil
}

// parameters documents the label parameters. Struct tags cannot express their names.
func (*Labelled) parameters() []*huma.Param {
	return []*huma.Param{web.Family("labels", labelPrefix, "label.team=finance selects what has this label. Several labels must all match.")}
}
