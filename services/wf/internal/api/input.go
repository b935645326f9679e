package api

import (
	"cmp"
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
	"github.com/countersign/countersign/services/wf/internal/engine"
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

// Draft is the content of a request that is created, previewed or simulated.
type Draft struct {
	Context      view.Object `json:"context,omitempty" doc:"Content to approve; at most 200 KiB, and empty when absent. A number has at most 64 digits without exponent."`
	ArtifactType string      `json:"artifact_type,omitempty" maxLength:"128" doc:"Type of the artifact to approve; that of the policy when absent."`
	ArtifactID   string      `json:"artifact_id,omitempty" maxLength:"255" doc:"Identifier of the artifact to approve, in its system."`
	Requester    string      `json:"requester,omitempty" minLength:"1" maxLength:"255" doc:"User id; the caller when absent."`

	canonical []byte // of Context
	hash      string
}

func (d *Draft) canonicalise() (err error) {
	d.canonical, d.hash, err = canonicalContext(d.Context)
	return err
}

// check rejects an invalid context and requester, and names and labels with invisible characters.
func (d *Draft) check(title string, labels map[string]string) error {
	if err := d.canonicalise(); err != nil {
		return err
	}
	for _, text := range [][2]string{
		{"title", title}, {"artifact_type", d.ArtifactType}, {"artifact_id", d.ArtifactID}, {"requester", d.Requester},
	} {
		if err := identity.CheckLabel(text[1]); err != nil {
			return refusal.At(reason.BadInput, "/"+text[0], "%s", err)
		}
	}
	for key, value := range labels {
		if key == "" || len(key) > 64 || len(value) > 256 {
			return refusal.At(reason.BadInput, "/labels", "keys take 1 to 64 bytes and values 256")
		}
		if err := cmp.Or(identity.CheckLabel(key), identity.CheckLabel(value)); err != nil {
			return refusal.At(reason.BadInput, "/labels", "the label %.64q %s", key, err)
		}
	}
	if d.Requester != "" && identity.CheckUserID(d.Requester) != nil {
		return refusal.At(reason.BadInput, "/requester", "is not a user id")
	}
	return nil
}

// Identified is the input of an operation on one object.
type Identified struct {
	ID string `path:"id" doc:"Identifier"`
}

// parameters documents the id as a UUID. The schema accepts any text, since checkPath returns 404 for
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

// unknown maps the objects of paths to the reason for an unknown one, and to their name in refusals.
var unknown = map[wf.ResourceType]struct {
	reason refusal.Reason
	noun   string
}{
	"policy":     {reason.PolicyNotFound, "policy"},
	"request":    {reason.RequestNotFound, "request"},
	"task":       {reason.TaskNotFound, "task"},
	"delegation": {reason.DelegationNotFound, "delegation"},
	"endpoint":   {reason.EndpointNotFound, "webhook endpoint"},
	"delivery":   {reason.WrongState, "delivery"},
}

// checkID rejects an id in another form than the stored one, since it cannot exist. A read discloses existing ids
// only to WF_VIEWER: for others, the object could be that of other users.
func checkID(ctx context.Context, kind wf.ResourceType, id string, read bool) error {
	if parsed, err := uuid.Parse(id); err == nil && parsed.String() == id {
		return nil
	}
	if read && !actorOf(ctx).Has(identity.RoleViewer) {
		return refusal.New(reason.Forbidden, "the caller has no part in %s %.64q", unknown[kind].noun, id)
	}
	return refusal.New(unknown[kind].reason, "no %s %.64q", unknown[kind].noun, id)
}

func (i *Identified) checkPath(ctx context.Context, op operation) error {
	return checkID(ctx, objectOf(op.Path), i.ID, op.Method == get)
}

func (i *Identified) id() string { return i.ID }

// Keyed is the input of an operation with an Idempotency-Key.
type Keyed struct {
	web.Idempotent
	key *engine.IdempotencyKey // nil without one
}

// readKey sets the key of a call on the object with an id.
func (k *Keyed) readKey(ctx context.Context, ttl time.Duration, id string) error {
	by := actorOf(ctx)
	scope, err := k.Scope(ctx, by.Issuer+"|"+by.ID, id)
	if err != nil || scope == nil {
		return err
	}
	k.key = &engine.IdempotencyKey{
		Principal: scope.Principal, Method: scope.Method, Route: scope.Route, Value: scope.Key,
		Fingerprint: scope.Fingerprint, TTL: ttl,
	}
	return nil
}

// checked returns a handler that first checks its input: the content, then the id or the version in the path. It then
// reads the Idempotency-Key.
func checked[I, O any](
	a *API, op operation, handle func(context.Context, *I) (O, error),
) func(context.Context, *I) (O, error) {
	return func(ctx context.Context, in *I) (out O, err error) {
		if content, ok := any(in).(interface{ checkInput() error }); ok {
			err = content.checkInput()
		}
		if path, ok := any(in).(interface {
			checkPath(context.Context, operation) error
		}); ok && err == nil {
			err = path.checkPath(ctx, op)
		}
		if keyed, ok := any(in).(interface {
			readKey(context.Context, time.Duration, string) error
		}); ok && err == nil {
			id := ""
			if object, ok := any(in).(interface{ id() string }); ok {
				id = object.id()
			}
			err = keyed.readKey(ctx, a.IdempotencyTTL, id)
		}
		if err != nil {
			return out, err
		}
		return handle(ctx, in)
	}
}

// objectInput is the input of a change of one object without a body.
type objectInput struct {
	Identified
	Guarded
}

// PolicyPath is the input of an operation on one policy.
type PolicyPath struct {
	Key string `path:"key" doc:"Policy key"`
}

func (p *PolicyPath) checkPath(context.Context, operation) error {
	if !policy.ValidPolicyKey(p.Key) {
		return refusal.New(reason.PolicyNotFound, "no policy %.64q", p.Key)
	}
	return nil
}

// Versioned is the input of an operation on one policy version.
type Versioned struct {
	Key    string `path:"key" doc:"Policy key"`
	Number string `path:"v" doc:"Version number, from 1"`

	number int
}

// checkPath rejects other text than a positive decimal integer.
func (v *Versioned) checkPath(context.Context, operation) (err error) {
	v.number, err = strconv.Atoi(v.Number)
	if err != nil || v.number < 1 || v.number > 1<<30 || strconv.Itoa(v.number) != v.Number || !policy.ValidPolicyKey(v.Key) {
		return refusal.New(reason.PolicyNotFound, "no version %.20q of policy %.64q", v.Number, v.Key)
	}
	return nil
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
